//! Turns the rows of [`crate::table`] into exports.
//!
//! Every export is the same few lines around its body:
//!
//! 1. The call gets a number on its thread, from which a correlation id can be made.
//! 2. When the trace is on, the arguments are printed into a span.
//! 3. The arguments are converted, and the body runs, inside a panic fence.
//! 4. The result becomes the thread's last error, as the row's flag says, and goes back to C.
//!
//! # The last error
//! As in AMD's 7.x: a thread keeps the last *error*, and a later success does not clear it;
//! `hipGetLastError` hands it out and clears it. `hipErrorNotReady` is an answer, not an error, and is
//! not kept. Besides, a thread keeps the last result of all, success included, for `hipExtGetLastError`.
//!
//! # Thread safety
//! All state here is per thread and has no destructor, so that calls from global destructors and exit
//! handlers, after the thread's other thread-local values are gone, find it intact.

use std::{
    any::Any,
    cell::Cell,
    ffi::{c_char, c_void},
    fmt::{self, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    ptr,
    sync::atomic::{AtomicU32, Ordering},
};

use crate::{
    api,
    convert::FromAbi,
    error::{HipError, HipResult},
    sys::*,
    table::for_each_hip_api,
    trace::{self, Show},
};

/// Whether an error of the call becomes the thread's last error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastError {
    Sets,
    Keeps,
}

/// The flags of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Policy {
    last_error: LastError,
    /// Stream 0 is the per-thread default stream.
    per_thread_default: bool,
}

/// What a thread remembers between calls. Nothing in it may have a destructor.
struct Thread {
    last_error: Cell<hipError_t>,
    last_result: Cell<hipError_t>,
    /// Counts from 1; 0 until the thread asks for its first correlation id.
    ordinal: Cell<u32>,
    calls: Cell<u64>,
    per_thread_default: Cell<bool>,
}

const _: () = assert!(!std::mem::needs_drop::<Thread>());

thread_local! {
    static THREAD: Thread = const {
        Thread {
            last_error: Cell::new(hipSuccess),
            last_result: Cell::new(hipSuccess),
            ordinal: Cell::new(0),
            calls: Cell::new(0),
            per_thread_default: Cell::new(false),
        }
    };
}

/// The thread's last error, which it then forgets.
pub(crate) fn take_last_error() -> hipError_t {
    THREAD.with(|thread| thread.last_error.replace(hipSuccess))
}

/// The thread's last error, which it keeps.
pub(crate) fn last_error() -> hipError_t {
    THREAD.with(|thread| {
        let code = thread.last_error.get();
        thread.last_result.set(code);
        code
    })
}

/// The result of the thread's last call, success included, which it then forgets.
pub(crate) fn take_last_result() -> hipError_t {
    THREAD.with(|thread| thread.last_result.replace(hipSuccess))
}

/// Whether the running call was made through an `_spt` function.
pub(crate) fn default_is_per_thread() -> bool {
    THREAD.with(|thread| thread.per_thread_default.get())
}

/// A number that no other call of this process has: of the call that this thread is in, or was in last.
pub(crate) fn correlation_id() -> u64 {
    /// Bits that count a thread's calls: enough for a year at 30 000 a millisecond.
    const CALL_BITS: u32 = 40;
    static THREADS: AtomicU32 = AtomicU32::new(1);
    THREAD.with(|thread| {
        if thread.ordinal.get() == 0 {
            // Relaxed: a plain counter.
            thread.ordinal.set(THREADS.fetch_add(1, Ordering::Relaxed));
        }
        let call = thread.calls.get() & ((1 << CALL_BITS) - 1);
        u64::from(thread.ordinal.get()) << CALL_BITS | call
    })
}

/// Runs a body that gives a status. See the head of the module.
#[inline(always)]
fn enter(
    id: ApiId,
    policy: Policy,
    show: &dyn Fn(&mut dyn Write) -> fmt::Result,
    body: impl FnOnce() -> HipResult,
) -> hipError_t {
    THREAD.with(|thread| {
        let result = fenced(thread, id, policy, show, body);
        let code = match result {
            Ok(()) => hipSuccess,
            Err(error) => error.code(),
        };
        if policy.last_error == LastError::Sets {
            thread.last_result.set(code);
            if code != hipSuccess && code != hipErrorNotReady {
                thread.last_error.set(code);
            }
        }
        code
    })
}

/// Runs a body that gives a value. Such calls leave the last error alone.
#[inline(always)]
fn enter_value<R>(
    id: ApiId,
    otherwise: R,
    show: &dyn Fn(&mut dyn Write) -> fmt::Result,
    body: impl FnOnce() -> HipResult<R>,
) -> R {
    let policy = Policy {
        last_error: LastError::Keeps,
        per_thread_default: false,
    };
    THREAD.with(|thread| fenced(thread, id, policy, show, body).unwrap_or(otherwise))
}

