//! The side file: the event rings of a live session, in memory that outlives the process.
//!
//! # Layout
//! Little-endian, all offsets in bytes.
//!
//! | offset | what |
//! |---:|---|
//! | 0 | [`SideHeader`]: identity, written once before anything else |
//! | 512 | [`SideLive`]: ring table and last clock samples, atomics |
//! | 4096 | path of the bundle, one page |
//! | 8192 + n * [`RING_REGION_BYTES`] | ring n: one page with [`RingPositions`], then [`RING_CAPACITY`] slots |
//!
//! # The ring, rule by rule
//! 1. A position counts events of one hardware queue and never wraps; its slot is `position %`
//!    [`RING_CAPACITY`]. `durable <= taken <= ready <= write`, and `write - durable <= RING_CAPACITY`.
//! 2. *Reserve*: a submitter moves `write` over the slots that it takes. They are its own until step 3.
//! 3. *Publish*: it resets the slot's [`Signal`], stores the [`EventInfo`] and, last, `sequence` =
//!    position + 1 with release ([`SlotInfo::publish`]). Only now is the slot filled.
//! 4. *Stamp*: the device stores start and end ticks and decrements the signal's value from 1 to 0.
//! 5. *Ready*, *taken*: the reaper moves `ready` over completed slots, the collector claims them by
//!    moving `taken`.
//! 6. *Durable*: once their records are in the bundle the collector moves `durable`; the slots are free.
//!
//! A slot at `position` in `[durable, write)` is a completed event exactly when its `sequence` is
//! `position + 1` and its signal's value is 0. That is all that recovery relies on: `ready` and `taken`
//! may lag behind.
//!
//! # Memory ordering
//! The release store of `sequence` pairs with the reader's acquire load of it: who sees it sees signal
//! and info of that position. The device's release decrement of the signal pairs with an acquire load of
//! the value: who sees 0 sees the ticks. A reader in another process re-reads `durable` after copying a
//! slot and drops the copy when the position has become durable meanwhile, because rule 2 may have
//! recycled the slot.

use std::mem::{offset_of, size_of};
use std::ops::Deref;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64};

use bytemuck::{Pod, Zeroable};

/// Slots of one ring, a power of two. More than a packet ring holds, so a full ring always has
/// completed events in it.
pub const RING_CAPACITY: u32 = 65_536;
/// Bytes of one slot.
pub const SLOT_BYTES: usize = 192;
/// Version of the layout in this module; a reader refuses any other.
pub const SIDE_VERSION: u32 = 1;
/// First eight bytes of a side file.
pub const SIDE_MAGIC: [u8; 8] = *b"HRXSIDE\0";
/// Rings that one side file can hold: hardware queues of the process.
pub const MAX_RINGS: usize = 64;
/// Devices whose last clock sample a side file can hold.
pub const MAX_CLOCKS: usize = 16;
/// Offset of [`SideLive`].
pub const LIVE_OFFSET: usize = 512;
/// Offset of the bundle's path.
pub const PATH_OFFSET: usize = 4096;
/// Longest path that fits.
pub const PATH_CAPACITY: usize = 4096;
/// Offset of the first ring.
pub const RINGS_OFFSET: u64 = 8192;
/// Offset of the slots within a ring's region; the page before them holds [`RingPositions`].
pub const SLOTS_OFFSET: usize = 4096;
/// Bytes of one ring's region, a multiple of the page size.
pub const RING_REGION_BYTES: usize = SLOTS_OFFSET + RING_CAPACITY as usize * SLOT_BYTES;

/// [`EventInfo::kind`]: a kernel launch.
pub const KIND_DISPATCH: u16 = 1;
/// [`EventInfo::kind`]: a copy.
pub const KIND_COPY: u16 = 2;
/// [`EventInfo::kind`]: a fill.
pub const KIND_FILL: u16 = 3;
/// [`EventInfo::kind`]: a barrier or marker.
pub const KIND_BARRIER: u16 = 4;

/// [`EventInfo::flags`]: the session wants this event in the bundle.
pub const FLAG_RECORD: u16 = 1 << 0;
/// [`EventInfo::flags`]: the command buffer may run again (a graph exec), so `submission_id` tells its
/// runs apart. Without it the command buffer is a stream's: it runs once, and all of its events belong
/// to one submission of the bundle, the first one's.
pub const FLAG_REUSABLE: u16 = 1 << 1;

