//! A device: its hardware queues, the order between them, its health.
//!
//! # Queues
//! Streams are spread over up to [`LANES`] hardware queues, made when first needed. The null stream has
//! lane 0; a new stream goes to the lane with the fewest streams, so two streams never share one while
//! another is free. Streams of one lane are ordered among themselves, which HIP allows.
//!
//! # Order with the null stream
//! 1. Work of the null stream waits for all earlier work of blocking streams.
//! 2. Work of a blocking stream waits for all earlier work of the null stream.
//! 3. Non-blocking streams take no part.
//!
//! Positions say how far each side has come ([`Order`]); a wait between lanes is a barrier packet that
//! depends on a pooled signal, and it is placed at most once for each pair of lanes and position.
//!
//! # Thread safety
//! Any thread may call anything. "Earlier" is what happened before in the sense of the host's memory
//! model; between threads that are not ordered either order is right.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::time::{Duration, Instant};

use hrx_hal::gate::ProfileGate;
use hrx_hal::queue::{Queue, QueueOptions, Recording};
use hrx_hal::signal::{PooledSignal, SignalPool};
use hrx_hal::{DeviceFault, DeviceProperties};
use once_cell::sync::OnceCell;

use crate::blit::Blit;
use crate::context::is_forked;
use crate::error::{Result, RuntimeError};
use crate::log::say;
use crate::memory::staging::Staging;
use crate::session::{Launches, Session};

/// Hardware queues that streams are spread over.
pub const LANES: usize = 4;

/// Lane of the null stream.
pub(crate) const NULL_LANE: usize = 0;

/// How a stream is ordered with the null stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StreamKind {
    /// The null stream itself.
    Legacy,
    /// Ordered with the null stream in both directions.
    Blocking,
    /// Not ordered with it.
    NonBlocking,
}

/// An open device.
#[derive(Debug)]
pub struct Device {
    ordinal: u32,
    hal: Arc<dyn hrx_hal::Device>,
    signals: Arc<SignalPool>,
    gate: Arc<ProfileGate>,
    session: Option<Arc<Session>>,
    lanes: [Lane; LANES],
    order: Order,
    next_stream: AtomicU32,
    fault_was_told: AtomicBool,
    blit: OnceCell<Blit>,
    staging: Staging,
}

/// A hardware queue and who uses it.
#[derive(Debug, Default)]
struct Lane {
    queue: OnceCell<Arc<Queue>>,
    streams: AtomicU32,
}

/// How far the two sides have come: event positions + 1, 0 for none.
#[derive(Debug, Default)]
struct Order {
    /// End of the null stream's work, on its lane.
    null_end: AtomicU64,
    lanes: [LaneOrder; LANES],
}

#[derive(Debug, Default)]
struct LaneOrder {
    /// End of blocking streams' work on this lane.
    blocking_end: AtomicU64,
    /// The `null_end` that this lane has waited for.
    null_seen: AtomicU64,
    /// The `blocking_end` that the null lane has waited for.
    seen_by_null: AtomicU64,
}

/// Waits that stream order implies for the next submission, and what to note once it is in the queue.
#[derive(Debug, Default)]
pub(crate) struct ImpliedWaits {
    /// For the submission.
    pub(crate) signals: Vec<Arc<PooledSignal>>,
    noted: [(usize, u64); LANES],
    noted_count: usize,
}

impl ImpliedWaits {
    fn add(&mut self, signal: Arc<PooledSignal>, lane: usize, end: u64) {
        self.signals.push(signal);
        self.noted[self.noted_count] = (lane, end);
        self.noted_count += 1;
    }
}

impl Device {
    pub(crate) fn new(
        ordinal: u32,
        hal: Arc<dyn hrx_hal::Device>,
        session: Option<Arc<Session>>,
    ) -> Self {
        let gate = session
            .as_ref()
            .map_or_else(Arc::default, |session| Arc::clone(session.gate()));
        Self {
            ordinal,
            signals: SignalPool::new(Arc::clone(&hal)),
            hal,
            gate,
            session,
            lanes: Default::default(),
            order: Order::default(),
            // 0 is the null stream.
            next_stream: AtomicU32::new(1),
            fault_was_told: AtomicBool::new(false),
            blit: OnceCell::new(),
            staging: Staging::default(),
        }
    }

    /// Its number, from 0.
    pub fn ordinal(&self) -> u32 {
        self.ordinal
    }

    /// What it is.
    pub fn properties(&self) -> &DeviceProperties {
        self.hal.properties()
    }

    /// The layer below.
    pub fn hal(&self) -> &Arc<dyn hrx_hal::Device> {
        &self.hal
    }

