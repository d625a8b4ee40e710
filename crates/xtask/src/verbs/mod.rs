//! One file per verb.

pub(crate) mod bench;
pub(crate) mod ci;
pub(crate) mod demo;
pub(crate) mod generate;
pub(crate) mod loom;
pub(crate) mod oracle;
pub(crate) mod setup;
