//! Packets as words, ready for the ring.
//!
//! All packets that do work carry the barrier bit and system scopes, as AMD's runtime sends them
//! (headers 0x1502 and 0x1503): completion is in order, and what a kernel wrote is visible to the
//! host and to every other queue when its signal has fallen.

use hrx_abi::aql::{
    BARRIER_SIGNALS, Barrier, KernelDispatch, PM4_IB_REMAINING_DWORDS, PM4_IB_VALID,
    PM4_INDIRECT_BUFFER, PacketType, Scope, VENDOR_FORMAT_PM4_IB, VendorPm4Ib, header,
};

/// A packet: eight little-endian words, header first.
pub(crate) type PacketWords = [u64; 8];

const DISPATCH: u16 = header(
    PacketType::KERNEL_DISPATCH,
    true,
    Scope::System,
    Scope::System,
);
const BARRIER: u16 = header(PacketType::BARRIER_AND, true, Scope::System, Scope::System);
/// A wait in front of a packet that acquires by itself.
const WAIT: u16 = header(PacketType::BARRIER_AND, true, Scope::None, Scope::None);
const VENDOR: u16 = header(PacketType::VENDOR, true, Scope::System, Scope::System);

/// What a dispatch packet says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DispatchPacket {
    pub(crate) dimensions: u16,
    pub(crate) workgroup: [u16; 3],
    pub(crate) grid: [u32; 3],
    pub(crate) private_bytes: u32,
    pub(crate) group_bytes: u32,
    pub(crate) kernel_object: u64,
    pub(crate) kernarg_address: u64,
    pub(crate) completion_signal: u64,
}

#[inline]
pub(crate) fn dispatch(packet: &DispatchPacket) -> PacketWords {
    bytemuck::cast(KernelDispatch {
        header: DISPATCH,
        setup: packet.dimensions,
        workgroup: packet.workgroup,
        reserved0: 0,
        grid: packet.grid,
        private_segment_bytes: packet.private_bytes,
        group_segment_bytes: packet.group_bytes,
        kernel_object: packet.kernel_object,
        kernarg_address: packet.kernarg_address,
        reserved2: 0,
        completion_signal: packet.completion_signal,
    })
}

/// A barrier-and over `dependencies`. Without a completion signal it only holds back what follows.
pub(crate) fn barrier(
    dependencies: [u64; BARRIER_SIGNALS],
    completion_signal: Option<u64>,
) -> PacketWords {
    bytemuck::cast(Barrier {
        header: if completion_signal.is_some() {
            BARRIER
        } else {
            WAIT
        },
        dependencies,
        completion_signal: completion_signal.unwrap_or(0),
        ..Barrier::default()
    })
}

/// Runs `dwords` PM4 dwords at `address`.
pub(crate) fn pm4(address: u64, dwords: u32, completion_signal: u64) -> PacketWords {
    bytemuck::cast(VendorPm4Ib {
        header: VENDOR,
        format: VENDOR_FORMAT_PM4_IB,
        ib_header: PM4_INDIRECT_BUFFER,
        ib_address: bytemuck::cast(address),
        ib_control: dwords | PM4_IB_VALID,
        remaining_dwords: PM4_IB_REMAINING_DWORDS,
        reserved: [0; 8],
        completion_signal,
    })
}
