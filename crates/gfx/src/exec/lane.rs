//! What an operand is to an instruction: a number of some type in one lane or in the scalar file.

use super::simd::Simd;
use super::wave::{LANES, Wave};

/// How an operand reads constants and literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// 32-bit integer or anything; the float constants are f32 patterns.
    B32,
    /// 16-bit float; integers keep their low 16 bits.
    F16,
    /// 16-bit integer, which sees f16 patterns for the float constants.
    B16,
    /// bf16.
    Bf16,
    /// f32.
    F32,
    /// 64 bits; literals are zero-extended.
    B64,
    /// 64-bit signed integer; literals are sign-extended.
    I64,
    /// f64; a literal is its high half.
    F64,
}

impl Kind {
    /// Takes two registers.
    pub(super) const fn is_wide(self) -> bool {
        matches!(self, Kind::B64 | Kind::I64 | Kind::F64)
    }

    /// Takes half a register.
    pub(super) const fn is_half(self) -> bool {
        matches!(self, Kind::F16 | Kind::Bf16 | Kind::B16)
    }

    /// Has a sign to negate and a range to clamp.
    pub(super) const fn is_float(self) -> bool {
        matches!(self, Kind::F16 | Kind::Bf16 | Kind::F32 | Kind::F64)
    }

    /// The 64 bits that a literal dword is to such an operand.
    pub(super) const fn literal(self, dword: u32) -> u64 {
        match self {
            Kind::F64 => (dword as u64) << 32,
            Kind::I64 => (dword.cast_signed() as i64).cast_unsigned(),
            _ => dword as u64,
        }
    }
}

/// A 16-bit float as its bits. Arithmetic goes through f32 or f64, see `float`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct F16(pub u16);

/// A number in a register.
pub(super) trait Lane: Copy {
    const KIND: Kind;

    /// From the register and, for wide types, the one above. Half types take the low 16 bits.
    fn from_parts(low: u32, high: u32) -> Self;

    /// The inverse of `from_parts`.
    fn to_parts(self) -> (u32, u32);
}

impl Lane for u32 {
    const KIND: Kind = Kind::B32;
    #[inline(always)]
    fn from_parts(low: u32, _: u32) -> Self {
        low
    }
    #[inline(always)]
    fn to_parts(self) -> (u32, u32) {
        (self, 0)
    }
}

impl Lane for i32 {
    const KIND: Kind = Kind::B32;
    #[inline(always)]
    fn from_parts(low: u32, _: u32) -> Self {
        low.cast_signed()
    }
    #[inline(always)]
    fn to_parts(self) -> (u32, u32) {
        (self.cast_unsigned(), 0)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "half operands are the low 16 bits"
)]
impl Lane for u16 {
    const KIND: Kind = Kind::B16;
    #[inline(always)]
    fn from_parts(low: u32, _: u32) -> Self {
        low as u16
    }
    #[inline(always)]
    fn to_parts(self) -> (u32, u32) {
        (u32::from(self), 0)
    }
}

impl Lane for i16 {
    const KIND: Kind = Kind::B16;
    #[inline(always)]
    fn from_parts(low: u32, high: u32) -> Self {
        u16::from_parts(low, high).cast_signed()
    }
    #[inline(always)]
    fn to_parts(self) -> (u32, u32) {
        self.cast_unsigned().to_parts()
    }
}

impl Lane for f32 {
    const KIND: Kind = Kind::F32;
    #[inline(always)]
    fn from_parts(low: u32, _: u32) -> Self {
        f32::from_bits(low)
    }
    #[inline(always)]
    fn to_parts(self) -> (u32, u32) {
        (self.to_bits(), 0)
    }
}

impl Lane for F16 {
    const KIND: Kind = Kind::F16;
    #[inline(always)]
    fn from_parts(low: u32, high: u32) -> Self {
        F16(u16::from_parts(low, high))
    }
    #[inline(always)]
    fn to_parts(self) -> (u32, u32) {
        self.0.to_parts()
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "each half goes to its register"
)]
impl Lane for u64 {
    const KIND: Kind = Kind::B64;
    #[inline(always)]
    fn from_parts(low: u32, high: u32) -> Self {
        u64::from(low) | u64::from(high) << 32
    }
    #[inline(always)]
    fn to_parts(self) -> (u32, u32) {
        (self as u32, (self >> 32) as u32)
    }
}

