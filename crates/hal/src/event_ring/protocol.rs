//! The four positions of a ring and who moves them, apart from where the slots lie.
//!
//! Each step names the order that it needs in [`Orders`], so that the model tests can weaken one
//! and see the protocol fail.

use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};

/// A word of 64 bits that threads share.
pub(crate) trait Word {
    fn load(&self, order: Ordering) -> u64;
    fn store(&self, value: u64, order: Ordering);
    fn fetch_max(&self, value: u64, order: Ordering) -> u64;
}

/// Where positions and slots lie.
pub(crate) trait Storage {
    type Word: Word;
    /// Slots, a power of two.
    fn capacity(&self) -> u64;
    fn write(&self) -> &Self::Word;
    fn ready(&self) -> &Self::Word;
    fn taken(&self) -> &Self::Word;
    fn durable(&self) -> &Self::Word;
    /// Whether the device has finished the event in the slot of `position`. Acquire.
    fn is_stamped(&self, position: u64) -> bool;
    /// Brings the stamps of completed events into their slots, if the device could not.
    fn settle(&self, _completed: std::ops::Range<u64>) {}
}

/// The orders of the stores. What each publishes is said where it is used.
pub(crate) trait Orders {
    const COMMIT: Ordering = Release;
    const READY: Ordering = Release;
    const TAKEN: Ordering = Release;
    const DURABLE: Ordering = Release;
}

/// The orders that the protocol needs.
#[derive(Debug)]
pub(crate) struct Sound;

impl Orders for Sound {}

/// Completed events that one look at the newest of them may prove, since completion is in order.
const STRIDE: u64 = 64;

/// The protocol over a storage.
#[derive(Debug)]
pub(crate) struct Protocol<S, O = Sound> {
    storage: S,
    orders: std::marker::PhantomData<O>,
}

impl<S: Storage, O: Orders> Protocol<S, O> {
    pub(crate) fn new(storage: S) -> Self {
        Self {
            storage,
            orders: std::marker::PhantomData,
        }
    }

    pub(crate) fn into_storage(self) -> S {
        self.storage
    }

    pub(crate) fn storage(&self) -> &S {
        &self.storage
    }

    /// The next position, if its slot is free. The caller holds the submission lock; the slot is
    /// its alone until `commit`.
    pub(crate) fn reserve(&self) -> Option<u64> {
        // Relaxed: only the holder of the submission lock moves `write`.
        let write = self.storage.write().load(Relaxed);
        // Acquire: pairs with the store in `release`; the collector has read what we now overwrite.
        let durable = self.storage.durable().load(Acquire);
        (write - durable < self.storage.capacity()).then_some(write)
    }

    /// Makes a filled slot part of the ring. The caller holds the submission lock, has reset the
    /// slot's signal and not yet published a packet that names it.
    pub(crate) fn commit(&self, position: u64) {
        // Release: pairs with the load of `write` in `retire`; who scans the slot sees its signal
        // pending, not completed by the event of a lap before.
        self.storage.write().store(position + 1, O::COMMIT);
    }

    pub(crate) fn write(&self) -> u64 {
        self.storage.write().load(Acquire)
    }

    pub(crate) fn ready(&self) -> u64 {
        self.storage.ready().load(Acquire)
    }

    pub(crate) fn taken(&self) -> u64 {
        self.storage.taken().load(Acquire)
    }

    pub(crate) fn durable(&self) -> u64 {
        self.storage.durable().load(Acquire)
    }

    /// Moves `ready` over completed events; with `free_running` also frees their slots. Any thread.
    /// Returns `ready`.
    pub(crate) fn retire(&self, free_running: bool) -> u64 {
        // Acquire: with the release below it hands on what earlier retirers have seen completed.
        let from = self.storage.ready().load(Acquire);
        // Acquire: pairs with `commit`.
        let end = self.storage.write().load(Acquire);
        let mut ready = from;
        // A slot that was recycled meanwhile only ever shows the completion of a later event, which
        // proves this one's.
        while end - ready >= STRIDE && self.storage.is_stamped(ready + STRIDE - 1) {
            ready += STRIDE;
        }
        while ready < end && self.storage.is_stamped(ready) {
            ready += 1;
        }
        if ready > from {
            self.storage.settle(from..ready);
            // Release: pairs with the loads of `ready`; stamps of all events before it are visible.
            self.storage.ready().fetch_max(ready, O::READY);
        }
        // Relaxed: only a hint whether there is anything to free. A ring whose session has ended
        // may lag.
        if free_running && self.storage.durable().load(Relaxed) < ready {
            self.storage.taken().fetch_max(ready, Relaxed);
            // Release: pairs with `reserve`; nobody looks at these slots any more.
            self.storage.durable().fetch_max(ready, O::DURABLE);
        }
        ready
    }

    /// Claims all ready events for the collector if there are at least `least`. Any thread. Returns
    /// whether this call claimed them.
    pub(crate) fn take(&self, least: u64) -> bool {
        let ready = self.ready();
        // Relaxed: a stale value only makes two threads claim the same, and `fetch_max` tells them
        // apart.
        let taken = self.storage.taken().load(Relaxed);
        if ready - taken.min(ready) < least.max(1) {
            return false;
        }
        // Release: pairs with the load of `taken` in `claimed`; hands the stamps on.
        self.storage.taken().fetch_max(ready, O::TAKEN) < ready
    }

    /// Positions that the collector may read. The caller holds the consumer lock.
    pub(crate) fn claimed(&self) -> std::ops::Range<u64> {
        // Relaxed: only the holder of the consumer lock moves `durable` while events are recorded.
        let durable = self.storage.durable().load(Relaxed);
        durable..self.taken().max(durable)
    }

    /// Frees the slots before `end`. The caller holds the consumer lock and reads them no more.
    pub(crate) fn release(&self, end: u64) {
        // Release: pairs with `reserve`; our reads of the slots come before their reuse.
        self.storage.durable().fetch_max(end, O::DURABLE);
    }
}
