//! The HIP runtime library beside us: where it is, and what it says about itself.

#![expect(
    unsafe_code,
    reason = "a library is opened and one of its functions called"
)]

use std::ffi::{CStr, c_char};
use std::path::{Path, PathBuf};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

/// What the dynamic linker of a HIP program looks for.
pub(crate) const SONAME: &str = "libamdhip64.so.7";

/// Why the library is of no use.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("found no {SONAME} in {}, expected our runtime there", list(.places))]
    NotFound { places: Vec<PathBuf> },
    #[error("cannot find our own program: {0}")]
    NoSelf(std::io::Error),
    #[error("cannot open `{path}`: {source}")]
    Open {
        path: PathBuf,
        source: libloading::Error,
    },
    #[error("`{0}` has no `hrx_coverage` at node HRX_0.1: it is not our HIP runtime")]
    Foreign(PathBuf),
    #[error("`hrx_coverage` of `{0}` gave no text")]
    NoText(PathBuf),
}

fn list(places: &[PathBuf]) -> String {
    let places: Vec<_> = places
        .iter()
        .map(|place| format!("`{}`", place.display()))
        .collect();
    places.join(" or ")
}

/// The folder that holds our runtime: beside `hrx`, as cargo builds it, or in `../lib`, as an
/// installation has it.
pub(crate) fn directory() -> Result<PathBuf, Error> {
    let program = std::env::current_exe().map_err(Error::NoSelf)?;
    let beside = program.parent().map(Path::to_owned).unwrap_or_default();
    let lib = beside
        .parent()
        .map(|parent| parent.join("lib"))
        .unwrap_or_default();
    let mut places = vec![beside, lib];
    match places.iter().position(|place| place.join(SONAME).exists()) {
        Some(index) => Ok(places.swap_remove(index)),
        None => Err(Error::NotFound { places }),
    }
}

/// The coverage report of a library: lines of symbol, node, state and reason with tabs between.
pub(crate) fn coverage(path: &Path) -> Result<String, Error> {
    // SAFETY: loading runs the library's constructors; it is our runtime, whose constructors start
    // nothing, or a library that the user named and so asked us to load.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    let library = library.map_err(|source| Error::Open {
        path: path.to_owned(),
        source,
    })?;
    let handle = library.into_raw();
    // SAFETY: `handle` is open and never closed, and both strings end in zero.
    let address = unsafe { libc::dlvsym(handle, c"hrx_coverage".as_ptr(), c"HRX_0.1".as_ptr()) };
    if address.is_null() {
        return Err(Error::Foreign(path.to_owned()));
    }
    // SAFETY: the symbol exists at our own version node, where it has this type.
    let function: extern "C" fn() -> *const c_char = unsafe { std::mem::transmute(address) };
    let text = function();
    if text.is_null() {
        return Err(Error::NoText(path.to_owned()));
    }
    // SAFETY: the function returns a text that ends in zero and lives as long as the library, which is
    // never closed.
    let text = unsafe { CStr::from_ptr(text) };
    Ok(text.to_string_lossy().into_owned())
}
