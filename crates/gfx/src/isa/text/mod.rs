//! Instructions as text, spelled as LLVM's disassembler spells them (`llvm-objdump` 22,
//! `--mcpu=gfx1151`), so that listings can be compared and read with the same eyes.
//!
//! The spelling follows the encoding, not the meaning: fields that an instruction ignores are not
//! shown, and what no assembler would accept is still shown in some way.

mod control;
mod image;
mod memory;
mod operand;

use std::fmt::{self, Formatter, Write as _};

use super::decode::{Format, Inst, SRC_DPP8, SRC_DPP8_FI, SRC_DPP16};
use super::field::{Dpp8, Dpp16};
use super::table::{Group, Instruction, Kind, Operand, lookup_vopd_y};

/// An instruction to be shown. [`fmt::Display`] writes it without leading or trailing blanks.
///
/// Words that the table has no row for are shown as `.long` directives.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    inst: &'a Inst,
    wave64: bool,
}

impl<'a> Text<'a> {
    /// The instruction as code for waves of 32 lanes has it: masks are one register.
    pub const fn wave32(inst: &'a Inst) -> Self {
        Self {
            inst,
            wave64: false,
        }
    }

    /// The instruction as code for waves of 64 lanes has it: masks are two registers.
    pub const fn wave64(inst: &'a Inst) -> Self {
        Self { inst, wave64: true }
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(row) = Instruction::of(self.inst) else {
            return unknown(self.inst, f);
        };
        let view = View {
            inst: self.inst,
            row,
            wave64: self.wave64,
        };
        if self.inst.format != Format::Vopd {
            return view.write(f);
        }
        let Some(row) = lookup_vopd_y(self.inst.opcode_y) else {
            return unknown(self.inst, f);
        };
        let y = View { row, ..view };
        view.write(f)?;
        f.write_str(" :: ")?;
        y.write(f)
    }
}

fn unknown(inst: &Inst, f: &mut Formatter<'_>) -> fmt::Result {
    f.write_str(".long ")?;
    for (index, word) in inst.words[..usize::from(inst.len) / 4].iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        write!(f, "{comma}{word:#010x}")?;
    }
    Ok(())
}

/// An instruction with its row.
#[derive(Clone, Copy)]
struct View<'a> {
    inst: &'a Inst,
    row: &'static Instruction,
    wave64: bool,
}

/// The DPP dword that took the place of source 0.
#[derive(Clone, Copy)]
enum Dpp {
    Dpp16(Dpp16),
    Dpp8(Dpp8, bool),
}

