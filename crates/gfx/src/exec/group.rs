//! One work-group: its waves, its LDS, its barrier.

use std::sync::Arc;

use crate::isa::text::Text;

use super::code::{Code, instruction_at};
use super::context::{Context, RegionCache};
use super::launch::Launch;
use super::memory::Lds;
use super::op::{Flow, Op};
use super::wave::{LANES, Leave, Wave, scalar};
use super::{Fault, FaultKind, Memory, Progress};

/// What a wave is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Can run.
    Ready,
    /// Waits for the others.
    AtBarrier,
    Ended,
}

/// A wave and where in which code it stands.
#[derive(Debug)]
struct Slot {
    wave: Box<Wave>,
    state: State,
    /// Number of its code in `Group::codes`.
    code: usize,
    /// Next operation there.
    next: usize,
}

/// The waves of one work-group with what they share. Belongs to one thread at a time.
///
/// Once it is as large as the largest work-group it ran, it allocates nothing.
#[derive(Debug)]
pub struct Group {
    id: [u32; 3],
    /// Waves, of which the first `live` are in use.
    slots: Vec<Slot>,
    live: usize,
    lds: Lds,
    regions: RegionCache,
    /// Codes that waves of the group entered; the kernel's is the first.
    codes: Vec<Arc<Code>>,
    /// Waves that have not ended.
    running: usize,
    /// Of those, at the barrier.
    waiting: usize,
    instructions: u64,
    /// Place in the launch's scratch memory, and the launch's way to take it back.
    scratch: Option<u32>,
}

/// Why a wave stopped for now.
enum Stop {
    Budget,
    Sleep,
    Barrier,
    End,
    Fault(Fault),
}

impl Group {
    /// The work-group `id` of a launch, about to start.
    pub fn new(launch: &Launch, id: [u32; 3]) -> Group {
        let mut group = Group {
            id,
            slots: Vec::new(),
            live: 0,
            lds: Lds::default(),
            regions: RegionCache::default(),
            codes: Vec::new(),
            running: 0,
            waiting: 0,
            instructions: 0,
            scratch: None,
        };
        group.reset(launch, id);
        group
    }

    /// Becomes the work-group `id` of a launch, about to start.
    ///
    /// A group that uses scratch memory and is still running must not be reset to another launch: its
    /// place in the first launch's scratch memory would not be given back.
    pub fn reset(&mut self, launch: &Launch, id: [u32; 3]) {
        let size = launch.group_size(id);
        let items: u32 = size.iter().product();
        let waves = items.div_ceil(launch.lanes());
        let ids = launch.ids(size);
        let rows_per_wave = (launch.lanes() / 32) as usize;

        self.id = id;
        self.live = waves as usize;
        self.running = self.live;
        self.waiting = 0;
        self.instructions = 0;
        self.lds.reset(launch.info().group_segment_bytes);
        // Another launch may be on another device: nothing that was cached is known to hold.
        self.regions.clear();
        if self
            .codes
            .first()
            .is_none_or(|code| !Arc::ptr_eq(code, launch.code()))
        {
            self.codes.clear();
            self.codes.push(Arc::clone(launch.code()));
        }
        let entry = launch
            .code()
            .find(launch.code().entry)
            .expect("code begins at its entry");
        if launch.private_bytes() == 0 {
            self.scratch = None;
        } else if self.scratch.is_none() {
            self.scratch = Some(launch.take_slot());
        }

        while self.slots.len() < self.live {
            self.slots.push(Slot {
                wave: Wave::new(),
                state: State::Ended,
                code: 0,
                next: 0,
            });
        }
        for (index, slot) in (0..).zip(&mut self.slots[..self.live]) {
            slot.state = State::Ready;
            slot.code = 0;
            slot.next = entry;
            let wave = &mut slot.wave;
            wave.reset(launch.vgprs() as usize, launch.is_wave64());
            wave.index = index;
            wave.mode = launch.mode();
            wave.scratch = self.scratch.map_or(0, |slot| launch.scratch(slot, index));
            for (sgpr, value) in launch.sgprs(id, waves, index) {
                wave.set_s(sgpr, value);
            }
            for half in 0..rows_per_wave {
                let row = index as usize * rows_per_wave + half;
                let Some(item_ids) = ids.get(row) else {
                    continue;
                };
                let left = items as usize - row * LANES;
                let mask = if left >= LANES {
                    u32::MAX
                } else {
                    (1 << left) - 1
                };
                if half == 0 {
                    *wave.row_mut(0) = item_ids.0;
                    wave.set_s(scalar::EXEC_LO, mask);
                } else {
                    *wave.row_mut(256) = item_ids.0;
                    wave.set_s(scalar::EXEC_HI, mask);
                }
            }
        }
    }

