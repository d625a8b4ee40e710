//! The coverage report: what of the table has a body.

use std::ffi::c_char;

use crate::{error::HipResult, table::for_each_hip_api};

macro_rules! state {
    (unsupported ($why:literal)) => {
        concat!("unsupported\t", $why)
    };
    ($($body:ident)::+) => {
        "implemented\t"
    };
}

macro_rules! report {
    (
        status { $(in $snode:literal fn $sname:ident ($($sargs:tt)*) => $($sbody:ident)::+ $(($swhy:literal))? [$($sflag:ident)+];)* }
        value { $(in $vnode:literal fn $vname:ident ($($vargs:tt)*) -> $vret:ty => $($vbody:ident)::+ $(($vwhy:literal))? else $velse:expr;)* }
    ) => {
        const REPORT: &str = concat!(
            $(stringify!($sname), "\t", $snode, "\t", state!($($sbody)::+ $(($swhy))?), "\n",)*
            $(stringify!($vname), "\t", $vnode, "\t", state!($($vbody)::+ $(($vwhy))?), "\n",)*
            "\0"
        );
    };
}
for_each_hip_api!(report);

/// One line per export: symbol, version node, `implemented` or `unsupported`, and the reason of a gap,
/// with tabs between them. The text is static and ends with a zero byte.
pub(crate) fn report() -> HipResult<*const c_char> {
    Ok(REPORT.as_ptr().cast())
}
