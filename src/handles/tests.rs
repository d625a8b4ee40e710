use std::{
    sync::{
        Barrier,
        atomic::{AtomicBool, AtomicUsize},
    },
    thread,
};

use super::*;

/// An object type of its own for each test, so that tests share no table.
macro_rules! object {
    ($name:ident, $raw:ident) => {
        #[derive(Debug)]
        #[allow(
            dead_code,
            reason = "some tests look at the object and some at its handle alone"
        )]
        struct $name(usize);
        impl Object for $name {
            type Raw = sys::$raw;
            fn table() -> &'static Table<$name> {
                static TABLE: Table<$name> = Table::new();
                &TABLE
            }
        }
    };
}

#[test]
fn a_handle_leads_to_its_object_until_removed() {
    object!(Thing, hipStream_t);
    let raw = insert(Arc::new(Thing(7))).expect("room");
    assert_eq!(get::<Thing>(raw).expect("live").0, 7);
    assert_eq!(remove::<Thing>(raw).expect("live").0, 7);
    assert_eq!(get::<Thing>(raw).unwrap_err(), HipError::INVALID_HANDLE);
    assert_eq!(remove::<Thing>(raw).unwrap_err(), HipError::INVALID_HANDLE);
}

#[test]
fn a_reused_place_has_another_handle() {
    object!(Thing, hipStream_t);
    let old = insert(Arc::new(Thing(1))).expect("room");
    remove::<Thing>(old).expect("live");
    let new = insert(Arc::new(Thing(2))).expect("room");
    assert_eq!(
        old.0 & 0xff_ffff,
        new.0 & 0xff_ffff,
        "the place is the same"
    );
    assert_ne!(old, new);
    assert!(get::<Thing>(old).is_err());
    assert_eq!(get::<Thing>(new).expect("live").0, 2);
}

#[test]
fn a_handle_of_another_kind_is_refused_with_that_kinds_code() {
    object!(Stream, hipStream_t);
    object!(Graph, hipGraph_t);
    let stream = insert(Arc::new(Stream(1))).expect("room");
    let graph = insert(Arc::new(Graph(2))).expect("room");
    assert_eq!(
        get::<Graph>(sys::hipGraph_t(stream.0)).unwrap_err(),
        HipError::INVALID_VALUE
    );
    assert_eq!(
        get::<Stream>(sys::hipStream_t(graph.0)).unwrap_err(),
        HipError::INVALID_HANDLE
    );
}

#[test]
fn no_bit_pattern_but_the_handle_itself_is_accepted() {
    object!(Thing, hipEvent_t);
    let raw = insert(Arc::new(Thing(1))).expect("room");
    let local = 0_u64;
    let address = (&raw const local).addr();
    let mut wrong = vec![
        0,
        1,
        2,
        3,
        usize::MAX,
        usize::MAX >> 1,
        address,
        0xdead_beef,
    ];
    wrong.extend((0..64).map(|bit| raw.0 ^ 1 << bit));
    wrong.extend((0..64).map(|bit| 1_usize << bit));
    wrong.extend((0..64).map(|bit| !(1_usize << bit)));
    for bits in wrong {
        assert!(get::<Thing>(sys::hipEvent_t(bits)).is_err(), "{bits:#x}");
        assert!(remove::<Thing>(sys::hipEvent_t(bits)).is_err(), "{bits:#x}");
    }
    assert_eq!(get::<Thing>(raw).expect("still live").0, 1);
}

#[test]
fn a_handle_is_positive_and_no_user_space_address() {
    object!(Thing, hipEvent_t);
    let raw = insert(Arc::new(Thing(1))).expect("room");
    assert!(raw.0.cast_signed() > 0);
    assert!(raw.0 >> 47 != 0, "x86-64 user space ends at 2^47");
}

#[test]
fn an_object_in_use_outlives_its_removal() {
    object!(Thing, hipStream_t);
    let object = Arc::new(Thing(3));
    let weak = Arc::downgrade(&object);
    let raw = insert(object).expect("room");
    let held = get::<Thing>(raw).expect("live");
    drop(remove::<Thing>(raw).expect("live"));
    assert_eq!(held.0, 3);
    drop(held);
    assert!(weak.upgrade().is_none(), "the last use frees it");
}

#[test]
fn many_objects_live_at_once_over_several_segments() {
    object!(Thing, hipGraphNode_t);
    let handles: Vec<_> = (0..10_000)
        .map(|n| insert(Arc::new(Thing(n))).expect("room"))
        .collect();
    for (n, raw) in handles.iter().enumerate() {
        assert_eq!(get::<Thing>(*raw).expect("live").0, n);
    }
    assert_eq!(live::<Thing>().len(), handles.len());
    for raw in &handles {
        remove::<Thing>(*raw).expect("live");
    }
    assert!(live::<Thing>().is_empty());
}

