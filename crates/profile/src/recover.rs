//! Completes a bundle whose process died: what the device had finished is in the side file's rings.
//!
//! 1. The side file is read first, then the bundle. In between a live session may move events from the
//!    one to the other; they are then found in both, never in none.
//! 2. A half record at the end is dropped: its batch was not durable, so its events are in the rings.
//! 3. Completed events that the bundle does not have are encoded as the session would have done it, by
//!    the same encoder, which has taken note of every record of the bundle.
//! 4. Open command buffers are closed, the last clock samples are added, the session ends. Its status is
//!    OK only if nothing that had completed can be missing.
//!
//! A [`Plan`] does all of that in memory, for readers. [`recover`] carries it out, and only when nobody
//! writes the bundle any more: it takes the bundle's lock before it looks.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use crate::batch::Batch;
use crate::describe::{Families, SessionDescription};
use crate::encode::{Encoder, EventKey, Present};
use crate::error::{Error, Result};
use crate::reader::{Reader, Record};
use crate::schema::extension::SessionExtension;
use crate::schema::*;
use crate::side::{Leftovers, SideFile, SideReader};
use crate::sink::{FileSink, Sink};
use crate::writer::Writer;

/// How to complete a bundle.
#[derive(Debug)]
pub struct Plan {
    /// Bytes of the bundle that stay.
    pub keep: u64,
    /// Records to put after them.
    pub addition: Batch,
    /// What was found.
    pub report: Report,
    side: Option<SideReader>,
}

/// What recovery found, in numbers and in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The bundle has a clean end already; nothing is to be done.
    pub was_complete: bool,
    /// The session's process, while it still runs.
    pub live_process: Option<u32>,
    /// The side file that was used.
    pub side_path: Option<PathBuf>,
    /// Launches in the bundle as it was.
    pub dispatches_found: u64,
    /// Launches from the side file.
    pub dispatches_added: u64,
    /// Copies, fills and barriers from the side file.
    pub transfers_added: u64,
    /// Events that had been submitted and that the device had not finished.
    pub incomplete: u64,
    /// Bytes of a half record that are dropped.
    pub bytes_cut: u64,
    /// Status of the session, when it is over.
    pub status: Option<Status>,
    /// What a user should know, one sentence each.
    pub notes: Vec<String>,
}

/// What the bundle says about itself before any event.
#[derive(Debug)]
struct Opening {
    description: SessionDescription,
    extension: Option<SessionExtension>,
}

impl Plan {
    /// Looks at a bundle and, if it is not complete, at its side file: the one given, else the one that
    /// the bundle names.
    ///
    /// # Errors
    /// When the bundle is none or cannot be read, or when a side file that was asked for is missing or
    /// belongs to another session. One that the bundle names and that is gone is no error, only a note.
    pub fn make(bundle: &Path, side: Option<&Path>) -> Result<Self> {
        let file = File::open(bundle).map_err(|source| Error::io("read", bundle, source))?;
        Self::over(&file, bundle, side)
    }

    /// Works through `&File` and opens nothing else of the bundle: closing another descriptor of it
    /// would drop a lock that the caller may hold.
    fn over(file: &File, bundle: &Path, side: Option<&Path>) -> Result<Self> {
        let metadata = file
            .metadata()
            .map_err(|source| Error::io("read", bundle, source))?;
        let mut reader = Reader::new(file, metadata.len(), bundle)?;
        let mut report = Report::default();
        let opening = read_opening(&mut reader)?;
        let side = match side {
            Some(path) => {
                let side = SideFile::open_for_recovery(path)?;
                match opening.as_ref().and_then(|opening| opening.mismatch(&side)) {
                    Some(found) => {
                        let (path, bundle) = (path.to_owned(), bundle.to_owned());
                        return Err(Error::ForeignSideFile {
                            path,
                            bundle,
                            found,
                        });
                    }
                    None => Some(side),
                }
            }
            None => opening
                .as_ref()
                .and_then(|opening| opening.find_side_file(&mut report)),
        };
        if let Some(side) = &side {
            report.live_process = side.owner_alive()?;
            report.side_path = Some(side.path().to_owned());
        }
        let leftovers = side.as_ref().map(SideReader::leftovers).transpose()?;
        // Rule 1: only now the bundle, from its start.
        let metadata = file
            .metadata()
            .map_err(|source| Error::io("read", bundle, source))?;
        let mut reader = Reader::new(file, metadata.len(), bundle)?;
        let has_opening = opening.is_some();
        let description = match opening {
            Some(opening) => opening.description,
            None => SessionDescription {
                session_id: side.as_ref().map_or(1, |side| side.header().session_id),
                device_identifier: "unknown".into(),
                process_id: side.as_ref().map_or(0, |side| side.header().process_id),
                program: String::new(),
                side_file: None,
                families: Families::DISPATCH,
            },
        };
        let mut merge = Merge::new(description, leftovers.unwrap_or_default());
        merge.has_opening = has_opening;
        let (keep, end) = merge.read(&mut reader, metadata.len(), &mut report)?;
        let addition = if end.is_some() {
            report.was_complete = reader.is_finished();
            report.status = end;
            Batch::new()
        } else {
            merge.complete(side.as_ref(), &mut report)?
        };
        Ok(Self {
            keep,
            addition,
            report,
            side,
        })
    }
}

