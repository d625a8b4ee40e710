//! Kernels: what they compute, in which order, and beside what.

use std::sync::atomic::Ordering;

use hrx_abi::aql::{self, KernelDispatch, PacketType, Scope};
use hrx_abi::kfd;

use crate::client::{
    CODE, Client, DEVICE, Host, Memory, Queue, Signals, awaited, barrier, value, wait_until,
};
use crate::object::Module;

/// `y[i] = a * x[i] + y[i]`, which is exact for these small whole numbers.
struct Saxpy {
    x: Memory,
    y: Memory,
    n: u32,
}

impl Saxpy {
    fn new(client: &Client, n: u32) -> Self {
        let bytes = (n as usize * 4).next_multiple_of(4096);
        let saxpy = Self {
            x: client.memory(bytes, DEVICE),
            y: client.memory(bytes, DEVICE),
            n,
        };
        for i in 0..n as usize {
            saxpy
                .x
                .half(4 * i)
                .store(Self::x(i).to_bits(), Ordering::Relaxed);
            saxpy
                .y
                .half(4 * i)
                .store(Self::y(i).to_bits(), Ordering::Relaxed);
        }
        saxpy
    }

    fn x(i: usize) -> f32 {
        f32::from(u16::try_from(i % 1000).expect("small"))
    }

    fn y(i: usize) -> f32 {
        f32::from(u16::try_from(i % 77).expect("small"))
    }

    fn arguments(&self) -> [Vec<u8>; 4] {
        [
            2.0f32.to_le_bytes().to_vec(),
            self.x.address().to_le_bytes().to_vec(),
            self.y.address().to_le_bytes().to_vec(),
            self.n.to_le_bytes().to_vec(),
        ]
    }

    fn check(&self, times: u8) {
        for (i, word) in self.y.words(0, self.n as usize).into_iter().enumerate() {
            let expected = 2.0 * f32::from(times) * Self::x(i) + Self::y(i);
            assert_eq!(f32::from_bits(word), expected, "element {i}");
        }
    }
}

fn slices(arguments: &[Vec<u8>; 4]) -> [&[u8]; 4] {
    [&arguments[0], &arguments[1], &arguments[2], &arguments[3]]
}

#[test]
fn saxpy_computes_with_any_number_of_workers() {
    for threads in [1, 2, 4] {
        let client = Client::with_threads(threads);
        let signals = Signals::new(&client);
        let mut queue = Queue::new(&client, 64);
        // Kernels that were not optimised keep their variables in scratch.
        let _scratch = queue.give_scratch(256, 64);
        for object in ["01_saxpy.O3.co", "01_saxpy.O1.co", "01_saxpy.O0.co"] {
            let module = Module::load(&client, object);
            // The last group is not full.
            let saxpy = Saxpy::new(&client, 10_000);
            let arguments = saxpy.arguments();
            let launch = module.launch(
                &client,
                "saxpy",
                &slices(&arguments),
                10_000,
                256,
                signals.arm(0, 1),
            );
            queue.submit(&launch.packet);
            signals.wait(0);
            saxpy.check(1);
        }
    }
}

#[test]
fn memory_of_the_process_is_as_good_as_the_devices() {
    let client = Client::with_threads(2);
    let signals = Signals::new(&client);
    let mut queue = Queue::new(&client, 64);
    let module = Module::load(&client, "01_saxpy.O3.co");
    let mut saxpy = Saxpy::new(&client, 4096);
    let pages = Host::pages(16384);
    pages.write(0, &saxpy.y.read(0, 16384));
    saxpy.y = client.userptr(pages);
    let arguments = saxpy.arguments();
    let launch = module.launch(
        &client,
        "saxpy",
        &slices(&arguments),
        4096,
        64,
        signals.arm(0, 1),
    );
    queue.submit(&launch.packet);
    signals.wait(0);
    saxpy.check(1);
}

#[test]
fn dispatches_with_the_barrier_bit_see_each_others_work() {
    let client = Client::with_threads(2);
    let signals = Signals::new(&client);
    let mut queue = Queue::new(&client, 64);
    let module = Module::load(&client, "01_saxpy.O3.co");
    let saxpy = Saxpy::new(&client, 5000);
    let arguments = saxpy.arguments();
    let launch = module.launch(&client, "saxpy", &slices(&arguments), 5000, 128, 0);
    for _ in 0..20 {
        queue.push(&launch.packet);
    }
    queue.submit(&barrier(&[], signals.arm(0, 1)));
    signals.wait(0);
    saxpy.check(20);
    assert_eq!(queue.read_index(), 21);
}

/// `chain`: each group waits for the one that took the ticket before it.
struct Chain {
    words: Memory,
    groups: u32,
}

impl Chain {
    const OUT: usize = 65536;
    const TICKET: usize = 131_072;

    fn new(client: &Client, groups: u32) -> Self {
        Self {
            words: client.memory(Self::TICKET + 4096, DEVICE),
            groups,
        }
    }

    fn arguments(&self) -> [[u8; 8]; 3] {
        let address = |offset: usize| (self.words.address() + offset as u64).to_le_bytes();
        [address(0), address(Self::OUT), address(Self::TICKET)]
    }

