//! What the device sees: ranges of device addresses, host bytes behind them, rights.
//!
//! A range that lies in the client's own memory is probed, because the client can take such memory away
//! with nobody telling the device: once after each [`DeviceMemory::refresh`], when it is used next. So a
//! stale pointer is a fault with its address. The probe asks the system and installs no signal handler.

#![expect(
    unsafe_code,
    reason = "guest memory is reached by address; see the parent's head"
)]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use hrx_gfx::exec::{AccessError, Region, Rights};
use parking_lot::{RwLock, RwLockReadGuard};

use super::object::MappedObject;
use super::{DeviceMemory, PAGE};
use crate::Errno;
use crate::kernel::user;

/// Instead of an object's handle: the range is reached through shared virtual memory.
const SHARED: u64 = 0;

/// What the device sees from an address on.
#[derive(Debug)]
pub(super) struct Range {
    len: u64,
    /// Host address of the first byte.
    host: usize,
    rights: Rights,
    /// The object, or [`SHARED`].
    handle: u64,
    /// The bytes are the client's own memory, of unknown fate.
    client: bool,
    /// Value of [`View::looks`] at which the client's memory was last seen to be there.
    seen: AtomicU64,
}

impl Range {
    pub(super) fn new(len: u64, host: usize, rights: Rights, handle: u64, client: bool) -> Self {
        Self {
            len,
            host,
            rights,
            handle,
            client,
            seen: AtomicU64::new(0),
        }
    }

    /// Whether the bytes are there, as far as has been looked since the last refresh.
    fn is_present(&self, looks: &AtomicU64) -> bool {
        if !self.client {
            return true;
        }
        // Relaxed: whoever refreshes does so on the thread that then uses the memory.
        let look = looks.load(Ordering::Relaxed);
        if self.seen.load(Ordering::Relaxed) == look {
            return true;
        }
        let present = user::is_mapped(self.host, self.len);
        if present {
            self.seen.store(look, Ordering::Relaxed);
        }
        present
    }
}

/// The ranges, and what keeps readers of them apart from their end.
#[derive(Debug)]
pub(super) struct View {
    ranges: RwLock<BTreeMap<u64, Range>>,
    /// Ranges in the client's memory.
    client_ranges: AtomicUsize,
    /// Moves when a range went away or is to be looked at again.
    epoch: AtomicU64,
    /// Moves when the client's memory is to be looked at again.
    looks: AtomicU64,
    /// Read while the device is at work; written, for a moment, when a range ends.
    runs: RwLock<()>,
}

impl Default for View {
    fn default() -> Self {
        Self {
            ranges: RwLock::default(),
            client_ranges: AtomicUsize::new(0),
            epoch: AtomicU64::new(1),
            looks: AtomicU64::new(1),
            runs: RwLock::new(()),
        }
    }
}

impl View {
    /// Adds a range. Refused where another one lies.
    pub(super) fn insert(&self, base: u64, range: Range) -> Result<(), Errno> {
        let mut ranges = self.ranges.write();
        if overlaps(&ranges, base, range.len) {
            return Err(Errno::INVAL);
        }
        ranges.insert(base, range);
        self.count(&ranges);
        Ok(())
    }

    /// Takes a range away, and returns when nothing of the device uses it any more.
    pub(super) fn remove(&self, base: u64) {
        let mut ranges = self.ranges.write();
        ranges.remove(&base);
        self.count(&ranges);
        drop(ranges);
        self.settle();
    }

    /// Takes all ranges away, as [`View::remove`].
    pub(super) fn clear(&self) {
        let mut ranges = self.ranges.write();
        ranges.clear();
        self.count(&ranges);
        drop(ranges);
        self.settle();
    }

    fn count(&self, ranges: &BTreeMap<u64, Range>) {
        let count = ranges.values().filter(|range| range.client).count();
        self.client_ranges.store(count, Ordering::Relaxed);
    }

    /// Lets who cached ranges drop them, and waits for who uses them now.
    fn settle(&self) {
        // Release: a wave that sees the new epoch asks again, and no longer finds the range.
        self.epoch.fetch_add(1, Ordering::AcqRel);
        drop(self.runs.write());
    }

    /// Whether a shared range lies anywhere in `[base, base + len)`.
    pub(super) fn is_shared(&self, base: u64, len: u64) -> bool {
        self.ranges
            .read()
            .overlapping(base, len)
            .any(|range| range.handle == SHARED)
    }
}

