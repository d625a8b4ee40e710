//! `bench`: the figures of docs/benchmarks.md, in one run.

use crate::command::cargo;

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let mut line = vec!["bench", "--workspace", "--locked"];
    line.extend(arguments.iter().map(String::as_str));
    cargo(&line)
}
