// Copies of all kinds: pinned and pageable, large and small, rows of a rectangle, fills.
#include "common.h"

int main() {
  begin();
  constexpr size_t large = 64 << 20;
  char *from, *to, *device;
  TELL(hipHostMalloc((void **)&from, large, 0));
  TELL(hipHostMalloc((void **)&to, large, 0));
  TELL(hipMalloc((void **)&device, large));
  for (size_t i = 0; i < large; ++i) from[i] = (char)(i * 7 + (i >> 12));
  hipStream_t stream;
  TELL(hipStreamCreate(&stream));
  TELL(hipMemcpyAsync(device, from, large, hipMemcpyHostToDevice, stream));
  TELL(hipMemcpyAsync(to, device, large, hipMemcpyDeviceToHost, stream));
  TELL(hipStreamSynchronize(stream));
  std::printf("pinned: %d\n", std::memcmp(from, to, large) != 0);
  for (size_t bytes : {size_t(1), size_t(100), size_t(4097), size_t(8 << 20)}) {
    std::vector<char> one(from + 3, from + 3 + bytes), other(bytes);
    TELL(hipMemcpy(device + 5, one.data(), bytes, hipMemcpyHostToDevice));
    TELL(hipMemcpy(other.data(), device + 5, bytes, hipMemcpyDeviceToHost));
    std::printf("pageable, %zu: %d\n", bytes, one != other);
  }
  TELL(hipMemcpy2D(device, 4096, from, 8192, 1000, 100, hipMemcpyHostToDevice));
  std::vector<char> rows(1000 * 100);
  TELL(hipMemcpy2D(rows.data(), 1000, device, 4096, 1000, 100, hipMemcpyDeviceToHost));
  int wrong = 0;
  for (int y = 0; y < 100; ++y) wrong += std::memcmp(&rows[y * 1000], from + y * 8192, 1000) != 0;
  std::printf("rows: %d wrong\n", wrong);
  TELL(hipMemset(device, 0x5a, 12345));
  TELL(hipMemsetD32((hipDeviceptr_t)(device + 16384), 0x01020304, 1000));
  TELL(hipMemcpy(to, device, 32768, hipMemcpyDeviceToHost));
  std::printf("fills: %x %x %x\n", to[0], to[12344], ((int *)(to + 16384))[999]);
}
