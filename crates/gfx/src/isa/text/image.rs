//! Image instructions: how many registers data and addresses take.

use std::fmt::{self, Formatter};

use super::View;
use super::operand::{scalar, vector};

/// Name of a dimension, and its coordinates and gradients.
const DIMENSIONS: [(&str, u32, u32); 8] = [
    ("1D", 1, 2),
    ("2D", 2, 4),
    ("3D", 3, 6),
    ("CUBE", 3, 4),
    ("1D_ARRAY", 2, 2),
    ("2D_ARRAY", 3, 4),
    ("2D_MSAA", 3, 4),
    ("2D_MSAA_ARRAY", 4, 4),
];

/// Registers that the instruction can name one by one; the last one may begin a range.
const SEPARATE_ADDRESSES: u32 = 5;

impl View<'_> {
    /// Whether the name has this part between underscores.
    fn has_part(&self, part: &str) -> bool {
        self.row.mnemonic.split('_').any(|found| found == part)
    }

    fn data_registers(&self) -> u32 {
        let name = self.row.mnemonic;
        let dmask = self.bits("dmask");
        let components = match name {
            _ if name.starts_with("image_gather4") => 4,
            "image_msaa_load" => 4,
            // Each compare and its new value.
            _ => dmask.count_ones().max(1),
        };
        let packed = if self.is_set("d16") {
            components.div_ceil(2)
        } else {
            components
        };
        packed + self.bits("tfe")
    }

    fn address_registers(&self) -> u32 {
        // The level of detail is all that it takes.
        if self.row.mnemonic == "image_get_resinfo" {
            return 1;
        }
        let (_, coordinates, gradients) = DIMENSIONS[self.bits("dim") as usize & 7];
        let is_sample = self.row.mnemonic.starts_with("image_sample")
            || self.row.mnemonic.starts_with("image_gather4")
            || self.row.mnemonic == "image_get_lod";
        let half = self.is_set("a16");
        // Offset, bias and compare value come first, a register each.
        let mut extra = 0;
        for part in ["o", "b", "c"] {
            extra += u32::from(is_sample && self.has_part(part));
        }
        let mut last = coordinates;
        for part in ["l", "cl", "mip"] {
            last += u32::from(self.has_part(part));
        }
        let last = if half { last.div_ceil(2) } else { last };
        let gradients = match () {
            () if !(is_sample && self.has_part("d")) => 0,
            // Packed in pairs by dimension.
            () if self.has_part("g16") => match gradients {
                6 => 4,
                2 => 2,
                gradients => gradients / 2,
            },
            () => gradients,
        };
        extra + gradients + last
    }

    pub(super) fn image(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let is_sampled = self
            .row
            .operands
            .iter()
            .any(|operand| operand.field == "ssamp");
        // LLVM's spelling of the form with separate addresses has two blanks.
        f.write_str(if is_sampled && self.is_set("nsa") {
            "  "
        } else {
            " "
        })?;
        vector(self.bits("vdata"), self.data_registers(), f)?;
        f.write_str(", ")?;
        let registers = self.address_registers();
        if self.is_set("nsa") {
            f.write_str("[")?;
            let separate = registers.min(SEPARATE_ADDRESSES);
            let names = ["vaddr", "addr1", "addr2", "addr3", "addr4"];
            for (index, name) in (0..separate).zip(names) {
                let is_last = index + 1 == SEPARATE_ADDRESSES;
                let count = if is_last { registers - index } else { 1 };
                f.write_str(if index == 0 { "" } else { ", " })?;
                vector(self.bits(name), count, f)?;
            }
            f.write_str("]")?;
        } else {
            vector(self.bits("vaddr"), registers, f)?;
        }
        f.write_str(", ")?;
        scalar(self.bits("srsrc") * 4, 8, f)?;
        if is_sampled {
            f.write_str(", ")?;
            scalar(self.bits("ssamp") * 4, 4, f)?;
        }
        if self.is_set("dmask") {
            write!(f, " dmask:{:#x}", self.bits("dmask"))?;
        }
        write!(
            f,
            " dim:SQ_RSRC_IMG_{}",
            DIMENSIONS[self.bits("dim") as usize & 7].0
        )?;
        for name in [
            "unorm", "glc", "slc", "dlc", "r128", "a16", "tfe", "lwe", "d16",
        ] {
            if self.is_set(name) {
                write!(f, " {name}")?;
            }
        }
        Ok(())
    }
}
