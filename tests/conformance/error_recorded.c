// expect: what a refused call returns is what hipGetLastError gives next
// source: clr hip_internal.hpp, HIP_RETURN in each of these functions; reported failures, row B30
#include "check.h"

#define ROW(call)                                                                         \
  do {                                                                                    \
    (void)hipGetLastError();                                                              \
    hipError_t given = (call);                                                            \
    hipError_t last = hipGetLastError();                                                  \
    ++check_made;                                                                         \
    if (given == hipSuccess || last != given) {                                           \
      printf("line %d: %s gave %d (%s), then hipGetLastError gave %d\n", __LINE__, #call, \
             (int)given, hipGetErrorName(given), (int)last);                              \
      ++check_unexpected;                                                                 \
    }                                                                                     \
  } while (0)

int main(void) {
  hipModule_t module = NULL;
  int value;
  size_t size;
  void *memory = NULL;
  ROW(hipInit(4));
  ROW(hipSetDevice(-1));
  ROW(hipGetDevice(NULL));
  ROW(hipGetDeviceCount(NULL));
  ROW(hipDeviceGet(NULL, 0));
  ROW(hipDeviceGetAttribute(NULL, hipDeviceAttributeWarpSize, 0));
  ROW(hipDeviceGetName(NULL, 1, 0));
  ROW(hipDeviceTotalMem(NULL, 0));
  ROW(hipDeviceGetPCIBusId(NULL, 1, 0));
  ROW(hipDeviceGetLimit(NULL, hipLimitMallocHeapSize));
  ROW(hipGetDevicePropertiesR0600(NULL, 0));
  ROW(hipRuntimeGetVersion(NULL));
  ROW(hipDriverGetVersion(NULL));
  ROW(hipMalloc(NULL, 16));
  ROW(hipMalloc(&memory, (size_t)1 << 60));
  ROW(hipHostMalloc(NULL, 16, 0));
  ROW(hipMallocManaged(NULL, 16, hipMemAttachGlobal));
  ROW(hipMallocPitch(NULL, &size, 4, 4));
  ROW(hipFree(&value));
  ROW(hipHostFree(&value));
  ROW(hipMemcpy(NULL, NULL, 4, hipMemcpyHostToHost));
  ROW(hipMemcpyAsync(NULL, &value, 4, hipMemcpyHostToDevice, NULL));
  ROW(hipMemcpyHtoD(NULL, &value, 4));
  ROW(hipMemset(NULL, 0, 4));
  ROW(hipMemsetAsync(NULL, 0, 4, NULL));
  ROW(hipMemcpy2D(&value, 1, &value, 1, 4, 1, hipMemcpyHostToHost));
  ROW(hipHostRegister(NULL, 16, 0));
  ROW(hipHostUnregister(&value));
  ROW(hipHostGetDevicePointer(NULL, &value, 0));
  ROW(hipPointerGetAttributes(NULL, &value));
  ROW(hipStreamCreate(NULL));
  ROW(hipStreamCreateWithFlags(NULL, 0));
  ROW(hipStreamCreateWithPriority(NULL, 0, 0));
  ROW(hipStreamDestroy(NULL));
  ROW(hipStreamWaitEvent(NULL, NULL, 0));
  ROW(hipStreamGetFlags(NULL, NULL));
  ROW(hipStreamGetPriority(NULL, NULL));
  ROW(hipStreamAddCallback(NULL, NULL, NULL, 0));
  ROW(hipLaunchHostFunc(NULL, NULL, NULL));
  ROW(hipEventDestroy(NULL));
  ROW(hipEventRecord(NULL, NULL));
  ROW(hipEventSynchronize(NULL));
  ROW(hipEventQuery(NULL));
  ROW(hipEventElapsedTime(NULL, NULL, NULL));
  ROW(hipModuleLoad(NULL, "x"));
  ROW(hipModuleLoad(&module, "/no/such/file"));
  ROW(hipModuleLoadData(NULL, &value));
  ROW(hipModuleLoadData(&module, NULL));
  ROW(hipModuleUnload(NULL));
  ROW(hipModuleGetFunction(NULL, NULL, NULL));
  ROW(hipModuleGetGlobal(NULL, NULL, NULL, NULL));
  ROW(hipModuleLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  ROW(hipLaunchKernel(NULL, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL));
  ROW(hipFuncGetAttributes(NULL, NULL));
  ROW(hipFuncGetAttribute(NULL, HIP_FUNC_ATTRIBUTE_NUM_REGS, NULL));
  ROW(hipGetSymbolAddress(NULL, &value));
  ROW(hipGetSymbolSize(NULL, &value));
  ROW(hipOccupancyMaxActiveBlocksPerMultiprocessor(NULL, NULL, 1, 0));
  ROW(hipDeviceCanAccessPeer(NULL, 0, 0));
  ROW(hipGetProcAddress(NULL, NULL, 702, 0, NULL));
  return check_done();
}
