// expect: a kernel finds its block counts, block sizes and remainders in its hidden arguments
// needs: tests/conformance/kernels/kernels.co
// source: LLVM AMDGPU usage, code object v5 hidden arguments; clr sends uneven sizes for hipExtModuleLaunchKernel
// only to kernels compiled for them
#include "check.h"

int main(void) {
  hipFunction_t shape = kernel(kernels(), "shape");
  uint32_t *out = device_bytes(36, 0xff), found[9];
  void *arguments[] = {&out};
  OK(hipModuleLaunchKernel(shape, 3, 4, 5, 8, 2, 1, 0, NULL, arguments, NULL));
  OK(hipMemcpy(found, out, sizeof found, hipMemcpyDeviceToHost));
  static const uint32_t expected[9] = {3, 4, 5, 8, 2, 1, 0, 0, 0};
  for (int i = 0; i < 9; ++i) EXPECT_EQUAL(found[i], expected[i]);
  return check_done();
}
