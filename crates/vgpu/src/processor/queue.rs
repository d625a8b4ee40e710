//! One AQL queue as the packet processor sees it.
//!
//! 1. A packet starts once its header is not INVALID, the doorbell names it, and, with the barrier bit, all
//!    earlier packets have completed.
//! 2. Its work is done by whoever started it, and by other workers if it is large.
//! 3. Completion: header back to INVALID, read index over all packets that are complete in a row, ticks into
//!    the signal, the signal's value down by one, mailbox and interrupt.
//!
//! # Memory ordering
//! The header is read with acquire: it pairs with the client's release store, so the rest of the packet and
//! the kernel arguments are visible. The read index and the signal's value are stored with release: whoever
//! sees them sees what the packet wrote.

use std::collections::VecDeque;
use std::mem::offset_of;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hrx_abi::aql::{self, Barrier, KernelDispatch, PacketType};
use hrx_abi::kfd::{MemoryException, SaveAreaHeader, queue_error};
use hrx_abi::queue::AmdQueue;
use hrx_abi::signal::Signal;
use hrx_gfx::exec::{AccessError, DispatchInfo, FaultKind, Launch, LaunchError};
use parking_lot::Mutex;

use super::dispatch::Dispatch;
use super::fault::{FaultDetail, Names};
use crate::device::Device;
use crate::kernel::QueueSpec;

/// A doorbell that nobody has rung.
const NEVER_RUNG: u64 = u64::MAX;
/// Value of the inactive signal that asks for scratch for a wave of 32 lanes.
const NEED_SCRATCH_WAVE32: u64 = 0x400;
/// PM4 opcode: invalidates caches, instruction cache among them.
const PM4_ACQUIRE_MEM: u32 = 0x58;
const PM4_NOP: u32 = 0x10;
/// Most dwords of an indirect buffer that are looked at.
const PM4_DWORDS_MAX: u64 = 1 << 16;

/// A queue that lives.
#[derive(Debug)]
pub(crate) struct AqlQueue {
    pub(crate) spec: QueueSpec,
    /// Stopped for good: by an error, or because the client destroyed it.
    pub(crate) dead: AtomicBool,
    /// The next packet waits for a signal or for scratch: looked at in rounds, but no reason to stay awake.
    blocked: AtomicBool,
    packets: Mutex<Packets>,
}

#[derive(Debug, Default)]
struct Packets {
    /// Next packet to start.
    next: u64,
    /// Started packets from the read index on; true is complete.
    flight: VecDeque<bool>,
    incomplete: usize,
    /// The client has been asked for scratch for the packet at `next`.
    scratch_asked: bool,
}

/// What [`AqlQueue::step`] found.
pub(crate) enum Step {
    /// Nothing to start.
    Idle,
    /// A packet waits for a signal or for scratch: look again soon, nobody will ring.
    Blocked,
    /// A packet without work for waves is done.
    Done,
    /// A dispatch has started.
    Started(Arc<Dispatch>),
}

impl AqlQueue {
    pub(crate) fn new(spec: QueueSpec) -> Self {
        Self {
            spec,
            dead: AtomicBool::new(false),
            blocked: AtomicBool::new(false),
            packets: Mutex::default(),
        }
    }

    fn packet_address(&self, position: u64) -> u64 {
        self.spec.ring + (position * aql::PACKET_BYTES as u64) % self.spec.ring_bytes
    }

    /// Whether the doorbell names a packet that has not started.
    pub(crate) fn pending(&self, device: &Device) -> bool {
        if self.dead.load(Ordering::Relaxed) || self.blocked.load(Ordering::Relaxed) {
            return false;
        }
        // Whoever holds the lock looks again before it parks.
        let Some(packets) = self.packets.try_lock() else {
            return false;
        };
        self.rung_past(device, packets.next)
            && (packets.incomplete == 0 || !self.next_has_barrier(device, &packets))
    }

