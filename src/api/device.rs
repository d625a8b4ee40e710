//! Devices: how many, which, and what they can do.

use crate::{convert::Out, error::HipResult};

/// HIP 7.2, patch level as in AMD's build: major * 10 000 000 + minor * 100 000 + patch.
const VERSION: i32 = 70_253_211;

/// > Returns the approximate HIP Runtime version.
pub(crate) fn runtime_version(mut out: Out<'_, i32>) -> HipResult {
    out.set(VERSION);
    Ok(())
}
