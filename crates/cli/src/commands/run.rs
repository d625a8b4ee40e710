//! `hrx run`: a program on our runtime, profiled, and where its bundle is.
//!
//! The program keeps its streams, its exit status and its signals; what we say goes to stderr, after it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::time::SystemTime;
use std::{fs, io};

use hrx_profile::{Model, Reader};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use super::recover;
use crate::library;

/// Name of the bundle when none is given: the runtime's own default, kept where `hrx` was started.
const DEFAULT_FILE: &str = "%e.%p.ireeprof";
/// Exit codes of shells and of tools like env(1).
const HRX_FAILED: u8 = 125;
const NOT_EXECUTABLE: u8 = 126;
const NOT_FOUND: u8 = 127;

/// Runs a program with our HIP runtime in place of any other, profiles it, and says where the bundle is
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The program's exit status is kept; see `hrx --help` for the other exit codes."
)]
pub(crate) struct Arguments {
    /// What to record: `dispatch`, `queue`, or another of the runtime's modes, with commas between them
    #[arg(long, value_name = "MODE", default_value = "dispatch")]
    profile: String,
    /// The bundle; may hold %p (process), %e (program), %h (host), %r (rank), %t (time)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let directory = match library::directory() {
        Ok(directory) => directory,
        Err(error) => return fail(HRX_FAILED, &error.to_string()),
    };
    let pattern = match absolute(arguments.output.as_deref()) {
        Ok(pattern) => pattern,
        Err(error) => {
            return fail(
                HRX_FAILED,
                &format!("cannot find the current folder: {error}"),
            );
        }
    };
    let Some((program, rest)) = arguments.command.split_first() else {
        return fail(HRX_FAILED, "no program to run");
    };
    let mut command = Command::new(program);
    command
        .args(rest)
        .env("HRX_PROFILE_MODE", &arguments.profile)
        .env("HRX_PROFILE_FILE", &pattern)
        .env(
            "LD_LIBRARY_PATH",
            library_path(&directory, std::env::var_os("LD_LIBRARY_PATH")),
        );
    // Taken before the start, so that an interrupt cannot come in between.
    let signals = Signals::new([SIGINT, SIGQUIT, SIGTERM, SIGHUP]);
    let started = SystemTime::now();
    let status = match command.spawn() {
        Ok(child) => wait(child, signals),
        Err(error) => {
            let code = match error.kind() {
                io::ErrorKind::NotFound => NOT_FOUND,
                _ => NOT_EXECUTABLE,
            };
            return fail(
                code,
                &format!("cannot run `{}`: {error}", Path::new(program).display()),
            );
        }
    };
    let status = match status {
        Ok(status) => status,
        Err(error) => return fail(HRX_FAILED, &format!("cannot wait for the program: {error}")),
    };
    if let Some(signal) = status.signal() {
        eprintln!("hrx: the program was ended by signal {signal}");
    }
    tell_bundles(&pattern, started);
    ExitCode::from(exit_code(status))
}

fn fail(code: u8, text: &str) -> ExitCode {
    eprintln!("hrx: {text}");
    ExitCode::from(code)
}

/// Waits for the program. Terminals send an interrupt to it as well, so `hrx` only outlives that; what is
/// sent to `hrx` alone is passed on.
fn wait(mut child: Child, signals: io::Result<Signals>) -> io::Result<ExitStatus> {
    let mut signals = signals?;
    let handle = signals.handle();
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let forwarder = std::thread::spawn(move || {
        for signal in signals.forever() {
            let passed_on = match signal {
                SIGTERM => Signal::TERM,
                SIGHUP => Signal::HUP,
                _ => continue,
            };
            if let Some(pid) = pid {
                // It may have ended meanwhile; it is not reaped before the thread is joined.
                let _ = kill_process(pid, passed_on);
            }
        }
    });
    let status = child.wait();
    handle.close();
    // A panic in the thread would cost forwarding, not the status.
    let _ = forwarder.join();
    status
}

/// As a shell says it: the code, or 128 and the signal.
fn exit_code(status: ExitStatus) -> u8 {
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal));
    u8::try_from(code.unwrap_or(1) & 0xFF).unwrap_or(1)
}

/// The bundle's path pattern with the current folder in front, since the program may change folders. A
/// `%` of the folder stands for itself.
fn absolute(output: Option<&Path>) -> io::Result<OsString> {
    let output = output.unwrap_or(Path::new(DEFAULT_FILE));
    if output.is_absolute() {
        return Ok(output.as_os_str().to_owned());
    }
    let folder = std::env::current_dir()?;
    let mut pattern = Vec::new();
    for &byte in folder.as_os_str().as_bytes() {
        pattern.push(byte);
        if byte == b'%' {
            pattern.push(b'%');
        }
    }
    let folder = PathBuf::from(OsString::from_vec(pattern));
    Ok(folder.join(output).into_os_string())
}

