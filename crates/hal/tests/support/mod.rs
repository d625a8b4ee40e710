//! A device whose "hardware" is this process: it completes packets without running anything, when
//! it is told to. For what concerns queues and rings, not kernels.

#![allow(dead_code, reason = "each of its users needs another part")]

use std::alloc::Layout;
use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, AtomicUsize};
use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::time::{Duration, Instant};

use hrx_abi::queue::AmdQueue;
use hrx_abi::signal::Signal;
use hrx_hal::{
    Allocation, ClockSample, CodeSymbol, Device, DeviceFault, DeviceProperties, HalError,
    InterruptEvent, MemoryKind, QueueMemory, Registration, Result, WaitOutcome,
};

/// When the hardware works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// In the doorbell.
    Instant,
    /// When [`FakeDevice::process`] is called, or a waiting thread offers itself.
    OnDemand,
    /// Only when [`FakeDevice::process`] is called.
    Manual,
}

#[derive(Debug)]
struct FakeQueue {
    ring: usize,
    capacity: u64,
    amd_queue: usize,
    doorbell: usize,
    /// Packets that barriers hold back are looked at again.
    packets_run: u64,
}

/// The device.
#[derive(Debug)]
pub(crate) struct FakeDevice {
    properties: DeviceProperties,
    pace: Pace,
    queues: Mutex<HashMap<u32, FakeQueue>>,
    next_queue: AtomicU32,
    next_event: AtomicU32,
    raised: Mutex<Vec<u32>>,
    raise: Condvar,
    fault: OnceLock<Arc<DeviceFault>>,
    pub(crate) refuse_scratch: AtomicBool,
    pub(crate) refuse_registration: AtomicBool,
    pub(crate) scratch_calls: AtomicU64,
    /// Allocations, registrations, queues and events that were not given back.
    pub(crate) alive: AtomicI64,
    tick: AtomicU64,
    /// Kernel objects of dispatches, in the order in which they ran.
    pub(crate) ran: Mutex<Vec<u64>>,
    pub(crate) log_runs: AtomicBool,
    /// Kernel arguments at the start of each dispatch are folded into this.
    pub(crate) kernarg_sum: AtomicU64,
    pub(crate) event_waits: AtomicUsize,
}

const PAGE: usize = 4096;

impl FakeDevice {
    pub(crate) fn new(pace: Pace) -> Arc<Self> {
        Arc::new(Self {
            properties: DeviceProperties {
                name: "fake".into(),
                tick_hz: 100_000_000,
                ..DeviceProperties::default()
            },
            pace,
            queues: Mutex::default(),
            next_queue: AtomicU32::new(0),
            next_event: AtomicU32::new(1),
            raised: Mutex::default(),
            raise: Condvar::new(),
            fault: OnceLock::new(),
            refuse_scratch: AtomicBool::new(false),
            refuse_registration: AtomicBool::new(false),
            scratch_calls: AtomicU64::new(0),
            alive: AtomicI64::new(0),
            tick: AtomicU64::new(1),
            ran: Mutex::default(),
            log_runs: AtomicBool::new(false),
            kernarg_sum: AtomicU64::new(0),
            event_waits: AtomicUsize::new(0),
        })
    }

    /// Stops all queues, as a fault does.
    pub(crate) fn break_down(&self, fault: DeviceFault) {
        self.fault.set(Arc::new(fault)).expect("one fault");
        self.raise.notify_all();
    }

    /// Runs what is ready, at most `limit` packets; returns how many it ran.
    pub(crate) fn process(&self, limit: usize) -> usize {
        if self.fault.get().is_some() {
            return 0;
        }
        let mut queues = self.queues.lock().unwrap();
        let mut ran = 0;
        let mut progress = true;
        while progress {
            progress = false;
            for queue in queues.values_mut() {
                while ran < limit && self.step(queue) {
                    ran += 1;
                    progress = true;
                }
            }
        }
        ran
    }

