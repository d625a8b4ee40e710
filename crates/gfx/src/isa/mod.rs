//! The instruction set of gfx1151 (RDNA3.5): how words become instructions.
//!
//! [`decode`] finds format, opcode and length of one instruction; [`field`] names the bits of each
//! format. [`table`] has a row for every instruction, with name and operands; [`text`] prints one as a
//! disassembler does. None of them knows what an instruction does: that is `exec`'s part.

pub mod decode;
pub mod field;
pub mod table;
pub mod text;

pub use decode::{DecodeError, Format, Inst, decode};
