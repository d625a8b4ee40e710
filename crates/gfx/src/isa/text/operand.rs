//! Registers, constants and source modifiers.

use std::fmt::{self, Formatter};

use super::super::decode::SRC_LITERAL;
use super::super::table::{Group, Operand, Type};
use super::View;

/// First operand number that is a VGPR.
const FIRST_VGPR: u32 = 256;

/// `v5`, `v[5:6]`.
pub(super) fn vector(register: u32, registers: u32, f: &mut Formatter<'_>) -> fmt::Result {
    range('v', register, registers, f)
}

fn range(letter: char, first: u32, count: u32, f: &mut Formatter<'_>) -> fmt::Result {
    match count {
        1 => write!(f, "{letter}{first}"),
        _ => write!(f, "{letter}[{first}:{}]", first + count - 1),
    }
}

/// An SGPR or a register that has a number among them.
pub(super) fn scalar(number: u32, registers: u32, f: &mut Formatter<'_>) -> fmt::Result {
    const LAST_SGPR: u32 = 105;
    let pair = registers > 1;
    match number {
        0..=LAST_SGPR => range('s', number, registers, f),
        106 => f.write_str(if pair { "vcc" } else { "vcc_lo" }),
        107 => f.write_str("vcc_hi"),
        108..=123 if pair => write!(f, "ttmp[{}:{}]", number - 108, number + registers - 109),
        108..=123 => write!(f, "ttmp{}", number - 108),
        124 => f.write_str("null"),
        125 => f.write_str("m0"),
        126 => f.write_str(if pair { "exec" } else { "exec_lo" }),
        127 => f.write_str("exec_hi"),
        _ => write!(f, "invalid_register_{number}"),
    }
}

/// Names of the operand numbers that are read-only registers.
fn special(number: u32) -> Option<&'static str> {
    Some(match number {
        235 => "src_shared_base",
        236 => "src_shared_limit",
        237 => "src_private_base",
        238 => "src_private_limit",
        239 => "src_pops_exiting_wave_id",
        251 => "src_vccz",
        252 => "src_execz",
        253 => "src_scc",
        254 => "src_lds_direct",
        _ => return None,
    })
}

/// The integer that an operand number stands for.
fn inline_integer(number: u32) -> Option<i64> {
    match number {
        128..=192 => Some(i64::from(number) - 128),
        193..=208 => Some(192 - i64::from(number)),
        _ => None,
    }
}

/// The numbers that operand numbers 240 to 248 stand for.
const INLINE_FLOATS: [&str; 9] = [
    "0.5",
    "-0.5",
    "1.0",
    "-1.0",
    "2.0",
    "-2.0",
    "4.0",
    "-4.0",
    "0.15915494",
];
/// The same as bits of f16 and f32, from IEEE 754.
const INLINE_F16: [u32; 9] = [
    0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118,
];
const INLINE_F32: [u32; 9] = [
    0x3f00_0000,
    0xbf00_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x4000_0000,
    0xc000_0000,
    0x4080_0000,
    0xc080_0000,
    0x3e22_f983,
];

/// What an operand's constants are taken for. This is the spelling's business only: the table says what
/// the instruction makes of them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Constant {
    /// 32 bits of anything.
    Word,
    /// 16 bits, integers only.
    Short,
    /// 16 bits, integers or floats.
    Half,
    /// Two 16-bit integers.
    ShortPair,
    /// Two 16-bit floats.
    HalfPair,
    /// Two 16-bit floats of the other kind.
    BfPair,
    /// 64 bits of anything.
    Long,
    /// A double, of which a literal is the high half.
    Double,
}

impl Constant {
    fn of(group: Group, mnemonic: &str, ty: Type) -> Self {
        match (group, ty) {
            (Group::Sop1, Type::F16) => Self::Word,
            (Group::Sopc, Type::F16) => Self::Short,
            (_, Type::F16 | Type::Bf16) => Self::Half,
            _ if mnemonic.starts_with("v_fma_mix") => Self::Half,
            (Group::Sop1 | Group::Sop2 | Group::Sopc, Type::B16 | Type::U16 | Type::I16) => {
                Self::Word
            }
            (_, Type::B16 | Type::U16 | Type::I16) => Self::Short,
            (_, Type::U16x2 | Type::I16x2) => Self::ShortPair,
            (_, Type::Bf16x2) => Self::BfPair,
            (_, Type::F16x2) => Self::HalfPair,
            // The addend of a matrix of halves counts as something longer.
            (_, Type::B64 | Type::U64 | Type::I64 | Type::F16x8 | Type::Bf16x8) => Self::Long,
            (_, Type::F64) => Self::Double,
            _ => Self::Word,
        }
    }

    /// The literal as it is shown, and whether it could have been an inline constant.
    fn literal(self, literal: u32) -> (u32, bool) {
        let is_small = |value: i64| (-16..=64).contains(&value);
        let signed = i64::from(literal.cast_signed());
        let [low, high, ..] = literal.to_le_bytes();
        let short = i16::from_le_bytes([low, high]);
        let short_bits = literal & 0xffff;
        match self {
            Self::Short | Self::Half => {
                let inlinable = is_small(i64::from(short))
                    || self == Self::Half && INLINE_F16.contains(&short_bits);
                // A number that needs its literal is cut to what is used.
                (if inlinable { literal } else { short_bits }, inlinable)
            }
            Self::HalfPair => (literal, is_small(signed) || INLINE_F16.contains(&literal)),
            Self::Word | Self::ShortPair => {
                (literal, is_small(signed) || INLINE_F32.contains(&literal))
            }
            Self::BfPair => {
                let is_float = INLINE_F32.iter().any(|float| float >> 16 == literal);
                (literal, is_small(signed) || is_float)
            }
            Self::Long => (literal, is_small(i64::from(literal))),
            Self::Double => (literal, literal == 0),
        }
    }

