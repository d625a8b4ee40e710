//! Plain data shared with the kernel and the device.
