//! Lowered code: from an address in guest memory to a list of operations, and the cache of such lists.
//!
//! A [`Code`] holds everything that direct branches reach from its entry. A wave that jumps anywhere else
//! (calls through a register, returns) moves to another `Code`, found or made by address. A `Code` never
//! changes; `invalidate` only makes later launches and jumps read memory anew.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::isa::table::Instruction;
use crate::isa::{Format, Inst, decode};

use super::context::read_guest;
use super::control::{Jump, JumpFar, Nop, Planned, branch_target};
use super::lower::{Gap, Lowering};
use super::memory::Region;
use super::op::Op;
use super::rows;
use super::simd::{Handlers, Level, LevelUnavailable, Supported};
use super::{AccessError, FaultKind, Memory, Rights, dual};

/// Instructions in one `Code`; what lies beyond becomes another. Bounds the work that garbage can cause.
const MAX_INSTRUCTIONS: usize = 1 << 18;

/// What was decoded at one address.
#[derive(Debug)]
enum Item {
    Inst(Inst),
    Fault(FaultKind),
    /// Too much code for one `Code`.
    Beyond,
}

/// Operations for all instructions that are reached directly from an entry.
#[derive(Debug)]
pub(super) struct Code {
    pub entry: u64,
    pub wave64: bool,
    pub ops: Vec<Op>,
    /// Faults that `Planned` operations name.
    pub faults: Vec<FaultKind>,
    /// Each instruction's address and first operation, both ascending.
    starts: Vec<(u64, u32)>,
}

impl Code {
    /// The operation of the instruction at `pc`.
    pub(super) fn find(&self, pc: u64) -> Option<usize> {
        let place = self
            .starts
            .binary_search_by_key(&pc, |start| start.0)
            .ok()?;
        Some(self.starts[place].1 as usize)
    }

    /// Address of the instruction that operation `op` came from.
    pub(super) fn pc(&self, op: usize) -> u64 {
        // Dropped instructions share the operation of the one behind them, so the last one is meant.
        let behind = self.starts.partition_point(|start| start.1 as usize <= op);
        behind
            .checked_sub(1)
            .map_or(self.entry, |place| self.starts[place].0)
    }
}

/// Whether execution goes on behind an instruction.
fn falls_through(inst: &Inst) -> bool {
    !matches!(
        (inst.format, inst.opcode),
        // s_branch, s_endpgm and its variants, s_code_end; s_setpc, s_rfe.
        (Format::Sopp, 32 | 48..=50 | 31) | (Format::Sop1, 72 | 74)
    )
}

/// Where a direct branch or call goes.
fn target(inst: &Inst, next_pc: u64) -> Option<u64> {
    let takes = matches!(
        (inst.format, inst.opcode),
        (Format::Sopp, 32..=42) | (Format::Sopk, 20)
    );
    takes.then(|| branch_target(next_pc, inst.words[0] & 0xffff))
}

/// Whether the instruction behind may be jumped to though no branch here names it: it is where a call
/// returns to.
fn is_call(inst: &Inst) -> bool {
    matches!(
        (inst.format, inst.opcode),
        (Format::Sop1, 73) | (Format::Sopk, 20)
    )
}

/// Reads instructions from guest memory.
struct Fetch<'a> {
    memory: &'a dyn Memory,
    region: Option<Region>,
}

impl Fetch<'_> {
    fn word(&mut self, address: u64) -> Result<u32, FaultKind> {
        if !self.region.is_some_and(|region| region.holds(address, 4)) {
            self.region = self
                .memory
                .region(address)
                .filter(|r| r.rights.contains(Rights::EXECUTE));
        }
        if let Some(region) = self.region
            && let Some(place) = region.place(address, 4)
        {
            return Ok(u32::from_le_bytes(place.load()));
        }
        read_guest(self.memory, address, Rights::EXECUTE).map(u32::from_le_bytes)
    }

    /// The instruction at `pc`.
    fn inst(&mut self, pc: u64) -> Result<Inst, FaultKind> {
        if !pc.is_multiple_of(4) {
            return Err(FaultKind::IllegalInstruction);
        }
        let mut words = [0; crate::isa::decode::MAX_WORDS];
        let mut fetched = 0;
        loop {
            let address = pc.wrapping_add(4 * fetched as u64);
            words[fetched] = self.word(address)?;
            fetched += 1;
            match decode(&words[..fetched]) {
                Ok(inst) => return Ok(inst),
                Err(crate::isa::DecodeError::Truncated { needed, .. }) if needed > fetched => {}
                Err(_) => return Err(FaultKind::IllegalInstruction),
            }
        }
    }
}

