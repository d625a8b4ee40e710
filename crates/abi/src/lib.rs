//! Plain data shared with the kernel and the device.

pub mod aql;
pub mod drm;
pub mod kfd;
pub mod queue;
pub mod sdma;
pub mod signal;
