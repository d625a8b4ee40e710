//! Requests: one table by number, and what each does.
//!
//! The kernel dispatches on the number alone, copies as many bytes as the caller said in (the rest of a
//! longer struct reads as zero), and copies as many back whatever the outcome.
//!
//! # Unsafe code
//! The two copies of the argument itself, whose place and length are the caller's promise. Everything that
//! the argument points at goes through `user`, which checks.

use bytemuck::Pod;
use hrx_abi::kfd::{self, *};
use hrx_gfx::exec::Rights;

use super::process::{Process, Queue};
use super::topology::GPU_ID;
use super::{Kernel, Node, clock, queue, user};
use crate::Errno;

const PAGE: u64 = 4096;
/// Direction bits of a request: the kernel reads the argument, the kernel writes it.
const READS: u32 = 1;
const WRITES: u32 = 2;
/// Version of the interface that is imitated.
const MINOR_VERSION: u32 = 17;
/// Tiling of the chip's images; no compute client looks at it.
const GB_ADDR_CONFIG: u32 = 0x545;

type Handler = fn(&Kernel, &mut [u8]) -> Result<(), Errno>;

/// A request that is known.
struct Row {
    request: u32,
    name: &'static str,
    handler: Handler,
}

/// Rows: request and method. The argument's type follows from the method.
macro_rules! rows {
    ($($name:ident => $method:ident,)*) => {
        &[$(Row {
            request: request::$name,
            name: stringify!($name),
            handler: |kernel, argument| with(argument, |argument| kernel.$method(argument)),
        },)*]
    };
}

/// Every request but the one of variable length. What is missing here, the kernel does not know.
const ROWS: &[Row] = rows! {
    GET_VERSION => get_version,
    CREATE_QUEUE => create_queue,
    DESTROY_QUEUE => destroy_queue,
    SET_MEMORY_POLICY => set_memory_policy,
    GET_CLOCK_COUNTERS => get_clock_counters,
    GET_PROCESS_APERTURES => get_process_apertures,
    UPDATE_QUEUE => update_queue,
    CREATE_EVENT => create_event,
    DESTROY_EVENT => destroy_event,
    SET_EVENT => set_event,
    RESET_EVENT => reset_event,
    WAIT_EVENTS => wait_events,
    SET_SCRATCH_BACKING_VA => set_scratch_backing_va,
    GET_TILE_CONFIG => get_tile_config,
    SET_TRAP_HANDLER => set_trap_handler,
    GET_PROCESS_APERTURES_NEW => get_process_apertures_new,
    ACQUIRE_VM => acquire_vm,
    ALLOC_MEMORY_OF_GPU => alloc_memory,
    FREE_MEMORY_OF_GPU => free_memory,
    MAP_MEMORY_TO_GPU => map_memory,
    UNMAP_MEMORY_FROM_GPU => unmap_memory,
    SET_CU_MASK => set_cu_mask,
    GET_QUEUE_WAVE_STATE => get_queue_wave_state,
    GET_DMABUF_INFO => get_dmabuf_info,
    IMPORT_DMABUF => import_dmabuf,
    EXPORT_DMABUF => export_dmabuf,
    ALLOC_QUEUE_GWS => alloc_queue_gws,
    SET_XNACK_MODE => set_xnack_mode,
    AVAILABLE_MEMORY => available_memory,
    RUNTIME_ENABLE => runtime_enable,
};

/// The request of variable length.
const SVM: Row = Row {
    request: request::SVM,
    name: "SVM",
    handler: |kernel, argument| kernel.svm(argument),
};

fn row(number: u32) -> Option<&'static Row> {
    if number == kfd::number(SVM.request) {
        return Some(&SVM);
    }
    ROWS.iter().find(|row| kfd::number(row.request) == number)
}

/// Runs `call` on the argument that `bytes` begin with, and puts it back.
pub(super) fn with<T: Pod>(
    bytes: &mut [u8],
    call: impl FnOnce(&mut T) -> Result<(), Errno>,
) -> Result<(), Errno> {
    let bytes = bytes.get_mut(..size_of::<T>()).ok_or(Errno::INVAL)?;
    let mut argument: T = bytemuck::pod_read_unaligned(bytes);
    let result = call(&mut argument);
    bytes.copy_from_slice(bytemuck::bytes_of(&argument));
    result
}

