// expect: every work-item of a three-dimensional grid runs once, at its own place
// needs: tests/conformance/kernels/kernels.co
// source: HIP programming model; reported failures, row A15
#include "check.h"

int main(void) {
  hipFunction_t place = kernel(kernels(), "place");
  static const uint32_t rows[][6] = {{1, 1, 1, 1, 1, 1},  {5, 1, 1, 33, 1, 1}, {1, 7, 1, 1, 3, 1},  {1, 1, 6, 1, 1, 5},
                                     {3, 4, 5, 2, 3, 4},  {2, 2, 2, 7, 5, 3},  {4, 3, 2, 32, 2, 1}, {1, 1, 1, 4, 16, 16},
                                     {17, 2, 1, 64, 1, 1}};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
    uint32_t gx = rows[r][0], gy = rows[r][1], gz = rows[r][2], bx = rows[r][3], by = rows[r][4], bz = rows[r][5];
    uint32_t total = gx * gy * gz * bx * by * bz;
    uint32_t *out = device_bytes(total * 4 + 4, 0), *host = calloc(total + 1, 4);
    void *arguments[] = {&out, &gx, &gy, &bx, &by, &bz};
    OK(hipModuleLaunchKernel(place, gx, gy, gz, bx, by, bz, 0, NULL, arguments, NULL));
    OK(hipMemcpy(host, out, total * 4 + 4, hipMemcpyDeviceToHost));
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < total; ++i) wrong += host[i] != i + 1;
    EXPECT_EQUAL(wrong, 0);
    EXPECT_EQUAL(host[total], 0);
    OK(hipFree(out));
    free(host);
  }
  return check_done();
}
