//! Vector arithmetic: one function on numbers per instruction, and the loops around it.
//!
//! A row of [`vector_rows!`] is a function from one, two or three numbers to a number. It becomes a
//! [`Kernel`], a loop over the lanes, and an operation that fetches operands, calls the kernel and writes
//! the result: with modifiers, halves, DPP and any kind of operand. Rows marked `hot` also have versions in
//! which the operands of plain instructions go straight from registers through the loop to registers; these
//! cost code for each combination of vector and scalar sources, so they are for what programs do most.

pub(super) mod carry;
pub(super) mod compare;
pub(super) mod cross;
pub(super) mod dpp;
pub(super) mod int;
pub(super) mod matrix;
pub(super) mod operand;
pub(super) mod packed;
pub(super) mod real;

use std::marker::PhantomData;

use crate::isa::Inst;

use super::context::Context;
use super::lane::{Kind, Lane, each_lane, scalar, set_vector, vector};
use super::lower::{Gap, Lowering, Operands, Source};
use super::op::{Flow, Mods, Op};
use super::simd::{Handlers, Instruction, Kernel, Kernels, Simd};
use super::wave::{LANES, Value, Wave, scalar as places};
use operand::{General, bits, numbers};

/// A function of one number.
pub(super) trait Unary {
    type A: Lane;
    type D: Lane;
    fn eval(a: Self::A) -> Self::D;
}

/// A function of two numbers.
pub(super) trait Binary {
    type A: Lane;
    type B: Lane;
    type D: Lane;
    fn eval(a: Self::A, b: Self::B) -> Self::D;
    /// Whether `eval_clamped` is the integer instruction's clamp.
    const CLAMPS: bool = false;
    /// The result with the clamp bit set, for integers; floats are clamped by the caller.
    #[inline(always)]
    fn eval_clamped(a: Self::A, b: Self::B) -> Self::D {
        Self::eval(a, b)
    }
}

/// A function of three numbers.
pub(super) trait Ternary {
    type A: Lane;
    type B: Lane;
    type C: Lane;
    type D: Lane;
    fn eval(a: Self::A, b: Self::B, c: Self::C) -> Self::D;
}

struct UnaryKernel<F>(PhantomData<F>);
struct BinaryKernel<F, const CLAMPED: bool>(PhantomData<F>);
struct TernaryKernel<F>(PhantomData<F>);

impl<F: Unary> Kernel for UnaryKernel<F> {
    #[inline(always)]
    fn run(inputs: &[Value; 3], out: &mut Value) {
        let a = numbers::<F::A>(&inputs[0]);
        *out = bits(&each_lane!(F::D::from_parts(0, 0), lane => F::eval(a[lane])));
    }
}

impl<F: Binary, const CLAMPED: bool> Kernel for BinaryKernel<F, CLAMPED> {
    #[inline(always)]
    fn run(inputs: &[Value; 3], out: &mut Value) {
        let a = numbers::<F::A>(&inputs[0]);
        let b = numbers::<F::B>(&inputs[1]);
        let zero = F::D::from_parts(0, 0);
        *out = bits(&if CLAMPED {
            each_lane!(zero, lane => F::eval_clamped(a[lane], b[lane]))
        } else {
            each_lane!(zero, lane => F::eval(a[lane], b[lane]))
        });
    }
}

impl<F: Ternary> Kernel for TernaryKernel<F> {
    #[inline(always)]
    fn run(inputs: &[Value; 3], out: &mut Value) {
        let a = numbers::<F::A>(&inputs[0]);
        let b = numbers::<F::B>(&inputs[1]);
        let c = numbers::<F::C>(&inputs[2]);
        let zero = F::D::from_parts(0, 0);
        *out = bits(&each_lane!(zero, lane => F::eval(a[lane], b[lane], c[lane])));
    }
}

/// Fetches the sources, calls the kernel, writes the result.
struct Apply;

impl Instruction for Apply {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let general = General::new(wave, op);
        let mut inputs = [Value::ZERO; 3];
        for (n, place) in [op.a, op.b, op.c]
            .into_iter()
            .enumerate()
            .take(op.sources.into())
        {
            #[expect(clippy::cast_possible_truncation, reason = "at most three")]
            let source = n as u32;
            inputs[n] = general.fetch(wave, op, source, place, op.kinds[n]);
        }
        let mut out = Value::ZERO;
        op.kernel.call(&inputs, &mut out);
        operand::write::<L>(wave, op, general.mask, op.result, &out);
        Flow::Next
    }
}

