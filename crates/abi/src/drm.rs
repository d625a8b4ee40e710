//! The DRM ABI of an amdgpu render node, as far as a compute client needs it.
//!
//! Plain data. Numbers and field names follow the kernel's user API (`drm/drm.h`,
//! `drm/amdgpu_drm.h`); sizes and offsets are asserted below.

use std::mem::{offset_of, size_of};

use bytemuck::{Pod, Zeroable};

/// Type byte of every DRM request.
pub const IOCTL_TYPE: u32 = b'd' as u32;

/// Number of [`DRM_IOCTL_VERSION`].
pub const NUMBER_VERSION: u32 = 0x00;
/// Number of [`DRM_IOCTL_AMDGPU_INFO`].
pub const NUMBER_AMDGPU_INFO: u32 = 0x45;
/// Name and version of the driver; argument [`Version`].
pub const DRM_IOCTL_VERSION: u32 = 0xc040_6400;
/// Asks one thing of the device; argument [`AmdgpuInfo`].
pub const DRM_IOCTL_AMDGPU_INFO: u32 = 0x4020_6445;

/// [`AmdgpuInfo::query`]: u32, 1 when the device works.
pub const INFO_ACCEL_WORKING: u32 = 0x00;
/// [`AmdgpuInfo::query`]: u32, engines of a kind.
pub const INFO_HW_IP_COUNT: u32 = 0x03;
/// [`AmdgpuInfo::query`]: registers, u32 each.
pub const INFO_READ_MMR_REG: u32 = 0x15;
/// [`AmdgpuInfo::query`]: [`DeviceInfo`].
pub const INFO_DEV_INFO: u32 = 0x16;
/// [`AmdgpuInfo::query`]: [`MemoryInfo`].
pub const INFO_MEMORY: u32 = 0x19;

/// [`DeviceInfo::ids_flags`]: shares its memory with the host.
pub const IDS_FLAGS_FUSION: u64 = 1;

/// Argument of [`DRM_IOCTL_VERSION`]. Lengths are in and out: a call with lengths 0 asks for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Version {
    /// Out.
    pub version_major: i32,
    /// Out.
    pub version_minor: i32,
    /// Out.
    pub version_patchlevel: i32,
    /// 0.
    pub pad: u32,
    /// Room, then length of the name.
    pub name_len: u64,
    /// Address of room for the name.
    pub name: u64,
    /// Room, then length of the date.
    pub date_len: u64,
    /// Address of room for the date.
    pub date: u64,
    /// Room, then length of the description.
    pub desc_len: u64,
    /// Address of room for the description.
    pub desc: u64,
}

/// Argument of [`DRM_IOCTL_AMDGPU_INFO`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct AmdgpuInfo {
    /// Address that the answer goes to.
    pub return_pointer: u64,
    /// Room there; a longer answer is cut.
    pub return_size: u32,
    /// `INFO_*`.
    pub query: u32,
    /// What the query needs besides; for [`INFO_READ_MMR_REG`] the first register and their number.
    pub argument: [u32; 4],
}

