//! Streams: work in order.
//!
//! A stream is a place on a hardware queue. Its launches are recorded under a command buffer that it
//! owns; the buffer is replaced after 256 launches and at each wait of the host.
//!
//! # Thread safety
//! Several threads may use one stream. Its lock is held over a submission, so that the order of command
//! indexes is the order in the queue; it is never held while waiting.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use hrx_hal::command::{CommandBuffer, CommandBufferUse};
use hrx_hal::queue::{Completion, Dispatch, EventKind, EventStatic, Queue};
use hrx_hal::signal::PooledSignal;
use parking_lot::Mutex;

use crate::host_work::{HostFunction, HostWork};

use crate::device::{Device, ImpliedWaits, StreamKind};
use crate::error::{Result, RuntimeError};
use crate::kernel::{Arguments, HiddenValues, Kernel, LaunchDims};

/// Packets always have three dimensions, unused ones being 1, as AMD's runtime sends them.
const DIMENSIONS: u16 = 3;

/// A stream.
#[derive(Debug)]
pub struct Stream {
    device: Arc<Device>,
    kind: StreamKind,
    priority: i32,
    ordinal: u32,
    lane: usize,
    queue: Arc<Queue>,
    wait_policy: AtomicU32,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    commands: CommandBuffer,
    /// The last of what was submitted.
    last: Option<Completion>,
    /// Where host functions run, once there was one.
    host_work: Option<HostWork>,
}

/// What a submission is, beside the kernel and its arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Purpose {
    pub(crate) kind: EventKind,
    pub(crate) payload_bytes: u64,
    pub(crate) correlation_id: u64,
}

impl Stream {
    /// A new stream of a device. `priority` is kept for who asks.
    ///
    /// # Errors
    /// When a hardware queue cannot be made.
    pub fn create(device: &Arc<Device>, kind: StreamKind, priority: i32) -> Result<Arc<Self>> {
        device.healthy()?;
        let lane = device.enter_lane(kind);
        let queue = match device.queue(lane) {
            Ok(queue) => Arc::clone(queue),
            Err(error) => {
                device.leave_lane(lane);
                return Err(error);
            }
        };
        let ordinal = if kind == StreamKind::Legacy {
            0
        } else {
            device.next_stream_ordinal()
        };
        let state = State {
            commands: CommandBuffer::new(CommandBufferUse::Once),
            last: None,
            host_work: None,
        };
        Ok(Arc::new(Self {
            device: Arc::clone(device),
            kind,
            priority,
            ordinal,
            lane,
            queue,
            wait_policy: AtomicU32::new(0),
            state: Mutex::new(state),
        }))
    }

    /// Its device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// How it is ordered with the null stream.
    pub fn kind(&self) -> StreamKind {
        self.kind
    }

    /// The priority that it was created with.
    pub fn priority(&self) -> i32 {
        self.priority
    }

    /// How the program wants the host to wait, in its own numbers; 0 until it says. Kept for who asks:
    /// a wait looks for a while and then sleeps, whatever stands here.
    pub fn wait_policy(&self) -> u32 {
        // Relaxed: a value by itself.
        self.wait_policy.load(Relaxed)
    }

    /// Keeps how the program wants the host to wait.
    pub fn set_wait_policy(&self, policy: u32) {
        self.wait_policy.store(policy, Relaxed);
    }

    /// Its number in the device and in the bundle; 0 is the null stream.
    pub fn ordinal(&self) -> u32 {
        self.ordinal
    }

    pub(crate) fn lane(&self) -> usize {
        self.lane
    }

    pub(crate) fn queue(&self) -> &Arc<Queue> {
        &self.queue
    }

    /// Launches a kernel of the program. `correlation_id` names the API call, or is 0.
    ///
    /// # Errors
    /// [`RuntimeError::Launch`] when the kernel cannot run like this; the device's fault. Nothing was
    /// submitted then.
    pub fn launch(
        &self,
        kernel: &Kernel,
        dims: &LaunchDims,
        arguments: &dyn Arguments,
        correlation_id: u64,
    ) -> Result<()> {
        kernel.check(dims)?;
        let purpose = Purpose {
            kind: EventKind::Dispatch,
            payload_bytes: 0,
            correlation_id,
        };
        self.submit(kernel, dims, arguments, purpose).map(|_| ())
    }

