//! Memory instructions through a buffer descriptor: four scalars that say where and how far.
//!
//! Out of range is no fault: loads give 0, stores and atomics do nothing.

use std::marker::PhantomData;

use crate::isa::field::{Mubuf, Smem, sign_extend};
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

/// A buffer descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Descriptor {
    base: u64,
    /// Bytes between records.
    stride: u32,
    records: u32,
    /// Bytes of a swizzled element, 0 if not swizzled.
    element: u32,
    /// Records of a swizzled block.
    index_stride: u32,
    /// The lane is the index.
    adds_lane: bool,
    /// Which rule says what is in range.
    rule: u32,
}

impl Descriptor {
    #[inline(always)]
    fn read(wave: &Wave, place: u16) -> Self {
        let [w0, w1, w2, w3] = [0, 1, 2, 3].map(|n| wave.s(place + n));
        let high = (w1 & 0xffff).cast_signed() << 16 >> 16;
        Self {
            base: u64::from(w0) | i64::from(high).cast_unsigned() << 32,
            stride: w1 >> 16 & 0x3fff,
            records: w2,
            element: match w1 >> 30 {
                0 => 0,
                3 => 16,
                _ => 4,
            },
            index_stride: 8 << (w3 >> 21 & 3),
            adds_lane: w3 >> 23 & 1 != 0,
            rule: w3 >> 28 & 3,
        }
    }
}

mod flag {
    /// In `Op::e`: the register before the offset holds the index.
    pub(super) const IDXEN: u16 = 1;
    /// A register holds an offset.
    pub(super) const OFFEN: u16 = 2;
}

/// Where each lane's access is, and how far it may go.
struct Located {
    addresses: [u64; LANES],
    /// Bytes from the address on that are in range.
    room: [u64; LANES],
    /// The addresses as a base and offsets, where that is all they are.
    near: Option<(u64, [u32; LANES])>,
}

/// Addresses and ranges.
///
/// > offset = (offen ? VGPR : 0) + inst_offset, mod 2^32; index = idxen ? VGPR : (ADD_TID ? lane : 0);
/// > addr = BASE + index x STRIDE + offset + soffset.
fn locate(wave: &Wave, op: &Op, v: &Descriptor) -> Located {
    let indexed = op.e & flag::IDXEN != 0;
    let first = wave.row(op.a);
    let offsets = match (op.e & flag::OFFEN != 0, indexed) {
        (false, _) => [op.imm; LANES],
        (true, false) => each_lane!(0, lane => first[lane].wrapping_add(op.imm)),
        (true, true) => {
            let second = wave.row(op.a + 1);
            each_lane!(0, lane => second[lane].wrapping_add(op.imm))
        }
    };
    let lane_base = if op.exec == scalar::EXEC_HI { 32 } else { 0 };
    #[expect(clippy::cast_possible_truncation, reason = "a lane number")]
    let index = each_lane!(0, lane => match (indexed, v.adds_lane) {
        (true, _) => first[lane],
        (false, true) => lane as u32 + lane_base,
        (false, false) => 0,
    });
    let soffset = u64::from(wave.s(op.b));
    let swizzled = v.element != 0 && (indexed || v.adds_lane);

    let mut located = Located {
        addresses: [0; LANES],
        room: [0; LANES],
        near: None,
    };
    for lane in 0..LANES {
        let (offset, index) = (offsets[lane], index[lane]);
        let wide = |x: u32| u64::from(x);
        let relative = if swizzled {
            let (e, g) = (v.element, v.index_stride);
            let block = wide(index / g) * wide(v.stride) + wide(offset / e * e);
            block * wide(g) + wide(index % g * e) + wide(offset % e)
        } else {
            wide(index) * wide(v.stride) + wide(offset)
        };
        located.addresses[lane] = v.base.wrapping_add(relative).wrapping_add(soffset);
        let structured = if index < v.records {
            wide(v.stride).saturating_sub(wide(offset))
        } else {
            0
        };
        located.room[lane] = match v.rule {
            0 => structured,
            1 if index < v.records => u64::MAX,
            2 if v.records != 0 => u64::MAX,
            1 | 2 => 0,
            _ if swizzled && v.stride != 0 => structured,
            _ => wide(v.records).saturating_sub(wide(offset) + soffset),
        };
    }
    if !swizzled && (v.stride == 0 || (!indexed && !v.adds_lane)) {
        located.near = Some((v.base.wrapping_add(soffset), offsets));
    }
    located
}

impl Located {
    /// The lanes in `mask` that have room for `bytes` bytes.
    #[inline(always)]
    fn inside(&self, mask: u32, bytes: usize) -> u32 {
        lanes(mask)
            .filter(|&lane| self.room[lane] >= bytes as u64)
            .fold(0, |inside, lane| inside | 1 << lane)
    }

