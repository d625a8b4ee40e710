// expect: a registered bundle runs by its host stub, through a pushed configuration and by hipLaunchKernel
// needs: tests/kernels/01_saxpy.bundle
// source: clr hip_platform.cpp, __hipRegisterFatBinary, __hipRegisterFunction, hipLaunchKernel
#include "fat.h"

static void saxpy_stub(void) {}
static void stride_stub(void) {}

int main(void) {
  static struct FatWrapper wrapper;
  void **modules = fat_register(&wrapper, "tests/kernels/01_saxpy.bundle");
  EXPECT_THAT(modules != NULL);
  fat_kernel(modules, (void *)saxpy_stub, "saxpy");
  fat_kernel(modules, (void *)stride_stub, "saxpy_stride");
  fat_kernel(modules, (void *)saxpy_stub, "saxpy"); /* compilers repeat themselves */

  enum { N = 1000 };
  float *x = NULL, *y = NULL, host[N], a = 3.0f;
  uint32_t n = N;
  NEED(hipMallocManaged((void **)&x, sizeof host, hipMemAttachGlobal));
  NEED(hipMallocManaged((void **)&y, sizeof host, hipMemAttachGlobal));
  for (int i = 0; i < N; ++i) x[i] = (float)i, y[i] = 1.0f;

  void *arguments[] = {&a, &x, &y, &n};
  dim3 grid, block;
  size_t shared = 7;
  hipStream_t stream = (hipStream_t)1;
  OK(__hipPushCallConfiguration(d1(8), d1(128), 0, NULL));
  OK(__hipPopCallConfiguration(&grid, &block, &shared, &stream));
  EXPECT_EQUAL(shared, 0);
  EXPECT_THAT(stream == NULL);
  OK(hipLaunchKernel((void *)saxpy_stub, grid, block, arguments, shared, stream));
  OK(hipDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < N; ++i) wrong += y[i] != 3.0f * (float)i + 1.0f;
  EXPECT_EQUAL(wrong, 0);

  OK(hipLaunchKernel((void *)stride_stub, d1(1), d1(32), arguments, 0, NULL));
  OK(hipDeviceSynchronize());
  wrong = 0;
  for (int i = 0; i < N; ++i) wrong += y[i] != 6.0f * (float)i + 1.0f;
  EXPECT_EQUAL(wrong, 0);

  __hipUnregisterFatBinary(modules);
  EXPECT_REFUSED(hipLaunchKernel((void *)saxpy_stub, d1(1), d1(32), arguments, 0, NULL));
  return check_done();
}
