//! Whole records on their way to the writer.

use crate::cast::to_u32;
use crate::schema::{Content, RECORD_HEADER_BYTES, RecordHeader};

/// Something that a record makes known to readers. When the record is lost it has to be told again
/// before the next event that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Metadata {
    Device(u32),
    /// Place in the encoder's list of streams.
    Stream(usize),
    Executable(u64),
    CommandBuffer(u64),
}

/// Where a record of the batch ends and what it holds.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    pub(crate) end: usize,
    pub(crate) content: Content,
    /// Typed records in it.
    pub(crate) items: u64,
    /// Records that were lost before and that this one tells of.
    pub(crate) told: u64,
    pub(crate) metadata: Vec<Metadata>,
}

/// Records that go into the file together, in order. Reused from drain to drain.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    bytes: Vec<u8>,
    marks: Vec<Mark>,
}

/// What one record is made of.
#[derive(Debug)]
pub(crate) struct Parts<'a> {
    pub(crate) header: RecordHeader,
    pub(crate) extension: &'a [u8],
    pub(crate) content: Content,
    pub(crate) name: &'a str,
    pub(crate) payload: &'a [&'a [u8]],
    pub(crate) items: u64,
    pub(crate) told: u64,
    pub(crate) metadata: Vec<Metadata>,
}

impl Batch {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// The records, one after the other.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Records in it.
    pub fn record_count(&self) -> usize {
        self.marks.len()
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// Forgets the records and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.marks.clear();
    }

    pub(crate) fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// Adds a record and fills in its lengths.
    pub(crate) fn push(&mut self, parts: Parts<'_>) {
        let content_type = parts.content.as_str().as_bytes();
        let name = parts.name.as_bytes();
        let payload_length: usize = parts.payload.iter().map(|part| part.len()).sum();
        let header_length = RECORD_HEADER_BYTES + parts.extension.len();
        let record_length = header_length + content_type.len() + name.len() + payload_length;
        let header = RecordHeader {
            record_length: record_length as u64,
            payload_length: payload_length as u64,
            header_length: to_u32(header_length),
            content_type_length: to_u32(content_type.len()),
            name_length: to_u32(name.len()),
            ..parts.header
        };
        self.bytes.reserve(record_length);
        self.bytes.extend_from_slice(bytemuck::bytes_of(&header));
        self.bytes.extend_from_slice(parts.extension);
        self.bytes.extend_from_slice(content_type);
        self.bytes.extend_from_slice(name);
        for part in parts.payload {
            self.bytes.extend_from_slice(part);
        }
        self.marks.push(Mark {
            end: self.bytes.len(),
            content: parts.content,
            items: parts.items,
            told: parts.told,
            metadata: parts.metadata,
        });
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use super::*;
    use crate::reader::Reader;

    /// A bundle of the independent writer, with every chunk type of the format.
    fn python_bundle(folder: &Path) -> std::path::PathBuf {
        let maker = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/make_ireeprof.py");
        let path = folder.join("demo.ireeprof");
        let status = Command::new("python3")
            .arg(maker)
            .arg(&path)
            .arg("--full")
            .status();
        assert!(
            status
                .expect("python3 runs the independent writer")
                .success()
        );
        path
    }

    #[test]
    fn a_record_put_together_again_is_the_bytes_that_the_independent_writer_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = python_bundle(folder.path());
        let bytes = std::fs::read(&path).unwrap();
        let mut reader = Reader::open(&path).unwrap();
        let mut compared = 0;
        while let Some(record) = reader.next_record().unwrap() {
            let Some(content) = record.content() else {
                continue;
            };
            let mut batch = Batch::new();
            batch.push(Parts {
                header: RecordHeader {
                    record_length: 0,
                    header_length: 0,
                    ..record.header
                },
                extension: record.extension,
                content,
                name: std::str::from_utf8(record.name).unwrap(),
                payload: &[record.payload],
                items: 1,
                told: 0,
                metadata: Vec::new(),
            });
            let start = usize::try_from(record.offset).unwrap();
            assert_eq!(
                batch.bytes(),
                &bytes[start..][..batch.bytes().len()],
                "{content:?}"
            );
            compared += 1;
        }
        // Of its 30 records 10 are of contents that we do not write: counter sets, counters, samples of
        // two queues, host executions, regions, three for metrics, traces.
        assert_eq!(compared, 20);
    }
}
