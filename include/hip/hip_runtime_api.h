/* The host interface of HIP 7.2, for C99 and C++11 and later. */
#ifndef HIP_INCLUDE_HIP_HIP_RUNTIME_API_H
#define HIP_INCLUDE_HIP_HIP_RUNTIME_API_H

#include <hip/detail/host_types.h>
#include <hip/hip_version.h>

/* These names mean the layout of HIP 6.0 and later. */
#define hipGetDeviceProperties hipGetDevicePropertiesR0600
#define hipChooseDevice hipChooseDeviceR0600

/* A default argument, where the language has such. */
#ifdef __cplusplus
#define HIP_DEFAULT_(value) = value
#else
#define HIP_DEFAULT_(value)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Devices. */

hipError_t hipChooseDeviceR0600(int *device, const hipDeviceProp_tR0600 *prop);
hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device);
hipError_t hipDeviceGet(hipDevice_t *device, int ordinal);
hipError_t hipDeviceGetAttribute(int *pi, hipDeviceAttribute_t attr, int deviceId);
hipError_t hipDeviceGetByPCIBusId(int *device, const char *pciBusId);
hipError_t hipDeviceGetCacheConfig(hipFuncCache_t *cacheConfig);
hipError_t hipDeviceGetLimit(size_t *pValue, enum hipLimit_t limit);
hipError_t hipDeviceGetName(char *name, int len, hipDevice_t device);
hipError_t hipDeviceGetPCIBusId(char *pciBusId, int len, int device);
hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig *pConfig);
hipError_t hipDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority);
hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device);
hipError_t hipDeviceReset(void);
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t cacheConfig);
hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value);
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config);
hipError_t hipDeviceSynchronize(void);
hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device);
hipError_t hipDriverGetVersion(int *driverVersion);
hipError_t hipGetDevice(int *deviceId);
hipError_t hipGetDeviceCount(int *count);
hipError_t hipGetDeviceFlags(unsigned int *flags);
hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *prop, int deviceId);
hipError_t hipInit(unsigned int flags);
hipError_t hipRuntimeGetVersion(int *runtimeVersion);
hipError_t hipSetDevice(int deviceId);
hipError_t hipSetDeviceFlags(unsigned int flags);
hipError_t hipSetValidDevices(int *device_arr, int len);

/* Contexts. */

hipError_t hipCtxCreate(hipCtx_t *ctx, unsigned int flags, hipDevice_t device);
hipError_t hipCtxDestroy(hipCtx_t ctx);
hipError_t hipCtxGetApiVersion(hipCtx_t ctx, unsigned int *apiVersion);
hipError_t hipCtxGetCacheConfig(hipFuncCache_t *cacheConfig);
hipError_t hipCtxGetCurrent(hipCtx_t *ctx);
hipError_t hipCtxGetDevice(hipDevice_t *device);
hipError_t hipCtxGetFlags(unsigned int *flags);
hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig *pConfig);
hipError_t hipCtxPopCurrent(hipCtx_t *ctx);
hipError_t hipCtxPushCurrent(hipCtx_t ctx);
hipError_t hipCtxSetCacheConfig(hipFuncCache_t cacheConfig);
hipError_t hipCtxSetCurrent(hipCtx_t ctx);
hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig config);
hipError_t hipCtxSynchronize(void);
hipError_t hipDevicePrimaryCtxGetState(hipDevice_t dev, unsigned int *flags, int *active);
hipError_t hipDevicePrimaryCtxRelease(hipDevice_t dev);
hipError_t hipDevicePrimaryCtxReset(hipDevice_t dev);
hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *pctx, hipDevice_t dev);
hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t dev, unsigned int flags);

/* Errors. */

hipError_t hipDrvGetErrorName(hipError_t hipError, const char **errorString);
hipError_t hipDrvGetErrorString(hipError_t hipError, const char **errorString);
hipError_t hipExtGetLastError(void);
const char *hipGetErrorName(hipError_t hip_error);
const char *hipGetErrorString(hipError_t hipError);
hipError_t hipGetLastError(void);
hipError_t hipPeekAtLastError(void);

/* Memory. */

hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D *pCopy);
hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D *pCopy);
hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D *pCopy, hipStream_t stream);
hipError_t hipDrvPointerGetAttributes(
    unsigned int numAttributes, hipPointer_attribute *attributes, void **data, hipDeviceptr_t ptr);
hipError_t hipExtMallocWithFlags(void **ptr, size_t sizeBytes, unsigned int flags);
hipError_t hipFree(void *ptr);
hipError_t hipGetSymbolAddress(void **devPtr, const void *symbol);
hipError_t hipGetSymbolSize(size_t *size, const void *symbol);
hipError_t hipMalloc(void **ptr, size_t size);
hipError_t hipMalloc3D(hipPitchedPtr *pitchedDevPtr, hipExtent extent);
hipError_t hipMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height);
hipError_t hipMemAllocPitch(
    hipDeviceptr_t *dptr, size_t *pitch, size_t widthInBytes, size_t height,
    unsigned int elementSizeBytes);
hipError_t hipMemGetAddressRange(hipDeviceptr_t *pbase, size_t *psize, hipDeviceptr_t dptr);
hipError_t hipMemGetInfo(size_t *free, size_t *total);
hipError_t hipMemPtrGetInfo(void *ptr, size_t *size);
hipError_t hipMemcpy(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind);
hipError_t hipMemcpy2D(
    void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
    hipMemcpyKind kind);
