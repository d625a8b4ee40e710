//! File header and record header.

use std::mem::{offset_of, size_of};

use bytemuck::{Pod, Zeroable};

use super::NONE;

/// First four bytes of a bundle, "IRPF".
pub const FILE_MAGIC: u32 = 0x4650_5249;
/// The only major version there is.
pub const VERSION_MAJOR: u16 = 1;
/// The minor version that we write; readers accept any.
pub const VERSION_MINOR: u16 = 6;
/// Bytes of the [`FileHeader`].
pub const FILE_HEADER_BYTES: usize = size_of::<FileHeader>();
/// Offset of [`FileHeader::file_length`], the one field that is patched.
pub const FILE_LENGTH_OFFSET: u64 = offset_of!(FileHeader, file_length) as u64;
/// Bytes of the [`RecordHeader`] without extension.
pub const RECORD_HEADER_BYTES: usize = size_of::<RecordHeader>();
/// [`RecordHeader::chunk_flags`]: typed records were lost before or in this chunk.
pub const CHUNK_TRUNCATED: u64 = 1;

/// Start of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct FileHeader {
    /// [`FILE_MAGIC`].
    pub magic: u32,
    /// [`VERSION_MAJOR`].
    pub version_major: u16,
    /// [`VERSION_MINOR`].
    pub version_minor: u16,
    /// Offset of the first record.
    pub header_length: u32,
    /// 0.
    pub flags: u32,
    /// Bytes of the finished bundle; 0 while it is written.
    pub file_length: u64,
}

impl FileHeader {
    /// The header of a bundle that is not finished.
    pub const fn unfinished() -> Self {
        Self {
            magic: FILE_MAGIC,
            version_major: VERSION_MAJOR,
            version_minor: VERSION_MINOR,
            header_length: 24,
            flags: 0,
            file_length: 0,
        }
    }
}

/// What a record is: [`RecordHeader::record_type`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordType {
    /// 1: a session begins.
    SessionBegin,
    /// 2: a chunk of typed records.
    Chunk,
    /// 3: a session ends.
    SessionEnd,
    /// Any other: skipped and counted.
    Unknown(u16),
}

impl RecordType {
    /// The type with this number.
    pub const fn from_code(code: u16) -> Self {
        match code {
            1 => Self::SessionBegin,
            2 => Self::Chunk,
            3 => Self::SessionEnd,
            other => Self::Unknown(other),
        }
    }

    /// The number in the file.
    pub const fn code(self) -> u16 {
        match self {
            Self::SessionBegin => 1,
            Self::Chunk => 2,
            Self::SessionEnd => 3,
            Self::Unknown(other) => other,
        }
    }
}

/// Start of each record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct RecordHeader {
    /// Bytes of the whole record: header, extension, both strings, payload.
    pub record_length: u64,
    /// Bytes of the payload.
    pub payload_length: u64,
    /// Session, from 1 upward.
    pub session_id: u64,
    /// Stream of the queue that the chunk is about, or 0.
    pub stream_id: u64,
    /// Event that the chunk is about, or 0.
    pub event_id: u64,
    /// Executable that the chunk is about, or 0.
    pub executable_id: u64,
    /// Command buffer that the chunk is about, or 0.
    pub command_buffer_id: u64,
    /// 104 plus the bytes of the extension.
    pub header_length: u32,
    /// Bytes of the content type.
    pub content_type_length: u32,
    /// Bytes of the name.
    pub name_length: u32,
    /// Device that the chunk is about, or [`NONE`].
    pub physical_device_ordinal: u32,
    /// Queue that the chunk is about, or [`NONE`].
    pub queue_ordinal: u32,
    /// 0.
    pub pad: u32,
    /// [`CHUNK_TRUNCATED`] or 0.
    pub chunk_flags: u64,
    /// Typed records lost, 0 when none or not known.
    pub dropped_record_count: u64,
    /// [`Status`](super::Status) of a session end, else 0.
    pub session_status_code: u32,
    /// [`RecordType`].
    pub record_type: u16,
    /// 0.
    pub flags: u16,
}

impl RecordHeader {
    /// A header about nothing in particular, with no lengths yet.
    pub fn new(record_type: RecordType, session_id: u64) -> Self {
        Self {
            session_id,
            physical_device_ordinal: NONE,
            queue_ordinal: NONE,
            record_type: record_type.code(),
            ..Self::zeroed()
        }
    }
}

const _: () = {
    assert!(size_of::<FileHeader>() == 24);
    assert!(offset_of!(FileHeader, file_length) == 16);
    assert!(size_of::<RecordHeader>() == 104);
    assert!(offset_of!(RecordHeader, session_id) == 16);
    assert!(offset_of!(RecordHeader, command_buffer_id) == 48);
    assert!(offset_of!(RecordHeader, header_length) == 56);
    assert!(offset_of!(RecordHeader, queue_ordinal) == 72);
    assert!(offset_of!(RecordHeader, chunk_flags) == 80);
    assert!(offset_of!(RecordHeader, dropped_record_count) == 88);
    assert!(offset_of!(RecordHeader, session_status_code) == 96);
    assert!(offset_of!(RecordHeader, record_type) == 100);
    assert!(offset_of!(RecordHeader, flags) == 102);
};