#[inline(always)]
fn fenced<R>(
    thread: &Thread,
    id: ApiId,
    policy: Policy,
    show: &dyn Fn(&mut dyn Write) -> fmt::Result,
    body: impl FnOnce() -> HipResult<R>,
) -> HipResult<R> {
    thread.calls.set(thread.calls.get().wrapping_add(1));
    let outer = thread.per_thread_default.replace(policy.per_thread_default);
    let call = if trace::quiet() {
        None
    } else {
        trace::begin(id.name(), show)
    };
    // A body leaves shared state usable when it unwinds: `runtime` keeps its locks free of poison and
    // its workers hold guards that fail what was pending.
    let result = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(result) => result,
        Err(payload) => Err(panicked(id, payload.as_ref())),
    };
    if let Some(call) = call {
        call.end(result.as_ref().err().copied());
    }
    thread.per_thread_default.set(outer);
    result
}

/// A panic is a bug of ours; the program gets an error code and goes on.
#[cold]
fn panicked(id: ApiId, payload: &(dyn Any + Send)) -> HipError {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    tracing::error!(
        "{} panicked, which is a bug in this library: {text}",
        id.name()
    );
    HipError::UNKNOWN
}

/// A call that the table lists as a gap.
#[cold]
fn unsupported<R>(id: ApiId, why: &str) -> HipResult<R> {
    tracing::debug!("{} is not supported: {why}", id.name());
    Err(HipError::NOT_SUPPORTED)
}

/// Runs the body of a row on its converted arguments.
macro_rules! body {
    ($id:ident, unsupported ($why:literal), $($arg:ident),*) => {
        unsupported(ApiId::$id, $why)
    };
    ($id:ident, $($body:ident)::+, $($arg:ident),*) => {
        api::$($body)::+($(
            // SAFETY: the caller keeps what the HIP reference asks of each argument.
            unsafe { FromAbi::from_abi($arg) }?
        ),*)
    };
}

/// The flags of a row as a [`Policy`].
macro_rules! policy {
    (sets) => {
        Policy {
            last_error: LastError::Sets,
            per_thread_default: false,
        }
    };
    (sets spt) => {
        Policy {
            last_error: LastError::Sets,
            per_thread_default: true,
        }
    };
    (keeps) => {
        Policy {
            last_error: LastError::Keeps,
            per_thread_default: false,
        }
    };
}

/// Prints the arguments of a call as `name=value, name=value`.
macro_rules! show {
    ($($arg:ident),*) => {
        &|_out: &mut dyn Write| {
            let _separator = "";
            $(
                write!(_out, "{_separator}{}=", trace::parameter(stringify!($arg)))?;
                Show::show(&$arg, _out)?;
                let _separator = ", ";
            )*
            Ok(())
        }
    };
}

macro_rules! exports {
    (
        status { $(in $snode:literal fn $sname:ident ($($sarg:ident: $sty:ty),*) => $($sbody:ident)::+ $(($swhy:literal))? [$($sflag:ident)+];)* }
        value { $(in $vnode:literal fn $vname:ident ($($varg:ident: $vty:ty),*) -> $vret:ty => $($vbody:ident)::+ $(($vwhy:literal))? else $velse:expr;)* }
    ) => {
        /// An exported function. The number is its place in the table and means nothing outside.
        #[expect(non_camel_case_types, reason = "the names are those of the exports")]
        #[repr(u16)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum ApiId { $($sname,)* $($vname,)* }

        impl ApiId {
            const NAMES: &[&str] = &[$(stringify!($sname),)* $(stringify!($vname),)*];

            /// The symbol.
            pub(crate) fn name(self) -> &'static str {
                Self::NAMES[self as usize]
            }
        }

        /// Name and address of each export.
        static ADDRESSES: &[(&str, Address)] = &[
            $((stringify!($sname), Address(exports::$sname as *const c_void)),)*
            $((stringify!($vname), Address(exports::$vname as *const c_void)),)*
        ];

        mod exports {
            #![expect(non_snake_case, reason = "the names are those of the C headers")]
            #![expect(clippy::too_many_arguments, reason = "the signatures are those of the C headers")]
            #![allow(clippy::unused_unit, reason = "a row of the table always names its result")]

            use super::*;

            $(
                #[unsafe(no_mangle)]
                pub(super) unsafe extern "C" fn $sname($($sarg: $sty),*) -> hipError_t {
                    enter(
                        ApiId::$sname,
                        policy!($($sflag)+),
                        show!($($sarg),*),
                        || body!($sname, $($sbody)::+ $(($swhy))?, $($sarg),*),
                    )
                }
            )*

            $(
                #[unsafe(no_mangle)]
                pub(super) unsafe extern "C" fn $vname($($varg: $vty),*) -> $vret {
                    enter_value(
                        ApiId::$vname,
                        $velse,
                        show!($($varg),*),
                        || body!($vname, $($vbody)::+ $(($vwhy))?, $($varg),*),
                    )
                }
            )*
        }
    };
}
for_each_hip_api!(exports);

struct Address(*const c_void);

// SAFETY: the address of a function never changes and may be read by any thread.
unsafe impl Sync for Address {}

/// The address of the export `name`.
pub(crate) fn address_of(name: &str) -> Option<*const c_void> {
    ADDRESSES
        .iter()
        .find(|(export, _)| *export == name)
        .map(|(_, address)| address.0)
}
