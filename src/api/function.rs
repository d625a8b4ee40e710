//! Kernels: what they need, what they are called, how many of them fit.

#![expect(
    non_upper_case_globals,
    reason = "patterns of constants that have the names of the C headers"
)]

use std::{ffi::c_char, ptr, sync::atomic::Ordering::Relaxed};

use hrx_runtime::{
    kernel::{MAX_GROUP_LDS_BYTES, Occupancy},
    module::registry::Function,
};

use super::{context::context, launch::host_function};
use crate::{
    convert::{Memory, Out, StreamId},
    error::{HipError, HipResult},
    handles::{self, Ref},
    sys::*,
};

/// A kernel by its handle.
///
/// > Null: `hipErrorInvalidResourceHandle`.
fn find(raw: hipFunction_t) -> HipResult<Ref<Function>> {
    handles::get(raw)
}

/// A kernel by its host address.
///
/// > Null: `hipErrorInvalidDeviceFunction`.
fn find_host(host: Memory<'_>) -> HipResult<Ref<Function>> {
    if host.is_null() {
        return Err(HipError::INVALID_DEVICE_FUNCTION);
    }
    host_function(host.address)
}

/// Multiprocessors of the current device: work-group processors.
fn multiprocessors() -> HipResult<u32> {
    let context = context()?;
    Ok(context.current_device()?.properties().compute_units / 2)
}

fn int(value: impl TryInto<i32>) -> i32 {
    value.try_into().unwrap_or(i32::MAX)
}

/// LDS that a launch may add to the kernel's own, bytes.
fn most_dynamic_lds(function: &Function) -> i32 {
    int(MAX_GROUP_LDS_BYTES.saturating_sub(function.kernel.info().group_segment_fixed_bytes))
}

/// Generation of the chip that the code is for: 11.5 is 115.
const BINARY_VERSION: i32 = 115;

/// One attribute of a kernel.
///
/// > One that there is not: `hipErrorInvalidValue`.
pub(crate) fn attribute(
    mut out: Out<'_, i32>,
    attribute: hipFunction_attribute,
    function: hipFunction_t,
) -> HipResult {
    let function = find(function)?;
    let info = function.kernel.info();
    out.set(match attribute {
        HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK => int(info.max_flat_workgroup_size),
        HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES => int(info.group_segment_fixed_bytes),
        // Constants are read as ordinary memory.
        HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES => 0,
        HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES => int(info.private_segment_fixed_bytes),
        HIP_FUNC_ATTRIBUTE_NUM_REGS => int(info.vgpr_count),
        HIP_FUNC_ATTRIBUTE_PTX_VERSION | HIP_FUNC_ATTRIBUTE_BINARY_VERSION => BINARY_VERSION,
        HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA => 0,
        HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES => most_dynamic_lds(&function),
        HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT => {
            function.carveout.load(Relaxed).max(0)
        }
        _ => return Err(HipError::INVALID_VALUE),
    });
    Ok(())
}

/// All attributes of the kernel that is registered for a host address.
///
/// > An address that is none's: `hipErrorInvalidSymbol`.
pub(crate) fn attributes(mut out: Out<'_, hipFuncAttributes>, host: Memory<'_>) -> HipResult {
    let function = find_host(host).map_err(|error| match error {
        HipError::INVALID_DEVICE_FUNCTION if !host.is_null() => HipError::INVALID_SYMBOL,
        other => other,
    })?;
    let info = function.kernel.info();
    out.set(hipFuncAttributes {
        binaryVersion: BINARY_VERSION,
        cacheModeCA: 0,
        constSizeBytes: 0,
        localSizeBytes: info.private_segment_fixed_bytes as usize,
        maxDynamicSharedSizeBytes: most_dynamic_lds(&function),
        maxThreadsPerBlock: int(info.max_flat_workgroup_size),
        numRegs: int(info.vgpr_count),
        preferredShmemCarveout: function.carveout.load(Relaxed).max(0),
        ptxVersion: BINARY_VERSION,
        sharedSizeBytes: info.group_segment_fixed_bytes as usize,
    });
    Ok(())
}

/// Sets an attribute of the kernel that is registered for a host address. LDS needs no leave to be used
/// in full, so the limit has no effect.
pub(crate) fn set_attribute(
    host: Memory<'_>,
    attribute: hipFuncAttribute,
    value: i32,
) -> HipResult {
    let function = find_host(host)?;
    match attribute {
        hipFuncAttributeMaxDynamicSharedMemorySize
            if (0..=most_dynamic_lds(&function)).contains(&value) =>
        {
            Ok(())
        }
        hipFuncAttributePreferredSharedMemoryCarveout if (-1..=100).contains(&value) => {
            function.carveout.store(value, Relaxed);
            Ok(())
        }
        _ => Err(HipError::INVALID_VALUE),
    }
}

/// Takes a preference between cache and LDS, which this chip does not have.
pub(crate) fn set_cache_config(host: Memory<'_>, config: hipFuncCache_t) -> HipResult {
    find_host(host)?;
    match config {
        hipFuncCachePreferNone
        | hipFuncCachePreferShared
        | hipFuncCachePreferL1
        | hipFuncCachePreferEqual => Ok(()),
        _ => Err(HipError::INVALID_VALUE),
    }
}

