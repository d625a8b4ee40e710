//! C arguments as the Rust values that bodies ask for.
//!
//! A body says what it accepts by the types of its parameters, and [`FromAbi`] makes them from the C
//! types of the row: a null or misaligned pointer, a handle of nothing, is an error code before the body
//! runs.
//!
//! | C type | parameter of a body |
//! | --- | --- |
//! | integer, enumeration, struct by value, raw pointer, function pointer | the same type |
//! | `T *` that the call writes | [`Out`], or `Option<Out>` where null means "not wanted" |
//! | `const T *` to one value | `&T`, or `Option<&T>` |
//! | `const T *` to many, their count in another argument | [`InArray`], then `slice(count)` |
//! | `T *` to many that the call writes | [`OutBuf`], then `of(count)` |
//! | `const char *` | `&CStr`, or `Option<&CStr>` |
//! | `void **` of kernel arguments | [`KernelArgs`], or [`PackedArgs`] for `extra` |
//! | `void *` to memory of the program or the device | [`Memory`], then `range(offset, length)` |
//! | `const void *` to a device image | `Option<`[`Image`]`>` |
//! | a handle | [`crate::handles::Ref`], or `Option<Ref>` where null is allowed |
//! | `hipStream_t` | [`StreamId`] |
//!
//! # Safety
//! `from_abi` is unsafe because C's promise stands behind it: what the HIP reference asks of an argument.
//! A type made by it carries that promise, so its methods are safe. A body that names a count must name
//! the one that the reference ties to the pointer.

use std::{
    ffi::{CStr, c_char, c_void},
    marker::PhantomData,
    mem::MaybeUninit,
    ptr::{self, NonNull},
    slice,
};

use hrx_hal::memory::HostRange;
use hrx_runtime::{
    kernel::Arguments,
    module::{
        Variable,
        registry::{ImageSource, image_length},
    },
};

use crate::{
    error::{HipError, HipResult},
    shim,
    sys::{
        CType, HIP_LAUNCH_PARAM_BUFFER_POINTER, HIP_LAUNCH_PARAM_BUFFER_SIZE, HIP_LAUNCH_PARAM_END,
        hipError_t, hipHostFn_t, hipLaunchAttributeValue, hipPitchedPtr, hipStream_t,
        hipStreamCallback_t, hipStreamLegacy, hipStreamPerThread, hipSynchronizationPolicy,
    },
};

/// A parameter of a body, made from the C argument `C`.
pub(crate) trait FromAbi<C>: Sized {
    /// # Errors
    /// The code that HIP gives for an argument which cannot be used.
    ///
    /// # Safety
    /// The caller of the C function keeps what the HIP reference asks of this argument, until it returns.
    unsafe fn from_abi(raw: C) -> HipResult<Self>;
}

impl<T: CType> FromAbi<T> for T {
    unsafe fn from_abi(raw: T) -> HipResult<Self> {
        Ok(raw)
    }
}

/// What an [`Out`] writes: a C type itself, or a type of ours that has one.
pub(crate) trait IntoAbi {
    type C: CType;
    fn into_abi(self) -> Self::C;
}

impl<T: CType> IntoAbi for T {
    type C = T;
    fn into_abi(self) -> T {
        self
    }
}

/// Null and misaligned addresses are `hipErrorInvalidValue`.
fn checked<T>(raw: *mut T) -> HipResult<NonNull<T>> {
    NonNull::new(raw)
        .filter(|ptr| ptr.is_aligned())
        .ok_or(HipError::INVALID_VALUE)
}

/// `None` for null; a misaligned address is still an error.
fn optional<T>(raw: *mut T) -> HipResult<Option<NonNull<T>>> {
    if raw.is_null() {
        Ok(None)
    } else {
        checked(raw).map(Some)
    }
}

/// Where the call writes one result. The memory may be uninitialised.
pub(crate) struct Out<'a, T: IntoAbi> {
    ptr: NonNull<T::C>,
    caller: PhantomData<&'a mut MaybeUninit<T::C>>,
}

impl<T: IntoAbi> Out<'_, T> {
    /// Writes the result.
    pub(crate) fn set(&mut self, value: T) {
        // SAFETY: `from_abi` checked null and alignment, and its caller promised that the reference's
        // out-parameter may be written until the call returns, which `'a` does not outlive.
        unsafe { self.ptr.write(value.into_abi()) }
    }
}

