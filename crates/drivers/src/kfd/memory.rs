//! Memory objects: reserved address, kernel object, host mapping, device mapping, in that order;
//! taken back in the reverse one.
//!
//! The device address of everything is its host address. Host mappings are left out of forked
//! children, as AMD's runtime does: a child has no business with the device, and a copy-on-write of
//! a page that the device uses would take it away from the parent.

use std::sync::Arc;

use hrx_abi::kfd::{
    ALLOC_COHERENT, ALLOC_EXECUTABLE, ALLOC_GTT, ALLOC_NO_SUBSTITUTE, ALLOC_PUBLIC, ALLOC_UNCACHED,
    ALLOC_USERPTR, ALLOC_VRAM, ALLOC_WRITABLE, AllocMemory, FreeMemory,
};
use hrx_hal::MemoryKind;

use super::ioctl::Kfd;
use super::kernel::{Errno, Fd, Kernel};

/// Bytes of a page.
pub(super) const PAGE: usize = 4096;
/// Alignment of large objects, so that the device's page tables can use large pages.
const LARGE_PAGE: usize = 2 << 20;

/// What an object is for; the flags of each are those that AMD's runtimes were seen to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// What users allocate.
    User(MemoryKind),
    /// An AQL ring, or the page of a queue's shared words.
    QueueControl,
    /// A queue's end-of-pipe buffer: the device's alone.
    EndOfPipe,
    /// A queue's scratch: the device's alone.
    Scratch,
    /// A queue's save area where shared virtual memory is refused.
    SaveArea,
    /// The event page.
    Events,
}

impl Purpose {
    const fn flags(self) -> u32 {
        const GTT: u32 = ALLOC_WRITABLE | ALLOC_NO_SUBSTITUTE | ALLOC_GTT;
        const VRAM: u32 = ALLOC_WRITABLE | ALLOC_NO_SUBSTITUTE | ALLOC_VRAM;
        const UNCACHED: u32 = ALLOC_COHERENT | ALLOC_UNCACHED;
        match self {
            Self::User(MemoryKind::Device) => VRAM | ALLOC_PUBLIC,
            Self::User(MemoryKind::Code) => VRAM | ALLOC_PUBLIC | ALLOC_EXECUTABLE,
            Self::User(MemoryKind::HostFine) => GTT | ALLOC_COHERENT,
            // The device may cache arguments: each packet's system acquire drops what is stale.
            Self::User(MemoryKind::Kernarg) => GTT,
            // Executable: the processor fetches PM4 from it.
            Self::User(MemoryKind::Control)
            | Self::QueueControl
            | Self::SaveArea
            | Self::Events => GTT | UNCACHED | ALLOC_EXECUTABLE,
            Self::EndOfPipe => VRAM | ALLOC_EXECUTABLE,
            Self::Scratch => VRAM,
        }
    }

    /// Whether the host maps it.
    const fn is_shared(self) -> bool {
        !matches!(self, Self::EndOfPipe | Self::Scratch)
    }
}

const _: () = {
    assert!(Purpose::User(MemoryKind::Device).flags() == 0xb000_0001);
    assert!(Purpose::User(MemoryKind::Code).flags() == 0xf000_0001);
    assert!(Purpose::User(MemoryKind::HostFine).flags() == 0x9400_0002);
    assert!(Purpose::User(MemoryKind::Kernarg).flags() == 0x9000_0002);
    assert!(Purpose::Events.flags() == 0xd600_0002);
    assert!(Purpose::EndOfPipe.flags() == 0xd000_0001);
};

/// A memory object that the device has mapped. Plain data, freed by [`Memory::destroy`].
#[derive(Debug)]
pub(super) struct Object {
    pub(super) handle: u64,
    pub(super) address: usize,
    pub(super) size: usize,
}

/// The address space of a process on a device.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub(super) kernel: Arc<dyn Kernel>,
    pub(super) kfd: Kfd,
    pub(super) render: Fd,
    pub(super) gpu_id: u32,
}

impl Memory {
    /// Makes an object of `size` bytes, rounded up to pages.
    pub(super) fn create(
        &self,
        size: usize,
        alignment: usize,
        purpose: Purpose,
    ) -> Result<Object, Errno> {
        let size = size
            .max(1)
            .checked_next_multiple_of(PAGE)
            .ok_or(Errno(libc::ENOMEM))?;
        let natural = if size >= LARGE_PAGE { LARGE_PAGE } else { PAGE };
        let address = self.reserve(size, alignment.max(natural))?;
        let object = self.create_at(address, size, purpose);
        if object.is_err() {
            // The first error is the one to tell.
            let _ = self.unreserve(address, size);
        }
        object
    }

