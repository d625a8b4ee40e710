//! Turns completed events into records.
//!
//! The encoder knows no file and no ring: descriptions and events go in, whole records come out, in
//! a [`Batch`]. The live collector and recovery use it alike.
//!
//! 1. A device, stream, executable or command buffer is described before the first event that names it,
//!    in the same batch at the latest. What nobody described gets a placeholder, since readers refuse
//!    events without their metadata.
//! 2. Launches of a stream share a command buffer. It closes when the next one of that stream shows up,
//!    or at the end; then its queue event and its queue device event are written, once.
//! 3. In the bundle all events of a stream's command buffer have the submission number of its first
//!    launch, so that queue event, device event and dispatches join. A reusable command buffer (a graph)
//!    keeps the submission of each run.
//! 4. Copies, fills and barriers are queue operations of their own.
//! 5. Event ids and relationship ids count through the session.
//!
//! # Order in a batch
//! devices, queues, executables, functions, code objects, loads, command buffers, operations, dispatch
//! events queue by queue, queue events, queue device events, relationships. A batch that was cut short
//! can thus be completed: what stands earlier never depends on what stands later.

mod absorb;
mod chunks;
mod executables;
mod index_set;
mod operations;
mod stream;

use std::collections::{BTreeMap, HashMap};

pub(crate) use absorb::{EventKey, Present};
use chunks::{Chunk, Pending};
use index_set::IndexSet;
use operations::{Missing, Operation, operation_of};
use stream::{OpenBuffer, Place, StreamState};

use self::executables::Executables;
use crate::batch::{Batch, Metadata};
use crate::clock::{self, ClockFit};
use crate::describe::{
    CompletedEvent, DeviceDescription, ExecutableDescription, Families, SessionDescription,
};
use crate::schema::extension::SessionExtension;
use crate::schema::side::{ClockSample, FLAG_RECORD, FLAG_REUSABLE, KIND_DISPATCH};
use crate::schema::*;

/// How many events went through an encoder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Launches that came in.
    pub dispatches_seen: u64,
    /// Launches that the session wants.
    pub dispatches_selected: u64,
    /// Copies, fills and barriers that the session wants.
    pub transfers_selected: u64,
}

/// Makes the records of one session.
#[derive(Debug)]
pub struct Encoder {
    session: SessionDescription,
    devices: BTreeMap<u32, DeviceState>,
    executables: Executables,
    streams: Vec<StreamState>,
    stream_index: HashMap<Place, usize>,
    last_stream: usize,
    /// Graphs whose record is in the file, with their operations.
    reusable: HashMap<u64, IndexSet>,
    /// In recovery: stream buffers whose record is in the file, with their operations, but of whose
    /// launches none was seen.
    unclaimed: HashMap<u64, IndexSet>,
    next_event_id: u64,
    next_relationship_id: u64,
    next_sample_id: u64,
    /// Typed records lost and not yet told, by kind.
    dropped: [u64; Content::COUNT],
    pending: Pending,
    counts: Counts,
}

#[derive(Debug, Default)]
struct DeviceState {
    description: DeviceDescription,
    written: bool,
    /// First and last clock sample.
    clock: Option<(ClockCorrelation, ClockCorrelation)>,
    /// The line through them.
    fit: Option<ClockFit>,
}

impl DeviceState {
    /// Takes note of a sample that is in the file, or goes there.
    fn add_sample(&mut self, sample: &ClockCorrelation) {
        let first = self.clock.map_or(*sample, |(first, _)| first);
        self.clock = Some((first, *sample));
        self.fit = ClockFit::new(&[first, *sample]);
    }
}

/// Stands for the executable of a launch that names none: readers refuse id 0.
const UNKNOWN_EXECUTABLE: u64 = u64::MAX;

impl Encoder {
    /// An encoder for a session that has written nothing yet.
    pub fn new(session: SessionDescription) -> Self {
        Self {
            session,
            devices: BTreeMap::new(),
            executables: Executables::default(),
            streams: Vec::new(),
            stream_index: HashMap::new(),
            last_stream: 0,
            reusable: HashMap::new(),
            unclaimed: HashMap::new(),
            next_event_id: 1,
            next_relationship_id: 1,
            next_sample_id: 1,
            dropped: [0; Content::COUNT],
            pending: Pending::default(),
            counts: Counts::default(),
        }
    }

