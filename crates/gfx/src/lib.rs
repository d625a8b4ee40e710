//! What the chip reads and runs: code objects, the instruction set, execution.

#![deny(unsafe_code)]

pub mod exec;
pub mod isa;
pub mod object;
