//! Queues over a device that completes packets and runs nothing: order, room, faults, what is given
//! back, what is recorded.

mod support;

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

use hrx_hal::command::{Command, CommandBuffer, CommandBufferMode, CommandBufferUse};
use hrx_hal::gate::{ProfileGate, ProfileKinds};
use hrx_hal::queue::{Dispatch, DrainSink, EventKind, EventStatic, Queue, QueueOptions, Recording};
use hrx_hal::signal::SignalPool;
use hrx_hal::{Device, DeviceFault, FaultKind, HalError};
use hrx_profile::RingMemory;
use hrx_profile::schema::side::{FLAG_RECORD, RING_CAPACITY};

use support::{FakeDevice, Pace};

fn event(command: Command) -> EventStatic {
    EventStatic {
        command,
        submission_id: 0,
        executable_id: 7,
        function_ordinal: 3,
        stream_ordinal: 2,
        correlation_id: 0,
        dynamic_lds_bytes: 0,
        kind: EventKind::Dispatch,
        payload_bytes: 0,
        selected: true,
    }
}

fn launch(command: Command) -> Dispatch<'static> {
    Dispatch {
        kernel_object: 0x1000,
        grid: [100, 1, 1],
        workgroup: [32, 1, 1],
        dimensions: 1,
        lanes: 32,
        private_bytes: 0,
        group_bytes: 0,
        kernarg_len: 64,
        kernarg_align: 8,
        event: event(command),
        waits: &[],
    }
}

fn command() -> Command {
    CommandBuffer::new(CommandBufferUse::Once).next_command()
}

fn write_first(value: u64) -> impl FnMut(&mut [u8]) {
    move |bytes| {
        bytes.fill(0);
        bytes[..8].copy_from_slice(&value.to_le_bytes());
    }
}

#[derive(Debug, Default)]
struct Sink(AtomicU64);

impl DrainSink for Sink {
    fn wake(&self) {
        self.0.fetch_add(1, Relaxed);
    }
}

struct Rig {
    device: Arc<FakeDevice>,
    signals: Arc<SignalPool>,
    gate: Arc<ProfileGate>,
    sink: Arc<Sink>,
}

impl Rig {
    fn new(pace: Pace) -> Self {
        let device = FakeDevice::new(pace);
        let signals = SignalPool::new(Arc::clone(&device) as Arc<dyn Device>);
        Self {
            device,
            signals,
            gate: Arc::default(),
            sink: Arc::default(),
        }
    }

    fn options(&self, packets: u32) -> QueueOptions {
        let mut options = QueueOptions::new(0, Arc::clone(&self.signals), Arc::clone(&self.gate));
        options.packets = packets;
        options.kernarg_bytes = 8192;
        options
    }

    fn queue(&self, packets: u32) -> Queue {
        Queue::create(
            Arc::clone(&self.device) as Arc<dyn Device>,
            self.options(packets),
        )
        .unwrap()
    }

    fn recorded(&self, packets: u32) -> Queue {
        let mut options = self.options(packets);
        options.recording = Some(Recording {
            ring: RingMemory::anonymous().unwrap(),
            sink: Arc::clone(&self.sink) as Arc<dyn DrainSink>,
        });
        Queue::create(Arc::clone(&self.device) as Arc<dyn Device>, options).unwrap()
    }
}

/// Reads what is claimed and releases it; returns how many were to be recorded.
fn drain(queue: &Queue) -> u64 {
    queue.retire();
    queue.events().take(1);
    let mut drain = queue.events().drain();
    let mut recorded = 0;
    for (position, slot) in drain.slots() {
        assert!(
            slot.signal.is_complete(),
            "position {position} is not complete"
        );
        let info = slot.info.load();
        assert_eq!(info.sequence, position + 1);
        if info.flags & FLAG_RECORD != 0 {
            assert!(slot.signal.start_ts.load(Relaxed) > 0);
            assert_eq!((info.executable_id, info.function_ordinal), (7, 3));
            recorded += 1;
        }
    }
    let end = drain.range().end;
    drain.release(end);
    recorded
}

