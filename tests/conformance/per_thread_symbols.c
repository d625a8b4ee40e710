// expect: the _spt forms of symbol and row copies, row memsets, callbacks and queries do what their names say on
// the per-thread stream
// needs: tests/kernels/loader.O3.co
// source: clr hip_internal.hpp, PER_THREAD_DEFAULT_STREAM, and the _spt functions
#include "fat.h"

extern hipError_t hipMemcpyToSymbol_spt(const void *, const void *, size_t, size_t, hipMemcpyKind);
extern hipError_t hipMemcpyFromSymbol_spt(void *, const void *, size_t, size_t, hipMemcpyKind);
extern hipError_t hipMemcpyToSymbolAsync_spt(const void *, const void *, size_t, size_t, hipMemcpyKind, hipStream_t);
extern hipError_t hipMemcpyFromSymbolAsync_spt(void *, const void *, size_t, size_t, hipMemcpyKind, hipStream_t);
extern hipError_t hipMemcpy2D_spt(void *, size_t, const void *, size_t, size_t, size_t, hipMemcpyKind);
extern hipError_t hipMemcpy2DAsync_spt(void *, size_t, const void *, size_t, size_t, size_t, hipMemcpyKind, hipStream_t);
extern hipError_t hipMemset2D_spt(void *, size_t, int, size_t, size_t);
extern hipError_t hipMemset2DAsync_spt(void *, size_t, int, size_t, size_t, hipStream_t);
extern hipError_t hipMemset3D_spt(hipPitchedPtr, int, hipExtent);
extern hipError_t hipMemset3DAsync_spt(hipPitchedPtr, int, hipExtent, hipStream_t);
extern hipError_t hipStreamSynchronize_spt(hipStream_t);
extern hipError_t hipLaunchHostFunc_spt(hipStream_t, hipHostFn_t, void *);
extern hipError_t hipStreamAddCallback_spt(hipStream_t, hipStreamCallback_t, void *, unsigned);
extern hipError_t hipStreamGetFlags_spt(hipStream_t, unsigned *);
extern hipError_t hipStreamGetPriority_spt(hipStream_t, int *);
extern hipError_t hipStreamIsCapturing_spt(hipStream_t, hipStreamCaptureStatus *);
extern hipError_t hipStreamGetCaptureInfo_spt(hipStream_t, hipStreamCaptureStatus *, unsigned long long *);

static int zeroed[100];
static char unknown;
static volatile int calls;

static void host_function(void *data) { calls += *(int *)data; }
static void callback(hipStream_t stream, hipError_t status, void *data) {
  (void)stream;
  OK(status);
  calls += *(int *)data;
}

int main(void) {
  static struct FatWrapper wrapper;
  fat_variable(fat_register(&wrapper, "tests/kernels/loader.O3.co"), zeroed, "zeroed", sizeof zeroed, 0);
  int row[100], back[100];
  for (int i = 0; i < 100; ++i) row[i] = 3 * i;
  OK(hipMemcpyToSymbol_spt(zeroed, row, 200, 0, hipMemcpyHostToDevice));
  OK(hipMemcpyToSymbolAsync_spt(zeroed, row + 50, 200, 200, hipMemcpyHostToDevice, NULL));
  OK(hipMemcpyFromSymbolAsync_spt(back, zeroed, 400, 0, hipMemcpyDeviceToHost, NULL));
  OK(hipStreamSynchronize_spt(NULL));
  EXPECT_THAT(!memcmp(row, back, sizeof row));
  memset(back, 0, sizeof back);
  OK(hipMemcpyFromSymbol_spt(back, zeroed, 400, 0, hipMemcpyDeviceToHost));
  EXPECT_THAT(!memcmp(row, back, sizeof row));
  EXPECT(hipMemcpyToSymbol_spt(&unknown, row, 4, 0, hipMemcpyHostToDevice), hipErrorInvalidSymbol);

  unsigned char *device = device_bytes(1024, 0), bytes[1024];
  OK(hipMemset2D_spt(device, 100, 1, 10, 2));
  OK(hipMemset2DAsync_spt(device + 50, 100, 2, 10, 2, NULL));
  hipPitchedPtr box = {device + 512, 64, 64, 2};
  hipExtent extent = {8, 2, 1};
  OK(hipMemset3D_spt(box, 3, extent));
  OK(hipMemset3DAsync_spt(box, 4, extent, NULL));
  OK(hipStreamSynchronize_spt(NULL));
  OK(hipMemcpy2D_spt(bytes, 512, device, 512, 512, 2, hipMemcpyDeviceToHost));
  EXPECT_EQUAL(bytes[109], 1);
  EXPECT_EQUAL(bytes[110], 0);
  EXPECT_EQUAL(bytes[159], 2);
  EXPECT_EQUAL(bytes[512 + 64 + 7], 4);
  EXPECT_EQUAL(bytes[512 + 64 + 8], 0);
  memset(bytes, 9, 1024);
  OK(hipMemcpy2DAsync_spt(device, 512, bytes, 512, 100, 2, hipMemcpyHostToDevice, NULL));
  OK(hipStreamSynchronize_spt(NULL));
  unsigned char byte = 0;
  OK(hipMemcpy(&byte, device + 512 + 99, 1, hipMemcpyDeviceToHost));
  EXPECT_EQUAL(byte, 9);

  int one = 1, ten = 10;
  OK(hipLaunchHostFunc_spt(NULL, host_function, &one));
  OK(hipStreamAddCallback_spt(NULL, callback, &ten, 0));
  OK(hipStreamSynchronize_spt(NULL));
  EXPECT_EQUAL(calls, 11);

  unsigned flags = 99;
  int priority = 99;
  hipStreamCaptureStatus status = hipStreamCaptureStatusActive;
  unsigned long long id = 0;
  OK(hipStreamGetFlags_spt(NULL, &flags));
  EXPECT_EQUAL(flags, hipStreamDefault);
  OK(hipStreamGetPriority_spt(NULL, &priority));
  EXPECT_EQUAL(priority, 0);
  OK(hipStreamIsCapturing_spt(NULL, &status));
  EXPECT_EQUAL(status, hipStreamCaptureStatusNone);
  OK(hipStreamGetCaptureInfo_spt(NULL, &status, &id));
  EXPECT_EQUAL(status, hipStreamCaptureStatusNone);
  return check_done();
}
