//! Float dot products and matrix multiply-accumulate, bit by bit as the chip does them.
//!
//! Every one of them is a chain of [`dot2`]: two exact products and an accumulator are brought to a common
//! grid, cut, summed and rounded once. The model was fitted to measurements on gfx1151 and gfx1100. No MODE
//! bit changes it.

use std::marker::PhantomData;

use crate::isa::field::Vop3p;
use crate::isa::{Format, Inst};

use super::super::context::Context;
use super::super::lane::{Kind, each_lane, set_row};
use super::super::lower::{Gap, Lowering};
use super::super::op::{Flow, Mods, Op};
use super::super::rows::Entry;
use super::super::simd::{Handlers, Instruction, Simd};
use super::super::wave::{LANES, Wave};
use super::operand::fetch_packed;
use super::packed::{fill, saturate};

/// The format of the factors.
trait Factor {
    const KIND: Kind;
    /// Bits of the mantissa field, of the exponent field, and its bias.
    const MANTISSA: u32;
    const EXPONENT: u32;
    const BIAS: i32;
    /// Whether numbers below the smallest normal are kept.
    const SUBNORMALS: bool;
}

struct Half;
struct Brain;

impl Factor for Half {
    const KIND: Kind = Kind::F16;
    const MANTISSA: u32 = 10;
    const EXPONENT: u32 = 5;
    const BIAS: i32 = 15;
    const SUBNORMALS: bool = true;
}

impl Factor for Brain {
    const KIND: Kind = Kind::Bf16;
    const MANTISSA: u32 = 7;
    const EXPONENT: u32 = 8;
    const BIAS: i32 = 127;
    const SUBNORMALS: bool = false;
}

/// A finite number: sign, and magnitude * 2^exponent; the exponent of its leading field, for zero too.
#[derive(Clone, Copy)]
struct Finite {
    negative: bool,
    magnitude: u64,
    exponent: i32,
    /// Exponent that the field says, that of the smallest normal for subnormals.
    field: i32,
}

enum Number {
    Nan,
    Infinite { negative: bool },
    Finite(Finite),
}

#[inline(always)]
fn read<F: Factor>(bits: u16) -> Number {
    let bits = u32::from(bits);
    let negative = bits >> 15 != 0;
    let mantissa = bits & ((1 << F::MANTISSA) - 1);
    let field = bits >> F::MANTISSA & ((1 << F::EXPONENT) - 1);
    if field == (1 << F::EXPONENT) - 1 {
        return if mantissa == 0 {
            Number::Infinite { negative }
        } else {
            Number::Nan
        };
    }
    let magnitude = match field {
        0 if F::SUBNORMALS => mantissa,
        0 => 0,
        _ => mantissa | 1 << F::MANTISSA,
    };
    let field = field.max(1).cast_signed() - F::BIAS;
    Number::Finite(Finite {
        negative,
        magnitude: u64::from(magnitude),
        exponent: field - F::MANTISSA.cast_signed(),
        field,
    })
}

/// Where a result's bits end.
trait Output {
    /// What an indefinite result and a NaN among the factors are.
    const INDEFINITE: u32;
    const FACTOR_NAN: u32;
    /// The smallest exponent that the accumulator's leading bit counts as having, if there is one.
    const LEAST_LEAD: Option<i32>;
    /// Rounds `sum * 2^exponent`.
    fn round(negative: bool, sum: u64, exponent: i32) -> u32;
    /// The accumulator as an f32, exactly.
    fn widen(bits: u32) -> u32;
    fn infinity(negative: bool) -> u32;
    /// An accumulator that is NaN, quieted.
    fn quiet(bits: u32) -> u32;
}

