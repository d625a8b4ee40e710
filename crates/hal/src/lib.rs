//! What a device does: memory, queues, signals, clocks, the event ring.
//!
//! A driver implements [`Device`]: find devices, map memory, make a queue, wait,
//! sample clocks. All that is the same for every driver lives here, once: AQL packets, their order,
//! the rings of kernel arguments and events, waiting, and whether a launch is recorded.
//!
//! Start at [`queue::Queue`]: its module says how a launch travels. [`event_ring`] says how its
//! record does, and [`command::CommandBuffer`] under which identity.
//!
//! Unsafe code is confined to `aql::ring`, `memory`, `signal`, `event_ring` (signals beside the
//! slots), `queue` (the one place that hands out kernel-argument bytes) and `clock`.

#![cfg_attr(
    loom,
    allow(
        dead_code,
        unused_imports,
        reason = "models use the lock-free parts only"
    )
)]

mod aql;
pub mod clock;
pub mod command;
pub mod device;
pub mod error;
pub mod event_ring;
pub mod gate;
mod kernarg;
pub mod memory;
#[cfg(not(loom))]
pub mod queue;
pub mod signal;
mod sync;

pub use device::{
    Allocation, ClockSample, CodeSymbol, Device, DeviceFault, DeviceProperties, FaultKind,
    InterruptEvent, MemoryKind, PciAddress, QueueMemory, Registration, WaitOutcome,
};
pub use error::{HalError, Result};

/// The signal in an event slot is the one that packets complete.
const _: () = {
    use std::mem::{align_of, offset_of, size_of};

    use hrx_abi::signal::Signal as Abi;
    use hrx_profile::schema::side::Signal as Slot;

    assert!(size_of::<Abi>() == size_of::<Slot>() && align_of::<Abi>() == align_of::<Slot>());
    assert!(offset_of!(Abi, kind) == offset_of!(Slot, kind));
    assert!(offset_of!(Abi, value) == offset_of!(Slot, value));
    assert!(offset_of!(Abi, event_mailbox_ptr) == offset_of!(Slot, event_mailbox_ptr));
    assert!(offset_of!(Abi, event_id) == offset_of!(Slot, event_id));
    assert!(offset_of!(Abi, start_ts) == offset_of!(Slot, start_ts));
    assert!(offset_of!(Abi, end_ts) == offset_of!(Slot, end_ts));
    assert!(offset_of!(Abi, queue_ptr) == offset_of!(Slot, queue_ptr));
    assert!(hrx_abi::signal::KIND_USER == Slot::KIND_USER);
};
