//! How a queue's end is told: events, the error word, the inactive signal, and words for people.

use std::mem::offset_of;
use std::sync::atomic::Ordering;

use hrx_abi::kfd::{SaveAreaHeader, inactive_signal, queue_error};
use hrx_abi::queue::AmdQueue;
use hrx_abi::signal::Signal;
use hrx_gfx::exec::{AccessError, Fault, FaultKind, LaunchError};

use super::aql::{AqlQueue, exception};
use super::dispatch::Packet;
use super::fault::{FaultDetail, Faults};
use crate::device::Device;

/// Why the processor refuses a packet.
#[derive(Debug)]
pub(super) struct Refusal {
    code: u32,
    message: String,
    kernel_object: Option<u64>,
    /// Address that the device does not see.
    unmapped: Option<u64>,
}

impl Refusal {
    pub(super) fn new(code: u32, message: String) -> Self {
        Self {
            code,
            message,
            kernel_object: None,
            unmapped: None,
        }
    }

    pub(super) fn of_kernel(code: u32, message: String, kernel_object: u64) -> Self {
        Self {
            kernel_object: Some(kernel_object),
            ..Self::new(code, message)
        }
    }

    /// Something that the processor itself must read or write is not there.
    pub(super) fn unmapped(what: &str, address: u64) -> Self {
        let message = format!("{what} at {address:#x} is not memory that the device may use");
        let unmapped = Some(address);
        Self {
            unmapped,
            ..Self::new(queue_error::WAVE_MEMORY_VIOLATION, message)
        }
    }
}

impl AqlQueue {
    /// Ends the queue for a packet that cannot be run.
    pub(super) fn refuse(&self, device: &Device, faults: &Faults, position: u64, refusal: Refusal) {
        if !self.stop() {
            return;
        }
        if let Some(address) = refusal.unmapped {
            device
                .events
                .memory_exception(exception(AccessError::NotPresent, address));
        }
        let kernel = refusal
            .kernel_object
            .and_then(|object| faults.kernel_name(device, object));
        faults.record(FaultDetail {
            queue_id: self.spec.id,
            packet: position,
            code: refusal.code,
            kernel,
            fault: None,
            message: refusal.message,
        });
        self.report(device, refusal.code);
    }

    /// Ends the queue for a wave that cannot go on.
    pub(super) fn fault(&self, device: &Device, faults: &Faults, packet: Packet, fault: Fault) {
        let _at_work = device.memory.enter();
        if !self.stop() {
            return;
        }
        let code = match &fault.kind {
            FaultKind::Memory { address, why } => {
                device.events.memory_exception(exception(*why, *address));
                queue_error::WAVE_MEMORY_VIOLATION
            }
            FaultKind::IllegalInstruction | FaultKind::Unsupported { .. } => {
                queue_error::WAVE_ILLEGAL_INSTRUCTION
            }
            // `s_trap 2` is how device code aborts.
            FaultKind::Trap { id: 2 } => queue_error::WAVE_ABORT,
            FaultKind::Trap { .. } => queue_error::WAVE_TRAP,
            FaultKind::Aperture { .. } | FaultKind::MisalignedAtomic { .. } => {
                queue_error::WAVE_APERTURE_VIOLATION
            }
        };
        faults.record(FaultDetail {
            queue_id: self.spec.id,
            packet: packet.position,
            code,
            kernel: faults.kernel_name(device, packet.kernel_object),
            message: fault.to_string(),
            fault: Some(fault),
        });
        self.report(device, code);
    }

    /// Ends the queue because the emulator itself failed.
    pub(super) fn halt(&self, device: &Device, faults: &Faults, packet: Packet) {
        let _at_work = device.memory.enter();
        let message = "the emulator failed while it ran the kernel".to_owned();
        let code = queue_error::DEVICE_FATAL_HALT;
        let refusal = Refusal::of_kernel(code, message, packet.kernel_object);
        self.refuse(device, faults, packet.position, refusal);
    }

    /// Tells the client: by the save area's error word if it named one, else by the inactive signal.
    fn report(&self, device: &Device, code: u32) {
        device.memory.refresh();
        let header: SaveAreaHeader = device
            .memory
            .read_words::<10>(self.spec.save_area)
            .map_or_else(SaveAreaHeader::default, bytemuck::cast);
        if header.err_payload_addr != 0
            && let Some(payload) = device.memory.word64(header.err_payload_addr)
        {
            payload.fetch_or(queue_error::payload(code), Ordering::Release);
            device.raise(header.err_event_id);
            return;
        }
        let place = self.amd_queue(device) + offset_of!(AmdQueue, queue_inactive_signal) as u64;
        let Some([low, high]) = device.memory.read_words::<2>(place) else {
            return;
        };
        let signal = u64::from(high) << 32 | u64::from(low);
        let word = device
            .memory
            .word64(signal.wrapping_add(offset_of!(Signal, value) as u64));
        if signal != 0
            && let Some(value) = word
        {
            value.store(inactive_signal::error_bit(code).into(), Ordering::Release);
            if let Some(mailbox) = device.mailbox(signal) {
                device.ring_mailbox(mailbox);
            }
        }
    }
}

/// The processor's code for what is wrong with a dispatch.
pub(super) fn launch_error_code(error: &LaunchError) -> u32 {
    match error {
        LaunchError::Dimensions { .. } => queue_error::PACKET_DISPATCH_DIM_INVALID,
        LaunchError::GroupSegmentTooLarge { .. } => {
            queue_error::PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID
        }
        LaunchError::WorkgroupSize { .. } => queue_error::PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID,
        LaunchError::Registers { .. } => queue_error::PACKET_DISPATCH_REGISTER_INVALID,
        LaunchError::BadKernelObject { .. }
        | LaunchError::Scratch { .. }
        | LaunchError::Unsupported { .. } => queue_error::PACKET_DISPATCH_CODE_INVALID,
    }
}