hipError_t hipMemcpy2DAsync(
    void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
    hipMemcpyKind kind, hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipMemcpy3D(const struct hipMemcpy3DParms *p);
hipError_t hipMemcpy3DAsync(const struct hipMemcpy3DParms *p, hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipMemcpy3DBatchAsync(
    size_t numOps, struct hipMemcpy3DBatchOp *opList, size_t *failIdx, unsigned long long flags,
    hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipMemcpyAsync(
    void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind,
    hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipMemcpyBatchAsync(
    void **dsts, void **srcs, size_t *sizes, size_t count, hipMemcpyAttributes *attrs,
    size_t *attrsIdxs, size_t numAttrs, size_t *failIdx, hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t sizeBytes);
hipError_t hipMemcpyDtoDAsync(
    hipDeviceptr_t dst, hipDeviceptr_t src, size_t sizeBytes, hipStream_t stream);
hipError_t hipMemcpyDtoH(void *dst, hipDeviceptr_t src, size_t sizeBytes);
hipError_t hipMemcpyDtoHAsync(void *dst, hipDeviceptr_t src, size_t sizeBytes, hipStream_t stream);
hipError_t hipMemcpyFromSymbol(
    void *dst, const void *symbol, size_t sizeBytes, size_t offset HIP_DEFAULT_(0),
    hipMemcpyKind kind HIP_DEFAULT_(hipMemcpyDeviceToHost));
hipError_t hipMemcpyFromSymbolAsync(
    void *dst, const void *symbol, size_t sizeBytes, size_t offset, hipMemcpyKind kind,
    hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, const void *src, size_t sizeBytes);
hipError_t hipMemcpyHtoDAsync(
    hipDeviceptr_t dst, const void *src, size_t sizeBytes, hipStream_t stream);
hipError_t hipMemcpyParam2D(const hip_Memcpy2D *pCopy);
hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D *pCopy, hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipMemcpyToSymbol(
    const void *symbol, const void *src, size_t sizeBytes, size_t offset HIP_DEFAULT_(0),
    hipMemcpyKind kind HIP_DEFAULT_(hipMemcpyHostToDevice));
hipError_t hipMemcpyToSymbolAsync(
    const void *symbol, const void *src, size_t sizeBytes, size_t offset, hipMemcpyKind kind,
    hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipMemcpyWithStream(
    void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind, hipStream_t stream);
hipError_t hipMemset(void *dst, int value, size_t sizeBytes);
hipError_t hipMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height);
hipError_t hipMemset2DAsync(
    void *dst, size_t pitch, int value, size_t width, size_t height,
    hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipMemset3D(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent);
hipError_t hipMemset3DAsync(
    hipPitchedPtr pitchedDevPtr, int value, hipExtent extent, hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipMemsetAsync(
    void *dst, int value, size_t sizeBytes, hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipMemsetD16(hipDeviceptr_t dest, unsigned short value, size_t count);
hipError_t hipMemsetD16Async(
    hipDeviceptr_t dest, unsigned short value, size_t count, hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipMemsetD2D16(
    hipDeviceptr_t dst, size_t dstPitch, unsigned short value, size_t width, size_t height);
hipError_t hipMemsetD2D16Async(
    hipDeviceptr_t dst, size_t dstPitch, unsigned short value, size_t width, size_t height,
    hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipMemsetD2D32(
    hipDeviceptr_t dst, size_t dstPitch, unsigned int value, size_t width, size_t height);
hipError_t hipMemsetD2D32Async(
    hipDeviceptr_t dst, size_t dstPitch, unsigned int value, size_t width, size_t height,
    hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipMemsetD2D8(
    hipDeviceptr_t dst, size_t dstPitch, unsigned char value, size_t width, size_t height);
hipError_t hipMemsetD2D8Async(
    hipDeviceptr_t dst, size_t dstPitch, unsigned char value, size_t width, size_t height,
    hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipMemsetD32(hipDeviceptr_t dest, int value, size_t count);
hipError_t hipMemsetD32Async(
    hipDeviceptr_t dst, int value, size_t count, hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipMemsetD8(hipDeviceptr_t dest, unsigned char value, size_t count);
hipError_t hipMemsetD8Async(
    hipDeviceptr_t dest, unsigned char value, size_t count, hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipPointerGetAttribute(void *data, hipPointer_attribute attribute, hipDeviceptr_t ptr);
hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *ptr);
hipError_t hipPointerSetAttribute(
    const void *value, hipPointer_attribute attribute, hipDeviceptr_t ptr);

/* Host memory. */

hipError_t hipFreeHost(void *ptr);
hipError_t hipHostAlloc(void **ptr, size_t size, unsigned int flags);
hipError_t hipHostFree(void *ptr);
hipError_t hipHostGetDevicePointer(void **devPtr, void *hstPtr, unsigned int flags);
hipError_t hipHostGetFlags(unsigned int *flagsPtr, void *hostPtr);
hipError_t hipHostMalloc(void **ptr, size_t size, unsigned int flags);
hipError_t hipHostRegister(void *hostPtr, size_t sizeBytes, unsigned int flags);
hipError_t hipHostUnregister(void *hostPtr);
hipError_t hipMallocHost(void **ptr, size_t size);
hipError_t hipMemAllocHost(void **ptr, size_t size);

/* Managed memory. */

hipError_t hipMallocManaged(
    void **dev_ptr, size_t size, unsigned int flags HIP_DEFAULT_(hipMemAttachGlobal));
hipError_t hipMemAdvise(const void *dev_ptr, size_t count, hipMemoryAdvise advice, int device);
hipError_t hipMemAdvise_v2(
    const void *dev_ptr, size_t count, hipMemoryAdvise advice, hipMemLocation location);
hipError_t hipMemPrefetchAsync(
    const void *dev_ptr, size_t count, int device, hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipMemPrefetchAsync_v2(
    const void *dev_ptr, size_t count, hipMemLocation location, unsigned int flags,
    hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipMemRangeGetAttribute(
    void *data, size_t data_size, hipMemRangeAttribute attribute, const void *dev_ptr,
    size_t count);
hipError_t hipMemRangeGetAttributes(
    void **data, size_t *data_sizes, hipMemRangeAttribute *attributes, size_t num_attributes,
    const void *dev_ptr, size_t count);
hipError_t hipStreamAttachMemAsync(
    hipStream_t stream, void *dev_ptr, size_t length HIP_DEFAULT_(0),
    unsigned int flags HIP_DEFAULT_(hipMemAttachSingle));

/* Memory pools and stream-ordered allocation. */

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *mem_pool, int device);
hipError_t hipDeviceGetMemPool(hipMemPool_t *mem_pool, int device);
hipError_t hipDeviceSetMemPool(int device, hipMemPool_t mem_pool);
hipError_t hipFreeAsync(void *dev_ptr, hipStream_t stream);
hipError_t hipMallocAsync(void **dev_ptr, size_t size, hipStream_t stream);
hipError_t hipMallocFromPoolAsync(
    void **dev_ptr, size_t size, hipMemPool_t mem_pool, hipStream_t stream);
hipError_t hipMemPoolCreate(hipMemPool_t *mem_pool, const hipMemPoolProps *pool_props);
hipError_t hipMemPoolDestroy(hipMemPool_t mem_pool);
hipError_t hipMemPoolExportPointer(hipMemPoolPtrExportData *export_data, void *dev_ptr);
hipError_t hipMemPoolExportToShareableHandle(
    void *shared_handle, hipMemPool_t mem_pool, hipMemAllocationHandleType handle_type,
    unsigned int flags);
hipError_t hipMemPoolGetAccess(
    hipMemAccessFlags *flags, hipMemPool_t mem_pool, hipMemLocation *location);
hipError_t hipMemPoolGetAttribute(hipMemPool_t mem_pool, hipMemPoolAttr attr, void *value);
hipError_t hipMemPoolImportFromShareableHandle(
    hipMemPool_t *mem_pool, void *shared_handle, hipMemAllocationHandleType handle_type,
    unsigned int flags);
hipError_t hipMemPoolImportPointer(
    void **dev_ptr, hipMemPool_t mem_pool, hipMemPoolPtrExportData *export_data);
hipError_t hipMemPoolSetAccess(
    hipMemPool_t mem_pool, const hipMemAccessDesc *desc_list, size_t count);
hipError_t hipMemPoolSetAttribute(hipMemPool_t mem_pool, hipMemPoolAttr attr, void *value);
hipError_t hipMemPoolTrimTo(hipMemPool_t mem_pool, size_t min_bytes_to_hold);

/* Virtual memory. */

hipError_t hipMemAddressFree(void *devPtr, size_t size);
hipError_t hipMemAddressReserve(
    void **ptr, size_t size, size_t alignment, void *addr, unsigned long long flags);
hipError_t hipMemCreate(
    hipMemGenericAllocationHandle_t *handle, size_t size, const hipMemAllocationProp *prop,
    unsigned long long flags);
hipError_t hipMemExportToShareableHandle(
    void *shareableHandle, hipMemGenericAllocationHandle_t handle,
    hipMemAllocationHandleType handleType, unsigned long long flags);
hipError_t hipMemGetAccess(unsigned long long *flags, const hipMemLocation *location, void *ptr);
hipError_t hipMemGetAllocationGranularity(
    size_t *granularity, const hipMemAllocationProp *prop,
    hipMemAllocationGranularity_flags option);
hipError_t hipMemGetAllocationPropertiesFromHandle(
    hipMemAllocationProp *prop, hipMemGenericAllocationHandle_t handle);
hipError_t hipMemGetHandleForAddressRange(
    void *handle, hipDeviceptr_t dptr, size_t size, hipMemRangeHandleType handleType,
    unsigned long long flags);
hipError_t hipMemImportFromShareableHandle(
    hipMemGenericAllocationHandle_t *handle, void *osHandle,
    hipMemAllocationHandleType shHandleType);
hipError_t hipMemMap(
    void *ptr, size_t size, size_t offset, hipMemGenericAllocationHandle_t handle,
    unsigned long long flags);
hipError_t hipMemMapArrayAsync(
    hipArrayMapInfo *mapInfoList, unsigned int count, hipStream_t stream);
hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle);
hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t *handle, void *addr);
hipError_t hipMemSetAccess(void *ptr, size_t size, const hipMemAccessDesc *desc, size_t count);
hipError_t hipMemUnmap(void *ptr, size_t size);

/* Streams. */

hipError_t hipExtStreamCreateWithCUMask(
    hipStream_t *stream, uint32_t cuMaskSize, const uint32_t *cuMask);
hipError_t hipExtStreamGetCUMask(hipStream_t stream, uint32_t cuMaskSize, uint32_t *cuMask);
hipError_t hipStreamAddCallback(
    hipStream_t stream, hipStreamCallback_t callback, void *userData, unsigned int flags);
hipError_t hipStreamBatchMemOp(
    hipStream_t stream, unsigned int count, hipStreamBatchMemOpParams *paramArray,
    unsigned int flags);
hipError_t hipStreamCopyAttributes(hipStream_t dst, hipStream_t src);
hipError_t hipStreamCreate(hipStream_t *stream);
hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags);
hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned int flags, int priority);
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipStreamGetAttribute(
    hipStream_t stream, hipLaunchAttributeID attr, hipLaunchAttributeValue *value_out);
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device);
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int *flags);
hipError_t hipStreamGetId(hipStream_t stream, unsigned long long *streamId);
hipError_t hipStreamGetPriority(hipStream_t stream, int *priority);
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *pCaptureStatus);
hipError_t hipStreamQuery(hipStream_t stream);
hipError_t hipStreamSetAttribute(
    hipStream_t stream, hipLaunchAttributeID attr, const hipLaunchAttributeValue *value);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamWaitEvent(
    hipStream_t stream, hipEvent_t event, unsigned int flags HIP_DEFAULT_(0));
hipError_t hipStreamWaitValue32(
    hipStream_t stream, void *ptr, uint32_t value, unsigned int flags, uint32_t mask);
hipError_t hipStreamWaitValue64(
    hipStream_t stream, void *ptr, uint64_t value, unsigned int flags, uint64_t mask);
hipError_t hipStreamWriteValue32(hipStream_t stream, void *ptr, uint32_t value, unsigned int flags);
hipError_t hipStreamWriteValue64(hipStream_t stream, void *ptr, uint64_t value, unsigned int flags);

/* Events. */

hipError_t hipEventCreate(hipEvent_t *event);
hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned int flags);
hipError_t hipEventDestroy(hipEvent_t event);
hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop);
hipError_t hipEventQuery(hipEvent_t event);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream);
hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned int flags);
hipError_t hipEventSynchronize(hipEvent_t event);

/* Modules, libraries, linker. */

hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute attrib, hipFunction_t hfunc);
hipError_t hipFuncGetAttributes(struct hipFuncAttributes *attr, const void *func);
hipError_t hipFuncSetAttribute(const void *func, hipFuncAttribute attr, int value);
hipError_t hipFuncSetCacheConfig(const void *func, hipFuncCache_t config);
hipError_t hipFuncSetSharedMemConfig(const void *func, hipSharedMemConfig config);
hipError_t hipGetFuncBySymbol(hipFunction_t *functionPtr, const void *symbolPtr);
hipError_t hipKernelGetLibrary(hipLibrary_t *library, hipKernel_t kernel);
hipError_t hipKernelGetName(const char **name, hipKernel_t kernel);
hipError_t hipLibraryEnumerateKernels(
    hipKernel_t *kernels, unsigned int numKernels, hipLibrary_t library);
hipError_t hipLibraryGetKernel(hipKernel_t *pKernel, hipLibrary_t library, const char *name);
hipError_t hipLibraryGetKernelCount(unsigned int *count, hipLibrary_t library);
hipError_t hipLibraryLoadData(
    hipLibrary_t *library, const void *code, hipJitOption *jitOptions, void **jitOptionsValues,
    unsigned int numJitOptions, hipLibraryOption *libraryOptions, void **libraryOptionValues,
    unsigned int numLibraryOptions);
hipError_t hipLibraryLoadFromFile(
    hipLibrary_t *library, const char *fileName, hipJitOption *jitOptions,
    void **jitOptionsValues, unsigned int numJitOptions, hipLibraryOption *libraryOptions,
    void **libraryOptionValues, unsigned int numLibraryOptions);
hipError_t hipLibraryUnload(hipLibrary_t library);
hipError_t hipLinkAddData(
    hipLinkState_t state, hipJitInputType type, void *data, size_t size, const char *name,
    unsigned int numOptions, hipJitOption *options, void **optionValues);
hipError_t hipLinkAddFile(
    hipLinkState_t state, hipJitInputType type, const char *path, unsigned int numOptions,
    hipJitOption *options, void **optionValues);
hipError_t hipLinkComplete(hipLinkState_t state, void **hipBinOut, size_t *sizeOut);
hipError_t hipLinkCreate(
    unsigned int numOptions, hipJitOption *options, void **optionValues, hipLinkState_t *stateOut);
hipError_t hipLinkDestroy(hipLinkState_t state);
hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *kname);
hipError_t hipModuleGetFunctionCount(unsigned int *count, hipModule_t mod);
hipError_t hipModuleGetGlobal(
    hipDeviceptr_t *dptr, size_t *bytes, hipModule_t hmod, const char *name);
