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
