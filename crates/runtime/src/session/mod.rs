//! A profile session: from the event rings of the queues to the bundle.
//!
//! 1. *Begin*, when the device is initialised: bundle and side file are made, the device is described,
//!    its clock is sampled twice. From then on the process may die at any time.
//! 2. A loaded code object is written at once, so before the first packet that names it.
//! 3. *Drain*: a submitter that finds 256 completed events claims them and wakes the collector thread,
//!    which encodes and writes. It also looks once a second, for programs that have gone idle. A clock
//!    sample ends each drain that found something.
//! 4. A slot is free again only when its record is in the file, or when the file has refused it and it is
//!    counted as lost.
//! 5. *End*: last drain, last clock sample, session end with its status, the file's length; then the side
//!    file is removed and the log gets its statement. A second end does nothing.
//!
//! # Thread safety
//! Any thread may call anything. What writes is behind one lock, taken by the collector, by who loads
//! code and by who ends the session; submitters never take it. At the end of the process other threads
//! may be in the middle of a launch: nothing here waits for them.

mod open;
mod statement;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::{Arc, OnceLock};
use std::thread::Thread;
use std::time::Duration;

use hrx_hal::event_ring::EventRing;
use hrx_hal::gate::{ProfileGate, ProfileKinds};
use hrx_hal::queue::DrainSink;
use hrx_profile::schema::side::{ClockSample, EventInfo, FLAG_RECORD};
use hrx_profile::schema::{ClockCorrelation, Status};
use hrx_profile::{
    CompletedEvent, DeviceDescription, ExecutableDescription, Recorder, RingMemory, SideFile,
};
use parking_lot::Mutex;

use crate::config::{ProfileConfig, ProfileModes};
use crate::log::say;

pub use open::SessionError;
pub(crate) use statement::count;
pub use statement::{Launches, Statement};

/// How long the collector sleeps when nobody wakes it.
const IDLE_DRAIN: Duration = Duration::from_secs(1);
/// Events that are encoded at once: bounds the memory of a drain and how long slots are held.
const EVENTS_PER_BATCH: usize = 4096;

/// Reads the clocks of a device; `None` when that failed.
pub type ClockSource = Box<dyn Fn() -> Option<hrx_hal::device::ClockSample> + Send + Sync>;

/// A device of the session.
pub struct SessionDevice {
    /// What the bundle says of it.
    pub description: DeviceDescription,
    /// Its clocks.
    pub clock: ClockSource,
}

impl std::fmt::Debug for SessionDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionDevice")
            .field("description", &self.description)
            .finish_non_exhaustive()
    }
}

/// A queue as the collector sees it.
pub trait Tap: Send + Sync + std::fmt::Debug {
    /// Its event ring.
    fn events(&self) -> &EventRing;
    /// Moves the ring's positions over completed work.
    fn retire(&self);
}

impl Tap for hrx_hal::queue::Queue {
    fn events(&self) -> &EventRing {
        self.events()
    }

    fn retire(&self) {
        self.retire();
    }
}

/// A tapped queue and where it is.
#[derive(Debug)]
struct Tapped {
    device_ordinal: u32,
    queue_ordinal: u32,
    queue: Arc<dyn Tap>,
}

/// A profile session. See the module.
#[derive(Debug)]
pub struct Session {
    modes: ProfileModes,
    gate: Arc<ProfileGate>,
    devices: Vec<SessionDevice>,
    taps: Mutex<Vec<Tapped>>,
    /// `None` once ended.
    output: Mutex<Option<Output>>,
    collector: Arc<Collector>,
    side: Mutex<Option<SideFile>>,
}

/// The part that writes.
#[derive(Debug)]
struct Output {
    recorder: Recorder,
    path: PathBuf,
    events: Vec<CompletedEvent>,
    failure_was_told: bool,
}

/// The collector thread, as those who wake it see it.
#[derive(Debug, Default)]
struct Collector {
    thread: OnceLock<Thread>,
    stop: AtomicBool,
}

impl DrainSink for Collector {
    fn wake(&self) {
        // Without a thread the session was ended or could not start one; then the end drains.
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }
}