#[test]
fn packets_run_in_order_with_their_own_arguments_across_many_laps_of_all_rings() {
    let rig = Rig::new(Pace::OnDemand);
    rig.device.log_runs.store(true, Relaxed);
    let queue = rig.queue(16);
    let count = 5000;
    for (index, len) in (0..count).zip((8..1008).step_by(24).cycle()) {
        let launch = Dispatch {
            kernel_object: index,
            kernarg_len: len,
            ..launch(command())
        };
        queue.dispatch(&launch, &mut write_first(index)).unwrap();
    }
    assert!(queue.wait_idle(None).unwrap());
    assert_eq!(
        *rig.device.ran.lock().unwrap(),
        (0..count).collect::<Vec<_>>()
    );
    assert_eq!(
        rig.device.kernarg_sum.load(Relaxed),
        count * (count - 1) / 2
    );
    let counters = queue.counters();
    assert_eq!(
        (counters.launches_seen, counters.launches_selected),
        (count, 0)
    );
    assert!(
        counters.device_stalls > 0,
        "16 packets cannot hold 5000 launches"
    );
    assert_eq!(counters.collector_stalls, 0);
}

#[test]
fn a_completion_is_done_exactly_when_its_packet_is() {
    let rig = Rig::new(Pace::Manual);
    let queue = rig.queue(64);
    let completions: Vec<_> = (0..3)
        .map(|_| {
            queue
                .dispatch(&launch(command()), &mut write_first(0))
                .unwrap()
        })
        .collect();
    let done = || {
        completions
            .iter()
            .map(|c| queue.is_complete(c))
            .collect::<Vec<_>>()
    };
    assert_eq!(done(), [false, false, false]);
    rig.device.process(1);
    assert_eq!(done(), [true, false, false]);
    rig.device.process(2);
    assert_eq!(done(), [true, true, true]);
    // Long after its slot was used again it is still done.
    for _ in 0..1000 {
        queue
            .dispatch(&launch(command()), &mut write_first(0))
            .unwrap();
        rig.device.process(1);
    }
    assert_eq!(done(), [true, true, true]);
}

#[test]
fn a_sleeping_waiter_is_woken_by_the_interrupt_behind_its_work() {
    let rig = Rig::new(Pace::Manual);
    let queue = rig.queue(64);
    let completion = queue
        .dispatch(&launch(command()), &mut write_first(0))
        .unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // The device works only once the waiter sleeps.
            while rig.device.event_waits.load(Relaxed) == 0 {
                std::thread::yield_now();
            }
            rig.device.process(usize::MAX);
        });
        queue.wait(&completion).unwrap();
    });
    assert!(queue.is_complete(&completion));
}

#[test]
fn a_wait_with_a_limit_gives_up_and_can_be_repeated() {
    let rig = Rig::new(Pace::Manual);
    let queue = rig.queue(64);
    let completion = queue
        .dispatch(&launch(command()), &mut write_first(0))
        .unwrap();
    let limit = Duration::from_millis(3);
    for _ in 0..5 {
        assert!(!queue.wait_for(&completion, limit).unwrap());
    }
    rig.device.process(usize::MAX);
    assert!(queue.wait_for(&completion, limit).unwrap());
    assert!(queue.wait_idle(Some(limit)).unwrap());
}

#[test]
fn a_launch_that_waits_for_signals_runs_after_all_of_them() {
    let rig = Rig::new(Pace::Manual);
    rig.device.log_runs.store(true, Relaxed);
    let (one, other) = (rig.queue(64), rig.queue(64));
    // More signals than one barrier packet can name.
    let waits: Vec<_> = (0..12)
        .map(|index| {
            let first = Dispatch {
                kernel_object: index,
                ..launch(command())
            };
            one.dispatch(&first, &mut write_first(0)).unwrap();
            one.signal_after().unwrap()
        })
        .collect();
    let last = Dispatch {
        kernel_object: 99,
        waits: &waits,
        ..launch(command())
    };
    let completion = other.dispatch(&last, &mut write_first(0)).unwrap();
    let second = other.barrier(&waits[..7], None).unwrap();
    // The clones that are left are the queues'.
    drop(waits);
    rig.device.process(usize::MAX);
    assert!(other.is_complete(&completion) && other.is_complete(&second));
    assert_eq!(rig.device.ran.lock().unwrap().last(), Some(&99));
    assert_eq!(rig.device.ran.lock().unwrap().len(), 13);
}

