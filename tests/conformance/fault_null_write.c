// expect: a kernel that writes to address 0 gives an error at the next wait and nothing hangs
// needs: tests/conformance/kernels/kernels.co
// source: HIP reference (hipErrorIllegalAddress, hipErrorLaunchFailure); reported failures, row D20
#include "check.h"

int main(void) {
  hipModule_t module = kernels();
  hipStream_t stream;
  NEED(hipStreamCreate(&stream));
  uint32_t *nowhere = NULL, value = 1;
  void *arguments[] = {&nowhere, &value};
  OK(hipModuleLaunchKernel(kernel(module, "store"), 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
  EXPECT_EITHER(hipStreamSynchronize(stream), hipErrorIllegalAddress, hipErrorLaunchFailure);
  EXPECT_EITHER(hipDeviceSynchronize(), hipErrorIllegalAddress, hipErrorLaunchFailure);
  EXPECT_EITHER(hipGetLastError(), hipErrorIllegalAddress, hipErrorLaunchFailure);
  EXPECT_REFUSED(hipModuleLaunchKernel(kernel(module, "nothing"), 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
  return check_done();
}
