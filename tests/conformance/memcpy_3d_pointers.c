// expect: a box arrives where its positions and pitches say, gaps stay, for the runtime's and the driver's structure
// source: clr hip_memory.cpp, ihipMemcpy3D_validate, ihipDrvMemcpy3D_validate, getMemcpy3DParms
#include "check.h"

enum { PITCH = 40, ROWS = 7, LAYERS = 5, SIZE = PITCH * ROWS * LAYERS };

static unsigned char before[SIZE], source[SIZE], found[SIZE], wanted[SIZE];

static int at(int x, int y, int z) { return (z * ROWS + y) * PITCH + x; }

/* What a box of 9 x 3 x 2 bytes from (4, 1, 2) to (11, 2, 1) makes of `before`. */
static void want(void) {
  memcpy(wanted, before, SIZE);
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 9; ++x) wanted[at(11 + x, 2 + y, 1 + z)] = source[at(4 + x, 1 + y, 2 + z)];
}

static hipMemcpy3DParms box(void *to, void *from, hipMemcpyKind kind) {
  hipMemcpy3DParms copy;
  memset(&copy, 0, sizeof copy);
  copy.srcPtr.ptr = from;
  copy.dstPtr.ptr = to;
  copy.srcPtr.pitch = copy.dstPtr.pitch = copy.srcPtr.xsize = copy.dstPtr.xsize = PITCH;
  copy.srcPtr.ysize = copy.dstPtr.ysize = ROWS;
  copy.srcPos.x = 4, copy.srcPos.y = 1, copy.srcPos.z = 2;
  copy.dstPos.x = 11, copy.dstPos.y = 2, copy.dstPos.z = 1;
  copy.extent.width = 9, copy.extent.height = 3, copy.extent.depth = 2;
  copy.kind = kind;
  return copy;
}

static void expect_box(const char *what, const void *memory) {
  OK(hipMemcpy(found, memory, SIZE, hipMemcpyDefault));
  if (memcmp(found, wanted, SIZE)) {
    printf("%s: other bytes\n", what);
    ++check_unexpected;
  }
}

int main(void) {
  for (int i = 0; i < SIZE; ++i) before[i] = (unsigned char)(i * 3 + 1), source[i] = (unsigned char)(i * 11 + i / 200);
  want();
  unsigned char *device = device_bytes(SIZE, 0), *other = device_bytes(SIZE, 0), host[SIZE];
  hipStream_t stream;
  NEED(hipStreamCreate(&stream));

  OK(hipMemcpy(device, before, SIZE, hipMemcpyHostToDevice));
  hipMemcpy3DParms copy = box(device, source, hipMemcpyHostToDevice);
  OK(hipMemcpy3D(&copy));
  expect_box("host to device", device);

  OK(hipMemcpy(device, before, SIZE, hipMemcpyHostToDevice));
  OK(hipMemcpy(other, source, SIZE, hipMemcpyHostToDevice));
  copy = box(device, other, hipMemcpyDeviceToDevice);
  OK(hipMemcpy3DAsync(&copy, stream));
  OK(hipStreamSynchronize(stream));
  expect_box("device to device", device);

  memcpy(host, before, SIZE);
  copy = box(host, other, hipMemcpyDefault);
  OK(hipMemcpy3D(&copy));
  expect_box("device to host", host);

  /* Whole layers in a row. */
  OK(hipMemset(device, 0, SIZE));
  copy = box(device, source, hipMemcpyDefault);
  memset(&copy.srcPos, 0, sizeof copy.srcPos);
  memset(&copy.dstPos, 0, sizeof copy.dstPos);
  copy.extent.width = PITCH, copy.extent.height = ROWS, copy.extent.depth = LAYERS;
  OK(hipMemcpy3D(&copy));
  OK(hipMemcpy(found, device, SIZE, hipMemcpyDeviceToHost));
  EXPECT_THAT(!memcmp(found, source, SIZE));

  HIP_MEMCPY3D driver;
  memset(&driver, 0, sizeof driver);
  driver.srcMemoryType = hipMemoryTypeHost;
  driver.srcHost = source;
  driver.dstMemoryType = hipMemoryTypeDevice;
  driver.dstDevice = device;
  driver.srcPitch = driver.dstPitch = PITCH;
  driver.srcHeight = driver.dstHeight = ROWS;
  driver.srcXInBytes = 4, driver.srcY = 1, driver.srcZ = 2;
  driver.dstXInBytes = 11, driver.dstY = 2, driver.dstZ = 1;
  driver.WidthInBytes = 9, driver.Height = 3, driver.Depth = 2;
  OK(hipMemcpy(device, before, SIZE, hipMemcpyHostToDevice));
  OK(hipDrvMemcpy3D(&driver));
  expect_box("driver's structure", device);
  OK(hipMemcpy(device, before, SIZE, hipMemcpyHostToDevice));
  OK(hipDrvMemcpy3DAsync(&driver, stream));
  OK(hipStreamSynchronize(stream));
  expect_box("driver's structure, in order", device);

  copy = box(device, source, hipMemcpyHostToDevice);
  copy.extent.depth = 0;
  OK(hipMemcpy3D(&copy));
  copy = box(NULL, source, hipMemcpyHostToDevice);
  EXPECT(hipMemcpy3D(&copy), hipErrorInvalidValue);
  copy = box(device, NULL, hipMemcpyHostToDevice);
  EXPECT(hipMemcpy3D(&copy), hipErrorInvalidValue);
  EXPECT(hipMemcpy3D(NULL), hipErrorInvalidValue);
  copy = box(device, source, hipMemcpyHostToDevice);
  copy.extent.width = PITCH;
  EXPECT(hipMemcpy3D(&copy), hipErrorInvalidValue);
  copy = box(device, source, (hipMemcpyKind)77);
  EXPECT(hipMemcpy3D(&copy), hipErrorInvalidMemcpyDirection);
  driver.srcPitch = 8;
  EXPECT(hipDrvMemcpy3D(&driver), hipErrorInvalidValue);
  EXPECT(hipDrvMemcpy3D(NULL), hipErrorInvalidValue);
  return check_done();
}
