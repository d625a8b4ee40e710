// expect: host memory of HIP has one address for host and device, remembers its flags, and checks them
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_memory.cpp, ihipHostMalloc, hipHostGetFlags, hipHostGetDevicePointer, hipHostAlloc
#include "check.h"

int main(void) {
  hipModule_t module = kernels();
  static const unsigned good[] = {hipHostMallocDefault, hipHostMallocPortable, hipHostMallocMapped,
                                  hipHostMallocWriteCombined, hipHostMallocNumaUser, hipHostMallocCoherent,
                                  hipHostMallocNonCoherent, hipHostMallocMapped | hipHostMallocCoherent};
  for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
    uint32_t *words = NULL, *seen = NULL;
    unsigned flags = 0x99;
    NEED(hipHostMalloc((void **)&words, 4096, good[i]));
    OK(hipHostGetFlags(&flags, words));
    EXPECT_EQUAL(flags, good[i]);
    OK(hipHostGetDevicePointer((void **)&seen, words, 0));
    EXPECT_THAT(seen == words);
    OK(hipHostGetDevicePointer((void **)&seen, words + 10, 0));
    EXPECT_THAT(seen == words + 10);
    words[0] = 41;
    uint32_t *target = words + 1;
    void *arguments[] = {&target, &words};
    OK(hipModuleLaunchKernel(kernel(module, "copy_word"), 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    OK(hipDeviceSynchronize());
    EXPECT_EQUAL(((volatile uint32_t *)words)[1], 41);
    OK(hipHostFree(words));
  }
  void *memory = NULL;
  unsigned flags = 0;
  EXPECT(hipHostMalloc(&memory, 64, hipHostMallocCoherent | hipHostMallocNonCoherent), hipErrorInvalidValue);
  EXPECT_THAT(memory == NULL);

  void *device = device_bytes(64, 0), *seen = NULL;
  NEED(hipHostMalloc(&memory, 64, 0));
  EXPECT(hipHostGetFlags(NULL, memory), hipErrorInvalidValue);
  EXPECT(hipHostGetFlags(&flags, NULL), hipErrorInvalidValue);
  EXPECT(hipHostGetFlags(&flags, &flags), hipErrorInvalidValue);
  EXPECT(hipHostGetFlags(&flags, device), hipErrorInvalidValue);
  EXPECT(hipHostGetDevicePointer(NULL, memory, 0), hipErrorInvalidValue);
  EXPECT(hipHostGetDevicePointer(&seen, memory, 1), hipErrorInvalidValue);
  EXPECT(hipHostGetDevicePointer(&seen, &flags, 0), hipErrorInvalidValue);
  EXPECT(hipHostGetDevicePointer(&seen, NULL, 0), hipErrorInvalidValue);
  OK(hipHostFree(memory));

  EXPECT(hipHostAlloc(NULL, 64, hipHostAllocDefault), hipErrorInvalidValue);
  EXPECT(hipHostAlloc(&memory, 64, 0x8000), hipErrorInvalidValue);
  OK(hipHostAlloc(&memory, 64, hipHostAllocMapped | hipHostAllocPortable));
  OK(hipFreeHost(memory));
  OK(hipMallocHost(&memory, 64));
  OK(hipFreeHost(memory));
  OK(hipMemAllocHost(&memory, 64));
  OK(hipHostFree(memory));
  return check_done();
}
