//! What can go wrong, by cause. Which HIP code a cause becomes is the front's to say.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use hrx_gfx::object::ObjectError;
use hrx_hal::{DeviceFault, HalError};

use crate::kernel::LaunchError;

/// Result of this crate.
pub type Result<T, E = RuntimeError> = std::result::Result<T, E>;

/// Why a call did not do what it was asked.
///
/// Exhaustive on purpose: who gives causes codes must hear of a new one.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RuntimeError {
    /// No device could be opened, or all are hidden.
    #[error("no device: {reason}")]
    NoDevice {
        /// What the driver said.
        reason: String,
    },
    /// The process is a forked child of one that had initialised the device.
    #[error(
        "the device was initialised before this process was forked; it works in the parent only"
    )]
    Forked,
    /// A device number beyond the last.
    #[error("device {ordinal} does not exist, there are {count}")]
    InvalidDevice {
        /// As asked.
        ordinal: i64,
        /// Devices there are.
        count: usize,
    },
    /// A launch that cannot be.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A device image that cannot be loaded.
    #[error(transparent)]
    Image(ObjectError),
    /// A device image without code for the device.
    #[error(transparent)]
    NoCodeForDevice(ObjectError),
    /// A file with a device image.
    #[error("cannot read `{path}`: {source}")]
    ImageFile {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: Arc<io::Error>,
    },
    /// No kernel of that name.
    #[error("the code object has no kernel `{name}`")]
    NoSuchKernel {
        /// As asked.
        name: String,
    },
    /// No variable of that name.
    #[error("the code object has no variable `{name}`")]
    NoSuchVariable {
        /// As asked.
        name: String,
    },
    /// A host address that no kernel was registered for.
    #[error("no kernel is registered for host address {address:#x}")]
    UnknownHostFunction {
        /// The address.
        address: usize,
    },
    /// A host address that no variable was registered for.
    #[error("no variable is registered for host address {address:#x}")]
    UnknownHostVariable {
        /// The address.
        address: usize,
    },
    /// An address that is not the start of an allocation that the call can take back.
    #[error("{address:#x} is not the start of {expected}")]
    NotAnAllocation {
        /// The address.
        address: usize,
        /// What would have been: `device memory`, `host memory`, `registered memory`.
        expected: &'static str,
    },
    /// Memory that is registered already, or in part.
    #[error("the range at {address:#x} overlaps memory that is registered already")]
    AlreadyRegistered {
        /// First address.
        address: usize,
    },
    /// Memory that was never registered.
    #[error("the memory at {address:#x} is not registered")]
    NotRegistered {
        /// The address.
        address: usize,
    },
    /// A copy or fill that reaches beyond the end of its allocation.
    #[error(
        "{len} bytes at {address:#x} reach beyond the allocation, which has {available} from there"
    )]
    BeyondAllocation {
        /// First address.
        address: usize,
        /// Bytes asked for.
        len: usize,
        /// Bytes from the address to the allocation's end.
        available: usize,
    },
    /// A fill of memory that the device cannot reach.
    #[error("{address:#x} is no memory of the device")]
    NotDeviceMemory {
        /// The address.
        address: usize,
    },
    /// A fill whose address is not a multiple of its element.
    #[error("{address:#x} is not a multiple of the element's {element_bytes} bytes")]
    Misaligned {
        /// The address.
        address: usize,
        /// Size of an element.
        element_bytes: usize,
    },
    /// Elapsed time with an event that was never recorded.
    #[error("the event was never recorded")]
    NeverRecorded,
    /// Elapsed time with an event that was created without timing.
    #[error("the event was created without timing")]
    TimingDisabled,
    /// The work is not done yet. An answer rather than an error.
    #[error("not ready")]
    NotReady,
    /// Objects of two devices in one call.
    #[error("the event belongs to device {event}, the stream to device {stream}")]
    DeviceMismatch {
        /// Device of the event.
        event: u32,
        /// Device of the stream.
        stream: u32,
    },
    /// The device stopped. Sticky.
    #[error("{0}")]
    Fault(Arc<DeviceFault>),
    /// The system has no thread for callbacks.
    #[error("no thread for host functions: {0}")]
    NoThread(Arc<io::Error>),
    /// The device has no memory left.
    #[error(transparent)]
    OutOfMemory(HalError),
    /// What nobody could foresee.
    #[error(transparent)]
    Hal(HalError),
}

impl From<ObjectError> for RuntimeError {
    fn from(error: ObjectError) -> Self {
        match error {
            ObjectError::NoCodeForTarget { .. } | ObjectError::WrongTarget { .. } => {
                Self::NoCodeForDevice(error)
            }
            other => Self::Image(other),
        }
    }
}

impl From<HalError> for RuntimeError {
    fn from(error: HalError) -> Self {
        match error {
            HalError::DeviceFault(fault) => Self::Fault(fault),
            HalError::OutOfMemory { .. } => Self::OutOfMemory(error),
            other => Self::Hal(other),
        }
    }
}
