//! Packets that run no kernel: barriers, PM4 buffers, what the processor refuses, wake-ups.

use std::sync::atomic::Ordering;

use hrx_abi::aql::{self, Barrier, PacketType, VendorPm4Ib};
use hrx_abi::kfd::{self, *};

use crate::client::{
    CONTROL, Client, Queue, QueueParts, Signals, awaited, barrier, header, value, wait_until,
};

#[test]
fn a_barrier_completes_and_stamps_its_signal() {
    let client = Client::with_threads(1);
    let signals = Signals::new(&client);
    let mut queue = Queue::new(&client, 64);
    let before = client.clocks(client.gpu_id).gpu_clock_counter;
    let position = queue.submit(&barrier(&[], signals.arm(0, 1)));
    signals.wait(0);
    let after = client.clocks(client.gpu_id).gpu_clock_counter;
    let signal = signals.get(0);
    let start = signal.start_ts.load(Ordering::Relaxed);
    let end = signal.end_ts.load(Ordering::Relaxed);
    assert!(
        before <= start && start <= end && end <= after,
        "{before} {start} {end} {after}"
    );
    assert_eq!(queue.header(position), PacketType::INVALID);
    assert_eq!(queue.read_index(), 1);
}

#[test]
fn values_fall_by_one_and_other_packets_need_no_signal() {
    let client = Client::with_threads(1);
    let signals = Signals::new(&client);
    let mut queue = Queue::new(&client, 64);
    let shared = signals.arm(0, 5);
    queue.push(&barrier(&[], shared));
    queue.push(&barrier(&[], 0));
    queue.push(&barrier(&[], shared));
    queue.submit(&barrier(&[], signals.arm(1, 1)));
    signals.wait(1);
    assert_eq!(value(&signals.get(0).value), 3);
    assert_eq!(queue.read_index(), 4);
}

#[test]
fn barriers_wait_for_all_or_for_any() {
    let client = Client::with_threads(2);
    let signals = Signals::new(&client);
    let mut all = Queue::new(&client, 64);
    let mut any = Queue::new(&client, 64);
    for index in 0..3 {
        signals.arm(index, 1);
    }
    let dependencies = [
        signals.address(0),
        0,
        signals.address(1),
        signals.address(2),
        0,
    ];
    all.submit(&barrier(&dependencies, signals.arm(10, 1)));
    let or = Barrier {
        header: header(PacketType::BARRIER_OR),
        ..barrier(&dependencies[..1], signals.arm(11, 1))
    };
    any.submit(&or);
    let nothing = Barrier {
        header: header(PacketType::BARRIER_OR),
        ..barrier(&[], signals.arm(12, 1))
    };
    let mut third = Queue::new(&client, 64);
    third.submit(&nothing);
    signals.wait(12);
    assert_eq!(value(&signals.get(10).value), 1, "none is 0");
    assert_eq!(value(&signals.get(11).value), 1, "none is 0");
    // The host completes signals without a doorbell.
    signals.get(0).value.store(0, Ordering::Release);
    signals.wait(11);
    assert_eq!(value(&signals.get(10).value), 1, "two are left");
    signals.get(2).value.store(0, Ordering::Release);
    // Negative is not 0.
    signals.get(1).value.store(-1, Ordering::Release);
    std::thread::sleep(std::time::Duration::from_millis(5));
    assert_eq!(value(&signals.get(10).value), 1);
    signals.get(1).value.store(0, Ordering::Release);
    signals.wait(10);
}

#[test]
fn a_stalled_queue_does_not_stall_another() {
    let client = Client::with_threads(1);
    let signals = Signals::new(&client);
    let mut stalled = Queue::new(&client, 64);
    let mut other = Queue::new(&client, 64);
    signals.arm(0, 1);
    stalled.submit(&barrier(&[signals.address(0)], signals.arm(1, 1)));
    for _ in 0..10 {
        other.submit(&barrier(&[], signals.arm(2, 1)));
        signals.wait(2);
    }
    assert_eq!(value(&signals.get(1).value), 1);
    // One queue releases the other.
    other.submit(&barrier(&[], signals.address(0)));
    signals.wait(1);
}

#[test]
fn packets_go_up_to_the_doorbell_and_to_the_first_invalid_header() {
    let client = Client::with_threads(1);
    let signals = Signals::new(&client);
    let mut queue = Queue::new(&client, 64);
    queue.push(&barrier(&[], signals.arm(0, 1)));
    queue.push(&barrier(&[], signals.arm(1, 1)));
    queue.ring_value(0);
    signals.wait(0);
    std::thread::sleep(std::time::Duration::from_millis(5));
    assert_eq!(value(&signals.get(1).value), 1, "not rung for");
    // Rung for more than was written: the processor stops at the header that is not there yet.
    queue.ring_value(2);
    signals.wait(1);
    assert_eq!(queue.read_index(), 2);
    queue.submit(&barrier(&[], signals.arm(2, 1)));
    signals.wait(2);
}

