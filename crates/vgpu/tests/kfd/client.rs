//! A raw client of the KFD: what a driver does, by hand, so that a test sees each answer of the kernel.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};

use hrx_abi::aql::{self, Barrier, KernelDispatch, PacketType, Scope};
use hrx_abi::kfd::{self, *};
use hrx_abi::queue::{AmdQueue, PROPERTY_ENABLE_PROFILING, PROPERTY_IS_PTR64};
use hrx_abi::signal::Signal;
use hrx_vgpu::{Errno, Fd, Options, Vgpu};

/// Device memory that the host maps.
pub(crate) const DEVICE: u32 =
    kfd::ALLOC_VRAM | kfd::ALLOC_WRITABLE | kfd::ALLOC_PUBLIC | kfd::ALLOC_NO_SUBSTITUTE;
/// Device memory for instructions.
pub(crate) const CODE: u32 = DEVICE | kfd::ALLOC_EXECUTABLE;
/// Memory for signals and queue structures.
pub(crate) const CONTROL: u32 = kfd::ALLOC_GTT
    | kfd::ALLOC_WRITABLE
    | kfd::ALLOC_NO_SUBSTITUTE
    | kfd::ALLOC_COHERENT
    | kfd::ALLOC_UNCACHED;
/// Memory of the process.
pub(crate) const USERPTR: u32 =
    kfd::ALLOC_USERPTR | kfd::ALLOC_WRITABLE | kfd::ALLOC_NO_SUBSTITUTE | kfd::ALLOC_COHERENT;

/// Save area, control stack and debugger's part of kernels that publish their sizes.
pub(crate) const SAVE_AREA: u32 = 0x0124_c000;
pub(crate) const CONTROL_STACK: u32 = 0x4000;
pub(crate) const DEBUG_AREA: u64 = 0xa000;
/// What older kernels were content with.
pub(crate) const OLD_SAVE_AREA: u32 = 0x00d4_c000;

/// Header of most packets: barrier bit, system scopes.
pub(crate) const fn header(kind: u16) -> u16 {
    aql::header(kind, true, Scope::System, Scope::System)
}

/// A mapping of this process.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) address: u64,
    pub(crate) len: usize,
}

impl Host {
    /// Anonymous memory with a protection.
    pub(crate) fn new(len: usize, protection: i32) -> Self {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping at an address that the system picks touches nothing that is in use.
        let address = unsafe { libc::mmap(std::ptr::null_mut(), len, protection, flags, -1, 0) };
        assert_ne!(address, libc::MAP_FAILED, "address space");
        Self {
            address: address.expose_provenance() as u64,
            len,
        }
    }

