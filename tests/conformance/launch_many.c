// expect: thousands of launches on one stream run in order with no wait between, none lost
// needs: tests/conformance/kernels/kernels.co
// source: HIP programming model; reported failures, rows A4, A5
#include "check.h"

enum { LAUNCHES = 5000 };

int main(void) {
  hipFunction_t step = kernel(kernels(), "step");
  hipStream_t stream;
  NEED(hipStreamCreate(&stream));
  uint32_t *word = device_bytes(4, 0), expected = 0;
  for (uint32_t i = 0; i < LAUNCHES; ++i) {
    void *arguments[] = {&word, &i};
    OK(hipModuleLaunchKernel(step, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
    expected = expected * 3 + i;
  }
  OK(hipStreamSynchronize(stream));
  EXPECT_EQUAL(read_word(word), expected);
  return check_done();
}
