//! Making the bundle and its side file.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use hrx_profile::{Error, FileSink, Recorder, SessionDescription, SideFile, SideOptions};
use parking_lot::Mutex;

use super::SessionDevice;
use crate::config::{PathNames, ProfileConfig, expand, program_name};
use crate::log::say;

/// Why a session could not begin.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The bundle or a ring of the side file.
    #[error(transparent)]
    Profile(#[from] Error),
    /// The bundle's first bytes.
    #[error("cannot write `{path}`: {source}")]
    Header {
        /// The bundle.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// What a session writes to.
pub(super) struct Opened {
    pub(super) recorder: Recorder,
    pub(super) path: PathBuf,
    pub(super) side: Option<SideFile>,
}

pub(super) fn open(
    config: &ProfileConfig,
    devices: &[SessionDevice],
) -> Result<Opened, SessionError> {
    let names = PathNames::current();
    let (path, session_id) = session_path(config, &names);
    let (sink, path) = create(&path, &names)?;
    if config.file.is_none() {
        say(&format!("profile goes to `{}`", path.display()));
    }
    let tick_frequency_hz = devices
        .first()
        .map_or(0, |device| device.description.tick_frequency_hz);
    let absolute = std::path::absolute(&path).unwrap_or_else(|_| path.clone());
    let options = SideOptions {
        bundle_path: &absolute,
        session_id,
        tick_frequency_hz,
        directory: None,
    };
    let side = match SideFile::create(&options) {
        Ok(side) => Some(side),
        Err(error) => {
            tracing::warn!(
                "{error}; launches that are not yet in the bundle are lost if the process is killed"
            );
            None
        }
    };
    let is_virtual = devices.iter().any(|device| device.description.is_virtual);
    let description = SessionDescription {
        session_id,
        device_identifier: if is_virtual {
            "amdgpu-virtual"
        } else {
            "amdgpu"
        }
        .to_owned(),
        process_id: names.pid,
        program: program_name().to_string_lossy().into_owned(),
        side_file: side
            .as_ref()
            .map(|side| (side.path().to_owned(), side.created_unix_ns())),
        families: config.modes.families(),
    };
    match Recorder::create(sink, description) {
        Ok(recorder) => Ok(Opened {
            recorder,
            path,
            side,
        }),
        Err(source) => {
            if let Some(side) = side {
                // Nothing is in it; the first error is the one to tell.
                let _ = side.remove();
            }
            Err(SessionError::Header { path, source })
        }
    }
}

/// The path that the pattern gives and the number of this session there: a later session of one process
/// goes to `NAME.2`, `NAME.3`.
fn session_path(config: &ProfileConfig, names: &PathNames) -> (PathBuf, u64) {
    static SESSIONS: Mutex<Option<HashMap<OsString, u64>>> = Mutex::new(None);
    let pattern = config
        .file
        .clone()
        .unwrap_or_else(|| ProfileConfig::DEFAULT_FILE.into());
    // The time is that of the first session, or each would have a name of its own beside its number.
    let mut path = expand(&pattern, names);
    let mut sessions = SESSIONS.lock();
    let number = sessions.get_or_insert_default().entry(pattern).or_insert(0);
    *number += 1;
    if *number > 1 {
        path.push(format!(".{number}"));
    }
    (path.into(), *number)
}

/// Creates the bundle; beside a live one of another process under `NAME.<pid>`.
fn create(path: &Path, names: &PathNames) -> Result<(FileSink, PathBuf), SessionError> {
    match FileSink::create(path) {
        Ok(sink) => Ok((sink, path.to_owned())),
        Err(Error::InUse { process_id, .. }) => {
            let mut other = path.as_os_str().to_owned();
            other.push(format!(".{}", names.pid));
            let other = PathBuf::from(other);
            let sink = FileSink::create(&other)?;
            say(&format!(
                "profile goes to `{}`, since process {process_id} is writing `{}`; %p in \
                 HRX_PROFILE_FILE gives each process its own",
                other.display(),
                path.display()
            ));
            Ok((sink, other))
        }
        Err(error) => Err(error.into()),
    }
}