    /// Until groups have taken tickets up to this one: they run, and spin.
    fn wait_for_tickets(&self, next: u32) {
        wait_until(|| self.words.half(Self::TICKET).load(Ordering::Acquire) == next);
    }

    fn check(&self) {
        let mut sum = 0u32;
        for (ticket, out) in self
            .words
            .words(Self::OUT, self.groups as usize)
            .into_iter()
            .enumerate()
        {
            sum = sum.wrapping_add(u32::try_from(ticket).expect("small") + 1);
            assert_eq!(out, sum, "after ticket {ticket}");
        }
    }
}

#[test]
fn groups_that_spin_on_other_groups_get_on() {
    for threads in [1, 2] {
        let client = Client::with_threads(threads);
        let signals = Signals::new(&client);
        let mut queue = Queue::new(&client, 64);
        // As many waves as there are groups of two, so that all of them can wait at once.
        let _scratch = queue.give_scratch(256, 500);
        for object in ["17_lookback.O3.co", "17_lookback.O0.co"] {
            let module = Module::load(&client, object);
            let chain = Chain::new(&client, 500);
            let [flag, out, ticket] = chain.arguments();
            let launch = module.launch(
                &client,
                "chain",
                &[&flag, &out, &ticket],
                500 * 64,
                64,
                signals.arm(0, 1),
            );
            queue.submit(&launch.packet);
            signals.wait(0);
            chain.check();
        }
    }
}

/// A dispatch that can only end after another one has begun: the first ticket is taken already, so its groups
/// wait for a flag that only the second dispatch raises.
fn waiting_pair(
    client: &Client,
    module: &Module,
    signals: &Signals,
) -> (
    Chain,
    KernelDispatch,
    KernelDispatch,
    [crate::object::Launch; 2],
) {
    let chain = Chain::new(client, 9);
    let [flag, out, ticket] = chain.arguments();
    // Its groups get tickets 1 to 8.
    chain.words.half(Chain::TICKET).store(1, Ordering::Relaxed);
    let waits = module.launch(
        client,
        "chain",
        &[&flag, &out, &ticket],
        8 * 64,
        64,
        signals.arm(0, 1),
    );
    // Its own ticket counter is at 0, flags and sums are the other's.
    let own_ticket = (chain.words.address() + Chain::TICKET as u64 + 8).to_le_bytes();
    let releases = module.launch(
        client,
        "chain",
        &[&flag, &out, &own_ticket],
        64,
        64,
        signals.arm(1, 1),
    );
    (chain, waits.packet, releases.packet, [waits, releases])
}

#[test]
fn dispatches_of_two_queues_overlap_even_with_one_worker() {
    for threads in [1, 2] {
        let client = Client::with_threads(threads);
        let signals = Signals::new(&client);
        let module = Module::load(&client, "17_lookback.O3.co");
        let mut first = Queue::new(&client, 64);
        let mut second = Queue::new(&client, 64);
        let (chain, waits, releases, _launches) = waiting_pair(&client, &module, &signals);
        first.submit(&waits);
        chain.wait_for_tickets(9);
        assert_eq!(value(&signals.get(0).value), 1, "nothing has released it");
        second.submit(&releases);
        signals.wait(0);
        signals.wait(1);
        chain.check();
        let (long, short) = (signals.get(0), signals.get(1));
        let at = |word: &std::sync::atomic::AtomicU64| word.load(Ordering::Relaxed);
        assert!(at(&long.start_ts) < at(&short.start_ts), "began first");
        assert!(at(&long.end_ts) > at(&short.start_ts), "and ran meanwhile");
    }
}

#[test]
fn without_the_barrier_bit_dispatches_of_one_queue_overlap() {
    let client = Client::with_threads(1);
    let signals = Signals::new(&client);
    let module = Module::load(&client, "17_lookback.O3.co");
    let mut queue = Queue::new(&client, 64);
    let (chain, waits, releases, _launches) = waiting_pair(&client, &module, &signals);
    let free = aql::header(
        PacketType::KERNEL_DISPATCH,
        false,
        Scope::System,
        Scope::System,
    );
    queue.push(&waits);
    queue.push(&KernelDispatch {
        header: free,
        ..releases
    });
    queue.submit(&barrier(&[], signals.arm(2, 1)));
    signals.wait(1);
    signals.wait(0);
    signals.wait(2);
    chain.check();
    assert_eq!(queue.read_index(), 3);
}

#[test]
fn a_destroyed_queue_takes_its_endless_dispatch_with_it() {
    let client = Client::with_threads(2);
    let signals = Signals::new(&client);
    let module = Module::load(&client, "17_lookback.O3.co");
    let mut queue = Queue::new(&client, 64);
    let (chain, waits, _, _launches) = waiting_pair(&client, &module, &signals);
    queue.submit(&waits);
    chain.wait_for_tickets(9);
    queue.destroy();
    assert_eq!(value(&signals.get(0).value), 1, "never completed");
    // Nothing of it runs any more: its memory can go.
    client.release(chain.words);
}

