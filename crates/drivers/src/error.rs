//! Why no device could be opened.

use crate::kfd::Errno;
use hrx_hal::HalError;

/// Why a driver has no device. Each text says what to do about it where something can be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DriverError {
    /// The node is not there.
    #[error("no {path}: the amdgpu kernel driver is not loaded or this machine has no AMD GPU")]
    NoNode {
        /// The node.
        path: String,
    },
    /// The node is there and may not be opened.
    #[error("no permission to open {path}: {}", advice(group.as_deref()))]
    NoPermission {
        /// The node.
        path: String,
        /// Group that may open it.
        group: Option<String>,
    },
    /// The kernel's interface has another major version.
    #[error("the kernel's KFD interface is {major}.{minor}, expected major version {expected}")]
    WrongVersion {
        /// Major version found.
        major: u32,
        /// Minor version found.
        minor: u32,
        /// Major version that we speak.
        expected: u32,
    },
    /// There is a GPU, and it is another chip.
    #[error("unsupported GPU {found}, expected {expected}")]
    UnsupportedChip {
        /// Its target name, or what else is in the way.
        found: String,
        /// What would do.
        expected: &'static str,
    },
    /// The kernel driver serves no GPU.
    #[error("the KFD topology has no GPU node")]
    NoGpu,
    /// A file of the topology is not as it should be.
    #[error("topology file {path}: {found}, expected {expected}")]
    Topology {
        /// The file.
        path: String,
        /// What is in it.
        found: String,
        /// What should be.
        expected: &'static str,
    },
    /// The system refused something.
    #[error("{operation} failed: {errno}")]
    System {
        /// What was tried.
        operation: &'static str,
        /// What the system said.
        errno: Errno,
    },
    /// The device was found and did not start.
    #[error(transparent)]
    Device(#[from] HalError),
    /// A setting of the virtual device is wrong.
    #[error("virtual device: {message}")]
    Virtual {
        /// What is wrong.
        message: String,
    },
    /// `HRX_DEVICE=hsa`.
    #[error("HRX_DEVICE=hsa: this build has no hsa driver, expected auto, kfd or virtual")]
    HsaNotBuiltIn,
    /// `HRX_DEVICE` is no device.
    #[error("HRX_DEVICE is '{found}', expected auto, kfd, hsa or virtual")]
    UnknownChoice {
        /// What it is.
        found: String,
    },
}

fn advice(group: Option<&str>) -> String {
    match group {
        Some(group) => format!("add the user to group `{group}` and log in again"),
        None => "the user must be allowed to read and write it".to_owned(),
    }
}
