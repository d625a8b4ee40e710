//! Open files of the device's nodes.
//!
//! Each `open` makes a memfd, and its device and inode number name it for good: whatever the program
//! duplicates, passes on or closes, a descriptor is ours if `fstat` gives a pair of this list.

use std::ffi::c_int;
use std::sync::atomic::{AtomicPtr, Ordering};

use hrx_vgpu::{Fd, Vgpu};

use crate::places::Node;
use crate::{device, real};

/// An open file.
#[derive(Debug)]
pub(crate) struct Open {
    device_number: u64,
    inode: u64,
    pub(crate) node: Node,
    pub(crate) vgpu: &'static Vgpu,
    /// The device's own name for it.
    pub(crate) fd: Fd,
    next: *mut Open,
}

/// Head of the list. Entries are never removed: a few bytes for each `open` of a node.
static OPEN: AtomicPtr<Open> = AtomicPtr::new(std::ptr::null_mut());

/// Opens a node.
///
/// # Errors
/// An error number.
pub(crate) fn open(node: Node, flags: c_int) -> Result<c_int, c_int> {
    let vgpu = device::current()?;
    let fd = vgpu.open(node.path()).map_err(|error| error.0)?;
    let close_on_exec = if flags & libc::O_CLOEXEC == 0 {
        0
    } else {
        libc::MFD_CLOEXEC
    };
    // SAFETY: a name that ends in zero.
    let file = unsafe { libc::memfd_create(c"hrx-vgpu-node".as_ptr(), close_on_exec) };
    if file < 0 {
        vgpu.close(fd);
        return Err(errno());
    }
    let Some(status) = status(file) else {
        let error = errno();
        vgpu.close(fd);
        // SAFETY: our own descriptor, which nobody has seen.
        unsafe { libc::close(file) };
        return Err(error);
    };
    let entry = Box::into_raw(Box::new(Open {
        device_number: status.st_dev,
        inode: status.st_ino,
        node,
        vgpu,
        fd,
        next: std::ptr::null_mut(),
    }));
    let mut head = OPEN.load(Ordering::Relaxed);
    loop {
        // SAFETY: the entry is not in the list yet, so it is ours alone.
        unsafe { (*entry).next = head };
        // Release: who finds the entry sees its fields.
        match OPEN.compare_exchange_weak(head, entry, Ordering::Release, Ordering::Relaxed) {
            Ok(_) => return Ok(file),
            Err(found) => head = found,
        }
    }
}

/// The open file behind a descriptor; `None` if it is none of ours.
pub(crate) fn find(fd: c_int) -> Option<&'static Open> {
    if fd < 0 || OPEN.load(Ordering::Relaxed).is_null() {
        return None;
    }
    // A descriptor that is not open is somebody else's error; their call tells it.
    let saved = errno();
    let found = status(fd).and_then(|status| of(&status));
    set_errno(saved);
    found
}

/// The open file whose memfd has this status.
pub(crate) fn of(status: &real::Status) -> Option<&'static Open> {
    // Acquire: pairs with the release of `open`.
    let mut at = OPEN.load(Ordering::Acquire);
    while !at.is_null() {
        // SAFETY: entries of the list are never freed, and not written after they joined it.
        let entry = unsafe { &*at };
        if entry.inode == status.st_ino && entry.device_number == status.st_dev {
            return Some(entry);
        }
        at = entry.next;
    }
    None
}

/// `fstat`, of what the descriptor really is.
fn status(fd: c_int) -> Option<real::Status> {
    let mut out = std::mem::MaybeUninit::<real::Status>::zeroed();
    // SAFETY: `out` has room for a status, and the path is an empty string.
    let result = unsafe { real::fstatat(fd, c"".as_ptr(), out.as_mut_ptr(), libc::AT_EMPTY_PATH) };
    // SAFETY: all zeros is a status, and the call writes nothing else.
    (result == 0).then(|| unsafe { out.assume_init() })
}

/// This thread's error number.
pub(crate) fn errno() -> c_int {
    // SAFETY: the call has no conditions.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: the address is this thread's for its life.
    unsafe { place.read() }
}

/// Sets this thread's error number.
pub(crate) fn set_errno(value: c_int) {
    // SAFETY: the call has no conditions.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: the address is this thread's for its life.
    unsafe { place.write(value) };
}
