// expect: memset writes bytes, halves and words; bounds, null and host memory are checked
// source: clr hip_memory.cpp, ihipMemset, ihipMemset_validate
#include "check.h"

enum { SIZE = 1 << 16 };

static unsigned char back[SIZE];
static unsigned char *device;

static int differ(size_t from, size_t to, unsigned char value) {
  int wrong = 0;
  for (size_t i = from; i < to; ++i) wrong += back[i] != value;
  return wrong;
}

static void fetch(void) { OK(hipMemcpy(back, device, SIZE, hipMemcpyDeviceToHost)); }

int main(void) {
  hipStream_t stream;
  NEED(hipStreamCreate(&stream));
  device = device_bytes(SIZE, 0);
  OK(hipMemset(device + 3, 0x15a, 1001)); /* the low byte counts */
  fetch();
  EXPECT_EQUAL(differ(0, 3, 0) + differ(3, 1004, 0x5a) + differ(1004, SIZE, 0), 0);
  OK(hipMemsetAsync(device, -1, SIZE, stream));
  OK(hipMemsetAsync(device + SIZE - 1, 9, 1, stream));
  OK(hipStreamSynchronize(stream));
  fetch();
  EXPECT_EQUAL(differ(0, SIZE - 1, 0xff) + differ(SIZE - 1, SIZE, 9), 0);

  OK(hipMemset(device, 0, SIZE));
  OK(hipMemsetD8(device, 0xab, 5));
  OK(hipMemsetD16(device + 64, 0x1234, 7));
  OK(hipMemsetD32(device + 128, (int)0xdeadbeef, 9));
  OK(hipMemsetD8Async(device + 256, 0xcd, 3, stream));
  OK(hipMemsetD16Async(device + 320, 0x5678, 3, stream));
  OK(hipMemsetD32Async(device + 384, 0x01020304, 3, stream));
  OK(hipStreamSynchronize(stream));
  fetch();
  EXPECT_EQUAL(differ(0, 5, 0xab) + differ(5, 64, 0), 0);
  uint16_t half;
  uint32_t word;
  memcpy(&half, back + 64 + 12, 2);
  EXPECT_EQUAL(half, 0x1234);
  EXPECT_EQUAL(differ(78, 128, 0), 0);
  memcpy(&word, back + 128 + 32, 4);
  EXPECT_EQUAL(word, 0xdeadbeef);
  EXPECT_EQUAL(differ(164, 256, 0), 0);
  EXPECT_EQUAL(differ(256, 259, 0xcd) + differ(259, 320, 0), 0);
  memcpy(&half, back + 324, 2);
  EXPECT_EQUAL(half, 0x5678);
  memcpy(&word, back + 392, 4);
  EXPECT_EQUAL(word, 0x01020304);
  EXPECT_EQUAL(differ(396, SIZE, 0), 0);

  /* Host memory that the device knows can be set, pageable memory cannot. */
  unsigned char *pinned = NULL;
  NEED(hipHostMalloc((void **)&pinned, 64, 0));
  OK(hipMemset(pinned, 3, 64));
  EXPECT_EQUAL(pinned[63], 3);
  EXPECT(hipMemset(back, 0, 4), hipErrorInvalidValue);
  EXPECT(hipMemsetAsync(back, 0, 4, stream), hipErrorInvalidValue);
  EXPECT(hipMemset(NULL, 0, 4), hipErrorInvalidValue);
  EXPECT(hipMemset(device, 0, SIZE + 1), hipErrorInvalidValue);
  EXPECT(hipMemset(device + 1, 0, SIZE), hipErrorInvalidValue);
  EXPECT(hipMemsetD32(device, 0, SIZE / 4 + 1), hipErrorInvalidValue);
  OK(hipMemset(NULL, 0, 0));
  OK(hipMemset(device, 0, 0));
  OK(hipMemsetAsync(NULL, 0, 0, stream));
  return check_done();
}
