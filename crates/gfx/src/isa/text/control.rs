//! Immediates of scalar instructions: counters, messages, hardware registers, hints.

use std::fmt::{self, Formatter};

use super::super::table::Kind;
use super::View;

/// Hardware registers by number.
const HARDWARE_REGISTERS: &[(u32, &str)] = &[
    (1, "HW_REG_MODE"),
    (2, "HW_REG_STATUS"),
    (3, "HW_REG_TRAPSTS"),
    (5, "HW_REG_GPR_ALLOC"),
    (6, "HW_REG_LDS_ALLOC"),
    (7, "HW_REG_IB_STS"),
    (15, "HW_REG_SH_MEM_BASES"),
    (18, "HW_REG_PERF_SNAPSHOT_PC_LO"),
    (19, "HW_REG_PERF_SNAPSHOT_PC_HI"),
    (20, "HW_REG_FLAT_SCR_LO"),
    (21, "HW_REG_FLAT_SCR_HI"),
    (23, "HW_REG_HW_ID1"),
    (24, "HW_REG_HW_ID2"),
    (27, "HW_REG_PERF_SNAPSHOT_DATA"),
    (29, "HW_REG_SHADER_CYCLES"),
];

/// Messages without an answer.
const MESSAGES: &[(u32, &str)] = &[
    (1, "MSG_INTERRUPT"),
    (2, "MSG_HS_TESSFACTOR"),
    (3, "MSG_DEALLOC_VGPRS"),
    (5, "MSG_STALL_WAVE_GEN"),
    (6, "MSG_HALT_WAVES"),
    (9, "MSG_GS_ALLOC_REQ"),
];

/// Messages that are answered.
const MESSAGES_RETURNED: &[(u32, &str)] = &[
    (128, "MSG_RTN_GET_DOORBELL"),
    (129, "MSG_RTN_GET_DDID"),
    (130, "MSG_RTN_GET_TMA"),
    (131, "MSG_RTN_GET_REALTIME"),
    (132, "MSG_RTN_SAVE_WAVE"),
    (133, "MSG_RTN_GET_TBA"),
    (134, "MSG_RTN_GET_TBA_TO_PC"),
];