/// Answer to [`INFO_DEV_INFO`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct DeviceInfo {
    /// PCI device.
    pub device_id: u32,
    /// Stepping of the chip.
    pub chip_rev: u32,
    /// Which chip of its family, and stepping.
    pub external_rev: u32,
    /// PCI revision.
    pub pci_rev: u32,
    /// Family of chips.
    pub family: u32,
    /// Shader engines.
    pub num_shader_engines: u32,
    /// Shader arrays of an engine.
    pub num_shader_arrays_per_engine: u32,
    /// Rate of the device counter, kHz.
    pub gpu_counter_freq: u32,
    /// Highest shader clock, kHz.
    pub max_engine_clock: u64,
    /// Highest memory clock, kHz.
    pub max_memory_clock: u64,
    /// Compute units.
    pub cu_active_number: u32,
    /// Not valid.
    pub cu_ao_mask: u32,
    /// Compute units of each engine and array.
    pub cu_bitmap: [[u32; 4]; 4],
    /// Render backends.
    pub enabled_rb_pipes_mask: u32,
    /// Number of them.
    pub num_rb_pipes: u32,
    /// Contexts of the graphics pipe.
    pub num_hw_gfx_contexts: u32,
    /// PCIe generation.
    pub pcie_gen: u32,
    /// [`IDS_FLAGS_FUSION`] and others.
    pub ids_flags: u64,
    /// First address for clients.
    pub virtual_address_offset: u64,
    /// End of the addresses for clients.
    pub virtual_address_max: u64,
    /// Alignment of mappings.
    pub virtual_address_alignment: u32,
    /// Log2 of pages in a fragment.
    pub pte_fragment_size: u32,
    /// Page size.
    pub gart_page_size: u32,
    /// Bytes of constant engine memory.
    pub ce_ram_size: u32,
    /// Kind of memory.
    pub vram_type: u32,
    /// Width of the memory bus.
    pub vram_bit_width: u32,
    /// Video encoders that are fused off.
    pub vce_harvest_config: u32,
    /// LDS buffers off chip.
    pub gc_double_offchip_lds_buf: u32,
    /// Graphics buffers: primitive, position, control sideband, parameter.
    pub graphics_buffer_address: [u64; 4],
    /// Their bytes.
    pub graphics_buffer_bytes: [u32; 4],
    /// Lanes of a wave.
    pub wave_front_size: u32,
    /// Vector registers that a wave can have.
    pub num_shader_visible_vgprs: u32,
    /// Compute units of an array.
    pub num_cu_per_sh: u32,
    /// Blocks of the L2 cache.
    pub num_tcc_blocks: u32,
    /// Graphics.
    pub gs_vgt_table_depth: u32,
    /// Graphics.
    pub gs_prim_buffer_depth: u32,
    /// Graphics.
    pub max_gs_waves_per_vgt: u32,
    /// PCIe lanes.
    pub pcie_num_lanes: u32,
    /// Compute units that are never powered off.
    pub cu_ao_bitmap: [[u32; 4]; 4],
    /// First high address for clients.
    pub high_va_offset: u64,
    /// End of the high addresses.
    pub high_va_max: u64,
    /// Graphics.
    pub pa_sc_tile_steering_override: u32,
    /// 0.
    pub pad0: u32,
    /// L2 blocks that are off.
    pub tcc_disabled_mask: u64,
    /// Lowest shader clock, kHz.
    pub min_engine_clock: u64,
    /// Lowest memory clock, kHz.
    pub min_memory_clock: u64,
    /// Vector cache of a compute unit, KiB.
    pub tcp_cache_size: u32,
    /// Scalar caches of a work-group processor.
    pub num_sqc_per_wgp: u32,
    /// Scalar data cache, KiB.
    pub sqc_data_cache_size: u32,
    /// Instruction cache, KiB.
    pub sqc_inst_cache_size: u32,
    /// L1 cache of an array, KiB.
    pub gl1c_cache_size: u32,
    /// L2 cache, KiB.
    pub gl2c_cache_size: u32,
    /// L3 cache, bytes.
    pub mall_size: u64,
    /// Render backends, high half.
    pub enabled_rb_pipes_mask_hi: u32,
    /// Graphics state shadow: bytes and alignment.
    pub shadow_size: [u32; 2],
    /// Context save area of the graphics pipe: bytes and alignment.
    pub csa_size: [u32; 2],
    /// Engines with user queues.
    pub userq_ip_mask: u32,
    /// 0.
    pub pad1: [u32; 2],
}

/// One heap of [`MemoryInfo`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct HeapInfo {
    /// Bytes there are.
    pub total_heap_size: u64,
    /// Bytes that clients can get.
    pub usable_heap_size: u64,
    /// Bytes in use.
    pub heap_usage: u64,
    /// Largest allocation.
    pub max_allocation: u64,
}

/// Answer to [`INFO_MEMORY`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct MemoryInfo {
    /// Device memory.
    pub vram: HeapInfo,
    /// The part of it that the host can map.
    pub cpu_accessible_vram: HeapInfo,
    /// Host memory that the device can map.
    pub gtt: HeapInfo,
}

/// A request word from its direction (1 the kernel reads, 2 it writes), number and argument size.
const fn request(direction: u32, number: u32, size: usize) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "sizes of structs of this module"
    )]
    let size = size as u32;
    direction << 30 | size << 16 | IOCTL_TYPE << 8 | number
}

