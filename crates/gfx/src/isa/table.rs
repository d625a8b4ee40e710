//! The instruction set as data: one row per format and opcode, with its operands.
//!
//! [`rows`] is generated (`cargo xtask gen`). What is needed of every instruction (names, operand
//! widths) comes from here; what an instruction does is `exec`'s part.

pub(crate) mod rows;

use super::decode::{Format, Inst};
use super::field::{self, Field};

/// What an operand is to its instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is read.
    In,
    /// It is written.
    Out,
    /// It is read and written, or a part of it is kept.
    InOut,
}

impl Role {
    /// Whether the instruction writes it.
    pub const fn is_written(self) -> bool {
        !matches!(self, Self::In)
    }
}

/// What the bits of an operand's field mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A VGPR.
    Vgpr,
    /// 9 bits: SGPR, constant, literal or VGPR.
    Src,
    /// 8 bits: SGPR, constant or literal.
    Ssrc,
    /// An SGPR, VCC, M0, EXEC or null.
    Sgpr,
    /// An even SGPR, counted in pairs.
    Sbase,
    /// An SGPR divisible by four, counted in fours.
    Srsrc,
    /// An SGPR that is added to an address; null is 0.
    Soffset,
    /// The SGPR pair of an address; null means that there is none.
    Saddr,
    /// VCC, which no field names.
    Vcc,
    /// EXEC, which no field names.
    Exec,
    /// The dword that follows the instruction.
    Literal,
    /// A 16-bit number.
    Simm16,
    /// An 8-bit number.
    Simm8,
    /// Part of a hardware register: number, first bit, length.
    Hwreg,
    /// Distance of a jump in dwords, from the next instruction.
    Label,
    /// A message.
    Sendmsg,
    /// A message that is answered.
    SendmsgRtn,
    /// Counters to wait for.
    Waitcnt,
    /// Internal counters to wait for.
    Depctr,
    /// Hints on when results are ready.
    Delay,
    /// A pixel shader's attribute.
    Attribute,
    /// Where an export goes.
    Target,
}

/// Number format and width of an operand. A name that ends in `xN` has N elements of the kind before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A bit for each lane: 32 bits in wave32, 64 in wave64.
    Mask,
    B8,
    B16,
    U16,
    I16,
    F16,
    Bf16,
    B32,
    U32,
    I32,
    F32,
    /// The low 24 bits, unsigned.
    U24,
    /// The low 24 bits, signed.
    I24,
    B64,
    U64,
    I64,
    F64,
    B96,
    B128,
    B160,
    B192,
    B224,
    B256,
    B288,
    B320,
    B352,
    B384,
    B512,
    B16x2,
    U16x2,
    I16x2,
    F16x2,
    Bf16x2,
    U8x2,
    U8x4,
    B8x4,
    /// Signed or unsigned, as the instruction's NEG bits say.
    Iu8x4,
    U4x8,
    /// Signed or unsigned, as the instruction's NEG bits say.
    Iu4x8,
    F16x16,
    Bf16x16,
    Iu8x16,
    Iu4x16,
    F32x8,
    I32x8,
    /// One in a half of each of eight registers.
    F16x8,
    /// One in a half of each of eight registers.
    Bf16x8,
}

impl Type {
    /// Whole registers that hold it, in a wave of 32 or 64 lanes.
    pub const fn registers(self, wave64: bool) -> u32 {
        match self {
            Self::Mask => 1 + wave64 as u32,
            Self::B64 | Self::U64 | Self::I64 | Self::F64 | Self::Iu4x16 => 2,
            Self::B96 => 3,
            Self::B128 | Self::Iu8x16 => 4,
            Self::B160 => 5,
            Self::B192 => 6,
            Self::B224 => 7,
            Self::B256
            | Self::F16x16
            | Self::Bf16x16
            | Self::F32x8
            | Self::I32x8
            | Self::F16x8
            | Self::Bf16x8 => 8,
            Self::B288 => 9,
            Self::B320 => 10,
            Self::B352 => 11,
            Self::B384 => 12,
            Self::B512 => 16,
            _ => 1,
        }
    }

    /// Whether it is 16 bits wide, so that it may be a half of a VGPR.
    pub const fn is_16_bit(self) -> bool {
        matches!(
            self,
            Self::B16 | Self::U16 | Self::I16 | Self::F16 | Self::Bf16 | Self::U8x2
        )
    }
}

/// One operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Read, written or both.
    pub role: Role,
    /// Name of its bits in [`super::field`], or `vcc`, `exec` or `literal`.
    pub field: &'static str,
    /// What those bits mean.
    pub kind: Kind,
    /// What is in the registers.
    pub ty: Type,
}

