//! Memory: allocating, registering, asking.

#![expect(
    non_upper_case_globals,
    reason = "patterns of constants that have the names of the C headers"
)]

use std::{ffi::c_void, ptr};

use hrx_runtime::{
    context::{Context, is_forked},
    memory::MemoryClass,
};

use super::context::context;
use crate::{
    convert::{Memory, Out},
    error::{HipError, HipResult},
    sys::*,
};

/// Allocates device memory.
///
/// > A size of 0 gives null and success.
pub(crate) fn malloc(out: Out<'_, *mut c_void>, size: usize) -> HipResult {
    allocate(out, size, MemoryClass::Device, 0)
}

/// Allocates device memory; the flags ask for properties that all memory here has.
pub(crate) fn ext_malloc(out: Out<'_, *mut c_void>, size: usize, flags: u32) -> HipResult {
    match flags {
        hipDeviceMallocDefault
        | hipDeviceMallocFinegrained
        | hipDeviceMallocUncached
        | hipDeviceMallocContiguous => allocate(out, size, MemoryClass::Device, flags),
        // Signal memory is one 64-bit word.
        hipMallocSignalMemory if size == 8 => allocate(out, size, MemoryClass::Device, flags),
        _ => Err(HipError::INVALID_VALUE),
    }
}

/// Allocates memory that host and device share, with one address.
///
/// > Flags other than global and host attachment: `hipErrorInvalidValue`; a size of 0 as well.
pub(crate) fn malloc_managed(out: Out<'_, *mut c_void>, size: usize, flags: u32) -> HipResult {
    if size == 0 || (flags != hipMemAttachGlobal && flags != hipMemAttachHost) {
        return Err(HipError::INVALID_VALUE);
    }
    allocate(out, size, MemoryClass::Managed, flags)
}

/// Allocates host memory that the device sees coherently.
///
/// > Unknown flags, or coherent and non-coherent together: `hipErrorInvalidValue`.
pub(crate) fn host_malloc(out: Out<'_, *mut c_void>, size: usize, flags: u32) -> HipResult {
    const KNOWN: u32 = hipHostMallocPortable
        | hipHostMallocMapped
        | hipHostMallocWriteCombined
        | hipHostMallocUncached
        | hipHostMallocNumaUser
        | hipHostMallocCoherent
        | hipHostMallocNonCoherent;
    const EITHER: u32 = hipHostMallocCoherent | hipHostMallocNonCoherent;
    if flags & !KNOWN != 0 || flags & EITHER == EITHER {
        return Err(HipError::INVALID_VALUE);
    }
    allocate(out, size, MemoryClass::Host, flags)
}

/// As [`host_malloc`], without flags.
pub(crate) fn host_malloc_default(out: Out<'_, *mut c_void>, size: usize) -> HipResult {
    host_malloc(out, size, hipHostMallocDefault)
}

fn allocate(
    mut out: Out<'_, *mut c_void>,
    size: usize,
    class: MemoryClass,
    flags: u32,
) -> HipResult {
    let context = context()?;
    let address = match size {
        0 => 0,
        _ => context
            .memory()
            .allocate(context.current_device()?, size, class, flags)?,
    };
    out.set(ptr::with_exposed_provenance_mut(address));
    Ok(())
}

/// Rows of pitched memory begin at multiples of this, bytes.
const PITCH_ALIGNMENT: usize = 256;

/// Allocates rows that begin at aligned addresses; gives the first and the bytes from row to row.
///
/// > An extent of 0 gives null and success.
fn allocate_rows(width: usize, rows: usize) -> HipResult<(usize, usize)> {
    if width == 0 || rows == 0 {
        return Ok((0, 0));
    }
    let pitch = width
        .checked_next_multiple_of(PITCH_ALIGNMENT)
        .ok_or(HipError::INVALID_VALUE)?;
    let size = pitch.checked_mul(rows).ok_or(HipError::INVALID_VALUE)?;
    let context = context()?;
    let device = context.current_device()?;
    Ok((
        context
            .memory()
            .allocate(device, size, MemoryClass::Device, 0)?,
        pitch,
    ))
}

/// Allocates `height` rows of `width` bytes.
pub(crate) fn malloc_pitch(
    mut out: Out<'_, *mut c_void>,
    mut pitch: Out<'_, usize>,
    width: usize,
    height: usize,
) -> HipResult {
    let (address, bytes) = allocate_rows(width, height)?;
    out.set(ptr::with_exposed_provenance_mut(address));
    pitch.set(bytes);
    Ok(())
}

/// As [`malloc_pitch`], for elements of 4, 8 or 16 bytes.
///
/// > An extent of 0, or another element: `hipErrorInvalidValue`.
pub(crate) fn alloc_pitch(
    out: Out<'_, hipDeviceptr_t>,
    pitch: Out<'_, usize>,
    width: usize,
    height: usize,
    element_bytes: u32,
) -> HipResult {
    if width == 0 || height == 0 || !matches!(element_bytes, 4 | 8 | 16) {
        return Err(HipError::INVALID_VALUE);
    }
    malloc_pitch(out, pitch, width, height)
}

/// Allocates a box of rows.
pub(crate) fn malloc_3d(mut out: Out<'_, hipPitchedPtr>, extent: hipExtent) -> HipResult {
    let rows = extent
        .height
        .checked_mul(extent.depth)
        .ok_or(HipError::INVALID_VALUE)?;
    let (address, pitch) = allocate_rows(extent.width, rows)?;
    out.set(hipPitchedPtr {
        ptr: ptr::with_exposed_provenance_mut(address),
        pitch,
        xsize: extent.width,
        ysize: extent.height,
    });
    Ok(())
}