hipError_t hipModuleLoad(hipModule_t *module, const char *fname);
hipError_t hipModuleLoadData(hipModule_t *module, const void *image);
hipError_t hipModuleLoadDataEx(
    hipModule_t *module, const void *image, unsigned int numOptions, hipJitOption *options,
    void **optionValues);
hipError_t hipModuleLoadFatBinary(hipModule_t *module, const void *fatbin);
hipError_t hipModuleUnload(hipModule_t module);

/* Launches. */

hipError_t hipConfigureCall(
    dim3 gridDim, dim3 blockDim, size_t sharedMem HIP_DEFAULT_(0),
    hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipDrvLaunchKernelEx(
    const HIP_LAUNCH_CONFIG *config, hipFunction_t f, void **params, void **extra);
hipError_t hipExtLaunchMultiKernelMultiDevice(
    hipLaunchParams *launchParamsList, int numDevices, unsigned int flags);
hipError_t hipLaunchByPtr(const void *func);
hipError_t hipLaunchCooperativeKernel(
    const void *f, dim3 gridDim, dim3 blockDimX, void **kernelParams, unsigned int sharedMemBytes,
    hipStream_t stream);
hipError_t hipLaunchCooperativeKernelMultiDevice(
    hipLaunchParams *launchParamsList, int numDevices, unsigned int flags);
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t fn, void *userData);
hipError_t hipLaunchKernel(
    const void *function_address, dim3 numBlocks, dim3 dimBlocks, void **args,
    size_t sharedMemBytes HIP_DEFAULT_(0), hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipLaunchKernelExC(const hipLaunchConfig_t *config, const void *fPtr, void **args);
hipError_t hipModuleLaunchCooperativeKernel(
    hipFunction_t f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
    unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
    unsigned int sharedMemBytes, hipStream_t stream, void **kernelParams);
hipError_t hipModuleLaunchCooperativeKernelMultiDevice(
    hipFunctionLaunchParams *launchParamsList, unsigned int numDevices, unsigned int flags);
hipError_t hipModuleLaunchKernel(
    hipFunction_t f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
    unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
    unsigned int sharedMemBytes, hipStream_t stream, void **kernelParams, void **extra);
hipError_t hipSetupArgument(const void *arg, size_t size, size_t offset);

/* Occupancy. */

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
    int *numBlocks, hipFunction_t f, int blockSize, size_t dynSharedMemPerBlk);
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *numBlocks, hipFunction_t f, int blockSize, size_t dynSharedMemPerBlk, unsigned int flags);
hipError_t hipModuleOccupancyMaxPotentialBlockSize(
    int *gridSize, int *blockSize, hipFunction_t f, size_t dynSharedMemPerBlk, int blockSizeLimit);
hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(
    int *gridSize, int *blockSize, hipFunction_t f, size_t dynSharedMemPerBlk, int blockSizeLimit,
    unsigned int flags);
hipError_t hipOccupancyAvailableDynamicSMemPerBlock(
    size_t *dynamicSmemSize, const void *f, int numBlocks, int blockSize);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(
    int *numBlocks, const void *f, int blockSize, size_t dynSharedMemPerBlk);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *numBlocks, const void *f, int blockSize, size_t dynSharedMemPerBlk,
    unsigned int flags HIP_DEFAULT_(hipOccupancyDefault));
hipError_t hipOccupancyMaxPotentialBlockSize(
    int *gridSize, int *blockSize, const void *f, size_t dynSharedMemPerBlk, int blockSizeLimit);

/* Graphs. */

hipError_t hipDeviceGetGraphMemAttribute(int device, hipGraphMemAttributeType attr, void *value);
hipError_t hipDeviceGraphMemTrim(int device);
hipError_t hipDeviceSetGraphMemAttribute(int device, hipGraphMemAttributeType attr, void *value);
hipError_t hipDrvGraphAddMemFreeNode(
    hipGraphNode_t *phGraphNode, hipGraph_t hGraph, const hipGraphNode_t *dependencies,
    size_t numDependencies, hipDeviceptr_t dptr);
hipError_t hipDrvGraphAddMemcpyNode(
    hipGraphNode_t *phGraphNode, hipGraph_t hGraph, const hipGraphNode_t *dependencies,
    size_t numDependencies, const HIP_MEMCPY3D *copyParams, hipCtx_t ctx);
hipError_t hipDrvGraphAddMemsetNode(
    hipGraphNode_t *phGraphNode, hipGraph_t hGraph, const hipGraphNode_t *dependencies,
    size_t numDependencies, const hipMemsetParams *memsetParams, hipCtx_t ctx);
hipError_t hipDrvGraphExecMemcpyNodeSetParams(
    hipGraphExec_t hGraphExec, hipGraphNode_t hNode, const HIP_MEMCPY3D *copyParams, hipCtx_t ctx);
hipError_t hipDrvGraphExecMemsetNodeSetParams(
    hipGraphExec_t hGraphExec, hipGraphNode_t hNode, const hipMemsetParams *memsetParams,
    hipCtx_t ctx);
hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t hNode, HIP_MEMCPY3D *nodeParams);
hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t hNode, const HIP_MEMCPY3D *nodeParams);
hipError_t hipGraphAddBatchMemOpNode(
    hipGraphNode_t *phGraphNode, hipGraph_t hGraph, const hipGraphNode_t *dependencies,
    size_t numDependencies, const hipBatchMemOpNodeParams *nodeParams);
hipError_t hipGraphAddChildGraphNode(
    hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies,
    size_t numDependencies, hipGraph_t childGraph);
hipError_t hipGraphAddDependencies(
    hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to, size_t numDependencies);
hipError_t hipGraphAddEmptyNode(
    hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies,
    size_t numDependencies);
hipError_t hipGraphAddEventRecordNode(
    hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies,
    size_t numDependencies, hipEvent_t event);
hipError_t hipGraphAddEventWaitNode(
    hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies,
    size_t numDependencies, hipEvent_t event);
hipError_t hipGraphAddExternalSemaphoresSignalNode(
    hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies,
    size_t numDependencies, const hipExternalSemaphoreSignalNodeParams *nodeParams);
hipError_t hipGraphAddExternalSemaphoresWaitNode(
    hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies,
    size_t numDependencies, const hipExternalSemaphoreWaitNodeParams *nodeParams);
hipError_t hipGraphAddHostNode(
    hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies,
    size_t numDependencies, const hipHostNodeParams *pNodeParams);
hipError_t hipGraphAddKernelNode(
    hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies,
    size_t numDependencies, const hipKernelNodeParams *pNodeParams);
hipError_t hipGraphAddMemAllocNode(
    hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies,
    size_t numDependencies, hipMemAllocNodeParams *pNodeParams);
hipError_t hipGraphAddMemFreeNode(
    hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies,
    size_t numDependencies, void *dev_ptr);
hipError_t hipGraphAddMemcpyNode(
    hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies,
    size_t numDependencies, const hipMemcpy3DParms *pCopyParams);
hipError_t hipGraphAddMemcpyNode1D(
    hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies,
    size_t numDependencies, void *dst, const void *src, size_t count, hipMemcpyKind kind);
hipError_t hipGraphAddMemcpyNodeFromSymbol(
    hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies,
    size_t numDependencies, void *dst, const void *symbol, size_t count, size_t offset,
    hipMemcpyKind kind);
hipError_t hipGraphAddMemcpyNodeToSymbol(
    hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies,
    size_t numDependencies, const void *symbol, const void *src, size_t count, size_t offset,
    hipMemcpyKind kind);
hipError_t hipGraphAddMemsetNode(
    hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies,
    size_t numDependencies, const hipMemsetParams *pMemsetParams);
hipError_t hipGraphAddNode(
    hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies,
    size_t numDependencies, hipGraphNodeParams *nodeParams);
hipError_t hipGraphBatchMemOpNodeGetParams(
    hipGraphNode_t hNode, hipBatchMemOpNodeParams *nodeParams_out);
hipError_t hipGraphBatchMemOpNodeSetParams(
    hipGraphNode_t hNode, hipBatchMemOpNodeParams *nodeParams);
hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t *pGraph);
hipError_t hipGraphClone(hipGraph_t *pGraphClone, hipGraph_t originalGraph);
hipError_t hipGraphCreate(hipGraph_t *pGraph, unsigned int flags);
hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char *path, unsigned int flags);
hipError_t hipGraphDestroy(hipGraph_t graph);
hipError_t hipGraphDestroyNode(hipGraphNode_t node);
hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t *event_out);
hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event);
hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t *event_out);
hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event);
hipError_t hipGraphExecBatchMemOpNodeSetParams(
    hipGraphExec_t hGraphExec, hipGraphNode_t hNode, const hipBatchMemOpNodeParams *nodeParams);
hipError_t hipGraphExecChildGraphNodeSetParams(
    hipGraphExec_t hGraphExec, hipGraphNode_t node, hipGraph_t childGraph);
