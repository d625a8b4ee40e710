//! Memory: objects, and the device's own view.
//!
//! VRAM and GTT are one sparse memfd: the same DRAM, as on an APU. The device has a mapping of all of it,
//! so it never depends on how the client maps an object, if at all. Userptr objects and shared ranges are
//! host memory of this process. What the device may see is a map from device address to host bytes with
//! rights; everything else is a fault.
//!
//! # Thread safety
//! Any thread. [`DeviceMemory::enter`] holds off the end of mappings while the device is at work.
//! Lock order: objects, then ranges.
//!
//! # Unsafe code
//! The only place that turns addresses into pointers. It relies on: the memfd's mapping lives as long as
//! `DeviceMemory`; a client's own memory is probed before a packet uses it, and a client that takes it away
//! gives up the object first, or is at fault as on silicon.

mod gem;
mod object;
#[cfg(test)]
mod tests;
mod view;

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;

use hrx_abi::kfd;
use parking_lot::Mutex;

pub(crate) use self::object::MappedObject;
use self::object::Objects;
use self::view::View;
use super::topology::GPU_ID;
use crate::Errno;

const PAGE: u64 = 4096;
/// Bytes of the memfd; sparse, so only address space is spent. Smaller ones are tried where address
/// space is limited.
const BACKING_BYTES: [usize; 3] = [1 << 40, 1 << 36, 1 << 33];

/// Objects and the device's view.
#[derive(Debug)]
pub(crate) struct DeviceMemory {
    backing: Backing,
    /// Bytes that clients may allocate.
    total: u64,
    view: View,
    objects: Mutex<Objects>,
}

impl DeviceMemory {
    /// `total` bytes of memory that objects may take.
    ///
    /// # Errors
    /// No address space.
    pub(crate) fn new(total: u64) -> std::io::Result<Self> {
        let backing = Backing::new()?;
        Ok(Self {
            total: total.min(backing.bytes as u64),
            backing,
            view: View::default(),
            objects: Mutex::default(),
        })
    }

    /// Bytes that there are.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// A word of the memfd, by its offset: doorbells, the event page.
    pub(crate) fn backing_word(&self, offset: u64) -> &AtomicU64 {
        self.backing.word(offset)
    }

    /// Maps an object of the render node into the client's address space.
    ///
    /// # Safety
    /// As `mmap(2)` with these arguments: with MAP_FIXED, `[address, address + len)` is the caller's to
    /// replace.
    #[expect(unsafe_code, reason = "hands the caller's promise on")]
    pub(crate) unsafe fn map_for_client(
        &self,
        address: usize,
        len: usize,
        protection: i32,
        flags: i32,
        offset: u64,
    ) -> Result<usize, Errno> {
        self.check_client_mapping(offset, len as u64, protection)?;
        // SAFETY: the caller's promise is the one that the callee asks for.
        unsafe { self.map_backing(address, len, protection, flags, offset) }
    }

    /// Maps bytes of the memfd into the client's address space, whatever they are.
    ///
    /// # Safety
    /// As [`DeviceMemory::map_for_client`].
    #[expect(unsafe_code, reason = "hands the caller's promise on")]
    pub(crate) unsafe fn map_backing(
        &self,
        address: usize,
        len: usize,
        protection: i32,
        flags: i32,
        offset: u64,
    ) -> Result<usize, Errno> {
        // SAFETY: the caller's promise is the one that the callee asks for.
        unsafe { self.backing.map(address, len, protection, flags, offset) }
    }

    /// `munmap(2)` of a client's mapping.
    ///
    /// # Safety
    /// The range is the caller's mapping, and nobody uses it any more.
    #[expect(unsafe_code, reason = "a system call on a range that the caller names")]
    pub(crate) unsafe fn unmap_for_client(address: usize, len: usize) -> Result<(), Errno> {
        // SAFETY: the caller's promise is the one that the call asks for.
        let status = unsafe { libc::munmap(std::ptr::without_provenance_mut(address), len) };
        if status == 0 {
            Ok(())
        } else {
            Err(Errno::last())
        }
    }
}

