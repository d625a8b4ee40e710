//! The render node: what a client asks of it besides mappings.

use hrx_abi::drm::{
    self, AmdgpuInfo, Capability, Client, DeviceInfo, GemClose, GemCreateInfo, GemMetadata,
    GemMmap, GemOp, GemVa, HeapInfo, MemoryInfo, PrimeHandle, SyncobjHandle, SyncobjTimelineWait,
    Version,
};
use hrx_abi::kfd;

use super::ioctl::with;
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

type Handler = fn(&Kernel, &mut [u8]) -> Result<(), Errno>;

/// Rows: request and function. The argument's type follows from the function.
macro_rules! rows {
    ($($request:ident => $function:ident,)*) => {
        &[$((
            drm::$request,
            stringify!($request),
            |kernel, argument| with(argument, |argument| $function(kernel, argument)),
        ),)*]
    };
}

/// Every request that the node knows.
const ROWS: &[(u32, &str, Handler)] = rows! {
    DRM_IOCTL_VERSION => version,
    DRM_IOCTL_GET_CLIENT => get_client,
    DRM_IOCTL_GET_CAP => get_cap,
    DRM_IOCTL_AMDGPU_INFO => info,
    DRM_IOCTL_PRIME_HANDLE_TO_FD => prime_handle_to_fd,
    DRM_IOCTL_PRIME_FD_TO_HANDLE => prime_fd_to_handle,
    DRM_IOCTL_GEM_CLOSE => gem_close,
    DRM_IOCTL_AMDGPU_GEM_MMAP => gem_mmap,
    DRM_IOCTL_AMDGPU_GEM_METADATA => gem_metadata,
    DRM_IOCTL_AMDGPU_GEM_VA => gem_va,
    DRM_IOCTL_AMDGPU_GEM_OP => gem_op,
    DRM_IOCTL_SYNCOBJ_CREATE => syncobj_create,
    DRM_IOCTL_SYNCOBJ_DESTROY => syncobj_destroy,
    DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT => syncobj_timeline_wait,
};

fn row(number: u32) -> Option<&'static (u32, &'static str, Handler)> {
    ROWS.iter()
        .find(|(request, ..)| kfd::number(*request) == number)
}

/// The whole request with a number, if the node knows it.
pub(super) fn known(number: u32) -> Option<u32> {
    row(number).map(|(request, ..)| *request)
}

/// Answers a request that `/dev/dri/renderD*` was sent.
pub(super) fn ioctl(kernel: &Kernel, number: u32, argument: &mut [u8]) -> Result<(), Errno> {
    let (_, name, handler) = row(number).ok_or(Errno::INVAL)?;
    let result = handler(kernel, argument);
    match result {
        Ok(()) => tracing::trace!("{name}"),
        Err(error) => tracing::debug!("{name}: {error}"),
    }
    result
}

fn version(_: &Kernel, argument: &mut Version) -> Result<(), Errno> {
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

fn info(kernel: &Kernel, argument: &mut AmdgpuInfo) -> Result<(), Errno> {
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

/// The node has one client that it tells of: whoever asks.
fn get_client(_: &Kernel, argument: &mut Client) -> Result<(), Errno> {
    if argument.idx != 0 {
        return Err(Errno::INVAL);
    }
    argument.auth = 1;
    argument.pid = std::process::id().into();
    Ok(())
}

fn get_cap(_: &Kernel, argument: &mut Capability) -> Result<(), Errno> {
    argument.value = match argument.capability {
        drm::CAP_PRIME => 3,
        drm::CAP_SYNCOBJ | drm::CAP_SYNCOBJ_TIMELINE => 1,
        _ => 0,
    };
    Ok(())
}

fn prime_handle_to_fd(kernel: &Kernel, argument: &mut PrimeHandle) -> Result<(), Errno> {
    let memory = &kernel.device.memory;
    argument.fd = memory.export_buffer(argument.handle, argument.flags)?;
    Ok(())
}

fn prime_fd_to_handle(kernel: &Kernel, argument: &mut PrimeHandle) -> Result<(), Errno> {
    argument.handle = kernel.device.memory.open_dmabuf(argument.fd)?;
    Ok(())
}

fn gem_close(kernel: &Kernel, argument: &mut GemClose) -> Result<(), Errno> {
    kernel.device.memory.close_buffer(argument.handle)
}

fn gem_mmap(kernel: &Kernel, argument: &mut GemMmap) -> Result<(), Errno> {
    let handle = argument.handle_or_offset & u64::from(u32::MAX);
    let handle = u32::try_from(handle).map_err(|_| Errno::INVAL)?;
    argument.handle_or_offset = kernel.device.memory.buffer_offset(handle)?;
    Ok(())
}

/// Words of graphics clients; compute ones only read them, and find none.
fn gem_metadata(kernel: &Kernel, argument: &mut GemMetadata) -> Result<(), Errno> {
    kernel.device.memory.buffer_info(argument.handle)?;
    if argument.op == drm::GEM_METADATA_OP_GET {
        argument.flags = 0;
        argument.tiling_info = 0;
        argument.data_size_bytes = 0;
    }
    Ok(())
}

fn gem_va(kernel: &Kernel, argument: &mut GemVa) -> Result<(), Errno> {
    kernel.device.memory.map_buffer(argument)
}

fn gem_op(kernel: &Kernel, argument: &mut GemOp) -> Result<(), Errno> {
    let (bytes, flags) = kernel.device.memory.buffer_info(argument.handle)?;
    if argument.op != drm::GEM_OP_GET_CREATE_INFO {
        return Err(Errno::INVAL);
    }
    let domains = if flags & kfd::ALLOC_VRAM != 0 {
        drm::GEM_DOMAIN_VRAM
    } else {
        drm::GEM_DOMAIN_GTT
    };
    let answer = GemCreateInfo {
        bo_size: bytes,
        alignment: 4096,
        domains,
        domain_flags: 0,
    };
    user::write(argument.value, &[answer])
}

fn syncobj_create(kernel: &Kernel, argument: &mut SyncobjHandle) -> Result<(), Errno> {
    let used = &mut kernel.process.lock().syncobjs;
    let handle = (1..u32::MAX).find(|handle| !used.contains(handle));
    argument.handle = handle.ok_or(Errno::NOMEM)?;
    used.insert(argument.handle);
    Ok(())
}

fn syncobj_destroy(kernel: &Kernel, argument: &mut SyncobjHandle) -> Result<(), Errno> {
    if kernel.process.lock().syncobjs.remove(&argument.handle) {
        Ok(())
    } else {
        Err(Errno::INVAL)
    }
}

/// What puts a fence into an object here, a mapping, is done when its call returns. So every point has been
/// passed.
fn syncobj_timeline_wait(kernel: &Kernel, argument: &mut SyncobjTimelineWait) -> Result<(), Errno> {
    let handles = user::read_array::<u32>(argument.handles, argument.count_handles)?;
    let known = &kernel.process.lock().syncobjs;
    if handles.is_empty() {
        return Err(Errno::INVAL);
    }
    if handles.iter().any(|handle| !known.contains(handle)) {
        return Err(Errno::NOENT);
    }
    argument.first_signaled = 0;
    Ok(())
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
