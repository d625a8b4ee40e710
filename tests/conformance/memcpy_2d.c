// expect: pitched copies move rows and leave the gaps; pitches, kinds, nulls and bounds are checked
// source: clr hip_memory.cpp, hipMemcpy2D_common, ihipMemcpy2D, validateMemoryObject
#include "check.h"

enum { WIDTH = 37, HEIGHT = 11, HOST_PITCH = 41 };

static unsigned char host[HOST_PITCH * HEIGHT], back[HOST_PITCH * HEIGHT];
static const size_t pitch = 64;

static void compare(int line) {
  int wrong = 0;
  for (int y = 0; y < HEIGHT; ++y) {
    for (int x = 0; x < HOST_PITCH; ++x) {
      unsigned char expected = x < WIDTH ? host[y * HOST_PITCH + x] : 0xcc;
      wrong += back[y * HOST_PITCH + x] != expected;
    }
  }
  if (wrong) {
    printf("line %d: %d wrong bytes\n", line, wrong);
    ++check_unexpected;
  }
  ++check_made;
  memset(back, 0xcc, sizeof back);
}

int main(void) {
  unsigned char *one = NULL, *two = NULL;
  for (size_t i = 0; i < sizeof host; ++i) host[i] = (unsigned char)(i * 3 + 1);
  memset(back, 0xcc, sizeof back);
  NEED(hipMalloc((void **)&one, pitch * HEIGHT));
  NEED(hipMalloc((void **)&two, pitch * HEIGHT));
  OK(hipMemset(two, 0x77, pitch * HEIGHT));

  OK(hipMemcpy2D(one, pitch, host, HOST_PITCH, WIDTH, HEIGHT, hipMemcpyHostToDevice));
  OK(hipMemcpy2D(back, HOST_PITCH, one, pitch, WIDTH, HEIGHT, hipMemcpyDeviceToHost));
  compare(__LINE__);
  OK(hipMemcpy2D(two, pitch, one, pitch, WIDTH, HEIGHT, hipMemcpyDeviceToDevice));
  OK(hipMemcpy2D(back, HOST_PITCH, two, pitch, WIDTH, HEIGHT, hipMemcpyDefault));
  compare(__LINE__);
  unsigned char gap = 0;
  OK(hipMemcpy(&gap, two + WIDTH, 1, hipMemcpyDeviceToHost));
  EXPECT_EQUAL(gap, 0x77);
  OK(hipMemcpy2D(back, HOST_PITCH, host, HOST_PITCH, WIDTH, HEIGHT, hipMemcpyHostToHost));
  compare(__LINE__);

  hipStream_t stream;
  NEED(hipStreamCreate(&stream));
  OK(hipMemsetAsync(one, 0, pitch * HEIGHT, stream));
  OK(hipMemcpy2DAsync(one, pitch, host, HOST_PITCH, WIDTH, HEIGHT, hipMemcpyHostToDevice, stream));
  OK(hipMemcpy2DAsync(two, pitch, one, pitch, WIDTH, HEIGHT, hipMemcpyDeviceToDevice, stream));
  OK(hipMemcpy2DAsync(back, HOST_PITCH, two, pitch, WIDTH, HEIGHT, hipMemcpyDeviceToHost, stream));
  OK(hipStreamSynchronize(stream));
  compare(__LINE__);

  OK(hipMemcpy2D(one, pitch, host, HOST_PITCH, 0, HEIGHT, hipMemcpyHostToDevice));
  OK(hipMemcpy2D(one, pitch, host, HOST_PITCH, WIDTH, 0, hipMemcpyHostToDevice));
  EXPECT(hipMemcpy2D(one, WIDTH - 1, host, HOST_PITCH, WIDTH, HEIGHT, hipMemcpyHostToDevice), hipErrorInvalidPitchValue);
  EXPECT(hipMemcpy2D(one, pitch, host, WIDTH - 1, WIDTH, HEIGHT, hipMemcpyHostToDevice), hipErrorInvalidPitchValue);
  EXPECT(hipMemcpy2D(one, pitch, host, HOST_PITCH, WIDTH, HEIGHT, (hipMemcpyKind)77), hipErrorInvalidMemcpyDirection);
  EXPECT(hipMemcpy2D(NULL, pitch, host, HOST_PITCH, WIDTH, HEIGHT, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT(hipMemcpy2D(one, pitch, NULL, HOST_PITCH, WIDTH, HEIGHT, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT(hipMemcpy2D(one, pitch, host, HOST_PITCH, WIDTH, 4096, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT(hipMemcpy2DAsync(one, pitch, host, HOST_PITCH, WIDTH, HEIGHT, (hipMemcpyKind)77, stream), hipErrorInvalidMemcpyDirection);
  EXPECT(hipMemcpy2DAsync(NULL, pitch, host, HOST_PITCH, WIDTH, HEIGHT, hipMemcpyHostToDevice, stream), hipErrorInvalidValue);
  OK(hipStreamSynchronize(stream));
  return check_done();
}
