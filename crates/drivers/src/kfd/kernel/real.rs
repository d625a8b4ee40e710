//! Linux.

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Release;

use hrx_hal::CodeSymbol;
use parking_lot::Mutex;

use super::{Errno, FaultReport, Fd, Kernel};

/// The kernel that this process runs on.
///
/// Descriptors are opened once in a process and stay open: the kernel ties a process's address
/// space on a device to the first render node descriptor that it was given, and refuses another one
/// with `EBUSY` until the process ends.
#[derive(Debug)]
pub struct RealKernel;

/// Descriptors by path.
static OPEN: Mutex<Option<HashMap<String, Fd>>> = Mutex::new(None);

fn last_error() -> Errno {
    let code = std::io::Error::last_os_error().raw_os_error();
    Errno(code.unwrap_or(libc::EIO))
}

fn to_errno(error: &std::io::Error) -> Errno {
    Errno(error.raw_os_error().unwrap_or(libc::EIO))
}

impl Kernel for RealKernel {
    fn open(&self, path: &str) -> Result<Fd, Errno> {
        let mut open = OPEN.lock();
        let open = open.get_or_insert_default();
        if let Some(fd) = open.get(path) {
            return Ok(*fd);
        }
        let name = CString::new(path).map_err(|_| Errno(libc::EINVAL))?;
        // SAFETY: `name` is a string that ends in 0 and lives until the call returns.
        let fd = unsafe { libc::open(name.as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) };
        if fd < 0 {
            return Err(last_error());
        }
        open.insert(path.to_owned(), Fd(fd));
        Ok(Fd(fd))
    }

    fn close(&self, _: Fd) {
        // See the type: the next `open` hands the same descriptor out again.
    }

    unsafe fn ioctl(&self, fd: Fd, request: u32, argument: *mut u8) -> Result<(), Errno> {
        loop {
            // SAFETY: the caller promises that `argument` fits `request`.
            let result = unsafe { libc::ioctl(fd.0, libc::c_ulong::from(request), argument) };
            if result >= 0 {
                return Ok(());
            }
            match last_error() {
                Errno(libc::EINTR | libc::EAGAIN) => {}
                error => return Err(error),
            }
        }
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
        let hint = std::ptr::without_provenance_mut(address);
        // Offsets of the kfd node use bit 63: the same bits, not the same value.
        let offset = offset.cast_signed();
        // SAFETY: the caller owns the range if the flags fix it; otherwise the kernel chooses free
        // pages.
        let mapped = unsafe { libc::mmap(hint, len, protection, flags, fd.0, offset) };
        if mapped == libc::MAP_FAILED {
            return Err(last_error());
        }
        Ok(mapped.expose_provenance())
    }

    unsafe fn munmap(&self, address: usize, len: usize) -> Result<(), Errno> {
        let first = std::ptr::with_exposed_provenance_mut(address);
        // SAFETY: the caller promises that the mapping is its own and unused.
        match unsafe { libc::munmap(first, len) } {
            0 => Ok(()),
            _ => Err(last_error()),
        }
    }

    fn read_file(&self, path: &str) -> Result<Vec<u8>, Errno> {
        std::fs::read(path).map_err(|error| to_errno(&error))
    }

    fn list_directory(&self, path: &str) -> Result<Vec<String>, Errno> {
        let entries = std::fs::read_dir(path).map_err(|error| to_errno(&error))?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        Ok(names.collect())
    }

    fn ring_doorbell(&self, doorbell: &AtomicU64, value: u64) {
        // Release: the packets' headers are stored before the device is woken.
        doorbell.store(value, Release);
    }

    fn assist(&self, _: &dyn Fn() -> bool) {}

    fn name_code(&self, _: u64, _: u64, _: &str, _: &[CodeSymbol]) {}

    fn fault_report(&self) -> Option<FaultReport> {
        None
    }

    fn is_virtual(&self) -> bool {
        false
    }
}
