//! The packet processor and the workers that run waves.
//!
//! 1. Every worker, in rounds: starts what packets may start on any queue, then runs one slice of one
//!    work-group. So a small dispatch runs on the thread that saw its packet, and nothing is handed over.
//! 2. A dispatch of several groups is put on the list of active ones; other workers take groups from there,
//!    in linear order, one dispatch after the other in turn, so dispatches of several queues overlap even
//!    with one worker.
//! 3. A group runs a bounded number of instructions and is then put back. A worker takes a further group
//!    only when those it has do not get on: groups that spin on another group never stop it, and groups
//!    that just compute are finished before new ones start.
//! 4. A worker without work looks around for 100 microseconds, one worker at a time, and parks.
//!
//! # No wake-up is lost
//! A client stores its doorbell, fences, and reads `searching` and `parked`. A worker that parks counts
//! itself in `parked` under the lock of the condition variable, fences, and looks for work once more. With
//! both fences one of them sees the other: either the client notifies, and the lock makes that come after
//! the wait began, or the worker sees the doorbell. A searching worker spares the client the notification;
//! it leaves `searching` before it parks, and so looks again.
//!
//! # Doorbells that are only stored to
//! A client that does not call [`Processor::rung`] sets a [`Watch`]. Then workers look for doorbells for as
//! long as a packet ran in the last [`BUSY`], and arm the watch before they park; the watch calls
//! [`Processor::alarm`] *before* the store that set it off lands. So an alarm is kept, not only told: who is
//! about to park takes it and looks for a whole [`BUSY`] again.
//!
//! # Thread safety
//! Lock order: a queue's packets, then the list of active dispatches; the sleep lock is taken alone.

mod dispatch;
mod fault;
mod queue;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use std::sync::OnceLock;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use hrx_gfx::exec::{Group, Progress};
use parking_lot::{Condvar, Mutex, RwLock};

use self::dispatch::Dispatch;
pub use self::fault::FaultDetail;
use self::queue::{AqlQueue, Faults, Step};
use crate::device::Device;
use crate::kernel::QueueSpec;

/// Instructions that each wave of a group runs in a slice.
const SLICE: u32 = 4096;
/// Slices in which no group of a worker ended before it takes another group, for each that it has.
const PATIENCE: usize = 8;
/// A group that ran fewer instructions than this in a slice was waiting, not computing.
const WAITING: u64 = 512;
/// How long a worker looks for work before it parks.
const SEARCH: Duration = Duration::from_micros(100);
/// How often a packet that waits for a signal is looked at: the host may complete the signal, and does not
/// ring for it.
const BLOCKED_POLL: Duration = Duration::from_millis(1);

/// With a watch: how long after the last packet doorbells are still polled.
const BUSY: Duration = Duration::from_millis(10);
/// With a watch: how long a worker that polls sleeps between two looks, once it has searched for
/// [`SEARCH`].
const LOOK: Duration = Duration::from_micros(20);

/// Tells when a client stores to a doorbell of a device whose workers sleep.
pub trait Watch: Send + Sync + std::fmt::Debug {
    /// From now on a store to the doorbells calls [`Vgpu::doorbell_alarm`](crate::Vgpu::doorbell_alarm)
    /// once. Arming an armed watch does nothing.
    fn arm(&self);
}

/// The processor and its threads.
#[derive(Debug)]
pub(crate) struct Processor {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Debug)]
struct Shared {
    device: Arc<Device>,
    faults: Faults,
    queues: RwLock<Vec<Arc<AqlQueue>>>,
    /// Dispatches with groups that nobody has taken.
    active: Mutex<Vec<Arc<Dispatch>>>,
    /// Groups that a host thread ran and left behind.
    orphans: Mutex<Vec<Running>>,
    /// Entries of `active` and `orphans`, to look without their locks.
    available: AtomicUsize,
    searching: AtomicUsize,
    parked: AtomicUsize,
    sleep: Mutex<()>,
    wake: Condvar,
    stop: AtomicBool,
    /// For host threads that wait.
    guest: Mutex<Worker>,
    /// Of clients that store to doorbells and say nothing.
    watch: OnceLock<Arc<dyn Watch>>,
    /// The watch went off, and nobody has looked since.
    alarmed: AtomicBool,
}

