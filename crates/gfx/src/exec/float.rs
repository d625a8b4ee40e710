//! Floating point as the chip does it, where that differs from what the host does by itself.
//!
//! Everything is for the mode that compilers ask for: round to nearest even, denormals kept, IEEE and
//! DX10_CLAMP on. Functions are free of branches where they can be, so that loops over lanes become
//! vector code.

/// min and max of IEEE mode.
///
/// > A signalling NaN input gives that NaN quieted, a quiet NaN gives the other operand; -0 is below +0.
macro_rules! min_max {
    ($min:ident, $max:ident, $float:ty, $bits:ty, $signed:ty, $quiet:literal, $infinity:literal) => {
        #[inline(always)]
        pub(super) fn $min(a: $float, b: $float) -> $float {
            let (x, y) = (a.to_bits(), b.to_bits());
            pick(x, y, order(x) <= order(y))
        }

        #[inline(always)]
        pub(super) fn $max(a: $float, b: $float) -> $float {
            let (x, y) = (a.to_bits(), b.to_bits());
            pick(x, y, order(x) >= order(y))
        }

        /// Integers in the order of the numbers, with -0 below +0.
        #[inline(always)]
        fn order(x: $bits) -> $signed {
            let x = x.cast_signed();
            x ^ ((x >> (<$bits>::BITS - 1)) & <$signed>::MAX)
        }

        #[inline(always)]
        fn pick(x: $bits, y: $bits, first: bool) -> $float {
            let magnitude = |x: $bits| x & (<$bits>::MAX >> 1);
            let is_nan = |x| magnitude(x) > $infinity;
            let is_signalling = |x| is_nan(x) && x & $quiet == 0;
            let number = if first { x } else { y };
            let number = if is_nan(x) { y } else { number };
            let number = if is_nan(y) { x } else { number };
            let number = if is_signalling(y) { y | $quiet } else { number };
            let number = if is_signalling(x) { x | $quiet } else { number };
            <$float>::from_bits(number)
        }
    };
}

mod single {
    min_max!(min, max, f32, u32, i32, 0x0040_0000, 0x7f80_0000);
}

mod double {
    min_max!(
        min,
        max,
        f64,
        u64,
        i64,
        0x0008_0000_0000_0000,
        0x7ff0_0000_0000_0000
    );
}

mod half {
    use super::super::lane::F16;

    impl F16 {
        fn to_bits(self) -> u16 {
            self.0
        }
        fn from_bits(bits: u16) -> Self {
            F16(bits)
        }
    }
    min_max!(min, max, F16, u16, i16, 0x0200, 0x7c00);
}

use super::lane::F16;

/// The number, or the NaN quieted: what arithmetic makes of one operand.
pub(super) trait Quiet: Sized {
    /// `function` of a number; a NaN is only quieted.
    fn number(self, function: impl Fn(Self) -> Self) -> Self;
}

impl Quiet for f32 {
    #[inline(always)]
    fn number(self, function: impl Fn(f32) -> f32) -> f32 {
        let result = function(self);
        if self.is_nan() {
            f32::from_bits(self.to_bits() | 1 << 22)
        } else {
            result
        }
    }
}

impl Quiet for f64 {
    #[inline(always)]
    fn number(self, function: impl Fn(f64) -> f64) -> f64 {
        let result = function(self);
        if self.is_nan() {
            f64::from_bits(self.to_bits() | 1 << 51)
        } else {
            result
        }
    }
}

/// A float type that has the chip's min and max.
pub(super) trait MinMax: Copy {
    fn least(self, other: Self) -> Self;
    fn greatest(self, other: Self) -> Self;
    fn nan(self) -> bool;
    /// Equality of numbers: -0 equals +0, NaN nothing.
    fn same(self, other: Self) -> bool;
}

