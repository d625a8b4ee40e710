// expect: device numbers are checked; a failed hipSetDevice leaves the current device; threads start on 0
// source: clr hip_device_runtime.cpp, hipSetDevice, hipGetDevice; hip_device.cpp, ihipDeviceGet
#include "check.h"

static void *first_device(void *data) {
  OK(hipGetDevice(data));
  return NULL;
}

int main(void) {
  int count = 0, current = -1;
  EXPECT(hipGetDeviceCount(NULL), hipErrorInvalidValue);
  NEED(hipGetDeviceCount(&count));
  EXPECT_THAT(count >= 1);

  EXPECT(hipGetDevice(NULL), hipErrorInvalidValue);
  OK(hipGetDevice(&current));
  EXPECT_EQUAL(current, 0);
  EXPECT(hipSetDevice(count), hipErrorInvalidDevice);
  EXPECT(hipSetDevice(-1), hipErrorInvalidDevice);
  EXPECT(hipSetDevice(1 << 30), hipErrorInvalidDevice);
  OK(hipGetDevice(&current));
  EXPECT_EQUAL(current, 0);
  OK(hipSetDevice(0));

  hipDevice_t device = -1;
  EXPECT(hipDeviceGet(NULL, 0), hipErrorInvalidValue);
  EXPECT(hipDeviceGet(&device, -1), hipErrorInvalidDevice);
  EXPECT(hipDeviceGet(&device, count), hipErrorInvalidDevice);
  EXPECT_EQUAL(device, -1);
  OK(hipDeviceGet(&device, 0));
  EXPECT_EQUAL(device, 0);

  current = -1;
  on_thread(first_device, &current);
  EXPECT_EQUAL(current, 0);
  return check_done();
}
