//! Packets and the ring that carries them to the device.

pub(crate) mod packet;
pub(crate) mod ring;
