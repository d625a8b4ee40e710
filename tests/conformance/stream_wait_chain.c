// expect: events between many streams keep a total order that a program builds
// needs: tests/conformance/kernels/kernels.co
// source: HIP reference, hipStreamWaitEvent; reported failures, row D2
#include "check.h"

enum { STREAMS = 9, STEPS = 400 };

int main(void) {
  hipModule_t module = kernels();
  hipFunction_t step = kernel(module, "step");
  hipStream_t streams[STREAMS];
  hipEvent_t done[STREAMS];
  for (int i = 0; i < STREAMS; ++i) {
    NEED(hipStreamCreateWithFlags(&streams[i], hipStreamNonBlocking));
    NEED(hipEventCreateWithFlags(&done[i], hipEventDisableTiming));
  }
  uint32_t *word = device_bytes(4, 0), expected = 0;
  int last = -1;
  for (uint32_t i = 0; i < STEPS; ++i) {
    int at = (int)(i * 5 % STREAMS);
    if (last >= 0) OK(hipStreamWaitEvent(streams[at], done[last], 0));
    void *arguments[] = {&word, &i};
    OK(hipModuleLaunchKernel(step, 1, 1, 1, 1, 1, 1, 0, streams[at], arguments, NULL));
    OK(hipEventRecord(done[at], streams[at]));
    expected = expected * 3 + i;
    last = at;
  }
  OK(hipDeviceSynchronize());
  EXPECT_EQUAL(read_word(word), expected);
  for (int i = 0; i < STREAMS; ++i) {
    OK(hipEventDestroy(done[i]));
    OK(hipStreamDestroy(streams[i]));
  }
  return check_done();
}
