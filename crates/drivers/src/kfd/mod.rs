//! The kfd driver: ioctls on `/dev/kfd`, without any user-space part of ROCm.
//!
//! 1. [`topology`]: which GPUs there are, from files.
//! 2. Open `/dev/kfd` and the render node, check the version, tie the address space to the render
//!    node, say that a runtime is there.
//! 3. [`memory`]: objects whose device address is their host address.
//! 4. [`event`]: the event page, then one event for each kind of exception.
//! 5. [`queue`]: buffers of exact sizes, the structure that the packet processor reads, the
//!    doorbell.
//! 6. Packets, rings and waiting are `hal`'s.
//! 7. Down: queues (which wait for their waves), memory, events, runtime, descriptors.
//!
//! # Thread safety
//! As [`hrx_hal::Device`] asks. A lock guards the list of queues, and is held across the ioctls
//! that make and destroy them and set up scratch; nothing on the launch path takes it.

mod clock;
mod event;
mod fault;
mod ioctl;
pub mod kernel;
mod memory;
mod names;
mod properties;
mod queue;
mod topology;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hrx_abi::drm::DeviceInfo;
use hrx_abi::kfd::{
    AcquireVm, AvailableMemory, GetVersion, MAJOR_VERSION, MINOR_RUNTIME_ENABLE,
    RUNTIME_MODE_ENABLE, RuntimeEnable,
};
use hrx_hal::{
    Allocation, ClockSample, CodeSymbol, Device, DeviceFault, DeviceProperties, HalError,
    InterruptEvent, MemoryKind, QueueMemory, Registration, Result, WaitOutcome,
};
use parking_lot::Mutex;

pub use self::kernel::{Errno, FaultReport, Fd, Kernel, RealKernel, VirtualKernel};

use self::event::{Events, Seen};
use self::ioctl::Kfd;
use self::memory::{Memory, PAGE, Purpose};
use self::names::CodeNames;
use self::queue::{Doorbells, LiveQueue, QueueShape};
use self::topology::{GpuNode, SaveArea};
use crate::error::DriverError;

const KFD_NODE: &str = "/dev/kfd";
/// The only doorbells that we ring: 64 bits.
const DOORBELL_64: u32 = 2;
/// How long a wave's memory violation may take to be reported with its address.
const FAULT_DETAIL_PATIENCE: Duration = Duration::from_millis(100);

/// Which chips will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChipSet {
    /// gfx115x, what the project is for.
    Native,
    /// gfx110x too: when the user asks for the driver by name.
    Asked,
}

impl ChipSet {
    fn takes(self, gfx_target_version: u32) -> bool {
        match gfx_target_version {
            110_500..=110_599 => true,
            110_000..=110_099 => self == Self::Asked,
            _ => false,
        }
    }

    fn expected(self) -> &'static str {
        match self {
            Self::Native => "gfx115x",
            Self::Asked => "gfx115x or gfx110x",
        }
    }
}

/// A GPU on the KFD.
#[derive(Debug)]
pub struct KfdDevice {
    kernel: Arc<dyn Kernel>,
    properties: DeviceProperties,
    memory: Memory,
    events: Events,
    doorbells: Doorbells,
    shape: QueueShape,
    queues: Mutex<Vec<LiveQueue>>,
    names: CodeNames,
    fault: OnceLock<Arc<DeviceFault>>,
    runtime_enabled: bool,
}

impl KfdDevice {
    /// Opens the first GPU of `kernel` that `chips` takes. Others are left alone: the kernel gives
    /// a process one event page, which is this GPU's then.
    ///
    /// # Errors
    /// Why there is none.
    pub fn open(
        kernel: &Arc<dyn Kernel>,
        chips: ChipSet,
    ) -> std::result::Result<Arc<Self>, DriverError> {
        let kfd = open_node(kernel.as_ref(), KFD_NODE)?;
        let opened = Self::open_first(kernel, kfd, chips);
        if opened.is_err() {
            kernel.close(kfd);
        }
        opened
    }