/// A set of opcodes that share a layout. As [`Format`], but VOP3SD and the halves of VOPD stand for
/// themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are AMD's and say all there is")]
pub enum Group {
    Sop2,
    Sopk,
    Sop1,
    Sopc,
    Sopp,
    Smem,
    Vop2,
    Vopc,
    Vop1,
    Vop3,
    Vop3sd,
    Vop3p,
    Vinterp,
    Ldsdir,
    VopdX,
    VopdY,
    Ds,
    Flat,
    Global,
    Scratch,
    Mubuf,
    Mtbuf,
    Mimg,
    Exp,
}

/// Groups and the formats that they are; VOP3SD and VOPD's Y half have no format of their own.
macro_rules! groups_of_formats {
    ($($group:ident)*) => {
        impl Group {
            /// The group that a format's opcodes are in; for VOPD the X half's, and VOP3 for VOP3SD.
            pub const fn of(format: Format) -> Self {
                match format {
                    $(Format::$group => Self::$group,)*
                    Format::Vopd => Self::VopdX,
                }
            }

            /// The format that its instructions are decoded as.
            pub const fn format(self) -> Format {
                match self {
                    $(Self::$group => Format::$group,)*
                    Self::Vop3sd => Format::Vop3,
                    Self::VopdX | Self::VopdY => Format::Vopd,
                }
            }
        }
    };
}

groups_of_formats! {
    Sop2 Sopk Sop1 Sopc Sopp Smem Vop2 Vopc Vop1 Vop3 Vop3p Vinterp Ldsdir Ds Flat Global Scratch Mubuf
    Mtbuf Mimg Exp
}

impl Group {
    /// The layout of its instructions.
    pub const fn fields(self) -> &'static [Field] {
        match self {
            Self::Sop2 => field::Sop2::FIELDS,
            Self::Sopk => field::Sopk::FIELDS,
            Self::Sop1 => field::Sop1::FIELDS,
            Self::Sopc => field::Sopc::FIELDS,
            Self::Sopp => field::Sopp::FIELDS,
            Self::Smem => field::Smem::FIELDS,
            Self::Vop2 => field::Vop2::FIELDS,
            Self::Vopc => field::Vopc::FIELDS,
            Self::Vop1 => field::Vop1::FIELDS,
            Self::Vop3 => field::Vop3::FIELDS,
            Self::Vop3sd => field::Vop3sd::FIELDS,
            Self::Vop3p => field::Vop3p::FIELDS,
            Self::Vinterp => field::Vinterp::FIELDS,
            Self::Ldsdir => field::Ldsdir::FIELDS,
            Self::VopdX | Self::VopdY => field::Vopd::FIELDS,
            Self::Ds => field::Ds::FIELDS,
            Self::Flat | Self::Global | Self::Scratch => field::Flat::FIELDS,
            Self::Mubuf => field::Mubuf::FIELDS,
            Self::Mtbuf => field::Mtbuf::FIELDS,
            Self::Mimg => field::Mimg::FIELDS,
            Self::Exp => field::Exp::FIELDS,
        }
    }

    /// The part of the index that the group's opcodes are in. VOP3SD opcodes are VOP3 opcodes.
    const fn index(self) -> usize {
        match self {
            Self::Vop3sd => Self::Vop3 as usize,
            _ => self as usize,
        }
    }
}

/// What is said of an encoding besides its operands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    #[allow(
        non_upper_case_globals,
        reason = "the rows name flags like the other words they hold"
    )]
    const True16: u8 = 1;
    #[allow(
        non_upper_case_globals,
        reason = "the rows name flags like the other words they hold"
    )]
    const Dpp: u8 = 2;
    #[allow(
        non_upper_case_globals,
        reason = "the rows name flags like the other words they hold"
    )]
    const Literal: u8 = 4;
    #[allow(
        non_upper_case_globals,
        reason = "the rows name flags like the other words they hold"
    )]
    const Gds: u8 = 8;

    /// 16-bit operands in VGPRs are a half of a register, which the encoding chooses.
    pub const fn true16(self) -> bool {
        self.0 & Self::True16 != 0
    }

    /// A DPP dword may follow.
    pub const fn dpp(self) -> bool {
        self.0 & Self::Dpp != 0
    }

    /// A literal dword always follows.
    pub const fn literal(self) -> bool {
        self.0 & Self::Literal != 0
    }

    /// It is for the global data share only.
    pub const fn gds(self) -> bool {
        self.0 & Self::Gds != 0
    }
}

/// One instruction of the chip.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// Its layout.
    pub group: Group,
    /// Its number in the group.
    pub opcode: u16,
    /// AMD's name, without the suffix that tells encodings apart.
    pub mnemonic: &'static str,
    /// Operands in assembly order.
    pub operands: &'static [Operand],
    /// The rest.
    pub flags: Flags,
}

