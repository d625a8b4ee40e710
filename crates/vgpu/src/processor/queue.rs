//! A queue of either kind, as workers see it.

use std::sync::Arc;

use super::aql::AqlQueue;
use super::dispatch::Dispatch;
use super::fault::Faults;
use super::sdma::SdmaQueue;
use crate::device::Device;
use crate::kernel::QueueSpec;

/// A queue that lives.
#[derive(Debug)]
pub(super) enum Queue {
    Aql(Arc<AqlQueue>),
    /// Of the copy engine.
    Sdma(SdmaQueue),
}

/// What a step of a queue found.
pub(super) enum Step {
    /// Nothing to start.
    Idle,
    /// A packet waits for what nobody rings for: look again soon.
    Blocked,
    /// A packet without work for waves is done.
    Done,
    /// A dispatch has started.
    Started(Arc<Dispatch>),
}

impl Queue {
    pub(super) fn new(spec: QueueSpec) -> Self {
        if spec.aql {
            Self::Aql(Arc::new(AqlQueue::new(spec)))
        } else {
            Self::Sdma(SdmaQueue::new(spec))
        }
    }

    pub(super) fn id(&self) -> u32 {
        match self {
            Self::Aql(queue) => queue.spec.id,
            Self::Sdma(queue) => queue.spec.id,
        }
    }

    /// Stops the queue for good.
    pub(super) fn stop(&self) {
        match self {
            Self::Aql(queue) => queue.stop(),
            Self::Sdma(queue) => queue.stop(),
        };
    }

    /// Whether a step would find something to start.
    pub(super) fn pending(&self, device: &Device) -> bool {
        match self {
            Self::Aql(queue) => queue.pending(device),
            Self::Sdma(queue) => queue.pending(device),
        }
    }

    /// Whether the next packet waits for what nobody rings for.
    pub(super) fn is_blocked(&self, device: &Device) -> bool {
        match self {
            Self::Aql(queue) => queue.is_blocked(device),
            Self::Sdma(queue) => queue.is_blocked(device),
        }
    }

    /// Starts the next packet if it may start.
    pub(super) fn step(&self, device: &Device, faults: &Faults) -> Step {
        match self {
            Self::Aql(queue) => queue.step(device, faults),
            Self::Sdma(queue) => queue.step(device, faults),
        }
    }

    /// Whether a group still refers to a queue that is off the list. A copy is over by then: it runs under
    /// the lock of the list.
    pub(super) fn is_in_use(&self) -> bool {
        match self {
            Self::Aql(queue) => Arc::strong_count(queue) > 1,
            Self::Sdma(_) => false,
        }
    }
}
