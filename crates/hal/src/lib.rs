//! What a device does: memory, queues, signals, clocks, the event ring.
