//! Symbols: variables, descriptors and code by name.

use object::elf::{self, FileHeader64, Sym64};
use object::endian::LittleEndian;
use object::read::elf::{Sym, SymbolTable};

use super::super::ObjectError;
use super::layout::Layout;
use super::{ENDIAN, malformed};

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

pub(super) type Symbols<'a> = SymbolTable<'a, FileHeader64<LittleEndian>>;

pub(super) fn name(
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
pub(super) fn exported(
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

pub(super) fn functions(
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
