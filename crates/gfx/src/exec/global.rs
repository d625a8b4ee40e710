//! Memory instructions on global, flat and scratch addresses, and scalar loads.

use std::marker::PhantomData;

use crate::isa::field::{Flat, Smem, sign_extend};
use crate::isa::{Format, Inst};

use super::access::*;
use super::context::Context;
use super::lane::{Kind, each_lane};
use super::lower::{Gap, Lowering};
use super::op::{Flow, Mods, Op};
use super::rows::Entry;
use super::simd::{Baseline, Handlers, Instruction, Simd};
use super::wave::{LANES, Wave, scalar};
use super::{FaultKind, Rights};

/// How an instruction names its addresses: `Op::e`.
mod mode {
    /// 64-bit address in a register pair.
    pub(super) const PAIR: u16 = 0;
    /// Scalar 64-bit base, 32-bit offset in a register.
    pub(super) const BASED: u16 = 1;
    /// 64-bit address that may lie in an aperture.
    pub(super) const FLAT: u16 = 2;
    /// Scratch: offset in a scalar, or none.
    pub(super) const SCRATCH: u16 = 3;
    /// Scratch: offset in a register and in a scalar, or none.
    pub(super) const SCRATCH_VECTOR: u16 = 4;
}

/// Signed offset of the instruction.
#[inline(always)]
fn offset(op: &Op) -> i32 {
    op.imm.cast_signed()
}

/// The addresses of an instruction of GLOBAL, or of FLAT whose lanes are all in global memory; `None`
/// otherwise. `mask` is not 0.
#[inline(always)]
fn global_addresses<L: Simd>(wave: &Wave, op: &Op, mask: u32) -> Option<Addresses> {
    match op.e {
        mode::PAIR => {
            let (low, high) = (wave.row(op.a), wave.row(op.a + 1));
            Some(Addresses::pairs::<L>(low, high, offset(op), mask))
        }
        mode::BASED => {
            let base = wave
                .s64(op.b)
                .wrapping_add(i64::from(offset(op)).cast_unsigned());
            Some(Addresses::near::<L>(base, wave.row(op.a), mask))
        }
        mode::FLAT => {
            let (low, high) = (wave.row(op.a), wave.row(op.a + 1));
            let aperture =
                each_lane!(0, lane => if is_aperture(high[lane]) { u32::MAX } else { 0 });
            (L::top_bits(&aperture) & mask == 0)
                .then(|| Addresses::pairs::<L>(low, high, offset(op), mask))
        }
        _ => None,
    }
}

#[inline(always)]
fn is_aperture(high: u32) -> bool {
    high == scalar::SHARED_APERTURE || high == scalar::PRIVATE_APERTURE
}

/// What the lanes of an access outside global memory go to.
struct Split {
    /// Lanes in LDS, in private memory, in global memory.
    shared: u32,
    private: u32,
    global: u32,
    /// Offsets into LDS and private memory.
    low: [u32; LANES],
    /// Global addresses.
    far: Addresses,
}

/// Sorts the lanes of an access that `global_addresses` did not take.
#[inline(never)]
fn split(wave: &Wave, op: &Op, mask: u32) -> Split {
    // An absent scalar is a place that reads 0.
    let base = wave.s(op.b).wrapping_add_signed(offset(op));
    let low = *wave.row(op.a);
    match op.e {
        mode::FLAT => {
            let high = wave.row(op.a + 1);
            let offset64 = i64::from(offset(op)).cast_unsigned();
            let far = std::array::from_fn(|lane| {
                (u64::from(high[lane]) << 32 | u64::from(low[lane])).wrapping_add(offset64)
            });
            let of = |aperture: u32| {
                lanes(mask)
                    .filter(|&lane| high[lane] == aperture)
                    .fold(0, |m, lane| m | 1 << lane)
            };
            let shared = of(scalar::SHARED_APERTURE);
            let private = of(scalar::PRIVATE_APERTURE);
            Split {
                shared,
                private,
                global: mask & !(shared | private),
                low: low.map(|low| low.wrapping_add_signed(offset(op))),
                far: Addresses::Far(far),
            }
        }
        _ => Split {
            shared: 0,
            private: mask,
            global: 0,
            low: if op.e == mode::SCRATCH_VECTOR {
                low.map(|low| low.wrapping_add(base))
            } else {
                [base; LANES]
            },
            far: Addresses::Far([0; LANES]),
        },
    }
}

