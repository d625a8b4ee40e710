//! The functions that programs call instead of libc's.

mod control;
mod files;
mod memory;
mod signals;
mod status;

use std::ffi::c_int;

use crate::nodes;

/// Ends a call as libc does: -1 and the error number.
fn fail(error: c_int) -> c_int {
    nodes::set_errno(error);
    -1
}