/// Frees memory of any allocator, after all work that may use it. Null is fine.
///
/// > An address that is not the start of an allocation: `hipErrorInvalidValue`.
pub(crate) fn free(memory: Memory<'_>) -> HipResult {
    if memory.is_null() {
        return Ok(());
    }
    if is_forked() {
        return Err(HipError::NOT_INITIALIZED);
    }
    // Without a context there is nothing that could be freed: destructors call in after its end.
    let context = Context::current().ok_or(HipError::INVALID_VALUE)?;
    let allocated = [MemoryClass::Device, MemoryClass::Host, MemoryClass::Managed];
    Ok(context.memory().free(memory.address, &allocated)?)
}

/// Lets the device access host memory of the program.
pub(crate) fn host_register(memory: Memory<'_>, size: usize, flags: u32) -> HipResult {
    const KNOWN: u32 = hipHostRegisterPortable
        | hipHostRegisterMapped
        | hipHostRegisterIoMemory
        | hipHostRegisterReadOnly
        | hipExtHostRegisterUncached;
    if memory.is_null() || size == 0 || flags & !KNOWN != 0 {
        return Err(HipError::INVALID_VALUE);
    }
    let context = context()?;
    let device = context.current_device()?;
    Ok(context
        .memory()
        .register(device, memory.address, size, flags)?)
}

/// Takes the device's access to registered memory back, after all work that may use it.
pub(crate) fn host_unregister(memory: Memory<'_>) -> HipResult {
    if memory.is_null() {
        return Err(HipError::INVALID_VALUE);
    }
    Ok(context()?.memory().unregister(memory.address)?)
}

/// The device's address of host memory, which is the same.
///
/// > Memory that the device cannot access, or flags: `hipErrorInvalidValue`.
pub(crate) fn host_device_pointer(
    mut out: Out<'_, *mut c_void>,
    memory: Memory<'_>,
    flags: u32,
) -> HipResult {
    let found = context()?.memory().find(memory.address);
    if flags != 0 || found.is_none_or(|region| region.class == MemoryClass::Device) {
        return Err(HipError::INVALID_VALUE);
    }
    out.set(ptr::with_exposed_provenance_mut(memory.address));
    Ok(())
}

/// The flags that host memory was allocated or registered with.
pub(crate) fn host_flags(mut out: Out<'_, u32>, memory: Memory<'_>) -> HipResult {
    let found = context()?.memory().find(memory.address);
    match found.filter(|region| matches!(region.class, MemoryClass::Host | MemoryClass::Registered))
    {
        Some(region) => {
            out.set(region.flags);
            Ok(())
        }
        None => Err(HipError::INVALID_VALUE),
    }
}

/// Free and total device memory, bytes. Either may be unwanted.
pub(crate) fn info(free: Option<Out<'_, usize>>, total: Option<Out<'_, usize>>) -> HipResult {
    let context = context()?;
    let (free_bytes, total_bytes) = context.current_device()?.memory_info()?;
    let bytes = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    if let Some(mut free) = free {
        free.set(bytes(free_bytes));
    }
    if let Some(mut total) = total {
        total.set(bytes(total_bytes));
    }
    Ok(())
}

/// The size of an allocation; 0 for null.
pub(crate) fn allocation_size(memory: Memory<'_>, mut out: Out<'_, usize>) -> HipResult {
    if memory.is_null() {
        out.set(0);
        return Ok(());
    }
    let found = context()?.memory().find(memory.address);
    out.set(found.ok_or(HipError::INVALID_VALUE)?.size);
    Ok(())
}

/// First address and size of the allocation that an address is in.
pub(crate) fn address_range(
    base: Option<Out<'_, hipDeviceptr_t>>,
    size: Option<Out<'_, usize>>,
    memory: Memory<'_>,
) -> HipResult {
    let region = context()?
        .memory()
        .find(memory.address)
        .ok_or(HipError::NOT_FOUND)?;
    if let Some(mut base) = base {
        base.set(ptr::with_exposed_provenance_mut(region.address));
    }
    if let Some(mut size) = size {
        size.set(region.size);
    }
    Ok(())
}

/// What an address is. One that was never allocated or registered is unregistered memory of the host.
pub(crate) fn pointer_attributes(
    mut out: Out<'_, hipPointerAttribute_t>,
    memory: Memory<'_>,
) -> HipResult {
    let address = ptr::with_exposed_provenance_mut::<c_void>(memory.address);
    let mut attributes = hipPointerAttribute_t {
        r#type: hipMemoryTypeUnregistered,
        device: hipInvalidDeviceId,
        devicePointer: ptr::null_mut(),
        hostPointer: ptr::null_mut(),
        isManaged: 0,
        allocationFlags: 0,
    };
    if let Some(region) = context()?.memory().find(memory.address) {
        attributes.r#type = match region.class {
            MemoryClass::Device | MemoryClass::Variable => hipMemoryTypeDevice,
            MemoryClass::Host | MemoryClass::Registered => hipMemoryTypeHost,
            MemoryClass::Managed => hipMemoryTypeManaged,
        };
        attributes.device = i32::try_from(region.device.ordinal()).unwrap_or(hipInvalidDeviceId);
        attributes.devicePointer = address;
        if !matches!(region.class, MemoryClass::Device | MemoryClass::Variable) {
            attributes.hostPointer = address;
        }
        attributes.isManaged = i32::from(region.class == MemoryClass::Managed);
        attributes.allocationFlags = region.flags;
    }
    out.set(attributes);
    Ok(())
}
