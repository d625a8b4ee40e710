//! Chips by name and number, and the rule which code runs on which chip.
//!
//! A target id is a processor and, for chips that have them, the state of two features:
//! `gfx90a:sramecc+:xnack-`. Machine numbers are those of `EF_AMDGPU_MACH` in an ELF header, from
//! the LLVM AMDGPU usage guide; they agree with what `llvm-readelf-22 -h` names them.

use std::fmt;

use super::ObjectError;

/// State of an optional chip feature, in a target id or in `e_flags`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Feature {
    /// Not stated: code runs with it on or off. On a device: the chip has no such feature.
    #[default]
    Any,
    /// Stated as off.
    Off,
    /// Stated as on.
    On,
}

/// A chip, or the chip that code was made for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TargetId {
    /// `gfx1151`, `gfx11-generic`, and so on.
    pub processor: String,
    /// Error-correcting memory.
    pub sramecc: Feature,
    /// Retry of page faults.
    pub xnack: Feature,
}

impl TargetId {
    /// A processor with no feature stated.
    pub fn new(processor: impl Into<String>) -> Self {
        Self {
            processor: processor.into(),
            sramecc: Feature::Any,
            xnack: Feature::Any,
        }
    }

    /// The chip this project is made for.
    pub fn gfx1151() -> Self {
        Self::new("gfx1151")
    }

    /// Whether neither feature is stated. A device states those that its chip has.
    pub fn has_no_features(&self) -> bool {
        self.sramecc == Feature::Any && self.xnack == Feature::Any
    }

    /// Reads `processor[:sramecc±][:xnack±]`. `None` if a feature is unknown, stated twice or has no
    /// sign, or the processor is empty.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let mut target = Self::new(parts.next().filter(|name| !name.is_empty())?);
        for part in parts {
            let (name, state) = if let Some(name) = part.strip_suffix('+') {
                (name, Feature::On)
            } else {
                (part.strip_suffix('-')?, Feature::Off)
            };
            let feature = match name {
                "sramecc" => &mut target.sramecc,
                "xnack" => &mut target.xnack,
                _ => return None,
            };
            if std::mem::replace(feature, state) != Feature::Any {
                return None;
            }
        }
        Some(target)
    }

    /// The generic target whose code runs on this processor too, and the least version of it that
    /// does. `None` for a processor that belongs to no family known here.
    pub fn generic_family(&self) -> Option<(&'static str, u8)> {
        FAMILIES
            .iter()
            .find(|family| family.members.contains(&self.processor.as_str()))
            .map(|family| (family.name, family.version))
    }

    /// How well code for `code` suits this device; `None` if it does not run here.
    ///
    /// > The processor is equal, and each feature that the code states equals the device's.
    ///
    /// Failing that, the processor's generic family.
    pub fn suits(&self, code: &TargetId) -> Option<Suits> {
        let stated = |code: Feature, device| code == Feature::Any || code == device;
        if !stated(code.sramecc, self.sramecc) || !stated(code.xnack, self.xnack) {
            return None;
        }
        if code.processor == self.processor {
            return Some(Suits::Exactly);
        }
        let (generic, _) = self.generic_family()?;
        (code.processor == generic).then_some(Suits::AsGeneric)
    }
}

impl fmt::Display for TargetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.processor)?;
        for (name, feature) in [("sramecc", self.sramecc), ("xnack", self.xnack)] {
            match feature {
                Feature::Any => {}
                Feature::Off => write!(f, ":{name}-")?,
                Feature::On => write!(f, ":{name}+")?,
            }
        }
        Ok(())
    }
}

/// Why code runs on a device. A greater value is a better choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Suits {
    /// It was made for the processor's generic family.
    AsGeneric,
    /// It was made for this very processor.
    Exactly,
}

/// The machine field of `e_flags`: bits 0..=7.
const MACHINE_MASK: u32 = 0xff;

/// What `e_flags` of a code object says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MachineFlags {
    /// Processor and stated features.
    pub(super) target: TargetId,
    /// Whether bits 8..=11 say that the chip has the feature at all.
    pub(super) has_features: bool,
    /// Version of a generic target, else 0.
    pub(super) generic_version: u8,
}

impl MachineFlags {
    /// Takes `e_flags` apart. The machine must be known.
    pub(super) fn decode(flags: u32) -> Result<Self, ObjectError> {
        let machine = flags & MACHINE_MASK;
        let bad = |found: String, expected: &str| ObjectError::BadHeader {
            field: "e_flags",
            found,
            expected: expected.to_owned(),
        };
        let (_, processor) = MACHINES
            .iter()
            .find(|(number, _)| u32::from(*number) == machine)
            .ok_or_else(|| bad(format!("{flags:#010x}"), "the number of a known machine"))?;
        // Both fields: 0 the chip has no such feature, 1 any, 2 off, 3 on.
        let (xnack, sramecc) = (flags >> 8 & 3, flags >> 10 & 3);
        let state = |bits| match bits {
            2 => Feature::Off,
            3 => Feature::On,
            _ => Feature::Any,
        };
        Ok(Self {
            target: TargetId {
                processor: (*processor).to_owned(),
                sramecc: state(sramecc),
                xnack: state(xnack),
            },
            has_features: xnack != 0 || sramecc != 0,
            generic_version: flags.to_le_bytes()[3],
        })
    }
}

