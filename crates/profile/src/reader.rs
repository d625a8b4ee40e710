//! Reads a bundle record by record, ours or anybody's, in constant memory.
//!
//! Tolerant as upstream's reader is: unknown record types, content types and header extensions pass,
//! a missing file length means "to the end of the file", longer headers are skipped over. What upstream
//! refuses is an error here too, with offset, what was found and what was expected. One case is apart:
//! a file that was not finished may end in half a record ([`Error::HalfRecord`]).

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use bytemuck::Zeroable;

use crate::cast::to_usize;
use crate::error::{Error, Result};
use crate::schema::*;

/// Bytes that are set aside at once for a record, however long it claims to be.
const FIRST_STEP: u64 = 1 << 20;

/// Goes through the records of a bundle.
#[derive(Debug)]
pub struct Reader<R> {
    source: BufReader<R>,
    path: PathBuf,
    header: FileHeader,
    /// Bytes that count: the length in the header, or the file's.
    length: u64,
    offset: u64,
    index: u64,
    buffer: Vec<u8>,
}

/// One record, as long as the next one is not read.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// Number of the record in the file, from 0.
    pub index: u64,
    /// Where it starts.
    pub offset: u64,
    /// The fixed header.
    pub header: RecordHeader,
    /// Header bytes beyond it.
    pub extension: &'a [u8],
    /// Content type.
    pub content_type: &'a [u8],
    /// Name, for people.
    pub name: &'a [u8],
    /// Payload.
    pub payload: &'a [u8],
}

impl Reader<File> {
    /// Opens a bundle.
    ///
    /// # Errors
    /// When it cannot be read or its header is not that of a bundle.
    pub fn open(path: &Path) -> Result<Self> {
        let io = |source| Error::io("read", path, source);
        let file = File::open(path).map_err(io)?;
        let metadata = file.metadata().map_err(io)?;
        if !metadata.is_file() {
            return Err(Error::NotABundle {
                path: path.to_owned(),
                found: "not a regular file".into(),
                expected: "a regular file".into(),
            });
        }
        Self::new(file, metadata.len(), path)
    }
}

impl<R: Read + Seek> Reader<R> {
    /// Reads a bundle of `size` bytes from the start of `source`. `path` is for messages.
    ///
    /// # Errors
    /// When it cannot be read or its header is not that of a bundle.
    pub fn new(source: R, size: u64, path: &Path) -> Result<Self> {
        let mut source = BufReader::with_capacity(256 << 10, source);
        let refuse = |found: String, expected: &str| {
            Err(Error::NotABundle {
                path: path.to_owned(),
                found,
                expected: expected.to_owned(),
            })
        };
        if size < FILE_HEADER_BYTES as u64 {
            return refuse(format!("{size} bytes"), "a header of 24 bytes");
        }
        let mut header = FileHeader::zeroed();
        let read = source.rewind();
        let read = read.and_then(|()| source.read_exact(bytemuck::bytes_of_mut(&mut header)));
        read.map_err(|error| Error::io("read", path, error))?;
        if header.magic != FILE_MAGIC {
            let magic = header.magic.to_le_bytes().escape_ascii().to_string();
            return refuse(format!("a file that starts with \"{magic}\""), "\"IRPF\"");
        }
        if header.version_major != VERSION_MAJOR {
            return refuse(
                format!("format version {}", header.version_major),
                "version 1",
            );
        }
        if header.flags != 0 {
            return refuse(format!("file flags {:#x}", header.flags), "0");
        }
        let start = u64::from(header.header_length);
        if start < FILE_HEADER_BYTES as u64 || start > size {
            return refuse(
                format!("a header of {start} bytes in {size}"),
                "at least 24, inside the file",
            );
        }
        let length = match header.file_length {
            0 => size,
            length if (start..=size).contains(&length) => length,
            length => {
                let expected = format!("between {start} and {size}");
                return refuse(format!("a length of {length} bytes"), &expected);
            }
        };
        let seek = source.seek(SeekFrom::Start(start));
        seek.map_err(|error| Error::io("read", path, error))?;
        let path = path.to_owned();
        Ok(Self {
            source,
            path,
            header,
            length,
            offset: start,
            index: 0,
            buffer: Vec::new(),
        })
    }

    /// The file header.
    pub fn header(&self) -> &FileHeader {
        &self.header
    }

    /// Where the next record starts: after the last one that was read.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Lets the bundle end at `end`, a record boundary, if it does not end before.
    pub(crate) fn set_end(&mut self, end: u64) {
        self.length = self.length.min(end.max(self.offset));
    }

