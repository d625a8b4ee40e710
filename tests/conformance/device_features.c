// expect: the device says that it can launch cooperatively and has memory pools
// source: clr hip_device.cpp, ihipGetDeviceProperties (cooperativeGroups_, HIP_MEM_POOL_SUPPORT)
#include "check.h"

int main(void) {
  hipDeviceProp_tR0600 properties;
  NEED(hipGetDevicePropertiesR0600(&properties, 0));
  EXPECT_EQUAL(properties.cooperativeLaunch, 1);
  EXPECT_EQUAL(properties.memoryPoolsSupported, 1);
  return check_done();
}
