//! Flags and special values that the headers give as macros.

use std::ffi::c_void;

use super::hipStream_t;

pub const hipIpcMemLazyEnablePeerAccess: u32 = 1;

pub const hipStreamDefault: u32 = 0;
pub const hipStreamNonBlocking: u32 = 1;

pub const hipEventDefault: u32 = 0;
pub const hipEventBlockingSync: u32 = 1;
pub const hipEventDisableTiming: u32 = 2;
pub const hipEventInterprocess: u32 = 4;
pub const hipEventRecordDefault: u32 = 0;
pub const hipEventRecordExternal: u32 = 1;
pub const hipEventWaitDefault: u32 = 0;
pub const hipEventWaitExternal: u32 = 1;
pub const hipEventDisableSystemFence: u32 = 0x20000000;
pub const hipEventReleaseToDevice: u32 = 0x40000000;
pub const hipEventReleaseToSystem: u32 = 0x80000000;

pub const hipEnableDefault: u32 = 0;
pub const hipEnableLegacyStream: u32 = 1;
pub const hipEnablePerThreadDefaultStream: u32 = 2;

pub const hipHostAllocDefault: u32 = 0;
pub const hipHostMallocDefault: u32 = 0;
pub const hipHostAllocPortable: u32 = 1;
pub const hipHostMallocPortable: u32 = 1;
pub const hipHostAllocMapped: u32 = 2;
pub const hipHostMallocMapped: u32 = 2;
pub const hipHostAllocWriteCombined: u32 = 4;
pub const hipHostMallocWriteCombined: u32 = 4;
pub const hipHostMallocUncached: u32 = 0x10000000;
pub const hipHostMallocNumaUser: u32 = 0x20000000;
pub const hipHostMallocCoherent: u32 = 0x40000000;
pub const hipHostMallocNonCoherent: u32 = 0x80000000;

pub const hipMemAttachGlobal: u32 = 1;
pub const hipMemAttachHost: u32 = 2;
pub const hipMemAttachSingle: u32 = 4;

pub const hipDeviceMallocDefault: u32 = 0;
pub const hipDeviceMallocFinegrained: u32 = 1;

pub const hipMallocSignalMemory: u32 = 2;

pub const hipDeviceMallocUncached: u32 = 3;
pub const hipDeviceMallocContiguous: u32 = 4;

pub const hipHostRegisterDefault: u32 = 0;
pub const hipHostRegisterPortable: u32 = 1;
pub const hipHostRegisterMapped: u32 = 2;
pub const hipHostRegisterIoMemory: u32 = 4;
pub const hipHostRegisterReadOnly: u32 = 8;

pub const hipExtHostRegisterCoarseGrained: u32 = 8;
pub const hipExtHostRegisterUncached: u32 = 0x80000000;

pub const hipDeviceScheduleAuto: u32 = 0;
pub const hipDeviceScheduleSpin: u32 = 1;
pub const hipDeviceScheduleYield: u32 = 2;
pub const hipDeviceScheduleBlockingSync: u32 = 4;
pub const hipDeviceScheduleMask: u32 = 7;
pub const hipDeviceMapHost: u32 = 8;
pub const hipDeviceLmemResizeToMax: u32 = 0x10;

pub const hipArrayDefault: u32 = 0;
pub const hipArrayLayered: u32 = 1;
pub const hipArraySurfaceLoadStore: u32 = 2;
pub const hipArrayCubemap: u32 = 4;
pub const hipArrayTextureGather: u32 = 8;

pub const hipOccupancyDefault: u32 = 0;
pub const hipOccupancyDisableCachingOverride: u32 = 1;

pub const hipCooperativeLaunchMultiDeviceNoPreSync: u32 = 1;
pub const hipCooperativeLaunchMultiDeviceNoPostSync: u32 = 2;

pub const hipExtAnyOrderLaunch: u32 = 1;

pub const hipStreamWaitValueGte: u32 = 0;
pub const hipStreamWaitValueEq: u32 = 1;
pub const hipStreamWaitValueAnd: u32 = 2;
pub const hipStreamWaitValueNor: u32 = 3;

pub const hipExternalMemoryDedicated: u32 = 1;

pub const hipGraphKernelNodePortDefault: u32 = 0;
pub const hipGraphKernelNodePortLaunchCompletion: u32 = 2;
pub const hipGraphKernelNodePortProgrammatic: u32 = 1;

/// The host, where a device ordinal is asked for.
pub const hipCpuDeviceId: i32 = -1;
/// No device.
pub const hipInvalidDeviceId: i32 = -2;

/// The legacy default stream, whatever the translation unit was compiled for.
pub const hipStreamLegacy: hipStream_t = hipStream_t(1);
/// The default stream of the calling thread.
pub const hipStreamPerThread: hipStream_t = hipStream_t(2);

/// In the `extra` array of a module launch: the next entry is the packed argument buffer.
pub const HIP_LAUNCH_PARAM_BUFFER_POINTER: *mut c_void = std::ptr::without_provenance_mut(1);
/// The next entry points at the size of that buffer in bytes.
pub const HIP_LAUNCH_PARAM_BUFFER_SIZE: *mut c_void = std::ptr::without_provenance_mut(2);
/// The end of the `extra` array.
pub const HIP_LAUNCH_PARAM_END: *mut c_void = std::ptr::without_provenance_mut(3);

/// Bytes of an IPC handle.
pub const HIP_IPC_HANDLE_SIZE: usize = 64;

pub const HIP_TRSA_OVERRIDE_FORMAT: u32 = 0x1;
pub const HIP_TRSF_READ_AS_INTEGER: u32 = 0x1;
pub const HIP_TRSF_NORMALIZED_COORDINATES: u32 = 0x2;
pub const HIP_TRSF_SRGB: u32 = 0x10;
