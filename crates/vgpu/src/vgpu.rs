//! The device as its client sees it: plain methods of the shape of system calls.

use std::sync::Arc;

use hrx_abi::kfd;
use hrx_gfx::exec::CodeCache;

use crate::device::Device;
use crate::kernel::{Clock, DeviceMemory, Events, Kernel};
use crate::processor::{FaultDetail, Processor, Watch};
use crate::{Errno, Options};

/// A descriptor of a node of the virtual device. Not one of the process's own descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fd(pub i32);

/// A gfx1151 behind the KFD ABI.
#[derive(Debug)]
pub struct Vgpu {
    kernel: Kernel,
}

impl Vgpu {
    /// Makes a device and starts its workers.
    ///
    /// # Errors
    /// No address space for its memory, or no threads.
    pub fn new(options: Options) -> std::io::Result<Arc<Self>> {
        let memory = DeviceMemory::new(options.memory_bytes)?;
        let no_room = |error: Errno| std::io::Error::from_raw_os_error(error.0);
        let doorbells = memory.reserve(kfd::DOORBELL_SLICE_BYTES).map_err(no_room)?;
        for slot in 0..kfd::DOORBELL_SLICE_BYTES / 8 {
            memory
                .backing_word(doorbells + 8 * slot)
                .store(u64::MAX, std::sync::atomic::Ordering::Relaxed);
        }
        let device = Arc::new(Device {
            memory,
            events: Events::default(),
            clock: Clock::new(options.clock_skew_ns, options.clock_drift_ppm),
            code: CodeCache::default(),
            doorbells,
        });
        let threads = options.threads.unwrap_or_else(|| {
            std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
        });
        let processor = Processor::new(Arc::clone(&device), threads)?;
        Ok(Arc::new(Self {
            kernel: Kernel::new(device, processor, &options),
        }))
    }

    /// `open(2)` of `/dev/kfd` or the render node.
    ///
    /// # Errors
    /// `ENOENT` for every other path.
    pub fn open(&self, path: &str) -> Result<Fd, Errno> {
        self.kernel.open(path).map(Fd)
    }

    /// `close(2)`. The last descriptor of `/dev/kfd` frees all that the process has of the device.
    pub fn close(&self, fd: Fd) {
        self.kernel.close(fd.0);
    }

    /// `ioctl(2)`.
    ///
    /// # Errors
    /// What the kernel answers.
    ///
    /// # Safety
    /// `argument` points at as many bytes as `request` says (its bits 16 to 29), readable and writable.
    /// Memory that the request hands to the device (userptr, shared ranges) stays mapped for as long as a
    /// kernel that uses it runs. Other addresses within the argument are checked.
    #[expect(unsafe_code, reason = "hands the caller's promise on")]
    pub unsafe fn ioctl(&self, fd: Fd, request: u32, argument: *mut u8) -> Result<(), Errno> {
        // SAFETY: the caller's promise is the one that the callee asks for.
        unsafe { self.kernel.ioctl(fd.0, request, argument) }
    }

    /// `mmap(2)` of a node.
    ///
    /// # Errors
    /// What the kernel answers.
    ///
    /// # Safety
    /// With `MAP_FIXED`, `[address, address + len)` is the caller's to replace.
    #[expect(unsafe_code, reason = "hands the caller's promise on")]
    pub unsafe fn mmap(
        &self,
        address: usize,
        len: usize,
        protection: i32,
        flags: i32,
        fd: Fd,
        offset: u64,
    ) -> Result<usize, Errno> {
        // SAFETY: the caller's promise is the one that the callee asks for.
        unsafe {
            self.kernel
                .mmap(address, len, protection, flags, fd.0, offset)
        }
    }

    /// `munmap(2)`.
    ///
    /// # Errors
    /// What the kernel answers.
    ///
    /// # Safety
    /// The range is the caller's mapping, and nobody uses it any more.
    #[expect(unsafe_code, reason = "hands the caller's promise on")]
    pub unsafe fn munmap(&self, address: usize, len: usize) -> Result<(), Errno> {
        // SAFETY: the caller's promise is the one that the callee asks for.
        unsafe { DeviceMemory::unmap_for_client(address, len) }
    }

    /// The process unmaps, or maps anew, whole pages of its own memory. The kernel sees that by itself; a
    /// client that does not tell keeps shared ranges until it uses their addresses otherwise.
    pub fn host_unmapped(&self, address: usize, len: usize) {
        self.kernel.host_unmapped(address as u64, len as u64);
    }

    /// All of a file of `/sys`.
    ///
    /// # Errors
    /// `ENOENT`.
    pub fn read_file(&self, path: &str) -> Result<Vec<u8>, Errno> {
        self.kernel.read_file(path)
    }

    /// Names in a folder of `/sys`, sorted.
    ///
    /// # Errors
    /// `ENOENT`.
    pub fn list_directory(&self, path: &str) -> Result<Vec<String>, Errno> {
        self.kernel.list_directory(path)
    }

    /// The client has stored to a doorbell. A few nanoseconds when a worker is awake, a wake-up when all
    /// are parked.
    #[inline]
    pub fn doorbell_rung(&self) {
        self.kernel.processor().rung();
    }

    /// For a client that stores to doorbells and cannot call [`Vgpu::doorbell_rung`]: workers poll while
    /// they are busy, and arm `watch` before they sleep. The first watch stays.
    pub fn watch_doorbells(&self, watch: Arc<dyn Watch>) {
        self.kernel.processor().watch(watch);
    }

    /// The watch went off: a doorbell is about to be stored to. May be called in the handler of a signal
    /// that the store itself raised.
    pub fn doorbell_alarm(&self) {
        self.kernel.processor().alarm();
    }

    /// Runs the device on the calling thread until `done`, or until there is nothing to run.
    pub fn assist(&self, done: &dyn Fn() -> bool) {
        self.kernel.processor().assist(done);
    }

    /// Names `[base, base + len)` and `(address, bytes, name)` within it, for faults. Silicon has no such
    /// thing; nothing may depend on it.
    pub fn name_code(&self, base: u64, len: u64, name: &str, symbols: Vec<(u64, u64, String)>) {
        self.kernel.processor().name_code(base, len, name, symbols);
    }

    /// The last fault of a queue, in more words than the KFD has.
    pub fn last_fault(&self) -> Option<FaultDetail> {
        self.kernel.processor().last_fault()
    }
}
