//! Offload bundles: several chips' code in one image.
//!
//! # Layout
//! Plain: the 24-byte magic, a u64 count, then per entry u64 offset (from the bundle's start), u64
//! size, u64 length of its id, and the id. The bundle's own length is stored nowhere: it ends with
//! its last entry. Several bundles may follow one another in a section; only the first is read.
//!
//! Compressed: `CCOB`, u16 version, u16 method, sizes (see [`CompressedHeader`]), an 8-byte hash, and
//! a zlib or zstd stream that inflates to a plain bundle. The hash is not verified: zstd and zlib
//! frames carry checksums of their own, and the inflated length is compared with the header's.
//!
//! An id is `kind-triple-target`: `hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+`. The kinds of HIP are
//! `hipv4`, and the older `hip` and `hcc`, whose id may lack features that the ELF file states.

use std::borrow::Cow;
use std::io::Read;

use super::elf;
use super::target::{Suits, TargetId};
use super::{Fetch, ObjectError, slice};

const PLAIN_MAGIC: &[u8; 24] = b"__CLANG_OFFLOAD_BUNDLE__";
const COMPRESSED_MAGIC: &[u8; 4] = b"CCOB";
const ELF_MAGIC: &[u8; 4] = b"\x7fELF";

/// More entries than there are chips: such a count is garbage.
const MOST_ENTRIES: u64 = 4096;
/// Longer than any id.
const LONGEST_ID_BYTES: u64 = 4096;
/// The largest library seen inflates to less than a tenth of this.
const LARGEST_BUNDLE_BYTES: u64 = 4 << 30;

/// What an image is, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageKind {
    /// A plain offload bundle.
    Bundle,
    /// A compressed offload bundle.
    CompressedBundle,
    /// A bare ELF file.
    Elf,
}

impl ImageKind {
    /// Looks at the first bytes of an image.
    pub fn of(image: &[u8]) -> Result<Self, ObjectError> {
        if image.starts_with(PLAIN_MAGIC) {
            Ok(Self::Bundle)
        } else if image.starts_with(COMPRESSED_MAGIC) {
            Ok(Self::CompressedBundle)
        } else if image.starts_with(ELF_MAGIC) {
            Ok(Self::Elf)
        } else {
            let shown = image.len().min(8);
            Err(ObjectError::UnknownFormat {
                found: image[..shown].to_vec(),
            })
        }
    }
}

/// One entry of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The whole id: kind, triple and target.
    pub id: String,
    /// The chip, where the id names one that HIP code can be for.
    pub target: Option<TargetId>,
    /// Where its code begins, from the bundle's start.
    pub offset: u64,
    /// Length of its code in bytes.
    pub size_bytes: u64,
}

impl Entry {
    /// Whether the entry is for the host compiler and holds no device code.
    pub fn is_host(&self) -> bool {
        self.id.starts_with("host-")
    }

    /// The target as a user would name it; the whole id if it names none.
    fn display_target(&self) -> String {
        self.target
            .as_ref()
            .map_or_else(|| self.id.clone(), ToString::to_string)
    }
}

/// Takes the code object for `device` out of an image: the entry of a bundle that is for this very
/// processor, else one for its generic family; the first of equals. A bare ELF file is returned as
/// it is; whether it suits the device is for [`super::CodeObject::parse`] to say.
///
/// The slice may be longer than the image.
pub fn select<'a>(image: &'a [u8], device: &TargetId) -> Result<Cow<'a, [u8]>, ObjectError> {
    match ImageKind::of(image)? {
        ImageKind::Elf => Ok(Cow::Borrowed(image)),
        ImageKind::Bundle => select_plain(image, device).map(Cow::Borrowed),
        ImageKind::CompressedBundle => {
            let plain = decompress(image)?;
            select_plain(&plain, device).map(|code| Cow::Owned(code.to_vec()))
        }
    }
}

/// The targets that an image has code for, in file order.
pub fn held_targets(image: &[u8]) -> Result<Vec<String>, ObjectError> {
    let of_bundle = |bundle: &[u8]| -> Result<Vec<String>, ObjectError> {
        let entries = entries(bundle)?;
        Ok(entries
            .iter()
            .filter(|entry| !entry.is_host())
            .map(Entry::display_target)
            .collect())
    };
    match ImageKind::of(image)? {
        ImageKind::Elf => Ok(vec![elf::target_of(image)?.to_string()]),
        ImageKind::Bundle => of_bundle(image),
        ImageKind::CompressedBundle => of_bundle(&decompress(image)?),
    }
}

fn select_plain<'a>(bundle: &'a [u8], device: &TargetId) -> Result<&'a [u8], ObjectError> {
    let entries = entries(bundle)?;
    let mut best: Option<(Suits, &'a [u8])> = None;
    for entry in entries.iter().filter(|entry| !entry.is_host()) {
        let Some(target) = &entry.target else {
            continue;
        };
        let Some(suits) = device.suits(target) else {
            continue;
        };
        if best.is_some_and(|(found, _)| found >= suits) {
            continue;
        }
        let what = || format!("code of bundle entry `{}`", entry.id);
        let code = slice(bundle, what, entry.offset, entry.size_bytes)?;
        // > hip, hcc: take the target from the ELF.
        let states_all = entry.id.starts_with("hipv4-");
        if !states_all && device.suits(&elf::target_of(code)?).is_none() {
            continue;
        }
        best = Some((suits, code));
    }
    best.map(|(_, code)| code)
        .ok_or_else(|| ObjectError::NoCodeForTarget {
            wanted: device.to_string(),
            held: entries
                .iter()
                .filter(|entry| !entry.is_host())
                .map(Entry::display_target)
                .collect(),
        })
}

