// expect: copies at odd offsets and of odd sizes move exactly those bytes, inside one allocation too
// source: HIP reference, hipMemcpy: count bytes from src to dst
#include "check.h"

enum { SIZE = 4096 };

int main(void) {
  unsigned char *from = device_bytes(SIZE, 0), *to = device_bytes(SIZE, 0), host[SIZE], expected[SIZE];
  for (int i = 0; i < SIZE; ++i) host[i] = (unsigned char)(i ^ (i >> 8));
  NEED(hipMemcpy(from, host, SIZE, hipMemcpyHostToDevice));
  static const struct { int to, from, size; } rows[] = {{1, 0, 1},     {0, 1, 3},       {3, 5, 255},   {7, 2, 256},
                                                        {255, 1, 257}, {1, 255, 1023},  {13, 13, 64},  {2, 1, 4000},
                                                        {0, 0, SIZE},  {4095, 4095, 1}, {4, 8, 16}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    OK(hipMemset(to, 0xee, SIZE));
    memset(expected, 0xee, SIZE);
    memcpy(expected + rows[i].to, host + rows[i].from, (size_t)rows[i].size);
    OK(hipMemcpy(to + rows[i].to, from + rows[i].from, (size_t)rows[i].size, hipMemcpyDeviceToDevice));
    unsigned char back[SIZE];
    OK(hipMemcpy(back, to, SIZE, hipMemcpyDeviceToHost));
    if (memcmp(back, expected, SIZE)) {
      printf("row %zu: other bytes\n", i);
      ++check_unexpected;
    }
  }
  /* Within one allocation, ranges apart. */
  OK(hipMemcpy(from + 2000, from + 101, 777, hipMemcpyDeviceToDevice));
  unsigned char back[777];
  OK(hipMemcpy(back, from + 2000, 777, hipMemcpyDeviceToHost));
  EXPECT_THAT(!memcmp(back, host + 101, 777));
  return check_done();
}
