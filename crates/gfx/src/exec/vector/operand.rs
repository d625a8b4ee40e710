//! Operands with modifiers: fetching them, and writing results. The same code for every instruction.

use super::super::lane::{Kind, Lane, each_lane, set_row};
use super::super::op::{Mods, Op};
use super::super::simd::Simd;
use super::super::wave::{LANES, Value, Wave};
use super::dpp;

/// Which lanes an operation writes, and its first source if that comes from other lanes.
pub(super) struct General {
    pub mask: u32,
    dpp: Option<[u32; LANES]>,
}

impl General {
    #[inline(never)]
    pub(super) fn new(wave: &Wave, op: &Op) -> Self {
        let exec = wave.s(op.exec);
        if op.mods.intersects(Mods::DPP16.union(Mods::DPP8)) {
            let (row, mask) = dpp::permute(wave.row(op.a), op.mods, op.imm, exec);
            General {
                mask: exec & mask,
                dpp: Some(row),
            }
        } else {
            General {
                mask: exec,
                dpp: None,
            }
        }
    }

    /// Source `n`, which is at `place`, with its modifiers.
    #[inline(never)]
    pub(super) fn fetch(&self, wave: &Wave, op: &Op, n: u32, place: u16, kind: Kind) -> Value {
        let mods = op.mods;
        let mut value = Value::ZERO;
        if mods.scalar(n) {
            value.low = [wave.s(place); LANES];
            if kind.is_wide() {
                value.high = [wave.s(place.wrapping_add(1)); LANES];
            }
        } else {
            value.low = *wave.row(place);
            if kind.is_wide() {
                value.high = *wave.row(place.wrapping_add(1));
            }
        }
        if n == 0
            && let Some(row) = &self.dpp
        {
            value.low = *row;
        }
        if kind.is_half() && mods.high(n) {
            value.low = value.low.map(|low| low >> 16);
        }
        if kind.is_float() && (mods.neg(n) || mods.abs(n)) {
            let (row, sign) = match kind {
                Kind::F64 => (&mut value.high, 1 << 31),
                Kind::F16 => (&mut value.low, 1 << 15),
                _ => (&mut value.low, 1 << 31),
            };
            let keep = if mods.abs(n) { !sign } else { u32::MAX };
            let flip = if mods.neg(n) { sign } else { 0 };
            *row = row.map(|bits| (bits & keep) ^ flip);
        }
        value
    }

    /// The same as numbers.
    #[inline(always)]
    pub(super) fn source<T: Lane>(&self, wave: &Wave, op: &Op, n: u32, place: u16) -> [T; LANES] {
        numbers(&self.fetch(wave, op, n, place, T::KIND))
    }

    /// Writes the result to the operation's destination.
    #[inline(always)]
    pub(super) fn finish<L: Simd, T: Lane>(&self, wave: &mut Wave, op: &Op, value: &[T; LANES]) {
        write::<L>(wave, op, self.mask, T::KIND, &bits(value));
    }
}

/// Source `n` of a VOP3P operation: the halves that its op_sel bits pick, negated as its neg bits say.
#[inline(never)]
pub(super) fn fetch_packed(wave: &Wave, op: &Op, n: u32, place: u16) -> [u32; LANES] {
    let mods = op.mods;
    let row = if mods.scalar(n) {
        [wave.s(place); LANES]
    } else {
        *wave.row(place)
    };
    let low = if mods.high(n) { 16 } else { 0 };
    let high = if mods.pack_high(n) { 16 } else { 0 };
    let flip = if op.kinds[n as usize].is_float() {
        (if mods.neg(n) { 1 << 15 } else { 0 }) | (if mods.pack_neg(n) { 1 << 31 } else { 0 })
    } else {
        0
    };
    each_lane!(0, lane => {
        (row[lane] >> low & 0xffff | (row[lane] >> high & 0xffff) << 16) ^ flip
    })
}

