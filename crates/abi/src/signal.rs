//! The HSA signal: how a packet tells that it is done.

use std::mem::{offset_of, size_of};
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64};

/// [`Signal::kind`] of a signal whose value packets decrement.
pub const KIND_USER: i64 = 1;
/// [`Signal::kind`] of a queue's doorbell.
pub const KIND_DOORBELL: i64 = -1;

/// `amd_signal_t`: 64 bytes, 64-aligned, in memory that device and host share.
///
/// # Memory ordering
/// The device stores both ticks, then decrements `value` with release: an acquire load that sees the
/// new value sees the ticks and all that the packet wrote with a system release scope. After that it
/// stores `event_id` at `event_mailbox_ptr` and interrupts, if there is a mailbox.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Signal {
    /// [`KIND_USER`] or [`KIND_DOORBELL`].
    pub kind: AtomicI64,
    /// The value; for a doorbell its address.
    pub value: AtomicI64,
    /// Address of the event mailbox, or 0 for a signal that is only polled.
    pub event_mailbox_ptr: AtomicU64,
    /// Interrupt event that goes with the mailbox.
    pub event_id: AtomicU32,
    /// Padding.
    pub pad: AtomicU32,
    /// Device tick at which the packet started.
    pub start_ts: AtomicU64,
    /// Device tick at which the packet ended.
    pub end_ts: AtomicU64,
    /// Address of the queue's `amd_queue_t`, for a doorbell.
    pub queue_ptr: AtomicU64,
    /// Reserved.
    pub reserved: [AtomicU32; 2],
}

const _: () = {
    assert!(size_of::<Signal>() == 64 && align_of::<Signal>() == 64);
    assert!(offset_of!(Signal, value) == 8);
    assert!(offset_of!(Signal, event_mailbox_ptr) == 16);
    assert!(offset_of!(Signal, event_id) == 24);
    assert!(offset_of!(Signal, start_ts) == 32);
    assert!(offset_of!(Signal, end_ts) == 40);
    assert!(offset_of!(Signal, queue_ptr) == 48);
    assert!(offset_of!(Signal, reserved) == 56);
};
