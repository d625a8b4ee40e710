// expect: a bundle without code for this chip fails at its first use, with a code; other bundles go on
// needs: tests/kernels/01_saxpy.others.bundle, tests/conformance/kernels/kernels.co
// source: clr hip_fatbin.cpp, ExtractFatBinaryUsingCOMGR; hip_platform.cpp, ihipLaunchKernel; reported failures,
// row B7
#include "fat.h"

static void foreign_stub(void) {}
static void missing_stub(void) {}
static void store_stub(void) {}

int main(void) {
  static struct FatWrapper foreign, own;
  void **modules = fat_register(&foreign, "tests/kernels/01_saxpy.others.bundle");
  fat_kernel(modules, (void *)foreign_stub, "saxpy");
  void **good = fat_register(&own, "tests/conformance/kernels/kernels.co");
  fat_kernel(good, (void *)store_stub, "store");
  fat_kernel(good, (void *)missing_stub, "no_such_kernel");

  uint32_t *word = device_bytes(4, 0), value = 31;
  void *arguments[] = {&word, &value, &value, &value};
  EXPECT_EITHER(hipLaunchKernel((void *)foreign_stub, d1(1), d1(1), arguments, 0, NULL), hipErrorInvalidImage,
                hipErrorNoBinaryForGpu);
  EXPECT_THAT(hipGetLastError() != hipSuccess);
  EXPECT_REFUSED(hipLaunchKernel((void *)foreign_stub, d1(1), d1(1), arguments, 0, NULL));
  EXPECT_REFUSED(hipLaunchKernel((void *)missing_stub, d1(1), d1(1), arguments, 0, NULL));

  OK(hipLaunchKernel((void *)store_stub, d1(1), d1(1), arguments, 0, NULL));
  OK(hipDeviceSynchronize());
  EXPECT_EQUAL(read_word(word), 31);
  return check_done();
}
