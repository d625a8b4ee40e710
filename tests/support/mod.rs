//! What the whole-program tests share: the finished library, compilers, upstream's reader.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// The workspace root.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn cargo_build(arguments: &[&str]) {
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--locked"])
        .args(arguments)
        .current_dir(root())
        // The settings of the test build itself are not those of a user's build.
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .status()
        .expect("cargo starts");
    assert!(status.success(), "cargo build {arguments:?}: {status}");
}

/// The folder of the library and of `hrx` as `cargo build --release` leaves them, never stale.
pub(crate) fn release() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        cargo_build(&["--release"]);
        root().join("target/release")
    })
}

/// A library whose one constructor of command buffers masks the retain bit.
pub(crate) fn masked() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        cargo_build(&[
            "--features",
            "fault-mask-retain",
            "--target-dir",
            "target/masked",
        ]);
        root().join("target/masked/debug")
    })
}

fn have(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok()
}

/// Compiles a HIP source of the repository; `None`, loudly, on a machine without clang-19.
pub(crate) fn hip_program(source: &str) -> Option<PathBuf> {
    if !have("clang++-19") {
        eprintln!("SKIPPED: {source} needs clang-19 (cargo xtask setup installs it)");
        return None;
    }
    let mut compiler = Command::new("clang++-19");
    compiler.args([
        "-x",
        "hip",
        "--offload-arch=gfx1151",
        "-nogpuinc",
        "-nogpulib",
        "-std=c++17",
    ]);
    compiler.arg("-O2").arg(root().join(source));
    Some(link(compiler, source))
}

/// Compiles a C source of the repository with the system's compiler.
pub(crate) fn c_program(source: &str) -> PathBuf {
    let mut compiler = Command::new("cc");
    compiler.args([
        "-std=c11",
        "-D_GNU_SOURCE",
        "-O1",
        "-Wall",
        "-Wextra",
        "-Werror",
    ]);
    compiler.arg(root().join(source));
    link(compiler, source)
}

fn link(mut compiler: Command, source: &str) -> PathBuf {
    static SERIAL: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let library = release();
    let folder = root().join("target/test-programs");
    std::fs::create_dir_all(&folder).expect("target is writable");
    let stem = Path::new(source)
        .file_stem()
        .expect("a source has a name")
        .to_string_lossy();
    let output = folder.join(&*stem);
    // Several test processes may compile the same program: each to its own file, then renamed.
    let serial = SERIAL.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let scratch = folder.join(format!("{stem}.{}.{serial}", std::process::id()));
    compiler.arg("-I").arg(root().join("include"));
    compiler
        .arg("-L")
        .arg(library)
        .args(["-lamdhip64", "-pthread", "-o"])
        .arg(&scratch);
    let result = compiler.output().expect("the compiler starts");
    assert!(
        result.status.success(),
        "{compiler:?}\n{}",
        String::from_utf8_lossy(&result.stderr)
    );
    std::fs::rename(&scratch, &output).expect("same folder");
    output
}

/// A program to run on the library in `library`, on the virtual device, unprofiled.
pub(crate) fn on(library: &Path, program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env("LD_LIBRARY_PATH", library)
        .env("HRX_DEVICE", "virtual");
    for (name, _) in std::env::vars() {
        if name.starts_with("HRX_PROFILE") {
            command.env_remove(name);
        }
    }
    command
}

/// The same, profiled into `bundle`.
pub(crate) fn profiled(
    library: &Path,
    program: &Path,
    arguments: &[&str],
    bundle: &Path,
) -> Command {
    let mut command = on(library, program, arguments);
    command
        .env("HRX_PROFILE_MODE", "dispatch")
        .env("HRX_PROFILE_FILE", bundle);
    command
}

/// Runs to the end and wants status 0.
pub(crate) fn succeed(command: &mut Command) -> Output {
    let output = command.output().expect("the program starts");
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}",
        output.status,
        text(&output)
    );
    output
}

/// stdout and stderr, for messages.
pub(crate) fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// `hrx` with arguments.
pub(crate) fn hrx(arguments: &[&str]) -> Command {
    let mut command = Command::new(release().join("hrx"));
    command.args(arguments);
    command
}

/// Upstream's `iree-profile` (PyPI iree-base-runtime 3.13.0); `None`, loudly, where it is absent.
pub(crate) fn reader() -> Option<PathBuf> {
    let installed = root().join("target/tools/python/iree/_runtime_libs/iree-profile");
    let path = std::env::var_os("IREE_PROFILE").map_or(installed, PathBuf::from);
    if path.is_file() {
        return Some(path);
    }
    eprintln!(
        "SKIPPED: no upstream reader at {} (cargo xtask setup installs it)",
        path.display()
    );
    None
}

/// One verb of upstream's reader as JSON rows; it must exit 0 and print nothing on stderr.
pub(crate) fn read_rows(reader: &Path, verb: &str, bundle: &Path) -> Vec<serde_json::Value> {
    let mut command = Command::new(reader);
    match verb {
        "export" => command.args(["export", "--format=ireeperf-jsonl", "--output=-"]),
        _ => command.args([verb, "--format=jsonl"]),
    };
    let output = command.arg(bundle).output().expect("the reader starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && errors.is_empty(),
        "{verb} {}: {errors}",
        bundle.display()
    );
    String::from_utf8(output.stdout)
        .expect("rows are UTF-8")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a row is JSON"))
        .collect()
}

/// Valid dispatches by upstream's count. Invalid ones or a summary row without a clock fit fail.
///
/// `clean`: the process ended in good order, so the clock was sampled after the last dispatch.
pub(crate) fn upstream_dispatches(reader: &Path, bundle: &Path, clean: bool) -> u64 {
    let rows = read_rows(reader, "summary", bundle);
    let mut total = 0;
    for row in rows.iter().filter(|row| row["type"] == "device_summary") {
        assert_eq!(row["invalid_dispatches"], 0, "{row}");
        let dispatches = row["dispatches"].as_u64().expect("a count");
        if dispatches > 0 {
            assert_eq!(row["clock_fit_available"], true, "{row}");
            if clean {
                assert_eq!(
                    row["dispatch_ticks_covered_by_clock_samples"], true,
                    "{row}"
                );
            }
        }
        total += dispatches;
    }
    total
}

/// Dispatches by the count of `hrx report`.
pub(crate) fn our_dispatches(bundle: &Path) -> u64 {
    let output = succeed(&mut hrx(&[
        "report",
        "--format",
        "json",
        &bundle.to_string_lossy(),
    ]));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    report["kernels"]
        .as_array()
        .expect("kernels")
        .iter()
        .map(|kernel| kernel["calls"].as_u64().expect("calls"))
        .sum()
}
