//! What a launch costs the host, profiled and not, and what a recorded dispatch costs on disk.
//!
//! Whole programs, run pairwise in turn so that noise of the machine falls on both: ratios and
//! differences are the result, absolute figures belong to the machine that printed them.

#[path = "../tests/support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use support::{hip_program, on, profiled, release, succeed};

/// Quoted, not measured here: AMD's 7.14 runtime on another virtual device of the same kind.
const AMD_LAUNCH_NS: (f64, f64) = (1600.0, 2200.0);
const AMD_PROFILED_NS: (f64, f64) = (4700.0, 5000.0);
const AMD_BYTES: f64 = 585.0;

type Figures = BTreeMap<String, f64>;

fn figures(command: &mut Command) -> Figures {
    let output = succeed(command);
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(name, value)| Some((name.to_owned(), value.parse().ok()?)))
        .collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn of(rounds: &[Figures], name: &str) -> f64 {
    median(
        rounds
            .iter()
            .filter_map(|round| round.get(name).copied())
            .collect(),
    )
}

fn bundle_bytes(program: &Path, arguments: &[&str], launches: f64) -> f64 {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bundle = folder.path().join("bench.ireeprof");
    succeed(&mut profiled(release(), program, arguments, &bundle));
    let size = std::fs::metadata(&bundle)
        .expect("the bundle is there")
        .len();
    #[expect(clippy::cast_precision_loss, reason = "a file size far below 2^53")]
    let bytes = size as f64;
    bytes / launches
}

fn main() {
    let (Some(cost), Some(launches)) = (
        hip_program("benches/programs/launch_cost.hip"),
        hip_program("tests/programs/launches.hip"),
    ) else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bundle = folder.path().join("bench.ireeprof");
    let (mut plain, mut recorded) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        plain.push(figures(&mut on(release(), &cost, &[])));
        recorded.push(figures(&mut profiled(release(), &cost, &[], &bundle)));
    }
    println!("host cost, ns (median of 5 paired runs, each the median of 100 batches of 1000)");
    for name in ["launch.median", "launch.least", "launch_and_wait.median"] {
        let (off, on) = (of(&plain, name), of(&recorded, name));
        println!(
            "  {name:24} {off:9.1}   profiled {on:9.1}   added {:8.1}",
            on - off
        );
    }
    for name in ["get_device.least", "get_last_error.least"] {
        println!("  {name:24} {:9.1}", of(&plain, name));
    }
    println!(
        "  AMD 7.14, quoted:        {:.0} to {:.0}   profiled {:.0} to {:.0}",
        AMD_LAUNCH_NS.0, AMD_LAUNCH_NS.1, AMD_PROFILED_NS.0, AMD_PROFILED_NS.1
    );
    println!("bundle, bytes a dispatch (AMD 7.14's profiler, quoted: {AMD_BYTES})");
    let batched = bundle_bytes(&launches, &["100000"], 100_000.0);
    let waited = bundle_bytes(&launches, &["10000", "sync=each"], 10_000.0);
    println!("  batched {batched:.0}, each launch waited for {waited:.0}");
}
