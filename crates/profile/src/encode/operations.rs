//! Queue operations: what becomes a queue event and a queue device event.

use super::Encoder;
use super::stream::Place;
use crate::batch::Batch;
use crate::clock::ClockFit;
use crate::describe::Families;
use crate::schema::side::{KIND_BARRIER, KIND_COPY, KIND_DISPATCH, KIND_FILL};
use crate::schema::*;

/// Which records of a queue operation are still to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Missing {
    pub(super) queue_event: bool,
    pub(super) device_event: bool,
}

/// A queue operation on its way to its two events.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    pub(super) kind: QueueOperation,
    pub(super) submission_id: u64,
    pub(super) command_buffer_id: u64,
    pub(super) host_time_ns: i64,
    pub(super) previous_end_tick: u64,
    pub(super) start_tick: u64,
    pub(super) end_tick: u64,
    pub(super) operation_count: u32,
    pub(super) wait_count: u32,
    pub(super) barrier_count: u32,
    pub(super) payload_length: u64,
    pub(super) missing: Missing,
}

/// The queue operation that an event is, by itself; `None` for a kind that we do not know.
pub(super) fn operation_of(kind: u16) -> Option<QueueOperation> {
    match kind {
        KIND_DISPATCH => Some(QueueOperation::Dispatch),
        KIND_COPY => Some(QueueOperation::Copy),
        KIND_FILL => Some(QueueOperation::Fill),
        KIND_BARRIER => Some(QueueOperation::Barrier),
        _ => None,
    }
}

impl Encoder {
    /// Writes the queue events of all open buffers of a stream.
    pub(super) fn close_stream(&mut self, stream: usize) {
        for index in 0..self.streams[stream].open.len() {
            self.ensure_buffer_record(stream, index);
            let open = &self.streams[stream].open[index];
            let operation = Operation {
                kind: QueueOperation::Execute,
                submission_id: open.submission_id,
                command_buffer_id: open.command_buffer_id,
                host_time_ns: open.host_time_ns,
                previous_end_tick: open.previous_end_tick,
                start_tick: open.first_start_tick,
                end_tick: open.last_end_tick,
                operation_count: open.operation_count,
                wait_count: open.wait_count,
                barrier_count: open.barrier_count,
                payload_length: 0,
                missing: Missing {
                    queue_event: !open.queue_event_written,
                    device_event: !open.device_event_written,
                },
            };
            self.operation(stream, &operation);
        }
        self.streams[stream].open.clear();
    }

    /// Closes the open buffers of all streams, as at the end.
    pub(super) fn close_all(&mut self, batch: &mut Batch) {
        for stream in 0..self.streams.len() {
            if !self.streams[stream].open.is_empty() {
                let place = self.streams[stream].place;
                self.ensure_stream(place, batch);
                self.close_stream(stream);
            }
        }
        self.flush(batch);
    }

    pub(super) fn operation(&mut self, stream: usize, operation: &Operation) {
        let place = self.streams[stream].place;
        let operation = &Operation {
            host_time_ns: self.submit_time(place.device, operation),
            ..*operation
        };
        let families = self.session.families;
        if operation.missing.queue_event && families.contains(Families::QUEUE_EVENTS) {
            let event_id = self.take_event_id();
            let dependency_strategy = match (operation.wait_count, operation.barrier_count) {
                (0, _) => QueueEvent::NO_DEPENDENCY,
                (_, 0) => QueueEvent::INLINE,
                _ => QueueEvent::DEVICE_BARRIER,
            };
            self.pending.queue_events.push(QueueEvent {
                kind: operation.kind as u32,
                dependency_strategy,
                event_id,
                host_time_ns: operation.host_time_ns,
                submission_id: operation.submission_id,
                command_buffer_id: operation.command_buffer_id,
                stream_id: place.stream_id,
                physical_device_ordinal: place.device,
                queue_ordinal: place.queue,
                wait_count: operation.wait_count,
                signal_count: 1,
                barrier_count: operation.barrier_count,
                operation_count: operation.operation_count,
                payload_length: operation.payload_length,
                ready_host_time_ns: self.ready_time(place.device, operation),
                ..QueueEvent::new()
            });
        }
        if operation.missing.device_event && families.contains(Families::QUEUE_DEVICE_EVENTS) {
            let event_id = self.take_event_id();
            self.pending.device_events.push(QueueDeviceEvent {
                kind: operation.kind as u32,
                event_id,
                submission_id: operation.submission_id,
                command_buffer_id: operation.command_buffer_id,
                stream_id: place.stream_id,
                payload_length: operation.payload_length,
                physical_device_ordinal: place.device,
                queue_ordinal: place.queue,
                operation_count: operation.operation_count,
                start_tick: operation.start_tick,
                end_tick: operation.end_tick,
                ..QueueDeviceEvent::new()
            });
            self.relationship(
                place,
                EventRelationship::SUBMISSION_DEVICE_EVENT,
                operation.submission_id,
                EventRelationship::ENDPOINT_DEVICE_EVENT,
                event_id,
            );
        }
    }

    /// When an operation was submitted. In a bundle that lost its side file that may not be known: then
    /// when it started, which is the latest that it can have been.
    pub(super) fn submit_time(&self, device: u32, operation: &Operation) -> i64 {
        match (operation.host_time_ns, operation.start_tick) {
            (0, start) if start != 0 => self.clock_fit(device).map_or(0, |fit| fit.host_ns(start)),
            (known, _) => known,
        }
    }

    pub(super) fn clock_fit(&self, device: u32) -> Option<&ClockFit> {
        self.devices.get(&device)?.fit.as_ref()
    }

    /// When an operation could start: at its submission, or when what the stream ran before had ended,
    /// if that was later. Never after it did start.
    pub(super) fn ready_time(&self, device: u32, operation: &Operation) -> i64 {
        let submitted = operation.host_time_ns;
        let Some(fit) = self
            .clock_fit(device)
            .filter(|_| operation.previous_end_tick != 0)
        else {
            return submitted;
        };
        let mut ready = submitted.max(fit.host_ns(operation.previous_end_tick));
        if operation.start_tick != 0 {
            ready = ready.min(fit.host_ns(operation.start_tick));
        }
        ready.max(submitted)
    }

    pub(super) fn relationship(
        &mut self,
        place: Place,
        kind: u32,
        source: u64,
        target_type: u32,
        target: u64,
    ) {
        let relationship_id = self.next_relationship_id;
        self.next_relationship_id += 1;
        self.pending.relationships.push(EventRelationship {
            kind,
            relationship_id,
            source_type: EventRelationship::ENDPOINT_SUBMISSION,
            target_type,
            physical_device_ordinal: place.device,
            queue_ordinal: place.queue,
            stream_id: place.stream_id,
            source_id: source,
            target_id: target,
            ..EventRelationship::new()
        });
    }
}
