//! The ELF file of a code object: checks, layout, symbols, relocations.
//!
//! A finished code object is a shared library for the device. Loading it means: one block of memory
//! from its first loadable segment to the end of its last, zeroed; each segment's bytes copied in;
//! the relocations applied. Protections are not used. Addresses here are *offsets from the start of
//! that block*, so they need no base to be subtracted; the block may stand at any address that is a
//! multiple of [`LOAD_ALIGNMENT_BYTES`].
//!
//! Facts of the format are from the LLVM AMDGPU usage guide (code object v4 to v6).

mod header;
mod layout;
mod relocation;
mod symbol;

use std::collections::HashMap;

use object::elf::{self, ProgramHeader64};
use object::endian::LittleEndian;
use object::read::elf::{FileHeader, ProgramHeader};

use self::layout::Layout;
use self::relocation::{Referent, Relocation, Width};
use super::ObjectError;
use super::descriptor::{DESCRIPTOR_BYTES, ENTRY_ALIGNMENT_BYTES, KernelDescriptor};
use super::note::{self, KernelInfo, KernelKind, Metadata};
use super::target::TargetId;

pub use self::header::AbiVersion;
pub(super) use self::header::{file_length, target_of};
pub use self::layout::Segment;
pub use self::symbol::{Symbol, SymbolKind};

/// Where a code object may be loaded: the page size that its segments are laid out for.
pub const LOAD_ALIGNMENT_BYTES: u64 = 4096;

/// Names of all symbols together, as a multiple of the file's length. Names may share a tail in the
/// string table, so a crafted file could make few bytes into many.
const NAME_BYTES_PER_FILE_BYTE: usize = 16;

const ENDIAN: LittleEndian = LittleEndian;

/// A kernel: what its metadata, its descriptor and its symbols say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// The metadata.
    pub info: KernelInfo,
    /// The descriptor.
    pub descriptor: KernelDescriptor,
    /// Where the descriptor is, from the start of the loaded block: what an AQL packet points at.
    pub descriptor_offset: u64,
    /// Where the code begins, from the start of the loaded block.
    pub entry_offset: u64,
    /// Length of the code, where a symbol states it.
    pub code_bytes: Option<u64>,
}

/// A checked code object. It does not keep the file; [`Self::load_image`] wants it again.
#[derive(Debug, Clone)]
pub struct CodeObject {
    /// The chip it was made for.
    pub target: TargetId,
    /// Its format's version.
    pub abi: AbiVersion,
    /// Length in bytes of the block to load it into.
    pub load_size: u64,
    /// What to load, in file order.
    pub segments: Vec<Segment>,
    /// Exported variables and kernel descriptors, in file order.
    pub symbols: Vec<Symbol>,
    /// All named code, by ascending offset: to name an address in a disassembly or a fault.
    pub functions: Vec<Symbol>,
    /// Kernels, in the metadata's order.
    pub kernels: Vec<Kernel>,
    /// Format strings of buffered printf.
    pub printf: Vec<String>,
    /// Version of the metadata.
    pub metadata_version: (u32, u32),
    relocations: Vec<Relocation>,
    symbol_ordinals: HashMap<String, usize>,
    kernel_ordinals: HashMap<String, usize>,
    /// Bytes of the file, to see that [`Self::load_image`] is given the same one.
    file_bytes: usize,
}

