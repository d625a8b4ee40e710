//! Shared virtual memory: attributes of ranges of host memory.
//!
//! Kept as the client set them. The device reaches such a range once it has access to it.

use std::collections::BTreeMap;

use hrx_abi::kfd::{self, SvmAttribute};
use hrx_gfx::exec::Rights;

use super::topology::GPU_ID;
use crate::Errno;

const PAGE: u64 = 4096;

/// Attributes of one page range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Attributes {
    preferred: u32,
    prefetch: u32,
    flags: u32,
    granularity: u32,
    access: Access,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    None,
    Migrate,
    InPlace,
}

impl Default for Attributes {
    fn default() -> Self {
        Self {
            preferred: kfd::SVM_LOCATION_UNDEFINED,
            prefetch: kfd::SVM_LOCATION_UNDEFINED,
            flags: kfd::SVM_FLAG_HOST_ACCESS,
            granularity: 9,
            access: Access::None,
        }
    }
}

/// Ranges by their first address; they never overlap.
#[derive(Debug, Default)]
pub(crate) struct Ranges {
    by_start: BTreeMap<u64, (u64, Attributes)>,
}

impl Ranges {
    /// Sets attributes of `[start, start + size)`.
    pub(crate) fn set(
        &mut self,
        start: u64,
        size: u64,
        attributes: &[SvmAttribute],
    ) -> Result<(), Errno> {
        let end = checked(start, size)?;
        for attribute in attributes {
            // All are looked at before any is applied, as by the kernel.
            apply(&mut Attributes::default(), *attribute)?;
        }
        self.split(start);
        self.split(end);
        let mut at = start;
        while at < end {
            match self.by_start.range_mut(at..end).next() {
                Some((&first, (last, found))) if first == at => {
                    for attribute in attributes {
                        apply(found, *attribute)?;
                    }
                    at = *last;
                }
                next => {
                    let last = next.map_or(end, |(&first, _)| first);
                    let mut fresh = Attributes::default();
                    for attribute in attributes {
                        apply(&mut fresh, *attribute)?;
                    }
                    self.by_start.insert(at, (last, fresh));
                    at = last;
                }
            }
        }
        Ok(())
    }

    /// Forgets `[start, end)`: the pages are the process's no more. True if there was anything.
    pub(crate) fn remove(&mut self, start: u64, end: u64) -> bool {
        self.split(start);
        self.split(end);
        let gone: Vec<u64> = self.by_start.range(start..end).map(|(&at, _)| at).collect();
        for at in &gone {
            self.by_start.remove(at);
        }
        !gone.is_empty()
    }

    /// Reads attributes: what holds for all of the range; where parts differ, the default.
    pub(crate) fn get(
        &self,
        start: u64,
        size: u64,
        attributes: &mut [SvmAttribute],
    ) -> Result<(), Errno> {
        let end = checked(start, size)?;
        let parts = self.parts(start, end);
        let same = |read: fn(&Attributes) -> u32, default: u32| {
            let mut values = parts.iter().map(read);
            let first = values.next().unwrap_or(default);
            if values.all(|value| value == first) {
                first
            } else {
                default
            }
        };
        let undefined = kfd::SVM_LOCATION_UNDEFINED;
        for attribute in attributes {
            match attribute.kind {
                kfd::SVM_ATTR_PREFERRED_LOC => {
                    attribute.value = same(|part| part.preferred, undefined)
                }
                kfd::SVM_ATTR_PREFETCH_LOC => {
                    attribute.value = same(|part| part.prefetch, undefined)
                }
                kfd::SVM_ATTR_SET_FLAGS => {
                    attribute.value = parts
                        .iter()
                        .fold(u32::MAX, |flags, part| flags & part.flags);
                }
                kfd::SVM_ATTR_CLR_FLAGS => {
                    attribute.value = !parts.iter().fold(0, |flags, part| flags | part.flags);
                }
                kfd::SVM_ATTR_GRANULARITY => {
                    attribute.value = parts.iter().map(|part| part.granularity).min().unwrap_or(9);
                }
                kfd::SVM_ATTR_ACCESS => {
                    let weakest = |access: Access| parts.iter().any(|part| part.access == access);
                    attribute.kind = if weakest(Access::None) {
                        kfd::SVM_ATTR_NO_ACCESS
                    } else if weakest(Access::InPlace) {
                        kfd::SVM_ATTR_ACCESS_IN_PLACE
                    } else {
                        kfd::SVM_ATTR_ACCESS
                    };
                }
                _ => return Err(Errno::INVAL),
            }
        }
        Ok(())
    }

    /// Start, bytes and rights of all that the device may reach.
    pub(crate) fn accessible(&self) -> Vec<(u64, u64, Rights)> {
        let reachable = self
            .by_start
            .iter()
            .filter(|(_, (_, part))| part.access != Access::None);
        reachable
            .map(|(&start, &(last, part))| {
                let mut rights = Rights::READ;
                rights.set(Rights::WRITE, part.flags & kfd::SVM_FLAG_GPU_RO == 0);
                rights.set(Rights::EXECUTE, part.flags & kfd::SVM_FLAG_GPU_EXEC != 0);
                (start, last - start, rights)
            })
            .collect()
    }

    /// Whether all of `[start, start + size)` is mapped for the device for good, as a save area must be.
    pub(crate) fn cover_for_queue(&self, start: u64, size: u64) -> bool {
        let parts = self.parts(start, start + size);
        parts.iter().all(|part| {
            part.access != Access::None && part.flags & kfd::SVM_FLAG_GPU_ALWAYS_MAPPED != 0
        })
    }

