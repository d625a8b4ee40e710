//! What went wrong, in more words than the KFD has.

use std::fmt;

use hrx_gfx::exec::Fault;
use parking_lot::Mutex;

use crate::device::Device;

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
        write!(f, "queue {}, packet {}", self.queue_id, self.packet)?;
        if let Some(kernel) = &self.kernel {
            write!(f, ", kernel `{kernel}`")?;
        }
        write!(f, ": {}", self.message)
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

impl Code {
    fn symbol(&self, address: u64) -> Option<&str> {
        let below = self.symbols.partition_point(|(at, _, _)| *at <= address);
        let mut before = self.symbols[..below].iter().rev();
        let found = before.find(|(at, bytes, _)| address - at < (*bytes).max(1));
        found.map(|(_, _, name)| name.as_str())
    }
}

/// Names of code ranges in, the last fault out.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    ranges: Mutex<Vec<Code>>,
    last: Mutex<Option<FaultDetail>>,
}

impl Faults {
    /// Names `[base, base + len)`; what was named there before is forgotten.
    pub(super) fn name(
        &self,
        base: u64,
        len: u64,
        name: &str,
        mut symbols: Vec<(u64, u64, String)>,
    ) {
        symbols.sort();
        let end = base.saturating_add(len);
        let mut ranges = self.ranges.lock();
        ranges.retain(|code| code.base >= end || base >= code.base.saturating_add(code.len));
        ranges.push(Code {
            base,
            len,
            name: name.to_owned(),
            symbols,
        });
    }

    /// The name of the kernel whose descriptor is at an address: its own symbol, that of its first
    /// instruction, or at least that of the code object.
    pub(super) fn kernel_name(&self, device: &Device, descriptor: u64) -> Option<String> {
        // Bytes 16 to 23 of a descriptor: where the code begins, relative to it.
        let words = device.memory.read_words::<2>(descriptor.wrapping_add(16));
        let entry = words
            .map(|[low, high]| descriptor.wrapping_add(u64::from(high) << 32 | u64::from(low)));
        self.find(descriptor, entry)
    }

    fn find(&self, descriptor: u64, entry: Option<u64>) -> Option<String> {
        let ranges = self.ranges.lock();
        let holds = |code: &&Code| {
            descriptor
                .checked_sub(code.base)
                .is_some_and(|at| at < code.len)
        };
        let code = ranges.iter().find(holds)?;
        let own = code
            .symbol(descriptor)
            .map(|name| name.trim_end_matches(".kd"));
        let name = own.or_else(|| code.symbol(entry?)).unwrap_or(&code.name);
        Some(name.to_owned())
    }

    pub(super) fn record(&self, detail: FaultDetail) {
        tracing::debug!("{detail}");
        *self.last.lock() = Some(detail);
    }

    pub(super) fn last(&self) -> Option<FaultDetail> {
        self.last.lock().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_has_the_name_of_its_descriptor_or_code_or_object() {
        let faults = Faults::default();
        let symbols = vec![
            (0x1200, 0x40, "second.kd".to_owned()),
            (0x1100, 0x80, "first".to_owned()),
            (0x1400, 0, "label".to_owned()),
        ];
        faults.name(0x1000, 0x1000, "object", symbols);
        let find = |descriptor, entry| faults.find(descriptor, entry);
        assert_eq!(find(0x1200, None).as_deref(), Some("second"));
        assert_eq!(find(0x1800, Some(0x117f)).as_deref(), Some("first"));
        assert_eq!(find(0x1800, Some(0x1180)).as_deref(), Some("object"));
        assert_eq!(
            find(0x1800, Some(0x1400)).as_deref(),
            Some("label"),
            "an empty symbol has one byte"
        );
        assert_eq!(find(0x2000, Some(0x1100)), None, "elsewhere");
        faults.name(0x1000, 0x100, "other", Vec::new());
        assert_eq!(find(0x1200, None), None, "the old range is forgotten whole");
    }
}
