//! Hardware queues: their buffers, what the packet processor is told about them, scratch.
//!
//! The kernel wants each buffer to be an object of its own with the exact size: ring, end-of-pipe
//! buffer, save area, and the page with read and write index.
//!
//! | offset in the control page | what |
//! |---:|---|
//! | 0 | [`AmdQueue`] |
//! | 0x900 | the signal through which the processor asks for scratch, [`INACTIVE_SIGNAL`] |
//! | 0x980 | the word that takes the queue's error, [`ERROR_WORD`] |

use std::mem::{offset_of, size_of};
use std::ptr::NonNull;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64};

use hrx_abi::aql::{PACKET_BYTES, PacketType};
use hrx_abi::kfd::{
    CreateQueue, DOORBELL_SLICE_BYTES, DestroyQueue, EOP_BUFFER_BYTES, QUEUE_PERCENTAGE_MAX,
    QUEUE_PRIORITY_NORMAL, QUEUE_TYPE_COMPUTE_AQL, SVM_ATTR_ACCESS, SVM_ATTR_CLR_FLAGS,
    SVM_ATTR_GRANULARITY, SVM_ATTR_PREFERRED_LOC, SVM_ATTR_PREFETCH_LOC, SVM_ATTR_SET_FLAGS,
    SVM_FLAG_GPU_ALWAYS_MAPPED, SVM_FLAG_GPU_EXEC, SVM_FLAG_HOST_ACCESS, SaveAreaHeader,
    SvmAttribute,
};
use hrx_abi::queue::{
    AmdQueue, PROPERTY_ENABLE_PROFILING, PROPERTY_IS_PTR64, QUEUE_FEATURE_KERNEL_DISPATCH,
    QUEUE_TYPE_MULTI, READ_DISPATCH_ID_OFFSET, TMPRING_WAVE_SIZE_MAX, TMPRING_WAVE_SIZE_SHIFT,
    TMPRING_WAVE_UNIT, TMPRING_WAVES_MAX,
};
use hrx_abi::signal::{KIND_USER, Signal};
use hrx_hal::{HalError, QueueMemory, Result};
use parking_lot::Mutex;

use super::kernel::{Errno, Fd};
use super::memory::{Memory, Object, PAGE, Purpose, keep_from_children, map_anonymous};
use super::topology::SaveArea;
use super::{device_address, system};

const INACTIVE_SIGNAL: usize = 0x900;
const ERROR_WORD: usize = 0x980;
/// Least packets: a ring is whole pages.
const LEAST_PACKETS: u32 = 64;
/// Most packets: the ring's size has 32 bits.
const MOST_PACKETS: u32 = 1 << 20;
/// Lanes that `scratch_wave64_lane_byte_size` counts for a wave.
const WAVE64: u32 = 64;
/// Scratch above which a queue makes do with fewer waves at a time.
const SCRATCH_LIMIT: u64 = 1 << 30;

const _: () = {
    assert!(LEAST_PACKETS as usize * PACKET_BYTES == PAGE);
    assert!(size_of::<AmdQueue>() <= INACTIVE_SIGNAL && INACTIVE_SIGNAL.is_multiple_of(64));
    assert!(INACTIVE_SIGNAL + size_of::<Signal>() <= ERROR_WORD && ERROR_WORD < PAGE);
};

/// What queues need to know of their device.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueueShape {
    pub(super) save_area: SaveArea,
    pub(super) compute_units: u32,
    pub(super) scratch_waves_per_compute_unit: u32,
    pub(super) shader_engines: u32,
    pub(super) shared_aperture_hi: u32,
    pub(super) private_aperture_hi: u32,
    pub(super) error_event: u32,
}

/// The doorbell slice of the process, mapped with the first queue.
#[derive(Debug, Default)]
pub(super) struct Doorbells {
    slice: Mutex<Option<usize>>,
}

