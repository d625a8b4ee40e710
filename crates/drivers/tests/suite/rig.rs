//! A device, queues, and compiled kernels ready to launch.

use std::path::PathBuf;
use std::sync::Arc;

use hrx_gfx::object::{CodeObject, Kernel, TargetId, ValueKind};
use hrx_hal::command::{CommandBuffer, CommandBufferUse};
use hrx_hal::gate::ProfileGate;
use hrx_hal::memory::Buffer;
use hrx_hal::queue::{Completion, Dispatch, EventKind, EventStatic, Queue, QueueOptions};
use hrx_hal::signal::{PooledSignal, SignalPool};
use hrx_hal::{CodeSymbol, Device, HalError, MemoryKind};

pub(super) const PAGE: usize = 4096;

/// A device with signals and queues.
pub(crate) struct Rig {
    pub(crate) device: Arc<dyn Device>,
    signals: Arc<SignalPool>,
    pub(super) gate: Arc<ProfileGate>,
}

impl Rig {
    pub(crate) fn new(device: Arc<dyn Device>) -> Self {
        Self {
            signals: SignalPool::new(Arc::clone(&device)),
            gate: Arc::default(),
            device,
        }
    }

    pub(super) fn options(&self) -> QueueOptions {
        QueueOptions::new(0, Arc::clone(&self.signals), Arc::clone(&self.gate))
    }

    pub(crate) fn queue(&self) -> Queue {
        Queue::create(Arc::clone(&self.device), self.options()).expect("a queue")
    }

    pub(super) fn buffer(&self, size: usize, kind: MemoryKind) -> Buffer {
        Buffer::allocate(&self.device, size, PAGE, kind).expect("memory")
    }

    pub(super) fn floats(&self, values: &[f32], kind: MemoryKind) -> Buffer {
        let buffer = self.buffer(size_of_val(values).max(4), kind);
        buffer.write(0, &bytes_of(values)).expect("it fits");
        buffer
    }

    /// Loads a code object, with the names of its kernels.
    pub(crate) fn program(&self, queue: &Queue, file: &str) -> Program {
        let (object, image) = read_object(file);
        let size = usize::try_from(object.load_size).expect("a small object");
        let memory = self.buffer(size, MemoryKind::Code);
        let program = Program {
            memory,
            kernels: Vec::new(),
        };
        program.load(self, queue, object, &image, file)
    }
}

pub(super) fn bytes_of(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

pub(super) fn read_floats(buffer: &Buffer, count: usize) -> Vec<f32> {
    let mut bytes = vec![0; count * 4];
    buffer.read(0, &mut bytes).expect("it has so many");
    let words = bytes.chunks_exact(4);
    words
        .map(|word| f32::from_le_bytes(word.try_into().expect("four bytes")))
        .collect()
}

pub(super) fn read_words(buffer: &Buffer, count: usize) -> Vec<u32> {
    read_floats(buffer, count)
        .into_iter()
        .map(f32::to_bits)
        .collect()
}

pub(super) fn read_object(file: &str) -> (CodeObject, Vec<u8>) {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/kernels"));
    let image = std::fs::read(folder.join(file)).expect("a checked-in code object");
    let object = CodeObject::parse(&image, &TargetId::gfx1151()).expect("a good code object");
    (object, image)
}

/// A loaded code object.
pub(crate) struct Program {
    pub(super) memory: Buffer,
    kernels: Vec<Kernel>,
}

impl Program {
    pub(super) fn load(
        mut self,
        rig: &Rig,
        queue: &Queue,
        object: CodeObject,
        image: &[u8],
        name: &str,
    ) -> Self {
        let base = self.memory.address() as u64;
        let mut laid_out = vec![0; usize::try_from(object.load_size).expect("a small object")];
        let mut none = |_: &str| None;
        object
            .load_image(image, base, &mut laid_out, &mut none)
            .expect("no outside variables");
        self.memory.write(0, &laid_out).expect("it fits");
        queue.invalidate_code().expect("the device answers");
        let symbols = object.kernels.iter().map(|kernel| CodeSymbol {
            address: base + kernel.descriptor_offset,
            size: 64,
            name: kernel.info.symbol.clone(),
        });
        rig.device
            .name_code(base, object.load_size, name, symbols.collect());
        self.kernels = object.kernels;
        self
    }

    /// A launch of a kernel over a line of work-items.
    pub(crate) fn kernel(&self, name: &str, work_items: u32, group: u16) -> Launch<'_> {
        let kernel = self.kernels.iter().find(|kernel| kernel.info.name == name);
        let kernel = kernel.unwrap_or_else(|| panic!("a kernel {name}"));
        let bytes = kernel.info.kernarg_segment_bytes as usize;
        let mut launch = Launch {
            object: self.memory.address() as u64 + kernel.descriptor_offset,
            kernel,
            arguments: vec![0; bytes],
            work_items,
            group,
            waits: Vec::new(),
            buffer: CommandBuffer::new(CommandBufferUse::Once),
        };
        launch.hidden();
        launch
    }
}