impl<T: IntoAbi> FromAbi<*mut T::C> for Out<'_, T> {
    unsafe fn from_abi(raw: *mut T::C) -> HipResult<Self> {
        Ok(Out {
            ptr: checked(raw)?,
            caller: PhantomData,
        })
    }
}

impl<T: IntoAbi> FromAbi<*mut T::C> for Option<Out<'_, T>> {
    unsafe fn from_abi(raw: *mut T::C) -> HipResult<Self> {
        Ok(optional(raw)?.map(|ptr| Out {
            ptr,
            caller: PhantomData,
        }))
    }
}

impl<T: CType> FromAbi<*const T> for &T {
    unsafe fn from_abi(raw: *const T) -> HipResult<Self> {
        let ptr = checked(raw.cast_mut())?;
        // SAFETY: not null and aligned; the caller promised one initialised value, and `CType` means
        // that any bytes will do.
        Ok(unsafe { ptr.as_ref() })
    }
}

impl<T: CType> FromAbi<*const T> for Option<&T> {
    unsafe fn from_abi(raw: *const T) -> HipResult<Self> {
        let ptr = optional(raw.cast_mut())?;
        // SAFETY: as for `&T`.
        Ok(ptr.map(|ptr| unsafe { ptr.as_ref() }))
    }
}

/// Some headers leave out the `const` of a struct that the call only reads.
impl<T: CType> FromAbi<*mut T> for &T {
    unsafe fn from_abi(raw: *mut T) -> HipResult<Self> {
        // SAFETY: the caller's promise, handed on.
        unsafe { FromAbi::from_abi(raw.cast_const()) }
    }
}

impl<T: CType> FromAbi<*mut T> for Option<&T> {
    unsafe fn from_abi(raw: *mut T) -> HipResult<Self> {
        // SAFETY: the caller's promise, handed on.
        unsafe { FromAbi::from_abi(raw.cast_const()) }
    }
}

/// Values that the call reads, as many as another argument says. May be null.
pub(crate) struct InArray<'a, T: CType> {
    ptr: *const T,
    caller: PhantomData<&'a [T]>,
}

impl<'a, T: CType> InArray<'a, T> {
    /// The values. `count` must be the argument that the reference ties to this pointer.
    ///
    /// # Errors
    /// `hipErrorInvalidValue` for a null or misaligned pointer to at least one value, or for more than
    /// the address space holds.
    pub(crate) fn slice(&self, count: usize) -> HipResult<&'a [T]> {
        if count == 0 {
            return Ok(&[]);
        }
        let ptr = checked(self.ptr.cast_mut())?;
        check_extent::<T>(count)?;
        // SAFETY: not null, aligned, within the address space; the caller promised `count` values.
        Ok(unsafe { slice::from_raw_parts(ptr.as_ptr(), count) })
    }
}

impl<T: CType> FromAbi<*const T> for InArray<'_, T> {
    unsafe fn from_abi(raw: *const T) -> HipResult<Self> {
        Ok(InArray {
            ptr: raw,
            caller: PhantomData,
        })
    }
}

impl<T: CType> FromAbi<*mut T> for InArray<'_, T> {
    unsafe fn from_abi(raw: *mut T) -> HipResult<Self> {
        Ok(InArray {
            ptr: raw,
            caller: PhantomData,
        })
    }
}

/// A slice may not be larger than half of the address space.
fn check_extent<T>(count: usize) -> HipResult {
    let bytes = count.checked_mul(size_of::<T>());
    if bytes.is_some_and(|bytes| isize::try_from(bytes).is_ok()) {
        Ok(())
    } else {
        Err(HipError::INVALID_VALUE)
    }
}

/// Where the call writes many values, as many as another argument allows. May be null, and the memory
/// may be uninitialised.
pub(crate) struct OutBuf<'a, T: CType> {
    ptr: *mut T,
    caller: PhantomData<&'a mut [MaybeUninit<T>]>,
}