/// A group that a worker has begun.
#[derive(Debug)]
struct Running {
    dispatch: Arc<Dispatch>,
    group: Group,
}

/// What one thread has in hand.
#[derive(Debug, Default)]
struct Worker {
    resident: VecDeque<Running>,
    /// Groups that have ended, for their memory.
    spare: Vec<Group>,
    /// Which queue and dispatch comes first in the next round.
    turn: usize,
    /// Slices since a group ended or began; see [`PATIENCE`].
    stalled: usize,
}

/// What a round came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Round {
    Worked,
    /// Nothing to do, but a packet waits for a signal.
    Blocked,
    Idle,
}

impl Processor {
    /// Starts `threads` workers.
    pub(crate) fn new(device: Arc<Device>, threads: usize) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            device,
            faults: Faults::default(),
            queues: RwLock::default(),
            active: Mutex::default(),
            orphans: Mutex::default(),
            available: AtomicUsize::new(0),
            searching: AtomicUsize::new(0),
            parked: AtomicUsize::new(0),
            sleep: Mutex::new(()),
            wake: Condvar::new(),
            stop: AtomicBool::new(false),
            guest: Mutex::default(),
            watch: OnceLock::new(),
            alarmed: AtomicBool::new(false),
        });
        let processor = Self {
            shared,
            threads: Mutex::default(),
        };
        for index in 0..threads.max(1) {
            let shared = Arc::clone(&processor.shared);
            let thread = std::thread::Builder::new()
                .name(format!("hrx-vgpu-{index}"))
                .spawn(move || shared.work())?;
            processor.threads.lock().push(thread);
        }
        Ok(processor)
    }

    /// A queue begins.
    pub(crate) fn add_queue(&self, spec: QueueSpec) {
        self.shared
            .queues
            .write()
            .push(Arc::new(AqlQueue::new(spec)));
    }

    /// A queue ends: what it runs is dropped, and no worker is in it when this returns.
    pub(crate) fn remove_queue(&self, id: u32) {
        let mut queues = self.shared.queues.write();
        let Some(index) = queues.iter().position(|queue| queue.spec.id == id) else {
            return;
        };
        let queue = queues.remove(index);
        drop(queues);
        queue.dead.store(true, Ordering::Release);
        // Every group that runs refers to the queue; workers drop those of a dead one in their next round.
        while Arc::strong_count(&queue) > 1 {
            self.shared.prune();
            self.shared.guest.lock().drop_failed();
            self.shared.wake_one();
            std::thread::sleep(Duration::from_micros(20));
        }
    }

    /// A doorbell has been stored to.
    pub(crate) fn rung(&self) {
        self.shared.wake_for_work();
    }

    /// Sets the watch over doorbells. The first one stays.
    pub(crate) fn watch(&self, watch: Arc<dyn Watch>) {
        let _ = self.shared.watch.set(watch);
    }

    /// A doorbell is about to be stored to.
    pub(crate) fn alarm(&self) {
        self.shared.alarmed.store(true, Ordering::SeqCst);
        // Pairs with the fence of `park`: either it sees the alarm, or we see it parked.
        fence(Ordering::SeqCst);
        if self.shared.parked.load(Ordering::Relaxed) > 0 {
            self.shared.wake_one();
        }
    }

    /// Works on the calling thread until `done`, or until there is nothing to do.
    pub(crate) fn assist(&self, done: &dyn Fn() -> bool) {
        let Some(mut guest) = self.shared.guest.try_lock() else {
            return;
        };
        while !done() && guest.round(&self.shared) == Round::Worked {}
        if !guest.resident.is_empty() {
            self.shared
                .available
                .fetch_add(guest.resident.len(), Ordering::Relaxed);
            self.shared.orphans.lock().extend(guest.resident.drain(..));
            drop(guest);
            self.shared.wake_for_work();
        }
    }

    pub(crate) fn name_code(
        &self,
        base: u64,
        len: u64,
        name: &str,
        symbols: Vec<(u64, u64, String)>,
    ) {
        self.shared.faults.names.insert(base, len, name, symbols);
    }

    pub(crate) fn last_fault(&self) -> Option<FaultDetail> {
        self.shared.faults.last()
    }
}

