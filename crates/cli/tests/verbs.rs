//! The verbs as a user calls them: what they print, and how they end.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use hrx_profile::schema::Status;
use hrx_profile::schema::side::{ClockSample, EventInfo, FLAG_RECORD, KIND_COPY, KIND_DISPATCH};
use hrx_profile::*;

fn hrx(folder: &Path, arguments: &[&str]) -> Output {
    let hrx = Command::new(env!("CARGO_BIN_EXE_hrx"))
        .current_dir(folder)
        .args(arguments)
        .output();
    hrx.unwrap()
}

/// Standard output of a call that must succeed and say nothing on stderr.
fn text(folder: &Path, arguments: &[&str]) -> String {
    let output = hrx(folder, arguments);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// The one sentence on stderr of a call that must fail with `code` and print nothing.
fn sentence(folder: &Path, arguments: &[&str], code: i32) -> String {
    let output = hrx(folder, arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    stderr
}

/// Compares with a file in `tests/golden`; with `HRX_BLESS` set, writes it instead.
fn golden(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("HRX_BLESS").is_some() {
        std::fs::write(&path, found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    assert!(found == expected, "{name} differs; found:\n{found}");
}

/// A clock of 100 MHz, sampled at `us`.
fn sample(us: u64) -> ClockSample {
    let host = 1_000_000_000 + i64::try_from(us).unwrap() * 1000;
    ClockSample {
        flags: 0xF,
        device_tick: 1_000_000 + us * 100,
        host_cpu_timestamp_ns: u64::try_from(host).unwrap(),
        host_system_timestamp: 1,
        host_system_frequency_hz: 1_000_000_000,
        host_time_begin_ns: host - 250,
        host_time_end_ns: host + 250,
        ..ClockSample::default()
    }
}

/// Something that ran on a stream from `start` to `end`, us.
fn ran(stream: u32, function: u32, start: u64, end: u64, number: u32) -> CompletedEvent {
    CompletedEvent {
        info: EventInfo {
            command_buffer_id: u64::from(stream) + 1,
            submission_id: u64::from(number) + 1,
            executable_id: 1,
            host_time_ns: 1_000_000_000,
            command_index: number,
            function_ordinal: function,
            workgroup_count: [4, 1, 1],
            workgroup_size: [256, 1, 1],
            stream_ordinal: stream,
            kind: KIND_DISPATCH,
            flags: FLAG_RECORD,
            ..EventInfo::default()
        },
        start_ticks: 1_000_000 + start * 100,
        end_ticks: 1_000_000 + end * 100,
        device_ordinal: 0,
        queue_ordinal: stream % 2,
    }
}

fn begin(path: &Path, side: Option<&SideFile>) -> Recorder {
    let description = SessionDescription {
        session_id: 1,
        device_identifier: "amdgpu-virtual".into(),
        process_id: side.map_or(4711, |_| std::process::id()),
        program: "two_streams".into(),
        side_file: side.map(|side| (side.path().to_owned(), side.created_unix_ns())),
        families: Families::DISPATCH,
    };
    let mut recorder = Recorder::create(FileSink::create(path).unwrap(), description).unwrap();
    recorder.device(&DeviceDescription {
        ordinal: 0,
        is_virtual: true,
        tick_frequency_hz: 100_000_000,
        name: "AMD Radeon 8060S (virtual)".into(),
        architecture: "gfx1151".into(),
        ..DeviceDescription::default()
    });
    recorder.clock(&sample(0));
    recorder.clock(&sample(100));
    let function = |name: &str| FunctionDescription {
        name: name.into(),
        ..Default::default()
    };
    recorder.executable(&ExecutableDescription {
        executable_id: 1,
        functions: vec![function("_Z5saxpyfPKfPf"), function("fill, then \"wait\"")],
        ..ExecutableDescription::default()
    });
    recorder
}

/// ```text
/// us        0    10   20   30   40   50   60   70   80
/// stream 0       [saxpy...)     [sa.)
/// stream 1            [fill......)                [fi)
/// stream 2                      [copy.....)
/// ```
/// By hand: kernels: saxpy 20 + 10 us, fill 25 + 10 us, 65 in all. Streams: 0 is busy 30 of 40 us with a
/// gap of 10, 1 is busy 35 of 60 with a gap of 25 (45 to 70), 2 is busy for 20 of 20. Pairs: 0 and 1 share
/// 20..30 and 40..45, 0 and 2 share 40..50, 1 and 2 share 40..45. Several are busy in 20..30 and 40..50.
fn overlaps(folder: &Path) -> PathBuf {
    let path = folder.join("overlaps.ireeprof");
    let mut copy = ran(2, 0, 40, 60, 4);
    copy.info.kind = KIND_COPY;
    copy.info.payload_length = 4096;
    let mut recorder = begin(&path, None);
    recorder.events(&[
        ran(0, 0, 10, 30, 0),
        ran(1, 1, 20, 45, 1),
        ran(0, 0, 40, 50, 2),
        copy,
        ran(1, 1, 70, 80, 3),
    ]);
    recorder.finish(Status::Ok);
    path
}

#[test]
fn report_shows_kernels_streams_and_the_overlaps_worked_out_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    overlaps(folder.path());
    let all = text(folder.path(), &["report", "overlaps.ireeprof"]);
    for by_hand in [
        "Kernels: 4 calls, 65.000 us",
        "Streams: device busy 60.000 us of 70.000 us",
        "Overlap: several streams busy for 20.000 us",
        "(virtual: ",
    ] {
        assert!(all.contains(by_hand), "{by_hand}: {all}");
    }
    golden("report.txt", &all);
    golden(
        "report.json",
        &text(
            folder.path(),
            &["report", "--format=json", "overlaps.ireeprof"],
        ),
    );
    for section in ["kernels", "streams", "overlap"] {
        let arguments = [
            "report",
            "--format=csv",
            "--section",
            section,
            "overlaps.ireeprof",
        ];
        golden(
            &format!("report-{section}.csv"),
            &text(folder.path(), &arguments),
        );
    }
}

#[test]
fn an_empty_session_is_reported_in_words() {
    let folder = tempfile::tempdir().unwrap();
    begin(&folder.path().join("empty.ireeprof"), None).finish(Status::Ok);
    golden(
        "report-empty.txt",
        &text(folder.path(), &["report", "empty.ireeprof"]),
    );
}

#[test]
fn files_that_are_no_bundle_give_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let at = |name: &str| path.join(name);
    std::fs::write(at("text"), "int main() { return 0; }").unwrap();
    std::fs::write(at("short"), "IRPF").unwrap();
    let mut bytes = std::fs::read(overlaps(path)).unwrap();
    bytes.truncate(2000);
    std::fs::write(at("cut"), bytes).unwrap();
    for (file, says) in [
        ("missing", "No such file"),
        (".", "not a regular file"),
        (
            "text",
            "found a file that starts with \"int \", expected \"IRPF\"",
        ),
        ("short", "found 4 bytes"),
        ("cut", "found a length of"),
    ] {
        for verb in ["report", "recover"] {
            let sentence = sentence(path, &[verb, file], 1);
            assert!(
                sentence.contains(says) || (file == "." && sentence.contains("directory")),
                "{sentence}"
            );
        }
    }
    let sentence = sentence(path, &["report", "--format=csv", "overlaps.ireeprof"], 1);
    assert!(
        sentence.contains("--section kernels, streams or overlap"),
        "{sentence}"
    );
    assert_eq!(hrx(path, &["report"]).status.code(), Some(2));
}

/// A bundle whose session left `undrained` launches in its side file, as a killed process would.
fn killed(folder: &Path, drained: u32, undrained: u32) -> PathBuf {
    use std::sync::atomic::Ordering::Release;
    let path = folder.join("killed.ireeprof");
    let side = SideFile::create(&SideOptions {
        bundle_path: &path,
        session_id: 1,
        tick_frequency_hz: 100_000_000,
        directory: Some(folder),
    })
    .unwrap();
    let mut recorder = begin(&path, Some(&side));
    let events: Vec<_> = (0..drained + undrained)
        .map(|n| ran(0, n % 2, 10 + 5 * u64::from(n), 14 + 5 * u64::from(n), n))
        .collect();
    recorder.events(&events[..drained as usize]);
    let ring = side.add_ring(0, 0).unwrap();
    for (event, position) in events.iter().zip(0..) {
        let slot = ring.slot(position);
        slot.signal.reset();
        slot.info.publish(position, &event.info);
        slot.signal.start_ts.store(event.start_ticks, Release);
        slot.signal.end_ts.store(event.end_ticks, Release);
        slot.signal.value.store(0, Release);
        ring.positions().write.store(position + 1, Release);
    }
    ring.positions().durable.store(u64::from(drained), Release);
    path
}

#[test]
fn report_merges_a_side_file_in_memory_and_recover_makes_it_permanent() {
    let folder = tempfile::tempdir().unwrap();
    let path = killed(folder.path(), 6, 4);
    let before = std::fs::read(&path).unwrap();
    let report = text(folder.path(), &["report", "killed.ireeprof"]);
    assert!(report.contains("Kernels: 10 calls"), "{report}");
    assert!(
        report.contains("4 dispatches come from its side file"),
        "{report}"
    );
    assert_eq!(
        std::fs::read(&path).unwrap(),
        before,
        "reading changes nothing"
    );

    let recovered = text(folder.path(), &["recover", "killed.ireeprof"]);
    assert!(
        recovered.starts_with("killed.ireeprof: 10 dispatches, 4 of them from "),
        "{recovered}"
    );
    assert!(recovered.ends_with("; status OK\n"), "{recovered}");
    assert_eq!(
        text(folder.path(), &["recover", "killed.ireeprof"]),
        "killed.ireeprof: complete already\n"
    );
    let report = text(folder.path(), &["report", "killed.ireeprof"]);
    assert!(
        report.contains("Kernels: 10 calls") && !report.contains("note"),
        "{report}"
    );
    let files = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files, 1, "the side file is gone");
}

/// A folder with `hrx` in it. A link, not a copy: a file that was just written may still be open in a
/// child that another test has forked, and then cannot be executed.
fn hrx_alone() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let hrx = folder.path().join("hrx");
    std::fs::hard_link(env!("CARGO_BIN_EXE_hrx"), &hrx).unwrap();
    (folder, hrx)
}

