//! What the chip reads and runs: code objects, the instruction set, execution.
