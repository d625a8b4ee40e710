//! The functions that ours stand in front of: the next ones in the order of loading.
//!
//! Looked up at first use, since other libraries' constructors call us before ours would run.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use libc::{DIR, FILE, mode_t, off64_t, size_t};

/// What `stat` and all its kin fill on x86-64. (libc has functions of these names as well.)
pub(crate) type Status = libc::stat64;
/// What `statx` fills.
pub(crate) type ExtendedStatus = libc::statx;

/// A function's address, once it has been looked up.
struct Symbol {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl Symbol {
    const fn new(name: &'static CStr) -> Self {
        Self {
            name,
            address: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    fn address(&self) -> *mut c_void {
        // Relaxed: every look-up gives the same address, and the code behind it was there before.
        let known = self.address.load(Ordering::Relaxed);
        if !known.is_null() {
            return known;
        }
        // SAFETY: `name` ends in zero.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        assert!(
            !found.is_null(),
            "no library behind the preload has {:?}",
            self.name
        );
        self.address.store(found, Ordering::Relaxed);
        found
    }
}

macro_rules! next {
    ($($name:ident = $symbol:literal ($($argument:ident: $kind:ty),*) -> $result:ty;)*) => {$(
        /// The next function of this name.
        ///
        /// # Safety
        /// What libc asks of its callers.
        pub(crate) unsafe fn $name($($argument: $kind),*) -> $result {
            static SYMBOL: Symbol = Symbol::new($symbol);
            type Function = unsafe extern "C" fn($($kind),*) -> $result;
            // SAFETY: the symbol of this name has this type.
            let function = unsafe { std::mem::transmute::<*mut c_void, Function>(SYMBOL.address()) };
            // SAFETY: the caller's promise.
            unsafe { function($($argument),*) }
        }
    )*};
}

next! {
    open = c"open64" (path: *const c_char, flags: c_int, mode: mode_t) -> c_int;
    openat = c"openat64" (folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int;
    fopen = c"fopen64" (path: *const c_char, mode: *const c_char) -> *mut FILE;
    opendir = c"opendir" (path: *const c_char) -> *mut DIR;
    scandir = c"scandir" (path: *const c_char, list: *mut c_void, filter: *mut c_void, order: *mut c_void) -> c_int;
    access = c"access" (path: *const c_char, mode: c_int) -> c_int;
    euidaccess = c"euidaccess" (path: *const c_char, mode: c_int) -> c_int;
    faccessat = c"faccessat" (folder: c_int, path: *const c_char, mode: c_int, flags: c_int) -> c_int;
    statx = c"statx" (folder: c_int, path: *const c_char, flags: c_int, mask: u32, out: *mut ExtendedStatus) -> c_int;
    readlink = c"readlink" (path: *const c_char, buffer: *mut c_char, len: size_t) -> isize;
    readlinkat = c"readlinkat" (folder: c_int, path: *const c_char, buffer: *mut c_char, len: size_t) -> isize;
    realpath = c"realpath" (path: *const c_char, resolved: *mut c_char) -> *mut c_char;
    ioctl = c"ioctl" (fd: c_int, request: u64, argument: *mut c_void) -> c_int;
    mmap = c"mmap64" (address: *mut c_void, len: size_t, protection: c_int, flags: c_int, fd: c_int, offset: off64_t) -> *mut c_void;
    mremap = c"mremap" (address: *mut c_void, old_len: size_t, new_len: size_t, flags: c_int, new_address: *mut c_void) -> *mut c_void;
    munmap = c"munmap" (address: *mut c_void, len: size_t) -> c_int;
    sigaction = c"sigaction" (signal: c_int, new: *const libc::sigaction, old: *mut libc::sigaction) -> c_int;
    pthread_sigmask = c"pthread_sigmask" (how: c_int, set: *const libc::sigset_t, old: *mut libc::sigset_t) -> c_int;
    sigprocmask = c"sigprocmask" (how: c_int, set: *const libc::sigset_t, old: *mut libc::sigset_t) -> c_int;
}

/// `fstatat(2)` by its number: libc has it under several names, of which old ones lack some.
///
/// # Safety
/// As `fstatat`.
pub(crate) unsafe fn fstatat(
    folder: c_int,
    path: *const c_char,
    out: *mut Status,
    flags: c_int,
) -> c_int {
    // SAFETY: the caller's promise; on x86-64 the kernel's struct is libc's.
    let status = unsafe { libc::syscall(libc::SYS_newfstatat, folder, path, out, flags) };
    if status < 0 { -1 } else { 0 }
}
