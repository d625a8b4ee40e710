//! The lowered form of an instruction.

use super::lane::Kind;
use super::simd::{Handler, KernelPointer};

/// What the dispatcher does after an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Flow {
    /// The next operation in the list.
    Next,
    /// The operation at `Op::imm`.
    Jump,
    /// See `Wave::leave`.
    Leave,
}

/// One operation: what to do and every operand, resolved.
///
/// VGPR operands are row numbers, scalar operands places in the scalar file (`wave::scalar`). What the
/// fields mean beyond that is the handler's affair; the usual roles are named.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Op {
    pub handler: Handler,
    /// The function on numbers that a vector operation is about.
    pub kernel: KernelPointer,
    /// Put into the scalar file's literal place before the operation runs.
    pub literal: u64,
    /// Destination.
    pub d: u16,
    /// Sources in the order of the manual.
    pub a: u16,
    pub b: u16,
    pub c: u16,
    /// Second, scalar destination: a mask.
    pub e: u16,
    /// Place in the scalar file of the EXEC word that applies.
    pub exec: u16,
    /// Architectural instructions that this operation stands for: itself, and those dropped before it.
    pub count: u16,
    /// Bits of `mods`.
    pub mods: Mods,
    /// Offset, jump target, DPP control.
    pub imm: u32,
    /// Types of the sources, for operations with a kernel.
    pub kinds: [Kind; 3],
    /// Type of the result.
    pub result: Kind,
    /// How many sources there are.
    pub sources: u8,
}

bitflags::bitflags! {
    /// Modifiers of an operation.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(super) struct Mods: u32 {
        /// Source n is negated: `NEG_A << n`.
        const NEG_A = 1 << 0;
        const NEG_B = 1 << 1;
        const NEG_C = 1 << 2;
        /// Source n is made absolute, before negation: `ABS_A << n`.
        const ABS_A = 1 << 3;
        const ABS_B = 1 << 4;
        const ABS_C = 1 << 5;
        /// Source n is a scalar: `SCALAR_A << n`.
        const SCALAR_A = 1 << 6;
        const SCALAR_B = 1 << 7;
        const SCALAR_C = 1 << 8;
        /// Source n is the high half of its register: `HIGH_A << n`.
        const HIGH_A = 1 << 9;
        const HIGH_B = 1 << 10;
        const HIGH_C = 1 << 11;
        /// The result goes to the high half.
        const HIGH_D = 1 << 12;
        const CLAMP = 1 << 13;
        /// Output modifier: times 2, times 4, divided by 2.
        const OMOD_0 = 1 << 14;
        const OMOD_1 = 1 << 15;
        /// Source a is permuted as `imm`, a DPP16 dword, says.
        const DPP16 = 1 << 16;
        /// Source a is permuted as `imm`, a DPP8 dword, says.
        const DPP8 = 1 << 17;
        /// DPP8 reads inactive lanes too.
        const DPP8_FETCH_INACTIVE = 1 << 18;
        /// VOP3P: the high half's operand n is the high half of the source: `PACK_HIGH_A << n`.
        const PACK_HIGH_A = 1 << 19;
        const PACK_HIGH_B = 1 << 20;
        const PACK_HIGH_C = 1 << 21;
        /// VOP3P: the high half's operand n is negated: `PACK_NEG_A << n`.
        const PACK_NEG_A = 1 << 22;
        const PACK_NEG_B = 1 << 23;
        const PACK_NEG_C = 1 << 24;
        /// The atomic returns the old value, a load is coherent.
        const GLC = 1 << 25;
    }
}

impl Mods {
    /// Those that name operand kinds and have a fast path.
    pub(super) const KINDS: Mods = Mods::SCALAR_A.union(Mods::SCALAR_B).union(Mods::SCALAR_C);

    #[inline(always)]
    pub(super) fn neg(self, source: u32) -> bool {
        self.bits() & Mods::NEG_A.bits() << source != 0
    }

    #[inline(always)]
    pub(super) fn abs(self, source: u32) -> bool {
        self.bits() & Mods::ABS_A.bits() << source != 0
    }

    #[inline(always)]
    pub(super) fn scalar(self, source: u32) -> bool {
        self.bits() & Mods::SCALAR_A.bits() << source != 0
    }

    #[inline(always)]
    pub(super) fn high(self, source: u32) -> bool {
        self.bits() & Mods::HIGH_A.bits() << source != 0
    }

    #[inline(always)]
    pub(super) fn pack_high(self, source: u32) -> bool {
        self.bits() & Mods::PACK_HIGH_A.bits() << source != 0
    }

    #[inline(always)]
    pub(super) fn pack_neg(self, source: u32) -> bool {
        self.bits() & Mods::PACK_NEG_A.bits() << source != 0
    }
}
