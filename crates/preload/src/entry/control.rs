//! `ioctl`.

use std::ffi::{c_int, c_void};

use hrx_abi::kfd::{self, AcquireVm, AllocMemory};

use super::fail;
use crate::places::Node;
use crate::{device, nodes, real};

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
    let ask = || device::call(|| unsafe { open.vgpu.ioctl(open.fd, word, argument) });
    let mut result = ask();
    if result.is_some_and(|result| result.is_err_and(|error| error.0 == libc::EADDRINUSE))
        && word == kfd::request::ALLOC_MEMORY_OF_GPU
    {
        // Memory that was shared with the device is in the way. libc unmaps freed memory unseen by us; the
        // kernel would have forgotten it then.
        // SAFETY: the caller's struct of this size, which the device has read.
        let allocate = unsafe { argument.cast::<AllocMemory>().read_unaligned() };
        if let (Ok(address), Ok(len)) = (allocate.va_addr.try_into(), allocate.size.try_into()) {
            open.vgpu.host_unmapped(address, len);
        }
        result = ask();
    }
    match result {
        Some(Ok(())) => 0,
        Some(Err(error)) => fail(error.0),
        // A call within a call is no client's.
        None => fail(libc::EBUSY),
    }
}
