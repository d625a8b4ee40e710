// expect: hipGetProcAddress finds exports, chooses layouts by version, and refuses unknown names
// source: clr hip_device.cpp, hipGetProcAddress_common
#include "check.h"

#include <dlfcn.h>

int main(void) {
  void *address = NULL;
  hipDriverProcAddressQueryResult found = (hipDriverProcAddressQueryResult)77;
  OK(hipGetProcAddress("hipMalloc", &address, 702, 0, &found));
  EXPECT_THAT(address != NULL);
  EXPECT_EQUAL(found, HIP_GET_PROC_ADDRESS_SUCCESS);
  hipError_t (*allocate)(void **, size_t) = NULL;
  *(void **)&allocate = address;
  void *memory = NULL;
  if (allocate) OK(allocate(&memory, 100));
  OK(hipFree(memory));

  OK(hipGetProcAddress("hipStreamCreate", &address, 702, 0, NULL));
  EXPECT_THAT(address == dlsym(RTLD_DEFAULT, "hipStreamCreate"));

  OK(hipGetProcAddress("hipGetDeviceProperties", &address, 600, 0, &found));
  EXPECT_THAT(address == dlsym(RTLD_DEFAULT, "hipGetDevicePropertiesR0600"));
  OK(hipGetProcAddress("hipGetDeviceProperties", &address, 599, 0, &found));
  EXPECT_THAT(address != dlsym(RTLD_DEFAULT, "hipGetDevicePropertiesR0600"));
  OK(hipGetProcAddress("hipChooseDevice", &address, 702, 0, &found));
  EXPECT_THAT(address == dlsym(RTLD_DEFAULT, "hipChooseDeviceR0600"));

  EXPECT(hipGetProcAddress("hipNoSuchFunction", &address, 702, 0, &found), hipErrorInvalidValue);
  EXPECT_EQUAL(found, HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT(hipGetProcAddress(NULL, &address, 702, 0, &found), hipErrorInvalidValue);
  EXPECT(hipGetProcAddress("", &address, 702, 0, &found), hipErrorInvalidValue);
  EXPECT(hipGetProcAddress("hipMalloc", NULL, 702, 0, &found), hipErrorInvalidValue);
  return check_done();
}
