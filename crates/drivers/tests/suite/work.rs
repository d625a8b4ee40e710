//! Queues at work: results, order, waits, clocks, scratch, code, events.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use hrx_hal::MemoryKind;
use hrx_hal::gate::ProfileKinds;
use hrx_hal::memory::Buffer;
use hrx_hal::queue::{DrainSink, Queue, Recording};
use hrx_profile::RingMemory;
use hrx_profile::schema::side::FLAG_RECORD;

use super::rig::{Launch, PAGE, Program, Rig, read_floats, read_object, read_words, saxpy};

pub(crate) fn kernels_compute_in_memory_of_every_kind(rig: &Rig) {
    let queue = rig.queue();
    let program = rig.program(&queue, "01_saxpy.O3.co");
    let count: u16 = 1000;
    let values: Vec<f32> = (0..count).map(f32::from).collect();
    for kind in [MemoryKind::Device, MemoryKind::HostFine] {
        let x = rig.floats(&values, kind);
        let y = rig.floats(&values, kind);
        saxpy(&program, 3.0, &x, &y, u32::from(count)).run(&queue);
        let expected: Vec<f32> = values.iter().map(|value| 4.0 * value).collect();
        assert_eq!(read_floats(&y, values.len()), expected, "in {kind:?}");
    }
}

pub(crate) fn seventy_thousand_launches_all_run_in_order(rig: &Rig) {
    let queue = rig.queue();
    let program = rig.program(&queue, "01_saxpy.O3.co");
    let one = rig.floats(&[1.0], MemoryKind::Device);
    let sum = rig.floats(&[0.0], MemoryKind::Device);
    // More than event slots, packets and argument bytes of any queue.
    let launches: u32 = 70_000;
    let launch = saxpy(&program, 1.0, &one, &sum, 1);
    let mut last = None;
    for _ in 0..launches {
        last = Some(launch.submit(&queue).expect("a submission"));
    }
    queue
        .wait(&last.expect("there were some"))
        .expect("it completes");
    // Exact: a whole number below 2^24.
    assert_eq!(read_floats(&sum, 1), [70_000.0]);
    assert_eq!(queue.counters().launches_seen, u64::from(launches));
}

pub(crate) fn waits_order_the_work_of_two_queues(rig: &Rig) {
    let (one, other) = (rig.queue(), rig.queue());
    let program = rig.program(&one, "01_saxpy.O3.co");
    let unit = rig.floats(&[1.0], MemoryKind::Device);
    let value = rig.floats(&[0.0], MemoryKind::Device);
    let mut signal = one.signal_after().expect("a signal");
    let rounds = 20;
    for _ in 0..rounds {
        // Doubled on one queue, then incremented on the other; any other order gives another
        // number.
        let double = saxpy(&program, 1.0, &value, &value, 1).after(&[&signal]);
        double.submit(&one).expect("a submission");
        signal = one.signal_after().expect("a signal");
        let increment = saxpy(&program, 1.0, &unit, &value, 1).after(&[&signal]);
        increment.submit(&other).expect("a submission");
        signal = other.signal_after().expect("a signal");
    }
    let end = one.barrier(&[signal], None).expect("a barrier");
    one.wait(&end).expect("it completes");
    let expected: f32 = (0..rounds).fold(0.0, |value, _| 2.0 * value + 1.0);
    assert_eq!(read_floats(&value, 1), [expected]);
}

pub(crate) fn ticks_rise_and_lie_between_clock_samples(rig: &Rig) {
    let queue = rig.queue();
    let program = rig.program(&queue, "01_saxpy.O3.co");
    let x = rig.floats(&[1.0; 64], MemoryKind::Device);
    let launch = saxpy(&program, 1.0, &x, &x, 64);
    let before = rig.device.sample_clocks().expect("a sample");
    let mut last = before.device_tick;
    for _ in 0..20 {
        let completion = launch.submit(&queue).expect("a submission");
        let signal = queue.signal_after().expect("a signal");
        queue.wait(&completion).expect("it completes");
        let position = completion.position().expect("launches have one");
        let slot = &queue.events().slot(position).signal;
        let (start, end) = (slot.start_ts.load(Relaxed), slot.end_ts.load(Relaxed));
        assert!(last <= start && start <= end, "{last} <= {start} <= {end}");
        assert!(queue.wait_idle(None).expect("no fault"));
        let marker = signal.ticks().expect("it has completed");
        assert!(end <= marker.end && marker.start <= marker.end);
        last = marker.end;
    }
    let after = rig.device.sample_clocks().expect("a sample");
    assert!(last <= after.device_tick);
}

