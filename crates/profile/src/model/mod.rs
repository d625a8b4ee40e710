//! A bundle as reports see it: everything joined, in memory.
//!
//! Loading never changes a file. A bundle without a clean end is completed in memory first, from its
//! side file, as [`Plan`] does it; [`Model::notes`] says so.
//!
//! Times are those that upstream's reports show: device ticks on the CPU clock of the driver
//! ([`ClockFit::driver_cpu_ns`]). Without clock samples to fit, the device's nominal rate gives
//! durations, and a note says that.

mod kernels;
mod streams;

use std::collections::HashMap;
use std::io::{Cursor, Read, Seek};
use std::path::Path;

pub use kernels::{Kernel, Kernels};
pub use streams::{Overlap, StreamTimes, Streams};

use crate::cast::to_u32;
use crate::clock::ClockFit;
use crate::error::Result;
use crate::reader::{Reader, Record};
use crate::recover::{Plan, Report};
use crate::schema::extension::{DeviceExtension, SessionExtension};
use crate::schema::*;

/// What a bundle holds.
#[derive(Debug, Default)]
pub struct Model {
    /// The session: of several in one file, the first.
    pub session: Session,
    /// Devices, in file order.
    pub devices: Vec<DeviceModel>,
    /// Streams, in file order.
    pub streams: Vec<Stream>,
    /// Kernels, in file order.
    pub functions: Vec<FunctionModel>,
    /// Kernels that ran, in file order.
    pub dispatches: Vec<Dispatch>,
    /// Copies, fills and so on that ran, in file order; command buffers and launches are not among them.
    pub transfers: Vec<Transfer>,
    /// Command buffers that were described.
    pub command_buffers: u64,
    /// Typed records that the session lost and said so.
    pub dropped_records: u64,
    /// Records of kinds that we do not read.
    pub skipped_records: u64,
    /// What a reader should know before trusting the numbers, one sentence each.
    pub notes: Vec<String>,
    /// What was done in memory to complete the bundle, if it had no clean end.
    pub recovery: Option<Report>,
}

/// Who was profiled.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// Name in the session's records, such as `amdgpu`.
    pub device_identifier: String,
    /// The program; empty when the bundle does not say.
    pub program: String,
    /// Its process; 0 when the bundle does not say.
    pub process_id: u32,
    /// How the session ended; `None` when it did not.
    pub status: Option<Status>,
}

/// A device.
#[derive(Clone, Debug, Default)]
pub struct DeviceModel {
    /// Key in the bundle.
    pub ordinal: u32,
    /// Marketing name; empty when the bundle does not say.
    pub name: String,
    /// Architecture; empty when the bundle does not say.
    pub architecture: String,
    /// Emulated: times say nothing about silicon.
    pub is_virtual: bool,
    /// How its ticks become times; `None` when nothing in the bundle says.
    pub clock: Option<ClockFit>,
    /// The clock is the nominal rate, for want of samples.
    pub clock_is_nominal: bool,
    tick_frequency_hz: u64,
    samples: Vec<ClockCorrelation>,
}

/// A HIP stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stream {
    /// Its device.
    pub device_ordinal: u32,
    /// Hardware queue that it was mapped to.
    pub queue_ordinal: u32,
    /// Its key.
    pub stream_id: u64,
}

impl Stream {
    /// Number of the stream within its device, as bundles of ours key it.
    pub fn ordinal(&self) -> u32 {
        crate::cast::low_half(self.stream_id)
    }
}

/// A kernel that the bundle describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionModel {
    /// Executable that holds it.
    pub executable_id: u64,
    /// Number in the executable.
    pub ordinal: u32,
    /// Symbol name, not demangled.
    pub name: String,
}

/// A kernel that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// Unique in the session.
    pub event_id: u64,
    /// Command buffer, or 0.
    pub command_buffer_id: u64,
    /// Operation in it, or [`NONE`].
    pub command_index: u32,
    /// Place in [`Model::streams`].
    pub stream: u32,
    /// Place in [`Model::functions`].
    pub function: u32,
    /// Grid in work-groups.
    pub workgroup_count: [u32; 3],
    /// Work-items of a work-group.
    pub workgroup_size: [u32; 3],
    /// Device tick at start, 0 when not known.
    pub start_tick: u64,
    /// Device tick at end, 0 when not known.
    pub end_tick: u64,
}