/// A folder with `hrx` and a file of the runtime's name, which is all that `run` looks for.
fn installation() -> (tempfile::TempDir, PathBuf) {
    let (folder, hrx) = hrx_alone();
    std::fs::write(folder.path().join("libamdhip64.so.7"), "").unwrap();
    (folder, hrx)
}

fn run_script(hrx: &Path, folder: &Path, arguments: &[&str], script: &str) -> Output {
    Command::new(hrx)
        .current_dir(folder)
        .arg("run")
        .args(arguments)
        .args(["--", "sh", "-c", script])
        .env_remove("LD_LIBRARY_PATH")
        .output()
        .unwrap()
}

#[test]
fn run_sets_mode_file_and_library_folder_and_keeps_the_programs_output() {
    let (installed, hrx) = installation();
    let folder = tempfile::tempdir().unwrap();
    let script = "echo $HRX_PROFILE_MODE; echo $HRX_PROFILE_FILE; echo $LD_LIBRARY_PATH";
    let output = run_script(&hrx, folder.path(), &[], script);
    let here = folder.path().canonicalize().unwrap();
    let there = installed.path().canonicalize().unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        format!(
            "dispatch\n{}/%e.%p.ireeprof\n{}\n",
            here.display(),
            there.display()
        )
    );
    let output = run_script(
        &hrx,
        folder.path(),
        &["--profile=queue", "-o", "x.prof"],
        script,
    );
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(
        stdout.starts_with(&format!("queue\n{}/x.prof\n", here.display())),
        "{stdout}"
    );
}

