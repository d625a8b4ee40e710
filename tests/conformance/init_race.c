// expect: threads whose first calls all differ start the runtime together
// source: clr hip_internal.hpp, HIP_INIT (once); reported failures, row C9
#include "check.h"

enum { THREADS = 32 };

static pthread_barrier_t barrier;

static void *first_call(void *data) {
  uintptr_t at = (uintptr_t)data;
  int value = -1;
  void *memory = NULL;
  hipStream_t stream = NULL;
  hipEvent_t event = NULL;
  size_t free_bytes = 0;
  hipDeviceProp_tR0600 properties;
  pthread_barrier_wait(&barrier);
  switch (at % 8) {
    case 0: OK(hipInit(0)); break;
    case 1: OK(hipGetDeviceCount(&value)); EXPECT_THAT(value >= 1); break;
    case 2: OK(hipMalloc(&memory, 1000)); EXPECT_THAT(memory != NULL); break;
    case 3: OK(hipStreamCreate(&stream)); EXPECT_THAT(stream != NULL); break;
    case 4: OK(hipEventCreate(&event)); EXPECT_THAT(event != NULL); break;
    case 5: OK(hipMemGetInfo(&free_bytes, NULL)); EXPECT_THAT(free_bytes > 0); break;
    case 6: OK(hipDeviceSynchronize()); break;
    case 7: OK(hipGetDevicePropertiesR0600(&properties, 0)); EXPECT_EQUAL(properties.warpSize, 32); break;
  }
  OK(hipGetDevice(&value));
  EXPECT_EQUAL(value, 0);
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (uintptr_t i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, first_call, (void *)i);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  return check_done();
}
