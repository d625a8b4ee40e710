// expect: managed memory can be prefetched to the device and to the host, within its bounds
// source: clr hip_hmm.cpp, ihipMemPrefetchAsync
#include "check.h"

int main(void) {
  uint32_t *words = NULL;
  NEED(hipMallocManaged((void **)&words, 4000, hipMemAttachGlobal));
  words[7] = 8;
  OK(hipMemPrefetchAsync(words, 4000, 0, NULL));
  OK(hipMemPrefetchAsync(words, 4000, hipCpuDeviceId, NULL));
  OK(hipDeviceSynchronize());
  EXPECT(hipMemPrefetchAsync(NULL, 4000, 0, NULL), hipErrorInvalidValue);
  EXPECT(hipMemPrefetchAsync(words, 0, 0, NULL), hipErrorInvalidValue);
  EXPECT(hipMemPrefetchAsync(words, 4001, 0, NULL), hipErrorInvalidValue);
  EXPECT(hipMemPrefetchAsync(words, 4000, 44, NULL), hipErrorInvalidDevice);
  EXPECT_EQUAL(words[7], 8);
  return check_done();
}
