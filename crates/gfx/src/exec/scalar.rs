//! Scalar arithmetic: one function on numbers per instruction.
//!
//! What a function returns says what it writes: a number to the destination, a `bool` to SCC, a pair to
//! both, `Option` to the destination only when there is one.
#![expect(
    clippy::cast_possible_truncation,
    reason = "results are truncated as the manual says"
)]

use std::marker::PhantomData;

use crate::isa::field::{Sop1, Sop2, Sopc, Sopk};
use crate::isa::{Format, Inst};

use super::context::Context;
use super::float::{MinMax, Quiet, f16_to_f32, f32_to_f16, f32_to_f16_toward_zero, fma_f16};
use super::lane::{F16, Kind, Lane, scalar as read, set_scalar};
use super::lower::{Gap, Lowering};
use super::op::{Flow, Op};
use super::rows::Entry;
use super::simd::{Handlers, Instruction, Simd};
use super::wave::{Wave, scalar};

/// What a scalar instruction writes.
trait Outcome {
    /// Whether there is a destination, and of two registers.
    const DEST: Option<bool>;
    fn apply(self, wave: &mut Wave, dest: u16);
}

impl Outcome for bool {
    const DEST: Option<bool> = None;
    #[inline(always)]
    fn apply(self, wave: &mut Wave, _: u16) {
        wave.set_scc(self);
    }
}

macro_rules! number_outcomes {
    ($($type:ty),*) => {$(
        impl Outcome for $type {
            const DEST: Option<bool> = Some(<$type as Lane>::KIND.is_wide());
            #[inline(always)]
            fn apply(self, wave: &mut Wave, dest: u16) {
                set_scalar(wave, dest, self);
            }
        }
    )*};
}
number_outcomes!(u32, i32, f32, F16, u64, i64);

impl<T: Outcome + Lane> Outcome for (T, bool) {
    const DEST: Option<bool> = T::DEST;
    #[inline(always)]
    fn apply(self, wave: &mut Wave, dest: u16) {
        set_scalar(wave, dest, self.0);
        wave.set_scc(self.1);
    }
}

impl<T: Outcome> Outcome for Option<T> {
    const DEST: Option<bool> = T::DEST;
    #[inline(always)]
    fn apply(self, wave: &mut Wave, dest: u16) {
        if let Some(value) = self {
            value.apply(wave, dest);
        }
    }
}

/// A function of up to three numbers, the destination's old value as the third, and SCC.
trait Function {
    type A: Lane;
    type B: Lane;
    type C: Lane;
    type Out: Outcome;
    fn eval(a: Self::A, b: Self::B, c: Self::C, scc: bool) -> Self::Out;
}

struct Run<F>(PhantomData<F>);

impl<F: Function> Instruction for Run<F> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let outcome = F::eval(
            read(wave, op.a),
            read(wave, op.b),
            read(wave, op.c),
            wave.scc(),
        );
        outcome.apply(wave, op.d);
        Flow::Next
    }
}

/// A plain 32-bit move, for instructions that come down to one.
pub(super) struct Move32;

impl Instruction for Move32 {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        wave.set_s(op.d, wave.s(op.a));
        Flow::Next
    }
}

/// A function as the lowering sees it.
struct Shape {
    run: Handlers,
    /// Types of the sources and of the destination's old value.
    kinds: [Kind; 3],
    /// Whether there is a destination, and of two registers.
    dest: Option<bool>,
}

impl Shape {
    const fn of<F: Function>() -> Self {
        Self {
            run: Handlers::scalar::<Run<F>>(),
            kinds: [F::A::KIND, F::B::KIND, F::C::KIND],
            dest: F::Out::DEST,
        }
    }
}

fn lower<F: Function>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    lower_shape(l, inst, const { &Shape::of::<F>() })
}

/// Lowers SOP1, SOP2, SOPC and SOPK.
fn lower_shape(l: &mut Lowering, inst: &Inst, shape: &Shape) -> Result<(), Gap> {
    let mut op = l.op(&shape.run);
    let [d, ..] = inst.words;
    let dest_field = d >> 16 & 0x7f;
    let [a_kind, b_kind, c_kind] = shape.kinds;
    let mut read = |field: u32, kind: Kind| -> Result<u16, Gap> {
        if field == 255 {
            op.literal = kind.literal(inst.literal.ok_or(Gap::Illegal)?);
        }
        l.scalar_source(field, kind)
    };
    match inst.format {
        Format::Sop1 => op.a = read(Sop1::from(inst).ssrc0(), a_kind)?,
        Format::Sop2 => {
            op.a = read(Sop2::from(inst).ssrc0(), a_kind)?;
            op.b = read(Sop2::from(inst).ssrc1(), b_kind)?;
        }
        Format::Sopc => {
            op.a = read(Sopc::from(inst).ssrc0(), a_kind)?;
            op.b = read(Sopc::from(inst).ssrc1(), b_kind)?;
        }
        // The 16-bit constant is source b; the register is source a.
        Format::Sopk => {
            op.a = l.scalar_source(dest_field, a_kind)?;
            op.b = scalar::LITERAL;
            op.literal = u64::from(Sopk::from(inst).simm16());
        }
        _ => return Err(Gap::Unsupported),
    }
    if let Some(wide) = shape.dest {
        op.d = l.scalar_dest(dest_field, wide)?;
        // Read only by those that accumulate or may keep the old value.
        op.c = l.scalar_source(dest_field, c_kind)?;
    }
    l.push(op);
    Ok(())
}

