// expect: the null stream orders with blocking and per-thread streams in both directions, and with
// non-blocking ones in none
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_context.cpp, getStream; hip_device.cpp, WaitActiveStreams; reported failures, row D10
#include "check.h"

/* Work in `first` is held by a gate; does work put into `second` afterwards run before it opens? */
static int runs_ahead(hipModule_t module, hipStream_t first, hipStream_t second) {
  volatile uint32_t *gate = new_gate();
  uint32_t *word = NULL;
  NEED(hipHostMalloc((void **)&word, 8, hipHostMallocCoherent));
  word[0] = word[1] = 0;
  close_stream(module, first, gate);
  store_word(module, first, word, 1);
  store_word(module, second, word + 1, 1);
  int ahead = 0;
  if (hipStreamQuery(second) == hipErrorNotReady) {
    /* Long enough for work that nothing holds; the answer "held" does not depend on it. */
    for (int i = 0; i < 200 && !ahead; ++i) {
      usleep(1000);
      ahead = __atomic_load_n(word + 1, __ATOMIC_ACQUIRE) != 0;
    }
  } else {
    ahead = __atomic_load_n(word + 1, __ATOMIC_ACQUIRE) != 0;
  }
  open_gate(gate);
  OK(hipDeviceSynchronize());
  EXPECT_EQUAL(word[0], 1);
  EXPECT_EQUAL(word[1], 1);
  return ahead;
}

int main(void) {
  hipModule_t module = kernels();
  hipStream_t blocking, other, free_running;
  NEED(hipStreamCreate(&blocking));
  NEED(hipStreamCreate(&other));
  NEED(hipStreamCreateWithFlags(&free_running, hipStreamNonBlocking));

  EXPECT_EQUAL(runs_ahead(module, blocking, NULL), 0);
  EXPECT_EQUAL(runs_ahead(module, NULL, blocking), 0);
  EXPECT_EQUAL(runs_ahead(module, blocking, hipStreamLegacy), 0);
  EXPECT_EQUAL(runs_ahead(module, hipStreamLegacy, blocking), 0);
  EXPECT_EQUAL(runs_ahead(module, hipStreamPerThread, NULL), 0);
  EXPECT_EQUAL(runs_ahead(module, NULL, hipStreamPerThread), 0);
  EXPECT_EQUAL(runs_ahead(module, NULL, NULL), 0);
  EXPECT_EQUAL(runs_ahead(module, blocking, blocking), 0);
  EXPECT_EQUAL(runs_ahead(module, NULL, free_running), 1);
  EXPECT_EQUAL(runs_ahead(module, free_running, NULL), 1);
  EXPECT_EQUAL(runs_ahead(module, blocking, other), 1);
  EXPECT_EQUAL(runs_ahead(module, blocking, free_running), 1);
  return check_done();
}