/// Rounds to `mantissa` bits behind the first, nearest even, with exponents from `least` up; what is
/// smaller loses bits if `subnormals`, else becomes 0. Gives the bits without sign, or `None` above the
/// largest exponent `most`.
#[inline(always)]
fn round_to(
    sum: u64,
    exponent: i32,
    mantissa: u32,
    least: i32,
    most: i32,
    subnormals: bool,
) -> Option<u32> {
    let lead = exponent + sum.ilog2().cast_signed();
    // Exponent of the last bit that is kept.
    let unit = if subnormals { lead.max(least) } else { lead } - mantissa.cast_signed();
    let shift = unit - exponent;
    let kept = if shift <= 0 {
        sum << shift.unsigned_abs().min(63)
    } else if shift > 63 {
        0
    } else {
        let kept = sum >> shift;
        let rest = sum & ((1 << shift) - 1);
        let half = 1 << (shift - 1);
        kept + u64::from(rest > half || (rest == half && kept & 1 != 0))
    };
    if kept == 0 {
        return Some(0);
    }
    // Rounding may have carried into another bit.
    let lead = unit + kept.ilog2().cast_signed();
    if lead > most {
        return None;
    }
    if lead < least {
        let kept = u32::try_from(kept).expect("fewer bits than the mantissa");
        return Some(if subnormals { kept } else { 0 });
    }
    let field = u64::from((lead - least + 1).cast_unsigned());
    let fraction = (kept << (63 - kept.ilog2())) << 1 >> (64 - mantissa);
    Some(u32::try_from(field << mantissa | fraction).expect("at most 31 bits"))
}

/// Into f32; denormal results are 0.
struct Single;
/// Into f16, each step rounded to it.
struct ToHalf;
/// Into bf16: each step's f32 result is cut to its high half.
struct ToBrain;

impl Output for Single {
    const INDEFINITE: u32 = 0xffc0_0000;
    const FACTOR_NAN: u32 = 0xffc0_0a3d;
    const LEAST_LEAD: Option<i32> = None;

    #[inline(always)]
    fn round(negative: bool, sum: u64, exponent: i32) -> u32 {
        match round_to(sum, exponent, 23, -126, 127, false) {
            // A result that vanishes is +0.
            Some(0) => 0,
            Some(bits) => bits | u32::from(negative) << 31,
            None => Self::infinity(negative),
        }
    }

    #[inline(always)]
    fn widen(bits: u32) -> u32 {
        bits
    }

    #[inline(always)]
    fn infinity(negative: bool) -> u32 {
        0x7f80_0000 | u32::from(negative) << 31
    }

    #[inline(always)]
    fn quiet(bits: u32) -> u32 {
        bits | 1 << 22
    }
}

impl Output for ToHalf {
    const INDEFINITE: u32 = 0xfe00;
    const FACTOR_NAN: u32 = 0xfe3d;
    const LEAST_LEAD: Option<i32> = Some(-14);

    #[inline(always)]
    fn round(negative: bool, sum: u64, exponent: i32) -> u32 {
        match round_to(sum, exponent, 10, -14, 15, true) {
            Some(bits) => bits | u32::from(negative) << 15,
            None => Self::infinity(negative),
        }
    }

    #[inline(always)]
    fn widen(bits: u32) -> u32 {
        super::super::float::f16_to_f32(super::super::lane::F16(half(bits))).to_bits()
    }

    #[inline(always)]
    fn infinity(negative: bool) -> u32 {
        0x7c00 | u32::from(negative) << 15
    }

    #[inline(always)]
    fn quiet(bits: u32) -> u32 {
        bits | 1 << 9
    }
}

impl Output for ToBrain {
    const INDEFINITE: u32 = 0xffc0;
    const FACTOR_NAN: u32 = 0xfffd;
    const LEAST_LEAD: Option<i32> = None;

    #[inline(always)]
    fn round(negative: bool, sum: u64, exponent: i32) -> u32 {
        Single::round(negative, sum, exponent) >> 16
    }

    #[inline(always)]
    fn widen(bits: u32) -> u32 {
        bits << 16
    }

    #[inline(always)]
    fn infinity(negative: bool) -> u32 {
        0x7f80 | u32::from(negative) << 15
    }

    #[inline(always)]
    fn quiet(bits: u32) -> u32 {
        bits | 1 << 6
    }
}

/// The low half.
#[inline(always)]
fn half(bits: u32) -> u16 {
    let [a, b, _, _] = bits.to_le_bytes();
    u16::from_le_bytes([a, b])
}

