//! What the kernel refuses, and what the device sees.

use std::sync::atomic::Ordering;

use hrx_abi::kfd::AllocMemory;
use hrx_gfx::exec::AccessError;

use super::*;

fn memory() -> DeviceMemory {
    DeviceMemory::new(1 << 24).expect("a memfd")
}

fn object(memory: &DeviceMemory, va: u64, size: u64, flags: u32) -> Result<u64, Errno> {
    let mut argument = AllocMemory {
        va_addr: va,
        size,
        flags,
        gpu_id: GPU_ID,
        ..AllocMemory::default()
    };
    memory.allocate(&mut argument).map(|()| argument.handle)
}

const VRAM: u32 = kfd::ALLOC_VRAM | kfd::ALLOC_WRITABLE;

#[test]
fn only_what_is_mapped_is_seen_with_its_rights() {
    let memory = memory();
    let writable = object(&memory, 0x200_0000, 8192, VRAM).expect("room");
    let read_only = object(&memory, 0x300_0000, 4096, kfd::ALLOC_GTT).expect("room");
    assert!(memory.word64(0x200_0000).is_none(), "not mapped yet");
    memory.map(writable, 0).expect("maps");
    memory.map(read_only, 0).expect("maps");
    assert!(memory.word64(0x200_1ff8).is_some());
    assert!(memory.word64(0x200_2000).is_none(), "behind the end");
    assert!(memory.word64(0x200_0004).is_none(), "misaligned");
    assert!(memory.word64(0x300_0000).is_none(), "read-only");
    assert_eq!(memory.read_words::<2>(0x300_0000), Some([0, 0]));
    let before = memory.epoch();
    memory.unmap(writable).expect("was mapped");
    assert!(memory.word64(0x200_0000).is_none());
    assert!(memory.epoch() > before);
}

#[test]
fn the_kernels_refusals() {
    let memory = memory();
    assert_eq!(object(&memory, 0x200_0000, 0, VRAM), Err(Errno::INVAL));
    assert_eq!(object(&memory, 0x200_0800, 4096, VRAM), Err(Errno::INVAL));
    assert_eq!(object(&memory, 0x1000, 4096, VRAM), Err(Errno::INVAL));
    assert_eq!(
        object(&memory, 0x200_0000, 4096, kfd::ALLOC_WRITABLE),
        Err(Errno::INVAL)
    );
    assert_eq!(
        object(&memory, 0x200_0000, 4096, kfd::ALLOC_DOORBELL),
        Err(Errno::INVAL)
    );
    assert_eq!(
        object(&memory, 0x200_0000, 1 << 25, VRAM),
        Err(Errno::NOMEM)
    );
    let first = object(&memory, 0x200_0000, 4096, VRAM).expect("room");
    assert_eq!(memory.unmap(first), Err(Errno::INVAL), "not mapped");
    memory.map(first, 0).expect("maps");
    memory.map(first, 0).expect("mapping twice is no error");
    assert_eq!(memory.free(first), Err(Errno::BUSY), "still mapped");
    let over = object(&memory, 0x200_0000, 4096, VRAM).expect("objects may overlap, mappings not");
    assert_eq!(memory.map(over, 0), Err(Errno::INVAL));
    memory.reference(first, true);
    assert_eq!(memory.unmap(first), Err(Errno::BUSY), "a queue uses it");
    memory.reference(first, false);
    memory.unmap(first).expect("free of queues");
    memory.free(first).expect("unmapped");
    assert_eq!(memory.free(first), Err(Errno::INVAL));
    assert_eq!(memory.map(first, 0), Err(Errno::NOMEM));
}

#[test]
fn freed_memory_comes_back_as_zeros() {
    let memory = memory();
    let room = memory.available();
    for _ in 0..3 {
        let a = object(&memory, 0x200_0000, 1 << 20, VRAM).expect("room");
        let b = object(&memory, 0x400_0000, 1 << 23, VRAM).expect("room");
        memory.map(a, 0).expect("maps");
        let word = memory.word64(0x200_0000).expect("mapped");
        assert_eq!(word.swap(7, Ordering::Relaxed), 0);
        memory.unmap(a).expect("mapped");
        memory.free(a).expect("unmapped");
        memory.free(b).expect("never mapped");
        assert_eq!(memory.available(), room);
    }
}

/// Anonymous memory of this process; not unmapped by itself.
#[expect(
    unsafe_code,
    reason = "makes and ends a mapping, to see what the device makes of it"
)]
mod client {
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Where nothing else is given an address, also when the pages are gone.
    static NEXT: AtomicUsize = AtomicUsize::new(0x10_0000_0000);

    pub(super) fn map(len: usize) -> u64 {
        let address = NEXT.fetch_add(1 << 24, Ordering::Relaxed);
        let place = std::ptr::with_exposed_provenance_mut(address);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping that replaces none.
        let mapped = unsafe { libc::mmap(place, len, protection, flags, -1, 0) };
        assert_eq!(mapped, place, "nobody is there");
        address as u64
    }

