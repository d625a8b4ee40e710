//! Error codes: their names and texts, and what each cause inside becomes at the C border.
//!
//! Only the front says `hipError_t`. Everything below reports a cause, and the one `match` of this
//! module gives it a code; a new cause asks for its code when you compile.

use std::{ffi::CStr, fmt, num::NonZeroU32};

use hrx_hal::FaultKind;
use hrx_runtime::{RuntimeError, kernel::LaunchError};

use crate::sys::{self, hipError_t, hipSuccess};

/// What a body returns; [`crate::shim`] turns it into a `hipError_t`.
pub(crate) type HipResult<T = ()> = Result<T, HipError>;

/// A `hipError_t` other than `hipSuccess`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct HipError(NonZeroU32);

/// `hipErrorName CONSTANT "text";`: the codes of 7.2.
macro_rules! hip_errors {
    ($($name:ident $constant:ident $text:literal;)*) => {
        #[allow(dead_code, reason = "one for each code of HIP, whether a cause gives it yet or not")]
        impl HipError {
            $(pub(crate) const $constant: HipError = HipError::from_code(sys::$name);)*
        }

        /// Code, name and text, ascending by code.
        const ERRORS: &[(hipError_t, &CStr, &CStr)] = &[
            (hipSuccess, c"hipSuccess", c"no error"),
            $((sys::$name, c_name!($name), $text),)*
        ];
    };
}

macro_rules! c_name {
    ($name:ident) => {
        match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
            Ok(name) => name,
            Err(_) => panic!("an identifier holds no zero byte"),
        }
    };
}

