//! What a launch costs the host in this crate, recorded and not.
//!
//! The device is not there: "lazy" runs what was submitted between two timed batches, on the same
//! thread, so that only the submission is measured; "busy" has a thread that completes packets as
//! they come, so that the cache lines of signals travel between two cores. When events are recorded
//! a collector thread reads every one of them, as the session's does, and its work is inside the
//! measured time wherever the submitter waits for it.

#[path = "../tests/support/mod.rs"]
mod support;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::Thread;
use std::time::{Duration, Instant};

use hrx_hal::Device;
use hrx_hal::command::{CommandBuffer, CommandBufferUse};
use hrx_hal::gate::{ProfileGate, ProfileKinds};
use hrx_hal::queue::{Dispatch, DrainSink, EventKind, EventStatic, Queue, QueueOptions, Recording};
use hrx_hal::signal::SignalPool;
use hrx_profile::RingMemory;

use support::{FakeDevice, Pace};

const BATCH: u32 = 1000;
const BATCHES: usize = 400;
/// saxpy's: two pointers, a float, a count, and 256 bytes of hidden arguments.
const KERNARG_BYTES: usize = 280;

#[derive(Debug)]
struct Unpark(Thread);

impl DrainSink for Unpark {
    fn wake(&self) {
        self.0.unpark();
    }
}

fn collect(queue: &Queue, stop: &AtomicBool) -> u64 {
    let mut events = 0;
    let mut digest = 0;
    loop {
        let last = stop.load(Relaxed);
        queue.retire();
        queue.events().take(1);
        let mut drain = queue.events().drain();
        for (_, slot) in drain.slots() {
            let info = slot.info.load();
            digest ^= info.command_index ^ info.function_ordinal;
            digest ^= u32::try_from(slot.signal.end_ts.load(Relaxed) & 0xffff).unwrap_or(0);
            events += u64::from(info.flags != 0);
        }
        let end = drain.range().end;
        drain.release(end);
        drop(drain);
        if last {
            std::hint::black_box(digest);
            return events;
        }
        std::thread::park_timeout(Duration::from_millis(100));
    }
}

/// Median and least ns a launch, over batches.
fn measure(queue: &Queue, between: &dyn Fn()) -> (f64, f64) {
    let mut buffer = CommandBuffer::new(CommandBufferUse::Once);
    let mut arguments = [7_u8; KERNARG_BYTES];
    let mut figures = Vec::with_capacity(BATCHES);
    for batch in 0..BATCHES {
        arguments[0] = batch.to_le_bytes()[0];
        let begin = Instant::now();
        for _ in 0..BATCH {
            if buffer.is_full() {
                buffer = CommandBuffer::new(CommandBufferUse::Once);
            }
            let dispatch = Dispatch {
                kernel_object: 0x1000,
                grid: [65_536, 1, 1],
                workgroup: [256, 1, 1],
                dimensions: 1,
                lanes: 32,
                private_bytes: 0,
                group_bytes: 0,
                kernarg_len: KERNARG_BYTES,
                kernarg_align: 8,
                event: EventStatic {
                    command: buffer.next_command(),
                    submission_id: 0,
                    executable_id: 1,
                    function_ordinal: 0,
                    stream_ordinal: 0,
                    correlation_id: 0,
                    dynamic_lds_bytes: 0,
                    kind: EventKind::Dispatch,
                    payload_bytes: 0,
                    selected: true,
                },
                waits: &[],
            };
            let submitted =
                queue.dispatch(&dispatch, &mut |bytes| bytes.copy_from_slice(&arguments));
            submitted.expect("the device never faults");
        }
        figures.push(begin.elapsed().as_secs_f64() * 1e9 / f64::from(BATCH));
        between();
    }
    figures.sort_by(f64::total_cmp);
    (figures[figures.len() / 2], figures[0])
}

fn run(recorded: bool, busy: bool) -> (f64, f64) {
    let device = FakeDevice::new(Pace::Manual);
    let signals = SignalPool::new(Arc::clone(&device) as Arc<dyn Device>);
    let gate = Arc::new(ProfileGate::new());
    gate.set(ProfileKinds::DISPATCH);
    let mut options = QueueOptions::new(0, signals, gate);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let mut collector = None;
        let (sender, receiver) = std::sync::mpsc::channel::<Arc<Queue>>();
        if recorded {
            let stop = &stop;
            let thread = scope.spawn(move || {
                let queue = receiver.recv().expect("the queue comes");
                collect(&queue, stop)
            });
            options.recording = Some(Recording {
                ring: RingMemory::anonymous().expect("memory"),
                sink: Arc::new(Unpark(thread.thread().clone())),
            });
            collector = Some(thread);
        }
        let queue = Queue::create(Arc::clone(&device) as Arc<dyn Device>, options);
        let queue = Arc::new(queue.expect("a queue"));
        if recorded {
            sender
                .send(Arc::clone(&queue))
                .expect("the collector is there");
        }
        let hardware = busy.then(|| {
            scope.spawn(|| {
                while !stop.load(Relaxed) {
                    if device.process(usize::MAX) == 0 {
                        std::hint::spin_loop();
                    }
                }
            })
        });
        let figures = measure(&queue, &|| {
            if busy {
                queue.wait_idle(None).expect("the device never faults");
            } else {
                device.process(usize::MAX);
            }
        });
        stop.store(true, Relaxed);
        if let Some(hardware) = hardware {
            hardware.join().expect("the hardware ends");
        }
        if let Some(collector) = collector {
            collector.thread().unpark();
            let events = collector.join().expect("the collector ends");
            assert_eq!(
                events,
                u64::from(BATCH) * BATCHES as u64,
                "every launch is drained"
            );
        }
        figures
    })
}

/// Processor time of the calling thread.
fn thread_time() -> Duration {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is a live `timespec`, which is what the call fills.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) };
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_nanos(u64::try_from(now.tv_nsec).unwrap_or(0))
}

/// Share of a core that a thread uses which waits two seconds for a kernel.
fn waiting() -> f64 {
    let device = FakeDevice::new(Pace::Manual);
    let signals = SignalPool::new(Arc::clone(&device) as Arc<dyn Device>);
    let options = QueueOptions::new(0, signals, Arc::new(ProfileGate::new()));
    let queue = Queue::create(Arc::clone(&device) as Arc<dyn Device>, options).expect("a queue");
    let kernel = queue.barrier(&[], None).expect("a barrier");
    let limit = Duration::from_secs(2);
    let before = thread_time();
    let done = queue
        .wait_for(&kernel, limit)
        .expect("the device never faults");
    assert!(!done, "nobody completes it");
    (thread_time() - before).as_secs_f64() / limit.as_secs_f64()
}

fn main() {
    // `cargo test` runs benches too, with other arguments.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    println!(
        "ns a launch with {KERNARG_BYTES} bytes of arguments, median (least) of {BATCHES} x {BATCH}"
    );
    for (name, busy) in [("lazy", false), ("busy", true)] {
        let mut rounds: Vec<_> = (0..5)
            .map(|_| (run(false, busy), run(true, busy)))
            .collect();
        rounds.sort_by(|a, b| (a.1.0 - a.0.0).total_cmp(&(b.1.0 - b.0.0)));
        let ((median, least), (recorded, recorded_least)) = rounds[2];
        println!(
            "  {name}: unprofiled {median:.1} ({least:.1}), recorded {recorded:.1} \
             ({recorded_least:.1}), added {:.1}",
            recorded - median
        );
    }
    println!(
        "waiting 2 s for a kernel: {:.2} % of a core",
        100.0 * waiting()
    );
}