fn library_path(directory: &Path, before: Option<OsString>) -> OsString {
    let mut path = directory.as_os_str().to_owned();
    // An empty entry would mean the current folder.
    if let Some(before) = before.filter(|before| !before.is_empty()) {
        path.push(":");
        path.push(before);
    }
    path
}

/// Says of each bundle that the run left where it is and what is in it; completes those whose process
/// did not end its session.
fn tell_bundles(pattern: &OsStr, started: SystemTime) {
    let bundles = find_bundles(pattern, started);
    if bundles.is_empty() {
        eprintln!(
            "hrx: no bundle was written: the program made no HIP call on a device, or does not load \
             {} from LD_LIBRARY_PATH",
            library::SONAME
        );
    }
    for path in bundles {
        let finished = Reader::open(&path).is_ok_and(|reader| reader.is_finished());
        if !finished {
            match hrx_profile::recover(&path, None) {
                Ok(report) => {
                    let text = recover::describe(&path.display().to_string(), &report);
                    eprint!("hrx: the session did not end cleanly, recovered {text}");
                }
                Err(error) => {
                    let path = path.display();
                    eprintln!(
                        "hrx: the session has not ended: {error}; `hrx recover {path}` when it has"
                    );
                }
            }
        }
        match Model::load(&path) {
            Ok(model) => {
                let (path, count) = (path.display(), model.dispatches.len());
                eprintln!("hrx: {count} dispatches in {path}; `hrx report {path}` shows them");
            }
            Err(error) => eprintln!("hrx: {error}"),
        }
    }
}

/// Files that a pattern may have become and that have changed since `started`, by name.
fn find_bundles(pattern: &OsStr, started: SystemTime) -> Vec<PathBuf> {
    let pattern = Path::new(pattern);
    // A placeholder in a folder's name is not looked for: the program's own line names such a file.
    let folder = pattern.parent().unwrap_or(Path::new("."));
    let folder = PathBuf::from(OsString::from_vec(unescape(folder.as_os_str().as_bytes())));
    let Some(name) = pattern.file_name() else {
        return Vec::new();
    };
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    // File times come from a clock that may tick only every few ms.
    let since = started
        .checked_sub(std::time::Duration::from_millis(50))
        .unwrap_or(started);
    let mut found: Vec<_> = entries
        .filter_map(Result::ok)
        .filter(|entry| matches(name.as_bytes(), entry.file_name().as_bytes()))
        .filter(|entry| {
            let changed = entry.metadata().and_then(|metadata| metadata.modified());
            changed.is_ok_and(|changed| changed >= since)
        })
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

fn unescape(pattern: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut bytes = pattern.iter();
    while let Some(&byte) = bytes.next() {
        out.push(byte);
        if byte == b'%' && bytes.as_slice().first() == Some(&b'%') {
            bytes.next();
        }
    }
    out
}

/// Whether a file name may come from a pattern: each placeholder stands for any text, and a number may
/// follow, which the runtime adds when a name is taken.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    match pattern {
        [] => match name {
            [] => true,
            [b'.', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
            _ => false,
        },
        [b'%', b'%', rest @ ..] => name
            .strip_prefix(b"%")
            .is_some_and(|name| matches(rest, name)),
        [b'%', b'p' | b'h' | b'e' | b'r' | b't', rest @ ..] => {
            (0..=name.len()).any(|taken| matches(rest, &name[taken..]))
        }
        [first, rest @ ..] => name
            .split_first()
            .is_some_and(|(byte, name)| byte == first && matches(rest, name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_what_the_runtime_makes_of_it() {
        assert!(matches(b"%e.%p.ireeprof", b"two_streams.4711.ireeprof"));
        assert!(matches(b"x.ireeprof", b"x.ireeprof.2"));
        assert!(matches(b"100%%.ireeprof", b"100%.ireeprof"));
        assert!(!matches(b"x.ireeprof", b"x.ireeprof.unfinished"));
        assert!(!matches(b"x.ireeprof", b"y.ireeprof"));
        assert!(!matches(b"%e.%p.ireeprof", b"notes.txt"));
    }

    #[test]
    fn our_folder_goes_first_and_no_empty_entry_appears() {
        let folder = Path::new("/opt/hrx");
        assert_eq!(library_path(folder, None), "/opt/hrx");
        assert_eq!(library_path(folder, Some("".into())), "/opt/hrx");
        assert_eq!(library_path(folder, Some("/a:/b".into())), "/opt/hrx:/a:/b");
    }
}
