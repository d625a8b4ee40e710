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

/// The calling thread's state.
#[inline(always)]
fn thread<'call>() -> &'call Thread {
    let state = THREAD.with(ptr::from_ref);
    // SAFETY: a thread-local value without a destructor lives until its thread is gone; `Thread` is not
    // `Sync`, so the reference stays on this thread, and no caller keeps it beyond the running call.
    unsafe { &*state }
}

/// The thread's last error, which it then forgets.
pub(crate) fn take_last_error() -> hipError_t {
    thread().last_error.replace(hipSuccess)
}

/// The thread's last error, which it keeps.
pub(crate) fn last_error() -> hipError_t {
    let thread = thread();
    let code = thread.last_error.get();
    thread.last_result.set(code);
    code
}

/// The result of the thread's last call, success included, which it then forgets.
pub(crate) fn take_last_result() -> hipError_t {
    thread().last_result.replace(hipSuccess)
}

/// Whether the running call was made through an `_spt` function.
pub(crate) fn default_is_per_thread() -> bool {
    thread().per_thread_default.get()
}

/// A number that no other call of this process has: of the call that this thread is in, or was in last.
pub(crate) fn correlation_id() -> u64 {
    /// Bits that count the calls of a thread: enough for a year of 30 000 a second.
    const CALL_BITS: u32 = 40;
    static THREADS: AtomicU32 = AtomicU32::new(1);
    let thread = thread();
    if thread.ordinal.get() == 0 {
        // Relaxed: a plain counter.
        let ordinal = THREADS.fetch_add(1, Ordering::Relaxed);
        thread.ordinal.set(ordinal);
    }
    let call = thread.calls.get() & ((1 << CALL_BITS) - 1);
    u64::from(thread.ordinal.get()) << CALL_BITS | call
}

/// Runs a body that gives a status. See the head of the module.
#[inline(always)]
fn enter(
    id: ApiId,
    policy: Policy,
    show: &dyn Fn(&mut dyn Write) -> fmt::Result,
    body: impl FnOnce() -> HipResult,
) -> hipError_t {
    let thread = thread();
    let code = match fenced(thread, id, policy, show, body) {
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
    fenced(thread(), id, policy, show, body).unwrap_or(otherwise)
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

#[cfg(test)]
mod tests {
    use std::panic;

    use super::*;

    const SETS: Policy = Policy {
        last_error: LastError::Sets,
        per_thread_default: false,
    };
    const KEEPS: Policy = Policy {
        last_error: LastError::Keeps,
        per_thread_default: false,
    };
    const SPT: Policy = Policy {
        last_error: LastError::Sets,
        per_thread_default: true,
    };

    fn call(policy: Policy, result: HipResult) -> hipError_t {
        enter(ApiId::hipMalloc, policy, &|_| Ok(()), || result)
    }

    #[test]
    fn a_success_does_not_clear_the_last_error() {
        call(SETS, Err(HipError::INVALID_VALUE));
        call(SETS, Ok(()));
        assert_eq!(last_error(), hipErrorInvalidValue, "peeking keeps it");
        assert_eq!(take_last_error(), hipErrorInvalidValue);
        assert_eq!(take_last_error(), hipSuccess);
    }

    #[test]
    fn the_last_result_is_cleared_by_a_success() {
        call(SETS, Err(HipError::INVALID_VALUE));
        call(SETS, Ok(()));
        assert_eq!(take_last_result(), hipSuccess);
        call(SETS, Err(HipError::NOT_READY));
        assert_eq!(take_last_result(), hipErrorNotReady);
        assert_eq!(take_last_result(), hipSuccess);
    }

    #[test]
    fn not_ready_is_an_answer_and_no_error() {
        assert_eq!(call(SETS, Err(HipError::NOT_READY)), hipErrorNotReady);
        assert_eq!(take_last_error(), hipSuccess);
    }

    #[test]
    fn a_row_that_keeps_leaves_the_last_error_alone() {
        call(SETS, Err(HipError::NO_DEVICE));
        call(KEEPS, Err(HipError::INVALID_VALUE));
        assert_eq!(take_last_error(), hipErrorNoDevice);
    }

    #[test]
    fn another_thread_sees_no_error() {
        call(SETS, Err(HipError::INVALID_VALUE));
        let other = std::thread::spawn(take_last_error)
            .join()
            .expect("no panic");
        assert_eq!(other, hipSuccess);
    }

    #[test]
    fn a_panic_becomes_an_error_code() {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(|_| ()));
        let code = enter(ApiId::hipMalloc, SETS, &|_| Ok(()), || panic!("a bug"));
        panic::set_hook(hook);
        assert_eq!(code, hipErrorUnknown);
        assert_eq!(take_last_error(), hipErrorUnknown);
    }

    #[test]
    fn stream_zero_is_per_thread_inside_an_spt_call_only() {
        let mut inside = false;
        let mut nested = true;
        enter(ApiId::hipMemcpy_spt, SPT, &|_| Ok(()), || {
            enter(ApiId::hipMemcpy, SETS, &|_| Ok(()), || {
                nested = default_is_per_thread();
                Ok(())
            });
            inside = default_is_per_thread();
            Ok(())
        });
        assert!(inside && !nested && !default_is_per_thread());
    }

    #[test]
    fn correlation_ids_differ_between_calls_and_threads() {
        let id = || {
            let mut id = 0;
            enter(ApiId::hipMalloc, SETS, &|_| Ok(()), || {
                id = correlation_id();
                assert_eq!(id, correlation_id(), "one call, one id");
                Ok(())
            });
            id
        };
        let here = [id(), id()];
        let there = std::thread::spawn(move || [id(), id()])
            .join()
            .expect("no panic");
        let mut all = [here, there].concat();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 4);
    }

    #[test]
    fn an_export_is_found_by_name() {
        assert_eq!(
            address_of("hipMalloc"),
            Some(exports::hipMalloc as *const c_void)
        );
        assert_eq!(address_of("hipNoSuchThing"), None);
    }

    #[test]
    fn arguments_print_by_name_and_type() {
        let (ptr, kind, r#type) = (ptr::null_mut::<c_void>(), hipMemcpyHostToDevice, 7_u32);
        let name = c"kernel".as_ptr();
        let mut text = String::new();
        let show: &dyn Fn(&mut dyn Write) -> fmt::Result = show!(ptr, kind, r#type, name);
        show(&mut text).expect("a String takes any text");
        assert_eq!(
            text,
            "ptr=null, kind=hipMemcpyHostToDevice, type=7, name=\"kernel\""
        );
    }

    #[test]
    fn a_wild_string_prints_as_an_address() {
        let name: *const c_char = ptr::without_provenance(0x10);
        let mut text = String::new();
        name.show(&mut text).expect("a String takes any text");
        assert_eq!(text, "0x10");
    }
}
