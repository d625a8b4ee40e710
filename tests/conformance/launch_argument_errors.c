// expect: arguments must be given once, as an array or packed, and packed ones in their form
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_module.cpp, ihipLaunchKernel_validate, ihipLaunchKernelCommand
#include "check.h"

int main(void) {
  hipModule_t module = kernels();
  hipFunction_t store = kernel(module, "store"), nothing = kernel(module, "nothing");
  uint32_t *word = device_bytes(4, 0), value = 5;
  struct {
    uint32_t *word;
    uint32_t value;
  } packed = {word, 6};
  size_t size = 12, none = 0;
  void *arguments[] = {&word, &value};
  void *good[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  void *no_end[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, NULL};
  void *swapped[] = {HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_END};
  void *null[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, NULL, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  void *empty[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &none, HIP_LAUNCH_PARAM_END};
#define LAUNCH(function, array, extra) hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, array, extra)
  EXPECT(LAUNCH(store, arguments, good), hipErrorInvalidValue);
  EXPECT(LAUNCH(store, NULL, NULL), hipErrorInvalidValue);
  EXPECT(LAUNCH(store, NULL, no_end), hipErrorInvalidValue);
  EXPECT(LAUNCH(store, NULL, swapped), hipErrorInvalidValue);
  EXPECT(LAUNCH(store, NULL, null), hipErrorInvalidValue);
  EXPECT(LAUNCH(store, NULL, empty), hipErrorInvalidValue);
  OK(hipDeviceSynchronize());
  EXPECT_EQUAL(read_word(word), 0);
  OK(LAUNCH(store, NULL, good));
  OK(hipDeviceSynchronize());
  EXPECT_EQUAL(read_word(word), 6);
  OK(LAUNCH(nothing, NULL, NULL));
  OK(LAUNCH(nothing, arguments, NULL));
  OK(LAUNCH(nothing, NULL, empty));
  OK(hipDeviceSynchronize());
  return check_done();
}