impl CodeObject {
    /// Reads a code object and checks that it may run on `device`.
    ///
    /// `file` may be longer than the code object; what follows it is ignored.
    pub fn parse(file: &[u8], device: &TargetId) -> Result<Self, ObjectError> {
        let header = header::header(file)?;
        let abi = header::abi_version(header)?;
        let target = header::check_target(header, device)?;
        let programs = header.program_headers(ENDIAN, file).map_err(malformed)?;
        let layout = Layout::of(file, programs)?;
        let sections = header.sections(ENDIAN, file).map_err(malformed)?;
        let dynamic = sections
            .symbols(ENDIAN, file, elf::SHT_DYNSYM)
            .map_err(malformed)?;
        let all = sections
            .symbols(ENDIAN, file, elf::SHT_SYMTAB)
            .map_err(malformed)?;

        let mut name_budget = file.len().saturating_mul(NAME_BYTES_PER_FILE_BYTE);
        let symbols = symbol::exported(&dynamic, &layout, &mut name_budget)?;
        // Local functions are in the full table only, which a stripped object lacks.
        let functions_of = if all.is_empty() { &dynamic } else { &all };
        let functions = symbol::functions(functions_of, &layout, &mut name_budget)?;
        let relocations =
            relocation::all(file, sections.iter(), &dynamic, &layout, &mut name_budget)?;
        let mut symbol_ordinals = HashMap::new();
        for (ordinal, symbol) in symbols.iter().enumerate() {
            if symbol_ordinals
                .insert(symbol.name.clone(), ordinal)
                .is_some()
            {
                return Err(ObjectError::DuplicateSymbol(symbol.name.clone()));
            }
        }

        let metadata = Metadata::parse(metadata_note(file, programs)?)?;
        let code_bytes: HashMap<&str, u64> = functions
            .iter()
            .map(|function| (function.name.as_str(), function.size_bytes))
            .collect();
        let mut kernels = Vec::new();
        let mut kernel_ordinals = HashMap::new();
        for info in metadata.kernels {
            let descriptor = symbol_ordinals
                .get(&info.symbol)
                .map(|&ordinal: &usize| &symbols[ordinal]);
            let code_bytes = code_bytes.get(info.name.as_str()).copied();
            if kernel_ordinals
                .insert(info.name.clone(), kernels.len())
                .is_some()
            {
                return Err(ObjectError::DuplicateSymbol(info.name));
            }
            kernels.push(kernel(file, info, descriptor, code_bytes, &layout)?);
        }
        Ok(Self {
            target,
            abi,
            load_size: layout.load_size,
            segments: layout.segments,
            symbols,
            functions,
            kernels,
            printf: metadata.printf,
            metadata_version: metadata.version,
            relocations,
            symbol_ordinals,
            kernel_ordinals,
            file_bytes: file.len(),
        })
    }

    /// The kernel of this mangled name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernel_ordinals
            .get(name)
            .map(|&ordinal| &self.kernels[ordinal])
    }

    /// The exported variable of this mangled name.
    pub fn variable(&self, name: &str) -> Option<&Symbol> {
        let symbol = self
            .symbol_ordinals
            .get(name)
            .map(|&ordinal| &self.symbols[ordinal])?;
        (symbol.kind == SymbolKind::Variable).then_some(symbol)
    }

    /// All exported variables.
    pub fn variables(&self) -> impl Iterator<Item = &Symbol> {
        self.symbols
            .iter()
            .filter(|symbol| symbol.kind == SymbolKind::Variable)
    }

    /// Kernels to launch once, by one work-item each, after loading and before any other.
    pub fn init_kernels(&self) -> impl Iterator<Item = &Kernel> {
        self.kernels
            .iter()
            .filter(|kernel| kernel.info.kind == KernelKind::Init)
    }

    /// Kernels to launch once, by one work-item each, before unloading.
    pub fn fini_kernels(&self) -> impl Iterator<Item = &Kernel> {
        self.kernels
            .iter()
            .filter(|kernel| kernel.info.kind == KernelKind::Fini)
    }

    /// The function whose code holds `offset` (from the start of the loaded block).
    pub fn function_at(&self, offset: u64) -> Option<&Symbol> {
        let after = self
            .functions
            .partition_point(|function| function.offset <= offset);
        let function = &self.functions[after.checked_sub(1)?];
        (offset - function.offset < function.size_bytes).then_some(function)
    }

    /// The names of the variables that other code objects must define.
    pub fn undefined_variables(&self) -> impl Iterator<Item = &str> {
        self.relocations
            .iter()
            .filter_map(|relocation| match &relocation.referent {
                Referent::Outside(name) => Some(name.as_str()),
                _ => None,
            })
    }

    /// Writes the code object, relocated for `base_address`, into `destination`.
    ///
    /// `file` is what [`Self::parse`] read. `destination` has [`Self::load_size`] bytes, each of which
    /// is written. `resolve` gives the address of a variable that another code object defines.
    ///
    /// After an error the destination holds an unusable mixture.
    pub fn load_image(
        &self,
        file: &[u8],
        base_address: u64,
        destination: &mut [u8],
        resolve: &mut dyn FnMut(&str) -> Option<u64>,
    ) -> Result<(), ObjectError> {
        if destination.len() as u64 != self.load_size {
            return Err(ObjectError::WrongDestination {
                needed: self.load_size,
                available: destination.len() as u64,
            });
        }
        if file.len() != self.file_bytes {
            return Err(ObjectError::MalformedElf(format!(
                "it had {} bytes when it was read and has {} when it is loaded",
                self.file_bytes,
                file.len()
            )));
        }
        destination.fill(0);
        for segment in &self.segments {
            let bytes = &file[segment.file_range.clone()];
            // Fits a usize: it is within the destination, as `Layout::of` has checked.
            let start = usize::try_from(segment.offset).expect("within the destination");
            destination[start..start + bytes.len()].copy_from_slice(bytes);
        }
        for relocation in &self.relocations {
            let symbol = match &relocation.referent {
                Referent::Base => base_address,
                Referent::Inside(offset) => base_address.wrapping_add(*offset),
                Referent::Absolute(value) => *value,
                Referent::Outside(name) => {
                    resolve(name).ok_or_else(|| ObjectError::UndefinedVariable(name.clone()))?
                }
            };
            let value = symbol.wrapping_add_signed(relocation.addend).to_le_bytes();
            let value = match relocation.width {
                Width::Low32 => &value[..4],
                Width::High32 => &value[4..],
                Width::All64 => &value[..],
            };
            destination[relocation.offset..relocation.offset + value.len()].copy_from_slice(value);
        }
        Ok(())
    }
}

