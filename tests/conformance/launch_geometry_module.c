// expect: impossible grids, blocks and LDS sizes get their code from hipModuleLaunchKernel, and nothing runs
// needs: tests/conformance/kernels/kernels.co, tests/kernels/loader.O3.co
// source: clr hip_module.cpp, hipModuleLaunchKernel, ihipLaunchKernel_validate; reported failures, rows B2, B4
#include "check.h"

int main(void) {
  hipFunction_t count = kernel(kernels(), "count");
  hipFunction_t little = kernel(load("tests/kernels/loader.O3.co"), "needs_little");
  uint32_t *word = device_bytes(4096, 0);
  void *arguments[] = {&word};
#define LAUNCH(gx, gy, gz, bx, by, bz, shared) \
  hipModuleLaunchKernel(count, gx, gy, gz, bx, by, bz, shared, NULL, arguments, NULL)
  EXPECT(LAUNCH(0, 1, 1, 64, 1, 1, 0), hipErrorInvalidValue);
  EXPECT(LAUNCH(1, 0, 1, 64, 1, 1, 0), hipErrorInvalidValue);
  EXPECT(LAUNCH(1, 1, 0, 64, 1, 1, 0), hipErrorInvalidValue);
  EXPECT(LAUNCH(1, 1, 1, 0, 1, 1, 0), hipErrorInvalidValue);
  EXPECT(LAUNCH(1, 1, 1, 1, 0, 1, 0), hipErrorInvalidValue);
  EXPECT(LAUNCH(1, 1, 1, 1, 1, 0, 0), hipErrorInvalidValue);
  EXPECT(LAUNCH(1, 1, 1, 1025, 1, 1, 0), hipErrorInvalidValue);
  EXPECT(LAUNCH(1, 1, 1, 32, 32, 2, 0), hipErrorInvalidValue);
  EXPECT(LAUNCH(1, 1, 1, 70000, 1, 1, 0), hipErrorInvalidValue);
  EXPECT(LAUNCH(1u << 30, 1, 1, 1024, 1, 1, 0), hipErrorInvalidValue);
  EXPECT(LAUNCH(1, 1, 0x80000000u, 1, 1, 2, 0), hipErrorInvalidValue);
  EXPECT(LAUNCH(1, 1, 1, 64, 1, 1, 65537), hipErrorInvalidValue);
  EXPECT(hipModuleLaunchKernel(NULL, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL), hipErrorInvalidResourceHandle);
  EXPECT(hipModuleLaunchKernel(little, 1, 1, 1, 65, 1, 1, 0, NULL, arguments, NULL), hipErrorLaunchFailure);
  EXPECT_REFUSED(hipModuleLaunchKernel((hipFunction_t)(uintptr_t)0xabc0, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
  OK(hipDeviceSynchronize());
  EXPECT_EQUAL(read_word(word), 0);
  OK(LAUNCH(2, 3, 4, 4, 8, 2, 65536));
  OK(LAUNCH(3, 1, 1, 1024, 1, 1, 0));
  OK(hipDeviceSynchronize());
  EXPECT_EQUAL(read_word(word), 24 * 64 + 3 * 1024);
  return check_done();
}
