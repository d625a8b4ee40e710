//! The profile bundle: schema, writer, reader, recovery.
