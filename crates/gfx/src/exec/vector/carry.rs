//! Vector instructions that read or write a mask of lanes: carries, selection, division helpers.

use std::marker::PhantomData;

use crate::isa::{Format, Inst};

use super::super::context::Context;
use super::super::lane::{F16, Kind, Lane, each_lane, set_vector};
use super::super::lower::{Gap, Lowering, Operands};
use super::super::op::{Flow, Mods, Op};
use super::super::rows::Entry;
use super::super::simd::{Handlers, Instruction, Simd};
use super::super::wave::{LANES, Wave, scalar};
use super::operand::General;
use super::source;

/// Addition or subtraction of 32 bits with a carry.
trait Carry {
    /// The number, given a carry of 0 or 1.
    fn eval(a: u32, b: u32, carry: u32) -> u32;
    /// The carry out, in the top bit.
    fn carry(a: u32, b: u32, result: u32) -> u32;
}

struct Add;
struct Sub;
struct SubRev;

impl Carry for Add {
    #[inline(always)]
    fn eval(a: u32, b: u32, carry: u32) -> u32 {
        a.wrapping_add(b).wrapping_add(carry)
    }
    #[inline(always)]
    fn carry(a: u32, b: u32, result: u32) -> u32 {
        (a & b) | ((a | b) & !result)
    }
}

impl Carry for Sub {
    #[inline(always)]
    fn eval(a: u32, b: u32, carry: u32) -> u32 {
        a.wrapping_sub(b).wrapping_sub(carry)
    }
    #[inline(always)]
    fn carry(a: u32, b: u32, result: u32) -> u32 {
        (!a & b) | ((!a | b) & result)
    }
}

impl Carry for SubRev {
    #[inline(always)]
    fn eval(a: u32, b: u32, carry: u32) -> u32 {
        Sub::eval(b, a, carry)
    }
    #[inline(always)]
    fn carry(a: u32, b: u32, result: u32) -> u32 {
        Sub::carry(b, a, result)
    }
}

#[inline(always)]
fn carrying<L: Simd, F: Carry, const IN: bool>(
    wave: &mut Wave,
    op: &Op,
    mask: u32,
    a: &[u32; LANES],
    b: &[u32; LANES],
) {
    let carry = if IN {
        L::select(wave.s(op.c), &[1; LANES], &[0; LANES])
    } else {
        [0; LANES]
    };
    let result = each_lane!(0, lane => F::eval(a[lane], b[lane], carry[lane]));
    let out = each_lane!(0, lane => F::carry(a[lane], b[lane], result[lane]));
    set_vector::<L, u32>(wave, op.d, mask, false, &result);
    wave.set_s(op.e, L::top_bits(&out) & mask);
}

/// Fast: source a a row or a scalar, source b a row.
struct CarryFast<F, const IN: bool, const A: bool>(PhantomData<F>);
struct CarryGeneral<F, const IN: bool>(PhantomData<F>);

impl<F: Carry, const IN: bool, const A: bool> Instruction for CarryFast<F, IN, A> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let a = source::<u32, A>(wave, op.a);
        let b = source::<u32, false>(wave, op.b);
        carrying::<L, F, IN>(wave, op, wave.s(op.exec), &a, &b);
        Flow::Next
    }
}

impl<F: Carry, const IN: bool> Instruction for CarryGeneral<F, IN> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let general = General::new(wave, op);
        let a = general.source::<u32>(wave, op, 0, op.a);
        let b = general.source::<u32>(wave, op, 1, op.b);
        carrying::<L, F, IN>(wave, op, general.mask, &a, &b);
        Flow::Next
    }
}

/// The carry-in or selection mask: source 2 of VOP3, else VCC.
fn mask_source(l: &Lowering, inst: &Inst) -> Result<u16, Gap> {
    let place = if inst.format == Format::Vop3 {
        let field = inst.words[1] >> 18 & 0x1ff;
        if field >= 256 {
            return Err(Gap::Illegal);
        }
        l.scalar_source(field, if l.wave64 { Kind::B64 } else { Kind::B32 })?
    } else {
        scalar::VCC_LO
    };
    Ok(place + l.half)
}

fn lower_carry<F: Carry, const IN: bool>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let operands = Operands::read(l, inst, &[Kind::B32, Kind::B32], Some(Kind::B32))?;
    if operands.mods.contains(Mods::CLAMP) {
        return Err(Gap::Unsupported);
    }
    let handlers = if operands.mods.is_empty() {
        Handlers::of::<CarryFast<F, IN, false>>()
    } else if operands.mods == Mods::SCALAR_A {
        Handlers::of::<CarryFast<F, IN, true>>()
    } else {
        Handlers::two::<CarryGeneral<F, IN>>()
    };
    let mut op = l.op(&handlers);
    operands.fill(&mut op);
    op.d = l.vgpr(operands.vdst);
    op.e = l.mask(l.scalar_dest(operands.sdst, l.wave64)?);
    if IN {
        op.c = mask_source(l, inst)?;
    }
    l.push(op);
    Ok(())
}

