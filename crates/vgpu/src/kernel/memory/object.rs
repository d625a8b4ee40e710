//! Objects: what a client allocated, and where it lies.

use std::collections::BTreeMap;

use hrx_abi::kfd::{self, AllocMemory};
use hrx_gfx::exec::Rights;

use super::gem::Gem;
use super::view::Range;
use super::{DeviceMemory, PAGE, doorbell_offset, mmio_offset};
use crate::Errno;
use crate::kernel::GPU_ID;

/// First address that a client may use.
const VA_BASE: u64 = 0x100_0000;
/// First address behind the 47 bits that a client may use.
const VA_END: u64 = 1 << 47;

/// What stands behind an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Store {
    /// Bytes of the memfd from this offset.
    Memfd(u64),
    /// Memory of the process at this address.
    User(u64),
    /// The doorbell slice.
    Doorbell,
    /// The page of remapped registers, an offset of the memfd.
    Mmio(u64),
}

impl Store {
    /// Offset in the memfd of the piece that the object holds.
    fn piece(self) -> Option<u64> {
        match self {
            Self::Memfd(offset) | Self::Mmio(offset) => Some(offset),
            Self::User(_) | Self::Doorbell => None,
        }
    }
}

/// A memory object.
#[derive(Clone, Debug)]
struct Object {
    /// Device address, 0 for an object without one.
    va: u64,
    size: u64,
    flags: u32,
    store: Store,
    mapped: bool,
    /// Queues that were made with it.
    queues: u32,
    event_page: bool,
}

/// Memory of the memfd that objects, handles of the render node and dmabufs hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) bytes: u64,
    /// `ALLOC_` bits with which it was made.
    pub(super) flags: u32,
    /// How many hold it; it is given back with the last.
    holders: u32,
}

impl Objects {
    /// The piece at an offset.
    pub(super) fn piece(&self, offset: u64) -> Option<Piece> {
        self.pieces.get(&offset).copied()
    }

    /// One more holds the piece at an offset.
    pub(super) fn hold(&mut self, offset: u64) {
        if let Some(piece) = self.pieces.get_mut(&offset) {
            piece.holders += 1;
        }
    }

    /// The piece of an object that may be passed on; not a userptr, for one.
    pub(super) fn shareable(&self, handle: u64) -> Result<u64, Errno> {
        match self.by_handle.get(&handle).ok_or(Errno::INVAL)?.store {
            Store::Memfd(offset) => Ok(offset),
            Store::User(_) => Err(Errno::PERM),
            Store::Doorbell | Store::Mmio(_) => Err(Errno::INVAL),
        }
    }

    /// A new object over a piece that exists, at a device address or none.
    pub(super) fn adopt(&mut self, offset: u64, va: u64) -> Result<u64, Errno> {
        let piece = self.piece(offset).ok_or(Errno::INVAL)?;
        self.hold(offset);
        Ok(self.insert(Object {
            va,
            size: piece.bytes,
            flags: piece.flags,
            store: Store::Memfd(offset),
            mapped: false,
            queues: 0,
            event_page: false,
        }))
    }

    /// The handle of a new object.
    fn insert(&mut self, object: Object) -> u64 {
        self.last += 1;
        let handle = u64::from(GPU_ID) << 32 | self.last;
        self.by_handle.insert(handle, object);
        handle
    }
}

/// All objects, and the free parts of the memfd.
#[derive(Debug, Default)]
pub(super) struct Objects {
    by_handle: BTreeMap<u64, Object>,
    last: u64,
    /// Taken parts of the memfd by offset, but for the device's own.
    pieces: BTreeMap<u64, Piece>,
    pub(super) gem: Gem,
    /// Free parts of the memfd below `fresh`: offset to bytes.
    free: BTreeMap<u64, u64>,
    fresh: u64,
    used: u64,
}

/// A mapped object, as queue creation asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MappedObject {
    pub(crate) handle: u64,
    pub(crate) base: u64,
    pub(crate) len: u64,
}

