//! Execution: runs the work-groups of a dispatch as gfx1151 would.
//!
//! A kernel's code is read once and lowered to [`code`]: a list of operations with every operand
//! resolved, each with a pointer to the function that does it. A wave is a resumable state machine over
//! that list; a [`Group`] is the waves of one work-group with their LDS, run by one thread at a time; a
//! [`Launch`] is what all groups of a dispatch share.
//!
//! The way of a dispatch:
//! 1. `Launch::prepare` checks packet and kernel descriptor and decodes from the kernel's entry.
//! 2. Each worker makes one `Group`, then per work-group calls `reset` and `run` until it is finished.
//!    A group that yields may be put aside and resumed later, on any thread.
//! 3. Reaching the end, a fault or the budget, `run` returns and says which.
//!
//! # Thread safety
//! `Launch` and [`CodeCache`] are shared; a `Group` belongs to one thread at a time and may move.
//!
//! # Memory ordering
//! Guest memory is shared with the host and with other groups. A guest load is followed by an acquire
//! fence and a guest store preceded by a release fence; naturally aligned accesses of up to eight bytes
//! by single lanes are atomic. On x86-64 this costs nothing and makes every guest access at least as
//! strong as any scope asks for, so cache invalidates have nothing left to do. Guest atomics are
//! sequentially consistent host atomics of the same width.

mod access;
mod buffer;
mod code;
mod context;
mod control;
mod dual;
mod float;
mod global;
mod group;
mod lane;
mod launch;
mod lds;
mod lower;
mod memory;
mod op;
mod rows;
mod scalar;
mod simd;
#[cfg(test)]
mod tests;
mod vector;
mod wave;

pub use code::CodeCache;
pub use group::Group;
pub use launch::{BadKernelObject, Launch, LaunchError};
pub use memory::Region;
pub use simd::{Level, LevelUnavailable};

bitflags::bitflags! {
    /// What the device may do with a region.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Rights: u8 {
        const READ = 1;
        const WRITE = 2;
        const EXECUTE = 4;
    }
}

/// The device's view of memory and the few services a wave asks of its device.
///
/// A region that [`Memory::region`] returned may be used until the end of the `Group::run` or
/// `Launch::prepare` call that asked for it. Whoever takes host memory away moves the epoch, then waits
/// for the calls in progress to return, then unmaps.
pub trait Memory: Send + Sync {
    /// The region that holds `address`, if the device may see one there.
    fn region(&self, address: u64) -> Option<Region>;

    /// Moves when a region went away or changed. Regions that were asked for earlier are then dropped.
    fn epoch(&self) -> u64;

    /// `s_sendmsg` MSG_INTERRUPT: raises the event `event_id`.
    fn interrupt(&self, event_id: u32) {
        let _ = event_id;
    }

    /// The device's constant-rate counter, 100 MHz.
    fn real_time(&self) -> u64;
}

/// One kernel dispatch, as the packet processor reads it from its packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DispatchInfo {
    /// Address of the kernel descriptor.
    pub kernel_object: u64,
    /// Address of the kernel arguments.
    pub kernarg: u64,
    /// Address of the packet itself, for kernels that ask for it.
    pub dispatch_packet: u64,
    /// Address of the `amd_queue` structure, for kernels that ask for it.
    pub queue: u64,
    pub dispatch_id: u64,
    /// Grid size in work-items.
    pub grid: [u32; 3],
    /// Work-group size in work-items.
    pub group: [u16; 3],
    /// Number of dimensions, 1 to 3.
    pub dims: u8,
    /// LDS of one work-group, static and dynamic, in bytes.
    pub group_segment_bytes: u32,
    /// Private memory of one work-item in bytes.
    pub private_segment_bytes: u32,
    /// Where the queue's scratch memory begins, 0 if there is none.
    pub scratch_base: u64,
    /// Scratch bytes of one wave (WAVESIZE).
    pub scratch_wave_bytes: u32,
    /// Doorbell index, what `s_sendmsg_rtn` GET_DOORBELL gives.
    pub doorbell: u32,
}

/// What [`Group::run`] came back with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The budget is used up, or every wave that could run asked to wait. Call again.
    Yielded,
    /// All waves have ended.
    Finished,
    /// A wave cannot go on. The group is to be dropped or reset.
    Faulted(Fault),
}

/// Why an address could not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessError {
    /// No region of the device holds it.
    NotPresent,
    /// Written without the right to.
    ReadOnly,
    /// Fetched as an instruction without the right to.
    NoExecute,
}

/// What went wrong in a wave.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    #[error("memory fault at {address:#x}: {}", match .why {
        AccessError::NotPresent => "not mapped for the device",
        AccessError::ReadOnly => "written but read-only",
        AccessError::NoExecute => "fetched but not executable",
    })]
    Memory { address: u64, why: AccessError },
    #[error("illegal instruction")]
    IllegalInstruction,
    #[error("unsupported instruction {mnemonic}")]
    Unsupported { mnemonic: String },
    #[error("trap {id}")]
    Trap { id: u8 },
    /// A flat or scratch access outside its aperture's memory.
    #[error("access outside the private segment: offset {offset:#x}, {bytes} bytes a work-item")]
    Aperture { offset: u64, bytes: u32 },
    #[error("atomic at {address:#x} is not aligned to its {bytes} bytes")]
    MisalignedAtomic { address: u64, bytes: u8 },
}

/// A wave that could not go on, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} (pc {pc:#x}, work-group {group:?}, wave {wave}, lane {lane:?}, `{instruction}`)")]
pub struct Fault {
    pub kind: FaultKind,
    /// Address of the instruction.
    pub pc: u64,
    /// Work-group id.
    pub group: [u32; 3],
    /// Wave within the work-group.
    pub wave: u32,
    /// The first lane that is to blame, where one is.
    pub lane: Option<u32>,
    /// The instruction as text.
    pub instruction: String,
}
