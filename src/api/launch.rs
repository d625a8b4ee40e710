//! Launching kernels, and what `<<<>>>` expands to.

use std::{cell::Cell, collections::HashMap, sync::LazyLock};

use hrx_runtime::{
    RuntimeError,
    context::current_device,
    event::Event,
    kernel::{Arguments, LaunchDims, LaunchError},
    module::registry::{Function, Registry},
    stream::Stream,
};
use parking_lot::Mutex;

use super::{context::context, stream::resolve};
use crate::{
    convert::{KernelArgs, Memory, Out, PackedArgs, StreamId},
    error::{HipError, HipResult},
    handles::{self, RawHandle, Ref},
    shim,
    sys::{dim3, hipEvent_t, hipFunction_t, hipStream_t},
};

// ---- From host address to kernel ----------------------------------------------------------------

/// Entries of a thread's cache, a power of two.
const CACHE_ENTRIES: usize = 64;

/// A host address, a device, and the bits of the kernel's handle there.
type CacheEntry = (usize, u32, u64);

thread_local! {
    /// Kernels that the thread launched lately. A handle says itself whether it is stale, so nothing here
    /// is ever invalidated.
    static CACHE: [Cell<CacheEntry>; CACHE_ENTRIES] =
        const { [const { Cell::new((0, 0, 0)) }; CACHE_ENTRIES] };
}

/// Handles of registered kernels by host address and device, so that all threads have the same.
static FUNCTIONS: LazyLock<Mutex<HashMap<(usize, u32), hipFunction_t>>> =
    LazyLock::new(Mutex::default);

/// The kernel of a host address on the current device.
///
/// # Errors
/// `hipErrorInvalidDeviceFunction` for an address that is none's; why its code cannot be loaded.
pub(crate) fn host_function(address: usize) -> HipResult<Ref<Function>> {
    let device = current_device();
    // Functions are aligned, and the lowest bits say little.
    let index = (address >> 4) % CACHE_ENTRIES;
    let (cached_address, cached_device, bits) = CACHE.with(|cache| cache[index].get());
    if cached_address == address
        && cached_device == device
        && let Ok(function) = handles::get(hipFunction_t::from_bits(bits))
    {
        return Ok(function);
    }
    let handle = find_host_function(address, device)?;
    CACHE.with(|cache| cache[index].set((address, device, handle.to_bits())));
    handles::get(handle)
}

/// The handle of the kernel of a host address; loads its code if need be.
#[cold]
pub(crate) fn find_host_function(address: usize, device: u32) -> HipResult<hipFunction_t> {
    let context = context()?;
    let mut functions = FUNCTIONS.lock();
    if let Some(handle) = functions.get(&(address, device)).copied()
        && handles::get::<Function>(handle).is_ok()
    {
        return Ok(handle);
    }
    let stream = context.null_stream(context.device(device.into())?);
    let function = Registry::get().function(context.id(), stream, address)?;
    let handle = handles::insert(std::sync::Arc::new(function))?;
    functions.insert((address, device), handle);
    Ok(handle)
}

/// Makes the handles of registered kernels invalid.
pub(crate) fn forget_host_functions(addresses: &[usize]) {
    let mut functions = FUNCTIONS.lock();
    functions.retain(|(address, _), handle| {
        let stays = !addresses.contains(address);
        if !stays {
            // It may have gone with its context.
            let _ = handles::remove::<Function>(*handle);
        }
        stays
    });
}

/// The handle of the kernel that is registered for a host address.
pub(crate) fn function_by_symbol(mut out: Out<'_, hipFunction_t>, host: Memory<'_>) -> HipResult {
    out.set(find_host_function(host.address, current_device())?);
    Ok(())
}

// ---- <<<>>> -------------------------------------------------------------------------------------

/// What `<<<>>>` says.
#[derive(Clone, Copy)]
struct Configuration {
    grid: dim3,
    block: dim3,
    shared_bytes: usize,
    stream: hipStream_t,
}

/// Configurations that may be pushed and not popped: arguments of a launch may launch.
const CONFIGURATIONS: usize = 64;

