//! Model tests of the ring protocol: every interleaving of a submitter, the device and the
//! collector over a ring of one slot and two events, so that the second event reuses the slot of
//! the first.
//!
//! Nobody waits in a model: who finds nothing to do goes on, and the checks are about what was
//! seen. The contents of a slot are cells under loom's race detector, so a step that does not order
//! its accesses fails even where values would have come out right.

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::AtomicU64;
use loom::thread;

use super::protocol::{Orders, Protocol, Sound, Storage, Word};
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};

impl Word for AtomicU64 {
    fn load(&self, order: Ordering) -> u64 {
        self.load(order)
    }

    fn store(&self, value: u64, order: Ordering) {
        self.store(value, order);
    }

    fn fetch_max(&self, value: u64, order: Ordering) -> u64 {
        self.fetch_max(value, order)
    }
}

/// A ring of one slot.
struct OneSlot {
    write: AtomicU64,
    ready: AtomicU64,
    taken: AtomicU64,
    durable: AtomicU64,
    /// The signal's value. 0 at first, as in a fresh mapping.
    value: AtomicU64,
    /// The signal's ticks.
    ticks: UnsafeCell<u64>,
    /// What was known at submission.
    info: UnsafeCell<u64>,
}

// SAFETY: loom runs one thread at a time and checks that accesses to the cells are ordered.
unsafe impl Sync for OneSlot {}

impl Storage for OneSlot {
    type Word = AtomicU64;

    fn capacity(&self) -> u64 {
        1
    }

    fn write(&self) -> &AtomicU64 {
        &self.write
    }

    fn ready(&self) -> &AtomicU64 {
        &self.ready
    }

    fn taken(&self) -> &AtomicU64 {
        &self.taken
    }

    fn durable(&self) -> &AtomicU64 {
        &self.durable
    }

    fn is_stamped(&self, _: u64) -> bool {
        self.value.load(Acquire) == 0
    }
}

impl OneSlot {
    fn set(cell: &UnsafeCell<u64>, value: u64) {
        // SAFETY: the pointer is to a live cell; loom fails the model if the access races.
        cell.with_mut(|cell| unsafe { *cell = value });
    }

    fn get(cell: &UnsafeCell<u64>) -> u64 {
        // SAFETY: as above.
        cell.with(|cell| unsafe { *cell })
    }
}

/// Who does what beside the collector.
#[derive(Clone, Copy)]
struct Roles {
    submitter_retires: bool,
    submitter_takes: bool,
    free_running: bool,
    /// Order of the device's decrement.
    stamp: Ordering,
}

const COLLECTOR_DOES_ALL: Roles = Roles {
    submitter_retires: false,
    submitter_takes: false,
    free_running: false,
    stamp: Release,
};
const SUBMITTER_RETIRES: Roles = Roles {
    submitter_retires: true,
    ..COLLECTOR_DOES_ALL
};
const SUBMITTER_TAKES: Roles = Roles {
    submitter_takes: true,
    ..SUBMITTER_RETIRES
};
const NO_SESSION: Roles = Roles {
    free_running: true,
    ..SUBMITTER_RETIRES
};

const INFO: u64 = 100;
const TICKS: u64 = 200;

fn submit<O: Orders>(ring: &Protocol<OneSlot, O>, doorbell: &AtomicU64, roles: Roles) {
    for _attempt in 0..2 {
        if let Some(reserved) = ring.reserve() {
            let slot = ring.storage();
            OneSlot::set(&slot.ticks, 0);
            OneSlot::set(&slot.info, INFO + reserved);
            slot.value.store(1, Relaxed);
            ring.commit(reserved);
            // The packet's header.
            doorbell.store(reserved + 1, Release);
        }
        if roles.submitter_retires {
            ring.retire(roles.free_running);
        }
        if roles.submitter_takes {
            ring.take(1);
        }
    }
}

fn run_device<O: Orders>(ring: &Protocol<OneSlot, O>, doorbell: &AtomicU64, roles: Roles) {
    let mut done = 0;
    for _look in 0..2 {
        let rung = doorbell.load(Acquire);
        if rung > done {
            OneSlot::set(&ring.storage().ticks, TICKS + done);
            ring.storage().value.store(0, roles.stamp);
            done += 1;
        }
    }
}

