// expect: each thread has a per-thread stream of its own, which may be used but not destroyed
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_stream.cpp, StreamPerThread::Get; the _spt functions
#include "check.h"

static hipModule_t module;

static void *id_of_mine(void *data) {
  OK(hipStreamGetId(hipStreamPerThread, data));
  uint32_t *word = device_bytes(4, 0);
  store_word(module, hipStreamPerThread, word, 5);
  OK(hipStreamSynchronize(hipStreamPerThread));
  EXPECT_EQUAL(read_word(word), 5);
  return NULL;
}

int main(void) {
  module = kernels();
  unsigned long long mine = 0, again = 0, other = 0, null = 0;
  id_of_mine(&mine);
  id_of_mine(&again);
  on_thread(id_of_mine, &other);
  OK(hipStreamGetId(NULL, &null));
  EXPECT_EQUAL(mine, again);
  EXPECT_THAT(mine != other);
  EXPECT_THAT(mine != null);

  /* Two threads' streams do not wait for one another. */
  volatile uint32_t *gate = new_gate();
  close_stream(module, hipStreamPerThread, gate);
  EXPECT(hipStreamQuery(hipStreamPerThread), hipErrorNotReady);
  hipEvent_t event;
  NEED(hipEventCreate(&event));
  OK(hipEventRecord(event, hipStreamPerThread));
  EXPECT(hipEventQuery(event), hipErrorNotReady);
  open_gate(gate);
  OK(hipEventSynchronize(event));
  OK(hipStreamSynchronize(hipStreamPerThread));
  OK(hipStreamQuery(hipStreamPerThread));

  uint32_t word = 9, *device = device_bytes(4, 0);
  OK(hipMemcpyAsync(device, &word, 4, hipMemcpyHostToDevice, hipStreamPerThread));
  OK(hipMemsetAsync((char *)device + 3, 1, 1, hipStreamPerThread));
  OK(hipStreamSynchronize(hipStreamPerThread));
  EXPECT_EQUAL(read_word(device), 0x01000009);
  return check_done();
}
