//! A folder of real files that stands in for the device's part of `/sys` and `/dev`.
//!
//! One folder for each user and content, shared by all processes and kept: it is made beside its final
//! name and renamed, so that nobody sees half of it, and two who make it at once are both right.

use std::ffi::{CStr, OsString, c_char};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use hrx_vgpu::Options;

use crate::log;
use crate::places::PATH_MAX;

/// Marketing name of the chip by PCI device and revision, in the form of libdrm's table.
pub(crate) const NAMES: &str = "1.0.0\n1586,\tD1,\tAMD Radeon 8060S Graphics\n";
/// Names that the kernel has for the render node, besides the files that `hrx-vgpu` lists.
const EMPTY: &[&str] = &["/dev/dri/renderD128"];
/// Links and what they lead to.
const LINKS: &[(&str, &str)] = &[
    ("/sys/dev/char/226:128/device/subsystem", "/sys/bus/pci"),
    (
        "/sys/dev/char/226:128/device/driver",
        "/sys/bus/pci/drivers/amdgpu",
    ),
    (
        "/sys/class/drm/renderD128",
        "../../dev/char/226:128/device/drm/renderD128",
    ),
];

/// Path of the tree, without a slash at its end; `None`, after a line on stderr, where it cannot be made.
fn root() -> Option<&'static Path> {
    static ROOT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let root = ROOT.get_or_init(|| match make() {
        Ok(path) => Some(path),
        Err(error) => {
            log::say(&format!("no files for the virtual device: {error}"));
            None
        }
    });
    root.as_deref()
}

/// A path of the tree, made of the caller's.
#[derive(Debug)]
pub(crate) struct Inside([u8; PATH_MAX]);

impl Inside {
    /// # Safety
    /// `path` is a string that ends in zero.
    pub(crate) unsafe fn new(path: *const c_char) -> Option<Self> {
        let root = root()?.as_os_str().as_bytes();
        // SAFETY: the caller's promise.
        let path = unsafe { CStr::from_ptr(path) }.to_bytes_with_nul();
        let mut whole = [0; PATH_MAX];
        whole.get_mut(..root.len())?.copy_from_slice(root);
        whole
            .get_mut(root.len()..root.len() + path.len())?
            .copy_from_slice(path);
        Some(Self(whole))
    }

    pub(crate) fn as_ptr(&self) -> *const c_char {
        self.0.as_ptr().cast()
    }
}

/// Bytes that a resolved path has in front if it leads into the tree.
pub(crate) fn prefix_bytes(resolved: &[u8]) -> Option<usize> {
    let root = root()?.as_os_str().as_bytes();
    let rest = resolved.strip_prefix(root)?;
    (rest.first() == Some(&b'/')).then_some(root.len())
}

fn make() -> io::Result<PathBuf> {
    let options = Options::from_env().unwrap_or_default();
    let files: Vec<(String, String)> = hrx_vgpu::files(&options).collect();
    let mut hasher = DefaultHasher::new();
    (env!("CARGO_PKG_VERSION"), &files, EMPTY, LINKS).hash(&mut hasher);
    let name = format!("{:016x}", hasher.finish());
    // The environment may name what is not there.
    let named = ["XDG_RUNTIME_DIR", "TMPDIR"]
        .into_iter()
        .filter_map(std::env::var_os);
    let places = named.chain(["/tmp", "/dev/shm", "/var/tmp"].map(OsString::from));
    let mut refused = io::Error::from(io::ErrorKind::NotFound);
    for place in places {
        match make_in(Path::new(&place), &name, &files) {
            Ok(path) => return Ok(path),
            Err(error) => refused = error,
        }
    }
    Err(refused)
}

/// Makes the tree in a folder for temporary files, unless it is there.
fn make_in(place: &Path, name: &str, files: &[(String, String)]) -> io::Result<PathBuf> {
    if !place.is_absolute() {
        return Err(io::ErrorKind::NotFound.into());
    }
    let user = fs::metadata("/proc/self")?.uid();
    let base = place.join(format!("hrx-vgpu-{user}"));
    let mut folders = fs::DirBuilder::new();
    folders.mode(0o700);
    match folders.create(&base) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    // Another user could have made it first, to put files of their own before us.
    let found = fs::symlink_metadata(&base)?;
    if !found.is_dir() || found.uid() != user || found.mode() & 0o022 != 0 {
        return Err(io::Error::other(format!(
            "{} is not a folder of user {user} alone",
            base.display()
        )));
    }
    let path = base.join(name);
    if path.is_dir() {
        return Ok(path);
    }
    let mut scratch = OsString::from(&path);
    scratch.push(format!(".{}", std::process::id()));
    let scratch = PathBuf::from(scratch);
    fill(&scratch, files)?;
    match fs::rename(&scratch, &path) {
        Ok(()) => {}
        // Somebody else was faster.
        Err(_) if path.is_dir() => drop(fs::remove_dir_all(&scratch)),
        Err(error) => return Err(error),
    }
    Ok(path)
}

fn fill(root: &Path, files: &[(String, String)]) -> io::Result<()> {
    let place = |path: &str| -> io::Result<PathBuf> {
        let place = root.join(path.trim_start_matches('/'));
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder)?;
        }
        Ok(place)
    };
    for (path, content) in files {
        fs::write(place(path)?, content)?;
    }
    for path in EMPTY {
        fs::write(place(path)?, "")?;
    }
    for (path, target) in LINKS {
        std::os::unix::fs::symlink(target, place(path)?)?;
    }
    Ok(())
}
