//! Waiting: a short spin, then sleep until an interrupt.
//!
//! Event slots have no mailbox, so a waiter that goes to sleep submits a barrier whose signal has
//! one. Work that others submit in between delays that barrier, so the sleep is bounded and the
//! waiter looks for itself; at the longest interval that costs a thousandth of a core.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use super::submit::Shortage;
use super::{Completion, Point, Queue};
use crate::device::{Device, InterruptEvent, MemoryKind, WaitOutcome};
use crate::error::{HalError, Result};
use crate::memory::Buffer;
use crate::signal::PooledSignal;

/// How long a waiter spins: longer than a short kernel takes, shorter than a wake-up costs twice.
const SPIN: Duration = Duration::from_micros(50);
/// First and longest interval of a sleeping waiter's own looks.
const FIRST_SLEEP: Duration = Duration::from_millis(1);
const LONGEST_SLEEP: Duration = Duration::from_millis(16);
/// Interval of looks where nothing can interrupt: a full ring.
const FULL_RING_SLEEP: Duration = Duration::from_micros(100);
/// Looks at unfinished work between two questions to the system whether the device faulted.
const POLLS_PER_FAULT_CHECK: u64 = 256;

/// A signal that raises an event.
#[derive(Debug)]
pub(super) struct Interrupt {
    event: InterruptEvent,
    signal: Arc<PooledSignal>,
}

impl Interrupt {
    /// Gives the event back. No packet may name the signal any more.
    pub(super) fn destroy(self, device: &dyn Device) {
        if let Err(error) = device.destroy_event(self.event) {
            tracing::warn!(%error, "interrupt event was not destroyed");
        }
    }
}

const ACQUIRE_MEM_DWORDS: u32 = 8;

/// PM4 `ACQUIRE_MEM`: all of memory, instruction, scalar, vector, L1 and L2 caches invalidated,
/// dirty lines of L2 written back first.
const ACQUIRE_MEM: [u32; ACQUIRE_MEM_DWORDS as usize] = [
    // Type 3, opcode 0x58, 7 dwords of body.
    0xC006_5800,
    // CP_COHER_CNTL: unused since gfx10.
    0,
    // Size and base in units of 256 bytes: everything.
    0xffff_ffff,
    0x00ff_ffff,
    0,
    0,
    // Poll interval.
    0xA,
    // GCR_CNTL: GLI_INV all (1), GLM_WB (4), GLM_INV (5), GLK_WB (6), GLK_INV (7), GLV_INV (8),
    // GL1_INV (9), GL2_INV (14), GL2_WB (15).
    1 | 0b11_1111 << 4 | 0b11 << 14,
];

impl Queue {
    /// Whether the work up to `completion` is done. Never blocks; after a fault it stays false for
    /// what was unfinished then, and [`Device::fault`] tells why.
    #[must_use]
    pub fn is_complete(&self, completion: &Completion) -> bool {
        debug_assert_eq!(
            completion.queue, self.ordinal,
            "asked the queue that has the work"
        );
        if self.is_done(&completion.point) {
            return true;
        }
        // Relaxed: counts looks, orders nothing.
        if self.polls.fetch_add(1, Relaxed) % POLLS_PER_FAULT_CHECK == POLLS_PER_FAULT_CHECK - 1 {
            // A caller that only polls would otherwise never hear of a fault.
            let _ = self.device.poll_fault();
        }
        false
    }

    /// Waits until the work up to `completion` is done.
    ///
    /// # Errors
    /// The device's fault, if it comes first.
    pub fn wait(&self, completion: &Completion) -> Result<()> {
        self.wait_until(&completion.point, None).map(|_| ())
    }

    /// Waits until the work up to `completion` is done, at most for `limit`; returns whether it is.
    ///
    /// # Errors
    /// The device's fault, if it comes first.
    pub fn wait_for(&self, completion: &Completion, limit: Duration) -> Result<bool> {
        self.wait_until(&completion.point, Instant::now().checked_add(limit))
    }

    /// Waits until all that was submitted so far is done, at most for `limit` if there is one;
    /// returns whether it is.
    ///
    /// # Errors
    /// The device's fault, if it comes first.
    pub fn wait_idle(&self, limit: Option<Duration>) -> Result<bool> {
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        match self.tail() {
            Some(completion) => self.wait_until(&completion.point, deadline),
            None => Ok(true),
        }
    }

    /// Makes the device forget instructions that it has fetched: needed after code was written,
    /// before it runs. Returns when it is done.
    ///
    /// # Errors
    /// The device's fault, or no memory.
    pub fn invalidate_code(&self) -> Result<()> {
        let bytes: &[u8] = bytemuck::cast_slice(&ACQUIRE_MEM);
        let buffer = Buffer::allocate(&self.device, bytes.len(), 4096, MemoryKind::Control)?;
        buffer.write(0, bytes)?;
        let address = buffer.address() as u64;
        let completion = self.run_pm4(address, ACQUIRE_MEM_DWORDS)?;
        self.wait(&completion)
    }

