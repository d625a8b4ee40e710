//! The structs and unions. A nested type without a name is called after its field: `Outer_field`, or
//! `Outer_u` where the field has no name either.

use super::*;

c_struct! { hipUUID: 16 {
    0 bytes: [c_char; 16],
} }

c_struct! { hipDeviceProp_tR0600: 1472 {
    0 name: [c_char; 256],
    256 uuid: hipUUID,
    272 luid: [c_char; 8],
    280 luidDeviceNodeMask: u32,
    288 totalGlobalMem: usize,
    296 sharedMemPerBlock: usize,
    304 regsPerBlock: i32,
    308 warpSize: i32,
    312 memPitch: usize,
    320 maxThreadsPerBlock: i32,
    324 maxThreadsDim: [i32; 3],
    336 maxGridSize: [i32; 3],
    348 clockRate: i32,
    352 totalConstMem: usize,
    360 major: i32,
    364 minor: i32,
    368 textureAlignment: usize,
    376 texturePitchAlignment: usize,
    384 deviceOverlap: i32,
    388 multiProcessorCount: i32,
    392 kernelExecTimeoutEnabled: i32,
    396 integrated: i32,
    400 canMapHostMemory: i32,
    404 computeMode: i32,
    408 maxTexture1D: i32,
    412 maxTexture1DMipmap: i32,
    416 maxTexture1DLinear: i32,
    420 maxTexture2D: [i32; 2],
    428 maxTexture2DMipmap: [i32; 2],
    436 maxTexture2DLinear: [i32; 3],
    448 maxTexture2DGather: [i32; 2],
    456 maxTexture3D: [i32; 3],
    468 maxTexture3DAlt: [i32; 3],
    480 maxTextureCubemap: i32,
    484 maxTexture1DLayered: [i32; 2],
    492 maxTexture2DLayered: [i32; 3],
    504 maxTextureCubemapLayered: [i32; 2],
    512 maxSurface1D: i32,
    516 maxSurface2D: [i32; 2],
    524 maxSurface3D: [i32; 3],
    536 maxSurface1DLayered: [i32; 2],
    544 maxSurface2DLayered: [i32; 3],
    556 maxSurfaceCubemap: i32,
    560 maxSurfaceCubemapLayered: [i32; 2],
    568 surfaceAlignment: usize,
    576 concurrentKernels: i32,
    580 ECCEnabled: i32,
    584 pciBusID: i32,
    588 pciDeviceID: i32,
    592 pciDomainID: i32,
    596 tccDriver: i32,
    600 asyncEngineCount: i32,
    604 unifiedAddressing: i32,
    608 memoryClockRate: i32,
    612 memoryBusWidth: i32,
    616 l2CacheSize: i32,
    620 persistingL2CacheMaxSize: i32,
    624 maxThreadsPerMultiProcessor: i32,
    628 streamPrioritiesSupported: i32,
    632 globalL1CacheSupported: i32,
    636 localL1CacheSupported: i32,
    640 sharedMemPerMultiprocessor: usize,
    648 regsPerMultiprocessor: i32,
    652 managedMemory: i32,
    656 isMultiGpuBoard: i32,
    660 multiGpuBoardGroupID: i32,
    664 hostNativeAtomicSupported: i32,
    668 singleToDoublePrecisionPerfRatio: i32,
    672 pageableMemoryAccess: i32,
    676 concurrentManagedAccess: i32,
    680 computePreemptionSupported: i32,
    684 canUseHostPointerForRegisteredMem: i32,
    688 cooperativeLaunch: i32,
    692 cooperativeMultiDeviceLaunch: i32,
    696 sharedMemPerBlockOptin: usize,
    704 pageableMemoryAccessUsesHostPageTables: i32,
    708 directManagedMemAccessFromHost: i32,
    712 maxBlocksPerMultiProcessor: i32,
    716 accessPolicyMaxWindowSize: i32,
    720 reservedSharedMemPerBlock: usize,
    728 hostRegisterSupported: i32,
    732 sparseHipArraySupported: i32,
    736 hostRegisterReadOnlySupported: i32,
    740 timelineSemaphoreInteropSupported: i32,
    744 memoryPoolsSupported: i32,
    748 gpuDirectRDMASupported: i32,
    752 gpuDirectRDMAFlushWritesOptions: u32,
    756 gpuDirectRDMAWritesOrdering: i32,
    760 memoryPoolSupportedHandleTypes: u32,
    764 deferredMappingHipArraySupported: i32,
    768 ipcEventSupported: i32,
    772 clusterLaunch: i32,
    776 unifiedFunctionPointers: i32,
    780 reserved: [i32; 63],
    1032 hipReserved: [i32; 32],
    1160 gcnArchName: [c_char; 256],
    1416 maxSharedMemoryPerMultiProcessor: usize,
    1424 clockInstructionRate: i32,
    1428 arch: hipDeviceArch_t,
    1432 hdpMemFlushCntl: *mut u32,
    1440 hdpRegFlushCntl: *mut u32,
    1448 cooperativeMultiDeviceUnmatchedFunc: i32,
    1452 cooperativeMultiDeviceUnmatchedGridDim: i32,
    1456 cooperativeMultiDeviceUnmatchedBlockDim: i32,
    1460 cooperativeMultiDeviceUnmatchedSharedMem: i32,
    1464 isLargeBar: i32,
    1468 asicRevision: i32,
} }

