//! What the profile session wants, one word for all queues.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

bitflags::bitflags! {
    /// Kinds of events that a session can want.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct ProfileKinds: u32 {
        /// Kernel launches, copies and fills.
        const DISPATCH = 1 << 0;
    }
}

/// The switch that submissions read.
///
/// # Memory ordering
/// Relaxed throughout: a submission beside a change may see the old or the new value. A session
/// that must not miss anything opens the gate before it lets launches through.
#[derive(Debug, Default)]
pub struct ProfileGate(AtomicU32);

impl ProfileGate {
    /// A closed gate.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Whether the session wants events of all of `kinds`. One relaxed load.
    #[inline]
    #[must_use]
    pub fn wants(&self, kinds: ProfileKinds) -> bool {
        self.kinds().contains(kinds)
    }

    /// What the session wants.
    #[inline]
    #[must_use]
    pub fn kinds(&self) -> ProfileKinds {
        ProfileKinds::from_bits_truncate(self.0.load(Relaxed))
    }

    /// Says what the session wants from now on.
    pub fn set(&self, kinds: ProfileKinds) {
        self.0.store(kinds.bits(), Relaxed);
    }
}
