//! Staging: small blocks of device-visible memory for copies whose source is ordinary host memory.
//!
//! The source is copied at once, so the program may overwrite it as soon as the call returns; the device
//! copies from the block when the stream gets there.
//!
//! # Thread safety
//! A block is one thread's from `take` to `put`, and the device's until the completion that came with it.

use std::sync::Arc;

use hrx_hal::MemoryKind;
use hrx_hal::memory::Buffer;
use hrx_hal::queue::{Completion, Queue};
use parking_lot::Mutex;

/// Size of a block: the largest copy that is staged.
pub(crate) const BLOCK_BYTES: usize = 64 << 10;
/// Blocks at most; when all are in use the copy waits for its turn instead.
const MOST_BLOCKS: usize = 64;

/// The blocks of a device.
#[derive(Debug, Default)]
pub(crate) struct Staging {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    made: usize,
    free: Vec<Buffer>,
    busy: Vec<(Buffer, Arc<Queue>, Completion)>,
}

impl Staging {
    /// A block that nobody uses, or `None`.
    pub(crate) fn take(&self, device: &Arc<dyn hrx_hal::Device>) -> Option<Buffer> {
        let mut state = self.state.lock();
        let State { free, busy, .. } = &mut *state;
        let done = |(_, queue, completion): &mut (Buffer, Arc<Queue>, Completion)| {
            queue.is_complete(completion)
        };
        free.extend(busy.extract_if(.., done).map(|(buffer, ..)| buffer));
        if let Some(buffer) = state.free.pop() {
            return Some(buffer);
        }
        if state.made == MOST_BLOCKS {
            return None;
        }
        let buffer = Buffer::allocate(device, BLOCK_BYTES, 4096, MemoryKind::HostFine).ok()?;
        state.made += 1;
        Some(buffer)
    }

    /// Gives a block back that the device uses until `completion`.
    pub(crate) fn put(&self, buffer: Buffer, queue: &Arc<Queue>, completion: Completion) {
        self.state
            .lock()
            .busy
            .push((buffer, Arc::clone(queue), completion));
    }

    /// Gives a block back that was not used after all.
    pub(crate) fn put_unused(&self, buffer: Buffer) {
        self.state.lock().free.push(buffer);
    }
}
