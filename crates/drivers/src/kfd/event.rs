//! Events: the page with their mailboxes, the device's three of its own, and waiting.
//!
//! Exceptions are reported through events that stay raised, so that every waiter sees them; a
//! waiter's own event resets itself.

use std::time::Duration;

use hrx_abi::kfd::{
    CreateEvent, EVENT_HW_EXCEPTION, EVENT_MEMORY, EVENT_PAGE_BYTES, EVENT_SIGNAL, EventData,
    EventId, HardwareException, MemoryException, WAIT_COMPLETE, WAIT_TIMEOUT,
};
use hrx_hal::InterruptEvent;

use super::ioctl::Kfd;
use super::kernel::Errno;
use super::memory::{Memory, Object, PAGE, Purpose};

/// Events that one wait takes besides the device's own.
const MOST_EVENTS: usize = 61;

/// The events of a process on a device.
#[derive(Debug)]
pub(super) struct Events {
    kfd: Kfd,
    page: Object,
    /// Events of the device itself, in this order: queue error, memory, hardware.
    own: Vec<u32>,
}

/// What a wait saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// One of the events was raised.
    pub(super) raised: bool,
    /// A memory exception.
    pub(super) memory: Option<MemoryException>,
    /// A hardware exception.
    pub(super) hardware: Option<HardwareException>,
}

impl Events {
    pub(super) fn create(memory: &Memory) -> Result<Self, Errno> {
        let bytes = usize::try_from(EVENT_PAGE_BYTES).map_err(|_| Errno(libc::EINVAL))?;
        let page = memory.create(bytes, PAGE, Purpose::Events)?;
        let mut events = Self {
            kfd: memory.kfd.clone(),
            page,
            own: Vec::with_capacity(3),
        };
        // The first event hands the page over.
        let page = events.page.handle;
        for (event_type, page) in [
            (EVENT_SIGNAL, page),
            (EVENT_MEMORY, 0),
            (EVENT_HW_EXCEPTION, 0),
        ] {
            match create(&events.kfd, event_type, false, page) {
                Ok(event) => events.own.push(event.event_id),
                Err(errno) => {
                    events.destroy(memory);
                    return Err(errno);
                }
            }
        }
        Ok(events)
    }

    /// The event that a queue's error raises.
    pub(super) fn queue_error(&self) -> u32 {
        self.own[0]
    }

    pub(super) fn create_interrupt(&self) -> Result<InterruptEvent, Errno> {
        let event = create(&self.kfd, EVENT_SIGNAL, true, 0)?;
        Ok(InterruptEvent {
            id: event.event_id,
            mailbox: self.page.address as u64 + u64::from(event.event_slot_index) * 8,
        })
    }

    pub(super) fn destroy_event(&self, id: u32) -> Result<(), Errno> {
        self.kfd.destroy_event(&mut EventId {
            event_id: id,
            pad: 0,
        })
    }

    /// Waits for any of `events` or an exception; a timeout of zero looks only.
    pub(super) fn wait(
        &self,
        events: &[&InterruptEvent],
        timeout: Duration,
    ) -> Result<Seen, Errno> {
        let mut entries = [EventData::default(); MOST_EVENTS + 3];
        let count = events.len().min(MOST_EVENTS);
        let ids = self.own.iter().copied();
        let ids = ids.chain(events[..count].iter().map(|event| event.id));
        for (entry, id) in entries.iter_mut().zip(ids) {
            entry.event_id = id;
        }
        // Rounded up: a wait that is too short would be a busy one.
        let milliseconds = timeout.as_micros().div_ceil(1000);
        // All ones would be for ever.
        let milliseconds = u32::try_from(milliseconds)
            .unwrap_or(u32::MAX)
            .min(u32::MAX - 2);
        let entries = &mut entries[..count + self.own.len()];
        match self.kfd.wait_events(entries, milliseconds)? {
            WAIT_COMPLETE => {}
            WAIT_TIMEOUT => return Ok(Seen::default()),
            _ => return Err(Errno(libc::EIO)),
        }
        let payload = |index: usize| -> &[u8] { bytemuck::bytes_of(&entries[index].payload) };
        let memory: MemoryException = bytemuck::pod_read_unaligned(payload(1));
        let hardware: HardwareException =
            bytemuck::pod_read_unaligned(&payload(2)[..size_of::<HardwareException>()]);
        Ok(Seen {
            raised: true,
            memory: (memory != MemoryException::default()).then_some(memory),
            hardware: (hardware != HardwareException::default()).then_some(hardware),
        })
    }

    /// Takes everything back, as far as the kernel lets go of it.
    pub(super) fn destroy(&self, memory: &Memory) {
        for id in &self.own {
            if let Err(error) = self.destroy_event(*id) {
                tracing::debug!(id, %error, "event was not destroyed");
            }
        }
        // Linux never frees an event page before the process ends.
        if let Err(error) = memory.destroy(&self.page) {
            tracing::debug!(%error, "the event page stays until the process ends");
        }
    }
}

fn create(kfd: &Kfd, event_type: u32, auto_reset: bool, page: u64) -> Result<CreateEvent, Errno> {
    let mut argument = CreateEvent {
        event_page_offset: page,
        event_type,
        auto_reset: u32::from(auto_reset),
        ..CreateEvent::default()
    };
    kfd.create_event(&mut argument)?;
    Ok(argument)
}
