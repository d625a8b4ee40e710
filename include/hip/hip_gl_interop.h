/* OpenGL interoperation. This device has none: the calls answer hipErrorNotSupported. */
#ifndef HIP_INCLUDE_HIP_HIP_GL_INTEROP_H
#define HIP_INCLUDE_HIP_HIP_GL_INTEROP_H

#include <hip/hip_runtime_api.h>

typedef enum hipGLDeviceList {
  hipGLDeviceListAll = 1,
  hipGLDeviceListCurrentFrame = 2,
  hipGLDeviceListNextFrame = 3
} hipGLDeviceList;

#ifdef __cplusplus
extern "C" {
#endif

hipError_t hipGLGetDevices(
    unsigned int *pHipDeviceCount, int *pHipDevices, unsigned int hipDeviceCount,
    hipGLDeviceList deviceList);
hipError_t hipGraphicsGLRegisterBuffer(
    hipGraphicsResource **resource, unsigned int buffer, unsigned int flags);
hipError_t hipGraphicsGLRegisterImage(
    hipGraphicsResource **resource, unsigned int image, unsigned int target, unsigned int flags);

#ifdef __cplusplus
}
#endif

#endif