    /// The session begins: the first record, which names the process and its side file.
    pub fn begin(&mut self, batch: &mut Batch) {
        let mut extension = Vec::new();
        let (side_path, side_created_unix_ns) = match &self.session.side_file {
            Some((path, created)) => (path.as_os_str().as_encoded_bytes().to_vec(), *created),
            None => (Vec::new(), 0),
        };
        SessionExtension {
            process_id: self.session.process_id,
            process_start_time: crate::process::start_time(self.session.process_id).unwrap_or(0),
            side_created_unix_ns,
            families: self.session.families.bits(),
            side_path,
            program: self.session.program.as_bytes().to_vec(),
        }
        .push_to(&mut extension);
        self.session_record(RecordType::SessionBegin, Status::Ok, &extension, batch);
    }

    /// Describes a device. A second description of the same device is ignored.
    pub fn device(&mut self, description: &DeviceDescription, batch: &mut Batch) {
        let state = self.devices.entry(description.ordinal).or_default();
        if !state.written {
            state.description = description.clone();
            self.ensure_device(description.ordinal, batch);
        }
    }

    /// Adds a clock sample and returns it with its number, or `None` when it was left out: a sample that
    /// does not rise in tick and time would spoil the fit.
    pub fn clock(&mut self, sample: &ClockSample, batch: &mut Batch) -> Option<ClockSample> {
        let sample = ClockSample {
            sample_id: self.next_sample_id,
            ..*sample
        };
        let record = clock::record(&sample);
        self.ensure_device(sample.physical_device_ordinal, batch);
        let state = self
            .devices
            .entry(sample.physical_device_ordinal)
            .or_default();
        if state
            .clock
            .is_some_and(|(_, last)| !clock::rises(&last, &record))
        {
            return None;
        }
        state.add_sample(&record);
        self.next_sample_id += 1;
        let bytes = bytemuck::bytes_of(&record);
        self.chunk(Chunk::new(Content::ClockCorrelations, bytes, 1), batch);
        Some(sample)
    }

    /// Describes an executable, its functions and, if the session wants them, its image and loads. An
    /// executable that is known already is left as it is.
    pub fn executable(&mut self, description: &ExecutableDescription, batch: &mut Batch) {
        self.executables.describe(description);
        if self.session.families.contains(Families::DISPATCH_EVENTS) {
            self.ensure_function(description.executable_id, None, batch);
        }
    }

