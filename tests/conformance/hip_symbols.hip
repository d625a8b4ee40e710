// expect: device and constant variables of a compiled program are the host's by their names
// needs: clang-19
// source: HIP programming model, C++ language extensions; clr hip_platform.cpp, __hipRegisterVar
#include <hip/hip_runtime.h>

#include "check.h"

__device__ uint32_t counter = 40;
__device__ uint32_t words[16];
__constant__ float factors[4] = {1, 2, 3, 4};

__global__ void use(float *out) {
  counter += 2;
  words[3] = counter;
  for (int i = 0; i < 4; ++i) out[i] = factors[i] * 10;
}

int main() {
  float *out = nullptr, host[4];
  NEED(hipMalloc((void **)&out, sizeof host));
  const float changed = 7;
  OK(hipMemcpyToSymbol(HIP_SYMBOL(factors), &changed, sizeof changed, 2 * sizeof(float), hipMemcpyHostToDevice));
  use<<<1, 1>>>(out);
  OK(hipDeviceSynchronize());
  OK(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
  EXPECT_THAT(host[0] == 10 && host[1] == 20 && host[2] == 70 && host[3] == 40);
  uint32_t found = 0;
  OK(hipMemcpyFromSymbol(&found, HIP_SYMBOL(counter), sizeof found, 0, hipMemcpyDeviceToHost));
  EXPECT_EQUAL(found, 42);
  OK(hipMemcpyFromSymbol(&found, HIP_SYMBOL(words), sizeof found, 12, hipMemcpyDeviceToHost));
  EXPECT_EQUAL(found, 42);
  void *address = nullptr;
  size_t size = 0;
  OK(hipGetSymbolAddress(&address, HIP_SYMBOL(words)));
  OK(hipGetSymbolSize(&size, HIP_SYMBOL(words)));
  EXPECT_EQUAL(size, 64);
  EXPECT_EQUAL(read_word((char *)address + 12), 42);
  return check_done();
}
