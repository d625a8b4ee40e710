//! A dispatch in progress: its groups are handed out to whoever asks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use hrx_gfx::exec::Launch;

use super::aql::AqlQueue;

/// A kernel dispatch whose packet has started.
#[derive(Debug)]
pub(super) struct Dispatch {
    pub(super) launch: Launch,
    pub(super) queue: Arc<AqlQueue>,
    pub(super) packet: Packet,
    total: u64,
    /// Groups that may be resident at once, over all workers.
    limit: u64,
    next: AtomicU64,
    resident: AtomicU64,
    unfinished: AtomicU64,
    failed: AtomicBool,
}

/// What is needed of a packet when it completes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    pub(super) position: u64,
    /// Tick at which it started.
    pub(super) start: u64,
    /// Address of its signal, or 0.
    pub(super) signal: u64,
    /// Address of its kernel descriptor, or 0.
    pub(super) kernel_object: u64,
}

impl Dispatch {
    /// `limit`: groups that may be resident at once, at least one.
    pub(super) fn new(launch: Launch, queue: Arc<AqlQueue>, packet: Packet, limit: u64) -> Self {
        let total = launch.groups_total();
        Self {
            launch,
            queue,
            packet,
            total,
            limit,
            next: AtomicU64::new(0),
            resident: AtomicU64::new(0),
            unfinished: AtomicU64::new(total),
            failed: AtomicBool::new(false),
        }
    }

    /// The next group in order, if one is left and the chip has room for it.
    pub(super) fn claim(&self) -> Option<[u32; 3]> {
        if self.exhausted() {
            return None;
        }
        // Relaxed: counts and gives numbers away. The launch was published by the lock it was found under.
        if self.resident.fetch_add(1, Ordering::Relaxed) < self.limit {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index < self.total {
                return Some(self.launch.group_at(index));
            }
        }
        self.resident.fetch_sub(1, Ordering::Relaxed);
        None
    }

    /// Whether a group could be claimed now.
    pub(super) fn has_room(&self) -> bool {
        !self.exhausted() && self.resident.load(Ordering::Relaxed) < self.limit
    }

    /// Whether every group has been handed out, or no more will be.
    pub(super) fn exhausted(&self) -> bool {
        self.left() == 0 || self.failed()
    }

    /// Groups that nobody has claimed.
    pub(super) fn left(&self) -> u64 {
        self.total.saturating_sub(self.next.load(Ordering::Relaxed))
    }

    /// A group has ended. True for the last one: its worker completes the packet.
    pub(super) fn finished(&self) -> bool {
        self.resident.fetch_sub(1, Ordering::Relaxed);
        // AcqRel: the last finisher's completion is after everything that the other groups wrote.
        self.unfinished.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// No further group starts, and those that run are dropped.
    pub(super) fn fail(&self) {
        self.failed.store(true, Ordering::Relaxed);
    }

    pub(super) fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed) || self.queue.is_dead()
    }
}
