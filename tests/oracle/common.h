// What the programs for both runtimes share: each call's code and each result on standard output, so that two
// runs can be compared line by line. Nothing that a run may change (addresses, times) is printed.
#pragma once
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

#define TELL(call)                                                    \
  do {                                                                \
    hipError_t status = (call);                                       \
    std::printf("%s: %s\n", #call, hipGetErrorName(status));          \
  } while (0)

constexpr int COUNT = 1 << 16;
constexpr size_t BYTES = COUNT * sizeof(int);

__global__ void add(int count, int value, int *words) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) words[i] += value;
}

inline void launch_add(int value, int *words, hipStream_t stream) {
  add<<<COUNT / 256, 256, 0, stream>>>(COUNT, value, words);
  TELL(hipGetLastError());
}

inline void show(const char *what, const int *words, int expected) {
  int wrong = 0;
  for (int i = 0; i < COUNT; ++i) wrong += words[i] != expected;
  std::printf("%s: %d wrong\n", what, wrong);
}

inline void show_device(const char *what, const int *device, int expected) {
  std::vector<int> words(COUNT);
  TELL(hipMemcpy(words.data(), device, BYTES, hipMemcpyDeviceToHost));
  show(what, words.data(), expected);
}

// Output is not lost when a runtime ends the process.
inline void begin() { std::setvbuf(stdout, nullptr, _IONBF, 0); }