fn name_of(table: &[(u32, &'static str)], number: u32) -> Option<&'static str> {
    table
        .iter()
        .find(|&&(found, _)| found == number)
        .map(|&(_, name)| name)
}

impl View<'_> {
    pub(super) fn sopp(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let value = self.bits("simm16");
        match self.row.operands {
            [] => Ok(()),
            [operand] => {
                f.write_str(" ")?;
                match self.row.mnemonic {
                    "s_nop" | "s_sleep" | "s_setprio" | "s_incperflevel" | "s_decperflevel"
                    | "s_sethalt" | "s_setkill" | "s_trap" | "s_denorm_mode"
                        if value <= 64 =>
                    {
                        write!(f, "{value}")
                    }
                    _ => self.immediate(operand.kind, value, f),
                }
            }
            _ => self.operands(f),
        }
    }

    /// An immediate operand.
    pub(super) fn immediate(&self, kind: Kind, value: u32, f: &mut Formatter<'_>) -> fmt::Result {
        match kind {
            Kind::Label => write!(f, "{value}"),
            Kind::Hwreg => hardware_register(value, f),
            Kind::Sendmsg => message(value, f),
            Kind::SendmsgRtn => message(value, f),
            Kind::Waitcnt => wait_counts(value, f),
            Kind::Depctr => internal_wait_counts(value, f),
            Kind::Delay => delay(value, f),
            _ if self.row.mnemonic == "s_version" => match value {
                0 => f.write_str("UC_VERSION_GFX7"),
                4 => f.write_str("UC_VERSION_GFX10"),
                6 => f.write_str("UC_VERSION_GFX11"),
                9 => f.write_str("UC_VERSION_GFX12"),
                _ => write!(f, "{value}"),
            },
            Kind::Simm8 if value <= 64 => write!(f, "{value}"),
            _ => write!(f, "{value:#x}"),
        }
    }
}

fn hardware_register(value: u32, f: &mut Formatter<'_>) -> fmt::Result {
    let (number, first, bits) = (value & 0x3f, value >> 6 & 0x1f, (value >> 11) + 1);
    f.write_str("hwreg(")?;
    match name_of(HARDWARE_REGISTERS, number) {
        Some(name) => f.write_str(name)?,
        None => write!(f, "{number}")?,
    }
    if (first, bits) != (0, 32) {
        write!(f, ", {first}, {bits}")?;
    }
    f.write_str(")")
}

fn message(value: u32, f: &mut Formatter<'_>) -> fmt::Result {
    match name_of(MESSAGES, value).or_else(|| name_of(MESSAGES_RETURNED, value)) {
        Some(name) => write!(f, "sendmsg({name})"),
        None if value < 256 => write!(f, "sendmsg({value}, 0, 0)"),
        None => write!(f, "{value}"),
    }
}

/// Only counters that are waited for are shown, unless none is.
fn wait_counts(value: u32, f: &mut Formatter<'_>) -> fmt::Result {
    let counters = [
        ("vmcnt", value >> 10 & 0x3f, 0x3f),
        ("expcnt", value & 7, 7),
        ("lgkmcnt", value >> 4 & 0x3f, 0x3f),
    ];
    let none = counters.iter().all(|(_, count, most)| count == most);
    let mut separator = "";
    for (name, count, most) in counters {
        if none || count != most {
            write!(f, "{separator}{name}({count})")?;
            separator = " ";
        }
    }
    Ok(())
}

fn internal_wait_counts(value: u32, f: &mut Formatter<'_>) -> fmt::Result {
    /// Name, lowest bit, bits.
    const COUNTERS: &[(&str, u32, u32)] = &[
        ("depctr_hold_cnt", 7, 1),
        ("depctr_sa_sdst", 0, 1),
        ("depctr_va_vdst", 12, 4),
        ("depctr_va_sdst", 9, 3),
        ("depctr_va_ssrc", 8, 1),
        ("depctr_va_vcc", 1, 1),
        ("depctr_vm_vsrc", 2, 3),
    ];
    let known = COUNTERS
        .iter()
        .fold(0, |known, (_, low, bits)| known | ((1 << bits) - 1) << low);
    let most = |bits: u32| (1u32 << bits) - 1;
    let waits = COUNTERS
        .iter()
        .any(|(_, low, bits)| value >> low & most(*bits) != most(*bits));
    if value & !known != 0 || !waits {
        return write!(f, "{value:#x}");
    }
    let mut separator = "";
    for (name, low, bits) in COUNTERS {
        let count = value >> low & most(*bits);
        if count != most(*bits) {
            write!(f, "{separator}{name}({count})")?;
            separator = " ";
        }
    }
    Ok(())
}

fn delay(value: u32, f: &mut Formatter<'_>) -> fmt::Result {
    const ON: &[&str] = &[
        "NO_DEP",
        "VALU_DEP_1",
        "VALU_DEP_2",
        "VALU_DEP_3",
        "VALU_DEP_4",
        "TRANS32_DEP_1",
        "TRANS32_DEP_2",
        "TRANS32_DEP_3",
        "FMA_ACCUM_CYCLE_1",
        "SALU_CYCLE_1",
        "SALU_CYCLE_2",
        "SALU_CYCLE_3",
    ];
    const SKIP: &[&str] = &["SAME", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"];
    if value == 0 {
        return f.write_str("0");
    }
    let parts = [
        ("instid0", value & 0xf, ON, "/* invalid instid value */"),
        (
            "instskip",
            value >> 4 & 7,
            SKIP,
            "/* invalid instskip value */",
        ),
        (
            "instid1",
            value >> 7 & 0xf,
            ON,
            "/* invalid instid value */",
        ),
    ];
    let mut separator = "";
    for (name, number, names, invalid) in parts {
        if number != 0 {
            let text = names.get(number as usize).copied().unwrap_or(invalid);
            write!(f, "{separator}{name}({text})")?;
            separator = " | ";
        }
    }
    Ok(())
}
