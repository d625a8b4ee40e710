//! Synthetic sessions for the tests, and upstream's reader to judge them.

#![allow(dead_code, reason = "each test file uses its part")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use hrx_profile::schema::side::{ClockSample, EventInfo, FLAG_RECORD, KIND_COPY, KIND_DISPATCH};
use hrx_profile::*;

/// Ticks per microsecond of the synthetic device: 100 MHz.
pub(crate) const TICKS_PER_US: u64 = 100;
pub(crate) const TICK0: u64 = 50_000_000_000;
pub(crate) const HOST0: i64 = 1_000_000_000_000;
pub(crate) const CPU0: u64 = 1_000_005_000_000;

pub(crate) fn tick(us: u64) -> u64 {
    TICK0 + us * TICKS_PER_US
}

pub(crate) fn host(us: u64) -> i64 {
    HOST0 + i64::try_from(us * 1000).unwrap()
}

pub(crate) fn sample(us: u64) -> ClockSample {
    ClockSample {
        physical_device_ordinal: 0,
        flags: 0xF,
        sample_id: 0,
        device_tick: tick(us),
        host_cpu_timestamp_ns: CPU0 + us * 1000,
        host_system_timestamp: CPU0 + us * 1000,
        host_system_frequency_hz: 1_000_000_000,
        host_time_begin_ns: host(us) - 300,
        host_time_end_ns: host(us) + 300,
    }
}

pub(crate) fn session() -> SessionDescription {
    SessionDescription {
        session_id: 1,
        device_identifier: "amdgpu-virtual".into(),
        process_id: 4711,
        program: "synthetic".into(),
        side_file: None,
        families: Families::DISPATCH,
    }
}

pub(crate) fn device() -> DeviceDescription {
    DeviceDescription {
        ordinal: 0,
        uuid: Some(*b"0123456789abcdef"),
        queue_count: 2,
        is_virtual: true,
        tick_frequency_hz: 100_000_000,
        name: "AMD Radeon 8060S (virtual)".into(),
        architecture: "gfx1151".into(),
    }
}

pub(crate) fn executable() -> ExecutableDescription {
    let function = |name: &str| FunctionDescription {
        name: name.into(),
        constant_count: 1,
        binding_count: 3,
        parameter_count: 4,
        workgroup_size: [64, 1, 1],
        hash: Some([1, 2]),
    };
    ExecutableDescription {
        executable_id: 1,
        functions: vec![function("saxpy"), function("_Z6matmulPKfS0_Pfi")],
        code_object_hash: Some([3, 4]),
        image: Some(b"\x7fELF not really".as_slice().into()),
        loads: vec![CodeObjectLoadDescription {
            device_ordinal: 0,
            load_delta: 0x7000_0000,
            load_size: 4096,
        }],
    }
}

/// Launch number `n` of a program that launches round robin on `streams` streams. Streams 0 and 1 share
/// hardware queue 0, others have queue 1. A command buffer covers `per_buffer` launches of its stream.
/// Launch n starts at 10 + 2n us and runs 3 us, so neighbours overlap.
pub(crate) fn launch(n: u64, streams: u64, per_buffer: u64) -> CompletedEvent {
    let stream = n % streams;
    let nth = n / streams;
    let buffer = nth / per_buffer;
    CompletedEvent {
        info: EventInfo {
            command_buffer_id: 1 + buffer * streams + stream,
            submission_id: n + 1,
            executable_id: 1,
            host_time_ns: host(5 + 2 * n),
            command_index: u32::try_from(nth % per_buffer).unwrap(),
            function_ordinal: u32::try_from(n % 2).unwrap(),
            workgroup_count: [16, 1, 1],
            workgroup_size: [64, 1, 1],
            work_items: [1000, 1, 1],
            stream_ordinal: u32::try_from(stream).unwrap(),
            kind: KIND_DISPATCH,
            flags: FLAG_RECORD,
            ..EventInfo::default()
        },
        start_ticks: tick(10 + 2 * n),
        end_ticks: tick(13 + 2 * n),
        device_ordinal: 0,
        queue_ordinal: u32::from(stream > 1),
    }
}

/// A copy of 4096 bytes on stream 0, as submission `n`.
pub(crate) fn copy(n: u64) -> CompletedEvent {
    let mut event = launch(n, 1, 1);
    event.info.kind = KIND_COPY;
    event.info.command_buffer_id = 0;
    event.info.executable_id = 0;
    event.info.payload_length = 4096;
    event
}

/// A bundle of `launches` launches at `path`, drained by 256.
pub(crate) fn write_bundle(path: &Path, launches: u64, streams: u64, per_buffer: u64) -> Summary {
    let mut recorder = Recorder::create(FileSink::create(path).unwrap(), session()).unwrap();
    recorder.device(&device());
    recorder.clock(&sample(0));
    recorder.clock(&sample(1));
    recorder.executable(&executable());
    let events: Vec<_> = (0..launches)
        .map(|n| launch(n, streams, per_buffer))
        .collect();
    for drain in events.chunks(256) {
        recorder.events(drain);
    }
    recorder.clock(&sample(20 + 2 * launches));
    recorder.finish(schema::Status::Ok).0
}