/// The handshake: the processor asks through the queue's inactive signal, the client gives memory and stores
/// 0, the packet that stalled goes on.
#[test]
fn a_kernel_without_scratch_asks_for_it_and_waits() {
    let client = Client::with_threads(1);
    let (page, event) = client.event_page();
    let signals = Signals::new(&client);
    let module = Module::load(&client, "01_saxpy.O0.co");
    let saxpy = Saxpy::new(&client, 1000);
    let arguments = saxpy.arguments();
    let mut queue = Queue::new(&client, 64);
    let inactive = signals.arm(5, 0);
    signals.get(5).event_id.store(event, Ordering::Relaxed);
    let mailbox = page.address() + 8 * u64::from(event);
    signals
        .get(5)
        .event_mailbox_ptr
        .store(mailbox, Ordering::Relaxed);
    queue
        .amd_queue()
        .queue_inactive_signal
        .store(inactive, Ordering::Release);
    let signal = signals.arm(0, 1);
    let launch = module.launch(&client, "saxpy", &slices(&arguments), 1000, 256, signal);
    assert!(
        launch.packet.private_segment_bytes > 0,
        "not optimised, so with variables in scratch"
    );
    queue.submit(&launch.packet);
    let waited = client.wait(&mut [awaited(event, 1)], false, kfd::WAIT_FOREVER);
    assert_eq!(waited, (Ok(()), kfd::WAIT_COMPLETE));
    assert_eq!(
        value(&signals.get(5).value),
        0x400,
        "scratch for waves of 32 lanes"
    );
    assert_eq!(value(&signals.get(0).value), 1, "the packet waits");
    assert_eq!(queue.read_index(), 0);
    // Room for one group at a time: eight waves.
    let _scratch = queue.give_scratch(launch.packet.private_segment_bytes, 4);
    signals.get(5).value.store(0, Ordering::Release);
    signals.wait(0);
    saxpy.check(1);
}

#[test]
fn groups_never_share_a_place_in_scratch() {
    for threads in [1, 2] {
        let client = Client::with_threads(threads);
        let signals = Signals::new(&client);
        let module = Module::load(&client, "01_saxpy.O0.co");
        let both = [Saxpy::new(&client, 20_000), Saxpy::new(&client, 20_000)];
        let mut queue = Queue::new(&client, 64);
        // Less than the groups that could run, and two dispatches that may overlap.
        let _scratch = queue.give_scratch(256, 8);
        let free = aql::header(
            PacketType::KERNEL_DISPATCH,
            false,
            Scope::System,
            Scope::System,
        );
        let mut launches = Vec::new();
        for saxpy in &both {
            let arguments = saxpy.arguments();
            let launch = module.launch(&client, "saxpy", &slices(&arguments), 20_000, 256, 0);
            assert!((1..=256).contains(&launch.packet.private_segment_bytes));
            queue.push(&KernelDispatch {
                header: free,
                ..launch.packet
            });
            launches.push(launch);
        }
        queue.submit(&barrier(&[], signals.arm(0, 1)));
        signals.wait(0);
        for saxpy in &both {
            saxpy.check(1);
        }
    }
}

#[test]
fn a_kernel_that_was_replaced_runs_anew_after_an_invalidation() {
    let client = Client::with_threads(1);
    let signals = Signals::new(&client);
    let mut queue = Queue::new(&client, 64);
    let module = Module::load(&client, "01_saxpy.O3.co");
    let saxpy = Saxpy::new(&client, 256);
    let arguments = saxpy.arguments();
    let launch = module.launch(&client, "saxpy", &slices(&arguments), 256, 64, 0);
    queue.push(&launch.packet);
    queue.submit(&barrier(&[], signals.arm(0, 1)));
    signals.wait(0);
    saxpy.check(1);
    // s_endpgm in place of the first instruction.
    let entry = module.entry("saxpy") - module.memory.address();
    module
        .memory
        .half(usize::try_from(entry).expect("small"))
        .store(0xbfb0_0000, Ordering::Relaxed);
    let buffer = client.memory(4096, CODE);
    let acquire: [u32; 8] = [0xc006_5800, 0, 0xffff_ffff, 0xff, 0, 0, 10, 0x3_ffff];
    buffer.write(0, bytemuck::bytes_of(&acquire));
    let address = buffer.address();
    queue.push(&aql::VendorPm4Ib {
        header: crate::client::header(PacketType::VENDOR),
        format: aql::VENDOR_FORMAT_PM4_IB,
        ib_header: aql::PM4_INDIRECT_BUFFER,
        ib_address: [
            u32::try_from(address & 0xffff_ffff).expect("low"),
            u32::try_from(address >> 32).expect("high"),
        ],
        ib_control: 8 | aql::PM4_IB_VALID,
        remaining_dwords: aql::PM4_IB_REMAINING_DWORDS,
        ..aql::VendorPm4Ib::default()
    });
    queue.push(&launch.packet);
    queue.submit(&barrier(&[], signals.arm(0, 1)));
    signals.wait(0);
    saxpy.check(1);
}
