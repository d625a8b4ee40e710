//! Floating-point instructions and conversions.
#![expect(
    clippy::cast_possible_truncation,
    reason = "conversions saturate, as the chip's do, or round"
)]

use crate::isa::Format;

use super::super::float::{
    MinMax, Quiet, cos_turns, exp2, f16_to_f32, f32_to_f16, f32_to_f16_toward_zero, f64_to_f16,
    fma_f16, frexp_f32, frexp_f64, ldexp_f32, ldexp_f64, log2, med3, sin_turns, trig_preop,
};
use super::super::lane::F16;
use super::super::rows::Entry;
use super::{Binary, Ternary, Unary, vector_rows};

/// An f16 operation that f32 has the bits for: one rounding of the exact or correctly rounded result.
#[inline(always)]
fn half1(a: F16, f: impl Fn(f32) -> f32) -> F16 {
    f32_to_f16(f(f16_to_f32(a)))
}

/// As [`half1`]; f32 has more than twice f16's bits and two, so rounding twice is rounding once.
#[inline(always)]
fn half2(a: F16, b: F16, f: impl Fn(f32, f32) -> f32) -> F16 {
    f32_to_f16(f(f16_to_f32(a), f16_to_f32(b)))
}

/// The axis that a direction points along most; of equals the last.
enum Face {
    X,
    Y,
    Z,
}

impl Face {
    #[inline(always)]
    fn of(x: f32, y: f32, z: f32) -> Face {
        let (x, y, z) = (x.abs(), y.abs(), z.abs());
        if z >= x && z >= y {
            Face::Z
        } else if y >= x {
            Face::Y
        } else {
            Face::X
        }
    }
}

/// Multiplication where zero times anything is zero.
#[inline(always)]
fn mul_dx9_zero(a: f32, b: f32) -> f32 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

#[inline(always)]
fn fma_dx9_zero(a: f32, b: f32, c: f32) -> f32 {
    if a == 0.0 || b == 0.0 {
        c
    } else {
        a.mul_add(b, c)
    }
}

/// Fraction, below 1 even for tiny negative numbers.
#[inline(always)]
fn fract_f32(a: f32) -> f32 {
    (a - a.floor()).min(f32::from_bits(0x3f7f_ffff))
}

#[inline(always)]
fn fract_f64(a: f64) -> f64 {
    (a - a.floor()).min(f64::from_bits(0x3fef_ffff_ffff_ffff))
}

/// The quotient's last steps: special cases and signs, around the refined quotient `q` of n / d.
macro_rules! div_fixup {
    ($name:ident, $float:ty, $indefinite:expr, $quiet:expr) => {
        #[inline(always)]
        fn $name(q: $float, d: $float, n: $float) -> $float {
            let quiet = |x: $float| <$float>::from_bits(x.to_bits() | $quiet);
            let negative = d.is_sign_negative() != n.is_sign_negative();
            let signed = |x: $float| if negative { -x.abs() } else { x.abs() };
            if n.is_nan() {
                quiet(n)
            } else if d.is_nan() {
                quiet(d)
            } else if (d == 0.0 && n == 0.0) || (d.is_infinite() && n.is_infinite()) {
                <$float>::from_bits($indefinite)
            } else if d == 0.0 || n.is_infinite() {
                signed(<$float>::INFINITY)
            } else if d.is_infinite() || n == 0.0 {
                signed(0.0)
            } else if q.is_nan() {
                signed(<$float>::INFINITY)
            } else {
                signed(q)
            }
        }
    };
}
div_fixup!(div_fixup_f32, f32, 0xffc0_0000, 0x0040_0000);
div_fixup!(
    div_fixup_f64,
    f64,
    0xfff8_0000_0000_0000,
    0x0008_0000_0000_0000
);

/// The nearest integer, halves upwards, saturated.
#[inline(always)]
fn nearest_i32(a: f32) -> i32 {
    // Exact in f64, so the sum cannot round up by itself.
    (f64::from(a) + 0.5).floor() as i32
}

/// A number in -1 to 1 as a 16-bit fraction.
#[inline(always)]
fn norm_i16(a: f32) -> u32 {
    let scaled = (a.clamp(-1.0, 1.0) * 32767.0).round_ties_even();
    (scaled as i32).cast_unsigned() & 0xffff
}