    fn is_done(&self, point: &Point) -> bool {
        match point {
            Point::Position(position) => self.events.is_complete(*position),
            Point::Signal(signal) => signal.is_complete(),
        }
    }

    fn wait_until(&self, point: &Point, deadline: Option<Instant>) -> Result<bool> {
        let done = || self.is_done(point);
        if done() {
            self.retire();
            return Ok(true);
        }
        let complete = self.spin(&done, deadline)? || self.sleep(&done, deadline)?;
        self.retire();
        Ok(complete)
    }

    /// Looks for a short while, and lends the thread to an emulated device.
    fn spin(&self, done: &dyn Fn() -> bool, deadline: Option<Instant>) -> Result<bool> {
        let expired = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.device.assist(&|| done() || expired());
        // Counted from here on: as long as this thread ran the device itself it did not wait.
        let end = Instant::now() + SPIN;
        loop {
            for _ in 0..64 {
                if done() {
                    return Ok(true);
                }
                std::hint::spin_loop();
            }
            self.check_fault()?;
            if Instant::now() >= end || expired() {
                return Ok(false);
            }
            self.device.assist(&|| done() || expired());
        }
    }

    /// Sleeps until an interrupt behind the work, or `deadline`.
    fn sleep(&self, done: &dyn Fn() -> bool, deadline: Option<Instant>) -> Result<bool> {
        let interrupt = self.arm_interrupt();
        let outcome = self.sleep_on(interrupt.as_ref(), done, deadline);
        if let Some(interrupt) = interrupt {
            self.interrupts.lock().push(interrupt);
        }
        outcome
    }

    fn sleep_on(
        &self,
        interrupt: Option<&Interrupt>,
        done: &dyn Fn() -> bool,
        deadline: Option<Instant>,
    ) -> Result<bool> {
        let mut interval = FIRST_SLEEP;
        loop {
            if done() {
                return Ok(true);
            }
            self.check_fault()?;
            let mut timeout = interval;
            if let Some(deadline) = deadline {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Ok(false);
                }
                timeout = timeout.min(left);
            }
            match interrupt {
                Some(interrupt) => {
                    let outcome = self.device.wait_events(&[&interrupt.event], timeout)?;
                    if outcome == WaitOutcome::Faulted && !done() {
                        self.check_fault()?;
                    }
                }
                None => {
                    std::thread::sleep(timeout.min(FULL_RING_SLEEP));
                    let _ = self.device.poll_fault();
                }
            }
            interval = (interval * 2).min(LONGEST_SLEEP);
        }
    }

    /// An interrupt behind all that was submitted so far, if one can be had.
    fn arm_interrupt(&self) -> Option<Interrupt> {
        let mut idle = self.interrupts.lock();
        // One whose barrier a waiter did not wait for may still be on its way.
        let found = idle
            .iter()
            .position(|interrupt| interrupt.signal.is_complete());
        let found = found.map(|index| idle.swap_remove(index));
        drop(idle);
        let interrupt = match found {
            Some(interrupt) => interrupt,
            None => Interrupt {
                signal: self.signals.take().ok()?,
                event: self.device.create_event().ok()?,
            },
        };
        interrupt.signal.reset(Some(&interrupt.event));
        if self.try_signal(&interrupt.signal) {
            return Some(interrupt);
        }
        interrupt.signal.cancel();
        self.interrupts.lock().push(interrupt);
        None
    }

    /// Waits until something that was short may be there.
    pub(super) fn relieve(&self, shortage: Shortage) -> Result<()> {
        let done = || match shortage {
            Shortage::Packets { until } => self.packets_read() >= until,
            Shortage::Oldest { position } => self.events.is_complete(position),
            Shortage::Collector { position } => self.events.state().durable > position,
            Shortage::Idle { events, packets } => self.is_idle(events, packets),
        };
        loop {
            if let Shortage::Collector { .. } = shortage {
                // Frees the slots itself if the session has ended meanwhile.
                self.events.retire();
                self.events.take(1);
                if let Some(sink) = &self.sink {
                    sink.wake();
                }
            }
            if done() {
                return Ok(());
            }
            self.device.assist(&done);
            if done() {
                return Ok(());
            }
            std::thread::sleep(FULL_RING_SLEEP);
            if !done()
                && let Some(fault) = self.device.poll_fault()
            {
                return Err(HalError::DeviceFault(fault));
            }
        }
    }

    fn check_fault(&self) -> Result<()> {
        match self.device.fault() {
            Some(fault) => Err(HalError::DeviceFault(fault)),
            None => Ok(()),
        }
    }
}
