//! What the kernel's half and the packet processor share.

use std::mem::offset_of;
use std::sync::atomic::Ordering;

use hrx_abi::kfd;
use hrx_abi::signal::Signal;
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

impl Device {
    /// An interrupt with an event's id: the kernel's handler takes the slot back and sets the event.
    pub(crate) fn raise(&self, event_id: u32) {
        if let Some(page) = self.events.page()
            && (1..kfd::EVENT_SLOTS).contains(&event_id)
        {
            let slot = self.memory.backing_word(page + 8 * u64::from(event_id));
            slot.store(kfd::EVENT_SLOT_UNSIGNALLED, Ordering::Release);
        }
        self.events.interrupt(event_id);
    }

    /// Value of a signal; `None` if the device does not see it.
    pub(crate) fn signal_value(&self, handle: u64) -> Option<i64> {
        let value = self
            .memory
            .word64(handle.checked_add(offset_of!(Signal, value) as u64)?)?;
        // Acquire: pairs with the release of whoever completed the signal.
        Some(value.load(Ordering::Acquire).cast_signed())
    }

    /// Mailbox address and event id of a signal that has a mailbox.
    pub(crate) fn mailbox(&self, handle: u64) -> Option<(u64, u32)> {
        let place = handle.checked_add(offset_of!(Signal, event_mailbox_ptr) as u64)?;
        let [low, high, event] = self.memory.read_words::<3>(place)?;
        let address = u64::from(high) << 32 | u64::from(low);
        (address != 0).then_some((address, event))
    }

    /// Stores an event's id into its mailbox and interrupts.
    pub(crate) fn ring_mailbox(&self, (address, event): (u64, u32)) {
        if let Some(slot) = self.memory.word64(address) {
            // Release: whoever sees the id sees what the packet wrote.
            slot.store(u64::from(event), Ordering::Release);
        }
        self.raise(event);
    }
}

impl Memory for Device {
    fn region(&self, address: u64) -> Option<Region> {
        self.memory.region(address)
    }

    fn epoch(&self) -> u64 {
        self.memory.epoch()
    }

    fn interrupt(&self, event_id: u32) {
        self.raise(event_id);
    }

    fn real_time(&self) -> u64 {
        self.clock.ticks()
    }
}