/// The instruction at `pc` as it is now, for reports.
pub(super) fn instruction_at(memory: &dyn Memory, pc: u64) -> Option<Inst> {
    Fetch {
        memory,
        region: None,
    }
    .inst(pc)
    .ok()
}

/// Everything that direct branches reach from `entry`, and which of it is branched to.
fn discover(memory: &dyn Memory, entry: u64) -> (BTreeMap<u64, Item>, BTreeSet<u64>) {
    let mut fetch = Fetch {
        memory,
        region: None,
    };
    let mut items = BTreeMap::new();
    let mut leaders = BTreeSet::from([entry]);
    let mut work = vec![entry];
    while let Some(mut pc) = work.pop() {
        while !items.contains_key(&pc) {
            if items.len() >= MAX_INSTRUCTIONS {
                items.insert(pc, Item::Beyond);
                break;
            }
            let inst = match fetch.inst(pc) {
                Ok(inst) => inst,
                Err(fault) => {
                    items.insert(pc, Item::Fault(fault));
                    break;
                }
            };
            let next_pc = pc.wrapping_add(u64::from(inst.len));
            items.insert(pc, Item::Inst(inst));
            if let Some(target) = target(&inst, next_pc) {
                leaders.insert(target);
                work.push(target);
            }
            if is_call(&inst) {
                leaders.insert(next_pc);
            }
            if !falls_through(&inst) {
                break;
            }
            pc = next_pc;
        }
    }
    (items, leaders)
}

/// Reads and lowers the code at `entry`.
fn build(memory: &dyn Memory, entry: u64, level: Supported, wave64: bool) -> Code {
    let (items, leaders) = discover(memory, entry);
    let mut l = Lowering::new(level, wave64);
    let mut faults = Vec::new();
    let mut starts = Vec::with_capacity(items.len());
    let mut rest = items.iter().peekable();
    while let Some((&pc, item)) = rest.next() {
        if leaders.contains(&pc) && l.uncounted > 0 {
            // Whoever jumps here did not come by the dropped instructions.
            let op = l.op(const { &Handlers::scalar::<Nop>() });
            push_counted(&mut l, op, 0);
        }
        starts.push((pc, small(l.ops.len())));
        let inst = match item {
            Item::Inst(inst) => inst,
            Item::Fault(kind) => {
                push_fault(&mut l, &mut faults, kind.clone());
                continue;
            }
            Item::Beyond => {
                let mut op = l.op(const { &Handlers::scalar::<JumpFar>() });
                op.literal = pc;
                push_counted(&mut l, op, 0);
                continue;
            }
        };
        l.pc = pc;
        l.next_pc = pc.wrapping_add(u64::from(inst.len));
        lower(&mut l, &mut faults, inst);
        let next = rest.peek().map(|(pc, _)| **pc);
        if falls_through(inst) && next != Some(l.next_pc) {
            let (op, target) = (l.op(const { &Handlers::scalar::<Jump>() }), l.next_pc);
            l.jumps.push((l.ops.len(), target));
            push_counted(&mut l, op, 0);
        }
    }
    let mut code = Code {
        entry,
        wave64,
        ops: l.ops,
        faults,
        starts,
    };
    for (place, target) in l.jumps {
        let to = code.find(target).expect("every branch target was decoded");
        code.ops[place].imm = small(to);
    }
    code
}

/// Places in a list are far below 2^32, see `MAX_INSTRUCTIONS`.
fn small(place: usize) -> u32 {
    u32::try_from(place).expect("a list of operations has fewer than 2^32")
}

/// Appends an operation that stands for `own` instructions and those dropped before it.
fn push_counted(l: &mut Lowering, mut op: Op, own: u16) {
    op.count = own.saturating_add(std::mem::take(&mut l.uncounted));
    l.push(op);
}

fn push_fault(l: &mut Lowering, faults: &mut Vec<FaultKind>, kind: FaultKind) {
    let mut op = l.op(const { &Handlers::scalar::<Planned>() });
    op.imm = small(faults.len());
    faults.push(kind);
    push_counted(l, op, 0);
}

