// expect: null, wrong kind and too many bytes are refused; zero bytes are fine whatever else is said
// source: clr hip_memory.cpp, ihipMemcpy, ihipMemcpy_validate, hipMemcpyAsync_common
#include "check.h"

int main(void) {
  char host[64] = {0};
  char *device = device_bytes(64, 1);
  EXPECT(hipMemcpy(NULL, host, 4, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT(hipMemcpy(device, NULL, 4, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT(hipMemcpy(NULL, NULL, 4, hipMemcpyDefault), hipErrorInvalidValue);
  EXPECT(hipMemcpy(device, host, 4, (hipMemcpyKind)77), hipErrorInvalidMemcpyDirection);
  EXPECT(hipMemcpy(device, host, 4, (hipMemcpyKind)-1), hipErrorInvalidMemcpyDirection);
  EXPECT(hipMemcpy(NULL, host, 4, (hipMemcpyKind)77), hipErrorInvalidValue);
  EXPECT(hipMemcpy(device, device, 65, hipMemcpyDeviceToDevice), hipErrorInvalidValue);
  EXPECT(hipMemcpy(device, host, 65, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT(hipMemcpy(host, device, 65, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  EXPECT(hipMemcpy(device + 60, host, 5, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT(hipMemcpy(host, device + 1, 64, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  OK(hipMemcpy(device + 60, host, 4, hipMemcpyHostToDevice));
  OK(hipMemcpy(device, device, 64, hipMemcpyDefault));

  OK(hipMemcpy(NULL, NULL, 0, hipMemcpyDefault));
  OK(hipMemcpy(device, NULL, 0, hipMemcpyHostToDevice));
  OK(hipMemcpy(device, host, 0, (hipMemcpyKind)77));

  EXPECT(hipMemcpyAsync(NULL, host, 4, hipMemcpyHostToDevice, NULL), hipErrorInvalidValue);
  EXPECT(hipMemcpyAsync(device, NULL, 4, hipMemcpyHostToDevice, NULL), hipErrorInvalidValue);
  EXPECT(hipMemcpyAsync(device, host, 4, (hipMemcpyKind)77, NULL), hipErrorInvalidMemcpyDirection);
  EXPECT(hipMemcpyAsync(device, host, 0, (hipMemcpyKind)77, NULL), hipErrorInvalidMemcpyDirection);
  EXPECT(hipMemcpyAsync(device, host, 65, hipMemcpyHostToDevice, NULL), hipErrorInvalidValue);
  OK(hipMemcpyAsync(NULL, NULL, 0, hipMemcpyDefault, NULL));

  /* A freed pointer is a host pointer that was never allocated: too long for nothing, but not a device's. */
  char *freed = device_bytes(64, 1);
  OK(hipFree(freed));
  EXPECT(hipMemcpy(freed, host, 4, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT(hipMemset(freed, 0, 4), hipErrorInvalidValue);
  return check_done();
}
