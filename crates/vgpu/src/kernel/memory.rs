//! Memory objects, and the device's own view of memory.
//!
//! VRAM and GTT are one sparse memfd: the same DRAM, as on an APU. The device has a mapping of all of it,
//! so it never depends on how the client maps an object, if at all. Userptr objects are host memory of
//! this process at the same address. What the device may see is a map from device address to host bytes
//! with rights; everything else is a fault.
//!
//! # Thread safety
//! Any thread. [`DeviceMemory::enter`] holds off the end of mappings while a work-group runs.
//!
//! # Unsafe code
//! The only place that turns addresses into pointers. It relies on: the memfd's mapping lives as long as
//! `DeviceMemory`; a userptr's pages are the client's to keep until it frees the object, as on silicon,
//! where breaking that is a fault of the client too.

#![expect(
    unsafe_code,
    reason = "guest memory is reached by address; see the module's head"
)]

use std::collections::BTreeMap;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use hrx_abi::kfd::{self, AllocMemory};
use hrx_gfx::exec::{AccessError, Region, Rights};
use parking_lot::{Mutex, RwLock, RwLockReadGuard};

use super::topology::GPU_ID;
use crate::Errno;

const PAGE: u64 = 4096;
/// First address that a client may use.
const VA_BASE: u64 = 0x100_0000;
/// First address behind the 47 bits that a client may use.
const VA_END: u64 = 1 << 47;
/// Instead of an object's handle: the range is reached through shared virtual memory.
const SHARED: u64 = 0;
/// Bytes of the memfd; sparse, so only address space is spent. Smaller ones are tried where address
/// space is limited.
const BACKING_BYTES: [usize; 3] = [1 << 40, 1 << 36, 1 << 33];

/// What stands behind an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Backing {
    /// Bytes of the memfd from this offset.
    Memfd(u64),
    /// Memory of the process at this address.
    User(u64),
    /// The doorbell slice.
    Doorbell,
    /// The page of remapped registers, an offset of the memfd.
    Mmio(u64),
}

/// A memory object.
#[derive(Clone, Debug)]
struct Object {
    va: u64,
    size: u64,
    flags: u32,
    backing: Backing,
    mapped: bool,
    /// Queues that were made with it.
    queues: u32,
    event_page: bool,
}

/// What the device sees at an address.
#[derive(Clone, Copy, Debug)]
struct Mapped {
    len: u64,
    host: usize,
    rights: Rights,
    handle: u64,
}

#[derive(Debug, Default)]
struct Objects {
    by_handle: BTreeMap<u64, Object>,
    next: u64,
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

/// Objects and the device's view.
#[derive(Debug)]
pub(crate) struct DeviceMemory {
    memfd: OwnedFd,
    device: NonNull<u8>,
    backing_bytes: usize,
    total: u64,
    ranges: RwLock<BTreeMap<u64, Mapped>>,
    epoch: AtomicU64,
    /// Read while a work-group runs; written, for a moment, when a mapping ends.
    runs: RwLock<()>,
    objects: Mutex<Objects>,
}

// SAFETY: `device` is the address of a mapping that this value owns until it is dropped; access through
// it is to memory that several agents share by design, and goes by atomics or raw copies.
unsafe impl Send for DeviceMemory {}
// SAFETY: as above.
unsafe impl Sync for DeviceMemory {}

impl DeviceMemory {
    /// `total` bytes of memory that objects may take.
    pub(crate) fn new(total: u64) -> std::io::Result<Self> {
        // SAFETY: the name is a C string; the call makes a new descriptor or fails.
        let fd = unsafe { libc::memfd_create(c"hrx-vgpu".as_ptr(), libc::MFD_CLOEXEC) };
        if fd < 0 {
            return Err(std::io::Error::last_os_error());
        }
        // SAFETY: `fd` is open, and nobody else owns it.
        let memfd = unsafe { OwnedFd::from_raw_fd(fd) };
        let mut error = std::io::Error::from_raw_os_error(libc::ENOMEM);
        for bytes in BACKING_BYTES {
            let length =
                libc::off_t::try_from(bytes).map_err(|_| std::io::ErrorKind::OutOfMemory)?;
            // SAFETY: sets the length of a file that only we have.
            if unsafe { libc::ftruncate(memfd.as_raw_fd(), length) } != 0 {
                error = std::io::Error::last_os_error();
                continue;
            }
            let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            // SAFETY: a new mapping at an address that the system picks touches nothing of ours.
            let device = unsafe {
                libc::mmap(
                    std::ptr::null_mut(),
                    bytes,
                    protection,
                    flags,
                    memfd.as_raw_fd(),
                    0,
                )
            };
            if device == libc::MAP_FAILED {
                error = std::io::Error::last_os_error();
                continue;
            }
            let device = NonNull::new(device.cast()).ok_or(std::io::ErrorKind::OutOfMemory)?;
            return Ok(Self {
                memfd,
                device,
                backing_bytes: bytes,
                total: total.min(bytes as u64),
                ranges: RwLock::default(),
                epoch: AtomicU64::new(1),
                runs: RwLock::new(()),
                objects: Mutex::new(Objects {
                    next: 1,
                    ..Objects::default()
                }),
            });
        }
        Err(error)
    }

