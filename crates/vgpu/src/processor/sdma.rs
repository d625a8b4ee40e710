//! One queue of the copy engine.
//!
//! The ring holds packets of several lengths; the doorbell names the byte behind the last one. They run in
//! order, one after the other, on whichever worker steps the queue. The read pointer moves over a packet when
//! its work is done.
//!
//! # Thread safety
//! As an AQL queue: any worker may step it, one at a time does.
//!
//! # Memory ordering
//! The doorbell is read with acquire, so the packets below it are visible. A fence, an atomic and the read
//! pointer are stored with release: whoever sees them sees what was copied before.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use hrx_abi::kfd::queue_error;
use hrx_abi::sdma::{self, *};
use hrx_gfx::exec::AccessError;
use parking_lot::Mutex;

use super::aql::exception;
use super::fault::{FaultDetail, Faults};
use super::queue::Step;
use crate::device::Device;
use crate::kernel::QueueSpec;

/// A doorbell that nobody has rung.
const NEVER_RUNG: u64 = u64::MAX;
/// [`SdmaQueue::blocked_at`] of a queue that is not blocked.
const NOT_BLOCKED: u64 = u64::MAX;
/// Dwords of the longest packet of a fixed length.
const DWORDS_MAX: usize = 20;
const _: () = assert!(SUB_WINDOW_LARGE_DWORDS == DWORDS_MAX as u64);

/// A queue that lives.
#[derive(Debug)]
pub(super) struct SdmaQueue {
    pub(super) spec: QueueSpec,
    dead: AtomicBool,
    /// Byte of the next packet. Written under `turn`.
    next: AtomicU64,
    /// What the doorbell was when the next packet turned out to wait for memory, or not to be whole.
    blocked_at: AtomicU64,
    /// Held by the worker that steps the queue.
    turn: Mutex<()>,
}

/// What became of a packet.
enum Ran {
    /// Done; dwords to go on.
    Done(u64),
    /// Waits for memory that nobody rings for, or for the rest of the packet.
    Blocked,
}

/// Why the engine stops.
enum Stop {
    /// The device may not use memory at an address.
    Memory(u64, AccessError),
    Packet(String),
}

/// A box in memory, in elements.
struct Window {
    base: u64,
    x: u64,
    y: u64,
    z: u64,
    pitch: u64,
    slice: u64,
}

impl Window {
    /// Offset in elements of row `y` of layer `z` of the part.
    fn row(&self, y: u64, z: u64) -> u64 {
        self.x + (self.y + y) * self.pitch + (self.z + z) * self.slice
    }
}

impl SdmaQueue {
    pub(super) fn new(spec: QueueSpec) -> Self {
        Self {
            spec,
            dead: AtomicBool::new(false),
            next: AtomicU64::new(0),
            blocked_at: AtomicU64::new(NOT_BLOCKED),
            turn: Mutex::new(()),
        }
    }

    /// Stops the queue for good; false if it had stopped before.
    pub(super) fn stop(&self) -> bool {
        !self.dead.swap(true, Ordering::AcqRel)
    }

    /// The doorbell, if it is past the next packet.
    fn rung(&self, device: &Device) -> Option<u64> {
        if self.dead.load(Ordering::Relaxed) {
            return None;
        }
        let word = device
            .memory
            .backing_word(device.doorbells + 8 * self.spec.doorbell as u64);
        // Acquire: the packets were written before.
        let end = word.load(Ordering::Acquire);
        (end != NEVER_RUNG && self.next.load(Ordering::Relaxed) < end).then_some(end)
    }

    /// Whether a step would find something to do.
    pub(super) fn pending(&self, device: &Device) -> bool {
        self.rung(device)
            .is_some_and(|end| self.blocked_at.load(Ordering::Relaxed) != end)
            && !self.turn.is_locked()
    }

    /// Whether the next packet waits for what nobody rings for.
    pub(super) fn is_blocked(&self, device: &Device) -> bool {
        self.rung(device)
            .is_some_and(|end| self.blocked_at.load(Ordering::Relaxed) == end)
    }

