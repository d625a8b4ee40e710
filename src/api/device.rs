//! Devices: how many, which, and what they can do.

#![expect(
    non_upper_case_globals,
    reason = "patterns of constants that have the names of the C headers"
)]

use std::{
    ffi::{CStr, c_char, c_void},
    ptr,
};

use hrx_hal::DeviceProperties;
use hrx_runtime::{
    context::current_device,
    device::LANES,
    kernel::{MAX_GROUP_ITEMS, MAX_GROUP_LDS_BYTES},
};

use super::context::context;
use crate::{
    convert::{Out, OutBuf},
    error::{HipError, HipResult},
    shim,
    sys::*,
};

/// HIP 7.2, patch level as in AMD's build: major * 10 000 000 + minor * 100 000 + patch.
const VERSION: i32 = 70_253_211;

/// > Returns the approximate HIP Runtime version.
pub(crate) fn runtime_version(mut out: Out<'_, i32>) -> HipResult {
    out.set(VERSION);
    Ok(())
}

/// How many devices there are.
///
/// > None: 0, and `hipErrorNoDevice`.
pub(crate) fn count(mut out: Out<'_, i32>) -> HipResult {
    match context() {
        Ok(context) => {
            out.set(int(context.devices().len()));
            Ok(())
        }
        Err(error) => {
            out.set(0);
            Err(error)
        }
    }
}

/// The calling thread's device.
pub(crate) fn current(mut out: Out<'_, i32>) -> HipResult {
    // Without a device there is no current one either, but the context need not be looked at twice.
    if current_device() == 0 {
        context()?;
    }
    out.set(int(current_device()));
    Ok(())
}

/// Makes a device the calling thread's.
pub(crate) fn set_current(device: i32) -> HipResult {
    Ok(context()?.set_device(device.into())?)
}

/// The handle of a device, which is its number.
pub(crate) fn get(mut out: Out<'_, hipDevice_t>, ordinal: i32) -> HipResult {
    context()?.device(ordinal.into())?;
    out.set(ordinal);
    Ok(())
}

/// Waits until all work of the current device is done.
pub(crate) fn synchronize() -> HipResult {
    let context = context()?;
    Ok(context.current_device()?.synchronize()?)
}

/// The name of a device, cut to the buffer.
pub(crate) fn name(out: OutBuf<'_, u8>, len: i32, device: hipDevice_t) -> HipResult {
    let context = context()?;
    let properties = context.device(device.into())?.properties();
    let len = usize::try_from(len).map_err(|_| HipError::INVALID_VALUE)?;
    out.write_text(len, &properties.marketing_name)
}

/// The PCI address of a device as text.
pub(crate) fn pci_bus_id(out: OutBuf<'_, u8>, len: i32, device: i32) -> HipResult {
    let context = context()?;
    let properties = context.device(device.into())?.properties();
    let len = usize::try_from(len).map_err(|_| HipError::INVALID_VALUE)?;
    let address = properties.pci.to_string();
    // > A buffer that does not hold it all: hipErrorInvalidValue.
    if len <= address.len() {
        return Err(HipError::INVALID_VALUE);
    }
    out.write_text(len, &address)
}

/// The device at a PCI address.
///
/// > None there: `hipErrorInvalidValue`.
pub(crate) fn by_pci_bus_id(mut out: Out<'_, i32>, address: &CStr) -> HipResult {
    let wanted = address.to_str().map_err(|_| HipError::INVALID_VALUE)?;
    let context = context()?;
    let found = context.devices().iter().find(|device| {
        let pci = device.properties().pci;
        let full = pci.to_string();
        // Domain and function may be left out.
        [
            full.as_str(),
            &full[5..],
            &full[..full.len() - 2],
            &full[5..full.len() - 2],
        ]
        .iter()
        .any(|text| text.eq_ignore_ascii_case(wanted))
    });
    out.set(int(found.ok_or(HipError::INVALID_VALUE)?.ordinal()));
    Ok(())
}

/// The UUID of a device: its unique id in 16 hexadecimal digits.
pub(crate) fn uuid(mut out: Out<'_, hipUUID>, device: hipDevice_t) -> HipResult {
    let context = context()?;
    out.set(hip_uuid(context.device(device.into())?.properties()));
    Ok(())
}

