//! Signals that outlive a ring slot: for HIP events, for waits between queues, for interrupts.
//!
//! # Thread safety
//! A pool may be used by any thread. A signal belongs to who took it until the last clone of its
//! `Arc` is gone; a queue keeps a clone for as long as one of its packets names the signal.

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use hrx_abi::signal::{KIND_USER, Signal};
use parking_lot::Mutex;

use crate::device::{Allocation, Device, InterruptEvent, MemoryKind};
use crate::error::Result;

/// Bytes that the pool takes from the device at once: 1024 signals.
const CHUNK_BYTES: usize = 64 * 1024;

/// When a packet ran, in ticks of the device clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticks {
    /// Start of the packet.
    pub start: u64,
    /// End of the packet.
    pub end: u64,
}

/// The signals of a device.
#[derive(Debug)]
pub struct SignalPool {
    device: Arc<dyn Device>,
    state: Mutex<PoolState>,
}

#[derive(Debug, Default)]
struct PoolState {
    chunks: Vec<Allocation>,
    free: Vec<NonNull<Signal>>,
}

// SAFETY: the pointers are to signals in `chunks`, which live as long as the pool; signals are
// atomics.
unsafe impl Send for PoolState {}

impl SignalPool {
    /// An empty pool; it takes memory when the first signal is asked for.
    #[must_use]
    pub fn new(device: Arc<dyn Device>) -> Arc<Self> {
        Arc::new(Self {
            device,
            state: Mutex::default(),
        })
    }

    /// Takes a pending signal: value 1, no ticks.
    ///
    /// # Errors
    /// When the device has no memory.
    pub fn take(self: &Arc<Self>) -> Result<Arc<PooledSignal>> {
        let mut state = self.state.lock();
        if state.free.is_empty() {
            self.grow(&mut state)?;
        }
        let signal = state.free.pop().expect("`grow` has just added signals");
        drop(state);
        let pooled = PooledSignal {
            signal,
            pool: Arc::clone(self),
        };
        pooled.reset(None);
        Ok(Arc::new(pooled))
    }

    fn grow(&self, state: &mut PoolState) -> Result<()> {
        let chunk = self
            .device
            .allocate(CHUNK_BYTES, align_of::<Signal>(), MemoryKind::Control)?;
        let first = std::ptr::with_exposed_provenance_mut::<Signal>(chunk.address);
        let count = chunk.size / size_of::<Signal>();
        state.chunks.push(chunk);
        // The first signal of the chunk is handed out first.
        for index in (0..count).rev() {
            // SAFETY: `index` signals fit into the chunk, so the result stays inside it.
            let signal = unsafe { first.add(index) };
            state.free.extend(NonNull::new(signal));
        }
        Ok(())
    }
}

impl Drop for SignalPool {
    fn drop(&mut self) {
        for chunk in self.state.get_mut().chunks.drain(..) {
            if let Err(error) = self.device.free(chunk) {
                tracing::warn!(%error, "signal memory was not freed");
            }
        }
    }
}

/// A signal of a pool; it goes back there when the last `Arc` of it is dropped.
#[derive(Debug)]
pub struct PooledSignal {
    signal: NonNull<Signal>,
    pool: Arc<SignalPool>,
}

// SAFETY: the pointer is to a signal in a chunk of `pool`, which `self` keeps alive; it is all
// atomics.
unsafe impl Send for PooledSignal {}
// SAFETY: as above; shared access is through atomics.
unsafe impl Sync for PooledSignal {}

impl PooledSignal {
    /// Its address, for packets.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.signal.as_ptr().expose_provenance() as u64
    }

    /// Whether its packet has completed.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        // Acquire: pairs with the device's release decrement; ticks and results are visible then.
        self.signal().value.load(Acquire) == 0
    }

    /// When its packet ran, once it has completed.
    #[must_use]
    pub fn ticks(&self) -> Option<Ticks> {
        self.is_complete().then(|| Ticks {
            start: self.signal().start_ts.load(Relaxed),
            end: self.signal().end_ts.load(Relaxed),
        })
    }

    /// Makes it pending, with a mailbox to raise `event` through. The caller alone uses it.
    pub(crate) fn reset(&self, event: Option<&InterruptEvent>) {
        let signal = self.signal();
        // Relaxed: the release store of the header of the packet that names this signal publishes
        // it.
        signal.kind.store(KIND_USER, Relaxed);
        signal
            .event_mailbox_ptr
            .store(event.map_or(0, |event| event.mailbox), Relaxed);
        signal
            .event_id
            .store(event.map_or(0, |event| event.id), Relaxed);
        signal.start_ts.store(0, Relaxed);
        signal.end_ts.store(0, Relaxed);
        signal.value.store(1, Relaxed);
    }

    /// Completes it from the host, for packets that wait for it. See
    /// [`Queue::complete_on_host`](crate::queue::Queue::complete_on_host).
    pub(crate) fn complete(&self) {
        // Release: what the host did before is visible to the device when its packets go on.
        self.signal().value.store(0, Release);
    }

    /// Completes it without a packet. The caller alone uses it.
    pub(crate) fn cancel(&self) {
        self.signal().value.store(0, Relaxed);
    }

    fn signal(&self) -> &Signal {
        // SAFETY: the signal lies in a chunk of `pool`, mapped and aligned as long as `self` lives.
        unsafe { self.signal.as_ref() }
    }
}

impl Drop for PooledSignal {
    fn drop(&mut self) {
        self.pool.state.lock().free.push(self.signal);
    }
}
