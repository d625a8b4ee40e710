//! What can go wrong with a bundle or its side file, one sentence each.

use std::io;
use std::path::PathBuf;

/// Result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a bundle or a side file could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused something.
    #[error("cannot {action} `{path}`: {source}")]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process still writes the bundle.
    #[error("`{path}` is still being written by process {process_id}")]
    InUse {
        /// The bundle.
        path: PathBuf,
        /// Who writes it.
        process_id: i32,
    },
    /// The session of a bundle is not over, so there is nothing to recover yet.
    #[error("`{bundle}` belongs to process {process_id}, which still runs")]
    StillRunning {
        /// The bundle.
        bundle: PathBuf,
        /// Whose session it is.
        process_id: u32,
    },
    /// A side file that is not this bundle's.
    #[error("`{path}` is not the side file of `{bundle}`: found {found}")]
    ForeignSideFile {
        /// The side file.
        path: PathBuf,
        /// The bundle.
        bundle: PathBuf,
        /// Whose it is, and whose it should be.
        found: String,
    },
    /// A file that we must not replace.
    #[error("`{path}` is in the way: {found}, expected nothing or a finished profile bundle")]
    InTheWay {
        /// The path.
        path: PathBuf,
        /// What is there.
        found: String,
    },
    /// The file is no bundle, or of a version that we do not read.
    #[error("`{path}` is no profile bundle: found {found}, expected {expected}")]
    NotABundle {
        /// The file.
        path: PathBuf,
        /// What is in it.
        found: String,
        /// What should be.
        expected: String,
    },
    /// The file ends within a record, as one that was cut or whose writer died may.
    #[error(
        "`{path}` ends in half a record: {found} bytes are left at offset {offset}, expected {expected}"
    )]
    HalfRecord {
        /// The bundle.
        path: PathBuf,
        /// Where the record starts.
        offset: u64,
        /// Bytes from there to the end.
        found: u64,
        /// Bytes that it needs.
        expected: u64,
    },
    /// A record contradicts itself.
    #[error("`{path}` is damaged at offset {offset}: found {what} of {found}, expected {expected}")]
    Damaged {
        /// The bundle.
        path: PathBuf,
        /// Where the record starts.
        offset: u64,
        /// Which field.
        what: &'static str,
        /// Its value.
        found: u64,
        /// What it should be.
        expected: String,
    },
    /// A typed record contradicts its chunk.
    #[error(
        "the {content} chunk at offset {offset} is damaged: found a typed record of {found} bytes, \
         expected {fixed} to {left}"
    )]
    BadRow {
        /// Where the file record starts.
        offset: u64,
        /// What the chunk holds.
        content: &'static str,
        /// Bytes that the typed record claims.
        found: u64,
        /// Bytes of its fixed part.
        fixed: u64,
        /// Bytes left in the chunk.
        left: u64,
    },
    /// The side file is not one of ours, or of another version.
    #[error("`{path}` is no side file that this version reads: {found}, expected {expected}")]
    NotASideFile {
        /// The file.
        path: PathBuf,
        /// What is in it.
        found: String,
        /// What should be.
        expected: String,
    },
    /// A process has more hardware queues or a longer path than the side file has room for.
    #[error("the side file has no room for {what}: {found}, at most {limit}")]
    SideFileFull {
        /// What does not fit.
        what: &'static str,
        /// How much there is.
        found: usize,
        /// How much fits.
        limit: usize,
    },
}

impl Error {
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self::Io {
            action,
            path: path.into(),
            source,
        }
    }
}
