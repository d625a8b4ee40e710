//! VOP3P: instructions on both halves of a register at once, and multiply-add with mixed types.

use std::marker::PhantomData;

use crate::isa::field::Vop3p;
use crate::isa::{Format, Inst};

use super::super::context::Context;
use super::super::float::{MinMax, f16_to_f32, f32_to_f16, fma_f16};
use super::super::lane::{F16, Kind, Lane, each_lane, set_row};
use super::super::lower::{Gap, Lowering};
use super::super::op::{Flow, Mods, Op};
use super::super::rows::Entry;
use super::super::simd::{Handlers, Instruction, Kernel, Kernels, Simd};
use super::super::wave::{LANES, Value, Wave};
use super::operand::fetch_packed;
use super::{Binary, Ternary};

/// Low and high half of a packed source as numbers.
#[inline(always)]
fn halves<T: Lane>(value: &Value) -> [[T; LANES]; 2] {
    let zero = T::from_parts(0, 0);
    [
        each_lane!(zero, lane => T::from_parts(value.low[lane] & 0xffff, 0)),
        each_lane!(zero, lane => T::from_parts(value.low[lane] >> 16, 0)),
    ]
}

#[inline(always)]
fn join<T: Lane>(low: &[T; LANES], high: &[T; LANES]) -> [u32; LANES] {
    each_lane!(0, lane => low[lane].to_parts().0 & 0xffff | high[lane].to_parts().0 << 16)
}

struct BinaryKernel<F, const CLAMPED: bool>(PhantomData<F>);
struct TernaryKernel<F>(PhantomData<F>);

impl<F: Binary, const CLAMPED: bool> Kernel for BinaryKernel<F, CLAMPED> {
    #[inline(always)]
    fn run(inputs: &[Value; 3], out: &mut Value) {
        let a = halves::<F::A>(&inputs[0]);
        let b = halves::<F::B>(&inputs[1]);
        let zero = F::D::from_parts(0, 0);
        let mut result = [[zero; LANES]; 2];
        for half in 0..2 {
            result[half] = if CLAMPED {
                each_lane!(zero, lane => F::eval_clamped(a[half][lane], b[half][lane]))
            } else {
                each_lane!(zero, lane => F::eval(a[half][lane], b[half][lane]))
            };
        }
        out.low = join(&result[0], &result[1]);
    }
}

impl<F: Ternary> Kernel for TernaryKernel<F> {
    #[inline(always)]
    fn run(inputs: &[Value; 3], out: &mut Value) {
        let a = halves::<F::A>(&inputs[0]);
        let b = halves::<F::B>(&inputs[1]);
        let c = halves::<F::C>(&inputs[2]);
        let zero = F::D::from_parts(0, 0);
        let mut result = [[zero; LANES]; 2];
        for half in 0..2 {
            result[half] =
                each_lane!(zero, lane => F::eval(a[half][lane], b[half][lane], c[half][lane]));
        }
        out.low = join(&result[0], &result[1]);
    }
}

/// Fetches the packed sources, calls the kernel, writes the result.
struct Apply;

impl Instruction for Apply {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let mut inputs = [Value::ZERO; 3];
        for (n, place) in (0..).zip([op.a, op.b, op.c]).take(op.sources.into()) {
            inputs[n as usize].low = fetch_packed(wave, op, n, place);
        }
        let mut out = Value::ZERO;
        op.kernel.call(&inputs, &mut out);
        if op.mods.contains(Mods::CLAMP) && op.result == Kind::F16 {
            out.low = each_lane!(0, lane => {
                clamp_half(out.low[lane] & 0xffff) | clamp_half(out.low[lane] >> 16) << 16
            });
        }
        set_row::<L>(wave, op.d, wave.s(op.exec), &out.low);
        Flow::Next
    }
}

/// An f16 into 0 to 1, NaN and -0 to 0.
#[inline(always)]
fn clamp_half(bits: u32) -> u32 {
    match bits {
        0x0000..=0x3c00 => bits,
        0x3c01..=0x7c00 => 0x3c00,
        _ => 0,
    }
}

