//! Which paths are the device's.

use std::ffi::{CStr, c_char};

use hrx_abi::drm;

/// Longest path, with its zero, of Linux.
pub(crate) const PATH_MAX: usize = 4096;

/// A device node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Kfd,
    Render,
}

impl Node {
    /// Path of the node.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Kfd => "/dev/kfd",
            Self::Render => "/dev/dri/renderD128",
        }
    }

    /// Major and minor number.
    pub(crate) fn number(self) -> (u32, u32) {
        match self {
            // The KFD's major number is dynamic; this is a common one.
            Self::Kfd => (234, 0),
            Self::Render => (226, 128),
        }
    }

    /// Type byte of the node's requests.
    pub(crate) fn request_type(self) -> u32 {
        match self {
            Self::Kfd => u32::from(b'K'),
            Self::Render => drm::IOCTL_TYPE,
        }
    }
}

/// What a path of the device's is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Node(Node),
    /// The file that says how much device memory is in use.
    UsedMemory,
    /// In the tree, at this path under its root.
    Tree,
    /// A table of marketing names, wherever a library looks for it.
    Names,
}

/// Folders, and files, that the tree stands in for.
const TREE: &[&[u8]] = &[
    b"/dev/dri",
    b"/sys/devices/virtual/kfd",
    b"/sys/class/kfd",
    b"/sys/class/drm",
    b"/sys/module/amdgpu",
    b"/sys/bus/pci",
];
/// Every character device of DRM.
const DRM_NUMBERS: &[u8] = b"/sys/dev/char/226:";
const USED_MEMORY: [&[u8]; 2] = [
    b"/sys/devices/virtual/kfd/kfd/topology/nodes/1/mem_banks/0/used_memory",
    b"/sys/class/kfd/kfd/topology/nodes/1/mem_banks/0/used_memory",
];
const NAMES: &[u8] = b"/amdgpu.ids";

/// What a caller's path is; `None` where it is none of ours.
///
/// # Safety
/// `path` is null or a string that ends in zero.
pub(crate) unsafe fn place(path: *const c_char) -> Option<Place> {
    if path.is_null() {
        return None;
    }
    // SAFETY: not null, so the caller's string.
    let path = unsafe { CStr::from_ptr(path) };
    place_of(path.to_bytes())
}

fn place_of(path: &[u8]) -> Option<Place> {
    if path.first() != Some(&b'/') {
        return None;
    }
    for node in [Node::Kfd, Node::Render] {
        if path == node.path().as_bytes() {
            return Some(Place::Node(node));
        }
    }
    if USED_MEMORY.contains(&path) {
        return Some(Place::UsedMemory);
    }
    if path.ends_with(NAMES) {
        return Some(Place::Names);
    }
    let within = |folder: &&[u8]| {
        path.strip_prefix(*folder)
            .is_some_and(|rest| matches!(rest.first(), None | Some(b'/')))
    };
    (TREE.iter().any(within) || path.starts_with(DRM_NUMBERS)).then_some(Place::Tree)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_devices_paths_are_taken() {
        assert_eq!(place_of(b"/dev/kfd"), Some(Place::Node(Node::Kfd)));
        assert_eq!(
            place_of(b"/dev/dri/renderD128"),
            Some(Place::Node(Node::Render))
        );
        assert_eq!(place_of(b"/dev/dri"), Some(Place::Tree));
        assert_eq!(
            place_of(b"/sys/dev/char/226:128/device/drm"),
            Some(Place::Tree)
        );
        assert_eq!(
            place_of(b"/opt/x/share/libdrm/amdgpu.ids"),
            Some(Place::Names)
        );
        for other in [
            &b"/dev/kfdx"[..],
            b"/dev/null",
            b"dev/kfd",
            b"/sys/class/kfdx",
            b"/sys/dev/char/1:3",
            b"/proc/self/maps",
            b"",
        ] {
            assert_eq!(place_of(other), None);
        }
    }
}
