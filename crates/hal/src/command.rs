//! Command buffers: the identity under which launches are profiled.
//!
//! There is one constructor. It always gives an identity and always asks to retain profile
//! metadata, because a session may start later than the buffer: whether a session wants a launch is
//! asked when the launch is submitted, never here.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};

bitflags::bitflags! {
    /// Creation mode, with the bits of the bundle's command-buffer record.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct CommandBufferMode: u64 {
        /// Runs once; a stream's buffer.
        const ONE_SHOT = 0x1;
        /// Its launches may be profiled.
        const RETAIN_PROFILE_METADATA = 0x80;
    }
}

/// How often a command buffer runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CommandBufferUse {
    /// Once: what a stream records its launches under.
    Once,
    /// Any number of times: a graph's.
    Repeated,
}

/// Launches that one buffer of a stream covers at most.
pub const LAUNCHES_PER_BUFFER: u32 = 256;

/// 0 is "no command buffer" in the bundle.
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// The identity of a run of launches.
#[derive(Debug)]
pub struct CommandBuffer {
    id: u64,
    mode: CommandBufferMode,
    next_index: AtomicU32,
}

impl CommandBuffer {
    /// A command buffer with an id that no other in this process has.
    #[must_use]
    pub fn new(usage: CommandBufferUse) -> Self {
        let mut mode = CommandBufferMode::RETAIN_PROFILE_METADATA;
        if usage == CommandBufferUse::Once {
            mode |= CommandBufferMode::ONE_SHOT;
        }
        if cfg!(feature = "fault-mask-retain") {
            mode -= CommandBufferMode::RETAIN_PROFILE_METADATA;
        }
        Self {
            // Relaxed: hands out numbers, no data.
            id: NEXT_ID.fetch_add(1, Relaxed),
            mode,
            next_index: AtomicU32::new(0),
        }
    }

    /// From 1 upward, unique in the process.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// How it was created.
    #[must_use]
    pub fn mode(&self) -> CommandBufferMode {
        self.mode
    }

    /// Takes the next operation index, from 0.
    #[must_use]
    pub fn next_index(&self) -> u32 {
        // Relaxed: hands out numbers, no data.
        self.next_index.fetch_add(1, Relaxed)
    }

    /// Indices taken so far.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.next_index.load(Relaxed)
    }

    /// Whether no index was taken yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a stream should go on with a fresh buffer.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.len() >= LAUNCHES_PER_BUFFER
    }

    /// Takes the next index and names the operation for a submission.
    #[must_use]
    pub fn next_command(&self) -> Command {
        self.command(self.next_index())
    }

    /// Names operation `index` for a submission.
    #[must_use]
    pub fn command(&self, index: u32) -> Command {
        Command {
            buffer_id: self.id,
            mode: self.mode,
            index,
        }
    }
}

/// One operation of a command buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// [`CommandBuffer::id`].
    pub buffer_id: u64,
    /// [`CommandBuffer::mode`].
    pub mode: CommandBufferMode,
    /// Operation within the buffer.
    pub index: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_buffer_has_an_id_of_its_own_and_none_is_zero() {
        let (one, other) = (
            CommandBuffer::new(CommandBufferUse::Once),
            CommandBuffer::new(CommandBufferUse::Repeated),
        );
        assert!(one.id() != 0 && other.id() != 0 && one.id() != other.id());
    }

    #[test]
    #[cfg(not(feature = "fault-mask-retain"))]
    fn every_buffer_retains_profile_metadata() {
        for usage in [CommandBufferUse::Once, CommandBufferUse::Repeated] {
            let mode = CommandBuffer::new(usage).mode();
            assert!(mode.contains(CommandBufferMode::RETAIN_PROFILE_METADATA));
            assert_eq!(
                mode.contains(CommandBufferMode::ONE_SHOT),
                usage == CommandBufferUse::Once
            );
        }
        // The values of the bundle's record.
        assert_eq!(
            CommandBuffer::new(CommandBufferUse::Once).mode().bits(),
            0x81
        );
    }

    #[test]
    fn a_buffer_is_full_after_256_operations() {
        let buffer = CommandBuffer::new(CommandBufferUse::Once);
        for index in 0..256 {
            assert!(!buffer.is_full());
            assert_eq!(buffer.next_command().index, index);
        }
        assert!(buffer.is_full());
    }
}