/// Lowers fmamk and fmaak, whose literal is the factor or the addend.
fn lower_literal_fma<F: Function, const ADD: bool>(
    l: &mut Lowering,
    inst: &Inst,
) -> Result<(), Gap> {
    lower::<F>(l, inst)?;
    let op = l.ops.last_mut().expect("just pushed");
    op.literal = u64::from(inst.literal.ok_or(Gap::Illegal)?);
    if ADD {
        op.c = scalar::LITERAL;
    } else {
        op.c = op.b;
        op.b = scalar::LITERAL;
    }
    Ok(())
}

/// Sign-extended 16-bit constant of SOPK.
#[inline(always)]
fn constant(b: u32) -> i32 {
    i32::from((b as u16).cast_signed())
}

#[inline(always)]
fn add_i32(a: i32, b: i32) -> (i32, bool) {
    a.overflowing_add(b)
}

/// A value with SCC telling whether it is not zero.
#[inline(always)]
fn test<T: Copy + PartialEq + Default>(value: T) -> (T, bool) {
    (value, value != T::default())
}

/// Offset and width of the 64-bit bit fields.
#[inline(always)]
fn field(b: u32) -> (u32, u32) {
    (b & 63, (b >> 16 & 0x7f).min(64))
}

#[inline(always)]
fn bfe_u64(a: u64, b: u32) -> u64 {
    let (offset, width) = field(b);
    let value = a >> offset;
    if width >= 64 {
        value
    } else {
        value & ((1 << width) - 1)
    }
}

#[inline(always)]
fn bfe_i64(a: i64, b: u32) -> i64 {
    let (offset, width) = field(b);
    let value = a >> offset;
    if width == 0 {
        0
    } else {
        value << (64 - width) >> (64 - width)
    }
}

#[inline(always)]
fn bfe_u32(a: u32, b: u32) -> u32 {
    bfe_u64(u64::from(a), b & 31 | b & 0x007f_0000) as u32
}

#[inline(always)]
fn bfe_i32(a: i32, b: u32) -> i32 {
    let width = (b >> 16 & 0x7f).min(32);
    let value = a >> (b & 31);
    if width == 0 {
        0
    } else {
        value << (32 - width) >> (32 - width)
    }
}

/// Leading bits that repeat the sign, -1 if all do.
#[inline(always)]
fn cls(a: i64, width: u32) -> u32 {
    let other = (a ^ (a >> 63)).cast_unsigned();
    if other == 0 {
        u32::MAX
    } else {
        other.leading_zeros() + width - 64
    }
}

#[inline(always)]
fn count_or_minus_one(found: bool, count: u32) -> u32 {
    if found { count } else { u32::MAX }
}

/// Any of each four bits set sets all four (`spread`) or one bit of the result.
#[inline(always)]
fn quads(a: u64) -> u64 {
    let pairs = a | a >> 1;
    (pairs | pairs >> 2) & 0x1111_1111_1111_1111
}

#[inline(always)]
fn quadmask(a: u64) -> u64 {
    (0..16).fold(0, |mask, quad| mask | (quads(a) >> (4 * quad) & 1) << quad)
}

#[inline(always)]
fn half(a: F16) -> f32 {
    f16_to_f32(a)
}