/// `mask ? b : a`, fast with each of a and b a row or a scalar.
struct Select<const A: bool, const B: bool>;
struct SelectGeneral<T>(PhantomData<T>);

impl<const A: bool, const B: bool> Instruction for Select<A, B> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let a = source::<u32, A>(wave, op.a);
        let b = source::<u32, B>(wave, op.b);
        let value = L::select(wave.s(op.c), &b, &a);
        set_vector::<L, u32>(wave, op.d, wave.s(op.exec), false, &value);
        Flow::Next
    }
}

impl<T: Lane> Instruction for SelectGeneral<T> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let general = General::new(wave, op);
        let a = general
            .source::<T>(wave, op, 0, op.a)
            .map(|value| value.to_parts().0);
        let b = general
            .source::<T>(wave, op, 1, op.b)
            .map(|value| value.to_parts().0);
        let value = L::select(wave.s(op.c), &b, &a).map(|bits| T::from_parts(bits, 0));
        let high = op.mods.contains(Mods::HIGH_D);
        set_vector::<L, T>(wave, op.d, general.mask, high, &value);
        Flow::Next
    }
}

fn lower_select<T: Lane>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let operands = Operands::read(l, inst, &[T::KIND, T::KIND], Some(T::KIND))?;
    let scalars = Mods::SCALAR_A | Mods::SCALAR_B;
    let handlers = if T::KIND.is_half() || !(operands.mods - scalars).is_empty() {
        Handlers::two::<SelectGeneral<T>>()
    } else {
        match (operands.mods.scalar(0), operands.mods.scalar(1)) {
            (false, false) => Handlers::of::<Select<false, false>>(),
            (true, false) => Handlers::of::<Select<true, false>>(),
            (false, true) => Handlers::of::<Select<false, true>>(),
            (true, true) => Handlers::two::<Select<true, true>>(),
        }
    };
    let mut op = l.op(&handlers);
    operands.fill(&mut op);
    op.d = l.vgpr(operands.vdst);
    op.c = mask_source(l, inst)?;
    l.push(op);
    Ok(())
}

/// 32 x 32 + 64 bits, with a carry out of the 64.
struct Mad64<const SIGNED: bool>;
/// Without modifiers, c in registers, a or b perhaps a scalar; the carry is dropped.
struct Mad64Fast<const SIGNED: bool, const A: bool, const B: bool>;

#[inline(always)]
fn products<const SIGNED: bool>(a: &[u32; LANES], b: &[u32; LANES]) -> [u64; LANES] {
    each_lane!(0u64, lane => {
        if SIGNED {
            let (a, b) = (a[lane].cast_signed(), b[lane].cast_signed());
            (i64::from(a) * i64::from(b)).cast_unsigned()
        } else {
            u64::from(a[lane]) * u64::from(b[lane])
        }
    })
}

impl<const SIGNED: bool, const A: bool, const B: bool> Instruction for Mad64Fast<SIGNED, A, B> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let products =
            products::<SIGNED>(&source::<u32, A>(wave, op.a), &source::<u32, B>(wave, op.b));
        let c = source::<u64, false>(wave, op.c);
        let result = each_lane!(0u64, lane => products[lane].wrapping_add(c[lane]));
        set_vector::<L, u64>(wave, op.d, wave.s(op.exec), false, &result);
        Flow::Next
    }
}

impl<const SIGNED: bool> Instruction for Mad64<SIGNED> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let general = General::new(wave, op);
        let a = general.source::<u32>(wave, op, 0, op.a);
        let b = general.source::<u32>(wave, op, 1, op.b);
        let c = general.source::<u64>(wave, op, 2, op.c);
        let products = products::<SIGNED>(&a, &b);
        let result = each_lane!(0u64, lane => products[lane].wrapping_add(c[lane]));
        let out = each_lane!(0, lane => {
            let overflow = if SIGNED {
                let (p, c, r) = (products[lane], c[lane], result[lane]);
                ((p ^ r) & (c ^ r)) >> 63 != 0
            } else {
                result[lane] < c[lane]
            };
            if overflow { u32::MAX } else { 0 }
        });
        set_vector::<L, u64>(wave, op.d, general.mask, false, &result);
        wave.set_s(op.e, L::top_bits(&out) & general.mask);
        Flow::Next
    }
}

