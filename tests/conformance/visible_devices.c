// expect: the variables that hide devices: which values leave the one device, which none
// source: rocclr rocdevice.cpp, Device::init; reported failures, rows B27, B29
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

static int from_cuda(void) {
  setenv("CUDA_VISIBLE_DEVICES", "9", 1);
  return count_devices();
}

int main(void) {
  static const char *names[] = {"HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"};
  for (int i = 0; i < 2; ++i) unsetenv(names[i]);
  unsetenv("ROCR_VISIBLE_DEVICES");
  static const struct {
    const char *value;
    int expected;
  } rows[] = {{NULL, 11}, {"0", 11}, {"0,9", 11},  {"-1", 10},   {"9", 10}, {"-1,0", 10},
              {"9,0", 10}, {"abc", 10}, {"GPU-0123456789abcdef", 10}};
  for (int i = 0; i < 2; ++i) {
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
      int found = in_child(names[i], rows[r].value, count_devices);
      if (found != rows[r].expected) printf("%s=%s: ", names[i], rows[r].value ? rows[r].value : "(unset)");
      EXPECT_EQUAL(found, rows[r].expected);
    }
  }
  /* The plain number only, and the same device twice is one. What an empty variable means is left open:
   * AMD's runtime takes it for none, users expect that it hides every device. */
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQUAL(in_child(names[i], "0,0", count_devices), 11);
    EXPECT_EQUAL(in_child(names[i], " 0", count_devices), 10);
    EXPECT_EQUAL(in_child(names[i], "00", count_devices), 10);
    EXPECT_EQUAL(in_child(names[i], "0x0", count_devices), 10);
  }
  EXPECT_EQUAL(in_child("HIP_VISIBLE_DEVICES", "0", from_cuda), 11);
  return check_done();
}