    /// Addresses for the lanes in `mask`, which is not 0.
    #[inline(always)]
    fn at<L: Simd>(&self, mask: u32) -> Addresses {
        match &self.near {
            Some((base, offsets)) => Addresses::near::<L>(*base, offsets, mask),
            None => Addresses::Far(self.addresses),
        }
    }
}

struct LoadOp<A>(PhantomData<A>);
struct StoreOp<A>(PhantomData<A>);
struct AtomicOp<F>(PhantomData<F>);

impl<A: Load> Instruction for LoadOp<A> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, cx: &mut Context<'_>) -> Flow {
        let mask = wave.s(op.exec);
        if mask == 0 {
            return Flow::Next;
        }
        let located = locate(wave, op, &Descriptor::read(wave, op.c));
        if located.inside(mask, A::BYTES) == mask {
            return load::<L, A>(wave, cx, Space::Global, &located.at::<L>(mask), mask, op.d);
        }
        load_partly(wave, cx, op, &located, mask, &AnyLoad::of::<A>())
    }
}

/// Loads of which some lanes, or some dwords, are out of range.
#[inline(never)]
fn load_partly(
    wave: &mut Wave,
    cx: &mut Context<'_>,
    op: &Op,
    located: &Located,
    mask: u32,
    any: &AnyLoad,
) -> Flow {
    for lane in lanes(mask) {
        let mut buffer = [0; 16];
        let bytes = reach(located.room[lane], any.bytes);
        if let Err(kind) = cx.read(located.addresses[lane], &mut buffer[..bytes]) {
            return wave.fault(kind, lane_number(lane));
        }
        (any.put_lane)(wave, op.d, lane, &buffer[..any.bytes]);
    }
    Flow::Next
}

/// Bytes of an access of `bytes` that are done when there is room for `room`: whole dwords, all or nothing
/// of less than one.
fn reach(room: u64, bytes: usize) -> usize {
    let room = usize::try_from(room).unwrap_or(usize::MAX);
    if room >= bytes {
        bytes
    } else if bytes < 4 {
        0
    } else {
        room & !3
    }
}

impl<A: Store> Instruction for StoreOp<A> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, cx: &mut Context<'_>) -> Flow {
        let mask = wave.s(op.exec);
        if mask == 0 {
            return Flow::Next;
        }
        let located = locate(wave, op, &Descriptor::read(wave, op.c));
        if located.inside(mask, A::BYTES) == mask {
            return store::<L, A>(wave, cx, Space::Global, &located.at::<L>(mask), mask, op.d);
        }
        store_partly(wave, cx, op, &located, mask, &AnyStore::of::<A>())
    }
}

#[inline(never)]
fn store_partly(
    wave: &mut Wave,
    cx: &mut Context<'_>,
    op: &Op,
    located: &Located,
    mask: u32,
    any: &AnyStore,
) -> Flow {
    for lane in lanes(mask) {
        let mut buffer = [0; 16];
        (any.lane)(wave, op.d, lane, &mut buffer[..any.bytes]);
        let bytes = reach(located.room[lane], any.bytes);
        if let Err(kind) = cx.write(located.addresses[lane], &buffer[..bytes]) {
            return wave.fault(kind, lane_number(lane));
        }
    }
    Flow::Next
}

impl<F: Atomic> Instruction for AtomicOp<F> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, cx: &mut Context<'_>) -> Flow {
        let mask = wave.s(op.exec);
        let located = locate(wave, op, &Descriptor::read(wave, op.c));
        let inside = located.inside(mask, F::T::BYTES);
        // The data registers are where the old value goes.
        let words = if F::T::BYTES == 8 { 2 } else { 1 };
        let dest = op.mods.contains(Mods::GLC).then_some(op.d);
        let registers = AtomicRegisters {
            data: op.d,
            compare: op.d + words,
            dest,
        };
        if inside != 0 {
            let at = located.at::<Baseline>(inside);
            match atomic::<F>(wave, cx, Space::Global, &at, inside, registers) {
                Flow::Next => {}
                other => return other,
            }
        }
        if let Some(dest) = dest {
            for lane in lanes(mask & !inside) {
                for row in dest..dest + words {
                    wave.row_mut(row)[lane] = 0;
                }
            }
        }
        Flow::Next
    }
}