fn lower_mad64<const SIGNED: bool>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let addend = if SIGNED { Kind::I64 } else { Kind::B64 };
    let operands = Operands::read(l, inst, &[Kind::B32, Kind::B32, addend], Some(Kind::B64))?;
    if operands.mods.contains(Mods::CLAMP) {
        return Err(Gap::Unsupported);
    }
    let dest = l.mask(l.scalar_dest(operands.sdst, l.wave64)?);
    let handlers = if dest == scalar::SINK && operands.mods.is_empty() {
        const { &Handlers::of::<Mad64Fast<SIGNED, false, false>>() }
    } else if dest == scalar::SINK && operands.mods == Mods::SCALAR_A {
        const { &Handlers::of::<Mad64Fast<SIGNED, true, false>>() }
    } else if dest == scalar::SINK && operands.mods == Mods::SCALAR_B {
        const { &Handlers::of::<Mad64Fast<SIGNED, false, true>>() }
    } else {
        const { &Handlers::two::<Mad64<SIGNED>>() }
    };
    let mut op = l.op(handlers);
    operands.fill(&mut op);
    op.d = l.vgpr(operands.vdst);
    op.e = dest;
    l.push(op);
    Ok(())
}

/// A float type with the division helpers.
trait Divide: Lane {
    fn scale(s0: Self, den: Self, num: Self) -> (Self, bool);
    fn fmas(a: Self, b: Self, c: Self, scaled: bool) -> Self;
}

macro_rules! divide {
    ($float:ty, $bits:ty, $mantissa:literal, $field:literal, $apart:literal, $small:literal,
     $up:literal, $over:literal, $ldexp:path) => {
        impl Divide for $float {
            /// Brings numerator and denominator into a range where the refinement cannot overflow or
            /// lose bits. Rules found by checking whole division sequences against IEEE quotients.
            #[inline(always)]
            fn scale(s0: Self, den: Self, num: Self) -> (Self, bool) {
                let field = |x: $float| (x.to_bits() >> $mantissa & $field) as i32;
                let up = |x: $float| $ldexp(x, $up);
                let is_denominator = s0.to_bits() == den.to_bits();
                let is_numerator = s0.to_bits() == num.to_bits();
                if den == 0.0 || num == 0.0 {
                    (<$float>::NAN, false)
                } else if field(num) - field(den) >= $apart {
                    (if is_denominator { up(s0) } else { s0 }, true)
                } else if den.is_subnormal() {
                    (up(s0), false)
                } else if (num / den).abs() < <$float>::MIN_POSITIVE {
                    // Denormal, or so small that it is 0 here.
                    (if is_numerator { up(s0) } else { s0 }, true)
                } else if field(num) <= $small {
                    (up(s0), false)
                } else {
                    (s0, false)
                }
            }

            /// The last multiply-add; a scaled quotient is scaled back in the same rounding.
            #[inline(always)]
            fn fmas(a: Self, b: Self, c: Self, scaled: bool) -> Self {
                if !scaled {
                    return a.mul_add(b, c);
                }
                let field = (c.to_bits() >> $mantissa & $field) as i32;
                scaled_fma(a, b, c, if field > $over { $up } else { -$up })
            }
        }
    };
}
divide!(
    f32,
    u32,
    23,
    0xff,
    96,
    23,
    64,
    127,
    super::super::float::ldexp_f32
);
divide!(
    f64,
    u64,
    52,
    0x7ff,
    768,
    53,
    128,
    1023,
    super::super::float::ldexp_f64
);

/// A fused multiply-add whose result is scaled by a power of two, with one rounding.
trait ScaledFma: Sized {
    fn scaled_fma(self, b: Self, c: Self, exponent: i32) -> Self;
}

#[inline(always)]
fn scaled_fma<T: ScaledFma>(a: T, b: T, c: T, exponent: i32) -> T {
    a.scaled_fma(b, c, exponent)
}

impl ScaledFma for f32 {
    #[inline(always)]
    fn scaled_fma(self, b: f32, c: f32, exponent: i32) -> f32 {
        // The product is exact in f64; the sum is rounded to odd, so that scaling to f32 is the one
        // rounding that counts.
        let product = f64::from(self) * f64::from(b);
        let addend = f64::from(c);
        let sum = product + addend;
        let part = sum - product;
        let error = (product - (sum - part)) + (addend - part);
        let bits = sum.to_bits();
        let inexact = error != 0.0 && sum.is_finite();
        let away = (error < 0.0) == (sum > 0.0);
        let bits = if inexact && away {
            bits.wrapping_sub(1)
        } else {
            bits
        };
        let sum = f64::from_bits(if inexact { bits | 1 } else { bits });
        let scale = f64::from_bits(((1023 + i64::from(exponent)) << 52).cast_unsigned());
        #[expect(clippy::cast_possible_truncation, reason = "the one rounding")]
        let result = (sum * scale) as f32;
        result
    }
}