#[test]
fn ticks_of_signals_rise_along_a_queue() {
    let rig = Rig::new(Pace::Instant);
    let queue = rig.queue(64);
    let mut last = 0;
    for _ in 0..100 {
        queue
            .dispatch(&launch(command()), &mut write_first(0))
            .unwrap();
        let ticks = queue
            .signal_after()
            .unwrap()
            .ticks()
            .expect("the device is instant");
        assert!(last < ticks.start && ticks.start < ticks.end);
        last = ticks.end;
    }
}

#[test]
fn a_signal_that_a_packet_names_is_not_handed_out_again_before_the_packet_is_done() {
    let rig = Rig::new(Pace::Manual);
    let queue = rig.queue(64);
    let address = {
        let signal = queue.signal_after().unwrap();
        signal.address()
    };
    let next = rig.signals.take().unwrap();
    assert_ne!(next.address(), address, "its barrier has not run");
    rig.device.process(usize::MAX);
    queue.retire();
    let next = rig.signals.take().unwrap();
    assert_eq!(next.address(), address, "free again");
}

#[test]
fn every_recorded_launch_of_several_threads_is_drained_once() {
    let rig = Rig::new(Pace::OnDemand);
    rig.gate.set(ProfileKinds::DISPATCH);
    let queue = rig.recorded(256);
    let (threads, each) = (4, 40_000);
    let finished = AtomicBool::new(false);
    let total = std::thread::scope(|scope| {
        let collector = scope.spawn(|| {
            let mut total = 0;
            loop {
                let last = finished.load(Relaxed);
                total += drain(&queue);
                if last {
                    return total;
                }
                std::thread::yield_now();
            }
        });
        let submitters: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let buffer = CommandBuffer::new(CommandBufferUse::Once);
                    for _ in 0..each {
                        let launch = launch(buffer.next_command());
                        queue.dispatch(&launch, &mut write_first(0)).unwrap();
                    }
                })
            })
            .collect();
        for submitter in submitters {
            submitter.join().unwrap();
        }
        assert!(queue.wait_idle(None).unwrap());
        finished.store(true, Relaxed);
        collector.join().unwrap()
    });
    assert_eq!(total, threads * each);
    assert_eq!(queue.counters().launches_selected, threads * each);
}

#[test]
fn the_collector_is_called_when_256_events_wait() {
    let rig = Rig::new(Pace::Instant);
    rig.gate.set(ProfileKinds::DISPATCH);
    let queue = rig.recorded(256);
    let mut launches = 0;
    while rig.sink.0.load(Relaxed) == 0 {
        queue
            .dispatch(&launch(command()), &mut write_first(0))
            .unwrap();
        launches += 1;
        assert!(launches <= 512, "nobody was called");
    }
    assert!(launches >= 256);
    let state = queue.events().state();
    assert_eq!(state.taken, state.ready, "claimed before the call");
    // Not again before as many have completed again.
    for _ in 0..255 {
        queue
            .dispatch(&launch(command()), &mut write_first(0))
            .unwrap();
    }
    assert_eq!(rig.sink.0.load(Relaxed), 1);
}

#[test]
fn a_full_event_ring_waits_for_the_collector_and_says_so() {
    let rig = Rig::new(Pace::Instant);
    rig.gate.set(ProfileKinds::DISPATCH);
    let queue = rig.recorded(256);
    let capacity = u64::from(RING_CAPACITY);
    for _ in 0..capacity {
        queue
            .dispatch(&launch(command()), &mut write_first(0))
            .unwrap();
    }
    assert_eq!(queue.counters().collector_stalls, 0);
    let before = rig.sink.0.load(Relaxed);
    let drained = std::thread::scope(|scope| {
        let collector = scope.spawn(|| {
            while rig.sink.0.load(Relaxed) == before {
                std::thread::yield_now();
            }
            drain(&queue)
        });
        queue
            .dispatch(&launch(command()), &mut write_first(0))
            .unwrap();
        collector.join().unwrap()
    });
    let total = drained + drain(&queue);
    assert_eq!(total, capacity + 1, "nothing was dropped");
    let counters = queue.counters();
    assert!(counters.collector_stalls > 0 && counters.stalled_ns > 0);
}

