//! What went wrong, in more words than the KFD has.

use std::fmt;

use hrx_gfx::exec::Fault;
use parking_lot::Mutex;

/// A queue's end, with all that the emulator knows of it. Silicon knows less; nothing may depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultDetail {
    /// Queue that stopped.
    pub queue_id: u32,
    /// Number of its packet.
    pub packet: u64,
    /// Code of the error, `hrx_abi::kfd::queue_error`.
    pub code: u32,
    /// Name of the kernel, where a client gave names.
    pub kernel: Option<String>,
    /// The wave's fault, unless the packet itself was refused.
    pub fault: Option<Fault>,
    /// One sentence.
    pub message: String,
}

impl fmt::Display for FaultDetail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "queue {}, packet {}: {}",
            self.queue_id, self.packet, self.message
        )
    }
}

/// A named range of code.
#[derive(Debug)]
struct Code {
    base: u64,
    len: u64,
    name: String,
    /// (address, bytes, name), sorted.
    symbols: Vec<(u64, u64, String)>,
}

/// Names of code ranges.
#[derive(Debug, Default)]
pub(crate) struct Names {
    ranges: Mutex<Vec<Code>>,
}

impl Names {
    /// Names `[base, base + len)`; what was named there before is forgotten.
    pub(crate) fn insert(
        &self,
        base: u64,
        len: u64,
        name: &str,
        mut symbols: Vec<(u64, u64, String)>,
    ) {
        symbols.sort();
        let mut ranges = self.ranges.lock();
        ranges.retain(|code| {
            code.base >= base.saturating_add(len) || base >= code.base.saturating_add(code.len)
        });
        ranges.push(Code {
            base,
            len,
            name: name.to_owned(),
            symbols,
        });
    }

    /// The symbol that holds `address`, else the name of the range.
    pub(crate) fn find(&self, address: u64) -> Option<String> {
        let ranges = self.ranges.lock();
        let code = ranges
            .iter()
            .find(|code| address >= code.base && address - code.base < code.len)?;
        let below = code.symbols.partition_point(|(at, _, _)| *at <= address);
        let symbol = code.symbols[..below]
            .iter()
            .rev()
            .find(|(at, bytes, _)| address - at < (*bytes).max(1));
        Some(symbol.map_or(&code.name, |(_, _, name)| name).clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_the_name_of_its_symbol_or_range() {
        let names = Names::default();
        let symbols = vec![
            (0x1200, 0x40, "second".to_owned()),
            (0x1100, 0x80, "first".to_owned()),
        ];
        names.insert(0x1000, 0x1000, "object", symbols);
        assert_eq!(names.find(0x117f).as_deref(), Some("first"));
        assert_eq!(names.find(0x1180).as_deref(), Some("object"));
        assert_eq!(names.find(0x1200).as_deref(), Some("second"));
        assert_eq!(names.find(0x2000), None);
        names.insert(0x1000, 0x100, "other", Vec::new());
        assert_eq!(names.find(0x1200), None, "the old range is forgotten whole");
    }
}
