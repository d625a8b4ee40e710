// expect: the properties of gfx1151 as AMD's runtime reports them, in the R0600 layout
// source: clr hip_device.cpp, ihipGetDeviceProperties; the numbers: kernel topology of Strix Halo (40 CUs as
// 20 work-group processors, wave32, 64 KiB LDS, 2900 MHz), which AMD's 7.x runtime turned into these
#include "check.h"

int main(void) {
  int count = 0;
  hipDeviceProp_tR0600 properties;
  NEED(hipGetDeviceCount(&count));
  EXPECT(hipGetDevicePropertiesR0600(NULL, 0), hipErrorInvalidValue);
  EXPECT(hipGetDevicePropertiesR0600(&properties, count), hipErrorInvalidDevice);
  EXPECT(hipGetDevicePropertiesR0600(&properties, -1), hipErrorInvalidDevice);

  memset(&properties, 0xa5, sizeof properties);
  NEED(hipGetDevicePropertiesR0600(&properties, 0));
  EXPECT_THAT(strstr(properties.name, "8060S") != NULL);
  EXPECT_THAT(!strcmp(properties.gcnArchName, "gfx1151"));
  EXPECT_EQUAL(properties.major, 11);
  EXPECT_EQUAL(properties.minor, 5);
  EXPECT_EQUAL(properties.warpSize, 32);
  EXPECT_EQUAL(properties.multiProcessorCount, 20);
  EXPECT_EQUAL(properties.maxThreadsPerBlock, 1024);
  EXPECT_EQUAL(properties.maxThreadsDim[0], 1024);
  EXPECT_EQUAL(properties.maxThreadsDim[1], 1024);
  EXPECT_EQUAL(properties.maxThreadsDim[2], 1024);
  EXPECT_EQUAL(properties.maxGridSize[0], 2147483647);
  EXPECT_EQUAL(properties.maxGridSize[1], 65535);
  EXPECT_EQUAL(properties.maxGridSize[2], 65535);
  EXPECT_EQUAL(properties.sharedMemPerBlock, 65536);
  EXPECT_EQUAL(properties.sharedMemPerMultiprocessor, 65536);
  EXPECT_EQUAL(properties.sharedMemPerBlockOptin, 65536);
  EXPECT_EQUAL(properties.maxSharedMemoryPerMultiProcessor, 65536);
  EXPECT_EQUAL(properties.reservedSharedMemPerBlock, 0);
  EXPECT_EQUAL(properties.clockRate, 2900 * 1000);
  EXPECT_EQUAL(properties.memoryClockRate, 1000 * 1000);
  EXPECT_EQUAL(properties.memoryBusWidth, 256);
  EXPECT_EQUAL(properties.l2CacheSize, 2048 * 1024);
  EXPECT_EQUAL(properties.integrated, 1);
  EXPECT_EQUAL(properties.canMapHostMemory, 1);
  EXPECT_EQUAL(properties.concurrentKernels, 1);
  EXPECT_EQUAL(properties.computeMode, 0);
  EXPECT_EQUAL(properties.streamPrioritiesSupported, 1);
  EXPECT_EQUAL(properties.hostRegisterSupported, 1);
  EXPECT_EQUAL(properties.kernelExecTimeoutEnabled, 0);
  EXPECT_EQUAL(properties.ECCEnabled, 0);
  EXPECT_EQUAL(properties.arch.hasDoubles, 1);
  EXPECT_EQUAL(properties.arch.hasWarpShuffle, 1);
  EXPECT_EQUAL(properties.arch.hasFunnelShift, 0);
  EXPECT_EQUAL(properties.arch.hasDynamicParallelism, 0);
  EXPECT_THAT(properties.totalGlobalMem >= (size_t)1 << 28);
  EXPECT_THAT(properties.maxThreadsPerMultiProcessor >= 1024);
  EXPECT_EQUAL(properties.maxBlocksPerMultiProcessor, properties.maxThreadsPerMultiProcessor / 32);
  return check_done();
}
