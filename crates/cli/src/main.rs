//! The `hrx` command line.
fn main() {}
