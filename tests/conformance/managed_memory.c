// expect: managed memory is read and written by host and kernels in turn, and knows what it is
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_hmm.cpp, hipMallocManaged; hip_memory.cpp, hipPointerGetAttributes
#include "check.h"

int main(void) {
  hipModule_t module = kernels();
  uint32_t *words = NULL, amount = 5, count = 1000;
  NEED(hipMallocManaged((void **)&words, 4000, hipMemAttachGlobal));
  for (uint32_t i = 0; i < count; ++i) words[i] = i;
  void *arguments[] = {&words, &amount, &count};
  for (int round = 1; round <= 3; ++round) {
    OK(hipModuleLaunchKernel(kernel(module, "add"), 8, 1, 1, 128, 1, 1, 0, NULL, arguments, NULL));
    OK(hipDeviceSynchronize());
    int wrong = 0;
    for (uint32_t i = 0; i < count; ++i) wrong += words[i]++ != i + 5u * (unsigned)round + (unsigned)round - 1;
    EXPECT_EQUAL(wrong, 0);
  }
  hipPointerAttribute_t attributes;
  OK(hipPointerGetAttributes(&attributes, words + 1));
  EXPECT_EQUAL(attributes.type, hipMemoryTypeManaged);
  EXPECT_EQUAL(attributes.isManaged, 1);
  EXPECT_THAT(attributes.devicePointer == words + 1);
  OK(hipFree(words));

  NEED(hipMallocManaged((void **)&words, 64, hipMemAttachHost));
  words[3] = 1;
  OK(hipFree(words));
  return check_done();
}