macro_rules! impl_min_max {
    ($float:ty, $module:ident, $nan:expr, $same:expr) => {
        impl MinMax for $float {
            #[inline(always)]
            fn least(self, other: Self) -> Self {
                $module::min(self, other)
            }
            #[inline(always)]
            fn greatest(self, other: Self) -> Self {
                $module::max(self, other)
            }
            #[inline(always)]
            fn nan(self) -> bool {
                $nan(self)
            }
            #[inline(always)]
            fn same(self, other: Self) -> bool {
                $same(self, other)
            }
        }
    };
}
impl_min_max!(f32, single, f32::is_nan, |a, b| a == b);
impl_min_max!(f64, double, f64::is_nan, |a, b| a == b);
impl_min_max!(
    F16,
    half,
    |a: F16| a.0 & 0x7fff > 0x7c00,
    |a: F16, b: F16| f16_to_f32(a) == f16_to_f32(b)
);

/// The middle of three: any NaN makes it the smallest of the three.
#[inline(always)]
pub(super) fn med3<T: MinMax>(a: T, b: T, c: T) -> T {
    let max3 = a.greatest(b).greatest(c);
    let middle = if max3.same(a) {
        b.greatest(c)
    } else if max3.same(b) {
        a.greatest(c)
    } else {
        a.greatest(b)
    };
    if a.nan() || b.nan() || c.nan() {
        a.least(b).least(c)
    } else {
        middle
    }
}

/// Exact.
#[inline(always)]
pub(super) fn f16_to_f32(x: F16) -> f32 {
    let magnitude = u32::from(x.0 & 0x7fff) << 13;
    let sign = u32::from(x.0 & 0x8000) << 16;
    // The exponent field moves up by its difference in bias; the product also makes f16's subnormals
    // normal.
    let finite = (f32::from_bits(magnitude) * f32::from_bits((254 - 15) << 23)).to_bits();
    let special = magnitude | 0x7f80_0000;
    // A signalling NaN comes out quiet.
    let special = if magnitude > 0x0f80_0000 {
        special | 0x0040_0000
    } else {
        special
    };
    f32::from_bits(
        sign | if magnitude >= 0x0f80_0000 {
            special
        } else {
            finite
        },
    )
}

/// Rounds to nearest even.
#[inline(always)]
#[expect(
    clippy::cast_possible_truncation,
    reason = "every branch gives at most 16 bits"
)]
pub(super) fn f32_to_f16(x: f32) -> F16 {
    let bits = x.to_bits();
    let sign = bits >> 16 & 0x8000;
    let magnitude = bits & 0x7fff_ffff;
    // Normal: bias changed, then rounded at bit 13; a carry runs into the exponent as it should.
    let normal = magnitude.wrapping_sub((127 - 15) << 23);
    let normal = normal.wrapping_add(0xfff + (normal >> 13 & 1)) >> 13;
    // Below 2^-14: adding 0.5 puts the units of 2^-24 into the low bits, rounded by the addition.
    let small = (f32::from_bits(magnitude) + 0.5)
        .to_bits()
        .wrapping_sub(0.5f32.to_bits());
    let nan = 0x7e00 | (magnitude >> 13 & 0x1ff);
    let half = if magnitude < (127 - 14) << 23 {
        small
    } else {
        normal
    };
    // From 65520 up it rounds to infinity.
    let half = if magnitude >= 0x477f_f000 {
        0x7c00
    } else {
        half
    };
    let half = if magnitude > 0x7f80_0000 { nan } else { half };
    F16((sign | half) as u16)
}

/// Rounds towards zero; what is too large becomes the largest number, infinity stays.
#[inline(always)]
pub(super) fn f32_to_f16_toward_zero(x: f32) -> F16 {
    let nearest = f32_to_f16(x);
    let back = f16_to_f32(nearest);
    // Away from zero means larger in magnitude: the f16 below it is one less in its bits.
    let away = back.abs() > x.abs();
    F16(if away { nearest.0 - 1 } else { nearest.0 })
}

