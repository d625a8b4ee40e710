//! What HIP means: contexts, streams, events, modules, memory, profile sessions.