#[test]
fn nobody_waits_for_the_collector_of_a_session_that_has_ended() {
    let rig = Rig::new(Pace::Instant);
    rig.gate.set(ProfileKinds::DISPATCH);
    let queue = rig.recorded(256);
    let capacity = u64::from(RING_CAPACITY);
    // Some drained, some claimed, some not even retired.
    for _ in 0..1000 {
        queue
            .dispatch(&launch(command()), &mut write_first(0))
            .unwrap();
    }
    assert_eq!(drain(&queue), 1000);
    for _ in 0..700 {
        queue
            .dispatch(&launch(command()), &mut write_first(0))
            .unwrap();
    }
    // The ring is full of events that have completed.
    for _ in 700..capacity {
        queue
            .dispatch(&launch(command()), &mut write_first(0))
            .unwrap();
    }
    queue.retire();
    queue.events().end_recording();
    for _ in 0..2 * capacity {
        queue
            .dispatch(&launch(command()), &mut write_first(0))
            .unwrap();
    }
    let counters = queue.counters();
    assert_eq!(
        (counters.launches_selected, counters.collector_stalls),
        (1000 + capacity, 0)
    );
    assert_eq!(
        queue.events().drain().range(),
        0..0,
        "nothing is the collector's any more"
    );
    assert!(queue.wait_idle(None).unwrap());
}

#[test]
fn a_device_that_cannot_write_to_the_ring_has_its_stamps_copied_there() {
    let rig = Rig::new(Pace::OnDemand);
    rig.device.refuse_registration.store(true, Relaxed);
    rig.gate.set(ProfileKinds::DISPATCH);
    let queue = rig.recorded(64);
    let mut total = 0;
    for round in 0..300 {
        let mut last = None;
        for _ in 0..round {
            last = Some(
                queue
                    .dispatch(&launch(command()), &mut write_first(0))
                    .unwrap(),
            );
        }
        if let Some(last) = last {
            queue.wait(&last).unwrap();
            assert!(queue.is_complete(&last));
        }
        total += drain(&queue);
    }
    assert_eq!(total, 300 * 299 / 2);
    assert_eq!(queue.counters().launches_selected, total);
}

#[test]
fn what_is_not_recorded_is_counted_by_its_cause() {
    let rig = Rig::new(Pace::Instant);
    let queue = rig.recorded(256);
    let wanted = launch(command());
    let mut filtered = wanted;
    filtered.event.selected = false;
    let mut unretained = wanted;
    unretained.event.command.mode = CommandBufferMode::ONE_SHOT;
    queue.dispatch(&wanted, &mut write_first(0)).unwrap();
    rig.gate.set(ProfileKinds::DISPATCH);
    for launch in [&wanted, &wanted, &filtered, &unretained] {
        queue.dispatch(launch, &mut write_first(0)).unwrap();
    }
    let counters = queue.counters();
    assert_eq!(counters.launches_seen, 5);
    assert_eq!(counters.launches_unwanted, 1);
    assert_eq!(counters.launches_filtered, 1);
    let retained = u64::from(cfg!(not(feature = "fault-mask-retain"))) * 2;
    assert_eq!(counters.launches_selected, retained);
    assert_eq!(counters.launches_unretained, 3 - retained);
    assert_eq!(drain(&queue), retained);
}

#[test]
fn a_fault_ends_waits_and_later_submissions_with_what_is_known() {
    let rig = Rig::new(Pace::Manual);
    let queue = rig.queue(64);
    let completion = queue
        .dispatch(&launch(command()), &mut write_first(0))
        .unwrap();
    let fault = DeviceFault {
        kind: FaultKind::NotPresent,
        address: Some(0xdead_0000),
        code: 5,
        kernel: Some("saxpy".into()),
        workgroup: Some([1, 2, 3]),
        lane: None,
        detail: None,
    };
    let seen = std::thread::scope(|scope| {
        scope.spawn(|| {
            while rig.device.event_waits.load(Relaxed) == 0 {
                std::thread::yield_now();
            }
            rig.device.break_down(fault.clone());
        });
        queue.wait(&completion).unwrap_err()
    });
    assert_eq!(seen.fault(), Some(&fault));
    let text = seen.to_string();
    for part in ["0xdead0000", "saxpy", "(1, 2, 3)"] {
        assert!(text.contains(part), "{text}");
    }
    let launch = launch(command());
    let mut called = false;
    let refused = queue.dispatch(&launch, &mut |_| called = true).unwrap_err();
    assert_eq!(refused.fault(), Some(&fault));
    assert!(
        !called,
        "no arguments are written for a launch that is refused"
    );
    assert!(queue.signal_after().unwrap_err().fault().is_some());
}

