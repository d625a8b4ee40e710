//! The bodies of the exports, one file per kind of object, in safe Rust.
//!
//! A body reads: check, look up, call `hrx-runtime`, write out. Its parameters say what it accepts (see
//! [`crate::convert`]); its row in [`crate::table`] says which function it is. `src/api/stream.rs` and
//! `runtime/src/stream.rs` share a name on purpose.

pub(crate) mod context;
pub(crate) mod copy;
pub(crate) mod coverage;
pub(crate) mod device;
pub(crate) mod error;
pub(crate) mod event;
pub(crate) mod fill;
pub(crate) mod function;
pub(crate) mod half;
pub(crate) mod launch;
pub(crate) mod memory;
pub(crate) mod module;
pub(crate) mod peer;
pub(crate) mod pointer;
pub(crate) mod settings;
pub(crate) mod stream;
pub(crate) mod symbol;
pub(crate) mod texture;
mod tool_names;
pub(crate) mod tools;
