//! Memory under its other names: dmabufs, and handles of the render node.
//!
//! A piece of memory stays while an object, a handle or a dmabuf holds it. Handles belong to the process;
//! the same dmabuf gives the same handle. A handle's mappings for the device end with it.

use std::collections::BTreeMap;
use std::os::fd::RawFd;

use hrx_abi::drm::{self, GemVa};
use hrx_gfx::exec::Rights;
use parking_lot::MutexGuard;

use super::object::{Objects, Piece};
use super::view::Range;
use super::{DeviceMemory, PAGE};
use crate::Errno;
use crate::kernel::dmabuf::Dmabufs;

/// Marks a range of the view as a handle's; objects have smaller handles.
const MARK: u64 = 1 << 63;

/// Handles and dmabufs.
#[derive(Debug, Default)]
pub(super) struct Gem {
    by_handle: BTreeMap<u32, Buffer>,
    dmabufs: Dmabufs,
}

/// What a handle stands for.
#[derive(Debug)]
struct Buffer {
    /// Of its piece.
    offset: u64,
    /// Device addresses at which it is mapped.
    mapped: Vec<u64>,
}

impl DeviceMemory {
    /// The objects, after what closed dmabufs held has been let go.
    pub(super) fn reaped(&self) -> MutexGuard<'_, Objects> {
        let mut objects = self.objects.lock();
        for offset in objects.gem.dmabufs.reap() {
            self.let_go(&mut objects, offset);
        }
        objects
    }

    /// EXPORT_DMABUF: a descriptor for an object's memory.
    pub(crate) fn export_object(&self, handle: u64, flags: u32) -> Result<RawFd, Errno> {
        let mut objects = self.reaped();
        let offset = objects.shareable(handle)?;
        export(&mut objects, offset, flags)
    }

    /// GET_DMABUF_INFO: bytes, and the `ALLOC_` bits that it was made with.
    pub(crate) fn dmabuf_info(&self, fd: RawFd) -> Result<(u64, u32), Errno> {
        let objects = self.objects.lock();
        let offset = objects.gem.dmabufs.find(fd).ok_or(Errno::INVAL)?;
        let piece = objects.piece(offset).ok_or(Errno::INVAL)?;
        Ok((piece.bytes, piece.flags))
    }

    /// IMPORT_DMABUF: a new object over a dmabuf's memory.
    pub(crate) fn import_object(&self, fd: RawFd, va: u64) -> Result<u64, Errno> {
        let mut objects = self.objects.lock();
        let offset = objects.gem.dmabufs.find(fd).ok_or(Errno::INVAL)?;
        if !va.is_multiple_of(PAGE) {
            return Err(Errno::INVAL);
        }
        objects.adopt(offset, va)
    }

    /// PRIME_FD_TO_HANDLE.
    pub(crate) fn open_dmabuf(&self, fd: RawFd) -> Result<u32, Errno> {
        let mut objects = self.objects.lock();
        let offset = objects.gem.dmabufs.find(fd).ok_or(Errno::INVAL)?;
        let known = objects.gem.by_handle.iter();
        if let Some((&handle, _)) = known.clone().find(|(_, buffer)| buffer.offset == offset) {
            return Ok(handle);
        }
        let used = &objects.gem.by_handle;
        let handle = (1..u32::MAX).find(|handle| !used.contains_key(handle));
        let handle = handle.ok_or(Errno::NOMEM)?;
        objects.hold(offset);
        let buffer = Buffer {
            offset,
            mapped: Vec::new(),
        };
        objects.gem.by_handle.insert(handle, buffer);
        Ok(handle)
    }

    /// PRIME_HANDLE_TO_FD.
    pub(crate) fn export_buffer(&self, handle: u32, flags: u32) -> Result<RawFd, Errno> {
        let mut objects = self.reaped();
        let offset = buffer(&objects, handle)?.offset;
        export(&mut objects, offset, flags)
    }

    /// GEM_CLOSE.
    pub(crate) fn close_buffer(&self, handle: u32) -> Result<(), Errno> {
        let mut objects = self.objects.lock();
        let buffer = objects.gem.by_handle.remove(&handle).ok_or(Errno::INVAL)?;
        for &address in &buffer.mapped {
            self.view.remove(address);
        }
        self.let_go(&mut objects, buffer.offset);
        Ok(())
    }

    /// GEM_MMAP: the offset at which the render node maps a buffer.
    pub(crate) fn buffer_offset(&self, handle: u32) -> Result<u64, Errno> {
        Ok(buffer(&self.objects.lock(), handle)?.offset)
    }

    /// Bytes of a buffer, and the `ALLOC_` bits that it was made with.
    pub(crate) fn buffer_info(&self, handle: u32) -> Result<(u64, u32), Errno> {
        let objects = self.objects.lock();
        let Piece { bytes, flags, .. } = piece(&objects, handle)?;
        Ok((bytes, flags))
    }

    /// GEM_VA: maps a part of a buffer for the device, or unmaps it.
    pub(crate) fn map_buffer(&self, argument: &GemVa) -> Result<(), Errno> {
        let (va, bytes) = (argument.va_address, argument.map_size);
        let whole = |value: u64| value.is_multiple_of(PAGE);
        if !whole(va) || !whole(bytes) || !whole(argument.offset_in_bo) || bytes == 0 {
            return Err(Errno::INVAL);
        }
        let mut objects = self.objects.lock();
        match argument.operation {
            drm::VA_OP_UNMAP => {
                let buffer = objects.gem.by_handle.get_mut(&argument.handle);
                let buffer = buffer.ok_or(Errno::NOENT)?;
                let place = buffer.mapped.iter().position(|&address| address == va);
                buffer.mapped.swap_remove(place.ok_or(Errno::NOENT)?);
                self.view.remove(va);
                Ok(())
            }
            drm::VA_OP_CLEAR => {
                self.clear_mappings(&mut objects, va, bytes);
                Ok(())
            }
            drm::VA_OP_MAP | drm::VA_OP_REPLACE => {
                let piece = piece(&objects, argument.handle)?;
                let last = argument.offset_in_bo.checked_add(bytes);
                if last.is_none_or(|last| last > piece.bytes) {
                    return Err(Errno::INVAL);
                }
                if argument.operation == drm::VA_OP_REPLACE {
                    self.clear_mappings(&mut objects, va, bytes);
                }
                let buffer = objects.gem.by_handle.get_mut(&argument.handle);
                let buffer = buffer.ok_or(Errno::NOENT)?;
                let host = self.backing.host(buffer.offset + argument.offset_in_bo)?;
                let mut rights = Rights::empty();
                let granted = [
                    (drm::VM_PAGE_READABLE, Rights::READ),
                    (drm::VM_PAGE_WRITEABLE, Rights::WRITE),
                    (drm::VM_PAGE_EXECUTABLE, Rights::EXECUTE),
                ];
                for (bit, right) in granted {
                    rights.set(right, argument.flags & bit != 0);
                }
                let mark = MARK | u64::from(argument.handle);
                let range = Range::new(bytes, host, rights, mark, false);
                self.view.insert(va, range)?;
                buffer.mapped.push(va);
                Ok(())
            }
            _ => Err(Errno::INVAL),
        }
    }

    /// Ends the mappings of buffers that begin in a range.
    fn clear_mappings(&self, objects: &mut Objects, va: u64, bytes: u64) {
        let end = va.saturating_add(bytes);
        for buffer in objects.gem.by_handle.values_mut() {
            buffer.mapped.retain(|&address| {
                let gone = (va..end).contains(&address);
                if gone {
                    self.view.remove(address);
                }
                !gone
            });
        }
    }

    /// Lets go of all handles, at the end of the process's use of the device; their mappings are gone.
    pub(super) fn close_all(&self, objects: &mut Objects) {
        for buffer in std::mem::take(&mut objects.gem.by_handle).into_values() {
            self.let_go(objects, buffer.offset);
        }
    }
}

fn buffer(objects: &Objects, handle: u32) -> Result<&Buffer, Errno> {
    objects.gem.by_handle.get(&handle).ok_or(Errno::NOENT)
}

fn piece(objects: &Objects, handle: u32) -> Result<Piece, Errno> {
    objects
        .piece(buffer(objects, handle)?.offset)
        .ok_or(Errno::NOENT)
}

fn export(objects: &mut Objects, offset: u64, flags: u32) -> Result<RawFd, Errno> {
    let bytes = objects.piece(offset).ok_or(Errno::INVAL)?.bytes;
    let fd = objects.gem.dmabufs.export(offset, bytes, flags)?;
    objects.hold(offset);
    Ok(fd)
}
