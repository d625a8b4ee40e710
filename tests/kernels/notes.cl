// Kernels whose interest is what their metadata says.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef struct {
  int a;
  double b;
} Pair;

__kernel __attribute__((reqd_work_group_size(8, 4, 2))) void fixed_group(__global int* restrict out,
                                                                         Pair pair) {
  out[0] = pair.a;
}

__kernel __attribute__((work_group_size_hint(64, 1, 1), vec_type_hint(float4))) void hinted(
    __constant float* in, __global volatile float* out, __local float* scratch) {
  scratch[0] = in[0];
  out[0] = scratch[0];
}

__kernel void images(read_only image2d_t in, write_only image2d_t out, sampler_t how,
                     read_only pipe int stream, const __global char* text) {}

// The device library's allocator of the printf buffer, which there is no library to take from here.
__global char* __printf_alloc(uint bytes) { return 0; }

__kernel void prints(int value) { printf("value %d of %s\n", value, "text"); }
