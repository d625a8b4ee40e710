// expect: asynchronous copies keep their stream's order, and pageable sources may be reused at once
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_memory.cpp, hipMemcpyAsync_common; reported failures, row E1
#include "check.h"

enum { SIZE = 1 << 20 };

int main(void) {
  hipModule_t module = kernels();
  hipStream_t stream;
  NEED(hipStreamCreate(&stream));
  uint32_t *device = device_bytes(SIZE, 0), *pinned = NULL;
  NEED(hipHostMalloc((void **)&pinned, SIZE, 0));
  for (int i = 0; i < SIZE / 4; ++i) pinned[i] = (uint32_t)i;

  /* In, add, out: each must see what the one before left. */
  uint32_t amount = 1000, count = SIZE / 4;
  void *arguments[] = {&device, &amount, &count};
  OK(hipMemcpyAsync(device, pinned, SIZE, hipMemcpyHostToDevice, stream));
  OK(hipModuleLaunchKernel(kernel(module, "add"), count / 256, 1, 1, 256, 1, 1, 0, stream, arguments, NULL));
  OK(hipMemcpyAsync(pinned, device, SIZE, hipMemcpyDeviceToHost, stream));
  OK(hipStreamSynchronize(stream));
  int wrong = 0;
  for (int i = 0; i < SIZE / 4; ++i) wrong += pinned[i] != (uint32_t)i + 1000;
  EXPECT_EQUAL(wrong, 0);

  /* A pageable source behind work in the stream. */
  unsigned char *pageable = malloc(SIZE);
  for (int round = 1; round <= 3; ++round) {
    memset(pageable, round, SIZE);
    OK(hipModuleLaunchKernel(kernel(module, "add"), count / 256, 1, 1, 256, 1, 1, 0, stream, arguments, NULL));
    OK(hipMemcpyAsync(device, pageable, SIZE, hipMemcpyHostToDevice, stream));
    memset(pageable, 0xff, SIZE);
    OK(hipMemcpyAsync(pinned, device, SIZE, hipMemcpyDeviceToHost, stream));
    OK(hipStreamSynchronize(stream));
    wrong = 0;
    for (int i = 0; i < SIZE; ++i) wrong += ((unsigned char *)pinned)[i] != round;
    EXPECT_EQUAL(wrong, 0);
  }
  /* A pageable target is whole when the stream has been waited for. */
  OK(hipMemsetAsync(device, 0x3c, SIZE, stream));
  OK(hipMemcpyAsync(pageable, device, SIZE, hipMemcpyDeviceToHost, stream));
  OK(hipStreamSynchronize(stream));
  wrong = 0;
  for (int i = 0; i < SIZE; ++i) wrong += pageable[i] != 0x3c;
  EXPECT_EQUAL(wrong, 0);
  return check_done();
}
