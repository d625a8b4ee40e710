// expect: attributes and occupancy of a function that nobody registered are refused
// source: clr hip_module.cpp, hipFuncGetAttributes, hipFuncSetAttribute; hip_platform.cpp, hipOccupancy*
#include "fat.h"

static void stub(void) {}

int main(void) {
  int blocks = 0;
  hipFuncAttributes attributes;
  EXPECT(hipFuncGetAttributes(&attributes, NULL), hipErrorInvalidDeviceFunction);
  EXPECT(hipFuncGetAttributes(NULL, (void *)stub), hipErrorInvalidValue);
  EXPECT(hipFuncGetAttributes(&attributes, (void *)stub), hipErrorInvalidSymbol);
  EXPECT(hipFuncSetAttribute((void *)stub, hipFuncAttributeMaxDynamicSharedMemorySize, 0),
         hipErrorInvalidDeviceFunction);
  EXPECT(hipFuncSetCacheConfig(NULL, hipFuncCachePreferNone), hipErrorInvalidDeviceFunction);
  EXPECT(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (void *)stub, 64, 0), hipErrorInvalidDeviceFunction);
  return check_done();
}