impl View<'_> {
    /// The bits of a field, 0 if the layout has none of this name.
    fn bits(&self, field: &str) -> u32 {
        self.row.bits(self.inst, field)
    }

    fn is_set(&self, field: &str) -> bool {
        self.bits(field) != 0
    }

    fn dpp(&self) -> Option<Dpp> {
        let dword = self.inst.dpp?;
        match self.bits("src0") {
            SRC_DPP16 => Some(Dpp::Dpp16(Dpp16(dword))),
            SRC_DPP8 => Some(Dpp::Dpp8(Dpp8(dword), false)),
            SRC_DPP8_FI => Some(Dpp::Dpp8(Dpp8(dword), true)),
            _ => None,
        }
    }

    fn write(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.mnemonic(f)?;
        match self.row.group {
            Group::Sopp => self.sopp(f),
            Group::Smem => self.smem(f),
            Group::Ds => self.ds(f),
            Group::Flat | Group::Global | Group::Scratch => self.flat(f),
            Group::Mubuf | Group::Mtbuf => self.buffer(f),
            Group::Mimg => self.image(f),
            Group::Exp => self.export(f),
            _ => {
                self.operands(f)?;
                self.modifiers(f)
            }
        }
    }

    /// The name with the suffixes that tell encodings of one operation apart.
    fn mnemonic(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = self.row.mnemonic;
        let dpp = self.dpp().is_some();
        let suffix = match self.row.group {
            Group::Vop1 | Group::Vop2 if dpp => "_dpp",
            Group::Vop1 | Group::Vop2 if !ONE_ENCODING.contains(&name) => "_e32",
            Group::Vopc if !dpp => "_e32",
            Group::Vop3 | Group::Vop3sd | Group::Vop3p if dpp => "_e64_dpp",
            // Opcodes of VOP3 that stand for a shorter encoding.
            Group::Vop3 | Group::Vop3sd
                if self.row.opcode < 512 && !matches!(name, "v_nop" | "v_pipeflush") =>
            {
                "_e64"
            }
            _ => "",
        };
        f.write_str(name)?;
        f.write_str(suffix)
    }

    /// All operands but those that are never shown.
    fn operands(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut separator = " ";
        for operand in self.row.operands {
            if !self.is_shown(operand) {
                continue;
            }
            f.write_str(separator)?;
            self.operand(operand, f)?;
            separator = ", ";
        }
        Ok(())
    }

    fn is_shown(&self, operand: &Operand) -> bool {
        match operand.kind {
            Kind::Exec => false,
            // > VOPD and VOP3 read VCC without naming it.
            Kind::Vcc => matches!(self.row.group, Group::Vop2 | Group::Vopc),
            _ => true,
        }
    }

    fn operand(&self, operand: &Operand, f: &mut Formatter<'_>) -> fmt::Result {
        let bits = self.bits(operand.field);
        let registers = operand.ty.registers(self.wave64);
        match operand.kind {
            Kind::Vgpr => self.vector_register(operand, bits, f),
            Kind::Src => self.vector_source(operand, bits, f),
            Kind::Ssrc => self.scalar_source(operand, bits, f),
            Kind::Sgpr => operand::scalar(bits, registers, f),
            Kind::Vcc => f.write_str(if self.wave64 { "vcc" } else { "vcc_lo" }),
            Kind::Literal => write!(f, "{:#x}", self.inst.literal.unwrap_or(0)),
            Kind::Attribute => {
                let channel = ["x", "y", "z", "w"][self.bits("attr_chan") as usize & 3];
                write!(f, "attr{bits}.{channel}")
            }
            _ => self.immediate(operand.kind, bits, f),
        }
    }

    /// What follows the operands of an arithmetic instruction.
    fn modifiers(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.row.group {
            Group::Vop3 | Group::Vop3sd => {
                self.op_sel(f)?;
                self.clamp(f)?;
                f.write_str(["", " mul:2", " mul:4", " div:2"][self.bits("omod") as usize & 3])?;
            }
            Group::Vop3p => {
                self.packed_modifiers(f)?;
                self.clamp(f)?;
            }
            Group::Vinterp => {
                self.clamp(f)?;
                self.op_sel(f)?;
                write!(f, " wait_exp:{}", self.bits("waitexp"))?;
            }
            Group::Ldsdir => write!(f, " wait_vdst:{}", self.bits("wait_va"))?,
            _ => {}
        }
        self.dpp().map_or(Ok(()), |dpp| dpp.write(f))
    }

    fn clamp(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.is_set("clamp") {
            f.write_str(" clamp")
        } else {
            Ok(())
        }
    }

    /// Number of sources that modifiers are listed for.
    fn sources(&self) -> usize {
        let named = self
            .row
            .operands
            .iter()
            .filter(|operand| operand.kind == Kind::Src)
            .count();
        // The addend is the destination, and is listed.
        named + usize::from(self.row.mnemonic.starts_with("v_fmac"))
    }

    fn op_sel(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let op_sel = self.bits("opsel");
        // The registers' names say it already, and this one instruction leaves it at that.
        if op_sel == 0 || self.row.mnemonic == "v_cndmask_b16" {
            return Ok(());
        }
        let mut bits: Vec<_> = (0..self.sources())
            .map(|source| op_sel >> source & 1)
            .collect();
        let result = self.row.operands.first().map(|operand| operand.kind);
        if matches!(self.row.mnemonic, "v_permlane16_b32" | "v_permlanex16_b32") {
            // Fetch inactive and bound control, in the places of the first two sources.
            bits.truncate(2);
        } else if result == Some(Kind::Vgpr) || result == Some(Kind::Sgpr) && self.dpp().is_none() {
            bits.push(op_sel >> 3 & 1);
        }
        list(" op_sel:", &bits, f)
    }

    fn packed_modifiers(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let all = |word: u32| {
            (0..self.sources())
                .map(|n| word >> n & 1)
                .collect::<Vec<_>>()
        };
        let op_sel_hi = self.bits("opsel_hi01") | self.bits("opsel_hi2") << 2;
        // Mixed precision takes op_sel_hi as "is f16", so nothing set is its default.
        let is_mix = self.row.mnemonic.starts_with("v_fma_mix");
        let default_hi = if is_mix { 0 } else { 1 };
        let neg_lo = self.bits("neg_lo");
        let neg_hi = self.bits("neg_hi");
        let show = |name, bits: &[u32], default: u32, f: &mut Formatter<'_>| {
            if bits.iter().all(|&bit| bit == default) {
                Ok(())
            } else {
                list(name, bits, f)
            }
        };
        show(" op_sel:", &all(self.bits("opsel")), 0, f)?;
        show(" op_sel_hi:", &all(op_sel_hi), default_hi, f)?;
        if !is_mix {
            show(" neg_lo:", &all(neg_lo), 0, f)?;
            show(" neg_hi:", &all(neg_hi), 0, f)?;
        }
        Ok(())
    }
}

