// expect: what is no code, or code for another machine or chip, is refused with the handle cleared
// needs: tests/kernels/01_saxpy.*
// source: clr hip_fatbin.cpp, ExtractFatBinaryUsingCOMGR, BuildProgram; hip_platform.cpp, LoadModule,
// UnloadModule; reported failures, row B5
#include "check.h"

static hipModule_t module;

/* Hands out a module that must not be there afterwards. */
static hipError_t from_memory(const void *image) {
  module = (hipModule_t)(uintptr_t)0x1234;
  return hipModuleLoadData(&module, image);
}

static hipError_t from_file(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size) exit(2);
  fclose(file);
  module = (hipModule_t)(uintptr_t)0x1234;
  hipError_t status = hipModuleLoad(&module, path);
  remove(path);
  return status;
}

#define CLEARED OURS(EXPECT_THAT(module == NULL))

int main(void) {
  size_t size = 0, bundle_size = 0;
  unsigned char *good = slurp("tests/kernels/01_saxpy.O3.co", &size);
  unsigned char *bundle = slurp("tests/kernels/01_saxpy.bundle", &bundle_size);
  unsigned char garbage[8192];
  char path[64];
  snprintf(path, sizeof path, "/tmp/hrx-conformance-%d.co", (int)getpid());

  EXPECT(hipModuleLoadData(NULL, good), hipErrorInvalidValue);
  EXPECT(hipModuleLoad(NULL, "tests/kernels/01_saxpy.O3.co"), hipErrorInvalidValue);
  EXPECT(from_memory(NULL), hipErrorInvalidValue);
  CLEARED;
  module = (hipModule_t)(uintptr_t)0x1234;
  EXPECT(hipModuleLoad(&module, NULL), hipErrorInvalidValue);
  CLEARED;
  module = (hipModule_t)(uintptr_t)0x1234;
  EXPECT(hipModuleLoad(&module, ""), hipErrorInvalidValue);
  CLEARED;
  module = (hipModule_t)(uintptr_t)0x1234;
  EXPECT(hipModuleLoad(&module, "/no/such/file.co"), hipErrorFileNotFound);
  CLEARED;

  for (int value = 0; value < 256; value += 51) {
    memset(garbage, value, sizeof garbage);
    EXPECT(from_memory(garbage), hipErrorInvalidImage);
    CLEARED;
  }
  for (size_t i = 0; i < sizeof garbage; ++i) garbage[i] = (unsigned char)(i * 197 + 13);
  EXPECT(from_memory(garbage), hipErrorInvalidImage);
  CLEARED;

  EXPECT(from_file(path, garbage, 0), hipErrorInvalidImage);
  CLEARED;
  EXPECT(from_file(path, garbage, 64), hipErrorInvalidImage);
  CLEARED;

  /* Another machine: the same file, told to be for x86-64 (62). */
  memcpy(garbage, good, sizeof garbage < size ? sizeof garbage : size);
  garbage[18] = 62;
  garbage[19] = 0;
  EXPECT(from_memory(garbage), hipErrorInvalidImage);
  CLEARED;
  /* Another ABI than AMD's HSA (64). */
  memcpy(garbage, good, sizeof garbage < size ? sizeof garbage : size);
  garbage[7] = 3;
  EXPECT(from_memory(garbage), hipErrorInvalidImage);
  CLEARED;

  /* Another chip, bare and in bundles. */
  EXPECT_EITHER(from_memory(slurp("tests/kernels/01_saxpy.gfx90a.co", NULL)), hipErrorNoBinaryForGpu, hipErrorInvalidImage);
  CLEARED;
  EXPECT_EITHER(from_memory(slurp("tests/kernels/01_saxpy.gfx1100.co", NULL)), hipErrorNoBinaryForGpu, hipErrorInvalidImage);
  CLEARED;
  EXPECT_EITHER(from_memory(slurp("tests/kernels/01_saxpy.others.bundle", NULL)), hipErrorNoBinaryForGpu, hipErrorInvalidImage);
  CLEARED;

  /* Cut off anywhere: refused, whatever the code. */
  static const int parts[] = {1, 4, 16, 63, 65, 200};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    EXPECT_REFUSED(from_file(path, good, (size_t)parts[i]));
    CLEARED;
    EXPECT_REFUSED(from_file(path, bundle, (size_t)parts[i]));
    CLEARED;
  }
  EXPECT_REFUSED(from_file(path, good, size / 2));
  CLEARED;
  EXPECT_REFUSED(from_file(path, bundle, bundle_size / 2));
  CLEARED;

  EXPECT(hipModuleUnload(NULL), hipErrorInvalidResourceHandle);
  EXPECT(hipModuleUnload((hipModule_t)(uintptr_t)0x1234), hipErrorNotFound);
  NEED(hipModuleLoadData(&module, good));
  OK(hipModuleUnload(module));
  EXPECT(hipModuleUnload(module), hipErrorNotFound);
  return check_done();
}
