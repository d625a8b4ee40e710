// expect: arguments of every size and alignment arrive, from an array of pointers, packed, and by a host stub
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_module.cpp, ihipLaunchKernelCommand; reported failures, row B26
#include "fat.h"

static void stub(void) {}

struct Block {
  uint32_t words[16];
};
/* The kernel's argument list as the compiler lays it out. */
struct Packed {
  uint32_t *out;
  uint8_t a;
  uint16_t b;
  uint32_t c;
  uint64_t d;
  struct Block e;
  uint8_t f;
  double g;
};

static void compare(uint32_t *out, const struct Packed *p, int line) {
  uint32_t found[10];
  uint64_t g;
  memcpy(&g, &p->g, 8);
  OK(hipMemcpy(found, out, sizeof found, hipMemcpyDeviceToHost));
  const uint32_t expected[10] = {p->a, p->b, p->c, (uint32_t)p->d, (uint32_t)(p->d >> 32), p->e.words[0],
                                 p->e.words[15], p->f, (uint32_t)g, (uint32_t)(g >> 32)};
  for (int i = 0; i < 10; ++i) {
    if (found[i] != expected[i]) {
      printf("line %d: word %d is %#x, expected %#x\n", line, i, found[i], expected[i]);
      ++check_unexpected;
    }
    ++check_made;
  }
  OK(hipMemset(out, 0, sizeof found));
}

int main(void) {
  static struct FatWrapper wrapper;
  fat_kernel(fat_register(&wrapper, "tests/conformance/kernels/kernels.co"), (void *)stub, "arguments");
  hipFunction_t function = kernel(kernels(), "arguments");
  uint32_t *out = device_bytes(40, 0);
  struct Packed p;
  memset(&p, 0xee, sizeof p);
  p.out = out;
  p.a = 0x12;
  p.b = 0x3456;
  p.c = 0x789abcde;
  p.d = 0x1122334455667788ull;
  for (uint32_t i = 0; i < 16; ++i) p.e.words[i] = 0x1000 + i;
  p.f = 0xfe;
  p.g = -1.0 / 3.0;
  void *arguments[] = {&p.out, &p.a, &p.b, &p.c, &p.d, &p.e, &p.f, &p.g};
  OK(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
  compare(out, &p, __LINE__);

  size_t size = sizeof p;
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &p, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  OK(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
  compare(out, &p, __LINE__);

  OK(hipLaunchKernel((void *)stub, d1(1), d1(1), arguments, 0, NULL));
  compare(out, &p, __LINE__);

  /* The values are taken at the call. */
  struct Packed changed = p;
  OK(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
  memset(&p, 0, sizeof p);
  compare(out, &changed, __LINE__);
  return check_done();
}
