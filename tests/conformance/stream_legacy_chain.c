// expect: two blocking streams with null-stream work between them run in the order of the calls
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_device.cpp, WaitActiveStreams
#include "check.h"

int main(void) {
  hipModule_t module = kernels();
  hipFunction_t step = kernel(module, "step");
  hipStream_t streams[3];
  for (int i = 0; i < 3; ++i) NEED(hipStreamCreate(&streams[i]));
  uint32_t *word = device_bytes(4, 0), expected = 0;
  for (uint32_t i = 1; i <= 300; ++i) {
    void *arguments[] = {&word, &i};
    hipStream_t stream = i % 2 ? streams[i % 3] : NULL;
    OK(hipModuleLaunchKernel(step, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
    expected = expected * 3 + i;
  }
  OK(hipStreamSynchronize(NULL));
  EXPECT_EQUAL(read_word(word), expected);
  return check_done();
}
