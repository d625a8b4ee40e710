//! Copies: of bytes, rectangles and boxes.

#![expect(
    non_upper_case_globals,
    reason = "patterns of constants that have the names of the C headers"
)]

use std::ffi::c_void;

use hrx_runtime::memory::Rows;

use super::{context::context, stream::resolve};
use crate::{
    convert::{Memory, StreamId},
    error::{HipError, HipResult},
    sys::*,
};

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
/// > Memory that the device cannot reach, called the device's: `hipErrorInvalidValue`. Device to device is
/// > wrong only if that holds for both.
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
    let is_pageable = |side: Memory<'_>| memory.find(side.address).is_none();
    let refused = match kind {
        hipMemcpyHostToDevice => is_pageable(to),
        hipMemcpyDeviceToHost => is_pageable(from),
        hipMemcpyDeviceToDevice | hipMemcpyDeviceToDeviceNoCU => {
            is_pageable(to) && is_pageable(from)
        }
        _ => false,
    };
    if refused {
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

/// Which of the two addresses of the driver's structures counts.
///
/// > An unknown type of memory: `hipErrorInvalidValue`. Arrays are not written yet: `hipErrorNotSupported`.
fn memory_of(
    kind: hipMemoryType,
    host: *const c_void,
    device: *const c_void,
) -> HipResult<*const c_void> {
    match kind {
        hipMemoryTypeHost => Ok(host),
        hipMemoryTypeDevice | hipMemoryTypeUnified | hipMemoryTypeManaged => Ok(device),
        hipMemoryTypeArray => Err(HipError::NOT_SUPPORTED),
        _ => Err(HipError::INVALID_VALUE),
    }
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
    let base = memory_of(kind, host, device)?;
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

// ---- Boxes --------------------------------------------------------------------------------------

/// One side of a copy of a box, from its first byte.
#[derive(Clone, Copy)]
struct Layers {
    memory: Memory<'static>,
    pitch: usize,
    /// Rows from one layer to the next.
    layer_rows: usize,
}

impl Layers {
    /// A side whose box begins at a position within what `base` points to.
    ///
    /// > A row that does not fit the pitch, or more than the address space holds: `hipErrorInvalidValue`.
    fn new(
        base: *const c_void,
        (x, y, z): (usize, usize, usize),
        pitch: usize,
        layer_rows: usize,
        width: usize,
    ) -> HipResult<Self> {
        let end_of_row = x.checked_add(width).ok_or(HipError::INVALID_VALUE)?;
        if end_of_row > pitch {
            return Err(HipError::INVALID_VALUE);
        }
        let rows = z
            .checked_mul(layer_rows)
            .and_then(|rows| rows.checked_add(y));
        let offset = rows
            .and_then(|rows| rows.checked_mul(pitch))
            .and_then(|bytes| bytes.checked_add(x))
            .ok_or(HipError::INVALID_VALUE)?;
        Ok(Self {
            memory: Memory::of_box(base, offset)?,
            pitch,
            layer_rows,
        })
    }

    /// Bytes from the first byte of a box to its last.
    fn span(&self, extent: hipExtent) -> HipResult<usize> {
        let last_row = (extent.depth - 1)
            .checked_mul(self.layer_rows)
            .and_then(|rows| rows.checked_add(extent.height - 1));
        let span = last_row
            .and_then(|row| row.checked_mul(self.pitch))
            .and_then(|bytes| bytes.checked_add(extent.width))
            .filter(|span| isize::try_from(*span).is_ok());
        span.ok_or(HipError::INVALID_VALUE)
    }

    /// Rows of the box from layer `layer` on.
    fn rows(&self, layer: usize, extent: (usize, usize)) -> Rows<'static> {
        let span = Rows::span(self.pitch, extent.0, extent.1);
        Rows {
            memory: self
                .memory
                .range(layer * self.layer_rows * self.pitch, span),
            pitch: self.pitch,
        }
    }
}

/// Copies a box that has at least one byte.
fn copy_layers(
    to: Layers,
    from: Layers,
    extent: hipExtent,
    stream: StreamId,
    block: bool,
) -> HipResult {
    let context = context()?;
    let memory = context.memory();
    // All of it must lie in the allocations before any of it is copied.
    for side in [to, from] {
        memory.find_range(side.memory.address, side.span(extent)?)?;
    }
    let stream = resolve(stream)?;
    let hipExtent {
        width,
        height,
        depth,
    } = extent;
    // Layers that follow each other without a gap are one rectangle.
    let (height, depth) = if depth == 1 || (to.layer_rows == height && from.layer_rows == height) {
        (height * depth, 1)
    } else {
        (height, depth)
    };
    for layer in 0..depth {
        let rows = |side: Layers| side.rows(layer, (width, height));
        let block = block && layer == depth - 1;
        memory.copy_rows(&stream, rows(to), rows(from), width, height, block)?;
    }
    Ok(())
}

/// One side of a copy by [`hipMemcpy3DParms`].
///
/// > An array and memory, or neither: `hipErrorInvalidValue`. Arrays are not written yet:
/// > `hipErrorNotSupported`.
fn pitched_side(
    array: hipArray_t,
    pitched: hipPitchedPtr,
    at: hipPos,
    extent: hipExtent,
) -> HipResult<Layers> {
    match (array.is_null(), pitched.ptr.is_null()) {
        (true, false) => {}
        (false, true) => return Err(HipError::NOT_SUPPORTED),
        _ => return Err(HipError::INVALID_VALUE),
    }
    // > A pitch that no memory has: hipErrorInvalidValue.
    if i32::try_from(pitched.pitch).is_err() {
        return Err(HipError::INVALID_VALUE);
    }
    let position = (at.x, at.y, at.z);
    Layers::new(
        pitched.ptr,
        position,
        pitched.pitch,
        pitched.ysize,
        extent.width,
    )
}

fn is_empty(extent: hipExtent) -> bool {
    extent.width == 0 || extent.height == 0 || extent.depth == 0
}

fn copy_3d(copy: &hipMemcpy3DParms, stream: StreamId, block: bool) -> HipResult {
    check_kind(copy.kind)?;
    if is_empty(copy.extent) {
        return Ok(());
    }
    let to = pitched_side(copy.dstArray, copy.dstPtr, copy.dstPos, copy.extent)?;
    let from = pitched_side(copy.srcArray, copy.srcPtr, copy.srcPos, copy.extent)?;
    copy_layers(to, from, copy.extent, stream, block)
}

/// Copies a box and waits.
pub(crate) fn memcpy_3d(copy: &hipMemcpy3DParms) -> HipResult {
    copy_3d(copy, StreamId::default_stream(), true)
}

/// Copies a box in the order of a stream.
pub(crate) fn memcpy_3d_async(copy: &hipMemcpy3DParms, stream: StreamId) -> HipResult {
    copy_3d(copy, stream, false)
}

fn copy_3d_peer(copy: &hipMemcpy3DPeerParms, stream: StreamId, block: bool) -> HipResult {
    for device in [copy.srcDevice, copy.dstDevice] {
        context()?.device(device.into())?;
    }
    if is_empty(copy.extent) {
        return Ok(());
    }
    let to = pitched_side(copy.dstArray, copy.dstPtr, copy.dstPos, copy.extent)?;
    let from = pitched_side(copy.srcArray, copy.srcPtr, copy.srcPos, copy.extent)?;
    copy_layers(to, from, copy.extent, stream, block)
}

/// Copies a box between memories of two devices and waits.
pub(crate) fn memcpy_3d_peer(copy: &hipMemcpy3DPeerParms) -> HipResult {
    copy_3d_peer(copy, StreamId::default_stream(), true)
}

/// Copies a box between memories of two devices in the order of a stream.
pub(crate) fn memcpy_3d_peer_async(copy: &hipMemcpy3DPeerParms, stream: StreamId) -> HipResult {
    copy_3d_peer(copy, stream, false)
}

/// A pitch or a number of rows of the driver's structure, where 0 means that there is no gap.
fn packed_if_zero(given: usize, start: usize, count: usize) -> usize {
    if given == 0 {
        start.saturating_add(count)
    } else {
        given
    }
}

fn copy_driver_3d(copy: &HIP_MEMCPY3D, stream: StreamId, block: bool) -> HipResult {
    let extent = hipExtent {
        width: copy.WidthInBytes,
        height: copy.Height,
        depth: copy.Depth,
    };
    if is_empty(extent) {
        return Ok(());
    }
    let from = Layers::new(
        memory_of(
            copy.srcMemoryType,
            copy.srcHost,
            copy.srcDevice.cast_const(),
        )?,
        (copy.srcXInBytes, copy.srcY, copy.srcZ),
        packed_if_zero(copy.srcPitch, copy.srcXInBytes, extent.width),
        packed_if_zero(copy.srcHeight, copy.srcY, extent.height),
        extent.width,
    )?;
    let to = Layers::new(
        memory_of(
            copy.dstMemoryType,
            copy.dstHost.cast_const(),
            copy.dstDevice.cast_const(),
        )?,
        (copy.dstXInBytes, copy.dstY, copy.dstZ),
        packed_if_zero(copy.dstPitch, copy.dstXInBytes, extent.width),
        packed_if_zero(copy.dstHeight, copy.dstY, extent.height),
        extent.width,
    )?;
    copy_layers(to, from, extent, stream, block)
}

/// Copies a box that the driver's structure describes and waits.
pub(crate) fn memcpy_driver_3d(copy: &HIP_MEMCPY3D) -> HipResult {
    copy_driver_3d(copy, StreamId::default_stream(), true)
}

/// As [`memcpy_driver_3d`], in the order of a stream.
pub(crate) fn memcpy_driver_3d_async(copy: &HIP_MEMCPY3D, stream: StreamId) -> HipResult {
    copy_driver_3d(copy, stream, false)
}
