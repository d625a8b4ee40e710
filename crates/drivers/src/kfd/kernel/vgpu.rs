//! The virtual device, in this process, by plain calls.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Release;

use hrx_hal::CodeSymbol;
use hrx_vgpu::Vgpu;

use super::{Errno, FaultReport, Fd, Kernel};

/// A kernel whose one device is emulated.
#[derive(Debug)]
pub struct VirtualKernel {
    vgpu: Arc<Vgpu>,
}

impl VirtualKernel {
    /// The kernel in front of `vgpu`.
    #[must_use]
    pub fn new(vgpu: Arc<Vgpu>) -> Self {
        Self { vgpu }
    }
}

fn to_errno(error: hrx_vgpu::Errno) -> Errno {
    Errno(error.0)
}

fn to_vgpu(fd: Fd) -> hrx_vgpu::Fd {
    hrx_vgpu::Fd(fd.0)
}

impl Kernel for VirtualKernel {
    fn open(&self, path: &str) -> Result<Fd, Errno> {
        let fd = self.vgpu.open(path).map_err(to_errno)?;
        Ok(Fd(fd.0))
    }

    fn close(&self, fd: Fd) {
        self.vgpu.close(to_vgpu(fd));
    }

    unsafe fn ioctl(&self, fd: Fd, request: u32, argument: *mut u8) -> Result<(), Errno> {
        // SAFETY: the caller's promise is the one that the callee asks for.
        unsafe { self.vgpu.ioctl(to_vgpu(fd), request, argument) }.map_err(to_errno)
    }

    unsafe fn mmap(
        &self,
        address: usize,
        len: usize,
        protection: i32,
        flags: i32,
        fd: Fd,
        offset: u64,
    ) -> Result<usize, Errno> {
        let fd = to_vgpu(fd);
        // SAFETY: the caller's promise is the one that the callee asks for.
        unsafe { self.vgpu.mmap(address, len, protection, flags, fd, offset) }.map_err(to_errno)
    }

    unsafe fn munmap(&self, address: usize, len: usize) -> Result<(), Errno> {
        // SAFETY: the caller's promise is the one that the callee asks for.
        unsafe { self.vgpu.munmap(address, len) }.map_err(to_errno)
    }

    fn read_file(&self, path: &str) -> Result<Vec<u8>, Errno> {
        self.vgpu.read_file(path).map_err(to_errno)
    }

    fn list_directory(&self, path: &str) -> Result<Vec<String>, Errno> {
        self.vgpu.list_directory(path).map_err(to_errno)
    }

    fn ring_doorbell(&self, doorbell: &AtomicU64, value: u64) {
        // Release: pairs with the processor's acquire load; the packets' headers are stored before.
        doorbell.store(value, Release);
        self.vgpu.doorbell_rung();
    }

    fn assist(&self, done: &dyn Fn() -> bool) {
        self.vgpu.assist(done);
    }

    fn name_code(&self, base: u64, len: u64, name: &str, symbols: &[CodeSymbol]) {
        let symbols = symbols
            .iter()
            .map(|symbol| (symbol.address, symbol.size, symbol.name.clone()))
            .collect();
        self.vgpu.name_code(base, len, name, symbols);
    }

    fn fault_report(&self) -> Option<FaultReport> {
        let found = self.vgpu.last_fault()?;
        let wave = found.fault.as_ref();
        Some(FaultReport {
            // Packets name a kernel by its descriptor, whose symbol has a suffix.
            kernel: found.kernel.map(|name| match name.strip_suffix(".kd") {
                Some(kernel) => kernel.to_owned(),
                None => name,
            }),
            workgroup: wave.map(|wave| wave.group),
            lane: wave.and_then(|wave| wave.lane),
            detail: Some(found.message),
        })
    }

    fn is_virtual(&self) -> bool {
        true
    }
}
