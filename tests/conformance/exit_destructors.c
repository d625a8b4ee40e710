// expect: destructors that run after main may still give handles and memory back
// needs: tests/conformance/kernels/kernels.co
// source: reported failures, row C5
#include "check.h"

static void *memory;
static hipStream_t stream;
static hipEvent_t event;
static hipModule_t module;

__attribute__((destructor)) static void last(void) {
  int before = check_unexpected;
  OK(hipEventDestroy(event));
  OK(hipStreamDestroy(stream));
  OK(hipFree(memory));
  OK(hipModuleUnload(module));
  if (check_unexpected != before) _exit(1);
}

int main(void) {
  module = kernels();
  memory = device_bytes(4096, 0);
  NEED(hipStreamCreate(&stream));
  NEED(hipEventCreate(&event));
  for (uint32_t i = 0; i < 20; ++i) store_word(module, stream, memory, i);
  OK(hipEventRecord(event, stream));
  return check_done();
}