impl Doorbells {
    /// The doorbell at an offset that CREATE_QUEUE gave.
    fn at(&self, memory: &Memory, kfd: Fd, offset: u64) -> std::result::Result<usize, Errno> {
        let mask = DOORBELL_SLICE_BYTES - 1;
        let len = usize::try_from(DOORBELL_SLICE_BYTES).map_err(|_| Errno(libc::EINVAL))?;
        let within = usize::try_from(offset & mask).map_err(|_| Errno(libc::EINVAL))?;
        let mut slice = self.slice.lock();
        if let Some(slice) = *slice {
            return Ok(slice + within);
        }
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: without MAP_FIXED the kernel chooses free addresses.
        let mapped = unsafe {
            memory
                .kernel
                .mmap(0, len, protection, libc::MAP_SHARED, kfd, offset & !mask)
        }?;
        keep_from_children(mapped, len);
        *slice = Some(mapped);
        Ok(mapped + within)
    }

    /// Unmaps the slice. No queue is left.
    pub(super) fn unmap(&self, memory: &Memory) {
        let len = usize::try_from(DOORBELL_SLICE_BYTES).unwrap_or(usize::MAX);
        if let Some(slice) = self.slice.lock().take() {
            // SAFETY: the slice is our mapping, and no queue is left that has a doorbell in it.
            if let Err(error) = unsafe { memory.kernel.munmap(slice, len) } {
                tracing::debug!(%error, "doorbells were not unmapped");
            }
        }
    }
}

/// A queue that is running.
#[derive(Debug)]
pub(super) struct LiveQueue {
    id: u32,
    shape: QueueShape,
    buffers: Buffers,
    scratch_wave_bytes: u32,
}

/// The memory of a queue, as far as it was made.
#[derive(Debug, Default)]
struct Buffers {
    control: Option<Object>,
    ring: Option<Object>,
    end_of_pipe: Option<Object>,
    save: Option<Save>,
    scratch: Option<Object>,
}

/// A context save area.
#[derive(Debug)]
enum Save {
    /// Memory of the process, registered as shared virtual memory.
    Shared { address: usize, len: usize },
    /// An ordinary object.
    Object(Object),
}

impl Save {
    fn address(&self) -> usize {
        match self {
            Self::Shared { address, .. } => *address,
            Self::Object(object) => object.address,
        }
    }

    fn create(
        memory: &Memory,
        shape: &QueueShape,
        error_word: usize,
    ) -> std::result::Result<Self, Errno> {
        let len = shape.save_area.map;
        let address = map_anonymous(len, libc::PROT_READ | libc::PROT_WRITE)?;
        keep_from_children(address, len);
        let save = match register_save_area(memory, address, len) {
            Ok(()) => Self::Shared { address, len },
            Err(error) => {
                tracing::debug!(%error, "no shared memory for the save area: an object instead");
                // SAFETY: the mapping is ours, and nobody else knows it.
                unsafe { memory.kernel.munmap(address, len) }?;
                Self::Object(memory.create(len, PAGE, Purpose::SaveArea)?)
            }
        };
        let header = SaveAreaHeader {
            debug_offset: shape.save_area.save,
            debug_size: shape.save_area.debug,
            err_payload_addr: error_word as u64,
            err_event_id: shape.error_event,
            ..SaveAreaHeader::default()
        };
        let target = std::ptr::with_exposed_provenance_mut::<SaveAreaHeader>(save.address());
        // SAFETY: the save area is mapped, page aligned, longer than its header, and not yet the
        // device's.
        unsafe { target.write(header) };
        Ok(save)
    }

    fn destroy(&self, memory: &Memory) -> std::result::Result<(), Errno> {
        match self {
            // SAFETY: the mapping is ours, and its queue is gone.
            Self::Shared { address, len } => unsafe { memory.kernel.munmap(*address, *len) },
            Self::Object(object) => memory.destroy(object),
        }
    }
}