    fn open_first(
        kernel: &Arc<dyn Kernel>,
        fd: Fd,
        chips: ChipSet,
    ) -> std::result::Result<Arc<Self>, DriverError> {
        let kfd = Kfd::new(Arc::clone(kernel), fd);
        let mut version = GetVersion::default();
        let asked = kfd.get_version(&mut version);
        asked.map_err(|errno| refused("asking for the KFD's version", errno))?;
        if version.major != MAJOR_VERSION {
            return Err(DriverError::WrongVersion {
                major: version.major,
                minor: version.minor,
                expected: MAJOR_VERSION,
            });
        }
        let mut first_problem = None;
        for node in &topology::gpu_nodes(kernel.as_ref())? {
            match check_node(node, chips)
                .and_then(|()| Self::open_node(kernel, &kfd, node, version.minor))
            {
                Ok(device) => return Ok(Arc::new(device)),
                Err(problem) => {
                    tracing::debug!(gpu = node.target_name(), %problem, "GPU left out");
                    first_problem.get_or_insert(problem);
                }
            }
        }
        Err(first_problem.unwrap_or(DriverError::NoGpu))
    }

    fn open_node(
        kernel: &Arc<dyn Kernel>,
        kfd: &Kfd,
        node: &GpuNode,
        minor: u32,
    ) -> std::result::Result<Self, DriverError> {
        let path = format!("/dev/dri/renderD{}", node.drm_render_minor);
        let render = open_node(kernel.as_ref(), &path)?;
        let device = Self::start(kernel, kfd, render, node, minor);
        if device.is_err() {
            kernel.close(render);
        }
        device
    }

    fn start(
        kernel: &Arc<dyn Kernel>,
        kfd: &Kfd,
        render: Fd,
        node: &GpuNode,
        minor: u32,
    ) -> std::result::Result<Self, DriverError> {
        let info = ioctl::device_info(kernel.as_ref(), render);
        let info = info.map_err(|errno| refused("asking the render node for its device", errno))?;
        let gpu_id = node.gpu_id;
        let mut acquire = AcquireVm {
            drm_fd: render.0.cast_unsigned(),
            gpu_id,
        };
        kfd.acquire_vm(&mut acquire)
            .map_err(|errno| refused("tying the address space to the render node", errno))?;
        let runtime_enabled = minor >= MINOR_RUNTIME_ENABLE && enable_runtime(kfd)?;
        let memory = Memory {
            kernel: Arc::clone(kernel),
            kfd: kfd.clone(),
            render,
            gpu_id,
        };
        let device = Self::assemble(memory, node, &info, runtime_enabled);
        if device.is_err() && runtime_enabled {
            disable_runtime(kfd);
        }
        device
    }

    fn assemble(
        memory: Memory,
        node: &GpuNode,
        info: &DeviceInfo,
        runtime_enabled: bool,
    ) -> std::result::Result<Self, DriverError> {
        let apertures = memory.kfd.apertures(node.gpu_id);
        let apertures = apertures.map_err(|errno| refused("asking for the apertures", errno))?;
        let apertures = apertures.ok_or(DriverError::NoGpu)?;
        let events = Events::create(&memory);
        let events = events.map_err(|errno| refused("making the event page", errno))?;
        let properties = properties::describe(node, info, &apertures, memory.kernel.is_virtual());
        let shape = QueueShape {
            save_area: SaveArea::of(node),
            compute_units: node.compute_units(),
            scratch_waves_per_compute_unit: node.max_slots_scratch_cu,
            shader_engines: node.shader_engines(),
            shared_aperture_hi: properties.shared_aperture_hi,
            private_aperture_hi: properties.private_aperture_hi,
            error_event: events.queue_error(),
        };
        Ok(Self {
            kernel: Arc::clone(&memory.kernel),
            properties,
            memory,
            events,
            doorbells: Doorbells::default(),
            shape,
            queues: Mutex::default(),
            names: CodeNames::default(),
            fault: OnceLock::new(),
            runtime_enabled,
        })
    }

    /// Keeps the first fault that is seen. Later ones are its consequences.
    fn report(&self, mut fault: DeviceFault) -> Arc<DeviceFault> {
        if fault.kernel.is_none() {
            fault.kernel = self.running_kernel();
        }
        if let Some(report) = self.kernel.fault_report() {
            fault::enrich(&mut fault, report);
        }
        Arc::clone(self.fault.get_or_init(|| {
            // Who sees it first tells the user.
            tracing::debug!("{fault}");
            Arc::new(fault)
        }))
    }

