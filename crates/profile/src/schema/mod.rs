//! The layouts: what lies in the bundle and in its side file, byte for byte.

pub mod side;
