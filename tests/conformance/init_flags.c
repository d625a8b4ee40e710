// expect: hipInit takes the flags 0 only; versions are those of HIP 7.2
// source: clr hip_context.cpp, hipInit, hipRuntimeGetVersion, hipDriverGetVersion
#include "check.h"

int main(void) {
  EXPECT(hipInit(1), hipErrorInvalidValue);
  OK(hipInit(0));
  OK(hipInit(0));
  EXPECT(hipInit(0x80000000u), hipErrorInvalidValue);

  int runtime = 0, driver = 0;
  EXPECT(hipRuntimeGetVersion(NULL), hipErrorInvalidValue);
  EXPECT(hipDriverGetVersion(NULL), hipErrorInvalidValue);
  OK(hipRuntimeGetVersion(&runtime));
  OK(hipDriverGetVersion(&driver));
  OURS(EXPECT_EQUAL(runtime / 100000, 702));
  EXPECT_EQUAL(driver, runtime);
  return check_done();
}
