//! Raw access to guest memory and LDS: the only place that follows guest addresses.
//!
//! A [`Region`] says which bytes are there. From it come, after a check, a [`Place`] (some bytes for one
//! lane) or a [`Span`] (some bytes for each of 32 lanes); these carry the proof, so what is done with
//! them needs no further check.
//!
//! # Safety of the whole
//! A region's `host` points to `len` bytes that stay mapped for as long as `Memory` says (see there).
//! The maker of the region promises that; this module adds that it never leaves those bytes.
//!
//! # Memory ordering
//! Other threads, of the guest's other groups and of the host, access the same bytes. Naturally aligned
//! accesses of 1, 2, 4 and 8 bytes of single lanes are relaxed atomics. Whole-wave copies are plain
//! vector moves: the guest's own data races are its own, and x86-64 keeps such moves whole per aligned
//! dword. Loads are followed by an acquire fence, stores preceded by a release fence; neither costs an
//! instruction on x86-64, both stop the compiler from moving accesses across.
#![expect(
    unsafe_code,
    reason = "guest addresses are host addresses, see the safety section"
)]

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, fence};

use super::Rights;
use super::simd::{Simd, load_pairs, load_quads};
use super::wave::LANES;

/// A range of guest addresses and the host memory behind it.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// First guest address.
    pub base: u64,
    /// Length in bytes.
    pub len: u64,
    /// Where the host reaches the first byte. All `len` bytes are mapped, readable, and writable if
    /// `rights` say so, until the end of the call that the region was asked for in.
    pub host: *mut u8,
    pub rights: Rights,
}

// SAFETY: a region is an address and a length; who follows the address answers for the access, and
// accesses from several threads are what it is for.
unsafe impl Send for Region {}
// SAFETY: as for `Send`; a shared region gives nothing that a copy does not.
unsafe impl Sync for Region {}

/// A guest offset as a host one. Offsets lie within a region, hence within the address space.
#[inline(always)]
fn host_offset(offset: u64) -> usize {
    const { assert!(size_of::<usize>() == size_of::<u64>()) };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "both have 64 bits, asserted above"
    )]
    let offset = offset as usize;
    offset
}

/// As [`host_offset`], of either sign.
#[inline(always)]
fn host_distance(distance: i64) -> isize {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "both have 64 bits, asserted above"
    )]
    let distance = distance as isize;
    distance
}

impl Region {
    /// Offset of `address` if `bytes` bytes from there lie within.
    #[inline(always)]
    fn offset_of(&self, address: u64, bytes: u64) -> Option<u64> {
        let offset = address.wrapping_sub(self.base);
        (offset < self.len && bytes <= self.len - offset).then_some(offset)
    }

    /// Whether `bytes` bytes from `address` lie within.
    #[inline(always)]
    pub(super) fn holds(&self, address: u64, bytes: u64) -> bool {
        self.offset_of(address, bytes).is_some()
    }

    /// The `bytes` bytes at `address`.
    #[inline(always)]
    pub(super) fn place(&self, address: u64, bytes: usize) -> Option<Place<'_>> {
        let offset = self.offset_of(address, bytes as u64)?;
        let host = self.host.wrapping_add(host_offset(offset));
        Some(Place {
            host,
            bytes,
            region: PhantomData,
        })
    }

    /// `bytes` bytes at `base + offsets[lane]` for each lane, if all lie within.
    #[inline(always)]
    pub(super) fn span<'a, L: Simd>(
        &'a self,
        base: u64,
        offsets: &'a [u32; LANES],
        bytes: u32,
    ) -> Option<Span<'a>> {
        // Where offset 0 is in the region; may be outside, below or above.
        let origin = base.wrapping_sub(self.base).cast_signed();
        let last = self.len.cast_signed().checked_sub(i64::from(bytes))?;
        let low = origin.checked_neg()?.max(0);
        let high = last.checked_sub(origin)?.min(i64::from(u32::MAX));
        let reach = u32::try_from(high.checked_sub(low)?).ok()?;
        let low = u32::try_from(low).ok()?;
        if !L::all_within(offsets, low, reach) {
            return None;
        }
        let host = self.host.wrapping_offset(host_distance(origin));
        Some(Span {
            host,
            offsets,
            bytes,
            region: PhantomData,
        })
    }
}

/// Bytes of a region, for one access.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    /// Points to `bytes` bytes of the region.
    host: *mut u8,
    bytes: usize,
    region: PhantomData<&'a Region>,
}

macro_rules! atomic_at {
    ($name:ident, $atomic:ty, $doc:literal) => {
        #[doc = $doc]
        #[inline(always)]
        pub(super) fn $name(&self) -> Option<&$atomic> {
            if self.bytes < size_of::<$atomic>()
                || !self.host.addr().is_multiple_of(size_of::<$atomic>())
            {
                return None;
            }
            // SAFETY: the place holds enough bytes, the alignment was checked, the region stays mapped
            // for the call, and no part of the host makes a plain reference to guest memory.
            Some(unsafe { <$atomic>::from_ptr(self.host.cast()) })
        }
    };
}

