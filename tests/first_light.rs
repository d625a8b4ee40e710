//! Whole programs on the virtual device, their bundles judged by upstream's `iree-profile`.

mod support;

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Output;

use support::{
    hip_program, hrx, masked, on, our_dispatches, profiled, read_rows, reader, release, succeed,
    text, upstream_dispatches,
};

const LAUNCHES: &str = "tests/programs/launches.hip";

/// Runs `launches` profiled and returns what it printed; the bundle is left at `bundle`.
fn run(program: &Path, arguments: &[&str], bundle: &Path) -> Output {
    profiled(release(), program, arguments, bundle)
        .output()
        .expect("the program starts")
}

/// Both readers count exactly `expected` dispatches.
fn assert_count(bundle: &Path, expected: u64, clean: bool, what: &str) {
    assert_eq!(our_dispatches(bundle), expected, "hrx report on {what}");
    if let Some(reader) = reader() {
        assert_eq!(
            upstream_dispatches(&reader, bundle, clean),
            expected,
            "iree-profile on {what}"
        );
    }
}

fn counts_hold(arguments: &[&[&str]]) {
    let Some(program) = hip_program(LAUNCHES) else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    for line in arguments {
        let bundle = folder.path().join("run.ireeprof");
        let output = run(&program, line, &bundle);
        assert!(
            output.status.success(),
            "{line:?}: {}\n{}",
            output.status,
            text(&output)
        );
        assert_count(
            &bundle,
            line[0].parse().expect("a number"),
            true,
            &format!("{line:?}"),
        );
        let left = std::fs::read_dir(folder.path()).expect("readable").count();
        assert_eq!(left, 1, "a clean end leaves the bundle alone, {line:?}");
    }
}

#[test]
fn one_stream_records_every_launch() {
    counts_hold(&[&["1"], &["255"], &["256"], &["257"], &["1000"]]);
}

#[test]
fn a_wait_after_each_launch_changes_no_count() {
    counts_hold(&[
        &["1", "sync=each"],
        &["257", "sync=each"],
        &["1000", "sync=each"],
    ]);
}

#[test]
fn several_streams_record_every_launch() {
    counts_hold(&[
        &["255", "streams=2"],
        &["256", "streams=3"],
        &["257", "streams=5"],
        &["1000", "streams=9"],
    ]);
}

#[test]
fn several_threads_record_every_launch() {
    counts_hold(&[&["256", "threads=2"], &["1000", "threads=4", "streams=2"]]);
}

#[test]
fn no_synchronise_before_the_end_loses_nothing() {
    counts_hold(&[
        &["1", "sync=none"],
        &["255", "sync=none"],
        &["257", "sync=none", "end=exit"],
        &["1000", "sync=none", "end=exit_thread", "streams=2"],
        &["1000", "sync=none", "end=deinit"],
    ]);
}

#[test]
fn two_hundred_thousand_launches_are_all_there_and_memory_stays_flat() {
    let Some(program) = hip_program(LAUNCHES) else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bundle = folder.path().join("run.ireeprof");
    let output = run(&program, &["200000", "rss"], &bundle);
    assert!(
        output.status.success(),
        "{}\n{}",
        output.status,
        text(&output)
    );
    assert_count(&bundle, 200_000, true, "200000 launches");
    let stdout = String::from_utf8_lossy(&output.stdout);
    let growth: i64 = stdout
        .lines()
        .find_map(|line| line.strip_prefix("rss_growth_kib "))
        .and_then(|value| value.parse().ok())
        .expect("the program prints its growth");
    assert!(
        growth < 1024,
        "resident memory grew by {growth} KiB after launch 70000"
    );
    counts_hold(&[&["200000", "streams=2", "threads=2"]]);
}

#[test]
fn an_unclean_end_is_whole_after_recover() {
    let Some(program) = hip_program(LAUNCHES) else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (end, signal) in [("_exit", None), ("abort", Some(6)), ("kill", Some(9))] {
        for launches in ["1", "255", "257", "1000"] {
            let bundle = folder.path().join(format!("{end}.{launches}.ireeprof"));
            let end_word = format!("end={end}");
            let output = run(&program, &[launches, "streams=2", &end_word], &bundle);
            assert_eq!(output.status.signal(), signal, "{end}: {}", text(&output));
            // Readers of ours merge the side file in memory, before any rewriting.
            let expected = launches.parse().expect("a number");
            assert_eq!(our_dispatches(&bundle), expected, "{end}, before recover");
            succeed(&mut hrx(&["recover", &bundle.to_string_lossy()]));
            assert_count(&bundle, expected, false, &format!("{end} after {launches}"));
        }
    }
}