/// Lets the device save waves to a range of ours: mapped for ever, executable, kept by the host.
fn register_save_area(
    memory: &Memory,
    address: usize,
    len: usize,
) -> std::result::Result<(), Errno> {
    const FLAGS: u32 = SVM_FLAG_HOST_ACCESS | SVM_FLAG_GPU_EXEC | SVM_FLAG_GPU_ALWAYS_MAPPED;
    let attribute = |kind, value| SvmAttribute { kind, value };
    memory.kfd.set_svm(
        address,
        len,
        [
            attribute(SVM_ATTR_PREFETCH_LOC, memory.gpu_id),
            attribute(SVM_ATTR_PREFERRED_LOC, 0),
            attribute(SVM_ATTR_CLR_FLAGS, !FLAGS),
            attribute(SVM_ATTR_SET_FLAGS, FLAGS),
            attribute(SVM_ATTR_ACCESS, memory.gpu_id),
            attribute(SVM_ATTR_GRANULARITY, 0xff),
        ],
    )
}

impl Buffers {
    /// Takes back what there is, in any state of making. What fails is logged: an object that the
    /// kernel does not let go of stays until the process ends.
    fn destroy(&mut self, memory: &Memory) {
        let objects = [
            ("ring", self.ring.take()),
            ("end-of-pipe buffer", self.end_of_pipe.take()),
            ("control page", self.control.take()),
            ("scratch", self.scratch.take()),
        ];
        for (name, object) in objects {
            if let Some(object) = object
                && let Err(error) = memory.destroy(&object)
            {
                tracing::warn!(%error, name, "memory of a queue was not freed");
            }
        }
        if let Some(save) = self.save.take()
            && let Err(error) = save.destroy(memory)
        {
            tracing::warn!(%error, "the save area of a queue was not freed");
        }
    }
}

impl LiveQueue {
    /// Makes a queue of at least `packets` packets.
    pub(super) fn create(
        memory: &Memory,
        shape: QueueShape,
        doorbells: &Doorbells,
        packets: u32,
    ) -> Result<(Self, QueueMemory)> {
        if !packets.is_power_of_two() || packets > MOST_PACKETS {
            return Err(HalError::InvalidArgument {
                what: "packets of a queue",
                found: u64::from(packets),
                expected: "a power of two, at most 1048576",
            });
        }
        let packets = packets.max(LEAST_PACKETS);
        let mut buffers = Buffers::default();
        let made = Self::create_in(&mut buffers, memory, shape, doorbells, packets);
        match made {
            Ok((id, queue)) => {
                let live = Self {
                    id,
                    shape,
                    buffers,
                    scratch_wave_bytes: 0,
                };
                Ok((live, queue))
            }
            Err(errno) => {
                buffers.destroy(memory);
                Err(system("making a hardware queue", errno))
            }
        }
    }

