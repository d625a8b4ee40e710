// expect: a function that nobody registered is refused
// source: HIP reference, hipLaunchKernel (hipErrorInvalidDeviceFunction); clr hip_platform.cpp, ihipLaunchKernel
#include "fat.h"

static void stub(void) {}

int main(void) {
  hipFunction_t function;
  EXPECT(hipLaunchKernel(NULL, d1(1), d1(1), NULL, 0, NULL), hipErrorInvalidDeviceFunction);
  EXPECT_REFUSED(hipLaunchKernel((void *)stub, d1(1), d1(1), NULL, 0, NULL));
  EXPECT(hipGetFuncBySymbol(&function, (void *)stub), hipErrorInvalidDeviceFunction);
  EXPECT_THAT(hipKernelNameRefByPtr((void *)stub, NULL) == NULL);
  return check_done();
}
