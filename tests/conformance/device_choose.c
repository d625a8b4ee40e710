// expect: hipChooseDevice finds the device for a wish it meets, and 0 for one nobody meets
// source: clr hip_device_runtime.cpp, ihipChooseDevice
#include "check.h"

int main(void) {
  int device = -1;
  hipDeviceProp_tR0600 wish;
  memset(&wish, 0, sizeof wish);
  EXPECT(hipChooseDeviceR0600(NULL, &wish), hipErrorInvalidValue);
  EXPECT(hipChooseDeviceR0600(&device, NULL), hipErrorInvalidValue);
  OK(hipChooseDeviceR0600(&device, &wish));
  EXPECT_EQUAL(device, 0);
  wish.major = 11;
  wish.warpSize = 32;
  device = -1;
  OK(hipChooseDeviceR0600(&device, &wish));
  EXPECT_EQUAL(device, 0);
  wish.totalGlobalMem = (size_t)1 << 60;
  device = -1;
  OK(hipChooseDeviceR0600(&device, &wish));
  EXPECT_EQUAL(device, 0);
  return check_done();
}