impl Place<'_> {
    /// Reads `N` bytes, which the place must have.
    #[inline(always)]
    pub(super) fn load<const N: usize>(&self) -> [u8; N] {
        assert!(N <= self.bytes);
        let value = load_lane::<N>(self.host);
        fence(Ordering::Acquire);
        value
    }

    /// Writes `N` bytes, which the place must have.
    #[inline(always)]
    pub(super) fn store<const N: usize>(&self, value: [u8; N]) {
        assert!(N <= self.bytes);
        fence(Ordering::Release);
        store_lane::<N>(self.host, value);
    }

    atomic_at!(
        atomic_u32,
        AtomicU32,
        "The place as an atomic, if it is aligned for one."
    );
    atomic_at!(
        atomic_u64,
        AtomicU64,
        "The place as an atomic, if it is aligned for one."
    );
}

/// Reads `N` bytes at `host`, as one atomic access if that is possible.
#[inline(always)]
fn load_lane<const N: usize>(host: *mut u8) -> [u8; N] {
    macro_rules! atomic {
        ($atomic:ty) => {
            if host.addr().is_multiple_of(N) {
                // SAFETY: callers pass a pointer to `N` mapped bytes; it is aligned.
                let value = unsafe { <$atomic>::from_ptr(host.cast()) }.load(Ordering::Relaxed);
                let mut bytes = [0; N];
                bytes.copy_from_slice(&value.to_ne_bytes());
                return bytes;
            }
        };
    }
    match N {
        1 => atomic!(AtomicU8),
        2 => atomic!(AtomicU16),
        4 => atomic!(AtomicU32),
        8 => atomic!(AtomicU64),
        _ => {}
    }
    // SAFETY: callers pass a pointer to `N` mapped bytes; bytes need no alignment.
    unsafe { host.cast::<[u8; N]>().read() }
}

/// Writes `N` bytes at `host`, as one atomic access if that is possible.
#[inline(always)]
fn store_lane<const N: usize>(host: *mut u8, value: [u8; N]) {
    macro_rules! atomic {
        ($atomic:ty, $int:ty) => {
            if host.addr().is_multiple_of(N) {
                let mut bytes = [0; size_of::<$int>()];
                bytes.copy_from_slice(&value);
                // SAFETY: callers pass a pointer to `N` mapped bytes; it is aligned.
                let atomic = unsafe { <$atomic>::from_ptr(host.cast()) };
                atomic.store(<$int>::from_ne_bytes(bytes), Ordering::Relaxed);
                return;
            }
        };
    }
    match N {
        1 => atomic!(AtomicU8, u8),
        2 => atomic!(AtomicU16, u16),
        4 => atomic!(AtomicU32, u32),
        8 => atomic!(AtomicU64, u64),
        _ => {}
    }
    // SAFETY: callers pass a pointer to `N` mapped bytes; bytes need no alignment.
    unsafe { host.cast::<[u8; N]>().write(value) }
}

/// The same number of bytes for each of 32 lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span<'a> {
    /// `host + offsets[lane]` points to `bytes` bytes of the region, for every lane.
    host: *mut u8,
    offsets: &'a [u32; LANES],
    bytes: u32,
    region: PhantomData<&'a Region>,
}

impl Span<'_> {
    #[inline(always)]
    fn at(&self, lane: usize) -> *mut u8 {
        self.host
            .wrapping_add(host_offset(u64::from(self.offsets[lane])))
    }

    /// Whether lane after lane lies `bytes` further.
    #[inline(always)]
    fn is_contiguous<L: Simd>(&self) -> bool {
        L::is_ramp(self.offsets, self.offsets[0], self.bytes)
            // A ramp may wrap around.
            && self.offsets[LANES - 1] >= self.offsets[0]
    }

    /// Reads `N` bytes of every lane if lane after lane lies `N` further.
    #[inline(always)]
    pub(super) fn load_block<L: Simd, const N: usize>(&self) -> Option<[[u8; N]; LANES]> {
        assert!(N == self.bytes as usize);
        if !self.is_contiguous::<L>() {
            return None;
        }
        // SAFETY: lane after lane lies `N` further, so the 32 parts, each in the region, are the bytes of
        // one array; bytes need no alignment.
        let block = unsafe { self.at(0).cast::<[[u8; N]; LANES]>().read() };
        fence(Ordering::Acquire);
        Some(block)
    }

    /// Reads `N` bytes of one lane.
    #[inline(always)]
    pub(super) fn load<const N: usize>(&self, lane: usize) -> [u8; N] {
        assert!(N == self.bytes as usize);
        let value = load_lane::<N>(self.at(lane));
        fence(Ordering::Acquire);
        value
    }

    /// Reads two dwords of the four lanes from `lane` on: their first dwords, then their second ones.
    #[inline(always)]
    pub(super) fn load_pairs(&self, lane: usize) -> [[u32; 4]; 2] {
        assert!(self.bytes == 8);
        let from = [0, 1, 2, 3].map(|n| self.at(lane + n).cast_const());
        // SAFETY: every lane has eight bytes in the region.
        let rows = unsafe { load_pairs(from) };
        fence(Ordering::Acquire);
        rows
    }

    /// As [`Self::load_pairs`], four dwords of each lane.
    #[inline(always)]
    pub(super) fn load_quads(&self, lane: usize) -> [[u32; 4]; 4] {
        assert!(self.bytes == 16);
        let from = [0, 1, 2, 3].map(|n| self.at(lane + n).cast_const());
        // SAFETY: every lane has sixteen bytes in the region.
        let rows = unsafe { load_quads(from) };
        fence(Ordering::Acquire);
        rows
    }

    /// Writes `N` bytes of every lane if lane after lane lies `N` further; says whether it did.
    #[inline(always)]
    #[must_use]
    pub(super) fn store_block<L: Simd, const N: usize>(&self, value: &[[u8; N]; LANES]) -> bool {
        assert!(N == self.bytes as usize);
        if !self.is_contiguous::<L>() {
            return false;
        }
        fence(Ordering::Release);
        // SAFETY: lane after lane lies `N` further, so the 32 parts, each in the region, are the bytes of
        // one array; bytes need no alignment.
        unsafe { self.at(0).cast::<[[u8; N]; LANES]>().write(*value) };
        true
    }

    /// Writes `N` bytes of one lane.
    #[inline(always)]
    pub(super) fn store<const N: usize>(&self, lane: usize, value: [u8; N]) {
        assert!(N == self.bytes as usize);
        fence(Ordering::Release);
        store_lane::<N>(self.at(lane), value);
    }
}

