//! From an instruction to operations: operands resolved, versions of handlers chosen.

use crate::isa::decode::{SRC_LITERAL, is_vop3sd};
use crate::isa::field::Dpp16;
use crate::isa::{Format, Inst};

use super::lane::Kind;
use super::op::{Mods, Op};
use super::simd::{Handler, Handlers, KernelPointer, Supported};
use super::vector::dpp::is_valid;
use super::wave::scalar;

/// Why an instruction has no operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gap {
    /// The chip would not take it either.
    Illegal,
    /// The chip has it; we do not, yet.
    Unsupported,
}

/// A place to lower one instruction after the other.
#[derive(Debug)]
pub(super) struct Lowering {
    pub level: Supported,
    pub wave64: bool,
    pub ops: Vec<Op>,
    /// Operations whose `imm` is to become the place of the instruction at this address.
    pub jumps: Vec<(usize, u64)>,
    /// Address of the instruction being lowered.
    pub pc: u64,
    /// Address of the one behind it.
    pub next_pc: u64,
    /// Which half of a wave64 is being lowered.
    pub half: u16,
    /// Instructions that left no operation, to be counted with the next one.
    pub uncounted: u16,
}

/// A source of a vector instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Source {
    /// Row or place in the scalar file.
    pub place: u16,
    pub is_scalar: bool,
}

/// The DPP dword of an instruction and what it does to the operation.
fn dpp(inst: &Inst) -> Result<Option<(u32, Mods)>, Gap> {
    let Some(dword) = inst.dpp else {
        return Ok(None);
    };
    let src0 = match inst.format {
        Format::Vop3 | Format::Vop3p => inst.words[1] & 0x1ff,
        _ => inst.words[0] & 0x1ff,
    };
    let mods = match src0 {
        crate::isa::decode::SRC_DPP16 => {
            let fields = Dpp16(dword);
            if !is_valid(fields.ctrl()) {
                return Err(Gap::Illegal);
            }
            let mut mods = Mods::DPP16;
            mods |= Mods::from_bits_retain(fields.neg() * Mods::NEG_A.bits());
            mods |= Mods::from_bits_retain(fields.abs() * Mods::ABS_A.bits());
            mods
        }
        crate::isa::decode::SRC_DPP8 => Mods::DPP8,
        _ => Mods::DPP8 | Mods::DPP8_FETCH_INACTIVE,
    };
    Ok(Some((dword, mods)))
}

impl Lowering {
    pub(super) fn new(level: Supported, wave64: bool) -> Self {
        Self {
            level,
            wave64,
            ops: Vec::new(),
            jumps: Vec::new(),
            pc: 0,
            next_pc: 0,
            half: 0,
            uncounted: 0,
        }
    }

    /// An operation of `handlers` without operands.
    pub(super) fn op(&self, handlers: &Handlers) -> Op {
        self.op_of(handlers.at(self.level))
    }

    fn op_of(&self, handler: Handler) -> Op {
        Op {
            handler,
            literal: 0,
            d: scalar::SINK,
            a: scalar::ZERO,
            b: scalar::ZERO,
            c: scalar::ZERO,
            e: scalar::SINK,
            exec: scalar::EXEC_LO + self.half,
            count: 0,
            mods: Mods::empty(),
            imm: 0,
            kernel: KernelPointer::NONE,
            kinds: [Kind::B32; 3],
            result: Kind::B32,
            sources: 0,
        }
    }

    /// Appends the operation.
    pub(super) fn push(&mut self, op: Op) {
        self.ops.push(op);
    }

    /// Appends a jump to the instruction at `target`.
    pub(super) fn push_jump(&mut self, op: Op, target: u64) {
        self.jumps.push((self.ops.len(), target));
        self.push(op);
    }

    /// The row of VGPR `number`.
    pub(super) fn vgpr(&self, number: u32) -> u16 {
        register(number) + 256 * self.half
    }

    /// The place of a mask of the wave, whose second half a wave64 keeps in the next register.
    pub(super) fn mask(&self, place: u16) -> u16 {
        if place == scalar::SINK {
            place
        } else {
            place + self.half
        }
    }

    /// A scalar source operand of 8 bits, or of a 9-bit field below 256.
    pub(super) fn scalar_source(&self, field: u32, kind: Kind) -> Result<u16, Gap> {
        let operand = u16::try_from(field).map_err(|_| Gap::Illegal)?;
        let float = operand.wrapping_sub(scalar::FIRST_FLOAT);
        let integer = operand.wrapping_sub(scalar::FIRST_CONSTANT);
        Ok(match operand {
            0..scalar::FIRST_CONSTANT => operand,
            scalar::FIRST_CONSTANT..=scalar::LAST_INTEGER if kind.is_wide() => {
                scalar::I64 + 2 * integer
            }
            scalar::FIRST_CONSTANT..=scalar::LAST_INTEGER => operand,
            // Aperture bases and limits. Their value is in the high half, so a narrow operand sees the
            // low half of a base, 0.
            235..=238 if kind.is_wide() => scalar::APERTURES + 2 * (operand - 235),
            235 | 237 => scalar::ZERO,
            scalar::FIRST_FLOAT..=scalar::LAST_FLOAT => match kind {
                Kind::B32 | Kind::F32 => operand,
                Kind::F16 | Kind::B16 => scalar::F16 + float,
                Kind::Bf16 => scalar::BF16 + float,
                Kind::B64 | Kind::I64 | Kind::F64 => scalar::F64 + 2 * float,
            },
            scalar::SCC => operand,
            255 => scalar::LITERAL,
            _ => return Err(Gap::Illegal),
        })
    }

