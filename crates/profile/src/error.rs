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
