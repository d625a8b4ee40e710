/* Everything: the host interface, and for clang's HIP mode the device side.
 *
 * No ROCm is needed to compile kernels with it:
 *
 *   clang++ -x hip --offload-arch=gfx1151 -nogpuinc -nogpulib -I include ... -lamdhip64
 *
 * -nogpuinc leaves out clang's own HIP wrapper headers and -nogpulib the device libraries; what kernels
 * need comes from <hip/detail/device_*.h> instead, built on compiler builtins alone.
 */
#ifndef HIP_INCLUDE_HIP_HIP_RUNTIME_H
#define HIP_INCLUDE_HIP_HIP_RUNTIME_H

#include <hip/hip_runtime_api.h>
#include <hip/hip_vector_types.h>
#include <hip/library_types.h>

#if defined(__clang__) && defined(__HIP__)

#include <hip/detail/device_index.h>
#include <hip/detail/device_sync.h>
#include <hip/detail/device_integer.h>
#include <hip/detail/device_atomic.h>
#include <hip/detail/device_warp.h>
#include <hip/detail/device_math.h>

/* A kernel's name with template arguments in it has commas, hence the brackets around it. */
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(symbol) symbol

/* The launch syntax of programs that do not use <<<>>>. */
#define hipLaunchKernelGGL(kernel, blocks, threads, shared_bytes, stream, ...)                     \
  do {                                                                                             \
    kernel<<<(blocks), (threads), (shared_bytes), (stream)>>>(__VA_ARGS__);                        \
  } while (0)

/* The part of local memory whose size the launch gives. */
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define HIP_DYNAMIC_SHARED_ATTRIBUTE

#endif

#endif
