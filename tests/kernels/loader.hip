// Things that a loader has to place: variables of each kind, pointers that need a relocation, a
// device constructor, an undefined weak name, and kernels with many kinds of argument.
#include "gpu.h"

extern "C" {
__device__ int counter = 7;               // .data, protected
__device__ int zeroed[100];               // .bss
__constant__ float table[4] = {1.0f, 2.0f, 4.0f, 8.0f};
__device__ int* pointer_to_counter = &counter;  // RELATIVE64
}

// Default visibility makes the reference go through the symbol: ABS64 by name.
extern "C" __device__ __attribute__((visibility("default"), weak)) int shared_word = 11;
extern "C" __device__ __attribute__((visibility("default"))) int* pointer_to_shared = &shared_word;

__device__ __attribute__((managed)) int managed_value = 5;

struct Packed {
  char a;
  short b;
  double c;
  u32 d;
};

extern "C" __global__ void reads_variables(int* out, const float* __restrict__ in, char tag,
                                           Packed packed) {
  u32 i = gid();
  out[i] = *pointer_to_counter + zeroed[i % 100] + (int)table[i & 3] + *pointer_to_shared +
           managed_value + tag + packed.b + (int)packed.c + (int)in[i];
}

extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(1, 64))) void needs_little(int* out) { out[tid()] = 1; }

extern "C" __global__ void dynamic_lds(int* out) {
  extern __shared__ int words[];
  __shared__ int fixed[64];
  words[tid()] = (int)tid();
  fixed[tid() & 63] = (int)bid();
  sync();
  out[gid()] = words[tid() ^ 1] + fixed[(tid() + 1) & 63];
}

extern "C" __global__ void no_arguments() { counter = 8; }
