//! Initialisation and its end.

use std::sync::Arc;

use hrx_drivers::DeviceChoice;
use hrx_runtime::{
    config::{Config, DeviceSelection},
    context::Context,
    event::Event,
    log::say,
    module::registry::Function,
    stream::Stream,
};

use super::module::Module;
use crate::{
    error::{HipError, HipResult},
    handles::{self, Object},
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
