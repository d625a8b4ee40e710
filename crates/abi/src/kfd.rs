//! The KFD's user interface: ioctl numbers, their argument structs, flags and the structs behind
//! pointers. Sizes are part of the request number, so each is asserted.
//!
//! Source: Linux `include/uapi/linux/kfd_ioctl.h`, major version 1.

use bytemuck::{Pod, Zeroable};
use std::mem::{offset_of, size_of};

/// Major version of the interface that we speak.
pub const MAJOR_VERSION: u32 = 1;
/// Minor version from which RUNTIME_ENABLE exists.
pub const MINOR_RUNTIME_ENABLE: u32 = 14;

/// Direction bits of a request: the kernel reads the argument.
const WRITE: u32 = 1;
/// Direction bits of a request: the kernel writes the argument.
const READ: u32 = 2;

const fn request(direction: u32, number: u32, size: usize) -> u32 {
    assert!(size < 1 << 14);
    #[expect(clippy::cast_possible_truncation, reason = "asserted to fit 14 bits")]
    let size = size as u32;
    direction << 30 | size << 16 | (b'K' as u32) << 8 | number
}

/// Number of a request, its bits 0 to 7: the kernel dispatches on it alone.
pub const fn number(request: u32) -> u32 {
    request & 0xff
}

/// Size that a caller gave with a request, bits 16 to 29.
pub const fn argument_bytes(request: u32) -> usize {
    (request >> 16 & 0x3fff) as usize
}

