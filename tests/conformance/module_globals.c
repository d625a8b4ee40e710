// expect: a module's variables are found by name, initialised, relocated and seen by its kernels
// needs: tests/kernels/loader.O3.co, tests/kernels/loader.v4.co
// source: clr hip_module.cpp, hipModuleGetGlobal; hip_code_object.cpp, DynCO::GetGlobal, initDynManagedVars
#include "check.h"

struct Packed {
  char a;
  short b;
  double c;
  uint32_t d;
};

static void one(const char *path) {
  hipModule_t module = load(path);
  hipDeviceptr_t address = NULL, again = NULL;
  size_t size = 0;
  OK(hipModuleGetGlobal(&address, &size, module, "counter"));
  EXPECT_EQUAL(size, 4);
  EXPECT_EQUAL(read_word(address), 7);
  OK(hipModuleGetGlobal(&again, NULL, module, "counter"));
  EXPECT_THAT(again == address);
  size = 0;
  OK(hipModuleGetGlobal(NULL, &size, module, "zeroed"));
  EXPECT_EQUAL(size, 400);
  OK(hipModuleGetGlobal(&address, &size, module, "pointer_to_counter"));
  uint64_t pointer = 0;
  OK(hipMemcpy(&pointer, address, 8, hipMemcpyDeviceToHost));
  EXPECT_EQUAL(pointer, (uintptr_t)again);

  hipDeviceptr_t managed = NULL;
  OK(hipModuleGetGlobal(&managed, &size, module, "managed_value"));
  EXPECT_EQUAL(size, 4);
  EXPECT_EQUAL(read_word(managed), 5);
  *(volatile int *)managed = 100; /* the host's too */

  int thirty = 30;
  OK(hipMemcpy(again, &thirty, 4, hipMemcpyHostToDevice));
  int *out = NULL;
  float *in = NULL;
  NEED(hipHostMalloc((void **)&out, 64 * 4, 0));
  NEED(hipHostMalloc((void **)&in, 64 * 4, 0));
  for (int i = 0; i < 64; ++i) in[i] = (float)(1000 * i);
  char tag = 3;
  struct Packed packed = {0, 20, 0.5, 0};
  packed.c = 7.9;
  void *arguments[] = {&out, &in, &tag, &packed};
  OK(hipModuleLaunchKernel(kernel(module, "reads_variables"), 2, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
  OK(hipDeviceSynchronize());
  static const int table[4] = {1, 2, 4, 8};
  for (int i = 0; i < 64; ++i)
    EXPECT_EQUAL(((volatile int *)out)[i], 30 + 0 + table[i & 3] + 11 + 100 + 3 + 20 + 7 + 1000 * i);
  OK(hipModuleLaunchKernel(kernel(module, "no_arguments"), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  OK(hipDeviceSynchronize());
  EXPECT_EQUAL(read_word(again), 8);

  EXPECT(hipModuleGetGlobal(&address, &size, module, "no_such_variable"), hipErrorNotFound);
  EXPECT(hipModuleGetGlobal(&address, &size, module, ""), hipErrorInvalidValue);
  EXPECT(hipModuleGetGlobal(&address, &size, module, NULL), hipErrorInvalidValue);
  EXPECT(hipModuleGetGlobal(NULL, NULL, module, "counter"), hipErrorInvalidValue);
  EXPECT(hipModuleGetGlobal(&address, &size, NULL, "counter"), hipErrorInvalidResourceHandle);
  OK(hipModuleUnload(module));
  EXPECT(hipModuleGetGlobal(&address, &size, module, "counter"), hipErrorNotFound);
}

int main(void) {
  one("tests/kernels/loader.O3.co");
  one("tests/kernels/loader.v4.co");
  return check_done();
}
