//! Integer and bit instructions on 32 and 64 bits.
#![expect(
    clippy::cast_possible_truncation,
    reason = "results are truncated as the manual says"
)]

use crate::isa::Format;

use super::super::rows::Entry;
use super::{Binary, Ternary, Unary, vector_rows};

/// The signed 24-bit number in the low bits.
#[inline(always)]
fn i24(x: i32) -> i32 {
    x << 8 >> 8
}

/// The unsigned 24-bit number in the low bits.
#[inline(always)]
fn u24(x: u32) -> u32 {
    x & 0x00ff_ffff
}

#[inline(always)]
fn bytes(x: u32) -> [u32; 4] {
    x.to_le_bytes().map(u32::from)
}

#[inline(always)]
fn sad_u8(a: u32, b: u32) -> u32 {
    let (a, b) = (bytes(a), bytes(b));
    a[0].abs_diff(b[0]) + a[1].abs_diff(b[1]) + a[2].abs_diff(b[2]) + a[3].abs_diff(b[3])
}

/// The byte that selector `selector` of v_perm names; `a` holds bytes 7 to 4, `b` bytes 3 to 0.
#[inline(always)]
fn perm_byte(a: u32, b: u32, selector: u32) -> u32 {
    let both = u64::from(a) << 32 | u64::from(b);
    let sign = |bit: u32| if both >> bit & 1 != 0 { 0xff } else { 0 };
    match selector & 0xff {
        selector @ 0..=7 => (both >> (8 * selector)) as u32 & 0xff,
        8 => sign(15),
        9 => sign(31),
        10 => sign(47),
        11 => sign(63),
        12 => 0,
        _ => 0xff,
    }
}

#[inline(always)]
fn med3<T: Ord + Copy>(a: T, b: T, c: T) -> T {
    a.max(b).min(a.min(b).max(c))
}

