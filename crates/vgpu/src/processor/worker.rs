//! A worker: starts packets, runs slices of work-groups, and decides which.
//!
//! # Scheduling
//! A worker runs its groups in rotation, a bounded number of instructions each. It takes a further group when
//! it has fewer than it allows itself: one at first; twice as many as it has when none of them ended for a
//! while. So groups that compute end before new ones begin, and groups that spin on groups that have not
//! begun get them soon, up to what the chip holds. Groups that end lower what is allowed.
//!
//! Groups are taken from the dispatch at hand a few times in a row, then from another dispatch, so that
//! dispatches of several queues overlap even with one worker.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hrx_gfx::exec::{Group, Progress};

use super::Shared;
use super::dispatch::Dispatch;
use super::queue::Step;

/// Instructions that each wave of a group runs in its first slice, and in each later one. The first is
/// short: until it is over nobody knows that the group is long.
const FIRST_SLICE: u32 = 1024;
const SLICE: u32 = 4096;
/// Slices for each group at hand, none of which ended, after which more groups are allowed.
const PATIENCE: usize = 8;
/// A group that ran fewer instructions than this in a slice was waiting, not computing.
const WAITING: u64 = 512;
/// Groups that are taken from one dispatch in a row.
const BURST: u32 = 8;
/// Wave-instructions that are worth another worker's wake-up: some ten microseconds.
const WORTH_A_HELPER: u64 = 600;
/// Packets of one queue in a row that need no waves, before other queues and groups have their turn.
const PACKETS_IN_A_ROW: u32 = 64;

/// A group that has begun.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) dispatch: Arc<Dispatch>,
    group: Group,
    /// Has used up a slice: a slice of it may take long.
    long: bool,
    /// Has let a packet go first.
    waited: bool,
}

/// What one thread has in hand.
#[derive(Debug, Default)]
pub(super) struct Worker {
    resident: VecDeque<Running>,
    /// Groups that have ended, for their memory.
    spare: Vec<Group>,
    /// Which queue and dispatch comes first in the next round.
    turn: usize,
    /// Groups that may be at hand, less one.
    more_allowed: usize,
    /// Slices since a group ended; a slice that only waited counts for many.
    stalled: usize,
    /// Groups left to be taken from the dispatch that the last one came from.
    burst: u32,
}

/// What a round came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Round {
    Worked,
    /// Nothing to do, but a packet waits for what nobody rings for.
    Blocked,
    Idle,
}

impl Worker {
    /// Starts what may start on any queue, then runs one slice of one group.
    pub(super) fn round(&mut self, shared: &Shared) -> Round {
        self.turn = self.turn.wrapping_add(1);
        let mut round = self.step_queues(shared);
        if self.resident.len() <= self.more_allowed {
            // What has begun comes before what has not: others may wait for it.
            if let Some(running) = shared.take_orphan() {
                self.resident.push_front(running);
            } else if let Some((dispatch, id)) = shared.take(self.turn) {
                let running = self.begin(dispatch, id);
                self.burst = BURST;
                self.resident.push_front(running);
            }
        }
        if let Some(running) = self.resident.pop_front() {
            self.slice(shared, running);
            round = Round::Worked;
        }
        round
    }

    fn step_queues(&mut self, shared: &Shared) -> Round {
        let mut round = Round::Idle;
        let queues = shared.queues.read();
        let count = queues.len();
        for offset in 0..count {
            let queue = &queues[(self.turn + offset) % count];
            for _ in 0..PACKETS_IN_A_ROW {
                match queue.step(&shared.device, &shared.faults) {
                    Step::Done => {
                        round = Round::Worked;
                        continue;
                    }
                    Step::Idle => {}
                    Step::Blocked if round == Round::Idle => round = Round::Blocked,
                    Step::Blocked => {}
                    Step::Started(dispatch) => {
                        round = Round::Worked;
                        self.start(shared, dispatch);
                    }
                }
                break;
            }
        }
        round
    }

