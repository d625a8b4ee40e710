//! `libamdhip64.so.7`: the HIP 7.2 C ABI, as a drop-in for AMD's library on gfx1151.
//!
//! A call from C passes these modules:
//!
//! 1. [`table`]: one row per exported symbol. It names the version node, the C signature and the body.
//! 2. `shim`: each row becomes an export: panic fence, last error, trace, correlation id.
//! 3. `convert`: each C argument becomes the Rust value that the body asks for, or an error code.
//! 4. `handles`: what a C program holds is an index and a generation, never an address.
//! 5. `api`: the bodies, in safe Rust: check, look up, call `hrx-runtime`, write out.
//! 6. `error`: what went wrong below becomes a `hipError_t`.
//!
//! To add a function, give its row in `table.rs` a body and write that body in `api`.
//!
//! The library is linked `-z nodelete`, so `dlclose` unmaps nothing, and its per-thread state has no
//! destructor, so calls from other libraries' exit handlers and global destructors still work.

mod api;
mod convert;
mod error;
mod exit;
mod handles;
mod shim;
pub mod sys;
mod table;
mod trace;
