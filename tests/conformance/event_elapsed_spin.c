// expect: the time between two events around a kernel is at least the kernel's own, by the device's clock
// needs: tests/conformance/kernels/kernels.co
// source: reported failures, rows B18, B20; the constant clock of gfx11 ticks at 100 MHz
#include "check.h"

int main(void) {
  hipModule_t module = kernels();
  hipEvent_t start, stop;
  NEED(hipEventCreate(&start));
  NEED(hipEventCreate(&stop));
  uint64_t ticks = 200000; /* 2 ms */
  void *arguments[] = {&ticks};
  for (int i = 0; i < 5; ++i) {
    float ms = 0;
    OK(hipEventRecord(start, NULL));
    OK(hipModuleLaunchKernel(kernel(module, "spin"), 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    OK(hipEventRecord(stop, NULL));
    OK(hipEventSynchronize(stop));
    OK(hipEventElapsedTime(&ms, start, stop));
    EXPECT_THAT(ms >= 1.98f);
  }
  return check_done();
}