pub(crate) fn clock_samples_agree_with_the_tick_rate(rig: &Rig) {
    let first = rig.device.sample_clocks().expect("a sample");
    std::thread::sleep(Duration::from_millis(50));
    let second = rig.device.sample_clocks().expect("a sample");
    assert!(first.host_begin_ns <= first.host_end_ns && first.host_end_ns <= second.host_begin_ns);
    assert!(first.host_cpu_ns < second.host_cpu_ns);
    let ticks = u128::from(second.device_tick - first.device_tick);
    let nanoseconds = u128::from(second.host_system_ns - first.host_system_ns);
    let expected = nanoseconds * u128::from(rig.device.properties().tick_hz) / 1_000_000_000;
    // The clocks of a sample are read one after the other: 1 % of 50 ms is far more than that
    // takes.
    assert!(
        ticks.abs_diff(expected) < expected / 100,
        "{ticks} ticks, expected {expected}"
    );
}

/// A launch that spins until the host stores to the first word of the buffer.
fn spinner<'a>(program: &'a Program, flag: &Buffer) -> Launch<'a> {
    // The work-group takes ticket 1 and so waits for flag 0.
    flag.write(0, &[0; 4096]).expect("a page");
    flag.write(2048, &1_u32.to_le_bytes()).expect("a page");
    program
        .kernel("chain", 32, 32)
        .pointer(0, flag)
        .arg(1, &(flag.address() as u64 + 1024).to_le_bytes())
        .arg(2, &(flag.address() as u64 + 2048).to_le_bytes())
}

pub(crate) fn a_wait_with_a_limit_gives_up_on_a_kernel_that_runs_on(rig: &Rig) {
    let queue = rig.queue();
    let program = rig.program(&queue, "17_lookback.O3.co");
    let flag = rig.buffer(PAGE, MemoryKind::HostFine);
    let completion = spinner(&program, &flag)
        .submit(&queue)
        .expect("a submission");
    assert!(
        !queue
            .wait_for(&completion, Duration::from_millis(20))
            .expect("no fault")
    );
    assert!(!queue.is_complete(&completion));
    flag.write(0, &1_u32.to_le_bytes()).expect("a page");
    queue.wait(&completion).expect("it completes");
    // out[1] = out[0] + 1 + 1.
    assert_eq!(read_words(&flag, 258)[257], 2);
}

pub(crate) fn a_blocked_queue_does_not_hold_up_another(rig: &Rig) {
    let (blocked, free) = (rig.queue(), rig.queue());
    let lookback = rig.program(&blocked, "17_lookback.O3.co");
    let program = rig.program(&free, "01_saxpy.O3.co");
    let flag = rig.buffer(PAGE, MemoryKind::HostFine);
    let spinning = spinner(&lookback, &flag)
        .submit(&blocked)
        .expect("a submission");
    let behind = blocked.signal_after().expect("a signal");
    let y = rig.floats(&[1.0; 64], MemoryKind::Device);
    let late = saxpy(&program, 1.0, &y, &y, 64).after(&[&behind]);
    saxpy(&program, 1.0, &y, &y, 64).run(&free);
    let late = late.submit(&free).expect("a submission");
    assert!(
        !free
            .wait_for(&late, Duration::from_millis(5))
            .expect("no fault")
    );
    assert_eq!(read_floats(&y, 1), [2.0]);
    flag.write(0, &1_u32.to_le_bytes()).expect("a page");
    free.wait(&late).expect("it completes");
    assert!(blocked.is_complete(&spinning));
    assert_eq!(read_floats(&y, 1), [4.0]);
}

pub(crate) fn scratch_grows_with_the_kernels_that_need_it(rig: &Rig) {
    let queue = rig.queue();
    let program = rig.program(&queue, "11_scratch.O3.co");
    let (count, items) = (1000_u32, 128_u32);
    let input: Vec<i32> = (0..1000).map(|value| value * 7 % 61).collect();
    let bytes: Vec<u8> = input.iter().flat_map(|value| value.to_le_bytes()).collect();
    let from = rig.buffer(bytes.len(), MemoryKind::Device);
    from.write(0, &bytes).expect("it fits");
    let to = rig.buffer(4 * 128, MemoryKind::Device);
    let launch = program
        .kernel("local_array", items, 64)
        .pointer(0, &from)
        .pointer(1, &to)
        .arg(2, &count.to_le_bytes());
    assert!(
        launch.kernel.info.private_segment_fixed_bytes >= 256,
        "it has an array of 64 words"
    );
    launch.run(&queue);
    let expected: Vec<u32> = (0..items)
        .map(|item| local_array(&input, item, item % 64))
        .collect();
    assert_eq!(read_words(&to, 128), expected);
    // A second queue has scratch of its own, and so has a larger kernel on the first.
    let second = rig.queue();
    launch.run(&second);
    assert_eq!(read_words(&to, 128), expected);
    let mut larger = launch;
    larger.arguments[0..8].copy_from_slice(&(from.address() as u64).to_le_bytes());
    larger.run(&queue);
    assert_eq!(read_words(&to, 128), expected);
}

