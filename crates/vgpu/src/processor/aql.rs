//! One AQL queue as the packet processor sees it.
//!
//! 1. A packet starts once the doorbell names it, its header is not INVALID, and, with the barrier bit, all
//!    earlier packets have completed. Packets start in order.
//! 2. Its work is done by whoever started it, and by other workers if it is large.
//! 3. Completion: header back to INVALID, read index over all packets that are complete in a row, ticks into
//!    the signal, the signal's value down by one, mailbox and interrupt.
//!
//! # Thread safety
//! Any worker may step a queue; one at a time does, others pass by. Lock order: [`DeviceMemory::enter`], then
//! the packets. [`AqlQueue::pending`] takes no lock and writes nothing that others read, so a worker that
//! searches does not slow one that works.
//!
//! # Memory ordering
//! The header is read with acquire: it pairs with the client's release store, so the rest of the packet and
//! the kernel arguments are visible. The read index and the signal's value are stored with release: whoever
//! sees them sees what the packet wrote.
//!
//! [`DeviceMemory::enter`]: crate::kernel::DeviceMemory::enter

use std::collections::VecDeque;
use std::mem::offset_of;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use hrx_abi::aql::{self, Barrier, KernelDispatch, PacketType};
use hrx_abi::kfd::queue_error;
use hrx_abi::queue::{
    AmdQueue, TMPRING_WAVE_SIZE_MAX, TMPRING_WAVE_SIZE_SHIFT, TMPRING_WAVE_UNIT, TMPRING_WAVES_MAX,
};
use hrx_abi::signal::Signal;
use hrx_gfx::exec::{AccessError, DispatchInfo, Launch};
use hrx_gfx::object::KernelDescriptor;
use parking_lot::Mutex;

use super::dispatch::{Dispatch, Packet};
use super::fault::Faults;
use super::pm4::{self, Vendor};
use super::queue::Step;
use super::report::{Refusal, launch_error_code};
use crate::device::Device;
use crate::kernel::QueueSpec;

/// A doorbell that nobody has rung.
const NEVER_RUNG: u64 = u64::MAX;
/// [`AqlQueue::blocked_at`] of a queue that is not blocked.
const NOT_BLOCKED: u64 = u64::MAX;
/// Each has room for as many scratch waves as the queue says.
const SHADER_ENGINES: u64 = 2;
/// Header bits that no packet has.
const HEADER_RESERVED: u16 = 0xe000;
/// A scope that does not exist.
const SCOPE_INVALID: u16 = 3;

/// A queue that lives.
#[derive(Debug)]
pub(super) struct AqlQueue {
    pub(super) spec: QueueSpec,
    /// Stopped for good: by an error, or because the client destroyed it.
    pub(super) dead: AtomicBool,
    /// Packets below this one have been rung for. A doorbell that goes back does not lower it.
    rung_end: AtomicU64,
    /// Next packet to start. Written under the lock of `packets`.
    next: AtomicU64,
    /// What the doorbell was when the next packet turned out to wait for a signal, for scratch or for its
    /// own header. Looked at again when the doorbell moves, and once in a while.
    blocked_at: AtomicU64,
    /// The next packet waits for those in flight. Written under the lock of `packets`.
    held: AtomicBool,
    packets: Mutex<Packets>,
}

#[derive(Debug, Default)]
struct Packets {
    /// Started packets from the read index on; true is complete.
    flight: VecDeque<bool>,
    incomplete: usize,
    /// Packet whose kernel uses the queue's scratch memory.
    scratch_user: Option<u64>,
    /// The client has been asked for scratch for the next packet.
    scratch_asked: bool,
}

/// What a packet became.
enum Started {
    Blocked,
    /// Waits for packets in flight.
    Held,
    /// Done at once; its completion signal.
    Complete(u64),
    Dispatch(Arc<Dispatch>),
    Refused(Refusal),
}

/// The queue's scratch memory, as the client set it up.
struct Scratch {
    base: u64,
    wave_bytes: u32,
    /// Waves it has room for.
    waves: u64,
}

impl AqlQueue {
    pub(super) fn new(spec: QueueSpec) -> Self {
        Self {
            spec,
            dead: AtomicBool::new(false),
            rung_end: AtomicU64::new(0),
            next: AtomicU64::new(0),
            blocked_at: AtomicU64::new(NOT_BLOCKED),
            held: AtomicBool::new(false),
            packets: Mutex::default(),
        }
    }

