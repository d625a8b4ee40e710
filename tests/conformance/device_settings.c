// expect: limits, cache and LDS preferences, and schedule flags accept their own values only
// source: clr hip_device_runtime.cpp, hipDeviceGetLimit, hipDeviceSetLimit, hipDeviceSetCacheConfig,
// hipDeviceSetSharedMemConfig, hipSetDeviceFlags, hipGetDeviceFlags
#include "check.h"

int main(void) {
  size_t limit = 0;
  EXPECT(hipDeviceGetLimit(NULL, hipLimitMallocHeapSize), hipErrorInvalidValue);
  EXPECT(hipDeviceGetLimit(&limit, (enum hipLimit_t)0x7777), hipErrorInvalidValue);
  EXPECT(hipDeviceGetLimit(&limit, hipLimitPrintfFifoSize), hipErrorUnsupportedLimit);
  OK(hipDeviceGetLimit(&limit, hipLimitMallocHeapSize));
  EXPECT_THAT(limit > 0);
  OK(hipDeviceGetLimit(&limit, hipLimitStackSize));
  EXPECT_THAT(limit > 0);
  OK(hipDeviceSetLimit(hipLimitStackSize, 2048));
  OK(hipDeviceGetLimit(&limit, hipLimitStackSize));
  EXPECT_EQUAL(limit, 2048);
  EXPECT(hipDeviceSetLimit(hipLimitPrintfFifoSize, 4096), hipErrorUnsupportedLimit);
  EXPECT(hipDeviceSetLimit((enum hipLimit_t)0x7777, 1), hipErrorInvalidValue);
  size_t least = 0, most = 0;
  OK(hipDeviceGetLimit(&least, hipExtLimitScratchMin));
  OK(hipDeviceGetLimit(&most, hipExtLimitScratchMax));
  EXPECT_THAT(least <= most);
  OK(hipDeviceGetLimit(&limit, hipExtLimitScratchCurrent));
  EXPECT(hipDeviceSetLimit(hipExtLimitScratchMin, 1), hipErrorUnsupportedLimit);

  hipFuncCache_t cache = hipFuncCachePreferL1;
  EXPECT(hipDeviceGetCacheConfig(NULL), hipErrorInvalidValue);
  OK(hipDeviceGetCacheConfig(&cache));
  EXPECT_EQUAL(cache, hipFuncCachePreferNone);
  OK(hipDeviceSetCacheConfig(hipFuncCachePreferShared));
  EXPECT(hipDeviceSetCacheConfig((hipFuncCache_t)55), hipErrorInvalidValue);

  hipSharedMemConfig banks;
  EXPECT(hipDeviceGetSharedMemConfig(NULL), hipErrorInvalidValue);
  OK(hipDeviceGetSharedMemConfig(&banks));
  EXPECT_EQUAL(banks, hipSharedMemBankSizeFourByte);
  OK(hipDeviceSetSharedMemConfig(hipSharedMemBankSizeEightByte));
  EXPECT(hipDeviceSetSharedMemConfig((hipSharedMemConfig)9), hipErrorInvalidValue);

  unsigned flags = 99;
  EXPECT(hipGetDeviceFlags(NULL), hipErrorInvalidValue);
  OK(hipGetDeviceFlags(&flags));
  EXPECT_EQUAL(flags, hipDeviceScheduleSpin);
  OK(hipSetDeviceFlags(hipDeviceScheduleBlockingSync));
  OK(hipGetDeviceFlags(&flags));
  EXPECT_EQUAL(flags, hipDeviceScheduleBlockingSync);
  OK(hipSetDeviceFlags(hipDeviceScheduleAuto));
  OK(hipSetDeviceFlags(hipDeviceMapHost | hipDeviceScheduleYield));
  OK(hipGetDeviceFlags(&flags));
  EXPECT_EQUAL(flags, hipDeviceScheduleYield);
  EXPECT(hipSetDeviceFlags(hipDeviceScheduleSpin | hipDeviceScheduleYield), hipErrorInvalidValue);
  EXPECT(hipSetDeviceFlags(0x4000), hipErrorInvalidValue);
  return check_done();
}
