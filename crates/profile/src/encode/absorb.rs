//! An encoder that goes on where a bundle stops: it takes note of the records that are there.
//!
//! Recovery feeds every record of the bundle through [`Encoder::absorb`], then the events that are not
//! in it with [`Encoder::complete`]. In an unfinished bundle the last batch may be cut short anywhere, so each record is noted on
//! its own: a buffer stays open until both of its queue events have been seen.

use super::Encoder;
use super::operations::{Missing, operation_of};
use super::stream::{OpenBuffer, Place};
use crate::batch::Batch;
use crate::describe::{CompletedEvent, stream_key};
use crate::error::Result;
use crate::reader::Record;
use crate::schema::extension::{DeviceExtension, OpenBufferExtension};
use crate::schema::side::{FLAG_RECORD, FLAG_REUSABLE, KIND_DISPATCH};
use crate::schema::*;

/// What of an event is in the bundle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Present {
    /// The dispatch event.
    pub(crate) dispatch: bool,
    /// The queue event of a transfer, or of a launch that the session records as a queue operation.
    pub(crate) queue_event: bool,
    /// Its queue device event.
    pub(crate) device_event: bool,
}

/// Names an event in the bundle, as far as the bundle can tell events apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum EventKey {
    /// A launch of a stream's command buffer, which runs once.
    Once {
        command_buffer_id: u64,
        command_index: u32,
    },
    /// A launch of one run of a reusable command buffer, or one without a buffer.
    Run {
        place: (u32, u32, u64),
        command_buffer_id: u64,
        command_index: u32,
        submission_id: u64,
    },
    /// A queue operation without a command buffer.
    Operation {
        place: (u32, u32, u64),
        kind: u32,
        submission_id: u64,
    },
}

impl EventKey {
    /// The key of a dispatch event in the bundle.
    pub(crate) fn of_row(header: &RecordHeader, row: &DispatchEvent, reusable: bool) -> Self {
        let (command_buffer_id, command_index) = (row.command_buffer_id, row.command_index);
        if command_buffer_id != 0 && !reusable {
            return Self::Once {
                command_buffer_id,
                command_index,
            };
        }
        Self::Run {
            place: (
                header.physical_device_ordinal,
                header.queue_ordinal,
                header.stream_id,
            ),
            command_buffer_id,
            command_index,
            submission_id: row.submission_id,
        }
    }

    /// The keys under which an event may be in the bundle: as a launch, as a queue operation. None for
    /// an event that the session does not want.
    pub(crate) fn of_event(event: &CompletedEvent) -> (Option<Self>, Option<Self>) {
        let info = &event.info;
        if info.flags & FLAG_RECORD == 0 {
            return (None, None);
        }
        let stream_id = stream_key(event.device_ordinal, info.stream_ordinal);
        let place = (event.device_ordinal, event.queue_ordinal, stream_id);
        let submission_id = info.submission_id;
        let operation = |kind: QueueOperation| Self::Operation {
            place,
            kind: kind as u32,
            submission_id,
        };
        let Some(kind) = operation_of(info.kind) else {
            return (None, None);
        };
        if info.kind != KIND_DISPATCH {
            return (None, Some(operation(kind)));
        }
        let (command_buffer_id, command_index) = (info.command_buffer_id, info.command_index);
        let launch = match (command_buffer_id, info.flags & FLAG_REUSABLE) {
            (0, _) => Self::Run {
                place,
                command_buffer_id,
                command_index: NONE,
                submission_id,
            },
            (_, 0) => Self::Once {
                command_buffer_id,
                command_index,
            },
            _ => Self::Run {
                place,
                command_buffer_id,
                command_index,
                submission_id,
            },
        };
        (Some(launch), Some(operation(kind)))
    }
}

