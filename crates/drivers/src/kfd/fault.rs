//! From what the kernel reports to a fault that a person can read.

use hrx_abi::kfd::{HardwareException, MemoryException, queue_error};
use hrx_hal::{DeviceFault, FaultKind};

use super::kernel::FaultReport;

/// A fault that only names its kind.
fn bare(kind: FaultKind) -> DeviceFault {
    DeviceFault {
        kind,
        address: None,
        code: 0,
        kernel: None,
        workgroup: None,
        lane: None,
        detail: None,
    }
}

/// A page fault, or memory that broke.
pub(super) fn of_memory(exception: &MemoryException) -> DeviceFault {
    let kind = match exception {
        MemoryException {
            error_type: 1.., ..
        } => FaultKind::Lost,
        MemoryException {
            no_execute: 1.., ..
        } => FaultKind::NoExecute,
        MemoryException { read_only: 1.., .. } => FaultKind::ReadOnly,
        _ => FaultKind::NotPresent,
    };
    let detail = match exception.error_type {
        0 if exception.imprecise != 0 => Some("the address is not known".to_owned()),
        0 => None,
        1 => Some("uncorrectable memory error".to_owned()),
        2 => Some("poisoned memory".to_owned()),
        3 => Some("hang".to_owned()),
        other => Some(format!("memory error type {other}")),
    };
    DeviceFault {
        // A page 0 that is named precisely is an address like any other: a null pointer.
        address: (exception.imprecise == 0 && exception.error_type == 0).then_some(exception.va),
        detail,
        ..bare(kind)
    }
}

/// A reset of the device.
pub(super) fn of_hardware(exception: &HardwareException) -> DeviceFault {
    let cause = match exception.reset_cause {
        0 => "hang",
        1 => "memory error",
        _ => "unknown cause",
    };
    let lost = if exception.memory_lost != 0 {
        ", contents of memory lost"
    } else {
        ""
    };
    DeviceFault {
        detail: Some(format!("device reset, {cause}{lost}")),
        ..bare(FaultKind::Lost)
    }
}

/// An error word of a queue: bit `code - 1`; the lowest one counts.
pub(super) fn of_queue(word: u64) -> DeviceFault {
    let code = word.trailing_zeros() + 1;
    let (kind, detail) = match code {
        queue_error::WAVE_ABORT => (FaultKind::Trap, "the kernel aborted"),
        queue_error::WAVE_TRAP => (FaultKind::Trap, "trap"),
        queue_error::WAVE_MATH_ERROR => (FaultKind::Trap, "floating-point exception"),
        queue_error::WAVE_ILLEGAL_INSTRUCTION => (FaultKind::IllegalInstruction, ""),
        queue_error::WAVE_MEMORY_VIOLATION => (FaultKind::NotPresent, ""),
        queue_error::WAVE_APERTURE_VIOLATION => (FaultKind::Aperture, ""),
        queue_error::PACKET_DISPATCH_DIM_INVALID => (FaultKind::InvalidPacket, "dimensions"),
        queue_error::PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID => {
            (FaultKind::InvalidPacket, "LDS size")
        }
        queue_error::PACKET_DISPATCH_CODE_INVALID => (FaultKind::InvalidPacket, "kernel object"),
        queue_error::PACKET_UNSUPPORTED => (FaultKind::InvalidPacket, "packet type"),
        queue_error::PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID => {
            (FaultKind::InvalidPacket, "work-group size")
        }
        queue_error::PACKET_DISPATCH_REGISTER_INVALID => (FaultKind::InvalidPacket, "registers"),
        queue_error::PACKET_VENDOR_UNSUPPORTED => (FaultKind::InvalidPacket, "vendor packet"),
        queue_error::DEVICE_MEMORY_VIOLATION
        | queue_error::DEVICE_RAS_ERROR
        | queue_error::DEVICE_FATAL_HALT => (FaultKind::Lost, "device error"),
        _ => (FaultKind::Other, ""),
    };
    DeviceFault {
        code,
        detail: (!detail.is_empty()).then(|| detail.to_owned()),
        ..bare(kind)
    }
}

/// Adds what the kernel knows beyond the KFD's interface.
pub(super) fn enrich(fault: &mut DeviceFault, report: FaultReport) {
    fault.kernel = report.kernel.or(fault.kernel.take());
    fault.workgroup = report.workgroup.or(fault.workgroup);
    fault.lane = report.lane.or(fault.lane);
    fault.detail = match (fault.detail.take(), report.detail) {
        (Some(ours), Some(theirs)) => Some(format!("{ours}; {theirs}")),
        (ours, theirs) => ours.or(theirs),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_fault_says_what_was_wrong_with_the_page() {
        let fault = |not_present, read_only, no_execute| {
            of_memory(&MemoryException {
                not_present,
                read_only,
                no_execute,
                va: 0x7000,
                ..MemoryException::default()
            })
        };
        assert_eq!(fault(1, 0, 0).kind, FaultKind::NotPresent);
        assert_eq!(fault(0, 1, 0).kind, FaultKind::ReadOnly);
        assert_eq!(fault(0, 0, 1).kind, FaultKind::NoExecute);
        assert_eq!(fault(1, 0, 0).address, Some(0x7000));
        let vague = MemoryException {
            imprecise: 1,
            ..MemoryException::default()
        };
        assert_eq!(of_memory(&vague).address, None);
    }

    #[test]
    fn queue_errors_are_named_by_their_lowest_bit() {
        let fault = of_queue(queue_error::payload(queue_error::WAVE_ILLEGAL_INSTRUCTION));
        assert_eq!((fault.kind, fault.code), (FaultKind::IllegalInstruction, 4));
        let fault = of_queue(1 << 17 | 1 << 40);
        assert_eq!((fault.kind, fault.code), (FaultKind::InvalidPacket, 18));
        assert_eq!(of_queue(1 << 63).kind, FaultKind::Other);
    }
}