impl Session {
    /// Begins the session that the environment asks for.
    ///
    /// # Errors
    /// When the bundle cannot be made; the program then runs unprofiled.
    pub fn begin(
        config: &ProfileConfig,
        devices: Vec<SessionDevice>,
    ) -> Result<Arc<Self>, SessionError> {
        let opened = open::open(config, &devices)?;
        let session = Arc::new(Self {
            modes: config.modes,
            gate: Arc::new(ProfileGate::new()),
            devices,
            taps: Mutex::default(),
            output: Mutex::new(Some(Output {
                recorder: opened.recorder,
                path: opened.path,
                events: Vec::with_capacity(EVENTS_PER_BATCH),
                failure_was_told: false,
            })),
            collector: Arc::default(),
            side: Mutex::new(opened.side),
        });
        session.with_output(|output| {
            for device in &session.devices {
                output.recorder.device(&device.description);
            }
            session.sample_clocks(output);
            // A second one, so that a bundle whose process was killed has a line to draw.
            session.sample_clocks(output);
        });
        if session.wants_events() {
            session.start_collector();
            session.gate.set(ProfileKinds::DISPATCH);
        }
        Ok(session)
    }

    /// Whether the session wants anything of launches, so that rings must be kept for it.
    pub fn wants_events(&self) -> bool {
        self.modes
            .intersects(ProfileModes::DISPATCH | ProfileModes::QUEUE)
    }

    /// The switch for the session's queues.
    pub fn gate(&self) -> &Arc<ProfileGate> {
        &self.gate
    }

    /// Memory for the event ring of a queue, in the side file, so that it outlives the process.
    ///
    /// # Errors
    /// When there is no memory at all. With no room in the side file the ring is ordinary memory, which
    /// the log says.
    pub fn add_ring(
        &self,
        device_ordinal: u32,
        queue_ordinal: u32,
    ) -> Result<RingMemory, SessionError> {
        if let Some(side) = &*self.side.lock() {
            match side.add_ring(device_ordinal, queue_ordinal) {
                Ok(ring) => return Ok(ring),
                Err(error) => tracing::warn!(
                    "{error}; launches of queue {queue_ordinal} that are not yet in the bundle are lost \
                     if the process is killed"
                ),
            }
        }
        RingMemory::anonymous().map_err(SessionError::Profile)
    }

    /// Whom a queue calls when events wait.
    pub fn sink(&self) -> Arc<dyn DrainSink> {
        Arc::clone(&self.collector) as Arc<dyn DrainSink>
    }

    /// Adds a queue whose ring came from [`Session::add_ring`].
    pub fn tap(&self, device_ordinal: u32, queue_ordinal: u32, queue: Arc<dyn Tap>) {
        self.taps.lock().push(Tapped {
            device_ordinal,
            queue_ordinal,
            queue,
        });
    }

    /// Writes what a packet may name from now on.
    pub fn executable(&self, description: &ExecutableDescription) {
        self.with_output(|output| {
            output.recorder.executable(description);
            output.tell_failure();
        });
    }

    /// Brings everything that has completed into the file. Returns whether the session is still on.
    pub fn drain(&self) -> bool {
        self.with_output(|output| self.drain_into(output)).is_some()
    }

    /// Ends the session and says how it went; `None` when it was ended before. `launches` are what the
    /// queues have counted.
    pub fn end(&self, launches: impl FnOnce() -> Launches) -> Option<Statement> {
        self.gate.set(ProfileKinds::empty());
        // Release: pairs with the collector's acquire; it exits instead of draining once more.
        self.collector.stop.store(true, Release);
        let mut output = self.output.lock().take()?;
        self.drain_into(&mut output);
        self.sample_clocks(&mut output);
        let (summary, _) = output.recorder.finish(Status::Ok);
        if let Some(side) = self.side.lock().take() {
            // What the file refused may still be in the rings, so an incomplete bundle keeps its side
            // file.
            if summary.failure.is_none()
                && let Err(error) = side.remove()
            {
                tracing::warn!("{error}");
            }
        }
        self.collector.wake();
        let selected = summary.counts.dispatches_selected;
        let statement = Statement {
            path: output.path,
            modes: self.modes,
            launches: launches(),
            selected,
            lost: selected - summary.dispatches_recorded,
            failure: summary.failure.map(|failure| failure.error.to_string()),
        };
        // Threads that still launch must not wait for a collector that is gone.
        for tapped in self.taps.lock().iter() {
            tapped.queue.events().end_recording();
        }
        Some(statement)
    }

    fn with_output<R>(&self, work: impl FnOnce(&mut Output) -> R) -> Option<R> {
        let mut output = self.output.lock();
        output.as_mut().map(work)
    }