/// Upstream's reader; `None`, with a word on stderr, when it is not installed.
pub(crate) fn upstream() -> Option<Upstream> {
    let named = std::env::var_os("IREE_PROFILE").map(PathBuf::from);
    let program = named
        .or_else(packaged)
        .unwrap_or_else(|| "iree-profile".into());
    match Command::new(&program).arg("--help").output() {
        Ok(_) => Some(Upstream { program }),
        Err(error) => {
            eprintln!(
                "SKIPPED: upstream's reader `{}` does not run ({error}); install it with \
                 `pip install iree-base-runtime==3.13.0` or name it in IREE_PROFILE",
                program.display()
            );
            None
        }
    }
}

/// The reader itself inside its Python package: what pip puts on PATH is a script that starts Python
/// first, which takes longer than all the rest.
fn packaged() -> Option<PathBuf> {
    let ask = "import iree._runtime_libs as libs; print(list(libs.__path__)[0], end='')";
    let answer = Command::new("python3").args(["-c", ask]).output().ok()?;
    let program = Path::new(std::str::from_utf8(&answer.stdout).ok()?).join("iree-profile");
    (answer.status.success() && program.is_file()).then_some(program)
}

pub(crate) struct Upstream {
    program: PathBuf,
}

impl Upstream {
    pub(crate) fn run(&self, arguments: &[&str], bundle: &Path) -> Output {
        Command::new(&self.program)
            .args(arguments)
            .arg(bundle)
            .output()
            .unwrap()
    }

    /// Standard output of a verb that must succeed and say nothing on stderr.
    pub(crate) fn text(&self, arguments: &[&str], bundle: &Path) -> String {
        let output = self.run(arguments, bundle);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{arguments:?} {}: {stderr}",
            bundle.display()
        );
        assert_eq!(stderr, "", "{arguments:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs every verb, or only the three that complain most easily.
    pub(crate) fn accepts(&self, bundle: &Path, every_verb: bool) {
        if every_verb {
            return self.accepts_every_verb(bundle);
        }
        for verb in ["explain", "command", "queue"] {
            let rows = self.text(&[verb, "--format=jsonl"], bundle);
            assert!(!rows.contains("explain_hint"), "{rows}");
        }
        self.accepts_export(bundle);
    }

    /// Runs every verb of the format's proof; none may fail, hint or diagnose anything but code objects.
    pub(crate) fn accepts_every_verb(&self, bundle: &Path) {
        self.every_verb(bundle, |_| false);
    }

    /// The same for a bundle whose session says that data was lost: that one hint is right.
    pub(crate) fn accepts_every_verb_of_a_lossy(&self, bundle: &Path) {
        self.every_verb(bundle, |hint| {
            hint.contains("\"category\":\"session\"") && hint.contains("DATA_LOSS")
        });
    }

    fn every_verb(&self, bundle: &Path, hint_is_right: impl Fn(&str) -> bool) {
        let verbs = [
            "summary",
            "statistics",
            "explain",
            "executable",
            "dispatch",
            "command",
            "queue",
            "memory",
            "counter",
            "cat",
        ];
        for verb in verbs {
            self.text(&[verb, "--format=text"], bundle);
            let rows = self.text(&[verb, "--format=jsonl"], bundle);
            for hint in rows.lines().filter(|row| row.contains("explain_hint")) {
                assert!(hint_is_right(hint), "{verb}: {hint}");
            }
        }
        for verb in ["executable", "dispatch", "command", "queue"] {
            self.text(&[verb, "--dispatch_events", "--format=jsonl"], bundle);
        }
        self.text(&["counter", "--counter_samples", "--format=jsonl"], bundle);
        self.accepts_export(bundle);
    }

    /// The rows of `export`.
    pub(crate) fn accepts_export(&self, bundle: &Path) -> String {
        let rows = self.text(&["export", "--format=ireeperf-jsonl", "--output=-"], bundle);
        for row in rows.lines().filter(|row| row.contains("\"diagnostic\"")) {
            assert!(
                row.contains("unknown_chunk") && row.contains("executable-code-object"),
                "{row}"
            );
        }
        rows
    }

    /// What `summary` counts as dispatches.
    pub(crate) fn dispatches(&self, bundle: &Path) -> u64 {
        number_after(
            &self.text(&["summary", "--format=text"], bundle),
            "dispatches=",
        )
    }
}

/// The number after the first `key` in `text`; 0 when there is none.
pub(crate) fn number_after(text: &str, key: &str) -> u64 {
    let Some(at) = text.find(key) else { return 0 };
    let digits: String = text[at + key.len()..]
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().unwrap()
}