    fn rung_past(&self, device: &Device, next: u64) -> bool {
        let doorbell = device
            .memory
            .backing_word(device.doorbells + 8 * self.spec.doorbell as u64);
        // Acquire: a client that rings after its header store may have stored more than one header.
        let rung = doorbell.load(Ordering::Acquire);
        rung != NEVER_RUNG && rung >= next
    }

    fn next_has_barrier(&self, device: &Device, packets: &Packets) -> bool {
        let header = device.memory.word32(self.packet_address(packets.next));
        header.is_none_or(|header| {
            header.load(Ordering::Relaxed) & u32::from(aql::HEADER_BARRIER) != 0
        })
    }

    /// Starts the next packet if it may start.
    pub(crate) fn step(self: &Arc<Self>, device: &Device, faults: &Faults) -> Step {
        if self.dead.load(Ordering::Relaxed) {
            return Step::Idle;
        }
        let Some(mut packets) = self.packets.try_lock() else {
            return Step::Idle;
        };
        let position = packets.next;
        if !self.rung_past(device, position) {
            return Step::Idle;
        }
        let address = self.packet_address(position);
        let Some(first) = device.memory.word32(address) else {
            self.fail(
                device,
                faults,
                position,
                queue_error::WAVE_MEMORY_VIOLATION,
                None,
                "the ring is not mapped".into(),
            );
            return Step::Idle;
        };
        // Acquire: pairs with the client's release of the header.
        let first = first.load(Ordering::Acquire);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the low half is the header"
        )]
        let header = first as u16;
        let kind = aql::packet_type(header);
        if kind == PacketType::INVALID {
            return Step::Idle;
        }
        if header & aql::HEADER_BARRIER != 0 && packets.incomplete > 0 {
            return Step::Idle;
        }
        let Some(words) = device.memory.read_words::<16>(address) else {
            return Step::Idle;
        };
        let started = match kind {
            PacketType::KERNEL_DISPATCH => {
                let packet: KernelDispatch = bytemuck::cast(words);
                self.start_dispatch(device, faults, &mut packets, position, address, &packet)
            }
            PacketType::BARRIER_AND | PacketType::BARRIER_OR => {
                let packet: Barrier = bytemuck::cast(words);
                let start = device.clock.ticks();
                let mut named = packet
                    .dependencies
                    .iter()
                    .filter(|&&handle| handle != 0)
                    .peekable();
                let none = named.peek().is_none();
                let zero =
                    |handle: &u64| signal_value(device, *handle).is_none_or(|value| value == 0);
                let met = if kind == PacketType::BARRIER_AND {
                    named.all(zero)
                } else {
                    none || named.any(zero)
                };
                if met {
                    Started::Complete(start, packet.completion_signal)
                } else {
                    Started::Blocked
                }
            }
            PacketType::VENDOR => self.vendor(device, faults, position, &words),
            _ => {
                let message = format!("packet type {kind} is not supported");
                self.fail(
                    device,
                    faults,
                    position,
                    queue_error::PACKET_UNSUPPORTED,
                    None,
                    message,
                );
                Started::Failed
            }
        };
        self.blocked
            .store(matches!(started, Started::Blocked), Ordering::Relaxed);
        match started {
            Started::Failed => Step::Idle,
            Started::Blocked => Step::Blocked,
            Started::Complete(start, signal) => {
                packets.next += 1;
                packets.flight.push_back(false);
                packets.incomplete += 1;
                self.complete_locked(device, faults, &mut packets, position, start, signal);
                Step::Done
            }
            Started::Dispatch(dispatch) => {
                packets.next += 1;
                packets.flight.push_back(false);
                packets.incomplete += 1;
                Step::Started(dispatch)
            }
        }
    }

    fn start_dispatch(
        self: &Arc<Self>,
        device: &Device,
        faults: &Faults,
        packets: &mut Packets,
        position: u64,
        address: u64,
        packet: &KernelDispatch,
    ) -> Started {
        let start = device.clock.ticks();
        let queue = self.amd_queue(device);
        let read32 = |offset: usize| {
            device
                .memory
                .read_words::<1>(queue + offset as u64)
                .map_or(0, |[word]| word)
        };
        let read64 = |offset: usize| {
            device
                .memory
                .read_words::<2>(queue + offset as u64)
                .map_or(0, |[low, high]| u64::from(high) << 32 | u64::from(low))
        };
        let mut scratch_base = 0;
        let mut scratch_wave_bytes = 0;
        if packet.private_segment_bytes > 0 {
            // The queue says what it has as bytes a lane of a wave of 64; this device runs 32 lanes.
            let has = u64::from(read32(offset_of!(AmdQueue, scratch_wave64_lane_byte_size))) * 64;
            if u64::from(packet.private_segment_bytes) * 32 > has {
                return self.ask_for_scratch(
                    device,
                    faults,
                    packets,
                    position,
                    read64(offset_of!(AmdQueue, queue_inactive_signal)),
                );
            }
            scratch_base = read64(offset_of!(AmdQueue, scratch_backing_memory_location));
            scratch_wave_bytes =
                (read32(offset_of!(AmdQueue, compute_tmpring_size)) >> 12 & 0x7fff) * 256;
        }
        packets.scratch_asked = false;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a slot of the slice is below 1024"
        )]
        let doorbell = self.spec.doorbell as u32;
        #[expect(clippy::cast_possible_truncation, reason = "two bits")]
        let dims = (packet.setup & 3) as u8;
        let info = DispatchInfo {
            kernel_object: packet.kernel_object,
            kernarg: packet.kernarg_address,
            dispatch_packet: address,
            queue,
            dispatch_id: position,
            grid: packet.grid,
            group: packet.workgroup,
            dims,
            group_segment_bytes: packet.group_segment_bytes,
            private_segment_bytes: packet.private_segment_bytes,
            scratch_base,
            scratch_wave_bytes,
            doorbell,
        };
        if packet.completion_signal != 0
            && device.memory.word64(packet.completion_signal + 8).is_none()
        {
            let message = format!(
                "completion signal {:#x} is not writable for the device",
                packet.completion_signal
            );
            self.fail(
                device,
                faults,
                position,
                queue_error::PACKET_UNSUPPORTED,
                None,
                message,
            );
            return Started::Failed;
        }
        match Launch::prepare(&device.code, device, &info) {
            Ok(launch) => Started::Dispatch(Arc::new(Dispatch::new(
                launch,
                Arc::clone(self),
                position,
                packet.kernel_object,
                packet.completion_signal,
                start,
            ))),
            Err(error) => {
                let code = launch_error_code(&error);
                self.fail(
                    device,
                    faults,
                    position,
                    code,
                    Some(packet.kernel_object),
                    error.to_string(),
                );
                Started::Failed
            }
        }
    }

    /// The handshake of a packet that needs more scratch than its queue has.
    fn ask_for_scratch(
        &self,
        device: &Device,
        faults: &Faults,
        packets: &mut Packets,
        position: u64,
        signal: u64,
    ) -> Started {
        let Some(value) = device
            .memory
            .word64(signal + offset_of!(Signal, value) as u64)
            .filter(|_| signal != 0)
        else {
            let message =
                "a kernel needs scratch, the queue has none and no signal to ask for it".into();
            self.fail(
                device,
                faults,
                position,
                queue_error::PACKET_DISPATCH_CODE_INVALID,
                None,
                message,
            );
            return Started::Failed;
        };
        // Acquire: a client that stores 0 has filled the queue's scratch fields before.
        if value.load(Ordering::Acquire) == 0 {
            if packets.scratch_asked {
                // It answered, and it is still not enough.
                let message =
                    "the client answered a request for scratch with less than the kernel needs"
                        .into();
                self.fail(
                    device,
                    faults,
                    position,
                    queue_error::PACKET_DISPATCH_CODE_INVALID,
                    None,
                    message,
                );
                return Started::Failed;
            }
            value.store(NEED_SCRATCH_WAVE32, Ordering::Release);
            packets.scratch_asked = true;
            ring_mailbox(device, signal);
        }
        Started::Blocked
    }

    fn vendor(
        &self,
        device: &Device,
        faults: &Faults,
        position: u64,
        words: &[u32; 16],
    ) -> Started {
        let start = device.clock.ticks();
        let signal = u64::from(words[15]) << 32 | u64::from(words[14]);
        let format = words[0] >> 16;
        let refuse = |message: String| {
            self.fail(
                device,
                faults,
                position,
                queue_error::PACKET_VENDOR_UNSUPPORTED,
                None,
                message,
            );
            Started::Failed
        };
        match format & 0xff {
            // PM4 indirect buffer.
            1 => {
                let address = u64::from(words[3]) << 32 | u64::from(words[2] & !3);
                let dwords = u64::from(words[4] & 0xf_ffff);
                if words[1] != aql::PM4_INDIRECT_BUFFER || dwords > PM4_DWORDS_MAX {
                    return refuse(format!(
                        "vendor packet with PM4 header {:#x} and {dwords} dwords",
                        words[1]
                    ));
                }
                let mut at = 0;
                while at < dwords {
                    let Some([header]) = device.memory.read_words::<1>(address + at * 4) else {
                        return refuse(format!("indirect buffer at {address:#x} is not mapped"));
                    };
                    let (opcode, body) = (header >> 8 & 0xff, u64::from(header >> 16 & 0x3fff) + 1);
                    match (header >> 30, opcode) {
                        (2, _) => {
                            at += 1;
                            continue;
                        }
                        (3, PM4_ACQUIRE_MEM) => device.code.invalidate(),
                        (3, PM4_NOP) => {}
                        _ => {
                            return refuse(format!("PM4 packet {header:#x} in an indirect buffer"));
                        }
                    }
                    at += 1 + body;
                }
                Started::Complete(start, signal)
            }
            // Barrier on a signal's value.
            2 => {
                let pair =
                    |index: usize| u64::from(words[index + 1]) << 32 | u64::from(words[index]);
                let (handle, reference, mask) = (pair(2), pair(4), pair(6));
                let Some(value) = signal_value(device, handle) else {
                    return refuse(format!(
                        "barrier on signal {handle:#x}, which is not mapped"
                    ));
                };
                let value = value & mask;
                let met = match words[8] {
                    0 => value == reference,
                    1 => value != reference,
                    2 => value.cast_signed() < reference.cast_signed(),
                    3 => value.cast_signed() >= reference.cast_signed(),
                    other => return refuse(format!("barrier condition {other}")),
                };
                if met {
                    Started::Complete(start, signal)
                } else {
                    Started::Blocked
                }
            }
            other => refuse(format!("vendor packet format {other}")),
        }
    }

    /// Completes a dispatch.
    pub(crate) fn complete(
        &self,
        device: &Device,
        faults: &Faults,
        position: u64,
        start: u64,
        signal: u64,
    ) {
        let mut packets = self.packets.lock();
        self.complete_locked(device, faults, &mut packets, position, start, signal);
    }

    fn complete_locked(
        &self,
        device: &Device,
        faults: &Faults,
        packets: &mut Packets,
        position: u64,
        start: u64,
        signal: u64,
    ) {
        let end = device.clock.ticks();
        if let Some(header) = device.memory.word32(self.packet_address(position)) {
            // The client takes the slot only after the read index has passed it.
            header.store(u32::from(PacketType::INVALID), Ordering::Relaxed);
        }
        let head = packets.next - packets.flight.len() as u64;
        if let Ok(index) = usize::try_from(position - head)
            && let Some(done) = packets.flight.get_mut(index)
        {
            *done = true;
        }
        packets.incomplete -= 1;
        while packets.flight.front() == Some(&true) {
            packets.flight.pop_front();
        }
        let head = packets.next - packets.flight.len() as u64;
        if let Some(read_index) = device.memory.word64(self.spec.read_index) {
            // Release: slots below are the client's again.
            read_index.store(head, Ordering::Release);
        }
        if signal != 0 {
            self.signal(device, faults, position, start, end, signal);
        }
    }

    fn signal(
        &self,
        device: &Device,
        faults: &Faults,
        position: u64,
        start: u64,
        end: u64,
        signal: u64,
    ) {
        let word = |offset: usize| device.memory.word64(signal + offset as u64);
        let (Some(begun), Some(ended), Some(value)) = (
            word(offset_of!(Signal, start_ts)),
            word(offset_of!(Signal, end_ts)),
            word(offset_of!(Signal, value)),
        ) else {
            let message = format!("completion signal {signal:#x} is not writable for the device");
            self.fail(
                device,
                faults,
                position,
                queue_error::PACKET_UNSUPPORTED,
                None,
                message,
            );
            return;
        };
        begun.store(start, Ordering::Relaxed);
        ended.store(end, Ordering::Relaxed);
        // Release: whoever sees the new value sees the ticks and all that the packet wrote.
        let before = value.fetch_sub(1, Ordering::Release);
        if before.cast_signed() <= 0 {
            tracing::warn!(
                "queue {}, packet {position}: completion signal {signal:#x} was {} already",
                self.spec.id,
                before.cast_signed()
            );
        }
        ring_mailbox(device, signal);
    }

    /// A wave's fault.
    pub(crate) fn fault(
        &self,
        device: &Device,
        faults: &Faults,
        dispatch: &Dispatch,
        fault: hrx_gfx::exec::Fault,
    ) {
        let code = match &fault.kind {
            FaultKind::Memory { address, why } => {
                device.events.memory_exception(MemoryException {
                    not_present: u32::from(*why == AccessError::NotPresent),
                    read_only: u32::from(*why == AccessError::ReadOnly),
                    no_execute: u32::from(*why == AccessError::NoExecute),
                    va: address & !0xfff,
                    gpu_id: crate::kernel::GPU_ID,
                    ..MemoryException::default()
                });
                queue_error::WAVE_MEMORY_VIOLATION
            }
            FaultKind::IllegalInstruction | FaultKind::Unsupported { .. } => {
                queue_error::WAVE_ILLEGAL_INSTRUCTION
            }
            FaultKind::Trap { .. } => queue_error::WAVE_ABORT,
            FaultKind::Aperture { .. } | FaultKind::MisalignedAtomic { .. } => {
                queue_error::WAVE_APERTURE_VIOLATION
            }
        };
        let message = fault.to_string();
        let first = self.stop(device, code);
        let kernel = faults.names.find(dispatch.kernel_object);
        if first {
            faults.record(FaultDetail {
                queue_id: self.spec.id,
                packet: dispatch.position,
                code,
                kernel,
                fault: Some(fault),
                message,
            });
        }
        self.report(device, code, first);
    }

    /// A packet that the processor refuses.
    fn fail(
        &self,
        device: &Device,
        faults: &Faults,
        position: u64,
        code: u32,
        kernel_object: Option<u64>,
        message: String,
    ) {
        let first = self.stop(device, code);
        if first {
            faults.record(FaultDetail {
                queue_id: self.spec.id,
                packet: position,
                code,
                kernel: kernel_object.and_then(|address| faults.names.find(address)),
                fault: None,
                message,
            });
        }
        self.report(device, code, first);
    }

    /// Stops the queue for good; false if it had stopped before.
    fn stop(&self, _: &Device, code: u32) -> bool {
        let first = !self.dead.swap(true, Ordering::AcqRel);
        if first {
            tracing::debug!("queue {} stops with error code {code}", self.spec.id);
        }
        first
    }

    /// Tells the client: by the save area's error word if it named one, else by the inactive signal.
    fn report(&self, device: &Device, code: u32, first: bool) {
        if !first {
            return;
        }
        let header = device
            .memory
            .read_words::<10>(self.spec.save_area)
            .filter(|_| self.spec.save_area != 0);
        let header: SaveAreaHeader = header.map_or_else(SaveAreaHeader::default, bytemuck::cast);
        if let Some(payload) = device
            .memory
            .word64(header.err_payload_addr)
            .filter(|_| header.err_payload_addr != 0)
        {
            payload.fetch_or(1 << (code - 1), Ordering::Release);
            device.events.interrupt(header.err_event_id);
            return;
        }
        let place = self.amd_queue(device) + offset_of!(AmdQueue, queue_inactive_signal) as u64;
        let Some([low, high]) = device.memory.read_words::<2>(place) else {
            return;
        };
        let signal = u64::from(high) << 32 | u64::from(low);
        if let Some(value) = device
            .memory
            .word64(signal + offset_of!(Signal, value) as u64)
            .filter(|_| signal != 0)
        {
            value.store(old_error_bits(code), Ordering::Release);
            ring_mailbox(device, signal);
        }
    }

    /// The queue structure, found the way the chip finds it: from the read index.
    fn amd_queue(&self, device: &Device) -> u64 {
        let place = self.spec.read_index + 8;
        let offset = device
            .memory
            .read_words::<1>(place)
            .map_or(0, |[word]| word);
        self.spec.read_index.wrapping_sub(u64::from(offset))
    }
}

