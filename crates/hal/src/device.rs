//! What a driver provides: one trait, and the plain values that pass through it.
//!
//! The layer above validates what a user can get wrong; a driver reports what the system or the
//! device refuses, and trusts the rest.

use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use hrx_abi::queue::AmdQueue;

use crate::error::Result;

/// What a device is. Fixed from the moment the device is open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceProperties {
    /// Target of the compiler, `gfx1151`.
    pub name: String,
    /// What a person calls it, `AMD Radeon 8060S`; says `(virtual)` for an emulated device.
    pub marketing_name: String,
    /// Driver that serves it: `kfd`, `kfd on the virtual device`.
    pub driver: &'static str,
    /// Whether the device is emulated: its times are not silicon's.
    pub is_virtual: bool,
    /// Unique id of the chip, or 0 where it has none.
    pub uuid: u64,
    /// PCI domain, bus, device and function.
    pub pci: PciAddress,
    /// PCI vendor, 0x1002.
    pub vendor_id: u32,
    /// PCI device, 0x1586.
    pub device_id: u32,
    /// Revision of the chip as PCI says it.
    pub revision: u32,
    /// Whether the device shares its memory with the host.
    pub is_apu: bool,
    /// Compute units; two of them are a work-group processor.
    pub compute_units: u32,
    /// SIMDs of a compute unit.
    pub simds_per_compute_unit: u32,
    /// Shader engines.
    pub shader_engines: u32,
    /// Shader arrays of an engine.
    pub arrays_per_engine: u32,
    /// Waves that one SIMD holds.
    pub waves_per_simd: u32,
    /// Scratch waves that one compute unit holds.
    pub scratch_waves_per_compute_unit: u32,
    /// Native lanes of a wave.
    pub wave_size: u32,
    /// LDS of a work-group, bytes.
    pub lds_bytes: u32,
    /// Highest shader clock, kHz.
    pub shader_clock_khz: u32,
    /// Highest memory clock, kHz.
    pub memory_clock_khz: u32,
    /// Width of the memory bus, bits.
    pub memory_bus_bits: u32,
    /// L1 data cache of a compute unit, bytes.
    pub l1_cache_bytes: u32,
    /// L2 cache, bytes.
    pub l2_cache_bytes: u32,
    /// L3 cache, bytes.
    pub l3_cache_bytes: u32,
    /// Device memory that compute may use, bytes.
    pub memory_bytes: u64,
    /// Ticks a second of signals' `start_ts` and `end_ts`.
    pub tick_hz: u64,
    /// Hardware queues that a process can have.
    pub max_queues: u32,
    /// High half of the address range in which flat instructions reach LDS.
    pub shared_aperture_hi: u32,
    /// High half of the address range in which flat instructions reach scratch.
    pub private_aperture_hi: u32,
}

/// Where a device sits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PciAddress {
    /// Domain.
    pub domain: u32,
    /// Bus.
    pub bus: u8,
    /// Device on the bus.
    pub device: u8,
    /// Function of the device.
    pub function: u8,
}

impl fmt::Display for PciAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            domain,
            bus,
            device,
            function,
        } = self;
        write!(f, "{domain:04x}:{bus:02x}:{device:02x}.{function:x}")
    }
}

/// What memory is for. All kinds have the same address on host and device, and the host may read
/// and write them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryKind {
    /// Device memory: what kernels work on.
    Device,
    /// Device memory that holds instructions.
    Code,
    /// Host memory that the device sees coherently, without an explicit flush.
    HostFine,
    /// Kernel arguments: written by the host, read by the device.
    Kernarg,
    /// Words that host and packet processor share: signals, PM4 buffers. Uncached by the device.
    Control,
}

/// Memory of a device. Plain data: [`Device::free`] takes it back, dropping it leaks. See
/// [`Buffer`](crate::memory::Buffer) for an owner.
#[derive(Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Address on host and device.
    pub address: usize,
    /// Bytes, rounded up to pages.
    pub size: usize,
    /// What it is for.
    pub kind: MemoryKind,
    /// The driver's name of it.
    pub handle: u64,
}

/// Host memory that the device may access. [`Device::unregister_host`] takes it back.
#[derive(Debug, PartialEq, Eq)]
pub struct Registration {
    /// First address, page aligned; the same on the device.
    pub address: usize,
    /// Bytes, whole pages.
    pub size: usize,
    /// The driver's name of it.
    pub handle: u64,
}

