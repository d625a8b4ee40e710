// expect: registered memory is the device's too; registering twice, overlapping, and unregistering what is not
// registered are refused
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_memory.cpp, ihipHostRegister, ihipHostUnregister; HIP reference, hipHostRegister
// (hipErrorHostMemoryAlreadyRegistered); reported failures, row B24
#include "check.h"

int main(void) {
  hipModule_t module = kernels();
  char *memory = NULL;
  if (posix_memalign((void **)&memory, 4096, 64 << 10)) return 2;
  memset(memory, 0, 64 << 10);
  uint32_t *words = (uint32_t *)memory, *seen = NULL;
  int local = 0;

  EXPECT(hipHostGetDevicePointer((void **)&seen, words, 0), hipErrorInvalidValue);
  OK(hipHostRegister(memory, 32 << 10, hipHostRegisterMapped));
  NEED(hipHostGetDevicePointer((void **)&seen, words + 1, 0));
  words[0] = 77;
  uint32_t *from = seen - 1;
  void *arguments[] = {&seen, &from};
  OK(hipModuleLaunchKernel(kernel(module, "copy_word"), 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
  OK(hipDeviceSynchronize());
  EXPECT_EQUAL(((volatile uint32_t *)words)[1], 77);
  void *device = device_bytes(4096, 0x21);
  OK(hipMemcpy(memory + 8192, device, 4096, hipMemcpyDefault));
  EXPECT_EQUAL(memory[8192 + 4095], 0x21);

  EXPECT(hipHostRegister(memory, 32 << 10, 0), hipErrorHostMemoryAlreadyRegistered);
  EXPECT(hipHostRegister(memory + 4096, 32 << 10, 0), hipErrorHostMemoryAlreadyRegistered);
  EXPECT_REFUSED(hipHostUnregister(memory + 4096));
  EXPECT_REFUSED(hipHostFree(memory));
  OK(hipHostUnregister(memory));
  EXPECT(hipHostUnregister(memory), hipErrorHostMemoryNotRegistered);
  EXPECT(hipHostUnregister(&local), hipErrorHostMemoryNotRegistered);
  EXPECT(hipHostUnregister(NULL), hipErrorInvalidValue);
  EXPECT(hipHostRegister(NULL, 4096, 0), hipErrorInvalidValue);
  EXPECT(hipHostRegister(memory, 0, 0), hipErrorInvalidValue);
  EXPECT(hipHostRegister(memory, 4096, 0x40000), hipErrorInvalidValue);

  /* Not page-aligned is fine, and again after it was given back. */
  OK(hipHostRegister(memory + 100, 5000, hipHostRegisterPortable));
  OK(hipHostUnregister(memory + 100));
  OK(hipHostRegister(memory, 64 << 10, 0));
  OK(hipHostUnregister(memory));
  free(memory);
  return check_done();
}
