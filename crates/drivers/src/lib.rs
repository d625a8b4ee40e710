//! Who does it: drivers behind [`hrx_hal::Device`].
//!
//! There is one driver, [`kfd`]: ioctls on `/dev/kfd`, without any user-space part of ROCm. It runs
//! on Linux and on the virtual device alike; which of the two is [`open`]'s choice, made from
//! `HRX_DEVICE`.
//!
//! Unsafe code is confined to `kfd::kernel` (system calls), `kfd::ioctl` (arguments with addresses
//! in them), `kfd::memory` and `kfd::queue` (mappings).

mod error;
pub mod kfd;
mod open;

pub use error::DriverError;
pub use open::{DeviceChoice, Opened, open};
