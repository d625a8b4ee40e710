//! Arrays, textures, surfaces.

use crate::{
    error::HipResult,
    sys::{hipChannelFormatDesc, hipChannelFormatKind},
};

/// Bits of each channel, and what they hold. Any value is taken as it is; its use is what checks it.
pub(crate) fn channel_format(
    x: i32,
    y: i32,
    z: i32,
    w: i32,
    f: hipChannelFormatKind,
) -> HipResult<hipChannelFormatDesc> {
    Ok(hipChannelFormatDesc { x, y, z, w, f })
}