/// The completion signal that the device stamps: `amd_signal_t` of the HSA runtime ABI.
///
/// All words are atomics, since host threads and the device share them.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Signal {
    /// 1 = a signal that packets complete by decrementing.
    pub kind: AtomicI64,
    /// 1 while pending, 0 once the device has finished the packet.
    pub value: AtomicI64,
    /// Address of the event mailbox, or 0 for a signal that is polled.
    pub event_mailbox_ptr: AtomicU64,
    /// Interrupt event that goes with the mailbox.
    pub event_id: AtomicU32,
    /// Padding of the ABI.
    pub pad: AtomicU32,
    /// Device tick at start; 0 until stamped.
    pub start_ts: AtomicU64,
    /// Device tick at end; 0 until stamped.
    pub end_ts: AtomicU64,
    /// Address of the queue that the packet ran on, where the device writes it.
    pub queue_ptr: AtomicU64,
    /// Reserved by the ABI.
    pub reserved: [AtomicU32; 2],
}

impl Signal {
    /// [`Signal::kind`] of a completion signal.
    pub const KIND_USER: i64 = 1;

    /// Makes the signal pending: value 1, no ticks, no mailbox. The caller owns the slot (rule 2).
    pub fn reset(&self) {
        // Relaxed: the release store of the slot's sequence, or of the packet header that names this
        // signal, publishes them.
        self.kind.store(Self::KIND_USER, Relaxed);
        self.event_mailbox_ptr.store(0, Relaxed);
        self.event_id.store(0, Relaxed);
        self.start_ts.store(0, Relaxed);
        self.end_ts.store(0, Relaxed);
        self.queue_ptr.store(0, Relaxed);
        self.value.store(1, Relaxed);
    }

    /// Whether the device has finished the packet; then the ticks are visible too.
    pub fn is_complete(&self) -> bool {
        // Acquire: pairs with the device's release decrement.
        self.value.load(Acquire) == 0
    }
}

/// The static part of an event, as a plain value. [`SlotInfo`] is its form in the ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct EventInfo {
    /// Ring position + 1; [`SlotInfo::publish`] sets it.
    pub sequence: u64,
    /// Command buffer, from 1 upward; unique in the process.
    pub command_buffer_id: u64,
    /// Submission on the hardware queue, from 1 upward.
    pub submission_id: u64,
    /// Executable, from 1 upward; 0 when the event is no launch.
    pub executable_id: u64,
    /// Host time of the submit call, `CLOCK_MONOTONIC` in ns.
    pub host_time_ns: i64,
    /// Bytes of a copy or fill, else 0.
    pub payload_length: u64,
    /// Correlates with an API record, or 0.
    pub correlation_id: u64,
    /// Operation within the command buffer, from 0.
    pub command_index: u32,
    /// Function of the executable, from 0.
    pub function_ordinal: u32,
    /// Grid in work-groups.
    pub workgroup_count: [u32; 3],
    /// Work-items of a work-group.
    pub workgroup_size: [u32; 3],
    /// Grid in work-items.
    pub work_items: [u32; 3],
    /// HIP stream, counted from 0 in its device.
    pub stream_ordinal: u32,
    /// LDS asked for at launch, bytes.
    pub dynamic_lds_bytes: u32,
    /// [`KIND_DISPATCH`] and so on.
    pub kind: u16,
    /// [`FLAG_RECORD`] and so on.
    pub flags: u16,
    /// Things that the submission waited on.
    pub wait_count: u16,
    /// Barrier packets spent on those waits.
    pub barrier_count: u16,
    /// 0.
    pub reserved: [u32; 3],
}

const INFO_WORDS: usize = size_of::<EventInfo>() / size_of::<u64>();

/// An [`EventInfo`] in shared memory.
///
/// Plain words with relaxed accesses, so that filling and reading need no unsafe code; `sequence` alone
/// orders them.
#[derive(Debug, Default)]
#[repr(C)]
pub struct SlotInfo {
    /// Ring position + 1 of the event that the slot holds; any other value for that position means
    /// "not filled".
    pub sequence: AtomicU64,
    words: [AtomicU64; INFO_WORDS - 1],
}

