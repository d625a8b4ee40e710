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
mod executables;
mod index_set;
mod stream;

use std::collections::{BTreeMap, HashMap};

pub(crate) use absorb::{EventKey, Present};
use index_set::IndexSet;
use stream::{OpenBuffer, Place, StreamState};

use self::executables::Executables;
use crate::batch::{Batch, Metadata, Parts};
use crate::clock::{self, ClockFit};
use crate::describe::{
    CompletedEvent, DeviceDescription, ExecutableDescription, Families, SessionDescription,
};
use crate::schema::extension::{DeviceExtension, OpenBufferExtension, SessionExtension};
use crate::schema::side::{
    ClockSample, FLAG_RECORD, FLAG_REUSABLE, KIND_BARRIER, KIND_COPY, KIND_DISPATCH, KIND_FILL,
};
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

/// Records of the batch that is being made, but for dispatches, which are kept by stream.
#[derive(Debug, Default)]
struct Pending {
    command_buffers: Vec<CommandBuffer>,
    operations: Vec<CommandOperation>,
    queue_events: Vec<QueueEvent>,
    device_events: Vec<QueueDeviceEvent>,
    relationships: Vec<EventRelationship>,
    /// Streams with dispatches.
    streams: Vec<usize>,
}

/// Which records of a queue operation are still to be written.
#[derive(Clone, Copy, Debug)]
struct Missing {
    queue_event: bool,
    device_event: bool,
}

/// A queue operation on its way to its two events.
#[derive(Clone, Copy, Debug)]
struct Operation {
    kind: QueueOperation,
    submission_id: u64,
    command_buffer_id: u64,
    host_time_ns: i64,
    previous_end_tick: u64,
    start_tick: u64,
    end_tick: u64,
    operation_count: u32,
    wait_count: u32,
    barrier_count: u32,
    payload_length: u64,
    missing: Missing,
}

/// Stands for the executable of a launch that names none: readers refuse id 0.
const UNKNOWN_EXECUTABLE: u64 = u64::MAX;

/// A chunk on its way to the batch.
#[derive(Debug)]
struct Chunk<'a> {
    content: Content,
    place: Option<Place>,
    extension: &'a [u8],
    payload: &'a [u8],
    items: u64,
    metadata: Vec<Metadata>,
}

