//! What the kernel's half and the packet processor share.

use hrx_gfx::exec::{CodeCache, Memory, Region};

use crate::kernel::{Clock, DeviceMemory, Events};

/// The device: memory, events, clock, decoded code.
#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) memory: DeviceMemory,
    pub(crate) events: Events,
    pub(crate) clock: Clock,
    pub(crate) code: CodeCache,
    /// Offset of the doorbell slice in the memfd.
    pub(crate) doorbells: u64,
}

impl Memory for Device {
    fn region(&self, address: u64) -> Option<Region> {
        self.memory.region(address)
    }

    fn epoch(&self) -> u64 {
        self.memory.epoch()
    }

    fn interrupt(&self, event_id: u32) {
        self.events.interrupt(event_id);
    }

    fn real_time(&self) -> u64 {
        self.clock.ticks()
    }
}