#[test]
fn a_ring_goes_round() {
    let client = Client::with_threads(2);
    let signals = Signals::new(&client);
    let mut queue = Queue::new(&client, 64);
    let mut submitted = 0;
    for _ in 0..40 {
        for _ in 0..15 {
            queue.push(&barrier(&[], 0));
        }
        submitted = queue.submit(&barrier(&[], signals.arm(0, 1))) + 1;
        signals.wait(0);
    }
    assert_eq!(queue.read_index(), submitted);
    assert_eq!(submitted, 640);
}

/// As AMD's runtime makes the code that it uploaded visible.
#[test]
fn a_pm4_buffer_with_acquire_mem_completes() {
    let client = Client::with_threads(1);
    let signals = Signals::new(&client);
    let buffer = client.memory(4096, CONTROL | kfd::ALLOC_EXECUTABLE);
    let acquire: [u32; 8] = [0xc006_5800, 0, 0xffff_ffff, 0xff, 0, 0, 10, 0x3_ffff];
    buffer.write(0, bytemuck::bytes_of(&acquire));
    let mut queue = Queue::new(&client, 64);
    let address = buffer.address();
    let packet = VendorPm4Ib {
        header: header(PacketType::VENDOR),
        format: aql::VENDOR_FORMAT_PM4_IB,
        ib_header: aql::PM4_INDIRECT_BUFFER,
        ib_address: [
            u32::try_from(address & 0xffff_ffff).expect("low"),
            u32::try_from(address >> 32).expect("high"),
        ],
        ib_control: 8 | aql::PM4_IB_VALID,
        remaining_dwords: aql::PM4_IB_REMAINING_DWORDS,
        completion_signal: signals.arm(0, 1),
        ..VendorPm4Ib::default()
    };
    queue.submit(&packet);
    signals.wait(0);
}

/// A queue that reports its errors to a word and an event, and what they say in the end.
pub(crate) struct Reported<'a> {
    pub(crate) queue: Queue<'a>,
    pub(crate) event: u32,
    pub(crate) word: crate::client::Memory,
    _page: crate::client::Memory,
}

impl<'a> Reported<'a> {
    pub(crate) fn new(client: &'a Client) -> Self {
        let (page, event) = client.event_page();
        let word = client.memory(4096, CONTROL);
        let parts = QueueParts::new(client, 64);
        parts.report_errors(word.address(), event);
        Self {
            queue: Queue::from_parts(client, parts),
            event,
            word,
            _page: page,
        }
    }

    /// Waits for the queue's end, and gives its error word.
    pub(crate) fn error(&self, client: &Client) -> u64 {
        let waited = client.wait(&mut [awaited(self.event, 1)], false, kfd::WAIT_FOREVER);
        assert_eq!(waited, (Ok(()), kfd::WAIT_COMPLETE));
        self.word.word(0).load(Ordering::Acquire)
    }
}

fn end_of(packet: &impl bytemuck::Pod) -> u64 {
    let client = Client::with_threads(1);
    let signals = Signals::new(&client);
    let mut reported = Reported::new(&client);
    reported.queue.push(packet);
    reported.queue.push(&barrier(&[], signals.arm(0, 1)));
    reported.queue.ring();
    let word = reported.error(&client);
    assert!(
        client
            .vgpu
            .last_fault()
            .is_some_and(|fault| queue_error::payload(fault.code) == word)
    );
    // Stopped for good: what follows is not looked at, however often it is rung.
    reported.queue.ring();
    std::thread::sleep(std::time::Duration::from_millis(2));
    assert_eq!(value(&signals.get(0).value), 1);
    // Another queue of the process goes on.
    let mut other = Queue::new(&client, 64);
    let signals = Signals::new(&client);
    other.submit(&barrier(&[], signals.arm(1, 1)));
    signals.wait(1);
    reported.queue.destroy();
    word
}

#[test]
fn packets_of_unknown_kinds_end_their_queue_with_a_code() {
    for kind in [PacketType::AGENT_DISPATCH, 6, 0xff] {
        let packet = Barrier {
            header: header(kind),
            ..Barrier::default()
        };
        assert_eq!(end_of(&packet), 1 << (20 - 1), "type {kind}");
    }
    let vendor = VendorPm4Ib {
        header: header(PacketType::VENDOR),
        format: 9,
        ..VendorPm4Ib::default()
    };
    assert_eq!(end_of(&vendor), 1 << (23 - 1));
    let unmapped = VendorPm4Ib {
        format: aql::VENDOR_FORMAT_PM4_IB,
        ib_header: aql::PM4_INDIRECT_BUFFER,
        ib_address: [0x7000_0000, 0],
        ib_control: 8 | aql::PM4_IB_VALID,
        remaining_dwords: aql::PM4_IB_REMAINING_DWORDS,
        ..vendor
    };
    assert_eq!(
        end_of(&unmapped),
        1 << (5 - 1),
        "a buffer that is not there"
    );
    let reserved = Barrier {
        header: header(PacketType::BARRIER_AND) | 0x2000,
        ..Barrier::default()
    };
    assert_eq!(
        end_of(&reserved),
        1 << (20 - 1),
        "a header bit that means nothing"
    );
    let dependency = Barrier {
        dependencies: [0x7000_0000, 0, 0, 0, 0],
        ..barrier(&[], 0)
    };
    assert_eq!(
        end_of(&dependency),
        1 << (5 - 1),
        "a signal that is not there"
    );
}