/// A kernel with its arguments, to submit any number of times.
pub(crate) struct Launch<'a> {
    pub(super) object: u64,
    pub(super) kernel: &'a Kernel,
    pub(super) arguments: Vec<u8>,
    work_items: u32,
    group: u16,
    waits: Vec<Arc<PooledSignal>>,
    buffer: CommandBuffer,
}

impl Launch<'_> {
    /// Writes explicit argument `index`.
    pub(crate) fn arg(mut self, index: usize, bytes: &[u8]) -> Self {
        let argument = self
            .kernel
            .info
            .explicit_args()
            .nth(index)
            .expect("so many arguments");
        assert_eq!(argument.size as usize, bytes.len(), "argument {index}");
        let offset = argument.offset as usize;
        self.arguments[offset..offset + bytes.len()].copy_from_slice(bytes);
        self
    }

    pub(super) fn pointer(self, index: usize, buffer: &Buffer) -> Self {
        self.arg(index, &(buffer.address() as u64).to_le_bytes())
    }

    pub(super) fn after(mut self, waits: &[&Arc<PooledSignal>]) -> Self {
        self.waits = waits.iter().map(|signal| Arc::clone(signal)).collect();
        self
    }

    /// Hidden arguments of a grid that is a line.
    fn hidden(&mut self) {
        let group = u32::from(self.group);
        for argument in self.kernel.info.hidden_args() {
            let value: u64 = match argument.value_kind {
                ValueKind::HiddenBlockCountX => u64::from(self.work_items / group),
                ValueKind::HiddenBlockCountY | ValueKind::HiddenBlockCountZ => 1,
                ValueKind::HiddenGroupSizeX => u64::from(group),
                ValueKind::HiddenGroupSizeY | ValueKind::HiddenGroupSizeZ => 1,
                ValueKind::HiddenRemainderX => u64::from(self.work_items % group),
                ValueKind::HiddenGridDims => 1,
                _ => 0,
            };
            let (offset, size) = (argument.offset as usize, argument.size as usize);
            self.arguments[offset..offset + size].copy_from_slice(&value.to_le_bytes()[..size]);
        }
    }

    pub(crate) fn submit(&self, queue: &Queue) -> Result<Completion, HalError> {
        let descriptor = &self.kernel.descriptor;
        let dispatch = Dispatch {
            kernel_object: self.object,
            grid: [self.work_items, 1, 1],
            workgroup: [self.group, 1, 1],
            dimensions: 1,
            lanes: descriptor.wave_size().lanes(),
            private_bytes: self.kernel.info.private_segment_fixed_bytes,
            group_bytes: self.kernel.info.group_segment_fixed_bytes,
            kernarg_len: self.arguments.len(),
            kernarg_align: 16,
            event: EventStatic {
                command: self.buffer.next_command(),
                submission_id: 0,
                executable_id: 1,
                function_ordinal: 5,
                stream_ordinal: 0,
                correlation_id: 0,
                dynamic_lds_bytes: 0,
                kind: EventKind::Dispatch,
                payload_bytes: 0,
                selected: true,
            },
            waits: &self.waits,
        };
        queue.dispatch(&dispatch, &mut |bytes| {
            bytes.copy_from_slice(&self.arguments)
        })
    }

    pub(super) fn run(&self, queue: &Queue) {
        let completion = self.submit(queue).expect("a submission");
        queue.wait(&completion).expect("it completes");
    }
}

pub(super) fn saxpy<'a>(
    program: &'a Program,
    a: f32,
    x: &Buffer,
    y: &Buffer,
    count: u32,
) -> Launch<'a> {
    program
        .kernel("saxpy", count.next_multiple_of(64), 64)
        .arg(0, &a.to_le_bytes())
        .pointer(1, x)
        .pointer(2, y)
        .arg(3, &count.to_le_bytes())
}
