//! Submission: taking room, filling it, handing it over.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

use hrx_abi::aql::BARRIER_SIGNALS;
use hrx_profile::schema::side::{
    EventInfo, FLAG_RECORD, FLAG_REUSABLE, KIND_BARRIER, RING_CAPACITY,
};
use parking_lot::MutexGuard;

use super::{Completion, Dispatch, EventKind, EventStatic, Kept, Point, Queue, Submission};
use crate::aql::packet::{self, DispatchPacket, PacketWords};
use crate::clock::monotonic_ns;
use crate::command::CommandBufferMode;
use crate::error::{HalError, Result};
use crate::event_ring::DRAIN_THRESHOLD;
use crate::gate::ProfileKinds;
use crate::kernarg::KernargPlace;
use crate::signal::PooledSignal;

/// Kernel arguments begin on a cache line: launches share none.
pub(super) const KERNARG_ALIGN: usize = 64;
/// Positions between two looks at what has completed; a power of two.
const RETIRE_EVERY: u64 = 64;

/// Event slots of a queue without a session: twice the packets, so a full event ring always has
/// completed events in it.
pub(super) fn event_capacity(packets: u32) -> u32 {
    packets.saturating_mul(2).min(RING_CAPACITY)
}

/// What a submission needs.
#[derive(Clone, Copy, Debug)]
struct Need {
    packets: u64,
    kernarg_len: usize,
    kernarg_align: usize,
    event: bool,
    /// Scratch of a wave.
    scratch_wave_bytes: u64,
}

/// Where it all lies. Finding room takes nothing: an error between here and `hand_over` leaves no
/// trace.
#[derive(Clone, Copy, Debug)]
struct Room {
    packet: u64,
    kernarg: KernargPlace,
    /// The event's position, or the one that the next event will have.
    event: u64,
}

/// What is short.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shortage {
    /// Packet slots, until the device has read `until` packets.
    Packets { until: u64 },
    /// Kernel-argument bytes or event slots, until the oldest unfinished event has completed.
    Oldest { position: u64 },
    /// Event slots, until the collector has released the one at `position`.
    Collector { position: u64 },
    /// Scratch grows only when all before event `events` and packet `packets` is done.
    Idle { events: u64, packets: u64 },
}

impl Submission {
    /// Lets go of signals whose packets are done.
    pub(super) fn drop_kept(&mut self, ready: u64) {
        while let Some(oldest) = self.kept.front() {
            let done = oldest
                .done
                .as_ref()
                .is_some_and(|signal| signal.is_complete());
            if !done && oldest.behind >= ready {
                break;
            }
            self.kept.pop_front();
        }
    }
}

impl Queue {
    /// Submits a launch. `write_kernargs` is called once, with `kernarg_len` bytes of which it must
    /// write every one: they hold what an earlier launch left. It runs under the submission lock,
    /// so it must not use the queue.
    ///
    /// # Errors
    /// The device's fault; arguments that are too long; no memory for scratch. Nothing was
    /// submitted then.
    pub fn dispatch(
        &self,
        dispatch: &Dispatch<'_>,
        write_kernargs: &mut dyn FnMut(&mut [u8]),
    ) -> Result<Completion> {
        let need = Need {
            packets: dispatch.waits.len().div_ceil(BARRIER_SIGNALS) as u64 + 1,
            kernarg_len: dispatch.kernarg_len,
            kernarg_align: dispatch.kernarg_align.max(KERNARG_ALIGN),
            event: true,
            scratch_wave_bytes: u64::from(dispatch.private_bytes) * u64::from(dispatch.lanes),
        };
        let mut submission = self.submission.lock();
        let room = self.find_room(&mut submission, &need, dispatch)?;
        let kernargs = &self.kernargs;
        if dispatch.kernarg_len > 0 {
            let bytes = kernargs.part(room.kernarg.offset, dispatch.kernarg_len)?;
            // SAFETY: the bytes lie in our own buffer; `find_room` found them free, so neither the
            // device nor another submission, which would need the lock that we hold, uses them
            // until `hand_over`.
            write_kernargs(unsafe { bytes.as_exclusive_slice() });
        }
        let recorded = self.count(&mut submission, &dispatch.event);
        self.events.fill(room.event, || {
            let submission_id = submission.next_submission_id;
            if recorded {
                event_info(dispatch, submission_id)
            } else {
                EventInfo::default()
            }
        });
        submission.next_submission_id += 1;
        let words = packet::dispatch(&DispatchPacket {
            dimensions: dispatch.dimensions,
            workgroup: dispatch.workgroup,
            grid: dispatch.grid,
            private_bytes: dispatch.private_bytes,
            group_bytes: dispatch.group_bytes,
            kernel_object: dispatch.kernel_object,
            kernarg_address: (kernargs.address() + room.kernarg.offset) as u64,
            completion_signal: self.events.signal_address(room.event),
        });
        let drain = self.hand_over(&mut submission, &need, &room, dispatch.waits, None, &words);
        drop(submission);
        self.call_collector(drain);
        Ok(self.at(room.event))
    }