    /// Pages at an address that nothing else is given, also when they are gone.
    pub(crate) fn lonely(len: usize) -> Self {
        // Far below where the system places mappings that name no address.
        static NEXT: AtomicU64 = AtomicU64::new(0x20_0000_0000);
        let address = NEXT.fetch_add(1 << 24, Ordering::Relaxed);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
        let place =
            std::ptr::with_exposed_provenance_mut(usize::try_from(address).expect("64 bits"));
        // SAFETY: a new mapping that replaces none.
        let mapped =
            unsafe { libc::mmap(place, len, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        assert_eq!(mapped, place, "nobody is there");
        Self { address, len }
    }

    pub(crate) fn pages(len: usize) -> Self {
        Self::new(len, libc::PROT_READ | libc::PROT_WRITE)
    }

    fn pointer(&self, offset: usize, len: usize) -> *mut u8 {
        assert!(
            offset.checked_add(len).is_some_and(|end| end <= self.len),
            "within the mapping"
        );
        std::ptr::with_exposed_provenance_mut(
            usize::try_from(self.address).expect("64 bits") + offset,
        )
    }

    pub(crate) fn word(&self, offset: usize) -> &AtomicU64 {
        assert!(offset.is_multiple_of(8), "aligned");
        // SAFETY: an aligned word within a mapping that lives as long as `self`; device and host share
        // it, so it is only touched as an atomic.
        unsafe { AtomicU64::from_ptr(self.pointer(offset, 8).cast()) }
    }

    pub(crate) fn half(&self, offset: usize) -> &AtomicU32 {
        assert!(offset.is_multiple_of(4), "aligned");
        // SAFETY: as in `word`.
        unsafe { AtomicU32::from_ptr(self.pointer(offset, 4).cast()) }
    }

    pub(crate) fn write(&self, offset: usize, bytes: &[u8]) {
        // SAFETY: in bounds of a mapping; the device does not use these bytes while a test writes them.
        unsafe {
            std::ptr::copy_nonoverlapping(
                bytes.as_ptr(),
                self.pointer(offset, bytes.len()),
                bytes.len(),
            )
        };
    }

    pub(crate) fn read(&self, offset: usize, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        // SAFETY: as in `write`.
        unsafe {
            std::ptr::copy_nonoverlapping(self.pointer(offset, len), bytes.as_mut_ptr(), len)
        };
        bytes
    }

    pub(crate) fn words(&self, offset: usize, count: usize) -> Vec<u32> {
        let bytes = self.read(offset, 4 * count);
        bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes(word.try_into().expect("four")))
            .collect()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let address = usize::try_from(self.address).expect("64 bits");
        // SAFETY: a mapping that this value made and nobody refers to any more.
        unsafe { libc::munmap(std::ptr::with_exposed_provenance_mut(address), self.len) };
    }
}

/// A mapped object, with the host's mapping of it. Dropped, it is given back, unless a queue still uses it.
#[derive(Debug)]
pub(crate) struct Memory {
    host: Option<Host>,
    address: u64,
    pub(crate) handle: u64,
    device: (Arc<Vgpu>, Fd, u32),
}

impl Memory {
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    /// Ends the host's mapping and tells the device nothing.
    pub(crate) fn lose_host(&mut self) {
        self.host = None;
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let (vgpu, kfd, gpu_id) = &self.device;
        let devices = [*gpu_id];
        let mut unmap = MapMemory {
            handle: self.handle,
            device_ids_array_ptr: devices.as_ptr().expose_provenance() as u64,
            n_devices: 1,
            n_success: 0,
        };
        // What a test has given back by itself is refused, and that is right.
        // SAFETY: as long as the request says.
        let _ = unsafe {
            vgpu.ioctl(
                *kfd,
                request::UNMAP_MEMORY_FROM_GPU,
                std::ptr::from_mut(&mut unmap).cast(),
            )
        };
        let mut free = FreeMemory {
            handle: self.handle,
        };
        // SAFETY: as long as the request says.
        let _ = unsafe {
            vgpu.ioctl(
                *kfd,
                request::FREE_MEMORY_OF_GPU,
                std::ptr::from_mut(&mut free).cast(),
            )
        };
    }
}

impl std::ops::Deref for Memory {
    type Target = Host;

    fn deref(&self) -> &Host {
        self.host.as_ref().expect("a host mapping")
    }
}

/// A process that uses the device.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) vgpu: Arc<Vgpu>,
    pub(crate) kfd: Fd,
    pub(crate) render: Fd,
    pub(crate) gpu_id: u32,
}

impl Client {
    /// Opened, and nothing more.
    pub(crate) fn opened(options: Options) -> Self {
        let vgpu = Vgpu::new(options).expect("a device");
        let kfd = vgpu.open("/dev/kfd").expect("the node");
        let render = vgpu.open("/dev/dri/renderD128").expect("the node");
        let path = format!("{TOPOLOGY}/nodes/1/gpu_id");
        let text = String::from_utf8(vgpu.read_file(&path).expect("a file")).expect("text");
        let gpu_id = text.trim().parse().expect("a number");
        Self {
            vgpu,
            kfd,
            render,
            gpu_id,
        }
    }

    /// Ready to allocate and to make queues.
    pub(crate) fn new(options: Options) -> Self {
        let client = Self::opened(options);
        client.acquire_vm().expect("the first of this process");
        let mut enable = RuntimeEnable {
            mode_mask: kfd::RUNTIME_MODE_ENABLE,
            ..RuntimeEnable::default()
        };
        client
            .call(request::RUNTIME_ENABLE, &mut enable)
            .expect("once");
        client
    }

    /// Ready, with as many workers.
    pub(crate) fn with_threads(threads: usize) -> Self {
        Self::new(Options {
            threads: Some(threads),
            ..options()
        })
    }

    pub(crate) fn call<T>(&self, request: u32, argument: &mut T) -> Result<(), Errno> {
        assert_eq!(
            kfd::argument_bytes(request),
            size_of::<T>(),
            "the request's own argument"
        );
        // SAFETY: `argument` is as long as the request says.
        unsafe {
            self.vgpu
                .ioctl(self.kfd, request, std::ptr::from_mut(argument).cast())
        }
    }

