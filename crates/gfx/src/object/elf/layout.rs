//! Segments: what of the file goes where in the loaded block.

use std::ops::Range;

use object::elf::{self, ProgramHeader64};
use object::endian::LittleEndian;
use object::read::elf::ProgramHeader;

use super::super::{ObjectError, slice};
use super::ENDIAN;

/// Code reaches data by 32-bit displacements, so a larger one could not have been linked.
const LARGEST_LOAD_BYTES: u64 = 4 << 30;

/// A part of the file that is loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Where it goes, from the start of the loaded block.
    pub offset: u64,
    /// Its bytes in the file.
    pub file_range: Range<usize>,
    /// Its length in memory; what the file does not give is zero.
    pub memory_bytes: u64,
    /// Whether it holds code.
    pub executable: bool,
    /// Whether the device may write it.
    pub writable: bool,
}

/// Where the parts of the file go.
pub(super) struct Layout {
    pub(super) segments: Vec<Segment>,
    pub(super) base_vaddr: u64,
    pub(super) load_size: u64,
}

impl Layout {
    pub(super) fn of(
        file: &[u8],
        programs: &[ProgramHeader64<LittleEndian>],
    ) -> Result<Self, ObjectError> {
        let loads = || {
            programs
                .iter()
                .filter(|program| program.p_type(ENDIAN) == elf::PT_LOAD)
        };
        let base_vaddr = loads()
            .map(|program| program.p_vaddr(ENDIAN))
            .min()
            .ok_or_else(|| ObjectError::MalformedElf("it has no loadable segment".to_owned()))?;
        let mut load_size = 0;
        let mut segments = Vec::new();
        for program in loads() {
            let (file_bytes, memory_bytes) = (program.p_filesz(ENDIAN), program.p_memsz(ENDIAN));
            if file_bytes > memory_bytes {
                return Err(ObjectError::MalformedElf(format!(
                    "a segment has {file_bytes} bytes in the file and {memory_bytes} in memory"
                )));
            }
            let file_start = program.p_offset(ENDIAN);
            slice(
                file,
                || "loadable segment".to_owned(),
                file_start,
                file_bytes,
            )?;
            let range = |offset: u64| usize::try_from(offset).expect("within the file");
            let offset = program.p_vaddr(ENDIAN) - base_vaddr;
            let end = offset.saturating_add(memory_bytes);
            if end > LARGEST_LOAD_BYTES {
                return Err(ObjectError::TooLarge {
                    what: "size of the loaded code object",
                    found: end,
                    limit: LARGEST_LOAD_BYTES,
                });
            }
            load_size = end.max(load_size);
            segments.push(Segment {
                offset,
                file_range: range(file_start)..range(file_start + file_bytes),
                memory_bytes,
                executable: program.p_flags(ENDIAN) & elf::PF_X != 0,
                writable: program.p_flags(ENDIAN) & elf::PF_W != 0,
            });
        }
        Ok(Self {
            segments,
            base_vaddr,
            load_size,
        })
    }

    /// Turns an address of the file into an offset, if `length` bytes from there are in the block.
    pub(super) fn offset(&self, vaddr: u64, length: u64) -> Option<u64> {
        let offset = vaddr.checked_sub(self.base_vaddr)?;
        (offset.checked_add(length)? <= self.load_size).then_some(offset)
    }

    /// The file's bytes that are loaded at `offset`.
    pub(super) fn bytes<'a>(&self, file: &'a [u8], offset: u64, length: usize) -> Option<&'a [u8]> {
        self.segments.iter().find_map(|segment| {
            let start = usize::try_from(offset.checked_sub(segment.offset)?).ok()?;
            file[segment.file_range.clone()].get(start..start.checked_add(length)?)
        })
    }

    pub(super) fn is_code(&self, offset: u64) -> bool {
        self.segments.iter().any(|segment| {
            let loaded = segment.file_range.len() as u64;
            segment.executable && offset.wrapping_sub(segment.offset) < loaded
        })
    }
}