hipError_t hipGraphExecDestroy(hipGraphExec_t graphExec);
hipError_t hipGraphExecEventRecordNodeSetEvent(
    hipGraphExec_t hGraphExec, hipGraphNode_t hNode, hipEvent_t event);
hipError_t hipGraphExecEventWaitNodeSetEvent(
    hipGraphExec_t hGraphExec, hipGraphNode_t hNode, hipEvent_t event);
hipError_t hipGraphExecExternalSemaphoresSignalNodeSetParams(
    hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
    const hipExternalSemaphoreSignalNodeParams *nodeParams);
hipError_t hipGraphExecExternalSemaphoresWaitNodeSetParams(
    hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
    const hipExternalSemaphoreWaitNodeParams *nodeParams);
hipError_t hipGraphExecGetFlags(hipGraphExec_t graphExec, unsigned long long *flags);
hipError_t hipGraphExecHostNodeSetParams(
    hipGraphExec_t hGraphExec, hipGraphNode_t node, const hipHostNodeParams *pNodeParams);
hipError_t hipGraphExecKernelNodeSetParams(
    hipGraphExec_t hGraphExec, hipGraphNode_t node, const hipKernelNodeParams *pNodeParams);
hipError_t hipGraphExecMemcpyNodeSetParams(
    hipGraphExec_t hGraphExec, hipGraphNode_t node, hipMemcpy3DParms *pNodeParams);
hipError_t hipGraphExecMemcpyNodeSetParams1D(
    hipGraphExec_t hGraphExec, hipGraphNode_t node, void *dst, const void *src, size_t count,
    hipMemcpyKind kind);
hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(
    hipGraphExec_t hGraphExec, hipGraphNode_t node, void *dst, const void *symbol, size_t count,
    size_t offset, hipMemcpyKind kind);
hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(
    hipGraphExec_t hGraphExec, hipGraphNode_t node, const void *symbol, const void *src,
    size_t count, size_t offset, hipMemcpyKind kind);
hipError_t hipGraphExecMemsetNodeSetParams(
    hipGraphExec_t hGraphExec, hipGraphNode_t node, const hipMemsetParams *pNodeParams);
hipError_t hipGraphExecNodeSetParams(
    hipGraphExec_t graphExec, hipGraphNode_t node, hipGraphNodeParams *nodeParams);
hipError_t hipGraphExecUpdate(
    hipGraphExec_t hGraphExec, hipGraph_t hGraph, hipGraphNode_t *hErrorNode_out,
    hipGraphExecUpdateResult *updateResult_out);
hipError_t hipGraphExternalSemaphoresSignalNodeGetParams(
    hipGraphNode_t hNode, hipExternalSemaphoreSignalNodeParams *params_out);
hipError_t hipGraphExternalSemaphoresSignalNodeSetParams(
    hipGraphNode_t hNode, const hipExternalSemaphoreSignalNodeParams *nodeParams);
hipError_t hipGraphExternalSemaphoresWaitNodeGetParams(
    hipGraphNode_t hNode, hipExternalSemaphoreWaitNodeParams *params_out);
hipError_t hipGraphExternalSemaphoresWaitNodeSetParams(
    hipGraphNode_t hNode, const hipExternalSemaphoreWaitNodeParams *nodeParams);
hipError_t hipGraphGetEdges(
    hipGraph_t graph, hipGraphNode_t *from, hipGraphNode_t *to, size_t *numEdges);
hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *numNodes);
hipError_t hipGraphGetRootNodes(
    hipGraph_t graph, hipGraphNode_t *pRootNodes, size_t *pNumRootNodes);
hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams *pNodeParams);
hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams *pNodeParams);
hipError_t hipGraphInstantiate(
    hipGraphExec_t *pGraphExec, hipGraph_t graph, hipGraphNode_t *pErrorNode, char *pLogBuffer,
    size_t bufferSize);
hipError_t hipGraphInstantiateWithFlags(
    hipGraphExec_t *pGraphExec, hipGraph_t graph, unsigned long long flags);
hipError_t hipGraphInstantiateWithParams(
    hipGraphExec_t *pGraphExec, hipGraph_t graph, hipGraphInstantiateParams *instantiateParams);
hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t hSrc, hipGraphNode_t hDst);
hipError_t hipGraphKernelNodeGetAttribute(
    hipGraphNode_t hNode, hipLaunchAttributeID attr, hipLaunchAttributeValue *value);
hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams *pNodeParams);
hipError_t hipGraphKernelNodeSetAttribute(
    hipGraphNode_t hNode, hipLaunchAttributeID attr, const hipLaunchAttributeValue *value);
hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams *pNodeParams);
hipError_t hipGraphLaunch(hipGraphExec_t graphExec, hipStream_t stream);
hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node, hipMemAllocNodeParams *pNodeParams);
hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void *dev_ptr);
hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms *pNodeParams);
hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms *pNodeParams);
hipError_t hipGraphMemcpyNodeSetParams1D(
    hipGraphNode_t node, void *dst, const void *src, size_t count, hipMemcpyKind kind);
hipError_t hipGraphMemcpyNodeSetParamsFromSymbol(
    hipGraphNode_t node, void *dst, const void *symbol, size_t count, size_t offset,
    hipMemcpyKind kind);
hipError_t hipGraphMemcpyNodeSetParamsToSymbol(
    hipGraphNode_t node, const void *symbol, const void *src, size_t count, size_t offset,
    hipMemcpyKind kind);
hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams *pNodeParams);
hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams *pNodeParams);
hipError_t hipGraphNodeFindInClone(
    hipGraphNode_t *pNode, hipGraphNode_t originalNode, hipGraph_t clonedGraph);
hipError_t hipGraphNodeGetDependencies(
    hipGraphNode_t node, hipGraphNode_t *pDependencies, size_t *pNumDependencies);
hipError_t hipGraphNodeGetDependentNodes(
    hipGraphNode_t node, hipGraphNode_t *pDependentNodes, size_t *pNumDependentNodes);
hipError_t hipGraphNodeGetEnabled(
    hipGraphExec_t hGraphExec, hipGraphNode_t hNode, unsigned int *isEnabled);
hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType *pType);
hipError_t hipGraphNodeSetEnabled(
    hipGraphExec_t hGraphExec, hipGraphNode_t hNode, unsigned int isEnabled);
hipError_t hipGraphNodeSetParams(hipGraphNode_t node, hipGraphNodeParams *nodeParams);
hipError_t hipGraphReleaseUserObject(
    hipGraph_t graph, hipUserObject_t object, unsigned int count HIP_DEFAULT_(1));
hipError_t hipGraphRemoveDependencies(
    hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to, size_t numDependencies);
hipError_t hipGraphRetainUserObject(
    hipGraph_t graph, hipUserObject_t object, unsigned int count HIP_DEFAULT_(1),
    unsigned int flags HIP_DEFAULT_(0));
hipError_t hipGraphUpload(hipGraphExec_t graphExec, hipStream_t stream);
hipError_t hipUserObjectCreate(
    hipUserObject_t *object_out, void *ptr, hipHostFn_t destroy, unsigned int initialRefcount,
    unsigned int flags);
hipError_t hipUserObjectRelease(hipUserObject_t object, unsigned int count HIP_DEFAULT_(1));
hipError_t hipUserObjectRetain(hipUserObject_t object, unsigned int count HIP_DEFAULT_(1));