    pub(super) fn is_dead(&self) -> bool {
        self.dead.load(Ordering::Relaxed)
    }

    /// Stops the queue for good; false if it had stopped before.
    pub(super) fn stop(&self) -> bool {
        !self.dead.swap(true, Ordering::AcqRel)
    }

    fn packet_address(&self, position: u64) -> u64 {
        self.spec.ring + (position * aql::PACKET_BYTES as u64) % self.spec.ring_bytes
    }

    /// The doorbell, if it names a packet that has not started.
    fn rung(&self, device: &Device) -> Option<u64> {
        let word = device
            .memory
            .backing_word(device.doorbells + 8 * self.spec.doorbell as u64);
        // Acquire: a client that rings after its header store may have stored more than one header.
        let doorbell = word.load(Ordering::Acquire);
        let mut end = self.rung_end.load(Ordering::Relaxed);
        if doorbell != NEVER_RUNG && doorbell >= end {
            end = self
                .rung_end
                .fetch_max(doorbell + 1, Ordering::Relaxed)
                .max(doorbell + 1);
        }
        (self.next.load(Ordering::Relaxed) < end).then_some(doorbell)
    }

    /// Whether a step would find something to start.
    pub(super) fn pending(&self, device: &Device) -> bool {
        if self.is_dead() {
            return false;
        }
        let Some(doorbell) = self.rung(device) else {
            return false;
        };
        if self.blocked_at.load(Ordering::Relaxed) == doorbell {
            return false;
        }
        !self.held.load(Ordering::Relaxed)
    }

    /// Whether the next packet waits for a signal, for scratch or for its own header.
    pub(super) fn is_blocked(&self, device: &Device) -> bool {
        let doorbell = self.rung(device);
        !self.is_dead() && doorbell.is_some_and(|at| self.blocked_at.load(Ordering::Relaxed) == at)
    }

    /// Starts the next packet if it may start.
    pub(super) fn step(self: &Arc<Self>, device: &Device, faults: &Faults) -> Step {
        if self.is_dead() || self.rung(device).is_none() {
            return Step::Idle;
        }
        let _at_work = device.memory.enter();
        let Some(mut packets) = self.packets.try_lock() else {
            return Step::Idle;
        };
        // Once more, under the lock: another worker may have started the packet.
        let Some(doorbell) = self.rung(device) else {
            return Step::Idle;
        };
        if self.held.load(Ordering::Relaxed) {
            return Step::Idle;
        }
        device.memory.refresh();
        let position = self.next.load(Ordering::Relaxed);
        let started = match self.read_header(device, position) {
            Ok(header) => self.start(device, &mut packets, position, header),
            Err(started) => started,
        };
        let blocked = if matches!(started, Started::Blocked) {
            doorbell
        } else {
            NOT_BLOCKED
        };
        self.blocked_at.store(blocked, Ordering::Relaxed);
        let held = matches!(started, Started::Held);
        self.held.store(held, Ordering::Relaxed);
        match started {
            Started::Blocked => Step::Blocked,
            Started::Held => Step::Idle,
            Started::Complete(signal) => {
                let start = device.clock.ticks();
                self.count_started(&mut packets, position);
                let packet = Packet {
                    position,
                    start,
                    signal,
                    kernel_object: 0,
                };
                self.complete_locked(device, faults, &mut packets, packet);
                Step::Done
            }
            Started::Dispatch(dispatch) => {
                self.count_started(&mut packets, position);
                Step::Started(dispatch)
            }
            Started::Refused(refusal) => {
                self.refuse(device, faults, position, refusal);
                Step::Idle
            }
        }
    }

    fn count_started(&self, packets: &mut Packets, position: u64) {
        self.next.store(position + 1, Ordering::Relaxed);
        packets.flight.push_back(false);
        packets.incomplete += 1;
    }