    pub(super) fn protect(address: u64, len: usize, protection: i32) {
        let start =
            std::ptr::with_exposed_provenance_mut(usize::try_from(address).expect("64 bits"));
        // SAFETY: a range that `map` made, and that nothing refers to.
        assert_eq!(unsafe { libc::mprotect(start, len, protection) }, 0);
    }

    pub(super) fn unmap(address: u64, len: usize) {
        let start =
            std::ptr::with_exposed_provenance_mut(usize::try_from(address).expect("64 bits"));
        // SAFETY: a range that `map` made, and that nothing refers to.
        assert_eq!(unsafe { libc::munmap(start, len) }, 0);
    }
}

fn userptr(memory: &DeviceMemory, host: u64, size: u64) -> u64 {
    let flags = kfd::ALLOC_USERPTR | kfd::ALLOC_WRITABLE;
    let mut argument = AllocMemory {
        va_addr: host,
        size,
        mmap_offset: host,
        flags,
        ..AllocMemory::default()
    };
    memory.allocate(&mut argument).expect("room");
    memory.map(argument.handle, 0).expect("maps");
    argument.handle
}

#[test]
fn memory_that_its_owner_took_away_is_a_fault_once_it_is_looked_at_again() {
    let memory = memory();
    for protected in [false, true] {
        let host = client::map(8192);
        let handle = userptr(&memory, host, 8192);
        let epoch = memory.epoch();
        assert!(memory.word64(host).is_some());
        if protected {
            client::protect(host, 8192, libc::PROT_NONE);
        } else {
            client::unmap(host, 8192);
        }
        memory.refresh();
        assert!(memory.epoch() > epoch, "waves ask again");
        assert!(memory.word64(host).is_none());
        assert!(memory.region(host + 4096).is_none());
        memory.unmap(handle).expect("was mapped");
    }
}

#[test]
fn looking_again_is_free_without_memory_of_the_client() {
    let memory = memory();
    let handle = object(&memory, 0x200_0000, 4096, VRAM).expect("room");
    memory.map(handle, 0).expect("maps");
    let epoch = memory.epoch();
    memory.refresh();
    assert_eq!(memory.epoch(), epoch);
}

#[test]
fn device_memory_that_is_not_public_can_be_mapped_but_not_touched() {
    let memory = memory();
    for (flags, touch) in [
        (VRAM, Err(Errno::PERM)),
        (VRAM | kfd::ALLOC_PUBLIC, Ok(())),
        (kfd::ALLOC_GTT, Ok(())),
    ] {
        let mut argument = AllocMemory {
            va_addr: 0x200_0000,
            size: 4096,
            flags,
            ..AllocMemory::default()
        };
        memory.allocate(&mut argument).expect("room");
        let offset = argument.mmap_offset;
        assert_eq!(
            memory.check_client_mapping(offset, 4096, libc::PROT_NONE),
            Ok(())
        );
        assert_eq!(
            memory.check_client_mapping(offset, 4096, libc::PROT_READ),
            touch
        );
        assert_eq!(
            memory.check_client_mapping(offset, 8192, libc::PROT_NONE),
            Err(Errno::INVAL),
            "longer than the object"
        );
    }
}

#[test]
fn copies_and_fills_go_on_from_one_object_into_the_next() {
    let memory = memory();
    // Two pages side by side, not so in the store, and none behind them.
    let (base, apart) = (0x200_0000, 0x300_0000);
    for va in [base, apart, base + 4096] {
        let handle = object(&memory, va, 4096, VRAM).expect("room");
        memory.map(handle, 0).expect("maps");
    }
    let words = |at| memory.read_words::<2>(at).expect("mapped");
    // Six bytes before the border, six behind it.
    memory.fill(base + 4090, 0x4433_2211, 12).expect("mapped");
    assert_eq!(words(base + 4088), [0x2211_0000, 0x2211_4433]);
    assert_eq!(words(base + 4096), [0x2211_4433, 0x0000_4433]);
    memory.copy(apart, base + 4088, 16).expect("mapped");
    assert_eq!(words(apart), [0x2211_0000, 0x2211_4433]);
    assert_eq!(words(apart + 8), [0x2211_4433, 0x0000_4433]);
    let end = base + 8192;
    assert_eq!(
        memory.fill(end - 4, 7, 8),
        Err((end, AccessError::NotPresent))
    );
    assert_eq!(words(end - 8), [0, 7], "what lies before is filled");
    assert_eq!(
        memory.copy(apart, end - 4, 8),
        Err((end, AccessError::NotPresent))
    );
    assert_eq!(
        memory.fill(u64::MAX - 3, 0, 8),
        Err((u64::MAX - 3, AccessError::NotPresent))
    );
}