/// a0 * b0 + a1 * b1 + acc; the accumulator and the result are in the output's format.
fn dot2<F: Factor, O: Output>(a: [u16; 2], b: [u16; 2], acc_bits: u32) -> u32 {
    let acc_wide = O::widen(acc_bits);
    let acc_exponent = acc_wide >> 23 & 0xff;
    let acc_mantissa = acc_wide & 0x007f_ffff;
    let acc_negative = acc_wide >> 31 != 0;

    let mut products = [Finite {
        negative: false,
        magnitude: 0,
        exponent: 0,
        field: 0,
    }; 2];
    let mut infinite = [None; 2];
    let mut invalid = false;
    for n in 0..2 {
        let (x, y) = (read::<F>(a[n]), read::<F>(b[n]));
        match (x, y) {
            (Number::Nan, _) | (_, Number::Nan) => return O::FACTOR_NAN,
            (Number::Finite(x), Number::Finite(y)) => {
                products[n] = Finite {
                    negative: x.negative != y.negative,
                    magnitude: x.magnitude * y.magnitude,
                    exponent: x.exponent + y.exponent,
                    field: x.field + y.field,
                };
            }
            (Number::Infinite { negative }, Number::Finite(finite))
            | (Number::Finite(finite), Number::Infinite { negative }) => {
                invalid |= finite.magnitude == 0;
                infinite[n] = Some(negative != finite.negative);
            }
            (Number::Infinite { negative: x }, Number::Infinite { negative: y }) => {
                infinite[n] = Some(x != y);
            }
        }
    }
    // A NaN in the second pair comes before what the first pair did.
    if invalid || matches!(infinite, [Some(x), Some(y)] if x != y) {
        return O::INDEFINITE;
    }
    if acc_exponent == 0xff && acc_mantissa != 0 {
        return O::quiet(acc_bits);
    }
    let acc_infinite = (acc_exponent == 0xff).then_some(acc_negative);
    let infinities = [infinite[0], infinite[1], acc_infinite];
    if let Some(first) = infinities.iter().flatten().next() {
        return if infinities.iter().flatten().all(|other| other == first) {
            O::infinity(*first)
        } else {
            O::INDEFINITE
        };
    }

    // A subnormal accumulator is 0.
    let acc = Finite {
        negative: acc_negative,
        magnitude: if acc_exponent == 0 {
            0
        } else {
            u64::from(acc_mantissa | 1 << 23)
        },
        exponent: acc_exponent.cast_signed() - 127 - 23,
        field: acc_exponent.cast_signed() - 127,
    };
    let terms = [products[0], products[1], acc];
    if terms.iter().all(|term| term.magnitude == 0) {
        return 0;
    }
    // The grid: from the operands' exponents of the products, and from the highest bit of all.
    let highest = products
        .iter()
        .filter(|product| product.magnitude != 0)
        .map(|product| product.field)
        .max();
    let lead = |term: &Finite| {
        let lead =
            (term.magnitude != 0).then(|| term.exponent + term.magnitude.ilog2().cast_signed());
        lead.unwrap_or(i32::MIN)
    };
    let acc_lead = O::LEAST_LEAD.map_or(lead(&acc), |least| lead(&acc).max(least));
    let leading = lead(&products[0]).max(lead(&products[1])).max(acc_lead);
    let grid = highest.map_or(leading - 26, |highest| (highest - 24).max(leading - 26));

    let mut sum = 0i64;
    for term in &terms {
        let shift = grid - term.exponent;
        let units = if shift <= 0 {
            term.magnitude << shift.unsigned_abs().min(40)
        } else if shift > 63 {
            0
        } else {
            term.magnitude >> shift
        };
        let units = units.cast_signed();
        // In the frame of the accumulator's sign the other sign is the complement: one unit less, for zero
        // as well.
        sum += if term.negative == acc.negative {
            units
        } else {
            -units - 1
        };
    }
    if sum == 0 {
        return 0;
    }
    O::round(acc.negative != (sum < 0), sum.unsigned_abs(), grid)
}

/// v_dot2: packed sources a and b, f32 accumulator c.
struct Dot2<F>(PhantomData<F>);

impl<F: Factor> Instruction for Dot2<F> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let (a, b) = (
            fetch_packed(wave, op, 0, op.a),
            fetch_packed(wave, op, 1, op.b),
        );
        let c = if op.mods.scalar(2) {
            [wave.s(op.c); LANES]
        } else {
            *wave.row(op.c)
        };
        let c = each_lane!(0, lane => {
            let keep = if op.mods.pack_neg(2) { 0x7fff_ffff } else { u32::MAX };
            let flip = if op.mods.neg(2) { 1 << 31 } else { 0 };
            (c[lane] & keep) ^ flip
        });
        let value = each_lane!(0, lane => dot2_packed::<F>(a[lane], b[lane], c[lane]));
        let value = if op.mods.contains(Mods::CLAMP) {
            each_lane!(0, lane => clamp(value[lane]))
        } else {
            value
        };
        set_row::<L>(wave, op.d, wave.s(op.exec), &value);
        Flow::Next
    }
}

