//! The HIP 7.2 C ABI.
