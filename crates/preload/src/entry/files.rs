//! Opening, and asking for access and links.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::io::Write as _;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd};

use libc::{DIR, FILE, mode_t, size_t};

use super::fail;
use crate::places::{PATH_MAX, Place, place};
use crate::tree::{self, Inside};
use crate::{device, nodes, real};

/// `open`, whatever its name; a relative path is never ours.
///
/// # Safety
/// `path` is null or ends in zero.
unsafe fn open_ours(path: *const c_char, flags: c_int) -> Option<c_int> {
    // SAFETY: the caller's promise.
    let place = unsafe { place(path) }?;
    Some(match place {
        Place::Node(node) => {
            if flags & libc::O_DIRECTORY != 0 {
                return Some(fail(libc::ENOTDIR));
            }
            nodes::open(node, flags).unwrap_or_else(fail)
        }
        Place::Names => text(tree::NAMES, flags),
        Place::UsedMemory => text(&used_memory(), flags),
        Place::Tree => {
            // The kernel's files of this part are not for writing.
            if flags & libc::O_ACCMODE != libc::O_RDONLY {
                return Some(fail(libc::EACCES));
            }
            // SAFETY: `place` found a path, so it is not null.
            let Some(inside) = (unsafe { Inside::new(path) }) else {
                return Some(fail(libc::ENOENT));
            };
            // SAFETY: a path that ends in zero; no file is created.
            unsafe { real::open(inside.as_ptr(), flags & !libc::O_CREAT, 0) }
        }
    })
}

/// A descriptor that reads as this text.
fn text(content: &str, flags: c_int) -> c_int {
    // SAFETY: a name that ends in zero.
    let fd = unsafe {
        libc::memfd_create(
            c"hrx-vgpu-file".as_ptr(),
            if flags & libc::O_CLOEXEC == 0 {
                0
            } else {
                libc::MFD_CLOEXEC
            },
        )
    };
    if fd < 0 {
        return -1;
    }
    // SAFETY: a new descriptor that nobody else owns.
    let mut file = unsafe { std::fs::File::from_raw_fd(fd) };
    if file.write_all(content.as_bytes()).is_err() {
        return fail(libc::ENOMEM);
    }
    // SAFETY: our own descriptor.
    unsafe { libc::lseek(file.as_raw_fd(), 0, libc::SEEK_SET) };
    file.into_raw_fd()
}

fn used_memory() -> String {
    let path = "/sys/class/kfd/kfd/topology/nodes/1/mem_banks/0/used_memory";
    let found = device::existing().and_then(|device| device.read_file(path).ok());
    found.map_or_else(
        || "0\n".into(),
        |bytes| String::from_utf8_lossy(&bytes).into_owned(),
    )
}

macro_rules! opens {
    ($($name:ident)*) => {$(
        /// # Safety
        /// As libc's function of this name.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
            // SAFETY: the caller's promise.
            match unsafe { open_ours(path, flags) } {
                Some(fd) => fd,
                // SAFETY: the caller's promise.
                None => unsafe { real::open(path, flags, mode) },
            }
        }
    )*};
}

macro_rules! opens_at {
    ($($name:ident)*) => {$(
        /// # Safety
        /// As libc's function of this name.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
            // SAFETY: the caller's promise.
            match unsafe { open_ours(path, flags) } {
                Some(fd) => fd,
                // SAFETY: the caller's promise.
                None => unsafe { real::openat(folder, path, flags, mode) },
            }
        }
    )*};
}

// The names with underscores are what fortified programs call, with no mode.
opens! { open open64 __open __open64 __open_2 __open64_2 }
opens_at! { openat openat64 __openat_2 __openat64_2 }

