//! What programs do with SIGSEGV, which the trap under doorbells needs.

use std::ffi::c_int;

use libc::{sighandler_t, sigset_t};

use crate::{doorbells, real};

/// # Safety
/// As libc's function of this name.
#[unsafe(no_mangle)]
unsafe extern "C" fn sigaction(
    signal: c_int,
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
) -> c_int {
    if signal == libc::SIGSEGV {
        // SAFETY: the caller's promise.
        if unsafe { doorbells::client_action(new, old) }.is_some() {
            return 0;
        }
    }
    // SAFETY: the caller's promise.
    unsafe { real::sigaction(signal, new, old) }
}

/// # Safety
/// As libc's function of this name.
#[unsafe(no_mangle)]
unsafe extern "C" fn signal(number: c_int, handler: sighandler_t) -> sighandler_t {
    // SAFETY: all zeros is an action.
    let mut new: libc::sigaction = unsafe { std::mem::zeroed() };
    new.sa_sigaction = handler;
    new.sa_flags = libc::SA_RESTART;
    // SAFETY: as above.
    let mut old: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: both are live, and the caller's handler is one for this signal.
    if unsafe { sigaction(number, &new, &mut old) } == 0 {
        old.sa_sigaction
    } else {
        libc::SIG_ERR
    }
}

/// Calls `$call` with a set in which SIGSEGV is missing, where the caller's would block it.
macro_rules! masks {
    ($($name:ident)*) => {$(
        /// # Safety
        /// As libc's function of this name.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(how: c_int, set: *const sigset_t, old: *mut sigset_t) -> c_int {
            if set.is_null() || how == libc::SIG_UNBLOCK {
                // SAFETY: the caller's promise.
                return unsafe { real::$name(how, set, old) };
            }
            // SAFETY: not null, so the caller's set.
            let mut open = unsafe { *set };
            // SAFETY: our own copy.
            unsafe { libc::sigdelset(&mut open, libc::SIGSEGV) };
            // SAFETY: the caller's promise, with our copy of its set.
            unsafe { real::$name(how, &open, old) }
        }
    )*};
}

masks! { pthread_sigmask sigprocmask }
