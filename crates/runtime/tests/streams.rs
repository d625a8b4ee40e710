//! Order between streams, events and host functions, on the virtual device.

mod common;

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Barrier};

use common::{Gate, Memory, Packed, context, device, kernels, launch};
use hrx_runtime::RuntimeError;
use hrx_runtime::context::Context;
use hrx_runtime::device::{LANES, StreamKind};
use hrx_runtime::event::Event;
use hrx_runtime::kernel::{LaunchDims, LaunchError};
use hrx_runtime::memory::MemoryClass;
use hrx_runtime::module::Executable;
use hrx_runtime::stream::Stream;

fn stream(kind: StreamKind) -> Arc<Stream> {
    Stream::create(&device(), kind, 0).expect("there is room")
}

/// Adds a step whose place in the order the result tells.
fn step(stream: &Stream, kernels: &Executable, word: &Memory, step: u32) {
    let kernel = kernels.kernel("step").expect("has it");
    let arguments = Packed::default().long(word.address as u64).word(step);
    launch(stream, kernel, 1, 1, &arguments);
}

fn is_busy(query: hrx_runtime::Result<()>) -> bool {
    matches!(query, Err(RuntimeError::NotReady))
}

/// What the word is after these steps, in this order.
fn after(steps: impl IntoIterator<Item = u32>) -> u32 {
    steps
        .into_iter()
        .fold(0, |word: u32, step| word.wrapping_mul(3).wrapping_add(step))
}

#[test]
fn launches_of_a_stream_run_in_order_over_more_than_a_command_buffer_and_a_ring() {
    let kernels = kernels();
    let word = Memory::new(MemoryClass::Device, 4);
    let stream = stream(StreamKind::NonBlocking);
    for number in 1..=5000 {
        step(&stream, &kernels, &word, number);
    }
    stream.synchronize().expect("no fault");
    assert_eq!(word.word(0), after(1..=5000));
}

#[test]
fn blocking_streams_and_the_null_stream_hold_each_other_back() {
    let kernels = kernels();
    let context = context();
    let device = device();
    let null = context.null_stream(&device);
    let others: Vec<_> = (0..LANES).map(|_| stream(StreamKind::Blocking)).collect();
    let word = Memory::new(MemoryClass::Device, 4);
    // In turn: one of the others, the null stream. Only the rules keep them apart.
    let mut number = 0;
    for _ in 0..20 {
        for other in &others {
            for stream in [other, null] {
                number += 1;
                step(stream, &kernels, &word, number);
            }
        }
    }
    null.synchronize().expect("no fault");
    assert_eq!(word.word(0), after(1..=number));
}

#[test]
fn a_wait_for_the_null_stream_waits_for_blocking_streams() {
    let kernels = kernels();
    let context = context();
    let device = device();
    let null = context.null_stream(&device);
    let blocking = stream(StreamKind::Blocking);
    let gate = Gate::close(&blocking, &kernels);
    assert!(is_busy(null.query()));
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| null.synchronize());
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(!waits.is_finished());
        gate.open();
        waits.join().expect("no panic").expect("no fault");
    });
    null.query().expect("nothing is left to do");
}

#[test]
fn a_non_blocking_stream_does_not_wait_for_the_null_stream() {
    let kernels = kernels();
    let context = context();
    let device = device();
    // The null stream's lane is the last that a new stream gets among equals.
    let free = stream(StreamKind::NonBlocking);
    let word = Memory::new(MemoryClass::Device, 4);
    let gate = Gate::close(context.null_stream(&device), &kernels);
    step(&free, &kernels, &word, 5);
    free.synchronize().expect("no fault");
    assert_eq!(word.word(0), 5);
    drop(gate);
}

