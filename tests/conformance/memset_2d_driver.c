// expect: the driver's memset of rows writes their bytes and nothing between them; the forms for wider elements
// take empty rows
// source: clr hip_memory.cpp, hipMemsetD2D8, hipMemsetD2D8Async, hipMemsetD2D16, hipMemsetD2D32, hipMemset2D_common
#include "check.h"

enum { PITCH = 128, ROWS = 4, SIZE = PITCH * ROWS };

static unsigned char back[SIZE];
static unsigned char *device;

/* Rows of `bytes` bytes, and the old value behind them. */
static void compare(unsigned char value, size_t bytes, int line) {
  OK(hipStreamSynchronize(NULL));
  OK(hipMemcpy(back, device, SIZE, hipMemcpyDeviceToHost));
  int wrong = 0;
  for (size_t row = 0; row < ROWS; ++row) {
    for (size_t i = 0; i < PITCH; ++i) {
      unsigned char expected = i < bytes ? value : 0xee;
      wrong += back[row * PITCH + i] != expected;
    }
  }
  if (wrong) {
    printf("line %d: %d wrong bytes\n", line, wrong);
    ++check_unexpected;
  }
  ++check_made;
  OK(hipMemset(device, 0xee, SIZE));
}

int main(void) {
  device = device_bytes(SIZE, 0xee);
  const unsigned char one = 0x5a;
  OK(hipMemsetD2D8(device, PITCH, one, 33, ROWS));
  compare(one, 33, __LINE__);
  OK(hipMemsetD2D8Async(device, PITCH, one, 100, ROWS, NULL));
  compare(one, 100, __LINE__);
  EXPECT(hipMemsetD2D8(NULL, PITCH, one, 33, ROWS), hipErrorInvalidValue);
  EXPECT(hipMemsetD2D8(device, PITCH, one, 33, 1000), hipErrorInvalidValue);
  OK(hipMemsetD2D8(device, PITCH, one, 0, ROWS));
  OK(hipMemsetD2D16(device, PITCH, 0x1234, 0, ROWS));
  OK(hipMemsetD2D32(device, PITCH, 0x12345678, 20, 0));
  OK(hipMemsetD2D16Async(device, PITCH, 0x1234, 0, ROWS, NULL));
  OK(hipMemsetD2D32Async(device, PITCH, 0x12345678, 20, 0, NULL));
  return check_done();
}
