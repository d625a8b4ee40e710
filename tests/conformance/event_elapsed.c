// expect: elapsed times are never negative, add up, and are device times, not those of the calls
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_event.cpp, Event::elapsedTime; reported failures, rows B18, B19, B20
#include "check.h"

#include <time.h>

int main(void) {
  hipModule_t module = kernels();
  hipStream_t stream;
  hipEvent_t events[3];
  NEED(hipStreamCreate(&stream));
  for (int i = 0; i < 3; ++i) NEED(hipEventCreate(&events[i]));
  float first, second, both;
  int negative = 0, unequal = 0;
  for (int i = 0; i < 500; ++i) {
    for (int k = 0; k < 3; ++k) OK(hipEventRecord(events[k], i % 2 ? stream : NULL));
    OK(hipEventSynchronize(events[2]));
    OK(hipEventElapsedTime(&first, events[0], events[1]));
    OK(hipEventElapsedTime(&second, events[1], events[2]));
    OK(hipEventElapsedTime(&both, events[0], events[2]));
    negative += first < 0 || second < 0 || both < 0;
    float off = both - first - second;
    unequal += off > 1e-4f || off < -1e-4f;
  }
  EXPECT_EQUAL(negative, 0);
  EXPECT_EQUAL(unequal, 0);

  /* The gate is open 30 ms after both records were made: the calls are long over by then. */
  volatile uint32_t *gate = new_gate();
  struct timespec from, to;
  OK(hipEventRecord(events[0], stream));
  OK(hipEventSynchronize(events[0]));
  clock_gettime(CLOCK_MONOTONIC, &from);
  close_stream(module, stream, gate);
  OK(hipEventRecord(events[1], stream));
  usleep(30000);
  clock_gettime(CLOCK_MONOTONIC, &to);
  open_gate(gate);
  OK(hipEventSynchronize(events[1]));
  OK(hipEventElapsedTime(&both, events[0], events[1]));
  double least = (double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) / 1e6;
  /* Device and host clock may differ by a little, so not by the last percent. */
  EXPECT_THAT(both >= least * 0.99);
  return check_done();
}
