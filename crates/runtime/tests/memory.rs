//! Copies, fills and the map of memory, on the virtual device.

mod common;

use common::{Gate, Memory, context, device, kernels};
use hrx_hal::memory::HostRange;
use hrx_runtime::RuntimeError;
use hrx_runtime::device::StreamKind;
use hrx_runtime::memory::MemoryClass;
use hrx_runtime::memory::{Fill, Rows};
use hrx_runtime::stream::Stream;

/// Bytes that tell offset and seed.
fn pattern(seed: usize, len: usize) -> Vec<u8> {
    (0..len)
        .map(|at| (at * 7 + at / 251 + seed * 13).to_le_bytes()[0])
        .collect()
}

fn range(bytes: &mut [u8]) -> HostRange<'_> {
    // SAFETY: the slice is borrowed as long as the range lives.
    unsafe { HostRange::new(bytes.as_mut_ptr().expose_provenance(), bytes.len()) }
}

fn stream() -> std::sync::Arc<Stream> {
    Stream::create(&device(), StreamKind::NonBlocking, 0).expect("there is room")
}

/// Lengths and offsets around the borders of words, vectors, blocks of the copy kernels and staging.
const LENGTHS: [usize; 12] = [1, 2, 3, 4, 15, 16, 17, 255, 4096, 65535, 65537, 200_003];
const OFFSETS: [usize; 5] = [0, 1, 4, 15, 16];

#[test]
fn a_copy_moves_its_bytes_and_no_others_whatever_lies_where() {
    let context = context();
    let stream = stream();
    let room = 200_003 + 32;
    let device_memory = Memory::new(MemoryClass::Device, room);
    let fine = Memory::new(MemoryClass::Host, room);
    let mut serial = 0;
    for len in LENGTHS {
        for to_offset in OFFSETS {
            for block in [false, true] {
                serial += 1;
                let source = pattern(serial, room);
                let background = pattern(serial + 1, room);
                let from_offset = (to_offset + len) % 17;
                let mut expected = background.clone();
                expected[to_offset..][..len].copy_from_slice(&source[from_offset..][..len]);

                let what = format!("{len} bytes from {from_offset} to {to_offset}, block {block}");
                let mut pageable_source = source.clone();
                let mut pageable_target = background.clone();
                // Device to device, host of both kinds to device, device to pageable host.
                device_memory.set(&background);
                fine.set(&source);
                let to = device_memory.part(to_offset, len);
                let copy = |to, from| {
                    context
                        .memory()
                        .copy(&stream, to, from, block)
                        .expect("allowed");
                    stream.synchronize().expect("no fault");
                };
                copy(to, fine.part(from_offset, len));
                assert_eq!(device_memory.get(), expected, "device-visible: {what}");
                device_memory.set(&background);
                copy(
                    to,
                    range(&mut pageable_source)
                        .part(from_offset, len)
                        .expect("inside"),
                );
                assert_eq!(device_memory.get(), expected, "from pageable: {what}");
                let target = range(&mut pageable_target)
                    .part(to_offset, len)
                    .expect("inside");
                copy(target, fine.part(from_offset, len));
                assert_eq!(pageable_target, expected, "to pageable: {what}");
            }
        }
    }
}

#[test]
fn overlapping_copies_move_as_if_through_a_third_place() {
    let context = context();
    let stream = stream();
    let memory = Memory::new(MemoryClass::Device, 4096);
    for (from, to) in [(0, 1), (1, 0), (0, 64), (100, 37)] {
        let before = pattern(from + 3 * to, 4096);
        memory.set(&before);
        let mut expected = before.clone();
        expected.copy_within(from..from + 3000, to);
        context
            .memory()
            .copy(
                &stream,
                memory.part(to, 3000),
                memory.part(from, 3000),
                false,
            )
            .expect("allowed");
        stream.synchronize().expect("no fault");
        assert_eq!(memory.get(), expected, "from {from} to {to}");
    }
}