    fn inline_float(self, index: usize, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short => write!(f, "{:#x}", INLINE_F16[index]),
            Self::Long | Self::Double if index == 8 => f.write_str("0.15915494309189532"),
            _ => f.write_str(INLINE_FLOATS[index]),
        }
    }
}

impl View<'_> {
    /// A VGPR operand of 8 bits.
    pub(super) fn vector_register(
        &self,
        operand: &Operand,
        bits: u32,
        f: &mut Formatter<'_>,
    ) -> fmt::Result {
        let register = match operand.field {
            // > Bit 0 is the inverse of the X half's.
            "vdsty" => bits << 1 | (self.bits("vdstx") & 1 ^ 1),
            _ => bits,
        };
        self.with_modifiers(operand, false, f, |f| self.register(operand, register, f))
    }

    /// A whole register, or the half of one that the encoding chooses.
    fn register(&self, operand: &Operand, register: u32, f: &mut Formatter<'_>) -> fmt::Result {
        let has_halves = self.row.flags.true16() && operand.ty.is_16_bit();
        if !has_halves {
            return vector(register, operand.ty.registers(self.wave64), f);
        }
        let (register, is_high) = match self.row.group {
            Group::Vop3 | Group::Vop3sd | Group::Vinterp => {
                let bit = match operand.field {
                    "src0" => 0,
                    "src1" => 1,
                    "src2" => 2,
                    _ => 3,
                };
                (register, self.bits("opsel") >> bit & 1 != 0)
            }
            _ => (register & 0x7f, register & 0x80 != 0),
        };
        write!(f, "v{register}.{}", if is_high { 'h' } else { 'l' })
    }

    /// A source of 9 bits.
    pub(super) fn vector_source(
        &self,
        operand: &Operand,
        bits: u32,
        f: &mut Formatter<'_>,
    ) -> fmt::Result {
        if operand.field == "src0"
            && let Some(dpp) = self.dpp()
        {
            return self.with_modifiers(operand, false, f, |f| {
                self.register(operand, dpp.register(), f)
            });
        }
        match bits.checked_sub(FIRST_VGPR) {
            Some(register) => {
                self.with_modifiers(operand, false, f, |f| self.register(operand, register, f))
            }
            None => self.scalar_source(operand, bits, f),
        }
    }

    /// A source that is no VGPR.
    pub(super) fn scalar_source(
        &self,
        operand: &Operand,
        bits: u32,
        f: &mut Formatter<'_>,
    ) -> fmt::Result {
        let constant = Constant::of(self.row.group, self.row.mnemonic, operand.ty);
        if let Some(integer) = inline_integer(bits) {
            return self.with_modifiers(operand, true, f, |f| write!(f, "{integer}"));
        }
        if let Some(name) = special(bits) {
            return self.with_modifiers(operand, false, f, |f| f.write_str(name));
        }
        match bits {
            240..=248 => {
                let index = bits as usize - 240;
                self.with_modifiers(operand, true, f, |f| constant.inline_float(index, f))
            }
            SRC_LITERAL => {
                let (literal, inlinable) = constant.literal(self.inst.literal.unwrap_or(0));
                self.with_modifiers(operand, !inlinable, f, |f| match inlinable {
                    true => write!(f, "lit({literal:#x})"),
                    false => write!(f, "{literal:#x}"),
                })
            }
            _ => {
                let registers = operand.ty.registers(self.wave64);
                self.with_modifiers(operand, false, f, |f| scalar(bits, registers, f))
            }
        }
    }

    /// Puts negation and absolute value around an operand.
    ///
    /// A negated number is `neg(4)`, since `-4` is another constant.
    fn with_modifiers(
        &self,
        operand: &Operand,
        is_number: bool,
        f: &mut Formatter<'_>,
        write: impl FnOnce(&mut Formatter<'_>) -> fmt::Result,
    ) -> fmt::Result {
        let (neg, abs) = self.neg_abs(operand);
        match (neg, abs) {
            (false, false) => write(f),
            (true, false) if is_number => {
                f.write_str("neg(")?;
                write(f)?;
                f.write_str(")")
            }
            (true, false) => {
                f.write_str("-")?;
                write(f)
            }
            (neg, true) => {
                f.write_str(if neg { "-|" } else { "|" })?;
                write(f)?;
                f.write_str("|")
            }
        }
    }

    /// Whether the operand is negated and made absolute.
    fn neg_abs(&self, operand: &Operand) -> (bool, bool) {
        let bit = match operand.field {
            "src0" => 0,
            "src1" | "vsrc1" => 1,
            "src2" => 2,
            _ => return (false, false),
        };
        let (neg, abs) = match self.row.group {
            Group::Vop3 => (self.bits("neg"), self.bits("abs")),
            Group::Vop3sd | Group::Vinterp => (self.bits("neg"), 0),
            // > Mixed precision: the other NEG field is the absolute value.
            Group::Vop3p if self.row.mnemonic.starts_with("v_fma_mix") => {
                (self.bits("neg_lo"), self.bits("neg_hi"))
            }
            Group::Vop1 | Group::Vop2 | Group::Vopc => {
                self.dpp().map_or((0, 0), super::Dpp::neg_abs)
            }
            _ => (0, 0),
        };
        (neg >> bit & 1 != 0, abs >> bit & 1 != 0)
    }
}