/// Private memory of a wave: dword `n` of all lanes lies together, lane after lane.
#[derive(Clone, Copy, Debug)]
struct Scratch {
    /// Bytes between two dwords of a lane.
    stride: u32,
    /// Lanes before this half of the wave.
    first_lane: u32,
    /// Address of the wave's memory.
    base: u64,
    /// Bytes of one lane.
    bytes: u32,
}

impl Scratch {
    #[inline(always)]
    fn of(wave: &Wave, op: &Op, cx: &Context<'_>) -> Self {
        Self {
            stride: cx.launch.lanes() * 4,
            first_lane: if op.exec == scalar::EXEC_HI { 32 } else { 0 },
            base: wave.scratch,
            bytes: cx.launch.private_bytes(),
        }
    }

    /// Where byte `offset` of a lane is, relative to the base.
    #[inline(always)]
    fn place(&self, lane: usize, offset: u32) -> u32 {
        #[expect(clippy::cast_possible_truncation, reason = "a lane number")]
        let lane = lane as u32;
        (offset >> 2)
            .wrapping_mul(self.stride)
            .wrapping_add((self.first_lane + lane) * 4 + (offset & 3))
    }

    fn address(&self, lane: usize, offset: u32) -> u64 {
        self.base.wrapping_add(u64::from(self.place(lane, offset)))
    }

    /// The first lane whose `bytes` bytes do not lie in its memory.
    fn check(&self, offsets: &[u32; LANES], bytes: usize, mask: u32) -> Option<(FaultKind, u32)> {
        let last = (self.bytes as usize).checked_sub(bytes);
        let outside = |lane: &usize| last.is_none_or(|last| offsets[*lane] as usize > last);
        let lane = lanes(mask).find(outside)?;
        let kind = FaultKind::Aperture {
            offset: u64::from(offsets[lane]),
            bytes: self.bytes,
        };
        Some((kind, u32::try_from(lane).expect("a lane number")))
    }

    /// Addresses of dword `dword` from where each lane's offset, a multiple of four, names.
    #[inline(always)]
    fn dwords(&self, offsets: &[u32; LANES], dword: usize, mask: u32) -> Addresses {
        #[expect(clippy::cast_possible_truncation, reason = "at most four dwords")]
        let first = 4 * dword as u32;
        let places = each_lane!(0, lane => self.place(lane, offsets[lane].wrapping_add(first)));
        Addresses::near::<Baseline>(self.base, &places, mask)
    }
}

/// Whether the lanes in `mask` access whole, aligned dwords.
fn is_whole_dwords(offsets: &[u32; LANES], bytes: usize, mask: u32) -> bool {
    bytes >= 4 && lanes(mask).all(|lane| offsets[lane] & 3 == 0)
}

#[inline(never)]
fn load_scratch(
    wave: &mut Wave,
    op: &Op,
    cx: &mut Context<'_>,
    offsets: &[u32; LANES],
    mask: u32,
    any: &AnyLoad,
) -> Flow {
    let scratch = Scratch::of(wave, op, cx);
    if let Some((kind, lane)) = scratch.check(offsets, any.bytes, mask) {
        return wave.fault(kind, Some(lane));
    }
    if is_whole_dwords(offsets, any.bytes, mask) {
        for (dword, row) in (op.d..).enumerate().take(any.bytes / 4) {
            let at = scratch.dwords(offsets, dword, mask);
            match load::<Baseline, Dwords<4, 1>>(wave, cx, Space::Global, &at, mask, row) {
                Flow::Next => {}
                other => return other,
            }
        }
        return Flow::Next;
    }
    for lane in lanes(mask) {
        let mut buffer = [0; 16];
        for (byte, offset) in buffer[..any.bytes].iter_mut().zip(offsets[lane]..) {
            let address = scratch.address(lane, offset);
            if let Err(kind) = cx.read(address, std::slice::from_mut(byte)) {
                return wave.fault(kind, lane_number(lane));
            }
        }
        (any.put_lane)(wave, op.d, lane, &buffer[..any.bytes]);
    }
    Flow::Next
}