macro_rules! fopens {
    ($($name:ident)*) => {$(
        /// # Safety
        /// As libc's function of this name.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(path: *const c_char, mode: *const c_char) -> *mut FILE {
            // SAFETY: the caller's promise.
            let ours = unsafe { place(path) }.is_some();
            if !ours {
                // SAFETY: the caller's promise.
                return unsafe { real::fopen(path, mode) };
            }
            // SAFETY: a mode is a string that ends in zero.
            let text = unsafe { CStr::from_ptr(mode) }.to_bytes();
            let mut flags = match (text.first(), text.contains(&b'+')) {
                (Some(b'r'), false) => libc::O_RDONLY,
                (Some(b'r' | b'w' | b'a'), true) => libc::O_RDWR,
                _ => libc::O_WRONLY,
            };
            if text.contains(&b'e') {
                flags |= libc::O_CLOEXEC;
            }
            // SAFETY: the caller's promise.
            match unsafe { open_ours(path, flags) } {
                None | Some(-1) => std::ptr::null_mut(),
                // SAFETY: a new descriptor, and the caller's mode.
                Some(fd) => unsafe { libc::fdopen(fd, mode) },
            }
        }
    )*};
}

fopens! { fopen fopen64 }

/// Calls `$call` with the path, or with the tree's path in its place; nodes and single files give
/// `$other`.
macro_rules! redirected {
    ($path:ident, $call:expr, $other:expr) => {{
        // SAFETY: the caller's promise: null or a string.
        match unsafe { place($path) } {
            None => $call,
            Some(Place::Tree) => {
                // SAFETY: a path was found, so it is not null.
                match unsafe { Inside::new($path) } {
                    Some(inside) => {
                        let $path = inside.as_ptr();
                        $call
                    }
                    None => {
                        nodes::set_errno(libc::ENOENT);
                        $other
                    }
                }
            }
            Some(_) => $other,
        }
    }};
}

/// # Safety
/// As libc's function of this name.
#[unsafe(no_mangle)]
unsafe extern "C" fn opendir(path: *const c_char) -> *mut DIR {
    redirected!(
        path,
        // SAFETY: the caller's promise, or a path of ours.
        unsafe { real::opendir(path) },
        {
            nodes::set_errno(libc::ENOTDIR);
            std::ptr::null_mut()
        }
    )
}

macro_rules! scandirs {
    ($($name:ident)*) => {$(
        /// # Safety
        /// As libc's function of this name; its entries have one layout on x86-64.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            path: *const c_char,
            list: *mut c_void,
            filter: *mut c_void,
            order: *mut c_void,
        ) -> c_int {
            redirected!(
                path,
                // SAFETY: the caller's promise, or a path of ours.
                unsafe { real::scandir(path, list, filter, order) },
                fail(libc::ENOTDIR)
            )
        }
    )*};
}

scandirs! { scandir scandir64 }

/// Answer to a question for access to something that is not in the tree: a node may be read and written,
/// a file read.
///
/// # Safety
/// `path` ends in zero, and is one of ours.
unsafe fn access_ours(path: *const c_char, mode: c_int) -> c_int {
    // SAFETY: the caller's promise.
    let writable = matches!(unsafe { place(path) }, Some(Place::Node(_)));
    if mode & libc::X_OK != 0 || (mode & libc::W_OK != 0 && !writable) {
        fail(libc::EACCES)
    } else {
        0
    }
}

/// # Safety
/// As libc's function of this name.
#[unsafe(no_mangle)]
unsafe extern "C" fn access(path: *const c_char, mode: c_int) -> c_int {
    redirected!(
        path,
        // SAFETY: the caller's promise, or a path of ours.
        unsafe { real::access(path, mode) },
        // SAFETY: a path of ours.
        unsafe { access_ours(path, mode) }
    )
}

macro_rules! euidaccesses {
    ($($name:ident)*) => {$(
        /// # Safety
        /// As libc's function of this name.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(path: *const c_char, mode: c_int) -> c_int {
            redirected!(
                path,
                // SAFETY: the caller's promise, or a path of ours.
                unsafe { real::euidaccess(path, mode) },
                // SAFETY: a path of ours.
                unsafe { access_ours(path, mode) }
            )
        }
    )*};
}

euidaccesses! { euidaccess eaccess }

