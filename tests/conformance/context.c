// expect: contexts stand for the device: the stack of a thread, the primary context's state and flags
// source: clr hip_context.cpp, hipCtx* and hipDevicePrimaryCtx*
#include "check.h"

int main(void) {
  hipCtx_t primary = NULL, made = NULL, current = NULL;
  int active = -1;
  unsigned flags = 99;
  EXPECT(hipDevicePrimaryCtxRetain(NULL, 0), hipErrorInvalidValue);
  EXPECT(hipDevicePrimaryCtxRetain(&primary, 7), hipErrorInvalidDevice);
  OK(hipDevicePrimaryCtxRetain(&primary, 0));
  EXPECT_THAT(primary != NULL);
  EXPECT(hipDevicePrimaryCtxGetState(7, &flags, &active), hipErrorInvalidDevice);
  OK(hipDevicePrimaryCtxGetState(0, NULL, NULL));
  NEED(hipMalloc(&(void *){NULL}, 16));
  OK(hipDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT_EQUAL(active, 1);
  EXPECT(hipDevicePrimaryCtxSetFlags(0, hipDeviceScheduleSpin), hipErrorContextAlreadyInUse);
  EXPECT(hipDevicePrimaryCtxSetFlags(7, 0), hipErrorInvalidDevice);
  OK(hipDevicePrimaryCtxRelease(0));
  EXPECT(hipDevicePrimaryCtxRelease(-1), hipErrorInvalidDevice);
  OK(hipDevicePrimaryCtxReset(0));

  EXPECT(hipCtxPopCurrent(&current), hipErrorInvalidContext);
  EXPECT(hipCtxPushCurrent(NULL), hipErrorInvalidContext);
  EXPECT(hipCtxCreate(&made, 0, 7), hipErrorInvalidValue);
  OK(hipCtxCreate(&made, 0, 0));
  EXPECT_THAT(made == primary);
  OK(hipCtxGetCurrent(&current));
  EXPECT_THAT(current == made);
  hipDevice_t device = -1;
  OK(hipCtxGetDevice(&device));
  EXPECT_EQUAL(device, 0);
  EXPECT(hipCtxGetDevice(NULL), hipErrorInvalidValue);
  OK(hipCtxPushCurrent(primary));
  current = NULL;
  OK(hipCtxPopCurrent(&current));
  EXPECT_THAT(current == primary);
  OK(hipCtxSetCurrent(primary));
  OK(hipCtxDestroy(made));
  EXPECT(hipCtxDestroy(NULL), hipErrorInvalidValue);

  unsigned version = 0;
  EXPECT(hipCtxGetApiVersion(primary, &version), hipErrorNotSupported);
  EXPECT(hipCtxSynchronize(), hipErrorNotSupported);
  EXPECT(hipCtxGetFlags(&flags), hipErrorNotSupported);
  EXPECT(hipCtxSetCacheConfig((hipFuncCache_t)55), hipErrorInvalidValue);
  EXPECT(hipCtxSetCacheConfig(hipFuncCachePreferL1), hipErrorNotSupported);

  void *memory = NULL;
  OK(hipMalloc(&memory, 64));
  OK(hipFree(memory));
  return check_done();
}
