//! Functions of the host in stream order.
//!
//! 1. The stream submits a marker, and a barrier that waits for a signal of ours.
//! 2. Its thread waits for the marker, calls the function, and completes the signal.
//!
//! A callback may take as long as it likes and block on other streams' work; it holds up its own lane and
//! nobody who retires, drains or waits elsewhere.
//!
//! # Thread safety
//! Functions of one stream run one after the other, in the order of submission, on the same thread. The
//! thread ends when the stream is gone and its last function has run; nobody waits for it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use hrx_hal::queue::{Completion, Queue};
use hrx_hal::signal::PooledSignal;

use crate::device::Device;
use crate::error::{Result, RuntimeError};

/// A function of the host. It is told whether what came before it has succeeded.
pub type HostFunction = Box<dyn FnOnce(Result<()>) + Send>;

/// The way to a stream's thread.
#[derive(Clone, Debug)]
pub(crate) struct HostWork {
    tasks: Sender<Task>,
}

struct Task {
    before: Completion,
    finished: Arc<PooledSignal>,
    function: HostFunction,
}

impl HostWork {
    pub(crate) fn start(device: &Arc<Device>, queue: &Arc<Queue>) -> Result<Self> {
        let (tasks, received) = channel::<Task>();
        let (device, queue) = (Arc::clone(device), Arc::clone(queue));
        let spawned = std::thread::Builder::new()
            .name("hrx-host-function".to_owned())
            .spawn(move || {
                for Task {
                    before,
                    finished,
                    function,
                } in received
                {
                    let outcome = device.check(queue.wait(&before));
                    // What the function does is the program's; the stream goes on either way.
                    let called = catch_unwind(AssertUnwindSafe(|| function(outcome)));
                    queue.complete_on_host(&finished);
                    if called.is_err() {
                        tracing::error!("a host function panicked");
                    }
                }
            });
        spawned.map_err(|error| RuntimeError::NoThread(Arc::new(error)))?;
        Ok(Self { tasks })
    }

    /// Calls `function` when `before` is reached and completes `finished` when it has returned.
    pub(crate) fn call(
        &self,
        before: Completion,
        finished: Arc<PooledSignal>,
        function: HostFunction,
    ) {
        // The thread lives as long as there is a sender.
        let _ = self.tasks.send(Task {
            before,
            finished,
            function,
        });
    }
}
