// expect: waiting with the blocking flag sleeps: a wait of 300 ms takes far less processor time
// source: clr hip_event.cpp, Event::synchronize (SyncPolicy::Blocking); reported failures, row D19
#include "check.h"

#include <time.h>

static void sleeps(void *data) {
  (void)data;
  usleep(300000);
}

static double thread_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int main(void) {
  hipEvent_t event;
  NEED(hipEventCreateWithFlags(&event, hipEventBlockingSync | hipEventDisableTiming));
  /* A host function holds the stream, so that there are no instructions this thread might emulate. */
  OK(hipLaunchHostFunc(NULL, sleeps, NULL));
  OK(hipEventRecord(event, NULL));
  double before = thread_ms();
  OK(hipEventSynchronize(event));
  /* Processor time, not time by the clock: a busy machine does not add to it. */
  OURS(EXPECT_THAT(thread_ms() - before < 100));
  return check_done();
}