#[inline(always)]
fn norm_u16(a: f32) -> u32 {
    (a.clamp(0.0, 1.0) * 65535.0).round_ties_even() as u32
}

#[inline(always)]
fn pair(low: F16, high: F16) -> u32 {
    u32::from(low.0) | u32::from(high.0) << 16
}

/// The exponent of a finite number that is not 0, as v_frexp_exp gives it.
#[inline(always)]
fn exponent_f16(a: F16) -> i16 {
    frexp_f32(f16_to_f32(a)).1 as i16
}

vector_rows! {
    // f32.
    [hot] Vop2 3 v_add_f32(a: f32, b: f32) -> f32 { a + b }
    [hot] Vop2 4 v_sub_f32(a: f32, b: f32) -> f32 { a - b }
    Vop2 5 v_subrev_f32(a: f32, b: f32) -> f32 { b - a }
    [accumulate] Vop2 6 v_fmac_dx9_zero_f32(a: f32, b: f32, c: f32) -> f32 { fma_dx9_zero(a, b, c) }
    Vop2 7 v_mul_dx9_zero_f32(a: f32, b: f32) -> f32 { mul_dx9_zero(a, b) }
    [hot] Vop2 8 v_mul_f32(a: f32, b: f32) -> f32 { a * b }
    Vop2 15 v_min_f32(a: f32, b: f32) -> f32 { a.least(b) }
    [hot] Vop2 16 v_max_f32(a: f32, b: f32) -> f32 { a.greatest(b) }
    [hot accumulate] Vop2 43 v_fmac_f32(a: f32, b: f32, c: f32) -> f32 { a.mul_add(b, c) }
    [by_literal] Vop2 44 v_fmamk_f32(a: f32, b: f32, c: f32) -> f32 { a.mul_add(b, c) }
    [add_literal] Vop2 45 v_fmaak_f32(a: f32, b: f32, c: f32) -> f32 { a.mul_add(b, c) }
    Vop3 521 v_fma_dx9_zero_f32(a: f32, b: f32, c: f32) -> f32 { fma_dx9_zero(a, b, c) }
    Vop3 524 v_cubeid_f32(a: f32, b: f32, c: f32) -> f32 {
        match Face::of(a, b, c) {
            Face::X => if a < 0.0 { 1.0 } else { 0.0 },
            Face::Y => if b < 0.0 { 3.0 } else { 2.0 },
            Face::Z => if c < 0.0 { 5.0 } else { 4.0 },
        }
    }
    Vop3 525 v_cubesc_f32(a: f32, b: f32, c: f32) -> f32 {
        match Face::of(a, b, c) {
            Face::X => if a < 0.0 { c } else { -c },
            Face::Y => a,
            Face::Z => if c < 0.0 { -a } else { a },
        }
    }
    Vop3 526 v_cubetc_f32(a: f32, b: f32, c: f32) -> f32 {
        match Face::of(a, b, c) {
            Face::X | Face::Z => -b,
            Face::Y => if b < 0.0 { -c } else { c },
        }
    }
    Vop3 527 v_cubema_f32(a: f32, b: f32, c: f32) -> f32 {
        2.0 * match Face::of(a, b, c) {
            Face::X => a,
            Face::Y => b,
            Face::Z => c,
        }
    }
    [hot] Vop3 531 v_fma_f32(a: f32, b: f32, c: f32) -> f32 { a.mul_add(b, c) }
    /// For the specular term of lighting.
    Vop3 536 v_mullit_f32(a: f32, b: f32, c: f32) -> f32 {
        if b == -f32::MAX || b == f32::NEG_INFINITY || b.is_nan() || c <= 0.0 || c.is_nan() {
            -f32::MAX
        } else {
            a * b
        }
    }
    Vop3 537 v_min3_f32(a: f32, b: f32, c: f32) -> f32 { a.least(b).least(c) }
    Vop3 540 v_max3_f32(a: f32, b: f32, c: f32) -> f32 { a.greatest(b).greatest(c) }
    Vop3 543 v_med3_f32(a: f32, b: f32, c: f32) -> f32 { med3(a, b, c) }
    Vop3 551 v_div_fixup_f32(a: f32, b: f32, c: f32) -> f32 { div_fixup_f32(a, b, c) }
    Vop3 606 v_maxmin_f32(a: f32, b: f32, c: f32) -> f32 { a.greatest(b).least(c) }
    Vop3 607 v_minmax_f32(a: f32, b: f32, c: f32) -> f32 { a.least(b).greatest(c) }
    Vop3 796 v_ldexp_f32(a: f32, b: i32) -> f32 { ldexp_f32(a, b) }
    Vop1 32 v_fract_f32(a: f32) -> f32 { a.number(fract_f32) }
    Vop1 33 v_trunc_f32(a: f32) -> f32 { a.number(f32::trunc) }
    Vop1 34 v_ceil_f32(a: f32) -> f32 { a.number(f32::ceil) }
    Vop1 35 v_rndne_f32(a: f32) -> f32 { a.number(f32::round_ties_even) }
    Vop1 36 v_floor_f32(a: f32) -> f32 { a.number(f32::floor) }
    Vop1 37 v_exp_f32(a: f32) -> f32 { exp2(a) }
    Vop1 39 v_log_f32(a: f32) -> f32 { log2(a) }
    Vop1 42 v_rcp_f32(a: f32) -> f32 { 1.0 / a }
    Vop1 43 v_rcp_iflag_f32(a: f32) -> f32 { 1.0 / a }
    Vop1 46 v_rsq_f32(a: f32) -> f32 { (1.0 / f64::from(a).sqrt()) as f32 }
    Vop1 51 v_sqrt_f32(a: f32) -> f32 { a.sqrt() }
    Vop1 53 v_sin_f32(a: f32) -> f32 { sin_turns(a) }
    Vop1 54 v_cos_f32(a: f32) -> f32 { cos_turns(a) }
    Vop1 63 v_frexp_exp_i32_f32(a: f32) -> i32 { frexp_f32(a).1 }
    Vop1 64 v_frexp_mant_f32(a: f32) -> f32 { frexp_f32(a).0 }

    // Conversions from and to f32.
    [hot] Vop1 5 v_cvt_f32_i32(a: i32) -> f32 { a as f32 }
    [hot] Vop1 6 v_cvt_f32_u32(a: u32) -> f32 { a as f32 }
    Vop1 7 v_cvt_u32_f32(a: f32) -> u32 { a as u32 }
    Vop1 8 v_cvt_i32_f32(a: f32) -> i32 { a as i32 }
    [hot] Vop1 10 v_cvt_f16_f32(a: f32) -> F16 { f32_to_f16(a) }
    [hot] Vop1 11 v_cvt_f32_f16(a: F16) -> f32 { f16_to_f32(a) }
    Vop1 12 v_cvt_nearest_i32_f32(a: f32) -> i32 { nearest_i32(a) }
    Vop1 13 v_cvt_floor_i32_f32(a: f32) -> i32 { a.floor() as i32 }
    /// A signed 4-bit number in sixteenths.
    Vop1 14 v_cvt_off_f32_i4(a: i32) -> f32 { (a << 28 >> 28) as f32 / 16.0 }
    Vop1 17 v_cvt_f32_ubyte0(a: u32) -> f32 { (a & 0xff) as f32 }
    Vop1 18 v_cvt_f32_ubyte1(a: u32) -> f32 { (a >> 8 & 0xff) as f32 }
    Vop1 19 v_cvt_f32_ubyte2(a: u32) -> f32 { (a >> 16 & 0xff) as f32 }
    Vop1 20 v_cvt_f32_ubyte3(a: u32) -> f32 { (a >> 24) as f32 }
    Vop2 47 v_cvt_pk_rtz_f16_f32(a: f32, b: f32) -> u32 {
        pair(f32_to_f16_toward_zero(a), f32_to_f16_toward_zero(b))
    }
    /// Byte b of c is replaced by a, rounded to an integer and saturated.
    Vop3 550 v_cvt_pk_u8_f32(a: f32, b: u32, c: u32) -> u32 {
        let shift = 8 * (b & 3);
        c & !(0xff << shift) | u32::from(a.round_ties_even() as u8) << shift
    }
    Vop3 774 v_cvt_pk_i16_f32(a: f32, b: f32) -> u32 {
        let half = |x: f32| u32::from((x as i16).cast_unsigned());
        half(a) | half(b) << 16
    }
    Vop3 775 v_cvt_pk_u16_f32(a: f32, b: f32) -> u32 {
        u32::from(a as u16) | u32::from(b as u16) << 16
    }
    Vop3 801 v_cvt_pk_norm_i16_f32(a: f32, b: f32) -> u32 { norm_i16(a) | norm_i16(b) << 16 }
    Vop3 802 v_cvt_pk_norm_u16_f32(a: f32, b: f32) -> u32 { norm_u16(a) | norm_u16(b) << 16 }

    // f64.
    [hot] Vop3 532 v_fma_f64(a: f64, b: f64, c: f64) -> f64 { a.mul_add(b, c) }
    Vop3 552 v_div_fixup_f64(a: f64, b: f64, c: f64) -> f64 { div_fixup_f64(a, b, c) }
    [hot] Vop3 807 v_add_f64(a: f64, b: f64) -> f64 { a + b }
    [hot] Vop3 808 v_mul_f64(a: f64, b: f64) -> f64 { a * b }
    Vop3 809 v_min_f64(a: f64, b: f64) -> f64 { a.least(b) }
    Vop3 810 v_max_f64(a: f64, b: f64) -> f64 { a.greatest(b) }
    Vop3 811 v_ldexp_f64(a: f64, b: i32) -> f64 { ldexp_f64(a, b) }
    Vop1 3 v_cvt_i32_f64(a: f64) -> i32 { a as i32 }
    Vop1 4 v_cvt_f64_i32(a: i32) -> f64 { f64::from(a) }
    Vop1 15 v_cvt_f32_f64(a: f64) -> f32 { a as f32 }
    Vop1 16 v_cvt_f64_f32(a: f32) -> f64 { f64::from(a) }
    Vop1 21 v_cvt_u32_f64(a: f64) -> u32 { a as u32 }
    Vop1 22 v_cvt_f64_u32(a: u32) -> f64 { f64::from(a) }
    Vop1 23 v_trunc_f64(a: f64) -> f64 { a.number(f64::trunc) }
    Vop1 24 v_ceil_f64(a: f64) -> f64 { a.number(f64::ceil) }
    Vop1 25 v_rndne_f64(a: f64) -> f64 { a.number(f64::round_ties_even) }
    Vop1 26 v_floor_f64(a: f64) -> f64 { a.number(f64::floor) }
    Vop1 47 v_rcp_f64(a: f64) -> f64 { 1.0 / a }
    Vop1 49 v_rsq_f64(a: f64) -> f64 { 1.0 / a.sqrt() }
    Vop1 52 v_sqrt_f64(a: f64) -> f64 { a.sqrt() }
    Vop1 60 v_frexp_exp_i32_f64(a: f64) -> i32 { frexp_f64(a).1 }
    Vop1 61 v_frexp_mant_f64(a: f64) -> f64 { frexp_f64(a).0 }
    Vop3 815 v_trig_preop_f64(a: f64, b: u32) -> f64 { trig_preop(a, b) }
    Vop1 62 v_fract_f64(a: f64) -> f64 { a.number(fract_f64) }

    // f16.
    Vop2 50 v_add_f16(a: F16, b: F16) -> F16 { half2(a, b, |a, b| a + b) }
    Vop2 51 v_sub_f16(a: F16, b: F16) -> F16 { half2(a, b, |a, b| a - b) }
    Vop2 52 v_subrev_f16(a: F16, b: F16) -> F16 { half2(a, b, |a, b| b - a) }
    Vop2 53 v_mul_f16(a: F16, b: F16) -> F16 { half2(a, b, |a, b| a * b) }
    [accumulate] Vop2 54 v_fmac_f16(a: F16, b: F16, c: F16) -> F16 { fma_f16(a, b, c) }
    [by_literal] Vop2 55 v_fmamk_f16(a: F16, b: F16, c: F16) -> F16 { fma_f16(a, b, c) }
    [add_literal] Vop2 56 v_fmaak_f16(a: F16, b: F16, c: F16) -> F16 { fma_f16(a, b, c) }
    Vop2 57 v_max_f16(a: F16, b: F16) -> F16 { a.greatest(b) }
    Vop2 58 v_min_f16(a: F16, b: F16) -> F16 { a.least(b) }
    Vop2 59 v_ldexp_f16(a: F16, b: i16) -> F16 {
        f32_to_f16(ldexp_f32(f16_to_f32(a), i32::from(b).clamp(-60, 60)))
    }
    Vop3 584 v_fma_f16(a: F16, b: F16, c: F16) -> F16 { fma_f16(a, b, c) }
    Vop3 585 v_min3_f16(a: F16, b: F16, c: F16) -> F16 { a.least(b).least(c) }
    Vop3 588 v_max3_f16(a: F16, b: F16, c: F16) -> F16 { a.greatest(b).greatest(c) }
    Vop3 591 v_med3_f16(a: F16, b: F16, c: F16) -> F16 { med3(a, b, c) }
    Vop3 596 v_div_fixup_f16(a: F16, b: F16, c: F16) -> F16 {
        f32_to_f16(div_fixup_f32(f16_to_f32(a), f16_to_f32(b), f16_to_f32(c)))
    }
    Vop3 608 v_maxmin_f16(a: F16, b: F16, c: F16) -> F16 { a.greatest(b).least(c) }
    Vop3 609 v_minmax_f16(a: F16, b: F16, c: F16) -> F16 { a.least(b).greatest(c) }
    Vop3 785 v_pack_b32_f16(a: F16, b: F16) -> u32 { pair(a, b) }
    Vop3 786 v_cvt_pk_norm_i16_f16(a: F16, b: F16) -> u32 {
        norm_i16(f16_to_f32(a)) | norm_i16(f16_to_f32(b)) << 16
    }
    Vop3 787 v_cvt_pk_norm_u16_f16(a: F16, b: F16) -> u32 {
        norm_u16(f16_to_f32(a)) | norm_u16(f16_to_f32(b)) << 16
    }
    Vop1 80 v_cvt_f16_u16(a: u16) -> F16 { f32_to_f16(f32::from(a)) }
    Vop1 81 v_cvt_f16_i16(a: i16) -> F16 { f32_to_f16(f32::from(a)) }
    Vop1 82 v_cvt_u16_f16(a: F16) -> u16 { f16_to_f32(a) as u16 }
    Vop1 83 v_cvt_i16_f16(a: F16) -> i16 { f16_to_f32(a) as i16 }
    Vop1 84 v_rcp_f16(a: F16) -> F16 { half1(a, |a| 1.0 / a) }
    Vop1 85 v_sqrt_f16(a: F16) -> F16 { half1(a, f32::sqrt) }
    Vop1 86 v_rsq_f16(a: F16) -> F16 { f64_to_f16(1.0 / f64::from(f16_to_f32(a)).sqrt()) }
    Vop1 87 v_log_f16(a: F16) -> F16 { f64_to_f16(f64::from(f16_to_f32(a)).log2()) }
    Vop1 88 v_exp_f16(a: F16) -> F16 { f64_to_f16(f64::from(f16_to_f32(a)).exp2()) }
    Vop1 89 v_frexp_mant_f16(a: F16) -> F16 { half1(a, |a| frexp_f32(a).0) }
    Vop1 90 v_frexp_exp_i16_f16(a: F16) -> i16 { exponent_f16(a) }
    Vop1 91 v_floor_f16(a: F16) -> F16 { half1(a, f32::floor) }
    Vop1 92 v_ceil_f16(a: F16) -> F16 { half1(a, f32::ceil) }
    Vop1 93 v_trunc_f16(a: F16) -> F16 { half1(a, f32::trunc) }
    Vop1 94 v_rndne_f16(a: F16) -> F16 { half1(a, f32::round_ties_even) }
    Vop1 95 v_fract_f16(a: F16) -> F16 {
        let fraction = half1(a, |a| a - a.floor());
        // Rounded up to 1 it becomes the largest number below; NaN is above 1 too and stays.
        if fraction.0 == 0x3c00 { F16(0x3bff) } else { fraction }
    }
    Vop1 96 v_sin_f16(a: F16) -> F16 { half1(a, sin_turns) }
    Vop1 97 v_cos_f16(a: F16) -> F16 { half1(a, cos_turns) }
    Vop1 99 v_cvt_norm_i16_f16(a: F16) -> u16 { norm_i16(f16_to_f32(a)) as u16 }
    Vop1 100 v_cvt_norm_u16_f16(a: F16) -> u16 { norm_u16(f16_to_f32(a)) as u16 }

    // 16-bit integers.
    Vop1 28 v_mov_b16(a: u16) -> u16 { a }
    Vop1 98 v_sat_pk_u8_i16(a: u32) -> u16 {
        let byte = |half: u32| (half as u16).cast_signed().clamp(0, 255).cast_unsigned();
        byte(a) | byte(a >> 16) << 8
    }
    Vop1 105 v_not_b16(a: u16) -> u16 { !a }
    Vop1 106 v_cvt_i32_i16(a: i16) -> i32 { i32::from(a) }
    Vop1 107 v_cvt_u32_u16(a: u16) -> u32 { u32::from(a) }
    Vop3 577 v_mad_u16(a: u16, b: u16, c: u16) -> u16 { a.wrapping_mul(b).wrapping_add(c) }
    Vop3 586 v_min3_i16(a: i16, b: i16, c: i16) -> i16 { a.min(b).min(c) }
    Vop3 587 v_min3_u16(a: u16, b: u16, c: u16) -> u16 { a.min(b).min(c) }
    Vop3 589 v_max3_i16(a: i16, b: i16, c: i16) -> i16 { a.max(b).max(c) }
    Vop3 590 v_max3_u16(a: u16, b: u16, c: u16) -> u16 { a.max(b).max(c) }
    Vop3 592 v_med3_i16(a: i16, b: i16, c: i16) -> i16 { a.max(b).min(a.min(b).max(c)) }
    Vop3 593 v_med3_u16(a: u16, b: u16, c: u16) -> u16 { a.max(b).min(a.min(b).max(c)) }
    Vop3 595 v_mad_i16(a: i16, b: i16, c: i16) -> i16 { a.wrapping_mul(b).wrapping_add(c) }
    Vop3 601 v_mad_u32_u16(a: u16, b: u16, c: u32) -> u32 {
        (u32::from(a) * u32::from(b)).wrapping_add(c)
    }
    Vop3 602 v_mad_i32_i16(a: i16, b: i16, c: i32) -> i32 {
        (i32::from(a) * i32::from(b)).wrapping_add(c)
    }
    Vop3 771 v_add_nc_u16(a: u16, b: u16) -> u16 { a.wrapping_add(b) }, clamp { a.saturating_add(b) }
    Vop3 772 v_sub_nc_u16(a: u16, b: u16) -> u16 { a.wrapping_sub(b) }, clamp { a.saturating_sub(b) }
    Vop3 773 v_mul_lo_u16(a: u16, b: u16) -> u16 { a.wrapping_mul(b) }
    Vop3 777 v_max_u16(a: u16, b: u16) -> u16 { a.max(b) }
    Vop3 778 v_max_i16(a: i16, b: i16) -> i16 { a.max(b) }
    Vop3 779 v_min_u16(a: u16, b: u16) -> u16 { a.min(b) }
    Vop3 780 v_min_i16(a: i16, b: i16) -> i16 { a.min(b) }
    Vop3 781 v_add_nc_i16(a: i16, b: i16) -> i16 { a.wrapping_add(b) }, clamp { a.saturating_add(b) }
    Vop3 782 v_sub_nc_i16(a: i16, b: i16) -> i16 { a.wrapping_sub(b) }, clamp { a.saturating_sub(b) }
    Vop3 824 v_lshlrev_b16(a: u16, b: u16) -> u16 { b << (a & 15) }
    Vop3 825 v_lshrrev_b16(a: u16, b: u16) -> u16 { b >> (a & 15) }
    Vop3 826 v_ashrrev_i16(a: u16, b: i16) -> i16 { b >> (a & 15) }
    Vop3 866 v_and_b16(a: u16, b: u16) -> u16 { a & b }
    Vop3 867 v_or_b16(a: u16, b: u16) -> u16 { a | b }
    Vop3 868 v_xor_b16(a: u16, b: u16) -> u16 { a ^ b }
}