#[test]
fn rows_are_copied_by_pitch_and_gaps_stay() {
    let context = context();
    let stream = stream();
    for (width, height, from_pitch, to_pitch) in [
        (1, 1, 1, 1),
        (5, 7, 5, 8),
        (64, 3, 80, 64),
        (33, 9, 100, 35),
        (16, 4, 16, 16),
    ] {
        let (from_len, to_len) = (from_pitch * height, to_pitch * height);
        let source = pattern(width, from_len);
        let background = pattern(height, to_len);
        let mut expected = background.clone();
        for row in 0..height {
            expected[row * to_pitch..][..width]
                .copy_from_slice(&source[row * from_pitch..][..width]);
        }
        let mut pageable = source.clone();
        let fine = Memory::new(MemoryClass::Host, from_len);
        fine.set(&source);
        let target = Memory::new(MemoryClass::Device, to_len);
        for from in [fine.all(), range(&mut pageable)] {
            target.set(&background);
            let span = |pitch| Rows::span(pitch, width, height);
            let to = Rows {
                memory: target.part(0, span(to_pitch)),
                pitch: to_pitch,
            };
            let from = Rows {
                memory: from.part(0, span(from_pitch)).expect("inside"),
                pitch: from_pitch,
            };
            context
                .memory()
                .copy_rows(&stream, to, from, width, height, false)
                .expect("allowed");
            stream.synchronize().expect("no fault");
            assert_eq!(target.get(), expected, "{width} x {height}");
        }
    }
}

#[test]
fn a_fill_stores_its_elements_and_no_byte_more() {
    let context = context();
    let stream = stream();
    let memory = Memory::new(MemoryClass::Device, 70_000);
    let fills = [
        Fill::Bytes(0xa5),
        Fill::Halves(0x1234),
        Fill::Words(0xdead_beef),
    ];
    for fill in fills {
        let element = fill.element_bytes();
        let value = match fill {
            Fill::Bytes(value) => vec![value],
            Fill::Halves(value) => value.to_ne_bytes().to_vec(),
            Fill::Words(value) => value.to_ne_bytes().to_vec(),
        };
        for (start, count) in [(0, 1), (1, 3), (3, 16), (4, 1000), (5, 16_001), (0, 17_000)] {
            let background = pattern(start + count, 70_000);
            let mut expected = background.clone();
            for index in 0..count {
                expected[(start + index) * element..][..element].copy_from_slice(&value);
            }
            memory.set(&background);
            let address = memory.address + start * element;
            context
                .memory()
                .fill(&stream, address, fill, count, false)
                .expect("allowed");
            stream.synchronize().expect("no fault");
            assert!(
                memory.get() == expected,
                "{fill:?}, {count} from element {start}"
            );
        }
    }
}

#[test]
fn the_source_of_a_staged_copy_is_free_at_once() {
    let context = context();
    let stream = stream();
    let memory = Memory::new(MemoryClass::Device, 1000);
    let kernels = kernels();
    let gate = Gate::close(&stream, &kernels);
    let before = pattern(1, 1000);
    let mut source = before.clone();
    context
        .memory()
        .copy(&stream, memory.all(), range(&mut source), false)
        .expect("allowed");
    source.fill(0);
    assert_eq!(memory.get(), vec![0; 1000], "behind the gate");
    gate.open();
    stream.synchronize().expect("no fault");
    assert_eq!(memory.get(), before);
}

#[test]
fn any_address_inside_an_allocation_finds_it_and_none_outside() {
    let context = context();
    let map = context.memory();
    let memory = Memory::new(MemoryClass::Device, 5000);
    for offset in [0, 1, 4096, 4999] {
        let region = map.find(memory.address + offset).expect("inside");
        assert_eq!((region.address, region.size), (memory.address, 5000));
        assert_eq!(region.available(memory.address + offset), 5000 - offset);
    }
    for outside in [memory.address - 1, memory.address + 5000] {
        let found = map.find(outside);
        assert!(found.is_none_or(|region| region.address != memory.address));
    }
    assert!(
        map.find_range(memory.address, 5000)
            .expect("fits")
            .is_some()
    );
    assert!(matches!(
        map.find_range(memory.address + 1, 5000),
        Err(RuntimeError::BeyondAllocation { .. })
    ));
}

#[test]
fn only_the_start_of_memory_of_the_right_class_is_freed() {
    let context = context();
    let map = context.memory();
    let address = map
        .allocate(&device(), 100, MemoryClass::Host, 0)
        .expect("there is memory");
    for (wrong, classes) in [
        (address, MemoryClass::Device),
        (address + 1, MemoryClass::Host),
    ] {
        assert!(map.free(wrong, &[classes]).is_err());
        assert!(map.find(address).is_some());
    }
    map.free(address, &[MemoryClass::Host]).expect("its start");
    assert!(map.find(address).is_none());
    assert!(map.free(address, &[MemoryClass::Host]).is_err());
}

#[test]
fn what_no_device_has_is_refused_with_its_size() {
    let context = context();
    let (_, total) = device().memory_info().expect("it says");
    for size in [usize::try_from(total).expect("64 bits") + 4096, usize::MAX] {
        let refused = context
            .memory()
            .allocate(&device(), size, MemoryClass::Device, 0);
        let text = refused.expect_err("too much").to_string();
        assert!(text.contains(&size.to_string()), "{text}");
    }
}