const _: () = {
    assert!(DRM_IOCTL_VERSION == request(3, NUMBER_VERSION, size_of::<Version>()));
    assert!(DRM_IOCTL_AMDGPU_INFO == request(1, NUMBER_AMDGPU_INFO, size_of::<AmdgpuInfo>()));
    assert!(size_of::<Version>() == 64);
    assert!(size_of::<AmdgpuInfo>() == 32);
    assert!(size_of::<DeviceInfo>() == 448);
    assert!(offset_of!(DeviceInfo, cu_bitmap) == 56);
    assert!(offset_of!(DeviceInfo, ids_flags) == 136);
    assert!(offset_of!(DeviceInfo, wave_front_size) == 240);
    assert!(offset_of!(DeviceInfo, cu_ao_bitmap) == 272);
    assert!(offset_of!(DeviceInfo, tcc_disabled_mask) == 360);
    assert!(offset_of!(DeviceInfo, mall_size) == 408);
    assert!(offset_of!(DeviceInfo, userq_ip_mask) == 436);
    assert!(size_of::<MemoryInfo>() == 96);
};

/// Number of [`DRM_IOCTL_GET_CLIENT`].
pub const NUMBER_GET_CLIENT: u32 = 0x05;
/// Number of [`DRM_IOCTL_GEM_CLOSE`].
pub const NUMBER_GEM_CLOSE: u32 = 0x09;
/// Number of [`DRM_IOCTL_GET_CAP`].
pub const NUMBER_GET_CAP: u32 = 0x0c;
/// Number of [`DRM_IOCTL_PRIME_HANDLE_TO_FD`].
pub const NUMBER_PRIME_HANDLE_TO_FD: u32 = 0x2d;
/// Number of [`DRM_IOCTL_PRIME_FD_TO_HANDLE`].
pub const NUMBER_PRIME_FD_TO_HANDLE: u32 = 0x2e;
/// Number of [`DRM_IOCTL_AMDGPU_GEM_MMAP`].
pub const NUMBER_AMDGPU_GEM_MMAP: u32 = 0x41;
/// Number of [`DRM_IOCTL_AMDGPU_GEM_METADATA`].
pub const NUMBER_AMDGPU_GEM_METADATA: u32 = 0x46;
/// Number of [`DRM_IOCTL_AMDGPU_GEM_VA`].
pub const NUMBER_AMDGPU_GEM_VA: u32 = 0x48;
/// Number of [`DRM_IOCTL_AMDGPU_GEM_OP`].
pub const NUMBER_AMDGPU_GEM_OP: u32 = 0x50;
/// Who has opened the node; argument [`Client`].
pub const DRM_IOCTL_GET_CLIENT: u32 = request(3, NUMBER_GET_CLIENT, size_of::<Client>());
/// Gives up a handle; argument [`GemClose`].
pub const DRM_IOCTL_GEM_CLOSE: u32 = request(1, NUMBER_GEM_CLOSE, size_of::<GemClose>());
/// What the driver can do; argument [`Capability`].
pub const DRM_IOCTL_GET_CAP: u32 = request(3, NUMBER_GET_CAP, size_of::<Capability>());
/// Dmabuf of a handle; argument [`PrimeHandle`].
pub const DRM_IOCTL_PRIME_HANDLE_TO_FD: u32 =
    request(3, NUMBER_PRIME_HANDLE_TO_FD, size_of::<PrimeHandle>());
/// Handle of a dmabuf; argument [`PrimeHandle`].
pub const DRM_IOCTL_PRIME_FD_TO_HANDLE: u32 =
    request(3, NUMBER_PRIME_FD_TO_HANDLE, size_of::<PrimeHandle>());
/// Offset at which to map a buffer; argument [`GemMmap`].
pub const DRM_IOCTL_AMDGPU_GEM_MMAP: u32 = request(3, NUMBER_AMDGPU_GEM_MMAP, size_of::<GemMmap>());
/// Words that a client keeps with a buffer; argument [`GemMetadata`].
pub const DRM_IOCTL_AMDGPU_GEM_METADATA: u32 =
    request(3, NUMBER_AMDGPU_GEM_METADATA, size_of::<GemMetadata>());
