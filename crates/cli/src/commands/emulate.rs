//! `hrx emulate`: a program that opens `/dev/kfd` itself, with the virtual gfx1151 under it.
//!
//! The program takes the place of `hrx`, so its streams, signals and status are its own.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The library that stands in front of libc.
const LIBRARY: &str = "libhrx_vgpu.so";
/// Exit codes of shells and of tools like env(1).
const HRX_FAILED: u8 = 125;
const NOT_EXECUTABLE: u8 = 126;
const NOT_FOUND: u8 = 127;

/// Runs a program with a virtual gfx1151 behind /dev/kfd: AMD's rocminfo, or HIP programs on AMD's runtime
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The program keeps its streams and its exit status. Static programs, and those that clear \
                  their environment, do not see the device."
)]
pub(crate) struct Arguments {
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let Some((program, rest)) = arguments.command.split_first() else {
        return fail(HRX_FAILED, "no program to run");
    };
    let library = match find() {
        Ok(library) => library,
        Err(error) => return fail(HRX_FAILED, &error),
    };
    let error = Command::new(program)
        .args(rest)
        .env(
            "LD_PRELOAD",
            preload(&library, std::env::var_os("LD_PRELOAD")),
        )
        .exec();
    let code = match error.kind() {
        io::ErrorKind::NotFound => NOT_FOUND,
        _ => NOT_EXECUTABLE,
    };
    fail(
        code,
        &format!("cannot run `{}`: {error}", Path::new(program).display()),
    )
}

/// Beside `hrx`, as cargo builds it, or in `../lib`, as an installation has it.
fn find() -> Result<PathBuf, String> {
    let own =
        std::env::current_exe().map_err(|error| format!("cannot find our own program: {error}"))?;
    let beside = own.parent().unwrap_or(Path::new("/"));
    let lib = beside.parent().unwrap_or(beside).join("lib");
    let places = [beside.join(LIBRARY), lib.join(LIBRARY)];
    match places.iter().find(|place| place.is_file()) {
        Some(place) => Ok(place.clone()),
        None => Err(format!(
            "found no {LIBRARY} in `{}` or `{}`; `cargo build --release -p hrx-preload` makes it",
            beside.display(),
            lib.display()
        )),
    }
}

/// Ours first: what else is preloaded keeps its place behind.
fn preload(library: &Path, before: Option<OsString>) -> OsString {
    let mut list = library.as_os_str().to_owned();
    if let Some(before) = before.filter(|before| !before.is_empty()) {
        list.push(":");
        list.push(before);
    }
    list
}

fn fail(code: u8, text: &str) -> ExitCode {
    eprintln!("hrx: {text}");
    ExitCode::from(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_preloaded_stays_behind_ours() {
        let ours = Path::new("/opt/hrx/libhrx_vgpu.so");
        assert_eq!(preload(ours, None), "/opt/hrx/libhrx_vgpu.so");
        assert_eq!(preload(ours, Some("".into())), "/opt/hrx/libhrx_vgpu.so");
        let both = preload(ours, Some("libother.so".into()));
        assert_eq!(both, "/opt/hrx/libhrx_vgpu.so:libother.so");
    }
}
