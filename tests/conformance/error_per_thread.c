// expect: each thread has its own last error
// source: clr hip_error.cpp (thread-local state); reported failures, row B1
#include "check.h"

static void *other(void *data) {
  (void)data;
  OK(hipPeekAtLastError());
  EXPECT(hipMalloc(NULL, 4), hipErrorInvalidValue);
  EXPECT(hipPeekAtLastError(), hipErrorInvalidValue);
  return NULL;
}

int main(void) {
  EXPECT(hipSetDevice(99), hipErrorInvalidDevice);
  on_thread(other, NULL);
  EXPECT(hipPeekAtLastError(), hipErrorInvalidDevice);
  on_thread(other, NULL);
  EXPECT(hipGetLastError(), hipErrorInvalidDevice);
  return check_done();
}
