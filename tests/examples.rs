//! The examples, as a user builds and runs them.

mod support;

use std::process::Command;

use support::{
    c_program, hip_program, hrx, our_dispatches, profiled, release, root, succeed, text,
};

#[test]
fn two_streams_is_right_recorded_and_overlaps() {
    let Some(program) = hip_program("examples/two_streams/two_streams.hip") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bundle = folder.path().join("two_streams.ireeprof");
    let output = succeed(&mut profiled(release(), &program, &[], &bundle));
    assert!(
        text(&output).contains("400 launches on 2 streams, 0 wrong results"),
        "{}",
        text(&output)
    );
    assert_eq!(our_dispatches(&bundle), 400);
    let output = succeed(&mut hrx(&[
        "report",
        "--format",
        "json",
        &bundle.to_string_lossy(),
    ]));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let overlaps = report["overlap"].as_array().expect("overlap rows");
    assert!(
        overlaps
            .iter()
            .any(|pair| pair["both_busy_ns"].as_f64().is_some_and(|ns| ns > 0.0)),
        "two independent streams overlap on the device: {report}"
    );
}

#[test]
fn hrx_run_profiles_a_program_and_keeps_its_status() {
    let Some(program) = hip_program("tests/programs/launches.hip") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bundle = folder.path().join("run.ireeprof");
    let (bundle_text, program) = (bundle.to_string_lossy(), program.to_string_lossy());
    let line = [
        "run",
        "--profile",
        "dispatch",
        "-o",
        &bundle_text,
        "--",
        &program,
        "300",
    ];
    let output = succeed(hrx(&line).env("HRX_DEVICE", "virtual"));
    assert!(text(&output).contains(&*bundle_text), "{}", text(&output));
    assert_eq!(our_dispatches(&bundle), 300);
    // The program's own status 2: an argument that it does not know.
    let line = ["run", "-o", &bundle_text, "--", &program, "1", "nonsense"];
    let output = hrx(&line)
        .env("HRX_DEVICE", "virtual")
        .output()
        .expect("hrx starts");
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
}

#[test]
fn the_c_program_is_right_and_recorded() {
    let program = c_program("examples/c_saxpy/c_saxpy.c");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bundle = folder.path().join("c.ireeprof");
    let kernel = root().join("tests/kernels/01_saxpy.O3.co");
    let output = succeed(&mut profiled(
        release(),
        &program,
        &[&kernel.to_string_lossy()],
        &bundle,
    ));
    assert!(
        text(&output).contains("100000 elements, 0 wrong"),
        "{}",
        text(&output)
    );
    assert_eq!(our_dispatches(&bundle), 1);
}

#[test]
fn the_rust_program_is_right_and_recorded() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("rust_saxpy");
    let mut compiler = Command::new("rustc");
    compiler
        .args(["--edition", "2024", "-O", "-L"])
        .arg(release())
        .args(["-l", "amdhip64", "-o"]);
    compiler
        .arg(&program)
        .arg(root().join("examples/rust_saxpy/rust_saxpy.rs"));
    succeed(&mut compiler);
    let bundle = folder.path().join("rust.ireeprof");
    let kernel = root().join("tests/kernels/01_saxpy.O3.co");
    let output = succeed(&mut profiled(
        release(),
        &program,
        &[&kernel.to_string_lossy()],
        &bundle,
    ));
    assert!(
        text(&output).contains("50000 elements, 0 wrong"),
        "{}",
        text(&output)
    );
    assert_eq!(our_dispatches(&bundle), 1);
}