#[inline(never)]
fn store_scratch(
    wave: &mut Wave,
    op: &Op,
    cx: &mut Context<'_>,
    offsets: &[u32; LANES],
    mask: u32,
    any: &AnyStore,
) -> Flow {
    let scratch = Scratch::of(wave, op, cx);
    if let Some((kind, lane)) = scratch.check(offsets, any.bytes, mask) {
        return wave.fault(kind, Some(lane));
    }
    if is_whole_dwords(offsets, any.bytes, mask) {
        for (dword, row) in (op.c..).enumerate().take(any.bytes / 4) {
            let at = scratch.dwords(offsets, dword, mask);
            match store::<Baseline, Dwords<4, 1>>(wave, cx, Space::Global, &at, mask, row) {
                Flow::Next => {}
                other => return other,
            }
        }
        return Flow::Next;
    }
    for lane in lanes(mask) {
        let mut buffer = [0; 16];
        (any.lane)(wave, op.c, lane, &mut buffer[..any.bytes]);
        for (byte, offset) in buffer[..any.bytes].iter().zip(offsets[lane]..) {
            let address = scratch.address(lane, offset);
            if let Err(kind) = cx.write(address, std::slice::from_ref(byte)) {
                return wave.fault(kind, lane_number(lane));
            }
        }
    }
    Flow::Next
}

struct LoadOp<A>(PhantomData<A>);
struct StoreOp<A>(PhantomData<A>);
struct AtomicOp<F>(PhantomData<F>);

/// Does the parts of an access one after the other; stops where one does not go on.
macro_rules! in_turn {
    ($($mask:expr => $part:expr;)*) => {
        $(
            if $mask != 0 {
                match $part {
                    Flow::Next => {}
                    other => return other,
                }
            }
        )*
        return Flow::Next
    };
}

impl<A: Load> Instruction for LoadOp<A> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, cx: &mut Context<'_>) -> Flow {
        let mask = wave.s(op.exec);
        if mask == 0 {
            return Flow::Next;
        }
        match global_addresses::<L>(wave, op, mask) {
            Some(at) => load::<L, A>(wave, cx, Space::Global, &at, mask, op.d),
            None => load_elsewhere(wave, op, cx, mask, &AnyLoad::of::<A>()),
        }
    }
}

#[inline(never)]
fn load_elsewhere(
    wave: &mut Wave,
    op: &Op,
    cx: &mut Context<'_>,
    mask: u32,
    any: &AnyLoad,
) -> Flow {
    let s = split(wave, op, mask);
    in_turn! {
        s.shared => {
            let at = Addresses::near::<Baseline>(0, &s.low, s.shared);
            load_slow(wave, cx, Space::Lds, &at, s.shared, op.d, any)
        };
        s.private => load_scratch(wave, op, cx, &s.low, s.private, any);
        s.global => load_slow(wave, cx, Space::Global, &s.far, s.global, op.d, any);
    }
}

impl<A: Store> Instruction for StoreOp<A> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, cx: &mut Context<'_>) -> Flow {
        let mask = wave.s(op.exec);
        if mask == 0 {
            return Flow::Next;
        }
        match global_addresses::<L>(wave, op, mask) {
            Some(at) => store::<L, A>(wave, cx, Space::Global, &at, mask, op.c),
            None => store_elsewhere(wave, op, cx, mask, &AnyStore::of::<A>()),
        }
    }
}

#[inline(never)]
fn store_elsewhere(
    wave: &mut Wave,
    op: &Op,
    cx: &mut Context<'_>,
    mask: u32,
    any: &AnyStore,
) -> Flow {
    let s = split(wave, op, mask);
    in_turn! {
        s.shared => {
            let at = Addresses::near::<Baseline>(0, &s.low, s.shared);
            store_slow(wave, cx, Space::Lds, &at, s.shared, op.c, any)
        };
        s.private => store_scratch(wave, op, cx, &s.low, s.private, any);
        s.global => store_slow(wave, cx, Space::Global, &s.far, s.global, op.c, any);
    }
}

