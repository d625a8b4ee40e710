// expect: advice on managed memory is taken within its bounds and for known devices
// source: clr hip_hmm.cpp, ihipMemAdvise
#include "check.h"

int main(void) {
  char *memory = NULL;
  NEED(hipMallocManaged((void **)&memory, 8192, hipMemAttachGlobal));
  memory[5] = 6;
  static const hipMemoryAdvise advice[] = {hipMemAdviseSetReadMostly,          hipMemAdviseUnsetReadMostly,
                                           hipMemAdviseSetPreferredLocation,   hipMemAdviseUnsetPreferredLocation,
                                           hipMemAdviseSetAccessedBy,          hipMemAdviseUnsetAccessedBy};
  for (int i = 0; i < 6; ++i) {
    OK(hipMemAdvise(memory, 8192, advice[i], 0));
    OK(hipMemAdvise(memory, 4096, advice[i], hipCpuDeviceId));
    EXPECT(hipMemAdvise(NULL, 4096, advice[i], 0), hipErrorInvalidValue);
    EXPECT(hipMemAdvise(memory, 0, advice[i], 0), hipErrorInvalidValue);
    EXPECT(hipMemAdvise(memory, 8193, advice[i], 0), hipErrorInvalidValue);
  }
  EXPECT(hipMemAdvise(memory, 4096, hipMemAdviseSetPreferredLocation, 55), hipErrorInvalidDevice);
  EXPECT(hipMemAdvise(memory, 4096, (hipMemoryAdvise)-1, 0), hipErrorInvalidValue);
  EXPECT_EQUAL(memory[5], 6);
  return check_done();
}
