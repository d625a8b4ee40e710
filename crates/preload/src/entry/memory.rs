//! Mappings of the device's nodes, and the end of mappings of doorbells.

use std::ffi::{c_int, c_void};

use hrx_abi::kfd;
use libc::size_t;

use crate::places::Node;
use crate::{doorbells, nodes, real};

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
    if flags & libc::MAP_FIXED != 0 {
        doorbells::remove(address.addr(), len);
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
    let mapped = unsafe {
        // SAFETY: the caller's promise.
        open.vgpu
            .mmap(address.addr(), len, protection, flags, open.fd, offset)
    };
    match mapped {
        Ok(mapped) => {
            if open.node == Node::Kfd && offset >> kfd::MMAP_TYPE_SHIFT == kfd::MMAP_TYPE_DOORBELL {
                doorbells::add(mapped, len);
            }
            std::ptr::with_exposed_provenance_mut(mapped)
        }
        Err(error) => {
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
    doorbells::remove(address.addr(), len);
    // SAFETY: the caller's promise.
    unsafe { real::munmap(address, len) }
}
