// expect: threads launch on streams of their own and on one in common, and every launch runs
// needs: tests/conformance/kernels/kernels.co
// source: HIP programming model; reported failures, row A21
#include "check.h"

enum { THREADS = 8, LAUNCHES = 200 };

static hipFunction_t count;
static uint32_t *words;
static hipStream_t common;

static void *launcher(void *data) {
  uintptr_t at = (uintptr_t)data;
  hipStream_t own;
  OK(hipStreamCreateWithFlags(&own, at % 2 ? hipStreamNonBlocking : hipStreamDefault));
  for (int i = 0; i < LAUNCHES; ++i) {
    uint32_t *word = words + at, *shared = words + THREADS;
    void *mine[] = {&word}, *ours[] = {&shared};
    OK(hipModuleLaunchKernel(count, 1, 1, 1, 32, 1, 1, 0, own, mine, NULL));
    OK(hipModuleLaunchKernel(count, 1, 1, 1, 32, 1, 1, 0, i % 3 ? common : NULL, ours, NULL));
  }
  OK(hipStreamSynchronize(own));
  EXPECT_EQUAL(read_word(words + at), 32 * LAUNCHES);
  OK(hipStreamDestroy(own));
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  count = kernel(kernels(), "count");
  words = device_bytes(4 * (THREADS + 1), 0);
  NEED(hipStreamCreate(&common));
  for (uintptr_t i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, launcher, (void *)i);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  OK(hipDeviceSynchronize());
  EXPECT_EQUAL(read_word(words + THREADS), 32 * LAUNCHES * THREADS);
  return check_done();
}
