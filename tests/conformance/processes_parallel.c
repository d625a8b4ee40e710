// expect: processes start, launch and end side by side, each with its own device state
// needs: tests/conformance/kernels/kernels.co
// source: reported failures, row C11
#include "check.h"

enum { PROCESSES = 8 };

static int one(uint32_t value) {
  hipModule_t module = kernels();
  uint32_t *word = device_bytes(4, 0);
  for (int i = 0; i < 20; ++i) {
    store_word(module, NULL, word, value + (uint32_t)i);
    EXPECT_EQUAL(read_word(word), value + (uint32_t)i);
  }
  return check_unexpected ? 1 : 50;
}

int main(void) {
  pid_t children[PROCESSES];
  for (int i = 0; i < PROCESSES; ++i) {
    fflush(stdout);
    children[i] = fork();
    if (children[i] == 0) exit(one((uint32_t)i * 1000));
  }
  for (int i = 0; i < PROCESSES; ++i) {
    int status = 0;
    waitpid(children[i], &status, 0);
    EXPECT_EQUAL(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 50);
  }
  return check_done();
}