fn collect<O: Orders>(ring: &Protocol<OneSlot, O>, roles: Roles) {
    for _round in 0..2 {
        if !roles.submitter_retires {
            ring.retire(roles.free_running);
        }
        if !roles.submitter_takes {
            ring.take(1);
        }
        let claimed = ring.claimed();
        for position in claimed.clone() {
            let slot = ring.storage();
            assert_eq!(
                slot.value.load(Relaxed),
                0,
                "a drained slot is not complete"
            );
            assert_eq!(OneSlot::get(&slot.ticks), TICKS + position, "other ticks");
            assert_eq!(OneSlot::get(&slot.info), INFO + position, "another event");
        }
        ring.release(claimed.end);
    }
}

fn check<O: Orders + 'static>(roles: Roles) {
    // Without a bound on preemptions: with one, loom never reaches the second event.
    loom::model(move || {
        let zero = || AtomicU64::new(0);
        let ring = Arc::new(Protocol::<OneSlot, O>::new(OneSlot {
            write: zero(),
            ready: zero(),
            taken: zero(),
            durable: zero(),
            value: zero(),
            ticks: UnsafeCell::new(0),
            info: UnsafeCell::new(0),
        }));
        let doorbell = Arc::new(zero());
        let device = {
            let (ring, doorbell) = (Arc::clone(&ring), Arc::clone(&doorbell));
            thread::spawn(move || run_device(&ring, &doorbell, roles))
        };
        let collector = (!roles.free_running).then(|| {
            let ring = Arc::clone(&ring);
            thread::spawn(move || collect(&ring, roles))
        });
        submit(&ring, &doorbell, roles);
        device.join().expect("the device's thread ends");
        if let Some(collector) = collector {
            collector.join().expect("the collector's thread ends");
        }
        // The rule of the positions, whatever happened.
        let [durable, taken, ready, write] =
            [ring.durable(), ring.taken(), ring.ready(), ring.write()];
        assert!(durable <= taken && taken <= ready && ready <= write && write - durable <= 1);
    });
}

/// Overrides one order of [`Sound`].
macro_rules! weakened {
    ($name:ident, $order:ident) => {
        struct $name;
        impl Orders for $name {
            const $order: Ordering = Relaxed;
        }
    };
}

weakened!(RelaxedCommit, COMMIT);
weakened!(RelaxedReady, READY);
weakened!(RelaxedTaken, TAKEN);
weakened!(RelaxedDurable, DURABLE);

#[test]
fn a_collector_that_retires_sees_completed_slots_only() {
    check::<Sound>(COLLECTOR_DOES_ALL);
}

#[test]
#[should_panic]
fn with_a_relaxed_commit_it_takes_a_fresh_slot_for_a_completed_one() {
    check::<RelaxedCommit>(COLLECTOR_DOES_ALL);
}

#[test]
#[should_panic]
fn with_a_relaxed_stamp_it_does_not_see_the_ticks() {
    check::<Sound>(Roles {
        stamp: Relaxed,
        ..COLLECTOR_DOES_ALL
    });
}

#[test]
#[should_panic]
fn with_a_relaxed_release_a_slot_is_overwritten_under_the_collector() {
    check::<RelaxedDurable>(COLLECTOR_DOES_ALL);
}

#[test]
fn a_collector_sees_slots_that_a_submitter_retired() {
    check::<Sound>(SUBMITTER_RETIRES);
}

#[test]
#[should_panic]
fn with_a_relaxed_ready_it_does_not_see_their_stamps() {
    check::<RelaxedReady>(SUBMITTER_RETIRES);
}

#[test]
fn a_collector_sees_slots_that_a_submitter_claimed_for_it() {
    check::<Sound>(SUBMITTER_TAKES);
}

#[test]
#[should_panic]
fn with_a_relaxed_take_it_does_not_see_their_stamps() {
    check::<RelaxedTaken>(SUBMITTER_TAKES);
}

#[test]
fn without_a_session_a_completed_slot_is_free_at_once() {
    check::<Sound>(NO_SESSION);
}

/// Two threads find the same events ready.
#[test]
fn ready_events_are_claimed_once() {
    loom::model(|| {
        let word = |value| AtomicU64::new(value);
        let ring = Arc::new(Protocol::<OneSlot, Sound>::new(OneSlot {
            write: word(1),
            ready: word(1),
            taken: word(0),
            durable: word(0),
            value: word(0),
            ticks: UnsafeCell::new(0),
            info: UnsafeCell::new(0),
        }));
        let other = {
            let ring = Arc::clone(&ring);
            thread::spawn(move || ring.take(1))
        };
        let ours = ring.take(1);
        let theirs = other.join().expect("the other thread ends");
        assert!(
            ours != theirs,
            "claimed by {}",
            if ours { "both" } else { "neither" }
        );
    });
}
