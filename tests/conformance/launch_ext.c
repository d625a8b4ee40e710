// expect: hipExtModuleLaunchKernel counts in work-items, times the kernel by its events, and refuses blocks that
// do not divide
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_module.cpp, hipExtModuleLaunchKernel, ihipModuleLaunchKernel (uniform work-group size)
#include "check.h"

/* The header has it for C++ only. */
extern hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t global_x, uint32_t global_y,
                                           uint32_t global_z, uint32_t local_x, uint32_t local_y, uint32_t local_z,
                                           size_t shared_bytes, hipStream_t stream, void **arguments, void **extra,
                                           hipEvent_t start, hipEvent_t stop, uint32_t flags);

int main(void) {
  hipModule_t module = kernels();
  hipFunction_t count = kernel(module, "count"), spin = kernel(module, "spin");
  uint32_t *word = device_bytes(4, 0);
  void *arguments[] = {&word};
#define LAUNCH(gx, gy, gz, bx, by, bz, shared) \
  hipExtModuleLaunchKernel(count, gx, gy, gz, bx, by, bz, shared, NULL, arguments, NULL, NULL, NULL, 0)
  OK(LAUNCH(256, 2, 1, 64, 1, 1, 0));
  OK(hipDeviceSynchronize());
  EXPECT_EQUAL(read_word(word), 512);
  OK(LAUNCH(40, 1, 1, 64, 1, 1, 0)); /* a block larger than the grid shrinks to it */
  OK(hipDeviceSynchronize());
  EXPECT_EQUAL(read_word(word), 552);
  EXPECT(LAUNCH(96, 1, 1, 64, 1, 1, 0), hipErrorInvalidValue);
  EXPECT(LAUNCH(64, 3, 1, 64, 2, 1, 0), hipErrorInvalidValue);
  EXPECT(LAUNCH(0, 1, 1, 64, 1, 1, 0), hipErrorInvalidValue);
  EXPECT(LAUNCH(64, 1, 1, 0, 1, 1, 0), hipErrorInvalidConfiguration);
  EXPECT(LAUNCH(2048, 1, 1, 2048, 1, 1, 0), hipErrorInvalidConfiguration);
  EXPECT(LAUNCH(64, 1, 1, 64, 1, 1, 65537), hipErrorInvalidValue);
  /* Of two failures the one that is checked first. */
  EXPECT(LAUNCH(64, 1, 1, 0, 1, 1, 65537), hipErrorInvalidConfiguration);
  EXPECT(LAUNCH(0, 1, 1, 64, 1, 1, 65537), hipErrorInvalidValue);
  EXPECT(hipExtModuleLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL, NULL, NULL, 0),
         hipErrorInvalidResourceHandle);
  OK(hipDeviceSynchronize());
  EXPECT_EQUAL(read_word(word), 552);

  hipEvent_t start, stop;
  float ms = -1;
  uint64_t ticks = 100000; /* 1 ms */
  void *spin_arguments[] = {&ticks};
  NEED(hipEventCreate(&start));
  NEED(hipEventCreate(&stop));
  OK(hipExtModuleLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, NULL, spin_arguments, NULL, start, stop, 0));
  OK(hipEventSynchronize(stop));
  OK(hipEventElapsedTime(&ms, start, stop));
  EXPECT_THAT(ms >= 0.99f);
  return check_done();
}