    // ------------------------------------------------------------------- objects

    /// ALLOC_MEMORY_OF_GPU. `doorbell_offset` is what a doorbell object answers as its mmap offset.
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
        if va != 0 && self.is_shared(va, size) {
            return Err(Errno::ADDRINUSE);
        }
        let mut objects = self.objects.lock();
        // The first type bit that is set counts, in this order.
        let (backing, offset) = if flags & (kfd::ALLOC_VRAM | kfd::ALLOC_GTT) != 0 {
            let offset = self.take(&mut objects, size)?;
            (Backing::Memfd(offset), offset)
        } else if flags & kfd::ALLOC_USERPTR != 0 {
            if !argument.mmap_offset.is_multiple_of(PAGE) || argument.mmap_offset == 0 {
                return Err(Errno::INVAL);
            }
            (Backing::User(argument.mmap_offset), argument.mmap_offset)
        } else if flags & kfd::ALLOC_DOORBELL != 0 {
            if size != kfd::DOORBELL_SLICE_BYTES {
                return Err(Errno::INVAL);
            }
            (Backing::Doorbell, doorbell_offset())
        } else if flags & kfd::ALLOC_MMIO_REMAP != 0 {
            if size != PAGE {
                return Err(Errno::INVAL);
            }
            let offset = self.take(&mut objects, size)?;
            (
                Backing::Mmio(offset),
                kfd::MMAP_TYPE_MMIO << kfd::MMAP_TYPE_SHIFT | gpu_bits(),
            )
        } else {
            return Err(Errno::INVAL);
        };
        let handle = u64::from(GPU_ID) << 32 | objects.next;
        objects.next += 1;
        let object = Object {
            va,
            size,
            flags,
            backing,
            mapped: false,
            queues: 0,
            event_page: false,
        };
        objects.by_handle.insert(handle, object);
        argument.handle = handle;
        argument.mmap_offset = offset;
        Ok(())
    }

    /// Whether an object is mapped anywhere in the range.
    pub(crate) fn is_object(&self, base: u64, len: u64) -> bool {
        let Some(end) = base.checked_add(len) else {
            return true;
        };
        let ranges = self.ranges.read();
        let mut below = ranges
            .range(..end)
            .rev()
            .take_while(|(at, range)| *at + range.len > base);
        below.any(|(_, range)| range.handle != SHARED)
    }

    fn is_shared(&self, base: u64, len: u64) -> bool {
        let ranges = self.ranges.read();
        let below = ranges.range(..base + len).next_back();
        below.is_some_and(|(&at, range)| range.handle == SHARED && at + range.len > base)
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
        let fit = objects
            .free
            .iter()
            .find(|&(_, &bytes)| bytes >= size)
            .map(|(&at, &bytes)| (at, bytes));
        let offset = match fit {
            Some((at, bytes)) => {
                objects.free.remove(&at);
                if bytes > size {
                    objects.free.insert(at + size, bytes - size);
                }
                at
            }
            None => {
                let at = objects.fresh;
                if at + size > self.backing_bytes as u64 {
                    return Err(Errno::NOMEM);
                }
                objects.fresh = at + size;
                at
            }
        };
        objects.used += size;
        Ok(offset)
    }

