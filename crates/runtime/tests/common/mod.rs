//! A context on the virtual device, and kernels to run there.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::Path;
use std::sync::Arc;

use hrx_drivers::DeviceChoice;
use hrx_hal::memory::HostRange;
use hrx_runtime::context::Context;
use hrx_runtime::device::Device;
use hrx_runtime::kernel::{Arguments, Kernel, LaunchDims};
use hrx_runtime::memory::MemoryClass;
use hrx_runtime::module::Executable;
use hrx_runtime::stream::Stream;

/// The context of the test process.
pub(crate) fn context() -> Arc<Context> {
    let opened = Context::get_or_open(&|_| match hrx_drivers::open(DeviceChoice::Virtual) {
        Ok(opened) => Ok(opened.devices),
        Err(error) => Err(error.to_string()),
    });
    opened.expect("the virtual device is always there")
}

/// Its device.
pub(crate) fn device() -> Arc<Device> {
    Arc::clone(context().device(0).expect("there is one device"))
}

/// The kernels of the conformance programs; their source is beside them.
pub(crate) fn kernels() -> Arc<Executable> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/kernels/kernels.co");
    let image = std::fs::read(path).expect("checked in");
    let context = context();
    let device = device();
    Executable::load(&device, context.null_stream(&device), &image).expect("valid code")
}

/// Arguments that lie as in the kernel's block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packed(Vec<u8>);

impl Packed {
    pub(crate) fn word(mut self, value: u32) -> Self {
        self.0.extend(value.to_ne_bytes());
        self
    }

    pub(crate) fn long(mut self, value: u64) -> Self {
        let padding = self.0.len().next_multiple_of(8) - self.0.len();
        self.0.extend(std::iter::repeat_n(0, padding));
        self.0.extend(value.to_ne_bytes());
        self
    }
}

impl Arguments for Packed {
    fn copy(&self, index: usize, offset: usize, to: &mut [u8]) {
        Arguments::copy(&self.0[..], index, offset, to);
    }
}

pub(crate) fn launch(
    stream: &Stream,
    kernel: &Kernel,
    groups: u32,
    items: u32,
    arguments: &Packed,
) {
    let dims = LaunchDims::from_groups([groups, 1, 1], [items, 1, 1], 0).expect("possible");
    stream
        .launch(kernel, &dims, arguments, 0)
        .expect("the kernel can run");
}

/// Memory of the context, zeroed, and freed at the end of the test.
pub(crate) struct Memory {
    pub(crate) address: usize,
    len: usize,
    class: MemoryClass,
}

impl Memory {
    pub(crate) fn new(class: MemoryClass, len: usize) -> Self {
        let address = context()
            .memory()
            .allocate(&device(), len, class, 0)
            .expect("there is memory");
        let memory = Self {
            address,
            len,
            class,
        };
        memory.set(&vec![0; len]);
        memory
    }

    pub(crate) fn all(&self) -> HostRange<'_> {
        // SAFETY: a live allocation of that many bytes, which the host reaches on this device.
        unsafe { HostRange::new(self.address, self.len) }
    }

    pub(crate) fn part(&self, offset: usize, len: usize) -> HostRange<'_> {
        self.all().part(offset, len).expect("inside")
    }

    pub(crate) fn set(&self, bytes: &[u8]) {
        self.all().copy_from(HostRange::of(bytes));
    }

    pub(crate) fn get(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.len];
        self.all().copy_to_slice(&mut bytes);
        bytes
    }

    pub(crate) fn word(&self, index: usize) -> u32 {
        let bytes = self.get();
        let word = bytes[4 * index..][..4].try_into().expect("four bytes");
        u32::from_ne_bytes(word)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let freed = context().memory().free(self.address, &[self.class]);
        if !std::thread::panicking() {
            freed.expect("still allocated");
        }
    }
}

/// A kernel that runs until the gate is opened. Opens it when dropped, so that a failing test ends.
pub(crate) struct Gate {
    word: Memory,
}

impl Gate {
    pub(crate) fn close(stream: &Stream, kernels: &Executable) -> Self {
        let word = Memory::new(MemoryClass::Host, 4);
        let gate = kernels.kernel("gate").expect("has it");
        launch(
            stream,
            gate,
            1,
            1,
            &Packed::default().long(word.address as u64),
        );
        Self { word }
    }

    pub(crate) fn open(&self) {
        self.word.set(&1_u32.to_ne_bytes());
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.open();
        // Before the word is freed.
        let idle = device().synchronize();
        if !std::thread::panicking() {
            idle.expect("no fault");
        }
    }
}