    /// Makes what follows in the queue wait for `waits`, and completes `signal`, or an event, when
    /// all before has completed and they have.
    ///
    /// # Errors
    /// The device's fault. Nothing was submitted then.
    pub fn barrier(
        &self,
        waits: &[Arc<PooledSignal>],
        signal: Option<Arc<PooledSignal>>,
    ) -> Result<Completion> {
        let need = Need::barrier(waits.len(), signal.is_none());
        let mut submission = self.submission.lock();
        let room = self.find_room(&mut submission, &need, &NoScratch)?;
        let drain = self.fill_barrier(&mut submission, &need, &room, waits, signal.as_ref());
        drop(submission);
        self.call_collector(drain);
        Ok(match signal {
            Some(signal) => Completion {
                queue: self.ordinal,
                point: Point::Signal(signal),
            },
            None => self.at(room.event),
        })
    }

    /// A signal that completes when all that was submitted before has: with ticks, and fit for
    /// waits of other queues.
    ///
    /// # Errors
    /// The device's fault, or no memory for signals.
    pub fn signal_after(&self) -> Result<Arc<PooledSignal>> {
        let signal = self.signals.take()?;
        self.barrier(&[], Some(Arc::clone(&signal)))?;
        Ok(signal)
    }

    /// Submits a barrier that completes `signal`, unless the ring is full.
    pub(super) fn try_signal(&self, signal: &Arc<PooledSignal>) -> bool {
        let need = Need::barrier(0, false);
        let mut submission = self.submission.lock();
        let Ok(room) = self.try_room(&mut submission, &need) else {
            return false;
        };
        let drain = self.fill_barrier(&mut submission, &need, &room, &[], Some(signal));
        drop(submission);
        self.call_collector(drain);
        true
    }

    /// Runs `dwords` PM4 dwords at `address`.
    pub(super) fn run_pm4(&self, address: u64, dwords: u32) -> Result<Completion> {
        let need = Need::barrier(0, true);
        let mut submission = self.submission.lock();
        let room = self.find_room(&mut submission, &need, &NoScratch)?;
        self.events.fill(room.event, barrier_info);
        let words = packet::pm4(address, dwords, self.events.signal_address(room.event));
        let drain = self.hand_over(&mut submission, &need, &room, &[], None, &words);
        drop(submission);
        self.call_collector(drain);
        Ok(self.at(room.event))
    }

    /// The end of what was submitted, if anything was.
    pub(super) fn tail(&self) -> Option<Completion> {
        let submission = self.submission.lock();
        let write = self.events.state().write;
        // A pooled signal behind the last event is the end then.
        let last = submission.kept.back().filter(|kept| kept.behind == write);
        match last.and_then(|kept| kept.done.clone()) {
            Some(signal) => Some(Completion {
                queue: self.ordinal,
                point: Point::Signal(signal),
            }),
            None => Some(self.at(write.checked_sub(1)?)),
        }
    }

    /// Packets that the device has read.
    pub(super) fn packets_read(&self) -> u64 {
        // Acquire: pairs with the processor's release store; the slots before it are free.
        self.amd_queue().read_dispatch_id.load(Acquire)
    }

