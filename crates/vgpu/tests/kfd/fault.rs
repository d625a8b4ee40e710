//! Kernels and packets that go wrong: what the client is told, and that it lives.

use hrx_abi::aql::KernelDispatch;
use hrx_abi::kfd::{self, *};

use crate::client::{
    Client, DEVICE, Host, Queue, Signals, awaited, barrier, options, value, wait_until,
};
use crate::object::Module;
use crate::packet::Reported;

fn fault_at(client: &Client, reported: &mut Reported<'_>, y: u64) -> MemoryException {
    fault_after(client, reported, y, || ())
}

/// Runs saxpy with `y` at an address after `last`, and gives the memory exception that comes of it.
fn fault_after(
    client: &Client,
    reported: &mut Reported<'_>,
    y: u64,
    last: impl FnOnce(),
) -> MemoryException {
    let signals = Signals::new(client);
    let module = Module::load(client, "01_saxpy.O3.co");
    let x = client.memory(4096, DEVICE);
    let memory = client.event(kfd::EVENT_MEMORY, 0);
    let second = client.event(kfd::EVENT_MEMORY, 0);
    let a = 2.0f32.to_le_bytes();
    let arguments: [&[u8]; 4] = [
        &a,
        &x.address().to_le_bytes(),
        &y.to_le_bytes(),
        &256u32.to_le_bytes(),
    ];
    let launch = module.launch(client, "saxpy", &arguments, 256, 256, signals.arm(0, 1));
    last();
    reported.queue.submit(&launch.packet);
    let mut events = [awaited(memory, 0), awaited(second, 0)];
    assert_eq!(
        client.wait(&mut events, true, kfd::WAIT_FOREVER),
        (Ok(()), kfd::WAIT_COMPLETE)
    );
    assert_eq!(
        events[0].payload, events[1].payload,
        "all memory events are told"
    );
    assert_eq!(reported.error(client), 1 << (5 - 1));
    assert_eq!(value(&signals.get(0).value), 1, "never completed");
    let exception: MemoryException = bytemuck::cast(events[0].payload);
    assert_eq!(exception.gpu_id, client.gpu_id);
    assert_eq!((exception.imprecise, exception.error_type), (0, 0));
    let detail = client.vgpu.last_fault().expect("a fault");
    assert_eq!(detail.kernel.as_deref(), Some("saxpy"));
    let fault = detail.fault.expect("of a wave");
    assert_eq!(fault.group, [0, 0, 0]);
    let code = module.entry("saxpy")..module.entry("saxpy") + 4096;
    assert!(code.contains(&fault.pc), "{:#x} is in {code:x?}", fault.pc);
    exception
}

#[test]
fn memory_that_is_not_mapped_is_a_fault_with_its_page() {
    let client = Client::new(options());
    let mut reported = Reported::new(&client);
    let exception = fault_at(&client, &mut reported, 0x1234_5678_9000 + 0x10);
    assert_eq!(exception.va, 0x1234_5678_9000);
    assert_eq!(
        (
            exception.not_present,
            exception.read_only,
            exception.no_execute
        ),
        (1, 0, 0)
    );
}

#[test]
fn memory_that_is_read_only_is_a_fault_when_written() {
    let client = Client::new(options());
    let mut reported = Reported::new(&client);
    let y = client.memory(4096, DEVICE & !kfd::ALLOC_WRITABLE);
    let exception = fault_at(&client, &mut reported, y.address());
    assert_eq!(exception.va, y.address());
    assert_eq!(
        (
            exception.not_present,
            exception.read_only,
            exception.no_execute
        ),
        (0, 1, 0)
    );
}

#[test]
fn memory_that_was_unmapped_is_a_fault() {
    let client = Client::new(options());
    let mut reported = Reported::new(&client);
    let y = client.memory(4096, DEVICE);
    client.unmap(y.handle).expect("mapped");
    let exception = fault_at(&client, &mut reported, y.address());
    assert_eq!((exception.va, exception.not_present), (y.address(), 1));
}

#[test]
fn pages_that_the_process_gave_up_are_a_fault_and_no_crash() {
    let client = Client::new(options());
    let mut reported = Reported::new(&client);
    let y = client.userptr(Host::lonely(8192));
    let address = y.address();
    let mut y = y;
    // Last of all, or something else would be mapped in their place.
    let exception = fault_after(&client, &mut reported, address + 4096, || y.lose_host());
    assert_eq!((exception.va, exception.not_present), (address + 4096, 1));
}

#[test]
fn null_is_never_mapped() {
    let client = Client::new(options());
    let mut reported = Reported::new(&client);
    assert_eq!(fault_at(&client, &mut reported, 0).va, 0);
}