impl DeviceMemory {
    /// Held while the device is at work: no range ends meanwhile. Not to be taken twice by one thread.
    pub(crate) fn enter(&self) -> RwLockReadGuard<'_, ()> {
        self.view.runs.read()
    }

    /// Has the client's own memory looked at again when it is used next. Costs nothing where the device
    /// sees none.
    pub(crate) fn refresh(&self) {
        if self.view.client_ranges.load(Ordering::Relaxed) > 0 {
            self.view.looks.fetch_add(1, Ordering::Relaxed);
            self.view.epoch.fetch_add(1, Ordering::AcqRel);
        }
    }

    pub(crate) fn epoch(&self) -> u64 {
        // Acquire: pairs with `settle`.
        self.view.epoch.load(Ordering::Acquire)
    }

    /// The range that holds `address`.
    pub(crate) fn region(&self, address: u64) -> Option<Region> {
        let ranges = self.view.ranges.read();
        let (&base, range) = ranges.range(..=address).next_back()?;
        if address - base >= range.len {
            return None;
        }
        let mut region = Region {
            base,
            len: range.len,
            host: std::ptr::with_exposed_provenance_mut(range.host),
            rights: range.rights,
        };
        if !range.is_present(&self.view.looks) {
            // The process took a part away; this page may not be of it.
            let page = (address - base) & !(PAGE - 1);
            let offset = usize::try_from(page).ok()?;
            if !user::is_mapped(range.host + offset, PAGE) {
                return None;
            }
            region.base += page;
            region.len = PAGE.min(range.len - page);
            region.host = region.host.wrapping_add(offset);
        }
        Some(region)
    }

    /// Makes the ranges that the device reaches through shared virtual memory exactly these: start, bytes
    /// and rights.
    ///
    /// # Errors
    /// `EADDRINUSE` where one lies over an object's mapping; the others are set.
    pub(crate) fn set_shared(&self, shared: &[(u64, u64, Rights)]) -> Result<(), Errno> {
        let mut ranges = self.view.ranges.write();
        ranges.retain(|_, range| range.handle != SHARED);
        let mut result = Ok(());
        for &(start, len, rights) in shared {
            match usize::try_from(start) {
                Ok(host) if !overlaps(&ranges, start, len) => {
                    ranges.insert(start, Range::new(len, host, rights, SHARED, true));
                }
                _ => result = Err(Errno::ADDRINUSE),
            }
        }
        self.view.count(&ranges);
        drop(ranges);
        self.view.settle();
        result
    }

    /// Whether a shared range lies anywhere in `[base, base + len)`.
    pub(crate) fn is_shared(&self, base: u64, len: u64) -> bool {
        self.view.is_shared(base, len)
    }

    /// Whether an object is mapped anywhere in `[base, base + len)`.
    pub(crate) fn is_object(&self, base: u64, len: u64) -> bool {
        self.view
            .ranges
            .read()
            .overlapping(base, len)
            .any(|range| range.handle != SHARED)
    }

    /// The mapped object that holds `address`.
    pub(crate) fn object_at(&self, address: u64) -> Option<MappedObject> {
        let ranges = self.view.ranges.read();
        let (&base, range) = ranges.range(..=address).next_back()?;
        let found = range.handle != SHARED && address - base < range.len;
        found.then_some(MappedObject {
            handle: range.handle,
            base,
            len: range.len,
        })
    }

    /// Host address of `len` device bytes that one range holds.
    fn translate(&self, address: u64, len: u64, need: Rights) -> Result<*mut u8, AccessError> {
        let region = self.region(address).ok_or(AccessError::NotPresent)?;
        let at = address - region.base;
        if len > region.len - at {
            return Err(AccessError::NotPresent);
        }
        if !region.rights.contains(need) {
            return Err(AccessError::ReadOnly);
        }
        let at = usize::try_from(at).map_err(|_| AccessError::NotPresent)?;
        Ok(region.host.wrapping_add(at))
    }

    /// A 64-bit word of device memory; `None` if it is misaligned, unmapped or not writable.
    pub(crate) fn word64(&self, address: u64) -> Option<&AtomicU64> {
        if !address.is_multiple_of(8) {
            return None;
        }
        let host = self.translate(address, 8, Rights::WRITE).ok()?;
        // SAFETY: 8 mapped bytes, aligned (pages are, and `address` is); the memory is shared between
        // agents and only touched by atomics or device copies; it outlives the borrow by the promises in
        // the parent's head.
        Some(unsafe { AtomicU64::from_ptr(host.cast()) })
    }

    /// A 32-bit word of device memory; `None` as for [`DeviceMemory::word64`].
    pub(crate) fn word32(&self, address: u64) -> Option<&AtomicU32> {
        if !address.is_multiple_of(4) {
            return None;
        }
        let host = self.translate(address, 4, Rights::WRITE).ok()?;
        // SAFETY: as in `word64`, with four bytes.
        Some(unsafe { AtomicU32::from_ptr(host.cast()) })
    }

    /// Reads device memory as `N` 32-bit words.
    pub(crate) fn read_words<const N: usize>(&self, address: u64) -> Option<[u32; N]> {
        if !address.is_multiple_of(4) {
            return None;
        }
        let host = self.translate(address, 4 * N as u64, Rights::READ).ok()?;
        let mut words = [0; N];
        for (index, word) in words.iter_mut().enumerate() {
            let place = host.cast::<u32>().wrapping_add(index);
            // SAFETY: one of the `N` mapped, aligned words.
            let source = unsafe { AtomicU32::from_ptr(place) };
            *word = source.load(Ordering::Relaxed);
        }
        Some(words)
    }
}