    /// Encodes completed events, in ring order. Those without [`FLAG_RECORD`] are counted and left out.
    pub fn events<'a>(
        &mut self,
        events: impl IntoIterator<Item = &'a CompletedEvent>,
        batch: &mut Batch,
    ) {
        let everything = Missing {
            queue_event: true,
            device_event: true,
        };
        for event in events {
            self.event(event, everything, batch);
        }
        self.flush(batch);
    }

    /// Closes all command buffers and tells the losses that were not told yet.
    pub fn close(&mut self, batch: &mut Batch) {
        self.close_all(batch);
        for content in Content::ALL {
            if self.dropped[content.index()] != 0 {
                self.chunk(Chunk::new(*content, &[], 0), batch);
            }
        }
    }

    /// The session ends: the last record.
    pub fn end(&mut self, status: Status, batch: &mut Batch) {
        self.session_record(RecordType::SessionEnd, status, &[], batch);
    }

    /// Takes note that the records of `batch` from number `kept` on are not in the file. Metadata among
    /// them is written again before the next event that needs it; lost records are told in the next
    /// chunk of their kind.
    pub fn note_lost(&mut self, batch: &Batch, kept: usize) {
        for mark in &batch.marks()[kept..] {
            self.dropped[mark.content.index()] += mark.items + mark.told;
            for metadata in &mark.metadata {
                match *metadata {
                    Metadata::Device(ordinal) => {
                        if let Some(device) = self.devices.get_mut(&ordinal) {
                            device.written = false;
                        }
                    }
                    Metadata::Stream(index) => self.streams[index].written = false,
                    Metadata::Executable(id) => self.executables.forget(id),
                    Metadata::CommandBuffer(id) => {
                        self.reusable.remove(&id);
                        for buffer in self.streams.iter_mut().flat_map(|s| &mut s.open) {
                            if buffer.command_buffer_id == id {
                                buffer.record_written = false;
                            }
                        }
                    }
                }
            }
        }
    }

    /// What went through so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The session.
    pub fn session(&self) -> &SessionDescription {
        &self.session
    }

    fn event(&mut self, event: &CompletedEvent, missing: Missing, batch: &mut Batch) {
        let info = &event.info;
        let is_dispatch = info.kind == KIND_DISPATCH;
        self.counts.dispatches_seen += u64::from(is_dispatch);
        if info.flags & FLAG_RECORD == 0 {
            return;
        }
        // A kind of a later version, found in a side file: nothing that this one could say about it.
        let Some(kind) = operation_of(info.kind) else {
            return;
        };
        self.counts.dispatches_selected += u64::from(is_dispatch);
        self.counts.transfers_selected += u64::from(!is_dispatch);
        let stream = self.ensure_stream(Place::of(event), batch);
        let as_dispatch = is_dispatch && self.session.families.contains(Families::DISPATCH_EVENTS);
        if as_dispatch {
            self.dispatch(stream, event, batch);
        }
        // A launch in a command buffer is part of the buffer's operation.
        if !as_dispatch || info.command_buffer_id == 0 {
            let operation = Operation {
                kind,
                submission_id: info.submission_id,
                command_buffer_id: 0,
                host_time_ns: info.host_time_ns,
                previous_end_tick: self.streams[stream].last_end_tick,
                start_tick: event.start_ticks,
                end_tick: event.end_ticks,
                operation_count: 1,
                wait_count: u32::from(info.wait_count),
                barrier_count: u32::from(info.barrier_count),
                payload_length: info.payload_length,
                missing,
            };
            self.operation(stream, &operation);
        }
        let stream = &mut self.streams[stream];
        stream.last_end_tick = stream.last_end_tick.max(event.end_ticks);
    }

    fn dispatch(&mut self, stream: usize, event: &CompletedEvent, batch: &mut Batch) {
        let info = &event.info;
        let executable_id = match info.executable_id {
            0 => UNKNOWN_EXECUTABLE,
            id => id,
        };
        let ordinal = Some(info.function_ordinal);
        let binding_count = self.ensure_function(executable_id, ordinal, batch);
        let mut row = DispatchEvent {
            submission_id: info.submission_id,
            executable_id,
            command_index: NONE,
            function_ordinal: info.function_ordinal,
            workgroup_count: info.workgroup_count,
            workgroup_size: info.workgroup_size,
            start_tick: event.start_ticks,
            end_tick: event.end_ticks,
            ..DispatchEvent::new()
        };
        if info.command_buffer_id != 0 {
            let buffer = self.ensure_buffer(stream, event);
            let open = &mut self.streams[stream].open[buffer];
            open.widen(event.start_ticks, event.end_ticks);
            open.wait_count = open.wait_count.saturating_add(u32::from(info.wait_count));
            open.barrier_count = open
                .barrier_count
                .saturating_add(u32::from(info.barrier_count));
            row.flags = DispatchEvent::IN_COMMAND_BUFFER;
            row.submission_id = open.submission_id;
            row.command_buffer_id = info.command_buffer_id;
            row.command_index = info.command_index;
            let known = match self.reusable.get_mut(&info.command_buffer_id) {
                Some(known) => known,
                None => &mut open.known_operations,
            };
            if known.insert(info.command_index) {
                self.pending
                    .operations
                    .push(command_operation(&row, binding_count));
            }
        }
        row.event_id = self.take_event_id();
        let state = &mut self.streams[stream];
        if state.dispatches.is_empty() {
            self.pending.streams.push(stream);
        }
        state.dispatches.push(row);
        let place = state.place;
        self.relationship(
            place,
            EventRelationship::SUBMISSION_DISPATCH,
            row.submission_id,
            EventRelationship::ENDPOINT_DISPATCH,
            row.event_id,
        );
    }

    /// The open buffer that a launch belongs to, as its place in the stream's list. A launch of another
    /// buffer closes those before it.
    fn ensure_buffer(&mut self, stream: usize, event: &CompletedEvent) -> usize {
        let info = &event.info;
        let found = self.streams[stream]
            .open
            .iter()
            .rposition(|open| open.holds(event));
        let index = match found {
            Some(index) => index,
            None => {
                self.close_stream(stream);
                let reusable = info.flags & FLAG_REUSABLE != 0;
                let known = self.unclaimed.remove(&info.command_buffer_id);
                let state = &mut self.streams[stream];
                state.open.push(OpenBuffer {
                    command_buffer_id: info.command_buffer_id,
                    submission_id: info.submission_id,
                    reusable,
                    record_written: known.is_some()
                        || self.reusable.contains_key(&info.command_buffer_id),
                    host_time_ns: info.host_time_ns,
                    previous_end_tick: state.last_end_tick,
                    known_operations: known.unwrap_or_default(),
                    ..OpenBuffer::default()
                });
                state.open.len() - 1
            }
        };
        self.ensure_buffer_record(stream, index);
        index
    }

    fn ensure_buffer_record(&mut self, stream: usize, index: usize) {
        let state = &mut self.streams[stream];
        let open = &mut state.open[index];
        if open.record_written || open.command_buffer_id == 0 {
            return;
        }
        open.record_written = true;
        let mut mode = CommandBuffer::RETAIN_PROFILE_METADATA;
        if open.reusable {
            self.reusable.entry(open.command_buffer_id).or_default();
        } else {
            mode |= CommandBuffer::ONE_SHOT;
        }
        self.pending.command_buffers.push(CommandBuffer {
            command_buffer_id: open.command_buffer_id,
            mode,
            command_categories: CommandBuffer::DISPATCH,
            queue_affinity: 1_u64.checked_shl(state.place.queue).unwrap_or(0),
            physical_device_ordinal: state.place.device,
            ..CommandBuffer::new()
        });
    }

    fn take_event_id(&mut self) -> u64 {
        let id = self.next_event_id;
        self.next_event_id += 1;
        id
    }

    fn ensure_stream(&mut self, place: Place, batch: &mut Batch) -> usize {
        if let Some(state) = self.streams.get(self.last_stream)
            && state.place == place
            && state.written
        {
            return self.last_stream;
        }
        let index = self.stream_state(place);
        self.last_stream = index;
        if !self.streams[index].written {
            self.ensure_device(place.device, batch);
            self.streams[index].written = true;
            let record = Queue {
                physical_device_ordinal: place.device,
                queue_ordinal: place.queue,
                stream_id: place.stream_id,
                ..Queue::new()
            };
            self.rows(&[record], vec![Metadata::Stream(index)], batch);
        }
        index
    }

    /// The state of a stream, made if it is new.
    fn stream_state(&mut self, place: Place) -> usize {
        *self.stream_index.entry(place).or_insert_with(|| {
            self.streams.push(StreamState::new(place));
            self.streams.len() - 1
        })
    }
}

/// The operation that a dispatch event ran.
fn command_operation(row: &DispatchEvent, binding_count: u32) -> CommandOperation {
    CommandOperation {
        kind: CommandOperation::DISPATCH,
        flags: CommandOperation::STATIC_BINDINGS,
        command_index: row.command_index,
        command_buffer_id: row.command_buffer_id,
        block_ordinal: NONE,
        block_command_ordinal: NONE,
        executable_id: row.executable_id,
        function_ordinal: row.function_ordinal,
        binding_count,
        workgroup_count: row.workgroup_count,
        workgroup_size: row.workgroup_size,
        source_ordinal: NONE,
        target_ordinal: NONE,
        target_block_ordinal: NONE,
        alternate_block_ordinal: NONE,
        ..CommandOperation::new()
    }
}
