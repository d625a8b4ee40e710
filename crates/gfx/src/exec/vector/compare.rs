//! Comparisons: v_cmp writes a mask, v_cmpx writes EXEC.
//!
//! The low bits of the opcode are the question: bit 0 less, bit 1 equal, bit 2 greater, and for floats bit
//! 3 unordered. So there is one handler for each type, which asks what the bits name and joins the answers.

use std::marker::PhantomData;

use crate::isa::{Format, Inst};

use super::super::context::Context;
use super::super::float::{class_f16, class_f32, class_f64, f16_to_f32};
use super::super::lane::{F16, Kind, Lane, each_lane};
use super::super::lower::{Gap, Lowering, Operands};
use super::super::op::{Flow, Mods, Op};
use super::super::rows::Entry;
use super::super::simd::{Handlers, Instruction, Simd};
use super::super::wave::{LANES, Wave, scalar};
use super::operand::General;
use super::{Fast, NO_FAST, choose, source};

const LESS: u16 = 1;
const EQUAL: u16 = 2;
const GREATER: u16 = 4;
const UNORDERED: u16 = 8;

/// A type with an order, which for floats may not hold between two numbers.
trait Compare: Lane {
    type Order: PartialOrd + Copy;
    fn key(self) -> Self::Order;
}

macro_rules! own_order {
    ($($type:ty)*) => {$(
        impl Compare for $type {
            type Order = $type;
            #[inline(always)]
            fn key(self) -> $type {
                self
            }
        }
    )*};
}
own_order!(u16 i16 u32 i32 u64 i64 f32 f64);

impl Compare for F16 {
    type Order = f32;
    #[inline(always)]
    fn key(self) -> f32 {
        f16_to_f32(self)
    }
}

/// The lanes for which one of the relations in `question` holds.
#[inline(always)]
fn ask<T: Compare, L: Simd>(question: u16, a: &[T; LANES], b: &[T; LANES]) -> u32 {
    macro_rules! lanes {
        ($relation:tt) => {
            L::top_bits(&each_lane!(0, lane => {
                if a[lane].key() $relation b[lane].key() { u32::MAX } else { 0 }
            }))
        };
    }
    let mut mask = 0;
    if question & LESS != 0 {
        mask |= lanes!(<);
    }
    if question & EQUAL != 0 {
        mask |= lanes!(==);
    }
    if question & GREATER != 0 {
        mask |= lanes!(>);
    }
    if question & UNORDERED != 0 {
        mask |= !(lanes!(<=) | lanes!(>));
    }
    mask
}

struct Plain<T, const A: bool, const B: bool>(PhantomData<T>);
struct WithMods<T>(PhantomData<T>);
struct Class<T>(PhantomData<T>);

impl<T: Compare, const A: bool, const B: bool> Instruction for Plain<T, A, B> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let a = source::<T, A>(wave, op.a);
        let b = source::<T, B>(wave, op.b);
        let exec = wave.s(op.exec);
        wave.set_s(op.d, ask::<T, L>(op.c, &a, &b) & exec);
        Flow::Next
    }
}

impl<T: Compare> Instruction for WithMods<T> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let general = General::new(wave, op);
        let a = general.source::<T>(wave, op, 0, op.a);
        let b = general.source::<T>(wave, op, 1, op.b);
        wave.set_s(op.d, ask::<T, L>(op.c, &a, &b) & general.mask);
        Flow::Next
    }
}

/// A float type whose numbers have a class.
trait Classify: Lane {
    /// Type of the mask of classes: a half for halves.
    const MASK: Kind;
    fn class(self) -> u32;
}

impl Classify for F16 {
    const MASK: Kind = Kind::B16;
    #[inline(always)]
    fn class(self) -> u32 {
        class_f16(self)
    }
}

impl Classify for f32 {
    const MASK: Kind = Kind::B32;
    #[inline(always)]
    fn class(self) -> u32 {
        class_f32(self)
    }
}

impl Classify for f64 {
    const MASK: Kind = Kind::B32;
    #[inline(always)]
    fn class(self) -> u32 {
        class_f64(self)
    }
}

impl<T: Classify> Instruction for Class<T> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let general = General::new(wave, op);
        let number = general.source::<T>(wave, op, 0, op.a);
        let classes = general.fetch(wave, op, 1, op.b, T::MASK).low;
        let answers = each_lane!(0, lane => {
            if number[lane].class() & classes[lane] != 0 { u32::MAX } else { 0 }
        });
        wave.set_s(op.d, L::top_bits(&answers) & general.mask);
        Flow::Next
    }
}

/// Opcodes from here on are v_cmpx.
const WRITES_EXEC: u16 = 128;

fn lower(
    l: &mut Lowering,
    inst: &Inst,
    kinds: [Kind; 2],
    fast: &Fast,
    general: &Handlers,
    question: u16,
) -> Result<(), Gap> {
    let mut operands = Operands::read(l, inst, &kinds, None)?;
    // The clamp bit of a comparison asks for exceptions only.
    operands.mods.remove(Mods::CLAMP);
    let mut op = l.op(choose(fast, operands.mods).unwrap_or(general));
    operands.fill(&mut op);
    op.c = question;
    let dest = if inst.opcode >= WRITES_EXEC {
        scalar::EXEC_LO
    } else if inst.format == Format::Vop3 {
        l.scalar_dest(operands.vdst & 0x7f, l.wave64)?
    } else {
        scalar::VCC_LO
    };
    op.d = l.mask(dest);
    l.push(op);
    Ok(())
}