/// An f32 into 0 to 1.
fn clamp(bits: u32) -> u32 {
    match bits {
        0..=0x3f80_0000 => bits,
        0x3f80_0001..=0x7f80_0000 => 0x3f80_0000,
        _ => 0,
    }
}

#[inline(never)]
fn dot2_packed<F: Factor>(a: u32, b: u32, c: u32) -> u32 {
    dot2::<F, Single>([half(a), half(a >> 16)], [half(b), half(b >> 16)], c)
}

fn lower_dot2<F: Factor>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let mut op = l.op(const { &Handlers::scalar::<Dot2<F>>() });
    fill(l, inst, &mut op, &[F::KIND, F::KIND, Kind::F32])?;
    l.push(op);
    Ok(())
}

/// v_dot2acc: VOP2, the destination is the accumulator. No op_sel: low halves with low ones.
fn lower_dot2_accumulate(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let operands =
        super::super::lower::Operands::read(l, inst, &[Kind::B32, Kind::B32], Some(Kind::B32))?;
    if inst.dpp.is_some() {
        return Err(Gap::Unsupported);
    }
    let mut op = l.op(const { &Handlers::scalar::<Dot2<Half>>() });
    operands.fill(&mut op);
    op.d = l.vgpr(operands.vdst);
    op.c = op.d;
    op.mods = operands.mods & Mods::KINDS | Mods::PACK_HIGH_A | Mods::PACK_HIGH_B;
    op.kinds = [Kind::F16, Kind::F16, Kind::F32];
    l.push(op);
    Ok(())
}

/// Rows of a matrix operand: K = 16 elements of a lane in as many registers as they take.
const K: usize = 16;

/// Sources of a matrix instruction, all read before the destination is written.
struct Matrices {
    /// Up to eight registers of A and of B.
    a: [[u32; LANES]; 8],
    b: [[u32; LANES]; 8],
    c: [[u32; LANES]; 8],
}

impl Matrices {
    fn read(wave: &Wave, op: &Op, registers: u16) -> Self {
        let mut all = Matrices {
            a: [[0; LANES]; 8],
            b: [[0; LANES]; 8],
            c: [[0; LANES]; 8],
        };
        for n in 0..registers {
            all.a[usize::from(n)] = *wave.row(op.a + n);
            all.b[usize::from(n)] = *wave.row(op.b + n);
        }
        for n in 0..8 {
            all.c[usize::from(n)] = if op.mods.scalar(2) {
                [wave.s(op.c); LANES]
            } else {
                *wave.row(op.c + n)
            };
        }
        all
    }

    /// Each lane of each result register, with the lanes that hold its row of A and its column of B. Lanes
    /// 0 to 15 and 16 to 31 each use their own copy.
    fn places() -> impl Iterator<Item = (usize, usize, usize, usize)> {
        (0..8).flat_map(|register| {
            (0..LANES).map(move |lane| {
                let group = lane & 16;
                (register, lane, group | (2 * register + group / 16), lane)
            })
        })
    }
}

/// Element `k` of 16 bits of a lane.
fn element16(rows: &[[u32; LANES]; 8], lane: usize, k: usize) -> u16 {
    half(rows[k / 2][lane] >> (16 * (k & 1)))
}

/// Matrix product of 16-bit floats.
struct FloatMatrix<F, O, const HALF_RESULT: bool>(PhantomData<(F, O)>);

impl<F: Factor, O: Output, const HALF_RESULT: bool> Instruction for FloatMatrix<F, O, HALF_RESULT> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        float_matrix::<F, O, HALF_RESULT>(wave, op);
        Flow::Next
    }
}

