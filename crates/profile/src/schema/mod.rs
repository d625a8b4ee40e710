//! The layouts: what lies in the bundle and in its side file, byte for byte.
//!
//! The bundle is upstream's `.ireeprof`, format 1.6, little-endian throughout:
//!
//! ```text
//! file   = FileHeader, record, record, ...
//! record = RecordHeader, extension, content type bytes, name bytes, payload bytes
//! ```
//!
//! Records start at any byte. A chunk's payload is a run of typed records of one kind, each starting
//! with its own length. What upstream has no field for travels in the extension, the header bytes
//! beyond the 104 that upstream reads ([`extension`]).

mod content;
pub mod extension;
mod record;
pub mod side;
mod status;
mod typed;

pub use content::Content;
pub use record::*;
pub use status::Status;
pub use typed::*;

/// "Absent" for 32-bit ordinals and indexes; 64-bit ids use 0.
pub const NONE: u32 = u32::MAX;
