// expect: a module unloaded while its kernel waits in a stream does not take the kernel away
// needs: tests/conformance/kernels/kernels.co
// source: HIP reference, hipModuleUnload; clr keeps a program while a command holds its kernel
#include "check.h"

int main(void) {
  hipModule_t module = kernels(), keeps = kernels();
  volatile uint32_t *gate = new_gate();
  hipStream_t stream;
  NEED(hipStreamCreate(&stream));
  uint32_t *word = device_bytes(4, 0);
  close_stream(keeps, stream, gate);
  for (int i = 0; i < 10; ++i) store_word(module, stream, word, 0x77);
  open_gate(gate);
  OK(hipModuleUnload(module));
  OK(hipStreamSynchronize(stream));
  EXPECT_EQUAL(read_word(word), 0x77);
  return check_done();
}