/// Reads the table of a plain bundle.
pub fn entries(bundle: &[u8]) -> Result<Vec<Entry>, ObjectError> {
    let (entries, _) = read_entries(&mut |offset, bytes: &mut [u8]| {
        let source = slice(
            bundle,
            || "bundle table".to_owned(),
            offset,
            bytes.len() as u64,
        )?;
        bytes.copy_from_slice(source);
        Ok(())
    })?;
    Ok(entries)
}

/// The table's entries, and where it ends.
fn read_entries(fetch: &mut Fetch<'_>) -> Result<(Vec<Entry>, u64), ObjectError> {
    let mut position = PLAIN_MAGIC.len() as u64;
    let next_u64 = |fetch: &mut Fetch<'_>, position: &mut u64| {
        let value = fetch_u64(fetch, *position)?;
        *position += 8;
        Ok(value)
    };
    let count = next_u64(fetch, &mut position)?;
    at_most("number of bundle entries", count, MOST_ENTRIES)?;
    let mut entries = Vec::new();
    for _ in 0..count {
        let offset = next_u64(fetch, &mut position)?;
        let size_bytes = next_u64(fetch, &mut position)?;
        let id_bytes = next_u64(fetch, &mut position)?;
        at_most("length of a bundle entry's id", id_bytes, LONGEST_ID_BYTES)?;
        let mut id = vec![0; usize::try_from(id_bytes).expect("at most LONGEST_ID_BYTES")];
        fetch(position, &mut id)?;
        position += id_bytes;
        let id = String::from_utf8_lossy(&id).into_owned();
        entries.push(Entry {
            target: target_of_id(&id),
            id,
            offset,
            size_bytes,
        });
    }
    Ok((entries, position))
}

/// The chip that a bundle id names, if HIP can use the entry.
fn target_of_id(id: &str) -> Option<TargetId> {
    let (kind, rest) = id.split_once('-')?;
    if !matches!(kind, "hipv4" | "hip" | "hcc") {
        return None;
    }
    let rest = rest.strip_prefix("amdgcn-amd-amdhsa")?;
    // The environment between triple and processor may be absent, empty or named, and generic
    // processors have hyphens too, so the last `-gfx` ahead of the features is where it begins.
    let features = rest.find(':').unwrap_or(rest.len());
    let processor = rest[..features].rfind("-gfx")? + 1;
    TargetId::parse(&rest[processor..])
}

/// Header of a compressed bundle, all little endian.
///
/// | version | total bytes | plain bytes | hash | data |
/// | --- | --- | --- | --- | --- |
/// | 1 | not stored | u32 at 8 | 12 | 20 |
/// | 2 | u32 at 8 | u32 at 12 | 16 | 24 |
/// | 3 | u64 at 8 | u64 at 16 | 24 | 32 |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CompressedHeader {
    method: Method,
    /// Length of header and data; version 1 does not say.
    total_bytes: Option<u64>,
    plain_bytes: u64,
    data_offset: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    Zlib,
    Zstd,
}

impl CompressedHeader {
    fn read(fetch: &mut Fetch<'_>) -> Result<Self, ObjectError> {
        let version = fetch_u16(fetch, 4)?;
        let method = match fetch_u16(fetch, 6)? {
            0 => Method::Zlib,
            1 => Method::Zstd,
            found => {
                return Err(ObjectError::UnsupportedCompression {
                    what: "method",
                    found,
                    expected: "0 (zlib) or 1 (zstd)",
                });
            }
        };
        let (total_bytes, plain_bytes, data_offset) = match version {
            1 => (None, u64::from(fetch_u32(fetch, 8)?), 20),
            2 => {
                let total = u64::from(fetch_u32(fetch, 8)?);
                (Some(total), u64::from(fetch_u32(fetch, 12)?), 24)
            }
            3 => (Some(fetch_u64(fetch, 8)?), fetch_u64(fetch, 16)?, 32),
            found => {
                return Err(ObjectError::UnsupportedCompression {
                    what: "version",
                    found,
                    expected: "1, 2 or 3",
                });
            }
        };
        at_most(
            "uncompressed size of a bundle",
            plain_bytes,
            LARGEST_BUNDLE_BYTES,
        )?;
        if let Some(total) = total_bytes {
            at_most("size of a compressed bundle", total, LARGEST_BUNDLE_BYTES)?;
            if total < data_offset {
                return Err(ObjectError::OutOfBounds {
                    what: "header of a compressed bundle".to_owned(),
                    offset: 0,
                    end: data_offset,
                    available: total,
                });
            }
        }
        Ok(Self {
            method,
            total_bytes,
            plain_bytes,
            data_offset,
        })
    }
}