    pub(crate) fn acquire_vm(&self) -> Result<(), Errno> {
        let drm_fd = u32::try_from(self.render.0).expect("a descriptor");
        self.call(
            request::ACQUIRE_VM,
            &mut AcquireVm {
                drm_fd,
                gpu_id: self.gpu_id,
            },
        )
    }

    /// ALLOC alone, at an address, for tests of its rules.
    pub(crate) fn alloc(
        &self,
        va_addr: u64,
        size: u64,
        flags: u32,
        offset: u64,
    ) -> Result<AllocMemory, Errno> {
        let mut argument = AllocMemory {
            va_addr,
            size,
            mmap_offset: offset,
            gpu_id: self.gpu_id,
            flags,
            ..AllocMemory::default()
        };
        self.call(request::ALLOC_MEMORY_OF_GPU, &mut argument)
            .map(|()| argument)
    }

    pub(crate) fn map(&self, handle: u64) -> Result<(), Errno> {
        self.for_device(request::MAP_MEMORY_TO_GPU, handle)
    }

    pub(crate) fn unmap(&self, handle: u64) -> Result<(), Errno> {
        self.for_device(request::UNMAP_MEMORY_FROM_GPU, handle)
    }

    fn for_device(&self, request: u32, handle: u64) -> Result<(), Errno> {
        let devices = [self.gpu_id];
        let mut argument = MapMemory {
            handle,
            device_ids_array_ptr: devices.as_ptr().expose_provenance() as u64,
            n_devices: 1,
            n_success: 0,
        };
        self.call(request, &mut argument)?;
        assert_eq!(argument.n_success, 1);
        Ok(())
    }

    pub(crate) fn free(&self, handle: u64) -> Result<(), Errno> {
        self.call(request::FREE_MEMORY_OF_GPU, &mut FreeMemory { handle })
    }

    /// Step 3 of the recipe: reserve, allocate, map for the host over the reservation, map for the device.
    pub(crate) fn memory(&self, size: usize, flags: u32) -> Memory {
        let host = Host::new(size, libc::PROT_NONE);
        let allocated = self
            .alloc(host.address, size as u64, flags, 0)
            .expect("memory");
        let address = usize::try_from(host.address).expect("64 bits");
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let mapping = libc::MAP_SHARED | libc::MAP_FIXED;
        // SAFETY: replaces the reservation, which nobody uses.
        let mapped = unsafe {
            self.vgpu.mmap(
                address,
                size,
                protection,
                mapping,
                self.render,
                allocated.mmap_offset,
            )
        };
        assert_eq!(mapped, Ok(address));
        self.map(allocated.handle).expect("maps");
        self.owned(host, allocated.handle)
    }

    fn owned(&self, host: Host, handle: u64) -> Memory {
        let device = (Arc::clone(&self.vgpu), self.kfd, self.gpu_id);
        Memory {
            address: host.address,
            host: Some(host),
            handle,
            device,
        }
    }

    /// Memory of the process, registered where it is.
    pub(crate) fn userptr(&self, host: Host) -> Memory {
        let allocated = self
            .alloc(host.address, host.len as u64, USERPTR, host.address)
            .expect("registers");
        self.map(allocated.handle).expect("maps");
        self.owned(host, allocated.handle)
    }

    pub(crate) fn release(&self, memory: Memory) {
        self.unmap(memory.handle).expect("was mapped");
        self.free(memory.handle).expect("was unmapped");
    }

    /// Hands over the page of events, and gives the first event.
    pub(crate) fn event_page(&self) -> (Memory, u32) {
        let page = self.memory(32768, CONTROL);
        let mut argument = CreateEvent {
            event_page_offset: page.handle,
            auto_reset: 1,
            ..CreateEvent::default()
        };
        self.call(request::CREATE_EVENT, &mut argument)
            .expect("the first page");
        (page, argument.event_id)
    }

    pub(crate) fn event(&self, event_type: u32, auto_reset: u32) -> u32 {
        let mut argument = CreateEvent {
            event_type,
            auto_reset,
            ..CreateEvent::default()
        };
        self.call(request::CREATE_EVENT, &mut argument)
            .expect("room");
        argument.event_id
    }

    pub(crate) fn about_event(&self, request: u32, event_id: u32) -> Result<(), Errno> {
        self.call(request, &mut EventId { event_id, pad: 0 })
    }

