// expect: a process that ends while a kernel cannot end does end, with its own status
// needs: tests/conformance/kernels/kernels.co
// source: reported failures, row C17
#include "check.h"

static hipModule_t module;

static void start(void) {
  hipStream_t stream;
  NEED(hipStreamCreate(&stream));
  module = kernels();
  close_stream(module, stream, new_gate());
}

static void *exits(void *data) {
  (void)data;
  exit(23);
}

static int by_exit(void) {
  start();
  exit(21);
}
static int by_quick_exit(void) {
  start();
  return 22; /* _exit in the helper */
}
static int by_thread(void) {
  start();
  on_thread(exits, NULL);
  return 1;
}

int main(void) {
  EXPECT_EQUAL(in_child("HRX_TEST", "1", by_exit), 21);
  EXPECT_EQUAL(in_child("HRX_TEST", "1", by_quick_exit), 22);
  EXPECT_EQUAL(in_child("HRX_TEST", "1", by_thread), 23);
  return check_done();
}
