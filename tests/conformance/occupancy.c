// expect: occupancy follows from registers, LDS and block size as AMD's library computes it for gfx1151
// needs: tests/kernels/loader.O3.co, tests/kernels/01_saxpy.wave64.co, tests/kernels/01_saxpy.cumode.co
// source: clr hip_platform.cpp, ihipOccupancyMaxActiveBlocksPerMultiprocessor; 16 waves a SIMD, 4 SIMDs a work-group
// processor (2 in CU mode), 1536 registers (wave64: 768), LDS 65536. That a kernel in WGP mode, which clang notes
// as the number 1, is taken for one was read in the code of the 7.14 library; 7.2.4 looks for "true" only and
// halves the numbers
#include "fat.h"

static void lds_stub(void) {}

static int blocks(hipFunction_t function, int threads, size_t shared) {
  int found = -77;
  OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&found, function, threads, shared));
  return found;
}

int main(void) {
  static struct FatWrapper wrapper;
  fat_kernel(fat_register(&wrapper, "tests/kernels/loader.O3.co"), (void *)lds_stub, "dynamic_lds");
  hipModule_t module = load("tests/kernels/loader.O3.co");
  hipFunction_t little = kernel(module, "needs_little"), lds = kernel(module, "dynamic_lds");

  /* Few registers: 4 SIMDs x 16 waves x 32 threads = 2048 threads. */
  EXPECT_EQUAL(blocks(little, 1024, 0), 2);
  EXPECT_EQUAL(blocks(little, 512, 0), 4);
  EXPECT_EQUAL(blocks(little, 256, 0), 8);
  EXPECT_EQUAL(blocks(little, 64, 0), 32);
  EXPECT_EQUAL(blocks(little, 33, 0), 32);
  EXPECT_EQUAL(blocks(little, 32, 0), 64);
  EXPECT_EQUAL(blocks(little, 1, 0), 64);
  EXPECT_EQUAL(blocks(little, 1025, 0), 0);
  /* LDS: 256 bytes of its own and what is asked for. */
  EXPECT_EQUAL(blocks(lds, 32, 0), 64);
  EXPECT_EQUAL(blocks(lds, 32, 16384), 65536 / (16384 + 256));
  EXPECT_EQUAL(blocks(lds, 32, 65536 - 256), 1);
  EXPECT_EQUAL(blocks(lds, 32, 65536), 0);

  /* 143 registers are given out as (143 + 23) & -24 = 160, so 9 waves a SIMD fit, 1152 threads in all; its 8 KiB
   * of LDS would let 8 blocks in. */
  hipFunction_t hungry = kernel(load("tests/kernels/03_matmul_lds.O1.co"), "matmul64");
  EXPECT_EQUAL(blocks(hungry, 256, 0), 4);
  EXPECT_EQUAL(blocks(hungry, 128, 0), 8);
  EXPECT_EQUAL(blocks(hungry, 32, 0), 8);

  int found = -77, grid = -77, block = -77;
  EXPECT(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(NULL, little, 64, 0), hipErrorInvalidValue);
  EXPECT(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&found, NULL, 64, 0), hipErrorInvalidValue);
  EXPECT(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&found, little, 0, 0), hipErrorInvalidValue);
  EXPECT(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&found, little, -5, 0), hipErrorInvalidValue);
  OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&found, little, 64, 0, hipOccupancyDefault));
  EXPECT_EQUAL(found, 32);
  EXPECT(hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&found, little, 64, 0, 7), hipErrorInvalidValue);

  OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&found, (void *)lds_stub, 128, 4096));
  EXPECT_EQUAL(found, 65536 / (4096 + 256));
  EXPECT(hipOccupancyMaxActiveBlocksPerMultiprocessor(NULL, (void *)lds_stub, 128, 0), hipErrorInvalidValue);
  EXPECT(hipOccupancyMaxActiveBlocksPerMultiprocessor(&found, (void *)lds_stub, 0, 0), hipErrorInvalidValue);
  EXPECT(hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&found, (void *)lds_stub, 128, 0, 9), hipErrorInvalidValue);

  OK(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, little, 0, 0));
  EXPECT_EQUAL(block, 1024);
  EXPECT_EQUAL(grid, 40);
  OK(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, little, 0, 256));
  EXPECT_EQUAL(block, 256);
  EXPECT_EQUAL(grid, 160);
  OK(hipOccupancyMaxPotentialBlockSize(&grid, &block, (void *)lds_stub, 0, 0));
  EXPECT_EQUAL(block, 1024);
  EXPECT_EQUAL(grid, 40);
  EXPECT(hipOccupancyMaxPotentialBlockSize(NULL, &block, (void *)lds_stub, 0, 0), hipErrorInvalidValue);
  EXPECT(hipOccupancyMaxPotentialBlockSize(&grid, NULL, (void *)lds_stub, 0, 0), hipErrorInvalidValue);
  EXPECT(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, NULL, 0, 0), hipErrorInvalidValue);

  /* Wave64: the same number of waves, twice the threads. CU mode: half the SIMDs. */
  hipFunction_t wide = kernel(load("tests/kernels/01_saxpy.wave64.co"), "saxpy");
  EXPECT_EQUAL(blocks(wide, 1024, 0), 4);
  EXPECT_EQUAL(blocks(wide, 65, 0), 32);
  hipFunction_t narrow = kernel(load("tests/kernels/01_saxpy.cumode.co"), "saxpy");
  EXPECT_EQUAL(blocks(narrow, 1024, 0), 1);
  EXPECT_EQUAL(blocks(narrow, 32, 0), 32);
  return check_done();
}
