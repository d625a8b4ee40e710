//! Model tests of the ring protocol.
