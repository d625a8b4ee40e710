//! SDMA packets, version 6 (gfx11): what a copy queue's ring holds.
//!
//! Packets are little-endian dwords. Bits 0 to 7 of the first are the operation, 8 to 15 the sub-operation.
//! The ring's pointers count bytes and never wrap; a packet does not cross the ring's end.
//!
//! Source: AMD's SDMA v6.0.0 packet header, and the packets that ROCr sends.

/// Does nothing; bits 16 to 29 of the first dword are dwords to skip.
pub const OP_NOP: u32 = 0;
/// Copies.
pub const OP_COPY: u32 = 1;
/// Writes the dwords that follow it.
pub const OP_WRITE: u32 = 2;
/// Writes one dword.
pub const OP_FENCE: u32 = 5;
/// Raises an interrupt.
pub const OP_TRAP: u32 = 6;
/// Waits for memory to hold a value.
pub const OP_POLL_REGMEM: u32 = 8;
/// Skips packets unless memory holds a value.
pub const OP_COND_EXE: u32 = 9;
/// Changes memory in one step.
pub const OP_ATOMIC: u32 = 10;
/// Fills memory with a value.
pub const OP_CONST_FILL: u32 = 11;
/// Writes the device's clock.
pub const OP_TIMESTAMP: u32 = 13;
/// Writes back and invalidates caches.
pub const OP_GCR: u32 = 17;

/// [`OP_COPY`]: bytes in a row.
pub const SUB_LINEAR: u32 = 0;
/// [`OP_COPY`]: a box out of a larger one into another.
pub const SUB_WINDOW: u32 = 4;
/// [`OP_COPY`]: the same with a dword for each coordinate.
pub const SUB_WINDOW_LARGE: u32 = 36;
/// [`OP_TIMESTAMP`]: sets the clock.
pub const SUB_TIMESTAMP_SET: u32 = 0;

/// Dwords of each packet of a fixed length.
pub const COPY_LINEAR_DWORDS: u64 = 7;
/// See [`COPY_LINEAR_DWORDS`].
pub const SUB_WINDOW_DWORDS: u64 = 13;
/// See [`COPY_LINEAR_DWORDS`].
pub const SUB_WINDOW_LARGE_DWORDS: u64 = 20;
/// See [`COPY_LINEAR_DWORDS`].
pub const FENCE_DWORDS: u64 = 4;
/// See [`COPY_LINEAR_DWORDS`].
pub const TRAP_DWORDS: u64 = 2;
/// See [`COPY_LINEAR_DWORDS`].
pub const POLL_REGMEM_DWORDS: u64 = 6;
/// See [`COPY_LINEAR_DWORDS`].
pub const COND_EXE_DWORDS: u64 = 5;
/// See [`COPY_LINEAR_DWORDS`].
pub const ATOMIC_DWORDS: u64 = 8;
/// See [`COPY_LINEAR_DWORDS`].
pub const CONST_FILL_DWORDS: u64 = 5;
/// See [`COPY_LINEAR_DWORDS`].
pub const TIMESTAMP_DWORDS: u64 = 3;
/// See [`COPY_LINEAR_DWORDS`].
pub const GCR_DWORDS: u64 = 5;

/// Largest byte count of a linear copy and of a fill: 30 bits.
pub const COUNT_MASK: u32 = 0x3fff_ffff;
/// [`OP_POLL_REGMEM`], first dword: it is memory that is polled, not a register.
pub const POLL_MEMORY: u32 = 1 << 31;
/// [`OP_POLL_REGMEM`], first dword: position of the comparison, three bits.
pub const POLL_FUNCTION_SHIFT: u32 = 28;
/// [`OP_ATOMIC`], first dword: position of the operation.
pub const ATOMIC_OPERATION_SHIFT: u32 = 25;
/// [`OP_ATOMIC`]: add 64 bits.
pub const ATOMIC_ADD64: u32 = 47;
/// [`OP_CONST_FILL`], first dword: position of log2 of the unit's bytes.
pub const FILL_SIZE_SHIFT: u32 = 30;