fn float_matrix<F: Factor, O: Output, const HALF_RESULT: bool>(wave: &mut Wave, op: &Op) {
    let m = Matrices::read(wave, op, 8);
    let high = op.mods.contains(Mods::HIGH_C);
    let shift = if HALF_RESULT && high { 16 } else { 0 };
    let sign = |bits: u16, source: u32, k: usize| {
        // neg_lo flips even elements, neg_hi odd ones.
        let flips = if k & 1 == 0 {
            op.mods.neg(source)
        } else {
            op.mods.pack_neg(source)
        };
        if flips { bits ^ 0x8000 } else { bits }
    };
    for (register, lane, row, column) in Matrices::places() {
        let mut acc = m.c[register][lane] >> shift;
        let top = if HALF_RESULT { 15 } else { 31 };
        if HALF_RESULT {
            acc &= 0xffff;
        }
        if op.mods.pack_neg(2) {
            acc &= !(1 << top);
        }
        if op.mods.neg(2) {
            acc ^= 1 << top;
        }
        for k in (0..K).step_by(2) {
            let a = [0, 1].map(|n| sign(element16(&m.a, row, k + n), 0, k + n));
            let b = [0, 1].map(|n| sign(element16(&m.b, column, k + n), 1, k + n));
            acc = dot2::<F, O>(a, b, acc);
        }
        let dest = u16::try_from(register).expect("one of eight") + op.d;
        let out = &mut wave.row_mut(dest)[lane];
        *out = if HALF_RESULT {
            *out & !(0xffff << shift) | acc << shift
        } else {
            acc
        };
    }
}

/// Matrix product of 8- or 4-bit integers; neg_lo says which of A and B is signed.
struct IntegerMatrix<const BITS: u32>;

impl<const BITS: u32> Instruction for IntegerMatrix<BITS> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        integer_matrix::<BITS>(wave, op);
        Flow::Next
    }
}

fn integer_matrix<const BITS: u32>(wave: &mut Wave, op: &Op) {
    let per_register = (32 / BITS) as usize;
    let registers = u16::try_from(K / per_register).expect("at most eight");
    let m = Matrices::read(wave, op, registers);
    let clamps = op.mods.contains(Mods::CLAMP);
    let element = |rows: &[[u32; LANES]; 8], lane: usize, k: usize, signed: bool| {
        let place = u32::try_from(k % per_register).expect("one of eight");
        let moved = rows[k / per_register][lane] << (32 - BITS * (place + 1));
        if signed {
            i64::from(moved.cast_signed() >> (32 - BITS))
        } else {
            i64::from(moved >> (32 - BITS))
        }
    };
    for (register, lane, row, column) in Matrices::places() {
        let mut sum = i64::from(m.c[register][lane].cast_signed());
        for k in 0..K {
            sum += element(&m.a, row, k, op.mods.neg(0)) * element(&m.b, column, k, op.mods.neg(1));
        }
        let dest = u16::try_from(register).expect("one of eight") + op.d;
        wave.row_mut(dest)[lane] = saturate::<true>(sum, clamps);
    }
}

fn lower_matrix<I: Instruction>(
    l: &mut Lowering,
    inst: &Inst,
    accumulator: Kind,
) -> Result<(), Gap> {
    if l.wave64 {
        return Err(Gap::Unsupported);
    }
    let f = Vop3p::from(inst);
    if f.src0() < 256 || f.src1() < 256 {
        return Err(Gap::Illegal);
    }
    let mut op = l.op(const { &Handlers::scalar::<I>() });
    fill(l, inst, &mut op, &[Kind::B32, Kind::B32, accumulator])?;
    l.push(op);
    Ok(())
}

macro_rules! entries {
    ($($format:ident $opcode:literal $name:ident => $lower:expr;)*) => {
        pub(in super::super) const ENTRIES: &[Entry] = &[
            $(Entry {
                format: Format::$format,
                opcode: $opcode,
                name: stringify!($name),
                lower: $lower,
            }),*
        ];
    };
}

