//! Build verbs of the workspace: `cargo xtask <verb>`.
//!
//! A new machine needs Rust, gcc and Python; every verb installs what else it uses, so the two
//! commands of the README (`demo` and `ci`) are complete.

mod command;
mod verbs;

use std::process::ExitCode;

/// A verb: what a user types, what it does, and the function that does it.
struct Verb {
    name: &'static str,
    help: &'static str,
    run: fn(&[String]) -> Result<(), String>,
}

const VERBS: &[Verb] = &[
    Verb {
        name: "demo",
        help: "set up, build, profile two_streams and report it",
        run: verbs::demo::run,
    },
    Verb {
        name: "ci",
        help: "set up, then every check and test",
        run: verbs::ci::run,
    },
    Verb {
        name: "setup",
        help: "install compilers and test tools (apt, pip)",
        run: verbs::setup::run,
    },
    Verb {
        name: "bench",
        help: "print the benchmarks",
        run: verbs::bench::run,
    },
    Verb {
        name: "oracle",
        help: "run programs on AMD's own runtime over the virtual device, and compare with ours",
        run: verbs::oracle::run,
    },
    Verb {
        name: "gen",
        help: "write the instruction table from its data (--check: compare only)",
        run: verbs::generate::run,
    },
    Verb {
        name: "loom",
        help: "model-check the lock-free parts",
        run: verbs::loom::run,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let verb = arguments
        .first()
        .and_then(|name| VERBS.iter().find(|verb| verb.name == name));
    let Some(verb) = verb else {
        match arguments.first() {
            Some(name) => eprintln!("xtask: unknown verb '{name}', the verbs are:"),
            None => eprintln!("usage: cargo xtask <verb>"),
        }
        for verb in VERBS {
            eprintln!("  {:8} {}", verb.name, verb.help);
        }
        return ExitCode::from(2);
    };
    match (verb.run)(&arguments[1..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask {}: {message}", verb.name);
            ExitCode::FAILURE
        }
    }
}
