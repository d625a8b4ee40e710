//! The ELF file of a code object: checks, layout, symbols, relocations.
//!
//! A finished code object is a shared library for the device. Loading it means: one block of memory
//! from its first loadable segment to the end of its last, zeroed; each segment's bytes copied in;
//! the relocations applied. Protections are not used. Addresses here are *offsets from the start of
//! that block*, so they need no base to be subtracted; the block may stand at any address that is a
//! multiple of [`LOAD_ALIGNMENT_BYTES`].
//!
//! Facts of the format are from the LLVM AMDGPU usage guide (code object v4 to v6).

use std::collections::HashMap;
use std::ops::Range;

use object::elf::{self, FileHeader64, ProgramHeader64, Rela64, SectionHeader64, Sym64};
use object::endian::LittleEndian;
use object::read::elf::{FileHeader, ProgramHeader, Rela, SectionHeader, Sym, SymbolTable};

use super::descriptor::{DESCRIPTOR_BYTES, ENTRY_ALIGNMENT_BYTES, KernelDescriptor};
use super::note::{self, KernelInfo, KernelKind, Metadata};
use super::target::{MachineFlags, TargetId};
use super::{Fetch, ObjectError, slice};

/// Where a code object may be loaded: the page size that its segments are laid out for.
pub const LOAD_ALIGNMENT_BYTES: u64 = 4096;

/// Code reaches data by 32-bit displacements, so a larger one could not have been linked.
const LARGEST_LOAD_BYTES: u64 = 4 << 30;

/// Names of all symbols together, as a multiple of the file's length. Names may share a tail in the
/// string table, so a crafted file could make few bytes into many.
const NAME_BYTES_PER_FILE_BYTE: usize = 16;

/// ELFOSABI_AMDGPU_HSA.
const OS_ABI: u8 = 64;

/// Relocation numbers of the guide.
const RELOCATION_NONE: u32 = 0;
const RELOCATION_ABS32_LO: u32 = 1;
const RELOCATION_ABS32_HI: u32 = 2;
const RELOCATION_ABS64: u32 = 3;
const RELOCATION_ABS32: u32 = 6;
const RELOCATION_RELATIVE64: u32 = 13;

const ENDIAN: LittleEndian = LittleEndian;

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

/// What a symbol names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolKind {
    /// A variable.
    Variable,
    /// A kernel's descriptor; its name ends in `.kd`.
    Descriptor,
    /// Code.
    Function,
}

/// A name in the loaded block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// The mangled name.
    pub name: String,
    /// What it names.
    pub kind: SymbolKind,
    /// Where it is, from the start of the loaded block.
    pub offset: u64,
    /// Its length; `offset + size_bytes` is within the block.
    pub size_bytes: u64,
    /// Weak, so that another definition of the name may stand beside it.
    pub weak: bool,
}

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

