//! Where a bundle's bytes go.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use bytemuck::Zeroable;

use crate::error::{Error, Result};
use crate::mmap;
use crate::schema::{FILE_MAGIC, FileHeader};

/// Takes the bytes of one bundle, in order.
///
/// The writer above it is the only caller, from one thread at a time.
pub trait Sink {
    /// Appends some of `bytes` and says how many, like [`io::Write::write`].
    ///
    /// # Errors
    /// When none of them could be stored.
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize>;

    /// Overwrites bytes that are there.
    ///
    /// # Errors
    /// When they could not be stored.
    fn patch(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Drops what lies beyond `length`; the next append goes there.
    ///
    /// # Errors
    /// When it is still there.
    fn truncate(&mut self, length: u64) -> io::Result<()>;

    /// Says that only the last records follow: a sink that keeps room for them may use it now.
    fn begin_last(&mut self) {}
}

/// Room that is kept past the end for the last records, so that a bundle on a full disk can still say
/// that it is incomplete.
const LAST_ROOM: u64 = 64 << 10;
/// Storage is taken in steps of this, so that most appends cost one system call.
const STEP: u64 = 256 << 10;

/// A bundle in a regular file, locked for as long as it is written.
#[derive(Debug)]
pub struct FileSink {
    file: File,
    path: PathBuf,
    identity: (u64, u64),
    end: u64,
    /// Storage is taken up to here.
    taken: u64,
    can_reserve: bool,
    last: bool,
}

impl FileSink {
    /// Creates the bundle at `path`, with the permissions that the umask leaves.
    ///
    /// A finished bundle that is in the way is replaced. An unfinished one whose writer is gone is kept
    /// as `PATH.unfinished`, since its events may not have been recovered yet.
    ///
    /// # Errors
    /// When another process is still writing there, when something else than a bundle is in the way, or
    /// when the file cannot be made.
    pub fn create(path: &Path) -> Result<Self> {
        Self::clear_the_way(path)?;
        let io = |action| move |source| Error::io(action, path, source);
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create_new(true).open(path);
        let file = file.map_err(io("create"))?;
        mmap::lock(&file).map_err(io("lock"))?;
        Self::over(file, path, 0)
    }

    /// Opens a bundle that is there and takes its lock. Appends go to its end; truncate first where they
    /// should go elsewhere.
    ///
    /// # Errors
    /// When its writer still runs or the file cannot be opened for writing.
    pub fn lock_existing(path: &Path) -> Result<Self> {
        let io = |action| move |source| Error::io(action, path, source);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .map_err(io("open"))?;
        if let Some(process_id) = mmap::lock_holder(&file).map_err(io("ask for the lock of"))? {
            return Err(Error::InUse {
                path: path.to_owned(),
                process_id,
            });
        }
        mmap::lock(&file).map_err(io("lock"))?;
        let end = file.metadata().map_err(io("look at"))?.len();
        Self::over(file, path, end)
    }

    /// The file itself.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    fn over(file: File, path: &Path, end: u64) -> Result<Self> {
        let identity = file
            .metadata()
            .map_err(|source| Error::io("look at", path, source))?;
        Ok(Self {
            file,
            path: path.to_owned(),
            identity: (identity.dev(), identity.ino()),
            end,
            taken: end,
            can_reserve: true,
            last: false,
        })
    }

    fn clear_the_way(path: &Path) -> Result<()> {
        let io = |action| move |source| Error::io(action, path, source);
        let mut options = OpenOptions::new();
        let mut file = match options.read(true).custom_flags(libc::O_NONBLOCK).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(io("open")(error)),
        };
        let in_the_way = |found: &str| Error::InTheWay {
            path: path.to_owned(),
            found: found.into(),
        };
        let metadata = file.metadata().map_err(io("look at"))?;
        if !metadata.is_file() {
            return Err(in_the_way("not a regular file"));
        }
        if let Some(process_id) = mmap::lock_holder(&file).map_err(io("ask for the lock of"))? {
            return Err(Error::InUse {
                path: path.to_owned(),
                process_id,
            });
        }
        if metadata.len() == 0 {
            return std::fs::remove_file(path).map_err(io("replace"));
        }
        let mut header = FileHeader::zeroed();
        let read = file.read_exact(bytemuck::bytes_of_mut(&mut header));
        if read.is_err() || header.magic != FILE_MAGIC {
            return Err(in_the_way("a file that is no profile bundle"));
        }
        if header.file_length != 0 {
            return std::fs::remove_file(path).map_err(io("replace"));
        }
        let mut kept = path.as_os_str().to_owned();
        kept.push(".unfinished");
        std::fs::rename(path, kept).map_err(io("keep the unfinished"))
    }

    /// Where the bundle is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Fails when the descriptor is not ours any more: a program may close all descriptors and open
    /// files of its own, which must not receive our bytes.
    fn check_identity(&self) -> io::Result<()> {
        let now = self.file.metadata()?;
        if (now.dev(), now.ino()) == self.identity {
            return Ok(());
        }
        Err(io::Error::other(
            "the program has closed the descriptor of its profile bundle",
        ))
    }

    /// Takes storage for `end` and the last records.
    fn reserve(&mut self, end: u64) -> io::Result<()> {
        if !self.can_reserve || self.last || end + LAST_ROOM <= self.taken {
            return Ok(());
        }
        let wanted = end + LAST_ROOM + STEP;
        match mmap::allocate(&self.file, self.end, wanted - self.end, false) {
            Ok(()) => self.taken = wanted,
            Err(error) if is_full(&error) => {
                // Perhaps the step alone was too much.
                let wanted = end + LAST_ROOM;
                mmap::allocate(&self.file, self.end, wanted - self.end, false)?;
                self.taken = wanted;
            }
            // Not every file system can; then the last records take their chance.
            Err(_) => self.can_reserve = false,
        }
        Ok(())
    }
}

/// Whether an error means that storage ran out.
pub(crate) fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

impl Sink for FileSink {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.check_identity()?;
        let end = self.end + bytes.len() as u64;
        let last_room = if self.last { 0 } else { LAST_ROOM };
        if end.saturating_add(last_room) > mmap::file_size_limit() {
            // The write itself would raise SIGXFSZ, which ends the program.
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.reserve(end)?;
        let written = self.file.write_at(bytes, self.end)?;
        self.end += written as u64;
        Ok(written)
    }

    fn patch(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.check_identity()?;
        self.file.write_all_at(bytes, offset)
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.check_identity()?;
        self.file.set_len(length)?;
        self.end = length;
        self.taken = length;
        Ok(())
    }

    fn begin_last(&mut self) {
        self.last = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_that_has_become_another_file_gets_no_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let mut sink = FileSink::create(&path).unwrap();
        assert_eq!(sink.append(b"ours").unwrap(), 4);
        // As after close() and open() by the program: the number is the same, the file is not.
        sink.file = File::create_new(folder.path().join("theirs")).unwrap();
        let error = sink.append(b"ours").unwrap_err();
        assert!(
            error.to_string().contains("closed the descriptor"),
            "{error}"
        );
        assert!(sink.patch(0, b"ours").is_err() && sink.truncate(0).is_err());
        assert_eq!(std::fs::read(folder.path().join("theirs")).unwrap(), b"");
    }
}
