//! Streams: creation, waiting, and which stream a handle means.

#![expect(
    non_upper_case_globals,
    reason = "patterns of constants that have the names of the C headers"
)]

use std::{
    cell::Cell,
    ffi::c_void,
    sync::atomic::{AtomicU64, Ordering},
};

use hrx_runtime::{context::current_device, device::StreamKind, event::Event, stream::Stream};

use super::context::context;
use crate::{
    convert::{CallbackCall, HostCall, Out, StreamId, sync_policy},
    error::{HipError, HipResult},
    handles::{self, Object, RawHandle, Ref, Table},
    sys::{
        hipDevice_t, hipEventWaitDefault, hipEventWaitExternal, hipHostFn_t,
        hipLaunchAttributeAccessPolicyWindow, hipLaunchAttributeID,
        hipLaunchAttributeMemSyncDomain, hipLaunchAttributeMemSyncDomainMap,
        hipLaunchAttributePriority, hipLaunchAttributeSynchronizationPolicy,
        hipLaunchAttributeValue, hipStream_t, hipStreamCallback_t, hipStreamCaptureStatus,
        hipStreamCaptureStatusNone, hipStreamDefault, hipStreamNonBlocking, hipSuccess,
        hipSyncPolicyAuto, hipSyncPolicyBlockingSync, hipSynchronizationPolicy,
    },
};

impl Object for Stream {
    type Raw = hipStream_t;
    fn table() -> &'static Table<Self> {
        static TABLE: Table<Stream> = Table::new();
        &TABLE
    }
}

/// Devices whose default streams are found without a lock; there is one in practice.
const QUICK_DEVICES: usize = 8;

/// Handles of the null streams, by device. A stale one is found out by its generation.
static LEGACY: [AtomicU64; QUICK_DEVICES] = [const { AtomicU64::new(0) }; QUICK_DEVICES];

thread_local! {
    /// Handles of the thread's default streams, by device.
    static PER_THREAD: [Cell<u64>; QUICK_DEVICES] = const { [const { Cell::new(0) }; QUICK_DEVICES] };
    /// Removes them when the thread ends. Apart from the above, which calls of global destructors use
    /// after the thread's values with destructors are gone.
    static GUARD: Guard = const { Guard };
}

/// See [`GUARD`].
struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        PER_THREAD.with(|handles| {
            for handle in handles {
                let handle = hipStream_t::from_bits(handle.replace(0));
                // An error means that the thread had none for this device.
                let _ = handles::remove::<Stream>(handle);
            }
        });
    }
}

/// The stream that a call means.
///
/// # Errors
/// `hipErrorContextIsDestroyed` for a handle of no stream; why there is no device.
pub(crate) fn resolve(id: StreamId) -> HipResult<Ref<Stream>> {
    match id {
        StreamId::Created(raw) => handles::get(raw).map_err(|_| HipError::CONTEXT_IS_DESTROYED),
        StreamId::Legacy => {
            let Some(cell) = LEGACY.get(current_device() as usize) else {
                return legacy(None);
            };
            // Relaxed: the handle is looked up in a table that has an order of its own.
            let found = handles::get(hipStream_t::from_bits(cell.load(Ordering::Relaxed)));
            found.or_else(|_| legacy(Some(cell)))
        }
        StreamId::PerThread => {
            let device = current_device() as usize;
            let cached = PER_THREAD.with(|handles| handles.get(device).map(Cell::get));
            let found = handles::get(hipStream_t::from_bits(cached.unwrap_or(0)));
            found.or_else(|_| per_thread(device))
        }
    }
}

#[cold]
fn legacy(cell: Option<&AtomicU64>) -> HipResult<Ref<Stream>> {
    let context = context()?;
    let stream = context.null_stream(context.current_device()?);
    let handle = handles::insert(stream.clone())?;
    if let Some(cell) = cell {
        let before = cell.swap(handle.to_bits(), Ordering::Relaxed);
        // Of two threads that come here at once one handle would stay for ever.
        let _ = handles::remove::<Stream>(hipStream_t::from_bits(before));
    }
    handles::get(handle)
}

#[cold]
fn per_thread(device: usize) -> HipResult<Ref<Stream>> {
    let context = context()?;
    let stream = Stream::create(context.current_device()?, StreamKind::Blocking, 0)?;
    let handle = handles::insert(stream)?;
    PER_THREAD.with(|handles| {
        if let Some(cell) = handles.get(device) {
            cell.set(handle.to_bits());
        }
    });
    // Where the guard is gone already the process is ending.
    let _ = GUARD.try_with(|_| ());
    handles::get(handle)
}

