//! What a profiled launch costs after the device has finished it: encoding and writing one drain, bytes
//! in the bundle, and how long a report takes to load it.

use std::hint::black_box;
use std::io;
use std::path::Path;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use hrx_profile::schema::Status;
use hrx_profile::schema::side::{ClockSample, EventInfo, FLAG_RECORD, KIND_DISPATCH};
use hrx_profile::{
    CompletedEvent, DeviceDescription, ExecutableDescription, Families, FileSink,
    FunctionDescription, Model, Recorder, SessionDescription, Sink,
};

/// Events of one drain.
const DRAIN: u64 = 256;

/// Takes everything and keeps nothing.
#[derive(Debug)]
struct Nowhere;

impl Sink for Nowhere {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(black_box(bytes).len())
    }

    fn patch(&mut self, _offset: u64, _bytes: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn truncate(&mut self, _length: u64) -> io::Result<()> {
        Ok(())
    }
}

fn recorder<S: Sink>(sink: S) -> Recorder<S> {
    let session = SessionDescription {
        session_id: 1,
        device_identifier: "amdgpu-virtual".into(),
        process_id: 1,
        program: "bench".into(),
        side_file: None,
        families: Families::DISPATCH,
    };
    let mut recorder = Recorder::create(sink, session).expect("the sink takes a header");
    recorder.device(&DeviceDescription {
        queue_count: 1,
        ..DeviceDescription::default()
    });
    for sample_at in [0, 1_000_000_000] {
        recorder.clock(&ClockSample {
            flags: 0xF,
            device_tick: 1 + sample_at / 10,
            host_cpu_timestamp_ns: 1 + sample_at,
            host_time_begin_ns: i64::try_from(sample_at).unwrap_or(0),
            host_time_end_ns: i64::try_from(sample_at + 100).unwrap_or(0),
            ..ClockSample::default()
        });
    }
    let functions = vec![FunctionDescription {
        name: "kernel".into(),
        ..Default::default()
    }];
    recorder.executable(&ExecutableDescription {
        executable_id: 1,
        functions,
        ..Default::default()
    });
    recorder
}

/// Launch `n` of a program on `streams` streams, `per_buffer` launches to a command buffer.
fn launch(n: u64, streams: u64, per_buffer: u64) -> CompletedEvent {
    let (stream, nth) = (n % streams, n / streams);
    let small = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
    CompletedEvent {
        info: EventInfo {
            command_buffer_id: 1 + nth / per_buffer * streams + stream,
            submission_id: n + 1,
            executable_id: 1,
            command_index: small(nth % per_buffer),
            workgroup_count: [64, 1, 1],
            workgroup_size: [256, 1, 1],
            stream_ordinal: small(stream),
            kind: KIND_DISPATCH,
            flags: FLAG_RECORD,
            ..EventInfo::default()
        },
        start_ticks: 1_000 + n * 10,
        end_ticks: 1_008 + n * 10,
        device_ordinal: 0,
        queue_ordinal: 0,
    }
}

fn write(path: &Path, launches: u64, per_buffer: u64) -> u64 {
    let mut recorder = recorder(FileSink::create(path).expect("the folder takes a file"));
    let mut events = Vec::new();
    for from in (0..launches).step_by(256) {
        events.clear();
        events.extend((from..(from + DRAIN).min(launches)).map(|n| launch(n, 1, per_buffer)));
        recorder.events(&events);
    }
    recorder.finish(Status::Ok).0.bytes
}

fn drain(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("drain");
    group.throughput(Throughput::Elements(DRAIN));
    for (name, streams, per_buffer) in [
        ("batched", 1, 256),
        ("four streams", 4, 256),
        ("each launch waited for", 1, 1),
    ] {
        let mut recorder = recorder(Nowhere);
        let mut next = 0;
        group.bench_function(name, |bencher| {
            bencher.iter_batched(
                || {
                    next += DRAIN;
                    (next - DRAIN..next)
                        .map(|n| launch(n, streams, per_buffer))
                        .collect::<Vec<_>>()
                },
                |events| recorder.events(&events),
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

fn report(criterion: &mut Criterion) {
    const LAUNCHES: u64 = 1_000_000;
    let path = std::env::temp_dir().join(format!("hrx-bench-{}.ireeprof", std::process::id()));
    for (name, per_buffer) in [("batched", 256), ("each launch waited for", 1)] {
        let bytes = write(&path, LAUNCHES, per_buffer);
        println!(
            "bytes per dispatch, {name}: {:.1}",
            bytes as f64 / LAUNCHES as f64
        );
    }
    write(&path, LAUNCHES, 256);
    let mut group = criterion.benchmark_group("report");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(LAUNCHES));
    group.bench_function("load, kernels and streams", |bencher| {
        bencher.iter(|| {
            let model = Model::load(&path).expect("the bundle was just written");
            black_box((model.kernels(), model.stream_times()));
        });
    });
    group.finish();
    // A temporary file of ours; if it cannot be removed the system's cleaning will.
    let _ = std::fs::remove_file(path);
}

criterion_group!(benches, drain, report);
criterion_main!(benches);