/// Fills sources, modifiers and destination of a VOP3P operation.
pub(super) fn fill(l: &Lowering, inst: &Inst, op: &mut Op, kinds: &[Kind]) -> Result<(), Gap> {
    if inst.dpp.is_some() {
        return Err(Gap::Unsupported);
    }
    let f = Vop3p::from(inst);
    let fields = [f.src0(), f.src1(), f.src2()];
    let mut mods = Mods::from_bits_retain(f.neg_lo() * Mods::NEG_A.bits())
        | Mods::from_bits_retain(f.neg_hi() * Mods::PACK_NEG_A.bits())
        | Mods::from_bits_retain(f.opsel() * Mods::HIGH_A.bits())
        | Mods::from_bits_retain(f.opsel_hi() * Mods::PACK_HIGH_A.bits());
    mods.set(Mods::CLAMP, f.clamp() != 0);
    let mut places = [op.a, op.b, op.c];
    for (n, &kind) in kinds.iter().enumerate() {
        let source = l.source(fields[n], kind)?;
        places[n] = source.place;
        if source.is_scalar {
            mods |= Mods::from_bits_retain(Mods::SCALAR_A.bits() << n);
        }
        if fields[n] == crate::isa::decode::SRC_LITERAL {
            op.literal = u64::from(inst.literal.ok_or(Gap::Illegal)?);
        }
        op.kinds[n] = kind;
    }
    [op.a, op.b, op.c] = places;
    op.sources = u8::try_from(kinds.len()).expect("at most three");
    op.mods = mods;
    op.d = l.vgpr(f.vdst());
    Ok(())
}

/// The type that a packed operand has for its constants: 16-bit floats see 16-bit patterns, integers 32
/// bits.
const fn packed(kind: Kind) -> Kind {
    if kind.is_float() { kind } else { Kind::B32 }
}

fn lower(
    l: &mut Lowering,
    inst: &Inst,
    kinds: &[Kind],
    result: Kind,
    kernel: Kernels,
    clamped: Option<Kernels>,
) -> Result<(), Gap> {
    let mut op = l.op(const { &Handlers::two::<Apply>() });
    fill(l, inst, &mut op, kinds)?;
    op.result = result;
    let clamps = op.mods.contains(Mods::CLAMP) && !result.is_float();
    op.kernel = if clamps {
        clamped.ok_or(Gap::Unsupported)?
    } else {
        kernel
    }
    .at(l.level);
    l.push(op);
    Ok(())
}

fn binary<F: Binary>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let clamped = if F::CLAMPS {
        Some(Kernels::of::<BinaryKernel<F, true>>())
    } else {
        None
    };
    let kinds = [packed(F::A::KIND), packed(F::B::KIND)];
    lower(
        l,
        inst,
        &kinds,
        F::D::KIND,
        Kernels::of::<BinaryKernel<F, false>>(),
        clamped,
    )
}

fn ternary<F: Ternary>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let kinds = [packed(F::A::KIND), packed(F::B::KIND), packed(F::C::KIND)];
    lower(
        l,
        inst,
        &kinds,
        F::D::KIND,
        Kernels::of::<TernaryKernel<F>>(),
        None,
    )
}

/// Where a mixed multiply-add puts its result.
mod to {
    pub(super) const WHOLE: u8 = 0;
    pub(super) const LOW: u8 = 1;
    pub(super) const HIGH: u8 = 2;
}

/// Multiply-add in f32 of sources that are each f32 or f16, as op_sel_hi says; the neg_hi field is abs.
struct Mix<const TO: u8>;

impl<const TO: u8> Instruction for Mix<TO> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let mut sources = [[0f32; LANES]; 3];
        for (n, place) in (0..3).zip([op.a, op.b, op.c]) {
            let bits = if op.mods.scalar(n) {
                [wave.s(place); LANES]
            } else {
                *wave.row(place)
            };
            let shift = if op.mods.high(n) { 16 } else { 0 };
            let mut value = if op.kinds[n as usize] == Kind::F16 {
                each_lane!(0f32, lane => f16_to_f32(F16::from_parts(bits[lane] >> shift, 0)))
            } else {
                each_lane!(0f32, lane => f32::from_bits(bits[lane]))
            };
            if op.mods.pack_neg(n) {
                value = each_lane!(0f32, lane => value[lane].abs());
            }
            if op.mods.neg(n) {
                value = each_lane!(0f32, lane => -value[lane]);
            }
            sources[n as usize] = value;
        }
        let [a, b, c] = &sources;
        let mut result = each_lane!(0f32, lane => a[lane].mul_add(b[lane], c[lane]));
        if op.mods.contains(Mods::CLAMP) {
            result = each_lane!(0f32, lane => {
                let low = if result[lane] > 0.0 { result[lane] } else { 0.0 };
                if low < 1.0 { low } else { 1.0 }
            });
        }
        let old = *wave.row(op.d);
        let half = |lane: usize| u32::from(f32_to_f16(result[lane]).0);
        let bits = match TO {
            to::LOW => each_lane!(0, lane => old[lane] & 0xffff_0000 | half(lane)),
            to::HIGH => each_lane!(0, lane => old[lane] & 0xffff | half(lane) << 16),
            _ => each_lane!(0, lane => result[lane].to_bits()),
        };
        set_row::<L>(wave, op.d, wave.s(op.exec), &bits);
        Flow::Next
    }
}

