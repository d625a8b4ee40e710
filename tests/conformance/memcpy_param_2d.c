// expect: the driver's form of a pitched copy takes memory kinds and offsets from a box
// source: clr hip_memory.cpp, hipMemcpyParam2D, hip_conversions.hpp, getDrvMemcpy3DDesc
#include "check.h"

enum { WIDTH = 37, HEIGHT = 11, HOST_PITCH = 41, PITCH = 64 };

int main(void) {
  unsigned char host[HOST_PITCH * HEIGHT], back[PITCH * HEIGHT];
  unsigned char *device = device_bytes(PITCH * HEIGHT, 0xcc);
  for (size_t i = 0; i < sizeof host; ++i) host[i] = (unsigned char)(i * 3 + 1);
  hip_Memcpy2D box = {0};
  box.srcMemoryType = hipMemoryTypeHost;
  box.srcHost = host;
  box.srcPitch = HOST_PITCH;
  box.srcXInBytes = 5;
  box.srcY = 1;
  box.dstMemoryType = hipMemoryTypeDevice;
  box.dstDevice = device;
  box.dstPitch = PITCH;
  box.dstXInBytes = 2;
  box.dstY = 3;
  box.WidthInBytes = 30;
  box.Height = 6;
  OK(hipMemcpyParam2D(&box));
  OK(hipMemcpy(back, device, sizeof back, hipMemcpyDeviceToHost));
  int wrong = 0;
  for (int y = 0; y < HEIGHT; ++y) {
    for (int x = 0; x < PITCH; ++x) {
      int inside = x >= 2 && x < 32 && y >= 3 && y < 9;
      wrong += back[y * PITCH + x] != (inside ? host[(y - 2) * HOST_PITCH + x + 3] : 0xcc);
    }
  }
  EXPECT_EQUAL(wrong, 0);
  OURS(EXPECT(hipMemcpyParam2D(NULL), hipErrorInvalidValue));
  box.Height = 600;
  EXPECT(hipMemcpyParam2D(&box), hipErrorInvalidValue);
  box.Height = 0;
  OK(hipMemcpyParam2D(&box));
  return check_done();
}