    /// Waits; the answer is the kernel's and its wait result.
    pub(crate) fn wait(
        &self,
        events: &mut [EventData],
        all: bool,
        timeout: u32,
    ) -> (Result<(), Errno>, u32) {
        let mut argument = WaitEvents {
            events_ptr: events.as_mut_ptr().expose_provenance() as u64,
            num_events: u32::try_from(events.len()).expect("few"),
            wait_for_all: all.into(),
            timeout,
            wait_result: 77,
        };
        let answer = self.call(request::WAIT_EVENTS, &mut argument);
        (answer, argument.wait_result)
    }

    pub(crate) fn doorbells(&self) -> Host {
        let offset = kfd::MMAP_TYPE_DOORBELL << kfd::MMAP_TYPE_SHIFT
            | u64::from(self.gpu_id) << kfd::MMAP_GPU_ID_SHIFT;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at an address that the system picks.
        let mapped = unsafe {
            self.vgpu
                .mmap(0, 8192, protection, libc::MAP_SHARED, self.kfd, offset)
        };
        Host {
            address: mapped.expect("the slice") as u64,
            len: 8192,
        }
    }

    pub(crate) fn clocks(&self, gpu_id: u32) -> GetClockCounters {
        let mut argument = GetClockCounters {
            gpu_id,
            ..GetClockCounters::default()
        };
        self.call(request::GET_CLOCK_COUNTERS, &mut argument)
            .expect("clocks");
        argument
    }
}

/// A device of 4 GiB whatever this machine has.
pub(crate) fn options() -> Options {
    Options {
        memory_bytes: 4 << 30,
        ..Options::default()
    }
}

/// An event as a wait names it.
pub(crate) fn awaited(event_id: u32, age: u64) -> EventData {
    EventData {
        event_id,
        payload: [age, 0, 0, 0],
        ..EventData::default()
    }
}

/// Everything that CREATE_QUEUE wants, each an object of its own.
#[derive(Debug)]
pub(crate) struct QueueParts {
    pub(crate) control: Memory,
    pub(crate) ring: Memory,
    pub(crate) eop: Memory,
    pub(crate) save_area: Memory,
    pub(crate) argument: CreateQueue,
}

impl QueueParts {
    /// Step 5 of the recipe, up to the call.
    pub(crate) fn new(client: &Client, packets: u32) -> Self {
        let control = client.memory(4096, CONTROL);
        let ring_bytes = packets * 64;
        let ring = client.memory(ring_bytes as usize, CONTROL | kfd::ALLOC_EXECUTABLE);
        let eop = client.memory(4096, DEVICE | kfd::ALLOC_EXECUTABLE);
        let save_bytes = (u64::from(SAVE_AREA) + DEBUG_AREA).next_multiple_of(4096);
        let save_area = client.memory(usize::try_from(save_bytes).expect("64 bits"), DEVICE);
        for packet in 0..packets as usize {
            ring.half(64 * packet)
                .store(PacketType::INVALID.into(), Ordering::Relaxed);
        }
        let queue = QueueStruct::of(&control);
        queue.base_address.store(ring.address(), Ordering::Relaxed);
        queue.size_packets.store(packets, Ordering::Relaxed);
        queue.max_cu_id.store(39, Ordering::Relaxed);
        queue.max_wave_id.store(31, Ordering::Relaxed);
        queue
            .read_dispatch_id_field_base_byte_offset
            .store(0x80, Ordering::Relaxed);
        queue.queue_properties.store(
            PROPERTY_IS_PTR64 | PROPERTY_ENABLE_PROFILING,
            Ordering::Relaxed,
        );
        let argument = CreateQueue {
            ring_base_address: ring.address(),
            write_pointer_address: control.address() + 0x38,
            read_pointer_address: control.address() + 0x80,
            ring_size: ring_bytes,
            gpu_id: client.gpu_id,
            queue_type: kfd::QUEUE_TYPE_COMPUTE_AQL,
            queue_percentage: 100,
            queue_priority: kfd::QUEUE_PRIORITY_NORMAL,
            eop_buffer_address: eop.address(),
            eop_buffer_size: 4096,
            ctx_save_restore_address: save_area.address(),
            ctx_save_restore_size: SAVE_AREA,
            ctl_stack_size: CONTROL_STACK,
            ..CreateQueue::default()
        };
        Self {
            control,
            ring,
            eop,
            save_area,
            argument,
        }
    }