    /// Takes the first group of a dispatch, and lets others see the rest.
    fn start(&mut self, shared: &Shared, dispatch: Arc<Dispatch>) {
        if let Some(id) = dispatch.claim() {
            let running = self.begin(Arc::clone(&dispatch), id);
            self.resident.push_front(running);
            self.burst = BURST;
        }
        if !dispatch.exhausted() {
            shared.publish(dispatch);
        }
    }

    fn begin(&mut self, dispatch: Arc<Dispatch>, id: [u32; 3]) -> Running {
        let group = match self.spare.pop() {
            Some(mut group) => {
                group.reset(&dispatch.launch, id);
                group
            }
            None => Group::new(&dispatch.launch, id),
        };
        Running {
            dispatch,
            group,
            long: false,
            waited: false,
        }
    }

    fn slice(&mut self, shared: &Shared, mut running: Running) {
        if running.dispatch.failed() {
            // With its memory: its place in the scratch memory of its launch is never given back.
            return;
        }
        if running.long {
            shared.arm_watch();
            let look = || !running.waited && shared.has_packets();
            if !shared.sleepers.leave(look) {
                // A packet has come meanwhile. It goes first, once: a slice of this group may take long.
                running.waited = true;
                self.resident.push_front(running);
                return;
            }
        }
        running.waited = false;
        let before = running.group.instructions();
        let budget = if running.long { SLICE } else { FIRST_SLICE };
        let progress = {
            let _at_work = shared.device.memory.enter();
            // A defect of the emulator ends this queue, not the process.
            catch_unwind(AssertUnwindSafe(|| {
                running
                    .group
                    .run(&running.dispatch.launch, &*shared.device, budget)
            }))
        };
        if running.long {
            shared.sleepers.watch();
        }
        let ran = running.group.instructions().wrapping_sub(before);
        let dispatch = Arc::clone(&running.dispatch);
        match progress {
            Ok(Progress::Yielded) => {
                running.long = true;
                self.resident.push_back(running);
                self.stalled += if ran < WAITING { PATIENCE } else { 1 };
                if self.stalled >= PATIENCE * self.resident.len() {
                    self.stalled = 0;
                    self.more_allowed = 2 * self.resident.len() - 1;
                }
                if !dispatch.exhausted() {
                    shared.sleepers.call_helper();
                }
            }
            Ok(Progress::Finished) => self.finished(shared, running, ran),
            Ok(Progress::Faulted(fault)) => {
                dispatch.fail();
                dispatch
                    .queue
                    .fault(&shared.device, &shared.faults, dispatch.packet, fault);
            }
            Err(_) => {
                dispatch.fail();
                dispatch
                    .queue
                    .halt(&shared.device, &shared.faults, dispatch.packet);
            }
        }
    }

    /// A group has ended: completes the packet if it was the last one, else goes on to the next.
    fn finished(&mut self, shared: &Shared, running: Running, ran: u64) {
        let Running {
            dispatch, group, ..
        } = running;
        self.spare.push(group);
        self.stalled = 0;
        self.more_allowed = self.resident.len().saturating_sub(1);
        if dispatch.finished() {
            dispatch
                .queue
                .complete(&shared.device, &shared.faults, dispatch.packet);
            return;
        }
        let left = dispatch.left();
        if left.saturating_mul(ran) > WORTH_A_HELPER {
            shared.sleepers.call_helper();
        }
        if self.burst > 0
            && self.resident.is_empty()
            && let Some(id) = dispatch.claim()
        {
            self.burst -= 1;
            let running = self.begin(dispatch, id);
            self.resident.push_front(running);
        }
    }

    /// Gives away what is in hand.
    pub(super) fn abandon(&mut self) -> impl Iterator<Item = Running> {
        self.more_allowed = 0;
        self.stalled = 0;
        self.resident.drain(..)
    }

    /// Drops groups of dispatches that have failed.
    pub(super) fn drop_failed(&mut self) {
        self.resident.retain(|running| !running.dispatch.failed());
    }
}