c_struct! { hipPointerAttribute_t: 32 {
    0 r#type: hipMemoryType,
    4 device: i32,
    8 devicePointer: *mut c_void,
    16 hostPointer: *mut c_void,
    24 isManaged: i32,
    28 allocationFlags: u32,
} }

c_struct! { hipChannelFormatDesc: 20 {
    0 x: i32,
    4 y: i32,
    8 z: i32,
    12 w: i32,
    16 f: hipChannelFormatKind,
} }

c_struct! { HIP_ARRAY_DESCRIPTOR: 24 {
    0 Width: usize,
    8 Height: usize,
    16 Format: hipArray_Format,
    20 NumChannels: u32,
} }

c_struct! { HIP_ARRAY3D_DESCRIPTOR: 40 {
    0 Width: usize,
    8 Height: usize,
    16 Depth: usize,
    24 Format: hipArray_Format,
    28 NumChannels: u32,
    32 Flags: u32,
} }

c_struct! { hip_Memcpy2D: 128 {
    0 srcXInBytes: usize,
    8 srcY: usize,
    16 srcMemoryType: hipMemoryType,
    24 srcHost: *const c_void,
    32 srcDevice: hipDeviceptr_t,
    40 srcArray: hipArray_t,
    48 srcPitch: usize,
    56 dstXInBytes: usize,
    64 dstY: usize,
    72 dstMemoryType: hipMemoryType,
    80 dstHost: *mut c_void,
    88 dstDevice: hipDeviceptr_t,
    96 dstArray: hipArray_t,
    104 dstPitch: usize,
    112 WidthInBytes: usize,
    120 Height: usize,
} }

c_struct! { hipMipmappedArray: 64 {
    0 data: *mut c_void,
    8 desc: hipChannelFormatDesc,
    28 r#type: u32,
    32 width: u32,
    36 height: u32,
    40 depth: u32,
    44 min_mipmap_level: u32,
    48 max_mipmap_level: u32,
    52 flags: u32,
    56 format: hipArray_Format,
    60 num_channels: u32,
} }

c_struct! { HIP_TEXTURE_DESC: 104 {
    0 addressMode: [HIPaddress_mode; 3],
    12 filterMode: HIPfilter_mode,
    16 flags: u32,
    20 maxAnisotropy: u32,
    24 mipmapFilterMode: HIPfilter_mode,
    28 mipmapLevelBias: f32,
    32 minMipmapLevelClamp: f32,
    36 maxMipmapLevelClamp: f32,
    40 borderColor: [f32; 4],
    56 reserved: [i32; 12],
} }

c_struct! { hipResourceDesc_res_array: 8 {
    0 array: hipArray_t,
} }

c_struct! { hipResourceDesc_res_mipmap: 8 {
    0 mipmap: hipMipmappedArray_t,
} }

c_struct! { hipResourceDesc_res_linear: 40 {
    0 devPtr: *mut c_void,
    8 desc: hipChannelFormatDesc,
    32 sizeInBytes: usize,
} }

c_struct! { hipResourceDesc_res_pitch2D: 56 {
    0 devPtr: *mut c_void,
    8 desc: hipChannelFormatDesc,
    32 width: usize,
    40 height: usize,
    48 pitchInBytes: usize,
} }

