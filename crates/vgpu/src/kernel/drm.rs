//! The render node: what a client asks of it besides mappings.

use hrx_abi::drm::{self, AmdgpuInfo, DeviceInfo, HeapInfo, MemoryInfo, Version};

use super::topology::{self, COMPUTE_UNITS};
use super::{Kernel, user};
use crate::Errno;

/// GC 11.5.
const FAMILY: u32 = 150;
/// First external revision of this chip within its family.
const EXTERNAL_REVISION: u32 = 0xc1;
const VERSION: [i32; 3] = [3, 64, 0];
const NAME: &str = "amdgpu";
const DATE: &str = "0";
const DESCRIPTION: &str = "AMD GPU";

/// Answers a request that `/dev/dri/renderD*` was sent.
pub(super) fn ioctl(kernel: &Kernel, number: u32, argument: &mut [u8]) -> Result<(), Errno> {
    match number {
        drm::NUMBER_VERSION => super::ioctl::with(argument, version),
        drm::NUMBER_AMDGPU_INFO => super::ioctl::with(argument, |argument| info(kernel, argument)),
        _ => Err(Errno::INVAL),
    }
}

fn version(argument: &mut Version) -> Result<(), Errno> {
    [
        argument.version_major,
        argument.version_minor,
        argument.version_patchlevel,
    ] = VERSION;
    text(NAME, argument.name, &mut argument.name_len)?;
    text(DATE, argument.date, &mut argument.date_len)?;
    text(DESCRIPTION, argument.desc, &mut argument.desc_len)
}

/// Writes as much of `text` as there is room for, and says how long it is.
fn text(text: &str, address: u64, len: &mut u64) -> Result<(), Errno> {
    let room = usize::try_from(*len).unwrap_or(usize::MAX).min(text.len());
    *len = text.len() as u64;
    if address == 0 {
        Ok(())
    } else {
        user::write(address, &text.as_bytes()[..room])
    }
}

fn info(kernel: &Kernel, argument: &AmdgpuInfo) -> Result<(), Errno> {
    let answer = |bytes: &[u8]| {
        let room = (argument.return_size as usize).min(bytes.len());
        user::write(argument.return_pointer, &bytes[..room])
    };
    if argument.return_size == 0 || argument.return_pointer == 0 {
        return Err(Errno::INVAL);
    }
    match argument.query {
        drm::INFO_ACCEL_WORKING => answer(&1u32.to_le_bytes()),
        drm::INFO_HW_IP_COUNT => answer(&0u32.to_le_bytes()),
        drm::INFO_READ_MMR_REG => {
            // The kernel refuses more than 128 registers at once; those that clients read are 0 here.
            let count = argument.argument[1];
            if count > 128 {
                return Err(Errno::INVAL);
            }
            answer(&vec![0; count as usize * 4])
        }
        drm::INFO_DEV_INFO => answer(bytemuck::bytes_of(&device_info())),
        drm::INFO_MEMORY => answer(bytemuck::bytes_of(&memory_info(kernel))),
        _ => Err(Errno::INVAL),
    }
}

fn device_info() -> DeviceInfo {
    let mut cus = [[0; 4]; 4];
    for engine in &mut cus[..2] {
        // Ten compute units in each of two arrays.
        engine[..2].fill(0x3ff);
    }
    DeviceInfo {
        device_id: topology::DEVICE_ID,
        external_rev: EXTERNAL_REVISION,
        pci_rev: topology::PCI_REVISION,
        family: FAMILY,
        num_shader_engines: 2,
        num_shader_arrays_per_engine: 2,
        gpu_counter_freq: 100_000,
        max_engine_clock: u64::from(topology::SHADER_MHZ) * 1000,
        max_memory_clock: u64::from(topology::MEMORY_MHZ) * 1000,
        cu_active_number: COMPUTE_UNITS,
        cu_bitmap: cus,
        num_hw_gfx_contexts: 8,
        ids_flags: drm::IDS_FLAGS_FUSION,
        virtual_address_offset: 0x20_0000,
        virtual_address_max: 1 << 47,
        virtual_address_alignment: 4096,
        pte_fragment_size: 9,
        gart_page_size: 4096,
        vram_bit_width: 256,
        wave_front_size: 32,
        num_shader_visible_vgprs: 256,
        num_cu_per_sh: 10,
        tcp_cache_size: 32,
        num_sqc_per_wgp: 1,
        sqc_data_cache_size: 16,
        sqc_inst_cache_size: 32,
        gl1c_cache_size: 256,
        gl2c_cache_size: 2048,
        mall_size: 32 << 20,
        ..DeviceInfo::default()
    }
}

fn memory_info(kernel: &Kernel) -> MemoryInfo {
    let total = kernel.device.memory.total();
    let used = total - kernel.device.memory.available();
    // The same DRAM under both names, as on an APU with a small carve-out.
    let heap = HeapInfo {
        total_heap_size: total,
        usable_heap_size: total,
        heap_usage: used,
        max_allocation: total / 4 * 3,
    };
    MemoryInfo {
        vram: heap,
        cpu_accessible_vram: heap,
        gtt: heap,
    }
}