impl<F: Atomic> Instruction for AtomicOp<F> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, cx: &mut Context<'_>) -> Flow {
        let mask = wave.s(op.exec);
        if mask == 0 {
            return Flow::Next;
        }
        let words = if F::T::BYTES == 8 { 2 } else { 1 };
        let registers = AtomicRegisters {
            data: op.c,
            compare: op.c + words,
            dest: op.mods.contains(Mods::GLC).then_some(op.d),
        };
        if let Some(at) = global_addresses::<L>(wave, op, mask) {
            return atomic::<F>(wave, cx, Space::Global, &at, mask, registers);
        }
        let s = split(wave, op, mask);
        in_turn! {
            s.shared => {
                let at = Addresses::near::<L>(0, &s.low, s.shared);
                atomic::<F>(wave, cx, Space::Lds, &at, s.shared, registers)
            };
            s.private => private_atomic(wave, op, cx, &s.low, s.private);
            s.global => atomic::<F>(wave, cx, Space::Global, &s.far, s.global, registers);
        }
    }
}

/// Atomics on private memory, which the chip does not do: a fault there and here.
#[cold]
fn private_atomic(
    wave: &mut Wave,
    op: &Op,
    cx: &Context<'_>,
    offsets: &[u32; LANES],
    mask: u32,
) -> Flow {
    let scratch = Scratch::of(wave, op, cx);
    let lane = mask.trailing_zeros();
    let offset = u64::from(offsets[lane as usize % LANES]);
    wave.fault(
        FaultKind::Aperture {
            offset,
            bytes: scratch.bytes,
        },
        Some(lane),
    )
}

/// Fills the fields that FLAT, GLOBAL and SCRATCH share.
fn fill(l: &Lowering, inst: &Inst, op: &mut Op) {
    let f = Flat::from(inst);
    op.d = l.vgpr(f.vdst());
    op.a = l.vgpr(f.addr());
    op.c = l.vgpr(f.data());
    op.imm = sign_extend(f.offset(), 13).cast_unsigned();
    op.mods.set(Mods::GLC, f.glc() != 0);
}

/// Whether the scalar address is there.
fn scalar_address(inst: &Inst) -> Option<u32> {
    let saddr = Flat::from(inst).saddr();
    (saddr != u32::from(scalar::NULL)).then_some(saddr)
}

fn lower_access(l: &mut Lowering, inst: &Inst, handlers: &Handlers) -> Result<(), Gap> {
    let saddr = scalar_address(inst);
    let mut op = l.op(handlers);
    fill(l, inst, &mut op);
    op.e = match (inst.format, saddr) {
        (Format::Global, None) => mode::PAIR,
        (Format::Global, Some(_)) => mode::BASED,
        (Format::Flat, _) => mode::FLAT,
        (Format::Scratch, _) if Flat::from(inst).sve() != 0 => mode::SCRATCH_VECTOR,
        (Format::Scratch, _) => mode::SCRATCH,
        _ => return Err(Gap::Illegal),
    };
    match (inst.format, saddr) {
        (Format::Global, Some(saddr)) => op.b = l.scalar_source(saddr, Kind::B64)?,
        (Format::Scratch, Some(saddr)) => op.b = l.scalar_source(saddr, Kind::B32)?,
        _ => {}
    }
    l.push(op);
    Ok(())
}

fn lower_load<A: Load>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    lower_access(l, inst, const { &Handlers::two::<LoadOp<A>>() })
}

fn lower_store<A: Store>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    lower_access(l, inst, const { &Handlers::two::<StoreOp<A>>() })
}

fn lower_atomic<F: Atomic>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    lower_access(l, inst, const { &Handlers::scalar::<AtomicOp<F>>() })
}

/// Scalar loads: `imm` dwords from an aligned address.
struct ScalarLoad;