/// Maps a buffer for the device; argument [`GemVa`].
pub const DRM_IOCTL_AMDGPU_GEM_VA: u32 = request(1, NUMBER_AMDGPU_GEM_VA, size_of::<GemVa>());
/// Asks how a buffer was made; argument [`GemOp`].
pub const DRM_IOCTL_AMDGPU_GEM_OP: u32 = request(3, NUMBER_AMDGPU_GEM_OP, size_of::<GemOp>());

/// [`Capability::capability`]: dmabufs, bit 0 import, bit 1 export.
pub const CAP_PRIME: u64 = 5;
/// [`GemVa::operation`].
pub const VA_OP_MAP: u32 = 1;
/// [`GemVa::operation`].
pub const VA_OP_UNMAP: u32 = 2;
/// [`GemVa::operation`]: unmaps whatever is there.
pub const VA_OP_CLEAR: u32 = 3;
/// [`GemVa::operation`]: maps in place of whatever is there.
pub const VA_OP_REPLACE: u32 = 4;
/// [`GemVa::flags`]: the device may read.
pub const VM_PAGE_READABLE: u32 = 1 << 1;
/// [`GemVa::flags`]: the device may write.
pub const VM_PAGE_WRITEABLE: u32 = 1 << 2;
/// [`GemVa::flags`]: the device may fetch instructions.
pub const VM_PAGE_EXECUTABLE: u32 = 1 << 3;
/// [`GemMetadata::op`]: read it.
pub const GEM_METADATA_OP_GET: u32 = 2;
/// [`GemOp::op`]: [`GemCreateInfo`] to the address in `value`.
pub const GEM_OP_GET_CREATE_INFO: u32 = 0;
/// [`GemCreateInfo::domains`]: device memory.
pub const GEM_DOMAIN_VRAM: u64 = 4;
/// [`GemCreateInfo::domains`]: host memory that the device maps.
pub const GEM_DOMAIN_GTT: u64 = 2;

/// Argument of [`DRM_IOCTL_GET_CLIENT`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Client {
    /// Which client.
    pub idx: i32,
    /// Out: may use the device.
    pub auth: i32,
    /// Out: process.
    pub pid: u64,
    /// Out: user.
    pub uid: u64,
    /// Out: not used any more.
    pub magic: u64,
    /// Out: not used any more.
    pub iocs: u64,
}

/// Argument of [`DRM_IOCTL_GEM_CLOSE`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct GemClose {
    /// The buffer.
    pub handle: u32,
    /// 0.
    pub pad: u32,
}

/// Argument of [`DRM_IOCTL_GET_CAP`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Capability {
    /// `CAP_*`.
    pub capability: u64,
    /// Out.
    pub value: u64,
}

/// Argument of [`DRM_IOCTL_PRIME_HANDLE_TO_FD`] and [`DRM_IOCTL_PRIME_FD_TO_HANDLE`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct PrimeHandle {
    /// The buffer, in or out.
    pub handle: u32,
    /// `O_CLOEXEC`, `O_RDWR`.
    pub flags: u32,
    /// The dmabuf, out or in.
    pub fd: i32,
}

/// Argument of [`DRM_IOCTL_AMDGPU_GEM_MMAP`]: the handle in, the offset out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct GemMmap {
    /// In: the buffer, in the low half. Out: the offset.
    pub handle_or_offset: u64,
}

/// Argument of [`DRM_IOCTL_AMDGPU_GEM_METADATA`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct GemMetadata {
    /// The buffer.
    pub handle: u32,
    /// 1 write, [`GEM_METADATA_OP_GET`].
    pub op: u32,
    /// The client's.
    pub flags: u64,
    /// The client's.
    pub tiling_info: u64,
    /// Bytes of `data` that count.
    pub data_size_bytes: u32,
    /// The client's.
    pub data: [u32; 64],
    /// 0.
    pub pad: u32,
}

/// Argument of [`DRM_IOCTL_AMDGPU_GEM_VA`]. Newer kernels have fences behind these fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct GemVa {
    /// The buffer.
    pub handle: u32,
    /// 0.
    pub pad: u32,
    /// `VA_OP_*`.
    pub operation: u32,
    /// `VM_PAGE_*`.
    pub flags: u32,
    /// Device address.
    pub va_address: u64,
    /// First byte of the buffer.
    pub offset_in_bo: u64,
    /// Bytes.
    pub map_size: u64,
}