    /// Attributes of every part, with the default for parts that were never set.
    fn parts(&self, start: u64, end: u64) -> Vec<Attributes> {
        let mut parts = Vec::new();
        let mut at = start;
        let before = self.by_start.range(..=start).next_back();
        let within = self.by_start.range(start..end);
        for (&first, &(last, attributes)) in before.into_iter().chain(within) {
            if last <= at || first >= end {
                continue;
            }
            if first > at {
                parts.push(Attributes::default());
            }
            parts.push(attributes);
            at = last;
        }
        if at < end {
            parts.push(Attributes::default());
        }
        parts
    }

    /// Makes `at` a border between two ranges.
    fn split(&mut self, at: u64) {
        if let Some((_, (last, attributes))) = self.by_start.range_mut(..at).next_back()
            && *last > at
        {
            let (end, attributes) = (*last, *attributes);
            *last = at;
            self.by_start.insert(at, (end, attributes));
        }
    }
}

fn checked(start: u64, size: u64) -> Result<u64, Errno> {
    if !start.is_multiple_of(PAGE) || !size.is_multiple_of(PAGE) || start == 0 || size == 0 {
        return Err(Errno::INVAL);
    }
    start.checked_add(size).ok_or(Errno::INVAL)
}

fn apply(attributes: &mut Attributes, attribute: SvmAttribute) -> Result<(), Errno> {
    let location = |value| match value {
        0 | GPU_ID | kfd::SVM_LOCATION_UNDEFINED => Ok(value),
        _ => Err(Errno::INVAL),
    };
    let device = |value| {
        if value == GPU_ID {
            Ok(())
        } else {
            Err(Errno::INVAL)
        }
    };
    match attribute.kind {
        kfd::SVM_ATTR_PREFERRED_LOC => attributes.preferred = location(attribute.value)?,
        kfd::SVM_ATTR_PREFETCH_LOC => attributes.prefetch = location(attribute.value)?,
        kfd::SVM_ATTR_ACCESS => {
            device(attribute.value)?;
            attributes.access = Access::Migrate;
        }
        kfd::SVM_ATTR_ACCESS_IN_PLACE => {
            device(attribute.value)?;
            attributes.access = Access::InPlace;
        }
        kfd::SVM_ATTR_NO_ACCESS => {
            device(attribute.value)?;
            attributes.access = Access::None;
        }
        kfd::SVM_ATTR_SET_FLAGS => attributes.flags |= attribute.value,
        kfd::SVM_ATTR_CLR_FLAGS => attributes.flags &= !attribute.value,
        kfd::SVM_ATTR_GRANULARITY => attributes.granularity = attribute.value & 0x3f,
        _ => return Err(Errno::INVAL),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attribute(kind: u32, value: u32) -> SvmAttribute {
        SvmAttribute { kind, value }
    }

    #[test]
    fn a_save_area_must_be_covered_wholly() {
        let mut ranges = Ranges::default();
        let always = [
            attribute(kfd::SVM_ATTR_SET_FLAGS, kfd::SVM_FLAG_GPU_ALWAYS_MAPPED),
            attribute(kfd::SVM_ATTR_ACCESS, GPU_ID),
        ];
        ranges.set(0x10_0000, 0x4000, &always).expect("pages");
        assert!(ranges.cover_for_queue(0x10_0000, 0x4000));
        assert!(ranges.cover_for_queue(0x10_1000, 0x1000));
        assert!(
            !ranges.cover_for_queue(0x10_0000, 0x5000),
            "one page too many"
        );
        let cleared = [attribute(kfd::SVM_ATTR_NO_ACCESS, GPU_ID)];
        ranges.set(0x10_2000, 0x1000, &cleared).expect("pages");
        assert!(!ranges.cover_for_queue(0x10_0000, 0x4000), "a hole");
        assert!(ranges.cover_for_queue(0x10_3000, 0x1000));
    }

    #[test]
    fn what_is_unmapped_is_forgotten_and_nothing_else() {
        let mut ranges = Ranges::default();
        let access = [attribute(kfd::SVM_ATTR_ACCESS, GPU_ID)];
        ranges.set(0x10_0000, 0x4000, &access).expect("pages");
        assert!(ranges.remove(0x10_1000, 0x10_2000));
        let left = ranges.accessible();
        let places: Vec<(u64, u64)> = left.iter().map(|&(at, len, _)| (at, len)).collect();
        assert_eq!(places, [(0x10_0000, 0x1000), (0x10_2000, 0x2000)]);
        assert!(!ranges.remove(0x10_1000, 0x10_2000), "gone already");
        assert!(!ranges.remove(0x20_0000, 0x30_0000), "never there");
    }

    #[test]
    fn what_was_never_set_has_the_defaults_and_bad_ranges_are_refused() {
        let mut ranges = Ranges::default();
        let mut asked = [
            attribute(kfd::SVM_ATTR_PREFERRED_LOC, 0),
            attribute(kfd::SVM_ATTR_SET_FLAGS, 0),
        ];
        ranges.get(0x1000, 0x1000, &mut asked).expect("pages");
        assert_eq!(asked[0].value, kfd::SVM_LOCATION_UNDEFINED);
        assert_eq!(asked[1].value, kfd::SVM_FLAG_HOST_ACCESS);
        assert_eq!(ranges.set(0x1001, 0x1000, &[]), Err(Errno::INVAL));
        assert_eq!(ranges.set(0x1000, 0, &[]), Err(Errno::INVAL));
        assert_eq!(
            ranges.set(0x1000, 0x1000, &[attribute(99, 0)]),
            Err(Errno::INVAL)
        );
        let elsewhere = [attribute(kfd::SVM_ATTR_ACCESS, 7)];
        assert_eq!(ranges.set(0x1000, 0x1000, &elsewhere), Err(Errno::INVAL));
    }
}
