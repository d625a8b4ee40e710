//! LDS instructions, and the cross-lane ones that share their format.

use std::marker::PhantomData;

use crate::isa::field::Ds;
use crate::isa::{Format, Inst};

use super::access::*;
use super::context::Context;
use super::lane::{each_lane, set_row};
use super::lower::{Gap, Lowering};
use super::op::{Flow, Mods, Op};
use super::rows::Entry;
use super::simd::{Handlers, Instruction, Simd};
use super::wave::{LANES, Wave, scalar};

/// Addresses: the register plus an offset, in 32 bits.
#[inline(always)]
fn addresses<L: Simd>(row: &[u32; LANES], offset: u32, mask: u32) -> Addresses {
    let moved = each_lane!(0, lane => row[lane].wrapping_add(offset));
    Addresses::near::<L>(0, &moved, mask)
}

struct LoadOp<A>(PhantomData<A>);
struct StoreOp<A>(PhantomData<A>);
/// Two accesses; the offsets are the halves of `imm`. `ROWS` registers each.
struct LoadTwo<A, const ROWS: u16>(PhantomData<A>);
struct StoreTwo<A>(PhantomData<A>);
struct AtomicOp<F>(PhantomData<F>);

impl<A: Load> Instruction for LoadOp<A> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, cx: &mut Context<'_>) -> Flow {
        let mask = wave.s(op.exec);
        if mask == 0 {
            return Flow::Next;
        }
        let at = addresses::<L>(wave.row(op.a), op.imm, mask);
        load::<L, A>(wave, cx, Space::Lds, &at, mask, op.d)
    }
}

impl<A: Store> Instruction for StoreOp<A> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, cx: &mut Context<'_>) -> Flow {
        let mask = wave.s(op.exec);
        if mask == 0 {
            return Flow::Next;
        }
        let at = addresses::<L>(wave.row(op.a), op.imm, mask);
        store::<L, A>(wave, cx, Space::Lds, &at, mask, op.b)
    }
}

impl<A: Load, const ROWS: u16> Instruction for LoadTwo<A, ROWS> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, cx: &mut Context<'_>) -> Flow {
        let mask = wave.s(op.exec);
        if mask == 0 {
            return Flow::Next;
        }
        let row = *wave.row(op.a);
        let first = addresses::<L>(&row, op.imm & 0xffff, mask);
        let second = addresses::<L>(&row, op.imm >> 16, mask);
        load::<L, A>(wave, cx, Space::Lds, &first, mask, op.d);
        load::<L, A>(wave, cx, Space::Lds, &second, mask, op.d + ROWS)
    }
}

impl<A: Store> Instruction for StoreTwo<A> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, cx: &mut Context<'_>) -> Flow {
        let mask = wave.s(op.exec);
        if mask == 0 {
            return Flow::Next;
        }
        let first = addresses::<L>(wave.row(op.a), op.imm & 0xffff, mask);
        let second = addresses::<L>(wave.row(op.a), op.imm >> 16, mask);
        store::<L, A>(wave, cx, Space::Lds, &first, mask, op.b);
        store::<L, A>(wave, cx, Space::Lds, &second, mask, op.c)
    }
}

impl<F: Atomic> Instruction for AtomicOp<F> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, cx: &mut Context<'_>) -> Flow {
        let mask = wave.s(op.exec);
        if mask == 0 {
            return Flow::Next;
        }
        let at = addresses::<L>(wave.row(op.a), op.imm, mask);
        let registers = AtomicRegisters {
            data: op.b,
            compare: op.c,
            dest: op.mods.contains(Mods::GLC).then_some(op.d),
        };
        atomic::<F>(wave, cx, Space::Lds, &at, mask, registers)
    }
}

/// Two exchanges, which return both old values.
struct ExchangeTwo<F, const ROWS: u16>(PhantomData<F>);

