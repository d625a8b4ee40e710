// Streams with priorities and compute-unit masks, events across them, values that streams wait for, a
// cooperative launch.
#include "common.h"

int main() {
  begin();
  int *device;
  TELL(hipMalloc((void **)&device, BYTES));
  TELL(hipMemset(device, 0, BYTES));
  hipStream_t first, urgent, masked;
  TELL(hipStreamCreate(&first));
  TELL(hipStreamCreateWithPriority(&urgent, hipStreamNonBlocking, -1));
  hipEvent_t event, begun, ended;
  TELL(hipEventCreate(&event));
  TELL(hipEventCreate(&begun));
  TELL(hipEventCreate(&ended));
  TELL(hipEventRecord(begun, first));
  launch_add(1, device, first);
  TELL(hipEventRecord(event, first));
  TELL(hipStreamWaitEvent(urgent, event, 0));
  launch_add(2, device, urgent);
  TELL(hipStreamSynchronize(urgent));
  show_device("two streams", device, 3);
  TELL(hipEventRecord(ended, first));
  TELL(hipEventSynchronize(ended));
  float ms = -1;
  TELL(hipEventElapsedTime(&ms, begun, ended));
  std::printf("time goes forward: %d\n", ms > 0);

  uint32_t mask[2] = {0xff, 0};
  hipError_t made = hipExtStreamCreateWithCUMask(&masked, 2, mask);
  std::printf("hipExtStreamCreateWithCUMask: %s\n", hipGetErrorName(made));
  if (made == hipSuccess) {
    TELL(hipMemset(device, 0, BYTES));
    TELL(hipDeviceSynchronize());
    launch_add(8, device, masked);
    TELL(hipStreamSynchronize(masked));
    show_device("masked", device, 8);
    TELL(hipStreamDestroy(masked));
  }

  uint32_t *words;
  TELL(hipHostMalloc((void **)&words, 4096, 0));
  words[0] = words[1] = 0;
  hipError_t waits = hipStreamWaitValue32(first, words, 1, hipStreamWaitValueEq, 0xffffffff);
  std::printf("hipStreamWaitValue32: %s\n", hipGetErrorName(waits));
  if (waits == hipSuccess) {
    TELL(hipStreamWriteValue32(first, words + 1, 77, 0));
    __atomic_store_n(words, 1, __ATOMIC_RELEASE);
    TELL(hipStreamSynchronize(first));
    std::printf("written: %u\n", words[1]);
  }

  TELL(hipMemset(device, 0, BYTES));
  int count = COUNT, value = 9;
  void *arguments[] = {&count, &value, &device};
  hipError_t together =
      hipLaunchCooperativeKernel((const void *)add, dim3(4), dim3(256), arguments, 0, first);
  std::printf("hipLaunchCooperativeKernel: %s\n", hipGetErrorName(together));
  TELL(hipStreamSynchronize(first));
}
