//! The event ring of a hardware queue: every submission's completion signal, and its record.
//!
//! Layout and rules are those of [`hrx_profile::schema::side`]. Here is who does what:
//!
//! 1. *Reserve, fill, commit*: a submitter, under the queue's submission lock. `write` moves when
//!    the slot is filled and before the packet that names its signal is published, so an event that
//!    the device may complete is always in the ring.
//! 2. *Stamp*: the device.
//! 3. *Retire*: any thread moves `ready` over completed events.
//! 4. *Take*: any thread claims ready events for the collector, by moving `taken`.
//! 5. *Drain, release*: the collector, under the consumer lock, reads claimed slots in place and
//!    moves `durable` when their records are in the bundle. Only then may a slot be reserved again.
//!
//! A queue without a session has nobody for steps 4 and 5: there `retire` moves all positions.
//!
//! # Memory ordering
//! See `protocol`; each store names the load that it pairs with. Completion is in order on a
//! queue, since all packets carry the barrier bit: an event that completed proves all before it.

#[cfg(all(test, loom))]
mod loom_model;
pub(crate) mod protocol;

use std::ops::Range;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};

use hrx_abi::signal::{KIND_USER, Signal};
use hrx_profile::RingMemory;
use hrx_profile::schema::side::{EventInfo, EventSlot, RING_CAPACITY, SLOT_BYTES, SLOTS_OFFSET};
use parking_lot::{Mutex, MutexGuard};

use self::protocol::{Protocol, Storage, Word};
use crate::memory::Buffer;

/// Completed events that make a submitter call the collector.
pub const DRAIN_THRESHOLD: u64 = 256;

/// A ring of events. See the module.
#[derive(Debug)]
pub struct EventRing {
    protocol: Protocol<Slots>,
    /// Whether a session reads the ring. Set once to false, when that session ends.
    recorded: AtomicBool,
    consumer: Mutex<()>,
}

#[derive(Debug)]
struct Slots {
    memory: RingMemory,
    capacity: u32,
    stamps: Option<Stamps>,
}

impl Word for AtomicU64 {
    #[inline]
    fn load(&self, order: Ordering) -> u64 {
        self.load(order)
    }

    #[inline]
    fn store(&self, value: u64, order: Ordering) {
        self.store(value, order);
    }

    #[inline]
    fn fetch_max(&self, value: u64, order: Ordering) -> u64 {
        self.fetch_max(value, order)
    }
}

impl Slots {
    #[inline]
    fn slot(&self, position: u64) -> &EventSlot {
        let mask = u64::from(self.capacity - 1);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the mask has at most 16 bits"
        )]
        let index = (position & mask) as usize;
        &self.memory.slots()[index]
    }
}

impl Storage for Slots {
    type Word = AtomicU64;

    #[inline]
    fn capacity(&self) -> u64 {
        u64::from(self.capacity)
    }

    #[inline]
    fn write(&self) -> &AtomicU64 {
        &self.memory.positions().write
    }

    #[inline]
    fn ready(&self) -> &AtomicU64 {
        &self.memory.positions().ready
    }

    #[inline]
    fn taken(&self) -> &AtomicU64 {
        &self.memory.positions().taken
    }

    #[inline]
    fn durable(&self) -> &AtomicU64 {
        &self.memory.positions().durable
    }

    #[inline]
    fn is_stamped(&self, position: u64) -> bool {
        let value = match &self.stamps {
            None => &self.slot(position).signal.value,
            Some(stamps) => &stamps.signal(position, self.capacity).value,
        };
        // Acquire: pairs with the device's release decrement; the ticks are visible then.
        value.load(Acquire) == 0
    }

    fn settle(&self, completed: Range<u64>) {
        let Some(stamps) = &self.stamps else { return };
        for position in completed {
            let from = stamps.signal(position, self.capacity);
            let to = &self.slot(position).signal;
            to.start_ts.store(from.start_ts.load(Relaxed), Relaxed);
            to.end_ts.store(from.end_ts.load(Relaxed), Relaxed);
            // Release: who sees the event completed, in another process too, sees its ticks.
            to.value.store(0, Release);
        }
    }
}

/// Signals beside the slots, for a device that cannot write to those.
#[derive(Debug)]
struct Stamps {
    signals: Buffer,
    copying: Mutex<()>,
}

