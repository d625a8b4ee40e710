//! What HIP means: contexts, streams, events, modules, memory, profile sessions.
//!
//! | module | is |
//! | --- | --- |
//! | [`context`] | what is open in this process, from the first call to the end |
//! | [`device`] | hardware queues, the order between streams, faults |
//! | [`stream`], [`event`] | work in order, and markers in it |
//! | [`host_work`] | functions of the host in stream order |
//! | [`kernel`] | argument layout and launch checks |
//! | [`module`] | code objects in device memory; what the compiler's start code registers |
//! | [`memory`] | allocations, copies, fills |
//! | [`session`] | the profile |
//! | [`config`], [`log`] | the environment; lines on stderr |
//!
//! This crate validates what a user can get wrong, and reports causes ([`RuntimeError`]); which HIP code
//! a cause becomes is the front's to say. It sees devices through [`hrx_hal::Device`] and knows no driver.
//!
//! Lock order, first to last: context, fat binary, event, stream, queue submission, session output.
#![forbid(unsafe_code)]

mod blit;
pub mod config;
pub mod context;
pub mod device;
mod error;
pub mod event;
pub mod host_work;
pub mod kernel;
pub mod log;
pub mod memory;
pub mod module;
pub mod session;
pub mod stream;

pub use error::{Result, RuntimeError};