    /// Runs one packet.
    pub(super) fn step(&self, device: &Device, faults: &Faults) -> Step {
        if self.rung(device).is_none() {
            return Step::Idle;
        }
        let _at_work = device.memory.enter();
        let Some(_turn) = self.turn.try_lock() else {
            return Step::Idle;
        };
        // Once more, under the lock.
        let Some(end) = self.rung(device) else {
            return Step::Idle;
        };
        device.memory.refresh();
        let at = self.next.load(Ordering::Relaxed);
        let result = self.run(device, at, (end - at) / 4);
        let blocked = if matches!(result, Ok(Ran::Blocked)) {
            end
        } else {
            NOT_BLOCKED
        };
        self.blocked_at.store(blocked, Ordering::Relaxed);
        let result = result.and_then(|ran| match ran {
            Ran::Blocked => Ok(Step::Blocked),
            Ran::Done(dwords) => {
                let next = at + 4 * dwords;
                let read_pointer = device.memory.word64(self.spec.read_index);
                let read_pointer = read_pointer
                    .ok_or(Stop::Memory(self.spec.read_index, AccessError::NotPresent))?;
                // Release: the packet's place is the client's again.
                read_pointer.store(next, Ordering::Release);
                self.next.store(next, Ordering::Relaxed);
                Ok(Step::Done)
            }
        });
        result.unwrap_or_else(|stop| {
            self.fail(device, faults, at, stop);
            Step::Idle
        })
    }

    fn fail(&self, device: &Device, faults: &Faults, at: u64, stop: Stop) {
        if !self.stop() {
            return;
        }
        let (code, message) = match stop {
            Stop::Memory(address, why) => {
                device.events.memory_exception(exception(why, address));
                let what = match why {
                    AccessError::NotPresent => "which is not mapped for it",
                    AccessError::ReadOnly => "which it may not write",
                    AccessError::NoExecute => "which it may not execute",
                };
                let message = format!("the copy engine used {address:#x}, {what}");
                (queue_error::WAVE_MEMORY_VIOLATION, message)
            }
            Stop::Packet(message) => {
                // The chip has no way to tell a client: its queue hangs. So someone must be told here.
                tracing::error!("the copy engine stops: {message}");
                (queue_error::PACKET_UNSUPPORTED, message)
            }
        };
        faults.record(FaultDetail {
            queue_id: self.spec.id,
            packet: at,
            code,
            kernel: None,
            fault: None,
            message,
        });
    }

    /// Dwords of the ring from a byte on.
    fn read<const N: usize>(&self, device: &Device, at: u64) -> Result<[u32; N], Stop> {
        let mut words = [0; N];
        for (index, word) in (0u64..).zip(&mut words) {
            let address = self.spec.ring + (at + 4 * index) % self.spec.ring_bytes;
            let found = device.memory.read_words::<1>(address);
            [*word] = found.ok_or(Stop::Memory(address, AccessError::NotPresent))?;
        }
        Ok(words)
    }