impl<'a, T: CType> OutBuf<'a, T> {
    /// The room. `count` must be the argument that the reference ties to this pointer.
    ///
    /// # Errors
    /// As for [`InArray::slice`].
    pub(crate) fn of(self, count: usize) -> HipResult<&'a mut [MaybeUninit<T>]> {
        if count == 0 {
            return Ok(&mut []);
        }
        let ptr = checked(self.ptr)?;
        check_extent::<T>(count)?;
        // SAFETY: not null, aligned, within the address space; the caller promised room for `count`.
        Ok(unsafe { slice::from_raw_parts_mut(ptr.as_ptr().cast(), count) })
    }
}

impl OutBuf<'_, u8> {
    /// Writes `text` and a zero byte into a buffer of `room` bytes, cut where it does not fit.
    ///
    /// # Errors
    /// `hipErrorInvalidValue` when there is no buffer or no room for the zero byte.
    pub(crate) fn write_text(self, room: usize, text: &str) -> HipResult {
        let room = self.of(room)?;
        let last = room.len().checked_sub(1).ok_or(HipError::INVALID_VALUE)?;
        let length = text.len().min(last);
        for (to, from) in room.iter_mut().zip(&text.as_bytes()[..length]) {
            to.write(*from);
        }
        room[length].write(0);
        Ok(())
    }
}

impl<T: CType> FromAbi<*mut T> for OutBuf<'_, T> {
    unsafe fn from_abi(raw: *mut T) -> HipResult<Self> {
        Ok(OutBuf {
            ptr: raw,
            caller: PhantomData,
        })
    }
}

impl FromAbi<*mut c_char> for OutBuf<'_, u8> {
    unsafe fn from_abi(raw: *mut c_char) -> HipResult<Self> {
        Ok(OutBuf {
            ptr: raw.cast(),
            caller: PhantomData,
        })
    }
}

impl FromAbi<*const c_char> for &CStr {
    unsafe fn from_abi(raw: *const c_char) -> HipResult<Self> {
        let ptr = checked(raw.cast_mut())?;
        // SAFETY: not null; the caller promised a zero-terminated string that outlives the call.
        Ok(unsafe { CStr::from_ptr(ptr.as_ptr()) })
    }
}

impl FromAbi<*const c_char> for Option<&CStr> {
    unsafe fn from_abi(raw: *const c_char) -> HipResult<Self> {
        // SAFETY: as for `&CStr`.
        Ok(optional(raw.cast_mut())?.map(|ptr| unsafe { CStr::from_ptr(ptr.as_ptr()) }))
    }
}

/// Some headers leave out the `const` of a name.
impl FromAbi<*mut c_char> for &CStr {
    unsafe fn from_abi(raw: *mut c_char) -> HipResult<Self> {
        // SAFETY: the caller's promise, handed on.
        unsafe { FromAbi::from_abi(raw.cast_const()) }
    }
}

/// The arguments of a kernel: an array of pointers, one per parameter. May be null.
///
/// Which of them is how large is in the code object, so only whoever knows that layout can read them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelArgs(*mut *mut c_void);

impl KernelArgs {
    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }
}

impl FromAbi<*mut *mut c_void> for KernelArgs {
    unsafe fn from_abi(raw: *mut *mut c_void) -> HipResult<Self> {
        Ok(KernelArgs(raw))
    }
}

impl Arguments for KernelArgs {
    fn copy(&self, index: usize, _: usize, to: &mut [u8]) {
        // SAFETY: the caller's array has a pointer for each parameter of the kernel, and the code object
        // has more than `index` of them.
        let slot = unsafe { self.0.add(index) };
        // SAFETY: `slot` is in that array, which holds initialised pointers.
        let from = unsafe { slot.read() };
        if from.is_null() {
            return;
        }
        // SAFETY: the pointer is to a value of that parameter, whose size is the length of `to`; memory
        // that we hold exclusively does not overlap it.
        unsafe {
            to.as_mut_ptr()
                .copy_from_nonoverlapping(from.cast(), to.len())
        };
    }
}

/// The `extra` array of a module launch: a packed argument buffer and its size. May be null.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedArgs<'a> {
    array: *mut *mut c_void,
    caller: PhantomData<&'a [u8]>,
}

impl<'a> PackedArgs<'a> {
    pub(crate) fn is_null(self) -> bool {
        self.array.is_null()
    }