#[test]
fn what_waits_for_an_event_runs_after_it_and_earlier_work_does_not() {
    let kernels = kernels();
    let first = stream(StreamKind::NonBlocking);
    let second = stream(StreamKind::NonBlocking);
    let word = Memory::new(MemoryClass::Device, 4);
    let event = Event::new(&device(), 0, true);
    step(&second, &kernels, &word, 1);
    second.synchronize().expect("no fault");
    let gate = Gate::close(&first, &kernels);
    step(&first, &kernels, &word, 2);
    event.record(&first).expect("recorded");
    event.hold_back(&second).expect("waits");
    step(&second, &kernels, &word, 3);
    assert!(is_busy(second.query()));
    assert!(is_busy(event.query()));
    assert_eq!(word.word(0), 1);
    gate.open();
    second.synchronize().expect("no fault");
    event.query().expect("it has happened");
    assert_eq!(word.word(0), after([1, 2, 3]));
}

#[test]
fn time_between_events_is_device_time() {
    let kernels = kernels();
    let stream = stream(StreamKind::NonBlocking);
    let (start, stop) = (
        Event::new(&device(), 0, true),
        Event::new(&device(), 0, true),
    );
    assert!(start.elapsed_ms(&stop).is_err(), "neither was recorded");
    start.record(&stream).expect("recorded");
    // At least 3 ms of the 100 MHz clock.
    let spin = kernels.kernel("spin").expect("has it");
    launch(&stream, spin, 1, 1, &Packed::default().long(300_000));
    stop.record(&stream).expect("recorded");
    stop.synchronize().expect("no fault");
    let elapsed = start.elapsed_ms(&stop).expect("both are done");
    assert!(elapsed >= 3.0, "{elapsed}");
}

#[test]
fn a_host_function_runs_between_what_is_before_and_behind_it() {
    let kernels = kernels();
    let stream = stream(StreamKind::NonBlocking);
    let word = Arc::new(Memory::new(MemoryClass::Host, 4));
    let seen = Arc::new(AtomicU32::new(0));
    step(&stream, &kernels, &word, 1);
    for _ in 0..3 {
        let (there, seen) = (Arc::clone(&word), Arc::clone(&seen));
        stream
            .call_host(Box::new(move |outcome| {
                outcome.expect("no fault");
                seen.fetch_add(1, SeqCst);
                // As a step of the device would.
                let next = there.word(0) * 3 + 2;
                there.set(&next.to_ne_bytes());
            }))
            .expect("there is a thread");
        step(&stream, &kernels, &word, 4);
    }
    stream.synchronize().expect("no fault");
    assert_eq!(seen.load(SeqCst), 3);
    assert_eq!(word.word(0), after([1, 2, 4, 2, 4, 2, 4]));
}

#[test]
fn threads_share_a_stream() {
    let kernels = kernels();
    let stream = stream(StreamKind::Blocking);
    let word = Memory::new(MemoryClass::Device, 4);
    let count = kernels.kernel("count").expect("has it");
    let arguments = Packed::default().long(word.address as u64);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..500 {
                    launch(&stream, count, 2, 32, &arguments);
                }
                stream.synchronize().expect("no fault");
            });
        }
    });
    assert_eq!(word.word(0), 4 * 500 * 64);
}

#[test]
fn threads_that_race_to_open_get_one_context() {
    let barrier = Barrier::new(8);
    let ids: Vec<u64> = std::thread::scope(|scope| {
        let racers: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    barrier.wait();
                    context().id()
                })
            })
            .collect();
        racers
            .into_iter()
            .map(|racer| racer.join().expect("no panic"))
            .collect()
    });
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    assert_eq!(Context::current().expect("open").id(), ids[0]);
}

#[test]
fn a_launch_that_cannot_be_is_refused_and_leaves_no_trace() {
    let kernels = kernels();
    let stream = stream(StreamKind::NonBlocking);
    let lds = kernels.kernel("last_lds_word").expect("has it");
    let too_much = LaunchDims::from_groups([1, 1, 1], [32, 1, 1], 64 * 1024 + 1).expect("counts");
    let refused = stream.launch(lds, &too_much, &Packed::default(), 0);
    assert!(matches!(
        refused,
        Err(RuntimeError::Launch(LaunchError::SharedMemory { .. }))
    ));
    stream.query().expect("nothing was submitted");
}