impl Stamps {
    fn signal(&self, position: u64, capacity: u32) -> &Signal {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the mask has at most 16 bits"
        )]
        let index = (position & u64::from(capacity - 1)) as usize;
        let first = std::ptr::with_exposed_provenance::<Signal>(self.signals.address());
        // SAFETY: `with_stamps_in` has checked that the buffer has `capacity` signals.
        let signal = unsafe { first.add(index) };
        // SAFETY: the buffer is mapped and page aligned as long as `self` lives; signals are all
        // atomics.
        unsafe { &*signal }
    }

    /// Makes a signal pending, like that of the slot.
    fn reset(&self, position: u64, capacity: u32) {
        let signal = self.signal(position, capacity);
        signal.kind.store(KIND_USER, Relaxed);
        signal.start_ts.store(0, Relaxed);
        signal.end_ts.store(0, Relaxed);
        signal.value.store(1, Relaxed);
    }
}

/// The four positions at one moment, each on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingState {
    /// End of what was submitted.
    pub write: u64,
    /// End of what is known to be complete.
    pub ready: u64,
    /// End of what was claimed for the collector.
    pub taken: u64,
    /// End of what is in the bundle.
    pub durable: u64,
}

impl EventRing {
    /// The ring of a session: nothing is reused before the collector has released it.
    #[must_use]
    pub fn recorded(memory: RingMemory) -> Self {
        Self::new(memory, RING_CAPACITY, true)
    }

    /// A ring that only tells completion, of `capacity` slots, a power of two: fewer than a
    /// session's keep the launch path in the cache.
    #[must_use]
    pub fn unrecorded(memory: RingMemory, capacity: u32) -> Self {
        Self::new(memory, capacity, false)
    }

    fn new(memory: RingMemory, capacity: u32, recorded: bool) -> Self {
        assert!(
            capacity.is_power_of_two() && capacity <= RING_CAPACITY,
            "a ring of {capacity} slots"
        );
        Self {
            protocol: Protocol::new(Slots {
                memory,
                capacity,
                stamps: None,
            }),
            recorded: AtomicBool::new(recorded),
            consumer: Mutex::new(()),
        }
    }

    /// Lets the device complete events in `signals`, memory of its own, because it cannot write to
    /// the slots; `retire` copies from there. Until then a completed event is lost with the
    /// process.
    pub(crate) fn with_stamps_in(self, signals: Buffer) -> Self {
        let slots = self.protocol.into_storage();
        let needed = slots.capacity as usize * size_of::<Signal>();
        assert!(
            signals.size() >= needed,
            "a signal for each of {} slots",
            slots.capacity
        );
        Self {
            protocol: Protocol::new(Slots {
                stamps: Some(Stamps {
                    signals,
                    copying: Mutex::new(()),
                }),
                ..slots
            }),
            ..self
        }
    }

    /// Whether a session reads the ring.
    #[inline]
    #[must_use]
    pub fn is_recorded(&self) -> bool {
        // Relaxed: the switch orders nothing, see `end_recording`.
        self.recorded.load(Relaxed)
    }

    /// The session that reads the ring has ended: from now on completed events free their slots
    /// themselves, so that no submitter waits for a collector that is gone. What was not drained is
    /// lost.
    ///
    /// A submission or a look beside this call may still treat the ring as a session's, which does
    /// no harm: positions only grow, and the next look frees what that one left.
    pub fn end_recording(&self) {
        {
            // Nobody is in the middle of a drain.
            let _consumer = self.consumer.lock();
            self.recorded.store(false, Relaxed);
        }
        self.retire();
    }

    /// The address range with positions and slots in use, for registration with the device: page
    /// aligned, whole pages.
    #[must_use]
    pub fn byte_range(&self) -> Range<usize> {
        let slots = &self.protocol.storage();
        let start = slots.memory.base().expose_provenance();
        let used = SLOTS_OFFSET + slots.capacity as usize * SLOT_BYTES;
        start..start + used.next_multiple_of(4096).min(slots.memory.byte_length())
    }

    /// Slots in use.
    #[must_use]
    pub fn capacity(&self) -> u32 {
        self.protocol.storage().capacity
    }