fn malformed(error: object::Error) -> ObjectError {
    ObjectError::MalformedElf(error.to_string())
}

/// The content of the first AMDGPU metadata note.
fn metadata_note<'a>(
    file: &'a [u8],
    programs: &'a [ProgramHeader64<LittleEndian>],
) -> Result<&'a [u8], ObjectError> {
    for program in programs {
        let Some(mut notes) = program.notes(ENDIAN, file).map_err(malformed)? else {
            continue;
        };
        while let Some(note) = notes.next().map_err(malformed)? {
            if note.name() == note::NOTE_NAME && note.n_type(ENDIAN) == note::NOTE_TYPE {
                return Ok(note.desc());
            }
        }
    }
    Err(ObjectError::MalformedMetadata(
        "there is no AMDGPU metadata note".to_owned(),
    ))
}

fn kernel(
    file: &[u8],
    info: KernelInfo,
    symbol: Option<&Symbol>,
    code_bytes: Option<u64>,
    layout: &Layout,
) -> Result<Kernel, ObjectError> {
    let bad = |reason: String| ObjectError::BadKernel {
        kernel: info.name.clone(),
        reason,
    };
    let symbol = symbol
        .filter(|symbol| symbol.kind == SymbolKind::Descriptor)
        .ok_or_else(|| bad(format!("its descriptor `{}` is not exported", info.symbol)))?;
    if !symbol.offset.is_multiple_of(DESCRIPTOR_BYTES as u64) {
        let offset = symbol.offset;
        return Err(bad(format!(
            "its descriptor at {offset:#x} is not a multiple of {DESCRIPTOR_BYTES}"
        )));
    }
    let bytes = layout
        .bytes(file, symbol.offset, DESCRIPTOR_BYTES)
        .and_then(|bytes| bytes.try_into().ok())
        .ok_or_else(|| {
            bad(format!(
                "its descriptor at {:#x} is not within the file",
                symbol.offset
            ))
        })?;
    let descriptor = KernelDescriptor::from_bytes(bytes);
    let entry_offset = symbol
        .offset
        .wrapping_add_signed(descriptor.entry_offset_bytes);
    if !layout.is_code(entry_offset) {
        return Err(bad(format!(
            "its entry at {entry_offset:#x} is not within the code"
        )));
    }
    if !entry_offset.is_multiple_of(ENTRY_ALIGNMENT_BYTES) {
        return Err(bad(format!(
            "its entry at {entry_offset:#x} is not a multiple of {ENTRY_ALIGNMENT_BYTES}"
        )));
    }
    let descriptor_offset = symbol.offset;
    Ok(Kernel {
        info,
        descriptor,
        descriptor_offset,
        entry_offset,
        code_bytes,
    })
}
