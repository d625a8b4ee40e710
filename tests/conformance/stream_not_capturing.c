// expect: a stream that captures nothing says so, and an ordinary event does not change that
// source: clr hip_graph.cpp, hipStreamIsCapturing, hipStreamGetCaptureInfo; reported failures, row B13
#include "check.h"

int main(void) {
  hipStream_t stream, other;
  hipEvent_t event;
  NEED(hipStreamCreate(&stream));
  NEED(hipStreamCreate(&other));
  NEED(hipEventCreate(&event));
  hipStreamCaptureStatus status = hipStreamCaptureStatusActive;
  OK(hipStreamIsCapturing(stream, &status));
  EXPECT_EQUAL(status, hipStreamCaptureStatusNone);
  status = hipStreamCaptureStatusActive;
  OK(hipStreamIsCapturing(NULL, &status));
  EXPECT_EQUAL(status, hipStreamCaptureStatusNone);
  EXPECT(hipStreamIsCapturing(stream, NULL), hipErrorInvalidValue);
  OK(hipEventRecord(event, other));
  OK(hipStreamWaitEvent(stream, event, 0));
  status = hipStreamCaptureStatusActive;
  OK(hipStreamIsCapturing(stream, &status));
  EXPECT_EQUAL(status, hipStreamCaptureStatusNone);
  unsigned long long id = 77;
  OK(hipStreamGetCaptureInfo(stream, &status, &id));
  EXPECT_EQUAL(status, hipStreamCaptureStatusNone);
  EXPECT(hipStreamGetCaptureInfo(stream, NULL, &id), hipErrorInvalidValue);
  OK(hipStreamSynchronize(stream));
  return check_done();
}