impl SlotInfo {
    /// Stores `info` as the event at `position` and marks the slot as filled (rule 3). `info.sequence`
    /// is ignored. The caller owns the slot and has reset its signal.
    pub fn publish(&self, position: u64, info: &EventInfo) {
        let words: [u64; INFO_WORDS] = bytemuck::cast(*info);
        for (to, from) in self.words.iter().zip(&words[1..]) {
            to.store(*from, Relaxed);
        }
        // Release: pairs with the acquire load in `load`; the info and the reset signal are visible to
        // who sees this number.
        self.sequence.store(position + 1, Release);
    }

    /// The event that the slot holds, with the `sequence` that was seen before the rest was copied.
    pub fn load(&self) -> EventInfo {
        let mut words = [0; INFO_WORDS];
        // Acquire: pairs with the release store in `publish`.
        words[0] = self.sequence.load(Acquire);
        for (to, from) in words[1..].iter_mut().zip(&self.words) {
            *to = from.load(Relaxed);
        }
        bytemuck::cast(words)
    }
}

/// One event: what the device stamps and what was known at submission.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct EventSlot {
    /// Completion signal of the packet.
    pub signal: Signal,
    /// What was submitted.
    pub info: SlotInfo,
}

impl EventSlot {
    /// Whether the slot holds the completed event of `position`.
    pub fn is_complete(&self, position: u64) -> bool {
        // Acquire: pairs with `publish`; an older event's signal is not taken for this one's.
        self.info.sequence.load(Acquire) == position + 1 && self.signal.is_complete()
    }
}

/// A position on a cache line of its own, so that its writer disturbs no other's readers.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Position {
    value: AtomicU64,
}

impl Deref for Position {
    type Target = AtomicU64;

    fn deref(&self) -> &AtomicU64 {
        &self.value
    }
}

/// The four positions of a ring (rule 1).
#[derive(Debug, Default)]
#[repr(C)]
pub struct RingPositions {
    /// End of what submitters have reserved.
    pub write: Position,
    /// End of what is known to be complete; the reaper moves it.
    pub ready: Position,
    /// End of what the collector has claimed.
    pub taken: Position,
    /// End of what is in the bundle.
    pub durable: Position,
}

/// Identity of a side file. Written once, before the file is locked and rings are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct SideHeader {
    /// [`SIDE_MAGIC`].
    pub magic: [u8; 8],
    /// [`SIDE_VERSION`].
    pub version: u32,
    /// Bytes before the first ring.
    pub header_bytes: u32,
    /// [`SLOT_BYTES`].
    pub slot_bytes: u32,
    /// [`RING_CAPACITY`].
    pub ring_capacity: u32,
    /// Process that owns the session, as its own namespace numbers it.
    pub process_id: u32,
    /// Bytes of the bundle's path at [`PATH_OFFSET`].
    pub path_length: u32,
    /// Start of that process in clock ticks since boot (`/proc/PID/stat`, field 22); with the id it names
    /// a process for good.
    pub process_start_time: u64,
    /// Session in the bundle.
    pub session_id: u64,
    /// Nominal ticks per second of the device clocks, or 0 when unknown.
    pub tick_frequency_hz: u64,
    /// Wall clock at creation, ns since 1970. With the process it tells sessions apart.
    pub created_unix_ns: u64,
}

/// Where a ring lies and whose it is.
#[derive(Debug, Default)]
#[repr(C)]
pub struct RingEntry {
    /// Device of the hardware queue.
    pub physical_device_ordinal: AtomicU32,
    /// Hardware queue within its device.
    pub queue_ordinal: AtomicU32,
    /// Offset of the region in the file.
    pub offset: AtomicU64,
    /// Bytes of the region.
    pub length: AtomicU64,
}

/// The last clock sample of a device, under a sequence lock: `version` is odd while it is written.
#[derive(Debug, Default)]
#[repr(C)]
pub struct ClockSlot {
    /// 0 = never written.
    pub version: AtomicU64,
    /// [`ClockSample`], word by word.
    pub words: [AtomicU64; CLOCK_WORDS],
}

const CLOCK_WORDS: usize = size_of::<ClockSample>() / size_of::<u64>();