/// Memory of a device, bytes.
pub(crate) fn total_memory(mut out: Out<'_, usize>, device: hipDevice_t) -> HipResult {
    let context = context()?;
    out.set(size(
        context.device(device.into())?.properties().memory_bytes,
    ));
    Ok(())
}

/// Generation of a device: 11 and 5.
pub(crate) fn compute_capability(
    mut major: Out<'_, i32>,
    mut minor: Out<'_, i32>,
    device: hipDevice_t,
) -> HipResult {
    let context = context()?;
    let (found_major, found_minor) = generation(context.device(device.into())?.properties());
    major.set(found_major);
    minor.set(found_minor);
    Ok(())
}

/// All properties of a device.
pub(crate) fn properties(mut out: Out<'_, hipDeviceProp_tR0600>, device: i32) -> HipResult {
    let context = context()?;
    out.set(hip_properties(context.device(device.into())?.properties()));
    Ok(())
}

/// All properties of a device, in the layout of HIP 5.
pub(crate) fn properties_r0000(mut out: Out<'_, hipDeviceProp_tR0000>, device: i32) -> HipResult {
    let context = context()?;
    out.set(hip_properties_r0000(
        context.device(device.into())?.properties(),
    ));
    Ok(())
}

/// The number of the device that fits a wish best: 0, where there is one device.
pub(crate) fn choose(mut out: Out<'_, i32>, _: &hipDeviceProp_tR0600) -> HipResult {
    context()?;
    // With one device, or several that are alike, a wish that nobody meets gives the first one, too.
    out.set(0);
    Ok(())
}

/// As [`choose`], for a wish in the layout of HIP 5.
pub(crate) fn choose_r0000(mut out: Out<'_, i32>, _: &hipDeviceProp_tR0000) -> HipResult {
    context()?;
    out.set(0);
    Ok(())
}

/// The first version of HIP whose plain names mean the layout R0600.
const FIRST_R0600: i32 = 600;

/// The address of an export by name, as a program compiled for a version of HIP would link it. The flags
/// may ask for the form that uses per-thread default streams.
///
/// > No such export: `hipErrorInvalidValue`, and the status says so.
pub(crate) fn proc_address(
    name: &CStr,
    mut out: Out<'_, *mut c_void>,
    version: i32,
    flags: u64,
    status: Option<Out<'_, hipDriverProcAddressQueryResult>>,
) -> HipResult {
    let name = name.to_str().ok().filter(|name| !name.is_empty());
    let name = name.ok_or(HipError::INVALID_VALUE)?;
    let known = [
        hipEnableDefault,
        hipEnableLegacyStream,
        hipEnablePerThreadDefaultStream,
    ];
    if !known.iter().any(|flag| u64::from(*flag) == flags) {
        return Err(HipError::INVALID_VALUE);
    }
    let plain = match name {
        "hipGetDeviceProperties" if version >= FIRST_R0600 => "hipGetDevicePropertiesR0600",
        "hipChooseDevice" if version >= FIRST_R0600 => "hipChooseDeviceR0600",
        other => other,
    };
    let per_thread = (flags == u64::from(hipEnablePerThreadDefaultStream))
        .then(|| shim::address_of(&format!("{plain}_spt")))
        .flatten();
    let found = per_thread.or_else(|| shim::address_of(plain));
    out.set(found.map_or(ptr::null_mut(), <*const c_void>::cast_mut));
    if let Some(mut status) = status {
        status.set(match found {
            Some(_) => HIP_GET_PROC_ADDRESS_SUCCESS,
            None => HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND,
        });
    }
    found.map(|_| ()).ok_or(HipError::INVALID_VALUE)
}

/// One property of a device.
///
/// > One that there is not: `hipErrorInvalidValue`.
pub(crate) fn attribute(
    mut out: Out<'_, i32>,
    attribute: hipDeviceAttribute_t,
    device: i32,
) -> HipResult {
    let context = context()?;
    let properties = context.device(device.into())?.properties();
    out.set(hip_attribute(attribute, properties).ok_or(HipError::INVALID_VALUE)?);
    Ok(())
}

// ---- What the numbers are -----------------------------------------------------------------------