/* Stream capture. */

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode);
hipError_t hipStreamBeginCaptureToGraph(
    hipStream_t stream, hipGraph_t graph, const hipGraphNode_t *dependencies,
    const hipGraphEdgeData *dependencyData, size_t numDependencies, hipStreamCaptureMode mode);
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *pGraph);
hipError_t hipStreamGetCaptureInfo(
    hipStream_t stream, hipStreamCaptureStatus *pCaptureStatus, unsigned long long *pId);
hipError_t hipStreamGetCaptureInfo_v2(
    hipStream_t stream, hipStreamCaptureStatus *captureStatus_out,
    unsigned long long *id_out HIP_DEFAULT_(0), hipGraph_t *graph_out HIP_DEFAULT_(0),
    const hipGraphNode_t **dependencies_out HIP_DEFAULT_(0),
    size_t *numDependencies_out HIP_DEFAULT_(0));
hipError_t hipStreamUpdateCaptureDependencies(
    hipStream_t stream, hipGraphNode_t *dependencies, size_t numDependencies,
    unsigned int flags HIP_DEFAULT_(0));
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode);

/* Arrays, textures, surfaces. */

hipError_t hipArray3DCreate(hipArray_t *array, const HIP_ARRAY3D_DESCRIPTOR *pAllocateArray);
hipError_t hipArray3DGetDescriptor(HIP_ARRAY3D_DESCRIPTOR *pArrayDescriptor, hipArray_t array);
hipError_t hipArrayCreate(hipArray_t *pHandle, const HIP_ARRAY_DESCRIPTOR *pAllocateArray);
hipError_t hipArrayDestroy(hipArray_t array);
hipError_t hipArrayGetDescriptor(HIP_ARRAY_DESCRIPTOR *pArrayDescriptor, hipArray_t array);
hipError_t hipArrayGetInfo(
    hipChannelFormatDesc *desc, hipExtent *extent, unsigned int *flags, hipArray_t array);
hipError_t hipBindTexture(
    size_t *offset, const textureReference *tex, const void *devPtr,
    const hipChannelFormatDesc *desc, size_t size);
hipError_t hipBindTexture2D(
    size_t *offset, const textureReference *tex, const void *devPtr,
    const hipChannelFormatDesc *desc, size_t width, size_t height, size_t pitch);
hipError_t hipBindTextureToArray(
    const textureReference *tex, hipArray_const_t array, const hipChannelFormatDesc *desc);
hipError_t hipBindTextureToMipmappedArray(
    const textureReference *tex, hipMipmappedArray_const_t mipmappedArray,
    const hipChannelFormatDesc *desc);
hipError_t hipCreateSurfaceObject(hipSurfaceObject_t *pSurfObject, const hipResourceDesc *pResDesc);
hipError_t hipCreateTextureObject(
    hipTextureObject_t *pTexObject, const hipResourceDesc *pResDesc,
    const hipTextureDesc *pTexDesc, const struct hipResourceViewDesc *pResViewDesc);
hipError_t hipDestroySurfaceObject(hipSurfaceObject_t surfaceObject);
hipError_t hipDestroyTextureObject(hipTextureObject_t textureObject);
hipError_t hipDeviceGetTexture1DLinearMaxWidth(
    size_t *max_width, const hipChannelFormatDesc *desc, int device);
hipError_t hipFreeArray(hipArray_t array);
hipError_t hipFreeMipmappedArray(hipMipmappedArray_t mipmappedArray);
hipError_t hipGetChannelDesc(hipChannelFormatDesc *desc, hipArray_const_t array);
hipError_t hipGetMipmappedArrayLevel(
    hipArray_t *levelArray, hipMipmappedArray_const_t mipmappedArray, unsigned int level);
hipError_t hipGetTextureAlignmentOffset(size_t *offset, const textureReference *texref);
hipError_t hipGetTextureObjectResourceDesc(
    hipResourceDesc *pResDesc, hipTextureObject_t textureObject);
hipError_t hipGetTextureObjectResourceViewDesc(
    struct hipResourceViewDesc *pResViewDesc, hipTextureObject_t textureObject);
hipError_t hipGetTextureObjectTextureDesc(
    hipTextureDesc *pTexDesc, hipTextureObject_t textureObject);
hipError_t hipGetTextureReference(const textureReference **texref, const void *symbol);
hipError_t hipMalloc3DArray(
    hipArray_t *array, const struct hipChannelFormatDesc *desc, struct hipExtent extent,
    unsigned int flags);
hipError_t hipMallocArray(
    hipArray_t *array, const hipChannelFormatDesc *desc, size_t width,
    size_t height HIP_DEFAULT_(0), unsigned int flags HIP_DEFAULT_(hipArrayDefault));
hipError_t hipMallocMipmappedArray(
    hipMipmappedArray_t *mipmappedArray, const struct hipChannelFormatDesc *desc,
    struct hipExtent extent, unsigned int numLevels, unsigned int flags HIP_DEFAULT_(0));
hipError_t hipMemcpy2DArrayToArray(
    hipArray_t dst, size_t wOffsetDst, size_t hOffsetDst, hipArray_const_t src, size_t wOffsetSrc,
    size_t hOffsetSrc, size_t width, size_t height, hipMemcpyKind kind);
hipError_t hipMemcpy2DFromArray(
    void *dst, size_t dpitch, hipArray_const_t src, size_t wOffset, size_t hOffset, size_t width,
    size_t height, hipMemcpyKind kind);