impl Drop for Processor {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        for queue in self.shared.queues.read().iter() {
            queue.dead.store(true, Ordering::Release);
        }
        {
            let _sleep = self.shared.sleep.lock();
            self.shared.wake.notify_all();
        }
        for thread in self.threads.lock().drain(..) {
            // A worker that panicked has said so; there is nothing left to give back.
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// A worker's life.
    fn work(&self) {
        let mut worker = Worker::default();
        while !self.stop.load(Ordering::Relaxed) {
            match worker.round(self) {
                Round::Worked => {}
                Round::Blocked => {
                    if let Some(watch) = self.watch.get() {
                        watch.arm();
                    }
                    self.park(Some(BLOCKED_POLL));
                }
                Round::Idle => {
                    if !self.search() {
                        self.park(None);
                    }
                }
            }
        }
    }

    fn has_work(&self) -> bool {
        self.available.load(Ordering::Relaxed) > 0
            || self
                .queues
                .read()
                .iter()
                .any(|queue| queue.pending(&self.device))
    }

    /// Looks for work for a while, unless another worker does so. True if there is some.
    fn search(&self) -> bool {
        if self
            .searching
            .compare_exchange(0, 1, Ordering::SeqCst, Ordering::Relaxed)
            .is_err()
        {
            return false;
        }
        let watch = self.watch.get();
        let mut begin = Instant::now();
        let found = loop {
            if self.has_work() {
                break true;
            }
            if self.alarmed.swap(false, Ordering::SeqCst) {
                begin = Instant::now();
            }
            let searched = begin.elapsed();
            if self.stop.load(Ordering::Relaxed) {
                break false;
            }
            if searched < SEARCH {
                for _ in 0..16 {
                    std::hint::spin_loop();
                }
            } else if watch.is_some() && searched < BUSY {
                std::thread::sleep(LOOK);
            } else {
                break false;
            }
        };
        if let Some(watch) = watch.filter(|_| !found) {
            watch.arm();
        }
        self.searching.store(0, Ordering::SeqCst);
        found
    }

    fn park(&self, limit: Option<Duration>) {
        let mut sleep = self.sleep.lock();
        self.parked.fetch_add(1, Ordering::SeqCst);
        // Pairs with the fences of `wake_for_work` and `alarm`; see the module's head.
        fence(Ordering::SeqCst);
        if !self.has_work()
            && !self.alarmed.load(Ordering::Relaxed)
            && !self.stop.load(Ordering::Relaxed)
        {
            match limit {
                None => self.wake.wait(&mut sleep),
                Some(limit) => drop(self.wake.wait_for(&mut sleep, limit)),
            }
        }
        self.parked.fetch_sub(1, Ordering::SeqCst);
    }

    /// Wakes a worker unless one is looking around.
    fn wake_for_work(&self) {
        // Pairs with the fence of `park`.
        fence(Ordering::SeqCst);
        if self.searching.load(Ordering::Relaxed) == 0 && self.parked.load(Ordering::Relaxed) > 0 {
            self.wake_one();
        }
    }

    fn wake_one(&self) {
        let _sleep = self.sleep.lock();
        self.wake.notify_one();
    }

    /// Puts a dispatch where other workers find it.
    fn publish(&self, dispatch: Arc<Dispatch>) {
        self.active.lock().push(dispatch);
        self.available.fetch_add(1, Ordering::Relaxed);
        self.wake_for_work();
    }

    /// Takes dispatches off the list that have nothing left to take.
    fn prune(&self) {
        let mut active = self.active.lock();
        let before = active.len();
        active.retain(|dispatch| !dispatch.exhausted());
        self.available
            .fetch_sub(before - active.len(), Ordering::Relaxed);
        drop(active);
        let mut orphans = self.orphans.lock();
        let before = orphans.len();
        orphans.retain(|running| !running.dispatch.failed());
        self.available
            .fetch_sub(before - orphans.len(), Ordering::Relaxed);
    }

    /// A group to run: one that a host thread left, or the next of a dispatch, dispatches in turn.
    fn take(&self, turn: usize, spare: &mut Vec<Group>) -> Option<Running> {
        if self.available.load(Ordering::Relaxed) == 0 {
            return None;
        }
        if let Some(running) = self.orphans.lock().pop() {
            self.available.fetch_sub(1, Ordering::Relaxed);
            return Some(running);
        }
        let mut active = self.active.lock();
        let before = active.len();
        active.retain(|dispatch| !dispatch.exhausted());
        self.available
            .fetch_sub(before - active.len(), Ordering::Relaxed);
        let count = active.len();
        let (dispatch, id) = (0..count).find_map(|offset| {
            let dispatch = &active[(turn + offset) % count];
            dispatch.claim().map(|id| (Arc::clone(dispatch), id))
        })?;
        drop(active);
        Some(Running::new(dispatch, id, spare))
    }
}

impl Running {
    fn new(dispatch: Arc<Dispatch>, id: [u32; 3], spare: &mut Vec<Group>) -> Self {
        let group = match spare.pop() {
            Some(mut group) => {
                group.reset(&dispatch.launch, id);
                group
            }
            None => Group::new(&dispatch.launch, id),
        };
        Self { dispatch, group }
    }
}

impl Worker {
    fn round(&mut self, shared: &Shared) -> Round {
        let mut round = Round::Idle;
        self.turn = self.turn.wrapping_add(1);
        {
            let queues = shared.queues.read();
            let count = queues.len();
            for offset in 0..count {
                let queue = &queues[(self.turn + offset) % count];
                loop {
                    match queue.step(&shared.device, &shared.faults) {
                        Step::Idle => {}
                        Step::Blocked => {
                            if round == Round::Idle {
                                round = Round::Blocked;
                            }
                        }
                        Step::Done => {
                            round = Round::Worked;
                            continue;
                        }
                        Step::Started(dispatch) => {
                            round = Round::Worked;
                            self.begin(shared, dispatch);
                        }
                    }
                    break;
                }
            }
        }
        let crowded = !self.resident.is_empty() && self.stalled < PATIENCE * self.resident.len();
        if !crowded && let Some(running) = shared.take(self.turn, &mut self.spare) {
            self.stalled = 0;
            self.resident.push_back(running);
        }
        if let Some(running) = self.resident.pop_front() {
            self.slice(shared, running);
            round = Round::Worked;
        }
        round
    }