/// A source of a fast version: a row, or a scalar for all lanes.
#[inline(always)]
fn source<T: Lane, const SCALAR: bool>(wave: &Wave, place: u16) -> [T; LANES] {
    if SCALAR {
        [scalar(wave, place); LANES]
    } else {
        vector(wave, place)
    }
}

/// Result of an elementwise function.
#[inline(always)]
fn write<L: Simd, T: Lane>(wave: &mut Wave, op: &Op, value: [T; LANES]) {
    set_vector::<L, T>(wave, op.d, wave.s(op.exec), false, &value);
}

struct UnaryFast<F, const A: bool>(PhantomData<F>);
struct BinaryFast<F, const A: bool, const B: bool>(PhantomData<F>);
struct TernaryFast<F, const A: bool, const B: bool, const C: bool>(PhantomData<F>);

impl<F: Unary, const A: bool> Instruction for UnaryFast<F, A> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let a = source::<F::A, A>(wave, op.a);
        write::<L, F::D>(
            wave,
            op,
            each_lane!(F::D::from_parts(0, 0), lane => F::eval(a[lane])),
        );
        Flow::Next
    }
}

impl<F: Binary, const A: bool, const B: bool> Instruction for BinaryFast<F, A, B> {
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let a = source::<F::A, A>(wave, op.a);
        let b = source::<F::B, B>(wave, op.b);
        let zero = F::D::from_parts(0, 0);
        write::<L, F::D>(
            wave,
            op,
            each_lane!(zero, lane => F::eval(a[lane], b[lane])),
        );
        Flow::Next
    }
}

impl<F: Ternary, const A: bool, const B: bool, const C: bool> Instruction
    for TernaryFast<F, A, B, C>
{
    #[inline(always)]
    fn run<L: Simd>(wave: &mut Wave, op: &Op, _: &mut Context<'_>) -> Flow {
        let a = source::<F::A, A>(wave, op.a);
        let b = source::<F::B, B>(wave, op.b);
        let c = source::<F::C, C>(wave, op.c);
        let zero = F::D::from_parts(0, 0);
        write::<L, F::D>(
            wave,
            op,
            each_lane!(zero, lane => F::eval(a[lane], b[lane], c[lane])),
        );
        Flow::Next
    }
}

/// Fast versions by which sources are scalar: indexed by the bits of `Mods::KINDS`.
type Fast = [Option<Handlers>; 8];

const NO_FAST: Fast = [None; 8];

/// The version for operands with these modifiers, if there is a fast one.
fn choose(fast: &Fast, mods: Mods) -> Option<&Handlers> {
    let kinds = (mods & Mods::KINDS).bits() >> Mods::SCALAR_A.bits().trailing_zeros();
    let plain = (mods - Mods::KINDS).is_empty();
    fast[kinds as usize].as_ref().filter(|_| plain)
}

/// A function on numbers as the lowering sees it.
struct Function<'a> {
    kernel: Kernels,
    /// The kernel for the clamp bit of integers.
    clamped: Option<Kernels>,
    /// Types of the sources that the encoding names, then of others.
    kinds: &'a [Kind],
    result: Kind,
    fast: &'a Fast,
}

/// How operands are arranged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// As the encoding names them.
    Plain,
    /// The destination is the third source.
    Accumulate,
    /// The literal is the second source.
    MultiplyByLiteral,
    /// The literal is the third source.
    AddLiteral,
}