impl Encoder {
    /// Takes note of a record that is in the bundle. Records of other sessions and contents that we do
    /// not write pass.
    ///
    /// # Errors
    /// When a chunk's rows contradict their lengths.
    pub(crate) fn absorb(&mut self, record: &Record<'_>) -> Result<()> {
        if record.record_type() != RecordType::Chunk {
            return Ok(());
        }
        match record.content() {
            Some(Content::Devices) => self.absorb_devices(record)?,
            Some(Content::Queues) => {
                for row in record.rows::<Queue>() {
                    let (row, _) = row?;
                    let place = Place {
                        device: row.physical_device_ordinal,
                        queue: row.queue_ordinal,
                        stream_id: row.stream_id,
                    };
                    let index = self.stream_state(place);
                    self.streams[index].written = true;
                }
            }
            Some(Content::Executables) => {
                for row in record.rows::<Executable>() {
                    self.executables.absorb_executable(&row?.0);
                }
            }
            Some(Content::Functions) => {
                for row in record.rows::<Function>() {
                    let (row, name) = row?;
                    self.executables.absorb_function(&row, name);
                }
            }
            Some(Content::CommandBuffers) => {
                for row in record.rows::<CommandBuffer>() {
                    let (row, _) = row?;
                    if row.mode & CommandBuffer::ONE_SHOT == 0 {
                        self.reusable.entry(row.command_buffer_id).or_default();
                    } else {
                        self.unclaimed.entry(row.command_buffer_id).or_default();
                    }
                }
            }
            Some(Content::CommandOperations) => {
                for row in record.rows::<CommandOperation>() {
                    self.absorb_operation(&row?.0);
                }
            }
            Some(Content::ClockCorrelations) => {
                for row in record.rows::<ClockCorrelation>() {
                    self.absorb_clock(&row?.0);
                }
            }
            Some(Content::DispatchEvents) => {
                for row in record.rows::<DispatchEvent>() {
                    self.absorb_dispatch(&record.header, &row?.0);
                }
                self.absorb_open_buffers(record);
            }
            Some(Content::QueueEvents) => {
                for row in record.rows::<QueueEvent>() {
                    let (row, _) = row?;
                    self.note_event_id(row.event_id);
                    let place = (
                        row.physical_device_ordinal,
                        row.queue_ordinal,
                        row.stream_id,
                    );
                    self.settle(place, row.command_buffer_id, row.submission_id, |open| {
                        open.queue_event_written = true;
                    });
                }
            }
            Some(Content::QueueDeviceEvents) => {
                for row in record.rows::<QueueDeviceEvent>() {
                    let (row, _) = row?;
                    self.note_event_id(row.event_id);
                    let place = (
                        row.physical_device_ordinal,
                        row.queue_ordinal,
                        row.stream_id,
                    );
                    let stream =
                        self.settle(place, row.command_buffer_id, row.submission_id, |open| {
                            open.device_event_written = true;
                        });
                    let last = &mut self.streams[stream].last_end_tick;
                    *last = (*last).max(row.end_tick);
                }
            }
            Some(Content::EventRelationships) => {
                for row in record.rows::<EventRelationship>() {
                    let next = row?.0.relationship_id.saturating_add(1);
                    self.next_relationship_id = self.next_relationship_id.max(next);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Encodes an event of which part may be in the bundle. [`Encoder::close`] puts it into the batch.
    pub(crate) fn complete(&mut self, event: &CompletedEvent, present: Present, batch: &mut Batch) {
        if present.dispatch {
            // Its command buffer is open, or its queue events are in the bundle as well.
            return self.lend_submit_time(event);
        }
        let Present {
            queue_event,
            device_event,
            ..
        } = present;
        if !(queue_event && device_event) {
            let missing = Missing {
                queue_event: !queue_event,
                device_event: !device_event,
            };
            self.event(event, missing, batch);
        }
    }

    /// Tells an open buffer when it was submitted, from the first of its launches that is not yet gone
    /// from the ring. A buffer whose earlier launches are gone has it from the bundle.
    fn lend_submit_time(&mut self, event: &CompletedEvent) {
        let stream = self.stream_state(Place::of(event));
        let open = self.streams[stream]
            .open
            .iter_mut()
            .rev()
            .find(|open| open.holds(event));
        if let Some(open) = open.filter(|open| open.host_time_ns == 0) {
            open.host_time_ns = event.info.host_time_ns;
        }
    }

    /// Whether a command buffer may run more than once, as far as the bundle says.
    pub(crate) fn is_reusable(&self, command_buffer_id: u64) -> bool {
        self.reusable.contains_key(&command_buffer_id)
    }

    fn absorb_devices(&mut self, record: &Record<'_>) -> Result<()> {
        for row in record.rows::<Device>() {
            let (row, _) = row?;
            let state = self.devices.entry(row.physical_device_ordinal).or_default();
            state.description.ordinal = row.physical_device_ordinal;
            state.written = true;
        }
        for entry in DeviceExtension::find_all(record.extension) {
            if let Some(state) = self.devices.get_mut(&entry.physical_device_ordinal) {
                state.description.is_virtual = entry.is_virtual;
                state.description.name = entry.name;
                state.description.architecture = entry.architecture;
            }
        }
        Ok(())
    }

    fn absorb_operation(&mut self, row: &CommandOperation) {
        let id = row.command_buffer_id;
        let known = match self.reusable.get_mut(&id) {
            Some(known) => known,
            None => {
                let open = self
                    .streams
                    .iter_mut()
                    .flat_map(|stream| stream.open.iter_mut().rev());
                match open.into_iter().find(|open| open.command_buffer_id == id) {
                    Some(open) => &mut open.known_operations,
                    None => self.unclaimed.entry(id).or_default(),
                }
            }
        };
        known.insert(row.command_index);
    }

    fn absorb_clock(&mut self, row: &ClockCorrelation) {
        self.next_sample_id = self.next_sample_id.max(row.sample_id.saturating_add(1));
        let state = self.devices.entry(row.physical_device_ordinal).or_default();
        state.add_sample(row);
    }

    fn absorb_dispatch(&mut self, header: &RecordHeader, row: &DispatchEvent) {
        self.note_event_id(row.event_id);
        let place = Place {
            device: header.physical_device_ordinal,
            queue: header.queue_ordinal,
            stream_id: header.stream_id,
        };
        let stream = self.stream_state(place);
        let reusable = self.reusable.contains_key(&row.command_buffer_id);
        let state = &mut self.streams[stream];
        let previous_end_tick = state.last_end_tick;
        state.last_end_tick = previous_end_tick.max(row.end_tick);
        if row.command_buffer_id == 0 {
            return;
        }
        let same = |open: &OpenBuffer| {
            open.command_buffer_id == row.command_buffer_id
                && open.submission_id == row.submission_id
        };
        let index = match state.open.iter().rposition(same) {
            Some(index) => index,
            None => {
                let known = self.unclaimed.remove(&row.command_buffer_id);
                state.open.push(OpenBuffer {
                    command_buffer_id: row.command_buffer_id,
                    submission_id: row.submission_id,
                    reusable,
                    record_written: known.is_some() || reusable,
                    previous_end_tick,
                    known_operations: known.unwrap_or_default(),
                    ..OpenBuffer::default()
                });
                state.open.len() - 1
            }
        };
        state.open[index].widen(row.start_tick, row.end_tick);
    }

    fn absorb_open_buffers(&mut self, record: &Record<'_>) {
        for entry in OpenBufferExtension::find_all(record.extension) {
            let place = Place {
                device: record.header.physical_device_ordinal,
                queue: record.header.queue_ordinal,
                stream_id: record.header.stream_id,
            };
            let stream = self.stream_state(place);
            for open in &mut self.streams[stream].open {
                if open.command_buffer_id == entry.command_buffer_id
                    && open.submission_id == entry.submission_id
                {
                    open.host_time_ns = entry.host_time_ns;
                    open.wait_count = entry.wait_count;
                    open.barrier_count = entry.barrier_count;
                }
            }
        }
    }

    /// Marks one of the two queue events of an open buffer as written, and forgets the buffer when both
    /// are. Returns the stream.
    fn settle(
        &mut self,
        (device, queue, stream_id): (u32, u32, u64),
        command_buffer_id: u64,
        submission_id: u64,
        mark: impl Fn(&mut OpenBuffer),
    ) -> usize {
        let stream = self.stream_state(Place {
            device,
            queue,
            stream_id,
        });
        let open = &mut self.streams[stream].open;
        let same = |open: &OpenBuffer| {
            open.command_buffer_id == command_buffer_id && open.submission_id == submission_id
        };
        if let Some(index) = open.iter().rposition(same) {
            mark(&mut open[index]);
            if open[index].queue_event_written && open[index].device_event_written {
                open.remove(index);
            }
        }
        stream
    }

    fn note_event_id(&mut self, id: u64) {
        self.next_event_id = self.next_event_id.max(id.saturating_add(1));
    }
}
