//! The ring of kernel-argument bytes: bookkeeping of what is free. Where the bytes lie is the
//! queue's.

/// Positions in bytes that never wrap; `position % size` is the place. Not thread safe: its owner
/// holds the submission lock.
#[derive(Debug)]
pub(crate) struct KernargRing {
    size: u64,
    /// Start of the oldest bytes in use.
    tail: u64,
    /// End of the newest.
    head: u64,
}

/// Bytes that a submission would take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct KernargPlace {
    /// Place in the ring.
    pub(crate) offset: usize,
    /// `head` once the bytes are taken.
    end: u64,
}

impl KernargRing {
    /// A ring of `size` bytes, a power of two.
    pub(crate) fn new(size: usize) -> Self {
        assert!(size.is_power_of_two(), "a ring of {size} bytes");
        Self {
            size: size as u64,
            tail: 0,
            head: 0,
        }
    }

    /// Most bytes of one launch: with more, an alignment gap at the wrap could keep it from ever
    /// fitting.
    pub(crate) fn limit(&self) -> usize {
        usize::try_from(self.size / 2).expect("the size came from a usize")
    }

    /// Start of the next bytes: all before it belong to earlier submissions.
    pub(crate) fn head(&self) -> u64 {
        self.head
    }

    /// Where `len` contiguous bytes at a multiple of `align` would go; `None` when they are not
    /// free.
    #[inline]
    pub(crate) fn place(&self, len: usize, align: usize) -> Option<KernargPlace> {
        let (len, align) = (len as u64, align as u64);
        let mut start = self.head.next_multiple_of(align);
        let offset = start & (self.size - 1);
        if offset + len > self.size {
            start += self.size - offset;
        }
        let end = start + len;
        if end - self.tail > self.size {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "below the size, which is a usize"
        )]
        let offset = (start & (self.size - 1)) as usize;
        Some(KernargPlace { offset, end })
    }

    /// Takes what `place` found.
    #[inline]
    pub(crate) fn take(&mut self, place: KernargPlace) {
        self.head = place.end;
    }

    /// Frees all bytes before `start`, an earlier `head`.
    pub(crate) fn free_before(&mut self, start: u64) {
        debug_assert!(start <= self.head, "nothing beyond the head was taken");
        self.tail = self.tail.max(start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(ring: &mut KernargRing, len: usize, align: usize) -> Option<usize> {
        let place = ring.place(len, align)?;
        ring.take(place);
        Some(place.offset)
    }

    #[test]
    fn bytes_are_aligned_and_contiguous() {
        let mut ring = KernargRing::new(256);
        assert_eq!(take(&mut ring, 10, 16), Some(0));
        assert_eq!(take(&mut ring, 10, 64), Some(64));
        assert_eq!(take(&mut ring, 100, 16), Some(80));
        // 180..256 is too short for 100 bytes, and 0..10 is still in use.
        assert_eq!(take(&mut ring, 100, 16), None);
    }

    #[test]
    fn what_was_freed_is_used_again_after_the_wrap() {
        let mut ring = KernargRing::new(256);
        assert_eq!(take(&mut ring, 100, 16), Some(0));
        let second = ring.head();
        assert_eq!(take(&mut ring, 100, 16), Some(112));
        assert_eq!(take(&mut ring, 64, 16), None);
        ring.free_before(second);
        assert_eq!(
            take(&mut ring, 64, 16),
            Some(0),
            "wraps, since 212..256 is too short"
        );
        assert_eq!(
            take(&mut ring, 48, 16),
            None,
            "100..112 is the second launch's alignment gap"
        );
    }

    #[test]
    fn the_limit_fits_an_empty_ring_wherever_its_head_is() {
        for before in [0, 1, 100, 128, 129, 255] {
            let mut ring = KernargRing::new(256);
            assert!(take(&mut ring, before, 1).is_some());
            ring.free_before(ring.head());
            let limit = ring.limit();
            assert!(take(&mut ring, limit, 64).is_some(), "after {before} bytes");
        }
    }
}
