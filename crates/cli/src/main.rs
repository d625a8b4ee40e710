//! The `hrx` command line.
//!
//! One file per verb in `commands`; what they print goes through `render`. Errors are one sentence on
//! stderr. Unsafe code is in `library` alone, where a library of ours is opened.

#![deny(unsafe_code)]

mod commands;
mod library;
mod names;
mod render;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Exit code when a verb could not do its work.
const FAILED: u8 = 1;

/// Profiles HIP programs and shows what their GPU did.
#[derive(Debug, Parser)]
#[command(name = "hrx", version, after_help = AFTER_HELP, disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

const AFTER_HELP: &str = "\
Exit codes:
  0    done
  1    the work could not be done; one sentence on stderr says why
  2    the command line is wrong
`hrx run` ends as the program did:
  n      the program's exit code
  125    hrx itself failed, the program was not started
  126    the program cannot be executed
  127    the program was not found
  128+n  signal n ended the program

Examples:
  hrx run -- ./app --size 4096
  hrx run --profile queue -o trace.ireeprof -- ./app
  hrx report trace.ireeprof
  hrx report --format csv --section kernels trace.ireeprof > kernels.csv
  hrx recover trace.ireeprof";

#[derive(Debug, Subcommand)]
enum Verb {
    /// Run a program on our HIP runtime and profile it
    Run(commands::run::Arguments),
    /// Run a program of AMD's stack on the virtual gfx1151
    Emulate(commands::emulate::Arguments),
    /// Show kernels, streams and their overlap
    Report(commands::report::Arguments),
    /// Complete the bundle of a program that was killed
    Recover(commands::recover::Arguments),
    /// List which HIP functions our runtime implements
    Coverage(commands::coverage::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.verb {
        Verb::Run(arguments) => return commands::run::run(&arguments),
        Verb::Emulate(arguments) => return commands::emulate::run(&arguments),
        Verb::Report(arguments) => commands::report::run(&arguments),
        Verb::Recover(arguments) => commands::recover::run(&arguments),
        Verb::Coverage(arguments) => commands::coverage::run(&arguments),
    };
    match result {
        Ok(text) => print(&text),
        Err(error) => {
            eprintln!("hrx: {error}");
            ExitCode::from(FAILED)
        }
    }
}

/// Prints to stdout. A reader that has gone, as `head` does, is no failure.
fn print(text: &str) -> ExitCode {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            eprintln!("hrx: cannot write to stdout: {error}");
            ExitCode::from(FAILED)
        }
        _ => ExitCode::SUCCESS,
    }
}
