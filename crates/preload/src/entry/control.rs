//! `ioctl`.

use std::ffi::{c_int, c_void};

use hrx_abi::kfd::{self, AcquireVm};

use super::fail;
use crate::places::Node;
use crate::{nodes, real};

/// # Safety
/// As libc's function of this name.
#[unsafe(no_mangle)]
unsafe extern "C" fn ioctl(fd: c_int, request: u64, argument: *mut c_void) -> c_int {
    // The system takes 32 bits, and so callers pass them with or without sign.
    #[expect(clippy::cast_possible_truncation, reason = "what the system does")]
    let word = request as u32;
    let kind = word >> 8 & 0xff;
    let ours = [Node::Kfd, Node::Render].map(Node::request_type);
    let open = if ours.contains(&kind) {
        nodes::find(fd)
    } else {
        None
    };
    let Some(open) = open else {
        // SAFETY: the caller's promise.
        return unsafe { real::ioctl(fd, request, argument) };
    };
    let mut acquire;
    let mut argument = argument.cast::<u8>();
    if open.node == Node::Kfd
        && kfd::number(word) == kfd::number(kfd::request::ACQUIRE_VM)
        && kfd::argument_bytes(word) == size_of::<AcquireVm>()
        && !argument.is_null()
    {
        // It names a descriptor, which the device knows by another number.
        // SAFETY: the caller's struct of this size.
        acquire = unsafe { argument.cast::<AcquireVm>().read_unaligned() };
        let render = c_int::try_from(acquire.drm_fd).ok().and_then(nodes::find);
        acquire.drm_fd = render.map_or(u32::MAX, |open| open.fd.0.cast_unsigned());
        argument = std::ptr::from_mut(&mut acquire).cast();
    }
    // SAFETY: the caller's promise for requests of this size. Memory that it hands to the device is its to
    // keep, as with the kernel.
    match unsafe { open.vgpu.ioctl(open.fd, word, argument) } {
        Ok(()) => 0,
        Err(error) => fail(error.0),
    }
}
