//! Every symbol that the library exports, one row each: the list, the exports, the version script and
//! the coverage report all come from here, so they cannot drift apart.
//!
//! A row is a version node, the C signature, the body in `api`, and flags:
//!
//! ```text
//! in "hip_4.2" fn hipMalloc(ptr: *mut *mut c_void, size: usize) => memory::malloc [sets];
//! in "hip_5.2" fn hipMemcpy_spt(/* ... */)                      => copy::memcpy [sets spt];
//! in "hip_4.2" fn hipGetTexRef(/* ... */)                       => unsupported("why") [sets];
//! ```
//!
//! - `sets`: the result becomes the thread's last error when it is an error. `keeps`: it does not.
//! - `spt`: stream 0 of this call means the per-thread default stream, not the legacy one.
//! - `unsupported("why")`: a planned gap. It answers `hipErrorNotSupported`, and the coverage report
//!   quotes the reason. A row that names a body which does not exist does not compile.
//!
//! The section `status` holds what returns `hipError_t`. The section `value` holds the rest; the
//! expression after `else` is what the call gives when there is no body or the body fails.
//!
//! Names, nodes and signatures are those of AMD's 7.2.4 build (Debian's libamdhip64-7 and
//! libamdhip64-dev 7.2.4-1~exp2). Where the prototype is in no public header (the plain and `R0000`
//! device properties, `hipGetCmdName`, the tracer callback, the half-float helpers) it follows what
//! compilers and tools are known to pass.
//!
//! `build.rs` compiles this same file, hence nothing but the macro may be in it.

