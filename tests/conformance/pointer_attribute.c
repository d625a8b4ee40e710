// expect: single pointer attributes of device, host and foreign memory; the list form never fails for a pointer
// source: clr hip_memory.cpp, ihipPointerGetAttributes (7.14 asked: foreign memory is "unregistered"), hipDrvPointerGetAttributes, hipMemGetAddressRange,
// hipMemPtrGetInfo
#include "check.h"

int main(void) {
  char *device = device_bytes(1000, 0), *host = NULL;
  int local = 0;
  NEED(hipHostMalloc((void **)&host, 1000, 0));
  uint32_t type = 0;
  void *pointer = NULL;
  int ordinal = 77;
  _Bool flag = 0;

  OK(hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, device));
  EXPECT_EQUAL(type, hipMemoryTypeDevice);
  OK(hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, host + 3));
  EXPECT_EQUAL(type, hipMemoryTypeHost);
  OK(hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, &local));
  EXPECT_EQUAL(type, hipMemoryTypeUnregistered);

  OK(hipPointerGetAttribute(&pointer, HIP_POINTER_ATTRIBUTE_DEVICE_POINTER, device + 4));
  EXPECT_THAT(pointer == device + 4);
  EXPECT(hipPointerGetAttribute(&pointer, HIP_POINTER_ATTRIBUTE_HOST_POINTER, device), hipErrorInvalidValue);
  EXPECT_THAT(pointer == NULL);
  OK(hipPointerGetAttribute(&pointer, HIP_POINTER_ATTRIBUTE_HOST_POINTER, host + 4));
  EXPECT_THAT(pointer == host + 4);
  OK(hipPointerGetAttribute(&pointer, HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, device + 4));
  EXPECT_THAT(pointer == device);
  OK(hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_RANGE_SIZE, device + 4));
  EXPECT_EQUAL(type, 1000);
  OK(hipPointerGetAttribute(&ordinal, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, device));
  EXPECT_EQUAL(ordinal, 0);
  EXPECT(hipPointerGetAttribute(&ordinal, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, &local), hipErrorInvalidValue);
  EXPECT_EQUAL(ordinal, -2);
  flag = 1;
  OK(hipPointerGetAttribute(&flag, HIP_POINTER_ATTRIBUTE_IS_MANAGED, device));
  EXPECT_EQUAL(flag, 0);
  OK(hipPointerGetAttribute(&flag, HIP_POINTER_ATTRIBUTE_MAPPED, device));
  EXPECT_EQUAL(flag, 1);
  uint32_t first = 0, second = 0;
  OK(hipPointerGetAttribute(&first, HIP_POINTER_ATTRIBUTE_BUFFER_ID, device));
  OK(hipPointerGetAttribute(&second, HIP_POINTER_ATTRIBUTE_BUFFER_ID, host));
  EXPECT_THAT(first != second);

  EXPECT(hipPointerGetAttribute(NULL, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, device), hipErrorInvalidValue);
  EXPECT(hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, NULL), hipErrorInvalidValue);
  EXPECT(hipPointerGetAttribute(&type, (hipPointer_attribute)999, device), hipErrorInvalidValue);
  EXPECT(hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_P2P_TOKENS, device), hipErrorNotSupported);

  hipPointer_attribute wanted[] = {HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void *places[] = {&type, &ordinal};
  OK(hipDrvPointerGetAttributes(2, wanted, places, device));
  EXPECT_EQUAL(type, hipMemoryTypeDevice);
  EXPECT_EQUAL(ordinal, 0);
  OK(hipDrvPointerGetAttributes(2, wanted, places, &local));
  EXPECT_EQUAL(type, 0);
  EXPECT_EQUAL(ordinal, -2);
  EXPECT(hipDrvPointerGetAttributes(0, wanted, places, device), hipErrorInvalidValue);
  EXPECT(hipDrvPointerGetAttributes(2, NULL, places, device), hipErrorInvalidValue);
  EXPECT(hipDrvPointerGetAttributes(2, wanted, NULL, device), hipErrorInvalidValue);

  hipDeviceptr_t base = NULL;
  size_t size = 0;
  OK(hipMemGetAddressRange(&base, &size, device + 999));
  EXPECT_THAT(base == device);
  EXPECT_EQUAL(size, 1000);
  OK(hipMemGetAddressRange(NULL, &size, device));
  OK(hipMemGetAddressRange(&base, NULL, device));
  EXPECT(hipMemGetAddressRange(&base, &size, &local), hipErrorNotFound);
  EXPECT(hipMemGetAddressRange(&base, &size, device + 1000), hipErrorNotFound);
  OK(hipMemPtrGetInfo(device, &size));
  EXPECT_EQUAL(size, 1000);
  OK(hipMemPtrGetInfo(NULL, &size));
  EXPECT_EQUAL(size, 0);
  EXPECT(hipMemPtrGetInfo(&local, &size), hipErrorInvalidValue);
  return check_done();
}
