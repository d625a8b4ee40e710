/* Barriers, fences, clocks. */
#ifndef HIP_INCLUDE_HIP_DETAIL_DEVICE_SYNC_H
#define HIP_INCLUDE_HIP_DETAIL_DEVICE_SYNC_H

#include <hip/detail/device_index.h>

/* Waits for the block; what any of its threads wrote before is visible to all of them after. */
HIP_DEVICE_ void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/* Lanes of a wave run together; this orders their memory. */
HIP_DEVICE_ void __syncwarp(unsigned long long = ~0ull) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

HIP_DEVICE_ void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
HIP_DEVICE_ void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
HIP_DEVICE_ void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }

/* Core clocks since some moment. */
HIP_DEVICE_ long long clock64() { return static_cast<long long>(__builtin_readcyclecounter()); }
HIP_DEVICE_ long long __clock64() { return clock64(); }
HIP_DEVICE_ long clock() { return static_cast<long>(clock64()); }
HIP_DEVICE_ long __clock() { return clock(); }

/* Ticks of the constant clock that timestamps use (100 MHz on gfx11). */
HIP_DEVICE_ long long wall_clock64() {
  return static_cast<long long>(__builtin_readsteadycounter());
}

/* Ends the kernel with a fault. */
HIP_DEVICE_ void __trap() { __builtin_trap(); }

#endif
