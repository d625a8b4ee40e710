//! A dispatch in progress: its groups are handed out to whoever asks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use hrx_gfx::exec::Launch;

use super::queue::AqlQueue;

/// A kernel dispatch whose packet has started.
#[derive(Debug)]
pub(crate) struct Dispatch {
    pub(crate) launch: Launch,
    pub(crate) queue: Arc<AqlQueue>,
    pub(crate) position: u64,
    pub(crate) kernel_object: u64,
    completion_signal: u64,
    start: u64,
    total: u64,
    /// Groups that the chip holds at once.
    limit: u64,
    next: AtomicU64,
    resident: AtomicU64,
    unfinished: AtomicU64,
    failed: AtomicBool,
}

impl Dispatch {
    pub(crate) fn new(
        launch: Launch,
        queue: Arc<AqlQueue>,
        position: u64,
        kernel_object: u64,
        completion_signal: u64,
        start: u64,
    ) -> Self {
        let total = launch.groups_total();
        let limit = u64::from(launch.resident_groups_limit()).max(1);
        Self {
            launch,
            queue,
            position,
            kernel_object,
            completion_signal,
            start,
            total,
            limit,
            next: AtomicU64::new(0),
            resident: AtomicU64::new(0),
            unfinished: AtomicU64::new(total),
            failed: AtomicBool::new(false),
        }
    }

    pub(crate) fn completion(&self) -> (u64, u64) {
        (self.start, self.completion_signal)
    }

    /// The next group in order, if one is left and the chip has room for it.
    pub(crate) fn claim(&self) -> Option<[u32; 3]> {
        if self.exhausted() {
            return None;
        }
        if self.resident.fetch_add(1, Ordering::Relaxed) >= self.limit {
            self.resident.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        // Relaxed: gives numbers away. The launch itself was published by the lock it was found under.
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        (index < self.total).then(|| self.launch.group_at(index))
    }

    /// Whether every group has been handed out, or no more will be.
    pub(crate) fn exhausted(&self) -> bool {
        self.next.load(Ordering::Relaxed) >= self.total || self.failed()
    }

    /// A group has ended. True for the last one: its worker completes the packet.
    pub(crate) fn finished(&self) -> bool {
        self.resident.fetch_sub(1, Ordering::Relaxed);
        // AcqRel: the last finisher's completion is after everything that the other groups wrote.
        self.unfinished.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// No further group starts, and those that run are dropped.
    pub(crate) fn fail(&self) {
        self.failed.store(true, Ordering::Relaxed);
    }

    pub(crate) fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed) || self.queue.dead.load(Ordering::Relaxed)
    }
}