c_union! { hipResourceDesc_res: 56 {
    0 array: hipResourceDesc_res_array,
    0 mipmap: hipResourceDesc_res_mipmap,
    0 linear: hipResourceDesc_res_linear,
    0 pitch2D: hipResourceDesc_res_pitch2D,
} }

c_struct! { hipResourceDesc: 64 {
    0 resType: hipResourceType,
    8 res: hipResourceDesc_res,
} }

c_struct! { HIP_RESOURCE_DESC_res_array: 8 {
    0 hArray: hipArray_t,
} }

c_struct! { HIP_RESOURCE_DESC_res_mipmap: 8 {
    0 hMipmappedArray: hipMipmappedArray_t,
} }

c_struct! { HIP_RESOURCE_DESC_res_linear: 24 {
    0 devPtr: hipDeviceptr_t,
    8 format: hipArray_Format,
    12 numChannels: u32,
    16 sizeInBytes: usize,
} }

c_struct! { HIP_RESOURCE_DESC_res_pitch2D: 40 {
    0 devPtr: hipDeviceptr_t,
    8 format: hipArray_Format,
    12 numChannels: u32,
    16 width: usize,
    24 height: usize,
    32 pitchInBytes: usize,
} }

c_struct! { HIP_RESOURCE_DESC_res_reserved: 128 {
    0 reserved: [i32; 32],
} }

c_union! { HIP_RESOURCE_DESC_res: 128 {
    0 array: HIP_RESOURCE_DESC_res_array,
    0 mipmap: HIP_RESOURCE_DESC_res_mipmap,
    0 linear: HIP_RESOURCE_DESC_res_linear,
    0 pitch2D: HIP_RESOURCE_DESC_res_pitch2D,
    0 reserved: HIP_RESOURCE_DESC_res_reserved,
} }

c_struct! { HIP_RESOURCE_DESC: 144 {
    0 resType: HIPresourcetype,
    8 res: HIP_RESOURCE_DESC_res,
    136 flags: u32,
} }

c_struct! { hipResourceViewDesc: 48 {
    0 format: hipResourceViewFormat,
    8 width: usize,
    16 height: usize,
    24 depth: usize,
    32 firstMipmapLevel: u32,
    36 lastMipmapLevel: u32,
    40 firstLayer: u32,
    44 lastLayer: u32,
} }

c_struct! { HIP_RESOURCE_VIEW_DESC: 112 {
    0 format: HIPresourceViewFormat,
    8 width: usize,
    16 height: usize,
    24 depth: usize,
    32 firstMipmapLevel: u32,
    36 lastMipmapLevel: u32,
    40 firstLayer: u32,
    44 lastLayer: u32,
    48 reserved: [u32; 16],
} }

c_struct! { hipPitchedPtr: 32 {
    0 ptr: *mut c_void,
    8 pitch: usize,
    16 xsize: usize,
    24 ysize: usize,
} }

c_struct! { hipExtent: 24 {
    0 width: usize,
    8 height: usize,
    16 depth: usize,
} }

c_struct! { hipPos: 24 {
    0 x: usize,
    8 y: usize,
    16 z: usize,
} }

c_struct! { hipMemcpy3DParms: 160 {
    0 srcArray: hipArray_t,
    8 srcPos: hipPos,
    32 srcPtr: hipPitchedPtr,
    64 dstArray: hipArray_t,
    72 dstPos: hipPos,
    96 dstPtr: hipPitchedPtr,
    128 extent: hipExtent,
    152 kind: hipMemcpyKind,
} }

c_struct! { HIP_MEMCPY3D: 184 {
    0 srcXInBytes: usize,
    8 srcY: usize,
    16 srcZ: usize,
    24 srcLOD: usize,
    32 srcMemoryType: hipMemoryType,
    40 srcHost: *const c_void,
    48 srcDevice: hipDeviceptr_t,
    56 srcArray: hipArray_t,
    64 srcPitch: usize,
    72 srcHeight: usize,
    80 dstXInBytes: usize,
    88 dstY: usize,
    96 dstZ: usize,
    104 dstLOD: usize,
    112 dstMemoryType: hipMemoryType,
    120 dstHost: *mut c_void,
    128 dstDevice: hipDeviceptr_t,
    136 dstArray: hipArray_t,
    144 dstPitch: usize,
    152 dstHeight: usize,
    160 WidthInBytes: usize,
    168 Height: usize,
    176 Depth: usize,
} }