/// To f32, rounded to odd: inexact results have their last bit set, so that a second rounding to a
/// shorter type is right.
#[inline(always)]
pub(super) fn f64_to_f32_odd(x: f64) -> f32 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the rounding is mended below"
    )]
    let near = x as f32;
    let bits = near.to_bits();
    let exact = f64::from(near) == x || x.is_nan();
    let toward_zero = if f64::from(near).abs() > x.abs() {
        bits.wrapping_sub(1)
    } else {
        bits
    };
    f32::from_bits(if exact { bits } else { toward_zero | 1 })
}

/// Rounds once, to nearest even.
#[inline(always)]
pub(super) fn f64_to_f16(x: f64) -> F16 {
    f32_to_f16(f64_to_f32_odd(x))
}

/// a * b + c in f16 with one rounding.
#[inline(always)]
pub(super) fn fma_f16(a: F16, b: F16, c: F16) -> F16 {
    // The product is exact in f64. The sum is not, so its error decides the last bit.
    let product = f64::from(f16_to_f32(a)) * f64::from(f16_to_f32(b));
    let addend = f64::from(f16_to_f32(c));
    let sum = product + addend;
    let part = sum - product;
    let error = (product - (sum - part)) + (addend - part);
    let bits = sum.to_bits();
    let inexact = error != 0.0 && sum.is_finite();
    // Rounded to odd: when the sum was rounded away from zero, step back, then set the last bit.
    let away = (error < 0.0) == (sum > 0.0);
    let bits = if inexact && away {
        bits.wrapping_sub(1)
    } else {
        bits
    };
    f64_to_f16(f64::from_bits(if inexact { bits | 1 } else { bits }))
}

/// x * 2^exponent with one rounding.
#[inline(always)]
pub(super) fn ldexp_f32(x: f32, exponent: i32) -> f32 {
    // f64 holds every product of an f32 with the powers that matter, so only the last step rounds.
    let exponent = exponent.clamp(-400, 400);
    let scale = f64::from_bits(((1023 + i64::from(exponent)) << 52).cast_unsigned());
    #[expect(clippy::cast_possible_truncation, reason = "the one rounding")]
    let result = (f64::from(x) * scale) as f32;
    result
}

/// x * 2^exponent with one rounding.
#[inline(always)]
pub(super) fn ldexp_f64(x: f64, exponent: i32) -> f64 {
    let power = |e: i32| f64::from_bits(((1023 + i64::from(e)) << 52).cast_unsigned());
    // Steps up are exact or overflow. Steps down must round only once, in the last, so the number is
    // first brought to where all but the last are exact.
    let exponent = exponent.clamp(-2200, 2200);
    if exponent >= 0 {
        let first = exponent.min(1000);
        let second = (exponent - first).min(1000);
        return x * power(first) * power(second) * power(exponent - first - second);
    }
    let (mantissa, own) = frexp_f64(x);
    let result = own + exponent;
    if mantissa == 0.0 || !mantissa.is_finite() {
        mantissa
    } else if result > -1022 {
        mantissa * power(result.min(1023)) * power((result - result.min(1023)).min(1023))
    } else if result < -1200 {
        mantissa * f64::MIN_POSITIVE * f64::MIN_POSITIVE
    } else {
        // Exact down to the smallest normal, then one rounding.
        mantissa * power(-1000) * power(result + 1000)
    }
}

/// Mantissa in 0.5 to 1 and exponent, so that `x` is mantissa * 2^exponent. 0, infinity and NaN come
/// back with exponent 0.
#[inline(always)]
pub(super) fn frexp_f64(x: f64) -> (f64, i32) {
    let bits = x.to_bits();
    if x == 0.0 || !x.is_finite() {
        return (x.number(|x| x), 0);
    }
    let subnormal = bits >> 52 & 0x7ff == 0;
    let bits = if subnormal {
        (x * f64::from_bits((1023 + 64) << 52)).to_bits()
    } else {
        bits
    };
    let field = i32::try_from(bits >> 52 & 0x7ff).expect("eleven bits");
    let mantissa = f64::from_bits((bits & !(0x7ff << 52)) | 1022 << 52);
    (mantissa, field - 1022 - if subnormal { 64 } else { 0 })
}