    /// Submits a kernel, ours or the program's.
    pub(crate) fn submit(
        &self,
        kernel: &Kernel,
        dims: &LaunchDims,
        arguments: &dyn Arguments,
        purpose: Purpose,
    ) -> Result<Completion> {
        self.device.healthy()?;
        let waits = self.device.implied_waits(self.kind, self.lane)?;
        let hidden = HiddenValues {
            queue: self.queue.address(),
            ..HiddenValues::default()
        };
        let place = kernel.place();
        let layout = kernel.layout();
        let group = dims
            .group()
            .map(|size| u16::try_from(size).expect("checked: at most 1024"));

        let mut state = self.state.lock();
        if state.commands.is_full() {
            state.commands = CommandBuffer::new(CommandBufferUse::Once);
        }
        let dispatch = Dispatch {
            kernel_object: place.object,
            grid: dims.items(),
            workgroup: group,
            dimensions: DIMENSIONS,
            lanes: kernel.info().wavefront_size,
            private_bytes: kernel.private_bytes(),
            group_bytes: kernel.group_bytes(dims),
            kernarg_len: layout.bytes() as usize,
            kernarg_align: layout.alignment() as usize,
            event: EventStatic {
                command: state.commands.next_command(),
                submission_id: 0,
                executable_id: place.executable_id,
                function_ordinal: place.function_ordinal,
                stream_ordinal: self.ordinal,
                correlation_id: purpose.correlation_id,
                dynamic_lds_bytes: dims.dynamic_lds_bytes(),
                kind: purpose.kind,
                payload_bytes: purpose.payload_bytes,
                selected: true,
            },
            waits: &waits.signals,
        };
        let submitted = self.queue.dispatch(&dispatch, &mut |block| {
            layout.write(block, arguments, dims, &hidden)
        });
        let completion = self.device.check(submitted)?;
        self.note(&mut state, &completion, &waits);
        Ok(completion)
    }

    /// Holds back what follows until `signal` has completed.
    pub(crate) fn wait_signal(&self, signal: &Arc<PooledSignal>) -> Result<()> {
        self.device.healthy()?;
        let mut state = self.state.lock();
        let barrier = self.queue.barrier(std::slice::from_ref(signal), None);
        let completion = self.device.check(barrier)?;
        self.note(&mut state, &completion, &ImpliedWaits::default());
        Ok(())
    }

    /// Submits a marker: `signal` completes, with ticks, when all before it has.
    pub(crate) fn mark(&self, signal: &Arc<PooledSignal>) -> Result<Completion> {
        self.device.healthy()?;
        let waits = self.device.implied_waits(self.kind, self.lane)?;
        let mut state = self.state.lock();
        let barrier = self.queue.barrier(&waits.signals, Some(Arc::clone(signal)));
        let completion = self.device.check(barrier)?;
        self.note(&mut state, &completion, &waits);
        Ok(completion)
    }

    /// Calls a function of the host, on a thread of the stream's own, when all before it is done; what
    /// follows waits for it.
    ///
    /// # Errors
    /// No thread, no memory for signals; the device's fault. The function is not called then.
    pub fn call_host(&self, function: HostFunction) -> Result<()> {
        self.device.healthy()?;
        let waits = self.device.implied_waits(self.kind, self.lane)?;
        let (reached, finished) = (self.device.signals().take()?, self.device.signals().take()?);
        let mut state = self.state.lock();
        let work = match &state.host_work {
            Some(work) => work.clone(),
            None => HostWork::start(&self.device, &self.queue)?,
        };
        state.host_work.get_or_insert_with(|| work.clone());
        let before = self
            .queue
            .barrier(&waits.signals, Some(Arc::clone(&reached)));
        let before = self.device.check(before)?;
        let after = self.queue.barrier(std::slice::from_ref(&finished), None);
        let after = self.device.check(after)?;
        self.note(&mut state, &after, &waits);
        work.call(before, finished, function);
        Ok(())
    }

    fn note(&self, state: &mut State, completion: &Completion, waits: &ImpliedWaits) {
        state.last = Some(completion.clone());
        // A marker has no position; it does nothing that others would have to wait for.
        let end = completion.position().map_or(0, |position| position + 1);
        self.device.submitted(self.kind, self.lane, end, waits);
    }

    /// Waits until the stream's work is done; for the null stream that of all blocking streams too.
    ///
    /// # Errors
    /// The device's fault.
    pub fn synchronize(&self) -> Result<()> {
        self.wait(self.kind == StreamKind::Legacy)
    }

    /// Waits until the host may do the stream's next operation itself.
    pub(crate) fn wait_turn(&self) -> Result<()> {
        self.wait(true)
    }

    fn wait(&self, order: bool) -> Result<()> {
        self.device.healthy()?;
        if order {
            self.device.wait_for_order(self.kind, self.lane)?;
        }
        let last = {
            let mut state = self.state.lock();
            // The host sees this wait, so the next launch begins a command buffer of its own.
            if !state.commands.is_empty() {
                state.commands = CommandBuffer::new(CommandBufferUse::Once);
            }
            state.last.clone()
        };
        if let Some(last) = last {
            self.device.check(self.queue.wait(&last))?;
        }
        Ok(())
    }

    /// Whether the stream's work is done; for the null stream that of all blocking streams, too.
    ///
    /// # Errors
    /// [`RuntimeError::NotReady`]; the device's fault.
    pub fn query(&self) -> Result<()> {
        self.device.healthy()?;
        let last = self.state.lock().last.clone();
        let done = last.is_none_or(|last| self.queue.is_complete(&last));
        if done && self.device.order_is_reached(self.kind) {
            return Ok(());
        }
        // The look may have brought a fault to light.
        self.device.healthy()?;
        Err(RuntimeError::NotReady)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.device.leave_lane(self.lane);
    }
}
