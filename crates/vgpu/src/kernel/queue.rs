//! Hardware queues: what CREATE_QUEUE demands, and what is kept of a queue.

use hrx_abi::kfd::{self, CreateQueue};

use super::memory::{DeviceMemory, MappedObject};
use super::svm::Ranges;
use super::topology::{CONTROL_STACK_BYTES, CWSR_BYTES, CWSR_BYTES_OLD, CWSR_DEBUG_BYTES};
use crate::Errno;

const PAGE: u64 = 4096;

/// A queue that the kernel accepted.
#[derive(Clone, Debug)]
pub(crate) struct QueueSpec {
    pub(crate) id: u32,
    /// Packets go through the AQL processor.
    pub(crate) aql: bool,
    pub(crate) ring: u64,
    pub(crate) ring_bytes: u64,
    pub(crate) write_index: u64,
    pub(crate) read_index: u64,
    /// Slot in the doorbell slice.
    pub(crate) doorbell: usize,
    /// Address of the save area's header, if there is one.
    pub(crate) save_area: u64,
    /// Objects that are in use while the queue lives.
    pub(crate) objects: Vec<u64>,
}

/// Checks CREATE_QUEUE's argument as a recent kernel does. Nothing is changed.
pub(crate) fn check(
    argument: &CreateQueue,
    memory: &DeviceMemory,
    ranges: &Ranges,
    old_kernel: bool,
) -> Result<QueueSpec, Errno> {
    if argument.queue_percentage & 0xff > kfd::QUEUE_PERCENTAGE_MAX
        || argument.queue_priority > kfd::QUEUE_PRIORITY_MAX
    {
        return Err(Errno::INVAL);
    }
    let compute = match argument.queue_type {
        kfd::QUEUE_TYPE_COMPUTE_AQL => true,
        kfd::QUEUE_TYPE_SDMA | kfd::QUEUE_TYPE_SDMA_XGMI | kfd::QUEUE_TYPE_SDMA_BY_ENGINE => false,
        _ => return Err(Errno::NOTSUPP),
    };
    let size = argument.ring_size;
    if size != 0 && (!size.is_power_of_two() || argument.ring_base_address == 0) {
        return Err(Errno::INVAL);
    }
    let ring_bytes = u64::from(size.max(kfd::RING_BYTES_MIN));
    let mut objects = Vec::new();
    // Rule 1: the index pages. Two indices may share their page.
    for address in [
        argument.write_pointer_address,
        argument.read_pointer_address,
    ] {
        if address == 0 || !address.is_multiple_of(8) {
            return Err(Errno::FAULT);
        }
        let object = whole(memory, address & !(PAGE - 1), PAGE)?;
        objects.push(object.handle);
    }
    // Rule 2: the ring.
    objects.push(whole(memory, argument.ring_base_address, ring_bytes)?.handle);
    if compute {
        // Rule 3: end of pipe.
        if argument.eop_buffer_address != 0 {
            if argument.eop_buffer_size != kfd::EOP_BUFFER_BYTES {
                return Err(Errno::INVAL);
            }
            let object = whole(memory, argument.eop_buffer_address, kfd::EOP_BUFFER_BYTES)?;
            objects.push(object.handle);
        }
        // Rules 4 and 5: the save area.
        let least = if old_kernel {
            CWSR_BYTES_OLD
        } else {
            CWSR_BYTES
        };
        if argument.ctl_stack_size != CONTROL_STACK_BYTES
            || argument.ctx_save_restore_size < least
            || argument.ctx_save_restore_address == 0
        {
            return Err(Errno::INVAL);
        }
        let total = u64::from(argument.ctx_save_restore_size) + u64::from(CWSR_DEBUG_BYTES);
        let total = total.next_multiple_of(PAGE);
        match whole(memory, argument.ctx_save_restore_address, total) {
            Ok(object) => objects.push(object.handle),
            Err(error) => {
                if !ranges.cover_for_queue(argument.ctx_save_restore_address, total) {
                    return Err(error);
                }
            }
        }
    }
    Ok(QueueSpec {
        id: 0,
        aql: compute,
        ring: argument.ring_base_address,
        ring_bytes,
        write_index: argument.write_pointer_address,
        read_index: argument.read_pointer_address,
        doorbell: 0,
        save_area: if compute {
            argument.ctx_save_restore_address
        } else {
            0
        },
        objects,
    })
}

/// The mapping that starts at `base` and has exactly `len` bytes.
fn whole(memory: &DeviceMemory, base: u64, len: u64) -> Result<MappedObject, Errno> {
    let object = memory.object_at(base).ok_or(Errno::INVAL)?;
    if object.base == base && object.len == len {
        Ok(object)
    } else {
        Err(Errno::INVAL)
    }
}