    fn give_back(&self, objects: &mut Objects, offset: u64, size: u64) {
        let hole = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        if let (Ok(at), Ok(bytes)) = (libc::off_t::try_from(offset), libc::off_t::try_from(size)) {
            // SAFETY: gives pages of our own file back; whoever still maps them reads zeros.
            let _ = unsafe { libc::fallocate(self.memfd.as_raw_fd(), hole, at, bytes) };
        }
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
        if let Backing::Memfd(offset) | Backing::Mmio(offset) = object.backing {
            self.give_back(&mut objects, offset, object.size);
        }
        Ok(())
    }

    /// MAP_MEMORY_TO_GPU for one device. Mapping what is mapped is no error. `doorbells` is where the
    /// doorbell slice lies in the memfd.
    pub(crate) fn map(&self, handle: u64, doorbells: u64) -> Result<(), Errno> {
        if handle >> 32 != u64::from(GPU_ID) {
            return Err(Errno::INVAL);
        }
        let mut objects = self.objects.lock();
        let object = objects.by_handle.get_mut(&handle).ok_or(Errno::NOMEM)?;
        if object.mapped {
            return Ok(());
        }
        if object.va != 0 {
            let host = match object.backing {
                Backing::Memfd(offset) | Backing::Mmio(offset) => {
                    self.device.as_ptr().addr()
                        + usize::try_from(offset).map_err(|_| Errno::NOMEM)?
                }
                Backing::Doorbell => {
                    self.device.as_ptr().addr()
                        + usize::try_from(doorbells).map_err(|_| Errno::NOMEM)?
                }
                Backing::User(address) => usize::try_from(address).map_err(|_| Errno::FAULT)?,
            };
            let mut rights = Rights::READ;
            rights.set(Rights::WRITE, object.flags & kfd::ALLOC_WRITABLE != 0);
            rights.set(Rights::EXECUTE, object.flags & kfd::ALLOC_EXECUTABLE != 0);
            let range = Mapped {
                len: object.size,
                host,
                rights,
                handle,
            };
            let mut ranges = self.ranges.write();
            if overlaps(&ranges, object.va, object.size) {
                return Err(Errno::INVAL);
            }
            ranges.insert(object.va, range);
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
            self.ranges.write().remove(&va);
            self.new_epoch();
        }
        Ok(())
    }

    fn new_epoch(&self) {
        // Release: a wave that sees the new epoch asks again, and no longer finds the range.
        self.epoch.fetch_add(1, Ordering::AcqRel);
        drop(self.runs.write());
    }

    /// Makes the ranges that the device reaches through shared virtual memory exactly these: start, bytes
    /// and rights. Fails where one lies over an object's mapping.
    pub(crate) fn set_shared(&self, shared: &[(u64, u64, Rights)]) -> Result<(), Errno> {
        let mut ranges = self.ranges.write();
        ranges.retain(|_, range| range.handle != SHARED);
        let mut result = Ok(());
        for &(start, len, rights) in shared {
            let Ok(host) = usize::try_from(start) else {
                continue;
            };
            if overlaps(&ranges, start, len) {
                result = Err(Errno::ADDRINUSE);
                continue;
            }
            ranges.insert(
                start,
                Mapped {
                    len,
                    host,
                    rights,
                    handle: SHARED,
                },
            );
        }
        drop(ranges);
        self.new_epoch();
        result
    }

    /// Takes bytes of the memfd for the device itself.
    pub(crate) fn reserve(&self, size: u64) -> Result<u64, Errno> {
        let mut objects = self.objects.lock();
        let offset = self.take(&mut objects, size)?;
        objects.used -= size;
        Ok(offset)
    }

    /// Makes every range of the device go away, at the end of the process's use of it.
    pub(crate) fn clear(&self) {
        self.ranges.write().clear();
        self.new_epoch();
        let mut objects = self.objects.lock();
        let all: Vec<_> = std::mem::take(&mut objects.by_handle)
            .into_values()
            .collect();
        for object in all {
            if let Backing::Memfd(offset) | Backing::Mmio(offset) = object.backing {
                self.give_back(&mut objects, offset, object.size);
            }
        }
    }