impl ScaledFma for f64 {
    #[inline(always)]
    fn scaled_fma(self, b: f64, c: f64, exponent: i32) -> f64 {
        let sum = self.mul_add(b, c);
        let result = super::super::float::ldexp_f64(sum, exponent);
        if !result.is_subnormal() {
            return result;
        }
        // The sum was rounded to 53 bits, and now again to fewer. Round the sum to odd instead: its
        // error decides.
        let error = self.mul_add(b, c - sum);
        if error == 0.0 || !sum.is_finite() {
            return result;
        }
        let away = (error < 0.0) == (sum > 0.0);
        let bits = sum.to_bits().wrapping_sub(u64::from(away)) | 1;
        super::super::float::ldexp_f64(f64::from_bits(bits), exponent)
    }
}

struct DivScale<T>(PhantomData<T>);
struct DivFmas<T>(PhantomData<T>);

impl<T: Divide> Instruction for DivScale<T> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let general = General::new(wave, op);
        let a = general.source::<T>(wave, op, 0, op.a);
        let b = general.source::<T>(wave, op, 1, op.b);
        let c = general.source::<T>(wave, op, 2, op.c);
        let zero = (T::from_parts(0, 0), false);
        let both = each_lane!(zero, lane => T::scale(a[lane], b[lane], c[lane]));
        let scaled = both.map(|(_, scaled)| if scaled { u32::MAX } else { 0 });
        general.finish::<L, T>(wave, op, &both.map(|(value, _)| value));
        wave.set_s(op.e, L::top_bits(&scaled) & general.mask);
        Flow::Next
    }
}

impl<T: Divide> Instruction for DivFmas<T> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let general = General::new(wave, op);
        let a = general.source::<T>(wave, op, 0, op.a);
        let b = general.source::<T>(wave, op, 1, op.b);
        let c = general.source::<T>(wave, op, 2, op.c);
        let scaled = wave.s(op.e);
        let zero = T::from_parts(0, 0);
        let value = each_lane!(zero, lane => {
            T::fmas(a[lane], b[lane], c[lane], scaled >> lane & 1 != 0)
        });
        general.finish::<L, T>(wave, op, &value);
        Flow::Next
    }
}

fn lower_div_scale<T: Divide>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let operands = Operands::read(l, inst, &[T::KIND; 3], Some(T::KIND))?;
    let mut op = l.op(const { &Handlers::two::<DivScale<T>>() });
    operands.fill(&mut op);
    op.d = l.vgpr(operands.vdst);
    op.e = l.mask(l.scalar_dest(operands.sdst, l.wave64)?);
    l.push(op);
    Ok(())
}

fn lower_div_fmas<T: Divide>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let operands = Operands::read(l, inst, &[T::KIND; 3], Some(T::KIND))?;
    let mut op = l.op(const { &Handlers::two::<DivFmas<T>>() });
    operands.fill(&mut op);
    op.d = l.vgpr(operands.vdst);
    op.e = l.mask(scalar::VCC_LO);
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
    Vop2 1 v_cndmask_b32 => lower_select::<f32>;
    Vop2 32 v_add_co_ci_u32 => lower_carry::<Add, true>;
    Vop2 33 v_sub_co_ci_u32 => lower_carry::<Sub, true>;
    Vop2 34 v_subrev_co_ci_u32 => lower_carry::<SubRev, true>;
    Vop3 567 v_div_fmas_f32 => lower_div_fmas::<f32>;
    Vop3 568 v_div_fmas_f64 => lower_div_fmas::<f64>;
    Vop3 605 v_cndmask_b16 => lower_select::<F16>;
    Vop3 764 v_div_scale_f32 => lower_div_scale::<f32>;
    Vop3 765 v_div_scale_f64 => lower_div_scale::<f64>;
    Vop3 766 v_mad_u64_u32 => lower_mad64::<false>;
    Vop3 767 v_mad_i64_i32 => lower_mad64::<true>;
    Vop3 768 v_add_co_u32 => lower_carry::<Add, false>;
    Vop3 769 v_sub_co_u32 => lower_carry::<Sub, false>;
    Vop3 770 v_subrev_co_u32 => lower_carry::<SubRev, false>;
}
