//! One session on its way into one bundle: encoder and writer together.

use std::io;

use crate::batch::Batch;
use crate::describe::{
    CompletedEvent, DeviceDescription, ExecutableDescription, Families, SessionDescription,
};
use crate::encode::{Counts, Encoder};
use crate::schema::side::ClockSample;
use crate::schema::{Content, Status};
use crate::sink::{FileSink, Sink};
use crate::writer::{Failure, Writer};

/// Records a session.
///
/// Only [`Recorder::create`] can fail. After that a sink that refuses bytes costs the records, never the
/// caller: they are counted, and the end of the session says so.
///
/// # Thread safety
/// One thread at a time: the collector owns it, or a lock does.
#[derive(Debug)]
pub struct Recorder<S = FileSink> {
    encoder: Encoder,
    writer: Writer<S>,
    batch: Batch,
}

/// How a session ended.
#[derive(Debug)]
pub struct Summary {
    /// What came in and what of it was wanted.
    pub counts: Counts,
    /// Launches in the bundle.
    pub dispatches_recorded: u64,
    /// Typed records that could not be stored, by kind ([`Content::index`]).
    pub lost: [u64; Content::COUNT],
    /// Status in the bundle's last record.
    pub status: Status,
    /// Bytes of the bundle.
    pub bytes: u64,
    /// What went wrong first, if anything did.
    pub failure: Option<Failure>,
}

impl<S: Sink> Recorder<S> {
    /// Starts the bundle: file header and session begin.
    ///
    /// # Errors
    /// When the sink does not take them.
    pub fn create(sink: S, session: SessionDescription) -> io::Result<Self> {
        let mut recorder = Self {
            encoder: Encoder::new(session),
            writer: Writer::create(sink)?,
            batch: Batch::new(),
        };
        recorder.encoder.begin(&mut recorder.batch);
        recorder.write();
        match recorder.writer.failure() {
            None => Ok(recorder),
            Some(failure) => Err(io::Error::new(
                failure.error.kind(),
                failure.error.to_string(),
            )),
        }
    }

    /// Describes a device, before its first clock sample or event.
    pub fn device(&mut self, description: &DeviceDescription) {
        self.encoder.device(description, &mut self.batch);
        self.write();
    }

    /// Adds a clock sample; `sample_id` is given out here. Returns the sample as it was recorded, for
    /// [`SideFile::set_clock`](crate::SideFile::set_clock), or `None` when it did not rise.
    pub fn clock(&mut self, sample: &ClockSample) -> Option<ClockSample> {
        let sample = self.encoder.clock(sample, &mut self.batch);
        self.write();
        sample
    }

    /// Describes an executable, before the first packet that names it is submitted.
    pub fn executable(&mut self, description: &ExecutableDescription) {
        self.encoder.executable(description, &mut self.batch);
        self.write();
    }

    /// Records completed events, in ring order. When this returns their slots may be reused.
    pub fn events<'a>(&mut self, events: impl IntoIterator<Item = &'a CompletedEvent>) {
        self.encoder.events(events, &mut self.batch);
        self.write();
    }

    /// What came in so far.
    pub fn counts(&self) -> Counts {
        self.encoder.counts()
    }

    /// What went wrong first, if anything did.
    pub fn failure(&self) -> Option<&Failure> {
        self.writer.failure()
    }

    /// The session.
    pub fn session(&self) -> &SessionDescription {
        self.encoder.session()
    }

    /// Ends the session: closes what is open, writes `status` (or, if that is OK, the first failure of
    /// the sink) and makes the bundle a finished one.
    pub fn finish(mut self, status: Status) -> (Summary, S) {
        self.writer.begin_last();
        self.encoder.close(&mut self.batch);
        self.write();
        let status = match self.writer.failure() {
            Some(failure) if status == Status::Ok => failure.status,
            _ => status,
        };
        self.encoder.end(status, &mut self.batch);
        self.write();
        let finished = self.writer.finish();
        let lost = *self.writer.lost();
        let bytes = self.writer.end();
        let (sink, mut failure) = self.writer.into_parts();
        if let Err(error) = finished {
            failure.get_or_insert(Failure {
                status: Status::DataLoss,
                error,
            });
        }
        let counts = self.encoder.counts();
        let families = self.encoder.session().families;
        let kind = if families.contains(Families::DISPATCH_EVENTS) {
            Content::DispatchEvents
        } else {
            Content::QueueDeviceEvents
        };
        let dispatches_recorded = counts
            .dispatches_selected
            .saturating_sub(lost[kind.index()]);
        (
            Summary {
                counts,
                dispatches_recorded,
                lost,
                status,
                bytes,
                failure,
            },
            sink,
        )
    }

    fn write(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        let kept = self.writer.append(&self.batch);
        if kept < self.batch.record_count() {
            self.encoder.note_lost(&self.batch, kept);
        }
        self.batch.clear();
    }
}
