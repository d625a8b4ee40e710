//! The table of instructions that are executed: one entry per native encoding.
//!
//! The VOP3 form of a VOP1, VOP2 or VOPC instruction has the same entry; VOPD halves are lowered as the
//! VOP1 or VOP2 instructions that they are. An opcode without an entry is a planned gap: it lowers to an
//! operation that faults with its name.

use std::sync::LazyLock;

use crate::isa::{Format, Inst};

use super::lower::{Gap, Lowering};
use super::{buffer, control, global, lds, scalar, vector};

/// How one instruction is lowered.
#[derive(Debug)]
pub(super) struct Entry {
    pub format: Format,
    pub opcode: u16,
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "a test compares it with the instruction table")
    )]
    pub name: &'static str,
    pub lower: fn(&mut Lowering, &Inst) -> Result<(), Gap>,
}

/// Every list of entries, by the module that does them.
const LISTS: &[&[Entry]] = &[
    control::ENTRIES,
    scalar::ARITHMETIC,
    scalar::EXEC,
    scalar::MOVREL,
    vector::int::ENTRIES,
    vector::real::ENTRIES,
    vector::cross::ENTRIES,
    vector::carry::ENTRIES,
    vector::matrix::ENTRIES,
    buffer::ENTRIES,
    scalar::COMPARE,
    global::ENTRIES,
    lds::ENTRIES,
];

/// Every entry.
pub(super) fn all() -> impl Iterator<Item = &'static Entry> {
    LISTS
        .iter()
        .chain(global::MEMORY)
        .chain(vector::compare::ENTRIES)
        .chain(vector::packed::ENTRIES)
        .chain(buffer::MEMORY)
        .copied()
        .flatten()
}

/// Entries by format and opcode.
static INDEX: LazyLock<Vec<Vec<Option<&'static Entry>>>> = LazyLock::new(|| {
    let mut index: Vec<Vec<Option<&'static Entry>>> = vec![Vec::new(); Format::ALL.len()];
    let mut add = |format: Format, opcode: u16, entry: &'static Entry| {
        let row = &mut index[format as usize];
        let opcode = usize::from(opcode);
        if row.len() <= opcode {
            row.resize(opcode + 1, None);
        }
        debug_assert!(row[opcode].is_none(), "two entries for {format:?} {opcode}");
        row[opcode] = Some(entry);
    };
    for entry in all() {
        add(entry.format, entry.opcode, entry);
        // The part of VOP3's opcode space that repeats a shorter format.
        let in_vop3 = match entry.format {
            Format::Vopc => Some(entry.opcode),
            Format::Vop2 => Some(entry.opcode + 256),
            Format::Vop1 => Some(entry.opcode + 384),
            _ => None,
        };
        if let Some(opcode) = in_vop3 {
            add(Format::Vop3, opcode, entry);
        }
    }
    index
});

/// The entry of an opcode, if it is executed.
pub(super) fn entry(format: Format, opcode: u16) -> Option<&'static Entry> {
    *INDEX[format as usize].get(usize::from(opcode))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::table;

    #[test]
    fn entries_are_named_as_the_instruction_table_names_them() {
        for entry in all() {
            let row = table::lookup(entry.format, entry.opcode);
            assert_eq!(row.map(|row| row.mnemonic), Some(entry.name), "{entry:?}");
        }
    }

    #[test]
    fn no_opcode_has_two_entries() {
        let mut seen = std::collections::HashSet::new();
        for entry in all() {
            assert!(seen.insert((entry.format, entry.opcode)), "{entry:?}");
        }
    }
}
