//! The packet processor and the workers that run waves.
//!
//! 1. Every worker, in rounds: starts what packets may start on any queue, then runs one slice of one
//!    work-group (see `worker`). So a small dispatch runs on the thread that saw its packet, and nothing is
//!    handed over.
//! 2. A dispatch of several groups is put on the list of active ones. Other workers are called once it has
//!    shown that it is worth their wake-up, and take groups from there in linear order.
//! 3. A worker without work looks around for 100 microseconds, one worker at a time, and parks (see `wake`).
//! 4. A host thread that waits may do rounds too. What it leaves unfinished, workers go on with.
//!
//! # Doorbells that are only stored to
//! A client that does not call [`Processor::rung`] sets a [`Watch`]. Then the worker that looks around does so
//! for as long as a packet ran in the last [`BUSY`], and arms the watch before nobody looks. The watch calls
//! [`Processor::alarm`] *before* the store that set it off lands. So an alarm is kept, not only told: who is
//! about to park takes it and looks for a whole [`BUSY`] again.
//!
//! # Thread safety
//! Lock order: the list of queues, [`DeviceMemory::enter`], a queue's packets; the list of active
//! dispatches, the orphans and the lock of sleepers are each taken last.
//!
//! [`DeviceMemory::enter`]: crate::kernel::DeviceMemory::enter

mod aql;
mod dispatch;
mod fault;
mod pm4;
mod queue;
mod report;
mod sdma;
mod wake;
mod worker;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, RwLock};

use self::dispatch::Dispatch;
pub use self::fault::FaultDetail;
use self::fault::Faults;
use self::queue::Queue;
use self::wake::Sleepers;
use self::worker::{Round, Running, Worker};
use crate::device::Device;
use crate::kernel::QueueSpec;

/// How long a worker looks for work before it parks.
const SEARCH: Duration = Duration::from_micros(100);
/// How often a packet that waits for a signal is looked at: the host may complete the signal, and does not
/// ring for it.
const BLOCKED_POLL: Duration = Duration::from_millis(1);
/// How long of that it keeps its core for itself.
const ALONE: Duration = Duration::from_micros(5);
/// Looks between two readings of the time, and how often the processor pauses between two looks.
const GLANCES: u32 = 32;
const GLANCE_PAUSE: u32 = 4;
/// Pauses for which a thread that is at work comes first.
const PRECEDENCE: u32 = 32;
/// With a watch: how long after the last packet doorbells are still polled.
const BUSY: Duration = Duration::from_millis(10);
/// With a watch: how long the worker that polls sleeps between two looks, once it has searched for
/// [`SEARCH`].
const LOOK: Duration = Duration::from_micros(20);
/// How often the end of a queue looks whether the last worker has left it.
const REMOVAL_POLL: Duration = Duration::from_micros(20);

/// Tells when a client stores to a doorbell of a device whose workers sleep.
pub trait Watch: Send + Sync + std::fmt::Debug {
    /// From now on a store to the doorbells calls [`Vgpu::doorbell_alarm`](crate::Vgpu::doorbell_alarm)
    /// once. Arming an armed watch does nothing.
    fn arm(&self);

    /// Called on the worker that looks for the store after an alarm, before it looks.
    fn answered(&self) {}
}

/// The processor and its threads.
#[derive(Debug)]
pub(crate) struct Processor {
    shared: Arc<Shared>,
    /// For the host threads that wait, one at a time.
    guest: Mutex<Worker>,
    threads: Vec<JoinHandle<()>>,
    /// Process that the threads are in.
    owner: u32,
}

/// What all workers see.
#[derive(Debug)]
struct Shared {
    device: Arc<Device>,
    faults: Faults,
    queues: RwLock<Vec<Queue>>,
    /// Dispatches with groups that nobody has claimed.
    active: Mutex<Vec<Arc<Dispatch>>>,
    /// Groups that a host thread began and left.
    orphans: Mutex<Vec<Running>>,
    /// Entries of `active` and `orphans`, to look without their locks.
    available: AtomicUsize,
    sleepers: Sleepers,
    /// Workers that look at blocked packets once in a while.
    polling: AtomicUsize,
    /// Of a client that stores to doorbells and says nothing.
    watch: OnceLock<Arc<dyn Watch>>,
    stop: AtomicBool,
}