    /// Takes the first group of a dispatch and lets others see the rest.
    fn begin(&mut self, shared: &Shared, dispatch: Arc<Dispatch>) {
        if let Some(id) = dispatch.claim() {
            self.stalled = 0;
            self.resident
                .push_front(Running::new(Arc::clone(&dispatch), id, &mut self.spare));
        }
        if !dispatch.exhausted() {
            shared.publish(dispatch);
        }
    }

    fn slice(&mut self, shared: &Shared, mut running: Running) {
        let dispatch = &running.dispatch;
        if dispatch.failed() {
            self.spare.push(running.group);
            return;
        }
        let before = running.group.instructions();
        let progress = {
            let _runs = shared.device.memory.enter();
            running.group.run(&dispatch.launch, &*shared.device, SLICE)
        };
        match progress {
            Progress::Yielded => {
                let ran = running.group.instructions().wrapping_sub(before);
                self.stalled += if ran < WAITING { PATIENCE } else { 1 };
                self.resident.push_back(running);
            }
            Progress::Finished => {
                self.stalled = 0;
                self.spare.push(running.group);
                if dispatch.finished() {
                    let (start, signal) = dispatch.completion();
                    dispatch.queue.complete(
                        &shared.device,
                        &shared.faults,
                        dispatch.position,
                        start,
                        signal,
                    );
                }
            }
            Progress::Faulted(fault) => {
                dispatch.fail();
                dispatch
                    .queue
                    .fault(&shared.device, &shared.faults, dispatch, fault);
                self.spare.push(running.group);
            }
        }
    }

    fn drop_failed(&mut self) {
        self.resident.retain(|running| !running.dispatch.failed());
    }
}
