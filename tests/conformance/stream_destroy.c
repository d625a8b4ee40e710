// expect: destroying a stream lets its work end; null and the fixed streams are refused; a stale handle is an
// error everywhere, never a crash
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_stream.cpp, hipStreamDestroy; the isValid checks of hipModuleLaunchKernel, hipLaunchKernel,
// hipMemcpyWithStream, hipStreamGetDevice, hipStreamGetId
#include "fat.h"

static void nothing_stub(void) {}

int main(void) {
  static struct FatWrapper wrapper;
  fat_kernel(fat_register(&wrapper, "tests/conformance/kernels/kernels.co"), (void *)nothing_stub, "nothing");
  hipModule_t module = kernels();
  EXPECT(hipStreamDestroy(NULL), hipErrorInvalidHandle);
  EXPECT(hipStreamDestroy(hipStreamLegacy), hipErrorInvalidResourceHandle);
  EXPECT(hipStreamDestroy(hipStreamPerThread), hipErrorInvalidResourceHandle);

  /* Work that is still waiting when its stream goes. */
  volatile uint32_t *gate = new_gate();
  uint32_t *word = device_bytes(4, 0);
  hipStream_t stream;
  NEED(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  open_gate(gate);
  close_stream(module, stream, gate);
  for (int i = 0; i < 50; ++i) store_word(module, stream, word, 123);
  OK(hipStreamDestroy(stream));
  OK(hipDeviceSynchronize());
  EXPECT_EQUAL(read_word(word), 123);

  hipEvent_t event;
  hipDevice_t device;
  unsigned flags;
  unsigned long long id;
  int priority;
  float host = 0;
  NEED(hipEventCreate(&event));
  void *arguments[] = {NULL};
  EXPECT_REFUSED(hipStreamDestroy(stream));
  EXPECT_REFUSED(hipStreamSynchronize(stream));
  EXPECT_REFUSED(hipStreamQuery(stream));
  EXPECT_REFUSED(hipStreamGetFlags(stream, &flags));
  EXPECT_REFUSED(hipStreamGetPriority(stream, &priority));
  EXPECT_REFUSED(hipStreamWaitEvent(stream, event, 0));
  EXPECT_REFUSED(hipEventRecord(event, stream));
  EXPECT_REFUSED(hipMemcpyAsync(word, &host, 4, hipMemcpyHostToDevice, stream));
  EXPECT_REFUSED(hipMemsetAsync(word, 0, 4, stream));
  EXPECT(hipStreamGetDevice(stream, &device), hipErrorContextIsDestroyed);
  EXPECT(hipStreamGetId(stream, &id), hipErrorInvalidResourceHandle);
  EXPECT(hipModuleLaunchKernel(kernel(module, "nothing"), 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL),
         hipErrorContextIsDestroyed);
  EXPECT(hipLaunchKernel((void *)nothing_stub, d1(1), d1(1), arguments, 0, stream), hipErrorInvalidValue);
  EXPECT_REFUSED(hipStreamSynchronize((hipStream_t)(uintptr_t)0x12345678));
  EXPECT_REFUSED(hipStreamDestroy((hipStream_t)(uintptr_t)8));

  /* A new stream is not the old one. */
  hipStream_t next;
  NEED(hipStreamCreate(&next));
  OURS(EXPECT_THAT(next != stream));
  EXPECT_REFUSED(hipStreamSynchronize(stream));
  OK(hipStreamDestroy(next));
  return check_done();
}