    fn start_collector(self: &Arc<Self>) {
        let session = Arc::clone(self);
        let spawned = std::thread::Builder::new()
            .name("hrx-collector".to_owned())
            .spawn(move || {
                let collector = &session.collector;
                let _ = collector.thread.set(std::thread::current());
                // Acquire: pairs with the release in `end`.
                while !collector.stop.load(Acquire) && session.drain() {
                    std::thread::park_timeout(IDLE_DRAIN);
                }
            });
        match spawned {
            Ok(thread) => {
                // The thread sets itself too; whoever is first, it is the same one.
                let _ = self.collector.thread.set(thread.thread().clone());
            }
            Err(error) => say(&format!(
                "no thread for the profile collector ({error}): a program with more than {} launches \
                 will wait for ever",
                hrx_profile::schema::side::RING_CAPACITY
            )),
        }
    }

    fn drain_into(&self, output: &mut Output) {
        let mut found = false;
        // The list is short and grows only when a queue is made; the lock is not held while writing.
        let taps: Vec<_> = {
            let taps = self.taps.lock();
            let place = |tap: &Tapped| {
                (
                    tap.device_ordinal,
                    tap.queue_ordinal,
                    Arc::clone(&tap.queue),
                )
            };
            taps.iter().map(place).collect()
        };
        for (device_ordinal, queue_ordinal, queue) in taps {
            queue.retire();
            queue.events().take(1);
            found |= output.drain_ring(queue.events(), device_ordinal, queue_ordinal);
        }
        if found {
            self.sample_clocks(output);
            output.tell_failure();
        }
    }

    fn sample_clocks(&self, output: &mut Output) {
        for device in &self.devices {
            let Some(sample) = (device.clock)() else {
                continue;
            };
            let sample = clock_record(device.description.ordinal, &sample);
            if let Some(sample) = output.recorder.clock(&sample)
                && let Some(side) = &*self.side.lock()
            {
                side.set_clock(&sample);
            }
        }
    }
}

impl Output {
    /// Encodes and writes all claimed events of a ring; returns whether there were any.
    fn drain_ring(&mut self, ring: &EventRing, device_ordinal: u32, queue_ordinal: u32) -> bool {
        let mut drain = ring.drain();
        let range = drain.range();
        let mut start = range.start;
        while start < range.end {
            self.events.clear();
            let mut end = start;
            for (position, slot) in drain.slots().take(EVENTS_PER_BATCH) {
                let mut info = slot.info.load();
                if info.sequence != position + 1 {
                    // Submitted without a description: nothing that the session wants.
                    info = EventInfo::default();
                }
                debug_assert!(slot.signal.is_complete() || info.flags & FLAG_RECORD == 0);
                self.events.push(CompletedEvent {
                    info,
                    start_ticks: slot.signal.start_ts.load(Relaxed),
                    end_ticks: slot.signal.end_ts.load(Relaxed),
                    device_ordinal,
                    queue_ordinal,
                });
                end = position + 1;
            }
            self.recorder.events(&self.events);
            drain.release(end);
            start = end;
        }
        !range.is_empty()
    }

    /// Says once that the file refuses records. They are counted.
    fn tell_failure(&mut self) {
        if self.failure_was_told {
            return;
        }
        if let Some(failure) = self.recorder.failure() {
            self.failure_was_told = true;
            say(&format!(
                "cannot write the profile `{}`: {}; the program goes on, what is lost is counted",
                self.path.display(),
                failure.error
            ));
        }
    }
}

fn clock_record(device_ordinal: u32, sample: &hrx_hal::device::ClockSample) -> ClockSample {
    ClockSample {
        physical_device_ordinal: device_ordinal,
        flags: ClockCorrelation::DEVICE_TICK
            | ClockCorrelation::HOST_CPU
            | ClockCorrelation::HOST_SYSTEM
            | ClockCorrelation::HOST_BRACKET,
        // The encoder numbers samples.
        sample_id: 0,
        device_tick: sample.device_tick,
        host_cpu_timestamp_ns: sample.host_cpu_ns,
        host_system_timestamp: sample.host_system_ns,
        // CLOCK_BOOTTIME counts nanoseconds.
        host_system_frequency_hz: 1_000_000_000,
        host_time_begin_ns: sample.host_begin_ns,
        host_time_end_ns: sample.host_end_ns,
    }
}

#[cfg(test)]
mod tests;