/// The relations that a float opcode names.
fn float_question(inst: &Inst) -> u16 {
    inst.opcode & 15
}

/// The relations that an integer opcode names.
fn integer_question(inst: &Inst) -> u16 {
    inst.opcode & 7
}

fn lower_float<T: Compare>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let general = const { &Handlers::two::<WithMods<T>>() };
    lower(
        l,
        inst,
        [T::KIND; 2],
        &NO_FAST,
        general,
        float_question(inst),
    )
}

fn lower_integer<T: Compare>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let general = const { &Handlers::two::<WithMods<T>>() };
    lower(
        l,
        inst,
        [T::KIND; 2],
        &NO_FAST,
        general,
        integer_question(inst),
    )
}

const fn fast<T: Compare>() -> Fast {
    let mut fast = NO_FAST;
    fast[0] = Some(Handlers::of::<Plain<T, false, false>>());
    fast[1] = Some(Handlers::of::<Plain<T, true, false>>());
    fast[2] = Some(Handlers::of::<Plain<T, false, true>>());
    fast
}

fn lower_f32(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let general = const { &Handlers::two::<WithMods<f32>>() };
    lower(
        l,
        inst,
        [Kind::F32; 2],
        const { &fast::<f32>() },
        general,
        float_question(inst),
    )
}

fn lower_i32(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let general = const { &Handlers::two::<WithMods<i32>>() };
    lower(
        l,
        inst,
        [Kind::B32; 2],
        const { &fast::<i32>() },
        general,
        integer_question(inst),
    )
}

fn lower_u32(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let general = const { &Handlers::two::<WithMods<u32>>() };
    lower(
        l,
        inst,
        [Kind::B32; 2],
        const { &fast::<u32>() },
        general,
        integer_question(inst),
    )
}

fn lower_class<T: Classify>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let general = const { &Handlers::two::<Class<T>>() };
    lower(l, inst, [T::KIND, T::MASK], &NO_FAST, general, 0)
}

macro_rules! entries {
    ($($base:literal $suffix:literal $lower:expr => [$($bits:literal $relation:literal)*];)*) => {
        pub(in super::super) const ENTRIES: &[&[Entry]] = &[$(&[$(
            Entry {
                format: Format::Vopc,
                opcode: $base + $bits,
                name: concat!("v_cmp_", $relation, "_", $suffix),
                lower: $lower,
            },
            Entry {
                format: Format::Vopc,
                opcode: WRITES_EXEC + $base + $bits,
                name: concat!("v_cmpx_", $relation, "_", $suffix),
                lower: $lower,
            },
        )*]),*];
    };
}

entries! {
    0 "f16" lower_float::<F16> => [0 "f" 1 "lt" 2 "eq" 3 "le" 4 "gt" 5 "lg" 6 "ge" 7 "o"
        8 "u" 9 "nge" 10 "nlg" 11 "ngt" 12 "nle" 13 "neq" 14 "nlt" 15 "t"];
    16 "f32" lower_f32 => [0 "f" 1 "lt" 2 "eq" 3 "le" 4 "gt" 5 "lg" 6 "ge" 7 "o"
        8 "u" 9 "nge" 10 "nlg" 11 "ngt" 12 "nle" 13 "neq" 14 "nlt" 15 "t"];
    32 "f64" lower_float::<f64> => [0 "f" 1 "lt" 2 "eq" 3 "le" 4 "gt" 5 "lg" 6 "ge" 7 "o"
        8 "u" 9 "nge" 10 "nlg" 11 "ngt" 12 "nle" 13 "neq" 14 "nlt" 15 "t"];
    48 "i16" lower_integer::<i16> => [1 "lt" 2 "eq" 3 "le" 4 "gt" 5 "ne" 6 "ge"];
    56 "u16" lower_integer::<u16> => [1 "lt" 2 "eq" 3 "le" 4 "gt" 5 "ne" 6 "ge"];
    64 "i32" lower_i32 => [0 "f" 1 "lt" 2 "eq" 3 "le" 4 "gt" 5 "ne" 6 "ge" 7 "t"];
    72 "u32" lower_u32 => [0 "f" 1 "lt" 2 "eq" 3 "le" 4 "gt" 5 "ne" 6 "ge" 7 "t"];
    80 "i64" lower_integer::<i64> => [0 "f" 1 "lt" 2 "eq" 3 "le" 4 "gt" 5 "ne" 6 "ge" 7 "t"];
    88 "u64" lower_integer::<u64> => [0 "f" 1 "lt" 2 "eq" 3 "le" 4 "gt" 5 "ne" 6 "ge" 7 "t"];
    125 "f16" lower_class::<F16> => [0 "class"];
    126 "f32" lower_class::<f32> => [0 "class"];
    127 "f64" lower_class::<f64> => [0 "class"];
}