    /// The kernel that a queue is at: that of the queue with an error, or of the only busy one.
    fn running_kernel(&self) -> Option<String> {
        let queues = self.queues.lock();
        let failed = queues.iter().find(|queue| queue.error_word() != 0);
        let object = match failed {
            Some(queue) => queue.current_kernel_object()?,
            None => {
                let mut running = queues.iter().filter_map(LiveQueue::current_kernel_object);
                let object = running.next()?;
                if running.next().is_some() {
                    return None;
                }
                object
            }
        };
        drop(queues);
        self.names.find(object)
    }

    /// Turns what a wait saw into the fault that it reports, if any.
    fn look_for_fault(&self, seen: &Seen) -> Option<Arc<DeviceFault>> {
        if let Some(fault) = self.fault.get() {
            return Some(Arc::clone(fault));
        }
        if let Some(exception) = &seen.memory {
            return Some(self.report(fault::of_memory(exception)));
        }
        if let Some(exception) = &seen.hardware {
            return Some(self.report(fault::of_hardware(exception)));
        }
        let word = self
            .queues
            .lock()
            .iter()
            .map(LiveQueue::error_word)
            .find(|word| *word != 0)?;
        let mut fault = fault::of_queue(word);
        if fault.code == hrx_abi::kfd::queue_error::WAVE_MEMORY_VIOLATION {
            // The address comes by the memory event, which may be a moment behind.
            let seen = self
                .events
                .wait(&[], FAULT_DETAIL_PATIENCE)
                .unwrap_or_default();
            if let Some(exception) = &seen.memory {
                fault = DeviceFault {
                    code: fault.code,
                    ..fault::of_memory(exception)
                };
            }
        }
        Some(self.report(fault))
    }

    fn with_queue<T>(
        &self,
        queue: &QueueMemory,
        action: impl FnOnce(&mut LiveQueue) -> Result<T>,
    ) -> Result<T> {
        let mut queues = self.queues.lock();
        match queues.iter_mut().find(|live| live.id() == queue.id) {
            Some(live) => action(live),
            None => Err(HalError::QueueDestroyed { ordinal: queue.id }),
        }
    }

    fn out_of_memory(&self, requested_bytes: usize) -> HalError {
        let (free_bytes, total_bytes) = self.memory_info().unwrap_or_default();
        HalError::OutOfMemory {
            requested_bytes,
            free_bytes,
            total_bytes,
        }
    }
}

impl Device for KfdDevice {
    fn properties(&self) -> &DeviceProperties {
        &self.properties
    }

    fn allocate(&self, size: usize, alignment: usize, kind: MemoryKind) -> Result<Allocation> {
        if !alignment.is_power_of_two() {
            return Err(HalError::InvalidArgument {
                what: "alignment",
                found: alignment as u64,
                expected: "a power of two",
            });
        }
        match self.memory.create(size, alignment, Purpose::User(kind)) {
            Ok(object) => Ok(Allocation {
                address: object.address,
                size: object.size,
                kind,
                handle: object.handle,
            }),
            Err(Errno(libc::ENOMEM)) => Err(self.out_of_memory(size)),
            Err(errno) => Err(system("allocating device memory", errno)),
        }
    }

    fn free(&self, allocation: Allocation) -> Result<()> {
        let Allocation {
            address,
            size,
            handle,
            ..
        } = allocation;
        let freed = self.memory.destroy(&memory::Object {
            handle,
            address,
            size,
        });
        freed.map_err(|errno| system("freeing device memory", errno))
    }

    fn register_host(&self, address: usize, len: usize) -> Result<Registration> {
        let start = address & !(PAGE - 1);
        let end = address
            .checked_add(len)
            .and_then(|end| end.checked_next_multiple_of(PAGE));
        let Some(size) = end.map(|end| end - start).filter(|_| len > 0) else {
            return Err(HalError::InvalidArgument {
                what: "bytes of host memory to register",
                found: len as u64,
                expected: "more than 0, within the address space",
            });
        };
        match self.memory.register(start, size) {
            Ok(object) => Ok(Registration {
                address: object.address,
                size: object.size,
                handle: object.handle,
            }),
            Err(Errno(libc::ENOMEM)) => Err(self.out_of_memory(size)),
            Err(errno) => Err(system("registering host memory", errno)),
        }
    }

    fn unregister_host(&self, registration: Registration) -> Result<()> {
        let gone = self.memory.unregister(registration.handle);
        gone.map_err(|errno| system("unregistering host memory", errno))
    }