macro_rules! scalar_rows {
    ($(
        $(#[$doc:meta])*
        $([$lower:ident, $extra:tt])? $format:ident $opcode:literal $name:ident
        ( $a:ident : $ta:ty $(, $b:ident : $tb:ty $(, $c:ident : $tc:ty)?)? $(; $scc:ident)? )
        -> $out:ty $body:block
    )*) => {
        #[allow(non_camel_case_types, reason = "named as the manual names them")]
        mod functions {
            use super::*;
            $(
                $(#[$doc])*
                pub(super) struct $name;
                impl Function for $name {
                    type A = $ta;
                    type B = scalar_rows!(@type $($tb)?);
                    type C = scalar_rows!(@type $($($tc)?)?);
                    type Out = $out;
                    #[inline(always)]
                    fn eval($a: $ta, _b: Self::B, _c: Self::C, _scc: bool) -> $out {
                        $(let $b = _b; $(let $c = _c;)?)?
                        $(let $scc = _scc;)?
                        $body
                    }
                }
            )*
        }
        pub(super) const ARITHMETIC: &[Entry] = &[
            $(Entry {
                format: Format::$format,
                opcode: $opcode,
                name: stringify!($name),
                lower: scalar_rows!(@lower ($($lower, $extra)?) $name),
            }),*
        ];
    };
    (@type) => { u32 };
    (@type $type:ty) => { $type };
    (@lower () $name:ident) => { lower::<functions::$name> };
    (@lower ($lower:ident, $extra:tt) $name:ident) => { $lower::<functions::$name, $extra> };
}

scalar_rows! {
    Sop2 0 s_add_u32(a: u32, b: u32) -> (u32, bool) { a.overflowing_add(b) }
    Sop2 1 s_sub_u32(a: u32, b: u32) -> (u32, bool) { a.overflowing_sub(b) }
    Sop2 2 s_add_i32(a: i32, b: i32) -> (i32, bool) { add_i32(a, b) }
    Sop2 3 s_sub_i32(a: i32, b: i32) -> (i32, bool) { a.overflowing_sub(b) }
    Sop2 4 s_addc_u32(a: u32, b: u32; scc) -> (u32, bool) {
        let sum = u64::from(a) + u64::from(b) + u64::from(scc);
        (sum as u32, sum >> 32 != 0)
    }
    Sop2 5 s_subb_u32(a: u32, b: u32; scc) -> (u32, bool) {
        (a.wrapping_sub(b).wrapping_sub(u32::from(scc)), u64::from(b) + u64::from(scc) > u64::from(a))
    }
    Sop2 6 s_absdiff_i32(a: i32, b: i32) -> (u32, bool) {
        test(a.wrapping_sub(b).wrapping_abs().cast_unsigned())
    }
    Sop2 8 s_lshl_b32(a: u32, b: u32) -> (u32, bool) { test(a << (b & 31)) }
    Sop2 9 s_lshl_b64(a: u64, b: u32) -> (u64, bool) { test(a << (b & 63)) }
    Sop2 10 s_lshr_b32(a: u32, b: u32) -> (u32, bool) { test(a >> (b & 31)) }
    Sop2 11 s_lshr_b64(a: u64, b: u32) -> (u64, bool) { test(a >> (b & 63)) }
    Sop2 12 s_ashr_i32(a: i32, b: u32) -> (i32, bool) { test(a >> (b & 31)) }
    Sop2 13 s_ashr_i64(a: i64, b: u32) -> (i64, bool) { test(a >> (b & 63)) }
    Sop2 14 s_lshl1_add_u32(a: u32, b: u32) -> (u32, bool) { shift_add(a, b, 1) }
    Sop2 15 s_lshl2_add_u32(a: u32, b: u32) -> (u32, bool) { shift_add(a, b, 2) }
    Sop2 16 s_lshl3_add_u32(a: u32, b: u32) -> (u32, bool) { shift_add(a, b, 3) }
    Sop2 17 s_lshl4_add_u32(a: u32, b: u32) -> (u32, bool) { shift_add(a, b, 4) }
    Sop2 18 s_min_i32(a: i32, b: i32) -> (i32, bool) { (a.min(b), a < b) }
    Sop2 19 s_min_u32(a: u32, b: u32) -> (u32, bool) { (a.min(b), a < b) }
    Sop2 20 s_max_i32(a: i32, b: i32) -> (i32, bool) { (a.max(b), a >= b) }
    Sop2 21 s_max_u32(a: u32, b: u32) -> (u32, bool) { (a.max(b), a >= b) }
    Sop2 22 s_and_b32(a: u32, b: u32) -> (u32, bool) { test(a & b) }
    Sop2 23 s_and_b64(a: u64, b: u64) -> (u64, bool) { test(a & b) }
    Sop2 24 s_or_b32(a: u32, b: u32) -> (u32, bool) { test(a | b) }
    Sop2 25 s_or_b64(a: u64, b: u64) -> (u64, bool) { test(a | b) }
    Sop2 26 s_xor_b32(a: u32, b: u32) -> (u32, bool) { test(a ^ b) }
    Sop2 27 s_xor_b64(a: u64, b: u64) -> (u64, bool) { test(a ^ b) }
    Sop2 28 s_nand_b32(a: u32, b: u32) -> (u32, bool) { test(!(a & b)) }
    Sop2 29 s_nand_b64(a: u64, b: u64) -> (u64, bool) { test(!(a & b)) }
    Sop2 30 s_nor_b32(a: u32, b: u32) -> (u32, bool) { test(!(a | b)) }
    Sop2 31 s_nor_b64(a: u64, b: u64) -> (u64, bool) { test(!(a | b)) }
    Sop2 32 s_xnor_b32(a: u32, b: u32) -> (u32, bool) { test(!(a ^ b)) }
    Sop2 33 s_xnor_b64(a: u64, b: u64) -> (u64, bool) { test(!(a ^ b)) }
    Sop2 34 s_and_not1_b32(a: u32, b: u32) -> (u32, bool) { test(a & !b) }
    Sop2 35 s_and_not1_b64(a: u64, b: u64) -> (u64, bool) { test(a & !b) }
    Sop2 36 s_or_not1_b32(a: u32, b: u32) -> (u32, bool) { test(a | !b) }
    Sop2 37 s_or_not1_b64(a: u64, b: u64) -> (u64, bool) { test(a | !b) }
    Sop2 38 s_bfe_u32(a: u32, b: u32) -> (u32, bool) { test(bfe_u32(a, b)) }
    Sop2 39 s_bfe_i32(a: i32, b: u32) -> (i32, bool) { test(bfe_i32(a, b)) }
    Sop2 40 s_bfe_u64(a: u64, b: u32) -> (u64, bool) { test(bfe_u64(a, b)) }
    Sop2 41 s_bfe_i64(a: i64, b: u32) -> (i64, bool) { test(bfe_i64(a, b)) }
    Sop2 42 s_bfm_b32(a: u32, b: u32) -> u32 { ((1 << (a & 31)) - 1) << (b & 31) }
    Sop2 43 s_bfm_b64(a: u32, b: u32) -> u64 { ((1 << (a & 63)) - 1) << (b & 63) }
    Sop2 44 s_mul_i32(a: u32, b: u32) -> u32 { a.wrapping_mul(b) }
    Sop2 45 s_mul_hi_u32(a: u32, b: u32) -> u32 { ((u64::from(a) * u64::from(b)) >> 32) as u32 }
    Sop2 46 s_mul_hi_i32(a: i32, b: i32) -> i32 { ((i64::from(a) * i64::from(b)) >> 32) as i32 }
    Sop2 48 s_cselect_b32(a: u32, b: u32; scc) -> u32 { if scc { a } else { b } }
    Sop2 49 s_cselect_b64(a: u64, b: u64; scc) -> u64 { if scc { a } else { b } }
    Sop2 50 s_pack_ll_b32_b16(a: u32, b: u32) -> u32 { a & 0xffff | b << 16 }
    Sop2 51 s_pack_lh_b32_b16(a: u32, b: u32) -> u32 { a & 0xffff | b & 0xffff_0000 }
    Sop2 52 s_pack_hh_b32_b16(a: u32, b: u32) -> u32 { a >> 16 | b & 0xffff_0000 }
    Sop2 53 s_pack_hl_b32_b16(a: u32, b: u32) -> u32 { a >> 16 | b << 16 }
    Sop2 64 s_add_f32(a: f32, b: f32) -> f32 { a + b }
    Sop2 65 s_sub_f32(a: f32, b: f32) -> f32 { a - b }
    Sop2 66 s_min_f32(a: f32, b: f32) -> f32 { a.least(b) }
    Sop2 67 s_max_f32(a: f32, b: f32) -> f32 { a.greatest(b) }
    Sop2 68 s_mul_f32(a: f32, b: f32) -> f32 { a * b }
    [lower_literal_fma, true] Sop2 69 s_fmaak_f32(a: f32, b: f32, c: f32) -> f32 { a.mul_add(b, c) }
    [lower_literal_fma, false] Sop2 70 s_fmamk_f32(a: f32, b: f32, c: f32) -> f32 { a.mul_add(b, c) }
    Sop2 71 s_fmac_f32(a: f32, b: f32, c: f32) -> f32 { a.mul_add(b, c) }
    Sop2 72 s_cvt_pk_rtz_f16_f32(a: f32, b: f32) -> u32 {
        u32::from(f32_to_f16_toward_zero(a).0) | u32::from(f32_to_f16_toward_zero(b).0) << 16
    }
    Sop2 73 s_add_f16(a: F16, b: F16) -> F16 { f32_to_f16(half(a) + half(b)) }
    Sop2 74 s_sub_f16(a: F16, b: F16) -> F16 { f32_to_f16(half(a) - half(b)) }
    Sop2 75 s_min_f16(a: F16, b: F16) -> F16 { a.least(b) }
    Sop2 76 s_max_f16(a: F16, b: F16) -> F16 { a.greatest(b) }
    Sop2 77 s_mul_f16(a: F16, b: F16) -> F16 { f32_to_f16(half(a) * half(b)) }
    Sop2 78 s_fmac_f16(a: F16, b: F16, c: F16) -> F16 { fma_f16(a, b, c) }

    Sopk 0 s_movk_i32(_a: u32, b: u32) -> i32 { constant(b) }
    Sopk 2 s_cmovk_i32(_a: u32, b: u32; scc) -> Option<i32> { scc.then_some(constant(b)) }
    Sopk 3 s_cmpk_eq_i32(a: i32, b: u32) -> bool { a == constant(b) }
    Sopk 4 s_cmpk_lg_i32(a: i32, b: u32) -> bool { a != constant(b) }
    Sopk 5 s_cmpk_gt_i32(a: i32, b: u32) -> bool { a > constant(b) }
    Sopk 6 s_cmpk_ge_i32(a: i32, b: u32) -> bool { a >= constant(b) }
    Sopk 7 s_cmpk_lt_i32(a: i32, b: u32) -> bool { a < constant(b) }
    Sopk 8 s_cmpk_le_i32(a: i32, b: u32) -> bool { a <= constant(b) }
    Sopk 9 s_cmpk_eq_u32(a: u32, b: u32) -> bool { a == b }
    Sopk 10 s_cmpk_lg_u32(a: u32, b: u32) -> bool { a != b }
    Sopk 11 s_cmpk_gt_u32(a: u32, b: u32) -> bool { a > b }
    Sopk 12 s_cmpk_ge_u32(a: u32, b: u32) -> bool { a >= b }
    Sopk 13 s_cmpk_lt_u32(a: u32, b: u32) -> bool { a < b }
    Sopk 14 s_cmpk_le_u32(a: u32, b: u32) -> bool { a <= b }
    Sopk 15 s_addk_i32(a: i32, b: u32) -> (i32, bool) { add_i32(a, constant(b)) }
    Sopk 16 s_mulk_i32(a: i32, b: u32) -> i32 { a.wrapping_mul(constant(b)) }

    Sop1 0 s_mov_b32(a: u32) -> u32 { a }
    Sop1 1 s_mov_b64(a: u64) -> u64 { a }
    Sop1 2 s_cmov_b32(a: u32; scc) -> Option<u32> { scc.then_some(a) }
    Sop1 3 s_cmov_b64(a: u64; scc) -> Option<u64> { scc.then_some(a) }
    Sop1 4 s_brev_b32(a: u32) -> u32 { a.reverse_bits() }
    Sop1 5 s_brev_b64(a: u64) -> u64 { a.reverse_bits() }
    Sop1 8 s_ctz_i32_b32(a: u32) -> u32 { count_or_minus_one(a != 0, a.trailing_zeros()) }
    Sop1 9 s_ctz_i32_b64(a: u64) -> u32 { count_or_minus_one(a != 0, a.trailing_zeros()) }
    Sop1 10 s_clz_i32_u32(a: u32) -> u32 { count_or_minus_one(a != 0, a.leading_zeros()) }
    Sop1 11 s_clz_i32_u64(a: u64) -> u32 { count_or_minus_one(a != 0, a.leading_zeros()) }
    Sop1 12 s_cls_i32(a: i32) -> u32 { cls(i64::from(a), 32) }
    Sop1 13 s_cls_i32_i64(a: i64) -> u32 { cls(a, 64) }
    Sop1 14 s_sext_i32_i8(a: u32) -> i32 { i32::from((a as u8).cast_signed()) }
    Sop1 15 s_sext_i32_i16(a: u32) -> i32 { constant(a) }
    Sop1 16 s_bitset0_b32(a: u32, _b: u32, c: u32) -> u32 { c & !(1 << (a & 31)) }
    Sop1 17 s_bitset0_b64(a: u32, _b: u32, c: u64) -> u64 { c & !(1 << (a & 63)) }
    Sop1 18 s_bitset1_b32(a: u32, _b: u32, c: u32) -> u32 { c | 1 << (a & 31) }
    Sop1 19 s_bitset1_b64(a: u32, _b: u32, c: u64) -> u64 { c | 1 << (a & 63) }
    Sop1 20 s_bitreplicate_b64_b32(a: u32) -> u64 {
        (0..32).fold(0, |bits, n| bits | (u64::from(a >> n & 1) * 3) << (2 * n))
    }
    Sop1 21 s_abs_i32(a: i32) -> (i32, bool) { test(a.wrapping_abs()) }
    Sop1 22 s_bcnt0_i32_b32(a: u32) -> (u32, bool) { test(a.count_zeros()) }
    Sop1 23 s_bcnt0_i32_b64(a: u64) -> (u32, bool) { test(a.count_zeros()) }
    Sop1 24 s_bcnt1_i32_b32(a: u32) -> (u32, bool) { test(a.count_ones()) }
    Sop1 25 s_bcnt1_i32_b64(a: u64) -> (u32, bool) { test(a.count_ones()) }
    Sop1 26 s_quadmask_b32(a: u32) -> (u32, bool) { test(quadmask(u64::from(a)) as u32) }
    Sop1 27 s_quadmask_b64(a: u64) -> (u64, bool) { test(quadmask(a)) }
    Sop1 28 s_wqm_b32(a: u32) -> (u32, bool) { test((quads(u64::from(a)) * 15) as u32) }
    Sop1 29 s_wqm_b64(a: u64) -> (u64, bool) { test(quads(a) * 15) }
    Sop1 30 s_not_b32(a: u32) -> (u32, bool) { test(!a) }
    Sop1 31 s_not_b64(a: u64) -> (u64, bool) { test(!a) }
    Sop1 96 s_ceil_f32(a: f32) -> f32 { a.number(f32::ceil) }
    Sop1 97 s_floor_f32(a: f32) -> f32 { a.number(f32::floor) }
    Sop1 98 s_trunc_f32(a: f32) -> f32 { a.number(f32::trunc) }
    Sop1 99 s_rndne_f32(a: f32) -> f32 { a.number(f32::round_ties_even) }
    Sop1 100 s_cvt_f32_i32(a: i32) -> f32 { a as f32 }
    Sop1 101 s_cvt_f32_u32(a: u32) -> f32 { a as f32 }
    Sop1 102 s_cvt_i32_f32(a: f32) -> i32 { a as i32 }
    Sop1 103 s_cvt_u32_f32(a: f32) -> u32 { a as u32 }
    Sop1 104 s_cvt_f16_f32(a: f32) -> F16 { f32_to_f16(a) }
    Sop1 105 s_cvt_f32_f16(a: F16) -> f32 { half(a) }
    Sop1 106 s_cvt_hi_f32_f16(a: u32) -> f32 { half(F16((a >> 16) as u16)) }
    Sop1 107 s_ceil_f16(a: F16) -> F16 { f32_to_f16(half(a).ceil()) }
    Sop1 108 s_floor_f16(a: F16) -> F16 { f32_to_f16(half(a).floor()) }
    Sop1 109 s_trunc_f16(a: F16) -> F16 { f32_to_f16(half(a).trunc()) }
    Sop1 110 s_rndne_f16(a: F16) -> F16 { f32_to_f16(half(a).round_ties_even()) }

    Sopc 0 s_cmp_eq_i32(a: i32, b: i32) -> bool { a == b }
    Sopc 1 s_cmp_lg_i32(a: i32, b: i32) -> bool { a != b }
    Sopc 2 s_cmp_gt_i32(a: i32, b: i32) -> bool { a > b }
    Sopc 3 s_cmp_ge_i32(a: i32, b: i32) -> bool { a >= b }
    Sopc 4 s_cmp_lt_i32(a: i32, b: i32) -> bool { a < b }
    Sopc 5 s_cmp_le_i32(a: i32, b: i32) -> bool { a <= b }
    Sopc 6 s_cmp_eq_u32(a: u32, b: u32) -> bool { a == b }
    Sopc 7 s_cmp_lg_u32(a: u32, b: u32) -> bool { a != b }
    Sopc 8 s_cmp_gt_u32(a: u32, b: u32) -> bool { a > b }
    Sopc 9 s_cmp_ge_u32(a: u32, b: u32) -> bool { a >= b }
    Sopc 10 s_cmp_lt_u32(a: u32, b: u32) -> bool { a < b }
    Sopc 11 s_cmp_le_u32(a: u32, b: u32) -> bool { a <= b }
    Sopc 12 s_bitcmp0_b32(a: u32, b: u32) -> bool { a >> (b & 31) & 1 == 0 }
    Sopc 13 s_bitcmp1_b32(a: u32, b: u32) -> bool { a >> (b & 31) & 1 != 0 }
    Sopc 14 s_bitcmp0_b64(a: u64, b: u32) -> bool { a >> (b & 63) & 1 == 0 }
    Sopc 15 s_bitcmp1_b64(a: u64, b: u32) -> bool { a >> (b & 63) & 1 != 0 }
    Sopc 16 s_cmp_eq_u64(a: u64, b: u64) -> bool { a == b }
    Sopc 17 s_cmp_lg_u64(a: u64, b: u64) -> bool { a != b }
}

/// SCC is the carry out of the 32 bits.
#[inline(always)]
fn shift_add(a: u32, b: u32, amount: u32) -> (u32, bool) {
    let sum = (u64::from(a) << amount) + u64::from(b);
    (sum as u32, sum >> 32 != 0)
}

/// The saveexec family: the destination gets the old EXEC, EXEC a function of it and the source, SCC
/// whether the new EXEC has any lane. The wrexec family writes the new value to both.
trait ExecFunction {
    fn eval(source: u64, exec: u64) -> u64;
}

struct SaveExec<F, const WIDE: bool, const WRITE_NEW: bool>(PhantomData<F>);

impl<F: ExecFunction, const WIDE: bool, const WRITE_NEW: bool> Instruction
    for SaveExec<F, WIDE, WRITE_NEW>
{
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        if WIDE {
            let old = wave.s64(scalar::EXEC_LO);
            let new = F::eval(wave.s64(op.a), old);
            wave.set_s64(op.d, if WRITE_NEW { new } else { old });
            wave.set_s64(scalar::EXEC_LO, new);
            wave.set_scc(new != 0);
        } else {
            let old = wave.s(scalar::EXEC_LO);
            let new = F::eval(u64::from(wave.s(op.a)), u64::from(old)) as u32;
            wave.set_s(op.d, if WRITE_NEW { new } else { old });
            wave.set_s(scalar::EXEC_LO, new);
            wave.set_scc(new != 0);
        }
        Flow::Next
    }
}

fn lower_saveexec<F: ExecFunction, const WIDE: bool, const WRITE_NEW: bool>(
    l: &mut Lowering,
    inst: &Inst,
) -> Result<(), Gap> {
    let fields = Sop1::from(inst);
    let kind = if WIDE { Kind::B64 } else { Kind::B32 };
    let mut op = l.op(const { &Handlers::scalar::<SaveExec<F, WIDE, WRITE_NEW>>() });
    if let Some(literal) = inst.literal {
        op.literal = kind.literal(literal);
    }
    op.a = l.scalar_source(fields.ssrc0(), kind)?;
    op.d = l.scalar_dest(fields.sdst(), WIDE)?;
    l.push(op);
    Ok(())
}

macro_rules! exec_rows {
    ($($new:literal $opcode:literal $name:ident $wide_opcode:literal $wide_name:ident
        ($source:ident, $exec:ident) $body:block)*) => {
        #[allow(non_camel_case_types, reason = "named as the manual names them")]
        mod exec_functions {
            use super::*;
            $(
                pub(super) struct $name;
                impl ExecFunction for $name {
                    #[inline(always)]
                    fn eval($source: u64, $exec: u64) -> u64 $body
                }
            )*
        }
        pub(super) const EXEC: &[Entry] = &[
            $(
                Entry {
                    format: Format::Sop1,
                    opcode: $opcode,
                    name: stringify!($name),
                    lower: lower_saveexec::<exec_functions::$name, false, $new>,
                },
                Entry {
                    format: Format::Sop1,
                    opcode: $wide_opcode,
                    name: stringify!($wide_name),
                    lower: lower_saveexec::<exec_functions::$name, true, $new>,
                },
            )*
        ];
    };
}

exec_rows! {
    false 32 s_and_saveexec_b32 33 s_and_saveexec_b64 (source, exec) { source & exec }
    false 34 s_or_saveexec_b32 35 s_or_saveexec_b64 (source, exec) { source | exec }
    false 36 s_xor_saveexec_b32 37 s_xor_saveexec_b64 (source, exec) { source ^ exec }
    false 38 s_nand_saveexec_b32 39 s_nand_saveexec_b64 (source, exec) { !(source & exec) }
    false 40 s_nor_saveexec_b32 41 s_nor_saveexec_b64 (source, exec) { !(source | exec) }
    false 42 s_xnor_saveexec_b32 43 s_xnor_saveexec_b64 (source, exec) { !(source ^ exec) }
    false 44 s_and_not0_saveexec_b32 45 s_and_not0_saveexec_b64 (source, exec) { !source & exec }
    false 46 s_or_not0_saveexec_b32 47 s_or_not0_saveexec_b64 (source, exec) { !source | exec }
    false 48 s_and_not1_saveexec_b32 49 s_and_not1_saveexec_b64 (source, exec) { source & !exec }
    false 50 s_or_not1_saveexec_b32 51 s_or_not1_saveexec_b64 (source, exec) { source | !exec }
    true 52 s_and_not0_wrexec_b32 53 s_and_not0_wrexec_b64 (source, exec) { !source & exec }
    true 54 s_and_not1_wrexec_b32 55 s_and_not1_wrexec_b64 (source, exec) { source & !exec }
}

/// Moves whose source or destination register number has M0 added.
struct Movrel<const WIDE: bool, const SOURCE: bool>;

impl<const WIDE: bool, const SOURCE: bool> Instruction for Movrel<WIDE, SOURCE> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let m0 = wave.s(scalar::M0);
        // Only user registers can be reached; what lies beyond reads 0 and is not written.
        let last = u32::from(scalar::VCC_HI) - u32::from(WIDE);
        let relative = |place: u16| u32::from(place).checked_add(m0).filter(|&n| n <= last);
        let place = |n: Option<u32>, beyond| n.map_or(beyond, |n| n as u16);
        let (from, to) = if SOURCE {
            (place(relative(op.a), scalar::I64), op.d)
        } else {
            (op.a, place(relative(op.d), scalar::SINK))
        };
        if WIDE {
            wave.set_s64(to, wave.s64(from));
        } else {
            wave.set_s(to, wave.s(from));
        }
        Flow::Next
    }
}

