//! What a session tells the encoder: plain descriptions, filled by whoever knows.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use bitflags::bitflags;

use crate::schema::side::{EventInfo, EventSlot};

bitflags! {
    /// Which kinds of records a session wants. The bits are upstream's data families.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Families: u32 {
        /// Queue operations as the host saw them.
        const QUEUE_EVENTS = 1 << 0;
        /// Queue operations as the device saw them.
        const QUEUE_DEVICE_EVENTS = 1 << 2;
        /// Kernels, with their command buffers and operations.
        const DISPATCH_EVENTS = 1 << 3;
        /// Code objects and where they were loaded.
        const EXECUTABLE_METADATA = 1 << 5;

        /// Mode `queue`: each launch, copy and fill is one queue operation; nothing about kernels.
        const QUEUE = Self::QUEUE_EVENTS.bits() | Self::QUEUE_DEVICE_EVENTS.bits();
        /// Mode `dispatch`: everything about kernels.
        const DISPATCH = Self::QUEUE.bits() | Self::DISPATCH_EVENTS.bits()
            | Self::EXECUTABLE_METADATA.bits();
    }
}

/// The session that a bundle holds.
#[derive(Clone, Debug)]
pub struct SessionDescription {
    /// From 1 upward.
    pub session_id: u64,
    /// Names the session records and metadata chunks, for people: `amdgpu`, or `amdgpu-virtual`.
    pub device_identifier: String,
    /// Process that is profiled.
    pub process_id: u32,
    /// Name of its program.
    pub program: String,
    /// The side file and its creation stamp, when there is one.
    pub side_file: Option<(PathBuf, u64)>,
    /// What to record.
    pub families: Families,
}

/// A device. Told before its first clock sample or event.
#[derive(Clone, Debug, Default)]
pub struct DeviceDescription {
    /// Key of the device in the session, from 0.
    pub ordinal: u32,
    /// UUID, when it has one.
    pub uuid: Option<[u8; 16]>,
    /// Hardware queues that it may use.
    pub queue_count: u32,
    /// The device is emulated; reports then say so.
    pub is_virtual: bool,
    /// Nominal ticks per second of its clock, 0 when unknown.
    pub tick_frequency_hz: u64,
    /// Marketing name.
    pub name: String,
    /// Architecture, such as `gfx1151`.
    pub architecture: String,
}

/// A loaded code object. Told before the first packet that names it.
#[derive(Clone, Debug, Default)]
pub struct ExecutableDescription {
    /// From 1 upward, unique in the process.
    pub executable_id: u64,
    /// Kernels, in the order of their ordinals.
    pub functions: Vec<FunctionDescription>,
    /// Opaque equality key of the image, when there is one.
    pub code_object_hash: Option<[u64; 2]>,
    /// The image as it was loaded, to be put into the bundle; the encoder lets go of it once written.
    pub image: Option<Arc<[u8]>>,
    /// Where it was loaded.
    pub loads: Vec<CodeObjectLoadDescription>,
}

/// A kernel.
#[derive(Clone, Debug, Default)]
pub struct FunctionDescription {
    /// Symbol name, as in the code object.
    pub name: String,
    /// 32-bit constants among its arguments.
    pub constant_count: u32,
    /// Buffer pointers among its arguments.
    pub binding_count: u32,
    /// Arguments.
    pub parameter_count: u32,
    /// Work-group size that it demands; zeros when it does not.
    pub workgroup_size: [u32; 3],
    /// Opaque equality key, when there is one.
    pub hash: Option<[u64; 2]>,
}

/// A code object on a device.
#[derive(Clone, Copy, Debug, Default)]
pub struct CodeObjectLoadDescription {
    /// Device.
    pub device_ordinal: u32,
    /// Run-time address minus code-object address.
    pub load_delta: i64,
    /// Bytes that it occupies.
    pub load_size: u64,
}

/// An event that the device has finished, copied out of its slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompletedEvent {
    /// What was submitted.
    pub info: EventInfo,
    /// Device tick at start, 0 when not known.
    pub start_ticks: u64,
    /// Device tick at end, 0 when not known.
    pub end_ticks: u64,
    /// Device that ran it.
    pub device_ordinal: u32,
    /// Hardware queue that it ran on.
    pub queue_ordinal: u32,
}

impl CompletedEvent {
    /// Copies a completed slot. The caller has claimed it, so nobody refills it meanwhile.
    pub fn read(slot: &EventSlot, device_ordinal: u32, queue_ordinal: u32) -> Self {
        // Relaxed: the caller has seen the signal complete, with acquire.
        Self {
            info: slot.info.load(),
            start_ticks: slot.signal.start_ts.load(Relaxed),
            end_ticks: slot.signal.end_ts.load(Relaxed),
            device_ordinal,
            queue_ordinal,
        }
    }
}

/// Key of a HIP stream in the bundle: the `stream_id` of its queue record and of all its events.
pub fn stream_key(device_ordinal: u32, stream_ordinal: u32) -> u64 {
    u64::from(device_ordinal) << 32 | u64::from(stream_ordinal)
}
