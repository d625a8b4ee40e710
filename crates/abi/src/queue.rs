//! `amd_queue_v2_t`: what client and packet processor share about an AQL queue.
//!
//! The processor finds it from the address of the read index, less
//! [`AmdQueue::read_dispatch_id_field_base_byte_offset`].

use std::mem::{offset_of, size_of};
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Offset of [`AmdQueue::read_dispatch_id`], as the field behind it says.
pub const READ_DISPATCH_ID_OFFSET: u32 = 0x80;
/// `hsa_queue_type_t`: several threads submit.
pub const QUEUE_TYPE_MULTI: u32 = 0;
/// `hsa_queue_feature_t`: kernel dispatch packets.
pub const QUEUE_FEATURE_KERNEL_DISPATCH: u32 = 1;

/// [`AmdQueue::queue_properties`]: a trap handler is installed.
pub const PROPERTY_TRAP_HANDLER: u32 = 1 << 0;
/// [`AmdQueue::queue_properties`]: pointers have 64 bits.
pub const PROPERTY_IS_PTR64: u32 = 1 << 1;
/// [`AmdQueue::queue_properties`]: packets stamp start and end ticks.
pub const PROPERTY_ENABLE_PROFILING: u32 = 1 << 3;
/// [`AmdQueue::queue_properties`]: scratch is taken back after each dispatch that uses it.
pub const PROPERTY_USE_SCRATCH_ONCE: u32 = 1 << 4;

/// [`AmdQueue::compute_tmpring_size`]: bits 0 to 11, waves per shader engine.
pub const TMPRING_WAVES_MAX: u32 = 0xfff;
/// [`AmdQueue::compute_tmpring_size`]: first bit of the bytes a wave, in [`TMPRING_WAVE_UNIT`]s.
pub const TMPRING_WAVE_SIZE_SHIFT: u32 = 12;
/// Largest number of units a wave, bits 12 to 26.
pub const TMPRING_WAVE_SIZE_MAX: u32 = 0x7fff;
/// Unit of scratch a wave on gfx11, bytes.
pub const TMPRING_WAVE_UNIT: u32 = 256;

/// The queue, 2304 bytes. Words that client and device both touch are atomics.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct AmdQueue {
    /// [`QUEUE_TYPE_MULTI`].
    pub queue_type: AtomicU32,
    /// [`QUEUE_FEATURE_KERNEL_DISPATCH`].
    pub features: AtomicU32,
    /// Address of the ring.
    pub base_address: AtomicU64,
    /// Handle of the doorbell signal.
    pub doorbell_signal: AtomicU64,
    /// Packets in the ring, a power of two.
    pub size_packets: AtomicU32,
    /// Reserved.
    pub reserved1: AtomicU32,
    /// Number of the queue in its process.
    pub id: AtomicU64,
    /// Bit 0: the processor supports asynchronous scratch reclaim; bit 1: the client does.
    pub caps: AtomicU32,
    /// Reserved.
    pub reserved2: [AtomicU32; 3],
    /// Packets reserved so far; the client moves it.
    pub write_dispatch_id: AtomicU64,
    /// High half of the LDS aperture.
    pub group_segment_aperture_base_hi: AtomicU32,
    /// High half of the scratch aperture.
    pub private_segment_aperture_base_hi: AtomicU32,
    /// Highest compute unit.
    pub max_cu_id: AtomicU32,
    /// Highest wave slot of a compute unit.
    pub max_wave_id: AtomicU32,
    /// Only for doorbells older than 64-bit ones.
    pub max_legacy_doorbell_dispatch_id_plus_1: AtomicU64,
    /// Only for doorbells older than 64-bit ones.
    pub legacy_doorbell_lock: AtomicU32,
    /// Reserved.
    pub reserved3: [AtomicU32; 9],
    /// Packets processed so far; the device moves it.
    pub read_dispatch_id: AtomicU64,
    /// [`READ_DISPATCH_ID_OFFSET`].
    pub read_dispatch_id_field_base_byte_offset: AtomicU32,
    /// Scratch waves and bytes a wave.
    pub compute_tmpring_size: AtomicU32,
    /// Buffer descriptor of scratch; gfx11 kernels do not use it.
    pub scratch_resource_descriptor: [AtomicU32; 4],
    /// Address of scratch.
    pub scratch_backing_memory_location: AtomicU64,
    /// Bytes of scratch.
    pub scratch_backing_memory_byte_size: AtomicU64,
    /// Scratch bytes of a lane as if waves had 64 of them.
    pub scratch_wave64_lane_byte_size: AtomicU32,
    /// `PROPERTY_*`.
    pub queue_properties: AtomicU32,
    /// Asynchronous scratch reclaim.
    pub scratch_max_use_index: AtomicU64,
    /// Handle of the signal through which the processor asks for scratch and reports errors.
    pub queue_inactive_signal: AtomicU64,
    /// Alternate scratch, in use only with bit 0 of `caps`.
    pub alternate: [AtomicU32; 14],
    /// Asynchronous scratch reclaim: last use by each of 128 units, 16 bytes each.
    pub scratch_last_used_index: [[AtomicU64; 2]; 128],
}

const _: () = {
    assert!(size_of::<AmdQueue>() == 2304);
    assert!(offset_of!(AmdQueue, base_address) == 0x08);
    assert!(offset_of!(AmdQueue, doorbell_signal) == 0x10);
    assert!(offset_of!(AmdQueue, size_packets) == 0x18);
    assert!(offset_of!(AmdQueue, id) == 0x20);
    assert!(offset_of!(AmdQueue, caps) == 0x28);
    assert!(offset_of!(AmdQueue, write_dispatch_id) == 0x38);
    assert!(offset_of!(AmdQueue, group_segment_aperture_base_hi) == 0x40);
    assert!(offset_of!(AmdQueue, private_segment_aperture_base_hi) == 0x44);
    assert!(offset_of!(AmdQueue, max_cu_id) == 0x48);
    assert!(offset_of!(AmdQueue, max_wave_id) == 0x4c);
    assert!(offset_of!(AmdQueue, max_legacy_doorbell_dispatch_id_plus_1) == 0x50);
    assert!(offset_of!(AmdQueue, legacy_doorbell_lock) == 0x58);
    assert!(offset_of!(AmdQueue, read_dispatch_id) == READ_DISPATCH_ID_OFFSET as usize);
    assert!(offset_of!(AmdQueue, read_dispatch_id_field_base_byte_offset) == 0x88);
    assert!(offset_of!(AmdQueue, compute_tmpring_size) == 0x8c);
    assert!(offset_of!(AmdQueue, scratch_resource_descriptor) == 0x90);
    assert!(offset_of!(AmdQueue, scratch_backing_memory_location) == 0xa0);
    assert!(offset_of!(AmdQueue, scratch_backing_memory_byte_size) == 0xa8);
    assert!(offset_of!(AmdQueue, scratch_wave64_lane_byte_size) == 0xb0);
    assert!(offset_of!(AmdQueue, queue_properties) == 0xb4);
    assert!(offset_of!(AmdQueue, scratch_max_use_index) == 0xb8);
    assert!(offset_of!(AmdQueue, queue_inactive_signal) == 0xc0);
    assert!(offset_of!(AmdQueue, alternate) == 0xc8);
    assert!(offset_of!(AmdQueue, scratch_last_used_index) == 0x100);
};