c_struct! { hipMemLocation: 8 {
    0 r#type: hipMemLocationType,
    4 id: i32,
} }

c_struct! { hipMemcpyAttributes: 24 {
    0 srcAccessOrder: hipMemcpySrcAccessOrder,
    4 srcLocHint: hipMemLocation,
    12 dstLocHint: hipMemLocation,
    20 flags: u32,
} }

c_struct! { hipOffset3D: 24 {
    0 x: usize,
    8 y: usize,
    16 z: usize,
} }

c_struct! { hipMemcpy3DOperand_op_ptr: 32 {
    0 ptr: *mut c_void,
    8 rowLength: usize,
    16 layerHeight: usize,
    24 locHint: hipMemLocation,
} }

c_struct! { hipMemcpy3DOperand_op_array: 32 {
    0 array: hipArray_t,
    8 offset: hipOffset3D,
} }

c_union! { hipMemcpy3DOperand_op: 32 {
    0 ptr: hipMemcpy3DOperand_op_ptr,
    0 array: hipMemcpy3DOperand_op_array,
} }

c_struct! { hipMemcpy3DOperand: 40 {
    0 r#type: hipMemcpy3DOperandType,
    8 op: hipMemcpy3DOperand_op,
} }

c_struct! { hipMemcpy3DBatchOp: 112 {
    0 src: hipMemcpy3DOperand,
    40 dst: hipMemcpy3DOperand,
    80 extent: hipExtent,
    104 srcAccessOrder: hipMemcpySrcAccessOrder,
    108 flags: u32,
} }

c_struct! { hipMemcpy3DPeerParms: 168 {
    0 srcArray: hipArray_t,
    8 srcPos: hipPos,
    32 srcPtr: hipPitchedPtr,
    64 srcDevice: i32,
    72 dstArray: hipArray_t,
    80 dstPos: hipPos,
    104 dstPtr: hipPitchedPtr,
    136 dstDevice: i32,
    144 extent: hipExtent,
} }

c_struct! { textureReference: 88 {
    0 normalized: i32,
    4 readMode: hipTextureReadMode,
    8 filterMode: hipTextureFilterMode,
    12 addressMode: [hipTextureAddressMode; 3],
    24 channelDesc: hipChannelFormatDesc,
    44 sRGB: i32,
    48 maxAnisotropy: u32,
    52 mipmapFilterMode: hipTextureFilterMode,
    56 mipmapLevelBias: f32,
    60 minMipmapLevelClamp: f32,
    64 maxMipmapLevelClamp: f32,
    72 textureObject: hipTextureObject_t,
    80 numChannels: i32,
    84 format: hipArray_Format,
} }

c_struct! { hipTextureDesc: 64 {
    0 addressMode: [hipTextureAddressMode; 3],
    12 filterMode: hipTextureFilterMode,
    16 readMode: hipTextureReadMode,
    20 sRGB: i32,
    24 borderColor: [f32; 4],
    40 normalizedCoords: i32,
    44 maxAnisotropy: u32,
    48 mipmapFilterMode: hipTextureFilterMode,
    52 mipmapLevelBias: f32,
    56 minMipmapLevelClamp: f32,
    60 maxMipmapLevelClamp: f32,
} }

c_struct! { hipIpcMemHandle_t: 64 {
    0 reserved: [c_char; 64],
} }

c_struct! { hipIpcEventHandle_t: 64 {
    0 reserved: [c_char; 64],
} }

c_struct! { hipFuncAttributes: 56 {
    0 binaryVersion: i32,
    4 cacheModeCA: i32,
    8 constSizeBytes: usize,
    16 localSizeBytes: usize,
    24 maxDynamicSharedSizeBytes: i32,
    28 maxThreadsPerBlock: i32,
    32 numRegs: i32,
    36 preferredShmemCarveout: i32,
    40 ptxVersion: i32,
    48 sharedSizeBytes: usize,
} }

c_union! { hipStreamMemOpWaitValueParams_t_u: 8 {
    0 value: u32,
    0 value64: u64,
} }

