// expect: recording wants an event, a living stream and known flags
// source: clr hip_event.cpp, hipEventRecord_common
#include "check.h"

int main(void) {
  hipEvent_t event;
  NEED(hipEventCreate(&event));
  EXPECT(hipEventRecord(NULL, NULL), hipErrorInvalidHandle);
  OK(hipEventRecord(event, NULL));
  OK(hipEventRecord(event, hipStreamPerThread));
  OK(hipEventRecord(event, hipStreamLegacy));
  OK(hipEventRecordWithFlags(event, NULL, hipEventRecordDefault));
  EXPECT(hipEventRecordWithFlags(event, NULL, 0x70), hipErrorInvalidValue);
  EXPECT(hipEventRecordWithFlags(NULL, NULL, 0), hipErrorInvalidHandle);
  EXPECT_REFUSED(hipEventRecord(event, (hipStream_t)(uintptr_t)0x1000));
  OK(hipEventSynchronize(event));
  return check_done();
}