impl<F: Atomic, const ROWS: u16> Instruction for ExchangeTwo<F, ROWS> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, cx: &mut Context<'_>) -> Flow {
        let mask = wave.s(op.exec);
        if mask == 0 {
            return Flow::Next;
        }
        let row = *wave.row(op.a);
        // The second operand is put aside: the first result may go where it is.
        let second: [[u32; LANES]; 2] = [*wave.row(op.c), *wave.row(op.c + 1)];
        let at = addresses::<L>(&row, op.imm & 0xffff, mask);
        let registers = AtomicRegisters {
            data: op.b,
            compare: op.b,
            dest: Some(op.d),
        };
        let first = atomic::<F>(wave, cx, Space::Lds, &at, mask, registers);
        debug_assert_eq!(first, Flow::Next, "LDS does not fault");
        let dest = op.d + ROWS;
        for (row, value) in (dest..dest + ROWS).zip(&second) {
            set_row::<L>(wave, row, mask, value);
        }
        let at = addresses::<L>(&row, op.imm >> 16, mask);
        let registers = AtomicRegisters {
            data: dest,
            compare: dest,
            dest: Some(dest),
        };
        atomic::<F>(wave, cx, Space::Lds, &at, mask, registers)
    }
}

/// Each lane reads the register of lane `(address + offset) / 4`, modulo 32; inactive lanes give 0.
struct BPermute;

impl Instruction for BPermute {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let exec = wave.s(op.exec);
        let data = L::select(exec, wave.row(op.b), &[0; LANES]);
        let address = wave.row(op.a);
        let value = each_lane!(0, lane => {
            data[(address[lane].wrapping_add(op.imm) >> 2) as usize % LANES]
        });
        set_row::<L>(wave, op.d, exec, &value);
        Flow::Next
    }
}

/// Each lane writes the register of lane `(address + offset) / 4`, modulo 32; the highest lane wins.
/// Lanes that nobody writes get 0.
struct Permute;

impl Instruction for Permute {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let exec = wave.s(op.exec);
        let mut value = [0; LANES];
        for lane in lanes(exec) {
            let to = (wave.row(op.a)[lane].wrapping_add(op.imm) >> 2) as usize % LANES;
            value[to] = wave.row(op.b)[lane];
        }
        set_row::<L>(wave, op.d, exec, &value);
        Flow::Next
    }
}

/// A fixed permutation, given by the offset.
struct Swizzle;

/// The lane that `lane` reads. Modes by the top bits of the offset, as in the manual's description of
/// DS_SWIZZLE_B32; FFT mode is the bit-reversal of its low bits under a mask.
fn swizzle_source(offset: u32, lane: u32) -> u32 {
    if offset >= 0xe000 {
        // FFT: lanes of each group are bit-reversed; the mask says how many bits stay.
        let keep = offset & 0x1f;
        let reversed = lane.reverse_bits() >> 27;
        // With all bits kept nothing moves.
        if keep == 0x1f {
            lane
        } else {
            reversed >> keep.count_ones() | lane & keep
        }
    } else if offset >= 0xc000 {
        // Rotation within a group: the mask keeps the group.
        let keep = offset & 0x1f;
        let amount = offset >> 5 & 0x1f;
        let moved = if offset >> 10 & 1 == 0 {
            lane.wrapping_add(amount)
        } else {
            lane.wrapping_sub(amount)
        };
        lane & keep | moved & !keep & 0x1f
    } else if offset & 0x8000 != 0 {
        lane & !3 | offset >> (2 * (lane & 3)) & 3
    } else {
        let (and, or, xor) = (offset & 0x1f, offset >> 5 & 0x1f, offset >> 10 & 0x1f);
        (lane & and | or) ^ xor
    }
}

impl Instruction for Swizzle {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let exec = wave.s(op.exec);
        let source = *wave.row(op.a);
        let mut value = [0; LANES];
        for (lane, value) in (0..).zip(value.iter_mut()) {
            let from = swizzle_source(op.imm, lane) % 32;
            if exec >> from & 1 != 0 {
                *value = source[from as usize];
            }
        }
        set_row::<L>(wave, op.d, exec, &value);
        Flow::Next
    }
}

/// Adds (append) or subtracts (consume) the number of active lanes once for the wave. The address is
/// M0's high half plus the offset... in the low 16 bits of M0 on this chip.
struct Count<const ADD: bool>;

