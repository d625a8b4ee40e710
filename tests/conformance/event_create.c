// expect: events take known flags in allowed combinations; destroying twice or null is refused
// source: clr hip_event.cpp, ihipEventCreateWithFlags, hipEventDestroy
#include "check.h"

int main(void) {
  hipEvent_t event = NULL;
  EXPECT(hipEventCreate(NULL), hipErrorInvalidValue);
  EXPECT(hipEventCreateWithFlags(NULL, 0), hipErrorInvalidValue);
  static const unsigned good[] = {hipEventDefault,
                                  hipEventBlockingSync,
                                  hipEventDisableTiming,
                                  hipEventBlockingSync | hipEventDisableTiming,
                                  hipEventInterprocess | hipEventDisableTiming,
                                  hipEventReleaseToDevice,
                                  hipEventReleaseToSystem,
                                  hipEventDisableSystemFence};
  for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
    event = NULL;
    OK(hipEventCreateWithFlags(&event, good[i]));
    EXPECT_THAT(event != NULL);
    OK(hipEventRecord(event, NULL));
    OK(hipEventSynchronize(event));
    OK(hipEventDestroy(event));
    EXPECT(hipEventDestroy(event), hipErrorContextIsDestroyed);
  }
  static const unsigned bad[] = {0x8, 0x10, 0xf0000000u, hipEventInterprocess,
                                 hipEventReleaseToDevice | hipEventReleaseToSystem,
                                 hipEventReleaseToDevice | hipEventDisableSystemFence};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    event = NULL;
    EXPECT(hipEventCreateWithFlags(&event, bad[i]), hipErrorInvalidValue);
    EXPECT_THAT(event == NULL);
  }
  EXPECT(hipEventDestroy(NULL), hipErrorInvalidHandle);
  EXPECT_REFUSED(hipEventDestroy((hipEvent_t)(uintptr_t)0x7777));
  return check_done();
}