/// Groups in x that a grid may have; in y and z it is 65 535.
const MAX_GRID_X: i32 = i32::MAX;
const MAX_GRID_YZ: i32 = 65_535;
/// Work-items that a work-group processor holds: 64 waves of 32.
const THREADS_PER_PROCESSOR: i32 = 2048;
/// Registers of a work-group processor: four SIMDs with 1536 vector registers of 32 lanes.
const REGISTERS_PER_PROCESSOR: i32 = 4 * 1536 * 32;
/// Sizes of images, from the chip's descriptor fields.
const IMAGE_WIDTH: i32 = 16_384;
const IMAGE_DEPTH: i32 = 8192;
/// Alignment of images and of their rows, bytes.
const IMAGE_ALIGNMENT: usize = 256;
/// The architectural features: all but funnel shift (11), extended synchronisation (13), surfaces (14)
/// and dynamic parallelism (16).
const FEATURES: hipDeviceArch_t = hipDeviceArch_t(0b0_1001_0111_1111_1111);

/// As a C `int`; what does not fit is as large as it can be.
fn int(value: impl TryInto<i32>) -> i32 {
    value.try_into().unwrap_or(i32::MAX)
}

fn size(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// Puts text into a field with room for it and a zero byte; it is cut if it must be.
fn text<const N: usize>(value: &str) -> [c_char; N] {
    let mut field = [0; N];
    for (to, from) in field[..N - 1].iter_mut().zip(value.bytes()) {
        *to = c_char::from_ne_bytes([from]);
    }
    field
}

fn hip_uuid(device: &DeviceProperties) -> hipUUID {
    let digits = format!("{:016x}", device.uuid);
    let mut bytes = [0; 16];
    for (to, from) in bytes.iter_mut().zip(digits.bytes()) {
        *to = c_char::from_ne_bytes([from]);
    }
    hipUUID { bytes }
}

/// `gfx1151` is 11.5.
fn generation(device: &DeviceProperties) -> (i32, i32) {
    let digits = device.name.strip_prefix("gfx").unwrap_or_default();
    let split = digits.len().saturating_sub(2);
    let part = |text: Option<&str>| text.and_then(|text| text.parse().ok()).unwrap_or(0);
    (
        part(digits.get(..split)),
        part(digits.get(split..split + 1)),
    )
}

fn hip_properties(device: &DeviceProperties) -> hipDeviceProp_tR0600 {
    let (major, minor) = generation(device);
    let lds_bytes = MAX_GROUP_LDS_BYTES as usize;
    hipDeviceProp_tR0600 {
        name: text(&device.marketing_name),
        uuid: hip_uuid(device),
        totalGlobalMem: size(device.memory_bytes),
        sharedMemPerBlock: lds_bytes,
        regsPerBlock: REGISTERS_PER_PROCESSOR,
        warpSize: int(device.wave_size),
        memPitch: i32::MAX as usize,
        maxThreadsPerBlock: int(MAX_GROUP_ITEMS),
        maxThreadsDim: [int(MAX_GROUP_ITEMS); 3],
        maxGridSize: [MAX_GRID_X, MAX_GRID_YZ, MAX_GRID_YZ],
        clockRate: int(device.shader_clock_khz),
        totalConstMem: i32::MAX as usize,
        major,
        minor,
        textureAlignment: IMAGE_ALIGNMENT,
        texturePitchAlignment: IMAGE_ALIGNMENT,
        deviceOverlap: 1,
        // A HIP multiprocessor is a work-group processor, two compute units.
        multiProcessorCount: int(device.compute_units / 2),
        integrated: i32::from(device.is_apu),
        canMapHostMemory: 1,
        maxTexture1D: IMAGE_WIDTH,
        maxTexture1DMipmap: IMAGE_WIDTH,
        maxTexture1DLinear: i32::MAX,
        maxTexture2D: [IMAGE_WIDTH; 2],
        maxTexture2DLinear: [IMAGE_WIDTH, IMAGE_WIDTH, 16 * IMAGE_WIDTH],
        maxTexture3D: [IMAGE_WIDTH, IMAGE_WIDTH, IMAGE_DEPTH],
        maxTexture1DLayered: [IMAGE_WIDTH, IMAGE_DEPTH],
        maxTexture2DLayered: [IMAGE_WIDTH, IMAGE_WIDTH, IMAGE_DEPTH],
        maxSurface1D: IMAGE_WIDTH,
        maxSurface2D: [IMAGE_WIDTH; 2],
        maxSurface3D: [IMAGE_WIDTH, IMAGE_WIDTH, IMAGE_DEPTH],
        maxSurface1DLayered: [IMAGE_WIDTH, IMAGE_DEPTH],
        maxSurface2DLayered: [IMAGE_WIDTH, IMAGE_WIDTH, IMAGE_DEPTH],
        surfaceAlignment: IMAGE_ALIGNMENT,
        concurrentKernels: 1,
        pciBusID: device.pci.bus.into(),
        pciDeviceID: device.pci.device.into(),
        pciDomainID: int(device.pci.domain),
        asyncEngineCount: int(LANES),
        unifiedAddressing: 1,
        memoryClockRate: int(device.memory_clock_khz),
        memoryBusWidth: int(device.memory_bus_bits),
        l2CacheSize: int(device.l2_cache_bytes),
        persistingL2CacheMaxSize: int(device.l2_cache_bytes),
        maxThreadsPerMultiProcessor: THREADS_PER_PROCESSOR,
        streamPrioritiesSupported: 1,
        globalL1CacheSupported: 1,
        localL1CacheSupported: 1,
        sharedMemPerMultiprocessor: lds_bytes,
        regsPerMultiprocessor: REGISTERS_PER_PROCESSOR,
        managedMemory: 1,
        multiGpuBoardGroupID: device.pci.device.into(),
        // The chip has atomics to host memory: it is the same memory.
        hostNativeAtomicSupported: i32::from(device.is_apu),
        concurrentManagedAccess: 1,
        canUseHostPointerForRegisteredMem: 1,
        sharedMemPerBlockOptin: lds_bytes,
        directManagedMemAccessFromHost: 1,
        maxBlocksPerMultiProcessor: THREADS_PER_PROCESSOR / int(device.wave_size.max(1)),
        hostRegisterSupported: 1,
        gcnArchName: text(&device.name),
        maxSharedMemoryPerMultiProcessor: lds_bytes,
        clockInstructionRate: int(device.tick_hz / 1000),
        arch: FEATURES,
        isLargeBar: 1,
        asicRevision: int(device.revision),
        // Nothing of it: ECC, caches that are pinned, cubemaps, gather, RDMA, pools, peers.
        ..CType::zeroed()
    }
}

fn hip_properties_r0000(device: &DeviceProperties) -> hipDeviceProp_tR0000 {
    let new = hip_properties(device);
    let stepping = device
        .name
        .chars()
        .last()
        .and_then(|digit| digit.to_digit(16))
        .unwrap_or(0);
    hipDeviceProp_tR0000 {
        name: new.name,
        totalGlobalMem: new.totalGlobalMem,
        sharedMemPerBlock: new.sharedMemPerBlock,
        regsPerBlock: new.regsPerBlock,
        warpSize: new.warpSize,
        maxThreadsPerBlock: new.maxThreadsPerBlock,
        maxThreadsDim: new.maxThreadsDim,
        maxGridSize: new.maxGridSize,
        clockRate: new.clockRate,
        memoryClockRate: new.memoryClockRate,
        memoryBusWidth: new.memoryBusWidth,
        totalConstMem: new.totalConstMem,
        major: new.major,
        minor: new.minor,
        multiProcessorCount: new.multiProcessorCount,
        l2CacheSize: new.l2CacheSize,
        maxThreadsPerMultiProcessor: new.maxThreadsPerMultiProcessor,
        computeMode: new.computeMode,
        clockInstructionRate: new.clockInstructionRate,
        arch: new.arch,
        concurrentKernels: new.concurrentKernels,
        pciDomainID: new.pciDomainID,
        pciBusID: new.pciBusID,
        pciDeviceID: new.pciDeviceID,
        maxSharedMemoryPerMultiProcessor: new.maxSharedMemoryPerMultiProcessor,
        canMapHostMemory: new.canMapHostMemory,
        // A decimal number of the digits: 1151.
        gcnArch: new.major * 100 + new.minor * 10 + int(stepping),
        gcnArchName: new.gcnArchName,
        integrated: new.integrated,
        maxTexture1DLinear: new.maxTexture1DLinear,
        maxTexture1D: new.maxTexture1D,
        maxTexture2D: new.maxTexture2D,
        maxTexture3D: new.maxTexture3D,
        memPitch: new.memPitch,
        textureAlignment: new.textureAlignment,
        texturePitchAlignment: new.texturePitchAlignment,
        isLargeBar: new.isLargeBar,
        asicRevision: new.asicRevision,
        managedMemory: new.managedMemory,
        directManagedMemAccessFromHost: new.directManagedMemAccessFromHost,
        concurrentManagedAccess: new.concurrentManagedAccess,
        ..CType::zeroed()
    }
}

/// An attribute; `None` for a number that is none, and for those that the headers keep as unused.
fn hip_attribute(attribute: hipDeviceAttribute_t, device: &DeviceProperties) -> Option<i32> {
    let all = hip_properties(device);
    Some(match attribute {
        hipDeviceAttributeEccEnabled => all.ECCEnabled,
        hipDeviceAttributeAccessPolicyMaxWindowSize => all.accessPolicyMaxWindowSize,
        hipDeviceAttributeAsyncEngineCount => all.asyncEngineCount,
        hipDeviceAttributeCanMapHostMemory => all.canMapHostMemory,
        hipDeviceAttributeCanUseHostPointerForRegisteredMem => {
            all.canUseHostPointerForRegisteredMem
        }
        hipDeviceAttributeClockRate => all.clockRate,
        hipDeviceAttributeComputeMode => all.computeMode,
        hipDeviceAttributeComputePreemptionSupported => all.computePreemptionSupported,
        hipDeviceAttributeConcurrentKernels => all.concurrentKernels,
        hipDeviceAttributeConcurrentManagedAccess => all.concurrentManagedAccess,
        hipDeviceAttributeCooperativeLaunch => all.cooperativeLaunch,
        hipDeviceAttributeCooperativeMultiDeviceLaunch => all.cooperativeMultiDeviceLaunch,
        hipDeviceAttributeDeviceOverlap => all.deviceOverlap,
        hipDeviceAttributeDirectManagedMemAccessFromHost => all.directManagedMemAccessFromHost,
        hipDeviceAttributeGlobalL1CacheSupported => all.globalL1CacheSupported,
        hipDeviceAttributeHostNativeAtomicSupported => all.hostNativeAtomicSupported,
        hipDeviceAttributeIntegrated => all.integrated,
        hipDeviceAttributeIsMultiGpuBoard => all.isMultiGpuBoard,
        hipDeviceAttributeKernelExecTimeout => all.kernelExecTimeoutEnabled,
        hipDeviceAttributeL2CacheSize => all.l2CacheSize,
        hipDeviceAttributeLocalL1CacheSupported => all.localL1CacheSupported,
        hipDeviceAttributeLuidDeviceNodeMask => int(all.luidDeviceNodeMask),
        hipDeviceAttributeComputeCapabilityMajor => all.major,
        hipDeviceAttributeComputeCapabilityMinor => all.minor,
        hipDeviceAttributeManagedMemory => all.managedMemory,
        hipDeviceAttributeMaxBlocksPerMultiProcessor => all.maxBlocksPerMultiProcessor,
        hipDeviceAttributeMaxBlockDimX => all.maxThreadsDim[0],
        hipDeviceAttributeMaxBlockDimY => all.maxThreadsDim[1],
        hipDeviceAttributeMaxBlockDimZ => all.maxThreadsDim[2],
        hipDeviceAttributeMaxGridDimX => all.maxGridSize[0],
        hipDeviceAttributeMaxGridDimY => all.maxGridSize[1],
        hipDeviceAttributeMaxGridDimZ => all.maxGridSize[2],
        hipDeviceAttributeMaxSurface1D => all.maxSurface1D,
        hipDeviceAttributeMaxSurface1DLayered => all.maxSurface1DLayered[0],
        hipDeviceAttributeMaxSurface2D => all.maxSurface2D[0],
        hipDeviceAttributeMaxSurface2DLayered => all.maxSurface2DLayered[0],
        hipDeviceAttributeMaxSurface3D => all.maxSurface3D[0],
        hipDeviceAttributeMaxSurfaceCubemap => all.maxSurfaceCubemap,
        hipDeviceAttributeMaxSurfaceCubemapLayered => all.maxSurfaceCubemapLayered[0],
        hipDeviceAttributeMaxTexture1DWidth => all.maxTexture1D,
        hipDeviceAttributeMaxTexture1DLayered => all.maxTexture1DLayered[0],
        hipDeviceAttributeMaxTexture1DLinear => all.maxTexture1DLinear,
        hipDeviceAttributeMaxTexture1DMipmap => all.maxTexture1DMipmap,
        hipDeviceAttributeMaxTexture2DWidth => all.maxTexture2D[0],
        hipDeviceAttributeMaxTexture2DHeight => all.maxTexture2D[1],
        hipDeviceAttributeMaxTexture2DGather => all.maxTexture2DGather[0],
        hipDeviceAttributeMaxTexture2DLayered => all.maxTexture2DLayered[0],
        hipDeviceAttributeMaxTexture2DLinear => all.maxTexture2DLinear[0],
        hipDeviceAttributeMaxTexture2DMipmap => all.maxTexture2DMipmap[0],
        hipDeviceAttributeMaxTexture3DWidth => all.maxTexture3D[0],
        hipDeviceAttributeMaxTexture3DHeight => all.maxTexture3D[1],
        hipDeviceAttributeMaxTexture3DDepth => all.maxTexture3D[2],
        hipDeviceAttributeMaxTexture3DAlt => all.maxTexture3DAlt[0],
        hipDeviceAttributeMaxTextureCubemap => all.maxTextureCubemap,
        hipDeviceAttributeMaxTextureCubemapLayered => all.maxTextureCubemapLayered[0],
        hipDeviceAttributeMaxThreadsDim => all.maxThreadsDim[0],
        hipDeviceAttributeMaxThreadsPerBlock => all.maxThreadsPerBlock,
        hipDeviceAttributeMaxThreadsPerMultiProcessor => all.maxThreadsPerMultiProcessor,
        hipDeviceAttributeMaxPitch => int(all.memPitch),
        hipDeviceAttributeMemoryBusWidth => all.memoryBusWidth,
        hipDeviceAttributeMemoryClockRate => all.memoryClockRate,
        hipDeviceAttributeMultiGpuBoardGroupID => all.multiGpuBoardGroupID,
        hipDeviceAttributeMultiprocessorCount => all.multiProcessorCount,
        hipDeviceAttributePageableMemoryAccess => all.pageableMemoryAccess,
        hipDeviceAttributePageableMemoryAccessUsesHostPageTables => {
            all.pageableMemoryAccessUsesHostPageTables
        }
        hipDeviceAttributePciBusId => all.pciBusID,
        hipDeviceAttributePciDeviceId => all.pciDeviceID,
        hipDeviceAttributePciDomainId => all.pciDomainID,
        hipDeviceAttributePersistingL2CacheMaxSize => all.persistingL2CacheMaxSize,
        hipDeviceAttributeMaxRegistersPerBlock => all.regsPerBlock,
        hipDeviceAttributeMaxRegistersPerMultiprocessor => all.regsPerMultiprocessor,
        hipDeviceAttributeReservedSharedMemPerBlock => int(all.reservedSharedMemPerBlock),
        hipDeviceAttributeMaxSharedMemoryPerBlock => int(all.sharedMemPerBlock),
        hipDeviceAttributeSharedMemPerBlockOptin => int(all.sharedMemPerBlockOptin),
        hipDeviceAttributeSharedMemPerMultiprocessor => int(all.sharedMemPerMultiprocessor),
        hipDeviceAttributeSingleToDoublePrecisionPerfRatio => all.singleToDoublePrecisionPerfRatio,
        hipDeviceAttributeStreamPrioritiesSupported => all.streamPrioritiesSupported,
        hipDeviceAttributeSurfaceAlignment => int(all.surfaceAlignment),
        hipDeviceAttributeTccDriver => all.tccDriver,
        hipDeviceAttributeTextureAlignment => int(all.textureAlignment),
        hipDeviceAttributeTexturePitchAlignment => int(all.texturePitchAlignment),
        hipDeviceAttributeTotalConstantMemory => int(all.totalConstMem),
        hipDeviceAttributeTotalGlobalMem => int(all.totalGlobalMem),
        hipDeviceAttributeUnifiedAddressing => all.unifiedAddressing,
        hipDeviceAttributeWarpSize => all.warpSize,
        hipDeviceAttributeMemoryPoolsSupported => all.memoryPoolsSupported,
        hipDeviceAttributeVirtualMemoryManagementSupported => 0,
        hipDeviceAttributeHostRegisterSupported => all.hostRegisterSupported,
        hipDeviceAttributeMemoryPoolSupportedHandleTypes => int(all.memoryPoolSupportedHandleTypes),
        hipDeviceAttributeHostNumaId => 0,
        hipDeviceAttributeClockInstructionRate => all.clockInstructionRate,
        hipDeviceAttributeMaxSharedMemoryPerMultiprocessor => {
            int(all.maxSharedMemoryPerMultiProcessor)
        }
        hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc => {
            all.cooperativeMultiDeviceUnmatchedFunc
        }
        hipDeviceAttributeCooperativeMultiDeviceUnmatchedGridDim => {
            all.cooperativeMultiDeviceUnmatchedGridDim
        }
        hipDeviceAttributeCooperativeMultiDeviceUnmatchedBlockDim => {
            all.cooperativeMultiDeviceUnmatchedBlockDim
        }
        hipDeviceAttributeCooperativeMultiDeviceUnmatchedSharedMem => {
            all.cooperativeMultiDeviceUnmatchedSharedMem
        }
        hipDeviceAttributeIsLargeBar => all.isLargeBar,
        hipDeviceAttributeAsicRevision => all.asicRevision,
        hipDeviceAttributeCanUseStreamWaitValue => 0,
        hipDeviceAttributeImageSupport => 0,
        hipDeviceAttributePhysicalMultiProcessorCount => int(device.compute_units),
        hipDeviceAttributeFineGrainSupport => 1,
        hipDeviceAttributeWallClockRate => int(device.tick_hz / 1000),
        hipDeviceAttributeNumberOfXccs => 1,
        hipDeviceAttributeMaxAvailableVgprsPerThread => 256,
        hipDeviceAttributePciChipId => int(device.device_id),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strix_halo() -> DeviceProperties {
        DeviceProperties {
            name: "gfx1151".to_owned(),
            marketing_name: "AMD Radeon 8060S (virtual)".to_owned(),
            is_apu: true,
            compute_units: 40,
            wave_size: 32,
            tick_hz: 100_000_000,
            device_id: 0x1586,
            ..DeviceProperties::default()
        }
    }

    /// Figures of rocminfo and hipInfo for this chip: 20 multiprocessors, 11.5, waves of 32, 64 KiB of
    /// LDS, 1024 threads a block.
    #[test]
    fn properties_are_those_of_the_chip() {
        let found = hip_properties(&strix_halo());
        assert_eq!((found.major, found.minor), (11, 5));
        assert_eq!(found.multiProcessorCount, 20);
        assert_eq!((found.warpSize, found.maxThreadsPerBlock), (32, 1024));
        assert_eq!(found.sharedMemPerBlock, 65_536);
        assert_eq!(found.integrated, 1);
        let name: Vec<u8> = found
            .gcnArchName
            .iter()
            .map(|c| c.to_ne_bytes()[0])
            .take_while(|c| *c != 0)
            .collect();
        assert_eq!(name, b"gfx1151");
        assert_eq!(hip_properties_r0000(&strix_halo()).gcnArch, 1151);
    }

    #[test]
    fn every_attribute_of_the_header_has_a_value_but_for_the_unused_ones() {
        let missing: Vec<&str> = hipDeviceAttribute_t::CONSTANTS
            .iter()
            .filter(|(attribute, _)| hip_attribute(*attribute, &strix_halo()).is_none())
            .map(|(_, name)| *name)
            .collect();
        assert_eq!(
            missing,
            [
                // A pointer-sized value does not fit the out-parameter.
                "hipDeviceAttributeLuid",
                "hipDeviceAttributeUnused1",
                "hipDeviceAttributeUnused2",
                "hipDeviceAttributeCudaCompatibleEnd",
                "hipDeviceAttributeUnused3",
                "hipDeviceAttributeUnused4",
                "hipDeviceAttributeUnused5",
                "hipDeviceAttributeHdpMemFlushCntl",
                "hipDeviceAttributeHdpRegFlushCntl",
                "hipDeviceAttributeAmdSpecificEnd",
                "hipDeviceAttributeVendorSpecificBegin",
            ]
        );
    }

    #[test]
    fn long_names_are_cut_with_room_for_the_zero() {
        assert_eq!(text::<4>("abcdef").map(|c| c.to_ne_bytes()[0]), *b"abc\0");
    }
}