fn lower_movrel<const WIDE: bool, const SOURCE: bool>(
    l: &mut Lowering,
    inst: &Inst,
) -> Result<(), Gap> {
    let fields = Sop1::from(inst);
    let kind = if WIDE { Kind::B64 } else { Kind::B32 };
    let mut op = l.op(const { &Handlers::scalar::<Movrel<WIDE, SOURCE>>() });
    if let Some(literal) = inst.literal {
        op.literal = kind.literal(literal);
    }
    op.a = l.scalar_source(fields.ssrc0(), kind)?;
    op.d = l.scalar_dest(fields.sdst(), WIDE)?;
    if SOURCE && op.a > scalar::VCC_HI {
        return Err(Gap::Illegal);
    }
    l.push(op);
    Ok(())
}

pub(super) const MOVREL: &[Entry] = &[
    Entry {
        format: Format::Sop1,
        opcode: 64,
        name: "s_movrels_b32",
        lower: lower_movrel::<false, true>,
    },
    Entry {
        format: Format::Sop1,
        opcode: 65,
        name: "s_movrels_b64",
        lower: lower_movrel::<true, true>,
    },
    Entry {
        format: Format::Sop1,
        opcode: 66,
        name: "s_movreld_b32",
        lower: lower_movrel::<false, false>,
    },
    Entry {
        format: Format::Sop1,
        opcode: 67,
        name: "s_movreld_b64",
        lower: lower_movrel::<true, false>,
    },
];

