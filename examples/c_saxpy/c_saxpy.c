/* A C program: loads a code object from a file and launches a kernel of it through the module
 * interface.
 *
 *   cc -std=c99 -Iinclude examples/c_saxpy/c_saxpy.c -Ltarget/release -lamdhip64 -o c_saxpy
 *   LD_LIBRARY_PATH=target/release ./c_saxpy tests/kernels/01_saxpy.O3.co
 */
#include <hip/hip_runtime_api.h>

#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                    \
  do {                                                                 \
    hipError_t status = (call);                                        \
    if (status != hipSuccess) {                                        \
      fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(status));   \
      exit(1);                                                         \
    }                                                                  \
  } while (0)

int main(int argc, char **argv) {
  enum { N = 100000, BLOCK = 256 };
  if (argc != 2) {
    fprintf(stderr, "usage: %s 01_saxpy.co\n", argv[0]);
    return 2;
  }
  hipModule_t module;
  hipFunction_t saxpy;
  CHECK(hipInit(0));
  CHECK(hipModuleLoad(&module, argv[1]));
  CHECK(hipModuleGetFunction(&saxpy, module, "saxpy"));

  float *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
  for (int i = 0; i < N; ++i) {
    x[i] = (float)(i % 100);
    y[i] = (float)(i % 3);
  }
  hipDeviceptr_t dx, dy;
  CHECK(hipMalloc((void **)&dx, N * sizeof *x));
  CHECK(hipMalloc((void **)&dy, N * sizeof *y));
  CHECK(hipMemcpyHtoD(dx, x, N * sizeof *x));
  CHECK(hipMemcpyHtoD(dy, y, N * sizeof *y));

  float a = 3.0f;
  unsigned n = N;
  void *arguments[] = {&a, &dx, &dy, &n};
  CHECK(hipModuleLaunchKernel(saxpy, (N + BLOCK - 1) / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL, arguments, NULL));
  CHECK(hipMemcpyDtoH(y, dy, N * sizeof *y));

  int wrong = 0;
  for (int i = 0; i < N; ++i) wrong += y[i] != 3.0f * (float)(i % 100) + (float)(i % 3);
  printf("%d elements, %d wrong\n", N, wrong);
  CHECK(hipFree(dx));
  CHECK(hipFree(dy));
  CHECK(hipModuleUnload(module));
  free(x);
  free(y);
  return wrong != 0;
}
