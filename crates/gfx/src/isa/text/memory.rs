//! Scalar, LDS, flat and buffer memory instructions, and exports.

use std::fmt::{self, Formatter};

use super::super::field::sign_extend;
use super::super::table::{Group, Kind, Operand};
use super::View;
use super::operand::{scalar, vector};

/// The SGPR number that stands for no register.
const NULL: u32 = 124;

impl View<'_> {
    /// Writes ` name` for each field of these that is set.
    fn set_flags(&self, names: &[&str], f: &mut Formatter<'_>) -> fmt::Result {
        for name in names {
            if self.is_set(name) {
                write!(f, " {name}")?;
            }
        }
        Ok(())
    }

    pub(super) fn smem(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut separator = " ";
        for operand in self.row.operands {
            f.write_str(separator)?;
            separator = ", ";
            let bits = self.bits(operand.field);
            match operand.kind {
                Kind::Sbase => scalar(bits * 2, operand.ty.registers(self.wave64), f)?,
                Kind::Soffset => self.smem_offset(bits, f)?,
                _ => self.operand(operand, f)?,
            }
        }
        self.set_flags(&["glc", "dlc"], f)
    }

    fn smem_offset(&self, register: u32, f: &mut Formatter<'_>) -> fmt::Result {
        let offset = sign_extend(self.bits("offset"), 21);
        let hex = |f: &mut Formatter<'_>| {
            let sign = if offset < 0 { "-" } else { "" };
            write!(f, "{sign}{:#x}", offset.unsigned_abs())
        };
        match (register, offset) {
            (NULL, 0) => f.write_str("null"),
            (NULL, _) => hex(f),
            (_, 0) => scalar(register, 1, f),
            _ => {
                scalar(register, 1, f)?;
                f.write_str(" offset:")?;
                hex(f)
            }
        }
    }

    pub(super) fn ds(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.operands(f)?;
        let (offset0, offset1) = (self.bits("offset0"), self.bits("offset1"));
        let offset = offset0 | offset1 << 8;
        if self.row.mnemonic.contains("2addr") {
            for (name, offset) in [("offset0", offset0), ("offset1", offset1)] {
                if offset != 0 {
                    write!(f, " {name}:{offset}")?;
                }
            }
        } else if offset != 0 {
            f.write_str(" offset:")?;
            match self.row.mnemonic {
                "ds_swizzle_b32" => swizzle(offset, f)?,
                _ => write!(f, "{offset}")?,
            }
        }
        self.set_flags(&["gds"], f)
    }

    pub(super) fn flat(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let is_atomic = self.row.mnemonic.contains("_atomic_");
        let no_saddr = self.bits("saddr") == NULL;
        let mut separator = " ";
        for operand in self.row.operands {
            let bits = self.bits(operand.field);
            if operand.field == "vdst" && is_atomic && !self.is_set("glc") {
                continue;
            }
            f.write_str(separator)?;
            separator = ", ";
            match (operand.kind, self.row.group) {
                (Kind::Saddr, _) if no_saddr => f.write_str("off")?,
                (Kind::Saddr, Group::Scratch) => scalar(bits, 1, f)?,
                (Kind::Saddr, _) => scalar(bits, 2, f)?,
                (Kind::Vgpr, Group::Scratch) if operand.field == "addr" => {
                    if self.is_set("sve") {
                        vector(bits, 1, f)?
                    } else {
                        f.write_str("off")?
                    }
                }
                // With a base in SGPRs the VGPR is a 32-bit offset.
                (Kind::Vgpr, Group::Global) if operand.field == "addr" && !no_saddr => {
                    vector(bits, 1, f)?;
                }
                _ => self.operand(operand, f)?,
            }
        }
        let offset = sign_extend(self.bits("offset"), 13);
        if offset != 0 {
            write!(f, " offset:{offset}")?;
        }
        self.set_flags(&["glc", "slc", "dlc"], f)
    }

    pub(super) fn buffer(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut separator = " ";
        for operand in self.row.operands {
            f.write_str(separator)?;
            separator = ", ";
            self.buffer_operand(operand, f)?;
        }
        if self.row.operands.is_empty() {
            return Ok(());
        }
        if self.row.group == Group::Mtbuf {
            buffer_format(self.bits("format"), f)?;
        }
        self.set_flags(&["idxen", "offen"], f)?;
        let offset = self.bits("offset");
        if offset != 0 {
            write!(f, " offset:{offset}")?;
        }
        self.set_flags(&["glc", "slc", "dlc", "tfe"], f)
    }

    fn buffer_operand(&self, operand: &Operand, f: &mut Formatter<'_>) -> fmt::Result {
        let bits = self.bits(operand.field);
        match operand.field {
            "vaddr" => match self.bits("idxen") + self.bits("offen") {
                0 => f.write_str("off"),
                registers => vector(bits, registers, f),
            },
            // One more register says which lanes faulted.
            "vdata" => vector(
                bits,
                operand.ty.registers(self.wave64) + self.bits("tfe"),
                f,
            ),
            "srsrc" => scalar(bits * 4, 4, f),
            _ => self.scalar_source(operand, bits, f),
        }
    }

    pub(super) fn export(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let target = self.bits("target");
        match target {
            0..=7 => write!(f, " mrt{target}")?,
            8 => f.write_str(" mrtz")?,
            12..=16 => write!(f, " pos{}", target - 12)?,
            20 => f.write_str(" prim")?,
            21 | 22 => write!(f, " dual_src_blend{}", target - 21)?,
            _ => write!(f, " invalid_target_{target}")?,
        }
        let mut separator = " ";
        for (index, name) in ["vsrc0", "vsrc1", "vsrc2", "vsrc3"].into_iter().enumerate() {
            f.write_str(separator)?;
            separator = ", ";
            match self.bits("en") >> index & 1 {
                0 => f.write_str("off")?,
                _ => vector(self.bits(name), 1, f)?,
            }
        }
        self.set_flags(&["done"], f)?;
        f.write_str(if self.is_set("row") { " row_en" } else { "" })
    }
}

