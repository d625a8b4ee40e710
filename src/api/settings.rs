//! Settings of a device: limits, preferences, flags; and its reset.

#![expect(
    non_upper_case_globals,
    reason = "patterns of constants that have the names of the C headers"
)]

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

use hrx_runtime::{device::StreamKind, kernel, stream::Stream};

use super::context::context;
use crate::{
    convert::Out,
    error::{HipError, HipResult},
    handles,
    sys::*,
};

/// Bytes of the device's heap. Kept for who asks.
static HEAP_BYTES: AtomicUsize = AtomicUsize::new(8 << 20);
/// How a waiting thread is to wait. Kept for who asks: every wait spins a little, then sleeps.
static FLAGS: AtomicU32 = AtomicU32::new(hipDeviceScheduleSpin);

/// A limit of the device.
///
/// > The size of printf's buffer: `hipErrorUnsupportedLimit`. An unknown limit: `hipErrorInvalidValue`.
pub(crate) fn limit(mut out: Out<'_, usize>, limit: hipLimit_t) -> HipResult {
    let context = context()?;
    out.set(match limit {
        // Scratch grows as kernels need it; only the memory ends it.
        hipExtLimitScratchMin => 0,
        hipExtLimitScratchMax | hipExtLimitScratchCurrent => {
            let (_, total) = context.current_device()?.memory_info()?;
            usize::try_from(total).unwrap_or(usize::MAX)
        }
        hipLimitStackSize => kernel::dynamic_stack_bytes() as usize,
        hipLimitMallocHeapSize => HEAP_BYTES.load(Relaxed),
        hipLimitPrintfFifoSize => return Err(HipError::UNSUPPORTED_LIMIT),
        _ => return Err(HipError::INVALID_VALUE),
    });
    Ok(())
}

/// Sets a limit of the device. The stack is that of kernels with indirect calls or recursion.
///
/// > A limit that cannot be set: `hipErrorUnsupportedLimit`. An unknown one: `hipErrorInvalidValue`.
pub(crate) fn set_limit(limit: hipLimit_t, value: usize) -> HipResult {
    context()?;
    match limit {
        hipLimitStackSize => {
            let bytes = u32::try_from(value).map_err(|_| HipError::INVALID_VALUE)?;
            if kernel::set_dynamic_stack_bytes(bytes) {
                Ok(())
            } else {
                Err(HipError::INVALID_VALUE)
            }
        }
        hipLimitMallocHeapSize => {
            HEAP_BYTES.store(value, Relaxed);
            Ok(())
        }
        hipLimitPrintfFifoSize
        | hipExtLimitScratchMin
        | hipExtLimitScratchMax
        | hipExtLimitScratchCurrent => Err(HipError::UNSUPPORTED_LIMIT),
        _ => Err(HipError::INVALID_VALUE),
    }
}

/// The preference between cache and LDS: none, since the chip has none.
pub(crate) fn cache_config(mut out: Out<'_, hipFuncCache_t>) -> HipResult {
    context()?;
    out.set(hipFuncCachePreferNone);
    Ok(())
}

/// Takes a preference between cache and LDS, which this chip does not have.
pub(crate) fn set_cache_config(config: hipFuncCache_t) -> HipResult {
    context()?;
    match config {
        hipFuncCachePreferNone
        | hipFuncCachePreferShared
        | hipFuncCachePreferL1
        | hipFuncCachePreferEqual => Ok(()),
        _ => Err(HipError::INVALID_VALUE),
    }
}

/// The width of LDS banks.
pub(crate) fn shared_config(mut out: Out<'_, hipSharedMemConfig>) -> HipResult {
    context()?;
    out.set(hipSharedMemBankSizeFourByte);
    Ok(())
}

/// Takes a preference for the width of LDS banks, which this chip does not have.
pub(crate) fn set_shared_config(config: hipSharedMemConfig) -> HipResult {
    context()?;
    match config {
        hipSharedMemBankSizeDefault
        | hipSharedMemBankSizeFourByte
        | hipSharedMemBankSizeEightByte => Ok(()),
        _ => Err(HipError::INVALID_VALUE),
    }
}

/// How a waiting thread is to wait.
pub(crate) fn flags(mut out: Out<'_, u32>) -> HipResult {
    context()?;
    out.set(FLAGS.load(Relaxed));
    Ok(())
}

/// Says how a waiting thread is to wait.
///
/// > More than one way, or unknown flags: `hipErrorInvalidValue`.
pub(crate) fn set_flags(flags: u32) -> HipResult {
    const KNOWN: u32 = hipDeviceScheduleMask | hipDeviceMapHost | hipDeviceLmemResizeToMax;
    context()?;
    let way = flags & hipDeviceScheduleMask;
    if flags & !KNOWN != 0 || way.count_ones() > 1 {
        return Err(HipError::INVALID_VALUE);
    }
    FLAGS.store(
        if way == hipDeviceScheduleAuto {
            hipDeviceScheduleSpin
        } else {
            way
        },
        Relaxed,
    );
    Ok(())
}

/// Frees the memory of the current device and lets go of its streams, after all of its work.
pub(crate) fn reset() -> HipResult {
    let context = context()?;
    let device = context.current_device()?;
    let cleared = context.memory().clear(device);
    for (handle, stream) in handles::live::<Stream>() {
        let is_its = stream.device().ordinal() == device.ordinal();
        if is_its && stream.kind() != StreamKind::Legacy {
            // Somebody else may have removed it meanwhile.
            let _ = handles::remove::<Stream>(handle);
        }
    }
    FLAGS.store(hipDeviceScheduleSpin, Relaxed);
    Ok(cleared?)
}
