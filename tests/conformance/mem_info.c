// expect: free memory falls by what is allocated and comes back; the total is that of the properties
// source: clr hip_memory.cpp, hipMemGetInfo; hip_device.cpp, hipDeviceTotalMem; reported failures, row E6
#include "check.h"

enum { PART = 32 << 20 };

int main(void) {
  size_t before = 0, during = 0, after = 0, total = 0, all = 0;
  hipDeviceProp_tR0600 properties;
  NEED(hipGetDevicePropertiesR0600(&properties, 0));
  void *warm = device_bytes(1, 0);
  OK(hipMemGetInfo(&before, &total));
  OK(hipDeviceTotalMem(&all, 0));
  EXPECT_EQUAL(total, all);
  EXPECT_EQUAL(total, properties.totalGlobalMem);
  EXPECT_THAT(before > 0 && before <= total);
  void *memory = NULL;
  NEED(hipMalloc(&memory, PART));
  OK(hipMemGetInfo(&during, NULL));
  EXPECT_THAT(during <= before - PART);
  EXPECT_THAT(during >= before - PART - (8 << 20));
  OK(hipFree(memory));
  OK(hipMemGetInfo(&after, &total));
  EXPECT_EQUAL(after, before);
  OK(hipMemGetInfo(NULL, &total));
  OK(hipMemGetInfo(NULL, NULL));
  OK(hipFree(warm));
  return check_done();
}
