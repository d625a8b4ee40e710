//! What the encoder remembers of a stream: its open command buffers.

use super::index_set::IndexSet;
use crate::describe::{CompletedEvent, stream_key};
use crate::schema::side::FLAG_REUSABLE;
use crate::schema::*;

/// A HIP stream on a hardware queue.
#[derive(Debug)]
pub(super) struct StreamState {
    pub(super) place: Place,
    /// The queue record is in the file.
    pub(super) written: bool,
    /// The buffer that launches go to, and in recovery those whose end is not in the bundle.
    pub(super) open: Vec<OpenBuffer>,
    /// Latest end of anything that ran on the stream.
    pub(super) last_end_tick: u64,
    /// Dispatches of the batch that is being made.
    pub(super) dispatches: Vec<DispatchEvent>,
}

/// Where an event belongs: what a queue record and all events of that queue have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) device: u32,
    pub(super) queue: u32,
    pub(super) stream_id: u64,
}

impl Place {
    pub(super) fn of(event: &CompletedEvent) -> Self {
        Self {
            device: event.device_ordinal,
            queue: event.queue_ordinal,
            stream_id: stream_key(event.device_ordinal, event.info.stream_ordinal),
        }
    }
}

/// A command buffer, or one run of a reusable one, whose queue events are not all written.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenBuffer {
    pub(super) command_buffer_id: u64,
    /// Submission that all of its events have in the bundle.
    pub(super) submission_id: u64,
    pub(super) reusable: bool,
    /// The command-buffer record is in the file.
    pub(super) record_written: bool,
    pub(super) queue_event_written: bool,
    pub(super) device_event_written: bool,
    /// Submit time of the first launch, ns; 0 when the bundle that recovery found does not say.
    pub(super) host_time_ns: i64,
    pub(super) first_start_tick: u64,
    pub(super) last_end_tick: u64,
    /// End of what ran on the stream before, 0 when nothing did.
    pub(super) previous_end_tick: u64,
    pub(super) operation_count: u32,
    pub(super) wait_count: u32,
    pub(super) barrier_count: u32,
    /// Operations whose record is in the file; a reusable buffer's are kept by the encoder.
    pub(super) known_operations: IndexSet,
}

impl OpenBuffer {
    /// Whether `event` belongs to this run of this buffer.
    pub(super) fn holds(&self, event: &CompletedEvent) -> bool {
        let reusable = event.info.flags & FLAG_REUSABLE != 0;
        self.command_buffer_id == event.info.command_buffer_id
            && (!reusable || self.submission_id == event.info.submission_id)
    }

    /// Widens the device's range by a dispatch. Ranges that are not valid count for nothing.
    pub(super) fn widen(&mut self, start_tick: u64, end_tick: u64) {
        self.operation_count = self.operation_count.saturating_add(1);
        if start_tick == 0 || end_tick < start_tick {
            return;
        }
        if self.first_start_tick == 0 || start_tick < self.first_start_tick {
            self.first_start_tick = start_tick;
        }
        self.last_end_tick = self.last_end_tick.max(end_tick);
    }
}

impl StreamState {
    pub(super) fn new(place: Place) -> Self {
        Self {
            place,
            written: false,
            open: Vec::new(),
            last_end_tick: 0,
            dispatches: Vec::new(),
        }
    }
}