#[test]
fn a_fault_ends_the_wait_for_room() {
    let rig = Rig::new(Pace::Manual);
    let queue = rig.queue(16);
    for _ in 0..16 {
        queue
            .dispatch(&launch(command()), &mut write_first(0))
            .unwrap();
    }
    let lost = DeviceFault {
        kind: FaultKind::Lost,
        address: None,
        code: 0,
        kernel: None,
        workgroup: None,
        lane: None,
        detail: None,
    };
    std::thread::scope(|scope| {
        let blocked = scope.spawn(|| queue.dispatch(&launch(command()), &mut write_first(0)));
        std::thread::sleep(Duration::from_millis(5));
        rig.device.break_down(lost.clone());
        let error = blocked.join().unwrap().unwrap_err();
        assert_eq!(error.fault(), Some(&lost));
    });
}

#[test]
fn a_refused_launch_leaves_no_trace() {
    let rig = Rig::new(Pace::Instant);
    let queue = rig.queue(64);
    let too_long = Dispatch {
        kernarg_len: 4097,
        ..launch(command())
    };
    let error = queue.dispatch(&too_long, &mut write_first(0)).unwrap_err();
    assert!(matches!(
        error,
        HalError::KernargTooLarge {
            needed_bytes: 4097,
            limit_bytes: 4096
        }
    ));
    rig.device.refuse_scratch.store(true, Relaxed);
    let scratch = Dispatch {
        private_bytes: 256,
        ..launch(command())
    };
    let error = queue.dispatch(&scratch, &mut write_first(0)).unwrap_err();
    assert!(matches!(error, HalError::OutOfMemory { .. }));
    assert_eq!(queue.events().state().write, 0);
    assert_eq!(queue.counters().launches_seen, 0);
    // An unwinding writer of arguments leaves none either, and the queue goes on.
    let panicking = std::panic::AssertUnwindSafe(|| {
        let _ = queue.dispatch(&launch(command()), &mut |_| panic!("writer"));
    });
    assert!(std::panic::catch_unwind(panicking).is_err());
    let completion = queue
        .dispatch(&launch(command()), &mut write_first(0))
        .unwrap();
    assert_eq!(completion.position(), Some(0));
    assert!(queue.is_complete(&completion));
}

#[test]
fn scratch_grows_once_for_the_largest_kernel_and_only_on_an_idle_queue() {
    let rig = Rig::new(Pace::OnDemand);
    let queue = rig.queue(64);
    for private_bytes in [0, 64, 64, 32, 128, 0, 128] {
        let launch = Dispatch {
            private_bytes,
            ..launch(command())
        };
        queue.dispatch(&launch, &mut write_first(0)).unwrap();
    }
    assert_eq!(
        rig.device.scratch_calls.load(Relaxed),
        2,
        "for 64 and for 128 bytes"
    );
}

#[test]
fn everything_is_given_back() {
    let rig = Rig::new(Pace::Manual);
    let queue = rig.queue(64);
    let completion = queue
        .dispatch(&launch(command()), &mut write_first(0))
        .unwrap();
    let signal = queue.signal_after().unwrap();
    // An interrupt that is never raised, and unfinished work.
    assert!(
        !queue
            .wait_for(&completion, Duration::from_millis(2))
            .unwrap()
    );
    drop(queue);
    drop(signal);
    drop(rig.signals);
    assert_eq!(rig.device.alive.load(Relaxed), 0);
}

#[test]
fn code_invalidation_is_a_packet_that_is_waited_for() {
    let rig = Rig::new(Pace::OnDemand);
    let queue = rig.queue(64);
    let before = rig.device.alive.load(Relaxed);
    queue.invalidate_code().unwrap();
    assert_eq!(queue.events().state().write, 1);
    assert_eq!(
        rig.device.alive.load(Relaxed),
        before,
        "its buffer is freed"
    );
}
