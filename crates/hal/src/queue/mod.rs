//! A hardware queue: packets, ordering and rings, once for all drivers.
//!
//! 1. A submission takes packet slots, kernel-argument bytes and an event slot together, under the
//!    submission lock, or nothing. What is short is waited for outside the lock; a submission never
//!    fails for want of room.
//! 2. Kernel arguments are written once, in place. The event slot's signal is the packet's
//!    completion signal, profiled or not.
//! 3. The event ring's `write` moves, then headers are stored with release, then the doorbell is
//!    rung once. Until the first of these nothing is visible, so a submission that fails leaves no
//!    trace.
//! 4. All packets carry the barrier bit: completion of a position proves all before it.
//! 5. `retire` moves the ring's positions; kernel-argument bytes are free when the event of the
//!    launch after them is the oldest unfinished one.
//! 6. A pooled signal that a packet names is kept until an event or signal behind that packet
//!    completed.
//!
//! # Thread safety
//! Any thread may call anything. The submission lock is the only contended one; nothing is
//! allocated and nobody waits under it, with one exception: scratch grows under it, when the queue
//! is idle, because no launch may slip in between.

mod submit;
mod wait;

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use hrx_abi::queue::AmdQueue;
use hrx_abi::signal::Signal;
use hrx_profile::RingMemory;
use hrx_profile::schema::side::{KIND_COPY, KIND_DISPATCH, KIND_FILL};
use parking_lot::Mutex;

use crate::aql::ring::PacketRing;
use crate::command::Command;
use crate::device::{Device, MemoryKind, QueueMemory, Registration};
use crate::error::{HalError, Result};
use crate::event_ring::EventRing;
use crate::gate::ProfileGate;
use crate::kernarg::KernargRing;
use crate::memory::Buffer;
use crate::signal::{PooledSignal, SignalPool};

/// Packets of a ring when nobody asks for another number.
pub const DEFAULT_PACKETS: u32 = 4096;
/// Bytes of kernel arguments when nobody asks for another number.
pub const DEFAULT_KERNARG_BYTES: usize = 2 << 20;

/// Who writes events into the bundle.
pub trait DrainSink: Send + Sync + fmt::Debug {
    /// At least [`DRAIN_THRESHOLD`](crate::event_ring::DRAIN_THRESHOLD) events were claimed on some
    /// queue: wake the collector. Called by a submitter, with no lock held; must return at once.
    fn wake(&self);
}

/// What makes the events of a queue reach the bundle.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Memory of the event ring, in the session's side file if it has one.
    pub ring: RingMemory,
    /// The collector.
    pub sink: Arc<dyn DrainSink>,
}

/// How to make a queue.
#[derive(Clone, Debug)]
pub struct QueueOptions {
    /// Number of the queue in its device, from 0.
    pub ordinal: u32,
    /// Packets of the ring, a power of two.
    pub packets: u32,
    /// Bytes for kernel arguments, a power of two.
    pub kernarg_bytes: usize,
    /// The device's signals.
    pub signals: Arc<SignalPool>,
    /// What the session wants.
    pub gate: Arc<ProfileGate>,
    /// The session that reads this queue's events, if there is one.
    pub recording: Option<Recording>,
}

impl QueueOptions {
    /// A queue of the usual size without a session.
    #[must_use]
    pub fn new(ordinal: u32, signals: Arc<SignalPool>, gate: Arc<ProfileGate>) -> Self {
        Self {
            ordinal,
            packets: DEFAULT_PACKETS,
            kernarg_bytes: DEFAULT_KERNARG_BYTES,
            signals,
            gate,
            recording: None,
        }
    }
}

/// What a dispatch does, for its event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EventKind {
    /// Runs a user's kernel.
    #[default]
    Dispatch,
    /// Copies bytes.
    Copy,
    /// Fills bytes.
    Fill,
}

impl EventKind {
    fn code(self) -> u16 {
        match self {
            Self::Dispatch => KIND_DISPATCH,
            Self::Copy => KIND_COPY,
            Self::Fill => KIND_FILL,
        }
    }
}

/// What is known about a dispatch when it is submitted. Read only when the event is recorded.
#[derive(Clone, Copy, Debug)]
pub struct EventStatic {
    /// The operation of the command buffer that the dispatch is.
    pub command: Command,
    /// Submission of the queue that it belongs to, or 0: the queue then numbers it, from 1 upward.
    pub submission_id: u64,
    /// Executable, from 1 upward; 0 for kernels of our own.
    pub executable_id: u64,
    /// Function of the executable.
    pub function_ordinal: u32,
    /// HIP stream, counted from 0 in its device.
    pub stream_ordinal: u32,
    /// Correlates with an API record, or 0.
    pub correlation_id: u64,
    /// LDS asked for at launch, bytes.
    pub dynamic_lds_bytes: u32,
    /// What it does.
    pub kind: EventKind,
    /// Bytes that a copy or fill writes, else 0.
    pub payload_bytes: u64,
    /// Whether the session's filter matches it.
    pub selected: bool,
}

