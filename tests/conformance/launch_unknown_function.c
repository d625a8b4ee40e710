// expect: a function that nobody registered is refused
// source: HIP reference, hipLaunchKernel (hipErrorInvalidDeviceFunction); clr hip_platform.cpp, ihipLaunchKernel
#include "fat.h"

static void stub(void) {}

int main(void) {
  int blocks = 0;
  hipFuncAttributes attributes;
  hipFunction_t function;
  EXPECT(hipLaunchKernel(NULL, d1(1), d1(1), NULL, 0, NULL), hipErrorInvalidDeviceFunction);
  EXPECT_REFUSED(hipLaunchKernel((void *)stub, d1(1), d1(1), NULL, 0, NULL));
  EXPECT(hipFuncGetAttributes(&attributes, NULL), hipErrorInvalidDeviceFunction);
  EXPECT(hipFuncGetAttributes(NULL, (void *)stub), hipErrorInvalidValue);
  EXPECT(hipFuncGetAttributes(&attributes, (void *)stub), hipErrorInvalidSymbol);
  EXPECT(hipFuncSetAttribute((void *)stub, hipFuncAttributeMaxDynamicSharedMemorySize, 0),
         hipErrorInvalidDeviceFunction);
  EXPECT(hipFuncSetCacheConfig(NULL, hipFuncCachePreferNone), hipErrorInvalidDeviceFunction);
  EXPECT(hipGetFuncBySymbol(&function, (void *)stub), hipErrorInvalidDeviceFunction);
  EXPECT(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (void *)stub, 64, 0), hipErrorInvalidDeviceFunction);
  EXPECT_THAT(hipKernelNameRefByPtr((void *)stub, NULL) == NULL ||
              hipKernelNameRefByPtr((void *)stub, NULL)[0] == 0);
  return check_done();
}
