// expect: a memset of a box writes its rows in every slice and nothing else
// source: clr hip_memory.cpp, ihipMemset3D, ihipMemset3DCommand
#include "check.h"

enum { PITCH = 64, ROWS = 5, SLICES = 3, SIZE = PITCH * ROWS * SLICES };

static unsigned char back[SIZE];

int main(void) {
  unsigned char *device = device_bytes(SIZE, 0xee);
  hipStream_t stream;
  NEED(hipStreamCreate(&stream));
  hipPitchedPtr box = {device, PITCH, 30, ROWS};
  hipExtent extent = {20, 4, SLICES};
  for (int form = 0; form < 2; ++form) {
    OK(hipMemset(device, 0xee, SIZE));
    OK(form ? hipMemset3DAsync(box, 7, extent, stream) : hipMemset3D(box, 7, extent));
    OK(hipStreamSynchronize(stream));
    OK(hipMemcpy(back, device, SIZE, hipMemcpyDeviceToHost));
    int wrong = 0;
    for (size_t z = 0; z < SLICES; ++z)
      for (size_t y = 0; y < ROWS; ++y)
        for (size_t x = 0; x < PITCH; ++x)
          wrong += back[(z * ROWS + y) * PITCH + x] != (x < extent.width && y < extent.height ? 7 : 0xee);
    EXPECT_EQUAL(wrong, 0);
  }
  extent.depth = 0;
  OK(hipMemset3D(box, 7, extent));
  extent.depth = 1000;
  EXPECT(hipMemset3D(box, 7, extent), hipErrorInvalidValue);
  extent.depth = 1;
  box.ptr = NULL;
  EXPECT(hipMemset3D(box, 7, extent), hipErrorInvalidValue);
  return check_done();
}
