//! The record-header extension: what upstream has no field for.
//!
//! Upstream skips header bytes beyond 104. There we put a list of entries, each padded to 8 bytes:
//!
//! | offset | type | field |
//! |---:|---|---|
//! | 0 | u16 | tag |
//! | 2 | u16 | version of that tag's payload |
//! | 4 | u32 | bytes of the payload, padding not included |
//! | 8 | | payload |
//!
//! A reader skips tags and versions that it does not know, and drops an entry that does not fit.

use bytemuck::{Pod, Zeroable};

use crate::cast::to_u32;

/// Tag of [`SessionExtension`], on the session-begin record.
pub const TAG_SESSION: u16 = 1;
/// Tag of [`DeviceExtension`], on a devices chunk, one entry for each device.
pub const TAG_DEVICE: u16 = 2;
/// Tag of [`OpenBufferExtension`], on a dispatch-events chunk.
pub const TAG_OPEN_BUFFER: u16 = 3;
const VERSION: u16 = 1;
const ENTRY_BYTES: usize = size_of::<EntryHeader>();

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct EntryHeader {
    tag: u16,
    version: u16,
    length: u32,
}

/// Whose session it is and where its side file lies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionExtension {
    /// Process that wrote the bundle.
    pub process_id: u32,
    /// Start of that process in clock ticks since boot.
    pub process_start_time: u64,
    /// What the session records: the bits of [`Families`](crate::Families).
    pub families: u32,
    /// Creation stamp of the side file, which tells it from another one at the same path; 0 without.
    pub side_created_unix_ns: u64,
    /// The side file, raw bytes of a path; empty when the session has none.
    pub side_path: Vec<u8>,
    /// Name of the program, raw bytes.
    pub program: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct SessionFixed {
    process_id: u32,
    side_path_length: u32,
    program_length: u32,
    families: u32,
    process_start_time: u64,
    side_created_unix_ns: u64,
}

/// What a device is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceExtension {
    /// Device that the entry is about.
    pub physical_device_ordinal: u32,
    /// The device is emulated: its times say nothing about silicon.
    pub is_virtual: bool,
    /// Nominal ticks per second of its clock, 0 when unknown.
    pub tick_frequency_hz: u64,
    /// Marketing name.
    pub name: String,
    /// Architecture, `gfx1151`.
    pub architecture: String,
}

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct DeviceFixed {
    physical_device_ordinal: u32,
    flags: u32,
    tick_frequency_hz: u64,
    name_length: u32,
    architecture_length: u32,
}

const DEVICE_VIRTUAL: u32 = 1;

/// The command buffer that stayed open after a chunk of dispatches: what its queue event would have said,
/// for the case that the session dies before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct OpenBufferExtension {
    /// The buffer.
    pub command_buffer_id: u64,
    /// Submission of its dispatches in the bundle.
    pub submission_id: u64,
    /// `CLOCK_MONOTONIC` of its first launch, ns.
    pub host_time_ns: i64,
    /// Things waited on so far.
    pub wait_count: u32,
    /// Barrier packets spent so far.
    pub barrier_count: u32,
}

impl OpenBufferExtension {
    /// Appends the entry.
    pub fn push_to(&self, out: &mut Vec<u8>) {
        push_entry(out, TAG_OPEN_BUFFER, VERSION, &[bytemuck::bytes_of(self)]);
    }

    /// All whole entries in an extension.
    pub fn find_all(extension: &[u8]) -> Vec<Self> {
        entries(extension)
            .filter(|(tag, version, _)| (*tag, *version) == (TAG_OPEN_BUFFER, VERSION))
            .filter_map(|(_, _, payload)| payload.get(..size_of::<Self>()))
            .map(bytemuck::pod_read_unaligned)
            .collect()
    }
}

/// Appends one entry, padded.
pub fn push_entry(out: &mut Vec<u8>, tag: u16, version: u16, payload: &[&[u8]]) {
    let length = payload.iter().map(|part| part.len()).sum();
    let header = EntryHeader {
        tag,
        version,
        length: to_u32(length),
    };
    out.extend_from_slice(bytemuck::bytes_of(&header));
    payload.iter().for_each(|part| out.extend_from_slice(part));
    out.resize(out.len().next_multiple_of(8), 0);
}

/// Goes through the entries of an extension as (tag, version, payload), up to the first one that does
/// not fit.
pub fn entries(mut bytes: &[u8]) -> impl Iterator<Item = (u16, u16, &[u8])> {
    std::iter::from_fn(move || {
        let (header, rest) = bytes.split_at_checked(ENTRY_BYTES)?;
        let header: EntryHeader = bytemuck::pod_read_unaligned(header);
        let payload = rest.get(..header.length as usize)?;
        bytes = rest
            .get((header.length as usize).next_multiple_of(8)..)
            .unwrap_or_default();
        Some((header.tag, header.version, payload))
    })
}