/// The memfd and the device's mapping of it.
#[derive(Debug)]
struct Backing {
    file: OwnedFd,
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: `base` is the address of a mapping that this value owns until it is dropped; access through it
// is to memory that several agents share by design, and goes by atomics or raw copies.
#[expect(unsafe_code, reason = "owns a mapping by its address")]
unsafe impl Send for Backing {}
// SAFETY: as above.
#[expect(unsafe_code, reason = "owns a mapping by its address")]
unsafe impl Sync for Backing {}

#[expect(
    unsafe_code,
    reason = "system calls on a file and a mapping of our own"
)]
impl Backing {
    fn new() -> std::io::Result<Self> {
        // SAFETY: the name is a C string; the call makes a new descriptor or fails.
        let fd = unsafe { libc::memfd_create(c"hrx-vgpu".as_ptr(), libc::MFD_CLOEXEC) };
        if fd < 0 {
            return Err(std::io::Error::last_os_error());
        }
        // SAFETY: `fd` is open, and nobody else owns it.
        let file = unsafe { OwnedFd::from_raw_fd(fd) };
        let mut error = std::io::Error::from_raw_os_error(libc::ENOMEM);
        for bytes in BACKING_BYTES {
            match Self::map_all(&file, bytes) {
                Ok(base) => return Ok(Self { file, base, bytes }),
                Err(refused) => error = refused,
            }
        }
        Err(error)
    }

    /// Makes the file `bytes` long and maps all of it.
    fn map_all(file: &OwnedFd, bytes: usize) -> std::io::Result<NonNull<u8>> {
        let length = libc::off_t::try_from(bytes).map_err(|_| std::io::ErrorKind::OutOfMemory)?;
        // SAFETY: sets the length of a file that only we have.
        if unsafe { libc::ftruncate(file.as_raw_fd(), length) } != 0 {
            return Err(std::io::Error::last_os_error());
        }
        let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at an address that the system picks touches nothing of ours.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                protection,
                flags,
                file.as_raw_fd(),
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error());
        }
        // SAFETY: advice on our own mapping. A child that is forked has no device, and copying page
        // tables of all of device memory would only slow the fork.
        let _ = unsafe { libc::madvise(base, bytes, libc::MADV_DONTFORK) };
        // SAFETY: as above. What objects hold is in the client's own mappings, and a core file with a terabyte
        // of address space in it takes minutes to write.
        let _ = unsafe { libc::madvise(base, bytes, libc::MADV_DONTDUMP) };
        NonNull::new(base.cast()).ok_or_else(|| std::io::ErrorKind::OutOfMemory.into())
    }

    /// Host address of the byte at `offset`.
    fn host(&self, offset: u64) -> Result<usize, Errno> {
        let offset = usize::try_from(offset).map_err(|_| Errno::NOMEM)?;
        Ok(self.base.as_ptr().expose_provenance() + offset)
    }

    fn word(&self, offset: u64) -> &AtomicU64 {
        assert!(
            offset.is_multiple_of(8) && offset + 8 <= self.bytes as u64,
            "offset {offset:#x} is a word of the memfd"
        );
        let at = usize::try_from(offset).expect("an offset of a mapping");
        // SAFETY: an aligned word of the mapping, which lives as long as `self`.
        unsafe { AtomicU64::from_ptr(self.base.as_ptr().wrapping_add(at).cast()) }
    }

    /// # Safety
    /// As [`DeviceMemory::map_for_client`].
    unsafe fn map(
        &self,
        address: usize,
        len: usize,
        protection: i32,
        flags: i32,
        offset: u64,
    ) -> Result<usize, Errno> {
        let offset = libc::off_t::try_from(offset).map_err(|_| Errno::INVAL)?;
        let address = std::ptr::without_provenance_mut(address);
        let fd = self.file.as_raw_fd();
        // SAFETY: the caller keeps what `mmap` asks; the file is the memfd, and `offset` lies in it.
        let mapped = unsafe { libc::mmap(address, len, protection, flags, fd, offset) };
        if mapped == libc::MAP_FAILED {
            Err(Errno::last())
        } else {
            Ok(mapped.addr())
        }
    }

    /// Gives pages back to the system; they read as zeros from then on.
    fn discard(&self, offset: u64, bytes: u64) {
        let hole = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        if let (Ok(at), Ok(len)) = (libc::off_t::try_from(offset), libc::off_t::try_from(bytes)) {
            // SAFETY: gives pages of our own file back; whoever still maps them reads zeros.
            let _ = unsafe { libc::fallocate(self.file.as_raw_fd(), hole, at, len) };
        }
    }
}

impl Drop for Backing {
    #[expect(unsafe_code, reason = "ends a mapping of our own")]
    fn drop(&mut self) {
        // SAFETY: our mapping, and nothing borrows from `self` any more.
        let _ = unsafe { libc::munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}

/// Offset at which a client maps the doorbell slice.
pub(crate) fn doorbell_offset() -> u64 {
    kfd::MMAP_TYPE_DOORBELL << kfd::MMAP_TYPE_SHIFT | gpu_bits()
}

/// Offset at which a client maps the page of remapped registers.
fn mmio_offset() -> u64 {
    kfd::MMAP_TYPE_MMIO << kfd::MMAP_TYPE_SHIFT | gpu_bits()
}

fn gpu_bits() -> u64 {
    u64::from(GPU_ID) << kfd::MMAP_GPU_ID_SHIFT
}