    /// Names the word and event through which the processor reports errors.
    pub(crate) fn report_errors(&self, word: u64, event_id: u32) {
        let header = SaveAreaHeader {
            debug_offset: SAVE_AREA,
            debug_size: u32::try_from(DEBUG_AREA).expect("small"),
            err_payload_addr: word,
            err_event_id: event_id,
            ..SaveAreaHeader::default()
        };
        self.save_area.write(0, bytemuck::bytes_of(&header));
    }

    pub(crate) fn create(&self, client: &Client) -> Result<CreateQueue, Errno> {
        let mut argument = self.argument;
        client
            .call(request::CREATE_QUEUE, &mut argument)
            .map(|()| argument)
    }
}

struct QueueStruct;

impl QueueStruct {
    fn of(control: &Host) -> &AmdQueue {
        let place = control.pointer(0, size_of::<AmdQueue>()).cast::<AmdQueue>();
        // SAFETY: a page holds it, and all of its fields are atomics.
        unsafe { &*place }
    }
}

/// A queue that packets can go to.
#[derive(Debug)]
pub(crate) struct Queue<'a> {
    client: &'a Client,
    pub(crate) id: u32,
    live: Live<'a>,
    pub(crate) parts: QueueParts,
    doorbells: Host,
    doorbell: usize,
    packets: u64,
    written: u64,
}

/// A queue's life; ends before its parts are given back.
#[derive(Debug)]
struct Live<'a> {
    client: &'a Client,
    id: u32,
}

impl Drop for Live<'_> {
    fn drop(&mut self) {
        let mut argument = DestroyQueue {
            queue_id: self.id,
            pad: 0,
        };
        self.client
            .call(request::DESTROY_QUEUE, &mut argument)
            .expect("a queue that lives");
    }
}

impl<'a> Queue<'a> {
    pub(crate) fn new(client: &'a Client, packets: u32) -> Self {
        Self::from_parts(client, QueueParts::new(client, packets))
    }

    pub(crate) fn from_parts(client: &'a Client, parts: QueueParts) -> Self {
        let made = parts.create(client).expect("a queue that keeps the rules");
        let queue = QueueStruct::of(&parts.control);
        queue.write_dispatch_id.store(0, Ordering::Relaxed);
        queue.read_dispatch_id.store(0, Ordering::Relaxed);
        let doorbell = usize::try_from(made.doorbell_offset & 0x1fff).expect("small");
        let packets = u64::from(parts.argument.ring_size) / 64;
        let doorbells = client.doorbells();
        assert_eq!(
            doorbells.word(doorbell).load(Ordering::Relaxed),
            u64::MAX,
            "nobody has rung"
        );
        let live = Live {
            client,
            id: made.queue_id,
        };
        Self {
            client,
            parts,
            id: made.queue_id,
            live,
            doorbells,
            doorbell,
            packets,
            written: 0,
        }
    }

    pub(crate) fn amd_queue(&self) -> &AmdQueue {
        QueueStruct::of(&self.parts.control)
    }

    /// Gives the queue scratch for some waves of 32 lanes, as a client does with an idle queue.
    pub(crate) fn give_scratch(&self, bytes_per_lane: u32, waves_per_engine: u32) -> Memory {
        let wave_bytes = (bytes_per_lane * 32).next_multiple_of(256);
        let bytes = wave_bytes * waves_per_engine * 2;
        let memory = self
            .client
            .memory((bytes as usize).next_multiple_of(4096), DEVICE);
        let queue = self.amd_queue();
        let tmpring = (wave_bytes / 256) << 12 | waves_per_engine;
        queue.compute_tmpring_size.store(tmpring, Ordering::Relaxed);
        queue
            .scratch_backing_memory_location
            .store(memory.address(), Ordering::Relaxed);
        queue
            .scratch_backing_memory_byte_size
            .store(bytes.into(), Ordering::Relaxed);
        let lane = wave_bytes.div_ceil(64);
        queue
            .scratch_wave64_lane_byte_size
            .store(lane, Ordering::Release);
        memory
    }

    pub(crate) fn read_index(&self) -> u64 {
        self.amd_queue().read_dispatch_id.load(Ordering::Acquire)
    }

    /// Header word of a packet's slot.
    pub(crate) fn header(&self, position: u64) -> u16 {
        let slot = usize::try_from(position % self.packets).expect("small");
        let word = self.parts.ring.half(64 * slot).load(Ordering::Acquire);
        u16::try_from(word & 0xffff).expect("16 bits")
    }