macro_rules! ioctls {
    ($($(#[$doc:meta])* $name:ident = $direction:expr, $number:literal, $argument:ty, $expected:literal;)*) => {
        /// Whole request words, `ioctl(2)`'s second argument.
        pub mod request {
            use super::*;
            $($(#[$doc])* pub const $name: u32 = super::request($direction, $number, size_of::<$argument>());)*
        }
        /// Number and name of every request, for messages.
        pub const NAMES: &[(u32, &str)] = &[$(($number, stringify!($name)),)*];
        const _: () = { $(assert!(request::$name == $expected);)* };
    };
}

// The expected words are those that AMD's ROCr was seen to send.
ioctls! {
    /// Interface version.
    GET_VERSION = READ, 0x01, GetVersion, 0x8008_4b01;
    /// Makes a hardware queue.
    CREATE_QUEUE = READ | WRITE, 0x02, CreateQueue, 0xc060_4b02;
    /// Ends a hardware queue.
    DESTROY_QUEUE = READ | WRITE, 0x03, DestroyQueue, 0xc008_4b03;
    /// Default cache policy of the address space.
    SET_MEMORY_POLICY = WRITE, 0x04, SetMemoryPolicy, 0x4020_4b04;
    /// Device and host clocks, read one after the other.
    GET_CLOCK_COUNTERS = READ | WRITE, 0x05, GetClockCounters, 0xc028_4b05;
    /// Apertures, old form for at most seven devices.
    GET_PROCESS_APERTURES = READ, 0x06, GetProcessApertures, 0x8190_4b06;
    /// Priority, percentage or ring of a queue.
    UPDATE_QUEUE = WRITE, 0x07, UpdateQueue, 0x4018_4b07;
    /// Makes an event.
    CREATE_EVENT = READ | WRITE, 0x08, CreateEvent, 0xc020_4b08;
    /// Ends an event.
    DESTROY_EVENT = WRITE, 0x09, EventId, 0x4008_4b09;
    /// Sets a signal event.
    SET_EVENT = WRITE, 0x0a, EventId, 0x4008_4b0a;
    /// Resets a signal event.
    RESET_EVENT = WRITE, 0x0b, EventId, 0x4008_4b0b;
    /// Waits for one or all of several events.
    WAIT_EVENTS = READ | WRITE, 0x0c, WaitEvents, 0xc018_4b0c;
    /// Base of the process's scratch.
    SET_SCRATCH_BACKING_VA = READ | WRITE, 0x11, SetScratchBackingVa, 0xc010_4b11;
    /// Tiling parameters, for images.
    GET_TILE_CONFIG = READ | WRITE, 0x12, GetTileConfig, 0xc028_4b12;
    /// Second-level trap handler.
    SET_TRAP_HANDLER = WRITE, 0x13, SetTrapHandler, 0x4018_4b13;
    /// LDS, scratch and GPUVM apertures of each device.
    GET_PROCESS_APERTURES_NEW = READ | WRITE, 0x14, GetProcessAperturesNew, 0xc010_4b14;
    /// Ties the process's address space on a device to a render node.
    ACQUIRE_VM = WRITE, 0x15, AcquireVm, 0x4008_4b15;
    /// Makes a memory object.
    ALLOC_MEMORY_OF_GPU = READ | WRITE, 0x16, AllocMemory, 0xc028_4b16;
    /// Ends a memory object.
    FREE_MEMORY_OF_GPU = WRITE, 0x17, FreeMemory, 0x4008_4b17;
    /// Maps a memory object for devices.
    MAP_MEMORY_TO_GPU = READ | WRITE, 0x18, MapMemory, 0xc018_4b18;
    /// Unmaps a memory object from devices.
    UNMAP_MEMORY_FROM_GPU = READ | WRITE, 0x19, MapMemory, 0xc018_4b19;
    /// Compute units a queue may use.
    SET_CU_MASK = WRITE, 0x1a, SetCuMask, 0x4010_4b1a;
    /// Saved state of a queue, for debuggers.
    GET_QUEUE_WAVE_STATE = READ | WRITE, 0x1b, GetQueueWaveState, 0xc018_4b1b;
    /// What a dmabuf is.
    GET_DMABUF_INFO = READ | WRITE, 0x1c, GetDmabufInfo, 0xc020_4b1c;
    /// Memory object from a dmabuf.
    IMPORT_DMABUF = READ | WRITE, 0x1d, ImportDmabuf, 0xc018_4b1d;
    /// Global wave sync for a cooperative queue.
    ALLOC_QUEUE_GWS = READ | WRITE, 0x1e, AllocQueueGws, 0xc010_4b1e;
    /// Stream of system management events.
    SMI_EVENTS = READ | WRITE, 0x1f, SmiEvents, 0xc008_4b1f;
    /// Shared virtual memory. Variable size: [`SvmAttribute`]s follow [`Svm`].
    SVM = READ | WRITE, 0x20, Svm, 0xc018_4b20;
    /// Retry faults on or off.
    SET_XNACK_MODE = READ | WRITE, 0x21, SetXnackMode, 0xc004_4b21;
    /// Memory that can still be allocated.
    AVAILABLE_MEMORY = READ | WRITE, 0x23, AvailableMemory, 0xc010_4b23;
    /// Dmabuf of a memory object.
    EXPORT_DMABUF = READ | WRITE, 0x24, ExportDmabuf, 0xc010_4b24;
    /// Tells the kernel that a runtime is there.
    RUNTIME_ENABLE = READ | WRITE, 0x25, RuntimeEnable, 0xc010_4b25;
}

macro_rules! arguments {
    ($($(#[$doc:meta])* $name:ident($bytes:literal) {
        $($(#[$field_doc:meta])* $field:ident: $kind:ty,)*
    })*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
        #[repr(C)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $kind,)*
        }
        const _: () = assert!(size_of::<$name>() == $bytes);
    )* };
}

arguments! {
    /// GET_VERSION.
    GetVersion(8) {
        /// Major version.
        major: u32,
        /// Minor version.
        minor: u32,
    }
    /// CREATE_QUEUE.
    CreateQueue(96) {
        /// Address of the ring.
        ring_base_address: u64,
        /// Address of the write index.
        write_pointer_address: u64,
        /// Address of the read index.
        read_pointer_address: u64,
        /// Out: mmap offset of the doorbell slice with the doorbell's byte offset in its low bits.
        doorbell_offset: u64,
        /// Bytes of the ring.
        ring_size: u32,
        /// Device.
        gpu_id: u32,
        /// One of the `QUEUE_TYPE_` constants.
        queue_type: u32,
        /// Share of the device, 0 to 100.
        queue_percentage: u32,
        /// 0 to 15; 7 is normal.
        queue_priority: u32,
        /// Out: number of the queue.
        queue_id: u32,
        /// Address of the end-of-pipe buffer.
        eop_buffer_address: u64,
        /// Bytes of the end-of-pipe buffer.
        eop_buffer_size: u64,
        /// Address of the context save area.
        ctx_save_restore_address: u64,
        /// Bytes of the context save area, without the debugger's part.
        ctx_save_restore_size: u32,
        /// Bytes of the control stack in it.
        ctl_stack_size: u32,
        /// SDMA engine, for queues by engine.
        sdma_engine_id: u32,
        /// Padding.
        pad: u32,
    }
    /// DESTROY_QUEUE.
    DestroyQueue(8) {
        /// Number of the queue.
        queue_id: u32,
        /// Padding.
        pad: u32,
    }
    /// UPDATE_QUEUE.
    UpdateQueue(24) {
        /// Address of the ring.
        ring_base_address: u64,
        /// Number of the queue.
        queue_id: u32,
        /// Bytes of the ring.
        ring_size: u32,
        /// Share of the device, 0 to 100.
        queue_percentage: u32,
        /// 0 to 15.
        queue_priority: u32,
    }
    /// SET_MEMORY_POLICY.
    SetMemoryPolicy(32) {
        /// First address of the alternate policy.
        alternate_aperture_base: u64,
        /// Bytes of the alternate policy.
        alternate_aperture_size: u64,
        /// Device.
        gpu_id: u32,
        /// 0 coherent, 1 not.
        default_policy: u32,
        /// 0 coherent, 1 not.
        alternate_policy: u32,
        /// Padding.
        pad: u32,
    }
    /// GET_CLOCK_COUNTERS.
    GetClockCounters(40) {
        /// Out: device ticks.
        gpu_clock_counter: u64,
        /// Out: CLOCK_MONOTONIC_RAW, nanoseconds.
        cpu_clock_counter: u64,
        /// Out: CLOCK_BOOTTIME, nanoseconds.
        system_clock_counter: u64,
        /// Out: ticks a second of the system clock.
        system_clock_freq: u64,
        /// Device; 0 reads the host's clocks alone.
        gpu_id: u32,
        /// Padding.
        pad: u32,
    }
    /// CREATE_EVENT.
    CreateEvent(32) {
        /// In: handle of the event page; out: its mmap offset.
        event_page_offset: u64,
        /// Out: what an interrupt carries.
        event_trigger_data: u32,
        /// One of the `EVENT_` constants.
        event_type: u32,
        /// 1: a successful wait resets it.
        auto_reset: u32,
        /// Node.
        node_id: u32,
        /// Out: the event.
        event_id: u32,
        /// Out: its slot in the page.
        event_slot_index: u32,
    }
    /// DESTROY_EVENT, SET_EVENT, RESET_EVENT.
    EventId(8) {
        /// The event.
        event_id: u32,
        /// Padding.
        pad: u32,
    }
    /// WAIT_EVENTS.
    WaitEvents(24) {
        /// Address of [`EventData`] entries.
        events_ptr: u64,
        /// Entries.
        num_events: u32,
        /// 1: all of them.
        wait_for_all: u32,
        /// Milliseconds; 0 polls, all ones is for ever.
        timeout: u32,
        /// Out: one of the `WAIT_` constants.
        wait_result: u32,
    }
    /// One event of a wait.
    EventData(48) {
        /// Signal events: age last seen at word 0. Exceptions: see [`MemoryException`],
        /// [`HardwareException`].
        payload: [u64; 4],
        /// Extension, 0.
        ext: u64,
        /// The event.
        event_id: u32,
        /// Padding.
        pad: u32,
    }
    /// Payload of a memory exception event.
    MemoryException(32) {
        /// No mapping at the address.
        not_present: u32,
        /// Write to read-only memory.
        read_only: u32,
        /// Fetch from memory without execute right.
        no_execute: u32,
        /// No details.
        imprecise: u32,
        /// Page address.
        va: u64,
        /// Device.
        gpu_id: u32,
        /// 0 none, 1 SRAM ECC, 2 poison, 3 hang.
        error_type: u32,
    }
    /// Payload of a hardware exception event, first half.
    HardwareException(16) {
        /// 0 whole GPU, 1 per queue.
        reset_type: u32,
        /// 0 hang, 1 ECC.
        reset_cause: u32,
        /// Contents of memory are lost.
        memory_lost: u32,
        /// Device.
        gpu_id: u32,
    }
    /// SET_SCRATCH_BACKING_VA.
    SetScratchBackingVa(16) {
        /// Address.
        va_addr: u64,
        /// Device.
        gpu_id: u32,
        /// Padding.
        pad: u32,
    }
    /// GET_TILE_CONFIG.
    GetTileConfig(40) {
        /// Address of an array of words.
        tile_config_ptr: u64,
        /// Address of an array of words.
        macro_tile_config_ptr: u64,
        /// In: room; out: words.
        num_tile_configs: u32,
        /// In: room; out: words.
        num_macro_tile_configs: u32,
        /// Device.
        gpu_id: u32,
        /// Out: GB_ADDR_CONFIG.
        gb_addr_config: u32,
        /// Out: banks.
        num_banks: u32,
        /// Out: ranks.
        num_ranks: u32,
    }
    /// SET_TRAP_HANDLER.
    SetTrapHandler(24) {
        /// Address of the handler.
        tba_addr: u64,
        /// Address of its data.
        tma_addr: u64,
        /// Device.
        gpu_id: u32,
        /// Padding.
        pad: u32,
    }
    /// GET_PROCESS_APERTURES_NEW.
    GetProcessAperturesNew(16) {
        /// Address of [`ProcessApertures`] entries.
        apertures_ptr: u64,
        /// In: room; out: nodes. 0 asks for the number alone.
        num_of_nodes: u32,
        /// Padding.
        pad: u32,
    }
    /// Apertures of one device; limits are the last address.
    ProcessApertures(56) {
        /// LDS.
        lds_base: u64,
        /// LDS.
        lds_limit: u64,
        /// Scratch.
        scratch_base: u64,
        /// Scratch.
        scratch_limit: u64,
        /// Memory.
        gpuvm_base: u64,
        /// Memory.
        gpuvm_limit: u64,
        /// Device.
        gpu_id: u32,
        /// Padding.
        pad: u32,
    }
    /// GET_PROCESS_APERTURES.
    GetProcessApertures(400) {
        /// Out: one entry a device.
        process_apertures: [ProcessApertures; 7],
        /// Out: entries that count.
        num_of_nodes: u32,
        /// Padding.
        pad: u32,
    }
    /// ACQUIRE_VM.
    AcquireVm(8) {
        /// Descriptor of the render node.
        drm_fd: u32,
        /// Device.
        gpu_id: u32,
    }
    /// ALLOC_MEMORY_OF_GPU.
    AllocMemory(40) {
        /// Device address, or 0 for an object without one.
        va_addr: u64,
        /// Bytes.
        size: u64,
        /// Out: the object.
        handle: u64,
        /// In: host address of a userptr; out: offset for mmap.
        mmap_offset: u64,
        /// Device.
        gpu_id: u32,
        /// `ALLOC_` bits.
        flags: u32,
    }
    /// FREE_MEMORY_OF_GPU.
    FreeMemory(8) {
        /// The object.
        handle: u64,
    }
    /// MAP_MEMORY_TO_GPU, UNMAP_MEMORY_FROM_GPU.
    MapMemory(24) {
        /// The object.
        handle: u64,
        /// Address of an array of gpu ids.
        device_ids_array_ptr: u64,
        /// Devices in it.
        n_devices: u32,
        /// In and out: how many of them are done.
        n_success: u32,
    }
    /// SET_CU_MASK.
    SetCuMask(16) {
        /// The queue.
        queue_id: u32,
        /// Bits in the mask.
        num_cu_mask: u32,
        /// Address of the mask.
        cu_mask_ptr: u64,
    }
    /// GET_QUEUE_WAVE_STATE.
    GetQueueWaveState(24) {
        /// Where the control stack goes.
        ctl_stack_address: u64,
        /// Out: bytes used of it.
        ctl_stack_used_size: u32,
        /// Out: bytes used of the save area.
        save_area_used_size: u32,
        /// The queue.
        queue_id: u32,
        /// Padding.
        pad: u32,
    }
    /// GET_DMABUF_INFO.
    GetDmabufInfo(32) {
        /// Out: bytes.
        size: u64,
        /// Address of room for metadata.
        metadata_ptr: u64,
        /// In: room; out: bytes.
        metadata_size: u32,
        /// Out: device.
        gpu_id: u32,
        /// Out: `ALLOC_` bits.
        flags: u32,
        /// Descriptor.
        dmabuf_fd: u32,
    }
    /// IMPORT_DMABUF.
    ImportDmabuf(24) {
        /// Device address.
        va_addr: u64,
        /// Out: the object.
        handle: u64,
        /// Device.
        gpu_id: u32,
        /// Descriptor.
        dmabuf_fd: u32,
    }
    /// ALLOC_QUEUE_GWS.
    AllocQueueGws(16) {
        /// The queue.
        queue_id: u32,
        /// Wanted.
        num_gws: u32,
        /// Out: first one.
        first_gws: u32,
        /// Padding.
        pad: u32,
    }
    /// SMI_EVENTS.
    SmiEvents(8) {
        /// Device.
        gpu_id: u32,
        /// Out: descriptor.
        anon_fd: u32,
    }
    /// SVM, without its attributes.
    Svm(24) {
        /// First address, page aligned.
        start_addr: u64,
        /// Bytes, whole pages.
        size: u64,
        /// [`SVM_OP_SET`] or [`SVM_OP_GET`].
        op: u32,
        /// Attributes that follow.
        nattr: u32,
    }
    /// One attribute of a range.
    SvmAttribute(8) {
        /// `SVM_ATTR_` constant.
        kind: u32,
        /// Its value.
        value: u32,
    }
    /// SET_XNACK_MODE.
    SetXnackMode(4) {
        /// Negative asks; out: the mode.
        xnack_enabled: i32,
    }
    /// AVAILABLE_MEMORY.
    AvailableMemory(16) {
        /// Out: bytes.
        available: u64,
        /// Device.
        gpu_id: u32,
        /// Padding.
        pad: u32,
    }
    /// EXPORT_DMABUF.
    ExportDmabuf(16) {
        /// The object.
        handle: u64,
        /// `O_CLOEXEC` or 0.
        flags: u32,
        /// Out: descriptor.
        dmabuf_fd: u32,
    }
    /// RUNTIME_ENABLE.
    RuntimeEnable(16) {
        /// Address of `r_debug`.
        r_debug: u64,
        /// `RUNTIME_MODE_` bits.
        mode_mask: u32,
        /// Out: capabilities.
        capabilities_mask: u32,
    }
    /// Start of the context save area, written by the client (one for each XCC).
    SaveAreaHeader(40) {
        /// Kernel owned.
        control_stack_offset: u32,
        /// Kernel owned.
        control_stack_size: u32,
        /// Kernel owned.
        wave_state_offset: u32,
        /// Kernel owned.
        wave_state_size: u32,
        /// Where the debugger's part starts.
        debug_offset: u32,
        /// Its bytes.
        debug_size: u32,
        /// Address of the word that takes queue errors.
        err_payload_addr: u64,
        /// Event to set with it.
        err_event_id: u32,
        /// Padding.
        reserved1: u32,
    }
}

const _: () = {
    assert!(offset_of!(CreateQueue, eop_buffer_address) == 56);
    assert!(offset_of!(CreateQueue, sdma_engine_id) == 88);
    assert!(offset_of!(EventData, event_id) == 40);
    assert!(offset_of!(MemoryException, va) == 16);
    assert!(offset_of!(SaveAreaHeader, err_payload_addr) == 24);
};

/// Compute queue with PM4 packets.
pub const QUEUE_TYPE_COMPUTE: u32 = 0;
/// SDMA queue.
pub const QUEUE_TYPE_SDMA: u32 = 1;
/// Compute queue with AQL packets.
pub const QUEUE_TYPE_COMPUTE_AQL: u32 = 2;
/// SDMA queue between devices.
pub const QUEUE_TYPE_SDMA_XGMI: u32 = 3;
/// SDMA queue on a named engine.
pub const QUEUE_TYPE_SDMA_BY_ENGINE: u32 = 4;
/// Largest `queue_percentage`.
pub const QUEUE_PERCENTAGE_MAX: u32 = 100;
/// Largest `queue_priority`.
pub const QUEUE_PRIORITY_MAX: u32 = 15;
/// The priority of an ordinary queue.
pub const QUEUE_PRIORITY_NORMAL: u32 = 7;
/// Bytes of the end-of-pipe buffer on gfx11.
pub const EOP_BUFFER_BYTES: u64 = 4096;
/// Smallest ring; a smaller one is made this large.
pub const RING_BYTES_MIN: u32 = 1024;
/// Bytes of the page of remapped registers.
pub const MMIO_REMAP_BYTES: u64 = 4096;
/// Bytes of a process's doorbell slice on a device.
pub const DOORBELL_SLICE_BYTES: u64 = 8192;

/// ALLOC_MEMORY_OF_GPU: device memory.
pub const ALLOC_VRAM: u32 = 1 << 0;
/// ALLOC_MEMORY_OF_GPU: system memory of the kernel.
pub const ALLOC_GTT: u32 = 1 << 1;
/// ALLOC_MEMORY_OF_GPU: memory of the process.
pub const ALLOC_USERPTR: u32 = 1 << 2;
/// ALLOC_MEMORY_OF_GPU: doorbells.
pub const ALLOC_DOORBELL: u32 = 1 << 3;
/// ALLOC_MEMORY_OF_GPU: remapped registers.
pub const ALLOC_MMIO_REMAP: u32 = 1 << 4;
/// ALLOC_MEMORY_OF_GPU: the device may write.
pub const ALLOC_WRITABLE: u32 = 1 << 31;
/// ALLOC_MEMORY_OF_GPU: the device may fetch instructions.
pub const ALLOC_EXECUTABLE: u32 = 1 << 30;
/// ALLOC_MEMORY_OF_GPU: the host may map.
pub const ALLOC_PUBLIC: u32 = 1 << 29;
/// ALLOC_MEMORY_OF_GPU: no other kind instead.
pub const ALLOC_NO_SUBSTITUTE: u32 = 1 << 28;
/// ALLOC_MEMORY_OF_GPU: an AQL ring, mapped twice (not on gfx11).
pub const ALLOC_AQL_QUEUE_MEM: u32 = 1 << 27;
/// ALLOC_MEMORY_OF_GPU: coherent.
pub const ALLOC_COHERENT: u32 = 1 << 26;
/// ALLOC_MEMORY_OF_GPU: uncached.
pub const ALLOC_UNCACHED: u32 = 1 << 25;
/// ALLOC_MEMORY_OF_GPU: coherent between devices.
pub const ALLOC_EXT_COHERENT: u32 = 1 << 24;

/// First bit of the mapping type in an mmap offset of the kfd node.
pub const MMAP_TYPE_SHIFT: u32 = 62;
/// First bit of the gpu id in an mmap offset of the kfd node.
pub const MMAP_GPU_ID_SHIFT: u32 = 46;
/// Mapping type: registers.
pub const MMAP_TYPE_MMIO: u64 = 0;
/// Mapping type: reserved memory.
pub const MMAP_TYPE_RESERVED: u64 = 1;
/// Mapping type: event page.
pub const MMAP_TYPE_EVENTS: u64 = 2;
/// Mapping type: doorbells.
pub const MMAP_TYPE_DOORBELL: u64 = 3;

/// Event type: signal.
pub const EVENT_SIGNAL: u32 = 0;
/// Event type: hardware exception.
pub const EVENT_HW_EXCEPTION: u32 = 3;
/// Event type: debugger.
pub const EVENT_DEBUG: u32 = 5;
/// Event type: memory exception.
pub const EVENT_MEMORY: u32 = 8;
/// Slots of the event page.
pub const EVENT_SLOTS: u32 = 4096;
/// Least bytes of the event page.
pub const EVENT_PAGE_BYTES: u64 = 32768;
/// First id of events without a slot.
pub const EVENT_NONSIGNAL_FIRST_ID: u32 = 0x4000_0000;
/// A slot whose event is not signalled.
pub const EVENT_SLOT_UNSIGNALLED: u64 = u64::MAX;

/// Wait result: the condition holds.
pub const WAIT_COMPLETE: u32 = 0;
/// Wait result: time ran out.
pub const WAIT_TIMEOUT: u32 = 1;
/// Wait result: an event was bad or went away.
pub const WAIT_FAIL: u32 = 2;
/// Timeout of a wait without end.
pub const WAIT_FOREVER: u32 = u32::MAX;

/// SVM operation: set attributes.
pub const SVM_OP_SET: u32 = 0;
/// SVM operation: read attributes.
pub const SVM_OP_GET: u32 = 1;
/// SVM attribute: preferred location.
pub const SVM_ATTR_PREFERRED_LOC: u32 = 0;
/// SVM attribute: prefetch location.
pub const SVM_ATTR_PREFETCH_LOC: u32 = 1;
/// SVM attribute: device that may access.
pub const SVM_ATTR_ACCESS: u32 = 2;
/// SVM attribute: device that may access without migration.
pub const SVM_ATTR_ACCESS_IN_PLACE: u32 = 3;
/// SVM attribute: device that may not access.
pub const SVM_ATTR_NO_ACCESS: u32 = 4;
/// SVM attribute: flags to set.
pub const SVM_ATTR_SET_FLAGS: u32 = 5;
/// SVM attribute: flags to clear.
pub const SVM_ATTR_CLR_FLAGS: u32 = 6;
/// SVM attribute: log2 of the migration granule, pages.
pub const SVM_ATTR_GRANULARITY: u32 = 7;
/// SVM flag: the host may access.
pub const SVM_FLAG_HOST_ACCESS: u32 = 0x01;
/// SVM flag: coherent.
pub const SVM_FLAG_COHERENT: u32 = 0x02;
/// SVM flag: local to a hive.
pub const SVM_FLAG_HIVE_LOCAL: u32 = 0x04;
/// SVM flag: read-only for the device.
pub const SVM_FLAG_GPU_RO: u32 = 0x08;
/// SVM flag: the device may fetch instructions.
pub const SVM_FLAG_GPU_EXEC: u32 = 0x10;
/// SVM flag: mostly read.
pub const SVM_FLAG_GPU_READ_MOSTLY: u32 = 0x20;
/// SVM flag: never unmapped from the device.
pub const SVM_FLAG_GPU_ALWAYS_MAPPED: u32 = 0x40;
/// SVM flag: coherent between devices.
pub const SVM_FLAG_EXT_COHERENT: u32 = 0x80;
/// SVM location: not set.
pub const SVM_LOCATION_UNDEFINED: u32 = u32::MAX;

/// RUNTIME_ENABLE: on.
pub const RUNTIME_MODE_ENABLE: u32 = 1;
/// RUNTIME_ENABLE: waves save their trap temporaries for a debugger.
pub const RUNTIME_MODE_TTMP_SAVE: u32 = 2;

/// Queue errors: bit `code - 1` of the error payload word.
pub mod queue_error {
    /// Abort of a wave.
    pub const WAVE_ABORT: u32 = 1;
    /// Trap of a wave.
    pub const WAVE_TRAP: u32 = 2;
    /// Floating point exception.
    pub const WAVE_MATH_ERROR: u32 = 3;
    /// Instruction that the chip does not know.
    pub const WAVE_ILLEGAL_INSTRUCTION: u32 = 4;
    /// Access to memory that is not mapped; the memory event has the address.
    pub const WAVE_MEMORY_VIOLATION: u32 = 5;
    /// Access outside every aperture.
    pub const WAVE_APERTURE_VIOLATION: u32 = 6;
    /// Number of dimensions.
    pub const PACKET_DISPATCH_DIM_INVALID: u32 = 16;
    /// LDS.
    pub const PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID: u32 = 17;
    /// Kernel descriptor or entry.
    pub const PACKET_DISPATCH_CODE_INVALID: u32 = 18;
    /// Unknown packet.
    pub const PACKET_UNSUPPORTED: u32 = 20;
    /// Work-group size.
    pub const PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID: u32 = 21;
    /// Registers.
    pub const PACKET_DISPATCH_REGISTER_INVALID: u32 = 22;
    /// Unknown vendor packet.
    pub const PACKET_VENDOR_UNSUPPORTED: u32 = 23;
    /// Memory error of the device.
    pub const DEVICE_MEMORY_VIOLATION: u32 = 33;
    /// Memory error that the hardware found.
    pub const DEVICE_RAS_ERROR: u32 = 34;
    /// The device stopped.
    pub const DEVICE_FATAL_HALT: u32 = 35;

    /// The word that a code stores at `err_payload_addr`. Codes begin at 1.
    #[must_use]
    pub const fn payload(code: u32) -> u64 {
        1 << (code - 1)
    }
}

/// What the packet processor stores in a queue's inactive signal: requests for scratch, and errors where
/// the save area's header names no error word.
pub mod inactive_signal {
    use super::queue_error;

    /// A wave of 64 lanes needs more scratch than the queue has.
    pub const SCRATCH_WAVE64: u32 = 0x1;
    /// A wave of 32 lanes needs more scratch than the queue has.
    pub const SCRATCH_WAVE32: u32 = 0x400;
    /// Scratch that was to be used once may be taken back.
    pub const SCRATCH_RECLAIM: u32 = 0x200;
    /// A debug trap, or a wave that gave up.
    pub const DEBUG_TRAP: u32 = 0x8000_0000;

    /// The bit of a queue error, 0 where it has none.
    #[must_use]
    pub const fn error_bit(code: u32) -> u32 {
        match code {
            queue_error::PACKET_DISPATCH_DIM_INVALID => 0x2,
            queue_error::PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID => 0x4,
            queue_error::PACKET_DISPATCH_CODE_INVALID => 0x8,
            queue_error::PACKET_UNSUPPORTED => 0x20,
            queue_error::PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID => 0x40,
            queue_error::PACKET_DISPATCH_REGISTER_INVALID => 0x80,
            queue_error::PACKET_VENDOR_UNSUPPORTED => 0x100,
            queue_error::WAVE_APERTURE_VIOLATION => 0x2000_0000,
            queue_error::WAVE_ILLEGAL_INSTRUCTION => 0x4000_0000,
            queue_error::WAVE_ABORT | queue_error::WAVE_TRAP => DEBUG_TRAP,
            _ => 0,
        }
    }
}