/// Inflates a compressed bundle to the plain one in it. The slice may be longer than the bundle.
pub fn decompress(image: &[u8]) -> Result<Vec<u8>, ObjectError> {
    let header = CompressedHeader::read(&mut |offset, bytes: &mut [u8]| {
        let what = || "header of a compressed bundle".to_owned();
        bytes.copy_from_slice(slice(image, what, offset, bytes.len() as u64)?);
        Ok(())
    })?;
    let total = header.total_bytes.unwrap_or(image.len() as u64);
    let data_bytes = total.saturating_sub(header.data_offset);
    let what = || "data of a compressed bundle".to_owned();
    let data = slice(image, what, header.data_offset, data_bytes)?;
    let (method, result) = match header.method {
        Method::Zlib => ("zlib", inflate_zlib(data, header.plain_bytes)),
        Method::Zstd => ("zstd", inflate_zstd(data, header.plain_bytes)),
    };
    let failed = |reason| ObjectError::Decompression { method, reason };
    let plain = result.map_err(failed)?;
    if plain.len() as u64 != header.plain_bytes {
        let (found, expected) = (plain.len(), header.plain_bytes);
        return Err(failed(format!(
            "it gives {found} bytes or more, the header says {expected}"
        )));
    }
    if ImageKind::of(&plain)? != ImageKind::Bundle {
        return Err(failed("it does not hold an offload bundle".to_owned()));
    }
    Ok(plain)
}

/// Inflates at most one byte more than `plain_bytes`, which shows that the header is wrong; memory
/// grows with what really comes out.
fn inflate_zstd(data: &[u8], plain_bytes: u64) -> Result<Vec<u8>, String> {
    let decoder = ruzstd::decoding::StreamingDecoder::new(data).map_err(|e| e.to_string())?;
    let mut plain = Vec::new();
    decoder
        .take(plain_bytes + 1)
        .read_to_end(&mut plain)
        .map_err(|e| e.to_string())?;
    Ok(plain)
}

fn inflate_zlib(data: &[u8], plain_bytes: u64) -> Result<Vec<u8>, String> {
    let limit = usize::try_from(plain_bytes).map_err(|e| e.to_string())?;
    miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(data, limit).map_err(|e| e.to_string())
}

/// Finds the length in bytes of an image that is known by its first byte only, as `hipModuleLoadData`
/// and `__hipRegisterFatBinary` are given one.
///
/// `fetch` fills the buffer with the image's bytes from the offset on. Only bytes that the formats
/// promise to be there are asked for. An `ObjectError` of its own ends the search.
///
/// A compressed bundle of version 1 does not store its length; that is an error.
pub fn image_length(fetch: &mut Fetch<'_>) -> Result<u64, ObjectError> {
    // Four bytes are in every image, so the longer magic is asked for only when it begins right.
    let mut magic = [0; PLAIN_MAGIC.len()];
    fetch(0, &mut magic[..4])?;
    if magic[..4] == PLAIN_MAGIC[..4] {
        fetch(0, &mut magic)?;
    }
    match ImageKind::of(&magic)? {
        ImageKind::Bundle => {
            let (entries, table_end) = read_entries(fetch)?;
            let ends = entries
                .iter()
                .map(|entry| entry.offset.saturating_add(entry.size_bytes));
            let end = ends.fold(table_end, u64::max);
            at_most("length of a bundle", end, LARGEST_BUNDLE_BYTES)?;
            Ok(end)
        }
        ImageKind::CompressedBundle => {
            CompressedHeader::read(fetch)?
                .total_bytes
                .ok_or(ObjectError::UnsupportedCompression {
                    what: "version",
                    found: 1,
                    expected: "2 or 3, which store their length",
                })
        }
        ImageKind::Elf => {
            let length = elf::file_length(fetch)?;
            at_most("length of a code object", length, LARGEST_BUNDLE_BYTES)?;
            Ok(length)
        }
    }
}

fn at_most(what: &'static str, found: u64, limit: u64) -> Result<(), ObjectError> {
    if found > limit {
        Err(ObjectError::TooLarge { what, found, limit })
    } else {
        Ok(())
    }
}

fn fetch_array<const LENGTH: usize>(
    fetch: &mut Fetch<'_>,
    offset: u64,
) -> Result<[u8; LENGTH], ObjectError> {
    let mut bytes = [0; LENGTH];
    fetch(offset, &mut bytes)?;
    Ok(bytes)
}

fn fetch_u16(fetch: &mut Fetch<'_>, offset: u64) -> Result<u16, ObjectError> {
    fetch_array(fetch, offset).map(u16::from_le_bytes)
}

fn fetch_u32(fetch: &mut Fetch<'_>, offset: u64) -> Result<u32, ObjectError> {
    fetch_array(fetch, offset).map(u32::from_le_bytes)
}

fn fetch_u64(fetch: &mut Fetch<'_>, offset: u64) -> Result<u64, ObjectError> {
    fetch_array(fetch, offset).map(u64::from_le_bytes)
}