impl Dispatch {
    /// Ticks that it ran; `None` when one of them is missing or they are reversed.
    pub fn ticks(&self) -> Option<u64> {
        self.end_tick
            .checked_sub(self.start_tick)
            .filter(|_| self.start_tick != 0)
    }
}

/// A copy, fill or barrier that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// A [`QueueOperation`].
    pub kind: u32,
    /// Place in [`Model::streams`].
    pub stream: u32,
    /// Bytes moved.
    pub payload_length: u64,
    /// Device tick at start, 0 when not known.
    pub start_tick: u64,
    /// Device tick at end, 0 when not known.
    pub end_tick: u64,
}

/// When something ran, in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimeRange {
    /// Start.
    pub start_ns: i64,
    /// End, not before the start.
    pub end_ns: i64,
}

impl TimeRange {
    /// Length in ns.
    pub fn duration_ns(&self) -> u64 {
        self.end_ns.abs_diff(self.start_ns)
    }
}

impl Model {
    /// Loads a bundle.
    ///
    /// # Errors
    /// When it is no bundle, or damaged.
    pub fn load(path: &Path) -> Result<Self> {
        let mut reader = Reader::open(path)?;
        let mut loader = Loader::default();
        if reader.is_finished() {
            loader.read(&mut reader)?;
        } else {
            let plan = Plan::make(path, None)?;
            // A live session writes on; what it adds from now is not ours.
            reader.set_end(plan.keep);
            loader.read(&mut reader)?;
            let mut bytes = bytemuck::bytes_of(&FileHeader::unfinished()).to_vec();
            bytes.extend_from_slice(plan.addition.bytes());
            let size = bytes.len() as u64;
            loader.read(&mut Reader::new(Cursor::new(bytes), size, path)?)?;
            loader.note_recovery(plan.report);
        }
        Ok(loader.finish())
    }

    /// Device of a stream.
    fn device_of(&self, stream: u32) -> Option<&DeviceModel> {
        let ordinal = self.streams.get(stream as usize)?.device_ordinal;
        self.devices.iter().find(|device| device.ordinal == ordinal)
    }

    /// When something with these ticks ran on a stream; `None` when the ticks are missing or reversed, or
    /// when nothing says how ticks become times.
    pub fn time_range(&self, stream: u32, start_tick: u64, end_tick: u64) -> Option<TimeRange> {
        if start_tick == 0 || end_tick < start_tick {
            return None;
        }
        let clock = self.device_of(stream)?.clock.as_ref()?;
        let (start_ns, end_ns) = (
            clock.driver_cpu_ns(start_tick),
            clock.driver_cpu_ns(end_tick),
        );
        (end_ns >= start_ns).then_some(TimeRange { start_ns, end_ns })
    }

    /// When a kernel ran.
    pub fn dispatch_time(&self, dispatch: &Dispatch) -> Option<TimeRange> {
        self.time_range(dispatch.stream, dispatch.start_tick, dispatch.end_tick)
    }

    /// When a transfer ran.
    pub fn transfer_time(&self, transfer: &Transfer) -> Option<TimeRange> {
        self.time_range(transfer.stream, transfer.start_tick, transfer.end_tick)
    }

    /// Kernels by name, the one that took longest first.
    pub fn kernels(&self) -> Kernels {
        kernels::of(self)
    }

    /// How busy each stream was, and how much they ran at the same time.
    pub fn stream_times(&self) -> Streams {
        streams::of(self)
    }

    /// Whether any device is emulated.
    pub fn is_virtual(&self) -> bool {
        self.devices.iter().any(|device| device.is_virtual)
    }
}

#[derive(Debug, Default)]
struct Loader {
    model: Model,
    stream_index: HashMap<Stream, u32>,
    function_index: HashMap<(u64, u32), u32>,
    /// Dispatches that stand before the functions that they name: index, executable, ordinal.
    unjoined: Vec<(usize, u64, u32)>,
}

