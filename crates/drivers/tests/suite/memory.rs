//! Memory: what is allocated, what is registered, what is left.

use hrx_hal::memory::Buffer;
use hrx_hal::{HalError, MemoryKind};

use super::rig::{PAGE, Rig};

pub(crate) fn allocations_are_aligned_host_visible_and_apart(rig: &Rig) {
    let kinds = [
        MemoryKind::Device,
        MemoryKind::Code,
        MemoryKind::HostFine,
        MemoryKind::Kernarg,
        MemoryKind::Control,
    ];
    let sizes = [1, PAGE - 1, PAGE, PAGE + 1, 3 << 20];
    let mut buffers = Vec::new();
    for (index, (kind, size)) in kinds
        .into_iter()
        .flat_map(|k| sizes.map(|s| (k, s)))
        .enumerate()
    {
        for alignment in [1, 64, PAGE, 1 << 16, 4 << 20] {
            let buffer = Buffer::allocate(&rig.device, size, alignment, kind).expect("memory");
            assert!(buffer.address().is_multiple_of(alignment.max(PAGE)));
            assert_eq!(buffer.size(), size.next_multiple_of(PAGE));
            let mark = u8::try_from(index).expect("few kinds and sizes");
            buffer.bytes().fill(&[mark]);
            buffers.push((buffer, mark));
        }
    }
    for (buffer, mark) in buffers {
        let mut bytes = vec![0; buffer.size()];
        buffer.read(0, &mut bytes).expect("all of it");
        assert!(
            bytes.iter().all(|byte| *byte == mark),
            "overwritten by another one"
        );
        buffer.free().expect("freed");
    }
}

pub(crate) fn free_memory_moves_with_allocations(rig: &Rig) {
    let (before, total) = rig.device.memory_info().expect("an answer");
    assert!(0 < before && before <= total);
    assert_eq!(total, rig.device.properties().memory_bytes);
    let size = 64 << 20;
    let buffer = rig.buffer(size, MemoryKind::Device);
    let (during, _) = rig.device.memory_info().expect("an answer");
    assert!(
        during + size as u64 <= before,
        "{during} of {before} after {size}"
    );
    buffer.free().expect("freed");
    let (after, _) = rig.device.memory_info().expect("an answer");
    assert_eq!(after, before);
}

pub(crate) fn more_memory_than_there_is_is_refused_with_its_size(rig: &Rig) {
    let total = rig.device.properties().memory_bytes;
    for request in [
        usize::try_from(total).expect("64 bits") + PAGE,
        usize::MAX,
        usize::MAX - 8192,
    ] {
        let error = rig
            .device
            .allocate(request, 64, MemoryKind::Device)
            .unwrap_err();
        let HalError::OutOfMemory {
            requested_bytes,
            total_bytes,
            ..
        } = error
        else {
            panic!("{error}");
        };
        assert_eq!((requested_bytes, total_bytes), (request, total));
    }
    let error = rig.device.allocate(1, 3, MemoryKind::Device).unwrap_err();
    assert!(
        matches!(error, HalError::InvalidArgument { found: 3, .. }),
        "{error}"
    );
}

pub(crate) fn registered_host_memory_is_the_devices_too(rig: &Rig) {
    let queue = rig.queue();
    let program = rig.program(&queue, "01_saxpy.O3.co");
    // Neither start nor length is a page's.
    let mut values = vec![1.0_f32; 5000];
    let (address, len) = (values[100..].as_ptr().addr(), 4 * 4000);
    let registration = rig
        .device
        .register_host(address, len)
        .expect("ordinary memory");
    assert!(registration.address <= address && registration.address.is_multiple_of(PAGE));
    assert!(registration.address + registration.size >= address + len);
    let x = rig.floats(&[2.0; 4000], MemoryKind::Device);
    let exposed = values[100..].as_mut_ptr().expose_provenance() as u64;
    let launch = program
        .kernel("saxpy", 4032, 64)
        .arg(0, &10.0_f32.to_le_bytes())
        .pointer(1, &x)
        .arg(2, &exposed.to_le_bytes())
        .arg(3, &4000_u32.to_le_bytes());
    launch.run(&queue);
    rig.device
        .unregister_host(registration)
        .expect("given back");
    let values = std::hint::black_box(values);
    assert_eq!((values[99], values[4100]), (1.0, 1.0));
    assert!(values[100..4100].iter().all(|value| *value == 21.0));
    let error = rig.device.register_host(address, 0).unwrap_err();
    assert!(matches!(error, HalError::InvalidArgument { .. }));
    let error = rig.device.register_host(PAGE, PAGE).unwrap_err();
    assert!(
        matches!(error, HalError::System { .. }),
        "nothing is mapped there: {error}"
    );
}
