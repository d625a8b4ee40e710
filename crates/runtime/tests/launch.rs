//! A launch for which there is room allocates nothing.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::{Memory, Packed, device, kernels, launch};
use hrx_runtime::device::StreamKind;
use hrx_runtime::memory::MemoryClass;
use hrx_runtime::stream::Stream;

/// More than a command buffer holds, fewer than a ring.
const LAUNCHES: u32 = 3000;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// Counts the allocations of each thread.
struct Counting;

// SAFETY: everything is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promise, handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise, handed on.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_launch_that_need_not_wait_for_room_allocates_nothing() {
    let kernels = kernels();
    let word = Memory::new(MemoryClass::Device, 4);
    let kernel = kernels.kernel("count").expect("has it");
    let arguments = Packed::default().long(word.address as u64);
    let context = common::context();
    let device = device();
    let blocking = Stream::create(&device, StreamKind::Blocking, 0).expect("there is room");
    for stream in [context.null_stream(&device), &blocking] {
        launch(stream, kernel, 1, 32, &arguments);
        stream.synchronize().expect("no fault");
        let before = ALLOCATIONS.get();
        for _ in 0..LAUNCHES {
            launch(stream, kernel, 1, 32, &arguments);
        }
        assert_eq!(ALLOCATIONS.get() - before, 0, "in {LAUNCHES} launches");
    }
    device.synchronize().expect("no fault");
    assert_eq!(word.word(0), 2 * (LAUNCHES + 1) * 32);
}
