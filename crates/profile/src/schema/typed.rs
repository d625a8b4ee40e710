//! The typed records that payloads are made of.
//!
//! One table: each field stands with its offset in the file, and the compiler checks it.

use std::mem::{offset_of, size_of};

use bytemuck::{Pod, Zeroable};

use super::Content;

/// A typed record: a fixed part, then a tail for some kinds.
pub trait Typed: Pod {
    /// The chunk that holds records of this kind.
    const CONTENT: Content;
    /// Bytes of the fixed part.
    const BYTES: u32;

    /// Bytes of the record, tail included, as its first field says.
    fn record_length(&self) -> u32;
}

macro_rules! records {
    ($(
        $(#[$doc:meta])*
        $name:ident $content:ident $bytes:literal {
            $($(#[$field_doc:meta])* $offset:literal $field:ident: $type:ty,)+
        }
    )+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
        #[repr(C)]
        pub struct $name {
            /// Bytes of this record, tail included.
            pub record_length: u32,
            $($(#[$field_doc])* pub $field: $type,)+
        }

        impl $name {
            /// A record with its length set and all else 0.
            pub fn new() -> Self {
                Self { record_length: $bytes, ..Self::zeroed() }
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new()
            }
        }

        impl Typed for $name {
            const CONTENT: Content = Content::$content;
            const BYTES: u32 = $bytes;

            fn record_length(&self) -> u32 {
                self.record_length
            }
        }

        const _: () = {
            assert!(size_of::<$name>() == $bytes);
            $(assert!(offset_of!($name, $field) == $offset);)+
        };
    )+};
}

records! {
    /// A device of the session.
    Device Devices 32 {
        /// [`Device::HAS_UUID`].
        4 flags: u32,
        /// Key that every event refers to.
        8 physical_device_ordinal: u32,
        /// Queues of this device, as far as known when the record was written.
        12 queue_count: u32,
        /// Raw UUID bytes.
        16 physical_device_uuid: [u8; 16],
    }

    /// A queue: with us, a HIP stream on the hardware queue that it is mapped to.
    Queue Queues 24 {
        /// Device that owns the queue.
        4 physical_device_ordinal: u32,
        /// Hardware queue within its device.
        8 queue_ordinal: u32,
        /// 0.
        12 reserved0: u32,
        /// Key of the stream: device << 32 | stream ordinal.
        16 stream_id: u64,
    }

    /// A loaded code object.
    Executable Executables 40 {
        /// [`Executable::HAS_HASH`].
        4 flags: u32,
        /// Key, from 1 upward.
        8 executable_id: u64,
        /// Function records that belong to it.
        16 function_count: u32,
        /// 0.
        20 reserved0: u32,
        /// Opaque equality key.
        24 code_object_hash: [u64; 2],
    }

    /// The image of a code object; its bytes follow.
    CodeObject CodeObjects 48 {
        /// [`CodeObject::HAS_HASH`].
        4 flags: u32,
        /// Owner.
        8 executable_id: u64,
        /// Key of hardware traces.
        16 code_object_id: u64,
        /// Bytes of the image.
        24 data_length: u64,
        /// Opaque equality key.
        32 code_object_hash: [u64; 2],
    }

    /// Where a code object was loaded.
    CodeObjectLoad CodeObjectLoads 40 {
        /// Device on which.
        4 physical_device_ordinal: u32,
        /// Owner.
        8 executable_id: u64,
        /// Code object.
        16 code_object_id: u64,
        /// Run-time address minus code-object address.
        24 load_delta: i64,
        /// Bytes occupied on the device.
        32 load_size: u64,
    }

    /// A kernel of an executable; its name follows.
    Function Functions 64 {
        /// [`Function::HAS_HASH`].
        4 flags: u32,
        /// Owner.
        8 executable_id: u64,
        /// Number in the executable, from 0.
        16 function_ordinal: u32,
        /// 32-bit constants that it takes.
        20 constant_count: u32,
        /// Buffer pointers that it takes.
        24 binding_count: u32,
        /// Parameters.
        28 parameter_count: u32,
        /// Static work-group size, or the minimum when it is dynamic.
        32 workgroup_size: [u32; 3],
        /// Bytes of the name.
        44 name_length: u32,
        /// Opaque equality key.
        48 function_hash: [u64; 2],
    }

    /// A command buffer.
    CommandBuffer CommandBuffers 48 {
        /// 0.
        4 flags: u32,
        /// Key, from 1 upward.
        8 command_buffer_id: u64,
        /// [`CommandBuffer::ONE_SHOT`] and so on.
        16 mode: u64,
        /// [`CommandBuffer::TRANSFER`], [`CommandBuffer::DISPATCH`].
        24 command_categories: u64,
        /// Bit mask of the queues that it may run on.
        32 queue_affinity: u64,
        /// Device that it was recorded for.
        40 physical_device_ordinal: u32,
        /// 0.
        44 reserved0: u32,
    }

    /// An operation of a command buffer.
    CommandOperation CommandOperations 120 {
        /// [`CommandOperation::DISPATCH`] and so on.
        4 kind: u32,
        /// [`CommandOperation::STATIC_BINDINGS`] and so on.
        8 flags: u32,
        /// Number in the command buffer, from 0.
        12 command_index: u32,
        /// Owner.
        16 command_buffer_id: u64,
        /// NONE: we record linearly.
        24 block_ordinal: u32,
        /// NONE: we record linearly.
        28 block_command_ordinal: u32,
        /// Executable of a dispatch, else 0.
        32 executable_id: u64,
        /// Function of a dispatch, else NONE.
        40 function_ordinal: u32,
        /// Binding slots used.
        44 binding_count: u32,
        /// Grid in work-groups.
        48 workgroup_count: [u32; 3],
        /// Work-group size.
        60 workgroup_size: [u32; 3],
        /// Bytes, transfers only.
        72 source_offset: u64,
        /// Bytes, transfers only.
        80 target_offset: u64,
        /// Bytes transferred.
        88 length: u64,
        /// Binding slot of the source, or NONE.
        96 source_ordinal: u32,
        /// Binding slot of the target, or NONE.
        100 target_ordinal: u32,
        /// NONE: no branches.
        104 target_block_ordinal: u32,
        /// NONE: no branches.
        108 alternate_block_ordinal: u32,
        /// 0.
        112 reserved0: u32,
        /// 0.
        116 pad: u32,
    }

    /// Device and host clocks read together.
    ClockCorrelation ClockCorrelations 72 {
        /// [`ClockCorrelation::DEVICE_TICK`] and so on: which fields are real.
        4 flags: u32,
        /// Device whose clock was read.
        8 physical_device_ordinal: u32,
        /// 0.
        12 reserved0: u32,
        /// Number of the sample, from 1 upward.
        16 sample_id: u64,
        /// Device clock.
        24 device_tick: u64,
        /// Host CPU clock that the driver read with it, ns.
        32 host_cpu_timestamp_ns: u64,
        /// Host system clock that the driver read with it.
        40 host_system_timestamp: u64,
        /// Hz of the field above.
        48 host_system_frequency_hz: u64,
        /// `CLOCK_MONOTONIC` just before the read, ns.
        56 host_time_begin_ns: i64,
        /// `CLOCK_MONOTONIC` just after the read, ns.
        64 host_time_end_ns: i64,
    }

    /// A kernel that ran. Device, queue and stream stand in the chunk's header.
    DispatchEvent DispatchEvents 88 {
        /// [`DispatchEvent::IN_COMMAND_BUFFER`].
        4 flags: u32,
        /// Unique in the session, from 1 upward.
        8 event_id: u64,
        /// Submission of its queue.
        16 submission_id: u64,
        /// Command buffer, or 0.
        24 command_buffer_id: u64,
        /// Executable.
        32 executable_id: u64,
        /// Operation in the command buffer, or NONE.
        40 command_index: u32,
        /// Function of the executable.
        44 function_ordinal: u32,
        /// Grid in work-groups.
        48 workgroup_count: [u32; 3],
        /// Work-group size.
        60 workgroup_size: [u32; 3],
        /// Device tick at start, 0 when not known.
        72 start_tick: u64,
        /// Device tick at end, 0 when not known.
        80 end_tick: u64,
    }

    /// A queue operation as the host saw it.
    QueueEvent QueueEvents 104 {
        /// [`QueueOperation`].
        4 kind: u32,
        /// 1 = issued later by software.
        8 flags: u32,
        /// [`QueueEvent::NO_DEPENDENCY`] and so on: how waits were met.
        12 dependency_strategy: u32,
        /// Unique in the session, from 1 upward.
        16 event_id: u64,
        /// `CLOCK_MONOTONIC` of the submit call, ns.
        24 host_time_ns: i64,
        /// Submission of its queue.
        32 submission_id: u64,
        /// Command buffer of an execute, else 0.
        40 command_buffer_id: u64,
        /// Allocation, or 0.
        48 allocation_id: u64,
        /// As in the queue record.
        56 stream_id: u64,
        /// As in the queue record.
        64 physical_device_ordinal: u32,
        /// As in the queue record.
        68 queue_ordinal: u32,
        /// Things waited on.
        72 wait_count: u32,
        /// Things signalled.
        76 signal_count: u32,
        /// Barrier packets spent on waits.
        80 barrier_count: u32,
        /// Operations inside.
        84 operation_count: u32,
        /// Bytes moved, else 0.
        88 payload_length: u64,
        /// `CLOCK_MONOTONIC` when it could start, ns.
        96 ready_host_time_ns: i64,
    }

    /// A queue operation as the device saw it.
    QueueDeviceEvent QueueDeviceEvents 96 {
        /// [`QueueOperation`].
        4 kind: u32,
        /// As in the queue event.
        8 flags: u32,
        /// 0.
        12 reserved0: u32,
        /// Unique in the session, from 1 upward.
        16 event_id: u64,
        /// Submission of its queue.
        24 submission_id: u64,
        /// Command buffer of an execute, else 0.
        32 command_buffer_id: u64,
        /// Allocation, or 0.
        40 allocation_id: u64,
        /// As in the queue record.
        48 stream_id: u64,
        /// Bytes moved, else 0.
        56 payload_length: u64,
        /// As in the queue record.
        64 physical_device_ordinal: u32,
        /// As in the queue record.
        68 queue_ordinal: u32,
        /// Operations inside.
        72 operation_count: u32,
        /// 0.
        76 reserved1: u32,
        /// Device tick at start, 0 when not known.
        80 start_tick: u64,
        /// Device tick at end, 0 when not known.
        88 end_tick: u64,
    }

    /// A link between two events of one queue.
    EventRelationship EventRelationships 72 {
        /// [`EventRelationship::SUBMISSION_DISPATCH`] and so on.
        4 kind: u32,
        /// Unique in the session, from 1 upward.
        8 relationship_id: u64,
        /// Endpoint type of the source.
        16 source_type: u32,
        /// Endpoint type of the target.
        20 target_type: u32,
        /// As in the queue record.
        24 physical_device_ordinal: u32,
        /// As in the queue record.
        28 queue_ordinal: u32,
        /// As in the queue record.
        32 stream_id: u64,
        /// Id of the source.
        40 source_id: u64,
        /// Second id of the source, or 0.
        48 source_secondary_id: u64,
        /// Id of the target.
        56 target_id: u64,
        /// Second id of the target, or 0.
        64 target_secondary_id: u64,
    }

    /// Something that happened to memory.
    MemoryEvent MemoryEvents 160 {
        /// What happened.
        4 kind: u32,
        /// Queue operation, waits, pool statistics.
        8 flags: u32,
        /// Result of a pool operation, or NONE.
        12 result: u32,
        /// Unique in the session, from 1 upward.
        16 event_id: u64,
        /// `CLOCK_MONOTONIC`, ns.
        24 host_time_ns: i64,
        /// Life-cycle key, or 0.
        32 allocation_id: u64,
        /// Pool.
        40 pool_id: u64,
        /// Backing store.
        48 backing_id: u64,
        /// Submission, or 0.
        56 submission_id: u64,
        /// Device.
        64 physical_device_ordinal: u32,
        /// Queue, or NONE.
        68 queue_ordinal: u32,
        /// Entries waited on.
        72 frontier_entry_count: u32,
        /// 0.
        76 reserved0: u32,
        /// Memory type bits.
        80 memory_type: u64,
        /// Buffer usage bits.
        88 buffer_usage: u64,
        /// Bytes from the start of the backing store.
        96 offset: u64,
        /// Bytes.
        104 length: u64,
        /// Bytes.
        112 alignment: u64,
        /// Live reservations, bytes.
        120 pool_bytes_reserved: u64,
        /// Free, bytes.
        128 pool_bytes_free: u64,
        /// Committed, bytes.
        136 pool_bytes_committed: u64,
        /// Limit, or 0.
        144 pool_budget_limit: u64,
        /// Live reservations.
        152 pool_reservation_count: u32,
        /// Slabs.
        156 pool_slab_count: u32,
    }
}

impl Device {
    /// [`Device::flags`]: the UUID is real.
    pub const HAS_UUID: u32 = 1;
}

impl Executable {
    /// [`Executable::flags`]: the hash is real.
    pub const HAS_HASH: u32 = 1;
}

impl CodeObject {
    /// [`CodeObject::flags`]: the hash is real.
    pub const HAS_HASH: u32 = 1;
}

impl Function {
    /// [`Function::flags`]: the hash is real.
    pub const HAS_HASH: u32 = 1;
}

impl CommandBuffer {
    /// [`CommandBuffer::mode`]: runs once.
    pub const ONE_SHOT: u64 = 0x1;
    /// [`CommandBuffer::mode`]: keeps what profiling needs.
    pub const RETAIN_PROFILE_METADATA: u64 = 0x80;
    /// [`CommandBuffer::command_categories`]: copies and fills.
    pub const TRANSFER: u64 = 1;
    /// [`CommandBuffer::command_categories`]: kernels.
    pub const DISPATCH: u64 = 2;
}

impl CommandOperation {
    /// [`CommandOperation::kind`]: a kernel.
    pub const DISPATCH: u32 = 2;
    /// [`CommandOperation::flags`]: bindings are fixed at recording.
    pub const STATIC_BINDINGS: u32 = 0x8;
}

impl ClockCorrelation {
    /// [`ClockCorrelation::flags`]: the device tick is real.
    pub const DEVICE_TICK: u32 = 0x1;
    /// [`ClockCorrelation::flags`]: the host CPU clock is real.
    pub const HOST_CPU: u32 = 0x2;
    /// [`ClockCorrelation::flags`]: the host system clock is real.
    pub const HOST_SYSTEM: u32 = 0x4;
    /// [`ClockCorrelation::flags`]: the bracket is real.
    pub const HOST_BRACKET: u32 = 0x8;
    /// [`ClockCorrelation::flags`]: the tick is of another counter than the events'.
    pub const UNALIGNED: u32 = 0x10;
}

impl DispatchEvent {
    /// [`DispatchEvent::flags`]: ran through a command buffer.
    pub const IN_COMMAND_BUFFER: u32 = 1;
}

impl QueueEvent {
    /// [`QueueEvent::dependency_strategy`]: nothing to wait for.
    pub const NO_DEPENDENCY: u32 = 0;
    /// [`QueueEvent::dependency_strategy`]: waits met without packets of their own.
    pub const INLINE: u32 = 1;
    /// [`QueueEvent::dependency_strategy`]: barrier packets wait on the device.
    pub const DEVICE_BARRIER: u32 = 2;
}

impl EventRelationship {
    /// [`EventRelationship::kind`]: from a submission to a dispatch event.
    pub const SUBMISSION_DISPATCH: u32 = 1;
    /// [`EventRelationship::kind`]: from a submission to a queue device event.
    pub const SUBMISSION_DEVICE_EVENT: u32 = 2;
    /// Endpoint type: a queue submission.
    pub const ENDPOINT_SUBMISSION: u32 = 1;
    /// Endpoint type: a dispatch event.
    pub const ENDPOINT_DISPATCH: u32 = 3;
    /// Endpoint type: a queue device event.
    pub const ENDPOINT_DEVICE_EVENT: u32 = 7;
}

/// What a queue was asked to do: [`QueueEvent::kind`], [`QueueDeviceEvent::kind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum QueueOperation {
    /// A barrier.
    Barrier = 1,
    /// One kernel.
    Dispatch = 2,
    /// A command buffer.
    Execute = 3,
    /// A copy.
    Copy = 4,
    /// A fill.
    Fill = 5,
}
