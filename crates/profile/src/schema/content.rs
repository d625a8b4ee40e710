//! Content types: what a record's payload is.

/// What every content type starts with.
const PREFIX: &str = "application/vnd.iree.hal.profile.";

macro_rules! contents {
    ($($(#[$doc:meta])* $name:ident = $suffix:literal,)+) => {
        /// What a record carries.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Content {
            $($(#[$doc])* $name,)+
        }

        impl Content {
            /// All of them, in the order of the enum.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// The content type in full, as it stands in the file.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => concat!("application/vnd.iree.hal.profile.", $suffix),)+
                }
            }
        }
    };
}

contents! {
    /// Session begin and end.
    Session = "session",
    /// [`Device`](super::Device) records.
    Devices = "devices",
    /// [`Queue`](super::Queue) records.
    Queues = "queues",
    /// [`Executable`](super::Executable) records.
    Executables = "executables",
    /// [`CodeObject`](super::CodeObject) records, each followed by its image.
    CodeObjects = "executable-code-objects",
    /// [`CodeObjectLoad`](super::CodeObjectLoad) records.
    CodeObjectLoads = "executable-code-object-loads",
    /// [`Function`](super::Function) records, each followed by its name.
    Functions = "executable-functions",
    /// [`CommandBuffer`](super::CommandBuffer) records.
    CommandBuffers = "command-buffers",
    /// [`CommandOperation`](super::CommandOperation) records.
    CommandOperations = "command-operations",
    /// [`ClockCorrelation`](super::ClockCorrelation) records.
    ClockCorrelations = "clock-correlations",
    /// [`DispatchEvent`](super::DispatchEvent) records of one queue.
    DispatchEvents = "dispatch-events",
    /// [`QueueEvent`](super::QueueEvent) records.
    QueueEvents = "queue-events",
    /// [`QueueDeviceEvent`](super::QueueDeviceEvent) records.
    QueueDeviceEvents = "queue-device-events",
    /// [`EventRelationship`](super::EventRelationship) records.
    EventRelationships = "event-relationships",
    /// [`MemoryEvent`](super::MemoryEvent) records.
    MemoryEvents = "memory-events",
}

impl Content {
    /// How many there are.
    pub const COUNT: usize = Self::ALL.len();

    /// The content that this type names; `None` for one that we do not read.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let suffix = text.strip_prefix(PREFIX.as_bytes())?;
        Self::ALL
            .iter()
            .copied()
            .find(|content| content.suffix().as_bytes() == suffix)
    }

    /// The last part of the content type, for people.
    pub fn suffix(self) -> &'static str {
        &self.as_str()[PREFIX.len()..]
    }

    /// Place in [`Content::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_content_type_parses_back_and_no_other_does() {
        for content in Content::ALL {
            assert_eq!(Content::parse(content.as_str().as_bytes()), Some(*content));
        }
        assert_eq!(
            Content::parse(b"application/vnd.iree.hal.profile.counters"),
            None
        );
        assert_eq!(Content::parse(b"devices"), None);
    }
}