    /// Free and total memory, bytes.
    ///
    /// # Errors
    /// What the system says.
    pub fn memory_info(&self) -> Result<(u64, u64)> {
        let (free, total) = self.hal.memory_info()?;
        Ok((free.min(total), total))
    }

    pub(crate) fn session(&self) -> Option<&Arc<Session>> {
        self.session.as_ref()
    }

    pub(crate) fn signals(&self) -> &Arc<SignalPool> {
        &self.signals
    }

    pub(crate) fn staging(&self) -> &Staging {
        &self.staging
    }

    /// The kernels that copy and fill, loaded on first use.
    pub(crate) fn blit(&self) -> Result<&Blit> {
        self.blit.get_or_try_init(|| Blit::load(self))
    }

    /// Takes the number of a new stream.
    pub(crate) fn next_stream_ordinal(&self) -> u32 {
        // Relaxed: a plain counter.
        self.next_stream.fetch_add(1, Relaxed)
    }

    /// The queue of a lane, made when it is not there yet.
    pub(crate) fn queue(&self, lane: usize) -> Result<&Arc<Queue>> {
        self.lanes[lane].queue.get_or_try_init(|| {
            let ordinal = u32::try_from(lane).expect("there are few lanes");
            let mut options =
                QueueOptions::new(ordinal, Arc::clone(&self.signals), Arc::clone(&self.gate));
            let session = self
                .session
                .as_ref()
                .filter(|session| session.wants_events());
            if let Some(session) = session {
                options.recording = match session.add_ring(self.ordinal, ordinal) {
                    Ok(ring) => Some(Recording {
                        ring,
                        sink: session.sink(),
                    }),
                    Err(error) => {
                        say(&format!(
                            "launches of queue {ordinal} are not profiled: {error}"
                        ));
                        None
                    }
                };
            }
            let is_recorded = options.recording.is_some();
            let queue = Arc::new(Queue::create(Arc::clone(&self.hal), options)?);
            if let Some(session) = session.filter(|_| is_recorded) {
                session.tap(self.ordinal, ordinal, Arc::clone(&queue) as _);
            }
            Ok(queue)
        })
    }

    /// The lane for a new stream: the one with the fewest, the null stream's last among equals.
    pub(crate) fn enter_lane(&self, kind: StreamKind) -> usize {
        let lane = if kind == StreamKind::Legacy {
            NULL_LANE
        } else {
            let load = |lane: &usize| {
                (
                    self.lanes[*lane].streams.load(Relaxed),
                    *lane == NULL_LANE,
                    *lane,
                )
            };
            (0..LANES).min_by_key(load).expect("there are lanes")
        };
        // Relaxed: two threads may pick the same lane, which is only less even.
        self.lanes[lane].streams.fetch_add(1, Relaxed);
        lane
    }

    pub(crate) fn leave_lane(&self, lane: usize) {
        self.lanes[lane].streams.fetch_sub(1, Relaxed);
    }

    /// The waits that order with the null stream implies for work of a stream.
    #[inline]
    pub(crate) fn implied_waits(&self, kind: StreamKind, lane: usize) -> Result<ImpliedWaits> {
        let mut waits = ImpliedWaits::default();
        match kind {
            StreamKind::NonBlocking => {}
            StreamKind::Blocking if lane == NULL_LANE => {}
            StreamKind::Blocking => {
                // Acquire: pairs with the release in `submitted`; the work is in its queue.
                let end = self.order.null_end.load(Acquire);
                if end > self.order.lanes[lane].null_seen.load(Relaxed) {
                    self.wait_between(NULL_LANE, end, lane, &mut waits)?;
                }
            }
            StreamKind::Legacy => {
                for (other, order) in self.order.lanes.iter().enumerate() {
                    let end = order.blocking_end.load(Acquire);
                    if other != NULL_LANE && end > order.seen_by_null.load(Relaxed) {
                        self.wait_between(other, end, other, &mut waits)?;
                    }
                }
            }
        }
        Ok(waits)
    }

    /// Adds a wait for the work before `end` on `lane`, unless it has completed.
    #[cold]
    fn wait_between(
        &self,
        lane: usize,
        end: u64,
        noted: usize,
        waits: &mut ImpliedWaits,
    ) -> Result<()> {
        let queue = self.queue(lane)?;
        if !queue.events().is_complete(end - 1) {
            waits.add(queue.signal_after()?, noted, end);
        }
        Ok(())
    }

