/* Where a thread is: threadIdx, blockIdx, blockDim, gridDim, warpSize. */
#ifndef HIP_INCLUDE_HIP_DETAIL_DEVICE_INDEX_H
#define HIP_INCLUDE_HIP_DETAIL_DEVICE_INDEX_H

#include <hip/hip_runtime_api.h>
#include <hip/hip_vector_types.h>

#define HIP_DEVICE_ static __device__ inline __attribute__((always_inline))

namespace hip_detail {

/* The block counts lie first among the hidden arguments (code object version 5 and later). */
HIP_DEVICE_ unsigned block_count(int axis) {
  typedef const unsigned __attribute__((address_space(4))) *counts;
  return ((counts)__builtin_amdgcn_implicitarg_ptr())[axis];
}

/* Reading a member asks the hardware; there is nothing to write. */
#define HIP_INDEX_(name, get_x, get_y, get_z)                                                      \
  struct name {                                                                                    \
    __declspec(property(get = x_)) unsigned x;                                                     \
    __declspec(property(get = y_)) unsigned y;                                                     \
    __declspec(property(get = z_)) unsigned z;                                                     \
    __device__ __forceinline__ static unsigned x_() { return get_x; }                              \
    __device__ __forceinline__ static unsigned y_() { return get_y; }                              \
    __device__ __forceinline__ static unsigned z_() { return get_z; }                              \
    __device__ __forceinline__ operator dim3() const { return dim3(x_(), y_(), z_()); }            \
    __device__ __forceinline__ operator uint3() const { return make_uint3(x_(), y_(), z_()); }     \
  };

HIP_INDEX_(thread_index, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
           __builtin_amdgcn_workitem_id_z())
HIP_INDEX_(block_index, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
           __builtin_amdgcn_workgroup_id_z())
HIP_INDEX_(block_size, __builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(),
           __builtin_amdgcn_workgroup_size_z())
HIP_INDEX_(grid_size, block_count(0), block_count(1), block_count(2))
#undef HIP_INDEX_

} // namespace hip_detail

/* Declared only: every use is a call of a static member function. */
extern const __device__ __attribute__((weak)) hip_detail::thread_index threadIdx;
extern const __device__ __attribute__((weak)) hip_detail::block_index blockIdx;
extern const __device__ __attribute__((weak)) hip_detail::block_size blockDim;
extern const __device__ __attribute__((weak)) hip_detail::grid_size gridDim;

/* gfx11 runs 32 lanes a wave unless told -mwavefrontsize64. */
#ifdef __AMDGCN_WAVEFRONT_SIZE__
static constexpr int warpSize = __AMDGCN_WAVEFRONT_SIZE__;
#else
static constexpr int warpSize = 32;
#endif

#endif
