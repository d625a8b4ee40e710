// expect: pushed configurations come back last first, each thread has its own
// source: clr hip_platform.cpp, __hipPushCallConfiguration, __hipPopCallConfiguration (a stack per thread)
#include "fat.h"

static void *other(void *data) {
  (void)data;
  dim3 grid, block;
  size_t shared;
  hipStream_t stream;
  OK(__hipPushCallConfiguration(d1(77), d1(7), 1, NULL));
  OK(__hipPopCallConfiguration(&grid, &block, &shared, &stream));
  EXPECT_EQUAL(grid.x, 77);
  return NULL;
}

int main(void) {
  hipStream_t made, stream = NULL;
  NEED(hipStreamCreate(&made));
  for (uint32_t i = 1; i <= 20; ++i) OK(__hipPushCallConfiguration(d3(i, i + 1, i + 2), d3(2 * i, 3, 4), i * 100, made));
  on_thread(other, NULL);
  for (uint32_t i = 20; i >= 1; --i) {
    dim3 grid = d1(0), block = d1(0);
    size_t shared = 0;
    OK(__hipPopCallConfiguration(&grid, &block, &shared, &stream));
    EXPECT_EQUAL(grid.x, i);
    EXPECT_EQUAL(grid.y, i + 1);
    EXPECT_EQUAL(grid.z, i + 2);
    EXPECT_EQUAL(block.x, 2 * i);
    EXPECT_EQUAL(block.y, 3);
    EXPECT_EQUAL(block.z, 4);
    EXPECT_EQUAL(shared, i * 100);
    EXPECT_THAT(stream == made);
  }
  return check_done();
}
