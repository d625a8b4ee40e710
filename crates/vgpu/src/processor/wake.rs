//! Who looks for work, who sleeps, and why no wake-up is lost.
//!
//! A *watcher* is a thread that will look at every doorbell again before it stops watching: a worker between
//! slices, the one worker that searches, a host thread that assists. Whoever is not a watcher is parked, or
//! deep in a slice of a group that is known to be long.
//!
//! 1. A client stores its doorbell, fences, and reads the number of watchers. Only if there is none, and
//!    somebody is parked, does it wake one: a few nanoseconds when the device is awake.
//! 2. Whoever stops watching takes itself off that number, fences, and looks once more.
//!
//! # Memory ordering
//! The two fences are sequentially consistent, so one comes first. If the client's does, the last look of
//! step 2 sees the doorbell. If the watcher's does, the client sees that it has gone, and wakes another.
//! A worker that parks is on the list of idle ones before its fence; a client that finds it there takes it
//! off, counts it as a watcher at once, so that the next doorbells need no wake-up, and hands it the token
//! of `std::thread::park`, which is kept if the worker does not sleep yet.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use std::thread::Thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// The threads of a processor, by what they are doing.
#[derive(Debug, Default)]
pub(super) struct Sleepers {
    watchers: AtomicUsize,
    searching: AtomicBool,
    /// A doorbell is about to be stored to, and nobody has looked for it since.
    alarmed: AtomicBool,
    idle: Mutex<Vec<Thread>>,
    /// Length of `idle`, written under its lock.
    idle_count: AtomicUsize,
}

impl Sleepers {
    /// The calling thread looks at doorbells from now on.
    pub(super) fn watch(&self) {
        self.watchers.fetch_add(1, Ordering::SeqCst);
    }

    /// The calling thread stops looking, unless a last look finds something. True if it has stopped.
    pub(super) fn leave(&self, look: impl FnOnce() -> bool) -> bool {
        self.watchers.fetch_sub(1, Ordering::SeqCst);
        // Pairs with the fence of `rung`.
        fence(Ordering::SeqCst);
        if look() {
            self.watch();
            return false;
        }
        true
    }

    /// Whether another thread watches besides the calling one, which does.
    pub(super) fn others_watch(&self) -> bool {
        self.watchers.load(Ordering::Relaxed) > 1
    }

    /// A watcher sleeps until it is woken, or `limit` is over; then it watches again. Does not sleep if
    /// `look` finds something.
    pub(super) fn park(&self, limit: Option<Duration>, look: impl FnOnce() -> bool) {
        let this = std::thread::current();
        {
            let mut idle = self.idle.lock();
            idle.push(this.clone());
            self.idle_count.store(idle.len(), Ordering::SeqCst);
        }
        let has_left = self.leave(|| self.alarmed.load(Ordering::Relaxed) || look());
        let end = limit.map(|limit| Instant::now() + limit);
        loop {
            let mut idle = self.idle.lock();
            let place = idle.iter().position(|thread| thread.id() == this.id());
            let Some(place) = place else {
                // Whoever took it off the list counted it as a watcher.
                if !has_left {
                    self.watchers.fetch_sub(1, Ordering::SeqCst);
                }
                return;
            };
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if !has_left || left.is_some_and(|left| left.is_zero()) {
                idle.swap_remove(place);
                self.idle_count.store(idle.len(), Ordering::SeqCst);
                if has_left {
                    self.watch();
                }
                return;
            }
            drop(idle);
            match left {
                None => std::thread::park(),
                Some(left) => std::thread::park_timeout(left),
            }
        }
    }

    /// A doorbell was stored to.
    #[inline]
    pub(super) fn rung(&self) {
        // Pairs with the fence of `leave`.
        fence(Ordering::SeqCst);
        if self.watchers.load(Ordering::Relaxed) == 0 {
            self.wake_one();
        }
    }

    /// A doorbell is about to be stored to, by a client that will not call [`Sleepers::rung`]. Whoever would
    /// park looks around first.
    pub(super) fn alarm(&self) {
        self.alarmed.store(true, Ordering::SeqCst);
        // Pairs with the fence of `leave`: who parks sees the alarm, or is seen idle.
        fence(Ordering::SeqCst);
        self.wake_one();
    }

