//! Relocations: words of the loaded block that depend on where it stands.

use object::elf::{self, Rela64, SectionHeader64};
use object::endian::LittleEndian;
use object::read::elf::{Rela, SectionHeader, Sym};

use super::super::ObjectError;
use super::layout::Layout;
use super::symbol::{Symbols, name};
use super::{ENDIAN, malformed};

/// Relocation numbers of the guide.
const RELOCATION_NONE: u32 = 0;
const RELOCATION_ABS32_LO: u32 = 1;
const RELOCATION_ABS32_HI: u32 = 2;
const RELOCATION_ABS64: u32 = 3;
const RELOCATION_ABS32: u32 = 6;
const RELOCATION_RELATIVE64: u32 = 13;

/// What a relocation's symbol stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Referent {
    /// No symbol: the load address itself.
    Base,
    /// A place in the block.
    Inside(u64),
    /// A number that does not move with the block.
    Absolute(u64),
    /// A variable that another code object must have defined.
    Outside(String),
}

/// How a relocation writes its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    Low32,
    High32,
    All64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Relocation {
    pub(super) offset: usize,
    pub(super) referent: Referent,
    pub(super) addend: i64,
    pub(super) width: Width,
}

/// > Every RELA section without a target section.
pub(super) fn all<'a>(
    file: &[u8],
    sections: impl Iterator<Item = &'a SectionHeader64<LittleEndian>>,
    symbols: &Symbols<'_>,
    layout: &Layout,
    budget: &mut usize,
) -> Result<Vec<Relocation>, ObjectError> {
    let mut relocations = Vec::new();
    for section in sections {
        if section.sh_info(ENDIAN) != 0 {
            continue;
        }
        let Some((entries, _)) = section.rela(ENDIAN, file).map_err(malformed)? else {
            continue;
        };
        for entry in entries {
            relocations.extend(relocation(entry, symbols, layout, budget)?);
        }
    }
    Ok(relocations)
}

/// `None` for a relocation that changes nothing.
fn relocation(
    entry: &Rela64<LittleEndian>,
    symbols: &Symbols<'_>,
    layout: &Layout,
    budget: &mut usize,
) -> Result<Option<Relocation>, ObjectError> {
    let place = entry.r_offset(ENDIAN);
    let width = match entry.r_type(ENDIAN, false) {
        RELOCATION_NONE => return Ok(None),
        RELOCATION_ABS32_LO | RELOCATION_ABS32 => Width::Low32,
        RELOCATION_ABS32_HI => Width::High32,
        RELOCATION_ABS64 | RELOCATION_RELATIVE64 => Width::All64,
        kind => {
            return Err(ObjectError::UnsupportedRelocation {
                kind,
                offset: place,
            });
        }
    };
    let bytes = if width == Width::All64 { 8 } else { 4 };
    let offset = layout
        .offset(place, bytes)
        .and_then(|offset| usize::try_from(offset).ok())
        .ok_or_else(|| ObjectError::OutOfBounds {
            what: "place of a relocation".to_owned(),
            offset: place,
            end: place.saturating_add(bytes),
            available: layout.load_size,
        })?;
    let addend = entry.r_addend(ENDIAN);
    // B + A: the addend is an address of the file.
    if entry.r_type(ENDIAN, false) == RELOCATION_RELATIVE64 {
        let addend = addend.wrapping_sub_unsigned(layout.base_vaddr);
        return Ok(Some(Relocation {
            offset,
            referent: Referent::Base,
            addend,
            width,
        }));
    }
    let referent = match entry.symbol(ENDIAN, false) {
        None => Referent::Absolute(0),
        Some(index) => {
            let symbol = symbols.symbol(index).map_err(malformed)?;
            match symbol.st_shndx(ENDIAN) {
                elf::SHN_UNDEF => Referent::Outside(name(symbols, symbol, budget)?),
                elf::SHN_ABS => Referent::Absolute(symbol.st_value(ENDIAN)),
                _ => Referent::Inside(symbol.st_value(ENDIAN).wrapping_sub(layout.base_vaddr)),
            }
        }
    };
    Ok(Some(Relocation {
        offset,
        referent,
        addend,
        width,
    }))
}