/// Without an error word in the save area the queue's inactive signal tells.
#[test]
fn the_old_channel_is_the_inactive_signal() {
    let client = Client::with_threads(1);
    let (page, event) = client.event_page();
    let signals = Signals::new(&client);
    let mut queue = Queue::new(&client, 64);
    let inactive = signals.arm(5, 0);
    signals.get(5).event_id.store(event, Ordering::Relaxed);
    signals
        .get(5)
        .event_mailbox_ptr
        .store(page.address() + 8 * u64::from(event), Ordering::Relaxed);
    queue
        .amd_queue()
        .queue_inactive_signal
        .store(inactive, Ordering::Release);
    queue.submit(&Barrier {
        header: header(6),
        ..Barrier::default()
    });
    let waited = client.wait(&mut [awaited(event, 1)], false, kfd::WAIT_FOREVER);
    assert_eq!(waited, (Ok(()), kfd::WAIT_COMPLETE));
    assert_eq!(value(&signals.get(5).value), 0x20, "invalid packet");
}

#[test]
fn a_queue_can_be_destroyed_while_it_waits() {
    let client = Client::with_threads(2);
    let signals = Signals::new(&client);
    signals.arm(0, 1);
    for _ in 0..20 {
        let mut queue = Queue::new(&client, 64);
        queue.submit(&barrier(&[signals.address(0)], 0));
        queue.destroy();
    }
}

/// Every packet is waited for, some after the workers have parked, some before: a lost wake-up shows as a
/// test that does not end.
#[test]
fn no_wake_up_is_lost_between_awake_and_parked() {
    for threads in [1, 2, 3] {
        let client = Client::with_threads(threads);
        let signals = Signals::new(&client);
        let mut queue = Queue::new(&client, 64);
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..3000 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            // Around the time after which workers park, from both sides.
            if random.is_multiple_of(4) {
                let pause = std::time::Duration::from_micros(80 + random % 64);
                let begin = std::time::Instant::now();
                while begin.elapsed() < pause {
                    std::hint::spin_loop();
                }
            }
            queue.submit(&barrier(&[], signals.arm(0, 1)));
            signals.wait(0);
        }
    }
}

#[test]
fn several_threads_submit_to_queues_of_their_own() {
    let client = Client::with_threads(2);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let signals = Signals::new(&client);
                let mut queue = Queue::new(&client, 64);
                for _ in 0..500 {
                    queue.push(&barrier(&[], 0));
                    queue.submit(&barrier(&[], signals.arm(0, 1)));
                    signals.wait(0);
                }
                assert_eq!(queue.read_index(), 1000);
            });
        }
    });
}

#[test]
fn a_waiting_thread_can_run_the_device_itself() {
    let client = Client::with_threads(1);
    let signals = Signals::new(&client);
    let mut queue = Queue::new(&client, 64);
    for _ in 0..200 {
        queue.submit(&barrier(&[], signals.arm(0, 1)));
        wait_until(|| {
            let done = || value(&signals.get(0).value) == 0;
            client.vgpu.assist(&done);
            done()
        });
    }
    assert_eq!(queue.read_index(), 200);
}

/// Pages of the process that go away under a queue: the packet's error, not the process's end.
#[test]
fn a_signal_in_pages_that_are_gone_ends_the_queue() {
    let client = Client::with_threads(1);
    let mut reported = Reported::new(&client);
    let pages = crate::client::Host::lonely(4096);
    let address = pages.address;
    let memory = client.userptr(pages);
    memory.word(8).store(1, Ordering::Relaxed);
    reported.queue.submit(&barrier(&[], address));
    wait_until(|| memory.word(8).load(Ordering::Acquire) == 0);
    let mut memory = memory;
    memory.lose_host();
    let exceptions = client.event(kfd::EVENT_MEMORY, 0);
    reported.queue.submit(&barrier(&[], address));
    assert_eq!(reported.error(&client), 1 << (5 - 1));
    let mut events = [awaited(exceptions, 0)];
    assert_eq!(client.wait(&mut events, false, 0).1, kfd::WAIT_COMPLETE);
    let exception: MemoryException = bytemuck::cast(events[0].payload);
    assert_eq!((exception.va, exception.not_present), (address, 1));
}
