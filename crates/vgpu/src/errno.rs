//! What the kernel answers when it refuses.

use std::fmt;

/// An error number of `errno(3)`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Errno(pub i32);

impl Errno {
    pub(crate) const BADF: Errno = Errno(libc::EBADF);
    pub(crate) const BUSY: Errno = Errno(libc::EBUSY);
    pub(crate) const EXIST: Errno = Errno(libc::EEXIST);
    pub(crate) const FAULT: Errno = Errno(libc::EFAULT);
    pub(crate) const INVAL: Errno = Errno(libc::EINVAL);
    pub(crate) const IO: Errno = Errno(libc::EIO);
    pub(crate) const NODEV: Errno = Errno(libc::ENODEV);
    pub(crate) const NOENT: Errno = Errno(libc::ENOENT);
    pub(crate) const NOMEM: Errno = Errno(libc::ENOMEM);
    pub(crate) const NOSPC: Errno = Errno(libc::ENOSPC);
    /// `ENOTSUPP` of the kernel, which has no name in user space.
    pub(crate) const NOTSUPP: Errno = Errno(524);
    pub(crate) const NOTTY: Errno = Errno(libc::ENOTTY);
    pub(crate) const PERM: Errno = Errno(libc::EPERM);
    pub(crate) const SRCH: Errno = Errno(libc::ESRCH);
    pub(crate) const ADDRINUSE: Errno = Errno(libc::EADDRINUSE);

    /// The error of the last system call of this thread.
    pub(crate) fn last() -> Errno {
        Errno(
            std::io::Error::last_os_error()
                .raw_os_error()
                .unwrap_or(libc::EIO),
        )
    }
}

impl fmt::Debug for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Errno({}: {self})", self.0)
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&std::io::Error::from_raw_os_error(self.0), f)
    }
}

impl std::error::Error for Errno {}
