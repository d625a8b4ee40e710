//! Initialisation and its end, and the contexts of the driver interface.

use std::{cell::Cell, sync::Arc};

use hrx_drivers::DeviceChoice;
use hrx_runtime::{
    config::{Config, DeviceSelection},
    context::Context,
    event::Event,
    log::say,
    module::registry::Function,
    stream::Stream,
};

use parking_lot::Mutex;

use super::module::Module;
use crate::{
    convert::Out,
    error::{HipError, HipResult},
    handles::{self, Object, Table},
    sys::{hipCtx_t, hipDevice_t, hipFuncCache_t},
};

/// The context, opened by the first call that needs one.
pub(crate) fn context() -> HipResult<Arc<Context>> {
    Ok(Context::get_or_open(&open_devices)?)
}

/// Opens what the configuration asks for. Called once a context, by whichever thread is first.
fn open_devices(config: &Config) -> Result<Vec<Arc<dyn hrx_hal::Device>>, String> {
    let open = |choice| hrx_drivers::open(choice).map_err(|error| error.to_string());
    let opened = match config.device {
        DeviceSelection::Auto => open(DeviceChoice::Auto)?,
        DeviceSelection::Kfd => open(DeviceChoice::Kfd)?,
        DeviceSelection::Hsa => open(DeviceChoice::Hsa)?,
        DeviceSelection::Virtual => open(DeviceChoice::Virtual)?,
        DeviceSelection::Real => open(DeviceChoice::Kfd)
            .or_else(|kfd| open(DeviceChoice::Hsa).map_err(|hsa| format!("{kfd}; {hsa}")))?,
    };
    // Who asked for the virtual device knows; who did not must hear of it.
    if let Some(notice) = &opened.notice {
        say(notice);
    }
    Ok(opened.devices)
}

/// Opens the device if that is yet to be done.
///
/// > If `flags` is not 0, `hipErrorInvalidValue`.
pub(crate) fn init(flags: u32) -> HipResult {
    if flags != 0 {
        return Err(HipError::INVALID_VALUE);
    }
    context().map(|_| ())
}

/// Ends the context, with the profile session; the next call that needs a device begins anew. All
/// handles become invalid. No other call may be running.
pub(crate) fn deinit() -> HipResult {
    if Context::current().is_none() {
        return Ok(());
    }
    forget_all::<Function>();
    forget_all::<Module>();
    forget_all::<Event>();
    forget_all::<Stream>();
    Context::close();
    Ok(())
}

fn forget_all<T: Object>() {
    for (handle, _) in handles::live::<T>() {
        // Somebody else may have removed it meanwhile.
        let _ = handles::remove::<T>(handle);
    }
}

// ---- Contexts of the driver interface -----------------------------------------------------------

/// What a context handle stands for. There is one context a device, and it lives as long as the process.
pub(crate) struct DeviceContext {
    device: u32,
}

impl Object for DeviceContext {
    type Raw = hipCtx_t;
    fn table() -> &'static Table<Self> {
        static TABLE: Table<DeviceContext> = Table::new();
        &TABLE
    }
}

/// Handles that were given out, by device.
static CONTEXTS: Mutex<Vec<(u32, hipCtx_t)>> = Mutex::new(Vec::new());

/// Contexts that a thread may have pushed.
const STACK: usize = 64;