// Names are those of AMD's headers 7.2.4. Texts are what AMD's runtime 7.14 answers
// (`tests/data/hip-errors-7.14.tsv`), except for 1054, which 7.14 gave another meaning.
hip_errors! {
    hipErrorInvalidValue INVALID_VALUE c"invalid argument";
    hipErrorOutOfMemory OUT_OF_MEMORY c"out of memory";
    hipErrorNotInitialized NOT_INITIALIZED c"initialization error";
    hipErrorDeinitialized DEINITIALIZED c"driver shutting down";
    hipErrorProfilerDisabled PROFILER_DISABLED
        c"profiler disabled while using external profiling tool";
    hipErrorProfilerNotInitialized PROFILER_NOT_INITIALIZED c"profiler is not initialized";
    hipErrorProfilerAlreadyStarted PROFILER_ALREADY_STARTED c"profiler already started";
    hipErrorProfilerAlreadyStopped PROFILER_ALREADY_STOPPED c"profiler already stopped";
    hipErrorInvalidConfiguration INVALID_CONFIGURATION c"invalid configuration argument";
    hipErrorInvalidPitchValue INVALID_PITCH_VALUE c"invalid pitch argument";
    hipErrorInvalidSymbol INVALID_SYMBOL c"invalid device symbol";
    hipErrorInvalidDevicePointer INVALID_DEVICE_POINTER c"invalid device pointer";
    hipErrorInvalidMemcpyDirection INVALID_MEMCPY_DIRECTION c"invalid copy direction for memcpy";
    hipErrorInsufficientDriver INSUFFICIENT_DRIVER
        c"driver version is insufficient for runtime version";
    hipErrorMissingConfiguration MISSING_CONFIGURATION
        c"__global__ function call is not configured";
    hipErrorPriorLaunchFailure PRIOR_LAUNCH_FAILURE c"unspecified launch failure in prior launch";
    hipErrorInvalidDeviceFunction INVALID_DEVICE_FUNCTION c"invalid device function";
    hipErrorNoDevice NO_DEVICE c"no ROCm-capable device is detected";
    hipErrorInvalidDevice INVALID_DEVICE c"invalid device ordinal";
    hipErrorInvalidImage INVALID_IMAGE c"device kernel image is invalid";
    hipErrorInvalidContext INVALID_CONTEXT c"invalid device context";
    hipErrorContextAlreadyCurrent CONTEXT_ALREADY_CURRENT c"context is already current context";
    hipErrorMapFailed MAP_FAILED c"mapping of buffer object failed";
    hipErrorUnmapFailed UNMAP_FAILED c"unmapping of buffer object failed";
    hipErrorArrayIsMapped ARRAY_IS_MAPPED c"array is mapped";
    hipErrorAlreadyMapped ALREADY_MAPPED c"resource already mapped";
    hipErrorNoBinaryForGpu NO_BINARY_FOR_GPU
        c"no kernel image is available for execution on the device";
    hipErrorAlreadyAcquired ALREADY_ACQUIRED c"resource already acquired";
    hipErrorNotMapped NOT_MAPPED c"resource not mapped";
    hipErrorNotMappedAsArray NOT_MAPPED_AS_ARRAY c"resource not mapped as array";
    hipErrorNotMappedAsPointer NOT_MAPPED_AS_POINTER c"resource not mapped as pointer";
    hipErrorECCNotCorrectable ECC_NOT_CORRECTABLE c"uncorrectable ECC error encountered";
    hipErrorUnsupportedLimit UNSUPPORTED_LIMIT c"limit is not supported on this architecture";
    hipErrorContextAlreadyInUse CONTEXT_ALREADY_IN_USE
        c"exclusive-thread device already in use by a different thread";
    hipErrorPeerAccessUnsupported PEER_ACCESS_UNSUPPORTED
        c"peer access is not supported between these two devices";
    hipErrorInvalidKernelFile INVALID_KERNEL_FILE c"invalid kernel file";
    hipErrorInvalidGraphicsContext INVALID_GRAPHICS_CONTEXT c"invalid OpenGL or DirectX context";
    hipErrorInvalidSource INVALID_SOURCE c"device kernel image is invalid";
    hipErrorFileNotFound FILE_NOT_FOUND c"file not found";
    hipErrorSharedObjectSymbolNotFound SHARED_OBJECT_SYMBOL_NOT_FOUND
        c"shared object symbol not found";
    hipErrorSharedObjectInitFailed SHARED_OBJECT_INIT_FAILED c"shared object initialization failed";
    hipErrorOperatingSystem OPERATING_SYSTEM
        c"OS call failed or operation not supported on this OS";
    hipErrorInvalidHandle INVALID_HANDLE c"invalid resource handle";
    hipErrorIllegalState ILLEGAL_STATE c"the operation cannot be performed in the present state";
    hipErrorNotFound NOT_FOUND c"named symbol not found";
    hipErrorNotReady NOT_READY c"device not ready";
    hipErrorIllegalAddress ILLEGAL_ADDRESS c"an illegal memory access was encountered";
    hipErrorLaunchOutOfResources LAUNCH_OUT_OF_RESOURCES c"too many resources requested for launch";
    hipErrorLaunchTimeOut LAUNCH_TIME_OUT c"the launch timed out and was terminated";
    hipErrorPeerAccessAlreadyEnabled PEER_ACCESS_ALREADY_ENABLED c"peer access is already enabled";
    hipErrorPeerAccessNotEnabled PEER_ACCESS_NOT_ENABLED c"peer access has not been enabled";
    hipErrorSetOnActiveProcess SET_ON_ACTIVE_PROCESS
        c"cannot set while device is active in this process";
    hipErrorContextIsDestroyed CONTEXT_IS_DESTROYED c"context is destroyed";
    hipErrorAssert ASSERT c"device-side assert triggered";
    hipErrorHostMemoryAlreadyRegistered HOST_MEMORY_ALREADY_REGISTERED
        c"part or all of the requested memory range is already mapped";
    hipErrorHostMemoryNotRegistered HOST_MEMORY_NOT_REGISTERED
        c"pointer does not correspond to a registered memory region";
    hipErrorLaunchFailure LAUNCH_FAILURE c"unspecified launch failure";
    hipErrorCooperativeLaunchTooLarge COOPERATIVE_LAUNCH_TOO_LARGE
        c"too many blocks in cooperative launch";
    hipErrorNotSupported NOT_SUPPORTED c"operation not supported";
    hipErrorStreamCaptureUnsupported STREAM_CAPTURE_UNSUPPORTED
        c"operation not permitted when stream is capturing";
    hipErrorStreamCaptureInvalidated STREAM_CAPTURE_INVALIDATED
        c"operation failed due to a previous error during capture";
    hipErrorStreamCaptureMerge STREAM_CAPTURE_MERGE
        c"operation would result in a merge of separate capture sequences";
    hipErrorStreamCaptureUnmatched STREAM_CAPTURE_UNMATCHED
        c"capture was not ended in the same stream as it began";
    hipErrorStreamCaptureUnjoined STREAM_CAPTURE_UNJOINED c"capturing stream has unjoined work";
    hipErrorStreamCaptureIsolation STREAM_CAPTURE_ISOLATION
        c"dependency created on uncaptured work in another stream";
    hipErrorStreamCaptureImplicit STREAM_CAPTURE_IMPLICIT
        c"operation would make the legacy stream depend on a capturing blocking stream";
    hipErrorCapturedEvent CAPTURED_EVENT
        c"operation not permitted on an event last recorded in a capturing stream";
    hipErrorStreamCaptureWrongThread STREAM_CAPTURE_WRONG_THREAD
        c"attempt to terminate a thread-local capture sequence from another thread";
    hipErrorGraphExecUpdateFailure GRAPH_EXEC_UPDATE_FAILURE
        c"the graph update was not performed because it included changes which violated constraints specific to instantiated graph update";
    hipErrorInvalidChannelDescriptor INVALID_CHANNEL_DESCRIPTOR
        c"invalid resource description of texture passed to the api";
    hipErrorInvalidTexture INVALID_TEXTURE c"invalid texture object passed to the api";
    hipErrorUnknown UNKNOWN c"unknown error";
    hipErrorRuntimeMemory RUNTIME_MEMORY c"runtime memory call returned error";
    hipErrorRuntimeOther RUNTIME_OTHER c"runtime call other than memory returned error";
    hipErrorTbd TBD c"unknown error";
}