    fn memory_info(&self) -> Result<(u64, u64)> {
        let mut argument = AvailableMemory {
            gpu_id: self.memory.gpu_id,
            ..AvailableMemory::default()
        };
        let asked = self.memory.kfd.available_memory(&mut argument);
        asked.map_err(|errno| system("asking for free device memory", errno))?;
        let total = self.properties.memory_bytes;
        Ok((argument.available.min(total), total))
    }

    fn create_queue(&self, packets: u32) -> Result<QueueMemory> {
        let mut queues = self.queues.lock();
        let (live, queue) = LiveQueue::create(&self.memory, self.shape, &self.doorbells, packets)?;
        queues.push(live);
        Ok(queue)
    }

    fn destroy_queue(&self, queue: QueueMemory) -> Result<()> {
        let mut queues = self.queues.lock();
        let Some(index) = queues.iter().position(|live| live.id() == queue.id) else {
            return Err(HalError::QueueDestroyed { ordinal: queue.id });
        };
        // One that cannot be stopped stays in the list: it is tried again when the device goes.
        queues[index].destroy(&self.memory)?;
        queues.swap_remove(index);
        Ok(())
    }

    fn ring_doorbell(&self, queue: &QueueMemory, last: u64) {
        // SAFETY: the doorbell lies in the slice of the process, which stays mapped until the
        // device is gone.
        let doorbell = unsafe { queue.doorbell.as_ref() };
        self.kernel.ring_doorbell(doorbell, last);
    }

    fn create_event(&self) -> Result<InterruptEvent> {
        self.events
            .create_interrupt()
            .map_err(|errno| system("making an event", errno))
    }

    fn destroy_event(&self, event: InterruptEvent) -> Result<()> {
        let gone = self.events.destroy_event(event.id);
        gone.map_err(|errno| system("destroying an event", errno))
    }

    fn wait_events(&self, events: &[&InterruptEvent], timeout: Duration) -> Result<WaitOutcome> {
        let seen = self.events.wait(events, timeout);
        let seen = seen.map_err(|errno| system("waiting for events", errno))?;
        if self.look_for_fault(&seen).is_some() {
            return Ok(WaitOutcome::Faulted);
        }
        Ok(if seen.raised {
            WaitOutcome::Raised
        } else {
            WaitOutcome::TimedOut
        })
    }

    fn assist(&self, done: &dyn Fn() -> bool) {
        self.kernel.assist(done);
    }

    fn sample_clocks(&self) -> Result<ClockSample> {
        let sample = clock::sample(&self.memory.kfd, self.memory.gpu_id);
        sample.map_err(|errno| system("reading the clocks", errno))
    }

    #[inline]
    fn fault(&self) -> Option<Arc<DeviceFault>> {
        self.fault.get().cloned()
    }

    fn poll_fault(&self) -> Option<Arc<DeviceFault>> {
        if let Some(fault) = self.fault.get() {
            return Some(Arc::clone(fault));
        }
        // A system that refuses the question has no answer either; the next wait tells its error.
        let seen = self.events.wait(&[], Duration::ZERO).unwrap_or_default();
        self.look_for_fault(&seen)
    }

    fn ensure_scratch(&self, queue: &QueueMemory, bytes_per_lane: u32, lanes: u32) -> Result<()> {
        let memory = &self.memory;
        self.with_queue(queue, |live| {
            live.ensure_scratch(memory, bytes_per_lane, lanes)
        })
    }

    fn name_code(&self, base: u64, len: u64, name: &str, symbols: Vec<CodeSymbol>) {
        self.kernel.name_code(base, len, name, &symbols);
        self.names.add(base, len, name, symbols);
    }

    fn forget_code(&self, base: u64) {
        self.names.remove(base);
    }
}

impl Drop for KfdDevice {
    fn drop(&mut self) {
        for queue in self.queues.get_mut() {
            if let Err(error) = queue.destroy(&self.memory) {
                tracing::warn!(%error, "a queue was left running");
            }
        }
        self.doorbells.unmap(&self.memory);
        self.events.destroy(&self.memory);
        if self.runtime_enabled {
            disable_runtime(&self.memory.kfd);
        }
        self.kernel.close(self.memory.render);
        self.kernel.close(self.memory.kfd.fd());
    }
}

