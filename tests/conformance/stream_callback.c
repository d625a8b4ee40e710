// expect: a callback runs once, after the work before it and before the work behind it, on another thread,
// with its stream, its data and success
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_stream.cpp, hipStreamAddCallback_common, streamCallback_common; reported failures, row D1
#include "check.h"

static hipStream_t wanted;
static pthread_t caller;
static uint32_t *word;
static volatile uint32_t seen, calls;

static void callback(hipStream_t stream, hipError_t status, void *data) {
  EXPECT_THAT(stream == wanted);
  OK(status);
  EXPECT_THAT(data == (void *)&seen);
  EXPECT_THAT(!pthread_equal(pthread_self(), caller));
  usleep(50000);
  /* The store in front is there; the one behind waits for us. */
  seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);
  __atomic_add_fetch(&calls, 1, __ATOMIC_RELEASE);
}

int main(void) {
  hipModule_t module = kernels();
  hipStream_t stream;
  NEED(hipStreamCreate(&stream));
  NEED(hipHostMalloc((void **)&word, 4, hipHostMallocCoherent));
  caller = pthread_self();
  hipStream_t rows[] = {stream, NULL};
  for (int i = 0; i < 2; ++i) {
    wanted = rows[i];
    *word = 0;
    seen = 0;
    store_word(module, wanted, word, 1);
    OK(hipStreamAddCallback(wanted, callback, (void *)&seen, 0));
    store_word(module, wanted, word, 2);
    OK(hipStreamSynchronize(wanted));
    EXPECT_EQUAL(__atomic_load_n(&calls, __ATOMIC_ACQUIRE), i + 1);
    EXPECT_EQUAL(seen, 1);
    EXPECT_EQUAL(__atomic_load_n(word, __ATOMIC_ACQUIRE), 2);
  }
  EXPECT(hipStreamAddCallback(stream, NULL, NULL, 0), hipErrorInvalidValue);
  EXPECT(hipStreamAddCallback(stream, callback, NULL, 1), hipErrorInvalidValue);
  OK(hipStreamSynchronize(stream));
  EXPECT_EQUAL(calls, 2);
  return check_done();
}