    fn at(&self, position: u64) -> Completion {
        Completion {
            queue: self.ordinal,
            point: Point::Position(position),
        }
    }

    /// Counts a launch, and says whether the event of a launch, copy or fill is recorded.
    #[inline]
    fn count(&self, submission: &mut Submission, event: &EventStatic) -> bool {
        let counters = &mut submission.counters;
        // Copies and fills are recorded alike, but are no launches of the program.
        let launch = u64::from(event.kind == EventKind::Dispatch);
        counters.launches_seen += launch;
        if !self.events.is_recorded() {
            return false;
        }
        let excluded = if !self.gate.wants(ProfileKinds::DISPATCH) {
            &mut counters.launches_unwanted
        } else if !event.selected {
            &mut counters.launches_filtered
        } else if !event
            .command
            .mode
            .contains(CommandBufferMode::RETAIN_PROFILE_METADATA)
        {
            &mut counters.launches_unretained
        } else {
            counters.launches_selected += launch;
            return true;
        };
        *excluded += launch;
        false
    }

    /// Fills a barrier's event slot, if it has one, and submits it.
    fn fill_barrier(
        &self,
        submission: &mut Submission,
        need: &Need,
        room: &Room,
        waits: &[Arc<PooledSignal>],
        signal: Option<&Arc<PooledSignal>>,
    ) -> bool {
        let completion_signal = match signal {
            Some(signal) => signal.address(),
            None => {
                self.events.fill(room.event, barrier_info);
                self.events.signal_address(room.event)
            }
        };
        // The last group of waits rides on the packet that completes.
        let ahead = waits.len().div_ceil(BARRIER_SIGNALS).saturating_sub(1) * BARRIER_SIGNALS;
        let (ahead, own) = waits.split_at(ahead);
        let words = packet::barrier(addresses(own), Some(completion_signal));
        self.keep(submission, own, room.event, signal);
        if let Some(signal) = signal {
            self.keep(
                submission,
                std::slice::from_ref(signal),
                room.event,
                Some(signal),
            );
        }
        self.hand_over(submission, need, room, ahead, signal, &words)
    }

    /// Keeps `signals` until the packet that names them is done: event `behind` or `done` tells.
    fn keep(
        &self,
        submission: &mut Submission,
        signals: &[Arc<PooledSignal>],
        behind: u64,
        done: Option<&Arc<PooledSignal>>,
    ) {
        if signals.is_empty() {
            return;
        }
        if submission.kept.len() == submission.kept.capacity() {
            submission.drop_kept(self.events.retire());
        }
        submission.kept.extend(signals.iter().map(|signal| Kept {
            _signal: Arc::clone(signal),
            behind,
            done: done.cloned(),
        }));
    }

    /// Publishes a filled submission: waits in front, then `last`. Returns whether the collector
    /// has work.
    #[inline]
    fn hand_over(
        &self,
        submission: &mut Submission,
        need: &Need,
        room: &Room,
        waits: &[Arc<PooledSignal>],
        done: Option<&Arc<PooledSignal>>,
        last: &PacketWords,
    ) -> bool {
        let end = room.packet + need.packets;
        if need.event {
            let slot = self.event_index(room.event);
            submission.kernarg_starts[slot] = submission.kernargs.head();
            submission.kernargs.take(room.kernarg);
            self.events.commit(room.event);
        }
        // Relaxed: hands out numbers; the headers below publish the packets.
        self.amd_queue().write_dispatch_id.store(end, Relaxed);
        submission.packet_write = end;
        let mut packet = room.packet;
        for group in waits.chunks(BARRIER_SIGNALS) {
            self.publish(packet, &packet::barrier(addresses(group), None));
            packet += 1;
        }
        debug_assert_eq!(packet + 1, end, "`need` counted the packets");
        self.publish(packet, last);
        self.device.ring_doorbell(self.memory(), packet);
        self.keep(submission, waits, room.event, done);
        if !need.event || room.event & (RETIRE_EVERY - 1) != RETIRE_EVERY - 1 {
            return false;
        }
        let ready = self.events.retire();
        submission.drop_kept(ready);
        self.events.take(DRAIN_THRESHOLD)
    }

