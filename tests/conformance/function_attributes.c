// expect: a kernel's LDS, registers, block limit and versions are those of its code object
// needs: tests/kernels/loader.O3.co, tests/kernels/03_matmul_lds.O3.co
// source: clr hip_module.cpp, hipFuncGetAttribute, hipFuncSetAttribute; hip_global.cpp, GetStatFuncAttr; the
// numbers are the metadata of the objects (llvm-readelf)
#include "fat.h"

static void little_stub(void) {}
static void lds_stub(void) {}

static int get(hipFunction_t function, hipFunction_attribute attribute) {
  int value = -77;
  OK(hipFuncGetAttribute(&value, attribute, function));
  return value;
}

int main(void) {
  static struct FatWrapper wrapper;
  void **modules = fat_register(&wrapper, "tests/kernels/loader.O3.co");
  fat_kernel(modules, (void *)little_stub, "needs_little");
  fat_kernel(modules, (void *)lds_stub, "dynamic_lds");
  hipModule_t module = load("tests/kernels/loader.O3.co");
  hipFunction_t little = kernel(module, "needs_little"), lds = kernel(module, "dynamic_lds");
  hipFunction_t reads = kernel(module, "reads_variables");

  EXPECT_EQUAL(get(little, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 64);
  EXPECT_EQUAL(get(lds, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
  EXPECT_EQUAL(get(little, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 0);
  EXPECT_EQUAL(get(lds, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 256);
  EXPECT_EQUAL(get(lds, HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), 65536 - 256);
  EXPECT_EQUAL(get(little, HIP_FUNC_ATTRIBUTE_NUM_REGS), 2);
  EXPECT_EQUAL(get(reads, HIP_FUNC_ATTRIBUTE_NUM_REGS), 9);
  EXPECT_EQUAL(get(little, HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES), 0);
  EXPECT_EQUAL(get(little, HIP_FUNC_ATTRIBUTE_BINARY_VERSION), 115);
  EXPECT_EQUAL(get(little, HIP_FUNC_ATTRIBUTE_PTX_VERSION), 115);
  EXPECT_EQUAL(get(little, HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA), 0);
  int value;
  EXPECT(hipFuncGetAttribute(NULL, HIP_FUNC_ATTRIBUTE_NUM_REGS, little), hipErrorInvalidValue);
  EXPECT(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, NULL), hipErrorInvalidResourceHandle);
  EXPECT(hipFuncGetAttribute(&value, (hipFunction_attribute)99, little), hipErrorInvalidValue);

  hipFuncAttributes attributes;
  memset(&attributes, 0xa5, sizeof attributes);
  OK(hipFuncGetAttributes(&attributes, (void *)lds_stub));
  EXPECT_EQUAL(attributes.sharedSizeBytes, 256);
  EXPECT_EQUAL(attributes.maxThreadsPerBlock, 1024);
  EXPECT_EQUAL(attributes.numRegs, get(lds, HIP_FUNC_ATTRIBUTE_NUM_REGS));
  EXPECT_EQUAL(attributes.localSizeBytes, 0);
  EXPECT_EQUAL(attributes.binaryVersion, 115);
  EXPECT_EQUAL(attributes.ptxVersion, 115);
  EXPECT_EQUAL(attributes.cacheModeCA, 0);
  OK(hipFuncGetAttributes(&attributes, (void *)little_stub));
  EXPECT_EQUAL(attributes.maxThreadsPerBlock, 64);
  EXPECT_EQUAL(attributes.numRegs, 2);

  OK(hipFuncSetAttribute((void *)lds_stub, hipFuncAttributeMaxDynamicSharedMemorySize, 65536 - 256));
  EXPECT(hipFuncSetAttribute((void *)lds_stub, hipFuncAttributeMaxDynamicSharedMemorySize, 65536 - 255), hipErrorInvalidValue);
  EXPECT(hipFuncSetAttribute((void *)lds_stub, hipFuncAttributeMaxDynamicSharedMemorySize, -1), hipErrorInvalidValue);
  OK(hipFuncSetAttribute((void *)lds_stub, hipFuncAttributePreferredSharedMemoryCarveout, 50));
  OK(hipFuncGetAttributes(&attributes, (void *)lds_stub));
  EXPECT_EQUAL(attributes.preferredShmemCarveout, 50);
  EXPECT(hipFuncSetAttribute((void *)lds_stub, hipFuncAttributePreferredSharedMemoryCarveout, 101), hipErrorInvalidValue);
  EXPECT(hipFuncSetAttribute((void *)lds_stub, (hipFuncAttribute)55, 0), hipErrorInvalidValue);
  EXPECT(hipFuncSetAttribute(NULL, hipFuncAttributeMaxDynamicSharedMemorySize, 0), hipErrorInvalidDeviceFunction);
  OK(hipFuncSetCacheConfig((void *)lds_stub, hipFuncCachePreferL1));
  EXPECT(hipFuncSetCacheConfig((void *)lds_stub, (hipFuncCache_t)44), hipErrorInvalidValue);
  OK(hipFuncSetSharedMemConfig((void *)lds_stub, hipSharedMemBankSizeDefault));
  EXPECT(hipFuncSetSharedMemConfig((void *)lds_stub, (hipSharedMemConfig)44), hipErrorInvalidValue);

  hipFunction_t by_symbol = NULL;
  OK(hipGetFuncBySymbol(&by_symbol, (void *)lds_stub));
  EXPECT_THAT(same_text(hipKernelNameRef(by_symbol), "dynamic_lds"));
  EXPECT_THAT(same_text(hipKernelNameRefByPtr((void *)little_stub, NULL), "needs_little"));
  return check_done();
}
