// expect: host functions run in stream order on another thread; cross waits between streams do not lock up
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_stream.cpp, hipLaunchHostFunc_common; reported failures, row D2
#include "check.h"

enum { ROUNDS = 40 };

static uint32_t log_of[2][ROUNDS], used[2];
static pthread_t caller;

struct Note {
  int stream;
  uint32_t value;
};

static void note(void *data) {
  struct Note *row = data;
  EXPECT_THAT(!pthread_equal(pthread_self(), caller));
  log_of[row->stream][used[row->stream]++] = row->value;
}

int main(void) {
  hipModule_t module = kernels();
  caller = pthread_self();
  hipStream_t streams[2];
  hipEvent_t events[2];
  for (int i = 0; i < 2; ++i) {
    NEED(hipStreamCreateWithFlags(&streams[i], hipStreamNonBlocking));
    NEED(hipEventCreateWithFlags(&events[i], hipEventDisableTiming));
  }
  uint32_t *word = device_bytes(4, 0), expected = 0;
  static struct Note notes[2 * ROUNDS];
  hipFunction_t step = kernel(module, "step");
  for (uint32_t i = 0; i < 2 * ROUNDS; ++i) {
    int at = (int)(i % 2);
    notes[i].stream = at;
    notes[i].value = i;
    if (i) OK(hipStreamWaitEvent(streams[at], events[!at], 0));
    void *arguments[] = {&word, &i};
    OK(hipModuleLaunchKernel(step, 1, 1, 1, 1, 1, 1, 0, streams[at], arguments, NULL));
    OK(hipLaunchHostFunc(streams[at], note, &notes[i]));
    OK(hipEventRecord(events[at], streams[at]));
    expected = expected * 3 + i;
  }
  OK(hipDeviceSynchronize());
  EXPECT_EQUAL(read_word(word), expected);
  for (int s = 0; s < 2; ++s) {
    EXPECT_EQUAL(used[s], ROUNDS);
    for (uint32_t i = 0; i < ROUNDS; ++i) EXPECT_EQUAL(log_of[s][i], 2 * i + (uint32_t)s);
  }
  EXPECT(hipLaunchHostFunc(streams[0], NULL, NULL), hipErrorInvalidValue);
  EXPECT(hipLaunchHostFunc(NULL, NULL, NULL), hipErrorInvalidValue);
  return check_done();
}
