// expect: a managed variable of a compiled program is one variable for the host and its kernels
// needs: clang-19
// source: HIP programming model, C++ language extensions; clr hip_platform.cpp, __hipRegisterManagedVar
#include <hip/hip_runtime.h>

#include "check.h"

__managed__ int shared_value = 17;

__global__ void use() { shared_value += 3; }

int main() {
  EXPECT_EQUAL(shared_value, 17);
  use<<<1, 1>>>();
  OK(hipDeviceSynchronize());
  EXPECT_EQUAL(shared_value, 20);
  shared_value = 100;
  use<<<1, 1>>>();
  OK(hipDeviceSynchronize());
  EXPECT_EQUAL(shared_value, 103);
  return check_done();
}