    /// The next packet's header, or what becomes of a packet without a good one.
    fn read_header(&self, device: &Device, position: u64) -> Result<u16, Started> {
        let address = self.packet_address(position);
        let Some(first) = device.memory.word32(address) else {
            return Err(Started::Refused(Refusal::unmapped("the ring", address)));
        };
        // Acquire: pairs with the client's release of the header.
        let [header, _] = halves(first.load(Ordering::Acquire));
        if aql::packet_type(header) == PacketType::INVALID {
            // Rung for by a thread that was faster than the one that writes this packet, or a mistake.
            let written = device.memory.word64(self.spec.write_index);
            let written = written.map_or(0, |index| index.load(Ordering::Relaxed));
            if position >= written {
                tracing::debug!(
                    "queue {}: rung for packet {position}, but the write index is {written}",
                    self.spec.id
                );
            }
            return Err(Started::Blocked);
        }
        let scope = |shift: u16| header >> shift & 3;
        if header & HEADER_RESERVED != 0
            || scope(aql::HEADER_ACQUIRE_SHIFT) == SCOPE_INVALID
            || scope(aql::HEADER_RELEASE_SHIFT) == SCOPE_INVALID
        {
            let message = format!("packet header {header:#06x} has bits that mean nothing");
            return Err(Started::Refused(Refusal::new(
                queue_error::PACKET_UNSUPPORTED,
                message,
            )));
        }
        Ok(header)
    }

    fn start(
        self: &Arc<Self>,
        device: &Device,
        packets: &mut Packets,
        position: u64,
        header: u16,
    ) -> Started {
        if header & aql::HEADER_BARRIER != 0 && packets.incomplete > 0 {
            return Started::Held;
        }
        let address = self.packet_address(position);
        let Some(words) = device.memory.read_words::<16>(address) else {
            return Started::Refused(Refusal::unmapped("the ring", address));
        };
        // All packets have their completion signal in the same place.
        let signal = u64::from(words[15]) << 32 | u64::from(words[14]);
        let value = signal.wrapping_add(offset_of!(Signal, value) as u64);
        if signal != 0 && device.memory.word64(value).is_none() {
            return Started::Refused(Refusal::unmapped("the completion signal", value));
        }
        match aql::packet_type(header) {
            PacketType::KERNEL_DISPATCH => {
                let packet: KernelDispatch = bytemuck::cast(words);
                self.start_dispatch(device, packets, position, &packet)
            }
            kind @ (PacketType::BARRIER_AND | PacketType::BARRIER_OR) => {
                let packet: Barrier = bytemuck::cast(words);
                barrier(device, kind == PacketType::BARRIER_AND, &packet)
            }
            PacketType::VENDOR => match pm4::run(device, &words) {
                Vendor::Done => Started::Complete(signal),
                Vendor::Blocked => Started::Blocked,
                Vendor::Fault(address) => {
                    Started::Refused(Refusal::unmapped("what a vendor packet reads", address))
                }
                Vendor::Refused(message) => Started::Refused(Refusal::new(
                    queue_error::PACKET_VENDOR_UNSUPPORTED,
                    message,
                )),
            },
            kind => {
                let message = format!("packet of type {kind}");
                Started::Refused(Refusal::new(queue_error::PACKET_UNSUPPORTED, message))
            }
        }
    }

    fn start_dispatch(
        self: &Arc<Self>,
        device: &Device,
        packets: &mut Packets,
        position: u64,
        packet: &KernelDispatch,
    ) -> Started {
        let start = device.clock.ticks();
        let queue = self.amd_queue(device);
        let mut scratch = None;
        if packet.private_segment_bytes > 0 {
            if packets.scratch_user.is_some() {
                // Waves of two dispatches would share places in the queue's scratch memory.
                return Started::Held;
            }
            let lanes = kernel_lanes(device, packet.kernel_object);
            match self.scratch(device, packets, queue, packet, lanes) {
                Ok(found) => scratch = Some(found),
                Err(started) => return started,
            }
        }
        packets.scratch_asked = false;
        let dims = packet.setup.to_le_bytes()[0];
        let info = DispatchInfo {
            kernel_object: packet.kernel_object,
            kernarg: packet.kernarg_address,
            dispatch_packet: self.packet_address(position),
            queue,
            dispatch_id: position,
            grid: packet.grid,
            group: packet.workgroup,
            dims,
            group_segment_bytes: packet.group_segment_bytes,
            private_segment_bytes: packet.private_segment_bytes,
            scratch_base: scratch.as_ref().map_or(0, |scratch| scratch.base),
            scratch_wave_bytes: scratch.as_ref().map_or(0, |scratch| scratch.wave_bytes),
            doorbell: u32::try_from(self.spec.doorbell).unwrap_or(u32::MAX),
        };
        // A defect of the decoder ends this queue, not the process.
        let prepared = catch_unwind(AssertUnwindSafe(|| {
            Launch::prepare(&device.code, device, &info)
        }));
        let refused = |code, message| {
            Started::Refused(Refusal::of_kernel(code, message, packet.kernel_object))
        };
        let launch = match prepared {
            Ok(Ok(launch)) => launch,
            Ok(Err(error)) => return refused(launch_error_code(&error), error.to_string()),
            Err(_) => {
                let message = "the emulator failed while it read the kernel".to_owned();
                return refused(queue_error::DEVICE_FATAL_HALT, message);
            }
        };
        let mut limit = u64::from(launch.resident_groups_limit());
        if let Some(scratch) = scratch {
            packets.scratch_user = Some(position);
            limit = limit.min(scratch.waves / u64::from(launch.waves_per_group().max(1)));
        }
        let packet = Packet {
            position,
            start,
            signal: packet.completion_signal,
            kernel_object: packet.kernel_object,
        };
        Started::Dispatch(Arc::new(Dispatch::new(
            launch,
            Arc::clone(self),
            packet,
            limit.max(1),
        )))
    }

