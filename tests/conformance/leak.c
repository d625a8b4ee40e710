// expect: launches, copies, events, streams, modules and memory that come and go leave nothing behind
// needs: tests/conformance/kernels/kernels.co
// source: reported failures, row E5
#include "check.h"

#include <limits.h>

static long resident_kib(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%*d %ld", &pages) != 1) exit(2);
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static hipModule_t module;
static hipFunction_t nothing;
static void *image;

static void round_of(int rounds) {
  static char host[4096];
  void *pinned = NULL;
  NEED(hipHostMalloc(&pinned, 4096, 0));
  for (int i = 0; i < rounds; ++i) {
    hipStream_t stream;
    hipEvent_t event;
    void *memory;
    NEED(hipStreamCreateWithFlags(&stream, i % 2 ? hipStreamNonBlocking : hipStreamDefault));
    NEED(hipEventCreate(&event));
    NEED(hipMalloc(&memory, 4096));
    NEED(hipModuleLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
    NEED(hipMemcpyAsync(memory, pinned, 4096, hipMemcpyHostToDevice, stream));
    NEED(hipMemcpyAsync(host, memory, 4096, hipMemcpyDeviceToHost, stream));
    NEED(hipMemsetAsync(memory, 0, 4096, stream));
    NEED(hipEventRecord(event, stream));
    NEED(hipStreamWaitEvent(NULL, event, 0));
    NEED(hipStreamSynchronize(stream));
    NEED(hipFree(memory));
    NEED(hipEventDestroy(event));
    NEED(hipStreamDestroy(stream));
    if (i % 50 == 0) {
      hipModule_t other;
      hipFunction_t function;
      NEED(hipModuleLoadData(&other, image));
      NEED(hipModuleGetFunction(&function, other, "nothing"));
      NEED(hipModuleUnload(other));
    }
  }
  NEED(hipHostFree(pinned));
}

/* Rings are memory that is touched once: more packets than a ring has, through every queue. */
static void fill_rings(void) {
  hipStream_t streams[8];
  for (int i = 0; i < 8; ++i) NEED(hipStreamCreate(&streams[i]));
  for (int i = 0; i < 8; ++i) {
    for (int k = 0; k < 70000; ++k) NEED(hipModuleLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, streams[i], NULL, NULL));
    NEED(hipStreamDestroy(streams[i]));
  }
}

int main(void) {
  image = slurp("tests/conformance/kernels/kernels.co", NULL);
  module = kernels();
  nothing = kernel(module, "nothing");
  fill_rings();
  round_of(500);
  NEED(hipDeviceSynchronize());
  /* A leak grows every time; what an allocator takes once does not. */
  long least = LONG_MAX;
  for (int i = 0; i < 3; ++i) {
    long before = resident_kib();
    round_of(1000);
    NEED(hipDeviceSynchronize());
    long grown = resident_kib() - before;
    if (grown < least) least = grown;
  }
  if (least >= 512) printf("grown by %ld KiB or more each time: ", least);
  EXPECT_THAT(least < 512);
  return check_done();
}