/// Float comparisons. The low bits of the opcode are the question, as in `vector::compare`: less, equal,
/// greater, unordered.
struct CompareFloats<T>(PhantomData<T>);

/// A float as one that Rust compares.
trait Wide: Lane {
    fn wide(self) -> f32;
}

impl Wide for f32 {
    #[inline(always)]
    fn wide(self) -> f32 {
        self
    }
}

impl Wide for F16 {
    #[inline(always)]
    fn wide(self) -> f32 {
        half(self)
    }
}

impl<T: Wide> Instruction for CompareFloats<T> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        use std::cmp::Ordering;
        let order = read::<T>(wave, op.a)
            .wide()
            .partial_cmp(&read::<T>(wave, op.b).wide());
        let answer = match order {
            Some(Ordering::Less) => 1,
            Some(Ordering::Equal) => 2,
            Some(Ordering::Greater) => 4,
            None => 8,
        };
        wave.set_scc(op.imm & answer != 0);
        Flow::Next
    }
}

fn lower_compare<T: Wide>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let shape = Shape {
        run: Handlers::scalar::<CompareFloats<T>>(),
        kinds: [T::KIND; 3],
        dest: None,
    };
    lower_shape(l, inst, &shape)?;
    let op = l.ops.last_mut().expect("just pushed");
    op.imm = u32::from(inst.opcode) & 15;
    Ok(())
}

macro_rules! compare_rows {
    ($($base:literal $type:ty, $suffix:literal => [$($question:literal $relation:literal)*];)*) => {
        pub(super) const COMPARE: &[Entry] = &[$($(
            Entry {
                format: Format::Sopc,
                opcode: $base + $question,
                name: concat!("s_cmp_", $relation, "_", $suffix),
                lower: lower_compare::<$type>,
            }
        ,)*)*];
    };
}

compare_rows! {
    64 f32, "f32" => [1 "lt" 2 "eq" 3 "le" 4 "gt" 5 "lg" 6 "ge" 7 "o" 8 "u" 9 "nge" 10 "nlg"
        11 "ngt" 12 "nle" 13 "neq" 14 "nlt"];
    80 F16, "f16" => [1 "lt" 2 "eq" 3 "le" 4 "gt" 5 "lg" 6 "ge" 7 "o" 8 "u" 9 "nge" 10 "nlg"
        11 "ngt" 12 "nle" 13 "neq" 14 "nlt"];
}
