// expect: both free functions take what any allocator made, null too; all else is refused, twice too
// source: clr hip_memory.cpp, ihipFree, hipHostFree (neither asks who made the memory); reported failures, B21
#include "check.h"

static void *make(int kind) {
  void *pointer = NULL;
  if (kind == 0) NEED(hipMalloc(&pointer, 8192));
  if (kind == 1) NEED(hipHostMalloc(&pointer, 8192, 0));
  if (kind == 2) NEED(hipMallocManaged(&pointer, 8192, hipMemAttachGlobal));
  return pointer;
}

int main(void) {
  hipError_t (*frees[])(void *) = {hipFree, hipHostFree};
  for (int kind = 0; kind < 3; ++kind) {
    for (int i = 0; i < 2; ++i) {
      void *pointer = make(kind);
      OK(frees[i](pointer));
      EXPECT(frees[i](pointer), hipErrorInvalidValue);
      EXPECT(frees[!i](pointer), hipErrorInvalidValue);
    }
  }
  void *device = make(0), *host = make(1), *plain = malloc(64);
  int local = 0;
  OK(hipFree(NULL));
  OK(hipHostFree(NULL));
  EXPECT(hipFree(&local), hipErrorInvalidValue);
  EXPECT(hipFree(plain), hipErrorInvalidValue);
  EXPECT(hipHostFree(&local), hipErrorInvalidValue);
  /* AMD's frees the whole. */
  OURS(EXPECT(hipFree((char *)device + 256), hipErrorInvalidValue));
  OURS(EXPECT(hipHostFree((char *)host + 4096), hipErrorInvalidValue));
  EXPECT(hipFree((void *)(uintptr_t)0x1234), hipErrorInvalidValue);

  /* The refusals took nothing away. */
  OK(hipMemset(device, 7, 8192));
  unsigned char byte = 0;
  OK(hipMemcpy(&byte, (char *)device + 256, 1, hipMemcpyDeviceToHost));
  EXPECT_EQUAL(byte, 7);
  ((volatile char *)host)[4096] = 1;
  OK(hipFree(device));
  OK(hipHostFree(host));
  free(plain);
  return check_done();
}