/// A generic target and the processors that run its code.
struct Family {
    name: &'static str,
    /// The first version that covers all members listed.
    version: u8,
    members: &'static [&'static str],
}

/// Only families that a supported device may belong to.
const FAMILIES: &[Family] = &[Family {
    name: "gfx11-generic",
    version: 1,
    members: &[
        "gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153",
    ],
}];

/// `EF_AMDGPU_MACH` numbers of the HSA chips.
const MACHINES: &[(u8, &str)] = &[
    (0x22, "gfx700"),
    (0x23, "gfx701"),
    (0x24, "gfx702"),
    (0x25, "gfx703"),
    (0x26, "gfx704"),
    (0x28, "gfx801"),
    (0x29, "gfx802"),
    (0x2a, "gfx803"),
    (0x2b, "gfx810"),
    (0x2c, "gfx900"),
    (0x2d, "gfx902"),
    (0x2e, "gfx904"),
    (0x2f, "gfx906"),
    (0x30, "gfx908"),
    (0x31, "gfx909"),
    (0x32, "gfx90c"),
    (0x33, "gfx1010"),
    (0x34, "gfx1011"),
    (0x35, "gfx1012"),
    (0x36, "gfx1030"),
    (0x37, "gfx1031"),
    (0x38, "gfx1032"),
    (0x39, "gfx1033"),
    (0x3b, "gfx705"),
    (0x3c, "gfx805"),
    (0x3d, "gfx1035"),
    (0x3e, "gfx1034"),
    (0x3f, "gfx90a"),
    (0x41, "gfx1100"),
    (0x42, "gfx1013"),
    (0x43, "gfx1150"),
    (0x44, "gfx1103"),
    (0x45, "gfx1036"),
    (0x46, "gfx1101"),
    (0x47, "gfx1102"),
    (0x48, "gfx1200"),
    (0x49, "gfx1250"),
    (0x4a, "gfx1151"),
    (0x4c, "gfx942"),
    (0x4e, "gfx1201"),
    (0x4f, "gfx950"),
    (0x51, "gfx9-generic"),
    (0x52, "gfx10-1-generic"),
    (0x53, "gfx10-3-generic"),
    (0x54, "gfx11-generic"),
    (0x55, "gfx1152"),
    (0x58, "gfx1153"),
    (0x59, "gfx12-generic"),
    (0x5a, "gfx1251"),
    (0x5f, "gfx9-4-generic"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_ids_print_as_they_were_read() {
        for text in [
            "gfx1151",
            "gfx11-generic",
            "gfx90a:sramecc+:xnack-",
            "gfx90a:xnack+",
        ] {
            assert_eq!(TargetId::parse(text).expect(text).to_string(), text);
        }
    }

    #[test]
    fn malformed_target_ids_are_refused() {
        for text in [
            "",
            ":xnack+",
            "gfx90a:",
            "gfx90a:xnack",
            "gfx90a:foo+",
            "gfx90a:xnack+:xnack-",
        ] {
            assert_eq!(TargetId::parse(text), None, "{text}");
        }
    }

    #[test]
    fn code_suits_by_processor_then_family_and_stated_features() {
        let suits = |device: &str, code: &str| {
            TargetId::parse(device)
                .unwrap()
                .suits(&TargetId::parse(code).unwrap())
        };
        assert_eq!(suits("gfx1151", "gfx1151"), Some(Suits::Exactly));
        assert_eq!(suits("gfx1151", "gfx11-generic"), Some(Suits::AsGeneric));
        assert_eq!(suits("gfx1151", "gfx1100"), None);
        assert_eq!(suits("gfx1151", "gfx12-generic"), None);
        assert_eq!(suits("gfx1151", "gfx1151:xnack+"), None);
        assert_eq!(
            suits("gfx90a:sramecc+:xnack-", "gfx90a"),
            Some(Suits::Exactly)
        );
        assert_eq!(
            suits("gfx90a:sramecc+:xnack-", "gfx90a:xnack-"),
            Some(Suits::Exactly)
        );
        assert_eq!(suits("gfx90a:sramecc+:xnack-", "gfx90a:xnack+"), None);
        assert!(Suits::Exactly > Suits::AsGeneric);
    }

    // Values seen in objects of clang 19 and 22.
    #[test]
    fn flags_of_real_objects_decode() {
        let named = |flags| MachineFlags::decode(flags).map(|decoded| decoded.target.to_string());
        assert_eq!(named(0x4a).as_deref(), Ok("gfx1151"));
        assert_eq!(named(0x73f).as_deref(), Ok("gfx90a:xnack+"));
        assert_eq!(named(0xe3f).as_deref(), Ok("gfx90a:sramecc+:xnack-"));
        assert_eq!(named(0x53f).as_deref(), Ok("gfx90a"));
        let generic = MachineFlags::decode(0x0100_0054).unwrap();
        assert_eq!(
            (generic.target.processor.as_str(), generic.generic_version),
            ("gfx11-generic", 1)
        );
        assert!(MachineFlags::decode(0xff).is_err());
    }
}
