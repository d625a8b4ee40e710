// expect: kernels are found by name in a living module only
// needs: tests/kernels/01_saxpy.O3.co, tests/conformance/kernels/kernels.co
// source: clr hip_module.cpp, hipModuleGetFunction, hipModuleGetFunctionCount
#include "check.h"

int main(void) {
  hipModule_t module = load("tests/kernels/01_saxpy.O3.co"), other = kernels();
  hipFunction_t function = NULL, again = NULL;
  unsigned count = 0;
  OK(hipModuleGetFunction(&function, module, "saxpy"));
  OK(hipModuleGetFunction(&again, module, "saxpy"));
  EXPECT_THAT(function == again);
  EXPECT_THAT(same_text(hipKernelNameRef(function), "saxpy"));
  OK(hipModuleGetFunctionCount(&count, module));
  EXPECT_EQUAL(count, 3);
  EXPECT(hipModuleGetFunctionCount(NULL, module), hipErrorInvalidValue);
  EXPECT(hipModuleGetFunctionCount(&count, NULL), hipErrorInvalidResourceHandle);

  EXPECT(hipModuleGetFunction(NULL, module, "saxpy"), hipErrorInvalidValue);
  EXPECT(hipModuleGetFunction(&function, module, NULL), hipErrorInvalidValue);
  EXPECT(hipModuleGetFunction(&function, module, ""), hipErrorInvalidValue);
  EXPECT(hipModuleGetFunction(&function, NULL, "saxpy"), hipErrorInvalidResourceHandle);
  EXPECT(hipModuleGetFunction(&function, module, "saxpy.kd"), hipErrorNotFound);
  EXPECT(hipModuleGetFunction(&function, module, "SAXPY"), hipErrorNotFound);
  EXPECT(hipModuleGetFunction(&function, other, "saxpy"), hipErrorNotFound);
  EXPECT(hipModuleGetFunction(&function, (hipModule_t)(uintptr_t)0x4321, "saxpy"), hipErrorNotFound);

  OK(hipModuleUnload(module));
  EXPECT(hipModuleGetFunction(&function, module, "saxpy"), hipErrorNotFound);
  EXPECT(hipModuleGetFunctionCount(&count, module), hipErrorNotFound);
  void *arguments[] = {NULL, NULL, NULL, NULL};
  EXPECT_REFUSED(hipModuleLaunchKernel(again, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
  OK(hipModuleLaunchKernel(kernel(other, "nothing"), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  OK(hipDeviceSynchronize());
  return check_done();
}