impl Instruction for ScalarLoad {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, cx: &mut Context<'_>) -> Flow {
        let offset = op.literal;
        let address = wave
            .s64(op.a)
            .wrapping_add(offset)
            .wrapping_add(u64::from(wave.s(op.b)))
            & !3;
        let bytes = 4 * op.imm as usize;
        let region = match cx.region(address, Rights::READ) {
            Ok(region) => region,
            Err(kind) => return wave.fault(kind, None),
        };
        if region.holds(address, bytes as u64) {
            for (entry, address) in (op.d..).zip((address..).step_by(4)).take(bytes / 4) {
                if let Some(place) = region.place(address, 4) {
                    wave.set_s(entry, u32::from_le_bytes(place.load()));
                }
            }
            return Flow::Next;
        }
        let mut buffer = [0; 64];
        if let Err(kind) = cx.read(address, &mut buffer[..bytes]) {
            return wave.fault(kind, None);
        }
        for (entry, dword) in (op.d..).zip(buffer[..bytes].as_chunks::<4>().0) {
            wave.set_s(entry, u32::from_le_bytes(*dword));
        }
        Flow::Next
    }
}

fn lower_scalar_load<const DWORDS: u16>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let f = Smem::from(inst);
    let mut op = l.op(const { &Handlers::scalar::<ScalarLoad>() });
    op.a = l.scalar_source(f.sbase() * 2, Kind::B64)?;
    op.b = l.scalar_source(f.soffset(), Kind::B32)?;
    op.d = l.scalar_range(f.sdata(), DWORDS)?;
    op.literal = i64::from(sign_extend(f.offset(), 21)).cast_unsigned();
    op.imm = u32::from(DWORDS);
    l.push(op);
    Ok(())
}

/// Nothing to invalidate: loads see memory.
fn lower_nothing(_: &mut Lowering, _: &Inst) -> Result<(), Gap> {
    Ok(())
}

macro_rules! entries {
    ($($opcode:literal $name:literal [$($format:ident)*] $lower:expr;)*) => {
        pub(super) const MEMORY: &[&[Entry]] = &[$(&[
            $(Entry {
                format: Format::$format,
                opcode: $opcode,
                name: concat!(entries!(@prefix $format), $name),
                lower: $lower,
            },)*
        ]),*];
    };
    (@prefix Flat) => { "flat_" };
    (@prefix Global) => { "global_" };
    (@prefix Scratch) => { "scratch_" };
}

