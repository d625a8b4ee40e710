//! The ELF header: which file, which version, which chip.

use object::elf::{self, FileHeader64, ProgramHeader64, SectionHeader64};
use object::endian::LittleEndian;
use object::read::elf::FileHeader;

use super::super::target::{MachineFlags, TargetId};
use super::super::{Fetch, ObjectError, slice};
use super::{ENDIAN, malformed};

/// ELFOSABI_AMDGPU_HSA.
const OS_ABI: u8 = 64;

/// Version of the code object format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AbiVersion {
    /// Code object v4: seven hidden arguments of 8 bytes.
    V4,
    /// Code object v5: the hidden block of 256 bytes.
    V5,
    /// Code object v6: as v5, with generic targets.
    V6,
}

/// The target that a code object was made for, by its header alone.
pub(in super::super) fn target_of(file: &[u8]) -> Result<TargetId, ObjectError> {
    Ok(MachineFlags::decode(header(file)?.e_flags.get(ENDIAN))?.target)
}

/// The file header, when it is one of a little-endian 64-bit shared library for AMD's GPUs.
pub(super) fn header(file: &[u8]) -> Result<&FileHeader64<LittleEndian>, ObjectError> {
    let what = || "ELF header".to_owned();
    let bytes = slice(
        file,
        what,
        0,
        size_of::<FileHeader64<LittleEndian>>() as u64,
    )?;
    check_header(bytes.try_into().expect("the slice has the header's length"))?;
    FileHeader64::<LittleEndian>::parse(file).map_err(malformed)
}

fn check_header(bytes: &[u8; 64]) -> Result<(), ObjectError> {
    let check = |field, found: u32, name: &str, expected: u32, expected_name: &str| {
        if found == expected {
            return Ok(());
        }
        Err(ObjectError::BadHeader {
            field,
            found: if name.is_empty() {
                found.to_string()
            } else {
                format!("{found} ({name})")
            },
            expected: format!("{expected} ({expected_name})"),
        })
    };
    if !bytes.starts_with(&elf::ELFMAG) {
        return Err(ObjectError::UnknownFormat {
            found: bytes[..8].to_vec(),
        });
    }
    let half = |offset: usize| u32::from(u16::from_le_bytes([bytes[offset], bytes[offset + 1]]));
    let class = u32::from(bytes[4]);
    check(
        "class",
        class,
        if class == 1 { "32 bit" } else { "" },
        2,
        "64 bit",
    )?;
    let data = u32::from(bytes[5]);
    check(
        "byte order",
        data,
        if data == 2 { "big endian" } else { "" },
        1,
        "little endian",
    )?;
    let machine = half(18);
    let machine_name = match u16::try_from(machine) {
        Ok(elf::EM_X86_64) => "x86-64",
        Ok(elf::EM_AARCH64) => "AArch64",
        Ok(elf::EM_CUDA) => "CUDA",
        _ => "",
    };
    check(
        "machine",
        machine,
        machine_name,
        u32::from(elf::EM_AMDGPU),
        "AMD GPU",
    )?;
    check(
        "OS ABI",
        u32::from(bytes[7]),
        "",
        u32::from(OS_ABI),
        "AMDGPU HSA",
    )?;
    let kind = half(16);
    let kind_name = if kind == 1 { "relocatable" } else { "" };
    check(
        "type",
        kind,
        kind_name,
        u32::from(elf::ET_DYN),
        "shared library",
    )
}

pub(super) fn abi_version(header: &FileHeader64<LittleEndian>) -> Result<AbiVersion, ObjectError> {
    match header.e_ident.abi_version {
        2 => Ok(AbiVersion::V4),
        3 => Ok(AbiVersion::V5),
        4 => Ok(AbiVersion::V6),
        found => {
            let version = match found {
                0 => " (code object v2)",
                1 => " (code object v3)",
                _ => "",
            };
            Err(ObjectError::BadHeader {
                field: "ABI version",
                found: format!("{found}{version}"),
                expected: "2, 3 or 4 (code object v4, v5 or v6)".to_owned(),
            })
        }
    }
}

pub(super) fn check_target(
    header: &FileHeader64<LittleEndian>,
    device: &TargetId,
) -> Result<TargetId, ObjectError> {
    let flags = MachineFlags::decode(header.e_flags.get(ENDIAN))?;
    if device.suits(&flags.target).is_none() {
        return Err(ObjectError::WrongTarget {
            found: flags.target.to_string(),
            wanted: device.to_string(),
        });
    }
    let bad = |expected: String| ObjectError::BadHeader {
        field: "e_flags",
        found: format!("{:#010x}", header.e_flags.get(ENDIAN)),
        expected,
    };
    // A chip without the features cannot have code that states them as supported, not even "any".
    if device.has_no_features() && flags.has_features {
        return Err(bad(format!(
            "bits 8 to 11 to be 0, since {device} has neither feature"
        )));
    }
    // > A generic object runs if its generic version is at least the one that the agent needs.
    let least = if flags.target.processor == device.processor {
        0
    } else {
        device.generic_family().map_or(0, |(_, version)| version)
    };
    if flags.generic_version < least {
        return Err(bad(format!("version {least} or later of {}", flags.target)));
    }
    Ok(flags.target)
}

/// Length of an ELF file of which only the beginning is known: the furthest byte that its header, its
/// tables, its segments or its sections name.
pub(in super::super) fn file_length(fetch: &mut Fetch<'_>) -> Result<u64, ObjectError> {
    let mut bytes = [0; size_of::<FileHeader64<LittleEndian>>()];
    fetch(0, &mut bytes)?;
    check_header(&bytes)?;
    let header = FileHeader64::<LittleEndian>::parse(&bytes[..]).map_err(malformed)?;
    let mut end = bytes.len() as u64;

    let mut table = |start: u64, count: u16, entry: u16, entry_needed: usize| {
        if count != 0 && usize::from(entry) != entry_needed {
            return Err(ObjectError::MalformedElf(format!(
                "a header table has entries of {entry} bytes, expected {entry_needed}"
            )));
        }
        let mut content = vec![0; usize::from(count) * entry_needed];
        end = end.max(start.saturating_add(content.len() as u64));
        if !content.is_empty() {
            fetch(start, &mut content)?;
        }
        Ok(content)
    };
    let programs = table(
        header.e_phoff.get(ENDIAN),
        header.e_phnum.get(ENDIAN),
        header.e_phentsize.get(ENDIAN),
        size_of::<ProgramHeader64<LittleEndian>>(),
    )?;
    let sections = table(
        header.e_shoff.get(ENDIAN),
        header.e_shnum.get(ENDIAN),
        header.e_shentsize.get(ENDIAN),
        size_of::<SectionHeader64<LittleEndian>>(),
    )?;
    let field = |entry: &[u8], offset: usize| {
        u64::from_le_bytes(entry[offset..offset + 8].try_into().expect("eight bytes"))
    };
    // p_offset and p_filesz.
    for entry in programs.chunks_exact(size_of::<ProgramHeader64<LittleEndian>>()) {
        end = end.max(field(entry, 8).saturating_add(field(entry, 32)));
    }
    // sh_type, then sh_offset and sh_size.
    for entry in sections.chunks_exact(size_of::<SectionHeader64<LittleEndian>>()) {
        if entry[4..8] != elf::SHT_NOBITS.to_le_bytes() {
            end = end.max(field(entry, 24).saturating_add(field(entry, 32)));
        }
    }
    Ok(end)
}
