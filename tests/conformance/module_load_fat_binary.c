// expect: hipModuleLoadFatBinary takes what hipModuleLoadData takes
// needs: tests/kernels/01_saxpy.bundle
// source: clr hip_module.cpp, hipModuleLoadFatBinary
#include "check.h"

int main(void) {
  hipModule_t module = NULL;
  NEED(hipModuleLoadFatBinary(&module, slurp("tests/kernels/01_saxpy.bundle", NULL)));
  EXPECT_THAT(same_text(hipKernelNameRef(kernel(module, "saxpy")), "saxpy"));
  OK(hipModuleUnload(module));
  EXPECT(hipModuleLoadFatBinary(NULL, &module), hipErrorInvalidValue);
  EXPECT(hipModuleLoadFatBinary(&module, NULL), hipErrorInvalidValue);
  return check_done();
}
