// expect: a stream keeps its synchronisation policy, and only known policies and attributes are taken
// source: clr hip_stream.cpp, hipStreamSetAttribute, hipStreamGetAttribute
#include "check.h"

int main(void) {
  hipStream_t stream;
  hipStreamAttrValue value, found;
  NEED(hipStreamCreate(&stream));
  static const hipSynchronizationPolicy policies[] = {hipSyncPolicyAuto, hipSyncPolicySpin, hipSyncPolicyYield,
                                                      hipSyncPolicyBlockingSync};
  for (int i = 0; i < 4; ++i) {
    memset(&value, 0, sizeof value);
    memset(&found, 0xa5, sizeof found);
    value.syncPolicy = policies[i];
    OK(hipStreamSetAttribute(stream, hipStreamAttributeSynchronizationPolicy, &value));
    OK(hipStreamGetAttribute(stream, hipStreamAttributeSynchronizationPolicy, &found));
    EXPECT_EQUAL(found.syncPolicy, policies[i]);
    OK(hipMemsetAsync(device_bytes(64, 0), 1, 64, stream));
    OK(hipStreamSynchronize(stream));
  }
  EXPECT(hipStreamSetAttribute(stream, hipStreamAttributeSynchronizationPolicy, NULL), hipErrorInvalidValue);
  EXPECT(hipStreamGetAttribute(stream, hipStreamAttributeSynchronizationPolicy, NULL), hipErrorInvalidValue);
  EXPECT(hipStreamSetAttribute(stream, (hipStreamAttrID)-1, &value), hipErrorInvalidValue);
  EXPECT(hipStreamGetAttribute(stream, (hipStreamAttrID)-1, &value), hipErrorInvalidValue);
  value.syncPolicy = (hipSynchronizationPolicy)-1;
  EXPECT(hipStreamSetAttribute(stream, hipStreamAttributeSynchronizationPolicy, &value), hipErrorInvalidValue);
  value.syncPolicy = hipSyncPolicyAuto;
  OK(hipStreamDestroy(stream));
  EXPECT(hipStreamSetAttribute(stream, hipStreamAttributeSynchronizationPolicy, &value), hipErrorInvalidResourceHandle);
  EXPECT(hipStreamGetAttribute(stream, hipStreamAttributeSynchronizationPolicy, &value), hipErrorInvalidResourceHandle);
  return check_done();
}
