//! What an address is, attribute by attribute; and advice about managed memory.

use std::ffi::c_void;

use hrx_hal::memory::HostRange;
use hrx_runtime::memory::{MemoryClass, Region};

use super::{context::context, stream::resolve};
use crate::{
    convert::{InArray, Memory, StreamId},
    error::{HipError, HipResult},
    sys::*,
};

/// The bytes of an attribute.
enum Value {
    Word(u32),
    Wide(u64),
    Flag(bool),
}

impl Value {
    fn write(self, to: Memory<'_>) {
        let write = |bytes: &[u8]| to.range(0, bytes.len()).copy_from(HostRange::of(bytes));
        match self {
            Self::Word(value) => write(&value.to_ne_bytes()),
            Self::Wide(value) => write(&value.to_ne_bytes()),
            Self::Flag(value) => write(&[u8::from(value)]),
        }
    }
}

/// An attribute of an address, and the code for an address that is nothing's. What is written then is
/// "nothing".
fn attribute_of(
    attribute: hipPointer_attribute,
    address: usize,
    region: Option<&Region>,
) -> HipResult<(Value, HipResult)> {
    let unknown = Err(HipError::INVALID_VALUE);
    let known = if region.is_some() { Ok(()) } else { unknown };
    let wide = |value: usize| Value::Wide(value as u64);
    let is_device = region
        .is_some_and(|region| matches!(region.class, MemoryClass::Device | MemoryClass::Variable));
    Ok(match attribute {
        HIP_POINTER_ATTRIBUTE_MEMORY_TYPE => {
            let kind = region.map_or(hipMemoryTypeUnregistered.0, |region| match region.class {
                MemoryClass::Device | MemoryClass::Variable => hipMemoryTypeDevice.0,
                MemoryClass::Host | MemoryClass::Registered => hipMemoryTypeHost.0,
                MemoryClass::Managed => hipMemoryTypeManaged.0,
            });
            // > Memory that is nothing's is unregistered memory, and no error.
            (Value::Word(kind), Ok(()))
        }
        HIP_POINTER_ATTRIBUTE_DEVICE_POINTER => (wide(region.map_or(0, |_| address)), known),
        HIP_POINTER_ATTRIBUTE_HOST_POINTER => {
            // > Memory of the device has none: hipErrorInvalidValue.
            let status = if is_device { unknown } else { known };
            (
                wide(region.filter(|_| !is_device).map_or(0, |_| address)),
                status,
            )
        }
        HIP_POINTER_ATTRIBUTE_BUFFER_ID => {
            // Regions do not overlap, so their first page tells them apart.
            let page = region.map_or(0, |region| region.address >> 12);
            let id = u32::try_from(page & 0xffff_ffff).expect("masked");
            (Value::Word(id), known)
        }
        HIP_POINTER_ATTRIBUTE_IS_MANAGED => {
            let managed = region.is_some_and(|region| region.class == MemoryClass::Managed);
            (Value::Flag(managed), known)
        }
        HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL => {
            let ordinal = region.map_or(hipInvalidDeviceId, |region| {
                i32::try_from(region.device.ordinal()).unwrap_or(hipInvalidDeviceId)
            });
            (Value::Word(ordinal.cast_unsigned()), known)
        }
        HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR => {
            (wide(region.map_or(0, |region| region.address)), known)
        }
        HIP_POINTER_ATTRIBUTE_RANGE_SIZE => {
            let size = region.map_or(0, |region| region.size);
            (Value::Word(u32::try_from(size).unwrap_or(u32::MAX)), known)
        }
        HIP_POINTER_ATTRIBUTE_MAPPED => (Value::Flag(region.is_some()), known),
        HIP_POINTER_ATTRIBUTE_CONTEXT
        | HIP_POINTER_ATTRIBUTE_P2P_TOKENS
        | HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS
        | HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE
        | HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES
        | HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE
        | HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS
        | HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE => return Err(HipError::NOT_SUPPORTED),
        _ => return unknown.map(|()| unreachable!("`unknown` is an error")),
    })
}

/// One attribute of an address; how many bytes it has depends on which it is.
///
/// > An address that is nothing's: `hipErrorInvalidValue`, but for its type.
pub(crate) fn attribute(
    to: Memory<'_>,
    attribute: hipPointer_attribute,
    memory: Memory<'_>,
) -> HipResult {
    if to.is_null() || memory.is_null() {
        return Err(HipError::INVALID_VALUE);
    }
    let region = context()?.memory().find(memory.address);
    let (value, status) = attribute_of(attribute, memory.address, region.as_deref())?;
    value.write(to);
    status
}

/// Several attributes of an address, which may be nothing's.
pub(crate) fn attributes(
    count: u32,
    attributes: InArray<'_, hipPointer_attribute>,
    places: InArray<'_, *mut c_void>,
    memory: Memory<'_>,
) -> HipResult {
    if count == 0 || memory.is_null() {
        return Err(HipError::INVALID_VALUE);
    }
    let region = context()?.memory().find(memory.address);
    let (attributes, places) = (
        attributes.slice(count as usize)?,
        places.slice(count as usize)?,
    );
    for (attribute, place) in attributes.iter().zip(places) {
        let (value, _) = attribute_of(*attribute, memory.address, region.as_deref())?;
        value.write(Memory::of_result(*place)?);
    }
    Ok(())
}

/// Whether a range is managed memory and a device number is one, or the host.
fn check_managed(memory: Memory<'_>, count: usize, device: i32) -> HipResult {
    if memory.is_null() || count == 0 {
        return Err(HipError::INVALID_VALUE);
    }
    let context = context()?;
    if device != hipCpuDeviceId {
        context.device(device.into())?;
    }
    context
        .memory()
        .find_range(memory.address, count)?
        .ok_or(HipError::INVALID_VALUE)?;
    Ok(())
}

/// Takes the wish to have managed memory near a device: there is one memory, near both.
pub(crate) fn prefetch(
    memory: Memory<'_>,
    count: usize,
    device: i32,
    stream: StreamId,
) -> HipResult {
    check_managed(memory, count, device)?;
    resolve(stream)?;
    Ok(())
}

/// Takes advice on how managed memory will be used: there is one memory, and nothing to decide.
pub(crate) fn advise(
    memory: Memory<'_>,
    count: usize,
    advice: hipMemoryAdvise,
    device: i32,
) -> HipResult {
    if advice.name().is_none() {
        return Err(HipError::INVALID_VALUE);
    }
    check_managed(memory, count, device)
}