/// The local data share of one group.
///
/// One thread runs a group, so its atomics are plain reads and writes.
#[derive(Debug, Default)]
pub(super) struct Lds {
    /// Eight bytes each, for alignment.
    words: Vec<u64>,
    bytes: u64,
}

impl Lds {
    /// Allocation granule in bytes.
    const GRANULE: u32 = 512;

    /// Makes it `bytes` long, rounded up to the granule, all zero.
    pub(super) fn reset(&mut self, bytes: u32) {
        let bytes = bytes.next_multiple_of(Self::GRANULE);
        let words = bytes as usize / size_of::<u64>();
        if self.words.len() < words {
            self.words.resize(words, 0);
        }
        self.words[..words].fill(0);
        self.bytes = u64::from(bytes);
    }

    /// The bytes as a region that begins at 0.
    #[inline(always)]
    pub(super) fn region(&mut self) -> Region {
        Region {
            base: 0,
            len: self.bytes,
            host: self.words.as_mut_ptr().cast(),
            rights: Rights::READ.union(Rights::WRITE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::simd::Baseline;
    use super::*;

    fn lds(bytes: u32) -> Lds {
        let mut lds = Lds::default();
        lds.reset(bytes);
        lds
    }

    #[test]
    fn places_end_with_the_region() {
        let mut lds = lds(512);
        let region = lds.region();
        assert!(region.place(508, 4).is_some());
        assert!(region.place(509, 4).is_none());
        assert!(region.place(512, 0).is_none());
        assert!(region.place(u64::MAX, 4).is_none());
    }

    #[test]
    fn a_span_needs_every_lane_inside() {
        let mut lds = lds(512);
        let region = lds.region();
        let mut offsets: [u32; LANES] =
            std::array::from_fn(|lane| u32::try_from(lane).unwrap() * 16);
        assert!(region.span::<Baseline>(0, &offsets, 16).is_some());
        assert!(region.span::<Baseline>(1, &offsets, 16).is_none());
        assert!(region.span::<Baseline>(u64::MAX, &offsets, 16).is_none());
        offsets[0] = 16;
        assert!(
            region
                .span::<Baseline>(u64::MAX - 7, &offsets, 16)
                .is_some()
        );
        offsets[7] = 497;
        assert!(region.span::<Baseline>(0, &offsets, 16).is_none());
        offsets[7] = u32::MAX;
        assert!(region.span::<Baseline>(0, &offsets, 16).is_none());
    }

    #[test]
    fn a_ramp_that_wraps_around_is_not_contiguous() {
        let mut lds = lds(65536);
        let region = lds.region();
        let offsets: [u32; LANES] =
            std::array::from_fn(|lane| (u32::try_from(lane).unwrap() * 4).wrapping_sub(64));
        // Lane 16 is at offset 0, lane 15 just below 2^32: only a base below the region reaches both.
        assert!(region.span::<Baseline>(0, &offsets, 4).is_none());
    }

    #[test]
    fn atomics_need_alignment() {
        let mut lds = lds(512);
        let region = lds.region();
        assert!(region.place(4, 4).unwrap().atomic_u32().is_some());
        assert!(region.place(6, 4).unwrap().atomic_u32().is_none());
        assert!(region.place(4, 8).unwrap().atomic_u64().is_none());
        assert!(region.place(8, 4).unwrap().atomic_u64().is_none());
    }
}
