//! The one module with unsafe code: shared mappings, and the three system calls that `std` lacks.
//!
//! # Thread safety
//! A [`Region`] hands out shared references to types that consist of atomics only ([`Shared`]), so any
//! thread, any other process and the device may read and write the same bytes at any time.

#![expect(
    unsafe_code,
    reason = "mappings and fcntl have no safe form in the standard library"
)]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use memmap2::{Advice, MmapMut, MmapOptions, MmapRaw};

use crate::schema::side::{EventSlot, RingPositions, SideLive};

/// A type that may live in memory that others write at any time.
///
/// # Safety
/// Every byte of the type belongs to an atomic integer or to an array or struct of them (padding
/// excepted, which nobody reads), so that any bytes are a valid value and concurrent writes are no
/// data race.
pub(crate) unsafe trait Shared: Sync {}

// SAFETY: its fields are atomics and arrays of atomics.
unsafe impl Shared for EventSlot {}
// SAFETY: its fields are atomics on padded lines of their own.
unsafe impl Shared for RingPositions {}
// SAFETY: its fields are atomics and arrays of structs of atomics.
unsafe impl Shared for SideLive {}

/// A mapping that lives as long as this value; its address never changes.
#[derive(Debug)]
pub(crate) struct Region {
    map: MmapRaw,
}

impl Region {
    /// Maps `length` bytes of `file` from `offset` (a multiple of the page size), shared and
    /// writable. A forked child does not inherit it.
    pub(crate) fn map_file(file: &File, offset: u64, length: usize) -> io::Result<Self> {
        let map = MmapOptions::new()
            .offset(offset)
            .len(length)
            .map_raw(file)?;
        map.advise(Advice::DontFork)?;
        Ok(Self { map })
    }

    /// Maps `length` bytes of zeroed memory that belongs to no file. A forked child does not inherit
    /// it.
    pub(crate) fn anonymous(length: usize) -> io::Result<Self> {
        let map = MmapRaw::from(MmapMut::map_anon(length)?);
        map.advise(Advice::DontFork)?;
        Ok(Self { map })
    }

    /// Address of the first byte.
    pub(crate) fn base(&self) -> *mut u8 {
        self.map.as_mut_ptr()
    }

    /// Bytes mapped.
    pub(crate) fn len(&self) -> usize {
        self.map.len()
    }

    /// The value at `offset`.
    ///
    /// # Panics
    /// When it would lie outside the mapping or is not aligned: offsets are constants of the layout.
    pub(crate) fn get<T: Shared>(&self, offset: usize) -> &T {
        &self.slice::<T>(offset, 1)[0]
    }

    /// `count` values from `offset` on. Panics like [`Region::get`].
    pub(crate) fn slice<T: Shared>(&self, offset: usize, count: usize) -> &[T] {
        let end = count
            .checked_mul(size_of::<T>())
            .and_then(|bytes| bytes.checked_add(offset));
        assert!(
            end.is_some_and(|end| end <= self.len()),
            "layout exceeds its mapping"
        );
        // SAFETY: `offset` is within the mapping (the assert above), so the result stays inside it.
        let first = unsafe { self.map.as_ptr().add(offset) }.cast::<T>();
        assert!(first.is_aligned(), "layout is not aligned in its mapping");
        // SAFETY: the range lies in the mapping (first assert), is aligned (second assert) and lives
        // as long as `self`; `T: Shared` accepts any bytes and any concurrent writer.
        unsafe { std::slice::from_raw_parts(first, count) }
    }
}

/// Gives `length` bytes from `offset` real storage and grows the file over them if `grow`.
pub(crate) fn allocate(file: &File, offset: u64, length: u64, grow: bool) -> io::Result<()> {
    let to_off = |value: u64| libc::off_t::try_from(value).map_err(|_| io::ErrorKind::InvalidInput);
    let mode = if grow { 0 } else { libc::FALLOC_FL_KEEP_SIZE };
    let (offset, length) = (to_off(offset)?, to_off(length)?);
    loop {
        // SAFETY: the descriptor is open, since `file` owns it; the call touches no memory of ours.
        let result = unsafe { libc::fallocate(file.as_raw_fd(), mode, offset, length) };
        if result == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Takes the POSIX write lock on the first byte of `file` for this process.
pub(crate) fn lock(file: &File) -> io::Result<()> {
    let mut request = lock_request()?;
    record_lock(file, libc::F_SETLK, &mut request)
}

/// The process that holds the lock of [`lock`], as this process's namespace numbers it; `None` when
/// nobody does. A lock of the calling process itself does not show.
pub(crate) fn lock_holder(file: &File) -> io::Result<Option<i32>> {
    let mut request = lock_request()?;
    record_lock(file, libc::F_GETLK, &mut request)?;
    Ok((i32::from(request.l_type) != libc::F_UNLCK).then_some(request.l_pid))
}

fn lock_request() -> io::Result<libc::flock> {
    let narrow = |value: i32| i16::try_from(value).map_err(|_| io::ErrorKind::InvalidInput);
    Ok(libc::flock {
        l_type: narrow(libc::F_WRLCK)?,
        l_whence: narrow(libc::SEEK_SET)?,
        l_start: 0,
        l_len: 1,
        l_pid: 0,
    })
}

fn record_lock(file: &File, command: i32, request: &mut libc::flock) -> io::Result<()> {
    let request: *mut libc::flock = request;
    // SAFETY: the descriptor is open, since `file` owns it; `request` points at a live `flock`, which
    // is what both commands read and write.
    match unsafe { libc::fcntl(file.as_raw_fd(), command, request) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Free bytes for this user on the file system that holds `directory`.
pub(crate) fn free_bytes(directory: &File) -> io::Result<u64> {
    let mut answer = std::mem::MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: the descriptor is open and `answer` has room for the struct that the call fills.
    let result = unsafe { libc::fstatvfs(directory.as_raw_fd(), answer.as_mut_ptr()) };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call above succeeded, so it has filled the whole struct.
    let answer = unsafe { answer.assume_init() };
    Ok(answer.f_bavail.saturating_mul(answer.f_frsize))
}

/// Largest size in bytes that this process may give a file (`RLIMIT_FSIZE`); a write beyond it would
/// raise a signal, so we look first.
pub(crate) fn file_size_limit() -> u64 {
    let mut limit = libc::rlimit {
        rlim_cur: libc::RLIM_INFINITY,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: `limit` is a live `rlimit`, which is what the call fills; on failure it stays infinite.
    unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) };
    limit.rlim_cur
}