impl Loader {
    fn read<R: Read + Seek>(&mut self, reader: &mut Reader<R>) -> Result<()> {
        while let Some(record) = reader.next_record()? {
            self.record(&record)?;
        }
        Ok(())
    }

    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        let model = &mut self.model;
        match record.record_type() {
            RecordType::SessionBegin => {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                if model.session.device_identifier.is_empty() {
                    model.session.device_identifier = text(record.name);
                    if let Some(extension) = SessionExtension::find(record.extension) {
                        model.session.program = text(&extension.program);
                        model.session.process_id = extension.process_id;
                    }
                }
                return Ok(());
            }
            RecordType::SessionEnd => {
                let status = Status::from_code(record.header.session_status_code);
                let first = model.session.status.unwrap_or(Status::Ok);
                model.session.status = Some(if first == Status::Ok { status } else { first });
                return Ok(());
            }
            RecordType::Unknown(_) => {
                model.skipped_records += 1;
                return Ok(());
            }
            RecordType::Chunk => {}
        }
        model.dropped_records += record.header.dropped_record_count;
        match record.content() {
            Some(Content::Devices) => self.devices(record)?,
            Some(Content::Queues) => {
                for row in record.rows::<Queue>() {
                    let (row, _) = row?;
                    self.stream(Stream {
                        device_ordinal: row.physical_device_ordinal,
                        queue_ordinal: row.queue_ordinal,
                        stream_id: row.stream_id,
                    });
                }
            }
            Some(Content::Functions) => {
                for row in record.rows::<Function>() {
                    let (row, name) = row?;
                    self.function(&row, name);
                }
            }
            Some(Content::CommandBuffers) => {
                for row in record.rows::<CommandBuffer>() {
                    row?;
                    self.model.command_buffers += 1;
                }
            }
            Some(Content::ClockCorrelations) => {
                for row in record.rows::<ClockCorrelation>() {
                    let (row, _) = row?;
                    self.device(row.physical_device_ordinal).samples.push(row);
                }
            }
            Some(Content::DispatchEvents) => self.dispatches(record)?,
            Some(Content::QueueDeviceEvents) => self.transfers(record)?,
            Some(_) => {}
            None => self.model.skipped_records += 1,
        }
        Ok(())
    }

    fn device(&mut self, ordinal: u32) -> &mut DeviceModel {
        let devices = &mut self.model.devices;
        let index = devices.iter().position(|device| device.ordinal == ordinal);
        let index = index.unwrap_or_else(|| {
            devices.push(DeviceModel {
                ordinal,
                ..DeviceModel::default()
            });
            devices.len() - 1
        });
        &mut devices[index]
    }

    fn devices(&mut self, record: &Record<'_>) -> Result<()> {
        for row in record.rows::<Device>() {
            self.device(row?.0.physical_device_ordinal);
        }
        for entry in DeviceExtension::find_all(record.extension) {
            let device = self.device(entry.physical_device_ordinal);
            if device.name.is_empty() {
                device.name = entry.name;
                device.architecture = entry.architecture;
                device.is_virtual = entry.is_virtual;
                device.tick_frequency_hz = entry.tick_frequency_hz;
            }
        }
        Ok(())
    }

    fn stream(&mut self, stream: Stream) -> u32 {
        let streams = &mut self.model.streams;
        *self.stream_index.entry(stream).or_insert_with(|| {
            streams.push(stream);
            to_u32(streams.len() - 1)
        })
    }

    /// Of two records with the same key the first one counts, as upstream has it.
    fn function(&mut self, row: &Function, name: &[u8]) {
        let key = (row.executable_id, row.function_ordinal);
        let functions = &mut self.model.functions;
        self.function_index.entry(key).or_insert_with(|| {
            functions.push(FunctionModel {
                executable_id: row.executable_id,
                ordinal: row.function_ordinal,
                name: String::from_utf8_lossy(name).into_owned(),
            });
            to_u32(functions.len() - 1)
        });
    }

    fn dispatches(&mut self, record: &Record<'_>) -> Result<()> {
        let stream = self.stream(Stream {
            device_ordinal: record.header.physical_device_ordinal,
            queue_ordinal: record.header.queue_ordinal,
            stream_id: record.header.stream_id,
        });
        for row in record.rows::<DispatchEvent>() {
            let (row, _) = row?;
            let key = (row.executable_id, row.function_ordinal);
            let function = self.function_index.get(&key).copied();
            if function.is_none() {
                self.unjoined
                    .push((self.model.dispatches.len(), key.0, key.1));
            }
            self.model.dispatches.push(Dispatch {
                event_id: row.event_id,
                command_buffer_id: row.command_buffer_id,
                command_index: row.command_index,
                stream,
                function: function.unwrap_or(NONE),
                workgroup_count: row.workgroup_count,
                workgroup_size: row.workgroup_size,
                start_tick: row.start_tick,
                end_tick: row.end_tick,
            });
        }
        Ok(())
    }

    fn transfers(&mut self, record: &Record<'_>) -> Result<()> {
        let not_transfers = [
            QueueOperation::Dispatch as u32,
            QueueOperation::Execute as u32,
        ];
        for row in record.rows::<QueueDeviceEvent>() {
            let (row, _) = row?;
            let stream = self.stream(Stream {
                device_ordinal: row.physical_device_ordinal,
                queue_ordinal: row.queue_ordinal,
                stream_id: row.stream_id,
            });
            if !not_transfers.contains(&row.kind) {
                self.model.transfers.push(Transfer {
                    kind: row.kind,
                    stream,
                    payload_length: row.payload_length,
                    start_tick: row.start_tick,
                    end_tick: row.end_tick,
                });
            }
        }
        Ok(())
    }

    fn note_recovery(&mut self, report: Report) {
        let notes = &mut self.model.notes;
        let added = report.dispatches_added;
        if let Some(process_id) = report.live_process {
            notes.push(format!(
                "process {process_id} still runs; this is what its device had finished by now"
            ));
        } else if !report.was_complete {
            notes.push(format!(
                "the session did not end cleanly; {added} dispatches come from its side file \
                 (`hrx recover` makes that permanent)"
            ));
        }
        if report.incomplete != 0 {
            let incomplete = report.incomplete;
            notes.push(format!("{incomplete} submitted events had not finished"));
        }
        if report.bytes_cut != 0 && report.live_process.is_none() {
            let bytes = report.bytes_cut;
            notes.push(format!(
                "{bytes} bytes of a half record at the end were left out"
            ));
        }
        notes.extend(report.notes.iter().cloned());
        self.model.recovery = Some(report);
    }

    fn join(&mut self) {
        for (index, executable_id, ordinal) in std::mem::take(&mut self.unjoined) {
            let functions = &mut self.model.functions;
            let function = *self
                .function_index
                .entry((executable_id, ordinal))
                .or_insert_with(|| {
                    let name = format!("unknown function {ordinal} of executable {executable_id}");
                    functions.push(FunctionModel {
                        executable_id,
                        ordinal,
                        name,
                    });
                    to_u32(functions.len() - 1)
                });
            self.model.dispatches[index].function = function;
        }
    }

    fn finish(mut self) -> Model {
        self.join();
        for index in 0..self.model.devices.len() {
            let device = &mut self.model.devices[index];
            device.clock = ClockFit::new(&device.samples);
            if device.clock.is_none() {
                device.clock = ClockFit::nominal(device.tick_frequency_hz);
                device.clock_is_nominal = device.clock.is_some();
                let ordinal = device.ordinal;
                let how = if device.clock_is_nominal {
                    "its nominal rate is used"
                } else {
                    "no times"
                };
                let note = format!(
                    "the clock of device {ordinal} cannot be fitted (fewer than two good samples): {how}"
                );
                self.model.notes.push(note);
            }
        }
        let model = &mut self.model;
        let invalid = model
            .dispatches
            .iter()
            .filter(|dispatch| dispatch.start_tick == 0 || dispatch.end_tick < dispatch.start_tick);
        let invalid = invalid.count();
        if invalid != 0 {
            model.notes.push(format!(
                "{invalid} dispatches have no valid times; they count as calls and in no time"
            ));
        }
        if model.dropped_records != 0 {
            let dropped = model.dropped_records;
            model
                .notes
                .push(format!("the session lost {dropped} records and says so"));
        }
        if let Some(status) = model.session.status.filter(|status| *status != Status::Ok) {
            model.notes.push(format!(
                "the session ended with {status}: it is not complete"
            ));
        }
        self.model
    }
}
