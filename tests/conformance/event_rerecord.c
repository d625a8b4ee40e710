// expect: a second record replaces the first; an event may be destroyed while its record is pending
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_event.cpp, Event::enqueueRecordCommand; reported failures, row D6
#include "check.h"

static hipEvent_t shared;

static void *waiter(void *data) {
  (void)data;
  for (int i = 0; i < 200; ++i) OK(hipEventSynchronize(shared));
  return NULL;
}

int main(void) {
  hipModule_t module = kernels();
  volatile uint32_t *gate = new_gate();
  hipStream_t one, two;
  hipEvent_t event;
  NEED(hipStreamCreateWithFlags(&one, hipStreamNonBlocking));
  NEED(hipStreamCreateWithFlags(&two, hipStreamNonBlocking));
  NEED(hipEventCreate(&event));
  close_stream(module, one, gate);
  OK(hipEventRecord(event, one));
  EXPECT(hipEventQuery(event), hipErrorNotReady);
  OK(hipEventRecord(event, two));
  OK(hipEventSynchronize(event)); /* of the second record: the first is still held */
  OK(hipEventQuery(event));
  OK(hipEventRecord(event, one));
  EXPECT(hipEventQuery(event), hipErrorNotReady);
  OK(hipEventDestroy(event));
  EXPECT_REFUSED(hipEventQuery(event));
  EXPECT_REFUSED(hipEventSynchronize(event));
  EXPECT_REFUSED(hipEventRecord(event, two));
  open_gate(gate);
  OK(hipDeviceSynchronize());

  NEED(hipEventCreate(&shared));
  pthread_t thread;
  pthread_create(&thread, NULL, waiter, NULL);
  for (int i = 0; i < 200; ++i) OK(hipEventRecord(shared, i % 2 ? one : two));
  pthread_join(thread, NULL);
  OK(hipEventSynchronize(shared));
  return check_done();
}