/// A new stream that is ordered with the null stream.
pub(crate) fn create(out: Out<'_, hipStream_t>) -> HipResult {
    create_with_priority(out, hipStreamDefault, 0)
}

/// A new stream; `flags` say whether it is ordered with the null stream.
pub(crate) fn create_with_flags(out: Out<'_, hipStream_t>, flags: u32) -> HipResult {
    create_with_priority(out, flags, 0)
}

/// Lowest and highest priority: a smaller number goes first.
const PRIORITIES: (i32, i32) = (1, -1);

/// A new stream with a priority, which is brought into the range that there is.
///
/// > Flags other than default and non-blocking: `hipErrorInvalidValue`.
pub(crate) fn create_with_priority(
    mut out: Out<'_, hipStream_t>,
    flags: u32,
    priority: i32,
) -> HipResult {
    let kind = match flags {
        hipStreamDefault => StreamKind::Blocking,
        hipStreamNonBlocking => StreamKind::NonBlocking,
        _ => return Err(HipError::INVALID_VALUE),
    };
    let context = context()?;
    let priority = priority.clamp(PRIORITIES.1, PRIORITIES.0);
    let stream = Stream::create(context.current_device()?, kind, priority)?;
    out.set(handles::insert(stream)?);
    Ok(())
}

/// The range of priorities. Either may be unwanted.
pub(crate) fn priority_range(
    least: Option<Out<'_, i32>>,
    greatest: Option<Out<'_, i32>>,
) -> HipResult {
    context()?;
    if let Some(mut least) = least {
        least.set(PRIORITIES.0);
    }
    if let Some(mut greatest) = greatest {
        greatest.set(PRIORITIES.1);
    }
    Ok(())
}

/// Lets go of a stream. What was submitted runs on.
///
/// > A null stream: `hipErrorInvalidHandle`; the two named default streams:
/// > `hipErrorInvalidResourceHandle`.
pub(crate) fn destroy(raw: hipStream_t) -> HipResult {
    if raw.is_null() {
        return Err(HipError::INVALID_HANDLE);
    }
    let StreamId::Created(raw) = raw.into() else {
        return Err(HipError::INVALID_HANDLE);
    };
    handles::remove::<Stream>(raw).map_err(|_| HipError::CONTEXT_IS_DESTROYED)?;
    Ok(())
}

/// Waits until all work of a stream is done; for the null stream that of all blocking streams, too.
pub(crate) fn synchronize(stream: StreamId) -> HipResult {
    Ok(resolve(stream)?.synchronize()?)
}

/// Whether all work of a stream is done: `hipErrorNotReady` if not.
pub(crate) fn query(stream: StreamId) -> HipResult {
    Ok(resolve(stream)?.query()?)
}

/// Holds back what follows in a stream until an event has happened.
pub(crate) fn wait_event(stream: StreamId, event: Option<Ref<Event>>, flags: u32) -> HipResult {
    if flags != hipEventWaitDefault && flags != hipEventWaitExternal {
        return Err(HipError::INVALID_VALUE);
    }
    let event = event.ok_or(HipError::INVALID_HANDLE)?;
    Ok(event.hold_back(&*resolve(stream)?)?)
}

/// Calls a function of the host when all before it is done; what follows waits for it.
pub(crate) fn launch_host(stream: StreamId, function: hipHostFn_t, data: *mut c_void) -> HipResult {
    let call = HostCall::new(function, data)?;
    let stream = resolve(stream)?;
    Ok(stream.call_host(Box::new(|outcome| {
        // Behind work that failed there is nothing that the function could rely on.
        if outcome.is_ok() {
            call.call();
        }
    }))?)
}

/// Calls a callback when all before it is done, with what became of it; what follows waits for it.
///
/// > Flags: `hipErrorInvalidValue`.
pub(crate) fn add_callback(
    raw: hipStream_t,
    function: hipStreamCallback_t,
    data: *mut c_void,
    flags: u32,
) -> HipResult {
    if flags != 0 {
        return Err(HipError::INVALID_VALUE);
    }
    let call = CallbackCall::new(function, raw, data)?;
    let stream = resolve(raw.into())?;
    Ok(stream.call_host(Box::new(|outcome| {
        let status = outcome.map_or_else(|error| HipError::from(error).code(), |()| hipSuccess);
        call.call(status);
    }))?)
}

/// Whether a stream captures: none does.
pub(crate) fn is_capturing(
    stream: StreamId,
    mut out: Out<'_, hipStreamCaptureStatus>,
) -> HipResult {
    resolve(stream)?;
    out.set(hipStreamCaptureStatusNone);
    Ok(())
}

/// As [`is_capturing`]. The number of a capture is written only where there is one.
pub(crate) fn capture_info(
    stream: StreamId,
    out: Out<'_, hipStreamCaptureStatus>,
    _: Option<Out<'_, u64>>,
) -> HipResult {
    is_capturing(stream, out)
}