impl Lane for i64 {
    const KIND: Kind = Kind::I64;
    #[inline(always)]
    fn from_parts(low: u32, high: u32) -> Self {
        u64::from_parts(low, high).cast_signed()
    }
    #[inline(always)]
    fn to_parts(self) -> (u32, u32) {
        self.cast_unsigned().to_parts()
    }
}

impl Lane for f64 {
    const KIND: Kind = Kind::F64;
    #[inline(always)]
    fn from_parts(low: u32, high: u32) -> Self {
        f64::from_bits(u64::from_parts(low, high))
    }
    #[inline(always)]
    fn to_parts(self) -> (u32, u32) {
        self.to_bits().to_parts()
    }
}

/// A scalar operand.
#[inline(always)]
pub(super) fn scalar<T: Lane>(wave: &Wave, entry: u16) -> T {
    let high = if T::KIND.is_wide() {
        wave.s(entry.wrapping_add(1))
    } else {
        0
    };
    T::from_parts(wave.s(entry), high)
}

/// Writes a scalar result.
#[inline(always)]
pub(super) fn set_scalar<T: Lane>(wave: &mut Wave, entry: u16, value: T) {
    let (low, high) = value.to_parts();
    wave.set_s(entry, low);
    if T::KIND.is_wide() {
        wave.set_s(entry.wrapping_add(1), high);
    }
}

/// An array with a value for each lane.
///
/// A loop in the function itself: a closure that the compiler does not inline would be compiled for the
/// baseline, whatever level the function is for.
macro_rules! each_lane {
    ($zero:expr, $lane:ident => $value:expr) => {{
        let mut values = [$zero; LANES];
        for $lane in 0..LANES {
            values[$lane] = $value;
        }
        values
    }};
}
pub(super) use each_lane;

/// A vector operand without modifiers.
#[inline(always)]
pub(super) fn vector<T: Lane>(wave: &Wave, row: u16) -> [T; LANES] {
    let low = *wave.row(row);
    let zero = T::from_parts(0, 0);
    if T::KIND.is_wide() {
        let high = *wave.row(row.wrapping_add(1));
        each_lane!(zero, lane => T::from_parts(low[lane], high[lane]))
    } else {
        each_lane!(zero, lane => T::from_parts(low[lane], 0))
    }
}

/// Writes the lanes in `mask`. Half types leave the other half of the register alone; `to_high` picks.
#[inline(always)]
pub(super) fn set_vector<L: Simd, T: Lane>(
    wave: &mut Wave,
    row: u16,
    mask: u32,
    to_high: bool,
    value: &[T; LANES],
) {
    let low = each_lane!(0, lane => value[lane].to_parts().0);
    if T::KIND.is_half() {
        let old = *wave.row(row);
        let merged = if to_high {
            each_lane!(0, lane => (old[lane] & 0xffff) | low[lane] << 16)
        } else {
            each_lane!(0, lane => (old[lane] & 0xffff_0000) | low[lane])
        };
        set_row::<L>(wave, row, mask, &merged);
    } else {
        set_row::<L>(wave, row, mask, &low);
        if T::KIND.is_wide() {
            let high = each_lane!(0, lane => value[lane].to_parts().1);
            set_row::<L>(wave, row.wrapping_add(1), mask, &high);
        }
    }
}

/// Writes the lanes of one row that are in `mask`.
#[inline(always)]
pub(super) fn set_row<L: Simd>(wave: &mut Wave, row: u16, mask: u32, value: &[u32; LANES]) {
    let row = wave.row_mut(row);
    if mask == u32::MAX {
        *row = *value;
    } else {
        L::blend(mask, value, row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_take_the_operand_s_width() {
        assert_eq!(Kind::B32.literal(0x8000_0000), 0x8000_0000);
        assert_eq!(Kind::B64.literal(0x8000_0000), 0x8000_0000);
        assert_eq!(Kind::I64.literal(0x8000_0000), 0xffff_ffff_8000_0000);
        assert_eq!(Kind::F64.literal(0x3ff0_0000), 1f64.to_bits());
    }
}
