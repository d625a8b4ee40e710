//! The C types of the HIP 7.2 ABI.
//!
//! The names are those of AMD's headers, so that a reader can search for them. Layouts are asserted
//! where each type is declared, against numbers that a C program printed from AMD's headers
//! (`tests/data/hip-layout-7.2.4.tsv` says which).
//!
//! - An enumeration is a transparent integer with constants: a C program may pass any bit pattern.
//! - A handle is a transparent word; `crate::handles` gives it a meaning. It is never dereferenced.
//! - A struct is plain data; what its pointers point at is for `crate::convert` and the bodies to check.
#![expect(
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    reason = "the names are those of the C headers"
)]

use std::{
    ffi::{c_char, c_void},
    fmt,
    mem::{align_of, offset_of, size_of},
};

use crate::trace::show_debug;

/// A type whose every bit pattern is a valid value, laid out as C lays it out.
///
/// # Safety
/// Zeroed memory, and any other initialised memory of that size, must be a valid value.
pub unsafe trait CType: Copy + 'static {
    /// All bytes zero.
    #[must_use]
    fn zeroed() -> Self {
        // SAFETY: the trait's own promise is that zeroed memory is a valid value.
        unsafe { std::mem::zeroed() }
    }
}

macro_rules! c_types {
    ($($ty:ty),*) => { $(
        // SAFETY: integers, floats and raw pointers take any bit pattern.
        unsafe impl CType for $ty {}
    )* };
}
c_types!(u8, u16, u32, u64, usize, i32, i64, f32);

// SAFETY: a raw pointer takes any bit pattern; using it is another matter.
unsafe impl<T: 'static> CType for *const T {}
// SAFETY: as for `*const T`.
unsafe impl<T: 'static> CType for *mut T {}
// SAFETY: an array of values that take any bit pattern does too.
unsafe impl<T: CType, const N: usize> CType for [T; N] {}
// SAFETY: as above. A `c_char` by itself is no `CType`, so that a pointer to one can mean a string.
unsafe impl<const N: usize> CType for [c_char; N] {}

/// `NAME: integer { constant = value, }`: a C enumeration.
macro_rules! c_enum {
    ($(#[$meta:meta])* $name:ident: $int:ty { $($constant:ident = $value:expr,)* }) => {
        $(#[$meta])*
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub $int);

        $(pub const $constant: $name = $name($value);)*

        impl $name {
            /// The constants of this enumeration, in the header's order.
            pub const CONSTANTS: &[($name, &str)] = &[$(($constant, stringify!($constant)),)*];

            /// The header's name of this value, if it has one.
            #[must_use]
            pub fn name(self) -> Option<&'static str> {
                Self::CONSTANTS.iter().find(|(value, _)| *value == self).map(|(_, name)| *name)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.name() {
                    Some(name) => f.write_str(name),
                    None => write!(f, "{}({})", stringify!($name), self.0),
                }
            }
        }

        // SAFETY: a transparent integer.
        unsafe impl CType for $name {}
        show_debug!($name);
    };
}

/// `NAME: size { offset field: type, }`: a C struct, with its layout asserted.
macro_rules! c_struct {
    ($(#[$meta:meta])* $name:ident: $size:literal { $($offset:literal $field:ident: $ty:ty,)* }) => {
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        pub struct $name { $(pub $field: $ty,)* }

        const _: () = {
            assert!(size_of::<$name>() == $size);
            $(assert!(offset_of!($name, $field) == $offset);)*
        };
        // SAFETY: the function below compiles only if each field takes any bit pattern.
        unsafe impl CType for $name {}
        const _: () = {
            const fn fields<T: CType>() {}
            $(fields::<$ty>();)*
        };
        show_debug!($name);
    };
}

/// As [`c_struct`], for a union.
macro_rules! c_union {
    ($(#[$meta:meta])* $name:ident: $size:literal { $($offset:literal $field:ident: $ty:ty,)* }) => {
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy)]
        pub union $name { $(pub $field: $ty,)* }

        const _: () = {
            assert!(size_of::<$name>() == $size);
            $(assert!(offset_of!($name, $field) == $offset);)*
        };
        // SAFETY: the function below compiles only if each field takes any bit pattern.
        unsafe impl CType for $name {}
        const _: () = {
            const fn fields<T: CType>() {}
            $(fields::<$ty>();)*
        };

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), " { .. }"))
            }
        }
    };
}

/// `NAME`: a handle, which C declares as a pointer to a type that it does not define.
macro_rules! c_handle {
    ($($(#[$meta:meta])* $name:ident,)*) => { $(
        $(#[$meta])*
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $name(pub usize);

        impl $name {
            pub const NULL: $name = $name(0);

            #[must_use]
            pub const fn is_null(self) -> bool {
                self.0 == 0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:#x}", self.0)
            }
        }

        const _: () = {
            assert!(size_of::<$name>() == size_of::<*const ()>());
            assert!(align_of::<$name>() == align_of::<*const ()>());
        };
        // SAFETY: a transparent integer.
        unsafe impl CType for $name {}
        show_debug!($name);
    )* };
}

c_handle! {
    hipCtx_t,
    hipModule_t,
    /// A kernel of a module.
    hipFunction_t,
    hipLibrary_t,
    /// A kernel of a library.
    hipKernel_t,
    hipLinkState_t,
    /// Besides handles of created streams: 0, [`hipStreamLegacy`], [`hipStreamPerThread`].
    hipStream_t,
    hipEvent_t,
    hipGraph_t,
    hipGraphNode_t,
    hipGraphExec_t,
    hipUserObject_t,
    hipMemPool_t,
    hipMemGenericAllocationHandle_t,
    hipArray_t,
    hipMipmappedArray_t,
    /// The address of a device-readable texture descriptor: kernels dereference it.
    hipTextureObject_t,
    /// The address of a device-readable surface descriptor: kernels dereference it.
    hipSurfaceObject_t,
    hipGraphicsResource_t,
    hipExternalMemory_t,
    hipExternalSemaphore_t,
}

/// An array that the call does not change.
pub type hipArray_const_t = hipArray_t;
/// A mipmapped array that the call does not change.
pub type hipMipmappedArray_const_t = hipMipmappedArray_t;
/// What C calls by this name, as opposed to `unsigned long long`.
pub type uint64_t = u64;
/// A device's ordinal.
pub type hipDevice_t = i32;
/// An address that the device may use.
pub type hipDeviceptr_t = *mut c_void;
/// A host function on a stream: its argument is the user's.
pub type hipHostFn_t = Option<unsafe extern "C" fn(user_data: *mut c_void)>;
/// A callback on a stream, with the stream's state.
pub type hipStreamCallback_t =
    Option<unsafe extern "C" fn(stream: hipStream_t, status: hipError_t, user_data: *mut c_void)>;

// SAFETY: null is `None`, and calling any other value is unsafe.
unsafe impl CType for hipHostFn_t {}
// SAFETY: as for `hipHostFn_t`.
unsafe impl CType for hipStreamCallback_t {}
show_debug!(hipHostFn_t, hipStreamCallback_t);

c_struct! { uint3: 12 {
    0 x: u32,
    4 y: u32,
    8 z: u32,
} }

/// The 17 architectural feature bits of a device, least significant bit first.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct hipDeviceArch_t(pub u32);
// SAFETY: a transparent integer.
unsafe impl CType for hipDeviceArch_t {}

mod constants;
mod enums;
mod types;

pub use constants::*;
pub use enums::*;
pub use types::*;
