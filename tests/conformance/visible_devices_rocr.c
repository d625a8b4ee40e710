// expect: ROCR_VISIBLE_DEVICES hides devices by its own rules
// source: ROCr amd_filter_device.cpp, RvdFilter (blanks trimmed, any base, empty hides all); reported failures, B27
#include "check.h"

/* Status 10 + count, or 1 for an answer that fits nothing. */
static int count_devices(void) {
  int count = -1, device;
  hipError_t status = hipGetDeviceCount(&count);
  if (status == hipSuccess && count >= 1 && hipInit(0) == hipSuccess) return 10 + count;
  void *memory;
  if (status == hipErrorNoDevice && count == 0 && hipInit(0) == hipErrorNoDevice &&
      hipMalloc(&memory, 4) == hipErrorNoDevice && hipGetDevice(&device) == hipErrorNoDevice &&
      hipSetDevice(0) == hipErrorNoDevice && hipGetLastError() == hipErrorNoDevice)
    return 10;
  return 1;
}

int main(void) {
  static const struct {
    const char *value;
    int expected;
  } rows[] = {{NULL, 11},  {"0", 11},    {"0,9", 11},  {"0,0", 11}, {" 0", 11}, {"0x0", 11}, {"", 10},
              {"-1", 10}, {"-1,0", 10}, {"9", 10},    {"9,0", 10}, {"abc", 10}, {"GPU-0123456789abcdef", 10}};
  unsetenv("HIP_VISIBLE_DEVICES");
  unsetenv("CUDA_VISIBLE_DEVICES");
  for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
    int found = in_child("ROCR_VISIBLE_DEVICES", rows[r].value, count_devices);
    if (found != rows[r].expected) printf("ROCR_VISIBLE_DEVICES=%s: ", rows[r].value ? rows[r].value : "(unset)");
    EXPECT_EQUAL(found, rows[r].expected);
  }
  return check_done();
}
