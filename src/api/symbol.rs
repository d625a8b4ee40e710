//! Variables that the compiler's start code registered: their addresses, and copies by host name.

use std::{ffi::c_void, ptr};

use hrx_runtime::module::{Variable, registry::Registry};

use super::{context::context, copy::copy};
use crate::{
    convert::{Memory, Out, StreamId, variable_memory},
    error::{HipError, HipResult},
    sys::{hipMemcpyDeviceToDevice, hipMemcpyDeviceToHost, hipMemcpyHostToDevice, hipMemcpyKind},
};

fn variable(symbol: Memory<'_>) -> HipResult<Variable> {
    let context = context()?;
    let device = context.current_device()?;
    let stream = context.null_stream(device);
    let variable = Registry::get().variable(context.id(), stream, symbol.address)?;
    context.memory().add_variable(device, variable);
    Ok(variable)
}

/// The device address of a registered variable.
pub(crate) fn symbol_address(mut out: Out<'_, *mut c_void>, symbol: Memory<'_>) -> HipResult {
    out.set(ptr::with_exposed_provenance_mut(variable(symbol)?.address));
    Ok(())
}

/// The size of a registered variable.
pub(crate) fn symbol_size(mut out: Out<'_, usize>, symbol: Memory<'_>) -> HipResult {
    out.set(variable(symbol)?.size);
    Ok(())
}

/// The part of a variable that a copy means.
///
/// > A part that is not in the variable: `hipErrorInvalidValue`.
fn symbol_part(
    symbol: Memory<'_>,
    size: usize,
    offset: usize,
    kind: hipMemcpyKind,
    host_kind: hipMemcpyKind,
) -> HipResult<Memory<'static>> {
    // > A direction that does not fit: hipErrorInvalidMemcpyDirection.
    if kind != host_kind && kind != hipMemcpyDeviceToDevice {
        return Err(HipError::INVALID_MEMCPY_DIRECTION);
    }
    let variable = variable(symbol)?;
    if offset
        .checked_add(size)
        .is_none_or(|end| end > variable.size)
    {
        return Err(HipError::INVALID_VALUE);
    }
    Ok(variable_memory(variable, offset))
}

/// Copies into a registered variable and waits.
pub(crate) fn memcpy_to_symbol(
    symbol: Memory<'_>,
    from: Memory<'_>,
    size: usize,
    offset: usize,
    kind: hipMemcpyKind,
) -> HipResult {
    copy(
        symbol_part(symbol, size, offset, kind, hipMemcpyHostToDevice)?,
        from,
        size,
        kind,
        StreamId::default_stream(),
        true,
    )
}

/// Copies into a registered variable in the order of a stream.
pub(crate) fn memcpy_to_symbol_async(
    symbol: Memory<'_>,
    from: Memory<'_>,
    size: usize,
    offset: usize,
    kind: hipMemcpyKind,
    stream: StreamId,
) -> HipResult {
    copy(
        symbol_part(symbol, size, offset, kind, hipMemcpyHostToDevice)?,
        from,
        size,
        kind,
        stream,
        false,
    )
}

/// Copies out of a registered variable and waits.
pub(crate) fn memcpy_from_symbol(
    to: Memory<'_>,
    symbol: Memory<'_>,
    size: usize,
    offset: usize,
    kind: hipMemcpyKind,
) -> HipResult {
    copy(
        to,
        symbol_part(symbol, size, offset, kind, hipMemcpyDeviceToHost)?,
        size,
        kind,
        StreamId::default_stream(),
        true,
    )
}

/// Copies out of a registered variable in the order of a stream.
pub(crate) fn memcpy_from_symbol_async(
    to: Memory<'_>,
    symbol: Memory<'_>,
    size: usize,
    offset: usize,
    kind: hipMemcpyKind,
    stream: StreamId,
) -> HipResult {
    copy(
        to,
        symbol_part(symbol, size, offset, kind, hipMemcpyDeviceToHost)?,
        size,
        kind,
        stream,
        false,
    )
}
