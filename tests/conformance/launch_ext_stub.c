// expect: hipExtLaunchKernel counts in blocks and times the kernel alone by its two events
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_module.cpp, hipExtLaunchKernel, ihipModuleLaunchKernel (stop event bound to the dispatch)
#include "fat.h"

/* The header has it for C++ only. */
extern hipError_t hipExtLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                     size_t shared_bytes, hipStream_t stream, hipEvent_t start, hipEvent_t stop,
                                     int flags);

static void count_stub(void) {}

int main(void) {
  static struct FatWrapper wrapper;
  fat_kernel(fat_register(&wrapper, "tests/conformance/kernels/kernels.co"), (void *)count_stub, "count");
  uint32_t *word = device_bytes(4, 0);
  void *arguments[] = {&word};
  hipEvent_t start, stop;
  float ms = -1;
  NEED(hipEventCreate(&start));
  NEED(hipEventCreate(&stop));
  OK(hipExtLaunchKernel((void *)count_stub, d1(3), d1(64), arguments, 0, NULL, start, stop, 0));
  OK(hipEventSynchronize(stop));
  OK(hipEventElapsedTime(&ms, start, stop));
  EXPECT_THAT(ms > 0);
  EXPECT_EQUAL(read_word(word), 192);
  OK(hipExtLaunchKernel((void *)count_stub, d1(1), d1(64), arguments, 0, NULL, NULL, NULL, 0));
  OK(hipExtLaunchKernel((void *)count_stub, d1(1), d1(64), arguments, 0, NULL, NULL, stop, 0));
  OK(hipEventSynchronize(stop));
  EXPECT_EQUAL(read_word(word), 320);

  EXPECT(hipExtLaunchKernel(NULL, d1(1), d1(1), arguments, 0, NULL, NULL, NULL, 0), hipErrorInvalidDeviceFunction);
  EXPECT(hipExtLaunchKernel((void *)count_stub, d1(0), d1(64), arguments, 0, NULL, NULL, NULL, 0),
         hipErrorInvalidConfiguration);
  OK(hipEventDestroy(stop));
  EXPECT(hipExtLaunchKernel((void *)count_stub, d1(1), d1(64), arguments, 0, NULL, NULL, stop, 0), hipErrorInvalidValue);
  OK(hipDeviceSynchronize());
  EXPECT_EQUAL(read_word(word), 320);
  return check_done();
}