impl Processor {
    /// Starts `threads` workers, at least one.
    ///
    /// # Errors
    /// What the system says when it has no more threads.
    pub(crate) fn new(device: Arc<Device>, threads: usize) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            device,
            faults: Faults::default(),
            queues: RwLock::default(),
            active: Mutex::default(),
            orphans: Mutex::default(),
            available: AtomicUsize::new(0),
            sleepers: Sleepers::default(),
            polling: AtomicUsize::new(0),
            watch: OnceLock::new(),
            stop: AtomicBool::new(false),
        });
        let mut processor = Self {
            shared,
            guest: Mutex::default(),
            threads: Vec::new(),
            owner: std::process::id(),
        };
        for index in 0..threads.max(1) {
            let shared = Arc::clone(&processor.shared);
            let thread = std::thread::Builder::new()
                .name(format!("hrx-vgpu-{index}"))
                .spawn(move || shared.work())?;
            processor.threads.push(thread);
        }
        Ok(processor)
    }

    /// A queue begins.
    pub(crate) fn add_queue(&self, spec: QueueSpec) {
        self.shared.queues.write().push(Queue::new(spec));
    }

    /// A queue ends: what it runs is dropped, and no worker is in it when this returns.
    pub(crate) fn remove_queue(&self, id: u32) {
        let mut queues = self.shared.queues.write();
        let Some(index) = queues.iter().position(|queue| queue.id() == id) else {
            return;
        };
        let queue = queues.remove(index);
        drop(queues);
        queue.stop();
        // Every group refers to its queue; who has one of a dead queue drops it in the next round.
        while queue.is_in_use() {
            self.shared.prune();
            if let Some(mut guest) = self.guest.try_lock() {
                guest.drop_failed();
            }
            std::thread::sleep(REMOVAL_POLL);
        }
    }

    /// A doorbell has been stored to.
    #[inline]
    pub(crate) fn rung(&self) {
        self.shared.sleepers.rung();
    }

    /// Sets the watch over doorbells. The first one stays.
    pub(crate) fn watch(&self, watch: Arc<dyn Watch>) {
        let _ = self.shared.watch.set(watch);
    }

    /// A doorbell is about to be stored to.
    pub(crate) fn alarm(&self) {
        self.shared.sleepers.alarm();
    }

    /// Works on the calling thread until `done`, or until there is nothing to do.
    pub(crate) fn assist(&self, done: &dyn Fn() -> bool) {
        let Some(mut guest) = self.guest.try_lock() else {
            return;
        };
        let shared = &self.shared;
        shared.sleepers.watch();
        while !done() && guest.round(shared) == Round::Worked {}
        shared.adopt(guest.abandon());
        drop(guest);
        // Others may have parked on the strength of this thread's watching. They go on with a packet that
        // came meanwhile, with what was left behind, with looks at a blocked packet.
        let work = || {
            let unpolled = shared.polling.load(Ordering::Relaxed) == 0;
            shared.has_work() || (unpolled && shared.has_blocked())
        };
        if !shared.sleepers.leave(work) {
            shared.sleepers.leave(|| false);
            shared.sleepers.rung();
        }
    }

    pub(crate) fn name_code(
        &self,
        base: u64,
        len: u64,
        name: &str,
        symbols: Vec<(u64, u64, String)>,
    ) {
        self.shared.faults.name(base, len, name, symbols);
    }

    pub(crate) fn last_fault(&self) -> Option<FaultDetail> {
        self.shared.faults.last()
    }
}

impl Drop for Processor {
    fn drop(&mut self) {
        if std::process::id() != self.owner {
            // A forked child has no workers, and whoever held a lock is not here to release it.
            std::mem::forget(std::mem::take(&mut self.threads));
            return;
        }
        self.shared.stop.store(true, Ordering::SeqCst);
        for queue in self.shared.queues.read().iter() {
            queue.stop();
        }
        self.shared.sleepers.wake_all();
        for thread in self.threads.drain(..) {
            // A worker that panicked has said so; there is nothing left to give back.
            let _ = thread.join();
        }
    }
}

fn spin(pauses: u32) {
    for _ in 0..pauses {
        std::hint::spin_loop();
    }
}

impl Shared {
    /// A worker's life.
    fn work(&self) {
        let mut worker = Worker::default();
        self.sleepers.watch();
        while !self.is_stopping() {
            match worker.round(self) {
                Round::Worked => {}
                Round::Blocked => {
                    self.polling.fetch_add(1, Ordering::SeqCst);
                    self.arm_watch();
                    if self.sleepers.take_alarm() {
                        // The store lands in a moment.
                        std::thread::sleep(LOOK);
                    } else {
                        let look = || self.has_work() || self.is_stopping();
                        self.sleepers.park(Some(BLOCKED_POLL), look);
                    }
                    self.polling.fetch_sub(1, Ordering::SeqCst);
                }
                Round::Idle => {
                    if !self.sleepers.search(|| self.search()) {
                        let look = || self.has_work() || self.has_blocked() || self.is_stopping();
                        self.sleepers.park(None, look);
                    }
                }
            }
        }
        self.sleepers.leave(|| false);
    }

