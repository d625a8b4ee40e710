//! The joined model says what upstream's reports say, and what a few events worked out by hand give.

mod common;

use common::*;
use hrx_profile::schema::side::{EventInfo, KIND_COPY};
use hrx_profile::*;

#[test]
fn kernel_totals_are_upstreams_to_the_nanosecond() {
    let Some(upstream) = upstream() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.ireeprof");
    // A clock that is no round number of ns, so that rounding shows: 99.99 MHz.
    let mut recorder = Recorder::create(FileSink::create(&path).unwrap(), session()).unwrap();
    recorder.device(&device());
    for (us, ticks) in [(0, 0), (1, 100), (1_000_000, 99_990_000)] {
        let mut sample = sample(us);
        sample.device_tick = TICK0 + ticks;
        recorder.clock(&sample);
    }
    recorder.executable(&executable());
    let events: Vec<_> = (0..999)
        .map(|n| {
            let mut event = launch(n, 2, 256);
            event.end_ticks += n * n % 977;
            event
        })
        .collect();
    recorder.events(&events);
    recorder.finish(schema::Status::Ok);

    let rows = upstream.text(&["dispatch", "--format=jsonl"], &path);
    let kernels = Model::load(&path).unwrap().kernels();
    assert_eq!(kernels.rows.len(), 2);
    for kernel in kernels.rows {
        let key = format!("\"key\":\"{}\"", kernel.name);
        let theirs = rows
            .lines()
            .find(|row| row.contains(&key))
            .expect("upstream has the kernel");
        let field = |name: &str| number_after(theirs, &format!("\"{name}\":"));
        assert_eq!(kernel.calls, field("count"));
        assert_eq!(kernel.total_ns, field("total_ns"));
        assert_eq!(
            (kernel.min_ns, kernel.max_ns),
            (field("min_ns"), field("max_ns"))
        );
    }
}

/// A launch from `start` to `end` us on a stream, with nothing else to it.
fn run(stream: u32, start: u64, end: u64, n: u32) -> CompletedEvent {
    let event = launch(0, 1, 1);
    CompletedEvent {
        info: EventInfo {
            stream_ordinal: stream,
            command_buffer_id: u64::from(stream) + 1,
            command_index: n,
            function_ordinal: stream % 2,
            ..event.info
        },
        start_ticks: tick(start),
        end_ticks: tick(end),
        ..event
    }
}

/// ```text
/// us        0    10   20   30   40   50   60   70   80
/// stream 0       [10..30)       [40..50)
/// stream 1            [20..45)                [70..80)
/// stream 2                      [40..60)  copy
/// ```
fn known_overlaps() -> Vec<CompletedEvent> {
    let mut copy = run(2, 40, 60, 0);
    copy.info.kind = KIND_COPY;
    copy.info.payload_length = 4096;
    vec![
        run(0, 10, 30, 0),
        run(1, 20, 45, 0),
        run(0, 40, 50, 1),
        copy,
        run(1, 70, 80, 1),
    ]
}

#[test]
fn overlaps_and_gaps_are_those_of_the_drawing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.ireeprof");
    let mut recorder = Recorder::create(FileSink::create(&path).unwrap(), session()).unwrap();
    recorder.device(&device());
    recorder.clock(&sample(0));
    recorder.clock(&sample(100));
    recorder.executable(&executable());
    recorder.events(&known_overlaps());
    recorder.finish(schema::Status::Ok);

    let model = Model::load(&path).unwrap();
    let streams = model.stream_times();
    let us = |ns: u64| ns / 1000;
    let rows: Vec<_> = streams
        .rows
        .iter()
        .map(|r| {
            (
                us(r.span_ns),
                us(r.busy_ns),
                r.gaps,
                us(r.gap_ns),
                us(r.overlapped_ns),
            )
        })
        .collect();
    // Stream 0 shares 20..30 with 1 and 40..50 with 1 or 2; stream 1 shares 20..30 and 40..45.
    assert_eq!(
        rows,
        [(40, 30, 1, 10, 20), (60, 35, 1, 25, 15), (20, 20, 0, 0, 10)]
    );
    let overlaps: Vec<_> = streams
        .overlaps
        .iter()
        .map(|o| (o.streams, us(o.both_busy_ns)))
        .collect();
    assert_eq!(overlaps, [((0, 1), 15), ((0, 2), 10), ((1, 2), 5)]);
    // Any: 10..60 and 70..80. Several: 20..30 and 40..50.
    assert_eq!(
        (us(streams.any_busy_ns), us(streams.multiple_busy_ns)),
        (60, 20)
    );
    assert_eq!(us(streams.span_ns), 70);
    assert!(
        (streams.overlaps[0].share - 0.5).abs() < 1e-9,
        "15 of the 30 us of stream 0"
    );
    assert!(model.notes.is_empty(), "{:?}", model.notes);
}

#[test]
fn a_foreign_bundle_is_joined_as_well() {
    let maker =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/make_ireeprof.py");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("demo.ireeprof");
    let status = std::process::Command::new("python3")
        .arg(maker)
        .arg(&path)
        .arg("--full")
        .status()
        .unwrap();
    assert!(status.success());
    let model = Model::load(&path).unwrap();
    let kernels = model.kernels();
    // The four dispatches of the script: 25.5 and 24 us of saxpy, 160 and 155 us of matmul.
    let rows: Vec<_> = kernels
        .rows
        .iter()
        .map(|k| (k.name.as_str(), k.calls, k.total_ns))
        .collect();
    assert_eq!(rows, [("matmul_64x64", 2, 315_000), ("saxpy", 2, 49_500)]);
    assert_eq!((model.streams.len(), model.is_virtual()), (2, false));
    assert_eq!(model.session.process_id, 0);
}

#[test]
fn without_clock_samples_the_nominal_rate_is_used_and_a_note_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.ireeprof");
    let mut recorder = Recorder::create(FileSink::create(&path).unwrap(), session()).unwrap();
    recorder.device(&device());
    recorder.executable(&executable());
    recorder.events(&known_overlaps());
    recorder.finish(schema::Status::Ok);
    let model = Model::load(&path).unwrap();
    assert_eq!(model.kernels().total_ns, 20_000 + 25_000 + 10_000 + 10_000);
    assert!(
        model.notes.iter().any(|note| note.contains("nominal")),
        "{:?}",
        model.notes
    );
}
