//! The verbs.

pub(crate) mod coverage;
pub(crate) mod emulate;
pub(crate) mod recover;
pub(crate) mod report;
pub(crate) mod run;

/// Why a verb could not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    Bundle(#[from] hrx_profile::Error),
    #[error(transparent)]
    Library(#[from] crate::library::Error),
    #[error("csv holds one table at a time: add --section {choices}")]
    OneSection { choices: &'static str },
}

/// What a verb prints on stdout.
pub(crate) type Result = std::result::Result<String, Error>;
