// Kernels of the conformance programs: few instructions each, so that a failure is the runtime's.
#include "../../kernels/gpu.h"

#define LOAD(p) __hip_atomic_load(p, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM)
#define STORE(p, v) __hip_atomic_store(p, v, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM)

// Ends when the host has made the word other than 0.
extern "C" __global__ void gate(u32 *word) {
  while (LOAD(word) == 0) __builtin_amdgcn_s_sleep(8);
}

extern "C" __global__ void store(u32 *word, u32 value) { STORE(word, value); }

extern "C" __global__ void copy_word(u32 *to, const u32 *from) { STORE(to, LOAD(from)); }

extern "C" __global__ void add(u32 *words, u32 amount, u32 count) {
  u32 i = gid();
  if (i < count) words[i] += amount;
}

// One count for each work-item.
extern "C" __global__ void count(u32 *word) {
  __hip_atomic_fetch_add(word, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// word = word * 3 + step: the result depends on the order of the steps.
extern "C" __global__ void step(u32 *word, u32 step) { *word = *word * 3u + step; }

// Where each work-item is: its linear place in the grid, in blocks and threads of three dimensions.
extern "C" __global__ void place(u32 *out, u32 blocks_x, u32 blocks_y, u32 block_x, u32 block_y, u32 block_z) {
  u32 block = (__builtin_amdgcn_workgroup_id_z() * blocks_y + __builtin_amdgcn_workgroup_id_y()) * blocks_x +
              __builtin_amdgcn_workgroup_id_x();
  u32 thread = (__builtin_amdgcn_workitem_id_z() * block_y + __builtin_amdgcn_workitem_id_y()) * block_x +
               __builtin_amdgcn_workitem_id_x();
  u32 at = block * block_x * block_y * block_z + thread;
  __hip_atomic_fetch_add(out + at, at + 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// What the runtime says about the launch: block size, block count and remainder of each dimension.
extern "C" __global__ void shape(u32 *out) {
  const u32 *counts = (const u32 *)__builtin_amdgcn_implicitarg_ptr();
  const u16 *sizes = (const u16 *)(counts + 3);
  for (int i = 0; i < 3; ++i) {
    out[i] = counts[i];
    out[3 + i] = sizes[i];
    out[6 + i] = sizes[3 + i];
  }
}

// Arguments of every size, with the gaps that alignment leaves.
struct Block {
  u32 words[16];
};
extern "C" __global__ void arguments(u32 *out, u8 a, u16 b, u32 c, u64 d, Block e, u8 f, double g) {
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = (u32)d;
  out[4] = (u32)(d >> 32);
  out[5] = e.words[0];
  out[6] = e.words[15];
  out[7] = f;
  out[8] = (u32)__builtin_bit_cast(u64, g);
  out[9] = (u32)(__builtin_bit_cast(u64, g) >> 32);
}

extern "C" __global__ void nothing() {}

// Dynamic LDS: its last word, as told by its size, comes back.
extern "C" __global__ void last_lds_word(u32 *out, u32 words) {
  extern __shared__ u32 memory[];
  memory[words - 1] = 0x5a5a0000u + words;
  sync();
  out[0] = memory[words - 1];
}

// Takes at least so many ticks of the constant 100 MHz clock.
extern "C" __global__ void spin(u64 ticks) {
  u64 start = __builtin_readsteadycounter();
  while (__builtin_readsteadycounter() - start < ticks) __builtin_amdgcn_s_sleep(1);
}
