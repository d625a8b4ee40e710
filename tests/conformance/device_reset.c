// expect: hipDeviceReset frees memory and streams of the device; the process goes on with new ones
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_device.cpp, Device::Reset (memory objects purged, streams destroyed, flags back)
#include "check.h"

int main(void) {
  hipStream_t old;
  void *memory = device_bytes(4096, 1);
  NEED(hipStreamCreate(&old));
  OK(hipMemsetAsync(memory, 2, 4096, old));
  OK(hipSetDeviceFlags(hipDeviceScheduleBlockingSync));
  OK(hipDeviceReset());

  unsigned flags = 77;
  OK(hipGetDeviceFlags(&flags));
  EXPECT_EQUAL(flags, hipDeviceScheduleSpin);
  EXPECT(hipFree(memory), hipErrorInvalidValue);
  EXPECT_REFUSED(hipStreamSynchronize(old));
  EXPECT_REFUSED(hipMemsetAsync(device_bytes(4, 0), 1, 4, old));

  hipModule_t module = kernels();
  hipStream_t stream;
  NEED(hipStreamCreate(&stream));
  uint32_t *word = device_bytes(4, 0);
  store_word(module, stream, word, 33);
  OK(hipStreamSynchronize(stream));
  EXPECT_EQUAL(read_word(word), 33);
  OK(hipDeviceReset());
  OK(hipDeviceReset());
  word = device_bytes(4, 5);
  EXPECT_EQUAL(read_word(word), 0x05050505);
  return check_done();
}
