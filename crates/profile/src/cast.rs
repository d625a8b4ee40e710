//! Integer conversions that cannot lose anything on the targets we build for, each named once.

const _: () = assert!(
    usize::BITS == 64,
    "file offsets and lengths are used as indexes"
);

/// A file length or position as an index.
#[expect(
    clippy::cast_possible_truncation,
    reason = "usize has 64 bits, asserted above"
)]
pub(crate) const fn to_usize(value: u64) -> usize {
    value as usize
}

/// A count as a 32-bit field; a count that does not fit is written as the largest one.
#[expect(clippy::cast_possible_truncation, reason = "the branch bounds it")]
pub(crate) const fn to_u32(value: usize) -> u32 {
    if value > u32::MAX as usize {
        u32::MAX
    } else {
        value as u32
    }
}

/// The low half of a word, where two 32-bit fields share one.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the high half is another field"
)]
pub(crate) const fn low_half(value: u64) -> u32 {
    value as u32
}
