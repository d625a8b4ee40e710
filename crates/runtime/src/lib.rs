//! What HIP means: contexts, streams, events, modules, memory, profile sessions.
#![forbid(unsafe_code)]

pub mod config;
pub mod kernel;
pub mod log;
pub mod session;
