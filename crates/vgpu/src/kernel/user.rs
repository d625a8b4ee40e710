//! Copies from and to the client's memory, as a kernel does them: a bad address is `EFAULT`, not a crash.
//!
//! # Unsafe code
//! `process_vm_readv` and `process_vm_writev` on our own process: the system checks the client's side. The
//! other side is a slice of ours.

#![expect(unsafe_code, reason = "system calls on addresses that a client named")]

use bytemuck::Pod;

use crate::Errno;

/// Most elements that one call may pass in an array: far above any honest client, far below a length
/// that would exhaust memory.
const ELEMENTS_MAX: u32 = 1 << 16;

/// Reads `count` values at a client's address.
pub(super) fn read_array<T: Pod>(address: u64, count: u32) -> Result<Vec<T>, Errno> {
    if count > ELEMENTS_MAX {
        return Err(Errno::NOMEM);
    }
    let mut values = vec![T::zeroed(); count as usize];
    copy_in(address, bytemuck::cast_slice_mut(&mut values))?;
    Ok(values)
}

/// Writes values to a client's address.
pub(super) fn write<T: Pod>(address: u64, values: &[T]) -> Result<(), Errno> {
    copy_out(address, bytemuck::cast_slice(values))
}

fn range(address: u64, bytes: usize) -> Result<libc::iovec, Errno> {
    let address = usize::try_from(address).map_err(|_| Errno::FAULT)?;
    Ok(libc::iovec {
        iov_base: std::ptr::without_provenance_mut(address),
        iov_len: bytes,
    })
}

fn copy_in(address: u64, bytes: &mut [u8]) -> Result<(), Errno> {
    if bytes.is_empty() {
        return Ok(());
    }
    let remote = range(address, bytes.len())?;
    let local = libc::iovec {
        iov_base: bytes.as_mut_ptr().cast(),
        iov_len: bytes.len(),
    };
    // SAFETY: `local` is a live slice of ours that the call may fill; `remote` is only checked by the
    // system, which answers EFAULT for what is not there.
    let copied = unsafe { libc::process_vm_readv(process(), &local, 1, &remote, 1, 0) };
    complete(copied, bytes.len())
}

fn copy_out(address: u64, bytes: &[u8]) -> Result<(), Errno> {
    if bytes.is_empty() {
        return Ok(());
    }
    let remote = range(address, bytes.len())?;
    let local = libc::iovec {
        iov_base: bytes.as_ptr().cast_mut().cast(),
        iov_len: bytes.len(),
    };
    // SAFETY: `local` is a live slice that the call only reads; `remote` is a range that the client named
    // for this answer, and the system answers EFAULT if it is not there or not writable.
    let copied = unsafe { libc::process_vm_writev(process(), &local, 1, &remote, 1, 0) };
    complete(copied, bytes.len())
}

fn complete(copied: isize, expected: usize) -> Result<(), Errno> {
    if usize::try_from(copied) == Ok(expected) {
        Ok(())
    } else {
        Err(Errno::FAULT)
    }
}

/// This process.
fn process() -> libc::pid_t {
    // SAFETY: has no arguments and cannot fail.
    unsafe { libc::getpid() }
}

/// Whether host memory is there, cheaply: all of it is mapped, and its first and last byte can be read.
/// What lies between could still be protected; who does that to memory of a device is at fault.
pub(super) fn is_mapped(address: usize, len: u64) -> bool {
    let Ok(bytes) = usize::try_from(len) else {
        return false;
    };
    let start: *mut libc::c_void = std::ptr::without_provenance_mut(address);
    // SAFETY: MS_ASYNC changes nothing; the call only looks whether the range is mapped.
    if unsafe { libc::msync(start, bytes, libc::MS_ASYNC) } != 0 {
        return false;
    }
    let mut ends = [0u8; 2];
    let local = libc::iovec {
        iov_base: ends.as_mut_ptr().cast(),
        iov_len: ends.len(),
    };
    let byte = |at: usize| libc::iovec {
        iov_base: start.wrapping_byte_add(at),
        iov_len: 1,
    };
    let remote = [byte(0), byte(bytes.saturating_sub(1))];
    // SAFETY: `local` is two bytes of ours; the remote side is only checked by the system.
    let copied = unsafe { libc::process_vm_readv(process(), &local, 1, remote.as_ptr(), 2, 0) };
    complete(copied, ends.len()).is_ok()
}

/// What is mapped in this process, as of one moment.
pub(super) struct Pages {
    maps: String,
}

impl Pages {
    /// Reads the process's mappings.
    pub(super) fn read() -> Result<Self, Errno> {
        let maps = std::fs::read_to_string("/proc/self/maps").map_err(|_| Errno::FAULT)?;
        Ok(Self { maps })
    }

    /// Whether all pages of `[address, address + len)` can be read, and written if `write`: what the
    /// kernel finds out when it takes pages for a device.
    ///
    /// # Errors
    /// `EFAULT` where nothing readable is mapped, `EPERM` where it cannot be written.
    pub(super) fn check(&self, address: u64, len: u64, write: bool) -> Result<(), Errno> {
        let end = address.checked_add(len).ok_or(Errno::FAULT)?;
        let mut at = address;
        for (first, last, rights) in self.maps.lines().filter_map(mapping) {
            if last <= at {
                continue;
            }
            if first > at || rights.first() != Some(&b'r') {
                return Err(Errno::FAULT);
            }
            if write && rights.get(1) != Some(&b'w') {
                return Err(Errno::PERM);
            }
            at = last;
            if at >= end {
                return Ok(());
            }
        }
        Err(Errno::FAULT)
    }
}

/// First address, end and rights of a line of `/proc/self/maps`.
fn mapping(line: &str) -> Option<(u64, u64, &[u8])> {
    let mut fields = line.split(' ');
    let (first, last) = fields.next()?.split_once('-')?;
    let rights = fields.next()?.as_bytes();
    Some((
        u64::from_str_radix(first, 16).ok()?,
        u64::from_str_radix(last, 16).ok()?,
        rights,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_address_is_an_error_and_a_good_one_is_copied() {
        let mut values = [1u32, 2, 3];
        let address = values.as_mut_ptr().expose_provenance() as u64;
        assert_eq!(read_array::<u32>(address, 3), Ok(vec![1, 2, 3]));
        assert_eq!(write(address, &[9u32]), Ok(()));
        assert_eq!(read_array::<u32>(address, 1), Ok(vec![9]));
        assert_eq!(values[0], 9);
        for bad in [0, 0x10, u64::MAX - 1] {
            assert_eq!(read_array::<u32>(bad, 1), Err(Errno::FAULT));
            assert_eq!(write(bad, &[0u32]), Err(Errno::FAULT));
        }
        assert_eq!(write::<u32>(0, &[]), Ok(()), "nothing to copy");
    }

    #[test]
    fn pages_are_seen_with_their_rights() {
        let pages = Pages::read().expect("the process has mappings");
        let stack = 0u32;
        let here = std::ptr::from_ref(&stack).addr() as u64 & !0xfff;
        assert_eq!(pages.check(here, 4096, true), Ok(()));
        static CONSTANT: [u32; 4] = [1; 4];
        let there = CONSTANT.as_ptr().addr() as u64 & !0xfff;
        assert_eq!(pages.check(there, 4096, false), Ok(()));
        assert_eq!(pages.check(there, 4096, true), Err(Errno::PERM));
        assert_eq!(pages.check(0, 4096, false), Err(Errno::FAULT));
        assert_eq!(
            pages.check(here, 1 << 46, false),
            Err(Errno::FAULT),
            "a hole is within"
        );
    }
}
