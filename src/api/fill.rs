//! Fills: of bytes, half words and words, of rectangles and boxes.

use hrx_runtime::memory::Fill;

use super::{context::context, stream::resolve};
use crate::{
    convert::{Memory, StreamId},
    error::{HipError, HipResult},
    sys::*,
};

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