c_struct! { hipStreamMemOpWaitValueParams_t: 40 {
    0 operation: hipStreamBatchMemOpType,
    8 address: hipDeviceptr_t,
    16 u: hipStreamMemOpWaitValueParams_t_u,
    24 flags: u32,
    32 alias: hipDeviceptr_t,
} }

c_union! { hipStreamMemOpWriteValueParams_t_u: 8 {
    0 value: u32,
    0 value64: u64,
} }

c_struct! { hipStreamMemOpWriteValueParams_t: 40 {
    0 operation: hipStreamBatchMemOpType,
    8 address: hipDeviceptr_t,
    16 u: hipStreamMemOpWriteValueParams_t_u,
    24 flags: u32,
    32 alias: hipDeviceptr_t,
} }

c_struct! { hipStreamMemOpFlushRemoteWritesParams_t: 8 {
    0 operation: hipStreamBatchMemOpType,
    4 flags: u32,
} }

c_struct! { hipStreamMemOpMemoryBarrierParams_t: 8 {
    0 operation: hipStreamBatchMemOpType,
    4 flags: u32,
} }

c_union! { hipStreamBatchMemOpParams: 48 {
    0 operation: hipStreamBatchMemOpType,
    0 waitValue: hipStreamMemOpWaitValueParams_t,
    0 writeValue: hipStreamMemOpWriteValueParams_t,
    0 flushRemoteWrites: hipStreamMemOpFlushRemoteWritesParams_t,
    0 memoryBarrier: hipStreamMemOpMemoryBarrierParams_t,
    0 pad: [u64; 6],
} }

c_struct! { hipBatchMemOpNodeParams: 32 {
    0 ctx: hipCtx_t,
    8 count: u32,
    16 paramArray: *mut hipStreamBatchMemOpParams,
    24 flags: u32,
} }

c_struct! { hipMemAccessDesc: 12 {
    0 location: hipMemLocation,
    8 flags: hipMemAccessFlags,
} }

c_struct! { hipMemPoolProps: 88 {
    0 allocType: hipMemAllocationType,
    4 handleTypes: hipMemAllocationHandleType,
    8 location: hipMemLocation,
    16 win32SecurityAttributes: *mut c_void,
    24 maxSize: usize,
    32 reserved: [u8; 56],
} }

c_struct! { hipMemPoolPtrExportData: 64 {
    0 reserved: [u8; 64],
} }

c_struct! { dim3: 12 {
    0 x: u32,
    4 y: u32,
    8 z: u32,
} }

c_struct! { hipLaunchParams: 56 {
    0 func: *mut c_void,
    8 gridDim: dim3,
    20 blockDim: dim3,
    32 args: *mut *mut c_void,
    40 sharedMem: usize,
    48 stream: hipStream_t,
} }

c_struct! { hipFunctionLaunchParams: 56 {
    0 function: hipFunction_t,
    8 gridDimX: u32,
    12 gridDimY: u32,
    16 gridDimZ: u32,
    20 blockDimX: u32,
    24 blockDimY: u32,
    28 blockDimZ: u32,
    32 sharedMemBytes: u32,
    40 hStream: hipStream_t,
    48 kernelParams: *mut *mut c_void,
} }

c_struct! { hipExternalMemoryHandleDesc_handle_win32: 16 {
    0 handle: *mut c_void,
    8 name: *const c_void,
} }

c_union! { hipExternalMemoryHandleDesc_handle: 16 {
    0 fd: i32,
    0 win32: hipExternalMemoryHandleDesc_handle_win32,
    0 nvSciBufObject: *const c_void,
} }

c_struct! { hipExternalMemoryHandleDesc: 104 {
    0 r#type: hipExternalMemoryHandleType,
    8 handle: hipExternalMemoryHandleDesc_handle,
    24 size: u64,
    32 flags: u32,
    36 reserved: [u32; 16],
} }

c_struct! { hipExternalMemoryBufferDesc: 88 {
    0 offset: u64,
    8 size: u64,
    16 flags: u32,
    20 reserved: [u32; 16],
} }

c_struct! { hipExternalMemoryMipmappedArrayDesc: 64 {
    0 offset: u64,
    8 formatDesc: hipChannelFormatDesc,
    32 extent: hipExtent,
    56 flags: u32,
    60 numLevels: u32,
} }

