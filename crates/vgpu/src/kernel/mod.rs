//! The kernel's half: files, descriptors, ioctls, and what a process owns of the device.
//!
//! There is one process, the one that made the device: all descriptors of `/dev/kfd` are views of the same
//! state, and the last one that is closed frees everything.
//!
//! # Thread safety
//! Lock order: the process, then shared ranges, then memory's and events' own locks. No lock is held while a
//! wait for events or for the end of a queue lasts.

mod clock;
mod dmabuf;
mod drm;
mod event;
mod ioctl;
mod memory;
mod process;
mod queue;
mod svm;
mod topology;
mod user;

use std::collections::BTreeMap;
use std::sync::Arc;

use hrx_abi::kfd;
use parking_lot::Mutex;

pub(crate) use self::clock::Clock;
pub(crate) use self::event::Events;
pub(crate) use self::memory::DeviceMemory;
pub(crate) use self::queue::QueueSpec;
pub(crate) use self::topology::GPU_ID;
pub use self::topology::files;

use self::process::Process;
use self::topology::{RENDER_MINOR, Topology};
use crate::device::Device;
use crate::processor::Processor;
use crate::{Errno, Options};

/// Path of the node that all compute ioctls go to.
const KFD_NODE: &str = "/dev/kfd";

/// What a descriptor is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Node {
    Kfd,
    Render,
}

/// Open descriptors.
#[derive(Debug, Default)]
struct Files {
    open: BTreeMap<i32, Node>,
    next: i32,
}

/// Files, descriptors and the process's state.
#[derive(Debug)]
pub(crate) struct Kernel {
    device: Arc<Device>,
    processor: Processor,
    topology: Topology,
    old_kernel: bool,
    /// Process that made the device; a forked child has no business here.
    owner: u32,
    files: Mutex<Files>,
    process: Mutex<Process>,
}

impl Kernel {
    pub(crate) fn new(device: Arc<Device>, processor: Processor, options: &Options) -> Self {
        Self {
            device,
            processor,
            topology: Topology::new(options),
            old_kernel: options.old_kernel,
            owner: std::process::id(),
            files: Mutex::new(Files {
                open: BTreeMap::new(),
                next: 3,
            }),
            process: Mutex::default(),
        }
    }

    pub(crate) fn processor(&self) -> &Processor {
        &self.processor
    }

    /// `open(2)` of a device node.
    pub(crate) fn open(&self, path: &str) -> Result<i32, Errno> {
        let node = if path == KFD_NODE {
            Node::Kfd
        } else if path.strip_prefix("/dev/dri/renderD") == Some(&RENDER_MINOR.to_string()) {
            Node::Render
        } else {
            return Err(Errno::NOENT);
        };
        let mut files = self.files.lock();
        let fd = files.next;
        files.next = fd.checked_add(1).ok_or(Errno::NOMEM)?;
        files.open.insert(fd, node);
        Ok(fd)
    }

    /// `close(2)`. The process's use of the device ends with its last descriptor of `/dev/kfd`.
    pub(crate) fn close(&self, fd: i32) {
        let mut files = self.files.lock();
        let node = files.open.remove(&fd);
        let last = !files.open.values().any(|&open| open == Node::Kfd);
        drop(files);
        if node == Some(Node::Kfd) && last {
            self.release();
        }
    }

    /// Frees all that the process has.
    pub(crate) fn release(&self) {
        let process = std::mem::take(&mut *self.process.lock());
        for queue in process.queues.keys() {
            self.processor.remove_queue(*queue);
        }
        self.device.events.clear();
        self.device.memory.clear();
    }

    fn node(&self, fd: i32) -> Result<Node, Errno> {
        if std::process::id() != self.owner {
            return Err(Errno::BADF);
        }
        self.files.lock().open.get(&fd).copied().ok_or(Errno::BADF)
    }

    /// `mmap(2)` of a device node.
    ///
    /// # Safety
    /// As `mmap(2)`: with MAP_FIXED, `[address, address + len)` is the caller's to replace.
    #[expect(unsafe_code, reason = "hands the caller's promise on")]
    pub(crate) unsafe fn mmap(
        &self,
        address: usize,
        len: usize,
        protection: i32,
        flags: i32,
        fd: i32,
        offset: u64,
    ) -> Result<usize, Errno> {
        if len == 0 {
            return Err(Errno::INVAL);
        }
        let memory = &self.device.memory;
        if self.node(fd)? == Node::Render {
            // SAFETY: the caller's promise is the one that the callee asks for.
            return unsafe { memory.map_for_client(address, len, protection, flags, offset) };
        }
        let kind = offset >> kfd::MMAP_TYPE_SHIFT;
        let gpu = offset >> kfd::MMAP_GPU_ID_SHIFT & 0xffff;
        if kind != kfd::MMAP_TYPE_EVENTS && gpu != u64::from(GPU_ID) {
            return Err(Errno::INVAL);
        }
        let (backing, limit) = match kind {
            kfd::MMAP_TYPE_DOORBELL => (self.device.doorbells, kfd::DOORBELL_SLICE_BYTES),
            kfd::MMAP_TYPE_MMIO => (memory.mmio().ok_or(Errno::INVAL)?, kfd::MMIO_REMAP_BYTES),
            kfd::MMAP_TYPE_EVENTS => {
                let page = self.process.lock().own_event_page.ok_or(Errno::INVAL)?;
                (page, kfd::EVENT_PAGE_BYTES)
            }
            _ => return Err(Errno::INVAL),
        };
        let fits = if kind == kfd::MMAP_TYPE_EVENTS {
            len as u64 <= limit
        } else {
            len as u64 == limit
        };
        if !fits {
            return Err(Errno::INVAL);
        }
        // SAFETY: the caller's promise is the one that the callee asks for.
        unsafe { memory.map_backing(address, len, protection, flags, backing) }
    }

    /// A file of `/sys`.
    pub(crate) fn read_file(&self, path: &str) -> Result<Vec<u8>, Errno> {
        if self.topology.is_used_memory(path) {
            let used = self.device.memory.total() - self.device.memory.available();
            return Ok(format!("{used}\n").into_bytes());
        }
        self.topology
            .read(path)
            .map(|text| text.as_bytes().to_vec())
            .ok_or(Errno::NOENT)
    }

    /// Names in a folder of `/sys`.
    pub(crate) fn list_directory(&self, path: &str) -> Result<Vec<String>, Errno> {
        self.topology.list(path).ok_or(Errno::NOENT)
    }
}
