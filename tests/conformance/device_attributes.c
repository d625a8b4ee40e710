// expect: every attribute says what the properties say; unknown attributes and devices are refused
// source: clr hip_device_runtime.cpp, hipDeviceGetAttribute
#include "check.h"

int main(void) {
  hipDeviceProp_tR0600 p;
  NEED(hipGetDevicePropertiesR0600(&p, 0));
#define CAP(value) ((long long)(value) > 2147483647ll ? 2147483647ll : (long long)(value))
  const struct {
    const char *name;
    hipDeviceAttribute_t attribute;
    long long expected;
  } rows[] = {
#define ROW(attribute, value) {#attribute, hipDeviceAttribute##attribute, (long long)(value)}
      ROW(MaxThreadsPerBlock, p.maxThreadsPerBlock),
      ROW(AsyncEngineCount, p.asyncEngineCount),
      ROW(MaxBlockDimX, p.maxThreadsDim[0]),
      ROW(MaxBlockDimY, p.maxThreadsDim[1]),
      ROW(MaxBlockDimZ, p.maxThreadsDim[2]),
      ROW(MaxGridDimX, p.maxGridSize[0]),
      ROW(MaxGridDimY, p.maxGridSize[1]),
      ROW(MaxGridDimZ, p.maxGridSize[2]),
      ROW(MaxSharedMemoryPerBlock, p.sharedMemPerBlock),
      ROW(SharedMemPerBlockOptin, p.sharedMemPerBlockOptin),
      ROW(SharedMemPerMultiprocessor, p.sharedMemPerMultiprocessor),
      ROW(MaxSharedMemoryPerMultiprocessor, p.maxSharedMemoryPerMultiProcessor),
      ROW(ReservedSharedMemPerBlock, p.reservedSharedMemPerBlock),
      ROW(StreamPrioritiesSupported, p.streamPrioritiesSupported),
      ROW(TotalConstantMemory, CAP(p.totalConstMem)),
      ROW(TotalGlobalMem, CAP(p.totalGlobalMem)),
      ROW(WarpSize, p.warpSize),
      ROW(MaxRegistersPerBlock, p.regsPerBlock),
      ROW(MaxRegistersPerMultiprocessor, p.regsPerMultiprocessor),
      ROW(ClockRate, p.clockRate),
      ROW(MemoryClockRate, p.memoryClockRate),
      ROW(MemoryBusWidth, p.memoryBusWidth),
      ROW(MultiprocessorCount, p.multiProcessorCount),
      ROW(ComputeMode, p.computeMode),
      ROW(ComputePreemptionSupported, p.computePreemptionSupported),
      ROW(L2CacheSize, p.l2CacheSize),
      ROW(LocalL1CacheSupported, p.localL1CacheSupported),
      ROW(GlobalL1CacheSupported, p.globalL1CacheSupported),
      ROW(MaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor),
      ROW(MaxBlocksPerMultiProcessor, p.maxBlocksPerMultiProcessor),
      ROW(ComputeCapabilityMajor, p.major),
      ROW(ComputeCapabilityMinor, p.minor),
      ROW(MultiGpuBoardGroupID, p.multiGpuBoardGroupID),
      ROW(IsMultiGpuBoard, p.isMultiGpuBoard),
      ROW(PciBusId, p.pciBusID),
      ROW(PciDeviceId, p.pciDeviceID),
      ROW(PciDomainID, p.pciDomainID),
      ROW(ConcurrentKernels, p.concurrentKernels),
      ROW(PersistingL2CacheMaxSize, p.persistingL2CacheMaxSize),
      ROW(CooperativeLaunch, p.cooperativeLaunch),
      ROW(CooperativeMultiDeviceLaunch, p.cooperativeMultiDeviceLaunch),
      ROW(HostRegisterSupported, 1),
      ROW(DeviceOverlap, p.asyncEngineCount > 0),
      ROW(Integrated, p.integrated),
      ROW(MaxTexture1DWidth, p.maxTexture1D),
      ROW(MaxTexture2DWidth, p.maxTexture2D[0]),
      ROW(MaxTexture2DHeight, p.maxTexture2D[1]),
      ROW(MaxTexture3DWidth, p.maxTexture3D[0]),
      ROW(MaxTexture3DHeight, p.maxTexture3D[1]),
      ROW(MaxTexture3DDepth, p.maxTexture3D[2]),
      ROW(MaxPitch, CAP(p.memPitch)),
      ROW(TextureAlignment, p.textureAlignment),
      ROW(TexturePitchAlignment, p.texturePitchAlignment),
      ROW(KernelExecTimeout, p.kernelExecTimeoutEnabled),
      ROW(CanMapHostMemory, p.canMapHostMemory),
      ROW(CanUseHostPointerForRegisteredMem, p.canUseHostPointerForRegisteredMem),
      ROW(EccEnabled, p.ECCEnabled),
      ROW(AsicRevision, p.asicRevision),
      ROW(ManagedMemory, p.managedMemory),
      ROW(ConcurrentManagedAccess, p.concurrentManagedAccess),
      ROW(DirectManagedMemAccessFromHost, p.directManagedMemAccessFromHost),
      ROW(PageableMemoryAccess, p.pageableMemoryAccess),
      ROW(PageableMemoryAccessUsesHostPageTables, p.pageableMemoryAccessUsesHostPageTables),
      ROW(IsLargeBar, p.isLargeBar),
      ROW(UnifiedAddressing, 1),
      ROW(MemoryPoolsSupported, p.memoryPoolsSupported),
      ROW(AccessPolicyMaxWindowSize, p.accessPolicyMaxWindowSize),
      ROW(NumberOfXccs, 1),
      ROW(WallClockRate, 100000), /* kHz: the constant clock of gfx11 runs at 100 MHz. */
      ROW(PciChipId, 0x1586),
#undef ROW
  };
  int value = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    value = -77;
    hipError_t status = hipDeviceGetAttribute(&value, rows[i].attribute, 0);
    if (status != hipSuccess || value != rows[i].expected) {
      printf("%s: status %d, value %d, expected %lld\n", rows[i].name, (int)status, value, rows[i].expected);
      ++check_unexpected;
    }
    ++check_made;
  }
  EXPECT(hipDeviceGetAttribute(NULL, hipDeviceAttributeWarpSize, 0), hipErrorInvalidValue);
  EXPECT(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, -1), hipErrorInvalidDevice);
  EXPECT(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 64), hipErrorInvalidDevice);
  EXPECT(hipDeviceGetAttribute(&value, (hipDeviceAttribute_t)99999, 0), hipErrorInvalidValue);
  return check_done();
}