    /// Runs the next packet of a queue if it is there and not held back.
    fn step(&self, queue: &mut FakeQueue) -> bool {
        let words = queue.ring + to_usize(queue.packets_run % queue.capacity) * 64;
        let header_word = at::<AtomicU32>(words);
        let header = header_word.load(Acquire);
        let word = |index: usize| at::<AtomicU64>(words + index * 8).load(Relaxed);
        match header & 0xff {
            1 => return false,
            3 => {
                let held = (1..6).any(|index| match word(index) {
                    0 => false,
                    signal => at::<Signal>(to_usize(signal)).value.load(Acquire) != 0,
                });
                if held {
                    return false;
                }
            }
            2 => {
                if self.log_runs.load(Relaxed) {
                    self.ran.lock().unwrap().push(word(4));
                    let first = at::<AtomicU64>(to_usize(word(5))).load(Relaxed);
                    self.kernarg_sum.fetch_add(first, Relaxed);
                }
            }
            0 => {}
            other => panic!("packet type {other}"),
        }
        let amd_queue = at::<AmdQueue>(queue.amd_queue);
        assert!(
            amd_queue.write_dispatch_id.load(Relaxed) > queue.packets_run,
            "a valid header beyond the write index"
        );
        // Invalid again, then the read index, then the signal.
        header_word.store(1, Relaxed);
        queue.packets_run += 1;
        amd_queue.read_dispatch_id.store(queue.packets_run, Release);
        let completion = word(7);
        if completion != 0 {
            let signal = at::<Signal>(to_usize(completion));
            assert_eq!(signal.value.load(Relaxed), 1, "completed twice");
            let tick = self.tick.fetch_add(2, Relaxed);
            signal.start_ts.store(tick, Relaxed);
            signal.end_ts.store(tick + 1, Relaxed);
            let mailbox = signal.event_mailbox_ptr.load(Relaxed);
            let id = signal.event_id.load(Relaxed);
            signal.value.fetch_sub(1, Release);
            if mailbox != 0 {
                self.raised.lock().unwrap().push(id);
                self.raise.notify_all();
            }
        }
        true
    }

    fn pages(&self, size: usize, alignment: usize) -> (usize, usize) {
        let size = size.next_multiple_of(PAGE);
        let layout = Layout::from_size_align(size, alignment.max(PAGE)).unwrap();
        // SAFETY: the size is not zero, since it was rounded up from at least one byte.
        let address = unsafe { std::alloc::alloc_zeroed(layout) };
        self.alive.fetch_add(1, Relaxed);
        (address.expose_provenance(), size)
    }

    fn release(&self, address: usize, size: usize) {
        let layout = Layout::from_size_align(size, PAGE).unwrap();
        self.alive.fetch_sub(1, Relaxed);
        // SAFETY: `pages` allocated it with this size; alignment is a page for all of our requests.
        unsafe { std::alloc::dealloc(std::ptr::with_exposed_provenance_mut(address), layout) };
    }
}

fn to_usize(value: u64) -> usize {
    usize::try_from(value).expect("usize has 64 bits here")
}

/// The value at an address that the queue under test or we have mapped.
fn at<T>(address: usize) -> &'static T {
    // SAFETY: addresses come from live queues and signals of the test; all are atomics.
    unsafe { &*std::ptr::with_exposed_provenance(address) }
}

impl Device for FakeDevice {
    fn properties(&self) -> &DeviceProperties {
        &self.properties
    }

    fn allocate(&self, size: usize, alignment: usize, kind: MemoryKind) -> Result<Allocation> {
        assert!(alignment <= PAGE);
        let (address, size) = self.pages(size, alignment);
        Ok(Allocation {
            address,
            size,
            kind,
            handle: 0,
        })
    }

    fn free(&self, allocation: Allocation) -> Result<()> {
        self.release(allocation.address, allocation.size);
        Ok(())
    }

    fn register_host(&self, address: usize, len: usize) -> Result<Registration> {
        assert!(address.is_multiple_of(PAGE) && len.is_multiple_of(PAGE));
        if self.refuse_registration.load(Relaxed) {
            let refused = std::io::Error::from_raw_os_error(libc::EPERM);
            return Err(HalError::system("registering host memory", refused));
        }
        self.alive.fetch_add(1, Relaxed);
        Ok(Registration {
            address,
            size: len,
            handle: 0,
        })
    }