impl HipError {
    /// # Panics
    /// At compile time, when the code is `hipSuccess`.
    const fn from_code(code: hipError_t) -> HipError {
        HipError(NonZeroU32::new(code.0).expect("hipSuccess is no error"))
    }

    /// `None` for `hipSuccess`.
    pub(crate) fn new(code: hipError_t) -> Option<HipError> {
        NonZeroU32::new(code.0).map(HipError)
    }

    /// The code for C.
    pub(crate) const fn code(self) -> hipError_t {
        hipError_t(self.0.get())
    }
}

impl fmt::Debug for HipError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.code().fmt(f)
    }
}

impl fmt::Display for HipError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text(self.code()).unwrap_or(UNKNOWN_TEXT).to_string_lossy())
    }
}

impl From<RuntimeError> for HipError {
    fn from(error: RuntimeError) -> HipError {
        let code = code_of(&error);
        // Answers that programs ask for in loops are no news.
        if !matches!(error, RuntimeError::NotReady) {
            tracing::debug!("{code:?}: {error}");
        }
        code
    }
}

/// The code of each cause, as AMD's 7.x answers it. A new cause asks for its code here.
fn code_of(error: &RuntimeError) -> HipError {
    match error {
        RuntimeError::NoDevice { .. } => HipError::NO_DEVICE,
        RuntimeError::Forked => HipError::NOT_INITIALIZED,
        RuntimeError::InvalidDevice { .. } => HipError::INVALID_DEVICE,
        RuntimeError::Launch(launch) => match launch {
            LaunchError::ZeroDimension { .. }
            | LaunchError::GridTooLarge { .. }
            | LaunchError::GroupTooLarge { .. } => HipError::INVALID_CONFIGURATION,
            LaunchError::LaunchBounds { .. } => HipError::LAUNCH_FAILURE,
            LaunchError::UnwantedArguments { .. } => HipError::LAUNCH_OUT_OF_RESOURCES,
            LaunchError::SharedMemory { .. }
            | LaunchError::RequiredGroup { .. }
            | LaunchError::PartialGroups { .. }
            | LaunchError::NoArguments { .. }
            | LaunchError::ShortArguments { .. } => HipError::INVALID_VALUE,
        },
        RuntimeError::NoCodeForDevice(_) => HipError::NO_BINARY_FOR_GPU,
        RuntimeError::Image(_) => HipError::INVALID_IMAGE,
        RuntimeError::ImageFile { source, .. } => match source.kind() {
            std::io::ErrorKind::NotFound => HipError::FILE_NOT_FOUND,
            _ => HipError::INVALID_VALUE,
        },
        RuntimeError::NoSuchKernel { .. } | RuntimeError::NoSuchVariable { .. } => {
            HipError::NOT_FOUND
        }
        RuntimeError::UnknownHostFunction { .. } => HipError::INVALID_DEVICE_FUNCTION,
        RuntimeError::UnknownHostVariable { .. } => HipError::INVALID_SYMBOL,
        RuntimeError::AlreadyRegistered { .. } => HipError::HOST_MEMORY_ALREADY_REGISTERED,
        RuntimeError::NotRegistered { .. } => HipError::HOST_MEMORY_NOT_REGISTERED,
        RuntimeError::NotAnAllocation { .. }
        | RuntimeError::BeyondAllocation { .. }
        | RuntimeError::NotDeviceMemory { .. }
        | RuntimeError::Misaligned { .. } => HipError::INVALID_VALUE,
        RuntimeError::NeverRecorded | RuntimeError::TimingDisabled => HipError::INVALID_HANDLE,
        RuntimeError::NotReady => HipError::NOT_READY,
        RuntimeError::DeviceMismatch { .. } => HipError::INVALID_HANDLE,
        RuntimeError::Fault(fault) => code_of_fault(fault.kind),
        RuntimeError::NoThread(_) | RuntimeError::OutOfMemory(_) => HipError::OUT_OF_MEMORY,
        RuntimeError::Hal(_) => HipError::UNKNOWN,
    }
}

