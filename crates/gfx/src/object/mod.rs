//! Code objects: from the bytes that a program registers to kernels that can be launched.
//!
//! A program hands over an *image*: an offload bundle, a compressed one, or a bare ELF file.
//!
//! 1. [`bundle::image_length`] finds how long an image is that came as a bare pointer.
//! 2. [`bundle::select`] takes the ELF file for one chip out of it.
//! 3. [`CodeObject::parse`] checks that file and reads its segments, symbols, relocations and, from
//!    the metadata note, its kernels.
//! 4. [`CodeObject::load_image`] lays it out for the device address it will stand at.
//!
//! Images come from outside, so every length and offset is checked: bad input is an
//! [`ObjectError`], never a panic, and nothing is allocated by a length that an image merely claims.
//!
//! # Thread safety
//! All of this is pure reading. A [`CodeObject`] owns what it holds and may be shared freely.

pub mod bundle;
pub mod descriptor;
pub mod elf;
pub mod note;
pub mod target;
#[cfg(test)]
mod tests;

pub use descriptor::KernelDescriptor;
pub use elf::{AbiVersion, CodeObject, Kernel, Segment, Symbol, SymbolKind};
pub use note::{ArgInfo, KernelInfo, KernelKind, ValueKind};
pub use target::{Feature, TargetId};

/// Fills a buffer with an image's bytes from an offset on, or says why it cannot.
pub type Fetch<'a> = dyn FnMut(u64, &mut [u8]) -> Result<(), ObjectError> + 'a;

/// Why an image cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectError {
    /// The first bytes are those of no format that a HIP image may have.
    #[error(
        "not a device image: it begins with {found:02x?}, expected an offload bundle, a compressed \
         bundle or an ELF file"
    )]
    UnknownFormat {
        /// The first bytes of the image, at most eight.
        found: Vec<u8>,
    },
    /// A structure reaches beyond the end of what holds it.
    #[error("{what} needs bytes {offset}..{end} but only {available} are there")]
    OutOfBounds {
        /// The structure, as a user would name it.
        what: String,
        /// Where it begins.
        offset: u64,
        /// Where it ends; saturated if the sum does not fit.
        end: u64,
        /// Length of the container.
        available: u64,
    },
    /// A length or count is larger than any real image has.
    #[error("{what} is {found}, more than the limit of {limit}")]
    TooLarge {
        /// The quantity.
        what: &'static str,
        /// The value found.
        found: u64,
        /// The largest accepted value.
        limit: u64,
    },
    /// A bundle has no entry for the device.
    #[error("no code for {wanted}; the bundle holds {}", list(.held))]
    NoCodeForTarget {
        /// The device's target id.
        wanted: String,
        /// The ids of all entries that hold device code, in file order.
        held: Vec<String>,
    },
    /// A compressed bundle's version or method is unknown.
    #[error("compressed bundle has {what} {found}, expected {expected}")]
    UnsupportedCompression {
        /// `version` or `method`.
        what: &'static str,
        /// The value found.
        found: u16,
        /// The accepted values.
        expected: &'static str,
    },
    /// A compressed bundle does not inflate.
    #[error("compressed bundle does not decompress with {method}: {reason}")]
    Decompression {
        /// The method named in the header.
        method: &'static str,
        /// What the decompressor said.
        reason: String,
    },
    /// The ELF file is not a code object that can be loaded.
    #[error("{field} of the code object is {found}, expected {expected}")]
    BadHeader {
        /// The field, by its ELF name.
        field: &'static str,
        /// The value found, spelled out.
        found: String,
        /// What would have been accepted.
        expected: String,
    },
    /// The code object is for another chip.
    #[error("the code object is for {found}, the device is {wanted}")]
    WrongTarget {
        /// What the code object says.
        found: String,
        /// The device's target id.
        wanted: String,
    },
    /// The ELF structure contradicts itself.
    #[error("malformed code object: {0}")]
    MalformedElf(String),
    /// The metadata is absent, no MessagePack, or lacks what is required.
    #[error("malformed metadata: {0}")]
    MalformedMetadata(String),
    /// A kernel's descriptor cannot be used.
    #[error("kernel `{kernel}`: {reason}")]
    BadKernel {
        /// The kernel's name.
        kernel: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Two exported symbols have one name.
    #[error("symbol `{0}` is defined twice")]
    DuplicateSymbol(String),
    /// A relocation that a finished code object must not have.
    #[error("relocation type {kind} at {offset:#x} is not supported in a finished code object")]
    UnsupportedRelocation {
        /// ELF relocation number.
        kind: u32,
        /// Address of the place to change.
        offset: u64,
    },
    /// A relocation names a variable that nobody has defined.
    #[error("variable `{0}` is not defined")]
    UndefinedVariable(String),
    /// The memory to load into has another size than the code object needs.
    #[error("the code object needs {needed} bytes, the destination has {available}")]
    WrongDestination {
        /// [`CodeObject::load_size`].
        needed: u64,
        /// Length of the destination.
        available: u64,
    },
}

/// `a, b, c`, or `nothing`.
fn list(names: &[String]) -> String {
    match names {
        [] => "nothing".to_owned(),
        _ => names.join(", "),
    }
}

/// `bytes[offset..offset + length]`, or an error that names `what`.
fn slice(
    bytes: &[u8],
    what: impl FnOnce() -> String,
    offset: u64,
    length: u64,
) -> Result<&[u8], ObjectError> {
    let range = usize::try_from(offset)
        .ok()
        .zip(usize::try_from(length).ok());
    range
        .and_then(|(offset, length)| bytes.get(offset..offset.checked_add(length)?))
        .ok_or_else(|| ObjectError::OutOfBounds {
            what: what(),
            offset,
            end: offset.saturating_add(length),
            available: bytes.len() as u64,
        })
}