    /// Marks an object as the page of events, and gives the host address of its bytes.
    pub(crate) fn make_event_page(&self, handle: u64) -> Result<u64, Errno> {
        let mut objects = self.objects.lock();
        let object = objects.by_handle.get_mut(&handle).ok_or(Errno::INVAL)?;
        let Backing::Memfd(offset) = object.backing else {
            return Err(Errno::INVAL);
        };
        if object.size < kfd::EVENT_PAGE_BYTES {
            return Err(Errno::INVAL);
        }
        object.event_page = true;
        Ok(offset)
    }

    /// The mapped object that holds `address`.
    pub(crate) fn object_at(&self, address: u64) -> Option<MappedObject> {
        let ranges = self.ranges.read();
        let (&base, range) = ranges.range(..=address).next_back()?;
        (range.handle != SHARED && address - base < range.len).then_some(MappedObject {
            handle: range.handle,
            base,
            len: range.len,
        })
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

    /// Bytes that there are.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Bytes that can still be allocated.
    pub(crate) fn available(&self) -> u64 {
        self.total - self.objects.lock().used
    }

    /// Maps an object of the render node into the client's address space.
    ///
    /// # Safety
    /// As `mmap(2)` with these arguments: with MAP_FIXED, `[address, address + len)` is the caller's to
    /// replace.
    pub(crate) unsafe fn map_for_client(
        &self,
        address: usize,
        len: usize,
        protection: i32,
        flags: i32,
        offset: u64,
    ) -> Result<usize, Errno> {
        let fits = {
            let objects = self.objects.lock();
            objects
                .by_handle
                .values()
                .any(|object| match object.backing {
                    Backing::Memfd(at) => at == offset && len as u64 <= object.size,
                    _ => false,
                })
        };
        if !fits {
            return Err(Errno::INVAL);
        }
        // SAFETY: handed on.
        unsafe { self.map_backing(address, len, protection, flags, offset) }
    }

    /// Offset of the page of remapped registers, if the client has one.
    pub(crate) fn mmio(&self) -> Option<u64> {
        let objects = self.objects.lock();
        objects
            .by_handle
            .values()
            .find_map(|object| match object.backing {
                Backing::Mmio(offset) => Some(offset),
                _ => None,
            })
    }

    /// `munmap(2)` of a client's mapping.
    ///
    /// # Safety
    /// The range is the caller's mapping, and nobody uses it any more.
    pub(crate) unsafe fn unmap_for_client(address: usize, len: usize) -> Result<(), Errno> {
        // SAFETY: the caller's promise is the one that the call asks for.
        let status = unsafe { libc::munmap(std::ptr::without_provenance_mut(address), len) };
        if status == 0 {
            Ok(())
        } else {
            Err(Errno::last())
        }
    }

    /// Maps bytes of the memfd into the client's address space, whatever they are.
    ///
    /// # Safety
    /// As [`DeviceMemory::map_for_client`].
    pub(crate) unsafe fn map_backing(
        &self,
        address: usize,
        len: usize,
        protection: i32,
        flags: i32,
        offset: u64,
    ) -> Result<usize, Errno> {
        let offset = libc::off_t::try_from(offset).map_err(|_| Errno::INVAL)?;
        // SAFETY: the caller keeps what `mmap` asks; the file is the memfd, and `offset` lies in it.
        let mapped = unsafe {
            libc::mmap(
                std::ptr::without_provenance_mut(address),
                len,
                protection,
                flags,
                self.memfd.as_raw_fd(),
                offset,
            )
        };
        if mapped == libc::MAP_FAILED {
            Err(Errno::last())
        } else {
            Ok(mapped.addr())
        }
    }

    // ------------------------------------------------------------------- the device's view

    /// Held while a work-group runs: no mapping ends meanwhile.
    pub(crate) fn enter(&self) -> RwLockReadGuard<'_, ()> {
        self.runs.read()
    }