    /// Whether the length was patched in, as a clean end does.
    pub fn is_finished(&self) -> bool {
        self.header.file_length != 0
    }

    /// The next record; `None` at the end.
    ///
    /// # Errors
    /// [`Error::HalfRecord`] when the file ends within it, [`Error::Damaged`] when its header contradicts
    /// itself, [`Error::Io`] when it cannot be read. The reader stays where it is.
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>> {
        let left = self.length - self.offset;
        if left == 0 {
            return Ok(None);
        }
        let half = |needed: u64| Error::HalfRecord {
            path: self.path.clone(),
            offset: self.offset,
            found: left,
            expected: needed,
        };
        let header_bytes = RECORD_HEADER_BYTES as u64;
        if left < header_bytes {
            return Err(half(header_bytes));
        }
        let mut header = RecordHeader::zeroed();
        let read = self.source.read_exact(bytemuck::bytes_of_mut(&mut header));
        read.map_err(|error| self.io(error))?;
        let damaged = |what: &'static str, found: u64, expected: String| Error::Damaged {
            path: self.path.clone(),
            offset: self.offset,
            what,
            found,
            expected,
        };
        if header.flags != 0 {
            return Err(damaged("record flags", u64::from(header.flags), "0".into()));
        }
        let record_length = header.record_length;
        let header_length = u64::from(header.header_length);
        if header_length < header_bytes || header_length > record_length {
            let expected = format!("104 to the record's {record_length}");
            return Err(damaged("a record header length", header_length, expected));
        }
        if record_length > left {
            return Err(half(record_length));
        }
        let strings = u64::from(header.content_type_length) + u64::from(header.name_length);
        let parts = header_length.checked_add(strings);
        if parts.and_then(|sum| sum.checked_add(header.payload_length)) != Some(record_length) {
            let expected = "the sum of header, content type, name and payload".into();
            return Err(damaged("a record length", record_length, expected));
        }
        let body = record_length - header_bytes;
        self.buffer.clear();
        self.buffer.reserve(to_usize(body.min(FIRST_STEP)));
        let read = self
            .source
            .by_ref()
            .take(body)
            .read_to_end(&mut self.buffer);
        let read = read.map_err(|error| self.io(error))? as u64;
        if read != body {
            return Err(self.io(io::ErrorKind::UnexpectedEof.into()));
        }
        let (extension, rest) = self.buffer.split_at(to_usize(header_length - header_bytes));
        let (content_type, rest) = rest.split_at(header.content_type_length as usize);
        let (name, payload) = rest.split_at(header.name_length as usize);
        let record = Record {
            index: self.index,
            offset: self.offset,
            header,
            extension,
            content_type,
            name,
            payload,
        };
        self.offset += record_length;
        self.index += 1;
        Ok(Some(record))
    }

    fn io(&self, error: io::Error) -> Error {
        Error::io("read", &self.path, error)
    }
}

impl<'a> Record<'a> {
    /// What the record is.
    pub fn record_type(&self) -> RecordType {
        RecordType::from_code(self.header.record_type)
    }

    /// What it carries; `None` when we do not read that.
    pub fn content(&self) -> Option<Content> {
        Content::parse(self.content_type)
    }

    /// The typed records of a chunk, each with its tail.
    pub fn rows<T: Typed>(&self) -> Rows<'a, T> {
        Rows {
            payload: self.payload,
            offset: self.offset,
            kind: PhantomData,
        }
    }
}

/// The typed records of one chunk.
#[derive(Debug)]
pub struct Rows<'a, T> {
    payload: &'a [u8],
    /// Of the file record, for messages.
    offset: u64,
    kind: PhantomData<T>,
}

impl<'a, T: Typed> Iterator for Rows<'a, T> {
    type Item = Result<(T, &'a [u8])>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.payload.is_empty() {
            return None;
        }
        let left = self.payload.len();
        let fixed = T::BYTES as usize;
        let bad = |found: usize| Error::BadRow {
            offset: self.offset,
            content: T::CONTENT.suffix(),
            found: found as u64,
            fixed: u64::from(T::BYTES),
            left: left as u64,
        };
        let Some(head) = self.payload.get(..fixed) else {
            let error = bad(left);
            self.payload = &[];
            return Some(Err(error));
        };
        let row: T = bytemuck::pod_read_unaligned(head);
        let length = row.record_length() as usize;
        if length < fixed || length > left {
            let error = bad(length);
            self.payload = &[];
            return Some(Err(error));
        }
        let (whole, rest) = self.payload.split_at(length);
        self.payload = rest;
        Some(Ok((row, &whole[fixed..])))
    }
}