    #[inline]
    fn publish(&self, position: u64, words: &PacketWords) {
        let slot = self.packets.slot(position);
        debug_assert!(
            slot.is_invalid(),
            "packet slot {position} is still the device's"
        );
        slot.commit(slot.fill(words));
    }

    #[inline]
    fn event_index(&self, position: u64) -> usize {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the mask has at most 16 bits"
        )]
        let index = (position & u64::from(self.events.capacity() - 1)) as usize;
        index
    }

    #[inline]
    fn call_collector(&self, drain: bool) {
        if drain && let Some(sink) = &self.sink {
            sink.wake();
        }
    }

    /// Room for `need`, waited for outside the lock if there is none.
    #[inline]
    fn find_room(
        &self,
        submission: &mut MutexGuard<'_, Submission>,
        need: &Need,
        scratch: &dyn Scratch,
    ) -> Result<Room> {
        if let Some(fault) = self.device.fault() {
            return Err(HalError::DeviceFault(fault));
        }
        // Not only when the ring is short: whether a launch is too large must not depend on what
        // runs.
        if need.kernarg_len > submission.kernargs.limit() {
            return Err(HalError::KernargTooLarge {
                needed_bytes: need.kernarg_len,
                limit_bytes: submission.kernargs.limit(),
            });
        }
        match self.try_room(submission, need) {
            Ok(room) => Ok(room),
            Err(shortage) => self.wait_for_room(submission, need, scratch, shortage),
        }
    }

    #[cold]
    fn wait_for_room(
        &self,
        submission: &mut MutexGuard<'_, Submission>,
        need: &Need,
        scratch: &dyn Scratch,
        mut shortage: Shortage,
    ) -> Result<Room> {
        if need.packets > self.packets.capacity() {
            return Err(HalError::InvalidArgument {
                what: "number of packets of one submission",
                found: need.packets,
                expected: "at most the packets of the ring",
            });
        }
        let begin = monotonic_ns();
        let room = loop {
            if let Shortage::Idle { events, packets } = shortage
                && self.is_idle(events, packets)
            {
                // Under the lock, as the module says: no launch may slip in between.
                submission.scratch_wave_bytes = scratch.grow(self)?;
            } else {
                match shortage {
                    Shortage::Collector { .. } => submission.counters.collector_stalls += 1,
                    _ => submission.counters.device_stalls += 1,
                }
                MutexGuard::unlocked(submission, || self.relieve(shortage))?;
            }
            match self.try_room(submission, need) {
                Ok(room) => break room,
                Err(again) => shortage = again,
            }
        };
        let spent = u64::try_from(monotonic_ns() - begin).unwrap_or(0);
        submission.counters.stalled_ns += spent;
        Ok(room)
    }

    /// Room for `need`, or what is short.
    #[inline]
    fn try_room(
        &self,
        submission: &mut Submission,
        need: &Need,
    ) -> std::result::Result<Room, Shortage> {
        let end = submission.packet_write + need.packets;
        if end > submission.packet_limit {
            submission.packet_limit = self.packets_read() + self.packets.capacity();
            if end > submission.packet_limit {
                let until = end - self.packets.capacity();
                return Err(Shortage::Packets { until });
            }
        }
        if need.scratch_wave_bytes > submission.scratch_wave_bytes {
            return Err(Shortage::Idle {
                events: self.events.state().write,
                packets: submission.packet_write,
            });
        }
        let event = self.events.reserve();
        let place = |submission: &Submission| {
            submission
                .kernargs
                .place(need.kernarg_len, need.kernarg_align)
        };
        match (event, place(submission)) {
            (Some(event), Some(kernarg)) => Ok(Room {
                packet: submission.packet_write,
                kernarg,
                event,
            }),
            (None, _) if !need.event => Ok(Room {
                packet: submission.packet_write,
                kernarg: KernargPlace::default(),
                event: self.events.state().write,
            }),
            (event, _) => {
                // Something is used up: see what has completed, then try once more.
                let ready = self.events.retire();
                let state = self.events.state();
                let free_to = if ready == state.write {
                    submission.kernargs.head()
                } else {
                    submission.kernarg_starts[self.event_index(ready)]
                };
                submission.kernargs.free_before(free_to);
                match (self.events.reserve(), place(submission)) {
                    (Some(event), Some(kernarg)) => Ok(Room {
                        packet: submission.packet_write,
                        kernarg,
                        event,
                    }),
                    (None, _) if state.durable < ready => Err(Shortage::Collector {
                        position: state.durable,
                    }),
                    _ => {
                        debug_assert!(event.is_some() || ready < state.write);
                        Err(Shortage::Oldest { position: ready })
                    }
                }
            }
        }
    }

    /// Whether all events before `events` have completed and all packets before `packets` were
    /// read.
    pub(super) fn is_idle(&self, events: u64, packets: u64) -> bool {
        let last = events.checked_sub(1);
        last.is_none_or(|last| self.events.is_complete(last)) && self.packets_read() >= packets
    }
}

