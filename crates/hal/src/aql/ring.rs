//! The AQL ring: how a packet reaches the device.
//!
//! 1. A submitter owns the slots from its reservation on; it holds the queue's submission lock.
//! 2. `fill` writes all of a packet but its first four bytes.
//! 3. `commit` stores those with release. From here on the packet is the device's.
//! 4. The doorbell wakes the processor, once a submission. Only a hint: step 3 alone hands over.
//!
//! # Memory ordering
//! The store of step 3 pairs with the processor's acquire load of the same bytes; what was written
//! before it, kernel arguments included, is visible to who sees a valid header. The processor's
//! release store of the read index pairs with the submitter's acquire load of it: the slot is free
//! then.

use std::sync::atomic::Ordering::{self, Relaxed, Release};

use super::packet::PacketWords;
use crate::sync::{AtomicU32, AtomicU64};

/// A slot of the ring. Words are atomics, since host and device share them.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct PacketSlot {
    header: AtomicU32,
    first: AtomicU32,
    words: [AtomicU64; 7],
}

/// A packet's first four bytes: header and setup.
#[derive(Clone, Copy, Debug)]
#[must_use = "a filled packet is the device's only when its header is committed"]
pub(crate) struct Header(u32);

impl PacketSlot {
    /// Writes all but the first four bytes, which it returns.
    #[inline]
    pub(crate) fn fill(&self, packet: &PacketWords) -> Header {
        let [header, first]: [u32; 2] = bytemuck::cast(packet[0]);
        self.first.store(first, Relaxed);
        for (to, from) in self.words.iter().zip(&packet[1..]) {
            to.store(*from, Relaxed);
        }
        Header(header)
    }

    /// Hands a filled packet over to the device.
    #[inline]
    pub(crate) fn commit(&self, header: Header) {
        self.commit_with(header, Release);
    }

    #[inline]
    fn commit_with(&self, header: Header, order: Ordering) {
        self.header.store(header.0, order);
    }

    /// Whether the slot holds no packet.
    #[cfg(not(loom))]
    pub(crate) fn is_invalid(&self) -> bool {
        use hrx_abi::aql::{PacketType, packet_type};
        let [header, _setup]: [u16; 2] = bytemuck::cast(self.header.load(Relaxed));
        packet_type(header) == PacketType::INVALID
    }
}

#[cfg(not(loom))]
pub(crate) use real::PacketRing;

#[cfg(not(loom))]
mod real {
    use std::ptr::NonNull;

    use super::PacketSlot;
    use crate::device::QueueMemory;

    const _: () = assert!(size_of::<PacketSlot>() == hrx_abi::aql::PACKET_BYTES);

    /// The slots of a hardware queue.
    #[derive(Debug)]
    pub(crate) struct PacketRing {
        first: NonNull<PacketSlot>,
        capacity: u32,
    }

    // SAFETY: the slots are atomics in memory that the driver keeps mapped until `destroy_queue`;
    // the queue that owns this ring drops it first.
    unsafe impl Send for PacketRing {}
    // SAFETY: as above.
    unsafe impl Sync for PacketRing {}

    impl PacketRing {
        /// The ring of `queue`, which outlives the result.
        pub(crate) fn new(queue: &QueueMemory) -> Self {
            assert!(
                queue.capacity.is_power_of_two(),
                "drivers make such rings only"
            );
            Self {
                first: queue.ring.cast(),
                capacity: queue.capacity,
            }
        }

        /// Packets that fit.
        #[inline]
        pub(crate) fn capacity(&self) -> u64 {
            u64::from(self.capacity)
        }

        /// The slot of packet `position`.
        #[inline]
        pub(crate) fn slot(&self, position: u64) -> &PacketSlot {
            let mask = u64::from(self.capacity - 1);
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the mask has at most 32 bits"
            )]
            let index = (position & mask) as usize;
            // SAFETY: `index` is below `capacity`, and the ring has so many slots.
            let slot = unsafe { self.first.add(index) };
            // SAFETY: the slot lies in the ring, which the driver aligned to pages and keeps mapped
            // longer than this value; all of it is atomics.
            unsafe { slot.as_ref() }
        }
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use loom::sync::Arc;
    use loom::thread;

    use super::*;

    /// A submitter publishes one packet, the device looks once.
    fn check(order: Ordering) {
        loom::model(move || {
            let slot = Arc::new(PacketSlot {
                header: AtomicU32::new(1),
                first: AtomicU32::new(0),
                words: std::array::from_fn(|_| AtomicU64::new(0)),
            });
            let device = {
                let slot = Arc::clone(&slot);
                thread::spawn(move || {
                    if slot.header.load(Ordering::Acquire) == 2 {
                        let torn = slot.first.load(Relaxed) != 3
                            || slot.words[4].load(Relaxed) != 5
                            || slot.words[6].load(Relaxed) != 7;
                        assert!(!torn, "the device saw a torn packet");
                    }
                })
            };
            let header = slot.fill(&[2 | 3 << 32, 1, 2, 3, 4, 5, 6, 7]);
            slot.commit_with(header, order);
            device.join().expect("the device's thread ends");
        });
    }

    #[test]
    fn header_publishes_the_packet() {
        check(Release);
    }

    #[test]
    #[should_panic(expected = "torn packet")]
    fn a_relaxed_header_shows_a_torn_packet() {
        check(Relaxed);
    }
}