vector_rows! {
    [hot] Vop1 1 v_mov_b32(a: u32) -> u32 { a }
    Vop1 55 v_not_b32(a: u32) -> u32 { !a }
    Vop1 56 v_bfrev_b32(a: u32) -> u32 { a.reverse_bits() }
    Vop1 57 v_clz_i32_u32(a: u32) -> u32 { if a == 0 { u32::MAX } else { a.leading_zeros() } }
    Vop1 58 v_ctz_i32_b32(a: u32) -> u32 { if a == 0 { u32::MAX } else { a.trailing_zeros() } }
    /// Leading bits equal to the sign; -1 if all are.
    Vop1 59 v_cls_i32(a: u32) -> u32 {
        let other = a ^ (a.cast_signed() >> 31).cast_unsigned();
        if other == 0 { u32::MAX } else { other.leading_zeros() }
    }

    Vop2 9 v_mul_i32_i24(a: i32, b: i32) -> i32 { i24(a).wrapping_mul(i24(b)) }
    Vop2 10 v_mul_hi_i32_i24(a: i32, b: i32) -> i32 {
        ((i64::from(i24(a)) * i64::from(i24(b))) >> 32) as i32
    }
    [hot] Vop2 11 v_mul_u32_u24(a: u32, b: u32) -> u32 { u24(a).wrapping_mul(u24(b)) }
    Vop2 12 v_mul_hi_u32_u24(a: u32, b: u32) -> u32 {
        ((u64::from(u24(a)) * u64::from(u24(b))) >> 32) as u32
    }
    Vop2 17 v_min_i32(a: i32, b: i32) -> i32 { a.min(b) }
    [hot] Vop2 18 v_max_i32(a: i32, b: i32) -> i32 { a.max(b) }
    [hot] Vop2 19 v_min_u32(a: u32, b: u32) -> u32 { a.min(b) }
    Vop2 20 v_max_u32(a: u32, b: u32) -> u32 { a.max(b) }
    [hot] Vop2 24 v_lshlrev_b32(a: u32, b: u32) -> u32 { b << (a & 31) }
    [hot] Vop2 25 v_lshrrev_b32(a: u32, b: u32) -> u32 { b >> (a & 31) }
    [hot] Vop2 26 v_ashrrev_i32(a: u32, b: i32) -> i32 { b >> (a & 31) }
    [hot] Vop2 27 v_and_b32(a: u32, b: u32) -> u32 { a & b }
    [hot] Vop2 28 v_or_b32(a: u32, b: u32) -> u32 { a | b }
    [hot] Vop2 29 v_xor_b32(a: u32, b: u32) -> u32 { a ^ b }
    Vop2 30 v_xnor_b32(a: u32, b: u32) -> u32 { !(a ^ b) }
    [hot] Vop2 37 v_add_nc_u32(a: u32, b: u32) -> u32 { a.wrapping_add(b) }, clamp { a.saturating_add(b) }
    [hot] Vop2 38 v_sub_nc_u32(a: u32, b: u32) -> u32 { a.wrapping_sub(b) }, clamp { a.saturating_sub(b) }
    Vop2 39 v_subrev_nc_u32(a: u32, b: u32) -> u32 { b.wrapping_sub(a) },
        clamp { b.saturating_sub(a) }

    Vop3 522 v_mad_i32_i24(a: i32, b: i32, c: i32) -> i32 {
        i24(a).wrapping_mul(i24(b)).wrapping_add(c)
    }
    [hot] Vop3 523 v_mad_u32_u24(a: u32, b: u32, c: u32) -> u32 {
        u24(a).wrapping_mul(u24(b)).wrapping_add(c)
    }
    [hot] Vop3 528 v_bfe_u32(a: u32, b: u32, c: u32) -> u32 {
        a >> (b & 31) & ((1 << (c & 31)) - 1)
    }
    Vop3 529 v_bfe_i32(a: i32, b: u32, c: u32) -> i32 {
        let width = c & 31;
        let field = (a >> (b & 31)) & ((1u32 << width) - 1).cast_signed();
        let unused = (32 - width) & 31;
        if width == 0 { 0 } else { field << unused >> unused }
    }
    Vop3 530 v_bfi_b32(a: u32, b: u32, c: u32) -> u32 { (a & b) | (!a & c) }
    /// Bytes averaged; bit 0 of each byte of c rounds up.
    Vop3 533 v_lerp_u8(a: u32, b: u32, c: u32) -> u32 {
        let (a, b, c) = (bytes(a), bytes(b), bytes(c));
        let byte = |n: usize| ((a[n] + b[n] + (c[n] & 1)) >> 1) << (8 * n);
        byte(0) | byte(1) | byte(2) | byte(3)
    }
    Vop3 534 v_alignbit_b32(a: u32, b: u32, c: u32) -> u32 {
        ((u64::from(a) << 32 | u64::from(b)) >> (c & 31)) as u32
    }
    Vop3 535 v_alignbyte_b32(a: u32, b: u32, c: u32) -> u32 {
        ((u64::from(a) << 32 | u64::from(b)) >> (8 * (c & 3))) as u32
    }
    Vop3 538 v_min3_i32(a: i32, b: i32, c: i32) -> i32 { a.min(b).min(c) }
    Vop3 539 v_min3_u32(a: u32, b: u32, c: u32) -> u32 { a.min(b).min(c) }
    Vop3 541 v_max3_i32(a: i32, b: i32, c: i32) -> i32 { a.max(b).max(c) }
    Vop3 542 v_max3_u32(a: u32, b: u32, c: u32) -> u32 { a.max(b).max(c) }
    Vop3 544 v_med3_i32(a: i32, b: i32, c: i32) -> i32 { med3(a, b, c) }
    Vop3 545 v_med3_u32(a: u32, b: u32, c: u32) -> u32 { med3(a, b, c) }
    Vop3 546 v_sad_u8(a: u32, b: u32, c: u32) -> u32 { sad_u8(a, b).wrapping_add(c) }
    Vop3 547 v_sad_hi_u8(a: u32, b: u32, c: u32) -> u32 { (sad_u8(a, b) << 16).wrapping_add(c) }
    Vop3 548 v_sad_u16(a: u32, b: u32, c: u32) -> u32 {
        let low = (a & 0xffff).abs_diff(b & 0xffff);
        low.wrapping_add((a >> 16).abs_diff(b >> 16)).wrapping_add(c)
    }
    Vop3 549 v_sad_u32(a: u32, b: u32, c: u32) -> u32 { a.abs_diff(b).wrapping_add(c) }
    /// As v_sad_u8, but bytes that are 0 in b do not count.
    Vop3 569 v_msad_u8(a: u32, b: u32, c: u32) -> u32 {
        let (a, b) = (bytes(a), bytes(b));
        let byte = |n: usize| if b[n] == 0 { 0 } else { a[n].abs_diff(b[n]) };
        (byte(0) + byte(1) + byte(2) + byte(3)).wrapping_add(c)
    }
    Vop3 576 v_xor3_b32(a: u32, b: u32, c: u32) -> u32 { a ^ b ^ c }
    Vop3 580 v_perm_b32(a: u32, b: u32, c: u32) -> u32 {
        perm_byte(a, b, c)
            | perm_byte(a, b, c >> 8) << 8
            | perm_byte(a, b, c >> 16) << 16
            | perm_byte(a, b, c >> 24) << 24
    }
    [hot] Vop3 581 v_xad_u32(a: u32, b: u32, c: u32) -> u32 { (a ^ b).wrapping_add(c) }
    [hot] Vop3 582 v_lshl_add_u32(a: u32, b: u32, c: u32) -> u32 { (a << (b & 31)).wrapping_add(c) }
    [hot] Vop3 583 v_add_lshl_u32(a: u32, b: u32, c: u32) -> u32 { a.wrapping_add(b) << (c & 31) }
    [hot] Vop3 597 v_add3_u32(a: u32, b: u32, c: u32) -> u32 { a.wrapping_add(b).wrapping_add(c) }
    [hot] Vop3 598 v_lshl_or_b32(a: u32, b: u32, c: u32) -> u32 { a << (b & 31) | c }
    [hot] Vop3 599 v_and_or_b32(a: u32, b: u32, c: u32) -> u32 { a & b | c }
    [hot] Vop3 600 v_or3_b32(a: u32, b: u32, c: u32) -> u32 { a | b | c }
    Vop3 610 v_maxmin_u32(a: u32, b: u32, c: u32) -> u32 { a.max(b).min(c) }
    Vop3 611 v_minmax_u32(a: u32, b: u32, c: u32) -> u32 { a.min(b).max(c) }
    Vop3 612 v_maxmin_i32(a: i32, b: i32, c: i32) -> i32 { a.max(b).min(c) }
    Vop3 613 v_minmax_i32(a: i32, b: i32, c: i32) -> i32 { a.min(b).max(c) }
    Vop3 797 v_bfm_b32(a: u32, b: u32) -> u32 { ((1 << (a & 31)) - 1) << (b & 31) }
    Vop3 798 v_bcnt_u32_b32(a: u32, b: u32) -> u32 { a.count_ones().wrapping_add(b) }
    Vop3 803 v_cvt_pk_u16_u32(a: u32, b: u32) -> u32 {
        a.min(0xffff) | b.min(0xffff) << 16
    }
    Vop3 804 v_cvt_pk_i16_i32(a: i32, b: i32) -> u32 {
        let half = |x: i32| x.clamp(-0x8000, 0x7fff).cast_unsigned() & 0xffff;
        half(a) | half(b) << 16
    }
    Vop3 805 v_sub_nc_i32(a: i32, b: i32) -> i32 { a.wrapping_sub(b) }, clamp { a.saturating_sub(b) }
    Vop3 806 v_add_nc_i32(a: i32, b: i32) -> i32 { a.wrapping_add(b) }, clamp { a.saturating_add(b) }
    [hot] Vop3 812 v_mul_lo_u32(a: u32, b: u32) -> u32 { a.wrapping_mul(b) }
    [hot] Vop3 813 v_mul_hi_u32(a: u32, b: u32) -> u32 { ((u64::from(a) * u64::from(b)) >> 32) as u32 }
    Vop3 814 v_mul_hi_i32(a: i32, b: i32) -> i32 { ((i64::from(a) * i64::from(b)) >> 32) as i32 }
    [hot] Vop3 828 v_lshlrev_b64(a: u32, b: u64) -> u64 { b << (a & 63) }
    Vop3 829 v_lshrrev_b64(a: u32, b: u64) -> u64 { b >> (a & 63) }
    Vop3 830 v_ashrrev_i64(a: u32, b: i64) -> i64 { b >> (a & 63) }
}