/// Opens a device node; says what to do when it may not be opened.
fn open_node(kernel: &dyn Kernel, path: &str) -> std::result::Result<Fd, DriverError> {
    kernel.open(path).map_err(|errno| match errno {
        Errno(libc::ENOENT | libc::ENXIO | libc::ENODEV) => DriverError::NoNode {
            path: path.to_owned(),
        },
        Errno(libc::EACCES | libc::EPERM) => DriverError::NoPermission {
            path: path.to_owned(),
            group: group_of(path),
        },
        errno => refused("opening a device node", errno),
    })
}

/// Name of the group that owns a file, or its number.
fn group_of(path: &str) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let gid = std::fs::metadata(path).ok()?.gid();
    let groups = std::fs::read_to_string("/etc/group").unwrap_or_default();
    // group(5): name, password, number, members.
    let named = groups.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(gid)).then(|| name.to_owned())
    });
    Some(named.unwrap_or_else(|| gid.to_string()))
}

/// Whether we can drive a node.
fn check_node(node: &GpuNode, chips: ChipSet) -> std::result::Result<(), DriverError> {
    let name = node.target_name();
    let unsupported = |found: String, expected| DriverError::UnsupportedChip { found, expected };
    if !chips.takes(node.gfx_target_version) {
        return Err(unsupported(name, chips.expected()));
    }
    if node.num_xcc != 1 {
        let found = format!("{name} with {} dies", node.num_xcc);
        return Err(unsupported(found, "a chip of one compute die"));
    }
    if node.doorbell_type() != DOORBELL_64 {
        let found = format!("{name} with doorbells of type {}", node.doorbell_type());
        return Err(unsupported(found, "doorbells of type 2"));
    }
    if node.compute_units() == 0 || node.drm_render_minor == 0 {
        let found = format!("{name} without compute units or render node");
        return Err(unsupported(found, "both"));
    }
    Ok(())
}

/// Says that a runtime is there, which makes queue errors come through the save area. Somebody else
/// in this process may have said so before.
fn enable_runtime(kfd: &Kfd) -> std::result::Result<bool, DriverError> {
    let mut argument = RuntimeEnable {
        mode_mask: RUNTIME_MODE_ENABLE,
        ..RuntimeEnable::default()
    };
    match kfd.runtime_enable(&mut argument) {
        Ok(()) => Ok(true),
        Err(Errno(libc::EBUSY | libc::EEXIST)) => {
            tracing::debug!("another runtime in this process has enabled the KFD");
            Ok(false)
        }
        Err(errno) => Err(refused("enabling the runtime", errno)),
    }
}

fn disable_runtime(kfd: &Kfd) {
    if let Err(error) = kfd.runtime_enable(&mut RuntimeEnable::default()) {
        tracing::debug!(%error, "the runtime stays enabled until the process ends");
    }
}

/// Address of the device for what the host has at `address`: the same.
fn device_address(address: usize) -> u64 {
    address as u64
}

fn system(operation: &'static str, errno: Errno) -> HalError {
    HalError::system(operation, errno.to_io())
}

fn refused(operation: &'static str, errno: Errno) -> DriverError {
    DriverError::System { operation, errno }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node() -> GpuNode {
        GpuNode {
            gpu_id: 1,
            gfx_target_version: 110_501,
            simd_count: 80,
            simd_per_cu: 2,
            num_xcc: 1,
            capability: 0x2803_A280,
            drm_render_minor: 128,
            ..GpuNode::default()
        }
    }

    #[test]
    fn chips_are_taken_by_name() {
        assert!(check_node(&node(), ChipSet::Native).is_ok());
        let old = GpuNode {
            gfx_target_version: 110_000,
            ..node()
        };
        assert!(check_node(&old, ChipSet::Asked).is_ok());
        let error = check_node(&old, ChipSet::Native).unwrap_err().to_string();
        assert!(
            error.contains("gfx1100") && error.contains("gfx115x"),
            "{error}"
        );
        let other = GpuNode {
            gfx_target_version: 90_402,
            ..node()
        };
        assert!(check_node(&other, ChipSet::Asked).is_err());
    }

    #[test]
    fn what_we_cannot_drive_is_refused_by_its_reason() {
        let dies = GpuNode {
            num_xcc: 6,
            ..node()
        };
        let doorbells = GpuNode {
            capability: 0x1000,
            ..node()
        };
        for (node, reason) in [(dies, "6 dies"), (doorbells, "doorbells of type 1")] {
            let error = check_node(&node, ChipSet::Native).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
