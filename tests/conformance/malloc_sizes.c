// expect: zero bytes give null, too many bytes are out of memory, pointers are aligned and apart
// source: clr hip_memory.cpp, ihipMalloc, ihipHostMalloc; hip_hmm.cpp, hipMallocManaged; reported failures, E11
#include "check.h"

int main(void) {
  void *pointer = (void *)1;
  EXPECT(hipMalloc(NULL, 0), hipErrorInvalidValue);
  EXPECT(hipMalloc(NULL, 16), hipErrorInvalidValue);
  OK(hipMalloc(&pointer, 0));
  EXPECT_THAT(pointer == NULL);
  EXPECT(hipMalloc(&pointer, (size_t)1 << 50), hipErrorOutOfMemory);
  EXPECT(hipMalloc(&pointer, ~(size_t)0), hipErrorOutOfMemory);
  EXPECT(hipMalloc(&pointer, ~(size_t)0 - 4096), hipErrorOutOfMemory);

  size_t sizes[] = {1, 3, 255, 256, 257, 4095, 4096, 4097, 65536, (1 << 20) + 1};
  enum { N = sizeof sizes / sizeof *sizes };
  char *made[N];
  for (int i = 0; i < N; ++i) {
    NEED(hipMalloc((void **)&made[i], sizes[i]));
    EXPECT_EQUAL((uintptr_t)made[i] % 256, 0);
    OK(hipMemset(made[i], i, sizes[i]));
  }
  for (int i = 0; i < N; ++i) {
    for (int k = 0; k < i; ++k) EXPECT_THAT(made[i] + sizes[i] <= made[k] || made[k] + sizes[k] <= made[i]);
    unsigned char first = 99, last = 99;
    OK(hipMemcpy(&first, made[i], 1, hipMemcpyDeviceToHost));
    OK(hipMemcpy(&last, made[i] + sizes[i] - 1, 1, hipMemcpyDeviceToHost));
    EXPECT_EQUAL(first, i);
    EXPECT_EQUAL(last, i);
    OK(hipFree(made[i]));
  }

  pointer = (void *)1;
  EXPECT(hipHostMalloc(NULL, 16, 0), hipErrorInvalidValue);
  OK(hipHostMalloc(&pointer, 0, 0));
  EXPECT_THAT(pointer == NULL);
  EXPECT(hipHostMalloc(&pointer, ~(size_t)0, 0), hipErrorOutOfMemory);
  EXPECT_THAT(pointer == NULL);

  EXPECT(hipMallocManaged(NULL, 16, hipMemAttachGlobal), hipErrorInvalidValue);
  EXPECT(hipMallocManaged(&pointer, 0, hipMemAttachGlobal), hipErrorInvalidValue);
  EXPECT(hipMallocManaged(&pointer, 16, 0), hipErrorInvalidValue);

  OK(hipExtMallocWithFlags(&pointer, 64, hipDeviceMallocFinegrained));
  OK(hipFree(pointer));
  EXPECT(hipExtMallocWithFlags(&pointer, 64, hipMallocSignalMemory), hipErrorInvalidValue);
  OK(hipExtMallocWithFlags(&pointer, 8, hipMallocSignalMemory));
  OK(hipFree(pointer));
  EXPECT(hipExtMallocWithFlags(&pointer, 64, 0x777), hipErrorInvalidValue);
  OK(hipExtMallocWithFlags(&pointer, 0, hipDeviceMallocDefault));
  EXPECT_THAT(pointer == NULL);
  return check_done();
}