fn lower(l: &mut Lowering, inst: &Inst, f: &Function<'_>, shape: Shape) -> Result<(), Gap> {
    let named = if shape == Shape::Plain {
        f.kinds
    } else {
        &f.kinds[..2]
    };
    let mut operands = Operands::read(l, inst, named, Some(f.result))?;
    let literal = Source {
        place: places::LITERAL,
        is_scalar: true,
    };
    match shape {
        Shape::Plain => {}
        Shape::Accumulate => {
            operands.sources[2] = Source {
                place: l.vgpr(operands.vdst),
                is_scalar: false,
            };
            // The half that is written is the half that is read.
            operands
                .mods
                .set(Mods::HIGH_C, operands.mods.contains(Mods::HIGH_D));
        }
        Shape::MultiplyByLiteral => {
            operands.sources[2] = operands.sources[1];
            operands.sources[1] = literal;
            operands
                .mods
                .set(Mods::HIGH_C, operands.mods.contains(Mods::HIGH_B));
            operands.mods.remove(Mods::HIGH_B);
            operands.mods |= Mods::SCALAR_B;
        }
        Shape::AddLiteral => {
            operands.sources[2] = literal;
            operands.mods |= Mods::SCALAR_C;
        }
    }
    if matches!(shape, Shape::MultiplyByLiteral | Shape::AddLiteral) {
        operands.literal = f.kinds[2].literal(inst.literal.ok_or(Gap::Illegal)?);
    }
    // Omod does nothing while IEEE mode is on or denormals are kept, which is so in every kernel.
    operands.mods.remove(Mods::OMOD_0 | Mods::OMOD_1);
    let clamps = operands.mods.contains(Mods::CLAMP) && !f.result.is_float();
    let kernel = if clamps {
        f.clamped.ok_or(Gap::Unsupported)?
    } else {
        f.kernel
    };

    let fast = choose(f.fast, operands.mods);
    let mut op = l.op(fast.unwrap_or(const { &Handlers::of::<Apply>() }));
    operands.fill(&mut op);
    op.d = l.vgpr(operands.vdst);
    op.kernel = kernel.at(l.level);
    op.kinds[..f.kinds.len()].copy_from_slice(f.kinds);
    op.sources = u8::try_from(f.kinds.len()).expect("at most three");
    op.result = f.result;
    l.push(op);
    Ok(())
}

fn unary_with<F: Unary>(l: &mut Lowering, inst: &Inst, fast: &Fast) -> Result<(), Gap> {
    let function = Function {
        kernel: Kernels::of::<UnaryKernel<F>>(),
        clamped: None,
        kinds: &[F::A::KIND],
        result: F::D::KIND,
        fast,
    };
    lower(l, inst, &function, Shape::Plain)
}

fn binary_with<F: Binary>(l: &mut Lowering, inst: &Inst, fast: &Fast) -> Result<(), Gap> {
    let function = Function {
        kernel: Kernels::of::<BinaryKernel<F, false>>(),
        clamped: if F::CLAMPS {
            Some(Kernels::of::<BinaryKernel<F, true>>())
        } else {
            None
        },
        kinds: &[F::A::KIND, F::B::KIND],
        result: F::D::KIND,
        fast,
    };
    lower(l, inst, &function, Shape::Plain)
}

fn ternary_with<F: Ternary>(
    l: &mut Lowering,
    inst: &Inst,
    fast: &Fast,
    shape: Shape,
) -> Result<(), Gap> {
    let function = Function {
        kernel: Kernels::of::<TernaryKernel<F>>(),
        clamped: None,
        kinds: &[F::A::KIND, F::B::KIND, F::C::KIND],
        result: F::D::KIND,
        fast,
    };
    lower(l, inst, &function, shape)
}

pub(super) fn unary<F: Unary>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    unary_with::<F>(l, inst, &NO_FAST)
}

pub(super) fn binary<F: Binary>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    binary_with::<F>(l, inst, &NO_FAST)
}

pub(super) fn ternary<F: Ternary>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    ternary_with::<F>(l, inst, &NO_FAST, Shape::Plain)
}

/// The third source is the destination, as in v_fmac.
pub(super) fn accumulate<F: Ternary>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    ternary_with::<F>(l, inst, &NO_FAST, Shape::Accumulate)
}

/// A multiply-add with a literal of its own as factor, `fmamk`.
pub(super) fn by_literal<F: Ternary>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    ternary_with::<F>(l, inst, &NO_FAST, Shape::MultiplyByLiteral)
}

/// A multiply-add with a literal of its own as addend, `fmaak`.
pub(super) fn add_literal<F: Ternary>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    ternary_with::<F>(l, inst, &NO_FAST, Shape::AddLiteral)
}

/// The hot forms: with fast versions for the combinations of sources that compilers make.
pub(super) mod hot {
    use super::*;

