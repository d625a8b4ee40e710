// expect: memory freed while a kernel uses it stays whole until the kernel has ended
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_memory.cpp, ihipFree (waits for the device); reported failures, rows E2, E12
#include "check.h"

static volatile uint32_t *gate;

static void *opener(void *data) {
  (void)data;
  usleep(20000);
  open_gate(gate);
  return NULL;
}

int main(void) {
  hipModule_t module = kernels();
  gate = new_gate();
  uint32_t *word = device_bytes(4096, 0), *copy = device_bytes(4, 0), *host = NULL;
  NEED(hipHostMalloc((void **)&host, 4, 0));
  *host = 0;
  hipStream_t stream;
  NEED(hipStreamCreate(&stream));
  close_stream(module, stream, gate);
  store_word(module, stream, word, 99);
  void *arguments[] = {&host, &word};
  NEED(hipModuleLaunchKernel(kernel(module, "copy_word"), 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));

  pthread_t thread;
  pthread_create(&thread, NULL, opener, NULL);
  OK(hipFree(word));
  /* Whoever gets the memory next must not see the kernel's store. */
  uint32_t *next = device_bytes(4096, 0);
  OK(hipStreamSynchronize(stream));
  pthread_join(thread, NULL);
  EXPECT_EQUAL(*(volatile uint32_t *)host, 99);
  EXPECT_EQUAL(read_word(next), 0);
  EXPECT_EQUAL(read_word(copy), 0);
  OK(hipDeviceSynchronize());
  return check_done();
}
