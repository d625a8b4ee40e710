// expect: elapsed time wants two complete events with timing, and a place to put it
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_event.cpp, hipEventElapsedTime, Event::elapsedTime; reported failures, row B17
#include "check.h"

int main(void) {
  hipModule_t module = kernels();
  volatile uint32_t *gate = new_gate();
  hipStream_t stream;
  hipEvent_t start, stop, untimed;
  float ms = -5;
  NEED(hipStreamCreate(&stream));
  NEED(hipEventCreate(&start));
  NEED(hipEventCreate(&stop));
  NEED(hipEventCreateWithFlags(&untimed, hipEventDisableTiming));
  OK(hipEventRecord(start, stream));
  OK(hipEventRecord(untimed, stream));
  close_stream(module, stream, gate);
  OK(hipEventRecord(stop, stream));

  EXPECT(hipEventElapsedTime(&ms, start, stop), hipErrorNotReady);
  EXPECT(hipEventElapsedTime(&ms, stop, start), hipErrorNotReady);
  EXPECT(hipEventElapsedTime(&ms, stop, stop), hipErrorNotReady);
  open_gate(gate);
  OK(hipEventSynchronize(stop));
  OK(hipEventElapsedTime(&ms, start, stop));
  EXPECT_THAT(ms >= 0);
  float back = 5;
  OK(hipEventElapsedTime(&back, stop, start));
  EXPECT_THAT(back == -ms);
  OK(hipEventElapsedTime(&ms, stop, stop));
  EXPECT_THAT(ms == 0);

  EXPECT(hipEventElapsedTime(NULL, start, stop), hipErrorInvalidValue);
  EXPECT(hipEventElapsedTime(&ms, NULL, stop), hipErrorInvalidHandle);
  EXPECT(hipEventElapsedTime(&ms, start, NULL), hipErrorInvalidHandle);
  EXPECT(hipEventElapsedTime(&ms, untimed, stop), hipErrorInvalidHandle);
  EXPECT(hipEventElapsedTime(&ms, start, untimed), hipErrorInvalidHandle);
  EXPECT(hipEventElapsedTime(&ms, untimed, untimed), hipErrorInvalidHandle);
  OK(hipEventDestroy(stop));
  EXPECT_REFUSED(hipEventElapsedTime(&ms, start, stop));
  return check_done();
}
