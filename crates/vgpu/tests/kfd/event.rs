//! Events: pages, ids, ages, waits.

use std::sync::atomic::{AtomicBool, Ordering};

use hrx_abi::kfd::{self, *};
use hrx_vgpu::Errno;

use crate::client::{CONTROL, Client, Host, Queue, Signals, awaited, barrier, options, wait_until};

const EINVAL: Errno = Errno(libc::EINVAL);
const EIO: Errno = Errno(libc::EIO);
const EPERM: Errno = Errno(libc::EPERM);
const ENOSPC: Errno = Errno(libc::ENOSPC);

#[test]
fn the_first_event_hands_the_page_over_and_no_other_may() {
    let client = Client::new(options());
    let small = client.memory(4096, CONTROL);
    let mut argument = CreateEvent {
        event_page_offset: small.handle,
        ..CreateEvent::default()
    };
    assert_eq!(
        client.call(request::CREATE_EVENT, &mut argument),
        Err(EINVAL),
        "too small"
    );
    argument.event_page_offset = 0xdead;
    assert_eq!(
        client.call(request::CREATE_EVENT, &mut argument),
        Err(EINVAL),
        "no handle"
    );
    let (page, first) = client.event_page();
    assert_eq!(first, 1, "0 is never used");
    assert_eq!(page.word(8).load(Ordering::Relaxed), u64::MAX, "not raised");
    let second = client.memory(32768, CONTROL);
    argument.event_page_offset = second.handle;
    assert_eq!(
        client.call(request::CREATE_EVENT, &mut argument),
        Err(EINVAL),
        "there is one"
    );
    client
        .unmap(page.handle)
        .expect("as both of AMD's runtimes do at exit");
    assert_eq!(
        client.free(page.handle),
        Err(EPERM),
        "it is the kernel's now"
    );
}

#[test]
fn without_a_page_of_the_client_the_kernel_has_its_own() {
    let client = Client::new(options());
    let map = |len| {
        // SAFETY: a new mapping at an address that the system picks.
        let mapped = unsafe {
            client.vgpu.mmap(
                0,
                len,
                libc::PROT_READ,
                libc::MAP_SHARED,
                client.kfd,
                kfd::MMAP_TYPE_EVENTS << kfd::MMAP_TYPE_SHIFT,
            )
        };
        mapped.map(|address| Host {
            address: address as u64,
            len,
        })
    };
    assert_eq!(map(32768).err(), Some(EINVAL), "no event, no page");
    let mut argument = CreateEvent::default();
    client
        .call(request::CREATE_EVENT, &mut argument)
        .expect("room");
    assert_eq!(argument.event_page_offset, 2 << 62);
    assert_eq!(
        (argument.event_slot_index, argument.event_trigger_data),
        (1, 1)
    );
    let page = map(32768).expect("the page");
    assert_eq!(page.word(8).load(Ordering::Relaxed), u64::MAX);
    assert_eq!(map(65536).err(), Some(EINVAL), "longer than the page");
}

#[test]
fn there_are_4095_signal_events_and_others_are_numbered_apart() {
    let client = Client::new(options());
    let (_page, first) = client.event_page();
    assert_eq!(client.event(kfd::EVENT_MEMORY, 0), 0x4000_0000);
    assert_eq!(client.event(kfd::EVENT_HW_EXCEPTION, 0), 0x4000_0001);
    for expected in first + 1..4096 {
        assert_eq!(client.event(kfd::EVENT_SIGNAL, 1), expected);
    }
    let mut argument = CreateEvent::default();
    assert_eq!(
        client.call(request::CREATE_EVENT, &mut argument),
        Err(ENOSPC)
    );
    client
        .about_event(request::DESTROY_EVENT, 1234)
        .expect("known");
    assert_eq!(client.event(kfd::EVENT_SIGNAL, 1), 1234, "the lowest free");
}

#[test]
fn only_signal_events_are_set_and_reset_by_the_process() {
    let client = Client::new(options());
    let (_page, signal) = client.event_page();
    let memory = client.event(kfd::EVENT_MEMORY, 0);
    for request in [request::SET_EVENT, request::RESET_EVENT] {
        assert_eq!(client.about_event(request, signal), Ok(()));
        assert_eq!(client.about_event(request, memory), Err(EINVAL));
        assert_eq!(client.about_event(request, 99), Err(EINVAL));
    }
    assert_eq!(client.about_event(request::DESTROY_EVENT, 99), Err(EINVAL));
}

#[test]
fn ages_begin_at_one_and_move_with_each_set() {
    let client = Client::new(options());
    let (_page, id) = client.event_page();
    let mut events = [awaited(id, 1)];
    assert_eq!(
        client.wait(&mut events, false, 0),
        (Ok(()), kfd::WAIT_TIMEOUT),
        "age 1 is the first"
    );
    assert_eq!(events[0].payload[0], 1, "nothing to tell");
    for age in 2..5 {
        client
            .about_event(request::SET_EVENT, id)
            .expect("a signal event");
        assert_eq!(
            client.wait(&mut events, false, 0),
            (Ok(()), kfd::WAIT_COMPLETE)
        );
        assert_eq!(events[0].payload[0], age);
        assert_eq!(
            client.wait(&mut events, false, 0).1,
            kfd::WAIT_TIMEOUT,
            "seen"
        );
    }
    // Without an age the event itself counts, and auto-reset has lowered it.
    assert_eq!(
        client.wait(&mut [awaited(id, 0)], false, 0).1,
        kfd::WAIT_TIMEOUT
    );
    let mut old = [awaited(id, 2)];
    assert_eq!(
        client.wait(&mut old, false, 0).1,
        kfd::WAIT_COMPLETE,
        "an age that is behind"
    );
    assert_eq!(old[0].payload[0], 4);
}