    pub(crate) fn epoch(&self) -> u64 {
        // Acquire: pairs with `new_epoch`.
        self.epoch.load(Ordering::Acquire)
    }

    pub(crate) fn region(&self, address: u64) -> Option<Region> {
        let ranges = self.ranges.read();
        let (&base, range) = ranges.range(..=address).next_back()?;
        (address - base < range.len).then_some(Region {
            base,
            len: range.len,
            host: std::ptr::with_exposed_provenance_mut(range.host),
            rights: range.rights,
        })
    }

    /// Host address of `len` device bytes that one range holds.
    fn translate(&self, address: u64, len: u64, need: Rights) -> Result<*mut u8, AccessError> {
        let region = self.region(address).ok_or(AccessError::NotPresent)?;
        let at = address - region.base;
        if len > region.len - at {
            return Err(AccessError::NotPresent);
        }
        if !region.rights.contains(need) {
            return Err(AccessError::ReadOnly);
        }
        let at = usize::try_from(at).map_err(|_| AccessError::NotPresent)?;
        Ok(region.host.wrapping_add(at))
    }

    /// A 64-bit word of device memory; `None` if it is misaligned, unmapped or not writable.
    pub(crate) fn word64(&self, address: u64) -> Option<&AtomicU64> {
        if !address.is_multiple_of(8) {
            return None;
        }
        let host = self.translate(address, 8, Rights::WRITE).ok()?;
        // SAFETY: 8 mapped bytes, aligned (pages are, and `address` is); the memory is shared between
        // agents and only touched by atomics or device copies; it outlives the borrow by the promises in
        // the module's head.
        Some(unsafe { AtomicU64::from_ptr(host.cast()) })
    }

    /// A 32-bit word of device memory; `None` as for [`DeviceMemory::word64`].
    pub(crate) fn word32(&self, address: u64) -> Option<&AtomicU32> {
        if !address.is_multiple_of(4) {
            return None;
        }
        let host = self.translate(address, 4, Rights::WRITE).ok()?;
        // SAFETY: as in `word64`, with four bytes.
        Some(unsafe { AtomicU32::from_ptr(host.cast()) })
    }

    /// Reads device memory as `N` 32-bit words.
    pub(crate) fn read_words<const N: usize>(&self, address: u64) -> Option<[u32; N]> {
        if !address.is_multiple_of(4) {
            return None;
        }
        let host = self.translate(address, 4 * N as u64, Rights::READ).ok()?;
        let mut words = [0; N];
        for (index, word) in words.iter_mut().enumerate() {
            let place = host.cast::<u32>().wrapping_add(index);
            // SAFETY: one of the `N` mapped, aligned words.
            let source = unsafe { AtomicU32::from_ptr(place) };
            *word = source.load(Ordering::Relaxed);
        }
        Some(words)
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        // SAFETY: our mapping, and nothing borrows from `self` any more.
        let _ = unsafe { libc::munmap(self.device.as_ptr().cast(), self.backing_bytes) };
    }
}

impl DeviceMemory {
    /// A word of the memfd, by offset: the event page.
    pub(crate) fn backing_word(&self, offset: u64) -> &AtomicU64 {
        assert!(
            offset.is_multiple_of(8) && offset + 8 <= self.backing_bytes as u64,
            "a word of the memfd"
        );
        let at = usize::try_from(offset).expect("an offset of a mapping");
        // SAFETY: an aligned word of the memfd's mapping, which lives as long as `self`.
        unsafe { AtomicU64::from_ptr(self.device.as_ptr().wrapping_add(at).cast()) }
    }
}

/// Offset at which a client maps the doorbell slice.
pub(crate) fn doorbell_offset() -> u64 {
    kfd::MMAP_TYPE_DOORBELL << kfd::MMAP_TYPE_SHIFT | gpu_bits()
}

fn gpu_bits() -> u64 {
    u64::from(GPU_ID) << kfd::MMAP_GPU_ID_SHIFT
}

