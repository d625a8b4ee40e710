/* Launches with events, which are no part of CUDA. */
#ifndef HIP_INCLUDE_HIP_HIP_EXT_H
#define HIP_INCLUDE_HIP_HIP_EXT_H

#include <hip/hip_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

hipError_t hipExtLaunchKernel(
    const void *function_address, dim3 numBlocks, dim3 dimBlocks, void **args,
    size_t sharedMemBytes, hipStream_t stream, hipEvent_t startEvent, hipEvent_t stopEvent,
    int flags);
hipError_t hipExtModuleLaunchKernel(
    hipFunction_t f, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY, uint32_t globalWorkSizeZ,
    uint32_t localWorkSizeX, uint32_t localWorkSizeY, uint32_t localWorkSizeZ,
    size_t sharedMemBytes, hipStream_t hStream, void **kernelParams, void **extra,
    hipEvent_t startEvent, hipEvent_t stopEvent, uint32_t flags);
hipError_t hipHccModuleLaunchKernel(
    hipFunction_t f, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY, uint32_t globalWorkSizeZ,
    uint32_t localWorkSizeX, uint32_t localWorkSizeY, uint32_t localWorkSizeZ,
    size_t sharedMemBytes, hipStream_t hStream, void **kernelParams, void **extra,
    hipEvent_t startEvent, hipEvent_t stopEvent);

#ifdef __cplusplus
}
#endif

#ifdef __cplusplus

/* Launches a kernel between two events; either may be null. */
template <class... Parameters, class... Arguments>
static inline void hipExtLaunchKernelGGL(void (*kernel)(Parameters...), const dim3 &numBlocks,
                                         const dim3 &dimBlocks, uint32_t sharedMemBytes,
                                         hipStream_t stream, hipEvent_t startEvent,
                                         hipEvent_t stopEvent, uint32_t flags,
                                         Arguments... arguments) {
  [&](Parameters... converted) {
    void *pointers[sizeof...(converted) + 1] = {static_cast<void *>(&converted)..., nullptr};
    hipExtLaunchKernel(reinterpret_cast<const void *>(kernel), numBlocks, dimBlocks, pointers,
                       sharedMemBytes, stream, startEvent, stopEvent, static_cast<int>(flags));
  }(arguments...);
}

#endif

#endif