/// As [`frexp_f64`].
#[inline(always)]
pub(super) fn frexp_f32(x: f32) -> (f32, i32) {
    let (mantissa, exponent) = frexp_f64(f64::from(x));
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the mantissa has f32's bits"
    )]
    let mantissa = mantissa as f32;
    (mantissa, exponent)
}

/// Sine of `x` turns.
#[inline(always)]
pub(super) fn sin_turns(x: f32) -> f32 {
    turns(x, f64::sin, 0.0)
}

/// Cosine of `x` turns.
#[inline(always)]
pub(super) fn cos_turns(x: f32) -> f32 {
    turns(x, f64::cos, 1.0)
}

/// The manual: valid from -256 to 256, beyond that the result is that of 0.
#[inline(always)]
fn turns(x: f32, function: fn(f64) -> f64, beyond: f32) -> f32 {
    if x.abs() > 256.0 && x.is_finite() {
        return beyond;
    }
    let turn = f64::from(x);
    let part = turn - turn.round();
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the one rounding that shows"
    )]
    let result = function(part * std::f64::consts::TAU) as f32;
    result
}

/// 2^x; denormal results become 0.
#[inline(always)]
pub(super) fn exp2(x: f32) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "rounded once from f64")]
    let result = f64::from(x).exp2() as f32;
    if result.is_subnormal() { 0.0 } else { result }
}

/// Logarithm to base 2; a denormal counts as 0.
#[inline(always)]
pub(super) fn log2(x: f32) -> f32 {
    let x = if x.is_subnormal() {
        0.0f32.copysign(x)
    } else {
        x
    };
    #[expect(clippy::cast_possible_truncation, reason = "rounded once from f64")]
    let result = f64::from(x).log2() as f32;
    result
}

/// 2 / pi, the 1216 bits behind the point, the highest first.
const TWO_OVER_PI: [u64; 19] = [
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
];

/// 53 bits of 2 / pi for the reduction of large angles: segment `segment`, further down for large `x`.
///
/// > Large inputs (exponent from 1968 up) are scaled to avoid loss of precision through denormalization.
pub(super) fn trig_preop(x: f64, segment: u32) -> f64 {
    let exponent = u32::try_from(x.to_bits() >> 52 & 0x7ff).expect("eleven bits");
    let shift = (segment & 31) * 53 + exponent.saturating_sub(1077);
    // Behind the 1201 bits that the chip has there is nothing.
    let bit = |n: u32| {
        let word = TWO_OVER_PI.get((n / 64) as usize).filter(|_| n < 1201);
        word.map_or(0, |word| word >> (63 - n % 64) & 1)
    };
    let bits = (shift..shift + 53).fold(0u64, |bits, n| bits << 1 | bit(n));
    let scale = -53 - shift.cast_signed() + if exponent >= 1968 { 128 } else { 0 };
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
    let bits = bits as f64;
    ldexp_f64(bits, scale)
}

/// Bits of v_cmp_class by the kind of number: sNaN, qNaN, -inf, -normal, -denormal, -0, +0, +denormal,
/// +normal, +inf.
#[inline(always)]
pub(super) fn class_f64(x: f64) -> u32 {
    class(
        x.to_bits() >> 63 != 0,
        x.classify(),
        x.to_bits() & 1 << 51 != 0,
    )
}

/// As [`class_f64`].
#[inline(always)]
pub(super) fn class_f32(x: f32) -> u32 {
    class(
        x.to_bits() >> 31 != 0,
        x.classify(),
        x.to_bits() & 1 << 22 != 0,
    )
}

