// expect: a thread that waits for a stream does not hold up another thread's calls on other streams
// needs: tests/conformance/kernels/kernels.co
// source: reported failures, row D7
#include "check.h"

static hipStream_t held;
static volatile uint32_t waiting;

static void *waits(void *data) {
  (void)data;
  __atomic_store_n(&waiting, 1, __ATOMIC_RELEASE);
  OK(hipStreamSynchronize(held));
  return NULL;
}

int main(void) {
  hipModule_t module = kernels();
  volatile uint32_t *gate = new_gate();
  hipStream_t other;
  hipEvent_t event, pending;
  NEED(hipStreamCreateWithFlags(&held, hipStreamNonBlocking));
  NEED(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
  NEED(hipEventCreate(&event));
  NEED(hipEventCreate(&pending));
  close_stream(module, held, gate);
  OK(hipEventRecord(pending, held));
  pthread_t thread;
  pthread_create(&thread, NULL, waits, NULL);
  while (!__atomic_load_n(&waiting, __ATOMIC_ACQUIRE)) usleep(100);
  usleep(10000);

  /* All of this must come back while the gate is closed: nobody opens it before. */
  uint32_t *word = device_bytes(4, 0);
  store_word(module, other, word, 3);
  OK(hipEventRecord(event, other));
  OK(hipEventSynchronize(event));
  OK(hipStreamSynchronize(other));
  EXPECT_EQUAL(read_word(word), 3);
  OK(hipStreamWaitEvent(other, pending, 0));
  EXPECT(hipStreamQuery(other), hipErrorNotReady);
  hipStream_t made;
  OK(hipStreamCreate(&made));
  OK(hipStreamDestroy(made));
  open_gate(gate);
  pthread_join(thread, NULL);
  OK(hipStreamSynchronize(other));
  return check_done();
}