/// # Safety
/// As libc's function of this name.
#[unsafe(no_mangle)]
unsafe extern "C" fn faccessat(
    folder: c_int,
    path: *const c_char,
    mode: c_int,
    flags: c_int,
) -> c_int {
    redirected!(
        path,
        // SAFETY: the caller's promise, or a path of ours.
        unsafe { real::faccessat(folder, path, mode, flags) },
        // SAFETY: a path of ours.
        unsafe { access_ours(path, mode) }
    )
}

/// # Safety
/// As libc's function of this name.
#[unsafe(no_mangle)]
unsafe extern "C" fn readlink(path: *const c_char, buffer: *mut c_char, len: size_t) -> isize {
    redirected!(
        path,
        // SAFETY: the caller's promise, or a path of ours.
        unsafe { real::readlink(path, buffer, len) },
        fail(libc::EINVAL) as isize
    )
}

/// # Safety
/// As libc's function of this name.
#[unsafe(no_mangle)]
unsafe extern "C" fn __readlink_chk(
    path: *const c_char,
    buffer: *mut c_char,
    len: size_t,
    room: size_t,
) -> isize {
    // SAFETY: the caller's promise, with no more than the room that the compiler knows.
    unsafe { readlink(path, buffer, len.min(room)) }
}

/// # Safety
/// As libc's function of this name.
#[unsafe(no_mangle)]
unsafe extern "C" fn readlinkat(
    folder: c_int,
    path: *const c_char,
    buffer: *mut c_char,
    len: size_t,
) -> isize {
    redirected!(
        path,
        // SAFETY: the caller's promise, or a path of ours.
        unsafe { real::readlinkat(folder, path, buffer, len) },
        fail(libc::EINVAL) as isize
    )
}

/// # Safety
/// As libc's function of this name.
#[unsafe(no_mangle)]
unsafe extern "C" fn realpath(path: *const c_char, resolved: *mut c_char) -> *mut c_char {
    // SAFETY: the caller's promise.
    let Some(place) = (unsafe { place(path) }) else {
        // SAFETY: the caller's promise.
        return unsafe { real::realpath(path, resolved) };
    };
    // SAFETY: a path was found, so it is a string.
    let own = unsafe { CStr::from_ptr(path) };
    let mut found = own.to_bytes().to_vec();
    if place == Place::Tree {
        let mut whole = [0u8; PATH_MAX];
        // SAFETY: as above.
        let Some(inside) = (unsafe { Inside::new(path) }) else {
            nodes::set_errno(libc::ENOENT);
            return std::ptr::null_mut();
        };
        // SAFETY: room for the longest path.
        if unsafe { real::realpath(inside.as_ptr(), whole.as_mut_ptr().cast()) }.is_null() {
            return std::ptr::null_mut();
        }
        let len = whole.iter().position(|&byte| byte == 0).unwrap_or(0);
        let whole = &whole[..len];
        // What leads into the tree is told as the path that the kernel would have.
        found = whole[tree::prefix_bytes(whole).unwrap_or(0)..].to_vec();
    }
    found.push(0);
    let out = if resolved.is_null() {
        // SAFETY: the caller frees it, as realpath says.
        unsafe { libc::malloc(found.len()) }.cast::<c_char>()
    } else {
        resolved
    };
    if out.is_null() {
        nodes::set_errno(libc::ENOMEM);
        return out;
    }
    // SAFETY: `out` has room for the longest path, or for just this one.
    unsafe { std::ptr::copy_nonoverlapping(found.as_ptr().cast(), out, found.len()) };
    out
}

/// # Safety
/// As libc's function of this name.
#[unsafe(no_mangle)]
unsafe extern "C" fn __realpath_chk(
    path: *const c_char,
    resolved: *mut c_char,
    _room: size_t,
) -> *mut c_char {
    // SAFETY: the caller's promise.
    unsafe { realpath(path, resolved) }
}

/// # Safety
/// As libc's function of this name.
#[unsafe(no_mangle)]
unsafe extern "C" fn canonicalize_file_name(path: *const c_char) -> *mut c_char {
    // SAFETY: the caller's promise.
    unsafe { realpath(path, std::ptr::null_mut()) }
}