    /// Whether there was an alarm. The caller looks around from now on.
    pub(super) fn take_alarm(&self) -> bool {
        self.alarmed.load(Ordering::Relaxed) && self.alarmed.swap(false, Ordering::SeqCst)
    }

    /// There is work for one thread more. A worker that searches will find it.
    pub(super) fn call_helper(&self) {
        fence(Ordering::SeqCst);
        if !self.searching.load(Ordering::Relaxed) {
            self.wake_one();
        }
    }

    /// Wakes an idle thread if there is one: the last that went idle, whose caches are warm.
    pub(super) fn wake_one(&self) {
        if self.idle_count.load(Ordering::Relaxed) > 0 {
            self.wake_idle();
        }
    }

    #[cold]
    fn wake_idle(&self) {
        let mut idle = self.idle.lock();
        let Some(thread) = idle.pop() else { return };
        self.idle_count.store(idle.len(), Ordering::SeqCst);
        self.watch();
        drop(idle);
        thread.unpark();
    }

    /// Wakes all idle threads.
    pub(super) fn wake_all(&self) {
        while self.idle_count.load(Ordering::SeqCst) > 0 {
            self.wake_idle();
        }
    }

    /// Runs `search` if no other thread does so; its result, or false.
    pub(super) fn search(&self, search: impl FnOnce() -> bool) -> bool {
        if self.searching.swap(true, Ordering::SeqCst) {
            return false;
        }
        let found = search();
        self.searching.store(false, Ordering::SeqCst);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    /// Each round a client adds one to a word and rings; a sleeper parks whenever it has seen all. A lost
    /// wake-up ends the rounds for good.
    #[test]
    fn every_ring_is_seen() {
        let sleepers = Sleepers::default();
        let (doorbell, seen, stop) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                sleepers.watch();
                while !stop.load(Ordering::Relaxed) {
                    let now = doorbell.load(Ordering::Relaxed);
                    if now != seen.load(Ordering::Relaxed) {
                        seen.store(now, Ordering::Release);
                        continue;
                    }
                    sleepers.park(None, || {
                        stop.load(Ordering::Relaxed)
                            || doorbell.load(Ordering::Relaxed) != seen.load(Ordering::Relaxed)
                    });
                }
            });
            for round in 1..20_000 {
                doorbell.store(round, Ordering::Relaxed);
                sleepers.rung();
                while seen.load(Ordering::Acquire) != round {
                    std::hint::spin_loop();
                }
            }
            stop.store(true, Ordering::SeqCst);
            sleepers.wake_all();
        });
    }

    #[test]
    fn a_last_look_that_finds_something_keeps_the_watcher() {
        let sleepers = Sleepers::default();
        sleepers.watch();
        assert!(!sleepers.leave(|| true));
        assert_eq!(sleepers.watchers.load(Ordering::Relaxed), 1);
        sleepers.park(None, || true);
        assert_eq!(sleepers.watchers.load(Ordering::Relaxed), 1);
        assert!(sleepers.leave(|| false));
        assert_eq!(sleepers.watchers.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_woken_thread_watches_from_the_moment_it_was_picked() {
        let sleepers = Sleepers::default();
        std::thread::scope(|scope| {
            let sleeper = scope.spawn(|| {
                sleepers.watch();
                sleepers.park(None, || false);
            });
            while sleepers.idle_count.load(Ordering::SeqCst) == 0
                || sleepers.watchers.load(Ordering::SeqCst) > 0
            {
                std::thread::yield_now();
            }
            sleepers.rung();
            assert_eq!(sleepers.watchers.load(Ordering::SeqCst), 1);
            assert_eq!(sleepers.idle_count.load(Ordering::SeqCst), 0);
            sleeper.join().expect("no panic");
        });
        assert_eq!(sleepers.watchers.load(Ordering::SeqCst), 1, "counted once");
    }

    #[test]
    fn a_limit_ends_the_sleep() {
        let sleepers = Sleepers::default();
        sleepers.watch();
        sleepers.park(Some(Duration::from_millis(1)), || false);
        assert_eq!(sleepers.watchers.load(Ordering::SeqCst), 1);
        assert_eq!(sleepers.idle_count.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn one_thread_searches() {
        let sleepers = Sleepers::default();
        assert!(sleepers.search(|| {
            assert!(!sleepers.search(|| true), "another one is at it");
            true
        }));
        assert!(!sleepers.search(|| false));
    }
}