c_struct! { hipExternalSemaphoreHandleDesc_handle_win32: 16 {
    0 handle: *mut c_void,
    8 name: *const c_void,
} }

c_union! { hipExternalSemaphoreHandleDesc_handle: 16 {
    0 fd: i32,
    0 win32: hipExternalSemaphoreHandleDesc_handle_win32,
    0 NvSciSyncObj: *const c_void,
} }

c_struct! { hipExternalSemaphoreHandleDesc: 96 {
    0 r#type: hipExternalSemaphoreHandleType,
    8 handle: hipExternalSemaphoreHandleDesc_handle,
    24 flags: u32,
    28 reserved: [u32; 16],
} }

c_struct! { hipExternalSemaphoreSignalParams_params_fence: 8 {
    0 value: u64,
} }

c_union! { hipExternalSemaphoreSignalParams_params_nvSciSync: 8 {
    0 fence: *mut c_void,
    0 reserved: u64,
} }

c_struct! { hipExternalSemaphoreSignalParams_params_keyedMutex: 8 {
    0 key: u64,
} }

c_struct! { hipExternalSemaphoreSignalParams_params: 72 {
    0 fence: hipExternalSemaphoreSignalParams_params_fence,
    8 nvSciSync: hipExternalSemaphoreSignalParams_params_nvSciSync,
    16 keyedMutex: hipExternalSemaphoreSignalParams_params_keyedMutex,
    24 reserved: [u32; 12],
} }

c_struct! { hipExternalSemaphoreSignalParams: 144 {
    0 params: hipExternalSemaphoreSignalParams_params,
    72 flags: u32,
    76 reserved: [u32; 16],
} }

c_struct! { hipExternalSemaphoreWaitParams_params_fence: 8 {
    0 value: u64,
} }

c_union! { hipExternalSemaphoreWaitParams_params_nvSciSync: 8 {
    0 fence: *mut c_void,
    0 reserved: u64,
} }

c_struct! { hipExternalSemaphoreWaitParams_params_keyedMutex: 16 {
    0 key: u64,
    8 timeoutMs: u32,
} }

c_struct! { hipExternalSemaphoreWaitParams_params: 72 {
    0 fence: hipExternalSemaphoreWaitParams_params_fence,
    8 nvSciSync: hipExternalSemaphoreWaitParams_params_nvSciSync,
    16 keyedMutex: hipExternalSemaphoreWaitParams_params_keyedMutex,
    32 reserved: [u32; 10],
} }

c_struct! { hipExternalSemaphoreWaitParams: 144 {
    0 params: hipExternalSemaphoreWaitParams_params,
    72 flags: u32,
    76 reserved: [u32; 16],
} }

c_struct! { hipHostNodeParams: 16 {
    0 r#fn: hipHostFn_t,
    8 userData: *mut c_void,
} }

c_struct! { hipKernelNodeParams: 64 {
    0 blockDim: dim3,
    16 extra: *mut *mut c_void,
    24 func: *mut c_void,
    32 gridDim: dim3,
    48 kernelParams: *mut *mut c_void,
    56 sharedMemBytes: u32,
} }

c_struct! { hipMemsetParams: 48 {
    0 dst: *mut c_void,
    8 elementSize: u32,
    16 height: usize,
    24 pitch: usize,
    32 value: u32,
    40 width: usize,
} }

c_struct! { hipMemAllocNodeParams: 120 {
    0 poolProps: hipMemPoolProps,
    88 accessDescs: *const hipMemAccessDesc,
    96 accessDescCount: usize,
    104 bytesize: usize,
    112 dptr: *mut c_void,
} }

c_struct! { hipAccessPolicyWindow: 32 {
    0 base_ptr: *mut c_void,
    8 hitProp: hipAccessProperty,
    12 hitRatio: f32,
    16 missProp: hipAccessProperty,
    24 num_bytes: usize,
} }

c_struct! { hipLaunchMemSyncDomainMap: 2 {
    0 default_: u8,
    1 remote: u8,
} }