/// What a [`ClockSlot`] holds: the fields of a clock correlation record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ClockSample {
    /// Device whose clock was read.
    pub physical_device_ordinal: u32,
    /// Which fields are real, as in the record.
    pub flags: u32,
    /// Number of the sample in the session.
    pub sample_id: u64,
    /// Device clock.
    pub device_tick: u64,
    /// Host CPU clock read with it, ns.
    pub host_cpu_timestamp_ns: u64,
    /// Host system clock read with it.
    pub host_system_timestamp: u64,
    /// Hz of the field above.
    pub host_system_frequency_hz: u64,
    /// `CLOCK_MONOTONIC` before the read, ns.
    pub host_time_begin_ns: i64,
    /// `CLOCK_MONOTONIC` after the read, ns.
    pub host_time_end_ns: i64,
}

/// The part of the header that changes while the session lives.
#[derive(Debug)]
#[repr(C)]
pub struct SideLive {
    /// Rings in `rings` that are ready for use. Stored with release after their entry.
    pub ring_count: AtomicU32,
    /// Devices in `clocks` that have a sample.
    pub clock_count: AtomicU32,
    /// Where the rings are.
    pub rings: [RingEntry; MAX_RINGS],
    /// Last sample of each device, in the order in which they first reported.
    pub clocks: [ClockSlot; MAX_CLOCKS],
}

const _: () = {
    assert!(size_of::<Signal>() == 64 && align_of::<Signal>() == 64);
    assert!(offset_of!(Signal, kind) == 0);
    assert!(offset_of!(Signal, value) == 8);
    assert!(offset_of!(Signal, event_mailbox_ptr) == 16);
    assert!(offset_of!(Signal, event_id) == 24);
    assert!(offset_of!(Signal, start_ts) == 32);
    assert!(offset_of!(Signal, end_ts) == 40);
    assert!(offset_of!(Signal, queue_ptr) == 48);
    assert!(offset_of!(Signal, reserved) == 56);
    assert!(size_of::<EventInfo>() == 128 && size_of::<SlotInfo>() == 128);
    assert!(offset_of!(EventInfo, host_time_ns) == 32);
    assert!(offset_of!(EventInfo, command_index) == 56);
    assert!(offset_of!(EventInfo, work_items) == 88);
    assert!(offset_of!(EventInfo, stream_ordinal) == 100);
    assert!(offset_of!(EventInfo, kind) == 108);
    assert!(offset_of!(EventInfo, flags) == 110);
    assert!(offset_of!(EventInfo, reserved) == 116);
    assert!(size_of::<EventSlot>() == SLOT_BYTES && offset_of!(EventSlot, info) == 64);
    assert!(size_of::<RingPositions>() == 256 && size_of::<RingPositions>() <= SLOTS_OFFSET);
    assert!(RING_CAPACITY.is_power_of_two() && RING_REGION_BYTES.is_multiple_of(4096));
    assert!(size_of::<SideHeader>() == 64 && size_of::<SideHeader>() <= LIVE_OFFSET);
    assert!(size_of::<RingEntry>() == 24 && size_of::<ClockSlot>() == 72);
    assert!(offset_of!(SideLive, rings) == 8);
    assert!(LIVE_OFFSET + size_of::<SideLive>() <= PATH_OFFSET);
    assert!((PATH_OFFSET + PATH_CAPACITY) as u64 == RINGS_OFFSET);
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_holds_what_was_published_under_its_position() {
        let slot = EventSlot::default();
        slot.signal.reset();
        let info = EventInfo {
            command_buffer_id: 7,
            work_items: [1, 2, 3],
            flags: 3,
            ..Default::default()
        };
        slot.info.publish(65_536, &info);
        assert_eq!(
            slot.info.load(),
            EventInfo {
                sequence: 65_537,
                ..info
            }
        );
    }

    #[test]
    fn a_slot_is_complete_only_for_its_position_and_after_the_device_has_decremented() {
        let slot = EventSlot::default();
        assert!(!slot.is_complete(5), "an empty slot completes nothing");
        slot.signal.reset();
        slot.info.publish(5, &EventInfo::default());
        assert!(!slot.is_complete(5));
        slot.signal.value.fetch_sub(1, Release);
        assert!(slot.is_complete(5));
        assert!(
            !slot.is_complete(5 + u64::from(RING_CAPACITY)),
            "an older event is not the newer one"
        );
    }
}
