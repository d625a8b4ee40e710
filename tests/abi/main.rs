//! The binary interface: exports, version nodes, layouts, headers, and that no call crashes.
//!
//! Expected values come from AMD's own build and headers, by way of the files in `tests/data`. The
//! library under test is the one that cargo built beside this test, by the same link as the release's.

mod calls;
mod exports;
mod headers;
mod support;
mod table;
mod trace;