impl<const ADD: bool> Instruction for Count<ADD> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, cx: &mut Context<'_>) -> Flow {
        let exec = wave.s(op.exec);
        let address = u64::from((wave.s(scalar::M0) & 0xffff).wrapping_add(op.imm));
        let region = cx.lds.region();
        let count = exec.count_ones();
        let old = region.place(address, 4).map_or(0, |place| {
            u32::update_plain(&place, |old| {
                if ADD {
                    old.wrapping_add(count)
                } else {
                    old.wrapping_sub(count)
                }
            })
        });
        set_row::<L>(wave, op.d, exec, &[old; LANES]);
        Flow::Next
    }
}

fn fill(l: &Lowering, inst: &Inst, op: &mut Op) -> Result<(), Gap> {
    let f = Ds::from(inst);
    if f.gds() != 0 {
        return Err(Gap::Unsupported);
    }
    op.d = l.vgpr(f.vdst());
    op.a = l.vgpr(f.addr());
    op.b = l.vgpr(f.data0());
    op.c = l.vgpr(f.data1());
    op.imm = f.offset0() | f.offset1() << 8;
    Ok(())
}

fn lower<I: Instruction>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let mut op = l.op(const { &Handlers::two::<I>() });
    fill(l, inst, &mut op)?;
    l.push(op);
    Ok(())
}

/// `UNIT` bytes an offset counts.
fn lower_two<I: Instruction, const UNIT: u32>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let mut op = l.op(const { &Handlers::two::<I>() });
    fill(l, inst, &mut op)?;
    let f = Ds::from(inst);
    // With the largest unit, 512, an offset can be more than half of `imm` holds; LDS is smaller still,
    // so such an access is out of range either way.
    let clip = |offset: u32| (offset * UNIT).min(0xffff);
    op.imm = clip(f.offset0()) | clip(f.offset1()) << 16;
    l.push(op);
    Ok(())
}

fn lower_atomic<F: Atomic, const RETURNS: bool>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let mut op = l.op(const { &Handlers::scalar::<AtomicOp<F>>() });
    fill(l, inst, &mut op)?;
    op.mods.set(Mods::GLC, RETURNS);
    l.push(op);
    Ok(())
}

/// Cross-lane instructions of a wave64 stay within 32 lanes on this chip.
fn lower_nothing(_: &mut Lowering, _: &Inst) -> Result<(), Gap> {
    Ok(())
}

/// Once for the whole wave.
fn lower_count<const ADD: bool>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    if l.wave64 {
        return Err(Gap::Unsupported);
    }
    lower::<Count<ADD>>(l, inst)
}

macro_rules! entries {
    ($($opcode:literal $name:ident $lower:expr;)*) => {
        pub(super) const ENTRIES: &[Entry] = &[
            $(Entry {
                format: Format::Ds,
                opcode: $opcode,
                name: stringify!($name),
                lower: $lower,
            }),*
        ];
    };
}

