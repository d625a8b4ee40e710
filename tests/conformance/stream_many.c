// expect: many streams of all priorities work at once and can be destroyed
// needs: tests/conformance/kernels/kernels.co
// source: reported failures, row D4
#include "check.h"

enum { EACH = 9, LAUNCHES = 20 };

int main(void) {
  hipModule_t module = kernels();
  hipFunction_t count = kernel(module, "count");
  hipStream_t streams[3 * EACH];
  uint32_t *words = device_bytes(sizeof(uint32_t) * 3 * EACH, 0);
  for (int i = 0; i < 3 * EACH; ++i) NEED(hipStreamCreateWithPriority(&streams[i], hipStreamNonBlocking, i % 3 - 1));
  for (int n = 0; n < LAUNCHES; ++n) {
    for (int i = 0; i < 3 * EACH; ++i) {
      uint32_t *word = words + i;
      void *arguments[] = {&word};
      OK(hipModuleLaunchKernel(count, 1, 1, 1, 64, 1, 1, 0, streams[i], arguments, NULL));
    }
  }
  for (int i = 0; i < 3 * EACH; ++i) OK(hipStreamDestroy(streams[i]));
  OK(hipDeviceSynchronize());
  for (int i = 0; i < 3 * EACH; ++i) EXPECT_EQUAL(read_word(words + i), 64 * LAUNCHES);
  return check_done();
}
