//! Events: markers in a stream, with the device's time.
//!
//! # Thread safety
//! An event may be recorded again while another thread waits for it: the waiter keeps what it found.

use std::sync::Arc;

use hrx_hal::queue::{Completion, Queue};
use hrx_hal::signal::PooledSignal;
use parking_lot::Mutex;

use crate::device::Device;
use crate::error::{Result, RuntimeError};
use crate::stream::Stream;

/// An event.
#[derive(Debug)]
pub struct Event {
    device: Arc<Device>,
    flags: u32,
    timed: bool,
    recorded: Mutex<Option<Recorded>>,
}

/// The last recording.
#[derive(Clone, Debug)]
struct Recorded {
    signal: Arc<PooledSignal>,
    completion: Completion,
    queue: Arc<Queue>,
    lane: usize,
}

impl Event {
    /// A new event. `flags` are kept for who asks; `timed` says whether elapsed times may be asked for.
    pub fn new(device: &Arc<Device>, flags: u32, timed: bool) -> Arc<Self> {
        Arc::new(Self {
            device: Arc::clone(device),
            flags,
            timed,
            recorded: Mutex::default(),
        })
    }

    /// The flags that it was created with.
    pub fn flags(&self) -> u32 {
        self.flags
    }

    /// Its device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Marks the end of what is in the stream now. Replaces an earlier recording.
    ///
    /// # Errors
    /// [`RuntimeError::DeviceMismatch`]; no memory for signals; the device's fault.
    pub fn record(&self, stream: &Stream) -> Result<()> {
        if self.device.ordinal() != stream.device().ordinal() {
            return Err(RuntimeError::DeviceMismatch {
                event: self.device.ordinal(),
                stream: stream.device().ordinal(),
            });
        }
        let signal = self.device.signals().take()?;
        // The lock is held over the submission: of two threads that record, the later packet wins.
        let mut recorded = self.recorded.lock();
        let completion = stream.mark(&signal)?;
        let queue = Arc::clone(stream.queue());
        *recorded = Some(Recorded {
            signal,
            completion,
            queue,
            lane: stream.lane(),
        });
        Ok(())
    }

    /// Whether the recorded work is done; so is an event that was never recorded.
    ///
    /// # Errors
    /// [`RuntimeError::NotReady`]; the device's fault.
    pub fn query(&self) -> Result<()> {
        self.device.healthy()?;
        match self.recorded() {
            Some(recorded) if !recorded.queue.is_complete(&recorded.completion) => {
                self.device.healthy()?;
                Err(RuntimeError::NotReady)
            }
            _ => Ok(()),
        }
    }

    /// Waits until the recorded work is done.
    ///
    /// # Errors
    /// The device's fault.
    pub fn synchronize(&self) -> Result<()> {
        self.device.healthy()?;
        match self.recorded() {
            Some(recorded) => self.device.check(recorded.queue.wait(&recorded.completion)),
            None => Ok(()),
        }
    }

    /// Holds back what follows in `stream` until the recorded work is done. Does nothing for an event
    /// that was never recorded.
    ///
    /// # Errors
    /// The device's fault.
    pub fn hold_back(&self, stream: &Stream) -> Result<()> {
        stream.device().healthy()?;
        match self.recorded() {
            // Work of one lane is in order already.
            Some(recorded) if recorded.lane != stream.lane() && !recorded.signal.is_complete() => {
                stream.wait_signal(&recorded.signal)
            }
            _ => Ok(()),
        }
    }

    /// Milliseconds of device time from this event to `stop`.
    ///
    /// # Errors
    /// [`RuntimeError::NeverRecorded`], [`RuntimeError::TimingDisabled`], [`RuntimeError::NotReady`]; the
    /// device's fault.
    pub fn elapsed_ms(&self, stop: &Event) -> Result<f32> {
        let (start, end) = (self.recorded(), stop.recorded());
        let (Some(start), Some(end)) = (start, end) else {
            return Err(RuntimeError::NeverRecorded);
        };
        if !self.timed || !stop.timed {
            return Err(RuntimeError::TimingDisabled);
        }
        let (Some(from), Some(to)) = (start.signal.ticks(), end.signal.ticks()) else {
            self.query()?;
            stop.query()?;
            return Err(RuntimeError::NotReady);
        };
        let ticks = i128::from(to.end) - i128::from(from.end);
        let tick_hz = self.device.properties().tick_hz.max(1);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the call's result is a float"
        )]
        #[expect(clippy::cast_precision_loss, reason = "the call's result is a float")]
        Ok((ticks as f64 * 1000.0 / tick_hz as f64) as f32)
    }

    fn recorded(&self) -> Option<Recorded> {
        self.recorded.lock().clone()
    }
}
