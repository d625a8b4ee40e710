//! Running other programs, with the failure told in one line.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The workspace root, from where every verb works.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("crates/xtask has a root")
        .into()
}

/// A command that starts in the workspace root.
pub(crate) fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    command
}

/// Runs a command to its end; anything but status 0 is an error that names it.
pub(crate) fn check(mut command: Command) -> Result<(), String> {
    let shown = show(&command);
    eprintln!("+ {shown}");
    let status = command
        .status()
        .map_err(|error| format!("cannot start {shown}: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{shown}: {status}"))
    }
}

/// `check` of a program and its arguments.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Result<(), String> {
    check(command(program, arguments))
}

/// Runs cargo, the one that runs us.
pub(crate) fn cargo(arguments: &[&str]) -> Result<(), String> {
    run(
        &std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()),
        arguments,
    )
}

/// Whether a program is on the path.
pub(crate) fn on_path(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).is_file()))
}

fn show(command: &Command) -> String {
    let mut shown = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        shown.push(' ');
        shown.push_str(&argument.to_string_lossy());
    }
    shown
}