/// One kernel launch.
#[derive(Clone, Copy, Debug)]
pub struct Dispatch<'a> {
    /// Device address of the kernel descriptor.
    pub kernel_object: u64,
    /// Work-items of the grid, each at least 1.
    pub grid: [u32; 3],
    /// Work-items of a work-group, each at least 1, at most 1024 in all.
    pub workgroup: [u16; 3],
    /// Dimensions, 1 to 3; the others are 1 in `grid` and `workgroup`.
    pub dimensions: u16,
    /// Lanes of the kernel's waves, 32 or 64.
    pub lanes: u32,
    /// Scratch bytes a work-item.
    pub private_bytes: u32,
    /// LDS bytes a work-group, static and dynamic.
    pub group_bytes: u32,
    /// Bytes of kernel arguments.
    pub kernarg_len: usize,
    /// Their alignment, a power of two; they get at least that of a cache line.
    pub kernarg_align: usize,
    /// What its event says.
    pub event: EventStatic,
    /// Signals that must have completed before it starts.
    pub waits: &'a [Arc<PooledSignal>],
}

/// A point in a queue's work that can be waited for. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Completion {
    queue: u32,
    point: Point,
}

#[derive(Clone, Debug)]
enum Point {
    /// An event of the queue's ring.
    Position(u64),
    /// A packet whose completion signal is a pooled one.
    Signal(Arc<PooledSignal>),
}

impl Completion {
    /// The queue that it belongs to, and that answers for it.
    #[must_use]
    pub fn queue_ordinal(&self) -> u32 {
        self.queue
    }

    /// Position of the event in the queue's ring, if it has one.
    #[must_use]
    pub fn position(&self) -> Option<u64> {
        match self.point {
            Point::Position(position) => Some(position),
            Point::Signal(_) => None,
        }
    }
}

/// What a queue has seen. Launches are those of kernels of the program, not copies and fills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueCounters {
    /// Launches submitted.
    pub launches_seen: u64,
    /// Those of them that are recorded.
    pub launches_selected: u64,
    /// Launches whose kind the session does not want, though it is on.
    pub launches_unwanted: u64,
    /// Launches that the session's filter leaves out.
    pub launches_filtered: u64,
    /// Launches whose command buffer does not retain profile metadata.
    pub launches_unretained: u64,
    /// Submissions that waited for the collector to free an event slot.
    pub collector_stalls: u64,
    /// Submissions that waited for the device: packets, arguments or event slots of unfinished
    /// work.
    pub device_stalls: u64,
    /// Nanoseconds in both kinds of waiting.
    pub stalled_ns: u64,
}

/// A hardware queue. See the module.
#[derive(Debug)]
pub struct Queue {
    device: Arc<dyn Device>,
    ordinal: u32,
    /// `None` once destroyed, in `drop` only.
    memory: Option<QueueMemory>,
    packets: PacketRing,
    events: EventRing,
    events_registration: Option<Registration>,
    kernargs: Buffer,
    gate: Arc<ProfileGate>,
    sink: Option<Arc<dyn DrainSink>>,
    signals: Arc<SignalPool>,
    submission: Mutex<Submission>,
    interrupts: Mutex<Vec<wait::Interrupt>>,
    /// Looks at unfinished work since the device was last asked for a fault.
    polls: AtomicU64,
}

/// What the submission lock guards.
#[derive(Debug)]
struct Submission {
    /// Next packet.
    packet_write: u64,
    /// Packets before this one have a free slot; refreshed from the read index when it is reached.
    packet_limit: u64,
    kernargs: KernargRing,
    /// By event slot: the head of `kernargs` before the event's launch took its bytes.
    kernarg_starts: Box<[u64]>,
    /// Signals that packets name, oldest first.
    kept: VecDeque<Kept>,
    /// Scratch bytes that a wave may have.
    scratch_wave_bytes: u64,
    next_submission_id: u64,
    counters: QueueCounters,
}

/// A signal that a packet names.
#[derive(Debug)]
struct Kept {
    /// Held, not read.
    _signal: Arc<PooledSignal>,
    /// The packet is done when this event is,
    behind: u64,
    /// or when this signal is.
    done: Option<Arc<PooledSignal>>,
}

