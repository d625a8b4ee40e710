/* Registers code objects as compilers do: a wrapper with magic and version around a bundle or a bare
 * object, kernels and variables by the address of a host stub. */
#ifndef HRX_CONFORMANCE_FAT_H
#define HRX_CONFORMANCE_FAT_H

#include "check.h"

struct FatWrapper {
  uint32_t magic;
  uint32_t version;
  const void *binary;
  void *unused;
};
enum { FAT_MAGIC = 0x48495046 }; /* "HIPF" */

static UNUSED void **fat_register(struct FatWrapper *wrapper, const char *path) {
  wrapper->magic = FAT_MAGIC;
  wrapper->version = 1;
  wrapper->binary = slurp(path, NULL);
  wrapper->unused = NULL;
  return __hipRegisterFatBinary(wrapper);
}

static UNUSED void fat_kernel(void **modules, const void *stub, const char *name) {
  __hipRegisterFunction(modules, stub, (char *)(uintptr_t)name, name, (unsigned)-1, NULL, NULL, NULL, NULL, NULL);
}

static UNUSED void fat_variable(void **modules, void *shadow, const char *name, size_t size, int constant) {
  __hipRegisterVar(modules, shadow, (char *)(uintptr_t)name, (char *)(uintptr_t)name, 0, size, constant, 0);
}

/* A dimension in one word. */
static UNUSED dim3 d1(uint32_t x) {
  dim3 d = {x, 1, 1};
  return d;
}
static UNUSED dim3 d3(uint32_t x, uint32_t y, uint32_t z) {
  dim3 d = {x, y, z};
  return d;
}

#endif