/// What a packet became.
enum Started {
    Failed,
    Blocked,
    /// Done at once: start tick and completion signal.
    Complete(u64, u64),
    Dispatch(Arc<Dispatch>),
}

/// Names in, the first fault out.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    pub(crate) names: Names,
    last: Mutex<Option<FaultDetail>>,
}

impl Faults {
    fn record(&self, detail: FaultDetail) {
        tracing::debug!("{detail}");
        *self.last.lock() = Some(detail);
    }

    pub(crate) fn last(&self) -> Option<FaultDetail> {
        self.last.lock().clone()
    }
}

fn signal_value(device: &Device, handle: u64) -> Option<u64> {
    let value = device
        .memory
        .word64(handle.checked_add(offset_of!(Signal, value) as u64)?)?;
    // Acquire: pairs with the release of whoever completed the signal.
    Some(value.load(Ordering::Acquire))
}

/// Stores the event id into the signal's mailbox and interrupts, if it has one.
fn ring_mailbox(device: &Device, signal: u64) {
    let Some([low, high, event]) = device
        .memory
        .read_words::<3>(signal + offset_of!(Signal, event_mailbox_ptr) as u64)
    else {
        return;
    };
    let mailbox = u64::from(high) << 32 | u64::from(low);
    if mailbox == 0 {
        return;
    }
    if let Some(slot) = device.memory.word64(mailbox) {
        slot.store(u64::from(event), Ordering::Release);
        // The kernel's handler takes the slot back before it sets the event.
        slot.store(hrx_abi::kfd::EVENT_SLOT_UNSIGNALLED, Ordering::Release);
    }
    device.events.interrupt(event);
}

