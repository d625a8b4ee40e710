//! Records of a batch: collected row by row, written chunk by chunk.

use super::Encoder;
use super::stream::Place;
use crate::batch::{Batch, Metadata, Parts};
use crate::schema::extension::{DeviceExtension, OpenBufferExtension};
use crate::schema::*;

/// Records of the batch that is being made, but for dispatches, which are kept by stream.
#[derive(Debug, Default)]
pub(super) struct Pending {
    pub(super) command_buffers: Vec<CommandBuffer>,
    pub(super) operations: Vec<CommandOperation>,
    pub(super) queue_events: Vec<QueueEvent>,
    pub(super) device_events: Vec<QueueDeviceEvent>,
    pub(super) relationships: Vec<EventRelationship>,
    /// Streams with dispatches.
    pub(super) streams: Vec<usize>,
}

/// A chunk on its way to the batch.
#[derive(Debug)]
pub(super) struct Chunk<'a> {
    pub(super) content: Content,
    pub(super) place: Option<Place>,
    pub(super) extension: &'a [u8],
    pub(super) payload: &'a [u8],
    pub(super) items: u64,
    pub(super) metadata: Vec<Metadata>,
}

impl<'a> Chunk<'a> {
    pub(super) fn new(content: Content, payload: &'a [u8], items: u64) -> Self {
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
    pub(super) fn ensure_device(&mut self, ordinal: u32, batch: &mut Batch) {
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

    /// Writes what the batch has collected, in the order that the module head gives.
    pub(super) fn flush(&mut self, batch: &mut Batch) {
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

    pub(super) fn flush_dispatches(&mut self, stream: usize, batch: &mut Batch) {
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

    pub(super) fn rows<T: Typed>(
        &mut self,
        rows: &[T],
        metadata: Vec<Metadata>,
        batch: &mut Batch,
    ) {
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
    pub(super) fn chunk(&mut self, chunk: Chunk<'_>, batch: &mut Batch) {
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

    pub(super) fn session_record(
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