/// The lane pattern in a swizzle's offset.
fn swizzle(offset: u32, f: &mut Formatter<'_>) -> fmt::Result {
    let lane = |n: u32| offset >> (2 * n) & 3;
    if offset & 0xff00 == 0x8000 {
        return write!(
            f,
            "swizzle(QUAD_PERM,{},{},{},{})",
            lane(0),
            lane(1),
            lane(2),
            lane(3)
        );
    }
    match offset >> 13 {
        0b100 | 0b101 => return write!(f, "{offset}"),
        0b110 => {
            return write!(
                f,
                "swizzle(ROTATE,{},{})",
                offset >> 10 & 1,
                offset >> 5 & 0x1f
            );
        }
        0b111 => return write!(f, "swizzle(FFT,{})", offset & 0x1f),
        _ => {}
    }
    let (and, or, xor) = (offset & 0x1f, offset >> 5 & 0x1f, offset >> 10 & 0x1f);
    match (and, or, xor) {
        (0x1f, 0, xor) if xor.is_power_of_two() => write!(f, "swizzle(SWAP,{xor})"),
        (0x1f, 0, xor) if xor > 0 && (xor + 1).is_power_of_two() => {
            write!(f, "swizzle(REVERSE,{})", xor + 1)
        }
        _ => {
            let group = 0x20 - and;
            if group > 1 && group.is_power_of_two() && or < group && xor == 0 {
                return write!(f, "swizzle(BROADCAST,{group},{or})");
            }
            f.write_str("swizzle(BITMASK_PERM,\"")?;
            for bit in (0..5).rev() {
                let place = 1 << bit;
                let low = or & place ^ xor & place;
                let high = (and & place | or & place) ^ xor & place;
                f.write_str(match (low == high, low != 0) {
                    (true, false) => "0",
                    (true, true) => "1",
                    (false, false) => "p",
                    (false, true) => "i",
                })?;
            }
            f.write_str("\")")
        }
    }
}

/// Names of the unified buffer formats, from the format table of the ISA.
fn buffer_format(format: u32, f: &mut Formatter<'_>) -> fmt::Result {
    /// First number, layout, and the number formats that follow one another.
    const FORMATS: &[(u32, &str, &[&str])] = &[
        (1, "8", INTEGER),
        (7, "16", ALL),
        (14, "8_8", INTEGER),
        (20, "32", WIDE),
        (23, "16_16", ALL),
        (30, "10_11_11", &["FLOAT"]),
        (31, "11_11_10", &["FLOAT"]),
        (32, "10_10_10_2", &["UNORM", "SNORM", "UINT", "SINT"]),
        (36, "2_10_10_10", INTEGER),
        (42, "8_8_8_8", INTEGER),
        (48, "32_32", WIDE),
        (51, "16_16_16_16", ALL),
        (58, "32_32_32", WIDE),
        (61, "32_32_32_32", WIDE),
    ];
    const INTEGER: &[&str] = &["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT"];
    const ALL: &[&str] = &[
        "UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "FLOAT",
    ];
    const WIDE: &[&str] = &["UINT", "SINT", "FLOAT"];
    if format == 0 {
        return f.write_str(" format:[BUF_FMT_INVALID]");
    }
    for &(first, layout, numbers) in FORMATS {
        let index = format
            .checked_sub(first)
            .and_then(|index| usize::try_from(index).ok());
        if let Some(number) = index.and_then(|index| numbers.get(index)) {
            // The default is not shown.
            if (layout, *number) == ("8", "UNORM") {
                return Ok(());
            }
            return write!(f, " format:[BUF_FMT_{layout}_{number}]");
        }
    }
    write!(f, " format:{format}")
}