    /// The queue's scratch memory, if it is enough for a group of the packet; else the handshake by which
    /// the client is asked for more.
    fn scratch(
        &self,
        device: &Device,
        packets: &mut Packets,
        queue: u64,
        packet: &KernelDispatch,
        lanes: u32,
    ) -> Result<Scratch, Started> {
        let read = |offset: usize| {
            device
                .memory
                .read_words::<1>(queue + offset as u64)
                .map_or(0, |[word]| word)
        };
        let read_pair = |offset: usize| u64::from(read(offset + 4)) << 32 | u64::from(read(offset));
        let needed = u64::from(packet.private_segment_bytes) * u64::from(lanes);
        let tmpring = read(offset_of!(AmdQueue, compute_tmpring_size));
        let wave_bytes =
            (tmpring >> TMPRING_WAVE_SIZE_SHIFT & TMPRING_WAVE_SIZE_MAX) * TMPRING_WAVE_UNIT;
        // The chip goes by this register alone; not every client fills in the bytes that it comes to.
        let waves = u64::from(tmpring & TMPRING_WAVES_MAX) * SHADER_ENGINES;
        let items: u64 = packet
            .workgroup
            .iter()
            .map(|&size| u64::from(size))
            .product();
        // What the queue has for a lane is given as if waves had 64 of them.
        let has = u64::from(read(offset_of!(AmdQueue, scratch_wave64_lane_byte_size))) * 64;
        if needed <= has && waves >= items.div_ceil(lanes.into()).max(1) {
            let base = read_pair(offset_of!(AmdQueue, scratch_backing_memory_location));
            return Ok(Scratch {
                base,
                wave_bytes,
                waves,
            });
        }
        let signal = read_pair(offset_of!(AmdQueue, queue_inactive_signal));
        let word = device
            .memory
            .word64(signal.wrapping_add(offset_of!(Signal, value) as u64));
        let Some(value) = word.filter(|_| signal != 0) else {
            let message = format!(
                "{needed} bytes of scratch a wave needed, the queue has {has} and no signal to ask by"
            );
            let code = queue_error::PACKET_DISPATCH_CODE_INVALID;
            return Err(Started::Refused(Refusal::of_kernel(
                code,
                message,
                packet.kernel_object,
            )));
        };
        // Acquire: a client that stores 0 has filled the queue's scratch fields before.
        if value.load(Ordering::Acquire) == 0 {
            if packets.scratch_asked {
                let message = format!(
                    "{needed} bytes of scratch a wave needed, the client answered with {has} for {waves} waves"
                );
                let code = queue_error::PACKET_DISPATCH_CODE_INVALID;
                return Err(Started::Refused(Refusal::of_kernel(
                    code,
                    message,
                    packet.kernel_object,
                )));
            }
            let request = if lanes == 64 {
                hrx_abi::kfd::inactive_signal::SCRATCH_WAVE64
            } else {
                hrx_abi::kfd::inactive_signal::SCRATCH_WAVE32
            };
            value.store(request.into(), Ordering::Release);
            packets.scratch_asked = true;
            if let Some(mailbox) = device.mailbox(signal) {
                device.ring_mailbox(mailbox);
            }
        }
        Err(Started::Blocked)
    }

    /// Completes a dispatch.
    pub(super) fn complete(&self, device: &Device, faults: &Faults, packet: Packet) {
        let _at_work = device.memory.enter();
        device.memory.refresh();
        let mut packets = self.packets.lock();
        self.complete_locked(device, faults, &mut packets, packet);
    }