/// Operations of VOP1 and VOP2 that have no other encoding, so that no suffix is needed.
const ONE_ENCODING: &[&str] = &[
    "v_illegal",
    "v_nop",
    "v_pipeflush",
    "v_readfirstlane_b32",
    "v_permlane64_b32",
    "v_swap_b16",
    "v_swap_b32",
    "v_swaprel_b32",
    "v_dot2acc_f32_f16",
    "v_fmaak_f16",
    "v_fmaak_f32",
    "v_fmamk_f16",
    "v_fmamk_f32",
    "v_pk_fmac_f16",
];

/// `name[a,b,c]`.
fn list(name: &str, values: &[u32], f: &mut Formatter<'_>) -> fmt::Result {
    f.write_str(name)?;
    f.write_char('[')?;
    for (index, value) in values.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        write!(f, "{comma}{value}")?;
    }
    f.write_char(']')
}

impl Dpp {
    fn register(self) -> u32 {
        match self {
            Self::Dpp16(dpp) => dpp.src0(),
            Self::Dpp8(dpp, _) => dpp.src0(),
        }
    }

    /// Sources that are negated and made absolute, one bit each.
    fn neg_abs(self) -> (u32, u32) {
        match self {
            Self::Dpp16(dpp) => (dpp.neg(), dpp.abs()),
            Self::Dpp8(..) => (0, 0),
        }
    }

    fn write(self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dpp8(dpp, fetch_inactive) => {
                let lanes: Vec<_> = (0..8).map(|lane| dpp.select(lane)).collect();
                list(" dpp8:", &lanes, f)?;
                f.write_str(if fetch_inactive { " fi:1" } else { "" })
            }
            Self::Dpp16(dpp) => {
                let low = dpp.ctrl() & 0xf;
                match dpp.ctrl() {
                    control @ 0..=0xff => {
                        let lanes: Vec<_> = (0..4).map(|lane| control >> (2 * lane) & 3).collect();
                        list(" quad_perm:", &lanes, f)?;
                    }
                    0x101..=0x10f => write!(f, " row_shl:{low}")?,
                    0x111..=0x11f => write!(f, " row_shr:{low}")?,
                    0x121..=0x12f => write!(f, " row_ror:{low}")?,
                    0x140 => f.write_str(" row_mirror")?,
                    0x141 => f.write_str(" row_half_mirror")?,
                    0x150..=0x15f => write!(f, " row_share:{low}")?,
                    0x160..=0x16f => write!(f, " row_xmask:{low}")?,
                    other => write!(f, " dpp_ctrl:{other:#x}")?,
                }
                write!(
                    f,
                    " row_mask:{:#x} bank_mask:{:#x}",
                    dpp.row_mask(),
                    dpp.bank_mask()
                )?;
                f.write_str(if dpp.bound_ctrl() {
                    " bound_ctrl:1"
                } else {
                    ""
                })?;
                f.write_str(if dpp.fetch_inactive() { " fi:1" } else { "" })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::decode;

    fn text(words: &[u32]) -> String {
        Text::wave32(&decode(words).expect("a known format")).to_string()
    }

    #[test]
    fn an_opcode_without_a_row_is_shown_as_data() {
        // SOP2 7 and VOPD with an X half of 15.
        assert_eq!(text(&[0x8380_0201]), ".long 0x83800201");
        assert_eq!(
            text(&[0xcbd0_0101, 0x0002_0102]),
            ".long 0xcbd00101, 0x00020102"
        );
    }

    #[test]
    fn masks_are_as_wide_as_the_wave() {
        let inst = decode(&[0x7c98_0200]).expect("v_cmp_gt_u32");
        assert_eq!(
            Text::wave32(&inst).to_string(),
            "v_cmp_gt_u32_e32 vcc_lo, s0, v1"
        );
        assert_eq!(
            Text::wave64(&inst).to_string(),
            "v_cmp_gt_u32_e32 vcc, s0, v1"
        );
    }

    // Garbage is looked at too: a jump into data, a damaged object.
    #[test]
    fn any_words_have_a_text() {
        let mut state = 0x1357_9bdf_2468_ace0u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            u32::try_from(state >> 32).expect("32 bits are left")
        };
        for _ in 0..300_000 {
            let words = [next(), next(), next(), next(), next()];
            if let Ok(inst) = decode(&words) {
                assert!(!Text::wave32(&inst).to_string().is_empty());
                assert!(!Text::wave64(&inst).to_string().is_empty());
            }
        }
    }
}