/// Argument of [`DRM_IOCTL_AMDGPU_GEM_OP`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct GemOp {
    /// The buffer.
    pub handle: u32,
    /// [`GEM_OP_GET_CREATE_INFO`] or another.
    pub op: u32,
    /// Address or value.
    pub value: u64,
}

/// Answer to [`GEM_OP_GET_CREATE_INFO`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct GemCreateInfo {
    /// Bytes.
    pub bo_size: u64,
    /// Alignment of its address.
    pub alignment: u64,
    /// `GEM_DOMAIN_*`.
    pub domains: u64,
    /// How it was made.
    pub domain_flags: u64,
}

// Words that libdrm was seen to send.
const _: () = {
    assert!(DRM_IOCTL_GET_CLIENT == 0xc028_6405);
    assert!(DRM_IOCTL_GEM_CLOSE == 0x4008_6409);
    assert!(DRM_IOCTL_PRIME_HANDLE_TO_FD == 0xc00c_642d);
    assert!(DRM_IOCTL_PRIME_FD_TO_HANDLE == 0xc00c_642e);
    assert!(DRM_IOCTL_AMDGPU_GEM_MMAP == 0xc008_6441);
    assert!(size_of::<GemMetadata>() == 288);
    assert!(offset_of!(GemMetadata, data_size_bytes) == 24);
    assert!(size_of::<GemVa>() == 40);
    assert!(size_of::<GemCreateInfo>() == 32);
};

/// Number of [`DRM_IOCTL_SYNCOBJ_CREATE`].
pub const NUMBER_SYNCOBJ_CREATE: u32 = 0xbf;
/// Number of [`DRM_IOCTL_SYNCOBJ_DESTROY`].
pub const NUMBER_SYNCOBJ_DESTROY: u32 = 0xc0;
/// Number of [`DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT`].
pub const NUMBER_SYNCOBJ_TIMELINE_WAIT: u32 = 0xca;
/// Makes an object that fences are put into; argument [`SyncobjHandle`].
pub const DRM_IOCTL_SYNCOBJ_CREATE: u32 =
    request(3, NUMBER_SYNCOBJ_CREATE, size_of::<SyncobjHandle>());
/// Ends it; argument [`SyncobjHandle`].
pub const DRM_IOCTL_SYNCOBJ_DESTROY: u32 =
    request(3, NUMBER_SYNCOBJ_DESTROY, size_of::<SyncobjHandle>());
/// Waits for points of such objects; argument [`SyncobjTimelineWait`].
pub const DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT: u32 = request(
    3,
    NUMBER_SYNCOBJ_TIMELINE_WAIT,
    size_of::<SyncobjTimelineWait>(),
);
/// [`Capability::capability`]: there are such objects.
pub const CAP_SYNCOBJ: u64 = 0x13;
/// [`Capability::capability`]: they have points.
pub const CAP_SYNCOBJ_TIMELINE: u64 = 0x14;

/// Argument of [`DRM_IOCTL_SYNCOBJ_CREATE`] and [`DRM_IOCTL_SYNCOBJ_DESTROY`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct SyncobjHandle {
    /// The object, out or in.
    pub handle: u32,
    /// How it is made; 0 at its end.
    pub flags: u32,
}

/// Argument of [`DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT`]. Newer kernels have a deadline behind these fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct SyncobjTimelineWait {
    /// Address of handles, u32 each.
    pub handles: u64,
    /// Address of points, u64 each.
    pub points: u64,
    /// End of the wait by CLOCK_MONOTONIC.
    pub timeout_nsec: i64,
    /// Handles.
    pub count_handles: u32,
    /// All or any, and others.
    pub flags: u32,
    /// Out: the first one that was met.
    pub first_signaled: u32,
    /// 0.
    pub pad: u32,
}

const _: () = {
    assert!(DRM_IOCTL_SYNCOBJ_CREATE == 0xc008_64bf);
    assert!(DRM_IOCTL_SYNCOBJ_DESTROY == 0xc008_64c0);
    assert!(size_of::<SyncobjTimelineWait>() == 40);
};
