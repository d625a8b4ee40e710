// expect: the _spt forms take the per-thread stream for the null stream
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_internal.hpp, PER_THREAD_DEFAULT_STREAM, and the _spt functions
#include "fat.h"

extern hipError_t hipMemcpy_spt(void *, const void *, size_t, hipMemcpyKind);
extern hipError_t hipMemcpyAsync_spt(void *, const void *, size_t, hipMemcpyKind, hipStream_t);
extern hipError_t hipMemset_spt(void *, int, size_t);
extern hipError_t hipMemsetAsync_spt(void *, int, size_t, hipStream_t);
extern hipError_t hipStreamSynchronize_spt(hipStream_t);
extern hipError_t hipStreamQuery_spt(hipStream_t);
extern hipError_t hipEventRecord_spt(hipEvent_t, hipStream_t);
extern hipError_t hipStreamWaitEvent_spt(hipStream_t, hipEvent_t, unsigned);
extern hipError_t hipLaunchKernel_spt(const void *, dim3, dim3, void **, size_t, hipStream_t);

static void gate_stub(void) {}
static void store_stub(void) {}

int main(void) {
  static struct FatWrapper wrapper;
  void **modules = fat_register(&wrapper, "tests/conformance/kernels/kernels.co");
  fat_kernel(modules, (void *)gate_stub, "gate");
  fat_kernel(modules, (void *)store_stub, "store");
  uint32_t *word = device_bytes(4, 0), host = 0x01020304, value = 9;
  hipEvent_t event;
  NEED(hipEventCreate(&event));

  /* The gate stands in this thread's stream. */
  volatile uint32_t *gate = new_gate();
  void *gate_arguments[] = {&gate};
  OK(hipLaunchKernel_spt((void *)gate_stub, d1(1), d1(1), gate_arguments, 0, NULL));
  EXPECT(hipStreamQuery_spt(NULL), hipErrorNotReady);
  EXPECT(hipStreamQuery(hipStreamPerThread), hipErrorNotReady);
  OK(hipEventRecord_spt(event, NULL));
  EXPECT(hipEventQuery(event), hipErrorNotReady);
  OK(hipStreamWaitEvent_spt(NULL, event, 0));
  open_gate(gate);
  OK(hipStreamSynchronize_spt(NULL));
  OK(hipEventQuery(event));
  OK(hipStreamQuery(hipStreamPerThread));

  void *store_arguments[] = {&word, &value};
  OK(hipLaunchKernel_spt((void *)store_stub, d1(1), d1(1), store_arguments, 0, NULL));
  OK(hipMemsetAsync_spt((char *)word + 3, 7, 1, NULL));
  OK(hipStreamSynchronize_spt(NULL));
  EXPECT_EQUAL(read_word(word), 0x07000009);
  OK(hipMemcpyAsync_spt(word, &host, 4, hipMemcpyHostToDevice, NULL));
  OK(hipMemset_spt(word, 0xff, 1));
  host = 0;
  OK(hipMemcpy_spt(&host, word, 4, hipMemcpyDeviceToHost));
  EXPECT_EQUAL(host, 0x010203ff);
  EXPECT(hipMemcpy_spt(NULL, word, 4, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  EXPECT(hipMemset_spt(NULL, 0, 4), hipErrorInvalidValue);
  return check_done();
}