c_union! { hipLaunchAttributeValue: 64 {
    0 pad: [c_char; 64],
    0 accessPolicyWindow: hipAccessPolicyWindow,
    0 cooperative: i32,
    0 priority: i32,
    0 syncPolicy: hipSynchronizationPolicy,
    0 memSyncDomainMap: hipLaunchMemSyncDomainMap,
    0 memSyncDomain: hipLaunchMemSyncDomain,
} }

c_struct! { hipGraphInstantiateParams: 32 {
    0 errNode_out: hipGraphNode_t,
    8 flags: u64,
    16 result_out: hipGraphInstantiateResult,
    24 uploadStream: hipStream_t,
} }

c_union! { hipMemAllocationProp_u: 4 {
    0 requestedHandleType: hipMemAllocationHandleType,
    0 requestedHandleTypes: hipMemAllocationHandleType,
} }

c_struct! { hipMemAllocationProp_allocFlags: 4 {
    0 compressionType: u8,
    1 gpuDirectRDMACapable: u8,
    2 usage: u16,
} }

c_struct! { hipMemAllocationProp: 32 {
    0 r#type: hipMemAllocationType,
    4 u: hipMemAllocationProp_u,
    8 location: hipMemLocation,
    16 win32HandleMetaData: *mut c_void,
    24 allocFlags: hipMemAllocationProp_allocFlags,
} }

c_struct! { hipExternalSemaphoreSignalNodeParams: 24 {
    0 extSemArray: *mut hipExternalSemaphore_t,
    8 paramsArray: *const hipExternalSemaphoreSignalParams,
    16 numExtSems: u32,
} }

c_struct! { hipExternalSemaphoreWaitNodeParams: 24 {
    0 extSemArray: *mut hipExternalSemaphore_t,
    8 paramsArray: *const hipExternalSemaphoreWaitParams,
    16 numExtSems: u32,
} }

c_union! { hipArrayMapInfo_resource: 64 {
    0 mipmap: hipMipmappedArray,
    0 array: hipArray_t,
} }

c_struct! { hipArrayMapInfo_subresource_sparseLevel: 32 {
    0 level: u32,
    4 layer: u32,
    8 offsetX: u32,
    12 offsetY: u32,
    16 offsetZ: u32,
    20 extentWidth: u32,
    24 extentHeight: u32,
    28 extentDepth: u32,
} }

c_struct! { hipArrayMapInfo_subresource_miptail: 24 {
    0 layer: u32,
    8 offset: u64,
    16 size: u64,
} }

c_union! { hipArrayMapInfo_subresource: 32 {
    0 sparseLevel: hipArrayMapInfo_subresource_sparseLevel,
    0 miptail: hipArrayMapInfo_subresource_miptail,
} }

c_union! { hipArrayMapInfo_memHandle: 8 {
    0 memHandle: hipMemGenericAllocationHandle_t,
} }

c_struct! { hipArrayMapInfo: 152 {
    0 resourceType: hipResourceType,
    8 resource: hipArrayMapInfo_resource,
    72 subresourceType: hipArraySparseSubresourceType,
    80 subresource: hipArrayMapInfo_subresource,
    112 memOperationType: hipMemOperationType,
    116 memHandleType: hipMemHandleType,
    120 memHandle: hipArrayMapInfo_memHandle,
    128 offset: u64,
    136 deviceBitMask: u32,
    140 flags: u32,
    144 reserved: [u32; 2],
} }

c_struct! { hipMemcpyNodeParams: 176 {
    0 flags: i32,
    4 reserved: [i32; 3],
    16 copyParams: hipMemcpy3DParms,
} }

c_struct! { hipChildGraphNodeParams: 8 {
    0 graph: hipGraph_t,
} }

c_struct! { hipEventWaitNodeParams: 8 {
    0 event: hipEvent_t,
} }

c_struct! { hipEventRecordNodeParams: 8 {
    0 event: hipEvent_t,
} }

c_struct! { hipMemFreeNodeParams: 8 {
    0 dptr: *mut c_void,
} }

c_union! { hipGraphNodeParams_u: 232 {
    0 reserved1: [i64; 29],
    0 kernel: hipKernelNodeParams,
    0 memcpy: hipMemcpyNodeParams,
    0 memset: hipMemsetParams,
    0 host: hipHostNodeParams,
    0 graph: hipChildGraphNodeParams,
    0 eventWait: hipEventWaitNodeParams,
    0 eventRecord: hipEventRecordNodeParams,
    0 extSemSignal: hipExternalSemaphoreSignalNodeParams,
    0 extSemWait: hipExternalSemaphoreWaitNodeParams,
    0 alloc: hipMemAllocNodeParams,
    0 free: hipMemFreeNodeParams,
} }

