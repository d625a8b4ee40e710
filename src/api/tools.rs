//! What profilers, tracers and debuggers ask of the library.

use std::ffi::c_char;

use super::tool_names::{self, UNKNOWN_API, UNKNOWN_COMMAND};
use crate::error::HipResult;

/// The name of the API function with a tool's id; "unknown" for an id of none.
pub(crate) fn api_name(id: u32) -> HipResult<*const c_char> {
    Ok(tool_names::api(id).unwrap_or(UNKNOWN_API).as_ptr())
}

/// The name of a kind of device command.
pub(crate) fn command_name(id: u32) -> HipResult<*const c_char> {
    Ok(tool_names::command(id).unwrap_or(UNKNOWN_COMMAND).as_ptr())
}

/// AMD's runtime answers 0 where its build was given no id.
pub(crate) fn build_id() -> HipResult<usize> {
    Ok(0)
}

/// Our name and version, where AMD's has the name of its build.
pub(crate) fn build_name() -> HipResult<*const c_char> {
    Ok(concat!("hrx ", env!("CARGO_PKG_VERSION"), "\0")
        .as_ptr()
        .cast())
}

/// Empty: which commit a library was built from is nothing that a build can rely on.
pub(crate) fn git_hash() -> HipResult<*const c_char> {
    Ok(c"".as_ptr())
}