entries! {
    Vop2 2 v_dot2acc_f32_f16 => lower_dot2_accumulate;
    Vop3p 19 v_dot2_f32_f16 => lower_dot2::<Half>;
    Vop3p 26 v_dot2_f32_bf16 => lower_dot2::<Brain>;
    Vop3p 64 v_wmma_f32_16x16x16_f16 =>
        |l, inst| lower_matrix::<FloatMatrix<Half, Single, false>>(l, inst, Kind::F32);
    Vop3p 65 v_wmma_f32_16x16x16_bf16 =>
        |l, inst| lower_matrix::<FloatMatrix<Brain, Single, false>>(l, inst, Kind::F32);
    Vop3p 66 v_wmma_f16_16x16x16_f16 =>
        |l, inst| lower_matrix::<FloatMatrix<Half, ToHalf, true>>(l, inst, Kind::F16);
    Vop3p 67 v_wmma_bf16_16x16x16_bf16 =>
        |l, inst| lower_matrix::<FloatMatrix<Brain, ToBrain, true>>(l, inst, Kind::Bf16);
    Vop3p 68 v_wmma_i32_16x16x16_iu8 =>
        |l, inst| lower_matrix::<IntegerMatrix<8>>(l, inst, Kind::B32);
    Vop3p 69 v_wmma_i32_16x16x16_iu4 =>
        |l, inst| lower_matrix::<IntegerMatrix<4>>(l, inst, Kind::B32);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f16(x: f32) -> u16 {
        ::half::f16::from_f32(x).to_bits()
    }

    fn dot(a: [f32; 2], b: [f32; 2], acc: f32) -> f32 {
        f32::from_bits(dot2::<Half, Single>(a.map(f16), b.map(f16), acc.to_bits()))
    }

    // Values that the published measurements of the chip's dot2 give.
    #[test]
    fn opposite_signs_cost_a_unit_of_the_grid() {
        assert_eq!(dot([-1.0, 0.0], [1.0, 0.0], 1.0), -(2f32.powi(-24)));
        assert_eq!(dot([-3.0, 0.0], [3.0, 0.0], 9.0), -(2f32.powi(-22)));
        assert_eq!(dot([2.0, -1.0], [2.0, 1.0], 0.0), 2.999_999_8);
        assert_eq!(dot([1.0, -1.0], [1.0, 1.0], 0.0), -(2f32.powi(-24)));
    }

    #[test]
    fn a_negative_zero_is_a_negative_frame() {
        // 2^24 + 2 units of 2^-24: the product and the zero product each cost one.
        assert_eq!(dot([1.0, 0.0], [1.0, 0.0], -0.0), 1.0 + 2f32.powi(-23));
        assert_eq!(dot([-1.0, -0.0], [1.0, 1.0], -0.0), -1.0);
    }

    #[test]
    fn sums_of_one_sign_are_exact_for_small_integers() {
        assert_eq!(dot([3.0, 5.0], [7.0, 11.0], 100.0), 176.0);
        assert_eq!(dot([0.0, 0.0], [0.0, 0.0], 0.0).to_bits(), 0);
        assert_eq!(dot([0.0, 0.0], [0.0, 0.0], -0.0).to_bits(), 0);
    }

    #[test]
    fn special_values_come_in_order() {
        let inf = f32::INFINITY;
        let bits = |a, b, acc: f32| dot(a, b, acc).to_bits();
        assert_eq!(bits([f32::NAN, 1.0], [1.0, 1.0], 0.0), 0xffc0_0a3d);
        assert_eq!(bits([inf, f32::NAN], [0.0, 1.0], 0.0), 0xffc0_0a3d);
        assert_eq!(bits([inf, 1.0], [0.0, 1.0], 0.0), 0xffc0_0000);
        assert_eq!(bits([inf, -inf], [1.0, 1.0], 0.0), 0xffc0_0000);
        assert_eq!(
            bits([inf, 1.0], [1.0, 1.0], f32::from_bits(0x7f80_0001)),
            0x7fc0_0001
        );
        assert_eq!(bits([inf, 1.0], [1.0, 1.0], -inf), 0xffc0_0000);
        assert_eq!(bits([inf, 1.0], [-1.0, 1.0], 5.0), 0xff80_0000);
    }

    #[test]
    fn a_subnormal_accumulator_or_result_is_zero() {
        assert_eq!(dot([1.0, 0.0], [1.0, 0.0], f32::from_bits(1)), 1.0);
        let tiny = dot2::<Brain, Single>([0x0080, 0], [0x3e80, 0], 0);
        assert_eq!(tiny, 0, "2^-126 / 4 is below the smallest normal");
    }

    #[test]
    fn rounding_reaches_halves_of_a_register() {
        assert_eq!(ToHalf::round(false, 1, -24), 1);
        assert_eq!(ToHalf::round(true, 3, -25), 0x8002);
        assert_eq!(ToHalf::round(false, 0x7ff7, 1), 0x7bff);
        assert_eq!(ToHalf::round(false, 0x7ff8, 1), 0x7c00);
        assert_eq!(ToHalf::round(false, 0xffff, 0), 0x7c00);
        assert_eq!(Single::round(false, 0x1_0000_0001, 0), 0x4f80_0000);
    }
}
