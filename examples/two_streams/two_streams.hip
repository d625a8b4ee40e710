// Two streams, 200 launches each, results checked on the host. It never synchronises the device
// after the last copy and calls no shutdown function: an ordinary HIP program.
//
//   clang++-19 -x hip --offload-arch=gfx1151 -nogpuinc -nogpulib -O3 -Iinclude two_streams.hip \
//     -Ltarget/release -lamdhip64 -o two_streams
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                     \
  do {                                                                                  \
    hipError_t status = (call);                                                         \
    if (status != hipSuccess) {                                                         \
      std::fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(status));               \
      std::exit(1);                                                                     \
    }                                                                                   \
  } while (0)

// y += a * x, one element a thread.
__global__ void saxpy(float a, const float *x, float *y, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// One step of a linear congruential generator per element, repeated.
__global__ void scramble(unsigned *state, unsigned n, unsigned rounds) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned value = state[i];
  for (unsigned k = 0; k < rounds; ++k) value = value * 1664525u + 1013904223u;
  state[i] = value;
}

int main() {
  const unsigned n = 1 << 14, launches = 200, rounds = 64, block = 256;
  std::vector<float> x(n), y(n, 0.0f);
  std::vector<unsigned> state(n);
  for (unsigned i = 0; i < n; ++i) x[i] = float(i % 7), state[i] = i;

  hipDeviceProp_t properties;
  CHECK(hipGetDeviceProperties(&properties, 0));
  std::printf("%s (%s)\n", properties.name, properties.gcnArchName);

  float *dx, *dy;
  unsigned *dstate;
  CHECK(hipMalloc(&dx, n * sizeof(float)));
  CHECK(hipMalloc(&dy, n * sizeof(float)));
  CHECK(hipMalloc(&dstate, n * sizeof(unsigned)));
  CHECK(hipMemcpy(dx, x.data(), n * sizeof(float), hipMemcpyHostToDevice));
  CHECK(hipMemcpy(dy, y.data(), n * sizeof(float), hipMemcpyHostToDevice));
  CHECK(hipMemcpy(dstate, state.data(), n * sizeof(unsigned), hipMemcpyHostToDevice));

  hipStream_t first, second;
  CHECK(hipStreamCreate(&first));
  CHECK(hipStreamCreate(&second));
  for (unsigned i = 0; i < launches; ++i) {
    saxpy<<<n / block, block, 0, first>>>(2.0f, dx, dy, n);
    scramble<<<n / block, block, 0, second>>>(dstate, n, rounds);
  }
  CHECK(hipGetLastError());
  CHECK(hipMemcpyAsync(y.data(), dy, n * sizeof(float), hipMemcpyDeviceToHost, first));
  CHECK(hipMemcpyAsync(state.data(), dstate, n * sizeof(unsigned), hipMemcpyDeviceToHost, second));
  CHECK(hipStreamSynchronize(first));
  CHECK(hipStreamSynchronize(second));

  unsigned wrong = 0;
  for (unsigned i = 0; i < n; ++i) {
    unsigned expected = i;
    for (unsigned k = 0; k < launches * rounds; ++k) expected = expected * 1664525u + 1013904223u;
    wrong += state[i] != expected;
    wrong += y[i] != 2.0f * float(i % 7) * launches; // exact: small integers
  }
  std::printf("%u launches on 2 streams, %u wrong results\n", 2 * launches, wrong);
  return wrong != 0;
}
