// expect: an event that was never recorded counts as complete, but has no time; null is refused
// source: clr hip_event.cpp, Event::query, Event::synchronize, Event::elapsedTime; reported failures, row B16
#include "check.h"

int main(void) {
  hipEvent_t never, other;
  float ms = -5;
  NEED(hipEventCreate(&never));
  NEED(hipEventCreate(&other));
  OK(hipEventQuery(never));
  OK(hipEventSynchronize(never));
  EXPECT(hipEventElapsedTime(&ms, never, other), hipErrorInvalidHandle);
  OK(hipEventRecord(other, NULL));
  OK(hipEventSynchronize(other));
  EXPECT(hipEventElapsedTime(&ms, never, other), hipErrorInvalidHandle);
  EXPECT(hipEventElapsedTime(&ms, other, never), hipErrorInvalidHandle);
  EXPECT(hipEventElapsedTime(&ms, never, never), hipErrorInvalidHandle);
  EXPECT(hipEventQuery(NULL), hipErrorInvalidHandle);
  EXPECT(hipEventSynchronize(NULL), hipErrorInvalidHandle);
  return check_done();
}
