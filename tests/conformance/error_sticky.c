// expect: the last error stays until asked for; a success between does not clear it; hipExtGetLastError tells
// of the last call only
// source: clr hip_internal.hpp, HIP_UPDATE_ERROR_STATE; hip_error.cpp; reported failures, row B1
#include "check.h"

int main(void) {
  int device;
  OK(hipGetLastError());
  EXPECT(hipSetDevice(99), hipErrorInvalidDevice);
  OK(hipGetDevice(&device));
  OK(hipDeviceSynchronize());
  EXPECT(hipPeekAtLastError(), hipErrorInvalidDevice);
  EXPECT(hipPeekAtLastError(), hipErrorInvalidDevice);
  EXPECT(hipGetLastError(), hipErrorInvalidDevice);
  OK(hipGetLastError());
  OK(hipPeekAtLastError());

  /* The latest of two errors wins. */
  EXPECT(hipSetDevice(99), hipErrorInvalidDevice);
  EXPECT(hipMalloc(NULL, 4), hipErrorInvalidValue);
  EXPECT(hipGetLastError(), hipErrorInvalidValue);
  OK(hipGetLastError());

  /* The older manner: a success between clears it. */
  EXPECT(hipSetDevice(99), hipErrorInvalidDevice);
  EXPECT(hipExtGetLastError(), hipErrorInvalidDevice);
  OK(hipExtGetLastError());
  EXPECT(hipSetDevice(99), hipErrorInvalidDevice);
  OK(hipGetDevice(&device));
  OK(hipExtGetLastError());
  EXPECT(hipGetLastError(), hipErrorInvalidDevice);

  /* Asking for a name is no call that fails or succeeds. */
  EXPECT(hipSetDevice(99), hipErrorInvalidDevice);
  (void)hipGetErrorName(hipErrorOutOfMemory);
  (void)hipGetErrorString((hipError_t)4711);
  EXPECT(hipGetLastError(), hipErrorInvalidDevice);
  return check_done();
}
