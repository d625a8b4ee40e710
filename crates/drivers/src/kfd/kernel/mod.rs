//! What the kfd driver asks of its kernel. Linux answers, or the virtual device does by plain
//! methods: the driver above cannot tell, so the driver that runs on silicon is the driver that
//! every test runs.

mod real;
mod vgpu;

use std::fmt;
use std::sync::atomic::AtomicU64;

use hrx_hal::CodeSymbol;

pub use self::real::RealKernel;
pub use self::vgpu::VirtualKernel;

/// An error number of `errno(3)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errno(pub i32);

impl Errno {
    /// As the standard library has it.
    #[must_use]
    pub fn to_io(self) -> std::io::Error {
        std::io::Error::from_raw_os_error(self.0)
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.to_io(), f)
    }
}

impl std::error::Error for Errno {}

/// A descriptor of a [`Kernel`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fd(pub i32);

/// What a kernel knows about a fault beyond what the KFD tells. Linux knows nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultReport {
    /// Kernel that was running.
    pub kernel: Option<String>,
    /// Work-group.
    pub workgroup: Option<[u32; 3]>,
    /// Lane of its wave.
    pub lane: Option<u32>,
    /// Anything else, in words.
    pub detail: Option<String>,
}

/// The kernel, as far as the driver needs it.
///
/// # Thread safety
/// Any thread may call anything.
pub trait Kernel: Send + Sync + fmt::Debug {
    /// Opens a device node for reading and writing, close-on-exec.
    ///
    /// # Errors
    /// `ENOENT`, `EACCES` and so on.
    fn open(&self, path: &str) -> Result<Fd, Errno>;

    /// Closes what `open` gave.
    fn close(&self, fd: Fd);

    /// `ioctl(2)`, repeated when a signal interrupts it.
    ///
    /// # Errors
    /// The error number.
    ///
    /// # Safety
    /// `argument` points at what `request` asks for, and so does every address inside it.
    unsafe fn ioctl(&self, fd: Fd, request: u32, argument: *mut u8) -> Result<(), Errno>;

    /// `mmap(2)` of a device node.
    ///
    /// # Errors
    /// The error number.
    ///
    /// # Safety
    /// With `MAP_FIXED` the range is a reservation of the caller's.
    unsafe fn mmap(
        &self,
        address: usize,
        len: usize,
        protection: i32,
        flags: i32,
        fd: Fd,
        offset: u64,
    ) -> Result<usize, Errno>;

    /// `munmap(2)`.
    ///
    /// # Errors
    /// The error number.
    ///
    /// # Safety
    /// Nobody uses the range any more, and it is a mapping of the caller's.
    unsafe fn munmap(&self, address: usize, len: usize) -> Result<(), Errno>;

    /// All of a file of `/sys`.
    ///
    /// # Errors
    /// The error number.
    fn read_file(&self, path: &str) -> Result<Vec<u8>, Errno>;

    /// Names in a directory of `/sys`.
    ///
    /// # Errors
    /// The error number.
    fn list_directory(&self, path: &str) -> Result<Vec<String>, Errno>;

    /// Stores `value` to a doorbell.
    fn ring_doorbell(&self, doorbell: &AtomicU64, value: u64);

    /// A waiting thread offers itself. See [`Device::assist`](hrx_hal::Device::assist).
    fn assist(&self, done: &dyn Fn() -> bool);

    /// Names a range of code. Only for fault reports.
    fn name_code(&self, base: u64, len: u64, name: &str, symbols: &[CodeSymbol]);

    /// What is known about the last fault beyond what the KFD tells.
    fn fault_report(&self) -> Option<FaultReport>;

    /// Whether the devices are emulated.
    fn is_virtual(&self) -> bool;
}