    /// The four positions.
    #[must_use]
    pub fn state(&self) -> RingState {
        // From the last to the first: each is then at most what the next one reads.
        let durable = self.protocol.durable();
        let taken = self.protocol.taken();
        let ready = self.protocol.ready();
        let write = self.protocol.write();
        RingState {
            write,
            ready,
            taken,
            durable,
        }
    }

    /// The slot of a position.
    #[inline]
    #[must_use]
    pub fn slot(&self, position: u64) -> &EventSlot {
        self.protocol.storage().slot(position)
    }

    /// Whether the event at `position`, which was submitted, has completed.
    #[must_use]
    pub fn is_complete(&self, position: u64) -> bool {
        // The slot of a position that is not ready yet cannot have been reused, but it may be
        // reused between the two looks: then a pending signal hides the completion once, and the
        // next look finds it. A completed signal always tells the truth, since completion is in
        // order.
        position < self.protocol.ready() || self.protocol.storage().is_stamped(position)
    }

    /// The next position if its slot is free. The caller holds the submission lock.
    #[inline]
    pub(crate) fn reserve(&self) -> Option<u64> {
        self.protocol.reserve()
    }

    /// Fills the slot of a reserved position: pending signal and, in a recorded ring, what `info`
    /// says.
    #[inline]
    pub(crate) fn fill(&self, position: u64, info: impl FnOnce() -> EventInfo) {
        let slot = self.slot(position);
        slot.signal.reset();
        if let Some(stamps) = &self.protocol.storage().stamps {
            stamps.reset(position, self.capacity());
        }
        if self.is_recorded() {
            slot.info.publish(position, &info());
        }
    }

    /// Makes a filled slot part of the ring. The caller holds the submission lock.
    #[inline]
    pub(crate) fn commit(&self, position: u64) {
        self.protocol.commit(position);
    }

    /// Moves `ready` over completed events and returns it. Any thread.
    #[inline]
    pub fn retire(&self) -> u64 {
        let Some(stamps) = &self.protocol.storage().stamps else {
            return self.protocol.retire(!self.is_recorded());
        };
        // One at a time: who copies late would overwrite a later event of the same slot.
        match stamps.copying.try_lock() {
            Some(_copying) => self.protocol.retire(!self.is_recorded()),
            None => self.protocol.ready(),
        }
    }

    /// Address of the signal that the event at `position` completes.
    #[inline]
    pub(crate) fn signal_address(&self, position: u64) -> u64 {
        let slots = self.protocol.storage();
        let address = match &slots.stamps {
            None => std::ptr::from_ref(&slots.slot(position).signal).expose_provenance(),
            Some(stamps) => {
                std::ptr::from_ref(stamps.signal(position, slots.capacity)).expose_provenance()
            }
        };
        address as u64
    }

    /// Claims all ready events for the collector if there are at least `least`; returns whether
    /// this call did. Any thread. Never in a ring without a session.
    pub fn take(&self, least: u64) -> bool {
        self.is_recorded() && self.protocol.take(least)
    }

    /// The events that are claimed and not yet durable, for one collector at a time: a second
    /// caller waits until the first has dropped its answer.
    #[must_use]
    pub fn drain(&self) -> Drain<'_> {
        let lock = self.consumer.lock();
        let range = if self.is_recorded() {
            self.protocol.claimed()
        } else {
            0..0
        };
        Drain {
            ring: self,
            range,
            _lock: lock,
        }
    }
}

/// Claimed events, read in place. Dropping it without [`Drain::release`] keeps them claimed: the
/// next drain finds them again.
#[derive(Debug)]
pub struct Drain<'a> {
    ring: &'a EventRing,
    range: Range<u64>,
    _lock: MutexGuard<'a, ()>,
}

impl Drain<'_> {
    /// The positions.
    #[must_use]
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// The slots with their positions. All have completed; those that a session wants carry
    /// [`FLAG_RECORD`](hrx_profile::schema::side::FLAG_RECORD).
    pub fn slots(&self) -> impl Iterator<Item = (u64, &EventSlot)> {
        self.range
            .clone()
            .map(|position| (position, self.ring.slot(position)))
    }

    /// Frees the slots before `end`: their records are in the bundle. What remains is claimed
    /// still.
    pub fn release(&mut self, end: u64) {
        let end = end.clamp(self.range.start, self.range.end);
        self.ring.protocol.release(end);
        self.range.start = end;
    }
}
