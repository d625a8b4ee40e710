// expect: bare objects of every version, bundles, compressed bundles and the generic target load from memory and
// from a file, and run
// needs: tests/kernels/01_saxpy.*
// source: clr hip_fatbin.cpp, ExtractFatBinaryUsingCOMGR (exact target first, then gfx11-generic)
#include "check.h"

static void run(hipModule_t module, const char *path) {
  enum { N = 200 };
  float *x = NULL, *y = NULL, a = 2;
  uint32_t n = N;
  NEED(hipHostMalloc((void **)&x, N * 4, 0));
  NEED(hipHostMalloc((void **)&y, N * 4, 0));
  for (int i = 0; i < N; ++i) x[i] = (float)i, y[i] = 5;
  void *arguments[] = {&a, &x, &y, &n};
  OK(hipModuleLaunchKernel(kernel(module, "saxpy_stride"), 3, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
  OK(hipDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < N; ++i) wrong += ((volatile float *)y)[i] != 2 * (float)i + 5;
  if (wrong) printf("%s: ", path);
  EXPECT_EQUAL(wrong, 0);
  OK(hipHostFree(x));
  OK(hipHostFree(y));
}

int main(void) {
  static const char *paths[] = {
      "tests/kernels/01_saxpy.v4.co",      "tests/kernels/01_saxpy.v5.co",     "tests/kernels/01_saxpy.v6.co",
      "tests/kernels/01_saxpy.O0.co",      "tests/kernels/01_saxpy.wave64.co", "tests/kernels/01_saxpy.cumode.co",
      "tests/kernels/01_saxpy.bundle",     "tests/kernels/01_saxpy.ccob2.bundle",
      "tests/kernels/01_saxpy.gfx11-generic.co"};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
    hipModule_t module = NULL;
    hipError_t status = hipModuleLoad(&module, paths[i]);
    if (status != hipSuccess) printf("%s: ", paths[i]);
    OK(status);
    if (status == hipSuccess) {
      run(module, paths[i]);
      OK(hipModuleUnload(module));
    }
    void *image = slurp(paths[i], NULL);
    OK(hipModuleLoadData(&module, image));
    /* The image is the caller's again after the call. */
    free(image);
    run(module, paths[i]);
    OK(hipModuleUnload(module));
  }
  hipModule_t module = NULL;
  void *image = slurp(paths[1], NULL);
  OK(hipModuleLoadDataEx(&module, image, 0, NULL, NULL));
  run(module, "hipModuleLoadDataEx");
  OK(hipModuleUnload(module));
  hipJitOption option = hipJitOptionMaxRegisters;
  void *value = (void *)(uintptr_t)32;
  OK(hipModuleLoadDataEx(&module, image, 1, &option, &value));
  OK(hipModuleUnload(module));
  return check_done();
}