impl Queue {
    /// Makes a hardware queue with its rings.
    ///
    /// # Errors
    /// No memory, no more hardware queues, or what the system says.
    pub fn create(device: Arc<dyn Device>, options: QueueOptions) -> Result<Self> {
        let QueueOptions {
            ordinal,
            packets,
            kernarg_bytes,
            signals,
            gate,
            recording,
        } = options;
        for (what, value) in [
            ("packets of a queue", packets as usize),
            ("bytes of a queue's kernel arguments", kernarg_bytes),
        ] {
            if !value.is_power_of_two() {
                return Err(HalError::InvalidArgument {
                    what,
                    found: value as u64,
                    expected: "a power of two",
                });
            }
        }
        let (events, sink) = match recording {
            Some(Recording { ring, sink }) => (EventRing::recorded(ring), Some(sink)),
            None => {
                let memory = RingMemory::anonymous().map_err(|error| {
                    HalError::system("memory for the event ring", std::io::Error::other(error))
                })?;
                // Twice the packets: a full event ring always has completed events in it.
                (
                    EventRing::unrecorded(memory, submit::event_capacity(packets)),
                    None,
                )
            }
        };
        let kernargs = Buffer::allocate(
            &device,
            kernarg_bytes,
            submit::KERNARG_ALIGN,
            MemoryKind::Kernarg,
        )?;
        let range = events.byte_range();
        let (events, registration) = match device.register_host(range.start, range.len()) {
            Ok(registration) => (events, Some(registration)),
            Err(error) => {
                tracing::warn!(
                    %error,
                    "the device cannot write to the event ring: its stamps are copied there, and \
                     what completed shortly before a kill is lost"
                );
                let bytes = events.capacity() as usize * size_of::<Signal>();
                let signals = Buffer::allocate(&device, bytes, 4096, MemoryKind::Control)?;
                (events.with_stamps_in(signals), None)
            }
        };
        let memory = match device.create_queue(packets) {
            Ok(memory) => memory,
            Err(error) => {
                // The first error is the one to tell; the ring's memory stays ours either way.
                let _ = registration.map(|registration| device.unregister_host(registration));
                return Err(error);
            }
        };
        let ring = PacketRing::new(&memory);
        let submission = Submission {
            packet_write: 0,
            packet_limit: ring.capacity(),
            kernargs: KernargRing::new(kernarg_bytes),
            kernarg_starts: vec![0; events.capacity() as usize].into(),
            kept: VecDeque::with_capacity(64),
            scratch_wave_bytes: 0,
            next_submission_id: 1,
            counters: QueueCounters::default(),
        };
        Ok(Self {
            packets: ring,
            memory: Some(memory),
            events,
            events_registration: registration,
            kernargs,
            gate,
            sink,
            signals,
            submission: Mutex::new(submission),
            interrupts: Mutex::default(),
            polls: AtomicU64::new(0),
            device,
            ordinal,
        })
    }

    /// Number of the queue in its device.
    #[must_use]
    pub fn ordinal(&self) -> u32 {
        self.ordinal
    }

    /// Completes a signal that packets of this queue wait for and that no packet completes: the
    /// host has done its part.
    pub fn complete_on_host(&self, signal: &PooledSignal) {
        signal.complete();
        let written = self.submission.lock().packet_write;
        if let Some(last) = written.checked_sub(1) {
            // An emulated processor may have gone to sleep over the wait.
            self.device.ring_doorbell(self.memory(), last);
        }
    }

    /// Device address of the shared structure, for kernels that ask for it.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.memory().amd_queue.as_ptr().expose_provenance() as u64
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Arc<dyn Device> {
        &self.device
    }

    /// The event ring, for the collector.
    #[must_use]
    pub fn events(&self) -> &EventRing {
        &self.events
    }

    /// What the queue has seen so far.
    #[must_use]
    pub fn counters(&self) -> QueueCounters {
        self.submission.lock().counters
    }

    /// Moves the event ring's positions over completed work, and lets go of signals that no packet
    /// names any more. Any thread, any time.
    pub fn retire(&self) {
        let ready = self.events.retire();
        if let Some(mut submission) = self.submission.try_lock() {
            submission.drop_kept(ready);
        }
    }

    fn memory(&self) -> &QueueMemory {
        self.memory.as_ref().expect("only `drop` takes it")
    }

    fn amd_queue(&self) -> &AmdQueue {
        // SAFETY: the driver keeps the structure mapped until `destroy_queue`, which only `drop`
        // calls; all of it is atomics.
        unsafe { self.memory().amd_queue.as_ref() }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // The device stops first: from then on nothing writes to signals, arguments or the ring.
        if let Some(memory) = self.memory.take()
            && let Err(error) = self.device.destroy_queue(memory)
        {
            tracing::warn!(queue = self.ordinal, %error, "queue was not destroyed");
        }
        if let Some(registration) = self.events_registration.take()
            && let Err(error) = self.device.unregister_host(registration)
        {
            tracing::warn!(queue = self.ordinal, %error, "event ring was not unregistered");
        }
        for interrupt in self.interrupts.get_mut().drain(..) {
            interrupt.destroy(self.device.as_ref());
        }
    }
}