c_struct! { hipGraphNodeParams: 256 {
    0 r#type: hipGraphNodeType,
    4 reserved0: [i32; 3],
    16 u: hipGraphNodeParams_u,
    248 reserved2: i64,
} }

c_struct! { hipGraphEdgeData: 8 {
    0 from_port: u8,
    1 reserved: [u8; 5],
    6 to_port: u8,
    7 r#type: u8,
} }

c_union! { hipLaunchAttribute_u: 64 {
    0 val: hipLaunchAttributeValue,
    0 value: hipLaunchAttributeValue,
} }

c_struct! { hipLaunchAttribute: 72 {
    0 id: hipLaunchAttributeID,
    4 pad: [c_char; 4],
    8 u: hipLaunchAttribute_u,
} }

c_struct! { hipLaunchConfig_t: 56 {
    0 gridDim: dim3,
    12 blockDim: dim3,
    24 dynamicSmemBytes: usize,
    32 stream: hipStream_t,
    40 attrs: *mut hipLaunchAttribute,
    48 numAttrs: u32,
} }

c_struct! { HIP_LAUNCH_CONFIG: 56 {
    0 gridDimX: u32,
    4 gridDimY: u32,
    8 gridDimZ: u32,
    12 blockDimX: u32,
    16 blockDimY: u32,
    20 blockDimZ: u32,
    24 sharedMemBytes: u32,
    32 hStream: hipStream_t,
    40 attrs: *mut hipLaunchAttribute,
    48 numAttrs: u32,
} }

c_struct! { hipDeviceProp_tR0000: 792 {
    0 name: [c_char; 256],
    256 totalGlobalMem: usize,
    264 sharedMemPerBlock: usize,
    272 regsPerBlock: i32,
    276 warpSize: i32,
    280 maxThreadsPerBlock: i32,
    284 maxThreadsDim: [i32; 3],
    296 maxGridSize: [i32; 3],
    308 clockRate: i32,
    312 memoryClockRate: i32,
    316 memoryBusWidth: i32,
    320 totalConstMem: usize,
    328 major: i32,
    332 minor: i32,
    336 multiProcessorCount: i32,
    340 l2CacheSize: i32,
    344 maxThreadsPerMultiProcessor: i32,
    348 computeMode: i32,
    352 clockInstructionRate: i32,
    356 arch: hipDeviceArch_t,
    360 concurrentKernels: i32,
    364 pciDomainID: i32,
    368 pciBusID: i32,
    372 pciDeviceID: i32,
    376 maxSharedMemoryPerMultiProcessor: usize,
    384 isMultiGpuBoard: i32,
    388 canMapHostMemory: i32,
    392 gcnArch: i32,
    396 gcnArchName: [c_char; 256],
    652 integrated: i32,
    656 cooperativeLaunch: i32,
    660 cooperativeMultiDeviceLaunch: i32,
    664 maxTexture1DLinear: i32,
    668 maxTexture1D: i32,
    672 maxTexture2D: [i32; 2],
    680 maxTexture3D: [i32; 3],
    696 hdpMemFlushCntl: *mut u32,
    704 hdpRegFlushCntl: *mut u32,
    712 memPitch: usize,
    720 textureAlignment: usize,
    728 texturePitchAlignment: usize,
    736 kernelExecTimeoutEnabled: i32,
    740 ECCEnabled: i32,
    744 tccDriver: i32,
    748 cooperativeMultiDeviceUnmatchedFunc: i32,
    752 cooperativeMultiDeviceUnmatchedGridDim: i32,
    756 cooperativeMultiDeviceUnmatchedBlockDim: i32,
    760 cooperativeMultiDeviceUnmatchedSharedMem: i32,
    764 isLargeBar: i32,
    768 asicRevision: i32,
    772 managedMemory: i32,
    776 directManagedMemAccessFromHost: i32,
    780 concurrentManagedAccess: i32,
    784 pageableMemoryAccess: i32,
    788 pageableMemoryAccessUsesHostPageTables: i32,
} }