/// Registers as numbers.
#[inline(always)]
pub(super) fn numbers<T: Lane>(value: &Value) -> [T; LANES] {
    let zero = T::from_parts(0, 0);
    if T::KIND.is_wide() {
        each_lane!(zero, lane => T::from_parts(value.low[lane], value.high[lane]))
    } else {
        each_lane!(zero, lane => T::from_parts(value.low[lane], 0))
    }
}

/// Numbers as registers.
#[inline(always)]
pub(super) fn bits<T: Lane>(value: &[T; LANES]) -> Value {
    let high = if T::KIND.is_wide() {
        each_lane!(0, lane => value[lane].to_parts().1)
    } else {
        [0; LANES]
    };
    Value {
        low: each_lane!(0, lane => value[lane].to_parts().0),
        high,
    }
}

/// Writes a result of type `kind` to the lanes in `mask` of the operation's destination, clamped if that
/// is asked for.
#[inline(always)]
pub(super) fn write<L: Simd>(wave: &mut Wave, op: &Op, mask: u32, kind: Kind, value: &Value) {
    let clamped;
    let value = if op.mods.contains(Mods::CLAMP) && kind.is_float() {
        clamped = clamp(value, kind);
        &clamped
    } else {
        value
    };
    if kind.is_half() {
        let high = op.mods.contains(Mods::HIGH_D);
        let old = *wave.row(op.d);
        let half = each_lane!(0, lane => value.low[lane] & 0xffff);
        let merged = if high {
            each_lane!(0, lane => old[lane] & 0xffff | half[lane] << 16)
        } else {
            each_lane!(0, lane => old[lane] & 0xffff_0000 | half[lane])
        };
        set_row::<L>(wave, op.d, mask, &merged);
    } else {
        set_row::<L>(wave, op.d, mask, &value.low);
        if kind.is_wide() {
            set_row::<L>(wave, op.d.wrapping_add(1), mask, &value.high);
        }
    }
}

/// The output clamp of floats: into 0 to 1, NaN and -0 to 0.
#[inline(never)]
fn clamp(value: &Value, kind: Kind) -> Value {
    match kind {
        Kind::F16 => bits(
            &numbers::<super::super::lane::F16>(value).map(|x| match x.0 {
                0x0000..=0x3c00 => x,
                0x3c01..=0x7c00 => super::super::lane::F16(0x3c00),
                _ => super::super::lane::F16(0),
            }),
        ),
        Kind::F64 => bits(&numbers::<f64>(value).map(|x| {
            // The comparisons are false for NaN, and -0 is not above 0.
            let x = if x > 0.0 { x } else { 0.0 };
            if x < 1.0 { x } else { 1.0 }
        })),
        _ => bits(&numbers::<f32>(value).map(|x| {
            let x = if x > 0.0 { x } else { 0.0 };
            if x < 1.0 { x } else { 1.0 }
        })),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::lane::F16;
    use super::*;

    #[test]
    fn clamp_makes_nan_and_negative_zero_zero() {
        for (value, clamped) in [
            (f32::NAN, 0.0f32),
            (-0.0, 0.0),
            (0.25, 0.25),
            (7.0, 1.0),
            (-1.0, 0.0),
        ] {
            let single = numbers::<f32>(&clamp(&bits(&[value; LANES]), Kind::F32));
            assert_eq!(single[3].to_bits(), clamped.to_bits());
            let wide = [f64::from(value); LANES];
            let double = numbers::<f64>(&clamp(&bits(&wide), Kind::F64));
            assert_eq!(double[3].to_bits(), f64::from(clamped).to_bits());
            let half = [F16(half::f16::from_f32(value).to_bits()); LANES];
            let half = numbers::<F16>(&clamp(&bits(&half), Kind::F16));
            assert_eq!(half[3].0, half::f16::from_f32(clamped).to_bits());
        }
    }
}