impl DeviceMemory {
    /// Host address of device memory, and how many bytes from there on one range holds.
    fn span(&self, address: u64, need: Rights) -> Result<(*mut u8, u64), (u64, AccessError)> {
        let region = self
            .region(address)
            .ok_or((address, AccessError::NotPresent))?;
        let host = self
            .translate(address, 1, need)
            .map_err(|why| (address, why))?;
        Ok((host, region.len - (address - region.base)))
    }

    /// Copies within device memory, as by the copy engine.
    ///
    /// # Errors
    /// The first address that the device may not use, and why; what lies before it has been copied.
    pub(crate) fn copy(
        &self,
        mut target: u64,
        mut source: u64,
        mut bytes: u64,
    ) -> Result<(), (u64, AccessError)> {
        while bytes > 0 {
            let (from, from_left) = self.span(source, Rights::READ)?;
            let (to, to_left) = self.span(target, Rights::WRITE)?;
            let part = bytes.min(from_left).min(to_left);
            let len = usize::try_from(part).map_err(|_| (source, AccessError::NotPresent))?;
            // SAFETY: both spans hold `len` bytes, which stay mapped while the device is at work (see the
            // parent's head); they may overlap.
            unsafe { std::ptr::copy(from, to, len) };
            target = target.wrapping_add(part);
            source = source.wrapping_add(part);
            bytes -= part;
        }
        Ok(())
    }

    /// Fills device memory with the bytes of `value`, over and over.
    ///
    /// # Errors
    /// As [`DeviceMemory::copy`].
    pub(crate) fn fill(
        &self,
        address: u64,
        value: u32,
        bytes: u64,
    ) -> Result<(), (u64, AccessError)> {
        let mut done = 0;
        while done < bytes {
            let place = address.wrapping_add(done);
            let (to, left) = self.span(place, Rights::WRITE)?;
            let part = (bytes - done).min(left);
            let len = usize::try_from(part).map_err(|_| (place, AccessError::NotPresent))?;
            // A range may end within the value; the next one then begins within it.
            let value = value.rotate_right(8 * u32::from(done.to_le_bytes()[0] & 3));
            let pattern = value.to_le_bytes();
            for at in (0..len & !3).step_by(4) {
                // SAFETY: four bytes of the span, which stays mapped while the device is at work.
                unsafe { to.wrapping_add(at).cast::<[u8; 4]>().write(pattern) };
            }
            for at in len & !3..len {
                // SAFETY: a byte of the span, as above.
                unsafe { to.wrapping_add(at).write(pattern[at & 3]) };
            }
            done += part;
        }
        Ok(())
    }
}

/// Look-ups by range in a map of ranges that never overlap.
trait Overlapping {
    /// Ranges that share a byte with `[base, base + len)`; an end behind the last address shares none.
    fn overlapping(&self, base: u64, len: u64) -> impl Iterator<Item = &Range>;
}

impl Overlapping for BTreeMap<u64, Range> {
    fn overlapping(&self, base: u64, len: u64) -> impl Iterator<Item = &Range> {
        let end = base.saturating_add(len);
        let below = self.range(..end).rev();
        below
            .take_while(move |(at, range)| *at + range.len > base)
            .map(|(_, range)| range)
    }
}

fn overlaps(ranges: &BTreeMap<u64, Range>, base: u64, len: u64) -> bool {
    ranges.overlapping(base, len).next().is_some()
}

const _: () = assert!(PAGE.is_multiple_of(size_of::<u64>() as u64));