    fn create_in(
        buffers: &mut Buffers,
        memory: &Memory,
        shape: QueueShape,
        doorbells: &Doorbells,
        packets: u32,
    ) -> std::result::Result<(u32, QueueMemory), Errno> {
        let control = memory.create(PAGE, PAGE, Purpose::QueueControl)?;
        let control_address = control.address;
        buffers.control = Some(control);
        let ring_bytes = packets as usize * PACKET_BYTES;
        let ring = memory.create(ring_bytes, PAGE, Purpose::QueueControl)?;
        let ring_address = ring.address;
        buffers.ring = Some(ring);
        let eop_bytes = usize::try_from(EOP_BUFFER_BYTES).map_err(|_| Errno(libc::EINVAL))?;
        let end_of_pipe = memory.create(eop_bytes, PAGE, Purpose::EndOfPipe)?;
        let eop_address = end_of_pipe.address;
        buffers.end_of_pipe = Some(end_of_pipe);
        let save = Save::create(memory, &shape, control_address + ERROR_WORD)?;
        let save_address = save.address();
        buffers.save = Some(save);

        for packet in 0..packets as usize {
            let header = shared::<AtomicU32>(ring_address + packet * PACKET_BYTES);
            header.store(u32::from(PacketType::INVALID), Relaxed);
        }
        let queue = shared::<AmdQueue>(control_address);
        describe(
            queue,
            &shape,
            ring_address,
            packets,
            control_address + INACTIVE_SIGNAL,
        );
        let inactive = shared::<Signal>(control_address + INACTIVE_SIGNAL);
        inactive.kind.store(KIND_USER, Relaxed);

        let field = |offset: usize| device_address(control_address + offset);
        let mut argument = CreateQueue {
            ring_base_address: device_address(ring_address),
            write_pointer_address: field(offset_of!(AmdQueue, write_dispatch_id)),
            read_pointer_address: field(offset_of!(AmdQueue, read_dispatch_id)),
            ring_size: u32::try_from(ring_bytes).map_err(|_| Errno(libc::EINVAL))?,
            gpu_id: memory.gpu_id,
            queue_type: QUEUE_TYPE_COMPUTE_AQL,
            queue_percentage: QUEUE_PERCENTAGE_MAX,
            queue_priority: QUEUE_PRIORITY_NORMAL,
            eop_buffer_address: device_address(eop_address),
            eop_buffer_size: EOP_BUFFER_BYTES,
            ctx_save_restore_address: device_address(save_address),
            ctx_save_restore_size: shape.save_area.save,
            ctl_stack_size: shape.save_area.control_stack,
            ..CreateQueue::default()
        };
        // SAFETY: `buffers` holds every buffer that the argument names; the caller destroys them
        // only when this fails, and `LiveQueue::destroy` only after the queue.
        unsafe { memory.kfd.create_queue(&mut argument) }?;
        let id = argument.queue_id;
        let doorbell = doorbells.at(memory, memory.kfd.fd(), argument.doorbell_offset);
        let doorbell = doorbell.inspect_err(|_| {
            // The first error is the one to tell.
            let _ = memory.kfd.destroy_queue(&mut DestroyQueue {
                queue_id: id,
                pad: 0,
            });
        })?;
        queue.id.store(u64::from(id), Relaxed);
        let pointer = |address| {
            NonNull::new(std::ptr::with_exposed_provenance_mut::<u8>(address))
                .ok_or(Errno(libc::EFAULT))
        };
        let memory = QueueMemory {
            ring: pointer(ring_address)?,
            capacity: packets,
            amd_queue: pointer(control_address)?.cast(),
            doorbell: pointer(doorbell)?.cast(),
            error_word: pointer(control_address + ERROR_WORD)?.cast(),
            id,
        };
        Ok((id, memory))
    }

    pub(super) fn id(&self) -> u32 {
        self.id
    }

    /// Stops the queue, which waits for its waves to leave the device, and takes its memory back.
    /// If it cannot be stopped, its memory stays and it may be tried again.
    pub(super) fn destroy(&mut self, memory: &Memory) -> Result<()> {
        let mut argument = DestroyQueue {
            queue_id: self.id,
            pad: 0,
        };
        let stopped = memory.kfd.destroy_queue(&mut argument);
        stopped.map_err(|errno| system("stopping a hardware queue", errno))?;
        self.buffers.destroy(memory);
        Ok(())
    }

    /// The queue's error, 0 if it has none.
    pub(super) fn error_word(&self) -> u64 {
        let Some(control) = &self.buffers.control else {
            return 0;
        };
        // Acquire: what the processor stored before the error is visible.
        shared::<AtomicU64>(control.address + ERROR_WORD).load(Acquire)
    }