fn overlaps(ranges: &BTreeMap<u64, Mapped>, base: u64, len: u64) -> bool {
    ranges
        .range(..base + len)
        .next_back()
        .is_some_and(|(&at, range)| at + range.len > base)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> DeviceMemory {
        DeviceMemory::new(1 << 24).expect("a memfd")
    }

    fn object(memory: &DeviceMemory, va: u64, size: u64, flags: u32) -> Result<u64, Errno> {
        let mut argument = AllocMemory {
            va_addr: va,
            size,
            flags,
            gpu_id: GPU_ID,
            ..AllocMemory::default()
        };
        memory.allocate(&mut argument).map(|()| argument.handle)
    }

    const VRAM: u32 = kfd::ALLOC_VRAM | kfd::ALLOC_WRITABLE;

    #[test]
    fn only_what_is_mapped_is_seen_with_its_rights() {
        let memory = memory();
        let writable = object(&memory, 0x200_0000, 8192, VRAM).expect("room");
        let read_only = object(&memory, 0x300_0000, 4096, kfd::ALLOC_GTT).expect("room");
        assert!(memory.word64(0x200_0000).is_none(), "not mapped yet");
        memory.map(writable, 0).expect("maps");
        memory.map(read_only, 0).expect("maps");
        assert!(memory.word64(0x200_1ff8).is_some());
        assert!(memory.word64(0x200_2000).is_none(), "behind the end");
        assert!(memory.word64(0x200_0004).is_none(), "misaligned");
        assert!(memory.word64(0x300_0000).is_none(), "read-only");
        assert_eq!(memory.read_words::<2>(0x300_0000), Some([0, 0]));
        let before = memory.epoch();
        memory.unmap(writable).expect("was mapped");
        assert!(memory.word64(0x200_0000).is_none());
        assert!(memory.epoch() > before);
    }

    #[test]
    fn the_kernels_refusals() {
        let memory = memory();
        assert_eq!(object(&memory, 0x200_0000, 0, VRAM), Err(Errno::INVAL));
        assert_eq!(object(&memory, 0x200_0800, 4096, VRAM), Err(Errno::INVAL));
        assert_eq!(object(&memory, 0x1000, 4096, VRAM), Err(Errno::INVAL));
        assert_eq!(
            object(&memory, 0x200_0000, 4096, kfd::ALLOC_WRITABLE),
            Err(Errno::INVAL)
        );
        assert_eq!(
            object(&memory, 0x200_0000, 4096, kfd::ALLOC_DOORBELL),
            Err(Errno::INVAL)
        );
        assert_eq!(
            object(&memory, 0x200_0000, 1 << 25, VRAM),
            Err(Errno::NOMEM)
        );
        let first = object(&memory, 0x200_0000, 4096, VRAM).expect("room");
        assert_eq!(memory.unmap(first), Err(Errno::INVAL), "not mapped");
        memory.map(first, 0).expect("maps");
        memory.map(first, 0).expect("mapping twice is no error");
        assert_eq!(memory.free(first), Err(Errno::BUSY), "still mapped");
        let over =
            object(&memory, 0x200_0000, 4096, VRAM).expect("objects may overlap, mappings not");
        assert_eq!(memory.map(over, 0), Err(Errno::INVAL));
        memory.reference(first, true);
        assert_eq!(memory.unmap(first), Err(Errno::BUSY), "a queue uses it");
        memory.reference(first, false);
        memory.unmap(first).expect("free of queues");
        memory.free(first).expect("unmapped");
        assert_eq!(memory.free(first), Err(Errno::INVAL));
        assert_eq!(memory.map(first, 0), Err(Errno::NOMEM));
    }

    #[test]
    fn freed_memory_comes_back_as_zeros() {
        let memory = memory();
        let room = memory.available();
        for _ in 0..3 {
            let a = object(&memory, 0x200_0000, 1 << 20, VRAM).expect("room");
            let b = object(&memory, 0x400_0000, 1 << 23, VRAM).expect("room");
            memory.map(a, 0).expect("maps");
            let word = memory.word64(0x200_0000).expect("mapped");
            assert_eq!(word.swap(7, Ordering::Relaxed), 0);
            memory.unmap(a).expect("mapped");
            memory.free(a).expect("unmapped");
            memory.free(b).expect("never mapped");
            assert_eq!(memory.available(), room);
        }
    }
}
