// expect: a wrapper of another magic or version gives no module; what hangs on it is refused, not run
// needs: tests/kernels/01_saxpy.bundle
// source: clr hip_platform.cpp, __hipRegisterFatBinary; hip_code_object.cpp, StatCO::GetFunc
#include "fat.h"

static void stub(void) {}

int main(void) {
  static struct FatWrapper wrapper;
  wrapper.binary = slurp("tests/kernels/01_saxpy.bundle", NULL);
  wrapper.magic = 0x12345678;
  wrapper.version = 1;
  EXPECT_THAT(__hipRegisterFatBinary(&wrapper) == NULL);
  wrapper.magic = FAT_MAGIC;
  wrapper.version = 2;
  void **modules = __hipRegisterFatBinary(&wrapper);
  EXPECT_THAT(modules == NULL);
  fat_kernel(modules, (void *)stub, "saxpy");
  void *arguments[] = {NULL, NULL, NULL, NULL};
  EXPECT(hipLaunchKernel((void *)stub, d1(1), d1(1), arguments, 0, NULL), hipErrorInvalidDeviceFunction);
  __hipUnregisterFatBinary(modules);
  return check_done();
}
