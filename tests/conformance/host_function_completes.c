// expect: an event behind a host function is complete only after the function, and the device is not held up
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_stream.cpp, streamCallback_common (a marker that blocks the stream until the callback is done)
#include "check.h"

static volatile uint32_t go, done;

static void wait_for_go(void *data) {
  (void)data;
  while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE)) usleep(200);
  __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
}

int main(void) {
  hipModule_t module = kernels();
  hipStream_t held, other;
  hipEvent_t event;
  NEED(hipStreamCreateWithFlags(&held, hipStreamNonBlocking));
  NEED(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
  NEED(hipEventCreate(&event));
  uint32_t *words = device_bytes(8, 0);
  OK(hipLaunchHostFunc(held, wait_for_go, NULL));
  OK(hipEventRecord(event, held));
  store_word(module, held, words, 1);
  EXPECT(hipEventQuery(event), hipErrorNotReady);
  EXPECT(hipStreamQuery(held), hipErrorNotReady);

  /* Whoever waits for other work gets it, while the function is still running. */
  store_word(module, other, words + 1, 2);
  OK(hipStreamSynchronize(other));
  EXPECT_EQUAL(done, 0);
  EXPECT(hipEventQuery(event), hipErrorNotReady);

  __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
  OK(hipEventSynchronize(event));
  EXPECT_EQUAL(__atomic_load_n(&done, __ATOMIC_ACQUIRE), 1);
  OK(hipStreamSynchronize(held));
  EXPECT_EQUAL(read_word(words), 1);
  EXPECT_EQUAL(read_word(words + 1), 2);
  return check_done();
}
