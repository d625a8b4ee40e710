// expect: each kind of pointer is told apart; unknown ones are "unregistered", which is no error
// source: clr hip_memory.cpp, hipPointerGetAttributes; reported failures, row B23
#include "check.h"

static hipPointerAttribute_t of(const void *pointer) {
  hipPointerAttribute_t attributes;
  memset(&attributes, 0xa5, sizeof attributes);
  OK(hipPointerGetAttributes(&attributes, pointer));
  return attributes;
}

static void unregistered(const void *pointer) {
  hipPointerAttribute_t attributes = of(pointer);
  EXPECT_EQUAL(attributes.type, hipMemoryTypeUnregistered);
  EXPECT_THAT(attributes.devicePointer == NULL);
  EXPECT_THAT(attributes.hostPointer == NULL);
  EXPECT_EQUAL(attributes.isManaged, 0);
  EXPECT_EQUAL(attributes.allocationFlags, 0);
  EXPECT_EQUAL(attributes.device, hipInvalidDeviceId);
  OK(hipPeekAtLastError());
}

int main(void) {
  int local = 0;
  char *device = device_bytes(1000, 0), *host = NULL, *plain = malloc(1000), *gone = device_bytes(1000, 0);
  NEED(hipHostMalloc((void **)&host, 1000, hipHostMallocPortable));
  NEED(hipFree(gone));

  hipPointerAttribute_t attributes = of(device + 17);
  EXPECT_EQUAL(attributes.type, hipMemoryTypeDevice);
  EXPECT_THAT(attributes.devicePointer == device + 17);
  EXPECT_THAT(attributes.hostPointer == NULL);
  EXPECT_EQUAL(attributes.device, 0);
  EXPECT_EQUAL(attributes.isManaged, 0);

  attributes = of(host + 5);
  EXPECT_EQUAL(attributes.type, hipMemoryTypeHost);
  EXPECT_THAT(attributes.devicePointer == host + 5);
  EXPECT_THAT(attributes.hostPointer == host + 5);
  EXPECT_EQUAL(attributes.allocationFlags, hipHostMallocPortable);
  EXPECT_EQUAL(attributes.device, 0);

  if (hipHostRegister(plain, 1000, 0) == hipSuccess) {
    attributes = of(plain + 9);
    EXPECT_EQUAL(attributes.type, hipMemoryTypeHost);
    EXPECT_THAT(attributes.hostPointer == plain + 9);
    OK(hipHostUnregister(plain));
  }
  (void)hipGetLastError();

  unregistered(plain);
  unregistered(&local);
  unregistered(gone);
  unregistered(device + 1000000000);
  unregistered(NULL);
  EXPECT(hipPointerGetAttributes(NULL, device), hipErrorInvalidValue);
  return check_done();
}
