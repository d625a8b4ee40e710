// expect: impossible grids, blocks and LDS sizes get their code from hipLaunchKernel, and nothing runs
// needs: tests/conformance/kernels/kernels.co, tests/kernels/loader.O3.co
// source: clr hip_platform.cpp, ihipLaunchKernel; hip_module.cpp, ihipLaunchKernel_validate; rocclr ndrange.hpp;
// reported failures, rows B2, B4
#include "fat.h"

static void count_stub(void) {}
static void little_stub(void) {}

static uint32_t *word;

static hipError_t launch(dim3 grid, dim3 block, size_t shared) {
  void *arguments[] = {&word};
  return hipLaunchKernel((void *)count_stub, grid, block, arguments, shared, NULL);
}

int main(void) {
  static struct FatWrapper one, two;
  fat_kernel(fat_register(&one, "tests/conformance/kernels/kernels.co"), (void *)count_stub, "count");
  fat_kernel(fat_register(&two, "tests/kernels/loader.O3.co"), (void *)little_stub, "needs_little");
  word = device_bytes(4096, 0);

  EXPECT(launch(d3(0, 1, 1), d1(64), 0), hipErrorInvalidConfiguration);
  EXPECT(launch(d3(1, 0, 1), d1(64), 0), hipErrorInvalidConfiguration);
  EXPECT(launch(d3(1, 1, 0), d1(64), 0), hipErrorInvalidConfiguration);
  EXPECT(launch(d1(1), d3(0, 1, 1), 0), hipErrorInvalidConfiguration);
  EXPECT(launch(d1(1), d3(1, 0, 1), 0), hipErrorInvalidConfiguration);
  EXPECT(launch(d1(1), d3(1, 1, 0), 0), hipErrorInvalidConfiguration);
  EXPECT(launch(d1(1), d1(1025), 0), hipErrorInvalidConfiguration);
  EXPECT(launch(d1(1), d3(32, 32, 2), 0), hipErrorInvalidConfiguration);
  EXPECT(launch(d1(1), d1(70000), 0), hipErrorInvalidConfiguration);
  EXPECT(launch(d1(1), d1(0xffffffffu), 0), hipErrorInvalidConfiguration);
  EXPECT(launch(d1(1u << 30), d1(1024), 0), hipErrorInvalidConfiguration);
  EXPECT(launch(d3(1, 1u << 30, 1), d3(1, 8, 1), 0), hipErrorInvalidConfiguration);
  EXPECT(launch(d3(1, 1, 0x80000000u), d3(1, 1, 2), 0), hipErrorInvalidConfiguration);
  EXPECT(launch(d1(1), d1(64), 65537), hipErrorInvalidValue);
  EXPECT(launch(d1(1), d1(64), 1u << 31), hipErrorInvalidValue);

  /* More threads than the kernel was compiled for. */
  void *arguments[] = {&word};
  EXPECT(hipLaunchKernel((void *)little_stub, d1(1), d1(65), arguments, 0, NULL), hipErrorLaunchFailure);

  OK(hipDeviceSynchronize());
  EXPECT_EQUAL(read_word(word), 0);
  OK(launch(d3(2, 3, 4), d3(4, 8, 2), 65536));
  OK(launch(d1(1), d1(1024), 0));
  OK(launch(d1(1), d3(1, 1, 1024), 0));
  OK(hipDeviceSynchronize());
  EXPECT_EQUAL(read_word(word), 24 * 64 + 2048);
  return check_done();
}
