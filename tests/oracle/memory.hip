// Managed, registered, pooled and virtual memory under a kernel, and what is free.
#include "common.h"

int main() {
  begin();
  hipStream_t stream;
  TELL(hipStreamCreate(&stream));
  int *managed;
  TELL(hipMallocManaged((void **)&managed, BYTES));
  for (int i = 0; i < COUNT; ++i) managed[i] = 4;
  TELL(hipMemPrefetchAsync(managed, BYTES, 0, stream));
  launch_add(5, managed, stream);
  TELL(hipMemPrefetchAsync(managed, BYTES, hipCpuDeviceId, stream));
  TELL(hipStreamSynchronize(stream));
  show("managed", managed, 9);

  std::vector<int> plain(COUNT, 1);
  int *seen;
  TELL(hipHostRegister(plain.data(), BYTES, 0));
  TELL(hipHostGetDevicePointer((void **)&seen, plain.data(), 0));
  launch_add(5, seen, stream);
  TELL(hipStreamSynchronize(stream));
  show("registered", plain.data(), 6);
  TELL(hipHostUnregister(plain.data()));

  size_t before = 0, after = 0, total = 0;
  void *large;
  TELL(hipMemGetInfo(&before, &total));
  TELL(hipMalloc(&large, 100 << 20));
  TELL(hipMemGetInfo(&after, &total));
  std::printf("free memory moved: %d\n", before - after >= (100u << 20));
  TELL(hipFree(large));

  hipMemAllocationProp properties = {};
  properties.type = hipMemAllocationTypePinned;
  properties.location.type = hipMemLocationTypeDevice;
  size_t size = 0;
  void *place;
  hipMemGenericAllocationHandle_t handle;
  hipMemAccessDesc access = {};
  access.location = properties.location;
  access.flags = hipMemAccessFlagsProtReadWrite;
  TELL(hipMemGetAllocationGranularity(&size, &properties, hipMemAllocationGranularityMinimum));
  size = size ? (BYTES + size - 1) / size * size : BYTES;
  hipError_t made = hipMemCreate(&handle, size, &properties, 0);
  std::printf("hipMemCreate: %s\n", hipGetErrorName(made));
  if (made == hipSuccess) {
    TELL(hipMemAddressReserve(&place, size, 0, nullptr, 0));
    TELL(hipMemMap(place, size, 0, handle, 0));
    TELL(hipMemSetAccess(place, size, &access, 1));
    TELL(hipMemset(place, 0, BYTES));
    launch_add(11, (int *)place, stream);
    TELL(hipStreamSynchronize(stream));
    show_device("virtual", (int *)place, 11);
    TELL(hipMemUnmap(place, size));
    TELL(hipMemRelease(handle));
    TELL(hipMemAddressFree(place, size));
  }

  int *pooled, *host;
  TELL(hipHostMalloc((void **)&host, BYTES, 0));
  hipError_t taken = hipMallocAsync((void **)&pooled, BYTES, stream);
  std::printf("hipMallocAsync: %s\n", hipGetErrorName(taken));
  if (taken == hipSuccess) {
    TELL(hipMemsetAsync(pooled, 0, BYTES, stream));
    launch_add(7, pooled, stream);
    TELL(hipMemcpyAsync(host, pooled, BYTES, hipMemcpyDeviceToHost, stream));
    TELL(hipFreeAsync(pooled, stream));
    TELL(hipStreamSynchronize(stream));
    show("pool", host, 7);
  }
}
