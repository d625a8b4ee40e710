//! The device as a raw client of the KFD sees it: order of calls, rules, packets, events, faults.
//!
//! Expected answers are those of the kernel's own code and of AMD's runtime on it.

mod client;
mod clock;
mod discovery;
mod dispatch;
mod event;
mod fault;
mod memory;
mod object;
mod packet;
mod queue;