/// The flags that a stream was created with.
///
/// > Null: `hipErrorInvalidValue`.
pub(crate) fn flags(raw: hipStream_t, out: Out<'_, u32>) -> HipResult {
    if raw.is_null() {
        return Err(HipError::INVALID_VALUE);
    }
    flags_per_thread(raw.into(), out)
}

/// As [`flags`], where null is the thread's default stream.
pub(crate) fn flags_per_thread(stream: StreamId, mut out: Out<'_, u32>) -> HipResult {
    out.set(flags_of(&*resolve(stream)?));
    Ok(())
}

fn flags_of(stream: &Stream) -> u32 {
    if stream.kind() == StreamKind::NonBlocking {
        hipStreamNonBlocking
    } else {
        hipStreamDefault
    }
}

/// A stream of an attribute call.
///
/// > A handle of no stream: `hipErrorInvalidResourceHandle`.
fn attributed(stream: StreamId) -> HipResult<Ref<Stream>> {
    resolve(stream).map_err(|error| match error {
        HipError::CONTEXT_IS_DESTROYED => HipError::INVALID_HANDLE,
        other => other,
    })
}

/// Sets an attribute of a stream: how the host waits, which is kept and has no effect of its own.
///
/// > An unknown attribute or policy: `hipErrorInvalidValue`. One that a stream does not have here:
/// > `hipErrorNotSupported`.
pub(crate) fn set_attribute(
    stream: StreamId,
    attribute: hipLaunchAttributeID,
    value: &hipLaunchAttributeValue,
) -> HipResult {
    let stream = attributed(stream)?;
    match attribute {
        hipLaunchAttributeSynchronizationPolicy => {
            let policy = sync_policy(value);
            if !(hipSyncPolicyAuto.0..=hipSyncPolicyBlockingSync.0).contains(&policy.0) {
                return Err(HipError::INVALID_VALUE);
            }
            stream.set_wait_policy(policy.0);
            Ok(())
        }
        other => Err(unwanted_attribute(other)),
    }
}

/// An attribute of a stream: how the host waits, or the priority.
///
/// > As [`set_attribute`].
pub(crate) fn attribute(
    stream: StreamId,
    attribute: hipLaunchAttributeID,
    mut out: Out<'_, hipLaunchAttributeValue>,
) -> HipResult {
    let stream = attributed(stream)?;
    let mut value = hipLaunchAttributeValue { pad: [0; 64] };
    match attribute {
        hipLaunchAttributeSynchronizationPolicy => {
            value.syncPolicy =
                hipSynchronizationPolicy(stream.wait_policy().max(hipSyncPolicyAuto.0));
        }
        hipLaunchAttributePriority => value.priority = stream.priority(),
        other => return Err(unwanted_attribute(other)),
    }
    out.set(value);
    Ok(())
}

/// Gives a stream the attributes of another.
///
/// > As [`set_attribute`].
pub(crate) fn copy_attributes(to: StreamId, from: StreamId) -> HipResult {
    let (to, from) = (attributed(to)?, attributed(from)?);
    to.set_wait_policy(from.wait_policy());
    Ok(())
}

fn unwanted_attribute(attribute: hipLaunchAttributeID) -> HipError {
    let known = [
        hipLaunchAttributeAccessPolicyWindow,
        hipLaunchAttributePriority,
        hipLaunchAttributeMemSyncDomainMap,
        hipLaunchAttributeMemSyncDomain,
    ];
    if known.contains(&attribute) {
        HipError::NOT_SUPPORTED
    } else {
        HipError::INVALID_VALUE
    }
}

/// The priority of a stream.
pub(crate) fn priority(stream: StreamId, mut out: Out<'_, i32>) -> HipResult {
    out.set(resolve(stream)?.priority());
    Ok(())
}

/// The device of a stream.
pub(crate) fn device(stream: StreamId, mut out: Out<'_, hipDevice_t>) -> HipResult {
    out.set(device_id(stream)?);
    Ok(())
}

/// The device of a stream, as a value.
pub(crate) fn device_id(stream: StreamId) -> HipResult<hipDevice_t> {
    let ordinal = resolve(stream)?.device().ordinal();
    i32::try_from(ordinal).map_err(|_| HipError::INVALID_DEVICE)
}

/// A number that no other stream of the device has; the profile uses it, too.
///
/// > A handle of no stream: `hipErrorInvalidResourceHandle`.
pub(crate) fn id(stream: StreamId, mut out: Out<'_, u64>) -> HipResult {
    out.set(attributed(stream)?.ordinal().into());
    Ok(())
}