    /// The buffer: the array is a mark, the buffer, a mark, the address of its size, and the end mark.
    ///
    /// # Errors
    /// `hipErrorInvalidValue` for any other array.
    pub(crate) fn buffer(self) -> HipResult<&'a [u8]> {
        let entry = |index: usize| {
            // SAFETY: the caller's array ends with an end mark, and what was read before this entry was
            // none.
            let slot = unsafe { self.array.add(index) };
            // SAFETY: as above, and its entries are initialised.
            unsafe { slot.read() }
        };
        if self.array.is_null() || entry(0) != HIP_LAUNCH_PARAM_BUFFER_POINTER {
            return Err(HipError::INVALID_VALUE);
        }
        let buffer = entry(1);
        if entry(2) != HIP_LAUNCH_PARAM_BUFFER_SIZE {
            return Err(HipError::INVALID_VALUE);
        }
        let size = checked(entry(3).cast::<usize>())?;
        if entry(4) != HIP_LAUNCH_PARAM_END {
            return Err(HipError::INVALID_VALUE);
        }
        // SAFETY: not null and aligned; the caller promised the size there.
        let size = unsafe { size.read() };
        if size == 0 {
            return Ok(&[]);
        }
        check_extent::<u8>(size)?;
        let buffer = checked(buffer.cast::<u8>())?;
        // SAFETY: not null; the caller promised that many bytes, until the call returns.
        Ok(unsafe { slice::from_raw_parts(buffer.as_ptr(), size) })
    }
}

impl FromAbi<*mut *mut c_void> for PackedArgs<'_> {
    unsafe fn from_abi(raw: *mut *mut c_void) -> HipResult<Self> {
        Ok(PackedArgs {
            array: raw,
            caller: PhantomData,
        })
    }
}

/// Memory of the program or of the device, as an address. May be null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Memory<'a> {
    pub(crate) address: usize,
    caller: PhantomData<&'a ()>,
}

impl<'a> Memory<'a> {
    pub(crate) fn is_null(self) -> bool {
        self.address == 0
    }

    /// Where a result goes whose place stands in a list.
    ///
    /// # Errors
    /// `hipErrorInvalidValue` for null.
    pub(crate) fn of_result(place: *mut c_void) -> HipResult<Memory<'static>> {
        let address = checked(place)?.as_ptr().expose_provenance();
        Ok(Memory {
            address,
            caller: PhantomData,
        })
    }

    /// The memory `offset` bytes behind an address that stands in a structure.
    ///
    /// # Errors
    /// `hipErrorInvalidValue` for null.
    pub(crate) fn of_box(base: *const c_void, offset: usize) -> HipResult<Memory<'static>> {
        let base = checked(base.cast_mut())?.as_ptr().expose_provenance();
        let address = base.checked_add(offset).ok_or(HipError::INVALID_VALUE)?;
        Ok(Memory {
            address,
            caller: PhantomData,
        })
    }

    /// The memory of a pitched pointer, which a call got by value.
    pub(crate) fn of_pitched(pitched: hipPitchedPtr) -> Memory<'static> {
        Memory {
            address: pitched.ptr.expose_provenance(),
            caller: PhantomData,
        }
    }

    /// The bytes from `offset` on. They must be a part of what the reference ties to this pointer.
    pub(crate) fn range(self, offset: usize, len: usize) -> HostRange<'a> {
        // SAFETY: the caller of the C function promised that the memory may be accessed until the call
        // returns; memory of the device is mapped for the host.
        unsafe { HostRange::new(self.address.wrapping_add(offset), len) }
    }
}

/// A variable of loaded code from `offset` on, for a copy. Loaded code is mapped for the host until it is
/// unloaded, which the reference forbids while a call uses it.
pub(crate) fn variable_memory(variable: Variable, offset: usize) -> Memory<'static> {
    Memory {
        address: variable.address + offset,
        caller: PhantomData,
    }
}

/// Memory that was just allocated, which the host reaches until it is freed.
pub(crate) fn managed_memory(address: usize) -> Memory<'static> {
    Memory {
        address,
        caller: PhantomData,
    }
}

impl FromAbi<*mut c_void> for Memory<'_> {
    unsafe fn from_abi(raw: *mut c_void) -> HipResult<Self> {
        Ok(Memory {
            address: raw.expose_provenance(),
            caller: PhantomData,
        })
    }
}

