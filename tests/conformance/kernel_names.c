// expect: API ids have names; kernels and streams tell their names and device to tools
// needs: tests/kernels/01_saxpy.O3.co
// source: what AMD's runtime 7.14 answers for hipApiName; hip_prof_str.h (ids)
#include "check.h"

extern const char *hipApiName(uint32_t id);

int main(void) {
  hipModule_t module = load("tests/kernels/01_saxpy.O3.co");
  EXPECT_THAT(same_text(hipKernelNameRef(kernel(module, "saxpy_vec4")), "saxpy_vec4"));
  EXPECT_THAT(hipKernelNameRef(NULL) == NULL);
  EXPECT_THAT(same_text(hipApiName(2), "__hipPushCallConfiguration"));
  EXPECT_THAT(same_text(hipApiName(100000), "unknown"));
  hipStream_t stream;
  NEED(hipStreamCreate(&stream));
  EXPECT_EQUAL(hipGetStreamDeviceId(stream), 0);
  EXPECT_EQUAL(hipGetStreamDeviceId(hipStreamPerThread), 0);
  EXPECT_EQUAL(hipGetStreamDeviceId(NULL), 0);
  return check_done();
}
