//! Vendor packets: PM4 commands in a buffer, and barriers on a signal's value.

use hrx_abi::aql;

use crate::device::Device;

/// Opcode that invalidates caches, the instruction cache among them.
const ACQUIRE_MEM: u32 = 0x58;
const NOP: u32 = 0x10;
/// Most dwords of a buffer that are looked at.
const DWORDS_MAX: u64 = 1 << 16;
/// Vendor format of a barrier on a value; [`aql::VENDOR_FORMAT_PM4_IB`] is the other one.
const FORMAT_BARRIER_VALUE: u32 = 2;

/// What a vendor packet came to.
pub(super) enum Vendor {
    Done,
    /// Its condition does not hold yet.
    Blocked,
    /// It reads memory that the device does not see: the address.
    Fault(u64),
    /// The processor does not know it.
    Refused(String),
}

/// Runs a vendor packet.
pub(super) fn run(device: &Device, words: &[u32; 16]) -> Vendor {
    let format = words[0] >> 16 & 0xff;
    if format == u32::from(aql::VENDOR_FORMAT_PM4_IB) {
        indirect_buffer(device, words)
    } else if format == FORMAT_BARRIER_VALUE {
        barrier_value(device, words)
    } else {
        Vendor::Refused(format!(
            "vendor packet of format {format}, known are 1 and 2"
        ))
    }
}

fn pair(words: &[u32; 16], index: usize) -> u64 {
    u64::from(words[index + 1]) << 32 | u64::from(words[index])
}

fn indirect_buffer(device: &Device, words: &[u32; 16]) -> Vendor {
    let address = pair(words, 2) & !3;
    let dwords = u64::from(words[4] & 0xf_ffff);
    if words[1] != aql::PM4_INDIRECT_BUFFER
        || words[4] & aql::PM4_IB_VALID == 0
        || words[5] != aql::PM4_IB_REMAINING_DWORDS
        || dwords > DWORDS_MAX
    {
        return Vendor::Refused(format!(
            "vendor packet with PM4 header {:#x}, control {:#x} and {} dwords behind",
            words[1], words[4], words[5]
        ));
    }
    let mut at = 0;
    while at < dwords {
        let place = address + at * 4;
        let Some([header]) = device.memory.read_words::<1>(place) else {
            return Vendor::Fault(place);
        };
        let (opcode, body) = (header >> 8 & 0xff, u64::from(header >> 16 & 0x3fff) + 1);
        match (header >> 30, opcode) {
            // Type 2 is one dword of padding.
            (2, _) => {
                at += 1;
                continue;
            }
            (3, ACQUIRE_MEM) => device.code.invalidate(),
            (3, NOP) => {}
            _ => return Vendor::Refused(format!("PM4 packet {header:#x} in an indirect buffer")),
        }
        at += 1 + body;
    }
    Vendor::Done
}

fn barrier_value(device: &Device, words: &[u32; 16]) -> Vendor {
    let (handle, reference, mask) = (pair(words, 2), pair(words, 4), pair(words, 6));
    let Some(value) = device.signal_value(handle) else {
        return Vendor::Fault(handle);
    };
    let (value, reference) = (value & mask.cast_signed(), reference.cast_signed());
    let holds = match words[8] {
        0 => value == reference,
        1 => value != reference,
        2 => value < reference,
        3 => value >= reference,
        other => return Vendor::Refused(format!("barrier on a value with condition {other}")),
    };
    if holds { Vendor::Done } else { Vendor::Blocked }
}