impl SessionExtension {
    /// Appends the entry.
    pub fn push_to(&self, out: &mut Vec<u8>) {
        let fixed = SessionFixed {
            process_id: self.process_id,
            side_path_length: to_u32(self.side_path.len()),
            program_length: to_u32(self.program.len()),
            families: self.families,
            process_start_time: self.process_start_time,
            side_created_unix_ns: self.side_created_unix_ns,
        };
        let payload = [bytemuck::bytes_of(&fixed), &self.side_path, &self.program];
        push_entry(out, TAG_SESSION, VERSION, &payload);
    }

    /// The entry in an extension, if there is a whole one.
    pub fn find(extension: &[u8]) -> Option<Self> {
        let (_, _, payload) = entries(extension)
            .find(|(tag, version, _)| (*tag, *version) == (TAG_SESSION, VERSION))?;
        let (fixed, rest) = payload.split_at_checked(size_of::<SessionFixed>())?;
        let fixed: SessionFixed = bytemuck::pod_read_unaligned(fixed);
        let (side_path, rest) = rest.split_at_checked(fixed.side_path_length as usize)?;
        let program = rest.get(..fixed.program_length as usize)?;
        Some(Self {
            process_id: fixed.process_id,
            process_start_time: fixed.process_start_time,
            families: fixed.families,
            side_created_unix_ns: fixed.side_created_unix_ns,
            side_path: side_path.to_vec(),
            program: program.to_vec(),
        })
    }
}

impl DeviceExtension {
    /// Appends the entry.
    pub fn push_to(&self, out: &mut Vec<u8>) {
        let fixed = DeviceFixed {
            physical_device_ordinal: self.physical_device_ordinal,
            flags: if self.is_virtual { DEVICE_VIRTUAL } else { 0 },
            tick_frequency_hz: self.tick_frequency_hz,
            name_length: to_u32(self.name.len()),
            architecture_length: to_u32(self.architecture.len()),
        };
        let payload = [
            bytemuck::bytes_of(&fixed),
            self.name.as_bytes(),
            self.architecture.as_bytes(),
        ];
        push_entry(out, TAG_DEVICE, VERSION, &payload);
    }

    /// All whole entries in an extension.
    pub fn find_all(extension: &[u8]) -> Vec<Self> {
        entries(extension)
            .filter(|(tag, version, _)| (*tag, *version) == (TAG_DEVICE, VERSION))
            .filter_map(|(_, _, payload)| Self::parse(payload))
            .collect()
    }

    fn parse(payload: &[u8]) -> Option<Self> {
        let (fixed, rest) = payload.split_at_checked(size_of::<DeviceFixed>())?;
        let fixed: DeviceFixed = bytemuck::pod_read_unaligned(fixed);
        let (name, rest) = rest.split_at_checked(fixed.name_length as usize)?;
        let architecture = rest.get(..fixed.architecture_length as usize)?;
        Some(Self {
            physical_device_ordinal: fixed.physical_device_ordinal,
            is_virtual: fixed.flags & DEVICE_VIRTUAL != 0,
            tick_frequency_hz: fixed.tick_frequency_hz,
            name: String::from_utf8_lossy(name).into_owned(),
            architecture: String::from_utf8_lossy(architecture).into_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session() -> SessionExtension {
        SessionExtension {
            process_id: 4711,
            process_start_time: 99,
            families: 45,
            side_created_unix_ns: 5,
            side_path: b"/dev/shm/x.side".to_vec(),
            program: b"two_streams".to_vec(),
        }
    }

    #[test]
    fn entries_of_unknown_tags_and_versions_are_skipped() {
        let mut bytes = Vec::new();
        push_entry(&mut bytes, 77, 1, &[b"odd"]);
        push_entry(&mut bytes, TAG_SESSION, 9, &[b"from the future"]);
        session().push_to(&mut bytes);
        assert_eq!(bytes.len() % 8, 0);
        assert_eq!(SessionExtension::find(&bytes), Some(session()));
    }

    #[test]
    fn an_entry_that_is_cut_anywhere_is_dropped() {
        let mut bytes = Vec::new();
        session().push_to(&mut bytes);
        let whole = 8 + 32 + session().side_path.len() + session().program.len();
        for end in 0..whole {
            assert_eq!(SessionExtension::find(&bytes[..end]), None, "cut at {end}");
        }
    }

    #[test]
    fn devices_come_back_in_order() {
        let device = |ordinal, is_virtual| DeviceExtension {
            physical_device_ordinal: ordinal,
            is_virtual,
            tick_frequency_hz: 100_000_000,
            name: "AMD Radeon 8060S (virtual)".into(),
            architecture: "gfx1151".into(),
        };
        let mut bytes = Vec::new();
        device(0, true).push_to(&mut bytes);
        device(1, false).push_to(&mut bytes);
        assert_eq!(
            DeviceExtension::find_all(&bytes),
            [device(0, true), device(1, false)]
        );
    }
}
