//! The profile bundle: schema, writer, reader, recovery.

#![deny(unsafe_code)]

mod cast;
mod error;
mod mmap;
mod process;
pub mod schema;
mod side;

pub use error::{Error, Result};
pub use side::{CompletedSlot, Leftovers, RingMemory, SideFile, SideOptions, SideReader};
