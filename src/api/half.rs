//! The two conversions between float and IEEE half that older compilers call by name.

use half::f16;

use crate::error::HipResult;

/// The nearest half, as its bits; ties go to even.
pub(crate) fn from_float(x: f32) -> HipResult<u16> {
    Ok(f16::from_f32(x).to_bits())
}

/// The float of the same value as the half with these bits.
pub(crate) fn to_float(x: u16) -> HipResult<f32> {
    Ok(f16::from_bits(x).to_f32())
}
