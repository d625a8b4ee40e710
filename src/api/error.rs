//! Error names, texts and the last error of a thread.

use std::ffi::c_char;

use crate::{
    convert::Out,
    error::{self, HipError, HipResult, UNKNOWN_NAME, UNKNOWN_TEXT},
    shim,
    sys::{hipError_t, hipErrorUnknown, hipSuccess},
};

/// The last error of the calling thread, which is then forgotten.
pub(crate) fn take_last() -> HipResult {
    as_result(shim::take_last_error())
}

/// The last error of the calling thread.
pub(crate) fn peek_last() -> HipResult {
    as_result(shim::last_error())
}

/// The result of the thread's last call, success included, which is then forgotten.
pub(crate) fn take_last_result() -> HipResult {
    as_result(shim::take_last_result())
}

fn as_result(code: hipError_t) -> HipResult {
    HipError::new(code).map_or(Ok(()), Err)
}

/// The name of a code; `hipErrorUnknown` for a code that HIP does not have.
pub(crate) fn name(code: hipError_t) -> HipResult<*const c_char> {
    Ok(error::name(code).unwrap_or(UNKNOWN_NAME).as_ptr())
}

/// The text for a code; "unknown error" for a code that HIP does not have.
pub(crate) fn text(code: hipError_t) -> HipResult<*const c_char> {
    Ok(error::text(code).unwrap_or(UNKNOWN_TEXT).as_ptr())
}

/// As [`name`], but a code that HIP does not have is an error. The name is written either way.
pub(crate) fn driver_name(code: hipError_t, mut out: Out<'_, *const c_char>) -> HipResult {
    let name = error::name(code).unwrap_or(UNKNOWN_NAME);
    out.set(name.as_ptr());
    known(code, name == UNKNOWN_NAME)
}

/// As [`text`], but a code without a text is an error. The text is written either way.
pub(crate) fn driver_text(code: hipError_t, mut out: Out<'_, *const c_char>) -> HipResult {
    let text = error::text(code).unwrap_or(UNKNOWN_TEXT);
    out.set(text.as_ptr());
    known(code, text == UNKNOWN_TEXT)
}

fn known(code: hipError_t, reads_as_unknown: bool) -> HipResult {
    if reads_as_unknown && code != hipErrorUnknown && code != hipSuccess {
        return Err(HipError::INVALID_VALUE);
    }
    Ok(())
}
