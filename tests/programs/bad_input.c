/* Hands every call what it must refuse, and wants AMD's code and an intact process. Arguments: a
 * good code object, one for another chip. The expected codes are those of AMD's 7.x runtime. */
#include <hip/hip_runtime_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define EXPECT(call, expected)                                                                  \
  do {                                                                                          \
    hipError_t status = (call);                                                                 \
    if (status != (expected)) {                                                                 \
      fprintf(stderr, "line %d: %s gave %d (%s), expected %d\n", __LINE__, #call, (int)status,  \
              hipGetErrorName(status), (int)(expected));                                        \
      ++failures;                                                                               \
    }                                                                                           \
  } while (0)

static void *slurp(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) exit(2);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  void *bytes = malloc(*size);
  if (!bytes || fread(bytes, 1, *size, file) != *size) exit(2);
  fclose(file);
  return bytes;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  size_t good_size, other_size;
  unsigned char *good = slurp(argv[1], &good_size);
  unsigned char *other = slurp(argv[2], &other_size);
  hipModule_t module = (hipModule_t)(size_t)0x1234;
  hipFunction_t function;

  /* Garbage, a cut header, another chip: an error, and no stale handle left behind. */
  char garbage[4096];
  memset(garbage, 0xa5, sizeof garbage);
  EXPECT(hipModuleLoadData(&module, garbage), hipErrorInvalidImage);
  EXPECT(hipModuleLoadData(&module, NULL), hipErrorInvalidValue);
  EXPECT(hipModuleLoadData(NULL, good), hipErrorInvalidValue);
  EXPECT(hipModuleLoadData(&module, other), hipErrorNoBinaryForGpu);
  EXPECT(hipModuleLoad(&module, "/no/such/file.co"), hipErrorFileNotFound);

  EXPECT(hipModuleLoadData(&module, good), hipSuccess);
  EXPECT(hipModuleGetFunction(&function, module, "no_such_kernel"), hipErrorNotFound);
  EXPECT(hipModuleGetFunction(&function, module, "saxpy"), hipSuccess);

  /* Launch geometry. */
  hipDeviceptr_t x = NULL, y = NULL;
  float a = 1.0f;
  unsigned n = 64;
  EXPECT(hipMalloc((void **)&x, 4096), hipSuccess);
  EXPECT(hipMalloc((void **)&y, 4096), hipSuccess);
  EXPECT(hipMemset(x, 0, 4096), hipSuccess);
  EXPECT(hipMemset(y, 0, 4096), hipSuccess);
  void *arguments[] = {&a, &x, &y, &n};
  EXPECT(hipModuleLaunchKernel(function, 0, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL), hipErrorInvalidValue);
  EXPECT(hipModuleLaunchKernel(function, 1, 1, 1, 0, 1, 1, 0, NULL, arguments, NULL), hipErrorInvalidValue);
  EXPECT(hipModuleLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, NULL, arguments, NULL), hipErrorInvalidValue);
  EXPECT(hipModuleLaunchKernel((hipFunction_t)(size_t)0xdead0, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL),
         hipErrorInvalidResourceHandle);
  EXPECT(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, (hipStream_t)(size_t)0xbad10, arguments, NULL),
         hipErrorContextIsDestroyed);
  EXPECT(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL), hipSuccess);
  EXPECT(hipDeviceSynchronize(), hipSuccess);

  /* Handles that never were, or no longer are. */
  hipStream_t stream;
  EXPECT(hipStreamCreate(&stream), hipSuccess);
  EXPECT(hipStreamDestroy(stream), hipSuccess);
  EXPECT(hipStreamCreate(NULL), hipErrorInvalidValue);
  hipEvent_t event, never;
  EXPECT(hipEventCreate(&event), hipSuccess);
  EXPECT(hipEventCreate(&never), hipSuccess);
  float elapsed;
  EXPECT(hipEventElapsedTime(&elapsed, event, never), hipErrorInvalidHandle);
  EXPECT(hipEventDestroy(event), hipSuccess);
  EXPECT(hipEventDestroy(NULL), hipErrorInvalidHandle);

  /* Memory. */
  void *pointer = NULL;
  EXPECT(hipMalloc(NULL, 16), hipErrorInvalidValue);
  EXPECT(hipMalloc(&pointer, (size_t)1 << 60), hipErrorOutOfMemory);
  EXPECT(hipMalloc(&pointer, 0), hipSuccess);
  if (pointer) ++failures, fprintf(stderr, "zero bytes gave %p\n", pointer);
  EXPECT(hipFree(NULL), hipSuccess);
  EXPECT(hipFree(&a), hipErrorInvalidValue);
  EXPECT(hipMemcpy(x, good, 64, (hipMemcpyKind)77), hipErrorInvalidMemcpyDirection);
  EXPECT(hipMemcpy(NULL, good, 64, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT(hipSetDevice(99), hipErrorInvalidDevice);
  EXPECT(hipFree(x), hipSuccess);
  EXPECT(hipFree(x), hipErrorInvalidValue);
  EXPECT(hipModuleUnload(module), hipSuccess);

  /* The last error is sticky until asked for, and success does not clear it. */
  (void)hipGetLastError();
  EXPECT(hipSetDevice(99), hipErrorInvalidDevice);
  EXPECT(hipDeviceSynchronize(), hipSuccess);
  EXPECT(hipPeekAtLastError(), hipErrorInvalidDevice);
  EXPECT(hipGetLastError(), hipErrorInvalidDevice);
  EXPECT(hipGetLastError(), hipSuccess);

  free(good);
  free(other);
  printf("%d unexpected answers\n", failures);
  return failures != 0;
}
