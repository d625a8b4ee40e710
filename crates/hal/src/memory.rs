//! Memory with an owner, and safe access to its bytes.
//!
//! # Thread safety
//! Host and device may write the same bytes at the same time, as in any HIP program; accesses here
//! are raw copies that never make a reference to shared bytes. Who races reads torn data, nothing
//! worse.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::device::{Allocation, Device, MemoryKind};
use crate::error::{HalError, Result};

/// Bytes that the host may read and write: a part of a [`Buffer`], or memory that a caller of the C
/// ABI vouches for.
#[derive(Clone, Copy, Debug)]
pub struct HostRange<'a> {
    address: usize,
    len: usize,
    owner: PhantomData<&'a ()>,
}

impl<'a> HostRange<'a> {
    /// The `len` bytes at `address`.
    ///
    /// # Safety
    /// They are mapped for the host for all of `'a`, and may be written if the range is a
    /// destination.
    #[must_use]
    pub const unsafe fn new(address: usize, len: usize) -> Self {
        Self {
            address,
            len,
            owner: PhantomData,
        }
    }

    /// The bytes of a slice, to copy from.
    #[must_use]
    pub fn of(bytes: &'a [u8]) -> Source<'a> {
        Source(Self {
            address: bytes.as_ptr().expose_provenance(),
            len: bytes.len(),
            owner: PhantomData,
        })
    }

    /// First address.
    #[must_use]
    pub const fn address(&self) -> usize {
        self.address
    }

    /// Bytes.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The `len` bytes from `offset` on, if they lie inside.
    #[must_use]
    pub fn part(&self, offset: usize, len: usize) -> Option<Self> {
        (offset <= self.len && len <= self.len - offset).then(|| Self {
            address: self.address + offset,
            len,
            owner: PhantomData,
        })
    }

    /// The same bytes, to copy from.
    #[must_use]
    pub const fn as_source(&self) -> Source<'a> {
        Source(*self)
    }

    /// Copies `from` over the first bytes; the two may overlap.
    ///
    /// # Panics
    /// When `from` is longer than the range.
    pub fn copy_from(&self, from: Source<'_>) {
        assert!(from.0.len <= self.len, "the caller cuts both to one length");
        let source = std::ptr::with_exposed_provenance::<u8>(from.0.address);
        let target = std::ptr::with_exposed_provenance_mut::<u8>(self.address);
        // SAFETY: both ranges are mapped (`HostRange::new`, or borrowed from a slice or a `Buffer`)
        // and hold at least `from.0.len` bytes (the assert above); `copy` allows overlap.
        unsafe { target.copy_from(source, from.0.len) };
    }

    /// Copies the range into `to`.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn copy_to_slice(&self, to: &mut [u8]) {
        assert_eq!(to.len(), self.len, "the caller cuts both to one length");
        let source = std::ptr::with_exposed_provenance::<u8>(self.address);
        // SAFETY: the range is mapped (`HostRange::new`) and as long as `to`; `copy` allows
        // overlap.
        unsafe { to.as_mut_ptr().copy_from(source, self.len) };
    }

    /// The bytes as a slice.
    ///
    /// # Safety
    /// Nobody else, the device included, reads or writes them while the slice lives.
    pub(crate) unsafe fn as_exclusive_slice(&self) -> &'a mut [u8] {
        let first = std::ptr::with_exposed_provenance_mut::<u8>(self.address);
        // SAFETY: the range is mapped and writable for `'a` (`HostRange::new`); the caller promises
        // exclusive use.
        unsafe { std::slice::from_raw_parts_mut(first, self.len) }
    }

    /// Fills the range with `pattern`, over and over; an incomplete repetition at the end is cut.
    pub fn fill(&self, pattern: &[u8]) {
        if let [byte] = pattern {
            let target = std::ptr::with_exposed_provenance_mut::<u8>(self.address);
            // SAFETY: the range is mapped and writable (`HostRange::new`).
            unsafe { target.write_bytes(*byte, self.len) };
            return;
        }
        if pattern.is_empty() {
            return;
        }
        // A block of whole patterns, so that large fills are large copies.
        let mut block = [0; 4096];
        let whole = block.len() / pattern.len() * pattern.len();
        if whole == 0 {
            for at in (0..self.len).step_by(pattern.len()) {
                self.fill_part(at, pattern);
            }
            return;
        }
        for chunk in block[..whole].chunks_exact_mut(pattern.len()) {
            chunk.copy_from_slice(pattern);
        }
        for at in (0..self.len).step_by(whole) {
            self.fill_part(at, &block[..whole]);
        }
    }

    fn fill_part(&self, at: usize, bytes: &[u8]) {
        let len = bytes.len().min(self.len - at);
        if let Some(part) = self.part(at, len) {
            part.copy_from(HostRange::of(&bytes[..len]));
        }
    }
}

