//! The trace of API calls: one event per call, with its arguments and its result.
//!
//! `HRX_LOG=trace` (or `HRX_LOG=hip=trace` for the calls alone) prints them. A call whose trace is off
//! costs one relaxed load.
//!
//! An argument is printed as the C header would have it: addresses in hex, enumerations by name,
//! strings by their text. A string is read through the kernel, so a wild pointer prints as an address.

use std::{
    ffi::{c_char, c_void},
    fmt::{self, Write},
    sync::{
        Once,
        atomic::{AtomicU8, Ordering},
    },
};

use crate::{error::HipError, sys::CType};

/// What the calls have to do besides their work.
static GATE: AtomicU8 = AtomicU8::new(UNKNOWN);
/// `HRX_LOG` was not looked at yet.
const UNKNOWN: u8 = 0;
const QUIET: u8 = 1;
const LOUD: u8 = 2;

/// Whether a call may go the short way: no trace of it is wanted.
#[inline(always)]
pub(crate) fn quiet() -> bool {
    // Relaxed: the value says only whether to look closer, and publishes nothing.
    GATE.load(Ordering::Relaxed) == QUIET
}

/// Reads `HRX_LOG` if that is yet to be done, and says whether the calls are traced.
#[cold]
pub(crate) fn on() -> bool {
    static INIT: Once = Once::new();
    INIT.call_once(|| {
        hrx_runtime::log::start();
        let loud = tracing::enabled!(target: "hip", tracing::Level::TRACE);
        GATE.store(if loud { LOUD } else { QUIET }, Ordering::Relaxed);
    });
    !quiet()
}

/// An argument as the trace shows it.
pub(crate) trait Show {
    fn show(&self, out: &mut dyn Write) -> fmt::Result;
}

/// What a pointer points at, as far as the trace is concerned.
pub(crate) trait ShowPointee {
    /// Prints a pointer that is not null.
    fn show_at(at: *const Self, out: &mut dyn Write) -> fmt::Result
    where
        Self: Sized,
    {
        write!(out, "{at:p}")
    }
}

impl<T: CType> ShowPointee for T {}
impl ShowPointee for c_void {}
impl ShowPointee for c_char {
    fn show_at(at: *const Self, out: &mut dyn Write) -> fmt::Result {
        /// Longer strings are cut.
        const LIMIT: usize = 256;
        let mut bytes = [0_u8; LIMIT];
        let read = read_own_memory(at.cast(), &mut bytes);
        match bytes[..read].iter().position(|byte| *byte == 0) {
            Some(end) => write!(out, "{:?}", String::from_utf8_lossy(&bytes[..end])),
            None if read == LIMIT => write!(out, "{:?}...", String::from_utf8_lossy(&bytes)),
            None => write!(out, "{at:p}"),
        }
    }
}

/// Reads up to a buffer's length at `at`, as far as the memory is mapped; 0 where none is.
///
/// The kernel does the reading, so that no address can hurt us.
fn read_own_memory(at: *const c_void, into: &mut [u8]) -> usize {
    /// A read stops at the first page that is not there, so go page by page: 4 KiB is the smallest.
    const PAGE: usize = 4096;
    let mut done = 0;
    while done < into.len() {
        let from = at.wrapping_byte_add(done);
        let length = (PAGE - from.addr() % PAGE).min(into.len() - done);
        let local = libc::iovec {
            iov_base: into[done..].as_mut_ptr().cast(),
            iov_len: length,
        };
        let remote = libc::iovec {
            iov_base: from.cast_mut(),
            iov_len: length,
        };
        // SAFETY: getpid has no preconditions.
        let pid = unsafe { libc::getpid() };
        // SAFETY: `local` lies in `into` by the slice above; the kernel checks `remote` itself.
        let read =
            unsafe { libc::process_vm_readv(pid, &raw const local, 1, &raw const remote, 1, 0) };
        match usize::try_from(read) {
            Ok(read) if read > 0 => done += read,
            _ => break,
        }
    }
    done
}

impl<T: ShowPointee> Show for *const T {
    fn show(&self, out: &mut dyn Write) -> fmt::Result {
        if self.is_null() {
            out.write_str("null")
        } else {
            T::show_at(*self, out)
        }
    }
}

/// Memory that the call may write is shown as an address: it holds nothing to read yet.
impl<T> Show for *mut T {
    fn show(&self, out: &mut dyn Write) -> fmt::Result {
        if self.is_null() {
            out.write_str("null")
        } else {
            write!(out, "{:p}", *self)
        }
    }
}

/// Values that have a `Debug` form fit for a log.
macro_rules! show_debug {
    ($($ty:ty),* $(,)?) => { $(
        impl $crate::trace::Show for $ty {
            fn show(&self, out: &mut dyn std::fmt::Write) -> std::fmt::Result {
                write!(out, "{self:?}")
            }
        }
    )* };
}
pub(crate) use show_debug;

show_debug!(u8, u16, u32, u64, usize, i32, i64, f32);

/// The name of a parameter, without the mark that Rust needs where the name is a keyword.
pub(crate) fn parameter(name: &'static str) -> &'static str {
    name.strip_prefix("r#").unwrap_or(name)
}

/// A traced call that is under way: entered into its span until [`Call::end`].
pub(crate) struct Call {
    text: String,
    _span: tracing::span::EnteredSpan,
}

/// Starts the trace of a call, if `HRX_LOG` asks for it.
#[cold]
pub(crate) fn begin(
    name: &'static str,
    show: &dyn Fn(&mut dyn Write) -> fmt::Result,
) -> Option<Call> {
    if !on() {
        return None;
    }
    let mut text = format!("{name}(");
    // Writing to a String cannot fail, and a value that cannot print itself is shown up to there.
    let _ = show(&mut text);
    text.push(')');
    let _span = tracing::trace_span!(target: "hip", "call", api = name).entered();
    Some(Call { text, _span })
}

impl Call {
    /// Logs the call with its result.
    #[cold]
    pub(crate) fn end(self, error: Option<HipError>) {
        match error {
            None => tracing::trace!(target: "hip", "{} = hipSuccess", self.text),
            Some(error) => tracing::trace!(target: "hip", "{} = {error:?}: {error}", self.text),
        }
    }
}