impl DeviceMemory {
    /// ALLOC_MEMORY_OF_GPU.
    pub(crate) fn allocate(&self, argument: &mut AllocMemory) -> Result<(), Errno> {
        let flags = argument.flags;
        if argument.size == 0 {
            return Err(Errno::INVAL);
        }
        let size = argument
            .size
            .checked_next_multiple_of(PAGE)
            .ok_or(Errno::INVAL)?;
        let va = argument.va_addr;
        if !va.is_multiple_of(PAGE) {
            return Err(Errno::INVAL);
        }
        if va != 0 && (va < VA_BASE || va.checked_add(size).is_none_or(|end| end > VA_END)) {
            return Err(Errno::INVAL);
        }
        if va != 0 && self.view.is_shared(va, size) {
            return Err(Errno::ADDRINUSE);
        }
        let mut objects = self.reaped();
        // The first type bit that is set counts, in this order.
        let (store, offset) = if flags & (kfd::ALLOC_VRAM | kfd::ALLOC_GTT) != 0 {
            let offset = self.take(&mut objects, size)?;
            (Store::Memfd(offset), offset)
        } else if flags & kfd::ALLOC_USERPTR != 0 {
            if !argument.mmap_offset.is_multiple_of(PAGE) || argument.mmap_offset == 0 {
                return Err(Errno::INVAL);
            }
            (Store::User(argument.mmap_offset), argument.mmap_offset)
        } else if flags & kfd::ALLOC_DOORBELL != 0 {
            if size != kfd::DOORBELL_SLICE_BYTES {
                return Err(Errno::INVAL);
            }
            (Store::Doorbell, doorbell_offset())
        } else if flags & kfd::ALLOC_MMIO_REMAP != 0 {
            if size != PAGE {
                return Err(Errno::INVAL);
            }
            let offset = self.take(&mut objects, size)?;
            (Store::Mmio(offset), mmio_offset())
        } else {
            return Err(Errno::INVAL);
        };
        if let Some(at) = store.piece() {
            let piece = Piece {
                bytes: size,
                flags,
                holders: 1,
            };
            objects.pieces.insert(at, piece);
        }
        argument.handle = objects.insert(Object {
            va,
            size,
            flags,
            store,
            mapped: false,
            queues: 0,
            event_page: false,
        });
        argument.mmap_offset = offset;
        Ok(())
    }

    /// Takes `size` bytes of the memfd: first fit, then fresh ones.
    fn take(&self, objects: &mut Objects, size: u64) -> Result<u64, Errno> {
        if objects
            .used
            .checked_add(size)
            .is_none_or(|used| used > self.total)
        {
            return Err(Errno::NOMEM);
        }
        let fit = objects.free.iter().find(|&(_, &bytes)| bytes >= size);
        let offset = match fit.map(|(&at, &bytes)| (at, bytes)) {
            Some((at, bytes)) => {
                objects.free.remove(&at);
                if bytes > size {
                    objects.free.insert(at + size, bytes - size);
                }
                at
            }
            None => {
                let at = objects.fresh;
                if at + size > self.backing.bytes as u64 {
                    return Err(Errno::NOMEM);
                }
                objects.fresh = at + size;
                at
            }
        };
        objects.used += size;
        Ok(offset)
    }

    /// One less holds the piece at an offset; the last gives it back.
    pub(super) fn let_go(&self, objects: &mut Objects, offset: u64) {
        let Some(piece) = objects.pieces.get_mut(&offset) else {
            return;
        };
        piece.holders -= 1;
        if piece.holders == 0 {
            let size = piece.bytes;
            objects.pieces.remove(&offset);
            self.give_back(objects, offset, size);
        }
    }

    fn give_back(&self, objects: &mut Objects, offset: u64, size: u64) {
        self.backing.discard(offset, size);
        objects.used -= size;
        let (mut start, mut end) = (offset, offset + size);
        if let Some((&at, &bytes)) = objects.free.range(..start).next_back()
            && at + bytes == start
        {
            objects.free.remove(&at);
            start = at;
        }
        if let Some(bytes) = objects.free.remove(&end) {
            end += bytes;
        }
        objects.free.insert(start, end - start);
    }

    /// Takes bytes of the memfd for the device itself; they do not count as used and are not given back.
    pub(crate) fn reserve(&self, size: u64) -> Result<u64, Errno> {
        let mut objects = self.objects.lock();
        let offset = self.take(&mut objects, size)?;
        objects.used -= size;
        Ok(offset)
    }

    /// FREE_MEMORY_OF_GPU.
    pub(crate) fn free(&self, handle: u64) -> Result<(), Errno> {
        let mut objects = self.objects.lock();
        let object = objects.by_handle.get(&handle).ok_or(Errno::INVAL)?;
        if object.event_page {
            return Err(Errno::PERM);
        }
        if object.mapped {
            return Err(Errno::BUSY);
        }
        let object = objects.by_handle.remove(&handle).ok_or(Errno::INVAL)?;
        if let Some(offset) = object.store.piece() {
            self.let_go(&mut objects, offset);
        }
        Ok(())
    }