impl FromAbi<*const c_void> for Memory<'_> {
    unsafe fn from_abi(raw: *const c_void) -> HipResult<Self> {
        Ok(Memory {
            address: raw.expose_provenance(),
            caller: PhantomData,
        })
    }
}

/// The policy that an attribute of that kind holds.
pub(crate) fn sync_policy(value: &hipLaunchAttributeValue) -> hipSynchronizationPolicy {
    // SAFETY: the field is at the union's start, which `&T` reads whole, and takes any bytes.
    unsafe { value.syncPolicy }
}

/// A device image, known by its first byte only.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Image {
    address: usize,
}

impl Image {
    /// The image at `address`, which somebody vouches for: the program's own start code, whose images
    /// live until it unregisters them.
    pub(crate) fn at(address: usize) -> Option<Image> {
        (address != 0).then_some(Image { address })
    }
}

impl ImageSource for Image {
    fn bytes(&self) -> hrx_runtime::Result<&[u8]> {
        let length = image_length(&mut |offset, bytes| {
            let offset = usize::try_from(offset).expect("an offset within the address space");
            // SAFETY: whoever gave the address promised an image there, and only bytes that its format
            // promises are asked for.
            let range = unsafe { HostRange::new(self.address.wrapping_add(offset), bytes.len()) };
            range.copy_to_slice(bytes);
            Ok(())
        })?;
        let length = usize::try_from(length).expect("a length within the address space");
        let first = ptr::with_exposed_provenance::<u8>(self.address);
        // SAFETY: not null; the image's own tables say that it has so many bytes, and whoever gave the
        // address promised that they stay as they are while it is used.
        Ok(unsafe { slice::from_raw_parts(first, length) })
    }
}

/// Null is `None`.
impl FromAbi<*const c_void> for Option<Image> {
    unsafe fn from_abi(raw: *const c_void) -> HipResult<Self> {
        Ok(Image::at(raw.expose_provenance()))
    }
}

/// A function of the program with its data, to be called once, on a thread of ours.
pub(crate) struct HostCall {
    function: unsafe extern "C" fn(*mut c_void),
    data: *mut c_void,
}

// SAFETY: the HIP reference says that such a function is called on another thread, so whoever passes
// one has made its data fit for that.
unsafe impl Send for HostCall {}

impl HostCall {
    /// # Errors
    /// `hipErrorInvalidValue` for a null function.
    pub(crate) fn new(function: hipHostFn_t, data: *mut c_void) -> HipResult<HostCall> {
        Ok(HostCall {
            function: function.ok_or(HipError::INVALID_VALUE)?,
            data,
        })
    }

    pub(crate) fn call(self) {
        // SAFETY: the caller of the C function promised that it may be called once with this data.
        unsafe { (self.function)(self.data) }
    }
}

/// A stream callback of the program with its data, to be called once, on a thread of ours.
pub(crate) struct CallbackCall {
    function: unsafe extern "C" fn(hipStream_t, hipError_t, *mut c_void),
    stream: hipStream_t,
    data: *mut c_void,
}

// SAFETY: as for `HostCall`.
unsafe impl Send for CallbackCall {}

impl CallbackCall {
    /// # Errors
    /// `hipErrorInvalidValue` for a null function.
    pub(crate) fn new(
        function: hipStreamCallback_t,
        stream: hipStream_t,
        data: *mut c_void,
    ) -> HipResult<CallbackCall> {
        let function = function.ok_or(HipError::INVALID_VALUE)?;
        Ok(CallbackCall {
            function,
            stream,
            data,
        })
    }

    pub(crate) fn call(self, status: hipError_t) {
        // SAFETY: the caller of the C function promised that it may be called once with these.
        unsafe { (self.function)(self.stream, status, self.data) }
    }
}

/// Which stream a call means. Whether a created one still exists is for its table to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamId {
    /// The default stream that waits for, and holds back, blocking streams.
    Legacy,
    /// The default stream of the calling thread.
    PerThread,
    Created(hipStream_t),
}

impl StreamId {
    /// What stream 0 means in the current call: [`StreamId::PerThread`] in the `_spt` functions.
    pub(crate) fn default_stream() -> StreamId {
        if shim::default_is_per_thread() {
            StreamId::PerThread
        } else {
            StreamId::Legacy
        }
    }
}