impl<'a> Chunk<'a> {
    fn new(content: Content, payload: &'a [u8], items: u64) -> Self {
        Self {
            content,
            place: None,
            extension: &[],
            payload,
            items,
            metadata: Vec::new(),
        }
    }
}

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

    /// Writes the queue events of all open buffers of a stream.
    fn close_stream(&mut self, stream: usize) {
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
    fn close_all(&mut self, batch: &mut Batch) {
        for stream in 0..self.streams.len() {
            if !self.streams[stream].open.is_empty() {
                let place = self.streams[stream].place;
                self.ensure_stream(place, batch);
                self.close_stream(stream);
            }
        }
        self.flush(batch);
    }

    fn operation(&mut self, stream: usize, operation: &Operation) {
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
    fn submit_time(&self, device: u32, operation: &Operation) -> i64 {
        match (operation.host_time_ns, operation.start_tick) {
            (0, start) if start != 0 => self.clock_fit(device).map_or(0, |fit| fit.host_ns(start)),
            (known, _) => known,
        }
    }

    fn clock_fit(&self, device: u32) -> Option<&ClockFit> {
        self.devices.get(&device)?.fit.as_ref()
    }

    /// When an operation could start: at its submission, or when what the stream ran before had ended,
    /// if that was later. Never after it did start.
    fn ready_time(&self, device: u32, operation: &Operation) -> i64 {
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

    fn relationship(
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

    fn take_event_id(&mut self) -> u64 {
        let id = self.next_event_id;
        self.next_event_id += 1;
        id
    }

    fn ensure_device(&mut self, ordinal: u32, batch: &mut Batch) {
        let state = self.devices.entry(ordinal).or_default();
        if state.written {
            return;
        }
        state.written = true;
        let description = &mut state.description;
        description.ordinal = ordinal;
        let record = Device {
            flags: if description.uuid.is_some() {
                Device::HAS_UUID
            } else {
                0
            },
            physical_device_ordinal: ordinal,
            queue_count: description.queue_count,
            physical_device_uuid: description.uuid.unwrap_or_default(),
            ..Device::new()
        };
        let mut extension = Vec::new();
        DeviceExtension {
            physical_device_ordinal: ordinal,
            is_virtual: description.is_virtual,
            tick_frequency_hz: description.tick_frequency_hz,
            name: description.name.clone(),
            architecture: description.architecture.clone(),
        }
        .push_to(&mut extension);
        let chunk = Chunk::new(Content::Devices, bytemuck::bytes_of(&record), 1);
        let metadata = vec![Metadata::Device(ordinal)];
        self.chunk(
            Chunk {
                extension: &extension,
                metadata,
                ..chunk
            },
            batch,
        );
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

    /// Writes what the batch has collected, in the order that the module head gives.
    fn flush(&mut self, batch: &mut Batch) {
        let mut pending = std::mem::take(&mut self.pending);
        let buffers = &pending.command_buffers;
        let metadata = buffers
            .iter()
            .map(|b| Metadata::CommandBuffer(b.command_buffer_id))
            .collect();
        self.rows(&pending.command_buffers, metadata, batch);
        self.rows(&pending.operations, Vec::new(), batch);
        for stream in pending.streams.drain(..) {
            self.flush_dispatches(stream, batch);
        }
        self.rows(&pending.queue_events, Vec::new(), batch);
        self.rows(&pending.device_events, Vec::new(), batch);
        self.rows(&pending.relationships, Vec::new(), batch);
        pending.command_buffers.clear();
        pending.operations.clear();
        pending.queue_events.clear();
        pending.device_events.clear();
        pending.relationships.clear();
        self.pending = pending;
    }

    fn flush_dispatches(&mut self, stream: usize, batch: &mut Batch) {
        let state = &mut self.streams[stream];
        let mut extension = Vec::new();
        // What only the queue event will say, should the session die before it is written.
        if let Some(open) = state.open.last() {
            OpenBufferExtension {
                command_buffer_id: open.command_buffer_id,
                submission_id: open.submission_id,
                host_time_ns: open.host_time_ns,
                wait_count: open.wait_count,
                barrier_count: open.barrier_count,
            }
            .push_to(&mut extension);
        }
        let place = Some(state.place);
        let mut rows = std::mem::take(&mut state.dispatches);
        let payload = bytemuck::cast_slice(&rows);
        let chunk = Chunk::new(Content::DispatchEvents, payload, rows.len() as u64);
        self.chunk(
            Chunk {
                place,
                extension: &extension,
                ..chunk
            },
            batch,
        );
        rows.clear();
        self.streams[stream].dispatches = rows;
    }

    fn rows<T: Typed>(&mut self, rows: &[T], metadata: Vec<Metadata>, batch: &mut Batch) {
        if !rows.is_empty() {
            let payload = bytemuck::cast_slice(rows);
            let items = rows.len() as u64;
            self.chunk(
                Chunk {
                    metadata,
                    ..Chunk::new(T::CONTENT, payload, items)
                },
                batch,
            );
        }
    }

    /// Adds a chunk; it also tells what was lost of its kind before.
    fn chunk(&mut self, chunk: Chunk<'_>, batch: &mut Batch) {
        let mut header = RecordHeader::new(RecordType::Chunk, self.session.session_id);
        if let Some(place) = chunk.place {
            header.physical_device_ordinal = place.device;
            header.queue_ordinal = place.queue;
            header.stream_id = place.stream_id;
        }
        let dropped = std::mem::take(&mut self.dropped[chunk.content.index()]);
        if dropped != 0 {
            header.chunk_flags = CHUNK_TRUNCATED;
            header.dropped_record_count = dropped;
        }
        let name = match chunk.content {
            Content::QueueEvents => "amdgpu.queue",
            Content::DispatchEvents => "amdgpu.dispatch",
            Content::QueueDeviceEvents => "amdgpu.queue_device",
            Content::EventRelationships => "amdgpu.relationships",
            _ => &self.session.device_identifier,
        };
        batch.push(Parts {
            header,
            extension: chunk.extension,
            content: chunk.content,
            name,
            payload: &[chunk.payload],
            items: chunk.items,
            told: dropped,
            metadata: chunk.metadata,
        });
    }

    fn session_record(
        &mut self,
        record_type: RecordType,
        status: Status,
        extension: &[u8],
        batch: &mut Batch,
    ) {
        let mut header = RecordHeader::new(record_type, self.session.session_id);
        header.session_status_code = status.code();
        batch.push(Parts {
            header,
            extension,
            content: Content::Session,
            name: &self.session.device_identifier,
            payload: &[],
            items: 0,
            told: 0,
            metadata: Vec::new(),
        });
    }
}

/// The queue operation that an event is, by itself; `None` for a kind that we do not know.
fn operation_of(kind: u16) -> Option<QueueOperation> {
    match kind {
        KIND_DISPATCH => Some(QueueOperation::Dispatch),
        KIND_COPY => Some(QueueOperation::Copy),
        KIND_FILL => Some(QueueOperation::Fill),
        KIND_BARRIER => Some(QueueOperation::Barrier),
        _ => None,
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
