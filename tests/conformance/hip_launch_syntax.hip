// expect: <<<>>> launches functions, templates and lambdas' results with all four parameters, as compiled by clang
// needs: clang-19
// source: HIP programming model, C++ language extensions
#include <hip/hip_runtime.h>

#include "check.h"

__global__ void fill(uint32_t *out, uint32_t base) { out[blockIdx.x * blockDim.x + threadIdx.x] = base + threadIdx.x; }

template <typename T, int N>
__global__ void scale(T *values) {
  values[threadIdx.x] *= N;
}

__global__ void reversed(uint32_t *values) {
  extern __shared__ uint32_t memory[];
  memory[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = memory[blockDim.x - 1 - threadIdx.x];
}

__global__ void shape(uint32_t *out) {
  if (threadIdx.x + threadIdx.y + threadIdx.z + blockIdx.x + blockIdx.y + blockIdx.z) return;
  const uint32_t words[] = {gridDim.x, gridDim.y, gridDim.z, blockDim.x, blockDim.y, blockDim.z};
  for (int i = 0; i < 6; ++i) out[i] = words[i];
}

int main() {
  uint32_t *words = nullptr, host[128];
  NEED(hipMalloc((void **)&words, sizeof host));
  hipStream_t stream;
  NEED(hipStreamCreate(&stream));
  fill<<<2, 64>>>(words, 100);
  OK(hipGetLastError());
  OK(hipMemcpy(host, words, sizeof host, hipMemcpyDeviceToHost));
  for (uint32_t i = 0; i < 128; ++i) EXPECT_EQUAL(host[i], 100 + i % 64);

  scale<uint32_t, 3><<<1, 128, 0, stream>>>(words);
  reversed<<<dim3(1, 1, 1), dim3(128), 128 * sizeof(uint32_t), stream>>>(words);
  OK(hipStreamSynchronize(stream));
  OK(hipMemcpy(host, words, sizeof host, hipMemcpyDeviceToHost));
  for (uint32_t i = 0; i < 128; ++i) EXPECT_EQUAL(host[i], 3 * (100 + (127 - i) % 64));

  hipLaunchKernelGGL(shape, dim3(2, 3, 4), dim3(4, 2, 8), 0, stream, words);
  OK(hipStreamSynchronize(stream));
  OK(hipMemcpy(host, words, 24, hipMemcpyDeviceToHost));
  const uint32_t expected[] = {2, 3, 4, 4, 2, 8};
  for (int i = 0; i < 6; ++i) EXPECT_EQUAL(host[i], expected[i]);

  /* A launch that cannot be shows in the last error, and only there. */
  fill<<<1, 2000>>>(words, 0);
  EXPECT(hipPeekAtLastError(), hipErrorInvalidConfiguration);
  EXPECT(hipGetLastError(), hipErrorInvalidConfiguration);
  fill<<<0, 64>>>(words, 0);
  EXPECT(hipGetLastError(), hipErrorInvalidConfiguration);
  fill<<<1, 64, 65537>>>(words, 0);
  EXPECT(hipGetLastError(), hipErrorInvalidValue);
  OK(hipDeviceSynchronize());
  return check_done();
}