fn lower(l: &mut Lowering, inst: &Inst, handlers: &Handlers) -> Result<(), Gap> {
    let f = Mubuf::from(inst);
    // The status register of partly resident textures.
    if f.tfe() != 0 {
        return Err(Gap::Unsupported);
    }
    let mut op = l.op(handlers);
    op.d = l.vgpr(f.vdata());
    op.a = l.vgpr(f.vaddr());
    op.b = l.scalar_source(f.soffset(), Kind::B32)?;
    op.c = descriptor(l, f.srsrc() * 4)?;
    op.e =
        if f.idxen() != 0 { flag::IDXEN } else { 0 } | if f.offen() != 0 { flag::OFFEN } else { 0 };
    op.imm = f.offset();
    op.mods.set(Mods::GLC, f.glc() != 0);
    l.push(op);
    Ok(())
}

/// Four registers of a descriptor.
fn descriptor(l: &Lowering, first: u32) -> Result<u16, Gap> {
    if first + 4 > u32::from(scalar::NULL) {
        return Err(Gap::Illegal);
    }
    l.scalar_source(first, Kind::B32)
}

fn lower_load<A: Load>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    lower(l, inst, const { &Handlers::two::<LoadOp<A>>() })
}

fn lower_store<A: Store>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    lower(l, inst, const { &Handlers::two::<StoreOp<A>>() })
}

fn lower_atomic<F: Atomic>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    lower(l, inst, const { &Handlers::scalar::<AtomicOp<F>>() })
}

/// Scalar loads through a descriptor: dwords past the end are 0.
struct ScalarLoad;

impl Instruction for ScalarLoad {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, cx: &mut Context<'_>) -> Flow {
        match scalar_load(wave, op, cx) {
            Ok(()) => Flow::Next,
            Err(kind) => wave.fault(kind, None),
        }
    }
}

#[inline(never)]
fn scalar_load(wave: &mut Wave, op: &Op, cx: &mut Context<'_>) -> Result<(), FaultKind> {
    let v = Descriptor::read(wave, op.a);
    let offset = (u64::from(op.c_offset()).wrapping_add(u64::from(wave.s(op.b)))) & !3;
    let bytes = match v.stride {
        0 => u64::from(v.records),
        stride => u64::from(v.records) * u64::from(stride),
    };
    for (entry, offset) in (op.d..).zip((offset..).step_by(4)).take(op.imm as usize) {
        let mut dword = [0; 4];
        if offset.checked_add(4).is_some_and(|end| end <= bytes) {
            let address = v.base.wrapping_add(offset) & !3;
            let region = cx.region(address, Rights::READ)?;
            match region.place(address, 4) {
                Some(place) => dword = place.load(),
                None => cx.read(address, &mut dword)?,
            }
        }
        wave.set_s(entry, u32::from_le_bytes(dword));
    }
    Ok(())
}

impl Op {
    /// Offset of a scalar buffer load, kept in the literal.
    fn c_offset(&self) -> u32 {
        let [a, b, c, d, ..] = self.literal.to_le_bytes();
        u32::from_le_bytes([a, b, c, d])
    }
}

fn lower_scalar_load<const DWORDS: u16>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let f = Smem::from(inst);
    let offset = sign_extend(f.offset(), 21);
    // A buffer's offset is not negative.
    let offset = u32::try_from(offset).map_err(|_| Gap::Illegal)?;
    let mut op = l.op(const { &Handlers::scalar::<ScalarLoad>() });
    op.a = descriptor(l, f.sbase() * 2)?;
    op.b = l.scalar_source(f.soffset(), Kind::B32)?;
    op.d = l.scalar_range(f.sdata(), DWORDS)?;
    op.literal = u64::from(offset);
    op.imm = u32::from(DWORDS);
    l.push(op);
    Ok(())
}

macro_rules! entries {
    ($list:ident: $format:ident; $($opcode:literal $name:literal $lower:expr;)*) => {
        pub(super) const $list: &[Entry] = &[$(
            Entry { format: Format::$format, opcode: $opcode, name: $name, lower: $lower }
        ),*];
    };
}

entries! { ENTRIES: Smem;
    8 "s_buffer_load_b32" lower_scalar_load::<1>;
    9 "s_buffer_load_b64" lower_scalar_load::<2>;
    10 "s_buffer_load_b128" lower_scalar_load::<4>;
    11 "s_buffer_load_b256" lower_scalar_load::<8>;
    12 "s_buffer_load_b512" lower_scalar_load::<16>;
}

