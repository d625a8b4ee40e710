// expect: uploads from malloc'ed, mapped read-only, registered and pinned memory bring the same bytes
// source: HIP reference, hipMemcpy; reported failures, rows E7, E8
#include "check.h"

#include <sys/mman.h>

enum { SIZE = 24 << 20 };

static void compare(const void *device, const unsigned char *expected, int line) {
  static unsigned char back[SIZE];
  memset(back, 0, SIZE);
  OK(hipMemcpy(back, device, SIZE, hipMemcpyDeviceToHost));
  if (memcmp(back, expected, SIZE)) {
    printf("line %d: other bytes arrived\n", line);
    ++check_unexpected;
  }
  ++check_made;
  OK(hipMemset((void *)(uintptr_t)device, 0, SIZE));
}

int main(void) {
  unsigned char *plain = malloc(SIZE), *pinned = NULL;
  uint32_t state = 1;
  for (int i = 0; i < SIZE; ++i) {
    state = state * 1664525u + 1013904223u;
    plain[i] = (unsigned char)(state >> 24);
  }
  void *device = device_bytes(SIZE, 0);
  OK(hipMemcpy(device, plain, SIZE, hipMemcpyHostToDevice));
  compare(device, plain, __LINE__);
  OK(hipMemcpyAsync(device, plain, SIZE, hipMemcpyHostToDevice, NULL));
  compare(device, plain, __LINE__);

  FILE *file = tmpfile();
  if (!file || fwrite(plain, 1, SIZE, file) != SIZE || fflush(file)) return 2;
  void *mapped = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE, fileno(file), 0);
  if (mapped == MAP_FAILED) return 2;
  OK(hipMemcpy(device, mapped, SIZE, hipMemcpyHostToDevice));
  compare(device, plain, __LINE__);
  munmap(mapped, SIZE);
  fclose(file);

  NEED(hipHostMalloc((void **)&pinned, SIZE, 0));
  memcpy(pinned, plain, SIZE);
  OK(hipMemcpy(device, pinned, SIZE, hipMemcpyHostToDevice));
  compare(device, plain, __LINE__);
  OK(hipHostRegister(plain, SIZE, 0));
  OK(hipMemcpy(device, plain, SIZE, hipMemcpyHostToDevice));
  compare(device, plain, __LINE__);
  OK(hipHostUnregister(plain));
  return check_done();
}
