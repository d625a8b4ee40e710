//! AQL packets: what a queue's ring holds.
//!
//! All packets are 64 bytes and little-endian; byte 0 begins the 16-bit header. The packet processor
//! owns a slot from the moment its header is valid until it sets it back to [`PacketType::INVALID`].

use std::mem::{offset_of, size_of};

use bytemuck::{Pod, Zeroable};

/// Bytes of every packet.
pub const PACKET_BYTES: usize = 64;
/// Signals that one barrier packet can depend on.
pub const BARRIER_SIGNALS: usize = 5;

/// Packet types, header bits 0 to 7.
#[derive(Debug)]
pub struct PacketType;

impl PacketType {
    /// Vendor packet; its format is in the byte after the header.
    pub const VENDOR: u16 = 0;
    /// No packet: the processor stops here.
    pub const INVALID: u16 = 1;
    /// [`KernelDispatch`].
    pub const KERNEL_DISPATCH: u16 = 2;
    /// [`Barrier`] that waits for all of its signals.
    pub const BARRIER_AND: u16 = 3;
    /// A packet for another agent.
    pub const AGENT_DISPATCH: u16 = 4;
    /// [`Barrier`] that waits for any of its signals.
    pub const BARRIER_OR: u16 = 5;
}

/// Header bit 8: all earlier packets complete before this one starts.
pub const HEADER_BARRIER: u16 = 1 << 8;
/// Header bits 9 and 10: acquire scope.
pub const HEADER_ACQUIRE_SHIFT: u16 = 9;
/// Header bits 11 and 12: release scope.
pub const HEADER_RELEASE_SHIFT: u16 = 11;

/// How far the caches of an acquire or release reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Scope {
    /// No cache operation.
    None = 0,
    /// The device.
    Agent = 1,
    /// The device and its host.
    System = 2,
}

/// Makes a header of a packet type, the barrier bit and the two scopes.
#[must_use]
pub const fn header(packet_type: u16, barrier: bool, acquire: Scope, release: Scope) -> u16 {
    let barrier = if barrier { HEADER_BARRIER } else { 0 };
    packet_type
        | barrier
        | (acquire as u16) << HEADER_ACQUIRE_SHIFT
        | (release as u16) << HEADER_RELEASE_SHIFT
}

/// Type of the packet that `header` begins.
#[must_use]
pub const fn packet_type(header: u16) -> u16 {
    header & 0xff
}

/// Runs a kernel over a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct KernelDispatch {
    /// [`header`].
    pub header: u16,
    /// Dimensions, 1 to 3, in bits 0 and 1.
    pub setup: u16,
    /// Work-items of a work-group in x, y, z; 1 in an unused dimension.
    pub workgroup: [u16; 3],
    /// 0.
    pub reserved0: u16,
    /// Work-items of the grid in x, y, z; 1 in an unused dimension.
    pub grid: [u32; 3],
    /// Scratch bytes a work-item.
    pub private_segment_bytes: u32,
    /// LDS bytes a work-group, static and dynamic.
    pub group_segment_bytes: u32,
    /// Address of the 64-byte kernel descriptor.
    pub kernel_object: u64,
    /// Address of the kernel arguments.
    pub kernarg_address: u64,
    /// 0.
    pub reserved2: u64,
    /// Address of the signal that completion decrements, or 0.
    pub completion_signal: u64,
}

/// Waits for signals to reach 0: all five (barrier-and) or any (barrier-or).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Barrier {
    /// [`header`].
    pub header: u16,
    /// 0.
    pub reserved0: u16,
    /// 0.
    pub reserved1: u32,
    /// Addresses of signals; 0 counts as satisfied.
    pub dependencies: [u64; BARRIER_SIGNALS],
    /// 0.
    pub reserved2: u64,
    /// Address of the signal that completion decrements, or 0.
    pub completion_signal: u64,
}

/// Format byte of [`VendorPm4Ib`].
pub const VENDOR_FORMAT_PM4_IB: u16 = 1;
/// PM4 header of the indirect-buffer packet within: type 3, opcode 0x3f, three dwords of body.
pub const PM4_INDIRECT_BUFFER: u32 = 0xC002_3F00;
/// [`VendorPm4Ib::ib_control`]: the buffer is valid.
pub const PM4_IB_VALID: u32 = 1 << 23;
/// [`VendorPm4Ib::remaining_dwords`] as the processor wants it.
pub const PM4_IB_REMAINING_DWORDS: u32 = 0xA;

/// Vendor packet that runs PM4 commands from a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct VendorPm4Ib {
    /// [`header`] with [`PacketType::VENDOR`].
    pub header: u16,
    /// [`VENDOR_FORMAT_PM4_IB`].
    pub format: u16,
    /// [`PM4_INDIRECT_BUFFER`].
    pub ib_header: u32,
    /// Address of the commands, low half first.
    pub ib_address: [u32; 2],
    /// Dwords of commands, and [`PM4_IB_VALID`].
    pub ib_control: u32,
    /// [`PM4_IB_REMAINING_DWORDS`].
    pub remaining_dwords: u32,
    /// 0.
    pub reserved: [u32; 8],
    /// Address of the signal that completion decrements, or 0.
    pub completion_signal: u64,
}

const _: () = {
    assert!(size_of::<KernelDispatch>() == PACKET_BYTES);
    assert!(offset_of!(KernelDispatch, workgroup) == 4);
    assert!(offset_of!(KernelDispatch, grid) == 12);
    assert!(offset_of!(KernelDispatch, private_segment_bytes) == 24);
    assert!(offset_of!(KernelDispatch, group_segment_bytes) == 28);
    assert!(offset_of!(KernelDispatch, kernel_object) == 32);
    assert!(offset_of!(KernelDispatch, kernarg_address) == 40);
    assert!(offset_of!(KernelDispatch, completion_signal) == 56);
    assert!(size_of::<Barrier>() == PACKET_BYTES);
    assert!(offset_of!(Barrier, dependencies) == 8);
    assert!(offset_of!(Barrier, completion_signal) == 56);
    assert!(size_of::<VendorPm4Ib>() == PACKET_BYTES);
    assert!(offset_of!(VendorPm4Ib, ib_header) == 4);
    assert!(offset_of!(VendorPm4Ib, ib_address) == 8);
    assert!(offset_of!(VendorPm4Ib, ib_control) == 16);
    assert!(offset_of!(VendorPm4Ib, remaining_dwords) == 20);
    assert!(offset_of!(VendorPm4Ib, completion_signal) == 56);
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Headers seen in packets of AMD's runtime.
    #[test]
    fn headers_are_those_that_amds_runtime_sends() {
        use Scope::{None, System};
        let dispatch = PacketType::KERNEL_DISPATCH;
        assert_eq!(header(dispatch, true, System, System), 0x1502);
        assert_eq!(header(dispatch, true, Scope::Agent, Scope::Agent), 0x0b02);
        assert_eq!(
            header(PacketType::BARRIER_AND, true, System, System),
            0x1503
        );
        assert_eq!(header(PacketType::BARRIER_AND, true, None, None), 0x0103);
        assert_eq!(header(PacketType::BARRIER_AND, true, None, System), 0x1103);
        assert_eq!(packet_type(0x1503), PacketType::BARRIER_AND);
    }
}
