//! Mappings of the device's nodes, and the end of mappings of doorbells.

use std::ffi::{c_int, c_void};

use hrx_abi::kfd;
use libc::size_t;

use crate::places::Node;
use crate::{device, doorbells, nodes, real};

/// # Safety
/// As `mmap(2)`.
unsafe fn map(
    address: *mut c_void,
    len: size_t,
    protection: c_int,
    flags: c_int,
    fd: c_int,
    offset: i64,
) -> *mut c_void {
    if flags & (libc::MAP_FIXED | libc::MAP_FIXED_NOREPLACE) == libc::MAP_FIXED {
        leave(address.addr(), len);
    }
    let open = if flags & libc::MAP_ANONYMOUS != 0 {
        None
    } else {
        nodes::find(fd)
    };
    let Some(open) = open else {
        // SAFETY: the caller's promise.
        return unsafe { real::mmap(address, len, protection, flags, fd, offset) };
    };
    let offset = offset.cast_unsigned();
    let mapped = device::call(|| {
        // SAFETY: the caller's promise.
        unsafe {
            open.vgpu
                .mmap(address.addr(), len, protection, flags, open.fd, offset)
        }
    });
    match mapped {
        // A call within a call is no client's.
        None => libc::MAP_FAILED,
        Some(Ok(mapped)) => {
            if open.node == Node::Kfd && offset >> kfd::MMAP_TYPE_SHIFT == kfd::MMAP_TYPE_DOORBELL {
                doorbells::add(mapped, len);
            }
            std::ptr::with_exposed_provenance_mut(mapped)
        }
        Some(Err(error)) => {
            nodes::set_errno(error.0);
            libc::MAP_FAILED
        }
    }
}

macro_rules! maps {
    ($($name:ident)*) => {$(
        /// # Safety
        /// As libc's function of this name.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            address: *mut c_void,
            len: size_t,
            protection: c_int,
            flags: c_int,
            fd: c_int,
            offset: i64,
        ) -> *mut c_void {
            // SAFETY: the caller's promise.
            unsafe { map(address, len, protection, flags, fd, offset) }
        }
    )*};
}

maps! { mmap mmap64 }

/// # Safety
/// As libc's function of this name.
#[unsafe(no_mangle)]
unsafe extern "C" fn munmap(address: *mut c_void, len: size_t) -> c_int {
    leave(address.addr(), len);
    // SAFETY: the caller's promise.
    unsafe { real::munmap(address, len) }
}

/// # Safety
/// As libc's function of this name.
#[unsafe(no_mangle)]
unsafe extern "C" fn mremap(
    address: *mut c_void,
    old_len: size_t,
    new_len: size_t,
    flags: c_int,
    new_address: *mut c_void,
) -> *mut c_void {
    if flags & libc::MREMAP_MAYMOVE != 0 {
        leave(address.addr(), old_len);
    } else if new_len < old_len {
        leave(address.addr().wrapping_add(new_len), old_len - new_len);
    }
    if flags & libc::MREMAP_FIXED != 0 {
        leave(new_address.addr(), new_len);
    }
    // SAFETY: the caller's promise; the last argument is looked at with MREMAP_FIXED alone.
    unsafe { real::mremap(address, old_len, new_len, flags, new_address) }
}

/// The pages of a range are about to become something else.
fn leave(address: usize, len: usize) {
    const PAGE: usize = 4096;
    let Some(whole) = len.checked_next_multiple_of(PAGE) else {
        return;
    };
    if !address.is_multiple_of(PAGE) || len == 0 {
        // The system refuses the call.
        return;
    }
    doorbells::remove(address, len);
    if let Some(device) = device::existing() {
        device::call(|| device.host_unmapped(address, whole));
    }
}