hipError_t hipMemcpy2DFromArrayAsync(
    void *dst, size_t dpitch, hipArray_const_t src, size_t wOffset, size_t hOffset, size_t width,
    size_t height, hipMemcpyKind kind, hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipMemcpy2DToArray(
    hipArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch, size_t width,
    size_t height, hipMemcpyKind kind);
hipError_t hipMemcpy2DToArrayAsync(
    hipArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch, size_t width,
    size_t height, hipMemcpyKind kind, hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipMemcpyAtoA(
    hipArray_t dstArray, size_t dstOffset, hipArray_t srcArray, size_t srcOffset, size_t ByteCount);
hipError_t hipMemcpyAtoD(
    hipDeviceptr_t dstDevice, hipArray_t srcArray, size_t srcOffset, size_t ByteCount);
hipError_t hipMemcpyAtoH(void *dst, hipArray_t srcArray, size_t srcOffset, size_t count);
hipError_t hipMemcpyAtoHAsync(
    void *dstHost, hipArray_t srcArray, size_t srcOffset, size_t ByteCount, hipStream_t stream);
hipError_t hipMemcpyDtoA(
    hipArray_t dstArray, size_t dstOffset, hipDeviceptr_t srcDevice, size_t ByteCount);
hipError_t hipMemcpyFromArray(
    void *dst, hipArray_const_t srcArray, size_t wOffset, size_t hOffset, size_t count,
    hipMemcpyKind kind);
hipError_t hipMemcpyHtoA(hipArray_t dstArray, size_t dstOffset, const void *srcHost, size_t count);
hipError_t hipMemcpyHtoAAsync(
    hipArray_t dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount,
    hipStream_t stream);
hipError_t hipMemcpyToArray(
    hipArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count,
    hipMemcpyKind kind);
hipError_t hipMipmappedArrayCreate(
    hipMipmappedArray_t *pHandle, HIP_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc,
    unsigned int numMipmapLevels);
hipError_t hipMipmappedArrayDestroy(hipMipmappedArray_t hMipmappedArray);
hipError_t hipMipmappedArrayGetLevel(
    hipArray_t *pLevelArray, hipMipmappedArray_t hMipMappedArray, unsigned int level);
hipError_t hipModuleGetTexRef(textureReference **texRef, hipModule_t hmod, const char *name);
hipError_t hipTexObjectCreate(
    hipTextureObject_t *pTexObject, const HIP_RESOURCE_DESC *pResDesc,
    const HIP_TEXTURE_DESC *pTexDesc, const HIP_RESOURCE_VIEW_DESC *pResViewDesc);
hipError_t hipTexObjectDestroy(hipTextureObject_t texObject);
hipError_t hipTexObjectGetResourceDesc(HIP_RESOURCE_DESC *pResDesc, hipTextureObject_t texObject);
hipError_t hipTexObjectGetResourceViewDesc(
    HIP_RESOURCE_VIEW_DESC *pResViewDesc, hipTextureObject_t texObject);
hipError_t hipTexObjectGetTextureDesc(HIP_TEXTURE_DESC *pTexDesc, hipTextureObject_t texObject);
hipError_t hipTexRefGetAddress(hipDeviceptr_t *dev_ptr, const textureReference *texRef);
hipError_t hipTexRefGetAddressMode(
    enum hipTextureAddressMode *pam, const textureReference *texRef, int dim);
hipError_t hipTexRefGetArray(hipArray_t *pArray, const textureReference *texRef);
hipError_t hipTexRefGetBorderColor(float *pBorderColor, const textureReference *texRef);
hipError_t hipTexRefGetFilterMode(enum hipTextureFilterMode *pfm, const textureReference *texRef);
hipError_t hipTexRefGetFlags(unsigned int *pFlags, const textureReference *texRef);
hipError_t hipTexRefGetFormat(
    hipArray_Format *pFormat, int *pNumChannels, const textureReference *texRef);
hipError_t hipTexRefGetMaxAnisotropy(int *pmaxAnsio, const textureReference *texRef);
hipError_t hipTexRefGetMipMappedArray(hipMipmappedArray_t *pArray, const textureReference *texRef);
hipError_t hipTexRefGetMipmapFilterMode(
    enum hipTextureFilterMode *pfm, const textureReference *texRef);
hipError_t hipTexRefGetMipmapLevelBias(float *pbias, const textureReference *texRef);
hipError_t hipTexRefGetMipmapLevelClamp(
    float *pminMipmapLevelClamp, float *pmaxMipmapLevelClamp, const textureReference *texRef);
hipError_t hipTexRefSetAddress(
    size_t *ByteOffset, textureReference *texRef, hipDeviceptr_t dptr, size_t bytes);
hipError_t hipTexRefSetAddress2D(
    textureReference *texRef, const HIP_ARRAY_DESCRIPTOR *desc, hipDeviceptr_t dptr, size_t Pitch);
hipError_t hipTexRefSetAddressMode(
    textureReference *texRef, int dim, enum hipTextureAddressMode am);
hipError_t hipTexRefSetArray(textureReference *tex, hipArray_const_t array, unsigned int flags);
hipError_t hipTexRefSetBorderColor(textureReference *texRef, float *pBorderColor);
hipError_t hipTexRefSetFilterMode(textureReference *texRef, enum hipTextureFilterMode fm);
hipError_t hipTexRefSetFlags(textureReference *texRef, unsigned int Flags);
hipError_t hipTexRefSetFormat(
    textureReference *texRef, hipArray_Format fmt, int NumPackedComponents);
hipError_t hipTexRefSetMaxAnisotropy(textureReference *texRef, unsigned int maxAniso);
hipError_t hipTexRefSetMipmapFilterMode(textureReference *texRef, enum hipTextureFilterMode fm);
hipError_t hipTexRefSetMipmapLevelBias(textureReference *texRef, float bias);
hipError_t hipTexRefSetMipmapLevelClamp(
    textureReference *texRef, float minMipMapLevelClamp, float maxMipMapLevelClamp);
hipError_t hipTexRefSetMipmappedArray(
    textureReference *texRef, struct hipMipmappedArray *mipmappedArray, unsigned int Flags);
hipError_t hipUnbindTexture(const textureReference *tex);

/* Peers. */

hipError_t hipCtxDisablePeerAccess(hipCtx_t peerCtx);
hipError_t hipCtxEnablePeerAccess(hipCtx_t peerCtx, unsigned int flags);
hipError_t hipDeviceCanAccessPeer(int *canAccessPeer, int deviceId, int peerDeviceId);
hipError_t hipDeviceDisablePeerAccess(int peerDeviceId);
hipError_t hipDeviceEnablePeerAccess(int peerDeviceId, unsigned int flags);
hipError_t hipDeviceGetP2PAttribute(
    int *value, hipDeviceP2PAttr attr, int srcDevice, int dstDevice);
hipError_t hipExtGetLinkTypeAndHopCount(
    int device1, int device2, uint32_t *linktype, uint32_t *hopcount);
hipError_t hipMemcpy3DPeer(hipMemcpy3DPeerParms *p);
hipError_t hipMemcpy3DPeerAsync(hipMemcpy3DPeerParms *p, hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipMemcpyPeer(
    void *dst, int dstDeviceId, const void *src, int srcDeviceId, size_t sizeBytes);
hipError_t hipMemcpyPeerAsync(
    void *dst, int dstDeviceId, const void *src, int srcDevice, size_t sizeBytes,
    hipStream_t stream HIP_DEFAULT_(0));

/* Sharing between processes. */

hipError_t hipIpcCloseMemHandle(void *devPtr);
hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t *handle, hipEvent_t event);
hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *handle, void *devPtr);
hipError_t hipIpcOpenEventHandle(hipEvent_t *event, hipIpcEventHandle_t handle);
hipError_t hipIpcOpenMemHandle(void **devPtr, hipIpcMemHandle_t handle, unsigned int flags);

/* External memory and semaphores. */

hipError_t hipDestroyExternalMemory(hipExternalMemory_t extMem);
hipError_t hipDestroyExternalSemaphore(hipExternalSemaphore_t extSem);
hipError_t hipExternalMemoryGetMappedBuffer(
    void **devPtr, hipExternalMemory_t extMem, const hipExternalMemoryBufferDesc *bufferDesc);
hipError_t hipImportExternalMemory(
    hipExternalMemory_t *extMem_out, const hipExternalMemoryHandleDesc *memHandleDesc);
hipError_t hipImportExternalSemaphore(
    hipExternalSemaphore_t *extSem_out, const hipExternalSemaphoreHandleDesc *semHandleDesc);
hipError_t hipSignalExternalSemaphoresAsync(
    const hipExternalSemaphore_t *extSemArray,
    const hipExternalSemaphoreSignalParams *paramsArray, unsigned int numExtSems,
    hipStream_t stream);
hipError_t hipWaitExternalSemaphoresAsync(
    const hipExternalSemaphore_t *extSemArray, const hipExternalSemaphoreWaitParams *paramsArray,
    unsigned int numExtSems, hipStream_t stream);

/* Graphics interoperation. */

hipError_t hipGraphicsMapResources(
    int count, hipGraphicsResource_t *resources, hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipGraphicsResourceGetMappedPointer(
    void **devPtr, size_t *size, hipGraphicsResource_t resource);
hipError_t hipGraphicsSubResourceGetMappedArray(
    hipArray_t *array, hipGraphicsResource_t resource, unsigned int arrayIndex,
    unsigned int mipLevel);
hipError_t hipGraphicsUnmapResources(
    int count, hipGraphicsResource_t *resources, hipStream_t stream HIP_DEFAULT_(0));
hipError_t hipGraphicsUnregisterResource(hipGraphicsResource_t resource);

/* Profilers and tools. */

const char *hipApiName(uint32_t id);
int hipGetStreamDeviceId(hipStream_t stream);
const char *hipKernelNameRef(const hipFunction_t f);
const char *hipKernelNameRefByPtr(const void *hostFunction, hipStream_t stream);
hipError_t hipProfilerStart(void);
hipError_t hipProfilerStop(void);

/* The rest. */

hipError_t hipGetDriverEntryPoint(
    const char *symbol, void **funcPtr, unsigned long long flags,
    hipDriverEntryPointQueryResult *driverStatus);
hipError_t hipGetProcAddress(
    const char *symbol, void **pfn, int hipVersion, uint64_t flags,
    hipDriverProcAddressQueryResult *symbolStatus);

/* What the compiler emits around a <<<>>> launch. */

hipError_t __hipPopCallConfiguration(
    dim3 *gridDim, dim3 *blockDim, size_t *sharedMem, hipStream_t *stream);
hipError_t __hipPushCallConfiguration(
    dim3 gridDim, dim3 blockDim, size_t sharedMem HIP_DEFAULT_(0),
    hipStream_t stream HIP_DEFAULT_(0));

#ifdef __cplusplus
}
#endif

#include <hip/channel_descriptor.h>
#include <hip/detail/per_thread_stream.h>

#if defined(__cplusplus) && !defined(__HIP_DISABLE_CPP_FUNCTIONS__)

/* Overloads for typed pointers, symbols and kernels. */

template <class T> static inline hipError_t hipMalloc(T **ptr, size_t size) {
  return hipMalloc(reinterpret_cast<void **>(ptr), size);
}

template <class T>
static inline hipError_t hipMallocPitch(T **ptr, size_t *pitch, size_t width, size_t height) {
  return hipMallocPitch(reinterpret_cast<void **>(ptr), pitch, width, height);
}

template <class T>
static inline hipError_t hipHostMalloc(T **ptr, size_t size,
                                       unsigned int flags = hipHostMallocDefault) {
  return hipHostMalloc(reinterpret_cast<void **>(ptr), size, flags);
}

template <class T>
static inline hipError_t hipHostAlloc(T **ptr, size_t size,
                                      unsigned int flags = hipHostAllocDefault) {
  return hipHostAlloc(reinterpret_cast<void **>(ptr), size, flags);
}

template <class T>
static inline hipError_t hipMallocManaged(T **ptr, size_t size,
                                          unsigned int flags = hipMemAttachGlobal) {
  return hipMallocManaged(reinterpret_cast<void **>(ptr), size, flags);
}

template <class T>
static inline hipError_t hipMallocAsync(T **ptr, size_t size, hipStream_t stream) {
  return hipMallocAsync(reinterpret_cast<void **>(ptr), size, stream);
}

template <class T>
static inline hipError_t hipMallocAsync(T **ptr, size_t size, hipMemPool_t pool,
                                        hipStream_t stream) {
  return hipMallocFromPoolAsync(reinterpret_cast<void **>(ptr), size, pool, stream);
}

template <class T>
static inline hipError_t hipMallocFromPoolAsync(T **ptr, size_t size, hipMemPool_t pool,
                                                hipStream_t stream) {
  return hipMallocFromPoolAsync(reinterpret_cast<void **>(ptr), size, pool, stream);
}

/* A symbol is named by the address of its host shadow. */

template <class T> static inline hipError_t hipGetSymbolAddress(void **ptr, const T &symbol) {
  return hipGetSymbolAddress(ptr, reinterpret_cast<const void *>(&symbol));
}

template <class T> static inline hipError_t hipGetSymbolSize(size_t *size, const T &symbol) {
  return hipGetSymbolSize(size, reinterpret_cast<const void *>(&symbol));
}

template <class T>
static inline hipError_t hipMemcpyToSymbol(const T &symbol, const void *src, size_t size,
                                           size_t offset = 0,
                                           hipMemcpyKind kind = hipMemcpyHostToDevice) {
  return hipMemcpyToSymbol(reinterpret_cast<const void *>(&symbol), src, size, offset, kind);
}

template <class T>
static inline hipError_t hipMemcpyToSymbolAsync(const T &symbol, const void *src, size_t size,
                                                size_t offset, hipMemcpyKind kind,
                                                hipStream_t stream = 0) {
  return hipMemcpyToSymbolAsync(reinterpret_cast<const void *>(&symbol), src, size, offset, kind,
                                stream);
}

template <class T>
static inline hipError_t hipMemcpyFromSymbol(void *dst, const T &symbol, size_t size,
                                             size_t offset = 0,
                                             hipMemcpyKind kind = hipMemcpyDeviceToHost) {
  return hipMemcpyFromSymbol(dst, reinterpret_cast<const void *>(&symbol), size, offset, kind);
}

template <class T>
static inline hipError_t hipMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t size,
                                                  size_t offset, hipMemcpyKind kind,
                                                  hipStream_t stream = 0) {
  return hipMemcpyFromSymbolAsync(dst, reinterpret_cast<const void *>(&symbol), size, offset, kind,
                                  stream);
}

