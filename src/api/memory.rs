//! Memory: allocating, copying, filling, asking.

#![expect(
    non_upper_case_globals,
    reason = "patterns of constants that have the names of the C headers"
)]

use std::{ffi::c_void, ptr};

use hrx_runtime::{
    context::{Context, is_forked},
    memory::{Fill, MemoryClass, Rows},
};

use super::{context::context, stream::resolve};
use crate::{
    convert::{Memory, Out, StreamId},
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

/// Whether a kind of copy is one of those that the headers have.
fn check_kind(kind: hipMemcpyKind) -> HipResult {
    match kind {
        hipMemcpyHostToHost
        | hipMemcpyHostToDevice
        | hipMemcpyDeviceToHost
        | hipMemcpyDeviceToDevice
        | hipMemcpyDefault
        | hipMemcpyDeviceToDeviceNoCU => Ok(()),
        _ => Err(HipError::INVALID_MEMCPY_DIRECTION),
    }
}

/// Copies in the order of a stream. Where the memory is counts, not what the caller calls it: with one
/// address space the kind says nothing that the addresses do not, but for one thing.
///
/// > Two addresses that the device cannot reach, called anything but host to host: `hipErrorInvalidValue`.
pub(super) fn copy(
    to: Memory<'_>,
    from: Memory<'_>,
    size: usize,
    kind: hipMemcpyKind,
    stream: StreamId,
    block: bool,
) -> HipResult {
    if size == 0 {
        return Ok(());
    }
    if to.is_null() || from.is_null() || isize::try_from(size).is_err() {
        return Err(HipError::INVALID_VALUE);
    }
    check_kind(kind)?;
    let context = context()?;
    let memory = context.memory();
    if kind != hipMemcpyDefault
        && kind != hipMemcpyHostToHost
        && memory.find(to.address).is_none()
        && memory.find(from.address).is_none()
    {
        return Err(HipError::INVALID_VALUE);
    }
    let stream = resolve(stream)?;
    Ok(memory.copy(&stream, to.range(0, size), from.range(0, size), block)?)
}

/// Copies and waits.
pub(crate) fn memcpy(
    to: Memory<'_>,
    from: Memory<'_>,
    size: usize,
    kind: hipMemcpyKind,
) -> HipResult {
    copy(to, from, size, kind, StreamId::default_stream(), true)
}

/// Copies in the order of a stream. The source may be overwritten when the call returns if it is memory
/// that the device cannot reach.
pub(crate) fn memcpy_async(
    to: Memory<'_>,
    from: Memory<'_>,
    size: usize,
    kind: hipMemcpyKind,
    stream: StreamId,
) -> HipResult {
    check_kind(kind)?;
    copy(to, from, size, kind, stream, false)
}

/// Copies in the order of a stream and waits.
pub(crate) fn memcpy_with_stream(
    to: Memory<'_>,
    from: Memory<'_>,
    size: usize,
    kind: hipMemcpyKind,
    stream: StreamId,
) -> HipResult {
    check_kind(kind)?;
    copy(to, from, size, kind, stream, true)
}

/// Copies between device addresses, or one of them and the host, and waits.
pub(crate) fn memcpy_driver(to: Memory<'_>, from: Memory<'_>, size: usize) -> HipResult {
    let stream = StreamId::default_stream();
    copy(to, from, size, hipMemcpyDeviceToDevice, stream, true)
}

/// As [`memcpy_driver`], in the order of a stream.
pub(crate) fn memcpy_driver_async(
    to: Memory<'_>,
    from: Memory<'_>,
    size: usize,
    stream: StreamId,
) -> HipResult {
    copy(to, from, size, hipMemcpyDeviceToDevice, stream, false)
}

/// Copies a rectangle and waits.
pub(crate) fn memcpy_2d(
    to: Memory<'_>,
    to_pitch: usize,
    from: Memory<'_>,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: hipMemcpyKind,
) -> HipResult {
    check_kind(kind)?;
    let stream = StreamId::default_stream();
    copy_2d(
        (to, to_pitch),
        (from, from_pitch),
        (width, height),
        stream,
        true,
    )
}

/// Copies a rectangle in the order of a stream.
#[expect(clippy::too_many_arguments, reason = "the function has so many")]
pub(crate) fn memcpy_2d_async(
    to: Memory<'_>,
    to_pitch: usize,
    from: Memory<'_>,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: hipMemcpyKind,
    stream: StreamId,
) -> HipResult {
    check_kind(kind)?;
    copy_2d(
        (to, to_pitch),
        (from, from_pitch),
        (width, height),
        stream,
        false,
    )
}

/// One side of the driver's rectangle copy: memory as its kind says, and where the rectangle begins.
fn box_side(
    kind: hipMemoryType,
    host: *const c_void,
    device: *const c_void,
    x: usize,
    y: usize,
    pitch: usize,
) -> HipResult<(Memory<'static>, usize)> {
    let base = match kind {
        hipMemoryTypeHost => host,
        hipMemoryTypeDevice | hipMemoryTypeUnified | hipMemoryTypeManaged => device,
        // Arrays are not written yet.
        _ => return Err(HipError::INVALID_VALUE),
    };
    let offset = y.checked_mul(pitch).and_then(|rows| rows.checked_add(x));
    let offset = offset.ok_or(HipError::INVALID_VALUE)?;
    Ok((Memory::of_box(base, offset)?, pitch))
}

fn copy_box(copy: &hip_Memcpy2D, stream: StreamId, block: bool) -> HipResult {
    if copy.WidthInBytes == 0 || copy.Height == 0 {
        return Ok(());
    }
    let from = box_side(
        copy.srcMemoryType,
        copy.srcHost,
        copy.srcDevice,
        copy.srcXInBytes,
        copy.srcY,
        copy.srcPitch,
    )?;
    let to = box_side(
        copy.dstMemoryType,
        copy.dstHost,
        copy.dstDevice,
        copy.dstXInBytes,
        copy.dstY,
        copy.dstPitch,
    )?;
    copy_2d(to, from, (copy.WidthInBytes, copy.Height), stream, block)
}

/// Copies a rectangle that the driver's structure describes and waits.
pub(crate) fn memcpy_box(copy: &hip_Memcpy2D) -> HipResult {
    copy_box(copy, StreamId::default_stream(), true)
}

/// As [`memcpy_box`], in the order of a stream.
pub(crate) fn memcpy_box_async(copy: &hip_Memcpy2D, stream: StreamId) -> HipResult {
    copy_box(copy, stream, false)
}

fn copy_2d(
    to: (Memory<'_>, usize),
    from: (Memory<'_>, usize),
    extent: (usize, usize),
    stream: StreamId,
    block: bool,
) -> HipResult {
    let (width, height) = extent;
    if width == 0 || height == 0 {
        return Ok(());
    }
    if to.0.is_null() || from.0.is_null() {
        return Err(HipError::INVALID_VALUE);
    }
    // > A pitch below the width: hipErrorInvalidPitchValue.
    if to.1 < width || from.1 < width {
        return Err(HipError::INVALID_PITCH_VALUE);
    }
    let (to, from) = (rows(to, extent)?, rows(from, extent)?);
    let context = context()?;
    let stream = resolve(stream)?;
    Ok(context
        .memory()
        .copy_rows(&stream, to, from, width, height, block)?)
}

/// One side of a rectangle copy.
fn rows<'a>(
    (memory, pitch): (Memory<'a>, usize),
    (width, height): (usize, usize),
) -> HipResult<Rows<'a>> {
    let span = Rows::span(pitch, width, height);
    // More than the address space holds is in no allocation.
    isize::try_from(span).map_err(|_| HipError::INVALID_VALUE)?;
    Ok(Rows {
        memory: memory.range(0, span),
        pitch,
    })
}

fn set(memory: Memory<'_>, fill: Fill, count: usize, stream: StreamId, block: bool) -> HipResult {
    if count == 0 {
        return Ok(());
    }
    if memory.is_null() {
        return Err(HipError::INVALID_VALUE);
    }
    let context = context()?;
    let stream = resolve(stream)?;
    Ok(context
        .memory()
        .fill(&stream, memory.address, fill, count, block)?)
}

/// Rows of a rectangle or box that are filled alike.
#[derive(Clone, Copy)]
struct FilledRows<'a> {
    memory: Memory<'a>,
    pitch: usize,
    /// Elements of a row.
    width: usize,
    height: usize,
    /// Rows from one layer of a box to the next.
    layer_rows: usize,
    depth: usize,
}

/// Fills rows in the order of a stream.
fn set_rows(rows: FilledRows<'_>, fill: Fill, stream: StreamId, block: bool) -> HipResult {
    let FilledRows {
        memory,
        pitch,
        width,
        height,
        layer_rows,
        depth,
    } = rows;
    if width == 0 || height == 0 || depth == 0 {
        return Ok(());
    }
    if memory.is_null() {
        return Err(HipError::INVALID_VALUE);
    }
    let row_bytes = width
        .checked_mul(fill.element_bytes())
        .ok_or(HipError::INVALID_VALUE)?;
    if pitch < row_bytes {
        return Err(HipError::INVALID_VALUE);
    }
    let context = context()?;
    let map = context.memory();
    // All of it must lie in the allocation before any of it is filled.
    let last_row = (depth - 1)
        .checked_mul(layer_rows)
        .and_then(|rows| rows.checked_add(height - 1))
        .and_then(|rows| rows.checked_mul(pitch))
        .ok_or(HipError::INVALID_VALUE)?;
    let span = last_row
        .checked_add(row_bytes)
        .ok_or(HipError::INVALID_VALUE)?;
    map.find_range(memory.address, span)?
        .ok_or(HipError::INVALID_VALUE)?;
    let stream = resolve(stream)?;
    if pitch == row_bytes && (depth == 1 || layer_rows == height) {
        map.fill(&stream, memory.address, fill, width * height * depth, false)?;
    } else {
        for layer in 0..depth {
            for row in 0..height {
                let address = memory.address + (layer * layer_rows + row) * pitch;
                map.fill(&stream, address, fill, width, false)?;
            }
        }
    }
    if block {
        Ok(stream.synchronize()?)
    } else {
        Ok(())
    }
}

/// A rectangle as rows.
fn rectangle(memory: Memory<'_>, pitch: usize, width: usize, height: usize) -> FilledRows<'_> {
    FilledRows {
        memory,
        pitch,
        width,
        height,
        layer_rows: height,
        depth: 1,
    }
}

/// Fills a rectangle of bytes and waits.
pub(crate) fn memset_2d(
    memory: Memory<'_>,
    pitch: usize,
    value: i32,
    width: usize,
    height: usize,
) -> HipResult {
    let rows = rectangle(memory, pitch, width, height);
    set_rows(
        rows,
        Fill::Bytes(low_byte(value)),
        StreamId::default_stream(),
        true,
    )
}

/// Fills a rectangle of bytes in the order of a stream.
pub(crate) fn memset_2d_async(
    memory: Memory<'_>,
    pitch: usize,
    value: i32,
    width: usize,
    height: usize,
    stream: StreamId,
) -> HipResult {
    let rows = rectangle(memory, pitch, width, height);
    set_rows(rows, Fill::Bytes(low_byte(value)), stream, false)
}

/// A box as rows.
fn box_rows(pitched: hipPitchedPtr, extent: hipExtent) -> FilledRows<'static> {
    FilledRows {
        memory: Memory::of_pitched(pitched),
        pitch: pitched.pitch,
        width: extent.width,
        height: extent.height,
        layer_rows: pitched.ysize,
        depth: extent.depth,
    }
}

/// Fills a box of bytes and waits.
pub(crate) fn memset_3d(pitched: hipPitchedPtr, value: i32, extent: hipExtent) -> HipResult {
    let fill = Fill::Bytes(low_byte(value));
    set_rows(
        box_rows(pitched, extent),
        fill,
        StreamId::default_stream(),
        true,
    )
}

/// Fills a box of bytes in the order of a stream.
pub(crate) fn memset_3d_async(
    pitched: hipPitchedPtr,
    value: i32,
    extent: hipExtent,
    stream: StreamId,
) -> HipResult {
    set_rows(
        box_rows(pitched, extent),
        Fill::Bytes(low_byte(value)),
        stream,
        false,
    )
}

/// Fills a rectangle of bytes and waits.
pub(crate) fn memset_d2d8(
    memory: Memory<'_>,
    pitch: usize,
    value: u8,
    width: usize,
    height: usize,
) -> HipResult {
    let rows = rectangle(memory, pitch, width, height);
    set_rows(rows, Fill::Bytes(value), StreamId::default_stream(), true)
}

/// Fills a rectangle of bytes in the order of a stream.
pub(crate) fn memset_d2d8_async(
    memory: Memory<'_>,
    pitch: usize,
    value: u8,
    width: usize,
    height: usize,
    stream: StreamId,
) -> HipResult {
    set_rows(
        rectangle(memory, pitch, width, height),
        Fill::Bytes(value),
        stream,
        false,
    )
}

/// Fills a rectangle of 16-bit words and waits.
pub(crate) fn memset_d2d16(
    memory: Memory<'_>,
    pitch: usize,
    value: u16,
    width: usize,
    height: usize,
) -> HipResult {
    let rows = rectangle(memory, pitch, width, height);
    set_rows(rows, Fill::Halves(value), StreamId::default_stream(), true)
}

/// Fills a rectangle of 16-bit words in the order of a stream.
pub(crate) fn memset_d2d16_async(
    memory: Memory<'_>,
    pitch: usize,
    value: u16,
    width: usize,
    height: usize,
    stream: StreamId,
) -> HipResult {
    set_rows(
        rectangle(memory, pitch, width, height),
        Fill::Halves(value),
        stream,
        false,
    )
}

/// Fills a rectangle of 32-bit words and waits.
pub(crate) fn memset_d2d32(
    memory: Memory<'_>,
    pitch: usize,
    value: u32,
    width: usize,
    height: usize,
) -> HipResult {
    let rows = rectangle(memory, pitch, width, height);
    set_rows(rows, Fill::Words(value), StreamId::default_stream(), true)
}

/// Fills a rectangle of 32-bit words in the order of a stream.
pub(crate) fn memset_d2d32_async(
    memory: Memory<'_>,
    pitch: usize,
    value: u32,
    width: usize,
    height: usize,
    stream: StreamId,
) -> HipResult {
    set_rows(
        rectangle(memory, pitch, width, height),
        Fill::Words(value),
        stream,
        false,
    )
}

/// The low byte of an integer argument.
fn low_byte(value: i32) -> u8 {
    value.to_le_bytes()[0]
}

/// Fills bytes and waits.
pub(crate) fn memset(memory: Memory<'_>, value: i32, size: usize) -> HipResult {
    set(
        memory,
        Fill::Bytes(low_byte(value)),
        size,
        StreamId::default_stream(),
        true,
    )
}

/// Fills bytes in the order of a stream.
pub(crate) fn memset_async(
    memory: Memory<'_>,
    value: i32,
    size: usize,
    stream: StreamId,
) -> HipResult {
    set(memory, Fill::Bytes(low_byte(value)), size, stream, false)
}

/// Fills bytes and waits.
pub(crate) fn memset_d8(memory: Memory<'_>, value: u8, count: usize) -> HipResult {
    set(
        memory,
        Fill::Bytes(value),
        count,
        StreamId::default_stream(),
        true,
    )
}

/// Fills bytes in the order of a stream.
pub(crate) fn memset_d8_async(
    memory: Memory<'_>,
    value: u8,
    count: usize,
    stream: StreamId,
) -> HipResult {
    set(memory, Fill::Bytes(value), count, stream, false)
}

/// Fills 16-bit words and waits.
pub(crate) fn memset_d16(memory: Memory<'_>, value: u16, count: usize) -> HipResult {
    set(
        memory,
        Fill::Halves(value),
        count,
        StreamId::default_stream(),
        true,
    )
}

/// Fills 16-bit words in the order of a stream.
pub(crate) fn memset_d16_async(
    memory: Memory<'_>,
    value: u16,
    count: usize,
    stream: StreamId,
) -> HipResult {
    set(memory, Fill::Halves(value), count, stream, false)
}

/// Fills 32-bit words and waits.
pub(crate) fn memset_d32(memory: Memory<'_>, value: i32, count: usize) -> HipResult {
    let value = value.cast_unsigned();
    set(
        memory,
        Fill::Words(value),
        count,
        StreamId::default_stream(),
        true,
    )
}

/// Fills 32-bit words in the order of a stream.
pub(crate) fn memset_d32_async(
    memory: Memory<'_>,
    value: i32,
    count: usize,
    stream: StreamId,
) -> HipResult {
    set(
        memory,
        Fill::Words(value.cast_unsigned()),
        count,
        stream,
        false,
    )
}