    fn complete_locked(
        &self,
        device: &Device,
        faults: &Faults,
        packets: &mut Packets,
        packet: Packet,
    ) {
        let end = device.clock.ticks();
        let position = packet.position;
        if let Some(header) = device.memory.word32(self.packet_address(position)) {
            // The client takes the slot only after the read index has passed it.
            header.store(u32::from(PacketType::INVALID), Ordering::Relaxed);
        }
        let next = self.next.load(Ordering::Relaxed);
        let oldest = next - packets.flight.len() as u64;
        if let Ok(index) = usize::try_from(position - oldest)
            && let Some(done) = packets.flight.get_mut(index)
        {
            *done = true;
        }
        packets.incomplete -= 1;
        self.held.store(false, Ordering::Relaxed);
        if packets.scratch_user == Some(position) {
            packets.scratch_user = None;
        }
        while packets.flight.front() == Some(&true) {
            packets.flight.pop_front();
        }
        let read = next - packets.flight.len() as u64;
        if let Some(read_index) = device.memory.word64(self.spec.read_index) {
            // Release: slots below are the client's again.
            read_index.store(read, Ordering::Release);
        }
        if packet.signal != 0 {
            self.signal(device, faults, packet, end);
        }
    }

    fn signal(&self, device: &Device, faults: &Faults, packet: Packet, end: u64) {
        let word = |offset: usize| {
            device
                .memory
                .word64(packet.signal.wrapping_add(offset as u64))
        };
        let (Some(started), Some(ended), Some(value)) = (
            word(offset_of!(Signal, start_ts)),
            word(offset_of!(Signal, end_ts)),
            word(offset_of!(Signal, value)),
        ) else {
            let refusal = Refusal::unmapped("the completion signal", packet.signal);
            self.refuse(device, faults, packet.position, refusal);
            return;
        };
        // Before the decrement: once the client sees it, the signal may be used anew.
        let mailbox = device.mailbox(packet.signal);
        started.store(packet.start, Ordering::Relaxed);
        ended.store(end, Ordering::Relaxed);
        // Release: whoever sees the new value sees the ticks and all that the packet wrote.
        let before = value.fetch_sub(1, Ordering::Release).cast_signed();
        if before <= 0 {
            tracing::warn!(
                "queue {}, packet {}: completion signal {:#x} was {before} already",
                self.spec.id,
                packet.position,
                packet.signal
            );
        }
        if let Some(mailbox) = mailbox {
            device.ring_mailbox(mailbox);
        }
    }

    /// The queue structure, found the way the chip finds it: from the read index.
    pub(super) fn amd_queue(&self, device: &Device) -> u64 {
        let place = self.spec.read_index + 8;
        let offset = device
            .memory
            .read_words::<1>(place)
            .map_or(0, |[word]| word);
        self.spec.read_index.wrapping_sub(u64::from(offset))
    }
}

/// Looks whether the signals that a barrier depends on are 0.
fn barrier(device: &Device, all: bool, packet: &Barrier) -> Started {
    let mut named = 0;
    let mut zero = 0;
    for &handle in packet.dependencies.iter().filter(|&&handle| handle != 0) {
        match device.signal_value(handle) {
            Some(value) => zero += usize::from(value == 0),
            None => return Started::Refused(Refusal::unmapped("a barrier's signal", handle)),
        }
        named += 1;
    }
    let met = if all {
        zero == named
    } else {
        named == 0 || zero > 0
    };
    if met {
        Started::Complete(packet.completion_signal)
    } else {
        Started::Blocked
    }
}

/// Lanes of a kernel's waves, as its descriptor says.
fn kernel_lanes(device: &Device, kernel_object: u64) -> u32 {
    let words = device.memory.read_words::<16>(kernel_object);
    let bytes: Option<[u8; 64]> = words.map(bytemuck::cast);
    bytes.map_or(32, |bytes| {
        KernelDescriptor::from_bytes(&bytes).wave_size().lanes()
    })
}

/// Low and high half of a word.
fn halves(word: u32) -> [u16; 2] {
    bytemuck::cast(word.to_le_bytes())
}

/// What the device may not do with memory, for a memory exception.
pub(super) fn exception(why: AccessError, address: u64) -> hrx_abi::kfd::MemoryException {
    hrx_abi::kfd::MemoryException {
        not_present: u32::from(why == AccessError::NotPresent),
        read_only: u32::from(why == AccessError::ReadOnly),
        no_execute: u32::from(why == AccessError::NoExecute),
        va: address & !0xfff,
        gpu_id: crate::kernel::GPU_ID,
        ..hrx_abi::kfd::MemoryException::default()
    }
}
