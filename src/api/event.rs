//! Events: creation, recording, waiting, elapsed time.

use hrx_runtime::event::Event;

use super::{context::context, stream::resolve};
use crate::{
    convert::{Out, StreamId},
    error::{HipError, HipResult},
    handles::{self, Object, Ref, Table},
    sys::{
        hipEvent_t, hipEventBlockingSync, hipEventDefault, hipEventDisableSystemFence,
        hipEventDisableTiming, hipEventInterprocess, hipEventRecordDefault, hipEventRecordExternal,
        hipEventReleaseToDevice, hipEventReleaseToSystem,
    },
};

impl Object for Event {
    type Raw = hipEvent_t;
    fn table() -> &'static Table<Self> {
        static TABLE: Table<Event> = Table::new();
        &TABLE
    }
}

const RELEASE_FLAGS: u32 =
    hipEventReleaseToDevice | hipEventReleaseToSystem | hipEventDisableSystemFence;
const ALL_FLAGS: u32 =
    hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess | RELEASE_FLAGS;

/// A new event with timing.
pub(crate) fn create(out: Out<'_, hipEvent_t>) -> HipResult {
    create_with_flags(out, hipEventDefault)
}

/// A new event.
///
/// > Unknown flags, more than one release flag, or an interprocess event with timing:
/// > `hipErrorInvalidValue`.
pub(crate) fn create_with_flags(mut out: Out<'_, hipEvent_t>, flags: u32) -> HipResult {
    let has = |flag: u32| flags & flag != 0;
    let timed = !has(hipEventDisableTiming);
    if has(!ALL_FLAGS)
        || (flags & RELEASE_FLAGS).count_ones() > 1
        || (has(hipEventInterprocess) && timed)
    {
        return Err(HipError::INVALID_VALUE);
    }
    let context = context()?;
    out.set(handles::insert(Event::new(
        context.current_device()?,
        flags,
        timed,
    ))?);
    Ok(())
}

/// Lets go of an event; who waits for it goes on waiting.
pub(crate) fn destroy(raw: hipEvent_t) -> HipResult {
    if raw.is_null() {
        return Err(HipError::INVALID_HANDLE);
    }
    handles::remove::<Event>(raw).map_err(|_| HipError::CONTEXT_IS_DESTROYED)?;
    Ok(())
}

/// Marks the end of what is in a stream now.
pub(crate) fn record(event: Ref<Event>, stream: StreamId) -> HipResult {
    record_with_flags(event, stream, hipEventRecordDefault)
}

/// As [`record`]. The flags differ during stream capture only.
pub(crate) fn record_with_flags(event: Ref<Event>, stream: StreamId, flags: u32) -> HipResult {
    if flags != hipEventRecordDefault && flags != hipEventRecordExternal {
        return Err(HipError::INVALID_VALUE);
    }
    Ok(event.record(&*resolve(stream)?)?)
}

/// Whether the recorded work is done: `hipErrorNotReady` if not. An event that was never recorded is
/// done.
pub(crate) fn query(event: Ref<Event>) -> HipResult {
    Ok(event.query()?)
}

/// Waits until the recorded work is done.
pub(crate) fn synchronize(event: Ref<Event>) -> HipResult {
    Ok(event.synchronize()?)
}

/// Milliseconds on the device from one event to another.
///
/// > An event that was never recorded or has no timing: `hipErrorInvalidHandle`; one that is not done:
/// > `hipErrorNotReady`.
pub(crate) fn elapsed(mut out: Out<'_, f32>, start: Ref<Event>, stop: Ref<Event>) -> HipResult {
    out.set(start.elapsed_ms(&stop)?);
    Ok(())
}
