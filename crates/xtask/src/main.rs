//! Build verbs of the workspace.
fn main() {}
