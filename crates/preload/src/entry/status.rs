//! `stat` in all its names.
//!
//! `stat` and `stat64` have one layout on x86-64. The names with `xstat` are those of glibc before 2.33:
//! AMD's binary packages are built against such a one.

use std::ffi::{c_char, c_int};

use super::fail;
use crate::places::{Node, Place, place};
use crate::real::{ExtendedStatus, Status};
use crate::tree::Inside;
use crate::{nodes, real};

/// Makes a status a node's.
fn describe(out: &mut Status, node: Node) {
    let (major, minor) = node.number();
    out.st_mode = libc::S_IFCHR | 0o666;
    out.st_rdev = libc::makedev(major, minor);
    out.st_size = 0;
    out.st_blocks = 0;
    out.st_nlink = 1;
}

/// `fstatat` in every name: by path, by descriptor if the path is empty.
///
/// # Safety
/// As `fstatat`.
unsafe fn status_at(folder: c_int, path: *const c_char, out: *mut Status, flags: c_int) -> c_int {
    // SAFETY: the caller's promise.
    match unsafe { place(path) } {
        None => {}
        Some(Place::Tree) => {
            // SAFETY: a path was found, so it is a string.
            let Some(inside) = (unsafe { Inside::new(path) }) else {
                return fail(libc::ENOENT);
            };
            // SAFETY: a path of ours, the caller's room.
            return unsafe { real::fstatat(folder, inside.as_ptr(), out, flags) };
        }
        Some(found) => {
            // SAFETY: the caller's room for a status.
            unsafe { out.write_bytes(0, 1) };
            // SAFETY: the same room; all zeros is a status.
            let out = unsafe { &mut *out };
            match found {
                Place::Node(node) => describe(out, node),
                _ => {
                    out.st_mode = libc::S_IFREG | 0o444;
                    out.st_nlink = 1;
                }
            }
            return 0;
        }
    }
    // SAFETY: the caller's promise.
    let result = unsafe { real::fstatat(folder, path, out, flags) };
    if result == 0 && flags & libc::AT_EMPTY_PATH != 0 {
        // SAFETY: the call filled it.
        let out = unsafe { &mut *out };
        if let Some(open) = nodes::of(out) {
            describe(out, open.node);
        }
    }
    result
}

/// # Safety
/// As `fstat`.
unsafe fn status_of(fd: c_int, out: *mut Status) -> c_int {
    // SAFETY: the caller's room, and an empty path.
    unsafe { status_at(fd, c"".as_ptr(), out, libc::AT_EMPTY_PATH) }
}

macro_rules! by_path {
    ($($name:ident, $flags:expr;)*) => {$(
        /// # Safety
        /// As libc's function of this name.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(path: *const c_char, out: *mut Status) -> c_int {
            // SAFETY: the caller's promise.
            unsafe { status_at(libc::AT_FDCWD, path, out, $flags) }
        }
    )*};
}

macro_rules! by_path_old {
    ($($name:ident, $flags:expr;)*) => {$(
        /// # Safety
        /// As libc's function of this name.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(_version: c_int, path: *const c_char, out: *mut Status) -> c_int {
            // SAFETY: the caller's promise; every version has one layout.
            unsafe { status_at(libc::AT_FDCWD, path, out, $flags) }
        }
    )*};
}

by_path! {
    stat, 0;
    stat64, 0;
    lstat, libc::AT_SYMLINK_NOFOLLOW;
    lstat64, libc::AT_SYMLINK_NOFOLLOW;
}
by_path_old! {
    __xstat, 0;
    __xstat64, 0;
    __lxstat, libc::AT_SYMLINK_NOFOLLOW;
    __lxstat64, libc::AT_SYMLINK_NOFOLLOW;
}

macro_rules! by_descriptor {
    ($($name:ident($($version:ident)?);)*) => {$(
        /// # Safety
        /// As libc's function of this name.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($version: c_int,)? fd: c_int, out: *mut Status) -> c_int {
            // SAFETY: the caller's promise.
            unsafe { status_of(fd, out) }
        }
    )*};
}

by_descriptor! {
    fstat();
    fstat64();
    __fxstat(_version);
    __fxstat64(_version);
}

macro_rules! at {
    ($($name:ident($($version:ident)?);)*) => {$(
        /// # Safety
        /// As libc's function of this name.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            $($version: c_int,)?
            folder: c_int,
            path: *const c_char,
            out: *mut Status,
            flags: c_int,
        ) -> c_int {
            // SAFETY: the caller's promise.
            unsafe { status_at(folder, path, out, flags) }
        }
    )*};
}

at! {
    fstatat();
    fstatat64();
    __fxstatat(_version);
    __fxstatat64(_version);
}

/// # Safety
/// As libc's function of this name.
#[unsafe(export_name = "statx")]
unsafe extern "C" fn status_extended(
    folder: c_int,
    path: *const c_char,
    flags: c_int,
    mask: u32,
    out: *mut ExtendedStatus,
) -> c_int {
    // SAFETY: the caller's promise.
    match unsafe { place(path) } {
        Some(Place::Tree) => {
            // SAFETY: a path was found, so it is a string.
            match unsafe { Inside::new(path) } {
                // SAFETY: a path of ours, the caller's room.
                Some(inside) => unsafe { real::statx(folder, inside.as_ptr(), flags, mask, out) },
                None => fail(libc::ENOENT),
            }
        }
        None if flags & libc::AT_EMPTY_PATH == 0 => {
            // SAFETY: the caller's promise.
            unsafe { real::statx(folder, path, flags, mask, out) }
        }
        // A node, a single file, or a descriptor: as `stat` sees it.
        found => {
            if found.is_none() && nodes::find(folder).is_none() {
                // SAFETY: the caller's promise.
                return unsafe { real::statx(folder, path, flags, mask, out) };
            }
            let mut plain = std::mem::MaybeUninit::<Status>::zeroed();
            // SAFETY: room for a status, and the caller's path.
            let result = unsafe { status_at(folder, path, plain.as_mut_ptr(), flags) };
            if result == 0 {
                // SAFETY: the call filled it, and all zeros is one.
                let plain = unsafe { plain.assume_init() };
                // SAFETY: the caller's room; all zeros is a status.
                unsafe { out.write(extended(&plain)) };
            }
            result
        }
    }
}

/// The fields that a status has of the extended one.
fn extended(plain: &Status) -> ExtendedStatus {
    // SAFETY: all zeros is a status.
    let mut out: ExtendedStatus = unsafe { std::mem::zeroed() };
    out.stx_mask = libc::STATX_BASIC_STATS;
    out.stx_blksize = 4096;
    out.stx_nlink = 1;
    // Type and permissions are the low 16 bits.
    out.stx_mode = u16::try_from(plain.st_mode & 0xffff).unwrap_or(0);
    out.stx_ino = plain.st_ino;
    out.stx_rdev_major = libc::major(plain.st_rdev);
    out.stx_rdev_minor = libc::minor(plain.st_rdev);
    out.stx_dev_major = libc::major(plain.st_dev);
    out.stx_dev_minor = libc::minor(plain.st_dev);
    out
}
