//! A gfx1151 in this process, behind the KFD ABI.
//!
//! [`Vgpu`] answers what a client asks of the kernel driver: files of the topology tree, `open`, `ioctl`,
//! `mmap`. Behind it stand the device's own view of memory, its queues, its events, its clock, and a
//! packet processor whose workers run kernels with `hrx-gfx`.
//!
//! It enforces the kernel's rules and forgives nothing: a client that is wrong here would be wrong on
//! silicon. What it adds, and silicon lacks, are [`Vgpu::name_code`] and [`Vgpu::last_fault`]: names in,
//! and a fault's kernel, address, work-group and lane out. Nothing may depend on them.
//!
//! # Thread safety
//! Every method may be called from any thread. A dropped `Vgpu` stops its workers first.
//!
//! # Unsafe code
//! Guest memory is reached in `kernel::memory` alone, which also owns the mappings. `kernel::user` copies
//! from and to addresses that a client named, by system calls that check them; `kernel::ioctl` copies the
//! arguments themselves, and the system calls of [`Vgpu`] hand their caller's promises down. One system call
//! reads the clocks. The rest is safe.

#![deny(unsafe_code)]

mod device;
mod errno;
mod kernel;
mod options;
mod processor;
mod vgpu;

pub use errno::Errno;
pub use kernel::files;
pub use options::Options;
pub use processor::{FaultDetail, Watch};
pub use vgpu::{Fd, Vgpu};