    /// Notes that work of a stream, with its implied waits, is in the queue: its event ends at `end`.
    #[inline]
    pub(crate) fn submitted(&self, kind: StreamKind, lane: usize, end: u64, waits: &ImpliedWaits) {
        for (noted, seen) in &waits.noted[..waits.noted_count] {
            let order = &self.order.lanes[*noted];
            let side = if kind == StreamKind::Legacy {
                &order.seen_by_null
            } else {
                &order.null_seen
            };
            // Relaxed: who reads an older value places a wait that is not needed.
            side.fetch_max(*seen, Relaxed);
        }
        match kind {
            StreamKind::NonBlocking => {}
            // Release: pairs with the acquire in `implied_waits`.
            StreamKind::Blocking => {
                self.order.lanes[lane].blocking_end.fetch_max(end, Release);
            }
            StreamKind::Legacy => {
                self.order.null_end.fetch_max(end, Release);
            }
        }
    }

    /// Whether the work of other streams that work of this kind comes after is done.
    pub(crate) fn order_is_reached(&self, kind: StreamKind) -> bool {
        kind != StreamKind::Legacy
            || self
                .order
                .lanes
                .iter()
                .zip(&self.lanes)
                .all(|(order, lane)| {
                    let end = order.blocking_end.load(Acquire);
                    let queue = lane.queue.get();
                    end == 0 || queue.is_none_or(|queue| queue.events().is_complete(end - 1))
                })
    }

    /// Waits on the host for the work of other streams that work of this kind comes after.
    pub(crate) fn wait_for_order(&self, kind: StreamKind, lane: usize) -> Result<()> {
        let waits = self.implied_waits(kind, lane)?;
        if waits.signals.is_empty() {
            return Ok(());
        }
        // A barrier of our own, on the stream's own lane: when it is done so are they.
        let completion = self.check(self.queue(lane)?.barrier(&waits.signals, None))?;
        let end = completion.position().map_or(0, |position| position + 1);
        self.submitted(kind, lane, end, &waits);
        self.check(self.queue(lane)?.wait(&completion))
    }

    /// Waits until all that was submitted is done.
    ///
    /// # Errors
    /// The device's fault.
    pub fn synchronize(&self) -> Result<()> {
        for queue in self.lanes.iter().filter_map(|lane| lane.queue.get()) {
            self.check(queue.wait_idle(None))?;
        }
        self.healthy()
    }

    /// Whether all that was submitted is done.
    pub fn is_idle(&self) -> bool {
        self.lanes
            .iter()
            .filter_map(|lane| lane.queue.get())
            .all(|queue| {
                queue.retire();
                let state = queue.events().state();
                state.ready == state.write
            })
    }

    /// Waits for running work until `deadline`, whatever happens.
    pub(crate) fn settle(&self, deadline: Instant) {
        for queue in self.lanes.iter().filter_map(|lane| lane.queue.get()) {
            let left = deadline.saturating_duration_since(Instant::now());
            // A fault was told; what did not complete is counted by `launches`.
            let _ = self.check(queue.wait_idle(Some(left.max(Duration::from_micros(1)))));
        }
    }

    /// What the queues have counted.
    pub(crate) fn launches(&self) -> Launches {
        let mut launches = Launches::default();
        for queue in self.lanes.iter().filter_map(|lane| lane.queue.get()) {
            queue.retire();
            let state = queue.events().state();
            let counters = queue.counters();
            launches.running += state.write - state.ready;
            launches.late += counters.launches_unwanted;
            launches.unretained += counters.launches_unretained;
            launches.filtered += counters.launches_filtered;
            launches.stalls += counters.collector_stalls;
            launches.seen += counters.launches_seen;
        }
        launches.faulted = self.hal.fault().is_some();
        launches
    }

    /// `Err` with the device's fault once it has one, or in a forked child: two loads otherwise.
    ///
    /// # Errors
    /// The fault; [`RuntimeError::Forked`].
    #[inline]
    pub fn healthy(&self) -> Result<()> {
        if is_forked() {
            return Err(RuntimeError::Forked);
        }
        match self.hal.fault() {
            None => Ok(()),
            Some(fault) => Err(self.faulted(fault)),
        }
    }

    /// Passes a result of the layer below on; a fault is told to the user first.
    #[inline]
    pub(crate) fn check<T>(&self, result: hrx_hal::Result<T>) -> Result<T> {
        result.map_err(|error| match error {
            hrx_hal::HalError::DeviceFault(fault) => self.faulted(fault),
            other => other.into(),
        })
    }

    /// Tells the fault, once, and brings what had completed into the bundle.
    #[cold]
    fn faulted(&self, fault: Arc<DeviceFault>) -> RuntimeError {
        if !self.fault_was_told.swap(true, Relaxed) {
            say(&fault.to_string());
            if let Some(session) = &self.session {
                session.drain();
            }
        }
        RuntimeError::Fault(fault)
    }
}