    /// Instructions that its waves have executed, each counted once for a wave.
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// Runs the waves in rotation. Each executes about `budget_per_wave` instructions at most (a wave
    /// stops at the next branch), less if it sleeps; waves at the barrier go on when all have arrived.
    pub fn run(&mut self, launch: &Launch, memory: &dyn Memory, budget_per_wave: u32) -> Progress {
        self.regions.validate(memory);
        for wave in 0..self.live {
            // What a wave may still use is kept beside it for the length of this call.
            self.slots[wave].wave.budget = u64::from(budget_per_wave);
        }
        loop {
            let mut ran = false;
            for wave in 0..self.live {
                let slot = &self.slots[wave];
                if slot.state != State::Ready || slot.wave.budget == 0 {
                    continue;
                }
                ran = true;
                match self.run_wave(launch, memory, wave) {
                    Stop::Budget | Stop::Sleep => self.slots[wave].wave.budget = 0,
                    Stop::Barrier => {
                        self.slots[wave].state = State::AtBarrier;
                        self.waiting += 1;
                    }
                    Stop::End => {
                        self.slots[wave].state = State::Ended;
                        self.running -= 1;
                    }
                    Stop::Fault(fault) => {
                        self.finish(launch);
                        return Progress::Faulted(fault);
                    }
                }
                if self.running == 0 {
                    self.finish(launch);
                    return Progress::Finished;
                }
                // Waves that ended count as arrived.
                if self.waiting == self.running {
                    self.waiting = 0;
                    for slot in &mut self.slots[..self.live] {
                        if slot.state == State::AtBarrier {
                            slot.state = State::Ready;
                        }
                    }
                }
            }
            if !ran {
                return Progress::Yielded;
            }
        }
    }

    /// Gives back what belongs to the launch.
    fn finish(&mut self, launch: &Launch) {
        if let Some(slot) = self.scratch.take() {
            launch.return_slot(slot);
        }
    }

    /// Runs one wave until something stops it.
    fn run_wave(&mut self, launch: &Launch, memory: &dyn Memory, index: usize) -> Stop {
        let slot = &mut self.slots[index];
        let wave = &mut *slot.wave;
        let mut cx = Context {
            memory,
            regions: &mut self.regions,
            lds: &mut self.lds,
            launch,
        };
        let budget = wave.budget;
        let mut executed = 0u64;
        let mut next = slot.next;
        let stop = loop {
            let ops = &self.codes[slot.code].ops[..];
            let left = dispatch(wave, &mut cx, ops, next, budget.saturating_sub(executed));
            executed += left.executed;
            next = left.next;
            if !left.by_itself {
                break Stop::Budget;
            }
            // The operation that left; those that go on later go on behind it.
            let at = next - 1;
            match std::mem::replace(&mut wave.leave, Leave::End) {
                Leave::Indirect(pc) => {
                    (slot.code, next) = enter(&mut self.codes, slot.code, launch, memory, pc);
                    if executed >= budget {
                        break Stop::Budget;
                    }
                }
                Leave::Barrier => break Stop::Barrier,
                Leave::Sleep => break Stop::Sleep,
                Leave::End => break Stop::End,
                Leave::Planned(n) => {
                    let code = &self.codes[slot.code];
                    let kind = code.faults[n as usize].clone();
                    break Stop::Fault(fault(memory, code, at, kind, self.id, wave.index, None));
                }
                Leave::Fault { kind, lane } => {
                    let code = &self.codes[slot.code];
                    break Stop::Fault(fault(memory, code, at, kind, self.id, wave.index, lane));
                }
            }
        };
        slot.next = next;
        wave.budget = budget.saturating_sub(executed);
        self.instructions += executed;
        stop
    }
}

/// How a wave came out of the dispatcher.
pub(super) struct Left {
    /// The operation to go on with.
    next: usize,
    executed: u64,
    /// An operation left, and says why in `Wave::leave`; else the budget is used up.
    by_itself: bool,
}

/// Runs operations until one leaves or, at a jump, the budget is used up.
///
/// A function of its own, so that the few values it keeps stay in registers across the calls.
#[inline(never)]
pub(super) fn dispatch(
    wave: &mut Wave,
    cx: &mut Context<'_>,
    ops: &[Op],
    mut next: usize,
    budget: u64,
) -> Left {
    let mut executed = 0u64;
    loop {
        let op = &ops[next];
        wave.set_s64(scalar::LITERAL, op.literal);
        executed += u64::from(op.count);
        match op.handler.call(wave, op, cx) {
            Flow::Next => next += 1,
            Flow::Jump => {
                next = op.imm as usize;
                if executed >= budget {
                    return Left {
                        next,
                        executed,
                        by_itself: false,
                    };
                }
            }
            Flow::Leave => {
                return Left {
                    next: next + 1,
                    executed,
                    by_itself: true,
                };
            }
        }
    }
}

/// The code and operation at `pc`.
#[inline(never)]
fn enter(
    codes: &mut Vec<Arc<Code>>,
    current: usize,
    launch: &Launch,
    memory: &dyn Memory,
    pc: u64,
) -> (usize, usize) {
    if let Some(next) = codes[current].find(pc) {
        return (current, next);
    }
    for (place, code) in codes.iter().enumerate() {
        if let Some(next) = code.find(pc) {
            return (place, next);
        }
    }
    let code = launch.cache().get(memory, pc, launch.is_wave64());
    let next = code.find(pc).expect("code begins at its entry");
    codes.push(code);
    (codes.len() - 1, next)
}

#[cold]
fn fault(
    memory: &dyn Memory,
    code: &Code,
    op: usize,
    kind: FaultKind,
    group: [u32; 3],
    wave: u32,
    lane: Option<u32>,
) -> Fault {
    let pc = code.pc(op);
    let instruction = instruction_at(memory, pc).map_or_else(String::new, |inst| {
        if code.wave64 {
            Text::wave64(&inst)
        } else {
            Text::wave32(&inst)
        }
        .to_string()
    });
    Fault {
        kind,
        pc,
        group,
        wave,
        lane,
        instruction,
    }
}
