// A captured graph of kernels, a copy, a fill and a host function, launched five times.
#include "common.h"

static void count(void *calls) { ++*(int *)calls; }

int main() {
  begin();
  int *device, *host, *scratch, calls = 0;
  TELL(hipMalloc((void **)&device, BYTES));
  TELL(hipMalloc((void **)&scratch, BYTES));
  TELL(hipHostMalloc((void **)&host, BYTES, 0));
  TELL(hipMemset(device, 0, BYTES));
  hipStream_t stream;
  TELL(hipStreamCreate(&stream));
  TELL(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  launch_add(1, device, stream);
  TELL(hipLaunchHostFunc(stream, count, &calls));
  TELL(hipMemcpyAsync(host, device, BYTES, hipMemcpyDeviceToHost, stream));
  TELL(hipMemsetAsync(scratch, 3, 4096, stream));
  launch_add(10, device, stream);
  hipGraph_t graph;
  hipGraphExec_t exec;
  TELL(hipStreamEndCapture(stream, &graph));
  TELL(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  for (int i = 0; i < 5; ++i) TELL(hipGraphLaunch(exec, stream));
  TELL(hipStreamSynchronize(stream));
  show_device("kernels", device, 55);
  show("copy", host, 45);
  std::printf("host function: %d calls\n", calls);
  TELL(hipGraphExecDestroy(exec));
  TELL(hipGraphDestroy(graph));
}