    /// Writes a packet, body first; does not ring.
    pub(crate) fn push(&mut self, packet: &impl bytemuck::Pod) -> u64 {
        let bytes = bytemuck::bytes_of(packet);
        assert_eq!(bytes.len(), 64, "a packet");
        let position = self.written;
        assert!(
            position - self.read_index() < self.packets,
            "room in the ring"
        );
        let slot = 64 * usize::try_from(position % self.packets).expect("small");
        self.parts.ring.write(slot + 4, &bytes[4..]);
        self.written += 1;
        self.amd_queue()
            .write_dispatch_id
            .store(self.written, Ordering::Relaxed);
        let first = u32::from_le_bytes(bytes[..4].try_into().expect("four"));
        // Release: the processor's acquire load of the header shows it the body.
        self.parts.ring.half(slot).store(first, Ordering::Release);
        position
    }

    pub(crate) fn ring(&self) {
        self.ring_value(self.written - 1);
    }

    pub(crate) fn ring_value(&self, value: u64) {
        self.doorbells
            .word(self.doorbell)
            .store(value, Ordering::Release);
        self.client.vgpu.doorbell_rung();
    }

    pub(crate) fn submit(&mut self, packet: &impl bytemuck::Pod) -> u64 {
        let position = self.push(packet);
        self.ring();
        position
    }

    pub(crate) fn destroy(self) -> QueueParts {
        drop(self.live);
        self.parts
    }
}

/// Signals in a page.
#[derive(Debug)]
pub(crate) struct Signals {
    pub(crate) memory: Memory,
    fault: Option<hrx_vgpu::FaultDetail>,
}

impl Signals {
    pub(crate) fn new(client: &Client) -> Self {
        Self {
            memory: client.memory(4096, CONTROL),
            fault: client.vgpu.last_fault(),
        }
    }

    pub(crate) fn get(&self, index: usize) -> &Signal {
        let place = self.memory.pointer(64 * index, 64).cast::<Signal>();
        // SAFETY: in the page and aligned to 64; all of its fields are atomics.
        unsafe { &*place }
    }

    pub(crate) fn address(&self, index: usize) -> u64 {
        self.memory.address() + 64 * index as u64
    }

    /// Sets a signal's value, and gives its address for a packet.
    pub(crate) fn arm(&self, index: usize, value: i64) -> u64 {
        let signal = self.get(index);
        signal
            .kind
            .store(hrx_abi::signal::KIND_USER, Ordering::Relaxed);
        signal.value.store(value, Ordering::Release);
        self.address(index)
    }

    /// Spins until a signal is 0. Lost work shows as a test that never ends; a fault since the signals
    /// were made ends it.
    pub(crate) fn wait(&self, index: usize) {
        wait_until(|| {
            if self.get(index).value.load(Ordering::Acquire) == 0 {
                return true;
            }
            let fault = self.memory.device.0.last_fault();
            assert!(fault == self.fault, "signal {index} waits, but: {fault:?}");
            false
        });
    }
}

pub(crate) fn wait_until(done: impl Fn() -> bool) {
    while !done() {
        std::thread::yield_now();
    }
}

/// A barrier-and packet.
pub(crate) fn barrier(dependencies: &[u64], completion_signal: u64) -> Barrier {
    let mut packet = Barrier {
        header: header(PacketType::BARRIER_AND),
        completion_signal,
        ..Barrier::default()
    };
    packet.dependencies[..dependencies.len()].copy_from_slice(dependencies);
    packet
}

/// A dispatch in one dimension.
pub(crate) fn dispatch(
    kernel_object: u64,
    kernarg: u64,
    grid: u32,
    group: u16,
    completion_signal: u64,
) -> KernelDispatch {
    KernelDispatch {
        header: header(PacketType::KERNEL_DISPATCH),
        setup: 1,
        workgroup: [group, 1, 1],
        grid: [grid, 1, 1],
        kernel_object,
        kernarg_address: kernarg,
        completion_signal,
        ..KernelDispatch::default()
    }
}

/// The signal's value as a plain number.
pub(crate) fn value(signal: &AtomicI64) -> i64 {
    signal.load(Ordering::Acquire)
}

/// Root of the topology.
pub(crate) const TOPOLOGY: &str = "/sys/devices/virtual/kfd/kfd/topology";