    /// A scalar destination of one or two registers.
    pub(super) fn scalar_dest(&self, field: u32, wide: bool) -> Result<u16, Gap> {
        let operand = u16::try_from(field).map_err(|_| Gap::Illegal)?;
        match operand {
            scalar::NULL => Ok(scalar::SINK),
            // A pair from M0 or from the register below null would write what is no register.
            123 | scalar::M0 | scalar::EXEC_HI if wide => Err(Gap::Illegal),
            0..scalar::FIRST_CONSTANT => Ok(operand),
            _ => Err(Gap::Illegal),
        }
    }

    /// A scalar destination of `count` registers, as scalar loads have.
    pub(super) fn scalar_range(&self, field: u32, count: u16) -> Result<u16, Gap> {
        let first = self.scalar_dest(field, false)?;
        if count <= 2 {
            return self.scalar_dest(field, count == 2);
        }
        // User registers with VCC, or the trap handler's.
        let fits = first + count <= scalar::VCC_HI + 1 || (first >= 108 && first + count <= 124);
        if fits { Ok(first) } else { Err(Gap::Illegal) }
    }

    /// A 9-bit source operand.
    pub(super) fn source(&self, field: u32, kind: Kind) -> Result<Source, Gap> {
        if field >= 256 {
            Ok(Source {
                place: self.vgpr(field - 256),
                is_scalar: false,
            })
        } else {
            Ok(Source {
                place: self.scalar_source(field, kind)?,
                is_scalar: true,
            })
        }
    }

    /// A source of VOP1, VOP2 or VOPC, where a half operand names its half in bit 7.
    fn source_with_half(&self, field: u32, kind: Kind) -> Result<(Source, bool), Gap> {
        let high = kind.is_half() && field >= 256 && field & 0x80 != 0;
        let field = if high { field & !0x80 } else { field };
        Ok((self.source(field, kind)?, high))
    }
}

/// A register number: fields have at most eight bits.
fn register(number: u32) -> u16 {
    u16::try_from(number & 0xff).expect("eight bits")
}

/// The operands of a vector instruction in any of its encodings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operands {
    /// Sources, as many as the caller's kinds.
    pub sources: [Source; 3],
    /// Destination field: a VGPR number, or for VOPC a scalar.
    pub vdst: u32,
    /// Scalar destination of VOP3SD; VCC for the encodings that imply it.
    pub sdst: u32,
    pub mods: Mods,
    pub imm: u32,
    pub literal: u64,
}

const NO_SOURCE: Source = Source {
    place: scalar::ZERO,
    is_scalar: true,
};

impl Operands {
    /// Reads VOP1, VOP2, VOPC or VOP3. `kinds` are those of the sources that the encoding names, in
    /// order; `dest` is the result's, `None` for a scalar one.
    pub(super) fn read(
        l: &Lowering,
        inst: &Inst,
        kinds: &[Kind],
        dest: Option<Kind>,
    ) -> Result<Self, Gap> {
        let [d, e, ..] = inst.words;
        let mut mods = Mods::empty();
        let fields: [u32; 3];
        let mut vdst;
        let mut sdst = u32::from(scalar::VCC_LO);
        let is_vop3 = inst.format == Format::Vop3;
        if is_vop3 {
            fields = [e & 0x1ff, e >> 9 & 0x1ff, e >> 18 & 0x1ff];
            vdst = d & 0xff;
            let neg = e >> 29;
            mods |= Mods::from_bits_retain(neg);
            mods.set(Mods::OMOD_0, e >> 27 & 1 != 0);
            mods.set(Mods::OMOD_1, e >> 28 & 1 != 0);
            mods.set(Mods::CLAMP, d >> 15 & 1 != 0);
            if is_vop3sd(inst.opcode) {
                sdst = d >> 8 & 0x7f;
            } else {
                mods |= Mods::from_bits_retain((d >> 8 & 7) << 3);
                mods |= Mods::from_bits_retain((d >> 11 & 0xf) << 9);
            }
        } else {
            fields = [d & 0x1ff, (d >> 9 & 0xff) + 256, 0];
            vdst = d >> 17 & 0xff;
            if dest.is_some_and(Kind::is_half) && vdst & 0x80 != 0 {
                vdst &= 0x7f;
                mods |= Mods::HIGH_D;
            }
        }

        let mut imm = 0;
        let mut fields = fields;
        if let Some((dword, dpp_mods)) = dpp(inst)? {
            mods |= dpp_mods;
            imm = dword;
            fields[0] = (dword & 0xff) + 256;
        }

        let mut sources = [NO_SOURCE; 3];
        let mut literal = 0;
        for (n, &kind) in kinds.iter().enumerate() {
            let high;
            if is_vop3 {
                sources[n] = l.source(fields[n], kind)?;
                high = false;
            } else {
                (sources[n], high) = l.source_with_half(fields[n], kind)?;
            }
            let bit = u32::try_from(n).expect("at most three sources");
            if high {
                mods |= Mods::from_bits_retain(Mods::HIGH_A.bits() << bit);
            }
            if sources[n].is_scalar {
                mods |= Mods::from_bits_retain(Mods::SCALAR_A.bits() << bit);
            }
            if fields[n] == SRC_LITERAL {
                literal = kind.literal(inst.literal.ok_or(Gap::Illegal)?);
            }
        }
        Ok(Self {
            sources,
            vdst,
            sdst,
            mods,
            imm,
            literal,
        })
    }

    /// Puts sources, modifiers and literal into an operation.
    pub(super) fn fill(&self, op: &mut Op) {
        [op.a, op.b, op.c] = self.sources.map(|source| source.place);
        op.mods = self.mods;
        op.imm = self.imm;
        op.literal = self.literal;
    }
}
