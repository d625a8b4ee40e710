// expect: R0000 and the plain exported name fill the old layout, with the same facts as R0600
// source: clr hip_device.cpp, hipGetDevicePropertiesR0000 and the extern "C" hipGetDeviceProperties below it
#include "check.h"

#include <dlfcn.h>
#include <stddef.h>

/* The start of the old layout, and its size as AMD's 7.2.4 library fills it. The header maps the plain
 * name to R0600, so the plain export is reached by dlsym, as IREE does. */
struct OldStart {
  char name[256];
  size_t total_global_mem;
  size_t shared_mem_per_block;
  int regs_per_block;
  int warp_size;
  int max_threads_per_block;
  int max_threads_dim[3];
  int max_grid_size[3];
  int clock_rate;
};
enum { OLD_SIZE = 792 };

static void compare(const unsigned char *bytes) {
  const struct OldStart *old = (const struct OldStart *)bytes;
  hipDeviceProp_tR0600 now;
  NEED(hipGetDevicePropertiesR0600(&now, 0));
  EXPECT_THAT(!strcmp(old->name, now.name));
  EXPECT_EQUAL(old->total_global_mem, now.totalGlobalMem);
  EXPECT_EQUAL(old->shared_mem_per_block, now.sharedMemPerBlock);
  EXPECT_EQUAL(old->warp_size, now.warpSize);
  EXPECT_EQUAL(old->max_threads_per_block, now.maxThreadsPerBlock);
  EXPECT_EQUAL(old->max_grid_size[0], now.maxGridSize[0]);
  EXPECT_EQUAL(old->clock_rate, now.clockRate);
  for (int i = OLD_SIZE; i < OLD_SIZE + 1024; ++i) {
    if (bytes[i] != 0xa5) {
      EXPECT_EQUAL(i, OLD_SIZE + 1024);
      break;
    }
  }
}

int main(void) {
  static const char *names[] = {"hipGetDevicePropertiesR0000", "hipGetDeviceProperties"};
  static _Alignas(16) unsigned char bytes[OLD_SIZE + 1024];
  for (int i = 0; i < 2; ++i) {
    hipError_t (*get)(void *, int) = NULL;
    *(void **)&get = dlsym(RTLD_DEFAULT, names[i]);
    EXPECT_THAT(get != NULL);
    if (!get) continue;
    memset(bytes, 0xa5, sizeof bytes);
    EXPECT(get(NULL, 0), hipErrorInvalidValue);
    EXPECT(get(bytes, 77), hipErrorInvalidDevice);
    OK(get(bytes, 0));
    compare(bytes);
  }
  return check_done();
}
