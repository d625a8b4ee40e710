// expect: name, UUID, PCI id, memory and capability agree with the properties; short buffers are handled
// source: clr hip_device.cpp, hipDeviceGetName, hipDeviceGetUuid, hipDeviceTotalMem,
// hipDeviceComputeCapability; hip_device_runtime.cpp, hipDeviceGetPCIBusId, hipDeviceGetByPCIBusId
#include "check.h"

int main(void) {
  hipDeviceProp_tR0600 properties;
  NEED(hipGetDevicePropertiesR0600(&properties, 0));

  char name[256], small[5];
  OK(hipDeviceGetName(name, sizeof name, 0));
  EXPECT_THAT(!strcmp(name, properties.name));
  OK(hipDeviceGetName(small, sizeof small, 0));
  EXPECT_EQUAL(strlen(small), 4);
  EXPECT_THAT(!strncmp(small, properties.name, 4));
  EXPECT(hipDeviceGetName(NULL, 16, 0), hipErrorInvalidValue);
  EXPECT(hipDeviceGetName(name, 0, 0), hipErrorInvalidValue);
  EXPECT(hipDeviceGetName(name, -5, 0), hipErrorInvalidValue);
  EXPECT(hipDeviceGetName(name, sizeof name, 9), hipErrorInvalidDevice);

  hipUUID uuid;
  OK(hipDeviceGetUuid(&uuid, 0));
  EXPECT_THAT(!memcmp(&uuid, &properties.uuid, sizeof uuid));
  EXPECT(hipDeviceGetUuid(NULL, 0), hipErrorInvalidValue);
  EXPECT(hipDeviceGetUuid(&uuid, -1), hipErrorInvalidDevice);

  char bus[32], expected[32];
  int device = -1;
  OK(hipDeviceGetPCIBusId(bus, sizeof bus, 0));
  snprintf(expected, sizeof expected, "%04x:%02x:%02x.", properties.pciDomainID, properties.pciBusID,
           properties.pciDeviceID);
  EXPECT_EQUAL(strlen(bus), 12);
  EXPECT_THAT(!strncmp(bus, expected, 11));
  OK(hipDeviceGetPCIBusId(bus, 13, 0));
  OK(hipDeviceGetByPCIBusId(&device, bus));
  EXPECT_EQUAL(device, 0);
  EXPECT(hipDeviceGetPCIBusId(bus, 12, 0), hipErrorInvalidValue);
  EXPECT(hipDeviceGetPCIBusId(NULL, 13, 0), hipErrorInvalidValue);
  EXPECT(hipDeviceGetPCIBusId(bus, 13, 5), hipErrorInvalidDevice);
  EXPECT(hipDeviceGetByPCIBusId(NULL, bus), hipErrorInvalidValue);
  EXPECT(hipDeviceGetByPCIBusId(&device, NULL), hipErrorInvalidValue);
  EXPECT(hipDeviceGetByPCIBusId(&device, "ffff:ee:11.7"), hipErrorInvalidValue);
  EXPECT(hipDeviceGetByPCIBusId(&device, "not an address"), hipErrorInvalidValue);
  EXPECT(hipDeviceGetByPCIBusId(&device, ""), hipErrorInvalidValue);

  size_t bytes = 0;
  OK(hipDeviceTotalMem(&bytes, 0));
  EXPECT_EQUAL(bytes, properties.totalGlobalMem);
  EXPECT(hipDeviceTotalMem(NULL, 0), hipErrorInvalidValue);
  EXPECT(hipDeviceTotalMem(&bytes, 3), hipErrorInvalidDevice);

  int major = 0, minor = 0;
  OK(hipDeviceComputeCapability(&major, &minor, 0));
  EXPECT_EQUAL(major, 11);
  EXPECT_EQUAL(minor, 5);
  EXPECT(hipDeviceComputeCapability(NULL, &minor, 0), hipErrorInvalidValue);
  EXPECT(hipDeviceComputeCapability(&major, NULL, 0), hipErrorInvalidValue);
  EXPECT(hipDeviceComputeCapability(&major, &minor, -1), hipErrorInvalidDevice);
  return check_done();
}