    fn is_stopping(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// Whether a packet may start.
    fn has_packets(&self) -> bool {
        self.queues
            .read()
            .iter()
            .any(|queue| queue.pending(&self.device))
    }

    /// Whether a packet waits for what nobody rings for.
    fn has_blocked(&self) -> bool {
        self.queues
            .read()
            .iter()
            .any(|queue| queue.is_blocked(&self.device))
    }

    fn has_work(&self) -> bool {
        self.has_groups() || self.has_packets()
    }

    /// Whether there is a group to take.
    fn has_groups(&self) -> bool {
        self.available.load(Ordering::Relaxed) > 0
            && (self
                .active
                .lock()
                .iter()
                .any(|dispatch| dispatch.has_room())
                || !self.orphans.lock().is_empty())
    }

    /// Before nobody looks at doorbells: has stores to them told.
    fn arm_watch(&self) {
        if let Some(watch) = self.watch.get() {
            watch.arm();
        }
    }

    /// Looks for work for a while. True if there is some.
    fn search(&self) -> bool {
        let is_watched = self.watch.get().is_some();
        let mut begin = Instant::now();
        let mut next_yield = ALONE;
        loop {
            if self.glance() {
                return true;
            }
            if self.sleepers.take_alarm() {
                begin = Instant::now();
                if let Some(watch) = self.watch.get() {
                    watch.answered();
                }
            }
            let searched = begin.elapsed();
            if self.is_stopping() {
                return false;
            }
            if is_watched && (SEARCH..BUSY).contains(&searched) {
                std::thread::sleep(LOOK);
            } else if searched >= SEARCH {
                self.arm_watch();
                return false;
            } else if searched >= next_yield {
                // The thread that waits for the device may have nowhere else to run. Seldom, since the
                // system takes each time for a turn that was had.
                std::thread::yield_now();
                next_yield *= 2;
            }
        }
    }

    /// Some looks in a row, with no write that a working thread would notice.
    fn glance(&self) -> bool {
        let queues = self.queues.read();
        for _ in 0..GLANCES {
            if self.available.load(Ordering::Relaxed) > 0 && self.has_groups() {
                return true;
            }
            let pending = || queues.iter().any(|queue| queue.pending(&self.device));
            if pending() {
                if !self.sleepers.others_watch() {
                    return true;
                }
                // A thread that is at work takes its queue's next packet itself, and has the caches for it.
                spin(PRECEDENCE);
                if pending() {
                    return true;
                }
            }
            spin(GLANCE_PAUSE);
        }
        false
    }

    /// Puts a dispatch where other workers find it. Does not wake any: that may cost more than the dispatch.
    fn publish(&self, dispatch: Arc<Dispatch>) {
        self.available.fetch_add(1, Ordering::Relaxed);
        self.active.lock().push(dispatch);
    }

    /// A group of an active dispatch, dispatches in turn.
    fn take(&self, turn: usize) -> Option<(Arc<Dispatch>, [u32; 3])> {
        if self.available.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let mut active = self.active.lock();
        self.drop_exhausted(&mut active);
        let count = active.len();
        (0..count).find_map(|offset| {
            let dispatch = &active[(turn + offset) % count];
            dispatch.claim().map(|id| (Arc::clone(dispatch), id))
        })
    }

    fn drop_exhausted(&self, active: &mut Vec<Arc<Dispatch>>) {
        let before = active.len();
        active.retain(|dispatch| !dispatch.exhausted());
        self.available
            .fetch_sub(before - active.len(), Ordering::Relaxed);
    }

    /// A group that a host thread left.
    fn take_orphan(&self) -> Option<Running> {
        if self.available.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let running = self.orphans.lock().pop()?;
        self.available.fetch_sub(1, Ordering::Relaxed);
        Some(running)
    }

    /// Keeps what a host thread leaves.
    fn adopt(&self, left: impl Iterator<Item = Running>) {
        let mut orphans = self.orphans.lock();
        let before = orphans.len();
        orphans.extend(left);
        self.available
            .fetch_add(orphans.len() - before, Ordering::Relaxed);
    }

    /// Lets go of dispatches that have nothing left, or have failed.
    fn prune(&self) {
        self.drop_exhausted(&mut self.active.lock());
        let mut orphans = self.orphans.lock();
        let before = orphans.len();
        orphans.retain(|running| !running.dispatch.failed());
        self.available
            .fetch_sub(before - orphans.len(), Ordering::Relaxed);
    }
}