macro_rules! for_each_hip_api {
    ($callback:ident) => { $callback! {
    status {
        // Registration of code by the compiler.
        in "hip_4.2" fn __hipPopCallConfiguration(
            gridDim: *mut dim3, blockDim: *mut dim3, sharedMem: *mut usize,
            stream: *mut hipStream_t
        ) => launch::pop_configuration [sets];
        in "hip_4.2" fn __hipPushCallConfiguration(
            gridDim: dim3, blockDim: dim3, sharedMem: usize, stream: hipStream_t
        ) => launch::push_configuration [sets];

        // Devices.
        in "hip_4.2" fn hipChooseDevice(device: *mut i32, properties: *const hipDeviceProp_tR0000)
            => device::choose_r0000 [sets];
        in "hip_4.2" fn hipChooseDeviceR0000(
            device: *mut i32, properties: *const hipDeviceProp_tR0000
        ) => device::choose_r0000 [sets];
        in "hip_6.0" fn hipChooseDeviceR0600(device: *mut i32, prop: *const hipDeviceProp_tR0600)
            => device::choose [sets];
        in "hip_4.2" fn hipDeviceComputeCapability(
            major: *mut i32, minor: *mut i32, device: hipDevice_t
        ) => device::compute_capability [sets];
        in "hip_4.2" fn hipDeviceGet(device: *mut hipDevice_t, ordinal: i32)
            => device::get [sets];
        in "hip_4.2" fn hipDeviceGetAttribute(
            pi: *mut i32, attr: hipDeviceAttribute_t, deviceId: i32
        ) => device::attribute [sets];
        in "hip_4.2" fn hipDeviceGetByPCIBusId(device: *mut i32, pciBusId: *const c_char)
            => device::by_pci_bus_id [sets];
        in "hip_4.2" fn hipDeviceGetCacheConfig(cacheConfig: *mut hipFuncCache_t)
            => settings::cache_config [sets];
        in "hip_4.2" fn hipDeviceGetLimit(pValue: *mut usize, limit: hipLimit_t)
            => settings::limit [sets];
        in "hip_4.2" fn hipDeviceGetName(name: *mut c_char, len: i32, device: hipDevice_t)
            => device::name [sets];
        in "hip_4.2" fn hipDeviceGetPCIBusId(pciBusId: *mut c_char, len: i32, device: i32)
            => device::pci_bus_id [sets];
        in "hip_4.2" fn hipDeviceGetSharedMemConfig(pConfig: *mut hipSharedMemConfig)
            => settings::shared_config [sets];
        in "hip_4.2" fn hipDeviceGetStreamPriorityRange(
            leastPriority: *mut i32, greatestPriority: *mut i32
        ) => stream::priority_range [sets];
        in "hip_5.1" fn hipDeviceGetUuid(uuid: *mut hipUUID, device: hipDevice_t)
            => device::uuid [sets];
        in "hip_4.2" fn hipDeviceReset() => settings::reset [sets];
        in "hip_4.2" fn hipDeviceSetCacheConfig(cacheConfig: hipFuncCache_t)
            => settings::set_cache_config [sets];
        in "hip_5.3" fn hipDeviceSetLimit(limit: hipLimit_t, value: usize)
            => settings::set_limit [sets];
        in "hip_4.2" fn hipDeviceSetSharedMemConfig(config: hipSharedMemConfig)
            => settings::set_shared_config [sets];
        in "hip_4.2" fn hipDeviceSynchronize() => device::synchronize [sets];
        in "hip_4.2" fn hipDeviceTotalMem(bytes: *mut usize, device: hipDevice_t)
            => device::total_memory [sets];
        in "hip_4.2" fn hipDriverGetVersion(driverVersion: *mut i32)
            => device::runtime_version [sets];
        in "hip_4.2" fn hipGetDevice(deviceId: *mut i32) => device::current [sets];
        in "hip_4.2" fn hipGetDeviceCount(count: *mut i32) => device::count [sets];
        in "hip_4.2" fn hipGetDeviceFlags(flags: *mut u32) => settings::flags [sets];
        in "hip_4.2" fn hipGetDeviceProperties(props: *mut hipDeviceProp_tR0000, device: i32)
            => device::properties_r0000 [sets];
        in "hip_4.2" fn hipGetDevicePropertiesR0000(prop: *mut hipDeviceProp_tR0000, device: i32)
            => device::properties_r0000 [sets];
        in "hip_6.0" fn hipGetDevicePropertiesR0600(prop: *mut hipDeviceProp_tR0600, deviceId: i32)
            => device::properties [sets];
        in "hip_4.2" fn hipInit(flags: u32) => context::init [sets];
        in "hip_4.2" fn hipRuntimeGetVersion(runtimeVersion: *mut i32)
            => device::runtime_version [sets];
        in "hip_4.2" fn hipSetDevice(deviceId: i32) => device::set_current [sets];
        in "hip_4.2" fn hipSetDeviceFlags(flags: u32) => settings::set_flags [sets];
        in "hip_6.2" fn hipSetValidDevices(device_arr: *mut i32, len: i32)
            => unsupported("no body yet") [sets];

        // Contexts.
        in "hip_4.2" fn hipCtxCreate(ctx: *mut hipCtx_t, flags: u32, device: hipDevice_t)
            => context::create [sets];
        in "hip_4.2" fn hipCtxDestroy(ctx: hipCtx_t)
            => context::destroy [sets];
        in "hip_4.2" fn hipCtxGetApiVersion(ctx: hipCtx_t, apiVersion: *mut u32)
            => unsupported("explicit contexts are not written yet") [sets];
        in "hip_4.2" fn hipCtxGetCacheConfig(cacheConfig: *mut hipFuncCache_t)
            => unsupported("explicit contexts are not written yet") [sets];
        in "hip_4.2" fn hipCtxGetCurrent(ctx: *mut hipCtx_t)
            => context::current [sets];
        in "hip_4.2" fn hipCtxGetDevice(device: *mut hipDevice_t)
            => context::device [sets];
        in "hip_4.2" fn hipCtxGetFlags(flags: *mut u32)
            => unsupported("explicit contexts are not written yet") [sets];
        in "hip_4.2" fn hipCtxGetSharedMemConfig(pConfig: *mut hipSharedMemConfig)
            => unsupported("explicit contexts are not written yet") [sets];
        in "hip_4.2" fn hipCtxPopCurrent(ctx: *mut hipCtx_t)
            => context::pop [sets];
        in "hip_4.2" fn hipCtxPushCurrent(ctx: hipCtx_t)
            => context::push [sets];
        in "hip_4.2" fn hipCtxSetCacheConfig(cacheConfig: hipFuncCache_t)
            => context::set_cache_config [sets];
        in "hip_4.2" fn hipCtxSetCurrent(ctx: hipCtx_t)
            => context::set_current [sets];
        in "hip_4.2" fn hipCtxSetSharedMemConfig(config: hipSharedMemConfig)
            => unsupported("explicit contexts are not written yet") [sets];
        in "hip_4.2" fn hipCtxSynchronize()
            => unsupported("explicit contexts are not written yet") [sets];
        in "hip_4.2" fn hipDevicePrimaryCtxGetState(
            dev: hipDevice_t, flags: *mut u32, active: *mut i32
        ) => context::primary_state [sets];
        in "hip_4.2" fn hipDevicePrimaryCtxRelease(dev: hipDevice_t)
            => context::release_primary [sets];
        in "hip_4.2" fn hipDevicePrimaryCtxReset(dev: hipDevice_t)
            => context::reset_primary [sets];
        in "hip_4.2" fn hipDevicePrimaryCtxRetain(pctx: *mut hipCtx_t, dev: hipDevice_t)
            => context::retain_primary [sets];
        in "hip_4.2" fn hipDevicePrimaryCtxSetFlags(dev: hipDevice_t, flags: u32)
            => context::set_primary_flags [sets];

        // Errors.
        in "hip_5.3" fn hipDrvGetErrorName(hipError: hipError_t, errorString: *mut *const c_char)
            => error::driver_name [keeps];
        in "hip_5.3" fn hipDrvGetErrorString(hipError: hipError_t, errorString: *mut *const c_char)
            => error::driver_text [keeps];
        in "hip_6.0" fn hipExtGetLastError() => error::take_last_result [keeps];
        in "hip_4.2" fn hipGetLastError() => error::take_last [keeps];
        in "hip_4.2" fn hipPeekAtLastError() => error::peek_last [keeps];

        // Memory.
        in "hip_4.3" fn hipDrvMemcpy2DUnaligned(pCopy: *const hip_Memcpy2D)
            => copy::memcpy_box [sets];
        in "hip_4.2" fn hipDrvMemcpy3D(pCopy: *const HIP_MEMCPY3D)
            => copy::memcpy_driver_3d [sets];
        in "hip_4.2" fn hipDrvMemcpy3DAsync(pCopy: *const HIP_MEMCPY3D, stream: hipStream_t)
            => copy::memcpy_driver_3d_async [sets];
        in "hip_5.0" fn hipDrvPointerGetAttributes(
            numAttributes: u32, attributes: *mut hipPointer_attribute, data: *mut *mut c_void,
            ptr: hipDeviceptr_t
        ) => pointer::attributes [sets];
        in "hip_4.2" fn hipExtMallocWithFlags(ptr: *mut *mut c_void, sizeBytes: usize, flags: u32)
            => memory::ext_malloc [sets];
        in "hip_4.2" fn hipFree(ptr: *mut c_void) => memory::free [sets];
        in "hip_4.2" fn hipGetSymbolAddress(devPtr: *mut *mut c_void, symbol: *const c_void)
            => symbol::symbol_address [sets];
        in "hip_4.2" fn hipGetSymbolSize(size: *mut usize, symbol: *const c_void)
            => symbol::symbol_size [sets];
        in "hip_4.2" fn hipMalloc(ptr: *mut *mut c_void, size: usize)
            => memory::malloc [sets];
        in "hip_4.2" fn hipMalloc3D(pitchedDevPtr: *mut hipPitchedPtr, extent: hipExtent)
            => memory::malloc_3d [sets];
        in "hip_4.2" fn hipMallocPitch(
            ptr: *mut *mut c_void, pitch: *mut usize, width: usize, height: usize
        ) => memory::malloc_pitch [sets];
        in "hip_4.2" fn hipMemAllocPitch(
            dptr: *mut hipDeviceptr_t, pitch: *mut usize, widthInBytes: usize, height: usize,
            elementSizeBytes: u32
        ) => memory::alloc_pitch [sets];
        in "hip_4.2" fn hipMemGetAddressRange(
            pbase: *mut hipDeviceptr_t, psize: *mut usize, dptr: hipDeviceptr_t
        ) => memory::address_range [sets];
        in "hip_4.2" fn hipMemGetInfo(free: *mut usize, total: *mut usize)
            => memory::info [sets];
        in "hip_4.2" fn hipMemPtrGetInfo(ptr: *mut c_void, size: *mut usize)
            => memory::allocation_size [sets];
        in "hip_4.2" fn hipMemcpy(
            dst: *mut c_void, src: *const c_void, sizeBytes: usize, kind: hipMemcpyKind
        ) => copy::memcpy [sets];
        in "hip_4.2" fn hipMemcpy2D(
            dst: *mut c_void, dpitch: usize, src: *const c_void, spitch: usize, width: usize,
            height: usize, kind: hipMemcpyKind
        ) => copy::memcpy_2d [sets];
        in "hip_4.2" fn hipMemcpy2DAsync(
            dst: *mut c_void, dpitch: usize, src: *const c_void, spitch: usize, width: usize,
            height: usize, kind: hipMemcpyKind, stream: hipStream_t
        ) => copy::memcpy_2d_async [sets];
        in "hip_5.3" fn hipMemcpy2DAsync_spt(
            dst: *mut c_void, dpitch: usize, src: *const c_void, spitch: usize, width: usize,
            height: usize, kind: hipMemcpyKind, stream: hipStream_t
        ) => copy::memcpy_2d_async [sets spt];
        in "hip_5.2" fn hipMemcpy2D_spt(
            dst: *mut c_void, dpitch: usize, src: *const c_void, spitch: usize, width: usize,
            height: usize, kind: hipMemcpyKind
        ) => copy::memcpy_2d [sets spt];
        in "hip_4.2" fn hipMemcpy3D(p: *const hipMemcpy3DParms)
            => copy::memcpy_3d [sets];
        in "hip_4.2" fn hipMemcpy3DAsync(p: *const hipMemcpy3DParms, stream: hipStream_t)
            => copy::memcpy_3d_async [sets];
        in "hip_5.3" fn hipMemcpy3DAsync_spt(p: *const hipMemcpy3DParms, stream: hipStream_t)
            => copy::memcpy_3d_async [sets spt];
        in "hip_7.1" fn hipMemcpy3DBatchAsync(
            numOps: usize, opList: *mut hipMemcpy3DBatchOp, failIdx: *mut usize, flags: u64,
            stream: hipStream_t
        ) => unsupported("no body yet") [sets];
        in "hip_5.2" fn hipMemcpy3D_spt(p: *const hipMemcpy3DParms)
            => copy::memcpy_3d [sets spt];
        in "hip_4.2" fn hipMemcpyAsync(
            dst: *mut c_void, src: *const c_void, sizeBytes: usize, kind: hipMemcpyKind,
            stream: hipStream_t
        ) => copy::memcpy_async [sets];
        in "hip_5.2" fn hipMemcpyAsync_spt(
            dst: *mut c_void, src: *const c_void, sizeBytes: usize, kind: hipMemcpyKind,
            stream: hipStream_t
        ) => copy::memcpy_async [sets spt];
        in "hip_7.1" fn hipMemcpyBatchAsync(
            dsts: *mut *mut c_void, srcs: *mut *mut c_void, sizes: *mut usize, count: usize,
            attrs: *mut hipMemcpyAttributes, attrsIdxs: *mut usize, numAttrs: usize,
            failIdx: *mut usize, stream: hipStream_t
        ) => unsupported("no body yet") [sets];
        in "hip_4.2" fn hipMemcpyDtoD(dst: hipDeviceptr_t, src: hipDeviceptr_t, sizeBytes: usize)
            => copy::memcpy_driver [sets];
        in "hip_4.2" fn hipMemcpyDtoDAsync(
            dst: hipDeviceptr_t, src: hipDeviceptr_t, sizeBytes: usize, stream: hipStream_t
        ) => copy::memcpy_driver_async [sets];
        in "hip_4.2" fn hipMemcpyDtoH(dst: *mut c_void, src: hipDeviceptr_t, sizeBytes: usize)
            => copy::memcpy_driver [sets];
        in "hip_4.2" fn hipMemcpyDtoHAsync(
            dst: *mut c_void, src: hipDeviceptr_t, sizeBytes: usize, stream: hipStream_t
        ) => copy::memcpy_driver_async [sets];
        in "hip_4.2" fn hipMemcpyFromSymbol(
            dst: *mut c_void, symbol: *const c_void, sizeBytes: usize, offset: usize,
            kind: hipMemcpyKind
        ) => symbol::memcpy_from_symbol [sets];
        in "hip_4.2" fn hipMemcpyFromSymbolAsync(
            dst: *mut c_void, symbol: *const c_void, sizeBytes: usize, offset: usize,
            kind: hipMemcpyKind, stream: hipStream_t
        ) => symbol::memcpy_from_symbol_async [sets];
        in "hip_5.3" fn hipMemcpyFromSymbolAsync_spt(
            dst: *mut c_void, symbol: *const c_void, sizeBytes: usize, offset: usize,
            kind: hipMemcpyKind, stream: hipStream_t
        ) => symbol::memcpy_from_symbol_async [sets spt];
        in "hip_5.2" fn hipMemcpyFromSymbol_spt(
            dst: *mut c_void, symbol: *const c_void, sizeBytes: usize, offset: usize,
            kind: hipMemcpyKind
        ) => symbol::memcpy_from_symbol [sets spt];
        in "hip_4.2" fn hipMemcpyHtoD(dst: hipDeviceptr_t, src: *const c_void, sizeBytes: usize)
            => copy::memcpy_driver [sets];
        in "hip_4.2" fn hipMemcpyHtoDAsync(
            dst: hipDeviceptr_t, src: *const c_void, sizeBytes: usize, stream: hipStream_t
        ) => copy::memcpy_driver_async [sets];
        in "hip_4.2" fn hipMemcpyParam2D(pCopy: *const hip_Memcpy2D)
            => copy::memcpy_box [sets];
        in "hip_4.2" fn hipMemcpyParam2DAsync(pCopy: *const hip_Memcpy2D, stream: hipStream_t)
            => copy::memcpy_box_async [sets];
        in "hip_4.2" fn hipMemcpyToSymbol(
            symbol: *const c_void, src: *const c_void, sizeBytes: usize, offset: usize,
            kind: hipMemcpyKind
        ) => symbol::memcpy_to_symbol [sets];
        in "hip_4.2" fn hipMemcpyToSymbolAsync(
            symbol: *const c_void, src: *const c_void, sizeBytes: usize, offset: usize,
            kind: hipMemcpyKind, stream: hipStream_t
        ) => symbol::memcpy_to_symbol_async [sets];
        in "hip_5.3" fn hipMemcpyToSymbolAsync_spt(
            symbol: *const c_void, src: *const c_void, sizeBytes: usize, offset: usize,
            kind: hipMemcpyKind, stream: hipStream_t
        ) => symbol::memcpy_to_symbol_async [sets spt];
        in "hip_5.2" fn hipMemcpyToSymbol_spt(
            symbol: *const c_void, src: *const c_void, sizeBytes: usize, offset: usize,
            kind: hipMemcpyKind
        ) => symbol::memcpy_to_symbol [sets spt];
        in "hip_4.2" fn hipMemcpyWithStream(
            dst: *mut c_void, src: *const c_void, sizeBytes: usize, kind: hipMemcpyKind,
            stream: hipStream_t
        ) => copy::memcpy_with_stream [sets];
        in "hip_5.2" fn hipMemcpy_spt(
            dst: *mut c_void, src: *const c_void, sizeBytes: usize, kind: hipMemcpyKind
        ) => copy::memcpy [sets spt];
        in "hip_4.2" fn hipMemset(dst: *mut c_void, value: i32, sizeBytes: usize)
            => fill::memset [sets];
        in "hip_4.2" fn hipMemset2D(
            dst: *mut c_void, pitch: usize, value: i32, width: usize, height: usize
        ) => fill::memset_2d [sets];
        in "hip_4.2" fn hipMemset2DAsync(
            dst: *mut c_void, pitch: usize, value: i32, width: usize, height: usize,
            stream: hipStream_t
        ) => fill::memset_2d_async [sets];
        in "hip_5.3" fn hipMemset2DAsync_spt(
            dst: *mut c_void, pitch: usize, value: i32, width: usize, height: usize,
            stream: hipStream_t
        ) => fill::memset_2d_async [sets spt];
        in "hip_5.2" fn hipMemset2D_spt(
            dst: *mut c_void, pitch: usize, value: i32, width: usize, height: usize
        ) => fill::memset_2d [sets spt];
        in "hip_4.2" fn hipMemset3D(pitchedDevPtr: hipPitchedPtr, value: i32, extent: hipExtent)
            => fill::memset_3d [sets];
        in "hip_4.2" fn hipMemset3DAsync(
            pitchedDevPtr: hipPitchedPtr, value: i32, extent: hipExtent, stream: hipStream_t
        ) => fill::memset_3d_async [sets];
        in "hip_5.3" fn hipMemset3DAsync_spt(
            pitchedDevPtr: hipPitchedPtr, value: i32, extent: hipExtent, stream: hipStream_t
        ) => fill::memset_3d_async [sets spt];
        in "hip_5.2" fn hipMemset3D_spt(pitchedDevPtr: hipPitchedPtr, value: i32, extent: hipExtent)
            => fill::memset_3d [sets spt];
        in "hip_4.2" fn hipMemsetAsync(
            dst: *mut c_void, value: i32, sizeBytes: usize, stream: hipStream_t
        ) => fill::memset_async [sets];
        in "hip_5.3" fn hipMemsetAsync_spt(
            dst: *mut c_void, value: i32, sizeBytes: usize, stream: hipStream_t
        ) => fill::memset_async [sets spt];
        in "hip_4.2" fn hipMemsetD16(dest: hipDeviceptr_t, value: u16, count: usize)
            => fill::memset_d16 [sets];
        in "hip_4.2" fn hipMemsetD16Async(
            dest: hipDeviceptr_t, value: u16, count: usize, stream: hipStream_t
        ) => fill::memset_d16_async [sets];
        in "hip_7.1" fn hipMemsetD2D16(
            dst: hipDeviceptr_t, dstPitch: usize, value: u16, width: usize, height: usize
        ) => fill::memset_d2d16 [sets];
        in "hip_7.1" fn hipMemsetD2D16Async(
            dst: hipDeviceptr_t, dstPitch: usize, value: u16, width: usize, height: usize,
            stream: hipStream_t
        ) => fill::memset_d2d16_async [sets];
        in "hip_7.1" fn hipMemsetD2D32(
            dst: hipDeviceptr_t, dstPitch: usize, value: u32, width: usize, height: usize
        ) => fill::memset_d2d32 [sets];
        in "hip_7.1" fn hipMemsetD2D32Async(
            dst: hipDeviceptr_t, dstPitch: usize, value: u32, width: usize, height: usize,
            stream: hipStream_t
        ) => fill::memset_d2d32_async [sets];
        in "hip_7.1" fn hipMemsetD2D8(
            dst: hipDeviceptr_t, dstPitch: usize, value: u8, width: usize, height: usize
        ) => fill::memset_d2d8 [sets];
        in "hip_7.1" fn hipMemsetD2D8Async(
            dst: hipDeviceptr_t, dstPitch: usize, value: u8, width: usize, height: usize,
            stream: hipStream_t
        ) => fill::memset_d2d8_async [sets];
        in "hip_4.2" fn hipMemsetD32(dest: hipDeviceptr_t, value: i32, count: usize)
            => fill::memset_d32 [sets];
        in "hip_4.2" fn hipMemsetD32Async(
            dst: hipDeviceptr_t, value: i32, count: usize, stream: hipStream_t
        ) => fill::memset_d32_async [sets];
        in "hip_4.2" fn hipMemsetD8(dest: hipDeviceptr_t, value: u8, count: usize)
            => fill::memset_d8 [sets];
        in "hip_4.2" fn hipMemsetD8Async(
            dest: hipDeviceptr_t, value: u8, count: usize, stream: hipStream_t
        ) => fill::memset_d8_async [sets];
        in "hip_5.2" fn hipMemset_spt(dst: *mut c_void, value: i32, sizeBytes: usize)
            => fill::memset [sets spt];
        in "hip_5.0" fn hipPointerGetAttribute(
            data: *mut c_void, attribute: hipPointer_attribute, ptr: hipDeviceptr_t
        ) => pointer::attribute [sets];
        in "hip_4.2" fn hipPointerGetAttributes(
            attributes: *mut hipPointerAttribute_t, ptr: *const c_void
        ) => memory::pointer_attributes [sets];
        in "hip_4.2" fn hipPointerSetAttribute(
            value: *const c_void, attribute: hipPointer_attribute, ptr: hipDeviceptr_t
        ) => unsupported("no body yet") [sets];

        // Host memory.
        in "hip_4.2" fn hipFreeHost(ptr: *mut c_void) => memory::free [sets];
        in "hip_4.2" fn hipHostAlloc(ptr: *mut *mut c_void, size: usize, flags: u32)
            => memory::host_malloc [sets];
        in "hip_4.2" fn hipHostFree(ptr: *mut c_void) => memory::free [sets];
        in "hip_4.2" fn hipHostGetDevicePointer(
            devPtr: *mut *mut c_void, hstPtr: *mut c_void, flags: u32
        ) => memory::host_device_pointer [sets];
        in "hip_4.2" fn hipHostGetFlags(flagsPtr: *mut u32, hostPtr: *mut c_void)
            => memory::host_flags [sets];
        in "hip_4.2" fn hipHostMalloc(ptr: *mut *mut c_void, size: usize, flags: u32)
            => memory::host_malloc [sets];
        in "hip_4.2" fn hipHostRegister(hostPtr: *mut c_void, sizeBytes: usize, flags: u32)
            => memory::host_register [sets];
        in "hip_4.2" fn hipHostUnregister(hostPtr: *mut c_void)
            => memory::host_unregister [sets];
        in "hip_4.2" fn hipMallocHost(ptr: *mut *mut c_void, size: usize)
            => memory::host_malloc_default [sets];
        in "hip_4.2" fn hipMemAllocHost(ptr: *mut *mut c_void, size: usize)
            => memory::host_malloc_default [sets];

        // Managed memory.
        in "hip_4.2" fn hipMallocManaged(dev_ptr: *mut *mut c_void, size: usize, flags: u32)
            => memory::malloc_managed [sets];
        in "hip_4.2" fn hipMemAdvise(
            dev_ptr: *const c_void, count: usize, advice: hipMemoryAdvise, device: i32
        ) => pointer::advise [sets];
        in "hip_7.1" fn hipMemAdvise_v2(
            dev_ptr: *const c_void, count: usize, advice: hipMemoryAdvise,
            location: hipMemLocation
        ) => unsupported("managed memory is not written yet") [sets];
        in "hip_4.2" fn hipMemPrefetchAsync(
            dev_ptr: *const c_void, count: usize, device: i32, stream: hipStream_t
        ) => pointer::prefetch [sets];
        in "hip_7.1" fn hipMemPrefetchAsync_v2(
            dev_ptr: *const c_void, count: usize, location: hipMemLocation, flags: u32,
            stream: hipStream_t
        ) => unsupported("managed memory is not written yet") [sets];
        in "hip_4.2" fn hipMemRangeGetAttribute(
            data: *mut c_void, data_size: usize, attribute: hipMemRangeAttribute,
            dev_ptr: *const c_void, count: usize
        ) => unsupported("managed memory is not written yet") [sets];
        in "hip_4.2" fn hipMemRangeGetAttributes(
            data: *mut *mut c_void, data_sizes: *mut usize,
            attributes: *mut hipMemRangeAttribute, num_attributes: usize,
            dev_ptr: *const c_void, count: usize
        ) => unsupported("managed memory is not written yet") [sets];
        in "hip_4.2" fn hipStreamAttachMemAsync(
            stream: hipStream_t, dev_ptr: *mut c_void, length: usize, flags: u32
        ) => unsupported("managed memory is not written yet") [sets];

        // Memory pools.
        in "hip_5.1" fn hipDeviceGetDefaultMemPool(mem_pool: *mut hipMemPool_t, device: i32)
            => unsupported("stream-ordered allocation is not written yet") [sets];
        in "hip_5.1" fn hipDeviceGetMemPool(mem_pool: *mut hipMemPool_t, device: i32)
            => unsupported("stream-ordered allocation is not written yet") [sets];
        in "hip_5.1" fn hipDeviceSetMemPool(device: i32, mem_pool: hipMemPool_t)
            => unsupported("stream-ordered allocation is not written yet") [sets];
        in "hip_5.1" fn hipFreeAsync(dev_ptr: *mut c_void, stream: hipStream_t)
            => unsupported("stream-ordered allocation is not written yet") [sets];
        in "hip_5.1" fn hipMallocAsync(dev_ptr: *mut *mut c_void, size: usize, stream: hipStream_t)
            => unsupported("stream-ordered allocation is not written yet") [sets];
        in "hip_5.1" fn hipMallocFromPoolAsync(
            dev_ptr: *mut *mut c_void, size: usize, mem_pool: hipMemPool_t, stream: hipStream_t
        ) => unsupported("stream-ordered allocation is not written yet") [sets];
        in "hip_5.1" fn hipMemPoolCreate(
            mem_pool: *mut hipMemPool_t, pool_props: *const hipMemPoolProps
        ) => unsupported("stream-ordered allocation is not written yet") [sets];
        in "hip_5.1" fn hipMemPoolDestroy(mem_pool: hipMemPool_t)
            => unsupported("stream-ordered allocation is not written yet") [sets];
        in "hip_5.1" fn hipMemPoolExportPointer(
            export_data: *mut hipMemPoolPtrExportData, dev_ptr: *mut c_void
        ) => unsupported("stream-ordered allocation is not written yet") [sets];
        in "hip_5.1" fn hipMemPoolExportToShareableHandle(
            shared_handle: *mut c_void, mem_pool: hipMemPool_t,
            handle_type: hipMemAllocationHandleType, flags: u32
        ) => unsupported("stream-ordered allocation is not written yet") [sets];
        in "hip_5.1" fn hipMemPoolGetAccess(
            flags: *mut hipMemAccessFlags, mem_pool: hipMemPool_t, location: *mut hipMemLocation
        ) => unsupported("stream-ordered allocation is not written yet") [sets];
        in "hip_5.1" fn hipMemPoolGetAttribute(
            mem_pool: hipMemPool_t, attr: hipMemPoolAttr, value: *mut c_void
        ) => unsupported("stream-ordered allocation is not written yet") [sets];
        in "hip_5.1" fn hipMemPoolImportFromShareableHandle(
            mem_pool: *mut hipMemPool_t, shared_handle: *mut c_void,
            handle_type: hipMemAllocationHandleType, flags: u32
        ) => unsupported("stream-ordered allocation is not written yet") [sets];
        in "hip_5.1" fn hipMemPoolImportPointer(
            dev_ptr: *mut *mut c_void, mem_pool: hipMemPool_t,
            export_data: *mut hipMemPoolPtrExportData
        ) => unsupported("stream-ordered allocation is not written yet") [sets];
        in "hip_5.1" fn hipMemPoolSetAccess(
            mem_pool: hipMemPool_t, desc_list: *const hipMemAccessDesc, count: usize
        ) => unsupported("stream-ordered allocation is not written yet") [sets];
        in "hip_5.1" fn hipMemPoolSetAttribute(
            mem_pool: hipMemPool_t, attr: hipMemPoolAttr, value: *mut c_void
        ) => unsupported("stream-ordered allocation is not written yet") [sets];
        in "hip_5.1" fn hipMemPoolTrimTo(mem_pool: hipMemPool_t, min_bytes_to_hold: usize)
            => unsupported("stream-ordered allocation is not written yet") [sets];

        // Virtual memory.
        in "hip_5.1" fn hipMemAddressFree(devPtr: *mut c_void, size: usize)
            => unsupported("virtual memory management is not written yet") [sets];
        in "hip_5.1" fn hipMemAddressReserve(
            ptr: *mut *mut c_void, size: usize, alignment: usize, addr: *mut c_void, flags: u64
        ) => unsupported("virtual memory management is not written yet") [sets];
        in "hip_5.1" fn hipMemCreate(
            handle: *mut hipMemGenericAllocationHandle_t, size: usize,
            prop: *const hipMemAllocationProp, flags: u64
        ) => unsupported("virtual memory management is not written yet") [sets];
        in "hip_5.1" fn hipMemExportToShareableHandle(
            shareableHandle: *mut c_void, handle: hipMemGenericAllocationHandle_t,
            handleType: hipMemAllocationHandleType, flags: u64
        ) => unsupported("virtual memory management is not written yet") [sets];
        in "hip_5.1" fn hipMemGetAccess(
            flags: *mut u64, location: *const hipMemLocation, ptr: *mut c_void
        ) => unsupported("virtual memory management is not written yet") [sets];
        in "hip_5.1" fn hipMemGetAllocationGranularity(
            granularity: *mut usize, prop: *const hipMemAllocationProp,
            option: hipMemAllocationGranularity_flags
        ) => unsupported("virtual memory management is not written yet") [sets];
        in "hip_5.1" fn hipMemGetAllocationPropertiesFromHandle(
            prop: *mut hipMemAllocationProp, handle: hipMemGenericAllocationHandle_t
        ) => unsupported("virtual memory management is not written yet") [sets];
        in "hip_6.5" fn hipMemGetHandleForAddressRange(
            handle: *mut c_void, dptr: hipDeviceptr_t, size: usize,
            handleType: hipMemRangeHandleType, flags: u64
        ) => unsupported("virtual memory management is not written yet") [sets];
        in "hip_5.1" fn hipMemImportFromShareableHandle(
            handle: *mut hipMemGenericAllocationHandle_t, osHandle: *mut c_void,
            shHandleType: hipMemAllocationHandleType
        ) => unsupported("virtual memory management is not written yet") [sets];
        in "hip_5.1" fn hipMemMap(
            ptr: *mut c_void, size: usize, offset: usize,
            handle: hipMemGenericAllocationHandle_t, flags: u64
        ) => unsupported("virtual memory management is not written yet") [sets];
        in "hip_5.1" fn hipMemMapArrayAsync(
            mapInfoList: *mut hipArrayMapInfo, count: u32, stream: hipStream_t
        ) => unsupported("virtual memory management is not written yet") [sets];
        in "hip_5.1" fn hipMemRelease(handle: hipMemGenericAllocationHandle_t)
            => unsupported("virtual memory management is not written yet") [sets];
        in "hip_5.1" fn hipMemRetainAllocationHandle(
            handle: *mut hipMemGenericAllocationHandle_t, addr: *mut c_void
        ) => unsupported("virtual memory management is not written yet") [sets];
        in "hip_5.1" fn hipMemSetAccess(
            ptr: *mut c_void, size: usize, desc: *const hipMemAccessDesc, count: usize
        ) => unsupported("virtual memory management is not written yet") [sets];
        in "hip_5.1" fn hipMemUnmap(ptr: *mut c_void, size: usize)
            => unsupported("virtual memory management is not written yet") [sets];

        // Streams.
        in "hip_4.2" fn hipExtStreamCreateWithCUMask(
            stream: *mut hipStream_t, cuMaskSize: u32, cuMask: *const u32
        ) => unsupported("no body yet") [sets];
        in "hip_4.2" fn hipExtStreamGetCUMask(
            stream: hipStream_t, cuMaskSize: u32, cuMask: *mut u32
        ) => unsupported("no body yet") [sets];
        in "hip_4.2" fn hipStreamAddCallback(
            stream: hipStream_t, callback: hipStreamCallback_t, userData: *mut c_void,
            flags: u32
        ) => stream::add_callback [sets];
        in "hip_5.3" fn hipStreamAddCallback_spt(
            stream: hipStream_t, callback: hipStreamCallback_t, userData: *mut c_void,
            flags: u32
        ) => stream::add_callback [sets spt];
        in "hip_6.4" fn hipStreamBatchMemOp(
            stream: hipStream_t, count: u32, paramArray: *mut hipStreamBatchMemOpParams,
            flags: u32
        ) => unsupported("no body yet") [sets];
        in "hip_7.2" fn hipStreamCopyAttributes(dst: hipStream_t, src: hipStream_t)
            => stream::copy_attributes [sets];
        in "hip_4.2" fn hipStreamCreate(stream: *mut hipStream_t)
            => stream::create [sets];
        in "hip_4.2" fn hipStreamCreateWithFlags(stream: *mut hipStream_t, flags: u32)
            => stream::create_with_flags [sets];
        in "hip_4.2" fn hipStreamCreateWithPriority(
            stream: *mut hipStream_t, flags: u32, priority: i32
        ) => stream::create_with_priority [sets];
        in "hip_4.2" fn hipStreamDestroy(stream: hipStream_t)
            => stream::destroy [sets];
        in "hip_7.1" fn hipStreamGetAttribute(
            stream: hipStream_t, attr: hipLaunchAttributeID,
            value_out: *mut hipLaunchAttributeValue
        ) => stream::attribute [sets];
        in "hip_4.2" fn hipStreamGetDevice(stream: hipStream_t, device: *mut hipDevice_t)
            => stream::device [sets];
        in "hip_4.2" fn hipStreamGetFlags(stream: hipStream_t, flags: *mut u32)
            => stream::flags [sets];
        in "hip_5.2" fn hipStreamGetFlags_spt(stream: hipStream_t, flags: *mut u32)
            => stream::flags_per_thread [sets spt];
        in "hip_7.1" fn hipStreamGetId(stream: hipStream_t, streamId: *mut u64)
            => stream::id [sets];
        in "hip_4.2" fn hipStreamGetPriority(stream: hipStream_t, priority: *mut i32)
            => stream::priority [sets];
        in "hip_5.2" fn hipStreamGetPriority_spt(stream: hipStream_t, priority: *mut i32)
            => stream::priority [sets spt];
        in "hip_4.3" fn hipStreamIsCapturing(
            stream: hipStream_t, pCaptureStatus: *mut hipStreamCaptureStatus
        ) => stream::is_capturing [sets];
        in "hip_5.3" fn hipStreamIsCapturing_spt(
            stream: hipStream_t, pCaptureStatus: *mut hipStreamCaptureStatus
        ) => stream::is_capturing [sets spt];
        in "hip_4.2" fn hipStreamQuery(stream: hipStream_t)
            => stream::query [sets];
        in "hip_5.2" fn hipStreamQuery_spt(stream: hipStream_t)
            => stream::query [sets spt];
        in "hip_7.1" fn hipStreamSetAttribute(
            stream: hipStream_t, attr: hipLaunchAttributeID,
            value: *const hipLaunchAttributeValue
        ) => stream::set_attribute [sets];
        in "hip_4.2" fn hipStreamSynchronize(stream: hipStream_t)
            => stream::synchronize [sets];
        in "hip_5.2" fn hipStreamSynchronize_spt(stream: hipStream_t)
            => stream::synchronize [sets spt];
        in "hip_4.2" fn hipStreamWaitEvent(stream: hipStream_t, event: hipEvent_t, flags: u32)
            => stream::wait_event [sets];
        in "hip_5.2" fn hipStreamWaitEvent_spt(stream: hipStream_t, event: hipEvent_t, flags: u32)
            => stream::wait_event [sets spt];
        in "hip_4.4" fn hipStreamWaitValue32(
            stream: hipStream_t, ptr: *mut c_void, value: u32, flags: u32, mask: u32
        ) => unsupported("no body yet") [sets];
        in "hip_4.4" fn hipStreamWaitValue64(
            stream: hipStream_t, ptr: *mut c_void, value: uint64_t, flags: u32, mask: uint64_t
        ) => unsupported("no body yet") [sets];
        in "hip_4.4" fn hipStreamWriteValue32(
            stream: hipStream_t, ptr: *mut c_void, value: u32, flags: u32
        ) => unsupported("no body yet") [sets];
        in "hip_4.4" fn hipStreamWriteValue64(
            stream: hipStream_t, ptr: *mut c_void, value: uint64_t, flags: u32
        ) => unsupported("no body yet") [sets];

        // Events.
        in "hip_4.2" fn hipEventCreate(event: *mut hipEvent_t)
            => event::create [sets];
        in "hip_4.2" fn hipEventCreateWithFlags(event: *mut hipEvent_t, flags: u32)
            => event::create_with_flags [sets];
        in "hip_4.2" fn hipEventDestroy(event: hipEvent_t) => event::destroy [sets];
        in "hip_4.2" fn hipEventElapsedTime(ms: *mut f32, start: hipEvent_t, stop: hipEvent_t)
            => event::elapsed [sets];
        in "hip_4.2" fn hipEventQuery(event: hipEvent_t) => event::query [sets];
        in "hip_4.2" fn hipEventRecord(event: hipEvent_t, stream: hipStream_t)
            => event::record [sets];
        in "hip_6.4" fn hipEventRecordWithFlags(event: hipEvent_t, stream: hipStream_t, flags: u32)
            => event::record_with_flags [sets];
        in "hip_5.2" fn hipEventRecord_spt(event: hipEvent_t, stream: hipStream_t)
            => event::record [sets spt];
        in "hip_4.2" fn hipEventSynchronize(event: hipEvent_t)
            => event::synchronize [sets];

        // Modules, libraries, linker.
        in "hip_4.2" fn hipFuncGetAttribute(
            value: *mut i32, attrib: hipFunction_attribute, hfunc: hipFunction_t
        ) => function::attribute [sets];
        in "hip_4.2" fn hipFuncGetAttributes(attr: *mut hipFuncAttributes, func: *const c_void)
            => function::attributes [sets];
        in "hip_4.2" fn hipFuncSetAttribute(func: *const c_void, attr: hipFuncAttribute, value: i32)
            => function::set_attribute [sets];
        in "hip_4.2" fn hipFuncSetCacheConfig(func: *const c_void, config: hipFuncCache_t)
            => function::set_cache_config [sets];
        in "hip_4.2" fn hipFuncSetSharedMemConfig(func: *const c_void, config: hipSharedMemConfig)
            => function::set_shared_config [sets];
        in "hip_6.2" fn hipGetFuncBySymbol(
            functionPtr: *mut hipFunction_t, symbolPtr: *const c_void
        ) => launch::function_by_symbol [sets];
        in "hip_7.2" fn hipKernelGetLibrary(library: *mut hipLibrary_t, kernel: hipKernel_t)
            => unsupported("no body yet") [sets];
        in "hip_7.2" fn hipKernelGetName(name: *mut *const c_char, kernel: hipKernel_t)
            => unsupported("no body yet") [sets];
        in "hip_7.2" fn hipLibraryEnumerateKernels(
            kernels: *mut hipKernel_t, numKernels: u32, library: hipLibrary_t
        ) => unsupported("no body yet") [sets];
        in "hip_7.2" fn hipLibraryGetKernel(
            pKernel: *mut hipKernel_t, library: hipLibrary_t, name: *const c_char
        ) => unsupported("no body yet") [sets];
        in "hip_7.2" fn hipLibraryGetKernelCount(count: *mut u32, library: hipLibrary_t)
            => unsupported("no body yet") [sets];
        in "hip_7.2" fn hipLibraryLoadData(
            library: *mut hipLibrary_t, code: *const c_void, jitOptions: *mut hipJitOption,
            jitOptionsValues: *mut *mut c_void, numJitOptions: u32,
            libraryOptions: *mut hipLibraryOption, libraryOptionValues: *mut *mut c_void,
            numLibraryOptions: u32
        ) => unsupported("no body yet") [sets];
        in "hip_7.2" fn hipLibraryLoadFromFile(
            library: *mut hipLibrary_t, fileName: *const c_char, jitOptions: *mut hipJitOption,
            jitOptionsValues: *mut *mut c_void, numJitOptions: u32,
            libraryOptions: *mut hipLibraryOption, libraryOptionValues: *mut *mut c_void,
            numLibraryOptions: u32
        ) => unsupported("no body yet") [sets];
        in "hip_7.2" fn hipLibraryUnload(library: hipLibrary_t)
            => unsupported("no body yet") [sets];
        in "hip_6.4" fn hipLinkAddData(
            state: hipLinkState_t, r#type: hipJitInputType, data: *mut c_void, size: usize,
            name: *const c_char, numOptions: u32, options: *mut hipJitOption,
            optionValues: *mut *mut c_void
        ) => unsupported("no body yet") [sets];
        in "hip_6.4" fn hipLinkAddFile(
            state: hipLinkState_t, r#type: hipJitInputType, path: *const c_char,
            numOptions: u32, options: *mut hipJitOption, optionValues: *mut *mut c_void
        ) => unsupported("no body yet") [sets];
        in "hip_6.4" fn hipLinkComplete(
            state: hipLinkState_t, hipBinOut: *mut *mut c_void, sizeOut: *mut usize
        ) => unsupported("no body yet") [sets];
        in "hip_6.4" fn hipLinkCreate(
            numOptions: u32, options: *mut hipJitOption, optionValues: *mut *mut c_void,
            stateOut: *mut hipLinkState_t
        ) => unsupported("no body yet") [sets];
        in "hip_6.4" fn hipLinkDestroy(state: hipLinkState_t)
            => unsupported("no body yet") [sets];
        in "hip_4.2" fn hipModuleGetFunction(
            function: *mut hipFunction_t, module: hipModule_t, kname: *const c_char
        ) => module::function [sets];
        in "hip_7.1" fn hipModuleGetFunctionCount(count: *mut u32, r#mod: hipModule_t)
            => module::function_count [sets];
        in "hip_4.2" fn hipModuleGetGlobal(
            dptr: *mut hipDeviceptr_t, bytes: *mut usize, hmod: hipModule_t, name: *const c_char
        ) => module::global [sets];
        in "hip_4.2" fn hipModuleLoad(module: *mut hipModule_t, fname: *const c_char)
            => module::load_file [sets];
        in "hip_4.2" fn hipModuleLoadData(module: *mut hipModule_t, image: *const c_void)
            => module::load_data [sets];
        in "hip_4.2" fn hipModuleLoadDataEx(
            module: *mut hipModule_t, image: *const c_void, numOptions: u32,
            options: *mut hipJitOption, optionValues: *mut *mut c_void
        ) => module::load_data_ex [sets];
        in "hip_7.1" fn hipModuleLoadFatBinary(module: *mut hipModule_t, fatbin: *const c_void)
            => module::load_data [sets];
        in "hip_4.2" fn hipModuleUnload(module: hipModule_t)
            => module::unload [sets];

        // Launches.
        in "hip_4.2" fn _Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j(
            f: hipFunction_t, globalWorkSizeX: u32, globalWorkSizeY: u32, globalWorkSizeZ: u32,
            localWorkSizeX: u32, localWorkSizeY: u32, localWorkSizeZ: u32,
            sharedMemBytes: usize, hStream: hipStream_t, kernelParams: *mut *mut c_void,
            extra: *mut *mut c_void, startEvent: hipEvent_t, stopEvent: hipEvent_t, flags: u32
        ) => launch::launch_module_kernel_ext [sets];
        in "hip_4.2" fn _Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_(
            f: hipFunction_t, globalWorkSizeX: u32, globalWorkSizeY: u32, globalWorkSizeZ: u32,
            localWorkSizeX: u32, localWorkSizeY: u32, localWorkSizeZ: u32,
            sharedMemBytes: usize, hStream: hipStream_t, kernelParams: *mut *mut c_void,
            extra: *mut *mut c_void, startEvent: hipEvent_t, stopEvent: hipEvent_t
        ) => unsupported("no body yet") [sets];
        in "hip_4.2" fn hipConfigureCall(
            gridDim: dim3, blockDim: dim3, sharedMem: usize, stream: hipStream_t
        ) => unsupported("no body yet") [sets];
        in "hip_6.5" fn hipDrvLaunchKernelEx(
            config: *const HIP_LAUNCH_CONFIG, f: hipFunction_t, params: *mut *mut c_void,
            extra: *mut *mut c_void
        ) => unsupported("no body yet") [sets];
        in "hip_4.2" fn hipExtLaunchKernel(
            function_address: *const c_void, numBlocks: dim3, dimBlocks: dim3,
            args: *mut *mut c_void, sharedMemBytes: usize, stream: hipStream_t,
            startEvent: hipEvent_t, stopEvent: hipEvent_t, flags: i32
        ) => launch::launch_kernel_ext [sets];
        in "hip_4.2" fn hipExtLaunchMultiKernelMultiDevice(
            launchParamsList: *mut hipLaunchParams, numDevices: i32, flags: u32
        ) => unsupported("no body yet") [sets];
        in "hip_4.2" fn hipExtModuleLaunchKernel(
            f: hipFunction_t, globalWorkSizeX: u32, globalWorkSizeY: u32, globalWorkSizeZ: u32,
            localWorkSizeX: u32, localWorkSizeY: u32, localWorkSizeZ: u32,
            sharedMemBytes: usize, hStream: hipStream_t, kernelParams: *mut *mut c_void,
            extra: *mut *mut c_void, startEvent: hipEvent_t, stopEvent: hipEvent_t, flags: u32
        ) => launch::launch_module_kernel_ext [sets];
        in "hip_4.2" fn hipHccModuleLaunchKernel(
            f: hipFunction_t, globalWorkSizeX: u32, globalWorkSizeY: u32, globalWorkSizeZ: u32,
            localWorkSizeX: u32, localWorkSizeY: u32, localWorkSizeZ: u32,
            sharedMemBytes: usize, hStream: hipStream_t, kernelParams: *mut *mut c_void,
            extra: *mut *mut c_void, startEvent: hipEvent_t, stopEvent: hipEvent_t
        ) => unsupported("no body yet") [sets];
        in "hip_4.2" fn hipLaunchByPtr(func: *const c_void)
            => unsupported("no body yet") [sets];
        in "hip_4.2" fn hipLaunchCooperativeKernel(
            f: *const c_void, gridDim: dim3, blockDimX: dim3, kernelParams: *mut *mut c_void,
            sharedMemBytes: u32, stream: hipStream_t
        ) => unsupported("no body yet") [sets];
        in "hip_4.2" fn hipLaunchCooperativeKernelMultiDevice(
            launchParamsList: *mut hipLaunchParams, numDevices: i32, flags: u32
        ) => unsupported("no body yet") [sets];
        in "hip_5.2" fn hipLaunchCooperativeKernel_spt(
            f: *const c_void, gridDim: dim3, blockDim: dim3, kernelParams: *mut *mut c_void,
            sharedMemBytes: u32, hStream: hipStream_t
        ) => unsupported("no body yet") [sets spt];
        in "hip_5.3" fn hipLaunchHostFunc(
            stream: hipStream_t, r#fn: hipHostFn_t, userData: *mut c_void
        ) => stream::launch_host [sets];
        in "hip_5.3" fn hipLaunchHostFunc_spt(
            stream: hipStream_t, r#fn: hipHostFn_t, userData: *mut c_void
        ) => stream::launch_host [sets spt];
        in "hip_4.2" fn hipLaunchKernel(
            function_address: *const c_void, numBlocks: dim3, dimBlocks: dim3,
            args: *mut *mut c_void, sharedMemBytes: usize, stream: hipStream_t
        ) => launch::launch_kernel [sets];
        in "hip_6.5" fn hipLaunchKernelExC(
            config: *const hipLaunchConfig_t, fPtr: *const c_void, args: *mut *mut c_void
        ) => unsupported("no body yet") [sets];
        in "hip_5.2" fn hipLaunchKernel_spt(
            function_address: *const c_void, numBlocks: dim3, dimBlocks: dim3,
            args: *mut *mut c_void, sharedMemBytes: usize, stream: hipStream_t
        ) => launch::launch_kernel [sets spt];
        in "hip_5.5" fn hipModuleLaunchCooperativeKernel(
            f: hipFunction_t, gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32,
            blockDimY: u32, blockDimZ: u32, sharedMemBytes: u32, stream: hipStream_t,
            kernelParams: *mut *mut c_void
        ) => unsupported("no body yet") [sets];
        in "hip_5.5" fn hipModuleLaunchCooperativeKernelMultiDevice(
            launchParamsList: *mut hipFunctionLaunchParams, numDevices: u32, flags: u32
        ) => unsupported("no body yet") [sets];
        in "hip_4.2" fn hipModuleLaunchKernel(
            f: hipFunction_t, gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32,
            blockDimY: u32, blockDimZ: u32, sharedMemBytes: u32, stream: hipStream_t,
            kernelParams: *mut *mut c_void, extra: *mut *mut c_void
        ) => launch::launch_module_kernel [sets];
        in "hip_4.2" fn hipSetupArgument(arg: *const c_void, size: usize, offset: usize)
            => unsupported("no body yet") [sets];

        // Occupancy.
        in "hip_4.2" fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
            numBlocks: *mut i32, f: hipFunction_t, blockSize: i32, dynSharedMemPerBlk: usize
        ) => function::module_blocks [sets];
        in "hip_4.2" fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            numBlocks: *mut i32, f: hipFunction_t, blockSize: i32, dynSharedMemPerBlk: usize,
            flags: u32
        ) => function::module_blocks_with_flags [sets];
        in "hip_4.2" fn hipModuleOccupancyMaxPotentialBlockSize(
            gridSize: *mut i32, blockSize: *mut i32, f: hipFunction_t,
            dynSharedMemPerBlk: usize, blockSizeLimit: i32
        ) => function::module_best_block [sets];
        in "hip_4.2" fn hipModuleOccupancyMaxPotentialBlockSizeWithFlags(
            gridSize: *mut i32, blockSize: *mut i32, f: hipFunction_t,
            dynSharedMemPerBlk: usize, blockSizeLimit: i32, flags: u32
        ) => function::module_best_block_with_flags [sets];
        in "hip_7.2" fn hipOccupancyAvailableDynamicSMemPerBlock(
            dynamicSmemSize: *mut usize, f: *const c_void, numBlocks: i32, blockSize: i32
        ) => unsupported("no body yet") [sets];
        in "hip_4.2" fn hipOccupancyMaxActiveBlocksPerMultiprocessor(
            numBlocks: *mut i32, f: *const c_void, blockSize: i32, dynSharedMemPerBlk: usize
        ) => function::host_blocks [sets];
        in "hip_4.2" fn hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            numBlocks: *mut i32, f: *const c_void, blockSize: i32, dynSharedMemPerBlk: usize,
            flags: u32
        ) => function::host_blocks_with_flags [sets];
        in "hip_4.2" fn hipOccupancyMaxPotentialBlockSize(
            gridSize: *mut i32, blockSize: *mut i32, f: *const c_void,
            dynSharedMemPerBlk: usize, blockSizeLimit: i32
        ) => function::host_best_block [sets];

        // Graphs.
        in "hip_4.5" fn hipDeviceGetGraphMemAttribute(
            device: i32, attr: hipGraphMemAttributeType, value: *mut c_void
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipDeviceGraphMemTrim(device: i32)
            => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipDeviceSetGraphMemAttribute(
            device: i32, attr: hipGraphMemAttributeType, value: *mut c_void
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_6.2" fn hipDrvGraphAddMemFreeNode(
            phGraphNode: *mut hipGraphNode_t, hGraph: hipGraph_t,
            dependencies: *const hipGraphNode_t, numDependencies: usize, dptr: hipDeviceptr_t
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_5.6" fn hipDrvGraphAddMemcpyNode(
            phGraphNode: *mut hipGraphNode_t, hGraph: hipGraph_t,
            dependencies: *const hipGraphNode_t, numDependencies: usize,
            copyParams: *const HIP_MEMCPY3D, ctx: hipCtx_t
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_5.6" fn hipDrvGraphAddMemsetNode(
            phGraphNode: *mut hipGraphNode_t, hGraph: hipGraph_t,
            dependencies: *const hipGraphNode_t, numDependencies: usize,
            memsetParams: *const hipMemsetParams, ctx: hipCtx_t
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_6.2" fn hipDrvGraphExecMemcpyNodeSetParams(
            hGraphExec: hipGraphExec_t, hNode: hipGraphNode_t, copyParams: *const HIP_MEMCPY3D,
            ctx: hipCtx_t
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_6.2" fn hipDrvGraphExecMemsetNodeSetParams(
            hGraphExec: hipGraphExec_t, hNode: hipGraphNode_t,
            memsetParams: *const hipMemsetParams, ctx: hipCtx_t
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_6.0" fn hipDrvGraphMemcpyNodeGetParams(
            hNode: hipGraphNode_t, nodeParams: *mut HIP_MEMCPY3D
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_6.0" fn hipDrvGraphMemcpyNodeSetParams(
            hNode: hipGraphNode_t, nodeParams: *const HIP_MEMCPY3D
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_6.4" fn hipGraphAddBatchMemOpNode(
            phGraphNode: *mut hipGraphNode_t, hGraph: hipGraph_t,
            dependencies: *const hipGraphNode_t, numDependencies: usize,
            nodeParams: *const hipBatchMemOpNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphAddChildGraphNode(
            pGraphNode: *mut hipGraphNode_t, graph: hipGraph_t,
            pDependencies: *const hipGraphNode_t, numDependencies: usize, childGraph: hipGraph_t
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.4" fn hipGraphAddDependencies(
            graph: hipGraph_t, from: *const hipGraphNode_t, to: *const hipGraphNode_t,
            numDependencies: usize
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.4" fn hipGraphAddEmptyNode(
            pGraphNode: *mut hipGraphNode_t, graph: hipGraph_t,
            pDependencies: *const hipGraphNode_t, numDependencies: usize
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphAddEventRecordNode(
            pGraphNode: *mut hipGraphNode_t, graph: hipGraph_t,
            pDependencies: *const hipGraphNode_t, numDependencies: usize, event: hipEvent_t
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphAddEventWaitNode(
            pGraphNode: *mut hipGraphNode_t, graph: hipGraph_t,
            pDependencies: *const hipGraphNode_t, numDependencies: usize, event: hipEvent_t
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_5.3" fn hipGraphAddExternalSemaphoresSignalNode(
            pGraphNode: *mut hipGraphNode_t, graph: hipGraph_t,
            pDependencies: *const hipGraphNode_t, numDependencies: usize,
            nodeParams: *const hipExternalSemaphoreSignalNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_5.3" fn hipGraphAddExternalSemaphoresWaitNode(
            pGraphNode: *mut hipGraphNode_t, graph: hipGraph_t,
            pDependencies: *const hipGraphNode_t, numDependencies: usize,
            nodeParams: *const hipExternalSemaphoreWaitNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphAddHostNode(
            pGraphNode: *mut hipGraphNode_t, graph: hipGraph_t,
            pDependencies: *const hipGraphNode_t, numDependencies: usize,
            pNodeParams: *const hipHostNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.3" fn hipGraphAddKernelNode(
            pGraphNode: *mut hipGraphNode_t, graph: hipGraph_t,
            pDependencies: *const hipGraphNode_t, numDependencies: usize,
            pNodeParams: *const hipKernelNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_5.5" fn hipGraphAddMemAllocNode(
            pGraphNode: *mut hipGraphNode_t, graph: hipGraph_t,
            pDependencies: *const hipGraphNode_t, numDependencies: usize,
            pNodeParams: *mut hipMemAllocNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_5.5" fn hipGraphAddMemFreeNode(
            pGraphNode: *mut hipGraphNode_t, graph: hipGraph_t,
            pDependencies: *const hipGraphNode_t, numDependencies: usize, dev_ptr: *mut c_void
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.3" fn hipGraphAddMemcpyNode(
            pGraphNode: *mut hipGraphNode_t, graph: hipGraph_t,
            pDependencies: *const hipGraphNode_t, numDependencies: usize,
            pCopyParams: *const hipMemcpy3DParms
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.3" fn hipGraphAddMemcpyNode1D(
            pGraphNode: *mut hipGraphNode_t, graph: hipGraph_t,
            pDependencies: *const hipGraphNode_t, numDependencies: usize, dst: *mut c_void,
            src: *const c_void, count: usize, kind: hipMemcpyKind
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphAddMemcpyNodeFromSymbol(
            pGraphNode: *mut hipGraphNode_t, graph: hipGraph_t,
            pDependencies: *const hipGraphNode_t, numDependencies: usize, dst: *mut c_void,
            symbol: *const c_void, count: usize, offset: usize, kind: hipMemcpyKind
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphAddMemcpyNodeToSymbol(
            pGraphNode: *mut hipGraphNode_t, graph: hipGraph_t,
            pDependencies: *const hipGraphNode_t, numDependencies: usize, symbol: *const c_void,
            src: *const c_void, count: usize, offset: usize, kind: hipMemcpyKind
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.3" fn hipGraphAddMemsetNode(
            pGraphNode: *mut hipGraphNode_t, graph: hipGraph_t,
            pDependencies: *const hipGraphNode_t, numDependencies: usize,
            pMemsetParams: *const hipMemsetParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_5.5" fn hipGraphAddNode(
            pGraphNode: *mut hipGraphNode_t, graph: hipGraph_t,
            pDependencies: *const hipGraphNode_t, numDependencies: usize,
            nodeParams: *mut hipGraphNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_6.4" fn hipGraphBatchMemOpNodeGetParams(
            hNode: hipGraphNode_t, nodeParams_out: *mut hipBatchMemOpNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_6.4" fn hipGraphBatchMemOpNodeSetParams(
            hNode: hipGraphNode_t, nodeParams: *mut hipBatchMemOpNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphChildGraphNodeGetGraph(
            node: hipGraphNode_t, pGraph: *mut hipGraph_t
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphClone(pGraphClone: *mut hipGraph_t, originalGraph: hipGraph_t)
            => unsupported("graphs are not written yet") [sets];
        in "hip_4.3" fn hipGraphCreate(pGraph: *mut hipGraph_t, flags: u32)
            => unsupported("graphs are not written yet") [sets];
        in "hip_5.3" fn hipGraphDebugDotPrint(graph: hipGraph_t, path: *const c_char, flags: u32)
            => unsupported("graphs are not written yet") [sets];
        in "hip_4.3" fn hipGraphDestroy(graph: hipGraph_t)
            => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphDestroyNode(node: hipGraphNode_t)
            => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphEventRecordNodeGetEvent(
            node: hipGraphNode_t, event_out: *mut hipEvent_t
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphEventRecordNodeSetEvent(node: hipGraphNode_t, event: hipEvent_t)
            => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphEventWaitNodeGetEvent(
            node: hipGraphNode_t, event_out: *mut hipEvent_t
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphEventWaitNodeSetEvent(node: hipGraphNode_t, event: hipEvent_t)
            => unsupported("graphs are not written yet") [sets];
        in "hip_6.4" fn hipGraphExecBatchMemOpNodeSetParams(
            hGraphExec: hipGraphExec_t, hNode: hipGraphNode_t,
            nodeParams: *const hipBatchMemOpNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphExecChildGraphNodeSetParams(
            hGraphExec: hipGraphExec_t, node: hipGraphNode_t, childGraph: hipGraph_t
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.3" fn hipGraphExecDestroy(graphExec: hipGraphExec_t)
            => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphExecEventRecordNodeSetEvent(
            hGraphExec: hipGraphExec_t, hNode: hipGraphNode_t, event: hipEvent_t
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphExecEventWaitNodeSetEvent(
            hGraphExec: hipGraphExec_t, hNode: hipGraphNode_t, event: hipEvent_t
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_5.3" fn hipGraphExecExternalSemaphoresSignalNodeSetParams(
            hGraphExec: hipGraphExec_t, hNode: hipGraphNode_t,
            nodeParams: *const hipExternalSemaphoreSignalNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_5.3" fn hipGraphExecExternalSemaphoresWaitNodeSetParams(
            hGraphExec: hipGraphExec_t, hNode: hipGraphNode_t,
            nodeParams: *const hipExternalSemaphoreWaitNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_6.2" fn hipGraphExecGetFlags(graphExec: hipGraphExec_t, flags: *mut u64)
            => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphExecHostNodeSetParams(
            hGraphExec: hipGraphExec_t, node: hipGraphNode_t,
            pNodeParams: *const hipHostNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.4" fn hipGraphExecKernelNodeSetParams(
            hGraphExec: hipGraphExec_t, node: hipGraphNode_t,
            pNodeParams: *const hipKernelNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphExecMemcpyNodeSetParams(
            hGraphExec: hipGraphExec_t, node: hipGraphNode_t, pNodeParams: *mut hipMemcpy3DParms
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphExecMemcpyNodeSetParams1D(
            hGraphExec: hipGraphExec_t, node: hipGraphNode_t, dst: *mut c_void,
            src: *const c_void, count: usize, kind: hipMemcpyKind
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphExecMemcpyNodeSetParamsFromSymbol(
            hGraphExec: hipGraphExec_t, node: hipGraphNode_t, dst: *mut c_void,
            symbol: *const c_void, count: usize, offset: usize, kind: hipMemcpyKind
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphExecMemcpyNodeSetParamsToSymbol(
            hGraphExec: hipGraphExec_t, node: hipGraphNode_t, symbol: *const c_void,
            src: *const c_void, count: usize, offset: usize, kind: hipMemcpyKind
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphExecMemsetNodeSetParams(
            hGraphExec: hipGraphExec_t, node: hipGraphNode_t,
            pNodeParams: *const hipMemsetParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_6.2" fn hipGraphExecNodeSetParams(
            graphExec: hipGraphExec_t, node: hipGraphNode_t, nodeParams: *mut hipGraphNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphExecUpdate(
            hGraphExec: hipGraphExec_t, hGraph: hipGraph_t, hErrorNode_out: *mut hipGraphNode_t,
            updateResult_out: *mut hipGraphExecUpdateResult
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_5.3" fn hipGraphExternalSemaphoresSignalNodeGetParams(
            hNode: hipGraphNode_t, params_out: *mut hipExternalSemaphoreSignalNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_5.3" fn hipGraphExternalSemaphoresSignalNodeSetParams(
            hNode: hipGraphNode_t, nodeParams: *const hipExternalSemaphoreSignalNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_5.3" fn hipGraphExternalSemaphoresWaitNodeGetParams(
            hNode: hipGraphNode_t, params_out: *mut hipExternalSemaphoreWaitNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_5.3" fn hipGraphExternalSemaphoresWaitNodeSetParams(
            hNode: hipGraphNode_t, nodeParams: *const hipExternalSemaphoreWaitNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphGetEdges(
            graph: hipGraph_t, from: *mut hipGraphNode_t, to: *mut hipGraphNode_t,
            numEdges: *mut usize
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.4" fn hipGraphGetNodes(
            graph: hipGraph_t, nodes: *mut hipGraphNode_t, numNodes: *mut usize
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.4" fn hipGraphGetRootNodes(
            graph: hipGraph_t, pRootNodes: *mut hipGraphNode_t, pNumRootNodes: *mut usize
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphHostNodeGetParams(
            node: hipGraphNode_t, pNodeParams: *mut hipHostNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphHostNodeSetParams(
            node: hipGraphNode_t, pNodeParams: *const hipHostNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.3" fn hipGraphInstantiate(
            pGraphExec: *mut hipGraphExec_t, graph: hipGraph_t, pErrorNode: *mut hipGraphNode_t,
            pLogBuffer: *mut c_char, bufferSize: usize
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphInstantiateWithFlags(
            pGraphExec: *mut hipGraphExec_t, graph: hipGraph_t, flags: u64
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_6.1" fn hipGraphInstantiateWithParams(
            pGraphExec: *mut hipGraphExec_t, graph: hipGraph_t,
            instantiateParams: *mut hipGraphInstantiateParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_5.3" fn hipGraphKernelNodeCopyAttributes(hSrc: hipGraphNode_t, hDst: hipGraphNode_t)
            => unsupported("graphs are not written yet") [sets];
        in "hip_5.0" fn hipGraphKernelNodeGetAttribute(
            hNode: hipGraphNode_t, attr: hipLaunchAttributeID,
            value: *mut hipLaunchAttributeValue
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.4" fn hipGraphKernelNodeGetParams(
            node: hipGraphNode_t, pNodeParams: *mut hipKernelNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_5.0" fn hipGraphKernelNodeSetAttribute(
            hNode: hipGraphNode_t, attr: hipLaunchAttributeID,
            value: *const hipLaunchAttributeValue
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.4" fn hipGraphKernelNodeSetParams(
            node: hipGraphNode_t, pNodeParams: *const hipKernelNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.3" fn hipGraphLaunch(graphExec: hipGraphExec_t, stream: hipStream_t)
            => unsupported("graphs are not written yet") [sets];
        in "hip_5.3" fn hipGraphLaunch_spt(graphExec: hipGraphExec_t, stream: hipStream_t)
            => unsupported("graphs are not written yet") [sets spt];
        in "hip_5.5" fn hipGraphMemAllocNodeGetParams(
            node: hipGraphNode_t, pNodeParams: *mut hipMemAllocNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_5.5" fn hipGraphMemFreeNodeGetParams(node: hipGraphNode_t, dev_ptr: *mut c_void)
            => unsupported("graphs are not written yet") [sets];
        in "hip_4.4" fn hipGraphMemcpyNodeGetParams(
            node: hipGraphNode_t, pNodeParams: *mut hipMemcpy3DParms
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.4" fn hipGraphMemcpyNodeSetParams(
            node: hipGraphNode_t, pNodeParams: *const hipMemcpy3DParms
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphMemcpyNodeSetParams1D(
            node: hipGraphNode_t, dst: *mut c_void, src: *const c_void, count: usize,
            kind: hipMemcpyKind
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphMemcpyNodeSetParamsFromSymbol(
            node: hipGraphNode_t, dst: *mut c_void, symbol: *const c_void, count: usize,
            offset: usize, kind: hipMemcpyKind
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphMemcpyNodeSetParamsToSymbol(
            node: hipGraphNode_t, symbol: *const c_void, src: *const c_void, count: usize,
            offset: usize, kind: hipMemcpyKind
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.4" fn hipGraphMemsetNodeGetParams(
            node: hipGraphNode_t, pNodeParams: *mut hipMemsetParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.4" fn hipGraphMemsetNodeSetParams(
            node: hipGraphNode_t, pNodeParams: *const hipMemsetParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphNodeFindInClone(
            pNode: *mut hipGraphNode_t, originalNode: hipGraphNode_t, clonedGraph: hipGraph_t
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphNodeGetDependencies(
            node: hipGraphNode_t, pDependencies: *mut hipGraphNode_t,
            pNumDependencies: *mut usize
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphNodeGetDependentNodes(
            node: hipGraphNode_t, pDependentNodes: *mut hipGraphNode_t,
            pNumDependentNodes: *mut usize
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_5.3" fn hipGraphNodeGetEnabled(
            hGraphExec: hipGraphExec_t, hNode: hipGraphNode_t, isEnabled: *mut u32
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphNodeGetType(node: hipGraphNode_t, pType: *mut hipGraphNodeType)
            => unsupported("graphs are not written yet") [sets];
        in "hip_5.3" fn hipGraphNodeSetEnabled(
            hGraphExec: hipGraphExec_t, hNode: hipGraphNode_t, isEnabled: u32
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_6.2" fn hipGraphNodeSetParams(
            node: hipGraphNode_t, nodeParams: *mut hipGraphNodeParams
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_5.3" fn hipGraphReleaseUserObject(
            graph: hipGraph_t, object: hipUserObject_t, count: u32
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_4.5" fn hipGraphRemoveDependencies(
            graph: hipGraph_t, from: *const hipGraphNode_t, to: *const hipGraphNode_t,
            numDependencies: usize
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_5.3" fn hipGraphRetainUserObject(
            graph: hipGraph_t, object: hipUserObject_t, count: u32, flags: u32
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_5.3" fn hipGraphUpload(graphExec: hipGraphExec_t, stream: hipStream_t)
            => unsupported("graphs are not written yet") [sets];
        in "hip_5.3" fn hipUserObjectCreate(
            object_out: *mut hipUserObject_t, ptr: *mut c_void, destroy: hipHostFn_t,
            initialRefcount: u32, flags: u32
        ) => unsupported("graphs are not written yet") [sets];
        in "hip_5.3" fn hipUserObjectRelease(object: hipUserObject_t, count: u32)
            => unsupported("graphs are not written yet") [sets];
        in "hip_5.3" fn hipUserObjectRetain(object: hipUserObject_t, count: u32)
            => unsupported("graphs are not written yet") [sets];

        // Stream capture.
        in "hip_4.3" fn hipStreamBeginCapture(stream: hipStream_t, mode: hipStreamCaptureMode)
            => unsupported("stream capture is not written yet") [sets];
        in "hip_6.1" fn hipStreamBeginCaptureToGraph(
            stream: hipStream_t, graph: hipGraph_t, dependencies: *const hipGraphNode_t,
            dependencyData: *const hipGraphEdgeData, numDependencies: usize,
            mode: hipStreamCaptureMode
        ) => unsupported("stream capture is not written yet") [sets];
        in "hip_5.3" fn hipStreamBeginCapture_spt(stream: hipStream_t, mode: hipStreamCaptureMode)
            => unsupported("stream capture is not written yet") [sets spt];
        in "hip_4.3" fn hipStreamEndCapture(stream: hipStream_t, pGraph: *mut hipGraph_t)
            => unsupported("stream capture is not written yet") [sets];
        in "hip_5.3" fn hipStreamEndCapture_spt(stream: hipStream_t, pGraph: *mut hipGraph_t)
            => unsupported("stream capture is not written yet") [sets spt];
        in "hip_4.5" fn hipStreamGetCaptureInfo(
            stream: hipStream_t, pCaptureStatus: *mut hipStreamCaptureStatus, pId: *mut u64
        ) => stream::capture_info [sets];
        in "hip_5.3" fn hipStreamGetCaptureInfo_spt(
            stream: hipStream_t, pCaptureStatus: *mut hipStreamCaptureStatus, pId: *mut u64
        ) => stream::capture_info [sets spt];
        in "hip_4.5" fn hipStreamGetCaptureInfo_v2(
            stream: hipStream_t, captureStatus_out: *mut hipStreamCaptureStatus,
            id_out: *mut u64, graph_out: *mut hipGraph_t,
            dependencies_out: *mut *const hipGraphNode_t, numDependencies_out: *mut usize
        ) => unsupported("stream capture is not written yet") [sets];
        in "hip_5.3" fn hipStreamGetCaptureInfo_v2_spt(
            stream: hipStream_t, captureStatus_out: *mut hipStreamCaptureStatus,
            id_out: *mut u64, graph_out: *mut hipGraph_t,
            dependencies_out: *mut *const hipGraphNode_t, numDependencies_out: *mut usize
        ) => unsupported("stream capture is not written yet") [sets spt];
        in "hip_4.5" fn hipStreamUpdateCaptureDependencies(
            stream: hipStream_t, dependencies: *mut hipGraphNode_t, numDependencies: usize,
            flags: u32
        ) => unsupported("stream capture is not written yet") [sets];
        in "hip_5.0" fn hipThreadExchangeStreamCaptureMode(mode: *mut hipStreamCaptureMode)
            => unsupported("stream capture is not written yet") [sets];

        // Arrays, textures, surfaces.
        in "hip_4.2" fn hipArray3DCreate(
            array: *mut hipArray_t, pAllocateArray: *const HIP_ARRAY3D_DESCRIPTOR
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_5.6" fn hipArray3DGetDescriptor(
            pArrayDescriptor: *mut HIP_ARRAY3D_DESCRIPTOR, array: hipArray_t
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipArrayCreate(
            pHandle: *mut hipArray_t, pAllocateArray: *const HIP_ARRAY_DESCRIPTOR
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.3" fn hipArrayDestroy(array: hipArray_t)
            => unsupported("arrays and textures are not written yet") [sets];
        in "hip_5.6" fn hipArrayGetDescriptor(
            pArrayDescriptor: *mut HIP_ARRAY_DESCRIPTOR, array: hipArray_t
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_5.6" fn hipArrayGetInfo(
            desc: *mut hipChannelFormatDesc, extent: *mut hipExtent, flags: *mut u32,
            array: hipArray_t
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipBindTexture(
            offset: *mut usize, tex: *const textureReference, devPtr: *const c_void,
            desc: *const hipChannelFormatDesc, size: usize
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipBindTexture2D(
            offset: *mut usize, tex: *const textureReference, devPtr: *const c_void,
            desc: *const hipChannelFormatDesc, width: usize, height: usize, pitch: usize
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipBindTextureToArray(
            tex: *const textureReference, array: hipArray_const_t, desc: *const hipChannelFormatDesc
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipBindTextureToMipmappedArray(
            tex: *const textureReference, mipmappedArray: hipMipmappedArray_const_t,
            desc: *const hipChannelFormatDesc
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipCreateSurfaceObject(
            pSurfObject: *mut hipSurfaceObject_t, pResDesc: *const hipResourceDesc
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipCreateTextureObject(
            pTexObject: *mut hipTextureObject_t, pResDesc: *const hipResourceDesc,
            pTexDesc: *const hipTextureDesc, pResViewDesc: *const hipResourceViewDesc
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipDestroySurfaceObject(surfaceObject: hipSurfaceObject_t)
            => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipDestroyTextureObject(textureObject: hipTextureObject_t)
            => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipDeviceGetTexture1DLinearMaxWidth(
            max_width: *mut usize, desc: *const hipChannelFormatDesc, device: i32
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipFreeArray(array: hipArray_t)
            => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipFreeMipmappedArray(mipmappedArray: hipMipmappedArray_t)
            => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipGetChannelDesc(desc: *mut hipChannelFormatDesc, array: hipArray_const_t)
            => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipGetMipmappedArrayLevel(
            levelArray: *mut hipArray_t, mipmappedArray: hipMipmappedArray_const_t, level: u32
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipGetTextureAlignmentOffset(
            offset: *mut usize, texref: *const textureReference
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipGetTextureObjectResourceDesc(
            pResDesc: *mut hipResourceDesc, textureObject: hipTextureObject_t
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipGetTextureObjectResourceViewDesc(
            pResViewDesc: *mut hipResourceViewDesc, textureObject: hipTextureObject_t
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipGetTextureObjectTextureDesc(
            pTexDesc: *mut hipTextureDesc, textureObject: hipTextureObject_t
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipGetTextureReference(
            texref: *mut *const textureReference, symbol: *const c_void
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipMalloc3DArray(
            array: *mut hipArray_t, desc: *const hipChannelFormatDesc, extent: hipExtent,
            flags: u32
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipMallocArray(
            array: *mut hipArray_t, desc: *const hipChannelFormatDesc, width: usize,
            height: usize, flags: u32
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipMallocMipmappedArray(
            mipmappedArray: *mut hipMipmappedArray_t, desc: *const hipChannelFormatDesc,
            extent: hipExtent, numLevels: u32, flags: u32
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_6.2" fn hipMemcpy2DArrayToArray(
            dst: hipArray_t, wOffsetDst: usize, hOffsetDst: usize, src: hipArray_const_t,
            wOffsetSrc: usize, hOffsetSrc: usize, width: usize, height: usize,
            kind: hipMemcpyKind
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipMemcpy2DFromArray(
            dst: *mut c_void, dpitch: usize, src: hipArray_const_t, wOffset: usize, hOffset: usize,
            width: usize, height: usize, kind: hipMemcpyKind
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipMemcpy2DFromArrayAsync(
            dst: *mut c_void, dpitch: usize, src: hipArray_const_t, wOffset: usize, hOffset: usize,
            width: usize, height: usize, kind: hipMemcpyKind, stream: hipStream_t
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_5.3" fn hipMemcpy2DFromArrayAsync_spt(
            dst: *mut c_void, dpitch: usize, src: hipArray_const_t, wOffsetSrc: usize,
            hOffsetSrc: usize, width: usize, height: usize, kind: hipMemcpyKind,
            stream: hipStream_t
        ) => unsupported("arrays and textures are not written yet") [sets spt];
        in "hip_5.2" fn hipMemcpy2DFromArray_spt(
            dst: *mut c_void, dpitch: usize, src: hipArray_const_t, wOffset: usize, hOffset: usize,
            width: usize, height: usize, kind: hipMemcpyKind
        ) => unsupported("arrays and textures are not written yet") [sets spt];
        in "hip_4.2" fn hipMemcpy2DToArray(
            dst: hipArray_t, wOffset: usize, hOffset: usize, src: *const c_void, spitch: usize,
            width: usize, height: usize, kind: hipMemcpyKind
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.3" fn hipMemcpy2DToArrayAsync(
            dst: hipArray_t, wOffset: usize, hOffset: usize, src: *const c_void, spitch: usize,
            width: usize, height: usize, kind: hipMemcpyKind, stream: hipStream_t
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_5.3" fn hipMemcpy2DToArrayAsync_spt(
            dst: hipArray_t, wOffset: usize, hOffset: usize, src: *const c_void, spitch: usize,
            width: usize, height: usize, kind: hipMemcpyKind, stream: hipStream_t
        ) => unsupported("arrays and textures are not written yet") [sets spt];
        in "hip_5.2" fn hipMemcpy2DToArray_spt(
            dst: hipArray_t, wOffset: usize, hOffset: usize, src: *const c_void, spitch: usize,
            width: usize, height: usize, kind: hipMemcpyKind
        ) => unsupported("arrays and textures are not written yet") [sets spt];
        in "hip_6.2" fn hipMemcpyAtoA(
            dstArray: hipArray_t, dstOffset: usize, srcArray: hipArray_t, srcOffset: usize,
            ByteCount: usize
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_6.2" fn hipMemcpyAtoD(
            dstDevice: hipDeviceptr_t, srcArray: hipArray_t, srcOffset: usize, ByteCount: usize
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipMemcpyAtoH(
            dst: *mut c_void, srcArray: hipArray_t, srcOffset: usize, count: usize
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_6.2" fn hipMemcpyAtoHAsync(
            dstHost: *mut c_void, srcArray: hipArray_t, srcOffset: usize, ByteCount: usize,
            stream: hipStream_t
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_6.2" fn hipMemcpyDtoA(
            dstArray: hipArray_t, dstOffset: usize, srcDevice: hipDeviceptr_t, ByteCount: usize
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipMemcpyFromArray(
            dst: *mut c_void, srcArray: hipArray_const_t, wOffset: usize, hOffset: usize,
            count: usize, kind: hipMemcpyKind
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_5.3" fn hipMemcpyFromArray_spt(
            dst: *mut c_void, src: hipArray_const_t, wOffsetSrc: usize, hOffset: usize, count: usize,
            kind: hipMemcpyKind
        ) => unsupported("arrays and textures are not written yet") [sets spt];
        in "hip_4.2" fn hipMemcpyHtoA(
            dstArray: hipArray_t, dstOffset: usize, srcHost: *const c_void, count: usize
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_6.2" fn hipMemcpyHtoAAsync(
            dstArray: hipArray_t, dstOffset: usize, srcHost: *const c_void, ByteCount: usize,
            stream: hipStream_t
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipMemcpyToArray(
            dst: hipArray_t, wOffset: usize, hOffset: usize, src: *const c_void, count: usize,
            kind: hipMemcpyKind
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipMipmappedArrayCreate(
            pHandle: *mut hipMipmappedArray_t, pMipmappedArrayDesc: *mut HIP_ARRAY3D_DESCRIPTOR,
            numMipmapLevels: u32
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipMipmappedArrayDestroy(hMipmappedArray: hipMipmappedArray_t)
            => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipMipmappedArrayGetLevel(
            pLevelArray: *mut hipArray_t, hMipMappedArray: hipMipmappedArray_t, level: u32
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipModuleGetTexRef(
            texRef: *mut *mut textureReference, hmod: hipModule_t, name: *const c_char
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexObjectCreate(
            pTexObject: *mut hipTextureObject_t, pResDesc: *const HIP_RESOURCE_DESC,
            pTexDesc: *const HIP_TEXTURE_DESC, pResViewDesc: *const HIP_RESOURCE_VIEW_DESC
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexObjectDestroy(texObject: hipTextureObject_t)
            => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexObjectGetResourceDesc(
            pResDesc: *mut HIP_RESOURCE_DESC, texObject: hipTextureObject_t
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexObjectGetResourceViewDesc(
            pResViewDesc: *mut HIP_RESOURCE_VIEW_DESC, texObject: hipTextureObject_t
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexObjectGetTextureDesc(
            pTexDesc: *mut HIP_TEXTURE_DESC, texObject: hipTextureObject_t
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefGetAddress(
            dev_ptr: *mut hipDeviceptr_t, texRef: *const textureReference
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefGetAddressMode(
            pam: *mut hipTextureAddressMode, texRef: *const textureReference, dim: i32
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefGetArray(pArray: *mut hipArray_t, texRef: *const textureReference)
            => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefGetBorderColor(
            pBorderColor: *mut f32, texRef: *const textureReference
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefGetFilterMode(
            pfm: *mut hipTextureFilterMode, texRef: *const textureReference
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefGetFlags(pFlags: *mut u32, texRef: *const textureReference)
            => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefGetFormat(
            pFormat: *mut hipArray_Format, pNumChannels: *mut i32,
            texRef: *const textureReference
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefGetMaxAnisotropy(
            pmaxAnsio: *mut i32, texRef: *const textureReference
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefGetMipMappedArray(
            pArray: *mut hipMipmappedArray_t, texRef: *const textureReference
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefGetMipmapFilterMode(
            pfm: *mut hipTextureFilterMode, texRef: *const textureReference
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefGetMipmapLevelBias(
            pbias: *mut f32, texRef: *const textureReference
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefGetMipmapLevelClamp(
            pminMipmapLevelClamp: *mut f32, pmaxMipmapLevelClamp: *mut f32,
            texRef: *const textureReference
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefSetAddress(
            ByteOffset: *mut usize, texRef: *mut textureReference, dptr: hipDeviceptr_t,
            bytes: usize
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefSetAddress2D(
            texRef: *mut textureReference, desc: *const HIP_ARRAY_DESCRIPTOR,
            dptr: hipDeviceptr_t, Pitch: usize
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefSetAddressMode(
            texRef: *mut textureReference, dim: i32, am: hipTextureAddressMode
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefSetArray(tex: *mut textureReference, array: hipArray_const_t, flags: u32)
            => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefSetBorderColor(
            texRef: *mut textureReference, pBorderColor: *mut f32
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefSetFilterMode(
            texRef: *mut textureReference, fm: hipTextureFilterMode
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefSetFlags(texRef: *mut textureReference, Flags: u32)
            => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefSetFormat(
            texRef: *mut textureReference, fmt: hipArray_Format, NumPackedComponents: i32
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefSetMaxAnisotropy(texRef: *mut textureReference, maxAniso: u32)
            => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefSetMipmapFilterMode(
            texRef: *mut textureReference, fm: hipTextureFilterMode
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefSetMipmapLevelBias(texRef: *mut textureReference, bias: f32)
            => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefSetMipmapLevelClamp(
            texRef: *mut textureReference, minMipMapLevelClamp: f32, maxMipMapLevelClamp: f32
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipTexRefSetMipmappedArray(
            texRef: *mut textureReference, mipmappedArray: hipMipmappedArray_t, Flags: u32
        ) => unsupported("arrays and textures are not written yet") [sets];
        in "hip_4.2" fn hipUnbindTexture(tex: *const textureReference)
            => unsupported("arrays and textures are not written yet") [sets];

        // Peers.
        in "hip_4.2" fn hipCtxDisablePeerAccess(peerCtx: hipCtx_t)
            => unsupported("no body yet") [sets];
        in "hip_4.2" fn hipCtxEnablePeerAccess(peerCtx: hipCtx_t, flags: u32)
            => unsupported("no body yet") [sets];
        in "hip_4.2" fn hipDeviceCanAccessPeer(
            canAccessPeer: *mut i32, deviceId: i32, peerDeviceId: i32
        ) => peer::can_access [sets];
        in "hip_4.2" fn hipDeviceDisablePeerAccess(peerDeviceId: i32)
            => peer::disable [sets];
        in "hip_4.2" fn hipDeviceEnablePeerAccess(peerDeviceId: i32, flags: u32)
            => peer::enable [sets];
        in "hip_4.2" fn hipDeviceGetP2PAttribute(
            value: *mut i32, attr: hipDeviceP2PAttr, srcDevice: i32, dstDevice: i32
        ) => peer::attribute [sets];
        in "hip_4.2" fn hipExtGetLinkTypeAndHopCount(
            device1: i32, device2: i32, linktype: *mut u32, hopcount: *mut u32
        ) => unsupported("no body yet") [sets];
        in "hip_7.1" fn hipMemcpy3DPeer(p: *mut hipMemcpy3DPeerParms)
            => copy::memcpy_3d_peer [sets];
        in "hip_7.1" fn hipMemcpy3DPeerAsync(p: *mut hipMemcpy3DPeerParms, stream: hipStream_t)
            => copy::memcpy_3d_peer_async [sets];
        in "hip_4.2" fn hipMemcpyPeer(
            dst: *mut c_void, dstDeviceId: i32, src: *const c_void, srcDeviceId: i32,
            sizeBytes: usize
        ) => peer::memcpy [sets];
        in "hip_4.2" fn hipMemcpyPeerAsync(
            dst: *mut c_void, dstDeviceId: i32, src: *const c_void, srcDevice: i32,
            sizeBytes: usize, stream: hipStream_t
        ) => peer::memcpy_async [sets];

        // Sharing between processes.
        in "hip_4.2" fn hipIpcCloseMemHandle(devPtr: *mut c_void)
            => unsupported("sharing between processes is not written yet") [sets];
        in "hip_4.2" fn hipIpcGetEventHandle(handle: *mut hipIpcEventHandle_t, event: hipEvent_t)
            => unsupported("sharing between processes is not written yet") [sets];
        in "hip_4.2" fn hipIpcGetMemHandle(handle: *mut hipIpcMemHandle_t, devPtr: *mut c_void)
            => unsupported("sharing between processes is not written yet") [sets];
        in "hip_4.2" fn hipIpcOpenEventHandle(event: *mut hipEvent_t, handle: hipIpcEventHandle_t)
            => unsupported("sharing between processes is not written yet") [sets];
        in "hip_4.2" fn hipIpcOpenMemHandle(
            devPtr: *mut *mut c_void, handle: hipIpcMemHandle_t, flags: u32
        ) => unsupported("sharing between processes is not written yet") [sets];

        // External memory and semaphores.
        in "hip_4.3" fn hipDestroyExternalMemory(extMem: hipExternalMemory_t)
            => unsupported("external memory and semaphores are not written yet") [sets];
        in "hip_4.3" fn hipDestroyExternalSemaphore(extSem: hipExternalSemaphore_t)
            => unsupported("external memory and semaphores are not written yet") [sets];
        in "hip_4.3" fn hipExternalMemoryGetMappedBuffer(
            devPtr: *mut *mut c_void, extMem: hipExternalMemory_t,
            bufferDesc: *const hipExternalMemoryBufferDesc
        ) => unsupported("external memory and semaphores are not written yet") [sets];
        in "hip_4.3" fn hipImportExternalMemory(
            extMem_out: *mut hipExternalMemory_t,
            memHandleDesc: *const hipExternalMemoryHandleDesc
        ) => unsupported("external memory and semaphores are not written yet") [sets];
        in "hip_4.3" fn hipImportExternalSemaphore(
            extSem_out: *mut hipExternalSemaphore_t,
            semHandleDesc: *const hipExternalSemaphoreHandleDesc
        ) => unsupported("external memory and semaphores are not written yet") [sets];
        in "hip_4.3" fn hipSignalExternalSemaphoresAsync(
            extSemArray: *const hipExternalSemaphore_t,
            paramsArray: *const hipExternalSemaphoreSignalParams, numExtSems: u32,
            stream: hipStream_t
        ) => unsupported("external memory and semaphores are not written yet") [sets];
        in "hip_4.3" fn hipWaitExternalSemaphoresAsync(
            extSemArray: *const hipExternalSemaphore_t,
            paramsArray: *const hipExternalSemaphoreWaitParams, numExtSems: u32,
            stream: hipStream_t
        ) => unsupported("external memory and semaphores are not written yet") [sets];

        // Graphics interoperation.
        in "hip_4.3" fn hipGLGetDevices(
            pHipDeviceCount: *mut u32, pHipDevices: *mut i32, hipDeviceCount: u32,
            deviceList: hipGLDeviceList
        ) => unsupported("no graphics interface shares memory with this device") [sets];
        in "hip_4.3" fn hipGraphicsGLRegisterBuffer(
            resource: *mut hipGraphicsResource_t, buffer: u32, flags: u32
        ) => unsupported("no graphics interface shares memory with this device") [sets];
        in "hip_4.5" fn hipGraphicsGLRegisterImage(
            resource: *mut hipGraphicsResource_t, image: u32, target: u32, flags: u32
        ) => unsupported("no graphics interface shares memory with this device") [sets];
        in "hip_4.3" fn hipGraphicsMapResources(
            count: i32, resources: *mut hipGraphicsResource_t, stream: hipStream_t
        ) => unsupported("no graphics interface shares memory with this device") [sets];
        in "hip_4.3" fn hipGraphicsResourceGetMappedPointer(
            devPtr: *mut *mut c_void, size: *mut usize, resource: hipGraphicsResource_t
        ) => unsupported("no graphics interface shares memory with this device") [sets];
        in "hip_4.5" fn hipGraphicsSubResourceGetMappedArray(
            array: *mut hipArray_t, resource: hipGraphicsResource_t, arrayIndex: u32,
            mipLevel: u32
        ) => unsupported("no graphics interface shares memory with this device") [sets];
        in "hip_4.3" fn hipGraphicsUnmapResources(
            count: i32, resources: *mut hipGraphicsResource_t, stream: hipStream_t
        ) => unsupported("no graphics interface shares memory with this device") [sets];
        in "hip_4.3" fn hipGraphicsUnregisterResource(resource: hipGraphicsResource_t)
            => unsupported("no graphics interface shares memory with this device") [sets];

        // Profiling.
        in "hip_4.2" fn hipProfilerStart() => unsupported("no body yet") [sets];
        in "hip_4.2" fn hipProfilerStop() => unsupported("no body yet") [sets];

        // The rest.
        in "hip_7.1" fn hipGetDriverEntryPoint(
            symbol: *const c_char, funcPtr: *mut *mut c_void, flags: u64,
            driverStatus: *mut hipDriverEntryPointQueryResult
        ) => unsupported("no body yet") [sets];
        in "hip_7.1" fn hipGetDriverEntryPoint_spt(
            symbol: *const c_char, funcPtr: *mut *mut c_void, flags: u64,
            status: *mut hipDriverEntryPointQueryResult
        ) => unsupported("no body yet") [sets spt];
        in "hip_6.1" fn hipGetProcAddress(
            symbol: *const c_char, pfn: *mut *mut c_void, hipVersion: i32, flags: uint64_t,
            symbolStatus: *mut hipDriverProcAddressQueryResult
        ) => device::proc_address [sets];

        // Extensions of this library.
        in "HRX_0.1" fn hipHALDeinit() => context::deinit [sets];
    }
    value {
        // Registration of code by the compiler.
        in "hip_4.2" fn __hipGetPCH(pch: *mut *const c_char, size: *mut u32) -> ()
            => unsupported("no body yet") else ();
        in "hip_4.2" fn __hipRegisterFatBinary(data: *const c_void) -> *mut *mut c_void
            => module::register_fat_binary else ptr::null_mut();
        in "hip_4.2" fn __hipRegisterFunction(
            modules: *mut *mut c_void, hostFunction: *const c_void, deviceFunction: *mut c_char,
            deviceName: *const c_char, threadLimit: u32, tid: *mut uint3, bid: *mut uint3,
            blockDim: *mut dim3, gridDim: *mut dim3, wSize: *mut i32
        ) -> () => module::register_function else ();
        in "hip_4.2" fn __hipRegisterManagedVar(
            hipModule: *mut c_void, pointer: *mut *mut c_void, init_value: *mut c_void,
            name: *const c_char, size: usize, align: u32
        ) -> () => module::register_managed_variable else ();
        in "hip_4.2" fn __hipRegisterSurface(
            modules: *mut *mut c_void, var: *mut c_void, hostVar: *mut c_char,
            deviceVar: *mut c_char, r#type: i32, ext: i32
        ) -> () => unsupported("no body yet") else ();
        in "hip_4.2" fn __hipRegisterTexture(
            modules: *mut *mut c_void, var: *mut c_void, hostVar: *mut c_char,
            deviceVar: *mut c_char, r#type: i32, norm: i32, ext: i32
        ) -> () => unsupported("no body yet") else ();
        in "hip_4.2" fn __hipRegisterVar(
            modules: *mut *mut c_void, var: *mut c_void, hostVar: *mut c_char,
            deviceVar: *mut c_char, ext: i32, size: usize, constant: i32, global: i32
        ) -> () => module::register_variable else ();
        in "hip_4.2" fn __hipUnregisterFatBinary(modules: *mut *mut c_void) -> ()
            => module::unregister_fat_binary else ();

        // Errors.
        in "hip_4.2" fn hipGetErrorName(hip_error: hipError_t) -> *const c_char
            => error::name else ptr::null();
        in "hip_4.2" fn hipGetErrorString(hipError: hipError_t) -> *const c_char
            => error::text else ptr::null();

        // Arrays, textures, surfaces.
        in "hip_4.2" fn hipCreateChannelDesc(
            x: i32, y: i32, z: i32, w: i32, f: hipChannelFormatKind
        ) -> hipChannelFormatDesc
            => texture::channel_format
            else hipChannelFormatDesc::zeroed();

        // Profiling.
        in "hip_4.5" fn amd_dbgapi_get_build_id() -> usize => tools::build_id else 0;
        in "hip_4.5" fn amd_dbgapi_get_build_name() -> *const c_char
            => tools::build_name else ptr::null();
        in "hip_4.5" fn amd_dbgapi_get_git_hash() -> *const c_char
            => tools::git_hash else ptr::null();
        in "hip_4.2" fn hipApiName(id: u32) -> *const c_char
            => tools::api_name else ptr::null();
        in "hip_4.2" fn hipGetCmdName(op: u32) -> *const c_char
            => tools::command_name else ptr::null();
        in "hip_4.2" fn hipGetStreamDeviceId(stream: hipStream_t) -> i32
            => stream::device_id else -1;
        in "hip_4.2" fn hipKernelNameRef(f: hipFunction_t) -> *const c_char
            => function::name else ptr::null();
        in "hip_4.2" fn hipKernelNameRefByPtr(
            hostFunction: *const c_void, stream: hipStream_t
        ) -> *const c_char => function::name_by_host else ptr::null();
        in "hip_5.3" fn hipRegisterTracerCallback(function: *mut c_void) -> ()
            => unsupported("no body yet") else ();

        // The rest.
        in "hip_4.2" fn __gnu_f2h_ieee(x: f32) -> u16 => half::from_float else 0;
        in "hip_4.2" fn __gnu_h2f_ieee(x: u16) -> f32 => half::to_float else 0.0;

        // Extensions of this library.
        in "HRX_0.1" fn hrx_coverage() -> *const c_char => coverage::report else ptr::null();
    }
    } };
}

pub(crate) use for_each_hip_api;
