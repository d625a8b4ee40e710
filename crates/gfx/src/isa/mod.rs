//! The instruction set of gfx1151 (RDNA3.5): how words become instructions.
//!
//! [`decode`] finds format, opcode and length of one instruction; [`field`] names the bits of each
//! format. Neither knows what an instruction does: that is `exec`'s part.

pub mod decode;
pub mod field;
pub mod table;
pub mod text;

pub use decode::{DecodeError, Format, Inst, decode};