impl Kernel {
    /// `ioctl(2)`.
    ///
    /// # Safety
    /// `argument` points at as many readable and writable bytes as `request` says.
    #[expect(
        unsafe_code,
        reason = "copies the argument from and to where the caller says"
    )]
    pub(crate) unsafe fn ioctl(
        &self,
        fd: i32,
        request: u32,
        argument: *mut u8,
    ) -> Result<(), Errno> {
        let node = self.node(fd)?;
        let number = kfd::number(request);
        let known = match node {
            Node::Kfd => match row(number) {
                Some(row) => row.request,
                None => {
                    tracing::debug!("unknown request {request:#x}");
                    return Err(Errno::NOTTY);
                }
            },
            Node::Render => super::drm::known(number).ok_or(Errno::INVAL)?,
        };
        let given = kfd::argument_bytes(request);
        let len = given.max(kfd::argument_bytes(known));
        if argument.is_null() && given > 0 {
            return Err(Errno::FAULT);
        }
        // On the stack unless it is an uncommonly long one.
        let mut short = [0; 512];
        let mut long = Vec::new();
        let bytes = if len <= short.len() {
            &mut short[..len]
        } else {
            long.resize(len, 0);
            &mut long[..]
        };
        let direction = known >> 30;
        if direction & READS != 0 && given > 0 {
            // SAFETY: the caller promises `given` readable bytes at `argument`; `bytes` is at least as long
            // and is ours.
            unsafe { std::ptr::copy_nonoverlapping(argument, bytes.as_mut_ptr(), given) };
        }
        let result = match node {
            Node::Kfd => row(number).map_or(Err(Errno::NOTTY), |row| self.answer(row, bytes)),
            Node::Render => super::drm::ioctl(self, number, bytes),
        };
        if direction & WRITES != 0 && given > 0 {
            // SAFETY: the caller promises `given` writable bytes at `argument`; `bytes` is at least as long
            // and is ours.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), argument, given) };
        }
        result
    }

    fn answer(&self, row: &Row, bytes: &mut [u8]) -> Result<(), Errno> {
        let result = (row.handler)(self, bytes);
        match result {
            Ok(()) => tracing::trace!("{}", row.name),
            Err(error) => tracing::debug!("{}: {error}, of {}", row.name, words(bytes)),
        }
        result
    }

    // ------------------------------------------------------------------- device and process

    fn get_version(&self, argument: &mut GetVersion) -> Result<(), Errno> {
        *argument = GetVersion {
            major: kfd::MAJOR_VERSION,
            minor: MINOR_VERSION,
        };
        Ok(())
    }

    fn acquire_vm(&self, argument: &mut AcquireVm) -> Result<(), Errno> {
        gpu(argument.gpu_id)?;
        let fd = i32::try_from(argument.drm_fd).map_err(|_| Errno::INVAL)?;
        if self.files.lock().open.get(&fd) != Some(&Node::Render) {
            return Err(Errno::INVAL);
        }
        let mut process = self.process.lock();
        match process.vm {
            Some(joined) if joined != fd => Err(Errno::BUSY),
            _ => {
                process.vm = Some(fd);
                Ok(())
            }
        }
    }

    fn get_clock_counters(&self, argument: &mut GetClockCounters) -> Result<(), Errno> {
        // A node without a device has no device counter; the host's clocks are read all the same.
        argument.gpu_clock_counter = if argument.gpu_id == GPU_ID {
            self.device.clock.ticks()
        } else {
            0
        };
        argument.cpu_clock_counter = clock::monotonic_raw_ns();
        argument.system_clock_counter = clock::boottime_ns();
        argument.system_clock_freq = 1_000_000_000;
        Ok(())
    }

    fn get_process_apertures(&self, argument: &mut GetProcessApertures) -> Result<(), Errno> {
        argument.process_apertures[0] = APERTURES;
        argument.num_of_nodes = 1;
        Ok(())
    }

    fn get_process_apertures_new(
        &self,
        argument: &mut GetProcessAperturesNew,
    ) -> Result<(), Errno> {
        if argument.num_of_nodes > 0 {
            user::write(argument.apertures_ptr, &[APERTURES])?;
        }
        argument.num_of_nodes = 1;
        Ok(())
    }

    fn set_memory_policy(&self, argument: &mut SetMemoryPolicy) -> Result<(), Errno> {
        if argument.default_policy > 1 || argument.alternate_policy > 1 {
            return Err(Errno::INVAL);
        }
        gpu(argument.gpu_id)?;
        joined(&self.process.lock(), Errno::SRCH)
    }

    fn set_scratch_backing_va(&self, argument: &mut SetScratchBackingVa) -> Result<(), Errno> {
        gpu(argument.gpu_id)?;
        let mut process = self.process.lock();
        joined(&process, Errno::SRCH)?;
        process.settings.scratch_address = argument.va_addr;
        Ok(())
    }

    fn set_trap_handler(&self, argument: &mut SetTrapHandler) -> Result<(), Errno> {
        gpu(argument.gpu_id)?;
        let mut process = self.process.lock();
        joined(&process, Errno::SRCH)?;
        process.settings.trap_handler = argument.tba_addr;
        process.settings.trap_data = argument.tma_addr;
        Ok(())
    }

    fn get_tile_config(&self, argument: &mut GetTileConfig) -> Result<(), Errno> {
        gpu(argument.gpu_id)?;
        let tiles = argument.num_tile_configs.min(32);
        let macro_tiles = argument.num_macro_tile_configs.min(16);
        user::write(argument.tile_config_ptr, &[0u32; 32][..tiles as usize])?;
        user::write(
            argument.macro_tile_config_ptr,
            &[0u32; 16][..macro_tiles as usize],
        )?;
        argument.num_tile_configs = tiles;
        argument.num_macro_tile_configs = macro_tiles;
        argument.gb_addr_config = GB_ADDR_CONFIG;
        argument.num_banks = 0;
        argument.num_ranks = 0;
        Ok(())
    }

    fn set_xnack_mode(&self, argument: &mut SetXnackMode) -> Result<(), Errno> {
        if argument.xnack_enabled < 0 {
            argument.xnack_enabled = 0;
            return Ok(());
        }
        if !self.process.lock().queues.is_empty() {
            return Err(Errno::BUSY);
        }
        // The chip has no retry faults.
        if argument.xnack_enabled == 0 {
            Ok(())
        } else {
            Err(Errno::PERM)
        }
    }

    fn runtime_enable(&self, argument: &mut RuntimeEnable) -> Result<(), Errno> {
        let mut process = self.process.lock();
        argument.capabilities_mask = 0;
        if argument.mode_mask & kfd::RUNTIME_MODE_ENABLE == 0 {
            process.runtime_enabled = false;
            return Ok(());
        }
        if process.runtime_enabled {
            return Err(Errno::BUSY);
        }
        if !process.queues.is_empty() {
            return Err(Errno::EXIST);
        }
        process.runtime_enabled = true;
        Ok(())
    }

    // ------------------------------------------------------------------- memory

    fn alloc_memory(&self, argument: &mut AllocMemory) -> Result<(), Errno> {
        gpu(argument.gpu_id)?;
        let process = self.process.lock();
        joined(&process, Errno::NODEV)?;
        let kinds = argument.flags & (kfd::ALLOC_VRAM | kfd::ALLOC_GTT | kfd::ALLOC_USERPTR);
        if kinds == kfd::ALLOC_USERPTR
            && argument.size > 0
            && argument.mmap_offset.is_multiple_of(PAGE)
        {
            let len = argument
                .size
                .checked_next_multiple_of(PAGE)
                .ok_or(Errno::INVAL)?;
            let write = argument.flags & kfd::ALLOC_WRITABLE != 0;
            user::Pages::read()?.check(argument.mmap_offset, len, write)?;
        }
        self.device.memory.allocate(argument)
    }

    fn free_memory(&self, argument: &mut FreeMemory) -> Result<(), Errno> {
        let process = self.process.lock();
        joined(&process, Errno::NODEV)?;
        self.device.memory.free(argument.handle)
    }

    fn map_memory(&self, argument: &mut MapMemory) -> Result<(), Errno> {
        self.each_device(argument, |handle| {
            self.device.memory.map(handle, self.device.doorbells)
        })
    }

    fn unmap_memory(&self, argument: &mut MapMemory) -> Result<(), Errno> {
        self.each_device(argument, |handle| self.device.memory.unmap(handle))
    }

    /// Does something with an object for each device that the caller names, and counts them.
    fn each_device(
        &self,
        argument: &mut MapMemory,
        call: impl Fn(u64) -> Result<(), Errno>,
    ) -> Result<(), Errno> {
        if argument.n_devices == 0 || argument.n_success > argument.n_devices {
            return Err(Errno::INVAL);
        }
        let devices = user::read_array::<u32>(argument.device_ids_array_ptr, argument.n_devices)?;
        if argument.handle >> 32 != u64::from(GPU_ID) {
            return Err(Errno::INVAL);
        }
        let process = self.process.lock();
        joined(&process, Errno::NODEV)?;
        for &device in &devices[argument.n_success as usize..] {
            gpu(device)?;
            call(argument.handle)?;
            argument.n_success += 1;
        }
        Ok(())
    }

    fn available_memory(&self, argument: &mut AvailableMemory) -> Result<(), Errno> {
        gpu(argument.gpu_id)?;
        argument.available = self.device.memory.available();
        Ok(())
    }

    fn export_dmabuf(&self, argument: &mut ExportDmabuf) -> Result<(), Errno> {
        joined(&self.process.lock(), Errno::NODEV)?;
        if argument.handle >> 32 != u64::from(GPU_ID) {
            return Err(Errno::INVAL);
        }
        let fd = self
            .device
            .memory
            .export_object(argument.handle, argument.flags)?;
        argument.dmabuf_fd = fd.cast_unsigned();
        Ok(())
    }

    fn import_dmabuf(&self, argument: &mut ImportDmabuf) -> Result<(), Errno> {
        gpu(argument.gpu_id)?;
        joined(&self.process.lock(), Errno::NODEV)?;
        let fd = argument.dmabuf_fd.cast_signed();
        argument.handle = self.device.memory.import_object(fd, argument.va_addr)?;
        Ok(())
    }

    fn get_dmabuf_info(&self, argument: &mut GetDmabufInfo) -> Result<(), Errno> {
        let fd = argument.dmabuf_fd.cast_signed();
        let (size, flags) = self.device.memory.dmabuf_info(fd)?;
        argument.size = size;
        argument.gpu_id = GPU_ID;
        argument.flags = flags & (kfd::ALLOC_VRAM | kfd::ALLOC_GTT | kfd::ALLOC_PUBLIC);
        argument.metadata_size = 0;
        Ok(())
    }

    /// The process gives up `[start, start + len)`, whole pages, of its own memory: what the kernel learns by
    /// its notifiers. Shared ranges there end. Objects of such memory stay, and using them faults.
    pub(crate) fn host_unmapped(&self, start: u64, len: u64) {
        // Most that a process unmaps was never shared.
        if !self.device.memory.is_shared(start, len) {
            return;
        }
        let mut process = self.process.lock();
        if process.ranges.remove(start, start.saturating_add(len)) {
            // Taking ranges away cannot be refused.
            let _ = self.device.memory.set_shared(&process.ranges.accessible());
        }
    }

    fn svm(&self, bytes: &mut [u8]) -> Result<(), Errno> {
        let (header, rest) = bytes
            .split_at_mut_checked(size_of::<Svm>())
            .ok_or(Errno::INVAL)?;
        let header: Svm = bytemuck::pod_read_unaligned(header);
        let count = usize::try_from(header.nattr).map_err(|_| Errno::INVAL)?;
        let wanted = count
            .checked_mul(size_of::<SvmAttribute>())
            .ok_or(Errno::INVAL)?;
        let rest = rest.get_mut(..wanted).ok_or(Errno::INVAL)?;
        let mut attributes: Vec<SvmAttribute> = rest
            .chunks_exact(size_of::<SvmAttribute>())
            .map(bytemuck::pod_read_unaligned)
            .collect();
        let mut process = self.process.lock();
        match header.op {
            kfd::SVM_OP_SET => {
                joined(&process, Errno::NODEV)?;
                let whole = |value: u64| value != 0 && value.is_multiple_of(PAGE);
                if !whole(header.start_addr) || !whole(header.size) {
                    return Err(Errno::INVAL);
                }
                let pages = user::Pages::read()?;
                pages.check(header.start_addr, header.size, false)?;
                if self.device.memory.is_object(header.start_addr, header.size) {
                    return Err(Errno::ADDRINUSE);
                }
                process
                    .ranges
                    .set(header.start_addr, header.size, &attributes)?;
                let mut shared = process.ranges.accessible();
                for (start, len, rights) in &mut shared {
                    // The device gets no more than the process has.
                    if pages.check(*start, *len, true).is_err() {
                        rights.remove(Rights::WRITE);
                    }
                }
                self.device.memory.set_shared(&shared)
            }
            kfd::SVM_OP_GET => {
                process
                    .ranges
                    .get(header.start_addr, header.size, &mut attributes)?;
                rest.copy_from_slice(bytemuck::cast_slice(&attributes));
                Ok(())
            }
            _ => Err(Errno::INVAL),
        }
    }

    // ------------------------------------------------------------------- queues

    fn create_queue(&self, argument: &mut CreateQueue) -> Result<(), Errno> {
        gpu(argument.gpu_id)?;
        let mut process = self.process.lock();
        joined(&process, Errno::SRCH)?;
        let memory = &self.device.memory;
        let mut spec = queue::check(argument, memory, &process.ranges, self.old_kernel)?;
        let (id, doorbell) = process.free_queue(spec.aql).ok_or(Errno::NOMEM)?;
        spec.id = id;
        spec.doorbell = doorbell;
        for &object in &spec.objects {
            memory.reference(object, true);
        }
        self.clear_doorbell(doorbell);
        argument.queue_id = id;
        argument.doorbell_offset = super::memory::doorbell_offset() | (8 * doorbell as u64);
        let record = Queue {
            doorbell,
            ring: (spec.ring, spec.ring_bytes),
            objects: spec.objects.clone(),
            wave_sync: false,
            ending: false,
        };
        process.queues.insert(id, record);
        self.processor.add_queue(spec);
        Ok(())
    }

    fn destroy_queue(&self, argument: &mut DestroyQueue) -> Result<(), Errno> {
        let id = argument.queue_id;
        let mut process = self.process.lock();
        // Number and doorbell stay taken until the processor is out of the queue.
        match process.queues.get_mut(&id) {
            Some(queue) if !queue.ending => queue.ending = true,
            _ => return Err(Errno::INVAL),
        }
        drop(process);
        self.processor.remove_queue(id);
        if let Some(queue) = self.process.lock().queues.remove(&id) {
            for object in queue.objects {
                self.device.memory.reference(object, false);
            }
            self.clear_doorbell(queue.doorbell);
        }
        Ok(())
    }

    /// A doorbell that nobody has rung is all ones.
    fn clear_doorbell(&self, slot: usize) {
        let word = self
            .device
            .memory
            .backing_word(self.device.doorbells + 8 * slot as u64);
        word.store(u64::MAX, std::sync::atomic::Ordering::Relaxed);
    }

    fn update_queue(&self, argument: &mut UpdateQueue) -> Result<(), Errno> {
        if argument.queue_percentage & 0xff > kfd::QUEUE_PERCENTAGE_MAX
            || argument.queue_priority > kfd::QUEUE_PRIORITY_MAX
            || (argument.ring_size != 0 && !argument.ring_size.is_power_of_two())
        {
            return Err(Errno::INVAL);
        }
        let process = self.process.lock();
        let queue = process.queues.get(&argument.queue_id).ok_or(Errno::FAULT)?;
        let ring_bytes = u64::from(argument.ring_size.max(kfd::RING_BYTES_MIN));
        // A client that changes the priority sends the ring as it is. Another ring would need an idle
        // queue, and no client is known that does it.
        if (argument.ring_base_address, ring_bytes) == queue.ring {
            Ok(())
        } else {
            Err(Errno::INVAL)
        }
    }

    fn set_cu_mask(&self, argument: &mut SetCuMask) -> Result<(), Errno> {
        if argument.num_cu_mask == 0 || !argument.num_cu_mask.is_multiple_of(32) {
            return Err(Errno::INVAL);
        }
        let mask = user::read_array::<u32>(argument.cu_mask_ptr, argument.num_cu_mask / 32)?;
        if !self.process.lock().queues.contains_key(&argument.queue_id) {
            return Err(Errno::FAULT);
        }
        // The two compute units of a work-group processor go together.
        let torn = |word: &u32| (word ^ word >> 1) & 0x5555_5555 != 0;
        if mask.iter().any(torn) {
            Err(Errno::INVAL)
        } else {
            Ok(())
        }
    }

    fn get_queue_wave_state(&self, _: &mut GetQueueWaveState) -> Result<(), Errno> {
        // Only of a queue that a debugger has stopped, and there is no debugger.
        Err(Errno::INVAL)
    }

    fn alloc_queue_gws(&self, argument: &mut AllocQueueGws) -> Result<(), Errno> {
        let mut process = self.process.lock();
        let taken = process.queues.values().any(|queue| queue.wave_sync);
        let queue = process
            .queues
            .get_mut(&argument.queue_id)
            .ok_or(Errno::INVAL)?;
        // One queue of a process may have it.
        match (argument.num_gws > 0, taken) {
            (true, true) => return Err(Errno::BUSY),
            (false, false) => return Err(Errno::INVAL),
            (wanted, _) => queue.wave_sync = wanted,
        }
        argument.first_gws = 0;
        Ok(())
    }

    // ------------------------------------------------------------------- events

    fn create_event(&self, argument: &mut CreateEvent) -> Result<(), Errno> {
        let mut process = self.process.lock();
        let signal = matches!(argument.event_type, kfd::EVENT_SIGNAL | kfd::EVENT_DEBUG);
        let events = &self.device.events;
        let memory = &self.device.memory;
        if argument.event_page_offset != 0 {
            if events.page().is_some() {
                return Err(Errno::INVAL);
            }
            let page = memory.make_event_page(argument.event_page_offset)?;
            self.adopt_page(page)?;
        } else if signal && events.page().is_none() {
            let page = memory.reserve(kfd::EVENT_PAGE_BYTES)?;
            process.own_event_page = Some(page);
            self.adopt_page(page)?;
        }
        events.create(argument)
    }

    /// Makes the bytes at this offset of device memory the page of events, none of them raised.
    fn adopt_page(&self, page: u64) -> Result<(), Errno> {
        for slot in 0..u64::from(kfd::EVENT_SLOTS) {
            let word = self.device.memory.backing_word(page + 8 * slot);
            word.store(
                kfd::EVENT_SLOT_UNSIGNALLED,
                std::sync::atomic::Ordering::Relaxed,
            );
        }
        self.device.events.set_page(page)
    }

    fn destroy_event(&self, argument: &mut EventId) -> Result<(), Errno> {
        self.device.events.destroy(argument.event_id)
    }

    fn set_event(&self, argument: &mut EventId) -> Result<(), Errno> {
        self.device.events.set(argument.event_id)
    }

    fn reset_event(&self, argument: &mut EventId) -> Result<(), Errno> {
        self.device.events.reset(argument.event_id)
    }

    fn wait_events(&self, argument: &mut WaitEvents) -> Result<(), Errno> {
        use super::event::Waited;
        argument.wait_result = kfd::WAIT_FAIL;
        let mut entries = user::read_array::<EventData>(argument.events_ptr, argument.num_events)?;
        let all = argument.wait_for_all != 0;
        match self
            .device
            .events
            .wait(&mut entries, all, argument.timeout)?
        {
            Waited::Complete => {
                user::write(argument.events_ptr, &entries)?;
                argument.wait_result = kfd::WAIT_COMPLETE;
            }
            Waited::TimedOut => argument.wait_result = kfd::WAIT_TIMEOUT,
        }
        Ok(())
    }
}