entries! { VECTOR: Mubuf;
    16 "buffer_load_u8" lower_load::<Narrow<U8>>;
    17 "buffer_load_i8" lower_load::<Narrow<I8>>;
    18 "buffer_load_u16" lower_load::<Narrow<U16>>;
    19 "buffer_load_i16" lower_load::<Narrow<I16>>;
    20 "buffer_load_b32" lower_load::<Dwords<4, 1>>;
    21 "buffer_load_b64" lower_load::<Dwords<8, 2>>;
    22 "buffer_load_b96" lower_load::<Dwords<12, 3>>;
    23 "buffer_load_b128" lower_load::<Dwords<16, 4>>;
    24 "buffer_store_b8" lower_store::<Part<1, 0>>;
    25 "buffer_store_b16" lower_store::<Part<2, 0>>;
    26 "buffer_store_b32" lower_store::<Dwords<4, 1>>;
    27 "buffer_store_b64" lower_store::<Dwords<8, 2>>;
    28 "buffer_store_b96" lower_store::<Dwords<12, 3>>;
    29 "buffer_store_b128" lower_store::<Dwords<16, 4>>;
    30 "buffer_load_d16_u8" lower_load::<Narrow<U8Low>>;
    31 "buffer_load_d16_i8" lower_load::<Narrow<I8Low>>;
    32 "buffer_load_d16_b16" lower_load::<Narrow<B16Low>>;
    33 "buffer_load_d16_hi_u8" lower_load::<Narrow<U8High>>;
    34 "buffer_load_d16_hi_i8" lower_load::<Narrow<I8High>>;
    35 "buffer_load_d16_hi_b16" lower_load::<Narrow<B16High>>;
    36 "buffer_store_d16_hi_b8" lower_store::<Part<1, 16>>;
    37 "buffer_store_d16_hi_b16" lower_store::<Part<2, 16>>;
    51 "buffer_atomic_swap_b32" lower_atomic::<Swap32>;
    52 "buffer_atomic_cmpswap_b32" lower_atomic::<CmpSwap32>;
    53 "buffer_atomic_add_u32" lower_atomic::<Add32>;
    54 "buffer_atomic_sub_u32" lower_atomic::<Sub32>;
    55 "buffer_atomic_csub_u32" lower_atomic::<CSub32>;
    56 "buffer_atomic_min_i32" lower_atomic::<MinI32>;
    57 "buffer_atomic_min_u32" lower_atomic::<MinU32>;
    58 "buffer_atomic_max_i32" lower_atomic::<MaxI32>;
    59 "buffer_atomic_max_u32" lower_atomic::<MaxU32>;
    60 "buffer_atomic_and_b32" lower_atomic::<And32>;
    61 "buffer_atomic_or_b32" lower_atomic::<Or32>;
    62 "buffer_atomic_xor_b32" lower_atomic::<Xor32>;
    63 "buffer_atomic_inc_u32" lower_atomic::<Inc32>;
    64 "buffer_atomic_dec_u32" lower_atomic::<Dec32>;
    65 "buffer_atomic_swap_b64" lower_atomic::<Swap64>;
    66 "buffer_atomic_cmpswap_b64" lower_atomic::<CmpSwap64>;
    67 "buffer_atomic_add_u64" lower_atomic::<Add64>;
    68 "buffer_atomic_sub_u64" lower_atomic::<Sub64>;
    69 "buffer_atomic_min_i64" lower_atomic::<MinI64>;
    70 "buffer_atomic_min_u64" lower_atomic::<MinU64>;
    71 "buffer_atomic_max_i64" lower_atomic::<MaxI64>;
    72 "buffer_atomic_max_u64" lower_atomic::<MaxU64>;
    73 "buffer_atomic_and_b64" lower_atomic::<And64>;
    74 "buffer_atomic_or_b64" lower_atomic::<Or64>;
    75 "buffer_atomic_xor_b64" lower_atomic::<Xor64>;
    76 "buffer_atomic_inc_u64" lower_atomic::<Inc64>;
    77 "buffer_atomic_dec_u64" lower_atomic::<Dec64>;
    80 "buffer_atomic_cmpswap_f32" lower_atomic::<CmpSwapF32>;
    81 "buffer_atomic_min_f32" lower_atomic::<MinF32>;
    82 "buffer_atomic_max_f32" lower_atomic::<MaxF32>;
    86 "buffer_atomic_add_f32" lower_atomic::<AddF32>;
}

pub(super) const MEMORY: &[&[Entry]] = &[VECTOR];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partial_access_ends_at_a_whole_dword() {
        assert_eq!(reach(16, 16), 16);
        assert_eq!(reach(15, 16), 12);
        assert_eq!(reach(3, 4), 0);
        assert_eq!(reach(1, 2), 0);
        assert_eq!(reach(u64::MAX, 12), 12);
    }

    #[test]
    fn a_descriptor_s_base_is_sign_extended_from_48_bits() {
        let mut wave = Wave::new();
        wave.set_s(8, 0x1000);
        wave.set_s(9, 0x4010_8000);
        wave.set_s(10, 77);
        wave.set_s(11, 0x3102_7000);
        let v = Descriptor::read(&wave, 8);
        assert_eq!(v.base, 0xffff_8000_0000_1000);
        assert_eq!((v.stride, v.records, v.element, v.rule), (16, 77, 4, 3));
    }
}