/// Completes a bundle on disk and removes its side file.
///
/// A bundle that is complete is left as it is. When the process is interrupted in between, the next call
/// goes on.
///
/// # Errors
/// As [`Plan::make`]; [`Error::StillRunning`] while the session's process lives; when the bundle cannot
/// be written, in which case the side file stays.
pub fn recover(bundle: &Path, side: Option<&Path>) -> Result<Report> {
    let sink = FileSink::lock_existing(bundle)?;
    let Plan {
        keep,
        addition,
        report,
        side,
    } = Plan::over(sink.file(), bundle, side)?;
    if let Some(process_id) = report.live_process {
        return Err(Error::StillRunning {
            bundle: bundle.to_owned(),
            process_id,
        });
    }
    if !report.was_complete {
        write_addition(sink, keep, &addition, bundle)?;
    }
    if let Some(side) = side {
        let removed = std::fs::remove_file(side.path());
        removed.map_err(|source| Error::io("remove", side.path(), source))?;
    }
    Ok(report)
}

fn write_addition(mut sink: FileSink, keep: u64, addition: &Batch, bundle: &Path) -> Result<()> {
    let io = |action| move |source| Error::io(action, bundle, source);
    sink.truncate(keep).map_err(io("truncate"))?;
    sink.begin_last();
    let mut writer = Writer::resume(sink, keep);
    let kept = writer.append(addition);
    if kept < addition.record_count() {
        let (_, failure) = writer.into_parts();
        let source = failure.map_or_else(|| std::io::ErrorKind::WriteZero.into(), |f| f.error);
        return Err(Error::io("complete", bundle, source));
    }
    writer.finish().map_err(io("finish"))?;
    // The side file goes next; what it held has to be on the disk by then.
    let (sink, _) = writer.into_parts();
    sink.file().sync_all().map_err(io("write back"))
}

