// expect: the bytes arrive for each pair of memories; the kind is a hint, except that pageable memory is never the
// device's
// source: clr hip_memory.cpp, ihipGetMemcpyType (looks at the memory), IsHtoHMemcpyValid; AMD's runtime 7.14 asked
#include "check.h"

enum { SIZE = 10007 };

static unsigned char *make(int kind) {
  void *pointer = NULL;
  if (kind == 0) NEED(hipMalloc(&pointer, SIZE));
  if (kind == 1) NEED(hipHostMalloc(&pointer, SIZE, 0));
  if (kind == 2) NEED(hipMallocManaged(&pointer, SIZE, hipMemAttachGlobal));
  if (kind == 3) pointer = malloc(SIZE);
  return pointer;
}

static void give_back(int kind, void *pointer) {
  if (kind == 3)
    free(pointer);
  else
    OK(kind == 1 ? hipHostFree(pointer) : hipFree(pointer));
}

int main(void) {
  unsigned char pattern[SIZE], back[SIZE];
  for (int i = 0; i < SIZE; ++i) pattern[i] = (unsigned char)(i * 7 + i / 256);
  static const hipMemcpyKind kinds[] = {hipMemcpyDefault, hipMemcpyHostToDevice, hipMemcpyDeviceToHost,
                                        hipMemcpyDeviceToDevice, hipMemcpyHostToHost};
  for (int from = 0; from < 4; ++from) {
    for (int to = 0; to < 4; ++to) {
      for (int k = 0; k < 5; ++k) {
        int refused = (to == 3 && kinds[k] == hipMemcpyHostToDevice) || (from == 3 && kinds[k] == hipMemcpyDeviceToHost) ||
                      (from == 3 && to == 3 && kinds[k] == hipMemcpyDeviceToDevice);
        unsigned char *source = make(from), *target = make(to);
        NEED(hipMemcpy(source, pattern, SIZE, hipMemcpyDefault));
        if (refused) {
          EXPECT(hipMemcpy(target, source, SIZE, kinds[k]), hipErrorInvalidValue);
        } else {
          OK(hipMemcpy(target, source, SIZE, kinds[k]));
          memset(back, 0, SIZE);
          OK(hipMemcpy(back, target, SIZE, hipMemcpyDefault));
          if (memcmp(back, pattern, SIZE)) {
            printf("from %d to %d by kind %d: other bytes arrived\n", from, to, (int)kinds[k]);
            ++check_unexpected;
          }
        }
        give_back(from, source);
        give_back(to, target);
      }
    }
  }
  return check_done();
}