    /// Makes an object in a reservation, which stays the caller's if that fails.
    fn create_at(&self, address: usize, size: usize, purpose: Purpose) -> Result<Object, Errno> {
        let mut argument = AllocMemory {
            va_addr: address as u64,
            size: size as u64,
            gpu_id: self.gpu_id,
            flags: purpose.flags(),
            ..AllocMemory::default()
        };
        self.kfd.alloc_memory(&mut argument)?;
        let handle = argument.handle;
        let mapped = if purpose.is_shared() {
            self.map_host(address, size, argument.mmap_offset)
        } else {
            Ok(())
        };
        let mapped = mapped.and_then(|()| self.kfd.map_memory(handle, self.gpu_id, true));
        if let Err(errno) = mapped {
            // The first error is the one to tell.
            let _ = self.kfd.free_memory(&mut FreeMemory { handle });
            return Err(errno);
        }
        Ok(Object {
            handle,
            address,
            size,
        })
    }

    fn map_host(&self, address: usize, size: usize, offset: u64) -> Result<(), Errno> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_FIXED;
        // SAFETY: the range is a reservation that `create` has just made and that nobody else
        // knows.
        let mapped = unsafe {
            self.kernel
                .mmap(address, size, protection, flags, self.render, offset)
        }?;
        debug_assert_eq!(mapped, address, "MAP_FIXED");
        keep_from_children(address, size);
        Ok(())
    }

    /// Takes an object back: device mapping, host mapping, object. What fails is told, and nothing
    /// behind it is tried, since the device may still use the memory.
    pub(super) fn destroy(&self, object: &Object) -> Result<(), Errno> {
        let handle = object.handle;
        self.kfd.map_memory(handle, self.gpu_id, false)?;
        self.unreserve(object.address, object.size)?;
        self.kfd.free_memory(&mut FreeMemory { handle })
    }

    /// Maps whole pages of ordinary memory of this process for the device.
    pub(super) fn register(&self, address: usize, size: usize) -> Result<Object, Errno> {
        let mut argument = AllocMemory {
            va_addr: address as u64,
            size: size as u64,
            mmap_offset: address as u64,
            gpu_id: self.gpu_id,
            flags: ALLOC_WRITABLE | ALLOC_NO_SUBSTITUTE | ALLOC_COHERENT | ALLOC_USERPTR,
            ..AllocMemory::default()
        };
        self.kfd.alloc_memory(&mut argument)?;
        let handle = argument.handle;
        if let Err(errno) = self.kfd.map_memory(handle, self.gpu_id, true) {
            // The first error is the one to tell.
            let _ = self.kfd.free_memory(&mut FreeMemory { handle });
            return Err(errno);
        }
        Ok(Object {
            handle,
            address,
            size,
        })
    }

    /// Takes a registration back; the memory stays the process's.
    pub(super) fn unregister(&self, handle: u64) -> Result<(), Errno> {
        self.kfd.map_memory(handle, self.gpu_id, false)?;
        self.kfd.free_memory(&mut FreeMemory { handle })
    }

    /// Reserves addresses that nothing else gets, without memory behind them.
    fn reserve(&self, size: usize, alignment: usize) -> Result<usize, Errno> {
        let extra = alignment - PAGE;
        let len = size.checked_add(extra).ok_or(Errno(libc::ENOMEM))?;
        let first = map_anonymous(len, libc::PROT_NONE)?;
        let address = first.next_multiple_of(alignment);
        // What lies before and behind goes back.
        for (start, end) in [(first, address), (address + size, first + len)] {
            if start < end {
                self.unreserve(start, end - start)?;
            }
        }
        Ok(address)
    }

    fn unreserve(&self, address: usize, size: usize) -> Result<(), Errno> {
        // SAFETY: the range is a part of a reservation of ours that no object uses (any more).
        unsafe { self.kernel.munmap(address, size) }
    }
}

/// Maps fresh zeroed memory of the process.
pub(super) fn map_anonymous(len: usize, protection: i32) -> Result<usize, Errno> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: without MAP_FIXED the kernel chooses free addresses.
    let mapped = unsafe { libc::mmap(std::ptr::null_mut(), len, protection, flags, -1, 0) };
    if mapped == libc::MAP_FAILED {
        let code = std::io::Error::last_os_error().raw_os_error();
        return Err(Errno(code.unwrap_or(libc::ENOMEM)));
    }
    Ok(mapped.expose_provenance())
}

/// Leaves a mapping out of forked children.
pub(super) fn keep_from_children(address: usize, len: usize) {
    let first = std::ptr::with_exposed_provenance_mut(address);
    // SAFETY: the range is a mapping that the caller has just made; the advice changes nothing in
    // this process.
    let result = unsafe { libc::madvise(first, len, libc::MADV_DONTFORK) };
    if result != 0 {
        // Only children are the worse for it.
        tracing::debug!(address, len, "a mapping stays visible to forked children");
    }
}