/// What a relocation's symbol stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Referent {
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
enum Width {
    Low32,
    High32,
    All64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Relocation {
    offset: usize,
    referent: Referent,
    addend: i64,
    width: Width,
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
        let header = header(file)?;
        let abi = abi_version(header)?;
        let target = check_target(header, device)?;
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
        let symbols = exported_symbols(&dynamic, &layout, &mut name_budget)?;
        // Local functions are in the full table only, which a stripped object lacks.
        let functions_of = if all.is_empty() { &dynamic } else { &all };
        let functions = functions(functions_of, &layout, &mut name_budget)?;
        let relocations = relocations(file, sections.iter(), &dynamic, &layout, &mut name_budget)?;
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

/// The target that a code object was made for, by its header alone.
pub(super) fn target_of(file: &[u8]) -> Result<TargetId, ObjectError> {
    Ok(MachineFlags::decode(header(file)?.e_flags.get(ENDIAN))?.target)
}

fn malformed(error: object::Error) -> ObjectError {
    ObjectError::MalformedElf(error.to_string())
}

/// The file header, when it is one of a little-endian 64-bit shared library for AMD's GPUs.
fn header(file: &[u8]) -> Result<&FileHeader64<LittleEndian>, ObjectError> {
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

fn abi_version(header: &FileHeader64<LittleEndian>) -> Result<AbiVersion, ObjectError> {
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

fn check_target(
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

/// Where the parts of the file go.
struct Layout {
    segments: Vec<Segment>,
    base_vaddr: u64,
    load_size: u64,
}

impl Layout {
    fn of(file: &[u8], programs: &[ProgramHeader64<LittleEndian>]) -> Result<Self, ObjectError> {
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
    fn offset(&self, vaddr: u64, length: u64) -> Option<u64> {
        let offset = vaddr.checked_sub(self.base_vaddr)?;
        (offset.checked_add(length)? <= self.load_size).then_some(offset)
    }

    /// The file's bytes that are loaded at `offset`.
    fn bytes<'a>(&self, file: &'a [u8], offset: u64, length: usize) -> Option<&'a [u8]> {
        self.segments.iter().find_map(|segment| {
            let start = usize::try_from(offset.checked_sub(segment.offset)?).ok()?;
            file[segment.file_range.clone()].get(start..start.checked_add(length)?)
        })
    }

    fn is_code(&self, offset: u64) -> bool {
        self.segments.iter().any(|segment| {
            let loaded = segment.file_range.len() as u64;
            segment.executable && offset.wrapping_sub(segment.offset) < loaded
        })
    }
}

type Symbols<'a> = SymbolTable<'a, FileHeader64<LittleEndian>>;

fn name(
    table: &Symbols<'_>,
    symbol: &Sym64<LittleEndian>,
    budget: &mut usize,
) -> Result<String, ObjectError> {
    let bytes = symbol.name(ENDIAN, table.strings()).map_err(malformed)?;
    *budget = budget.checked_sub(bytes.len()).ok_or_else(|| {
        ObjectError::MalformedElf("its symbols' names overlap without end".to_owned())
    })?;
    String::from_utf8(bytes.to_vec())
        .map_err(|_| ObjectError::MalformedElf("a symbol's name is not UTF-8".to_owned()))
}

fn symbol(
    table: &Symbols<'_>,
    symbol: &Sym64<LittleEndian>,
    kind: SymbolKind,
    layout: &Layout,
    budget: &mut usize,
) -> Result<Symbol, ObjectError> {
    let name = name(table, symbol, budget)?;
    let (vaddr, size_bytes) = (symbol.st_value(ENDIAN), symbol.st_size(ENDIAN));
    let offset = layout
        .offset(vaddr, size_bytes)
        .ok_or_else(|| ObjectError::OutOfBounds {
            what: format!("symbol `{name}`"),
            offset: vaddr,
            end: vaddr.saturating_add(size_bytes),
            available: layout.load_size,
        })?;
    let is_descriptor = kind == SymbolKind::Variable && name.ends_with(".kd");
    let kind = if is_descriptor {
        SymbolKind::Descriptor
    } else {
        kind
    };
    let weak = symbol.st_bind() == elf::STB_WEAK;
    Ok(Symbol {
        name,
        kind,
        offset,
        size_bytes,
        weak,
    })
}

/// Whether a symbol stands for a place in the block.
fn is_defined(symbol: &Sym64<LittleEndian>) -> bool {
    !matches!(symbol.st_shndx(ENDIAN), elf::SHN_UNDEF | elf::SHN_ABS)
}

/// > OBJECT symbols that are not LOCAL: variables and descriptors.
fn exported_symbols(
    table: &Symbols<'_>,
    layout: &Layout,
    budget: &mut usize,
) -> Result<Vec<Symbol>, ObjectError> {
    let is_exported = |symbol: &&Sym64<LittleEndian>| {
        symbol.st_type() == elf::STT_OBJECT
            && symbol.st_bind() != elf::STB_LOCAL
            && is_defined(symbol)
    };
    table
        .iter()
        .filter(is_exported)
        .map(|entry| symbol(table, entry, SymbolKind::Variable, layout, budget))
        .collect()
}

fn functions(
    table: &Symbols<'_>,
    layout: &Layout,
    budget: &mut usize,
) -> Result<Vec<Symbol>, ObjectError> {
    let mut functions = table
        .iter()
        .filter(|symbol| symbol.st_type() == elf::STT_FUNC && is_defined(symbol))
        .map(|entry| symbol(table, entry, SymbolKind::Function, layout, budget))
        .collect::<Result<Vec<_>, _>>()?;
    functions.sort_by_key(|function| function.offset);
    Ok(functions)
}

/// > Every RELA section without a target section.
fn relocations<'a>(
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

/// Length of an ELF file of which only the beginning is known: the furthest byte that its header, its
/// tables, its segments or its sections name.
pub(super) fn file_length(fetch: &mut Fetch<'_>) -> Result<u64, ObjectError> {
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
