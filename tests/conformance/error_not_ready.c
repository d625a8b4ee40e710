// expect: "not ready" is an answer and no error: it is not recorded as the last error
// needs: tests/conformance/kernels/kernels.co
// source: clr hip_internal.hpp, HIP_UPDATE_ERROR_STATE
#include "check.h"

int main(void) {
  hipModule_t module = kernels();
  volatile uint32_t *gate = new_gate();
  hipStream_t stream;
  hipEvent_t event;
  NEED(hipStreamCreate(&stream));
  NEED(hipEventCreate(&event));
  (void)hipGetLastError();
  close_stream(module, stream, gate);
  NEED(hipEventRecord(event, stream));
  EXPECT(hipStreamQuery(stream), hipErrorNotReady);
  OK(hipPeekAtLastError());
  EXPECT(hipEventQuery(event), hipErrorNotReady);
  EXPECT(hipExtGetLastError(), hipErrorNotReady);
  OK(hipGetLastError());
  open_gate(gate);
  OK(hipStreamSynchronize(stream));
  OK(hipStreamQuery(stream));
  OK(hipEventQuery(event));
  return check_done();
}