    /// Runs the packet at a byte, of which `left` dwords have been rung for.
    fn run(&self, device: &Device, at: u64, left: u64) -> Result<Ran, Stop> {
        let [header] = self.read(device, at)?;
        let (operation, sub) = (header & 0xff, header >> 8 & 0xff);
        let dwords = match (operation, sub) {
            (OP_NOP, _) => {
                let dwords = 1 + u64::from(header >> 16 & 0x3fff);
                return Ok(if dwords <= left {
                    Ran::Done(dwords)
                } else {
                    Ran::Blocked
                });
            }
            (OP_WRITE, 0) => {
                let [_, low, high, count] = self.read(device, at)?;
                let count = 1 + u64::from(count & 0xf_ffff);
                if 4 + count > left {
                    return Ok(Ran::Blocked);
                }
                for index in 0..count {
                    let [word] = self.read(device, at + 16 + 4 * index)?;
                    store32(device, pair(low, high) + 4 * index, word)?;
                }
                return Ok(Ran::Done(4 + count));
            }
            (OP_COPY, SUB_LINEAR) => COPY_LINEAR_DWORDS,
            (OP_COPY, sdma::SUB_WINDOW) => SUB_WINDOW_DWORDS,
            (OP_COPY, SUB_WINDOW_LARGE) => SUB_WINDOW_LARGE_DWORDS,
            (OP_FENCE, 0) => FENCE_DWORDS,
            (OP_TRAP, 0) => TRAP_DWORDS,
            (OP_POLL_REGMEM, 0) => POLL_REGMEM_DWORDS,
            (OP_COND_EXE, 0) => COND_EXE_DWORDS,
            (OP_ATOMIC, 0) => ATOMIC_DWORDS,
            (OP_CONST_FILL, 0) => CONST_FILL_DWORDS,
            (OP_TIMESTAMP, _) => TIMESTAMP_DWORDS,
            (OP_GCR, _) => GCR_DWORDS,
            _ => {
                let message = format!("packet {header:#010x} is none that it knows");
                return Err(Stop::Packet(message));
            }
        };
        if dwords > left {
            return Ok(Ran::Blocked);
        }
        // Reading past a short packet is harmless: it is the ring.
        let words: [u32; DWORDS_MAX] = self.read(device, at)?;
        let address = pair(words[1], words[2]);
        match (operation, sub) {
            (OP_COPY, SUB_LINEAR) => {
                let bytes = u64::from(words[1] & COUNT_MASK) + 1;
                let (source, target) = (pair(words[3], words[4]), pair(words[5], words[6]));
                copy(device, target, source, bytes)?;
            }
            (OP_COPY, sdma::SUB_WINDOW) => copy_window(device, &words)?,
            (OP_COPY, SUB_WINDOW_LARGE) => copy_window_large(device, &words)?,
            (OP_FENCE, _) => store32(device, address, words[3])?,
            (OP_TRAP, _) => device.raise(words[1] & 0x0fff_ffff),
            // A poll of a register is the flush of host writes, which there is nothing of.
            (OP_POLL_REGMEM, _) if header & POLL_MEMORY != 0 && !poll(device, &words)? => {
                return Ok(Ran::Blocked);
            }
            (OP_POLL_REGMEM, _) => {}
            (OP_COND_EXE, _) if load32(device, address)? != words[3] => {
                return Ok(Ran::Done(dwords + u64::from(words[4] & 0x3fff)));
            }
            (OP_COND_EXE, _) => {}
            (OP_ATOMIC, _) => {
                let operation = header >> ATOMIC_OPERATION_SHIFT;
                if operation != ATOMIC_ADD64 {
                    let message =
                        format!("atomic operation {operation}, only {ATOMIC_ADD64} is known");
                    return Err(Stop::Packet(message));
                }
                let word = device.memory.word64(address);
                let word = word.ok_or_else(|| denied(device, address))?;
                // Release: a signal's waiter sees what was copied.
                word.fetch_add(pair(words[3], words[4]), Ordering::AcqRel);
            }
            (OP_CONST_FILL, _) => {
                let unit = 1u64 << (header >> FILL_SIZE_SHIFT).min(2);
                let bytes = u64::from(words[4] & COUNT_MASK) + 1;
                // The count's low bits below the unit do not count.
                let bytes = (bytes - 1) / unit * unit + unit;
                fill(device, address, words[3], bytes)?;
            }
            (OP_TIMESTAMP, sub) if sub != SUB_TIMESTAMP_SET => {
                let word = device.memory.word64(address);
                let word = word.ok_or_else(|| denied(device, address))?;
                word.store(device.clock.ticks(), Ordering::Release);
            }
            // Caches are coherent here, and nobody may set the clock.
            _ => {}
        }
        Ok(Ran::Done(dwords))
    }
}