    /// Kernel object of the dispatch that the queue is at.
    pub(super) fn current_kernel_object(&self) -> Option<u64> {
        let (control, ring) = (self.buffers.control.as_ref()?, self.buffers.ring.as_ref()?);
        let queue = shared::<AmdQueue>(control.address);
        let read = queue.read_dispatch_id.load(Acquire);
        let write = queue.write_dispatch_id.load(Relaxed);
        let packets = ring.size / PACKET_BYTES;
        let index = usize::try_from(read % packets as u64).ok()?;
        let slot = ring.address + index * PACKET_BYTES;
        let header = shared::<AtomicU32>(slot).load(Acquire);
        let is_dispatch = header & 0xff == u32::from(PacketType::KERNEL_DISPATCH);
        /// Offset of the kernel object in a dispatch packet.
        const KERNEL_OBJECT: usize = offset_of!(hrx_abi::aql::KernelDispatch, kernel_object);
        (read < write && is_dispatch)
            .then(|| shared::<AtomicU64>(slot + KERNEL_OBJECT).load(Relaxed))
    }

    /// Gives the queue, which is idle, scratch for waves of `lanes` lanes with `bytes_per_lane`
    /// each.
    pub(super) fn ensure_scratch(
        &mut self,
        memory: &Memory,
        bytes_per_lane: u32,
        lanes: u32,
    ) -> Result<()> {
        let wave_bytes = u64::from(bytes_per_lane) * u64::from(lanes);
        let wave_bytes = wave_bytes.next_multiple_of(u64::from(TMPRING_WAVE_UNIT));
        let most = u64::from(TMPRING_WAVE_SIZE_MAX) * u64::from(TMPRING_WAVE_UNIT);
        let wave_bytes = u32::try_from(wave_bytes)
            .ok()
            .filter(|bytes| u64::from(*bytes) <= most);
        let Some(wave_bytes) = wave_bytes else {
            return Err(HalError::InvalidArgument {
                what: "scratch bytes of a work-item",
                found: u64::from(bytes_per_lane),
                expected: "at most 8 MiB less 256 for all work-items of a wave together",
            });
        };
        if wave_bytes <= self.scratch_wave_bytes {
            return Ok(());
        }
        let plan = ScratchPlan::new(&self.shape, wave_bytes);
        let (plan, scratch) = plan.allocate(memory)?;
        let Some(control) = &self.buffers.control else {
            return Ok(());
        };
        let queue = shared::<AmdQueue>(control.address);
        let address = device_address(scratch.address);
        queue
            .scratch_backing_memory_location
            .store(address, Relaxed);
        queue
            .scratch_backing_memory_byte_size
            .store(scratch.size as u64, Relaxed);
        queue
            .scratch_wave64_lane_byte_size
            .store(wave_bytes / WAVE64, Relaxed);
        // Release: the queue is idle; the header of its next packet publishes these words to the
        // processor.
        queue.compute_tmpring_size.store(plan.tmpring(), Release);
        self.scratch_wave_bytes = wave_bytes;
        if let Some(old) = self.buffers.scratch.replace(scratch) {
            let freed = memory.destroy(&old);
            freed.map_err(|errno| system("freeing the scratch of a queue", errno))?;
        }
        Ok(())
    }
}

/// How much scratch, for how many waves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ScratchPlan {
    wave_bytes: u32,
    waves_per_engine: u32,
    engines: u32,
}

impl ScratchPlan {
    /// As many waves as the device holds, or fewer when those would take too much memory.
    fn new(shape: &QueueShape, wave_bytes: u32) -> Self {
        let waves = shape.compute_units * shape.scratch_waves_per_compute_unit;
        let mut plan = Self {
            wave_bytes,
            waves_per_engine: (waves / shape.shader_engines).clamp(1, TMPRING_WAVES_MAX),
            engines: shape.shader_engines,
        };
        while plan.bytes() > SCRATCH_LIMIT && plan.waves_per_engine > 1 {
            plan.waves_per_engine /= 2;
        }
        plan
    }

    fn bytes(&self) -> u64 {
        u64::from(self.wave_bytes) * u64::from(self.waves_per_engine) * u64::from(self.engines)
    }

    fn tmpring(&self) -> u32 {
        (self.wave_bytes / TMPRING_WAVE_UNIT) << TMPRING_WAVE_SIZE_SHIFT | self.waves_per_engine
    }