fn launch_error_code(error: &LaunchError) -> u32 {
    match error {
        LaunchError::Dimensions { .. } => queue_error::PACKET_DISPATCH_DIM_INVALID,
        LaunchError::GroupSegmentTooLarge { .. } => {
            queue_error::PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID
        }
        LaunchError::WorkgroupSize { .. } => queue_error::PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID,
        LaunchError::Registers { .. } => queue_error::PACKET_DISPATCH_REGISTER_INVALID,
        _ => queue_error::PACKET_DISPATCH_CODE_INVALID,
    }
}

/// The word that reports `code` on a kernel without the error payload.
fn old_error_bits(code: u32) -> u64 {
    match code {
        queue_error::PACKET_DISPATCH_DIM_INVALID => 0x2,
        queue_error::PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID => 0x4,
        queue_error::PACKET_DISPATCH_CODE_INVALID => 0x8,
        queue_error::PACKET_UNSUPPORTED => 0x20,
        queue_error::PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID => 0x40,
        queue_error::PACKET_DISPATCH_REGISTER_INVALID => 0x80,
        queue_error::PACKET_VENDOR_UNSUPPORTED => 0x100,
        queue_error::WAVE_ILLEGAL_INSTRUCTION => 0x4000_0000,
        queue_error::WAVE_ABORT | queue_error::WAVE_TRAP => 0x8000_0000,
        _ => 0x2000_0000,
    }
}