/// Takes a preference for the width of LDS banks, which this chip does not have.
pub(crate) fn set_shared_config(host: Memory<'_>, config: hipSharedMemConfig) -> HipResult {
    if host.is_null() {
        return Err(HipError::INVALID_DEVICE_FUNCTION);
    }
    match config {
        hipSharedMemBankSizeDefault
        | hipSharedMemBankSizeFourByte
        | hipSharedMemBankSizeEightByte => Ok(()),
        _ => Err(HipError::INVALID_VALUE),
    }
}

/// The mangled name of a kernel; null for a handle of none. It stays as long as the handle.
pub(crate) fn name(function: hipFunction_t) -> HipResult<*const c_char> {
    Ok(find(function).map_or(ptr::null(), |function| function.kernel.c_name().as_ptr()))
}

/// The mangled name of the kernel that is registered for a host address; null for an address of none.
pub(crate) fn name_by_host(host: Memory<'_>, _: StreamId) -> HipResult<*const c_char> {
    Ok(find_host(host).map_or(ptr::null(), |function| function.kernel.c_name().as_ptr()))
}

// ---- Occupancy ----------------------------------------------------------------------------------

fn blocks(function: &Function, threads: i32, shared: usize) -> HipResult<i32> {
    let threads = u32::try_from(threads).ok().filter(|threads| *threads > 0);
    let threads = threads.ok_or(HipError::INVALID_VALUE)?;
    let occupancy = Occupancy::of(function.kernel.info(), shared).ok_or(HipError::UNKNOWN)?;
    Ok(int(occupancy.groups(threads)))
}

fn check_flags(flags: u32) -> HipResult {
    match flags {
        hipOccupancyDefault | hipOccupancyDisableCachingOverride => Ok(()),
        _ => Err(HipError::INVALID_VALUE),
    }
}

/// How many blocks of a module's kernel run on a multiprocessor at once.
///
/// > No threads, or a kernel of none: `hipErrorInvalidValue`.
pub(crate) fn module_blocks(
    out: Out<'_, i32>,
    function: hipFunction_t,
    threads: i32,
    shared: usize,
) -> HipResult {
    module_blocks_with_flags(out, function, threads, shared, hipOccupancyDefault)
}

/// As [`module_blocks`]. The flags are about a cache that this chip does not have.
pub(crate) fn module_blocks_with_flags(
    mut out: Out<'_, i32>,
    function: hipFunction_t,
    threads: i32,
    shared: usize,
    flags: u32,
) -> HipResult {
    check_flags(flags)?;
    let function = find(function).map_err(|_| HipError::INVALID_VALUE)?;
    out.set(blocks(&function, threads, shared)?);
    Ok(())
}

/// How many blocks of a registered kernel run on a multiprocessor at once.
pub(crate) fn host_blocks(
    out: Out<'_, i32>,
    host: Memory<'_>,
    threads: i32,
    shared: usize,
) -> HipResult {
    host_blocks_with_flags(out, host, threads, shared, hipOccupancyDefault)
}

/// As [`host_blocks`]. The flags are about a cache that this chip does not have.
pub(crate) fn host_blocks_with_flags(
    mut out: Out<'_, i32>,
    host: Memory<'_>,
    threads: i32,
    shared: usize,
    flags: u32,
) -> HipResult {
    check_flags(flags)?;
    out.set(blocks(&*find_host(host)?, threads, shared)?);
    Ok(())
}

fn best_block(
    mut grid: Out<'_, i32>,
    mut block: Out<'_, i32>,
    function: &Function,
    shared: usize,
    limit: i32,
) -> HipResult {
    let occupancy = Occupancy::of(function.kernel.info(), shared).ok_or(HipError::UNKNOWN)?;
    let limit = u32::try_from(limit).unwrap_or(0);
    let (threads, blocks) = occupancy.best_group(limit, multiprocessors()?);
    block.set(int(threads));
    grid.set(int(blocks));
    Ok(())
}

/// The block that fills a multiprocessor best, and the grid that fills the device with it.
pub(crate) fn module_best_block(
    grid: Out<'_, i32>,
    block: Out<'_, i32>,
    function: hipFunction_t,
    shared: usize,
    limit: i32,
) -> HipResult {
    let function = find(function).map_err(|_| HipError::INVALID_VALUE)?;
    best_block(grid, block, &function, shared, limit)
}

/// As [`module_best_block`]. The flags are about a cache that this chip does not have.
pub(crate) fn module_best_block_with_flags(
    grid: Out<'_, i32>,
    block: Out<'_, i32>,
    function: hipFunction_t,
    shared: usize,
    limit: i32,
    flags: u32,
) -> HipResult {
    check_flags(flags)?;
    module_best_block(grid, block, function, shared, limit)
}

/// As [`module_best_block`], for a registered kernel.
pub(crate) fn host_best_block(
    grid: Out<'_, i32>,
    block: Out<'_, i32>,
    host: Memory<'_>,
    shared: usize,
    limit: i32,
) -> HipResult {
    best_block(grid, block, &*find_host(host)?, shared, limit)
}
