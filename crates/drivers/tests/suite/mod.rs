//! What every driver must do, written once and run on each: see the end of the file for the list.
//!
//! Kernels are the compiled ones of `tests/kernels`; what they should compute is worked out here.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use hrx_gfx::object::{CodeObject, Kernel, TargetId, ValueKind};
use hrx_hal::command::{CommandBuffer, CommandBufferUse};
use hrx_hal::gate::{ProfileGate, ProfileKinds};
use hrx_hal::memory::Buffer;
use hrx_hal::queue::{
    Completion, Dispatch, DrainSink, EventKind, EventStatic, Queue, QueueOptions, Recording,
};
use hrx_hal::signal::{PooledSignal, SignalPool};
use hrx_hal::{CodeSymbol, Device, FaultKind, HalError, MemoryKind};
use hrx_profile::RingMemory;
use hrx_profile::schema::side::FLAG_RECORD;

const PAGE: usize = 4096;

/// A device with signals and queues.
pub(crate) struct Rig {
    pub(crate) device: Arc<dyn Device>,
    signals: Arc<SignalPool>,
    gate: Arc<ProfileGate>,
}

impl Rig {
    pub(crate) fn new(device: Arc<dyn Device>) -> Self {
        Self {
            signals: SignalPool::new(Arc::clone(&device)),
            gate: Arc::default(),
            device,
        }
    }

    fn options(&self) -> QueueOptions {
        QueueOptions::new(0, Arc::clone(&self.signals), Arc::clone(&self.gate))
    }

    pub(crate) fn queue(&self) -> Queue {
        Queue::create(Arc::clone(&self.device), self.options()).expect("a queue")
    }

    fn buffer(&self, size: usize, kind: MemoryKind) -> Buffer {
        Buffer::allocate(&self.device, size, PAGE, kind).expect("memory")
    }