fn lower_mix<const TO: u8>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let halves = Vop3p::from(inst).opsel_hi();
    let kinds = [0, 1, 2].map(|n| {
        if halves >> n & 1 != 0 {
            Kind::F16
        } else {
            Kind::F32
        }
    });
    let mut op = l.op(const { &Handlers::two::<Mix<TO>>() });
    fill(l, inst, &mut op, &kinds)?;
    // A half that is not one has no high part.
    for n in 0..3u32 {
        if halves >> n & 1 == 0 {
            op.mods
                .remove(Mods::from_bits_retain(Mods::HIGH_A.bits() << n));
        }
    }
    l.push(op);
    Ok(())
}

macro_rules! packed_rows {
    ($($opcode:literal $name:ident ( $a:ident : $ta:ty, $b:ident : $tb:ty $(, $c:ident : $tc:ty)? )
        -> $result:ty $body:block $(, clamp $clamped:block)? ;)*) => {
        #[allow(non_camel_case_types, reason = "named as the manual names them")]
        mod functions {
            use super::*;
            $(
                pub(super) struct $name;
                packed_rows!(@function $name ($a: $ta, $b: $tb $(, $c: $tc)?) -> $result, $body
                    $(, $clamped)?);
            )*
        }
        const ROWS: &[Entry] = &[$(
            Entry {
                format: Format::Vop3p,
                opcode: $opcode,
                name: stringify!($name),
                lower: packed_rows!(@lower $name $($tc)?),
            }
        ),*];
    };
    (@function $name:ident ($a:ident : $ta:ty, $b:ident : $tb:ty) -> $result:ty, $body:block
        $(, $clamped:block)?) => {
        impl Binary for $name {
            type A = $ta;
            type B = $tb;
            type D = $result;
            #[inline(always)]
            fn eval($a: $ta, $b: $tb) -> $result $body
            $(
                const CLAMPS: bool = true;
                #[inline(always)]
                fn eval_clamped($a: $ta, $b: $tb) -> $result $clamped
            )?
        }
    };
    (@function $name:ident ($a:ident : $ta:ty, $b:ident : $tb:ty, $c:ident : $tc:ty) -> $result:ty,
        $body:block) => {
        impl Ternary for $name {
            type A = $ta;
            type B = $tb;
            type C = $tc;
            type D = $result;
            #[inline(always)]
            fn eval($a: $ta, $b: $tb, $c: $tc) -> $result $body
        }
    };
    (@lower $name:ident) => { binary::<functions::$name> };
    (@lower $name:ident $tc:ty) => { ternary::<functions::$name> };
}

#[inline(always)]
fn in_f32(a: F16, b: F16, f: impl Fn(f32, f32) -> f32) -> F16 {
    f32_to_f16(f(f16_to_f32(a), f16_to_f32(b)))
}

packed_rows! {
    0 v_pk_mad_i16(a: i16, b: i16, c: i16) -> i16 { a.wrapping_mul(b).wrapping_add(c) };
    1 v_pk_mul_lo_u16(a: u16, b: u16) -> u16 { a.wrapping_mul(b) };
    2 v_pk_add_i16(a: i16, b: i16) -> i16 { a.wrapping_add(b) }, clamp { a.saturating_add(b) };
    3 v_pk_sub_i16(a: i16, b: i16) -> i16 { a.wrapping_sub(b) }, clamp { a.saturating_sub(b) };
    4 v_pk_lshlrev_b16(a: u16, b: u16) -> u16 { b << (a & 15) };
    5 v_pk_lshrrev_b16(a: u16, b: u16) -> u16 { b >> (a & 15) };
    6 v_pk_ashrrev_i16(a: u16, b: i16) -> i16 { b >> (a & 15) };
    7 v_pk_max_i16(a: i16, b: i16) -> i16 { a.max(b) };
    8 v_pk_min_i16(a: i16, b: i16) -> i16 { a.min(b) };
    9 v_pk_mad_u16(a: u16, b: u16, c: u16) -> u16 { a.wrapping_mul(b).wrapping_add(c) };
    10 v_pk_add_u16(a: u16, b: u16) -> u16 { a.wrapping_add(b) }, clamp { a.saturating_add(b) };
    11 v_pk_sub_u16(a: u16, b: u16) -> u16 { a.wrapping_sub(b) }, clamp { a.saturating_sub(b) };
    12 v_pk_max_u16(a: u16, b: u16) -> u16 { a.max(b) };
    13 v_pk_min_u16(a: u16, b: u16) -> u16 { a.min(b) };
    14 v_pk_fma_f16(a: F16, b: F16, c: F16) -> F16 { fma_f16(a, b, c) };
    15 v_pk_add_f16(a: F16, b: F16) -> F16 { in_f32(a, b, |a, b| a + b) };
    16 v_pk_mul_f16(a: F16, b: F16) -> F16 { in_f32(a, b, |a, b| a * b) };
    17 v_pk_min_f16(a: F16, b: F16) -> F16 { a.least(b) };
    18 v_pk_max_f16(a: F16, b: F16) -> F16 { a.greatest(b) };
}

