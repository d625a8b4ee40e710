//! The requests that the driver makes, one row each, reached through the descriptor that owns them.
//!
//! A row takes its argument struct by reference; structs with addresses in them have a method that
//! takes slices instead, so that no address outlives what it points at.

use std::mem::size_of;
use std::sync::Arc;

use hrx_abi::drm::{AmdgpuInfo, DRM_IOCTL_AMDGPU_INFO, DeviceInfo, INFO_DEV_INFO};
use hrx_abi::kfd::{
    self, AcquireVm, AllocMemory, AvailableMemory, CreateEvent, CreateQueue, DestroyQueue,
    EventData, EventId, FreeMemory, GetClockCounters, GetProcessAperturesNew, GetVersion,
    MapMemory, ProcessApertures, RuntimeEnable, Svm, SvmAttribute, WaitEvents, request,
};

use super::kernel::{Errno, Fd, Kernel};

/// `/dev/kfd`, open.
#[derive(Clone, Debug)]
pub(super) struct Kfd {
    kernel: Arc<dyn Kernel>,
    fd: Fd,
}

macro_rules! requests {
    ($($(#[$doc:meta])* $name:ident($request:ident, $argument:ty);)*) => {
        impl Kfd { $(
            $(#[$doc])*
            pub(super) fn $name(&self, argument: &mut $argument) -> Result<(), Errno> {
                let argument = std::ptr::from_mut(argument).cast();
                // SAFETY: the request word carries the size of this struct (asserted in
                // `abi::kfd`), and the struct has no addresses that the kernel reads or writes
                // through.
                unsafe { self.kernel.ioctl(self.fd, request::$request, argument) }
            }
        )* }
    };
}

requests! {
    /// Version of the interface.
    get_version(GET_VERSION, GetVersion);
    /// Ties the address space on a device to a render node.
    acquire_vm(ACQUIRE_VM, AcquireVm);
    /// Says that a runtime is there; errors of queues then come through the save area.
    runtime_enable(RUNTIME_ENABLE, RuntimeEnable);
    /// Reads the clocks.
    get_clock_counters(GET_CLOCK_COUNTERS, GetClockCounters);
    /// Makes a memory object.
    alloc_memory(ALLOC_MEMORY_OF_GPU, AllocMemory);
    /// Ends a memory object.
    free_memory(FREE_MEMORY_OF_GPU, FreeMemory);
    /// Memory that is left.
    available_memory(AVAILABLE_MEMORY, AvailableMemory);
    /// Makes an event.
    create_event(CREATE_EVENT, CreateEvent);
    /// Ends an event.
    destroy_event(DESTROY_EVENT, EventId);
    /// Ends a queue.
    destroy_queue(DESTROY_QUEUE, DestroyQueue);
}

impl Kfd {
    pub(super) fn new(kernel: Arc<dyn Kernel>, fd: Fd) -> Self {
        Self { kernel, fd }
    }

    pub(super) fn fd(&self) -> Fd {
        self.fd
    }

    /// Makes a queue.
    ///
    /// # Safety
    /// The buffers that `argument` names stay mapped, and are used as a queue's only, until the
    /// queue is destroyed.
    pub(super) unsafe fn create_queue(&self, argument: &mut CreateQueue) -> Result<(), Errno> {
        let argument = std::ptr::from_mut(argument).cast();
        // SAFETY: the request word carries the struct's size; the caller keeps the buffers.
        unsafe { self.kernel.ioctl(self.fd, request::CREATE_QUEUE, argument) }
    }

    /// Maps a memory object for one device, or takes the mapping back.
    pub(super) fn map_memory(&self, handle: u64, gpu_id: u32, mapped: bool) -> Result<(), Errno> {
        let mut argument = MapMemory {
            handle,
            device_ids_array_ptr: std::ptr::from_ref(&gpu_id).expose_provenance() as u64,
            n_devices: 1,
            n_success: 0,
        };
        let request = if mapped {
            request::MAP_MEMORY_TO_GPU
        } else {
            request::UNMAP_MEMORY_FROM_GPU
        };
        let pointer = std::ptr::from_mut(&mut argument).cast();
        // SAFETY: the request word carries the struct's size; the address in it is that of
        // `gpu_id`, which lives to the end of this function, and `n_devices` says that there is
        // one.
        unsafe { self.kernel.ioctl(self.fd, request, pointer) }?;
        if argument.n_success == 1 {
            Ok(())
        } else {
            Err(Errno(libc::EIO))
        }
    }

    /// The apertures of a device.
    pub(super) fn apertures(&self, gpu_id: u32) -> Result<Option<ProcessApertures>, Errno> {
        let mut count = GetProcessAperturesNew::default();
        // SAFETY: with room for none the kernel reads no address.
        unsafe { self.apertures_into(&mut count) }?;
        let mut entries = vec![ProcessApertures::default(); count.num_of_nodes as usize];
        let mut argument = GetProcessAperturesNew {
            apertures_ptr: entries.as_mut_ptr().expose_provenance() as u64,
            ..count
        };
        // SAFETY: the address is that of `entries`, which has room for `num_of_nodes`.
        unsafe { self.apertures_into(&mut argument) }?;
        entries.truncate(argument.num_of_nodes as usize);
        Ok(entries.into_iter().find(|entry| entry.gpu_id == gpu_id))
    }

    /// # Safety
    /// `apertures_ptr` has room for `num_of_nodes` entries.
    unsafe fn apertures_into(&self, argument: &mut GetProcessAperturesNew) -> Result<(), Errno> {
        let request = request::GET_PROCESS_APERTURES_NEW;
        let argument = std::ptr::from_mut(argument).cast();
        // SAFETY: the request word carries the struct's size; the caller vouches for the address in
        // it.
        unsafe { self.kernel.ioctl(self.fd, request, argument) }
    }

    /// Waits for any of `events`, `timeout_ms` at most; returns the wait's result. Exceptions that
    /// were raised are filled in.
    pub(super) fn wait_events(
        &self,
        events: &mut [EventData],
        timeout_ms: u32,
    ) -> Result<u32, Errno> {
        let mut argument = WaitEvents {
            events_ptr: events.as_mut_ptr().expose_provenance() as u64,
            num_events: u32::try_from(events.len()).map_err(|_| Errno(libc::EINVAL))?,
            wait_for_all: 0,
            timeout: timeout_ms,
            wait_result: kfd::WAIT_FAIL,
        };
        let pointer = std::ptr::from_mut(&mut argument).cast();
        // SAFETY: the request word carries the struct's size; the address in it is that of
        // `events`, which is borrowed mutably to the end of the call, and `num_events` is its
        // length.
        unsafe { self.kernel.ioctl(self.fd, request::WAIT_EVENTS, pointer) }?;
        Ok(argument.wait_result)
    }

    /// Sets attributes of the shared virtual memory in a range.
    pub(super) fn set_svm<const N: usize>(
        &self,
        address: usize,
        size: usize,
        attributes: [SvmAttribute; N],
    ) -> Result<(), Errno> {
        /// The struct with what follows it.
        #[repr(C)]
        struct Argument<const N: usize> {
            svm: Svm,
            attributes: [SvmAttribute; N],
        }
        let mut argument = Argument {
            svm: Svm {
                start_addr: address as u64,
                size: size as u64,
                op: kfd::SVM_OP_SET,
                nattr: u32::try_from(N).map_err(|_| Errno(libc::EINVAL))?,
            },
            attributes,
        };
        // The size field covers the attributes too.
        let extra =
            u32::try_from(N * size_of::<SvmAttribute>()).map_err(|_| Errno(libc::EINVAL))?;
        let request = request::SVM + (extra << 16);
        let pointer = std::ptr::from_mut(&mut argument).cast();
        // SAFETY: the request word carries the size of `argument`, and `nattr` the attributes in
        // it.
        unsafe { self.kernel.ioctl(self.fd, request, pointer) }
    }
}

/// Asks a render node what its device is. A longer answer of a newer kernel is cut.
pub(super) fn device_info(kernel: &dyn Kernel, render: Fd) -> Result<DeviceInfo, Errno> {
    let mut info = DeviceInfo::default();
    let mut argument = AmdgpuInfo {
        return_pointer: std::ptr::from_mut(&mut info).expose_provenance() as u64,
        return_size: size_u32::<DeviceInfo>(),
        query: INFO_DEV_INFO,
        argument: [0; 4],
    };
    let pointer = std::ptr::from_mut(&mut argument).cast();
    // SAFETY: the request word carries the struct's size; the address in it is that of `info`,
    // which lives to the end of this function, and `return_size` is its size.
    unsafe { kernel.ioctl(render, DRM_IOCTL_AMDGPU_INFO, pointer) }?;
    Ok(info)
}

/// Size of a struct of the interface.
pub(super) const fn size_u32<T>() -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "structs of the interface are small"
    )]
    let size = size_of::<T>() as u32;
    size
}
