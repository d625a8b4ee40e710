// expect: a launch works with no home, no temporary folder, and with folders that are not there or not writable
// needs: tests/conformance/kernels/kernels.co
// source: reported failures, row C16
#include "check.h"

static int works(void) {
  hipModule_t module = kernels();
  uint32_t *word = device_bytes(4, 0);
  store_word(module, NULL, word, 12);
  OK(hipDeviceSynchronize());
  EXPECT_EQUAL(read_word(word), 12);
  return check_unexpected ? 1 : 40;
}

static int with_nothing(void) {
  clearenv();
  setenv("HRX_DEVICE", "virtual", 1);
  return works();
}

int main(void) {
  static const char *folders[] = {NULL, "", "/no/such/folder", "/proc", "/dev/shm", "/dev/null"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i) {
    EXPECT_EQUAL(in_child("TMPDIR", folders[i], works), 40);
    EXPECT_EQUAL(in_child("HOME", folders[i], works), 40);
    EXPECT_EQUAL(in_child("XDG_RUNTIME_DIR", folders[i], works), 40);
  }
  EXPECT_EQUAL(in_child("HOME", NULL, with_nothing), 40);
  return check_done();
}