thread_local! {
    static PUSHED: [Cell<hipCtx_t>; STACK] = const { [const { Cell::new(hipCtx_t::NULL) }; STACK] };
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// The context of a device.
fn context_of(device: u32) -> HipResult<hipCtx_t> {
    let mut contexts = CONTEXTS.lock();
    if let Some((_, handle)) = contexts.iter().find(|(known, _)| *known == device) {
        return Ok(*handle);
    }
    let handle = handles::insert(Arc::new(DeviceContext { device }))?;
    contexts.push((device, handle));
    Ok(handle)
}

/// A device by number, checked.
fn checked_device(device: hipDevice_t) -> HipResult<u32> {
    Ok(context()?.device(device.into())?.ordinal())
}

/// The context of a device. Counts nothing: it lives as long as the process.
pub(crate) fn retain_primary(mut out: Out<'_, hipCtx_t>, device: hipDevice_t) -> HipResult {
    out.set(context_of(checked_device(device)?)?);
    Ok(())
}

/// Lets go of the context of a device, which stays.
pub(crate) fn release_primary(device: hipDevice_t) -> HipResult {
    checked_device(device).map(|_| ())
}

/// Takes the wish to begin anew; what the device holds stays.
pub(crate) fn reset_primary(device: hipDevice_t) -> HipResult {
    checked_device(device).map(|_| ())
}

/// Whether the context of a device is in use. Either answer may be unwanted.
pub(crate) fn primary_state(
    device: hipDevice_t,
    flags: Option<Out<'_, u32>>,
    active: Option<Out<'_, i32>>,
) -> HipResult {
    checked_device(device)?;
    if let Some(mut flags) = flags {
        flags.set(0);
    }
    if let Some(mut active) = active {
        active.set(1);
    }
    Ok(())
}

/// Flags cannot be changed while the context is in use, which it always is.
pub(crate) fn set_primary_flags(device: hipDevice_t, _: u32) -> HipResult {
    checked_device(device)?;
    Err(HipError::CONTEXT_ALREADY_IN_USE)
}

/// Pushes the context of a device.
///
/// > A device that is none: `hipErrorInvalidValue`.
pub(crate) fn create(mut out: Out<'_, hipCtx_t>, _: u32, device: hipDevice_t) -> HipResult {
    let handle = context_of(checked_device(device).map_err(|error| match error {
        HipError::INVALID_DEVICE => HipError::INVALID_VALUE,
        other => other,
    })?)?;
    push(handle)?;
    out.set(handle);
    Ok(())
}

/// Takes a context off the thread's stack if it is on top.
///
/// > Null, or a handle of none: `hipErrorInvalidValue`.
pub(crate) fn destroy(raw: hipCtx_t) -> HipResult {
    handles::get::<DeviceContext>(raw).map_err(|_| HipError::INVALID_VALUE)?;
    if top() == Some(raw) {
        DEPTH.set(DEPTH.get() - 1);
    }
    Ok(())
}

fn top() -> Option<hipCtx_t> {
    let index = DEPTH.get().checked_sub(1)?;
    PUSHED.with(|pushed| pushed.get(index).map(Cell::get))
}

/// Makes a context the thread's, on top of those before it.
///
/// > Null, or a handle of none: `hipErrorInvalidContext`.
pub(crate) fn push(raw: hipCtx_t) -> HipResult {
    let found = handles::get::<DeviceContext>(raw)?;
    let depth = DEPTH.get();
    let pushed = PUSHED.with(|pushed| pushed.get(depth).map(|cell| cell.set(raw)));
    pushed.ok_or(HipError::OUT_OF_MEMORY)?;
    DEPTH.set(depth + 1);
    Ok(context()?.set_device(found.device.into())?)
}

/// Takes the thread's context off its stack.
///
/// > None there: `hipErrorInvalidContext`.
pub(crate) fn pop(out: Option<Out<'_, hipCtx_t>>) -> HipResult {
    let popped = top().ok_or(HipError::INVALID_CONTEXT)?;
    DEPTH.set(DEPTH.get() - 1);
    if let Some(mut out) = out {
        out.set(popped);
    }
    match top() {
        Some(raw) => {
            let device = handles::get::<DeviceContext>(raw)?.device;
            Ok(context()?.set_device(device.into())?)
        }
        None => Ok(()),
    }
}

/// Replaces the thread's context; null takes it away.
pub(crate) fn set_current(raw: hipCtx_t) -> HipResult {
    if !raw.is_null() {
        handles::get::<DeviceContext>(raw)?;
    }
    DEPTH.set(DEPTH.get().saturating_sub(1));
    if raw.is_null() { Ok(()) } else { push(raw) }
}

/// The thread's context: what it pushed last, else that of its device.
pub(crate) fn current(mut out: Out<'_, hipCtx_t>) -> HipResult {
    let context = context()?;
    out.set(match top() {
        Some(raw) => raw,
        None => context_of(context.current_device()?.ordinal())?,
    });
    Ok(())
}

/// The device of the thread's context.
pub(crate) fn device(mut out: Out<'_, hipDevice_t>) -> HipResult {
    let context = context()?;
    let ordinal = context.current_device()?.ordinal();
    out.set(i32::try_from(ordinal).map_err(|_| HipError::INVALID_DEVICE)?);
    Ok(())
}

/// There is no preference between cache and LDS to set.
///
/// > An unknown preference: `hipErrorInvalidValue`; any other: `hipErrorNotSupported`.
pub(crate) fn set_cache_config(config: hipFuncCache_t) -> HipResult {
    Err(if config.name().is_some() {
        HipError::NOT_SUPPORTED
    } else {
        HipError::INVALID_VALUE
    })
}
