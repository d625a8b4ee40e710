//! The profile bundle: schema, writer, reader, recovery.
//!
//! A bundle is upstream's `.ireeprof` file, so `iree-profile` reads it; the layouts are in [`schema`].
//! This crate knows formats only: no device, no HIP, no threads of its own.
//!
//! # A session writes
//!
//! ```no_run
//! use hrx_profile::schema::{Status, side};
//! use hrx_profile::{
//!     CompletedEvent, DeviceDescription, ExecutableDescription, Families, FileSink, Recorder,
//!     SessionDescription, SideFile, SideOptions,
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (device, executable) = (DeviceDescription::default(), ExecutableDescription::default());
//! # let sample = side::ClockSample::default();
//! # let info = side::EventInfo::default();
//! let bundle = std::path::Path::new("app.ireeprof");
//! // 1. The bundle, which also takes its lock, and the side file with the rings.
//! let sink = FileSink::create(bundle)?;
//! let side = SideFile::create(&SideOptions {
//!     bundle_path: bundle,
//!     session_id: 1,
//!     tick_frequency_hz: 100_000_000,
//!     directory: None,
//! })?;
//! let mut recorder = Recorder::create(
//!     sink,
//!     SessionDescription {
//!         session_id: 1,
//!         device_identifier: "amdgpu".into(),
//!         process_id: std::process::id(),
//!         program: "app".into(),
//!         side_file: Some((side.path().to_owned(), side.created_unix_ns())),
//!         families: Families::DISPATCH,
//!     },
//! )?;
//! // 2. Devices with two clock samples each; each sample goes into the side file too.
//! recorder.device(&device);
//! if let Some(numbered) = recorder.clock(&sample) {
//!     side.set_clock(&numbered);
//! }
//! // 3. A ring for each hardware queue; its memory is what the driver registers with the device.
//! let ring = side.add_ring(0, 0)?;
//! // 4. An executable before the first packet that names it.
//! recorder.executable(&executable);
//! // 5. A launch: reserve a position, reset the signal, publish, submit.
//! let position = ring.positions().write.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
//! ring.slot(position).signal.reset();
//! ring.slot(position).info.publish(position, &info);
//! // 6. A drain: completed events in ring order; when `events` returns, `durable` may move.
//! let done: Vec<CompletedEvent> = (0..=position)
//!     .map(|position| CompletedEvent::read(ring.slot(position), 0, 0))
//!     .collect();
//! recorder.events(&done);
//! // 7. The end: last clock samples, then the summary. Only a clean end removes the side file.
//! recorder.clock(&sample);
//! let (summary, _sink) = recorder.finish(Status::Ok);
//! side.remove()?;
//! # let _ = summary;
//! # Ok(())
//! # }
//! ```
//!
//! # A reader reads
//!
//! [`Reader`] goes through any bundle record by record in constant memory; [`Model`] joins everything for
//! reports; [`recover()`] completes a bundle whose process died.

#![deny(unsafe_code)]

mod batch;
mod cast;
mod clock;
mod describe;
mod encode;
mod error;
mod mmap;
pub mod model;
mod process;
mod reader;
mod recorder;
mod recover;
pub mod schema;
mod side;
mod sink;
mod writer;

pub use batch::Batch;
pub use clock::ClockFit;
pub use describe::*;
pub use encode::{Counts, Encoder};
pub use error::{Error, Result};
pub use model::Model;
pub use reader::{Reader, Record, Rows};
pub use recorder::{Recorder, Summary};
pub use recover::{Plan, Report, recover};
pub use side::{Leftovers, RingMemory, SideFile, SideOptions, SideReader};
pub use sink::{FileSink, Sink};
pub use writer::{Failure, Writer};
