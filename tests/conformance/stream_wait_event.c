// expect: a stream waits for an event that another recorded, for its latest record, and for nothing when it
// was never recorded
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_stream.cpp, hipStreamWaitEvent_common; hip_event.cpp, Event::streamWait
#include "check.h"

int main(void) {
  hipModule_t module = kernels();
  hipStream_t first, second;
  hipEvent_t event, never;
  NEED(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
  NEED(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
  NEED(hipEventCreateWithFlags(&event, hipEventDisableTiming));
  NEED(hipEventCreate(&never));

  EXPECT(hipStreamWaitEvent(second, NULL, 0), hipErrorInvalidHandle);
  EXPECT(hipStreamWaitEvent(second, event, 77), hipErrorInvalidValue);
  OK(hipStreamWaitEvent(second, never, 0));
  OK(hipStreamSynchronize(second));

  /* Held while the event is pending. */
  volatile uint32_t *gate = new_gate();
  uint32_t *seen = NULL, *word = device_bytes(4, 0);
  NEED(hipHostMalloc((void **)&seen, 4, hipHostMallocCoherent));
  *seen = 0;
  close_stream(module, first, gate);
  store_word(module, first, word, 42);
  OK(hipEventRecord(event, first));
  OK(hipStreamWaitEvent(second, event, 0));
  void *arguments[] = {&seen, &word};
  OK(hipModuleLaunchKernel(kernel(module, "copy_word"), 1, 1, 1, 1, 1, 1, 0, second, arguments, NULL));
  EXPECT(hipStreamQuery(second), hipErrorNotReady);
  usleep(5000);
  EXPECT_EQUAL(__atomic_load_n(seen, __ATOMIC_ACQUIRE), 0);
  open_gate(gate);
  OK(hipStreamSynchronize(second));
  EXPECT_EQUAL(__atomic_load_n(seen, __ATOMIC_ACQUIRE), 42);

  /* A record after the wait does not lengthen it. */
  volatile uint32_t *later = new_gate();
  OK(hipStreamWaitEvent(second, event, 0));
  close_stream(module, first, later);
  OK(hipEventRecord(event, first));
  OK(hipStreamSynchronize(second));
  EXPECT(hipEventQuery(event), hipErrorNotReady);
  open_gate(later);
  OK(hipEventSynchronize(event));

  /* The recording stream may be gone; waiting on one's own event is no deadlock. */
  OK(hipEventRecord(event, first));
  OK(hipStreamDestroy(first));
  OK(hipStreamWaitEvent(second, event, 0));
  OK(hipEventRecord(event, second));
  OK(hipStreamWaitEvent(second, event, 0));
  OK(hipStreamSynchronize(second));
  OK(hipEventRecord(event, NULL));
  OK(hipStreamWaitEvent(second, event, 0));
  OK(hipStreamWaitEvent(NULL, event, 0));
  OK(hipDeviceSynchronize());
  return check_done();
}