entries! {
    0 ds_add_u32 lower_atomic::<Add32, false>;
    1 ds_sub_u32 lower_atomic::<Sub32, false>;
    2 ds_rsub_u32 lower_atomic::<RSub32, false>;
    3 ds_inc_u32 lower_atomic::<Inc32, false>;
    4 ds_dec_u32 lower_atomic::<Dec32, false>;
    5 ds_min_i32 lower_atomic::<MinI32, false>;
    6 ds_max_i32 lower_atomic::<MaxI32, false>;
    7 ds_min_u32 lower_atomic::<MinU32, false>;
    8 ds_max_u32 lower_atomic::<MaxU32, false>;
    9 ds_and_b32 lower_atomic::<And32, false>;
    10 ds_or_b32 lower_atomic::<Or32, false>;
    11 ds_xor_b32 lower_atomic::<Xor32, false>;
    12 ds_mskor_b32 lower_atomic::<Mskor32, false>;
    13 ds_store_b32 lower::<StoreOp<Dwords<4, 1>>>;
    14 ds_store_2addr_b32 lower_two::<StoreTwo<Dwords<4, 1>>, 4>;
    15 ds_store_2addr_stride64_b32 lower_two::<StoreTwo<Dwords<4, 1>>, 256>;
    16 ds_cmpstore_b32 lower_atomic::<CmpSwap32, false>;
    17 ds_cmpstore_f32 lower_atomic::<CmpSwapF32, false>;
    18 ds_min_f32 lower_atomic::<MinF32, false>;
    19 ds_max_f32 lower_atomic::<MaxF32, false>;
    20 ds_nop lower_nothing;
    21 ds_add_f32 lower_atomic::<AddF32, false>;
    30 ds_store_b8 lower::<StoreOp<Part<1, 0>>>;
    31 ds_store_b16 lower::<StoreOp<Part<2, 0>>>;
    32 ds_add_rtn_u32 lower_atomic::<Add32, true>;
    33 ds_sub_rtn_u32 lower_atomic::<Sub32, true>;
    34 ds_rsub_rtn_u32 lower_atomic::<RSub32, true>;
    35 ds_inc_rtn_u32 lower_atomic::<Inc32, true>;
    36 ds_dec_rtn_u32 lower_atomic::<Dec32, true>;
    37 ds_min_rtn_i32 lower_atomic::<MinI32, true>;
    38 ds_max_rtn_i32 lower_atomic::<MaxI32, true>;
    39 ds_min_rtn_u32 lower_atomic::<MinU32, true>;
    40 ds_max_rtn_u32 lower_atomic::<MaxU32, true>;
    41 ds_and_rtn_b32 lower_atomic::<And32, true>;
    42 ds_or_rtn_b32 lower_atomic::<Or32, true>;
    43 ds_xor_rtn_b32 lower_atomic::<Xor32, true>;
    44 ds_mskor_rtn_b32 lower_atomic::<Mskor32, true>;
    45 ds_storexchg_rtn_b32 lower_atomic::<Swap32, true>;
    46 ds_storexchg_2addr_rtn_b32 lower_two::<ExchangeTwo<Swap32, 1>, 4>;
    47 ds_storexchg_2addr_stride64_rtn_b32 lower_two::<ExchangeTwo<Swap32, 1>, 256>;
    48 ds_cmpstore_rtn_b32 lower_atomic::<CmpSwap32, true>;
    49 ds_cmpstore_rtn_f32 lower_atomic::<CmpSwapF32, true>;
    50 ds_min_rtn_f32 lower_atomic::<MinF32, true>;
    51 ds_max_rtn_f32 lower_atomic::<MaxF32, true>;
    53 ds_swizzle_b32 lower::<Swizzle>;
    54 ds_load_b32 lower::<LoadOp<Dwords<4, 1>>>;
    55 ds_load_2addr_b32 lower_two::<LoadTwo<Dwords<4, 1>, 1>, 4>;
    56 ds_load_2addr_stride64_b32 lower_two::<LoadTwo<Dwords<4, 1>, 1>, 256>;
    57 ds_load_i8 lower::<LoadOp<Narrow<I8>>>;
    58 ds_load_u8 lower::<LoadOp<Narrow<U8>>>;
    59 ds_load_i16 lower::<LoadOp<Narrow<I16>>>;
    60 ds_load_u16 lower::<LoadOp<Narrow<U16>>>;
    61 ds_consume lower_count::<false>;
    62 ds_append lower_count::<true>;
    64 ds_add_u64 lower_atomic::<Add64, false>;
    65 ds_sub_u64 lower_atomic::<Sub64, false>;
    66 ds_rsub_u64 lower_atomic::<RSub64, false>;
    67 ds_inc_u64 lower_atomic::<Inc64, false>;
    68 ds_dec_u64 lower_atomic::<Dec64, false>;
    69 ds_min_i64 lower_atomic::<MinI64, false>;
    70 ds_max_i64 lower_atomic::<MaxI64, false>;
    71 ds_min_u64 lower_atomic::<MinU64, false>;
    72 ds_max_u64 lower_atomic::<MaxU64, false>;
    73 ds_and_b64 lower_atomic::<And64, false>;
    74 ds_or_b64 lower_atomic::<Or64, false>;
    75 ds_xor_b64 lower_atomic::<Xor64, false>;
    76 ds_mskor_b64 lower_atomic::<Mskor64, false>;
    77 ds_store_b64 lower::<StoreOp<Dwords<8, 2>>>;
    78 ds_store_2addr_b64 lower_two::<StoreTwo<Dwords<8, 2>>, 8>;
    79 ds_store_2addr_stride64_b64 lower_two::<StoreTwo<Dwords<8, 2>>, 512>;
    80 ds_cmpstore_b64 lower_atomic::<CmpSwap64, false>;
    81 ds_cmpstore_f64 lower_atomic::<CmpSwapF64, false>;
    82 ds_min_f64 lower_atomic::<MinF64, false>;
    83 ds_max_f64 lower_atomic::<MaxF64, false>;
    96 ds_add_rtn_u64 lower_atomic::<Add64, true>;
    97 ds_sub_rtn_u64 lower_atomic::<Sub64, true>;
    98 ds_rsub_rtn_u64 lower_atomic::<RSub64, true>;
    99 ds_inc_rtn_u64 lower_atomic::<Inc64, true>;
    100 ds_dec_rtn_u64 lower_atomic::<Dec64, true>;
    101 ds_min_rtn_i64 lower_atomic::<MinI64, true>;
    102 ds_max_rtn_i64 lower_atomic::<MaxI64, true>;
    103 ds_min_rtn_u64 lower_atomic::<MinU64, true>;
    104 ds_max_rtn_u64 lower_atomic::<MaxU64, true>;
    105 ds_and_rtn_b64 lower_atomic::<And64, true>;
    106 ds_or_rtn_b64 lower_atomic::<Or64, true>;
    107 ds_xor_rtn_b64 lower_atomic::<Xor64, true>;
    108 ds_mskor_rtn_b64 lower_atomic::<Mskor64, true>;
    109 ds_storexchg_rtn_b64 lower_atomic::<Swap64, true>;
    110 ds_storexchg_2addr_rtn_b64 lower_two::<ExchangeTwo<Swap64, 2>, 8>;
    111 ds_storexchg_2addr_stride64_rtn_b64 lower_two::<ExchangeTwo<Swap64, 2>, 512>;
    112 ds_cmpstore_rtn_b64 lower_atomic::<CmpSwap64, true>;
    113 ds_cmpstore_rtn_f64 lower_atomic::<CmpSwapF64, true>;
    114 ds_min_rtn_f64 lower_atomic::<MinF64, true>;
    115 ds_max_rtn_f64 lower_atomic::<MaxF64, true>;
    118 ds_load_b64 lower::<LoadOp<Dwords<8, 2>>>;
    119 ds_load_2addr_b64 lower_two::<LoadTwo<Dwords<8, 2>, 2>, 8>;
    120 ds_load_2addr_stride64_b64 lower_two::<LoadTwo<Dwords<8, 2>, 2>, 512>;
    121 ds_add_rtn_f32 lower_atomic::<AddF32, true>;
    160 ds_store_b8_d16_hi lower::<StoreOp<Part<1, 16>>>;
    161 ds_store_b16_d16_hi lower::<StoreOp<Part<2, 16>>>;
    162 ds_load_u8_d16 lower::<LoadOp<Narrow<U8Low>>>;
    163 ds_load_u8_d16_hi lower::<LoadOp<Narrow<U8High>>>;
    164 ds_load_i8_d16 lower::<LoadOp<Narrow<I8Low>>>;
    165 ds_load_i8_d16_hi lower::<LoadOp<Narrow<I8High>>>;
    166 ds_load_u16_d16 lower::<LoadOp<Narrow<B16Low>>>;
    167 ds_load_u16_d16_hi lower::<LoadOp<Narrow<B16High>>>;
    178 ds_permute_b32 lower::<Permute>;
    179 ds_bpermute_b32 lower::<BPermute>;
    222 ds_store_b96 lower::<StoreOp<Dwords<12, 3>>>;
    223 ds_store_b128 lower::<StoreOp<Dwords<16, 4>>>;
    254 ds_load_b96 lower::<LoadOp<Dwords<12, 3>>>;
    255 ds_load_b128 lower::<LoadOp<Dwords<16, 4>>>;
}