    pub(in super::super) fn unary<F: Unary>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
        let fast = const {
            let mut fast = NO_FAST;
            fast[0] = Some(Handlers::of::<UnaryFast<F, false>>());
            fast[1] = Some(Handlers::of::<UnaryFast<F, true>>());
            &{ fast }
        };
        unary_with::<F>(l, inst, fast)
    }

    pub(in super::super) fn binary<F: Binary>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
        let fast = const {
            let mut fast = NO_FAST;
            fast[0] = Some(Handlers::of::<BinaryFast<F, false, false>>());
            fast[1] = Some(Handlers::of::<BinaryFast<F, true, false>>());
            &{ fast }
        };
        binary_with::<F>(l, inst, fast)
    }

    const fn ternary_fast<F: Ternary>() -> Fast {
        let mut fast = NO_FAST;
        fast[0] = Some(Handlers::of::<TernaryFast<F, false, false, false>>());
        fast[1] = Some(Handlers::of::<TernaryFast<F, true, false, false>>());
        fast[2] = Some(Handlers::of::<TernaryFast<F, false, true, false>>());
        fast[4] = Some(Handlers::of::<TernaryFast<F, false, false, true>>());
        fast
    }

    pub(in super::super) fn ternary<F: Ternary>(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
        ternary_with::<F>(l, inst, const { &ternary_fast::<F>() }, Shape::Plain)
    }

    pub(in super::super) fn accumulate<F: Ternary>(
        l: &mut Lowering,
        inst: &Inst,
    ) -> Result<(), Gap> {
        let fast = const {
            let mut fast = NO_FAST;
            fast[0] = Some(Handlers::of::<TernaryFast<F, false, false, false>>());
            fast[1] = Some(Handlers::of::<TernaryFast<F, true, false, false>>());
            &{ fast }
        };
        ternary_with::<F>(l, inst, fast, Shape::Accumulate)
    }
}

/// Rows of functions on numbers.
///
/// `Format opcode name(a: Type, ...) -> Type { body }` makes a type `name` in `functions`, with the body
/// as its method, and an entry. Before the format may stand, in brackets, `hot`, or a function of this
/// module that lowers it otherwise than by its number of arguments. After the body may stand
/// `, clamp { body }`.
macro_rules! vector_rows {
    ($(
        $(#[$doc:meta])*
        $([$($lower:ident)+])? $format:ident $opcode:literal
        $name:ident ( $($arg:ident : $type:ty),+ ) -> $result:ty $body:block $(, clamp $clamped:block)?
    )*) => {
        /// The functions, one type each.
        #[allow(non_camel_case_types, reason = "named as the manual names them")]
        mod functions {
            use super::*;
            $(
                $(#[$doc])*
                pub(super) struct $name;
                vector_rows!(@function $name ( $($arg: $type),+ ) -> $result, $body $(, $clamped)?);
            )*
        }
        pub(in super::super) const ENTRIES: &[Entry] = &[
            $(Entry {
                format: Format::$format,
                opcode: $opcode,
                name: stringify!($name),
                lower: vector_rows!(@lower ($($($lower)+)?) $name ( $($arg),+ )),
            }),*
        ];
    };
    (@function $name:ident ( $a:ident : $ta:ty ) -> $result:ty, $body:block) => {
        impl Unary for $name {
            type A = $ta;
            type D = $result;
            #[inline(always)]
            fn eval($a: $ta) -> $result $body
        }
    };
    (@function $name:ident ( $a:ident : $ta:ty, $b:ident : $tb:ty ) -> $result:ty, $body:block
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
    (@function $name:ident ( $a:ident : $ta:ty, $b:ident : $tb:ty, $c:ident : $tc:ty ) -> $result:ty,
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
    (@lower (hot) $name:ident ( $a:ident )) => { super::hot::unary::<functions::$name> };
    (@lower (hot) $name:ident ( $a:ident, $b:ident )) => { super::hot::binary::<functions::$name> };
    (@lower (hot) $name:ident ( $a:ident, $b:ident, $c:ident )) => {
        super::hot::ternary::<functions::$name>
    };
    (@lower (hot $lower:ident) $name:ident $args:tt) => { super::hot::$lower::<functions::$name> };
    (@lower ($lower:ident) $name:ident $args:tt) => { super::$lower::<functions::$name> };
    (@lower () $name:ident ( $a:ident )) => { super::unary::<functions::$name> };
    (@lower () $name:ident ( $a:ident, $b:ident )) => { super::binary::<functions::$name> };
    (@lower () $name:ident ( $a:ident, $b:ident, $c:ident )) => { super::ternary::<functions::$name> };
}
pub(super) use vector_rows;
