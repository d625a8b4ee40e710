// expect: the driver's names for copies do the same, with the same refusals
// source: clr hip_memory.cpp, hipMemcpyHtoD, DtoH, DtoD, their Async forms, hipMemcpyWithStream
#include "check.h"

int main(void) {
  unsigned char host[256], back[256];
  for (int i = 0; i < 256; ++i) host[i] = (unsigned char)i;
  hipStream_t stream;
  NEED(hipStreamCreate(&stream));
  hipDeviceptr_t one = device_bytes(256, 0), two = device_bytes(256, 0);

  OK(hipMemcpyHtoD(one, host, 256));
  OK(hipMemcpyDtoD(two, one, 256));
  memset(back, 0, 256);
  OK(hipMemcpyDtoH(back, two, 256));
  EXPECT_THAT(!memcmp(back, host, 256));

  OK(hipMemset(one, 0, 256));
  OK(hipMemset(two, 0, 256));
  OK(hipMemcpyHtoDAsync(one, host, 256, stream));
  OK(hipMemcpyDtoDAsync(two, one, 256, stream));
  memset(back, 0, 256);
  OK(hipMemcpyDtoHAsync(back, two, 256, stream));
  OK(hipStreamSynchronize(stream));
  EXPECT_THAT(!memcmp(back, host, 256));

  memset(back, 0, 256);
  OK(hipMemcpyWithStream(back, two, 256, hipMemcpyDeviceToHost, stream));
  EXPECT_THAT(!memcmp(back, host, 256));

  EXPECT(hipMemcpyHtoD(NULL, host, 4), hipErrorInvalidValue);
  EXPECT(hipMemcpyHtoD(one, NULL, 4), hipErrorInvalidValue);
  EXPECT(hipMemcpyHtoD(one, host, 257), hipErrorInvalidValue);
  EXPECT(hipMemcpyDtoH(NULL, one, 4), hipErrorInvalidValue);
  EXPECT(hipMemcpyDtoH(back, one, 257), hipErrorInvalidValue);
  EXPECT(hipMemcpyDtoD(one, NULL, 4), hipErrorInvalidValue);
  EXPECT(hipMemcpyDtoD(one, two, 257), hipErrorInvalidValue);
  OK(hipMemcpyDtoD(NULL, NULL, 0));
  EXPECT(hipMemcpyWithStream(back, two, 256, (hipMemcpyKind)9999, stream), hipErrorInvalidMemcpyDirection);

  OK(hipStreamDestroy(stream));
  EXPECT(hipMemcpyHtoDAsync(one, host, 4, stream), hipErrorContextIsDestroyed);
  EXPECT(hipMemcpyDtoHAsync(back, one, 4, stream), hipErrorContextIsDestroyed);
  EXPECT(hipMemcpyDtoDAsync(one, two, 4, stream), hipErrorContextIsDestroyed);
  EXPECT(hipMemcpyWithStream(back, two, 4, hipMemcpyDeviceToHost, stream), hipErrorContextIsDestroyed);
  return check_done();
}