/// What the kernel of the same name does, in the host's words.
fn local_array(input: &[i32], gid: u32, tid: u32) -> u32 {
    let mut buffer = [0_i32; 64];
    for (k, word) in (0..).zip(&mut buffer) {
        *word = input[(gid as usize * 64 + k) % input.len()];
    }
    let mut sum = 0_i32;
    let mut at = tid as usize & 63;
    for _ in 0..100 {
        sum = sum.wrapping_add(buffer[at]);
        buffer[at] = sum;
        at = buffer[(at + 1) & 63].cast_unsigned() as usize & 63;
    }
    sum.cast_unsigned()
}

pub(crate) fn code_may_be_replaced_in_place(rig: &Rig) {
    let queue = rig.queue();
    let mut program = rig.program(&queue, "01_saxpy.O3.co");
    let y = rig.floats(&[1.0; 64], MemoryKind::Device);
    saxpy(&program, 1.0, &y, &y, 64).run(&queue);
    assert_eq!(read_floats(&y, 64), [2.0; 64]);
    // Another build of the same kernels at the same addresses: what was decoded there is stale.
    let (object, image) = read_object("01_saxpy.O1.co");
    let fits = object.load_size <= program.memory.size() as u64;
    assert!(fits, "the objects are of one size class");
    program = program.load(rig, &queue, object, &image, "replaced");
    saxpy(&program, 1.0, &y, &y, 64).run(&queue);
    assert_eq!(read_floats(&y, 64), [4.0; 64]);
}

pub(crate) fn queues_come_and_go_without_a_trace(rig: &Rig) {
    // What stays for good is there after the first one: doorbells, signals.
    drop(rig.queue().signal_after().expect("a signal"));
    let (before, _) = rig.device.memory_info().expect("an answer");
    for _ in 0..10 {
        let queues: Vec<Queue> = (0..4).map(|_| rig.queue()).collect();
        for queue in &queues {
            let end = queue.barrier(&[], None).expect("a barrier");
            queue.wait(&end).expect("it completes");
        }
    }
    let (after, _) = rig.device.memory_info().expect("an answer");
    assert_eq!(after, before);
}

#[derive(Debug)]
struct NoSink;

impl DrainSink for NoSink {
    fn wake(&self) {}
}

pub(crate) fn every_launch_of_several_threads_is_recorded_once(rig: &Rig) {
    rig.gate.set(ProfileKinds::DISPATCH);
    let mut options = rig.options();
    options.recording = Some(Recording {
        ring: RingMemory::anonymous().expect("memory"),
        sink: Arc::new(NoSink),
    });
    let queue = Queue::create(Arc::clone(&rig.device), options).expect("a queue");
    let program = rig.program(&queue, "01_saxpy.O3.co");
    let y = rig.floats(&[0.0; 64], MemoryKind::Device);
    let one = rig.floats(&[1.0; 64], MemoryKind::Device);
    let (threads, each) = (4_u16, 20_000_u16);
    let finished = AtomicBool::new(false);
    let drained = std::thread::scope(|scope| {
        let collector = scope.spawn(|| collect(&queue, &finished));
        let submitters: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let launch = saxpy(&program, 1.0, &one, &y, 64);
                    for _ in 0..each {
                        launch.submit(&queue).expect("a submission");
                    }
                })
            })
            .collect();
        for submitter in submitters {
            submitter.join().expect("no panic");
        }
        assert!(queue.wait_idle(None).expect("no fault"));
        finished.store(true, Relaxed);
        collector.join().expect("no panic")
    });
    let total = u64::from(threads) * u64::from(each);
    assert_eq!(drained, total);
    assert_eq!(queue.counters().launches_selected, total);
    assert_eq!(
        read_floats(&y, 64),
        [f32::from(threads) * f32::from(each); 64]
    );
}

/// Drains until told to stop, and then what is left; checks each event.
fn collect(queue: &Queue, finished: &AtomicBool) -> u64 {
    let (mut events, mut last_end) = (0, 0);
    loop {
        let last_round = finished.load(Relaxed);
        queue.retire();
        queue.events().take(1);
        let mut drain = queue.events().drain();
        for (position, slot) in drain.slots() {
            let info = slot.info.load();
            assert_eq!(info.sequence, position + 1);
            let (start, end) = (
                slot.signal.start_ts.load(Relaxed),
                slot.signal.end_ts.load(Relaxed),
            );
            assert!(
                last_end <= start && start <= end,
                "{last_end} <= {start} <= {end}"
            );
            last_end = end;
            if info.flags & FLAG_RECORD == 0 {
                continue;
            }
            assert_eq!((info.executable_id, info.function_ordinal), (1, 5));
            assert_eq!(info.workgroup_count, [1, 1, 1]);
            events += 1;
        }
        let end = drain.range().end;
        drain.release(end);
        drop(drain);
        if last_round {
            return events;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