#[test]
fn places_fill_segments_without_gap_or_overlap() {
    let mut expected = (0, 0);
    for index in 0..5_000 {
        assert_eq!(Table::<()>::place(index), expected, "index {index}");
        expected.1 += 1;
        if expected.1 == 64 << expected.0 {
            expected = (expected.0 + 1, 0);
        }
    }
    let (segment, _) = Table::<()>::place((1 << INDEX_BITS) - FIRST - 1);
    assert_eq!(segment, SEGMENTS - 1);
    let (segment, _) = Table::<()>::place((1 << INDEX_BITS) - FIRST);
    assert_eq!(segment, SEGMENTS, "which `reserve` finds to be no segment");
}

#[test]
fn a_worn_out_place_is_never_given_out_again() {
    object!(Thing, hipStream_t);
    let first = insert(Arc::new(Thing(0))).expect("room");
    remove::<Thing>(first).expect("live");
    // As if the place had been used 2^24 - 1 times.
    let slot = Thing::table().slot(0).expect("in the first segment");
    slot.word
        .store(GENERATION_MASK << WORD_GENERATION_SHIFT, Ordering::Relaxed);
    let last = insert(Arc::new(Thing(1))).expect("room");
    assert_eq!(last.0 & 0xff_ffff, 0, "the same place once more");
    remove::<Thing>(last).expect("live");
    let next = insert(Arc::new(Thing(2))).expect("room");
    assert_eq!(next.0 & 0xff_ffff, 1, "another place");
    assert!(
        get::<Thing>(first).is_err(),
        "generation 0 did not come back"
    );
}

/// Threads look up, remove and insert on the same few places. Whoever sees an object must see the one
/// that the handle was made for, alive, and each object must be dropped once and only once.
#[test]
fn racing_users_and_removers_see_live_objects_of_the_right_handle() {
    static ALIVE: AtomicUsize = AtomicUsize::new(0);
    static REMOVED: AtomicUsize = AtomicUsize::new(0);
    const SHARED: usize = 4;
    const ROUNDS: usize = 20_000;

    struct Canary {
        expected: AtomicU64,
        dead: AtomicBool,
    }
    impl Drop for Canary {
        fn drop(&mut self) {
            assert!(!self.dead.swap(true, Ordering::Relaxed), "dropped twice");
            ALIVE.fetch_sub(1, Ordering::Relaxed);
        }
    }
    impl Object for Canary {
        type Raw = sys::hipStream_t;
        fn table() -> &'static Table<Canary> {
            static TABLE: Table<Canary> = Table::new();
            &TABLE
        }
    }
    fn new() -> u64 {
        ALIVE.fetch_add(1, Ordering::Relaxed);
        let object = Arc::new(Canary {
            expected: AtomicU64::new(0),
            dead: AtomicBool::new(false),
        });
        let keep = Arc::clone(&object);
        let raw = insert(object).expect("room").to_bits();
        keep.expected.store(raw, Ordering::Relaxed);
        raw
    }

    let shared: [AtomicU64; SHARED] = std::array::from_fn(|_| AtomicU64::new(new()));
    let start = Barrier::new(4);
    thread::scope(|scope| {
        for seed in 0..4_usize {
            let (shared, start) = (&shared, &start);
            scope.spawn(move || {
                start.wait();
                for round in 0..ROUNDS {
                    let place = &shared[(round * 7 + seed) % SHARED];
                    let raw = place.load(Ordering::Acquire);
                    if let Ok(object) = get::<Canary>(sys::hipStream_t::from_bits(raw)) {
                        let expected = object.expected.load(Ordering::Relaxed);
                        assert!(expected == raw || expected == 0, "another object's handle");
                        assert!(!object.dead.load(Ordering::Relaxed), "in use after its end");
                    }
                    if round % 3 == seed % 3
                        && remove::<Canary>(sys::hipStream_t::from_bits(raw)).is_ok()
                    {
                        REMOVED.fetch_add(1, Ordering::Relaxed);
                        place.store(new(), Ordering::Release);
                    }
                }
            });
        }
    });
    assert!(
        REMOVED.load(Ordering::Relaxed) > ROUNDS / 3,
        "the race took place"
    );
    assert_eq!(
        ALIVE.load(Ordering::Relaxed),
        SHARED,
        "each removed object was dropped"
    );
    assert_eq!(live::<Canary>().len(), SHARED);
}
