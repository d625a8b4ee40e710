//! What a process has of the device, besides memory and events.

use std::collections::{BTreeMap, BTreeSet};

use super::svm::Ranges;

/// First doorbell slot that is not for compute queues: SDMA, interrupts, video.
const RESERVED_SLOTS: std::ops::RangeInclusive<usize> = 0x100..=0x18f;
/// The reserved slots are reserved once more this many slots higher.
const MIRROR: usize = 512;
/// Queues of the copy engine that a process may have: 8 less the two that the kernel keeps.
const SDMA_QUEUES: usize = 6;
/// Slots of the slice, and so the most queues.
const SLOTS: usize = 1024;

/// State of the one process.
#[derive(Debug, Default)]
pub(super) struct Process {
    /// Render node whose address space the process joined.
    pub(super) vm: Option<i32>,
    pub(super) queues: BTreeMap<u32, Queue>,
    pub(super) ranges: Ranges,
    /// Offset of the event page in the device's memory, if the client did not bring one.
    pub(super) own_event_page: Option<u64>,
    pub(super) runtime_enabled: bool,
    /// Handles of objects for fences.
    pub(super) syncobjs: BTreeSet<u32>,
    /// What the client set, and nothing here reads: the emulator goes from a fault straight to its report.
    pub(super) settings: Settings,
}

/// A queue's record.
#[derive(Debug, Default)]
pub(super) struct Queue {
    pub(super) doorbell: usize,
    /// Address and bytes of its ring.
    pub(super) ring: (u64, u64),
    /// Objects that it refers to, so that they stay mapped.
    pub(super) objects: Vec<u64>,
    /// Global wave sync was given to it.
    pub(super) wave_sync: bool,
    /// Somebody destroys it.
    pub(super) ending: bool,
}

/// Addresses and policies that are kept and have no effect.
#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) trap_handler: u64,
    pub(super) trap_data: u64,
    pub(super) scratch_address: u64,
}

impl Process {
    /// The lowest free queue number, and a doorbell slot: for the copy engine's queues those that belong to
    /// its hardware queues, for others the lowest free one.
    pub(super) fn free_queue(&self, aql: bool) -> Option<(u32, usize)> {
        let id = (0..).find(|id| !self.queues.contains_key(id))?;
        let used = |slot: usize| self.queues.values().any(|queue| queue.doorbell == slot);
        if !aql {
            let slots = (0..SDMA_QUEUES)
                .map(|queue| RESERVED_SLOTS.start() + queue % 2 * MIRROR + queue / 2);
            return Some((id, slots.into_iter().find(|&slot| !used(slot))?));
        }
        let reserved = |slot: usize| {
            RESERVED_SLOTS.contains(&slot)
                || slot
                    .checked_sub(MIRROR)
                    .is_some_and(|low| RESERVED_SLOTS.contains(&low))
        };
        let slot = (0..SLOTS).find(|&slot| !reserved(slot) && !used(slot))?;
        Some((id, slot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The slots that amdgpu keeps on gfx10 and later are 0x100 to 0x18f and their mirror.
    #[test]
    fn compute_queues_get_every_slot_but_the_reserved_ones() {
        let mut process = Process::default();
        while let Some((id, doorbell)) = process.free_queue(true) {
            assert_eq!(id as usize, process.queues.len(), "lowest free number");
            process.queues.insert(
                id,
                Queue {
                    doorbell,
                    ..Queue::default()
                },
            );
        }
        let slots: Vec<usize> = process
            .queues
            .values()
            .map(|queue| queue.doorbell)
            .collect();
        let expected: Vec<usize> = (0..0x100).chain(0x190..0x300).chain(0x390..0x400).collect();
        assert_eq!(slots, expected);
        process.queues.remove(&7);
        assert_eq!(process.free_queue(true), Some((7, 7)));
    }
}