    fn floats(&self, values: &[f32], kind: MemoryKind) -> Buffer {
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

fn bytes_of(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

fn read_floats(buffer: &Buffer, count: usize) -> Vec<f32> {
    let mut bytes = vec![0; count * 4];
    buffer.read(0, &mut bytes).expect("it has so many");
    let words = bytes.chunks_exact(4);
    words
        .map(|word| f32::from_le_bytes(word.try_into().expect("four bytes")))
        .collect()
}

fn read_words(buffer: &Buffer, count: usize) -> Vec<u32> {
    read_floats(buffer, count)
        .into_iter()
        .map(f32::to_bits)
        .collect()
}

fn read_object(file: &str) -> (CodeObject, Vec<u8>) {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/kernels"));
    let image = std::fs::read(folder.join(file)).expect("a checked-in code object");
    let object = CodeObject::parse(&image, &TargetId::gfx1151()).expect("a good code object");
    (object, image)
}

/// A loaded code object.
pub(crate) struct Program {
    memory: Buffer,
    kernels: Vec<Kernel>,
}

impl Program {
    fn load(
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
    object: u64,
    kernel: &'a Kernel,
    arguments: Vec<u8>,
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

    fn pointer(self, index: usize, buffer: &Buffer) -> Self {
        self.arg(index, &(buffer.address() as u64).to_le_bytes())
    }

    fn after(mut self, waits: &[&Arc<PooledSignal>]) -> Self {
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

    fn run(&self, queue: &Queue) {
        let completion = self.submit(queue).expect("a submission");
        queue.wait(&completion).expect("it completes");
    }
}

fn saxpy<'a>(program: &'a Program, a: f32, x: &Buffer, y: &Buffer, count: u32) -> Launch<'a> {
    program
        .kernel("saxpy", count.next_multiple_of(64), 64)
        .arg(0, &a.to_le_bytes())
        .pointer(1, x)
        .pointer(2, y)
        .arg(3, &count.to_le_bytes())
}

pub(crate) fn allocations_are_aligned_host_visible_and_apart(rig: &Rig) {
    let kinds = [
        MemoryKind::Device,
        MemoryKind::Code,
        MemoryKind::HostFine,
        MemoryKind::Kernarg,
        MemoryKind::Control,
    ];
    let sizes = [1, PAGE - 1, PAGE, PAGE + 1, 3 << 20];
    let mut buffers = Vec::new();
    for (index, (kind, size)) in kinds
        .into_iter()
        .flat_map(|k| sizes.map(|s| (k, s)))
        .enumerate()
    {
        for alignment in [1, 64, PAGE, 1 << 16, 4 << 20] {
            let buffer = Buffer::allocate(&rig.device, size, alignment, kind).expect("memory");
            assert!(buffer.address().is_multiple_of(alignment.max(PAGE)));
            assert_eq!(buffer.size(), size.next_multiple_of(PAGE));
            let mark = u8::try_from(index).expect("few kinds and sizes");
            buffer.bytes().fill(&[mark]);
            buffers.push((buffer, mark));
        }
    }
    for (buffer, mark) in buffers {
        let mut bytes = vec![0; buffer.size()];
        buffer.read(0, &mut bytes).expect("all of it");
        assert!(
            bytes.iter().all(|byte| *byte == mark),
            "overwritten by another one"
        );
        buffer.free().expect("freed");
    }
}

pub(crate) fn free_memory_moves_with_allocations(rig: &Rig) {
    let (before, total) = rig.device.memory_info().expect("an answer");
    assert!(0 < before && before <= total);
    assert_eq!(total, rig.device.properties().memory_bytes);
    let size = 64 << 20;
    let buffer = rig.buffer(size, MemoryKind::Device);
    let (during, _) = rig.device.memory_info().expect("an answer");
    assert!(
        during + size as u64 <= before,
        "{during} of {before} after {size}"
    );
    buffer.free().expect("freed");
    let (after, _) = rig.device.memory_info().expect("an answer");
    assert_eq!(after, before);
}

pub(crate) fn more_memory_than_there_is_is_refused_with_its_size(rig: &Rig) {
    let total = rig.device.properties().memory_bytes;
    for request in [
        usize::try_from(total).expect("64 bits") + PAGE,
        usize::MAX,
        usize::MAX - 8192,
    ] {
        let error = rig
            .device
            .allocate(request, 64, MemoryKind::Device)
            .unwrap_err();
        let HalError::OutOfMemory {
            requested_bytes,
            total_bytes,
            ..
        } = error
        else {
            panic!("{error}");
        };
        assert_eq!((requested_bytes, total_bytes), (request, total));
    }
    let error = rig.device.allocate(1, 3, MemoryKind::Device).unwrap_err();
    assert!(
        matches!(error, HalError::InvalidArgument { found: 3, .. }),
        "{error}"
    );
}

pub(crate) fn kernels_compute_in_memory_of_every_kind(rig: &Rig) {
    let queue = rig.queue();
    let program = rig.program(&queue, "01_saxpy.O3.co");
    let count: u16 = 1000;
    let values: Vec<f32> = (0..count).map(f32::from).collect();
    for kind in [MemoryKind::Device, MemoryKind::HostFine] {
        let x = rig.floats(&values, kind);
        let y = rig.floats(&values, kind);
        saxpy(&program, 3.0, &x, &y, u32::from(count)).run(&queue);
        let expected: Vec<f32> = values.iter().map(|value| 4.0 * value).collect();
        assert_eq!(read_floats(&y, values.len()), expected, "in {kind:?}");
    }
}

pub(crate) fn registered_host_memory_is_the_devices_too(rig: &Rig) {
    let queue = rig.queue();
    let program = rig.program(&queue, "01_saxpy.O3.co");
    // Neither start nor length is a page's.
    let mut values = vec![1.0_f32; 5000];
    let (address, len) = (values[100..].as_ptr().addr(), 4 * 4000);
    let registration = rig
        .device
        .register_host(address, len)
        .expect("ordinary memory");
    assert!(registration.address <= address && registration.address.is_multiple_of(PAGE));
    assert!(registration.address + registration.size >= address + len);
    let x = rig.floats(&[2.0; 4000], MemoryKind::Device);
    let exposed = values[100..].as_mut_ptr().expose_provenance() as u64;
    let launch = program
        .kernel("saxpy", 4032, 64)
        .arg(0, &10.0_f32.to_le_bytes())
        .pointer(1, &x)
        .arg(2, &exposed.to_le_bytes())
        .arg(3, &4000_u32.to_le_bytes());
    launch.run(&queue);
    rig.device
        .unregister_host(registration)
        .expect("given back");
    let values = std::hint::black_box(values);
    assert_eq!((values[99], values[4100]), (1.0, 1.0));
    assert!(values[100..4100].iter().all(|value| *value == 21.0));
    let error = rig.device.register_host(address, 0).unwrap_err();
    assert!(matches!(error, HalError::InvalidArgument { .. }));
    let error = rig.device.register_host(PAGE, PAGE).unwrap_err();
    assert!(
        matches!(error, HalError::System { .. }),
        "nothing is mapped there: {error}"
    );
}

pub(crate) fn seventy_thousand_launches_all_run_in_order(rig: &Rig) {
    let queue = rig.queue();
    let program = rig.program(&queue, "01_saxpy.O3.co");
    let one = rig.floats(&[1.0], MemoryKind::Device);
    let sum = rig.floats(&[0.0], MemoryKind::Device);
    // More than event slots, packets and argument bytes of any queue.
    let launches: u32 = 70_000;
    let launch = saxpy(&program, 1.0, &one, &sum, 1);
    let mut last = None;
    for _ in 0..launches {
        last = Some(launch.submit(&queue).expect("a submission"));
    }
    queue
        .wait(&last.expect("there were some"))
        .expect("it completes");
    // Exact: a whole number below 2^24.
    assert_eq!(read_floats(&sum, 1), [70_000.0]);
    assert_eq!(queue.counters().launches_seen, u64::from(launches));
}

pub(crate) fn waits_order_the_work_of_two_queues(rig: &Rig) {
    let (one, other) = (rig.queue(), rig.queue());
    let program = rig.program(&one, "01_saxpy.O3.co");
    let unit = rig.floats(&[1.0], MemoryKind::Device);
    let value = rig.floats(&[0.0], MemoryKind::Device);
    let mut signal = one.signal_after().expect("a signal");
    let rounds = 20;
    for _ in 0..rounds {
        // Doubled on one queue, then incremented on the other; any other order gives another number.
        let double = saxpy(&program, 1.0, &value, &value, 1).after(&[&signal]);
        double.submit(&one).expect("a submission");
        signal = one.signal_after().expect("a signal");
        let increment = saxpy(&program, 1.0, &unit, &value, 1).after(&[&signal]);
        increment.submit(&other).expect("a submission");
        signal = other.signal_after().expect("a signal");
    }
    let end = one.barrier(&[signal], None).expect("a barrier");
    one.wait(&end).expect("it completes");
    let expected: f32 = (0..rounds).fold(0.0, |value, _| 2.0 * value + 1.0);
    assert_eq!(read_floats(&value, 1), [expected]);
}

pub(crate) fn ticks_rise_and_lie_between_clock_samples(rig: &Rig) {
    let queue = rig.queue();
    let program = rig.program(&queue, "01_saxpy.O3.co");
    let x = rig.floats(&[1.0; 64], MemoryKind::Device);
    let launch = saxpy(&program, 1.0, &x, &x, 64);
    let before = rig.device.sample_clocks().expect("a sample");
    let mut last = before.device_tick;
    for _ in 0..20 {
        let completion = launch.submit(&queue).expect("a submission");
        let signal = queue.signal_after().expect("a signal");
        queue.wait(&completion).expect("it completes");
        let position = completion.position().expect("launches have one");
        let slot = &queue.events().slot(position).signal;
        let (start, end) = (slot.start_ts.load(Relaxed), slot.end_ts.load(Relaxed));
        assert!(last <= start && start <= end, "{last} <= {start} <= {end}");
        assert!(queue.wait_idle(None).expect("no fault"));
        let marker = signal.ticks().expect("it has completed");
        assert!(end <= marker.end && marker.start <= marker.end);
        last = marker.end;
    }
    let after = rig.device.sample_clocks().expect("a sample");
    assert!(last <= after.device_tick);
}

pub(crate) fn clock_samples_agree_with_the_tick_rate(rig: &Rig) {
    let first = rig.device.sample_clocks().expect("a sample");
    std::thread::sleep(Duration::from_millis(50));
    let second = rig.device.sample_clocks().expect("a sample");
    assert!(first.host_begin_ns <= first.host_end_ns && first.host_end_ns <= second.host_begin_ns);
    assert!(first.host_cpu_ns < second.host_cpu_ns);
    let ticks = u128::from(second.device_tick - first.device_tick);
    let nanoseconds = u128::from(second.host_system_ns - first.host_system_ns);
    let expected = nanoseconds * u128::from(rig.device.properties().tick_hz) / 1_000_000_000;
    // The clocks of a sample are read one after the other: 1 % of 50 ms is far more than that takes.
    assert!(
        ticks.abs_diff(expected) < expected / 100,
        "{ticks} ticks, expected {expected}"
    );
}

/// A launch that spins until the host stores to the first word of the buffer.
fn spinner<'a>(program: &'a Program, flag: &Buffer) -> Launch<'a> {
    // The work-group takes ticket 1 and so waits for flag 0.
    flag.write(0, &[0; 4096]).expect("a page");
    flag.write(2048, &1_u32.to_le_bytes()).expect("a page");
    program
        .kernel("chain", 32, 32)
        .pointer(0, flag)
        .arg(1, &(flag.address() as u64 + 1024).to_le_bytes())
        .arg(2, &(flag.address() as u64 + 2048).to_le_bytes())
}

pub(crate) fn a_wait_with_a_limit_gives_up_on_a_kernel_that_runs_on(rig: &Rig) {
    let queue = rig.queue();
    let program = rig.program(&queue, "17_lookback.O3.co");
    let flag = rig.buffer(PAGE, MemoryKind::HostFine);
    let completion = spinner(&program, &flag)
        .submit(&queue)
        .expect("a submission");
    assert!(
        !queue
            .wait_for(&completion, Duration::from_millis(20))
            .expect("no fault")
    );
    assert!(!queue.is_complete(&completion));
    flag.write(0, &1_u32.to_le_bytes()).expect("a page");
    queue.wait(&completion).expect("it completes");
    // out[1] = out[0] + 1 + 1.
    assert_eq!(read_words(&flag, 258)[257], 2);
}

pub(crate) fn a_blocked_queue_does_not_hold_up_another(rig: &Rig) {
    let (blocked, free) = (rig.queue(), rig.queue());
    let lookback = rig.program(&blocked, "17_lookback.O3.co");
    let program = rig.program(&free, "01_saxpy.O3.co");
    let flag = rig.buffer(PAGE, MemoryKind::HostFine);
    let spinning = spinner(&lookback, &flag)
        .submit(&blocked)
        .expect("a submission");
    let behind = blocked.signal_after().expect("a signal");
    let y = rig.floats(&[1.0; 64], MemoryKind::Device);
    let late = saxpy(&program, 1.0, &y, &y, 64).after(&[&behind]);
    saxpy(&program, 1.0, &y, &y, 64).run(&free);
    let late = late.submit(&free).expect("a submission");
    assert!(
        !free
            .wait_for(&late, Duration::from_millis(5))
            .expect("no fault")
    );
    assert_eq!(read_floats(&y, 1), [2.0]);
    flag.write(0, &1_u32.to_le_bytes()).expect("a page");
    free.wait(&late).expect("it completes");
    assert!(blocked.is_complete(&spinning));
    assert_eq!(read_floats(&y, 1), [4.0]);
}

pub(crate) fn scratch_grows_with_the_kernels_that_need_it(rig: &Rig) {
    let queue = rig.queue();
    let program = rig.program(&queue, "11_scratch.O3.co");
    let (count, items) = (1000_u32, 128_u32);
    let input: Vec<i32> = (0..1000).map(|value| value * 7 % 61).collect();
    let bytes: Vec<u8> = input.iter().flat_map(|value| value.to_le_bytes()).collect();
    let from = rig.buffer(bytes.len(), MemoryKind::Device);
    from.write(0, &bytes).expect("it fits");
    let to = rig.buffer(4 * 128, MemoryKind::Device);
    let launch = program
        .kernel("local_array", items, 64)
        .pointer(0, &from)
        .pointer(1, &to)
        .arg(2, &count.to_le_bytes());
    assert!(
        launch.kernel.info.private_segment_fixed_bytes >= 256,
        "it has an array of 64 words"
    );
    launch.run(&queue);
    let expected: Vec<u32> = (0..items)
        .map(|item| local_array(&input, item, item % 64))
        .collect();
    assert_eq!(read_words(&to, 128), expected);
    // A second queue has scratch of its own, and so has a larger kernel on the first.
    let second = rig.queue();
    launch.run(&second);
    assert_eq!(read_words(&to, 128), expected);
    let mut larger = launch;
    larger.arguments[0..8].copy_from_slice(&(from.address() as u64).to_le_bytes());
    larger.run(&queue);
    assert_eq!(read_words(&to, 128), expected);
}

/// What the kernel of the same name does, in the host's words.
fn local_array(input: &[i32], gid: u32, tid: u32) -> u32 {
    let mut buffer = [0_i32; 64];
    for (k, word) in (0..).zip(&mut buffer) {
        *word = input[(gid as usize * 64 + k) % input.len()];
    }
    let mut sum = 0_i32;
    let mut at = tid as usize & 63;
    for _ in 0..100 {
        sum = sum.wrapping_add(buffer[at]);
        buffer[at] = sum;
        at = buffer[(at + 1) & 63].cast_unsigned() as usize & 63;
    }
    sum.cast_unsigned()
}

pub(crate) fn code_may_be_replaced_in_place(rig: &Rig) {
    let queue = rig.queue();
    let mut program = rig.program(&queue, "01_saxpy.O3.co");
    let y = rig.floats(&[1.0; 64], MemoryKind::Device);
    saxpy(&program, 1.0, &y, &y, 64).run(&queue);
    assert_eq!(read_floats(&y, 64), [2.0; 64]);
    // Another build of the same kernels at the same addresses: what was decoded there is stale.
    let (object, image) = read_object("01_saxpy.O1.co");
    let fits = object.load_size <= program.memory.size() as u64;
    assert!(fits, "the objects are of one size class");
    program = program.load(rig, &queue, object, &image, "replaced");
    saxpy(&program, 1.0, &y, &y, 64).run(&queue);
    assert_eq!(read_floats(&y, 64), [4.0; 64]);
}

pub(crate) fn queues_come_and_go_without_a_trace(rig: &Rig) {
    // What stays for good is there after the first one: doorbells, signals.
    drop(rig.queue().signal_after().expect("a signal"));
    let (before, _) = rig.device.memory_info().expect("an answer");
    for _ in 0..10 {
        let queues: Vec<Queue> = (0..4).map(|_| rig.queue()).collect();
        for queue in &queues {
            let end = queue.barrier(&[], None).expect("a barrier");
            queue.wait(&end).expect("it completes");
        }
    }
    let (after, _) = rig.device.memory_info().expect("an answer");
    assert_eq!(after, before);
}

#[derive(Debug)]
struct NoSink;

impl DrainSink for NoSink {
    fn wake(&self) {}
}

pub(crate) fn every_launch_of_several_threads_is_recorded_once(rig: &Rig) {
    rig.gate.set(ProfileKinds::DISPATCH);
    let mut options = rig.options();
    options.recording = Some(Recording {
        ring: RingMemory::anonymous().expect("memory"),
        sink: Arc::new(NoSink),
    });
    let queue = Queue::create(Arc::clone(&rig.device), options).expect("a queue");
    let program = rig.program(&queue, "01_saxpy.O3.co");
    let y = rig.floats(&[0.0; 64], MemoryKind::Device);
    let one = rig.floats(&[1.0; 64], MemoryKind::Device);
    let (threads, each) = (4_u16, 20_000_u16);
    let finished = AtomicBool::new(false);
    let drained = std::thread::scope(|scope| {
        let collector = scope.spawn(|| collect(&queue, &finished));
        let submitters: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let launch = saxpy(&program, 1.0, &one, &y, 64);
                    for _ in 0..each {
                        launch.submit(&queue).expect("a submission");
                    }
                })
            })
            .collect();
        for submitter in submitters {
            submitter.join().expect("no panic");
        }
        assert!(queue.wait_idle(None).expect("no fault"));
        finished.store(true, Relaxed);
        collector.join().expect("no panic")
    });
    let total = u64::from(threads) * u64::from(each);
    assert_eq!(drained, total);
    assert_eq!(queue.counters().launches_selected, total);
    assert_eq!(
        read_floats(&y, 64),
        [f32::from(threads) * f32::from(each); 64]
    );
}