entries! {
    16 "load_u8" [Flat Global Scratch] lower_load::<Narrow<U8>>;
    17 "load_i8" [Flat Global Scratch] lower_load::<Narrow<I8>>;
    18 "load_u16" [Flat Global Scratch] lower_load::<Narrow<U16>>;
    19 "load_i16" [Flat Global Scratch] lower_load::<Narrow<I16>>;
    20 "load_b32" [Flat Global Scratch] lower_load::<Dwords<4, 1>>;
    21 "load_b64" [Flat Global Scratch] lower_load::<Dwords<8, 2>>;
    22 "load_b96" [Flat Global Scratch] lower_load::<Dwords<12, 3>>;
    23 "load_b128" [Flat Global Scratch] lower_load::<Dwords<16, 4>>;
    24 "store_b8" [Flat Global Scratch] lower_store::<Part<1, 0>>;
    25 "store_b16" [Flat Global Scratch] lower_store::<Part<2, 0>>;
    26 "store_b32" [Flat Global Scratch] lower_store::<Dwords<4, 1>>;
    27 "store_b64" [Flat Global Scratch] lower_store::<Dwords<8, 2>>;
    28 "store_b96" [Flat Global Scratch] lower_store::<Dwords<12, 3>>;
    29 "store_b128" [Flat Global Scratch] lower_store::<Dwords<16, 4>>;
    30 "load_d16_u8" [Flat Global Scratch] lower_load::<Narrow<U8Low>>;
    31 "load_d16_i8" [Flat Global Scratch] lower_load::<Narrow<I8Low>>;
    32 "load_d16_b16" [Flat Global Scratch] lower_load::<Narrow<B16Low>>;
    33 "load_d16_hi_u8" [Flat Global Scratch] lower_load::<Narrow<U8High>>;
    34 "load_d16_hi_i8" [Flat Global Scratch] lower_load::<Narrow<I8High>>;
    35 "load_d16_hi_b16" [Flat Global Scratch] lower_load::<Narrow<B16High>>;
    36 "store_d16_hi_b8" [Flat Global Scratch] lower_store::<Part<1, 16>>;
    37 "store_d16_hi_b16" [Flat Global Scratch] lower_store::<Part<2, 16>>;
    51 "atomic_swap_b32" [Flat Global] lower_atomic::<Swap32>;
    52 "atomic_cmpswap_b32" [Flat Global] lower_atomic::<CmpSwap32>;
    53 "atomic_add_u32" [Flat Global] lower_atomic::<Add32>;
    54 "atomic_sub_u32" [Flat Global] lower_atomic::<Sub32>;
    55 "atomic_csub_u32" [Flat Global] lower_atomic::<CSub32>;
    56 "atomic_min_i32" [Flat Global] lower_atomic::<MinI32>;
    57 "atomic_min_u32" [Flat Global] lower_atomic::<MinU32>;
    58 "atomic_max_i32" [Flat Global] lower_atomic::<MaxI32>;
    59 "atomic_max_u32" [Flat Global] lower_atomic::<MaxU32>;
    60 "atomic_and_b32" [Flat Global] lower_atomic::<And32>;
    61 "atomic_or_b32" [Flat Global] lower_atomic::<Or32>;
    62 "atomic_xor_b32" [Flat Global] lower_atomic::<Xor32>;
    63 "atomic_inc_u32" [Flat Global] lower_atomic::<Inc32>;
    64 "atomic_dec_u32" [Flat Global] lower_atomic::<Dec32>;
    65 "atomic_swap_b64" [Flat Global] lower_atomic::<Swap64>;
    66 "atomic_cmpswap_b64" [Flat Global] lower_atomic::<CmpSwap64>;
    67 "atomic_add_u64" [Flat Global] lower_atomic::<Add64>;
    68 "atomic_sub_u64" [Flat Global] lower_atomic::<Sub64>;
    69 "atomic_min_i64" [Flat Global] lower_atomic::<MinI64>;
    70 "atomic_min_u64" [Flat Global] lower_atomic::<MinU64>;
    71 "atomic_max_i64" [Flat Global] lower_atomic::<MaxI64>;
    72 "atomic_max_u64" [Flat Global] lower_atomic::<MaxU64>;
    73 "atomic_and_b64" [Flat Global] lower_atomic::<And64>;
    74 "atomic_or_b64" [Flat Global] lower_atomic::<Or64>;
    75 "atomic_xor_b64" [Flat Global] lower_atomic::<Xor64>;
    76 "atomic_inc_u64" [Flat Global] lower_atomic::<Inc64>;
    77 "atomic_dec_u64" [Flat Global] lower_atomic::<Dec64>;
    80 "atomic_cmpswap_f32" [Flat Global] lower_atomic::<CmpSwapF32>;
    81 "atomic_min_f32" [Flat Global] lower_atomic::<MinF32>;
    82 "atomic_max_f32" [Flat Global] lower_atomic::<MaxF32>;
    86 "atomic_add_f32" [Flat Global] lower_atomic::<AddF32>;
}

macro_rules! other_entries {
    ($($format:ident $opcode:literal $name:ident => $lower:expr;)*) => {
        pub(super) const ENTRIES: &[Entry] = &[
            $(Entry {
                format: Format::$format,
                opcode: $opcode,
                name: stringify!($name),
                lower: $lower,
            }),*
        ];
    };
}

other_entries! {
    Smem 0 s_load_b32 => lower_scalar_load::<1>;
    Smem 1 s_load_b64 => lower_scalar_load::<2>;
    Smem 2 s_load_b128 => lower_scalar_load::<4>;
    Smem 3 s_load_b256 => lower_scalar_load::<8>;
    Smem 4 s_load_b512 => lower_scalar_load::<16>;
    Smem 32 s_gl1_inv => lower_nothing;
    Smem 33 s_dcache_inv => lower_nothing;
    Mubuf 43 buffer_gl0_inv => lower_nothing;
    Mubuf 44 buffer_gl1_inv => lower_nothing;
}