macro_rules! instructions {
    ($($group:ident $opcode:literal $mnemonic:ident
        [$($role:ident $field:ident $kind:ident $ty:ident),*] [$($flag:ident),*];)*) => {
        /// Every instruction, by group and ascending opcode.
        pub static INSTRUCTIONS: &[Instruction] = &[$(
            Instruction {
                group: Group::$group,
                opcode: $opcode,
                mnemonic: stringify!($mnemonic),
                operands: &[$(Operand {
                    role: Role::$role,
                    field: stringify!($field),
                    kind: Kind::$kind,
                    ty: Type::$ty,
                }),*],
                flags: Flags(0 $(| Flags::$flag)*),
            },
        )*];
        /// Group and opcode of each, for the index.
        const KEYS: &[(Group, u16)] = &[$((Group::$group, $opcode)),*];
    };
}

rows::for_each_instruction!(instructions);

const GROUPS: usize = Group::Exp as usize + 1;
/// VOP3 has ten opcode bits, the others fewer.
const OPCODES: usize = 1024;
/// No instruction.
const NONE: u16 = u16::MAX;

/// Place in `INSTRUCTIONS` by group and opcode.
static INDEX: [[u16; OPCODES]; GROUPS] = {
    let mut index = [[NONE; OPCODES]; GROUPS];
    let mut ordinal: u16 = 0;
    assert!(KEYS.len() < NONE as usize);
    while (ordinal as usize) < KEYS.len() {
        let (group, opcode) = KEYS[ordinal as usize];
        let entry = &mut index[group.index()][opcode as usize];
        assert!(*entry == NONE, "two rows for one opcode");
        *entry = ordinal;
        ordinal += 1;
    }
    index
};

fn find(group: Group, opcode: u16) -> Option<&'static Instruction> {
    let ordinal = *INDEX[group.index()].get(usize::from(opcode))?;
    INSTRUCTIONS.get(usize::from(ordinal))
}

/// The instruction with this opcode; for VOPD the X half's.
pub fn lookup(format: Format, opcode: u16) -> Option<&'static Instruction> {
    find(Group::of(format), opcode)
}

/// The instruction of VOPD's Y half with this opcode.
pub fn lookup_vopd_y(opcode: u16) -> Option<&'static Instruction> {
    find(Group::VopdY, opcode)
}

impl Instruction {
    /// The instruction that was decoded; for VOPD the X half's.
    pub fn of(inst: &Inst) -> Option<&'static Self> {
        lookup(inst.format, inst.opcode)
    }

    /// The bits of a field of this name, 0 if the layout has none.
    pub fn bits(&self, inst: &Inst, name: &str) -> u32 {
        let field = self.group.fields().iter().find(|field| field.name == name);
        field.map_or(0, |field| field.get(&inst.words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::decode::is_vop3sd;

    #[test]
    fn rows_are_found_by_their_opcode() {
        for instruction in INSTRUCTIONS {
            let found = find(instruction.group, instruction.opcode).unwrap();
            assert!(std::ptr::eq(found, instruction), "{instruction:?}");
        }
        assert_eq!(lookup(Format::Vop2, 3).unwrap().mnemonic, "v_add_f32");
        assert_eq!(lookup(Format::Vopd, 8).unwrap().mnemonic, "v_dual_mov_b32");
        assert_eq!(lookup_vopd_y(16).unwrap().mnemonic, "v_dual_add_nc_u32");
        assert!(lookup(Format::Sop2, 7).is_none());
        assert!(lookup(Format::Sop2, 1024).is_none());
    }

    #[test]
    fn operands_name_fields_of_their_layout() {
        for instruction in INSTRUCTIONS {
            for operand in instruction.operands {
                let named = instruction
                    .group
                    .fields()
                    .iter()
                    .any(|field| field.name == operand.field);
                let implied = matches!(operand.kind, Kind::Vcc | Kind::Exec | Kind::Literal);
                assert!(
                    named != implied,
                    "{} {}",
                    instruction.mnemonic,
                    operand.field
                );
            }
        }
    }

    #[test]
    fn vop3sd_rows_are_those_that_the_decoder_takes_for_it() {
        for instruction in INSTRUCTIONS {
            if matches!(instruction.group, Group::Vop3 | Group::Vop3sd) {
                let is_sd = instruction.group == Group::Vop3sd;
                assert_eq!(
                    is_vop3sd(instruction.opcode),
                    is_sd,
                    "{}",
                    instruction.mnemonic
                );
            }
        }
    }

    // The counts of the note that the data came with.
    #[test]
    fn no_row_is_lost() {
        let of = |group| INSTRUCTIONS.iter().filter(|row| row.group == group).count();
        assert_eq!(INSTRUCTIONS.len(), 1556);
        assert_eq!(of(Group::Vop3) + of(Group::Vop3sd), 439);
        assert_eq!(
            (of(Group::Vopc), of(Group::Ds), of(Group::Sop1)),
            (190, 126, 80)
        );
        assert_eq!((of(Group::VopdX), of(Group::VopdY)), (14, 17));
    }
}