#[test]
fn all_means_all_and_any_means_any() {
    let client = Client::new(options());
    let (_page, first) = client.event_page();
    let second = client.event(kfd::EVENT_SIGNAL, 0);
    let third = client.event(kfd::EVENT_SIGNAL, 0);
    let events = || [awaited(first, 0), awaited(second, 0), awaited(third, 0)];
    client
        .about_event(request::SET_EVENT, second)
        .expect("a signal event");
    assert_eq!(client.wait(&mut events(), false, 0).1, kfd::WAIT_COMPLETE);
    assert_eq!(client.wait(&mut events(), true, 0).1, kfd::WAIT_TIMEOUT);
    client
        .about_event(request::SET_EVENT, third)
        .expect("a signal event");
    client
        .about_event(request::SET_EVENT, first)
        .expect("a signal event");
    assert_eq!(client.wait(&mut events(), true, 1000).1, kfd::WAIT_COMPLETE);
    assert_eq!(
        client.wait(&mut events(), true, 1).1,
        kfd::WAIT_TIMEOUT,
        "the first resets itself"
    );
    assert_eq!(
        client.wait(&mut events()[1..], true, 0).1,
        kfd::WAIT_COMPLETE,
        "the others do not"
    );
}

#[test]
fn bad_waits_fail_and_say_so() {
    let client = Client::new(options());
    let (_page, id) = client.event_page();
    assert_eq!(
        client.wait(&mut [awaited(id, 0), awaited(99, 0)], false, 0),
        (Err(EINVAL), kfd::WAIT_FAIL)
    );
    let mut nowhere = WaitEvents {
        events_ptr: 8,
        num_events: 1,
        ..WaitEvents::default()
    };
    assert_eq!(
        client.call(request::WAIT_EVENTS, &mut nowhere),
        Err(Errno(libc::EFAULT))
    );
    assert_eq!(nowhere.wait_result, kfd::WAIT_FAIL);
}

#[test]
fn destroying_an_event_ends_its_waits() {
    let client = Client::new(options());
    let (_page, id) = client.event_page();
    let other = client.event(kfd::EVENT_SIGNAL, 1);
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            client.wait(
                &mut [awaited(other, 1), awaited(id, 1)],
                false,
                kfd::WAIT_FOREVER,
            )
        });
        let sibling =
            scope.spawn(|| client.wait(&mut [awaited(other, 1)], false, kfd::WAIT_FOREVER));
        std::thread::sleep(std::time::Duration::from_millis(10));
        client
            .about_event(request::DESTROY_EVENT, id)
            .expect("known");
        // Fails whether the wait had begun (EIO) or finds the event gone (EINVAL).
        let (answer, result) = waiter.join().expect("no panic");
        assert!(answer == Err(EIO) || answer == Err(EINVAL), "{answer:?}");
        assert_eq!(result, kfd::WAIT_FAIL);
        client
            .about_event(request::SET_EVENT, other)
            .expect("a signal event");
        assert_eq!(
            sibling.join().expect("no panic").1,
            kfd::WAIT_COMPLETE,
            "others wait on"
        );
    });
}

/// The race that ages are for: a set between two waits of one thread, again and again.
#[test]
fn no_set_is_lost_between_two_waits() {
    let client = Client::new(options());
    let (_page, id) = client.event_page();
    let seen = std::sync::atomic::AtomicU64::new(1);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut events = [awaited(id, 1)];
            while !stop.load(Ordering::Relaxed) {
                let (answer, result) = client.wait(&mut events, false, kfd::WAIT_FOREVER);
                assert_eq!((answer, result), (Ok(()), kfd::WAIT_COMPLETE));
                seen.store(events[0].payload[0], Ordering::Release);
            }
        });
        for age in 2..3000 {
            client
                .about_event(request::SET_EVENT, id)
                .expect("a signal event");
            // The waiter must come to this age without another set.
            wait_until(|| seen.load(Ordering::Acquire) >= age);
        }
        stop.store(true, Ordering::Relaxed);
        client
            .about_event(request::SET_EVENT, id)
            .expect("a signal event");
    });
}

#[test]
fn a_completed_packet_raises_the_event_of_its_signals_mailbox() {
    let client = Client::new(options());
    let (page, id) = client.event_page();
    let signals = Signals::new(&client);
    let mut queue = Queue::new(&client, 64);
    let mut events = [awaited(id, 1)];
    for age in 2..10 {
        let signal = signals.arm(0, 1);
        signals.get(0).event_id.store(id, Ordering::Relaxed);
        signals
            .get(0)
            .event_mailbox_ptr
            .store(page.address() + 8 * u64::from(id), Ordering::Relaxed);
        queue.submit(&barrier(&[], signal));
        assert_eq!(
            client.wait(&mut events, false, kfd::WAIT_FOREVER),
            (Ok(()), kfd::WAIT_COMPLETE)
        );
        assert_eq!(events[0].payload[0], age);
        assert_eq!(
            signals.get(0).value.load(Ordering::Acquire),
            0,
            "the value comes before the interrupt"
        );
        assert_eq!(
            page.word(8 * id as usize).load(Ordering::Relaxed),
            u64::MAX,
            "the kernel took the slot"
        );
    }
}