impl Need {
    fn barrier(waits: usize, event: bool) -> Self {
        Self {
            packets: waits.div_ceil(BARRIER_SIGNALS).max(1) as u64,
            kernarg_len: 0,
            kernarg_align: 1,
            event,
            scratch_wave_bytes: 0,
        }
    }
}

/// How scratch grows for a submission that needs more.
trait Scratch {
    /// Grows it, on an idle queue, and returns the bytes that a wave may have then.
    fn grow(&self, queue: &Queue) -> Result<u64>;
}

impl Scratch for Dispatch<'_> {
    fn grow(&self, queue: &Queue) -> Result<u64> {
        let (bytes, lanes) = (self.private_bytes, self.lanes);
        queue.device.ensure_scratch(queue.memory(), bytes, lanes)?;
        Ok(u64::from(bytes) * u64::from(lanes))
    }
}

/// For packets that run no kernel.
struct NoScratch;

impl Scratch for NoScratch {
    fn grow(&self, _: &Queue) -> Result<u64> {
        unreachable!("a packet without a kernel needs no scratch")
    }
}

fn barrier_info() -> EventInfo {
    EventInfo {
        kind: KIND_BARRIER,
        ..EventInfo::default()
    }
}

/// Addresses of at most five signals; 0 is a dependency that is always satisfied.
fn addresses(signals: &[Arc<PooledSignal>]) -> [u64; BARRIER_SIGNALS] {
    let mut addresses = [0; BARRIER_SIGNALS];
    for (to, signal) in addresses.iter_mut().zip(signals) {
        *to = signal.address();
    }
    addresses
}

fn event_info(dispatch: &Dispatch<'_>, submission_id: u64) -> EventInfo {
    let event = &dispatch.event;
    let command = &event.command;
    let workgroup_size = dispatch.workgroup.map(u32::from);
    let mut workgroup_count = dispatch.grid;
    for (count, size) in workgroup_count.iter_mut().zip(workgroup_size) {
        if size != 1 {
            *count = count.div_ceil(size);
        }
    }
    let reusable = !command.mode.contains(CommandBufferMode::ONE_SHOT);
    EventInfo {
        sequence: 0,
        command_buffer_id: command.buffer_id,
        submission_id: match event.submission_id {
            0 => submission_id,
            id => id,
        },
        executable_id: event.executable_id,
        host_time_ns: monotonic_ns(),
        payload_length: event.payload_bytes,
        correlation_id: event.correlation_id,
        command_index: command.index,
        function_ordinal: event.function_ordinal,
        workgroup_count,
        workgroup_size,
        work_items: dispatch.grid,
        stream_ordinal: event.stream_ordinal,
        dynamic_lds_bytes: event.dynamic_lds_bytes,
        kind: event.kind.code(),
        flags: FLAG_RECORD | if reusable { FLAG_REUSABLE } else { 0 },
        wait_count: saturate(dispatch.waits.len()),
        barrier_count: saturate(dispatch.waits.len().div_ceil(BARRIER_SIGNALS)),
        reserved: [0; 3],
    }
}

fn saturate(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}
