//! Names of code, so that a fault can say where it happened.

use std::collections::BTreeMap;

use hrx_hal::CodeSymbol;
use parking_lot::Mutex;

/// What lies in which range of device memory.
#[derive(Debug, Default)]
pub(super) struct CodeNames {
    ranges: Mutex<BTreeMap<u64, Range>>,
}

#[derive(Debug)]
struct Range {
    len: u64,
    name: String,
    symbols: Vec<CodeSymbol>,
}

impl CodeNames {
    pub(super) fn add(&self, base: u64, len: u64, name: &str, symbols: Vec<CodeSymbol>) {
        let range = Range {
            len,
            name: name.to_owned(),
            symbols,
        };
        self.ranges.lock().insert(base, range);
    }

    pub(super) fn remove(&self, base: u64) {
        self.ranges.lock().remove(&base);
    }

    /// The symbol at an address, without the suffix of kernel descriptors; else the code object.
    pub(super) fn find(&self, address: u64) -> Option<String> {
        let ranges = self.ranges.lock();
        let (base, range) = ranges.range(..=address).next_back()?;
        if address - base >= range.len {
            return None;
        }
        let symbol = range.symbols.iter().find(|symbol| {
            (symbol.address..symbol.address.saturating_add(symbol.size.max(1))).contains(&address)
        });
        let name = symbol.map_or(range.name.as_str(), |symbol| symbol.name.as_str());
        Some(name.strip_suffix(".kd").unwrap_or(name).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_the_name_of_its_symbol_or_of_its_code_object() {
        let names = CodeNames::default();
        let symbol = CodeSymbol {
            address: 0x1040,
            size: 64,
            name: "saxpy.kd".into(),
        };
        names.add(0x1000, 0x1000, "a.co", vec![symbol]);
        assert_eq!(names.find(0x1040).as_deref(), Some("saxpy"));
        assert_eq!(names.find(0x107f).as_deref(), Some("saxpy"));
        assert_eq!(names.find(0x1080).as_deref(), Some("a.co"));
        assert_eq!(names.find(0x2000), None);
        assert_eq!(names.find(0xfff), None);
        names.remove(0x1000);
        assert_eq!(names.find(0x1040), None);
    }
}
