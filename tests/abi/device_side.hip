// Uses what the headers offer to kernels, so that a compiler sees all of it.
#include <hip/hip_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

__device__ int counter;
__constant__ float coefficients[4];

template <class T> __device__ T shuffles(T value) {
  value += __shfl(value, 0, 16);
  value += __shfl_up(value, 2);
  value += __shfl_down(value, 1, 8);
  value += __shfl_xor(value, 3);
  value += __shfl_sync(~0ull, value, 1);
  value += __shfl_up_sync(~0ull, value, 1);
  value += __shfl_down_sync(~0ull, value, 1);
  value += __shfl_xor_sync(~0ull, value, 1);
  return value;
}

template <class T> __device__ void numbers(T *to) {
  atomicAdd(to, T(1));
  atomicSub_system(to, T(1));
  atomicExch_block(to, T(2));
  atomicCAS(to, T(2), T(3));
  atomicMin(to, T(1));
  atomicMax(to, T(4));
}

template <class T> __device__ void bits(T *to) {
  atomicAnd(to, T(7));
  atomicOr(to, T(8));
  atomicXor_system(to, T(9));
}

__global__ void atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d) {
  numbers(i);
  numbers(u);
  numbers(l);
  numbers(f);
  numbers(d);
  bits(i);
  bits(u);
  bits(l);
  atomicInc(u, 5u);
  atomicDec(u, 5u);
  atomicAdd(&counter, 1);
}

__global__ void votes(unsigned long long *out, int limit) {
  const int i = threadIdx.x;
  if (__any(i > limit) && !__all(i > limit)) out[0] = __ballot(i & 1);
  out[1] = __popcll(__activemask()) + __lane_id() + warpSize;
  out[2] = shuffles(i) + shuffles(unsigned(i)) + shuffles((long long)(i));
  out[3] = (unsigned long long)(shuffles(float(i)) + shuffles(double(i)));
  out[4] = clock64() + wall_clock64();
  __syncwarp();
}

__global__ void integers(unsigned *out, int x, unsigned y, long long z) {
  out[0] = __popc(y) + __clz(x) + __clzll(z) + __ffs(x) + __ffsll(z) + __brev(y);
  out[1] = __mulhi(x, x) + __umulhi(y, y) + __mul24(x, x) + __umul24(y, y) + __hadd(x, x);
  out[2] = __byte_perm(y, out[0], 0x1234) + __funnelshift_l(y, y, 3) + __funnelshift_rc(y, y, 3);
  out[3] = unsigned(__brevll(z) + __umul64hi(z, z) + __mul64hi(z, z)) + __sad(x, x, y);
  out[4] = __float_as_uint(__int_as_float(x)) + __double2hiint(__longlong_as_double(z));
  out[5] = min(x, 3) + max(y, 4u) + abs(x) + __ldg(out);
}

__global__ void floats(float *f, double *d, int n) {
  extern __shared__ float dynamic[];
  __shared__ int fixed[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x + gridDim.y;
  float x = f[i];
  x = sqrtf(x) + expf(x) + sinf(x) + cosf(x) + logf(x) + log2f(x) + log10f(x) + exp2f(x);
  x += fabsf(x) + floorf(x) + ceilf(x) + truncf(x) + rintf(x) + roundf(x) + rsqrtf(x);
  x += fminf(x, 2.0f) + fmaxf(x, 1.0f) + fmaf(x, x, x) + copysignf(x, 1.0f);
  x += __expf(x) + __logf(x) + __sinf(x) + __cosf(x) + __powf(x, x) + __fdividef(x, 3.0f);
  x += sqrt(x) + std::sqrt(x) + std::fabs(x) + exp(x) + min(x, 3.0f) + coefficients[i & 3];
  d[i] = sqrt(d[i]) + fma(d[i], d[i], 1.0) + fmax(d[i], 1.0) + floor(d[i]) + rsqrt(d[i]);
  dynamic[threadIdx.x] = x;
  fixed[threadIdx.x & 63] = i;
  __syncthreads();
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  const dim3 place = threadIdx;
  f[i] = dynamic[threadIdx.x ^ 1] + fixed[i & 63] + place.y + isnan(x) + (i < n);
}

template <class T> __global__ __launch_bounds__(256) void of_type(T *to, float4 from) {
  float4 sum = from + from * 2.0f;
  to[threadIdx.x] = T(sum.x + sum.w);
}

__host__ __device__ int both(int x) { return x > 0 ? x : -x; }

#define CHECK(call)                                                                                \
  if ((call) != hipSuccess) return 1

int main() {
  float *f;
  double *d;
  unsigned *u;
  int *i;
  unsigned long long *l;
  std::vector<float> host(64, 1.0f);
  CHECK(hipMalloc(&f, 256));
  CHECK(hipMalloc(&d, 256));
  CHECK(hipMalloc(&l, 256));
  CHECK(hipMalloc(&i, 256));
  CHECK(hipHostMalloc(&u, 256));
  CHECK(hipMemcpyToSymbol(coefficients, host.data(), 16));
  CHECK(hipMemcpyToSymbol(HIP_SYMBOL(coefficients), host.data(), 16));
  void *address;
  CHECK(hipGetSymbolAddress(&address, counter));
  hipFuncAttributes attributes;
  CHECK(hipFuncGetAttributes(&attributes, floats));
  CHECK(hipFuncGetAttributes(&attributes, reinterpret_cast<const void *>(&floats)));
  int blocks;
  CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, floats, 32, 0));

  floats<<<1, 32, 128, hipStreamPerThread>>>(f, d, 3);
  hipLaunchKernelGGL(atomics, dim3(1), dim3(32), 0, 0, i, u, l, f, d);
  hipLaunchKernelGGL(HIP_KERNEL_NAME(of_type<float>), 1, 1, 0, 0, f, make_float4(1, 2, 3, 4));
  of_type<double><<<dim3(1, 2), dim3(2)>>>(d, float4{1, 2, 3, 4});
  votes<<<1, 32>>>(l, both(-3));
  integers<<<1, 1>>>(u, 1, 2, std::max(3ll, 4ll));
  CHECK(hipGetLastError());
  std::printf("%g\n", std::sqrt(2.0));
  return 0;
}
