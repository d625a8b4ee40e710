//! Devices among themselves. There is one, and no device is its own peer; copies between a device and
//! itself are copies.

use super::{context::context, copy::copy};
use crate::{
    convert::{Memory, Out, StreamId},
    error::{HipError, HipResult},
    sys::{hipDeviceP2PAttr, hipMemcpyDeviceToDevice},
};

fn check_device(device: i32) -> HipResult {
    context()?.device(device.into())?;
    Ok(())
}

/// Whether a device reaches another's memory. With one address space for all it could, but for itself.
pub(crate) fn can_access(mut out: Out<'_, i32>, device: i32, peer: i32) -> HipResult {
    check_device(device)?;
    check_device(peer)?;
    out.set(i32::from(device != peer));
    Ok(())
}

/// Lets the current device reach another's memory, which it does anyway.
///
/// > Flags: `hipErrorInvalidValue`. The device itself: `hipErrorInvalidDevice`.
pub(crate) fn enable(peer: i32, flags: u32) -> HipResult {
    if flags != 0 {
        return Err(HipError::INVALID_VALUE);
    }
    check_other(peer)
}

/// Takes that back.
pub(crate) fn disable(peer: i32) -> HipResult {
    check_other(peer)
}

fn check_other(peer: i32) -> HipResult {
    check_device(peer)?;
    let context = context()?;
    if i64::from(peer) == i64::from(context.current_device()?.ordinal()) {
        return Err(HipError::INVALID_DEVICE);
    }
    Ok(())
}

/// What two devices can do together.
///
/// > A device and itself: `hipErrorInvalidDevice`.
pub(crate) fn attribute(
    mut out: Out<'_, i32>,
    _: hipDeviceP2PAttr,
    source: i32,
    target: i32,
) -> HipResult {
    check_device(source)?;
    check_device(target)?;
    if source == target {
        return Err(HipError::INVALID_DEVICE);
    }
    out.set(0);
    Ok(())
}

fn copy_checked(
    to: (Memory<'_>, i32),
    from: (Memory<'_>, i32),
    size: usize,
    stream: StreamId,
    block: bool,
) -> HipResult {
    check_device(to.1)?;
    check_device(from.1)?;
    copy(to.0, from.0, size, hipMemcpyDeviceToDevice, stream, block)
}

/// Copies between memories of two devices and waits.
pub(crate) fn memcpy(
    to: Memory<'_>,
    to_device: i32,
    from: Memory<'_>,
    from_device: i32,
    size: usize,
) -> HipResult {
    let stream = StreamId::default_stream();
    copy_checked((to, to_device), (from, from_device), size, stream, true)
}

/// Copies between memories of two devices in the order of a stream.
pub(crate) fn memcpy_async(
    to: Memory<'_>,
    to_device: i32,
    from: Memory<'_>,
    from_device: i32,
    size: usize,
    stream: StreamId,
) -> HipResult {
    copy_checked((to, to_device), (from, from_device), size, stream, false)
}