/// Drains until told to stop, and then what is left; checks each event.
fn collect(queue: &Queue, finished: &AtomicBool) -> u64 {
    let (mut events, mut last_end) = (0, 0);
    loop {
        let last_round = finished.load(Relaxed);
        queue.retire();
        queue.events().take(1);
        let mut drain = queue.events().drain();
        for (position, slot) in drain.slots() {
            let info = slot.info.load();
            assert_eq!(info.sequence, position + 1);
            let (start, end) = (
                slot.signal.start_ts.load(Relaxed),
                slot.signal.end_ts.load(Relaxed),
            );
            assert!(
                last_end <= start && start <= end,
                "{last_end} <= {start} <= {end}"
            );
            last_end = end;
            if info.flags & FLAG_RECORD == 0 {
                continue;
            }
            assert_eq!((info.executable_id, info.function_ordinal), (1, 5));
            assert_eq!(info.workgroup_count, [1, 1, 1]);
            events += 1;
        }
        let end = drain.range().end;
        drain.release(end);
        drop(drain);
        if last_round {
            return events;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Runs a launch that faults and returns how the wait for it ended.
fn fault_of(queue: &Queue, launch: &Launch<'_>) -> HalError {
    let completion = launch.submit(queue).expect("a submission");
    let error = queue.wait(&completion).expect_err("it cannot complete");
    // Sticky, for waits and for submissions.
    assert_eq!(
        queue.wait(&completion).expect_err("still").fault(),
        error.fault()
    );
    assert_eq!(
        launch.submit(queue).expect_err("still").fault(),
        error.fault()
    );
    assert!(!queue.is_complete(&completion));
    error
}

pub(crate) fn an_access_to_unmapped_memory_is_a_fault_with_its_address(rig: &Rig) {
    let queue = rig.queue();
    let program = rig.program(&queue, "01_saxpy.O3.co");
    let y = rig.floats(&[0.0; 64], MemoryKind::Device);
    let wild = 0x7f00_dead_b000_u64;
    let launch = saxpy(&program, 1.0, &y, &y, 64).arg(1, &wild.to_le_bytes());
    let error = fault_of(&queue, &launch);
    let fault = error.fault().expect("a device fault");
    assert_eq!(
        (fault.kind, fault.address),
        (FaultKind::NotPresent, Some(wild))
    );
    assert_eq!(fault.kernel.as_deref(), Some("saxpy"), "{fault}");
    if rig.device.properties().is_virtual {
        assert_eq!(fault.workgroup, Some([0, 0, 0]), "{fault}");
    }
    assert!(error.to_string().contains("0x7f00deadb000"), "{error}");
}

pub(crate) fn a_fault_is_seen_by_who_only_polls(rig: &Rig) {
    let queue = rig.queue();
    let program = rig.program(&queue, "01_saxpy.O3.co");
    let y = rig.floats(&[0.0; 64], MemoryKind::Device);
    let launch = saxpy(&program, 1.0, &y, &y, 64).arg(2, &0x7f00_0000_0000_u64.to_le_bytes());
    let completion = launch.submit(&queue).expect("a submission");
    let mut looks = 0_u64;
    while rig.device.fault().is_none() {
        assert!(!queue.is_complete(&completion));
        looks += 1;
        assert!(looks < 1_000_000_000, "nobody reports the fault");
        std::thread::yield_now();
    }
}

pub(crate) fn a_fault_on_one_queue_ends_the_waits_on_all(rig: &Rig) {
    let (broken, other) = (rig.queue(), rig.queue());
    let program = rig.program(&broken, "01_saxpy.O3.co");
    let y = rig.floats(&[0.0; 64], MemoryKind::Device);
    let launch = saxpy(&program, 1.0, &y, &y, 64).arg(1, &0x7f00_0000_0000_u64.to_le_bytes());
    launch.submit(&broken).expect("a submission");
    let never = broken.signal_after();
    // The fault may have been seen already.
    let Ok(never) = never else { return };
    let Ok(blocked) = other.barrier(&[never], None) else {
        return;
    };
    let error = other.wait(&blocked).expect_err("its signal never comes");
    assert!(error.fault().is_some(), "{error}");
}

pub(crate) fn a_trap_is_a_fault(rig: &Rig) {
    let queue = rig.queue();
    let program = rig.program(&queue, "18_system.O3.co");
    let input = rig.buffer(PAGE, MemoryKind::Device);
    input.write(0, &[0; 256]).expect("a page");
    let launch = program.kernel("maybe_trap", 64, 64).pointer(0, &input);
    launch.run(&queue);
    input
        .write(4 * 40, &(-1_i32).to_le_bytes())
        .expect("a page");
    let error = fault_of(&queue, &launch);
    let fault = error.fault().expect("a device fault");
    assert_eq!((fault.kind, fault.code), (FaultKind::Trap, 1), "{fault}");
}

pub(crate) fn a_bad_kernel_object_is_a_refused_packet(rig: &Rig) {
    let queue = rig.queue();
    let program = rig.program(&queue, "01_saxpy.O3.co");
    let y = rig.floats(&[0.0; 64], MemoryKind::Device);
    let mut launch = saxpy(&program, 1.0, &y, &y, 64);
    // Not a multiple of 64.
    launch.object += 4;
    let error = fault_of(&queue, &launch);
    let fault = error.fault().expect("a device fault");
    assert_eq!(
        (fault.kind, fault.code),
        (FaultKind::InvalidPacket, 18),
        "{fault}"
    );
}

/// Makes a test of each case; `$open` gives a device, or `None` where there is none.
macro_rules! suite {
    ($open:path) => {
        suite::cases! { $open:
            allocations_are_aligned_host_visible_and_apart
            free_memory_moves_with_allocations
            more_memory_than_there_is_is_refused_with_its_size
            kernels_compute_in_memory_of_every_kind
            registered_host_memory_is_the_devices_too
            seventy_thousand_launches_all_run_in_order
            waits_order_the_work_of_two_queues
            ticks_rise_and_lie_between_clock_samples
            clock_samples_agree_with_the_tick_rate
            a_wait_with_a_limit_gives_up_on_a_kernel_that_runs_on
            a_blocked_queue_does_not_hold_up_another
            scratch_grows_with_the_kernels_that_need_it
            code_may_be_replaced_in_place
            queues_come_and_go_without_a_trace
            every_launch_of_several_threads_is_recorded_once
            an_access_to_unmapped_memory_is_a_fault_with_its_address
            a_fault_is_seen_by_who_only_polls
            a_fault_on_one_queue_ends_the_waits_on_all
            a_trap_is_a_fault
            a_bad_kernel_object_is_a_refused_packet
        }
    };
}
pub(crate) use suite;

macro_rules! cases {
    ($open:path: $($case:ident)*) => { $(
        #[test]
        fn $case() {
            let Some(device) = $open() else { return };
            suite::$case(&suite::Rig::new(device));
        }
    )* };
}
pub(crate) use cases;