/// An argument for the log.
fn words(bytes: &[u8]) -> String {
    let words = bytes.chunks_exact(4).take(24);
    let words = words.map(|word| format!("{:x}", bytemuck::pod_read_unaligned::<u32>(word)));
    words.collect::<Vec<_>>().join(" ")
}

/// The device's address ranges in the process.
const APERTURES: ProcessApertures = ProcessApertures {
    lds_base: 1 << 48,
    lds_limit: 1 << 48 | 0xffff_ffff,
    scratch_base: 2 << 48,
    scratch_limit: 2 << 48 | 0xffff_ffff,
    gpuvm_base: 0x100_0000,
    gpuvm_limit: (1 << 47) - 1,
    gpu_id: GPU_ID,
    pad: 0,
};

/// Checks the device that a caller names.
fn gpu(id: u32) -> Result<(), Errno> {
    if id == GPU_ID {
        Ok(())
    } else {
        Err(Errno::INVAL)
    }
}

/// Checks that the process has joined an address space.
fn joined(process: &Process, error: Errno) -> Result<(), Errno> {
    if process.vm.is_some() {
        Ok(())
    } else {
        Err(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_one_row_and_unlisted_ones_have_none() {
        for row in ROWS {
            let number = kfd::number(row.request);
            let same = ROWS
                .iter()
                .filter(|other| kfd::number(other.request) == number)
                .count();
            assert_eq!(same, 1, "{}", row.name);
        }
        assert!(row(kfd::number(request::SVM)).is_some());
        for unknown in [0x00, 0x0d, 0x10, 0x27, 0x80, 0xff] {
            assert!(row(unknown).is_none(), "{unknown:#x}");
        }
    }
}
