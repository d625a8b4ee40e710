// expect: a stream with work is "not ready", without it success; the null stream asks for all blocking ones
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_stream.cpp, hipStreamQuery_common
#include "check.h"

int main(void) {
  hipModule_t module = kernels();
  volatile uint32_t *gate = new_gate(), *second = new_gate();
  hipStream_t stream, free_running;
  NEED(hipStreamCreate(&stream));
  NEED(hipStreamCreateWithFlags(&free_running, hipStreamNonBlocking));
  OK(hipStreamQuery(stream));
  OK(hipStreamQuery(NULL));
  OK(hipStreamQuery(hipStreamPerThread));

  close_stream(module, stream, gate);
  EXPECT(hipStreamQuery(stream), hipErrorNotReady);
  OK(hipStreamQuery(free_running));
  EXPECT(hipStreamQuery(NULL), hipErrorNotReady);
  open_gate(gate);
  OK(hipStreamSynchronize(stream));
  OK(hipStreamQuery(stream));
  OK(hipStreamSynchronize(NULL));
  OK(hipStreamQuery(NULL));

  close_stream(module, free_running, second);
  EXPECT(hipStreamQuery(free_running), hipErrorNotReady);
  OK(hipStreamQuery(NULL));
  OK(hipStreamQuery(stream));
  open_gate(second);
  OK(hipDeviceSynchronize());
  OK(hipStreamQuery(free_running));
  return check_done();
}