/// A hardware queue: the memory that host and packet processor share.
///
/// The pointers are valid until [`Device::destroy_queue`]. They are read and written through
/// [`Queue`](crate::queue::Queue) only.
#[derive(Debug)]
pub struct QueueMemory {
    /// First packet of the ring.
    pub ring: NonNull<u8>,
    /// Packets of the ring, a power of two.
    pub capacity: u32,
    /// The shared structure; write and read index are in it.
    pub amd_queue: NonNull<AmdQueue>,
    /// The doorbell. Written through [`Device::ring_doorbell`] only.
    pub doorbell: NonNull<AtomicU64>,
    /// A word that turns non-zero when the packet processor stops the queue for an error.
    pub error_word: NonNull<AtomicU64>,
    /// The driver's name of the queue.
    pub id: u32,
}

// SAFETY: the pointers are to memory that the driver keeps mapped until `destroy_queue` takes this
// value, and all that they point at is accessed as atomics.
unsafe impl Send for QueueMemory {}
// SAFETY: as above; shared access is through atomics.
unsafe impl Sync for QueueMemory {}

/// An event that a signal's completion can raise. [`Device::destroy_event`] takes it back.
#[derive(Debug, PartialEq, Eq)]
pub struct InterruptEvent {
    /// For [`Signal::event_id`](hrx_abi::signal::Signal::event_id).
    pub id: u32,
    /// For [`Signal::event_mailbox_ptr`](hrx_abi::signal::Signal::event_mailbox_ptr).
    pub mailbox: u64,
}

/// Why [`Device::wait_events`] returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitOutcome {
    /// One of the events was raised. Spurious returns are allowed: look at the signal.
    Raised,
    /// The time is over.
    TimedOut,
    /// The device reported an exception; [`Device::fault`] has it.
    Faulted,
}

/// One reading of all clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockSample {
    /// Device clock, the one that stamps signals.
    pub device_tick: u64,
    /// `CLOCK_MONOTONIC_RAW`, read with it, ns.
    pub host_cpu_ns: u64,
    /// `CLOCK_BOOTTIME`, read with it, ns.
    pub host_system_ns: u64,
    /// `CLOCK_MONOTONIC` before the reading, ns.
    pub host_begin_ns: i64,
    /// `CLOCK_MONOTONIC` after the reading, ns.
    pub host_end_ns: i64,
}

/// What a device reports when it stops a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// Access to memory that is not mapped for the device.
    NotPresent,
    /// Write to memory that the device may only read.
    ReadOnly,
    /// Instruction fetch from memory that holds none.
    NoExecute,
    /// Address outside the LDS or scratch range.
    Aperture,
    /// A trap, an abort or a failed assertion of the kernel.
    Trap,
    /// An instruction that the chip does not have.
    IllegalInstruction,
    /// A packet that the processor refuses: dimensions, sizes, kernel object, format.
    InvalidPacket,
    /// The packet's kernel needs more scratch than the queue has.
    OutOfScratch,
    /// The device was reset or lost.
    Lost,
    /// Anything else; the code says what.
    Other,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotPresent => "access to unmapped memory",
            Self::ReadOnly => "write to read-only memory",
            Self::NoExecute => "instruction fetch from memory without instructions",
            Self::Aperture => "address outside its aperture",
            Self::Trap => "trap",
            Self::IllegalInstruction => "illegal instruction",
            Self::InvalidPacket => "invalid packet",
            Self::OutOfScratch => "out of scratch",
            Self::Lost => "device lost",
            Self::Other => "device error",
        })
    }
}

/// A fault, as much of it as is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceFault {
    /// What went wrong.
    pub kind: FaultKind,
    /// The address, page aligned on hardware; `None` when the fault has none.
    pub address: Option<u64>,
    /// Error code of the packet processor, 0 when there was none.
    pub code: u32,
    /// Kernel that was running.
    pub kernel: Option<String>,
    /// Work-group that faulted; the virtual device knows it.
    pub workgroup: Option<[u32; 3]>,
    /// Lane of the wave; the virtual device knows it.
    pub lane: Option<u32>,
    /// Instruction address and what the virtual device has to say about it.
    pub detail: Option<String>,
}