thread_local! {
    static PUSHED: [Cell<Configuration>; CONFIGURATIONS] = const {
        const ONE: dim3 = dim3 { x: 1, y: 1, z: 1 };
        const EMPTY: Configuration =
            Configuration { grid: ONE, block: ONE, shared_bytes: 0, stream: hipStream_t::NULL };
        [const { Cell::new(EMPTY) }; CONFIGURATIONS]
    };
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Keeps the configuration of a launch for the kernel's host stub, which pops it.
pub(crate) fn push_configuration(
    grid: dim3,
    block: dim3,
    shared_bytes: usize,
    stream: hipStream_t,
) -> HipResult {
    let depth = DEPTH.get();
    let configuration = Configuration {
        grid,
        block,
        shared_bytes,
        stream,
    };
    let pushed = PUSHED.with(|pushed| pushed.get(depth).map(|cell| cell.set(configuration)));
    pushed.ok_or(HipError::LAUNCH_OUT_OF_RESOURCES)?;
    DEPTH.set(depth + 1);
    Ok(())
}

/// The configuration that was pushed last.
///
/// > None: `hipErrorMissingConfiguration`.
pub(crate) fn pop_configuration(
    mut grid: Out<'_, dim3>,
    mut block: Out<'_, dim3>,
    mut shared_bytes: Out<'_, usize>,
    mut stream: Out<'_, hipStream_t>,
) -> HipResult {
    let depth = DEPTH
        .get()
        .checked_sub(1)
        .ok_or(HipError::MISSING_CONFIGURATION)?;
    DEPTH.set(depth);
    let found = PUSHED.with(|pushed| pushed[depth].get());
    grid.set(found.grid);
    block.set(found.block);
    shared_bytes.set(found.shared_bytes);
    stream.set(found.stream);
    Ok(())
}

// ---- Launches -----------------------------------------------------------------------------------

fn triple(dims: dim3) -> [u32; 3] {
    [dims.x, dims.y, dims.z]
}

/// > Dynamic shared memory beyond what a block can have: `hipErrorInvalidValue`.
fn shared_bytes(function: &Function, bytes: usize) -> HipResult<u32> {
    let found = u32::try_from(bytes).map_err(|_| LaunchError::SharedMemory {
        kernel: function.kernel.name().to_owned(),
        fixed_bytes: function.kernel.info().group_segment_fixed_bytes,
        dynamic_bytes: bytes as u64,
    });
    Ok(found.map_err(RuntimeError::from)?)
}

#[inline]
fn submit(
    function: &Function,
    dims: &LaunchDims,
    arguments: &dyn Arguments,
    stream: &Stream,
) -> HipResult {
    Ok(stream.launch(&function.kernel, dims, arguments, shim::correlation_id())?)
}

/// What a launch by host address answers to a stream that is none.
fn stream_error(error: HipError) -> HipError {
    if error == HipError::CONTEXT_IS_DESTROYED {
        HipError::INVALID_VALUE
    } else {
        error
    }
}

/// An event of a launch: null is none.
///
/// > A handle of no event: `hipErrorInvalidValue`.
fn launch_event(raw: hipEvent_t) -> HipResult<Option<Ref<Event>>> {
    if raw.is_null() {
        return Ok(None);
    }
    handles::get(raw)
        .map(Some)
        .map_err(|_| HipError::INVALID_VALUE)
}

/// Launches the kernel that is registered for a host address.
///
/// > No kernel there: `hipErrorInvalidDeviceFunction`. A grid or block that cannot be:
/// > `hipErrorInvalidConfiguration`. A block beyond the kernel's launch bounds: `hipErrorLaunchFailure`.
pub(crate) fn launch_kernel(
    host: Memory<'_>,
    grid: dim3,
    block: dim3,
    arguments: KernelArgs,
    shared: usize,
    stream: StreamId,
) -> HipResult {
    // > A stream that is none: hipErrorInvalidValue, unlike elsewhere.
    let stream = resolve(stream).map_err(stream_error)?;
    let function = host_function(host.address)?;
    let shared = shared_bytes(&function, shared)?;
    let dims =
        LaunchDims::from_groups(triple(grid), triple(block), shared).map_err(RuntimeError::from)?;
    let checked = function.kernel.check_arguments(!arguments.is_null(), None);
    checked.map_err(RuntimeError::from)?;
    submit(&function, &dims, &arguments, &stream)
}

/// As [`launch_kernel`], with events that are recorded before and after.
#[expect(clippy::too_many_arguments, reason = "the function has so many")]
pub(crate) fn launch_kernel_ext(
    host: Memory<'_>,
    grid: dim3,
    block: dim3,
    arguments: KernelArgs,
    shared: usize,
    stream: StreamId,
    start: hipEvent_t,
    stop: hipEvent_t,
    _: i32,
) -> HipResult {
    let (start, stop) = (launch_event(start)?, launch_event(stop)?);
    let resolved = resolve(stream).map_err(stream_error)?;
    if let Some(start) = start {
        start.record(&resolved)?;
    }
    launch_kernel(host, grid, block, arguments, shared, stream)?;
    if let Some(stop) = stop {
        stop.record(&resolved)?;
    }
    Ok(())
}

/// Launches a kernel of a module; the grid is given in blocks.
///
/// > A grid or block that cannot be: `hipErrorInvalidValue`. Both kinds of arguments, or none where the
/// > kernel has parameters: `hipErrorInvalidValue`.
#[expect(clippy::too_many_arguments, reason = "the function has so many")]
pub(crate) fn launch_module_kernel(
    function: Option<Ref<Function>>,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    shared: u32,
    stream: StreamId,
    arguments: KernelArgs,
    packed: PackedArgs<'_>,
) -> HipResult {
    let grid = [grid_x, grid_y, grid_z];
    let dims = LaunchDims::from_groups(grid, [block_x, block_y, block_z], shared);
    // This launch answers a configuration that cannot be by another code than <<<>>> does.
    let dims = dims.map_err(|_| HipError::INVALID_VALUE)?;
    launch_module(function, &dims, stream, arguments, packed)
}

/// Launches a kernel of a module; the grid is given in work-items, and events may be recorded before
/// and after.
#[expect(clippy::too_many_arguments, reason = "the function has so many")]
pub(crate) fn launch_module_kernel_ext(
    function: Option<Ref<Function>>,
    items_x: u32,
    items_y: u32,
    items_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    shared: usize,
    stream: StreamId,
    arguments: KernelArgs,
    packed: PackedArgs<'_>,
    start: hipEvent_t,
    stop: hipEvent_t,
    _: u32,
) -> HipResult {
    let (start, stop) = (launch_event(start)?, launch_event(stop)?);
    let shared = u32::try_from(shared).map_err(|_| HipError::INVALID_VALUE)?;
    let items = [items_x, items_y, items_z];
    let dims = LaunchDims::from_items(items, [block_x, block_y, block_z], shared);
    let dims = dims.map_err(|error| match error {
        // An empty grid is another code here than an impossible block.
        LaunchError::ZeroDimension { what: "grid", .. } => HipError::INVALID_VALUE,
        other => RuntimeError::from(other).into(),
    })?;
    let resolved = resolve(stream)?;
    if let Some(start) = start {
        start.record(&resolved)?;
    }
    launch_module(function, &dims, stream, arguments, packed)?;
    if let Some(stop) = stop {
        stop.record(&resolved)?;
    }
    Ok(())
}

fn launch_module(
    function: Option<Ref<Function>>,
    dims: &LaunchDims,
    stream: StreamId,
    arguments: KernelArgs,
    packed: PackedArgs<'_>,
) -> HipResult {
    let stream = resolve(stream)?;
    let function = function.ok_or(HipError::INVALID_HANDLE)?;
    if !arguments.is_null() && !packed.is_null() {
        return Err(HipError::INVALID_VALUE);
    }
    let checked = |present, bytes| {
        function
            .kernel
            .check_arguments(present, bytes)
            .map_err(RuntimeError::from)
    };
    if packed.is_null() {
        checked(!arguments.is_null(), None)?;
        submit(&function, dims, &arguments, &stream)
    } else {
        let buffer = packed.buffer()?;
        checked(true, Some(buffer.len()))?;
        submit(&function, dims, &Packed(buffer), &stream)
    }
}

/// A packed buffer as arguments.
struct Packed<'a>(&'a [u8]);

impl Arguments for Packed<'_> {
    fn copy(&self, index: usize, offset: usize, to: &mut [u8]) {
        Arguments::copy(self.0, index, offset, to);
    }
}
