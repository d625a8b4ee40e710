// expect: a memset of rows leaves what is between the rows
// source: clr hip_memory.cpp, ihipMemset3D, ihipMemset3D_validate
#include "check.h"

enum { SIZE = 4096 };

static unsigned char back[SIZE];

static int differ(size_t from, size_t to, unsigned char value) {
  int wrong = 0;
  for (size_t i = from; i < to; ++i) wrong += back[i] != value;
  return wrong;
}

int main(void) {
  hipStream_t stream;
  NEED(hipStreamCreate(&stream));
  unsigned char *device = device_bytes(SIZE, 0);
  OK(hipMemset2D(device, 100, 0x44, 30, 5));
  OK(hipMemset2DAsync(device + 1000, 100, 0x55, 100, 2, stream));
  OK(hipStreamSynchronize(stream));
  OK(hipMemcpy(back, device, SIZE, hipMemcpyDeviceToHost));
  for (size_t row = 0; row < 500; row += 100) {
    EXPECT_EQUAL(differ(row, row + 30, 0x44), 0);
    EXPECT_EQUAL(differ(row + 30, row + 100, 0), 0);
  }
  EXPECT_EQUAL(differ(500, 1000, 0) + differ(1000, 1200, 0x55) + differ(1200, SIZE, 0), 0);
  EXPECT(hipMemset2D(device, 100, 0, 30, SIZE), hipErrorInvalidValue);
  OK(hipMemset2D(device, 100, 0, 0, 5));
  OK(hipMemset2D(device, 100, 0, 30, 0));
  return check_done();
}
