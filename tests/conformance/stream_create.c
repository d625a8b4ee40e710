// expect: streams take the flags 0 and non-blocking only, priorities are clamped, and each says what it is
// source: clr hip_stream.cpp, ihipStreamCreate, hipStreamCreateWithPriority, hipDeviceGetStreamPriorityRange,
// hipStreamGetFlags, hipStreamGetPriority, hipStreamGetDevice, hipStreamGetId
#include "check.h"

static int priority_of(int asked) {
  hipStream_t stream;
  int priority = 77;
  OK(hipStreamCreateWithPriority(&stream, hipStreamDefault, asked));
  OK(hipStreamGetPriority(stream, &priority));
  OK(hipStreamDestroy(stream));
  return priority;
}

int main(void) {
  hipStream_t blocking = NULL, free_running = NULL;
  EXPECT(hipStreamCreate(NULL), hipErrorInvalidValue);
  EXPECT(hipStreamCreateWithFlags(NULL, hipStreamDefault), hipErrorInvalidValue);
  EXPECT(hipStreamCreateWithPriority(NULL, hipStreamDefault, 0), hipErrorInvalidValue);
  EXPECT(hipStreamCreateWithFlags(&blocking, 2), hipErrorInvalidValue);
  EXPECT(hipStreamCreateWithFlags(&blocking, 0xffffffffu), hipErrorInvalidValue);
  EXPECT(hipStreamCreateWithPriority(&blocking, 8, 0), hipErrorInvalidValue);
  EXPECT_THAT(blocking == NULL);
  OK(hipStreamCreate(&blocking));
  OK(hipStreamCreateWithFlags(&free_running, hipStreamNonBlocking));
  EXPECT_THAT(blocking != NULL && free_running != NULL && blocking != free_running);
  EXPECT_THAT(blocking != hipStreamPerThread && blocking != hipStreamLegacy);

  unsigned flags = 99;
  OK(hipStreamGetFlags(blocking, &flags));
  EXPECT_EQUAL(flags, hipStreamDefault);
  OK(hipStreamGetFlags(free_running, &flags));
  EXPECT_EQUAL(flags, hipStreamNonBlocking);
  OK(hipStreamGetFlags(hipStreamPerThread, &flags));
  EXPECT_EQUAL(flags, hipStreamDefault);
  EXPECT(hipStreamGetFlags(blocking, NULL), hipErrorInvalidValue);
  EXPECT(hipStreamGetFlags(NULL, &flags), hipErrorInvalidValue);

  int least = 77, greatest = 77, priority = 77;
  OK(hipDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT_EQUAL(least, 1);
  EXPECT_EQUAL(greatest, -1);
  OK(hipDeviceGetStreamPriorityRange(NULL, NULL));
  EXPECT_EQUAL(priority_of(0), 0);
  EXPECT_EQUAL(priority_of(-1), -1);
  EXPECT_EQUAL(priority_of(1), 1);
  EXPECT_EQUAL(priority_of(-100), -1);
  EXPECT_EQUAL(priority_of(100), 1);
  OK(hipStreamGetPriority(NULL, &priority));
  EXPECT_EQUAL(priority, 0);
  EXPECT(hipStreamGetPriority(blocking, NULL), hipErrorInvalidValue);

  hipDevice_t device = 77;
  OK(hipStreamGetDevice(blocking, &device));
  EXPECT_EQUAL(device, 0);
  device = 77;
  OK(hipStreamGetDevice(NULL, &device));
  EXPECT_EQUAL(device, 0);
  EXPECT(hipStreamGetDevice(blocking, NULL), hipErrorInvalidValue);

  EXPECT_EQUAL(hipGetStreamDeviceId(blocking), 0);
  EXPECT_EQUAL(hipGetStreamDeviceId(NULL), 0);

  unsigned long long one = 0, two = 0;
  OK(hipStreamGetId(blocking, &one));
  OK(hipStreamGetId(free_running, &two));
  EXPECT_THAT(one != two);
  EXPECT(hipStreamGetId(blocking, NULL), hipErrorInvalidValue);
  OK(hipStreamDestroy(blocking));
  OK(hipStreamDestroy(free_running));
  return check_done();
}