/// Integer dot product of `N` parts of `BITS` bits, added to c. neg_lo of a source means signed.
struct Dot<const BITS: u32, const SIGNED: bool>;

/// Part `n` of `bits`, with the sign if it has one.
#[inline(always)]
fn part<const BITS: u32>(bits: u32, n: u32, signed: bool) -> i64 {
    let moved = bits << (32 - BITS * (n + 1));
    if signed {
        i64::from(moved.cast_signed() >> (32 - BITS))
    } else {
        i64::from(moved >> (32 - BITS))
    }
}

impl<const BITS: u32, const SIGNED: bool> Instruction for Dot<BITS, SIGNED> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let source = |n: u32, place: u16| {
            if op.mods.scalar(n) {
                [wave.s(place); LANES]
            } else {
                *wave.row(place)
            }
        };
        let (a, b, c) = (source(0, op.a), source(1, op.b), source(2, op.c));
        let (a_signed, b_signed) = (SIGNED && op.mods.neg(0), SIGNED && op.mods.neg(1));
        let clamps = op.mods.contains(Mods::CLAMP);
        let mut value = [0; LANES];
        for lane in 0..LANES {
            let mut sum = if SIGNED {
                i64::from(c[lane].cast_signed())
            } else {
                i64::from(c[lane])
            };
            for n in 0..32 / BITS {
                sum += part::<BITS>(a[lane], n, a_signed) * part::<BITS>(b[lane], n, b_signed);
            }
            value[lane] = saturate::<SIGNED>(sum, clamps);
        }
        set_row::<L>(wave, op.d, wave.s(op.exec), &value);
        Flow::Next
    }
}

/// The low 32 bits, or the nearest number that has 32.
#[inline(always)]
pub(super) fn saturate<const SIGNED: bool>(sum: i64, clamps: bool) -> u32 {
    let sum = match (clamps, SIGNED) {
        (false, _) => sum,
        (true, true) => sum.clamp(i32::MIN.into(), i32::MAX.into()),
        (true, false) => sum.clamp(0, u32::MAX.into()),
    };
    #[expect(clippy::cast_possible_truncation, reason = "wraps unless clamped")]
    let low = sum as u32;
    low
}

fn lower_dot<const BITS: u32, const SIGNED: bool>(
    l: &mut Lowering,
    inst: &Inst,
) -> Result<(), Gap> {
    let mut op = l.op(const { &Handlers::two::<Dot<BITS, SIGNED>>() });
    fill(l, inst, &mut op, &[Kind::B32; 3])?;
    l.push(op);
    Ok(())
}

macro_rules! entries {
    ($($opcode:literal $name:ident => $lower:expr;)*) => {
        const OTHERS: &[Entry] = &[
            $(Entry {
                format: Format::Vop3p,
                opcode: $opcode,
                name: stringify!($name),
                lower: $lower,
            }),*
        ];
    };
}

entries! {
    22 v_dot4_i32_iu8 => lower_dot::<8, true>;
    23 v_dot4_u32_u8 => lower_dot::<8, false>;
    24 v_dot8_i32_iu4 => lower_dot::<4, true>;
    25 v_dot8_u32_u4 => lower_dot::<4, false>;
    32 v_fma_mix_f32 => lower_mix::<{ to::WHOLE }>;
    33 v_fma_mixlo_f16 => lower_mix::<{ to::LOW }>;
    34 v_fma_mixhi_f16 => lower_mix::<{ to::HIGH }>;
}

pub(in super::super) const ENTRIES: &[&[Entry]] = &[ROWS, OTHERS];

#[cfg(test)]
mod tests {
    use super::super::operand::numbers;
    use super::*;

    #[test]
    fn parts_carry_their_sign_if_they_have_one() {
        assert_eq!(part::<8>(0x0000_80ff, 0, true), -1);
        assert_eq!(part::<8>(0x0000_80ff, 1, true), -128);
        assert_eq!(part::<8>(0x0000_80ff, 1, false), 128);
        assert_eq!(part::<4>(0xf000_0000, 7, true), -1);
        assert_eq!(part::<4>(0xf000_0000, 7, false), 15);
    }

    #[test]
    fn numbers_of_halves_are_read_from_both() {
        let mut value = Value::ZERO;
        value.low[5] = 0x0001_fffe;
        let [low, high] = halves::<i16>(&value);
        assert_eq!((low[5], high[5]), (-2, 1));
        assert_eq!(numbers::<i16>(&value)[5], -2);
    }
}