impl fmt::Display for DeviceFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "device fault: {}", self.kind)?;
        if let Some(address) = self.address {
            write!(f, " at {address:#x}")?;
        }
        if self.code != 0 {
            write!(f, " (code {})", self.code)?;
        }
        if let Some(kernel) = &self.kernel {
            write!(f, " in kernel `{kernel}`")?;
        }
        if let Some([x, y, z]) = self.workgroup {
            write!(f, ", work-group ({x}, {y}, {z})")?;
        }
        if let Some(lane) = self.lane {
            write!(f, ", lane {lane}")?;
        }
        if let Some(detail) = &self.detail {
            write!(f, ": {detail}")?;
        }
        Ok(())
    }
}

/// A name within a code object, for fault reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeSymbol {
    /// Address on the device.
    pub address: u64,
    /// Bytes.
    pub size: u64,
    /// Name.
    pub name: String,
}

/// A device, as a driver serves it.
///
/// # Thread safety
/// Any thread may call anything at any time; what a value was given for, it is given back once.
pub trait Device: Send + Sync + fmt::Debug {
    /// What the device is.
    fn properties(&self) -> &DeviceProperties;

    /// Allocates `size` bytes (rounded up to pages) at a multiple of `alignment`, a power of two;
    /// at least a page either way.
    ///
    /// # Errors
    /// `OutOfMemory`, or what the system says.
    fn allocate(&self, size: usize, alignment: usize, kind: MemoryKind) -> Result<Allocation>;

    /// Takes memory back. No queue may use it any more.
    ///
    /// # Errors
    /// What the system says.
    fn free(&self, allocation: Allocation) -> Result<()>;

    /// Lets the device access the pages of host memory around `[address, address + len)`, at the
    /// same address.
    ///
    /// # Errors
    /// What the system says: the range is not mapped, or is no ordinary memory.
    fn register_host(&self, address: usize, len: usize) -> Result<Registration>;

    /// Takes the access back. No queue may use the memory any more.
    ///
    /// # Errors
    /// What the system says.
    fn unregister_host(&self, registration: Registration) -> Result<()>;

    /// Free and total device memory, bytes.
    ///
    /// # Errors
    /// What the system says.
    fn memory_info(&self) -> Result<(u64, u64)>;

    /// Makes a hardware queue of `packets` packets, a power of two, all of them invalid.
    ///
    /// # Errors
    /// No memory, or no more queues.
    fn create_queue(&self, packets: u32) -> Result<QueueMemory>;

    /// Stops a queue and takes its memory back.
    ///
    /// # Errors
    /// What the system says.
    fn destroy_queue(&self, queue: QueueMemory) -> Result<()>;

    /// Tells the packet processor of packets up to index `last`. A hint: the packet's header hands
    /// over, this only wakes.
    fn ring_doorbell(&self, queue: &QueueMemory, last: u64);

    /// Makes an event for completion signals to raise.
    ///
    /// # Errors
    /// No more events.
    fn create_event(&self) -> Result<InterruptEvent>;

    /// Takes an event back. No pending signal may name it.
    ///
    /// # Errors
    /// What the system says.
    fn destroy_event(&self, event: InterruptEvent) -> Result<()>;

    /// Sleeps until one of `events` is raised, the device faults, or `timeout` is over.
    ///
    /// # Errors
    /// What the system says.
    fn wait_events(&self, events: &[&InterruptEvent], timeout: Duration) -> Result<WaitOutcome>;

    /// A thread with nothing else to do offers itself: an emulated device runs on it until `done`,
    /// or until there is nothing to run. Hardware returns at once.
    fn assist(&self, done: &dyn Fn() -> bool);

    /// Reads all clocks.
    ///
    /// # Errors
    /// What the system says.
    fn sample_clocks(&self) -> Result<ClockSample>;

    /// The fault that stopped the device, if one did: sticky, one load when there is none.
    fn fault(&self) -> Option<Arc<DeviceFault>>;

    /// Like [`Device::fault`], but asks the system, for who polls and never waits for events.
    fn poll_fault(&self) -> Option<Arc<DeviceFault>>;

    /// Gives `queue` scratch for waves of `lanes` lanes with `bytes_per_lane` each. The queue must
    /// be idle.
    ///
    /// # Errors
    /// No memory, or more than a wave can have.
    fn ensure_scratch(&self, queue: &QueueMemory, bytes_per_lane: u32, lanes: u32) -> Result<()>;

    /// Names a code object's memory and what is in it, for fault reports.
    fn name_code(&self, base: u64, len: u64, name: &str, symbols: Vec<CodeSymbol>);

    /// Forgets the names in a range that [`Device::name_code`] named.
    fn forget_code(&self, base: u64);
}