    fn unregister_host(&self, _: Registration) -> Result<()> {
        self.alive.fetch_sub(1, Relaxed);
        Ok(())
    }

    fn memory_info(&self) -> Result<(u64, u64)> {
        Ok((1 << 30, 1 << 30))
    }

    fn create_queue(&self, packets: u32) -> Result<QueueMemory> {
        let id = self.next_queue.fetch_add(1, Relaxed);
        let (ring, _) = self.pages(packets as usize * 64, PAGE);
        for packet in 0..packets as usize {
            at::<AtomicU32>(ring + packet * 64).store(1, Relaxed);
        }
        let (control, _) = self.pages(PAGE, PAGE);
        let queue = FakeQueue {
            ring,
            capacity: u64::from(packets),
            amd_queue: control,
            doorbell: control + 2560,
            packets_run: 0,
        };
        let pointer = |address| NonNull::new(std::ptr::with_exposed_provenance_mut(address));
        let memory = QueueMemory {
            ring: pointer(ring).unwrap(),
            capacity: packets,
            amd_queue: pointer(control).unwrap().cast(),
            doorbell: pointer(queue.doorbell).unwrap().cast(),
            error_word: pointer(control + 2568).unwrap().cast(),
            id,
        };
        self.queues.lock().unwrap().insert(id, queue);
        Ok(memory)
    }

    fn destroy_queue(&self, memory: QueueMemory) -> Result<()> {
        let queue = self
            .queues
            .lock()
            .unwrap()
            .remove(&memory.id)
            .expect("a live queue");
        self.release(queue.ring, to_usize(queue.capacity) * 64);
        self.release(queue.amd_queue, PAGE);
        Ok(())
    }

    fn ring_doorbell(&self, queue: &QueueMemory, last: u64) {
        // SAFETY: the doorbell lies in the queue's control page, which lives until it is destroyed.
        unsafe { queue.doorbell.as_ref() }.store(last, Release);
        if self.pace == Pace::Instant {
            self.process(usize::MAX);
        }
    }

    fn create_event(&self) -> Result<InterruptEvent> {
        self.alive.fetch_add(1, Relaxed);
        Ok(InterruptEvent {
            id: self.next_event.fetch_add(1, Relaxed),
            mailbox: 1,
        })
    }

    fn destroy_event(&self, _: InterruptEvent) -> Result<()> {
        self.alive.fetch_sub(1, Relaxed);
        Ok(())
    }

    fn wait_events(&self, events: &[&InterruptEvent], timeout: Duration) -> Result<WaitOutcome> {
        self.event_waits.fetch_add(1, Relaxed);
        let deadline = Instant::now() + timeout;
        let mut raised = self.raised.lock().unwrap();
        loop {
            if self.fault.get().is_some() {
                return Ok(WaitOutcome::Faulted);
            }
            if let Some(index) = raised
                .iter()
                .position(|id| events.iter().any(|e| e.id == *id))
            {
                raised.swap_remove(index);
                return Ok(WaitOutcome::Raised);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(WaitOutcome::TimedOut);
            }
            raised = self.raise.wait_timeout(raised, left).unwrap().0;
        }
    }

    fn assist(&self, done: &dyn Fn() -> bool) {
        while self.pace == Pace::OnDemand && !done() && self.process(64) > 0 {}
    }

    fn sample_clocks(&self) -> Result<ClockSample> {
        Ok(ClockSample::default())
    }

    fn fault(&self) -> Option<Arc<DeviceFault>> {
        self.fault.get().cloned()
    }

    fn poll_fault(&self) -> Option<Arc<DeviceFault>> {
        self.fault()
    }

    fn ensure_scratch(&self, _: &QueueMemory, _: u32, _: u32) -> Result<()> {
        self.scratch_calls.fetch_add(1, Relaxed);
        if self.refuse_scratch.load(Relaxed) {
            return Err(HalError::OutOfMemory {
                requested_bytes: 1,
                free_bytes: 0,
                total_bytes: 0,
            });
        }
        Ok(())
    }

    fn name_code(&self, _: u64, _: u64, _: &str, _: Vec<CodeSymbol>) {}

    fn forget_code(&self, _: u64) {}
}