    /// MAP_MEMORY_TO_GPU for one device. Mapping what is mapped is no error. `doorbells` is where the
    /// doorbell slice lies in the memfd.
    pub(crate) fn map(&self, handle: u64, doorbells: u64) -> Result<(), Errno> {
        let mut objects = self.objects.lock();
        let object = objects.by_handle.get_mut(&handle).ok_or(Errno::NOMEM)?;
        if object.mapped {
            return Ok(());
        }
        if object.va != 0 {
            let (host, client) = match object.store {
                Store::Memfd(offset) | Store::Mmio(offset) => (self.backing.host(offset)?, false),
                Store::Doorbell => (self.backing.host(doorbells)?, false),
                Store::User(address) => (usize::try_from(address).map_err(|_| Errno::FAULT)?, true),
            };
            let mut rights = Rights::READ;
            rights.set(Rights::WRITE, object.flags & kfd::ALLOC_WRITABLE != 0);
            rights.set(Rights::EXECUTE, object.flags & kfd::ALLOC_EXECUTABLE != 0);
            self.view.insert(
                object.va,
                Range::new(object.size, host, rights, handle, client),
            )?;
        }
        object.mapped = true;
        Ok(())
    }

    /// UNMAP_MEMORY_FROM_GPU for one device. Waits for work-groups that run to come to a stop between two
    /// instructions, so afterwards nothing of the device touches the memory.
    pub(crate) fn unmap(&self, handle: u64) -> Result<(), Errno> {
        let mut objects = self.objects.lock();
        let object = objects.by_handle.get_mut(&handle).ok_or(Errno::NOMEM)?;
        if !object.mapped {
            return Err(Errno::INVAL);
        }
        if object.queues > 0 {
            return Err(Errno::BUSY);
        }
        object.mapped = false;
        let va = object.va;
        drop(objects);
        if va != 0 {
            self.view.remove(va);
        }
        Ok(())
    }

    /// Makes every range and object go away, at the end of the process's use of the device.
    pub(crate) fn clear(&self) {
        self.view.clear();
        let mut objects = self.objects.lock();
        for object in std::mem::take(&mut objects.by_handle).into_values() {
            if let Some(offset) = object.store.piece() {
                self.let_go(&mut objects, offset);
            }
        }
        self.close_all(&mut objects);
    }

    /// Marks an object as the page of events, and gives its place in the memfd.
    pub(crate) fn make_event_page(&self, handle: u64) -> Result<u64, Errno> {
        let mut objects = self.objects.lock();
        let object = objects.by_handle.get_mut(&handle).ok_or(Errno::INVAL)?;
        let Store::Memfd(offset) = object.store else {
            return Err(Errno::INVAL);
        };
        if object.size < kfd::EVENT_PAGE_BYTES {
            return Err(Errno::INVAL);
        }
        object.event_page = true;
        Ok(offset)
    }

    /// Counts a queue that uses an object, or no longer does.
    pub(crate) fn reference(&self, handle: u64, up: bool) {
        if let Some(object) = self.objects.lock().by_handle.get_mut(&handle) {
            object.queues = if up {
                object.queues + 1
            } else {
                object.queues.saturating_sub(1)
            };
        }
    }

    /// Bytes that can still be allocated.
    pub(crate) fn available(&self) -> u64 {
        self.total - self.reaped().used
    }

    /// Offset of the page of remapped registers, if the client has one.
    pub(crate) fn mmio(&self) -> Option<u64> {
        let objects = self.objects.lock();
        objects
            .by_handle
            .values()
            .find_map(|object| match object.store {
                Store::Mmio(offset) => Some(offset),
                _ => None,
            })
    }

    /// Whether a client may map `len` bytes at this offset of the render node with these protections.
    pub(super) fn check_client_mapping(
        &self,
        offset: u64,
        len: u64,
        protection: i32,
    ) -> Result<(), Errno> {
        let objects = self.objects.lock();
        let piece = objects
            .piece(offset)
            .filter(|piece| len <= piece.bytes)
            .ok_or(Errno::INVAL)?;
        // Device memory that is not public can be mapped, but not touched.
        let public = piece.flags & (kfd::ALLOC_PUBLIC | kfd::ALLOC_GTT) != 0;
        if public || protection == libc::PROT_NONE {
            Ok(())
        } else {
            Err(Errno::PERM)
        }
    }
}