/* A kernel is named by the address of its host stub. */

template <class F>
static inline hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, F kernel,
                                                                      int blockSize,
                                                                      size_t dynamicShared) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(
      blocks, reinterpret_cast<const void *>(kernel), blockSize, dynamicShared);
}

template <class F>
static inline hipError_t
hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, F kernel, int blockSize,
                                                      size_t dynamicShared, unsigned int flags) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, reinterpret_cast<const void *>(kernel), blockSize, dynamicShared, flags);
}

template <class F>
static inline hipError_t hipOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, F kernel,
                                                           size_t dynamicShared = 0,
                                                           int blockSizeLimit = 0) {
  return hipOccupancyMaxPotentialBlockSize(gridSize, blockSize,
                                           reinterpret_cast<const void *>(kernel), dynamicShared,
                                           blockSizeLimit);
}

template <class F>
static inline hipError_t hipFuncGetAttributes(hipFuncAttributes *attributes, F *kernel) {
  return hipFuncGetAttributes(attributes, reinterpret_cast<const void *>(kernel));
}

template <class F>
static inline hipError_t hipFuncSetAttribute(F *kernel, hipFuncAttribute attribute, int value) {
  return hipFuncSetAttribute(reinterpret_cast<const void *>(kernel), attribute, value);
}

template <class F>
static inline hipError_t hipLaunchCooperativeKernel(F kernel, dim3 gridDim, dim3 blockDim,
                                                    void **kernelParams,
                                                    unsigned int sharedMemBytes,
                                                    hipStream_t stream) {
  return hipLaunchCooperativeKernel(reinterpret_cast<const void *>(kernel), gridDim, blockDim,
                                    kernelParams, sharedMemBytes, stream);
}

/* Launches with arguments converted to the kernel's parameters. */
template <class... Parameters, class... Arguments>
static inline hipError_t hipLaunchKernelEx(const hipLaunchConfig_t *config,
                                           void (*kernel)(Parameters...),
                                           Arguments &&...arguments) {
  return [&](Parameters... converted) {
    void *pointers[sizeof...(converted) + 1] = {static_cast<void *>(&converted)..., nullptr};
    return hipLaunchKernelExC(config, reinterpret_cast<const void *>(kernel), pointers);
  }(static_cast<Arguments &&>(arguments)...);
}

#endif

#endif
