//! Puts whole records into a sink, and keeps the file readable whatever the sink does.
//!
//! 1. A batch goes out with as few writes as the sink allows, usually one.
//! 2. When a write fails, the file is cut back to the last record that is in it as a whole. What follows
//!    in the batch is lost and counted; the next batch is tried afresh, since space may come back.
//! 3. When even the cut fails, nothing is written any more: what is there stays readable, because the
//!    length that is patched in at the end leaves the half record out.

use std::io;

use crate::batch::Batch;
use crate::schema::{Content, FILE_HEADER_BYTES, FILE_LENGTH_OFFSET, FileHeader, Status};
use crate::sink::{Sink, is_full};

/// The first thing that went wrong with a sink.
#[derive(Debug)]
pub struct Failure {
    /// What the session's end will say.
    pub status: Status,
    /// What the system said.
    pub error: io::Error,
}

/// Writes one bundle.
#[derive(Debug)]
pub struct Writer<S> {
    sink: S,
    end: u64,
    lost: [u64; Content::COUNT],
    failure: Option<Failure>,
    broken: bool,
}

impl<S: Sink> Writer<S> {
    /// Starts a bundle: writes the header of an unfinished file.
    ///
    /// # Errors
    /// When the sink takes not even that.
    pub fn create(mut sink: S) -> io::Result<Self> {
        let header = FileHeader::unfinished();
        let mut rest = bytemuck::bytes_of(&header);
        while !rest.is_empty() {
            match sink.append(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Self::resume(sink, FILE_HEADER_BYTES as u64))
    }

    /// Goes on with a bundle whose records end at `end`, where the sink appends.
    pub fn resume(sink: S, end: u64) -> Self {
        Self {
            sink,
            end,
            lost: [0; Content::COUNT],
            failure: None,
            broken: false,
        }
    }

    /// Appends the records of a batch and says how many of them, counted from its first, are in the
    /// file. Fewer than all means that the sink failed; the rest is counted as lost.
    pub fn append(&mut self, batch: &Batch) -> usize {
        let marks = batch.marks();
        let kept = if self.broken {
            0
        } else {
            self.append_bytes(batch)
        };
        for mark in &marks[kept..] {
            self.lost[mark.content.index()] += mark.items;
        }
        kept
    }

    fn append_bytes(&mut self, batch: &Batch) -> usize {
        let (bytes, marks) = (batch.bytes(), batch.marks());
        let mut written = 0;
        let error = loop {
            if written == bytes.len() {
                self.end += bytes.len() as u64;
                return marks.len();
            }
            match self.sink.append(&bytes[written..]) {
                Ok(0) => break io::ErrorKind::WriteZero.into(),
                Ok(count) => written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => break error,
            }
        };
        let kept = marks.partition_point(|mark| mark.end <= written);
        let whole = kept.checked_sub(1).map_or(0, |last| marks[last].end);
        self.end += whole as u64;
        if self.sink.truncate(self.end).is_err() {
            self.broken = true;
        }
        self.fail(error);
        kept
    }

    fn fail(&mut self, error: io::Error) {
        let status = if is_full(&error) {
            Status::ResourceExhausted
        } else {
            Status::DataLoss
        };
        self.failure.get_or_insert(Failure { status, error });
    }

    /// Says that only the last records follow, so the sink may use what it kept for them.
    pub fn begin_last(&mut self) {
        self.sink.begin_last();
    }

    /// Drops what storage the sink took ahead and patches the file's length in: the bundle is finished.
    ///
    /// # Errors
    /// When the length could not be stored; the bundle then reads as an unfinished one.
    pub fn finish(&mut self) -> io::Result<u64> {
        // A failure leaves storage taken, nothing worse.
        let _ = self.sink.truncate(self.end);
        self.sink
            .patch(FILE_LENGTH_OFFSET, &self.end.to_le_bytes())?;
        Ok(self.end)
    }

    /// Bytes of the file up to the last whole record.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Typed records that could not be stored, by kind ([`Content::index`]).
    pub fn lost(&self) -> &[u64; Content::COUNT] {
        &self.lost
    }

    /// The first failure of the sink.
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// Gives back the sink and what went wrong with it first.
    pub fn into_parts(self) -> (S, Option<Failure>) {
        (self.sink, self.failure)
    }
}
