// expect: synchronising the device waits for all streams, the null stream for the blocking ones, a stream for
// itself
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_stream.cpp, hipStreamSynchronize_common; hip_device.cpp, SyncAllStreams
#include "check.h"

static volatile uint32_t *gate;

static void *opener(void *data) {
  (void)data;
  usleep(20000);
  open_gate(gate);
  return NULL;
}

static void held(hipModule_t module, hipStream_t stream, hipError_t (*wait)(void)) {
  uint32_t *word = NULL;
  NEED(hipHostMalloc((void **)&word, 4, hipHostMallocCoherent));
  *word = 0;
  gate = new_gate();
  close_stream(module, stream, gate);
  store_word(module, stream, word, 1);
  pthread_t thread;
  pthread_create(&thread, NULL, opener, NULL);
  OK(wait());
  EXPECT_EQUAL(__atomic_load_n(word, __ATOMIC_ACQUIRE), 1);
  pthread_join(thread, NULL);
}

static hipStream_t blocking, free_running;
static hipError_t wait_device(void) { return hipDeviceSynchronize(); }
static hipError_t wait_null(void) { return hipStreamSynchronize(NULL); }
static hipError_t wait_blocking(void) { return hipStreamSynchronize(blocking); }
static hipError_t wait_free(void) { return hipStreamSynchronize(free_running); }

int main(void) {
  hipModule_t module = kernels();
  NEED(hipStreamCreate(&blocking));
  NEED(hipStreamCreateWithFlags(&free_running, hipStreamNonBlocking));
  held(module, blocking, wait_device);
  held(module, free_running, wait_device);
  held(module, NULL, wait_device);
  held(module, NULL, wait_null);
  held(module, blocking, wait_null);
  held(module, blocking, wait_blocking);
  held(module, free_running, wait_free);

  /* What is not waited for: a gate that nobody opens before these return. */
  gate = new_gate();
  close_stream(module, free_running, gate);
  OK(hipStreamSynchronize(NULL));
  OK(hipStreamSynchronize(blocking));
  EXPECT(hipStreamQuery(free_running), hipErrorNotReady);
  open_gate(gate);
  OK(hipDeviceSynchronize());
  return check_done();
}
