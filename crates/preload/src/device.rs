//! The device of this process.
//!
//! Made by the first open of a node. A child of `fork` has its parent's memory but not its threads, so
//! it gets a device of its own when it opens a node; what it inherited stays its parent's.

use std::cell::Cell;
use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

use hrx_vgpu::{Options, Vgpu};

use crate::doorbells::Trap;
use crate::log;

#[derive(Debug)]
struct Device {
    process: u32,
    vgpu: Arc<Vgpu>,
}

static DEVICE: AtomicPtr<Device> = AtomicPtr::new(std::ptr::null_mut());

/// The device of this process, made if there is none.
///
/// # Errors
/// `ENODEV`, after a line on stderr, where none can be made.
pub(crate) fn current() -> Result<&'static Vgpu, c_int> {
    loop {
        let known = DEVICE.load(Ordering::Acquire);
        if let Some(device) = own(known) {
            return Ok(device);
        }
        let made = Box::into_raw(Box::new(make()?));
        match DEVICE.compare_exchange(known, made, Ordering::AcqRel, Ordering::Relaxed) {
            // What `known` points at is another process's and stays as it is: its threads are not here.
            Ok(_) => {}
            Err(_) => {
                // SAFETY: from `Box::into_raw` above, and nobody has seen it.
                drop(unsafe { Box::from_raw(made) });
            }
        }
    }
}

/// The device of this process if there is one.
pub(crate) fn existing() -> Option<&'static Vgpu> {
    own(DEVICE.load(Ordering::Acquire))
}

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Calls the device, unless this thread is in such a call already: an allocator of the program's may unmap
/// memory while the device allocates and holds its locks.
pub(crate) fn call<T>(call: impl FnOnce() -> T) -> Option<T> {
    INSIDE.with(|inside| {
        if inside.replace(true) {
            return None;
        }
        let result = call();
        inside.set(false);
        Some(result)
    })
}

fn own(device: *mut Device) -> Option<&'static Vgpu> {
    // SAFETY: null, or a device that was published and is never freed.
    let device = unsafe { device.as_ref() }?;
    (device.process == std::process::id()).then(|| &*device.vgpu)
}

fn make() -> Result<Device, c_int> {
    log::start();
    let refuse = |text: &str| {
        log::say(text);
        libc::ENODEV
    };
    let options = Options::from_env().map_err(|error| refuse(&error))?;
    let vgpu = with_signals_blocked(|| Vgpu::new(options))
        .map_err(|error| refuse(&format!("no virtual device: {error}")))?;
    vgpu.watch_doorbells(Arc::new(Trap));
    Ok(Device {
        process: std::process::id(),
        vgpu,
    })
}

/// Runs `call` with the signals of other threads kept off; threads that it starts inherit that, so a
/// program's handlers never run on the device's workers.
fn with_signals_blocked<T>(call: impl FnOnce() -> T) -> T {
    let mut all = std::mem::MaybeUninit::<libc::sigset_t>::zeroed();
    let mut before = std::mem::MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: room for a set.
    unsafe { libc::sigfillset(all.as_mut_ptr()) };
    // What an instruction raises must not be blocked, or the system kills the process unheard.
    for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL] {
        // SAFETY: a set that was filled above.
        unsafe { libc::sigdelset(all.as_mut_ptr(), signal) };
    }
    // SAFETY: both sets have room, and the first is initialised.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr()) };
    let result = call();
    // SAFETY: `before` is what the first call wrote, or the empty set.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
    result
}