fn pair(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// Why the device may not write a word here.
fn denied(device: &Device, address: u64) -> Stop {
    let why = match device.memory.region(address) {
        Some(_) => AccessError::ReadOnly,
        None => AccessError::NotPresent,
    };
    Stop::Memory(address, why)
}

fn store32(device: &Device, address: u64, value: u32) -> Result<(), Stop> {
    let word = device.memory.word32(address);
    // Release: a fence comes after the copies before it.
    word.ok_or_else(|| denied(device, address))?
        .store(value, Ordering::Release);
    Ok(())
}

fn load32(device: &Device, address: u64) -> Result<u32, Stop> {
    let word = device.memory.read_words::<1>(address);
    let [word] = word.ok_or(Stop::Memory(address, AccessError::NotPresent))?;
    Ok(word)
}

/// Whether the memory that a poll names fulfils its condition.
fn poll(device: &Device, words: &[u32; DWORDS_MAX]) -> Result<bool, Stop> {
    let value = load32(device, pair(words[1], words[2]))? & words[4];
    // Pairs with the release of whoever completed a signal.
    std::sync::atomic::fence(Ordering::Acquire);
    let reference = words[3];
    Ok(match words[0] >> POLL_FUNCTION_SHIFT & 7 {
        0 => true,
        1 => value < reference,
        2 => value <= reference,
        3 => value == reference,
        4 => value != reference,
        5 => value >= reference,
        6 => value > reference,
        other => return Err(Stop::Packet(format!("poll with comparison {other}"))),
    })
}

fn copy(device: &Device, target: u64, source: u64, bytes: u64) -> Result<(), Stop> {
    let result = device.memory.copy(target, source, bytes);
    result.map_err(|(address, why)| Stop::Memory(address, why))
}

fn fill(device: &Device, address: u64, value: u32, bytes: u64) -> Result<(), Stop> {
    let result = device.memory.fill(address, value, bytes);
    result.map_err(|(address, why)| Stop::Memory(address, why))
}

/// The packet whose coordinates are 14 bits.
fn copy_window(device: &Device, words: &[u32; DWORDS_MAX]) -> Result<(), Stop> {
    let field = |word: u32, shift: u32, bits: u32| u64::from(word >> shift & ((1 << bits) - 1));
    let window = |first: usize| Window {
        base: pair(words[first], words[first + 1]),
        x: field(words[first + 2], 0, 14),
        y: field(words[first + 2], 16, 14),
        z: field(words[first + 3], 0, 13),
        pitch: field(words[first + 3], 13, 19) + 1,
        slice: field(words[first + 4], 0, 28) + 1,
    };
    let size = [
        field(words[11], 0, 14) + 1,
        field(words[11], 16, 14) + 1,
        field(words[12], 0, 13) + 1,
    ];
    // A first dword's top bits are log2 of the element's bytes.
    copy_box(device, &window(1), &window(6), size, words[0] >> 29)
}

/// The packet with a dword for each coordinate; elements are bytes.
fn copy_window_large(device: &Device, words: &[u32; DWORDS_MAX]) -> Result<(), Stop> {
    let window = |first: usize| Window {
        base: pair(words[first], words[first + 1]),
        x: words[first + 2].into(),
        y: words[first + 3].into(),
        z: words[first + 4].into(),
        pitch: u64::from(words[first + 5]) + 1,
        slice: pair(words[first + 6], words[first + 7] & 0xffff) + 1,
    };
    let size = [17, 18, 19].map(|index: usize| u64::from(words[index]) + 1);
    copy_box(device, &window(1), &window(9), size, 0)
}

fn copy_box(
    device: &Device,
    source: &Window,
    target: &Window,
    [width, height, depth]: [u64; 3],
    log2_bytes: u32,
) -> Result<(), Stop> {
    for z in 0..depth {
        for y in 0..height {
            let from = source.base.wrapping_add(source.row(y, z) << log2_bytes);
            let to = target.base.wrapping_add(target.row(y, z) << log2_bytes);
            copy(device, to, from, width << log2_bytes)?;
        }
    }
    Ok(())
}