impl From<hipStream_t> for StreamId {
    fn from(raw: hipStream_t) -> StreamId {
        if raw.is_null() {
            StreamId::default_stream()
        } else if raw == hipStreamLegacy {
            StreamId::Legacy
        } else if raw == hipStreamPerThread {
            StreamId::PerThread
        } else {
            StreamId::Created(raw)
        }
    }
}

impl FromAbi<hipStream_t> for StreamId {
    unsafe fn from_abi(raw: hipStream_t) -> HipResult<Self> {
        Ok(raw.into())
    }
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;
    use crate::sys::{dim3, hipMemcpy3DParms};

    fn from<C, T: FromAbi<C>>(raw: C) -> HipResult<T> {
        // SAFETY: each test passes what the parameter type asks for, or what is refused before use.
        unsafe { T::from_abi(raw) }
    }

    fn misaligned<T>() -> *mut T {
        ptr::without_provenance_mut(0x1001)
    }

    #[test]
    fn null_and_misaligned_out_pointers_are_invalid_values() {
        let null = from::<_, Out<'_, u32>>(ptr::null_mut()).err();
        assert_eq!(null, Some(HipError::INVALID_VALUE));
        let odd = from::<_, Out<'_, u32>>(misaligned()).err();
        assert_eq!(odd, Some(HipError::INVALID_VALUE));
        let odd = from::<_, Option<Out<'_, u32>>>(misaligned()).err();
        assert_eq!(odd, Some(HipError::INVALID_VALUE));
        let odd = from::<*const hipMemcpy3DParms, &hipMemcpy3DParms>(misaligned()).err();
        assert_eq!(odd, Some(HipError::INVALID_VALUE));
        let null = from::<*const c_char, &CStr>(ptr::null()).err();
        assert_eq!(null, Some(HipError::INVALID_VALUE));
    }

    #[test]
    fn null_is_none_where_it_is_allowed() {
        assert!(
            from::<_, Option<Out<'_, u32>>>(ptr::null_mut())
                .expect("allowed")
                .is_none()
        );
        assert!(
            from::<*const dim3, Option<&dim3>>(ptr::null())
                .expect("allowed")
                .is_none()
        );
        assert!(
            from::<*const c_char, Option<&CStr>>(ptr::null())
                .expect("allowed")
                .is_none()
        );
    }

    #[test]
    fn an_out_pointer_receives_the_value() {
        let mut value = 1_u32;
        from::<_, Out<'_, u32>>(&raw mut value)
            .expect("valid")
            .set(7);
        assert_eq!(value, 7);
    }

    #[test]
    fn arrays_are_checked_when_their_count_is_known() {
        let values = [1_u32, 2, 3];
        let array: InArray<'_, u32> = from(values.as_ptr()).expect("not checked yet");
        assert_eq!(array.slice(3), Ok(&[1, 2, 3][..]));
        assert_eq!(array.slice(usize::MAX / 2), Err(HipError::INVALID_VALUE));
        let nothing: InArray<'_, u32> = from(ptr::null()).expect("not checked yet");
        assert_eq!(nothing.slice(0), Ok(&[][..]));
        assert_eq!(nothing.slice(1), Err(HipError::INVALID_VALUE));
    }

    #[test]
    fn a_text_is_cut_to_its_buffer_and_ends_with_zero() {
        let mut room = [0xff_u8; 8];
        let buffer: OutBuf<'_, u8> = from(room.as_mut_ptr()).expect("not checked yet");
        buffer.write_text(4, "gfx1151").expect("room for three");
        assert_eq!(&room, b"gfx\0\xff\xff\xff\xff");
        let buffer: OutBuf<'_, u8> = from(room.as_mut_ptr()).expect("not checked yet");
        assert_eq!(
            buffer.write_text(0, "gfx1151"),
            Err(HipError::INVALID_VALUE)
        );
    }

    #[test]
    fn the_three_special_streams_are_told_apart() {
        assert_eq!(StreamId::from(hipStream_t(0)), StreamId::Legacy);
        assert_eq!(StreamId::from(hipStream_t(1)), StreamId::Legacy);
        assert_eq!(StreamId::from(hipStream_t(2)), StreamId::PerThread);
        assert_eq!(
            StreamId::from(hipStream_t(3)),
            StreamId::Created(hipStream_t(3))
        );
    }
}