    /// Allocates it, for fewer waves while memory is short.
    fn allocate(mut self, memory: &Memory) -> Result<(Self, Object)> {
        loop {
            let bytes = usize::try_from(self.bytes()).unwrap_or(usize::MAX);
            match memory.create(bytes, PAGE, Purpose::Scratch) {
                Ok(object) => return Ok((self, object)),
                Err(Errno(libc::ENOMEM)) if self.waves_per_engine > 1 => self.waves_per_engine /= 2,
                Err(errno) => return Err(system("allocating scratch", errno)),
            }
        }
    }
}

/// Fills the structure that the packet processor reads. Fresh memory is zero.
fn describe(queue: &AmdQueue, shape: &QueueShape, ring: usize, packets: u32, inactive: usize) {
    // Relaxed throughout: CREATE_QUEUE publishes it.
    queue.queue_type.store(QUEUE_TYPE_MULTI, Relaxed);
    queue.features.store(QUEUE_FEATURE_KERNEL_DISPATCH, Relaxed);
    queue.base_address.store(device_address(ring), Relaxed);
    queue.size_packets.store(packets, Relaxed);
    queue
        .group_segment_aperture_base_hi
        .store(shape.shared_aperture_hi, Relaxed);
    queue
        .private_segment_aperture_base_hi
        .store(shape.private_aperture_hi, Relaxed);
    queue
        .max_cu_id
        .store(shape.compute_units.saturating_sub(1), Relaxed);
    let waves = shape.scratch_waves_per_compute_unit;
    queue.max_wave_id.store(waves.saturating_sub(1), Relaxed);
    queue
        .read_dispatch_id_field_base_byte_offset
        .store(READ_DISPATCH_ID_OFFSET, Relaxed);
    let properties = PROPERTY_IS_PTR64 | PROPERTY_ENABLE_PROFILING;
    queue.queue_properties.store(properties, Relaxed);
    queue
        .queue_inactive_signal
        .store(device_address(inactive), Relaxed);
}

/// A value in the buffers of a queue.
fn shared<T: SharedWords>(address: usize) -> &'static T {
    debug_assert!(
        address.is_multiple_of(align_of::<T>()),
        "{address:#x} is not aligned"
    );
    // SAFETY: callers pass an address in a buffer that `Buffers` holds, at a place for a `T`, and
    // do not keep the reference beyond the function that holds the buffers; `T` is all atomics.
    unsafe { &*std::ptr::with_exposed_provenance(address) }
}

/// Types that device and host may both write at any time.
trait SharedWords {}

impl SharedWords for AtomicU32 {}
impl SharedWords for AtomicU64 {}
impl SharedWords for AmdQueue {}
impl SharedWords for Signal {}

#[cfg(test)]
mod tests {
    use super::*;

    fn strix_halo() -> QueueShape {
        QueueShape {
            save_area: SaveArea {
                control_stack: 0,
                save: 0,
                debug: 0,
                map: 0,
            },
            compute_units: 40,
            scratch_waves_per_compute_unit: 32,
            shader_engines: 2,
            shared_aperture_hi: 0,
            private_aperture_hi: 0,
            error_event: 0,
        }
    }

    /// What AMD's runtime set for a kernel of 272 bytes a lane in waves of 32.
    #[test]
    fn scratch_is_laid_out_as_amds_runtime_does() {
        let plan = ScratchPlan::new(&strix_halo(), 272 * 32);
        assert_eq!((plan.tmpring(), plan.bytes()), (0x2_2280, 0xAA_0000));
    }

    #[test]
    fn huge_scratch_makes_do_with_fewer_waves() {
        let plan = ScratchPlan::new(&strix_halo(), 8 << 20);
        assert!(plan.bytes() <= SCRATCH_LIMIT && plan.waves_per_engine >= 1);
        assert_eq!(plan.tmpring() >> TMPRING_WAVE_SIZE_SHIFT, (8 << 20) / 256);
    }
}