/// Submits saxpy's packet after `change`, and gives the error word.
fn refusal(change: impl Fn(&Client, &mut KernelDispatch)) -> u64 {
    let client = Client::with_threads(1);
    let mut reported = Reported::new(&client);
    let signals = Signals::new(&client);
    let module = Module::load(&client, "01_saxpy.O3.co");
    let arguments: [&[u8]; 4] = [&[0; 4], &[0; 8], &[0; 8], &[0; 4]];
    let mut launch = module.launch(&client, "saxpy", &arguments, 256, 256, signals.arm(0, 1));
    change(&client, &mut launch.packet);
    reported.queue.submit(&launch.packet);
    let word = reported.error(&client);
    assert_eq!(value(&signals.get(0).value), 1, "never completed");
    word
}

#[test]
fn packets_that_break_a_limit_end_their_queue_with_its_code() {
    let code = |code: u32| 1u64 << (code - 1);
    assert_eq!(
        refusal(|_, packet| packet.setup = 0),
        code(16),
        "no dimensions"
    );
    assert_eq!(
        refusal(|_, packet| packet.grid[0] = 0),
        code(16),
        "an empty grid"
    );
    assert_eq!(
        refusal(|_, packet| packet.workgroup[0] = 0),
        code(21),
        "an empty group"
    );
    assert_eq!(
        refusal(|_, packet| packet.workgroup[0] = 1025),
        code(21),
        "1025 work-items"
    );
    assert_eq!(
        refusal(|_, packet| {
            packet.setup = 2;
            packet.workgroup = [64, 32, 1];
        }),
        code(21),
        "2048 work-items"
    );
    assert_eq!(
        refusal(|_, packet| packet.group_segment_bytes = 65537),
        code(17),
        "too much LDS"
    );
    assert_eq!(
        refusal(|_, packet| packet.kernel_object = 0),
        code(18),
        "no kernel object"
    );
    assert_eq!(
        refusal(|_, packet| packet.kernel_object += 4),
        code(18),
        "misaligned"
    );
    assert_eq!(
        refusal(|client, packet| {
            // A descriptor of zeros in memory without the right to execute.
            let zeros = client.memory(4096, DEVICE);
            packet.kernel_object = zeros.address();
            // The device still has it when the packet runs.
            std::mem::forget(zeros);
        }),
        code(18),
        "no code"
    );
    assert_eq!(
        refusal(|_, packet| packet.completion_signal = 0x7000_0000),
        code(5),
        "no signal there"
    );
}

/// `maybe_trap` ends its wave by `s_trap 2` where the input is negative.
#[test]
fn an_abort_of_a_wave_has_its_own_code() {
    let client = Client::with_threads(2);
    let mut reported = Reported::new(&client);
    let module = Module::load(&client, "18_system.O3.co");
    let words = client.memory(4096, DEVICE);
    words.write(0, &(-1i32).to_le_bytes());
    let kernel = module
        .object
        .kernel("maybe_trap")
        .expect("a kernel of the object");
    let pointer = words.address().to_le_bytes();
    let sizes: Vec<usize> = kernel
        .info
        .explicit_args()
        .map(|argument| argument.size as usize)
        .collect();
    // Pointers first; a count, where there is one, is one wave's.
    let count = 32u32.to_le_bytes();
    let arguments: Vec<&[u8]> = sizes
        .iter()
        .map(|&size| if size == 8 { &pointer[..] } else { &count[..] })
        .collect();
    let launch = module.launch(&client, "maybe_trap", &arguments, 32, 32, 0);
    reported.queue.submit(&launch.packet);
    assert_eq!(reported.error(&client), 1 << (1 - 1));
}

#[test]
fn a_fault_stops_one_queue_and_the_process_goes_on() {
    let client = Client::with_threads(2);
    let mut reported = Reported::new(&client);
    let mut other = Queue::new(&client, 64);
    fault_at(&client, &mut reported, 0x7777_0000_0000);
    let signals = Signals::new(&client);
    for _ in 0..10 {
        other.submit(&barrier(&[], signals.arm(0, 1)));
        signals.wait(0);
    }
    let parts = reported.queue.destroy();
    let mut again = Queue::from_parts(&client, parts);
    // The ring's old packets are still there; a new queue starts at its beginning.
    for slot in 0..64 {
        again
            .parts
            .ring
            .half(64 * slot)
            .store(1, std::sync::atomic::Ordering::Relaxed);
    }
    again.submit(&barrier(&[], signals.arm(0, 1)));
    wait_until(|| value(&signals.get(0).value) == 0);
}
