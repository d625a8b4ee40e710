// expect: dynamic LDS of the size asked for is there, up to 64 KiB with the static part
// needs: tests/conformance/kernels/kernels.co, tests/kernels/loader.O3.co
// source: HIP reference, hipModuleLaunchKernel; 64 KiB LDS of a gfx1151 work-group
#include "check.h"

int main(void) {
  hipFunction_t last = kernel(kernels(), "last_lds_word");
  hipFunction_t mixed = kernel(load("tests/kernels/loader.O3.co"), "dynamic_lds");
  uint32_t *out = device_bytes(4096, 0);
  static const uint32_t words[] = {1, 2, 127, 128, 129, 1000, 8192, 16384};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    uint32_t count = words[i];
    void *arguments[] = {&out, &count};
    OK(hipModuleLaunchKernel(last, 1, 1, 1, 32, 1, 1, count * 4, NULL, arguments, NULL));
    OK(hipDeviceSynchronize());
    EXPECT_EQUAL(read_word(out), 0x5a5a0000u + count);
  }
  /* 64 static words and one dynamic word for each of 64 threads in 3 blocks. */
  void *arguments[] = {&out};
  OK(hipModuleLaunchKernel(mixed, 3, 1, 1, 64, 1, 1, 256, NULL, arguments, NULL));
  uint32_t host[192];
  OK(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
  for (uint32_t i = 0; i < 192; ++i) EXPECT_EQUAL(host[i], ((i % 64) ^ 1) + i / 64);
  return check_done();
}