#[test]
fn every_verb_of_the_upstream_reader_is_content() {
    let (Some(program), Some(reader)) = (hip_program(LAUNCHES), reader()) else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bundle = folder.path().join("run.ireeprof");
    let output = run(&program, &["700", "streams=3"], &bundle);
    assert!(output.status.success(), "{}", text(&output));
    for verb in [
        "statistics",
        "executable",
        "dispatch",
        "command",
        "queue",
        "memory",
        "counter",
        "cat",
    ] {
        assert!(!read_rows(&reader, verb, &bundle).is_empty(), "{verb}");
    }
    let hints: Vec<_> = read_rows(&reader, "explain", &bundle)
        .into_iter()
        .filter(|row| row["type"] == "explain_hint")
        .collect();
    assert!(hints.is_empty(), "{hints:?}");
    // Code objects and their loads have no route in upstream's export: one row for each chunk.
    let diagnostics: Vec<_> = read_rows(&reader, "export", &bundle)
        .into_iter()
        .filter(|row| row["record_type"] == "diagnostic")
        .collect();
    let about_code_objects = |row: &serde_json::Value| {
        row["category"] == "unknown_chunk"
            && row["content_type"]
                .as_str()
                .is_some_and(|kind| kind.contains("executable-code-object"))
    };
    assert!(
        diagnostics.iter().all(about_code_objects),
        "{diagnostics:?}"
    );
    assert_eq!(diagnostics.len(), 2, "{diagnostics:?}");
}

#[test]
fn a_constructor_that_masks_the_bit_records_nothing_and_says_why() {
    let Some(program) = hip_program(LAUNCHES) else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bundle = folder.path().join("run.ireeprof");
    let output = succeed(&mut profiled(masked(), &program, &["300"], &bundle));
    assert_count(&bundle, 0, true, "the masked build");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let reasons: Vec<_> = stderr
        .lines()
        .filter(|line| line.contains("RETAIN_PROFILE_METADATA"))
        .collect();
    assert_eq!(reasons.len(), 1, "{stderr}");
}

#[test]
fn an_unknown_mode_is_named_and_the_program_runs() {
    let Some(program) = hip_program(LAUNCHES) else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bundle = folder.path().join("run.ireeprof");
    let mut command = profiled(release(), &program, &["10"], &bundle);
    let output = succeed(command.env("HRX_PROFILE_MODE", "dispatches"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    let named =
        |line: &&str| line.contains("dispatches") && line.contains("queue") && line.contains("all");
    assert_eq!(stderr.lines().filter(named).count(), 1, "{stderr}");
    assert!(!bundle.exists());
}

#[test]
fn a_full_disk_or_a_bad_path_costs_the_profile_not_the_program() {
    let Some(program) = hip_program(LAUNCHES) else {
        return;
    };
    for path in ["/dev/full", "/proc/no/such/folder/x.ireeprof"] {
        let output = succeed(&mut profiled(
            release(),
            &program,
            &["600"],
            Path::new(path),
        ));
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(path), "the line names the file: {stderr}");
        assert!(
            stderr
                .lines()
                .filter(|line| line.contains("HRX") || line.contains("hrx"))
                .count()
                <= 3,
            "{stderr}"
        );
    }
}

#[test]
fn an_unprofiled_run_leaves_no_file_and_a_mode_alone_names_its_file() {
    let Some(program) = hip_program(LAUNCHES) else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    succeed(on(release(), &program, &["10"]).current_dir(folder.path()));
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("readable").count(),
        0
    );

    let mut command = on(release(), &program, &["10"]);
    command
        .current_dir(folder.path())
        .env("HRX_PROFILE_MODE", "dispatch");
    let output = succeed(&mut command);
    let files: Vec<_> = std::fs::read_dir(folder.path())
        .expect("readable")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .collect();
    assert_eq!(files.len(), 1, "{files:?}");
    assert!(
        files[0].starts_with("launches.") && files[0].ends_with(".ireeprof"),
        "{files:?}"
    );
    assert!(String::from_utf8_lossy(&output.stderr).contains(&files[0]));
    assert_count(&folder.path().join(&files[0]), 10, true, "the default file");
}

#[test]
fn clock_skew_and_drift_keep_every_stamp_inside_the_life_of_the_process() {
    let Some(program) = hip_program(LAUNCHES) else {
        return;
    };
    let Some(reader) = reader() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bundle = folder.path().join("run.ireeprof");
    let mut command = profiled(release(), &program, &["500"], &bundle);
    command
        .env("HRX_VIRTUAL_CLOCK_SKEW_NS", "7000000000")
        .env("HRX_VIRTUAL_CLOCK_DRIFT_PPM", "200");
    succeed(&mut command);
    assert_eq!(upstream_dispatches(&reader, &bundle, true), 500);
    let rows = read_rows(&reader, "export", &bundle);
    let device: Vec<_> = rows
        .iter()
        .filter(|row| row["record_type"] == "clock_correlation")
        .collect();
    let first = device.first().expect("clock samples")["host_cpu_timestamp_ns"]
        .as_i64()
        .expect("ns");
    let last = device.last().expect("clock samples")["host_cpu_timestamp_ns"]
        .as_i64()
        .expect("ns");
    let mut seen = 0;
    for row in rows
        .iter()
        .filter(|row| row["record_type"] == "dispatch_event")
    {
        let start = row["start_driver_host_cpu_time_ns"]
            .as_i64()
            .expect("a fitted time");
        let end = row["end_driver_host_cpu_time_ns"]
            .as_i64()
            .expect("a fitted time");
        assert!(first <= start && start <= end && end <= last, "{row}");
        seen += 1;
    }
    assert_eq!(seen, 500);
}