/// Bytes that are only read.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a>(HostRange<'a>);

impl Source<'_> {
    /// Bytes.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.len == 0
    }
}

/// Memory of a device that is freed when its owner lets go of it.
#[derive(Debug)]
pub struct Buffer {
    device: Arc<dyn Device>,
    allocation: Option<Allocation>,
    address: usize,
    size: usize,
    kind: MemoryKind,
}

impl Buffer {
    /// Allocates `size` bytes at a multiple of `alignment`.
    ///
    /// # Errors
    /// As [`Device::allocate`].
    pub fn allocate(
        device: &Arc<dyn Device>,
        size: usize,
        alignment: usize,
        kind: MemoryKind,
    ) -> Result<Self> {
        let allocation = device.allocate(size, alignment, kind)?;
        Ok(Self {
            device: Arc::clone(device),
            address: allocation.address,
            size: allocation.size,
            kind,
            allocation: Some(allocation),
        })
    }

    /// Address on host and device.
    #[must_use]
    pub fn address(&self) -> usize {
        self.address
    }

    /// Bytes, whole pages.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// What it is for.
    #[must_use]
    pub fn kind(&self) -> MemoryKind {
        self.kind
    }

    /// All of its bytes.
    #[must_use]
    pub fn bytes(&self) -> HostRange<'_> {
        // SAFETY: a driver maps every kind of memory for the host, readable and writable, until
        // `free`, which only `drop` and `free` call; the result borrows `self`.
        unsafe { HostRange::new(self.address, self.size) }
    }

    /// A part of its bytes.
    ///
    /// # Errors
    /// `InvalidArgument` when the part does not lie inside.
    pub fn part(&self, offset: usize, len: usize) -> Result<HostRange<'_>> {
        self.bytes()
            .part(offset, len)
            .ok_or(HalError::InvalidArgument {
                what: "end of the part",
                found: (offset as u64).saturating_add(len as u64),
                expected: "at most the size of the buffer",
            })
    }

    /// Writes `bytes` at `offset`.
    ///
    /// # Errors
    /// `InvalidArgument` when they do not fit.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> Result<()> {
        self.part(offset, bytes.len())?
            .copy_from(HostRange::of(bytes));
        Ok(())
    }

    /// Reads the bytes at `offset`.
    ///
    /// # Errors
    /// `InvalidArgument` when there are not so many.
    pub fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<()> {
        self.part(offset, bytes.len())?.copy_to_slice(bytes);
        Ok(())
    }

    /// Frees the memory and says how that went; dropping it only logs.
    ///
    /// # Errors
    /// As [`Device::free`].
    pub fn free(mut self) -> Result<()> {
        match self.allocation.take() {
            Some(allocation) => self.device.free(allocation),
            None => Ok(()),
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Some(allocation) = self.allocation.take()
            && let Err(error) = self.device.free(allocation)
        {
            tracing::warn!(address = self.address, %error, "device memory was not freed");
        }
    }
}