/// What AMD's runtime answers after the packet processor's error (kernel driver reference, error
/// reporting), as far as it was seen.
fn code_of_fault(kind: FaultKind) -> HipError {
    match kind {
        FaultKind::NotPresent
        | FaultKind::ReadOnly
        | FaultKind::NoExecute
        | FaultKind::Aperture => HipError::ILLEGAL_ADDRESS,
        FaultKind::OutOfScratch => HipError::OUT_OF_MEMORY,
        _ => HipError::LAUNCH_FAILURE,
    }
}

/// What AMD's runtime calls a code that it does not know.
pub(crate) const UNKNOWN_NAME: &CStr = c"hipErrorUnknown";
/// What AMD's runtime says of a code that it does not know.
pub(crate) const UNKNOWN_TEXT: &CStr = c"unknown error";

/// The name of a code, or `None` if HIP 7.2 has no such code.
pub(crate) fn name(code: hipError_t) -> Option<&'static CStr> {
    find(code).map(|(_, name, _)| *name)
}

/// The text for a code, or `None` if HIP 7.2 has no such code.
pub(crate) fn text(code: hipError_t) -> Option<&'static CStr> {
    find(code).map(|(_, _, text)| *text)
}

fn find(code: hipError_t) -> Option<&'static (hipError_t, &'static CStr, &'static CStr)> {
    ERRORS
        .binary_search_by_key(&code, |(code, ..)| *code)
        .ok()
        .map(|index| &ERRORS[index])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers of AMD's runtime 7.14.60850 to `hipGetErrorName` and `hipGetErrorString`.
    const ORACLE: &str = include_str!("../tests/data/hip-errors-7.14.tsv");

    #[test]
    fn names_and_texts_are_those_of_amds_runtime() {
        let mut seen = 0;
        for line in ORACLE.lines().filter(|line| !line.starts_with('#')).skip(1) {
            let fields: Vec<&str> = line.split('\t').collect();
            let code = hipError_t(fields[0].parse().expect("the first column is a number"));
            // 7.14 moved hipErrorTbd from 1054 to 1055; the 7.2 headers rule here.
            if code.0 == 1054 || code.0 == 1055 {
                continue;
            }
            seen += 1;
            assert_eq!(
                name(code).expect("a known code").to_str(),
                Ok(fields[1]),
                "{code:?}"
            );
            assert_eq!(
                text(code).expect("a known code").to_str(),
                Ok(fields[2]),
                "{code:?}"
            );
        }
        assert_eq!(seen, 75);
        assert_eq!(
            ERRORS.len(),
            seen + 1,
            "one more than the oracle's: hipErrorTbd"
        );
    }

    #[test]
    fn codes_ascend_so_that_the_search_finds_each() {
        assert!(ERRORS.is_sorted_by_key(|(code, ..)| *code));
        for (code, expected, _) in ERRORS {
            assert_eq!(name(*code), Some(*expected));
        }
        assert_eq!(name(hipError_t(10)), None);
    }
}
