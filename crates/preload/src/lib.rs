//! `libhrx_vgpu.so`: the virtual gfx1151 under programs that open `/dev/kfd` themselves.
//!
//! `LD_PRELOAD=libhrx_vgpu.so program` puts this library's functions in front of libc's. What a program
//! asks of the device's nodes and of its part of `/sys` is answered by `hrx-vgpu` in the same process; all
//! else goes to libc as it came. So AMD's own ROCr and HIP run here unmodified, and a mistake that our client
//! and our device share cannot hide from them.
//!
//! - `places` says which paths are the device's; `tree` is a folder of real files that stands in for its part
//!   of `/sys`, so that `opendir`, `readdir` and `fopen` work natively.
//! - `nodes`: an open device node is a memfd of its own, known by device and inode number. So duplicates of a
//!   descriptor, of whatever call, are the same open file, and `close` needs no attention.
//! - `device`: the one device of the process, made when it is first asked for.
//! - `doorbells`: a client stores to its doorbells and tells nobody. Workers poll while they are busy; before
//!   they sleep the page is made read-only, and the first store after that raises a SIGSEGV whose
//!   handler, the only one, wakes them. Other SIGSEGVs go to the program's handler.
//! - `entry`: the exported functions. They hold no lock and allocate nothing unless the call is the device's.
//!
//! Out of reach: static programs, raw system calls, and programs that clear their environment.
//!
//! # Thread safety
//! As the functions in whose place these stand. Tables are append-only lists of atomics, so a child of
//! `fork` finds them whole; its calls on its parent's descriptors give `EBADF`, and it gets a device of its
//! own when it opens a node.
//!
//! # Unsafe code
//! All of it is calls of libc on what a caller gave, which has promised what libc asks for.

mod device;
mod doorbells;
mod entry;
mod log;
mod nodes;
mod places;
mod real;
mod tree;