fn read_opening(reader: &mut Reader<&File>) -> Result<Option<Opening>> {
    let record = match reader.next_record() {
        Ok(Some(record)) => record,
        Ok(None) | Err(Error::HalfRecord { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let extension = SessionExtension::find(record.extension);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let description = SessionDescription {
        session_id: record.header.session_id,
        device_identifier: text(record.name),
        process_id: extension.as_ref().map_or(0, |e| e.process_id),
        program: extension
            .as_ref()
            .map(|e| text(&e.program))
            .unwrap_or_default(),
        side_file: None,
        families: extension.as_ref().map_or(Families::DISPATCH, |e| {
            Families::from_bits_truncate(e.families)
        }),
    };
    Ok(Some(Opening {
        description,
        extension,
    }))
}

impl Opening {
    /// Why a side file is not this session's; `None` when it is.
    fn mismatch(&self, side: &SideReader) -> Option<String> {
        let header = side.header();
        let named = self.extension.as_ref()?;
        let same = header.created_unix_ns == named.side_created_unix_ns
            && header.process_id == named.process_id
            && header.session_id == self.description.session_id;
        (!same).then(|| {
            format!(
                "one of process {}, session {}, expected process {}, session {}",
                header.process_id, header.session_id, named.process_id, self.description.session_id
            )
        })
    }

    /// The side file that the bundle names, if it is there and the right one.
    fn find_side_file(&self, report: &mut Report) -> Option<SideReader> {
        let Some(named) = self
            .extension
            .as_ref()
            .filter(|named| !named.side_path.is_empty())
        else {
            let text = "the bundle names no side file: what had not reached it is lost";
            report.notes.push(text.into());
            return None;
        };
        let path = PathBuf::from(OsString::from_vec(named.side_path.clone()));
        match SideFile::open_for_recovery(&path) {
            Ok(side) => match self.mismatch(&side) {
                None => return Some(side),
                Some(found) => {
                    report
                        .notes
                        .push(format!("`{}` is {found}; it was not used", path.display()));
                }
            },
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                let path = path.display();
                report.notes.push(format!(
                    "the side file `{path}` is gone: what had not reached the bundle is lost"
                ));
            }
            Err(error) => report.notes.push(error.to_string()),
        }
        None
    }
}

/// A bundle and the events beside it on their way together.
#[derive(Debug)]
struct Merge {
    encoder: Encoder,
    leftovers: Leftovers,
    /// Under which names each leftover event may be in the bundle, and what of it is.
    by_key: HashMap<EventKey, usize>,
    present: Vec<Present>,
    /// The session's first record is there; without it names and images are lost as well.
    has_opening: bool,
    lossy: bool,
}

impl Merge {
    fn new(description: SessionDescription, leftovers: Leftovers) -> Self {
        let mut by_key = HashMap::new();
        for (event, index) in leftovers.completed.iter().zip(0..) {
            let (launch, operation) = EventKey::of_event(event);
            by_key.extend(launch.into_iter().chain(operation).map(|key| (key, index)));
        }
        let present = vec![Present::default(); leftovers.completed.len()];
        let encoder = Encoder::new(description);
        Self {
            encoder,
            leftovers,
            by_key,
            present,
            has_opening: true,
            lossy: false,
        }
    }

    /// Reads the bundle; returns how much of it stays and, when the session has an end, its status.
    fn read(
        &mut self,
        reader: &mut Reader<&File>,
        size: u64,
        report: &mut Report,
    ) -> Result<(u64, Option<Status>)> {
        let mut end = None;
        loop {
            let finished = reader.is_finished();
            let record = match reader.next_record() {
                Ok(Some(record)) => record,
                Ok(None) => break,
                // Rule 2. In a finished bundle damage is damage.
                Err(error @ (Error::HalfRecord { .. } | Error::Damaged { .. })) if !finished => {
                    report.bytes_cut = size - reader.offset();
                    if matches!(error, Error::Damaged { .. }) {
                        self.lossy = true;
                        report.notes.push(format!("{error}; the rest was dropped"));
                    }
                    break;
                }
                Err(error) => return Err(error),
            };
            if record.record_type() == RecordType::SessionEnd {
                end = Some(Status::from_code(record.header.session_status_code));
            }
            self.lossy |= record.header.chunk_flags & CHUNK_TRUNCATED != 0;
            self.encoder.absorb(&record)?;
            report.dispatches_found += self.note_present(&record)?;
        }
        Ok((reader.offset(), end))
    }

    /// Marks the leftover events that a record holds, and counts its launches.
    fn note_present(&mut self, record: &Record<'_>) -> Result<u64> {
        let mut launches = 0;
        match (record.record_type(), record.content()) {
            (RecordType::Chunk, Some(Content::DispatchEvents)) => {
                for row in record.rows::<DispatchEvent>() {
                    let (row, _) = row?;
                    launches += 1;
                    if self.by_key.is_empty() {
                        continue;
                    }
                    let reusable = self.encoder.is_reusable(row.command_buffer_id);
                    let key = EventKey::of_row(&record.header, &row, reusable);
                    self.mark(&key, |present| present.dispatch = true);
                }
            }
            (RecordType::Chunk, Some(Content::QueueEvents)) => {
                for row in record.rows::<QueueEvent>() {
                    let (row, _) = row?;
                    let key = EventKey::Operation {
                        place: (
                            row.physical_device_ordinal,
                            row.queue_ordinal,
                            row.stream_id,
                        ),
                        kind: row.kind,
                        submission_id: row.submission_id,
                    };
                    self.mark(&key, |present| present.queue_event = true);
                }
            }
            (RecordType::Chunk, Some(Content::QueueDeviceEvents)) => {
                for row in record.rows::<QueueDeviceEvent>() {
                    let (row, _) = row?;
                    let key = EventKey::Operation {
                        place: (
                            row.physical_device_ordinal,
                            row.queue_ordinal,
                            row.stream_id,
                        ),
                        kind: row.kind,
                        submission_id: row.submission_id,
                    };
                    self.mark(&key, |present| present.device_event = true);
                }
            }
            _ => {}
        }
        Ok(launches)
    }

    fn mark(&mut self, key: &EventKey, set: impl Fn(&mut Present)) {
        if let Some(index) = self.by_key.get(key) {
            set(&mut self.present[*index]);
        }
    }

    /// Rules 3 and 4: the records that are missing.
    fn complete(&mut self, side: Option<&SideReader>, report: &mut Report) -> Result<Batch> {
        let mut batch = Batch::new();
        if !self.has_opening {
            self.lossy = true;
            self.encoder.begin(&mut batch);
        }
        let before = self.encoder.counts();
        for (event, present) in self.leftovers.completed.iter().zip(&self.present) {
            self.encoder.complete(event, *present, &mut batch);
        }
        self.encoder.close(&mut batch);
        if let Some(side) = side {
            for sample in side.clocks()? {
                self.encoder.clock(&sample, &mut batch);
            }
        }
        let after = self.encoder.counts();
        report.dispatches_added = after.dispatches_selected - before.dispatches_selected;
        report.transfers_added = after.transfers_selected - before.transfers_selected;
        report.incomplete = self.leftovers.incomplete;
        if self.leftovers.damaged_rings != 0 {
            let rings = self.leftovers.damaged_rings;
            report.notes.push(format!(
                "{rings} rings of the side file are damaged and were left out"
            ));
        }
        if self.lossy {
            report
                .notes
                .push("the session had lost records before it ended".into());
        }
        // Only with the side file in hand can we know that nothing is missing.
        let whole = side.is_some() && self.leftovers.damaged_rings == 0 && !self.lossy;
        let status = if whole { Status::Ok } else { Status::DataLoss };
        // A live session has not ended.
        if report.live_process.is_none() {
            report.status = Some(status);
            self.encoder.end(status, &mut batch);
        }
        Ok(batch)
    }
}