/// Appends the operations of one instruction.
fn lower(l: &mut Lowering, faults: &mut Vec<FaultKind>, inst: &Inst) {
    let first = l.ops.len();
    let jumps = l.jumps.len();
    match lower_halves(l, inst) {
        Ok(()) if l.ops.len() == first => {
            l.uncounted = l.uncounted.saturating_add(1);
            if l.uncounted == u16::MAX {
                let op = l.op(const { &Handlers::scalar::<Nop>() });
                push_counted(l, op, 0);
            }
        }
        Ok(()) => {
            l.ops[first].count = 1 + std::mem::take(&mut l.uncounted);
        }
        Err(gap) => {
            l.ops.truncate(first);
            l.jumps.truncate(jumps);
            let kind = match gap {
                Gap::Illegal => FaultKind::IllegalInstruction,
                Gap::Unsupported => FaultKind::Unsupported {
                    mnemonic: mnemonic(inst),
                },
            };
            push_fault(l, faults, kind);
        }
    }
}

/// Vector and memory instructions of a wave64 run once for each half of the wave.
fn lower_halves(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    let per_half = !matches!(
        inst.format,
        Format::Sop2 | Format::Sopk | Format::Sop1 | Format::Sopc | Format::Sopp | Format::Smem
    );
    l.half = 0;
    lower_one(l, inst)?;
    if l.wave64 && per_half {
        l.half = 1;
        let lowered = lower_one(l, inst);
        l.half = 0;
        lowered?;
    }
    Ok(())
}

fn lower_one(l: &mut Lowering, inst: &Inst) -> Result<(), Gap> {
    if inst.format == Format::Vopd {
        return dual::lower(l, inst);
    }
    match rows::entry(inst.format, inst.opcode) {
        Some(entry) => (entry.lower)(l, inst),
        // A name in the table means that the chip has it.
        None if is_known(inst) => Err(Gap::Unsupported),
        None => Err(Gap::Illegal),
    }
}

/// Whether the chip has such an opcode.
fn is_known(inst: &Inst) -> bool {
    Instruction::of(inst).is_some()
}

/// What to call an instruction in a report.
fn mnemonic(inst: &Inst) -> String {
    Instruction::of(inst).map_or_else(
        || format!("{:?} opcode {}", inst.format, inst.opcode),
        |row| row.mnemonic.to_owned(),
    )
}

/// Lowered code by address, shared by all launches of a device. Clones share the contents.
#[derive(Clone, Debug)]
pub struct CodeCache {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    level: Supported,
    /// By entry address, for wave32 and wave64.
    codes: Mutex<[HashMap<u64, Arc<Code>>; 2]>,
}

impl Default for CodeCache {
    fn default() -> Self {
        Self::new()
    }
}

impl CodeCache {
    /// A cache of code for the best level that this CPU has.
    pub fn new() -> Self {
        Self::with_level(Level::best()).unwrap_or_else(|_| {
            Self::with_level(Level::Baseline).expect("every x86-64 has the baseline")
        })
    }

    /// A cache of code for `level`.
    ///
    /// # Errors
    /// If this CPU lacks the level's instructions.
    pub fn with_level(level: Level) -> Result<Self, LevelUnavailable> {
        let level = Supported::new(level)?;
        Ok(Self {
            shared: Arc::new(Shared {
                level,
                codes: Mutex::default(),
            }),
        })
    }

    /// The level that code is lowered for.
    pub fn level(&self) -> Level {
        self.shared.level.level()
    }

    /// Forgets all code: memory that held some was written or given back. Launches that are running go on
    /// with what they have, as from an instruction cache.
    pub fn invalidate(&self) {
        *self.shared.codes.lock() = Default::default();
    }

    /// The code that begins at `entry`.
    pub(super) fn get(&self, memory: &dyn Memory, entry: u64, wave64: bool) -> Arc<Code> {
        if let Some(code) = self.shared.codes.lock()[usize::from(wave64)].get(&entry) {
            return Arc::clone(code);
        }
        // Not under the lock: decoding asks the device. Two threads may do the same work; either
        // result is right.
        let code = Arc::new(build(memory, entry, self.shared.level, wave64));
        self.shared.codes.lock()[usize::from(wave64)].insert(entry, Arc::clone(&code));
        code
    }
}

/// Whether code at `entry` may be executed at all.
pub(super) fn check_entry(memory: &dyn Memory, entry: u64) -> Result<(), AccessError> {
    match memory.region(entry) {
        None => Err(AccessError::NotPresent),
        Some(region) if !region.rights.contains(Rights::EXECUTE) => Err(AccessError::NoExecute),
        Some(_) => Ok(()),
    }
}