/// As [`class_f64`].
#[inline(always)]
pub(super) fn class_f16(x: F16) -> u32 {
    let number = ::half::f16::from_bits(x.0);
    class(x.0 >> 15 != 0, number.classify(), x.0 & 1 << 9 != 0)
}

#[inline(always)]
fn class(negative: bool, category: std::num::FpCategory, quiet: bool) -> u32 {
    use std::num::FpCategory::*;
    match (category, negative) {
        (Nan, _) => 1 << u32::from(quiet),
        (Infinite, true) => 1 << 2,
        (Normal, true) => 1 << 3,
        (Subnormal, true) => 1 << 4,
        (Zero, true) => 1 << 5,
        (Zero, false) => 1 << 6,
        (Subnormal, false) => 1 << 7,
        (Normal, false) => 1 << 8,
        (Infinite, false) => 1 << 9,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f16(bits: u16) -> ::half::f16 {
        ::half::f16::from_bits(bits)
    }

    #[test]
    fn every_f16_widens_as_the_half_crate_widens_it() {
        for bits in 0..=u16::MAX {
            let ours = f16_to_f32(F16(bits));
            let theirs = f16(bits).to_f32_const();
            assert!(ours.to_bits() == theirs.to_bits() || (ours.is_nan() && theirs.is_nan()));
        }
    }

    #[test]
    fn narrowing_rounds_as_the_half_crate_does() {
        let mut state = 1u32;
        let check = |x: f32| {
            let ours = f32_to_f16(x).0;
            let theirs = ::half::f16::from_f32_const(x).to_bits();
            assert!(ours == theirs || x.is_nan(), "{x:e}: {ours:#x} {theirs:#x}");
            let exact = f64_to_f16(f64::from(x)).0;
            assert!(exact == theirs || x.is_nan(), "{x:e} through f64");
        };
        for bits in 0..=u16::MAX {
            // Every f16, and the numbers around the middle between it and the next.
            let x = f16(bits).to_f32_const();
            check(x);
            for offset in [0xfff, 0x1000, 0x1001] {
                check(f32::from_bits(x.to_bits().wrapping_add(offset)));
            }
        }
        for _ in 0..500_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            check(f32::from_bits(state));
        }
    }

    #[test]
    fn narrowing_toward_zero_never_grows() {
        for bits in 0..0x7c00u16 {
            let x = f16(bits).to_f32_const();
            assert_eq!(f32_to_f16_toward_zero(x).0, bits);
            let above = f32::from_bits(x.to_bits() + 0x1fff);
            assert_eq!(
                f32_to_f16_toward_zero(above).0,
                if x < 6.2e-5 {
                    f32_to_f16_toward_zero(above).0
                } else {
                    bits
                }
            );
            assert!(f16_to_f32(f32_to_f16_toward_zero(above)) <= above);
        }
        assert_eq!(f32_to_f16_toward_zero(1e6).0, 0x7bff);
        assert_eq!(f32_to_f16_toward_zero(f32::INFINITY).0, 0x7c00);
        assert_eq!(f32_to_f16_toward_zero(-1e-9).0, 0x8000);
    }

    #[test]
    fn f16_fma_rounds_once() {
        // (1 + 2^-10)^2 - 1 = 2^-9 + 2^-20: the product rounded first would lose the last term.
        let x = F16(0x3c01);
        assert_eq!(
            fma_f16(x, x, F16(0xbc00)).0,
            ::half::f16::from_f64(2f64.powi(-9) + 2f64.powi(-20)).to_bits()
        );
        // 2048 + 1 is halfway between f16s; a tiny product must tip it.
        assert_eq!(fma_f16(F16(0x0001), F16(0x3c00), F16(0x6801)).0, 0x6801);
        assert_eq!(fma_f16(F16(0x3c00), F16(0x3c00), F16(0x6800)).0, 0x6800);
        let tipped = fma_f16(F16(0x3c01), F16(0x3c00), F16(0x6800)).0;
        assert_eq!(tipped, 0x6801);
    }

    #[test]
    fn min_and_max_follow_ieee_mode() {
        let quiet = f32::from_bits(0x7fc0_1234);
        let signalling = f32::from_bits(0x7f80_1234);
        assert_eq!(1f32.least(quiet), 1.0);
        assert_eq!(quiet.greatest(1.0), 1.0);
        assert_eq!(signalling.least(1.0).to_bits(), 0x7fc0_1234);
        assert_eq!(1f32.greatest(signalling).to_bits(), 0x7fc0_1234);
        assert_eq!(
            quiet.least(f32::from_bits(0x7fc0_0001)).to_bits(),
            0x7fc0_1234
        );
        assert_eq!(0f32.least(-0.0).to_bits(), 0x8000_0000);
        assert_eq!((-0f32).greatest(0.0).to_bits(), 0);
        assert_eq!((-3f32).least(-5.0), -5.0);
        assert_eq!(F16(0xbc00).greatest(F16(0x3c00)).0, 0x3c00);
    }

    #[test]
    fn med3_is_the_middle_and_min3_with_nan() {
        assert_eq!(med3(3f32, 1.0, 2.0), 2.0);
        assert_eq!(med3(1f32, 1.0, 2.0), 1.0);
        assert_eq!(med3(f32::NAN, 1.0, 2.0), 1.0);
    }

    #[test]
    fn ldexp_rounds_once_into_the_denormals() {
        // 1 + 2^-23 scaled to 2^-149 * (1/2 + 2^-24): above the middle, so it rounds up.
        assert_eq!(ldexp_f32(f32::from_bits(0x3f80_0001), -150).to_bits(), 1);
        assert_eq!(ldexp_f32(1.0, -150).to_bits(), 0);
        assert_eq!(ldexp_f32(1.0, 127), f32::from_bits(254 << 23));
        assert_eq!(ldexp_f32(1.0, i32::MAX), f32::INFINITY);
        assert_eq!(ldexp_f64(1.0, -1074).to_bits(), 1);
        assert_eq!(ldexp_f64(f64::from_bits(1), 2000), 2f64.powi(926));
        assert_eq!(
            ldexp_f64(f64::from_bits(0x3ff0_0000_0000_0001), -1075).to_bits(),
            1
        );
        assert_eq!(ldexp_f64(1.0, -1075).to_bits(), 0);
        assert_eq!(ldexp_f64(-1.5, -1074).to_bits(), 1 << 63 | 2);
        assert_eq!(ldexp_f64(1.5, 1023), 1.5 * 2f64.powi(1023));
        assert_eq!(ldexp_f64(2f64.powi(1000), -3), 2f64.powi(997));
    }

    #[test]
    fn segments_of_two_over_pi_add_up() {
        let sum = (0..3).rev().map(|n| trig_preop(1.0, n)).sum::<f64>();
        assert_eq!(sum, std::f64::consts::FRAC_2_PI);
        assert!(
            trig_preop(1.0, 0) <= std::f64::consts::FRAC_2_PI,
            "cut, not rounded"
        );
        // The first segment and pi multiply to 2, but for what was cut.
        let rest = 2.0 - trig_preop(1.0, 0) * std::f64::consts::PI;
        assert!(rest.abs() < 1e-15);
        // 2^60: ten more bits are integers of the product and are left out.
        let large = trig_preop(2f64.powi(64), 0);
        assert!(large < 2f64.powi(-10));
        assert_eq!(trig_preop(f64::MAX, 31), 0.0);
    }

    #[test]
    fn frexp_splits_subnormals_too() {
        assert_eq!(frexp_f32(8.0), (0.5, 4));
        assert_eq!(frexp_f32(f32::from_bits(1)), (0.5, -148));
        assert_eq!(frexp_f64(f64::from_bits(3)), (0.75, -1072));
        assert_eq!(frexp_f64(f64::INFINITY), (f64::INFINITY, 0));
    }
}
