//! What nobody could foresee: a lost device, no memory, a refusing system.

use std::io;
use std::sync::Arc;

use crate::device::DeviceFault;

/// Result of this crate and of drivers.
pub type Result<T> = std::result::Result<T, HalError>;

/// Why the device did not do what it was asked.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HalError {
    /// The device has no memory left for an allocation.
    #[error(
        "no device memory for {requested_bytes} bytes ({free_bytes} of {total_bytes} are free)"
    )]
    OutOfMemory {
        /// Bytes asked for.
        requested_bytes: usize,
        /// Bytes that were free.
        free_bytes: u64,
        /// Bytes of the device.
        total_bytes: u64,
    },
    /// An argument that no device can serve.
    #[error("{what} is {found}, expected {expected}")]
    InvalidArgument {
        /// The argument.
        what: &'static str,
        /// What it was.
        found: u64,
        /// What is allowed.
        expected: &'static str,
    },
    /// Kernel arguments longer than the ring of them can ever hold.
    #[error("kernel arguments of {needed_bytes} bytes, at most {limit_bytes} fit")]
    KernargTooLarge {
        /// Bytes asked for.
        needed_bytes: usize,
        /// Most bytes of one launch.
        limit_bytes: usize,
    },
    /// The system refused an operation on the device.
    #[error("{operation} failed: {source}")]
    System {
        /// What was tried.
        operation: &'static str,
        /// What the system said.
        source: Arc<io::Error>,
    },
    /// The device stopped the queue. Sticky: all later work on the device returns it.
    #[error("{0}")]
    DeviceFault(Arc<DeviceFault>),
    /// The queue was shut down while somebody waited for it.
    #[error("queue {ordinal} was destroyed")]
    QueueDestroyed {
        /// Which one.
        ordinal: u32,
    },
}

impl HalError {
    /// The system's refusal of `operation`.
    #[must_use]
    pub fn system(operation: &'static str, source: io::Error) -> Self {
        Self::System {
            operation,
            source: Arc::new(source),
        }
    }

    /// The fault, if that is what this is.
    #[must_use]
    pub fn fault(&self) -> Option<&DeviceFault> {
        match self {
            Self::DeviceFault(fault) => Some(fault),
            _ => None,
        }
    }
}