#[test]
fn run_ends_as_the_program_did() {
    let (_installed, hrx) = installation();
    let folder = tempfile::tempdir().unwrap();
    for (script, code) in [
        ("exit 0", 0),
        ("exit 7", 7),
        ("kill -9 $$", 137),
        ("kill -TERM $$", 143),
    ] {
        let output = run_script(&hrx, folder.path(), &[], script);
        assert_eq!(output.status.code(), Some(code), "{script}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains("no bundle was written"), "{stderr}");
        assert_eq!(stderr.contains("ended by signal"), code > 128, "{stderr}");
    }
    let call = |program: &str| {
        Command::new(&hrx)
            .args(["run", "--", program])
            .output()
            .unwrap()
    };
    assert_eq!(call("/no/such/program").status.code(), Some(127));
    assert_eq!(call("/etc/passwd").status.code(), Some(126));
}

#[test]
fn run_without_our_library_says_where_it_looked() {
    let (_folder, hrx) = hrx_alone();
    let output = Command::new(&hrx)
        .args(["run", "--", "true"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(125));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("found no libamdhip64.so.7 in"), "{stderr}");
}

#[test]
fn run_passes_a_termination_on() {
    let (_installed, hrx) = installation();
    let folder = tempfile::tempdir().unwrap();
    let script = "trap 'exit 9' TERM; echo ready; while :; do sleep 0.05; done";
    let mut run = Command::new(hrx)
        .current_dir(folder.path())
        .args(["run", "--", "sh", "-c", script])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    use std::io::BufRead;
    let mut line = String::new();
    std::io::BufReader::new(run.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert_eq!(line, "ready\n");
    let kill = Command::new("kill")
        .args(["-TERM", &run.id().to_string()])
        .status()
        .unwrap();
    assert!(kill.success());
    assert_eq!(run.wait().unwrap().code(), Some(9));
}

#[test]
fn run_tells_of_each_bundle_and_completes_what_a_killed_program_left() {
    let (_installed, hrx) = installation();
    let folder = tempfile::tempdir().unwrap();
    let made = tempfile::tempdir().unwrap();
    let finished = overlaps(made.path());
    let left = killed(made.path(), 6, 4);
    let script = format!(
        "cat {} > x.ireeprof; cat {} > x.ireeprof.2; kill -9 $$",
        finished.display(),
        left.display()
    );
    let output = run_script(&hrx, folder.path(), &["-o", "x.ireeprof"], &script);
    assert_eq!(output.status.code(), Some(137));
    let stderr = String::from_utf8(output.stderr).unwrap();
    let here = folder.path().canonicalize().unwrap();
    let here = here.display();
    for line in [
        format!(
            "hrx: 4 dispatches in {here}/x.ireeprof; `hrx report {here}/x.ireeprof` shows them"
        ),
        format!("recovered {here}/x.ireeprof.2: 10 dispatches, 4 of them from "),
        format!("hrx: 10 dispatches in {here}/x.ireeprof.2"),
    ] {
        assert!(stderr.contains(&line), "{line}: {stderr}");
    }
    // A bundle from before is none of this run's.
    std::thread::sleep(std::time::Duration::from_millis(120));
    let output = run_script(&hrx, folder.path(), &["-o", "x.ireeprof"], "true");
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("no bundle was written")
    );
}

#[test]
fn coverage_asks_the_library_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let source = "const char *hrx_coverage(void) { return \
        \"hipMalloc\\thip_4.2\\timplemented\\t\\nhipIpcOpen\\thip_4.2\\tunsupported\\tno peers\\n\"; }";
    std::fs::write(path.join("ours.c"), source).unwrap();
    std::fs::write(path.join("other.c"), "int hip;").unwrap();
    std::fs::write(
        path.join("ours.map"),
        "HRX_0.1 { global: hrx_coverage; local: *; };",
    )
    .unwrap();
    for arguments in [
        &["-Wl,--version-script=ours.map", "-o", "ours.so", "ours.c"][..],
        &["-o", "other.so", "other.c"],
        &["-o", "unversioned.so", "ours.c"],
    ] {
        let mut cc = Command::new("cc");
        cc.current_dir(path)
            .args(["-shared", "-fPIC"])
            .args(arguments);
        assert!(cc.status().expect("cc is there").success());
    }
    assert_eq!(
        text(path, &["coverage", "--library", "./ours.so"]),
        "2 functions: 1 implemented, 1 unsupported\n\n\
         symbol      node     state        reason\n\
         hipIpcOpen  hip_4.2  unsupported  no peers\n"
    );
    let foreign = sentence(path, &["coverage", "--library", "./other.so"], 1);
    assert!(foreign.contains("it is not our HIP runtime"), "{foreign}");
    let missing = sentence(path, &["coverage", "--library", "./none.so"], 1);
    assert!(missing.contains("cannot open `./none.so`"), "{missing}");
}

#[test]
fn help_documents_the_exit_codes() {
    let folder = tempfile::tempdir().unwrap();
    let help = text(folder.path(), &["--help"]);
    for line in [
        "1    the work could not be done",
        "128+n  signal n ended the program",
        "hrx run -- ",
    ] {
        assert!(help.contains(line), "{help}");
    }
}
