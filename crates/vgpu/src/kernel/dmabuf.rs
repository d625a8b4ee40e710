//! Dmabufs: descriptors that stand for memory of the device.
//!
//! A dmabuf is a descriptor of the process, since that is what clients pass around: an empty file in memory
//! as long as the buffer, known by its device and inode number, whatever duplicate of it comes back. The
//! system tells when the last duplicate was closed, and only then is the buffer's memory let go.
//!
//! # Thread safety
//! As its owner's lock.
//!
//! # Unsafe code
//! System calls on descriptors of our own, and `fstat` of a client's.

#![expect(unsafe_code, reason = "system calls without a safe wrapper in std")]

use std::collections::BTreeMap;
use std::ffi::CString;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};

use crate::Errno;

/// Device and inode number of a file.
type Identity = (u64, u64);

/// Dmabufs that are open somewhere.
#[derive(Debug, Default)]
pub(super) struct Dmabufs {
    /// Offset in the device's memory of each, and the watch over its end.
    open: BTreeMap<Identity, (u64, i32)>,
    watches: Option<OwnedFd>,
}

impl Dmabufs {
    /// Makes a descriptor for `bytes` of memory at `offset`.
    pub(super) fn export(&mut self, offset: u64, bytes: u64, flags: u32) -> Result<RawFd, Errno> {
        let close_on_exec = flags & libc::O_CLOEXEC.cast_unsigned() != 0;
        let memfd_flags = if close_on_exec { libc::MFD_CLOEXEC } else { 0 };
        // SAFETY: a name that ends in zero.
        let fd = unsafe { libc::memfd_create(c"hrx-vgpu-dmabuf".as_ptr(), memfd_flags) };
        if fd < 0 {
            return Err(Errno::last());
        }
        // SAFETY: a new descriptor that nobody else owns.
        let file = unsafe { OwnedFd::from_raw_fd(fd) };
        let length = libc::off_t::try_from(bytes).map_err(|_| Errno::INVAL)?;
        // SAFETY: sets the length of a file that only we have: clients seek to its end to learn it.
        if unsafe { libc::ftruncate(file.as_raw_fd(), length) } != 0 {
            return Err(Errno::last());
        }
        let identity = identity(file.as_raw_fd()).ok_or(Errno::INVAL)?;
        let watch = self.watch(file.as_raw_fd())?;
        self.open.insert(identity, (offset, watch));
        Ok(file.into_raw_fd())
    }

    /// Offset of the memory that a descriptor stands for.
    pub(super) fn find(&self, fd: RawFd) -> Option<u64> {
        let (offset, _) = self.open.get(&identity(fd)?)?;
        Some(*offset)
    }

    /// Forgets dmabufs that have been closed; the offsets of their memory.
    pub(super) fn reap(&mut self) -> Vec<u64> {
        let Some(watches) = self.watches.as_ref().filter(|_| !self.open.is_empty()) else {
            return Vec::new();
        };
        let mut gone = Vec::new();
        // Events without names: each is just the header.
        let mut events = [0u8; 16 * size_of::<libc::inotify_event>()];
        loop {
            // SAFETY: as many bytes as the buffer has.
            let read = unsafe {
                libc::read(
                    watches.as_raw_fd(),
                    events.as_mut_ptr().cast(),
                    events.len(),
                )
            };
            let Ok(read @ 1..) = usize::try_from(read) else {
                return gone;
            };
            for event in events[..read].chunks_exact(size_of::<libc::inotify_event>()) {
                let watch: i32 = bytemuck::pod_read_unaligned(&event[..4]);
                self.open.retain(|_, (offset, other)| {
                    let closed = *other == watch;
                    if closed {
                        gone.push(*offset);
                    }
                    !closed
                });
            }
        }
    }

    /// Asks the system to tell when a file is closed for good.
    fn watch(&mut self, fd: RawFd) -> Result<i32, Errno> {
        if self.watches.is_none() {
            // SAFETY: makes a new descriptor or fails.
            let watches = unsafe { libc::inotify_init1(libc::IN_NONBLOCK | libc::IN_CLOEXEC) };
            if watches < 0 {
                return Err(Errno::last());
            }
            // SAFETY: a new descriptor that nobody else owns.
            self.watches = Some(unsafe { OwnedFd::from_raw_fd(watches) });
        }
        let watches = self.watches.as_ref().map_or(-1, AsRawFd::as_raw_fd);
        let path = CString::new(format!("/proc/self/fd/{fd}")).map_err(|_| Errno::INVAL)?;
        let closes = libc::IN_CLOSE_WRITE | libc::IN_CLOSE_NOWRITE | libc::IN_ONESHOT;
        // SAFETY: a path that ends in zero.
        let watch = unsafe { libc::inotify_add_watch(watches, path.as_ptr(), closes) };
        if watch < 0 {
            return Err(Errno::last());
        }
        Ok(watch)
    }
}

fn identity(fd: RawFd) -> Option<Identity> {
    let mut status = std::mem::MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: room for a status. A descriptor that is not open is an error.
    if unsafe { libc::fstat(fd, status.as_mut_ptr()) } != 0 {
        return None;
    }
    // SAFETY: all zeros is a status, and the call wrote nothing else.
    let status = unsafe { status.assume_init() };
    Some((status.st_dev, status.st_ino))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(fd: RawFd) {
        // SAFETY: a descriptor that the test owns.
        unsafe { libc::close(fd) };
    }

    #[test]
    fn a_buffer_is_known_by_any_duplicate_until_the_last_is_closed() {
        let mut dmabufs = Dmabufs::default();
        let fd = dmabufs.export(0x5000, 0x2000, 0).expect("descriptors");
        let other = dmabufs.export(0x9000, 0x1000, 0).expect("descriptors");
        // SAFETY: a descriptor that the test owns.
        let copy = unsafe { libc::dup(fd) };
        assert_eq!(dmabufs.find(copy), Some(0x5000));
        assert_eq!(dmabufs.find(other), Some(0x9000));
        // SAFETY: as above.
        assert_eq!(unsafe { libc::lseek(copy, 0, libc::SEEK_END) }, 0x2000);
        close(fd);
        assert_eq!(dmabufs.reap(), [], "a duplicate is open");
        close(copy);
        assert_eq!(dmabufs.reap(), [0x5000]);
        assert_eq!(dmabufs.reap(), []);
        assert_eq!(dmabufs.find(other), Some(0x9000));
        assert_eq!(dmabufs.find(-1), None);
        close(other);
    }
}
