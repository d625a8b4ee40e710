//! Rules of memory: what the kernel refuses, and what a client sees of what it granted.

use std::sync::atomic::Ordering;

use hrx_abi::kfd::{self, *};
use hrx_vgpu::Errno;

use crate::client::{CODE, CONTROL, Client, DEVICE, Host, Queue, USERPTR, options};

const EINVAL: Errno = Errno(libc::EINVAL);
const EBUSY: Errno = Errno(libc::EBUSY);
const ENOMEM: Errno = Errno(libc::ENOMEM);
const EFAULT: Errno = Errno(libc::EFAULT);
const EPERM: Errno = Errno(libc::EPERM);
const EADDRINUSE: Errno = Errno(libc::EADDRINUSE);

#[test]
fn what_is_asked_wrongly_is_invalid() {
    let client = Client::new(options());
    let refused = |va, size, flags, offset| client.alloc(va, size, flags, offset).err();
    let va = 0x2000_0000;
    assert_eq!(refused(va, 0, DEVICE, 0), Some(EINVAL), "nothing");
    assert_eq!(refused(va + 8, 4096, DEVICE, 0), Some(EINVAL), "unaligned");
    assert_eq!(
        refused(0x1000, 4096, DEVICE, 0),
        Some(EINVAL),
        "below the first address"
    );
    assert_eq!(
        refused((1 << 47) - 4096, 8192, DEVICE, 0),
        Some(EINVAL),
        "past 47 bits"
    );
    assert_eq!(
        refused(va, 4096, kfd::ALLOC_WRITABLE, 0),
        Some(EINVAL),
        "of no type"
    );
    assert_eq!(
        refused(va, 4096, kfd::ALLOC_DOORBELL, 0),
        Some(EINVAL),
        "half a slice"
    );
    assert_eq!(
        refused(va, 8192, kfd::ALLOC_MMIO_REMAP, 0),
        Some(EINVAL),
        "two pages of registers"
    );
    assert_eq!(
        refused(va, 4096, USERPTR, 12),
        Some(EINVAL),
        "host address off its page"
    );
    assert_eq!(
        refused(va, 8 << 30, DEVICE, 0),
        Some(ENOMEM),
        "more than there is"
    );
    assert_eq!(
        refused(va, u64::MAX, DEVICE, 0),
        Some(EINVAL),
        "more than there are addresses"
    );
}

#[test]
fn only_mapped_pages_of_the_process_can_be_registered() {
    let client = Client::new(options());
    let gone = Host::lonely(8192).address;
    assert_eq!(
        client.alloc(gone, 8192, USERPTR, gone).err(),
        Some(EFAULT),
        "not mapped"
    );
    let shut = Host::new(4096, libc::PROT_NONE);
    assert_eq!(
        client
            .alloc(shut.address, 4096, USERPTR, shut.address)
            .err(),
        Some(EFAULT),
        "no access"
    );
    let read_only = Host::new(4096, libc::PROT_READ);
    let at = read_only.address;
    assert_eq!(
        client.alloc(at, 4096, USERPTR, at).err(),
        Some(EPERM),
        "not to be written"
    );
    client
        .alloc(at, 4096, USERPTR & !kfd::ALLOC_WRITABLE, at)
        .expect("to be read");
}

#[test]
fn mapping_keeps_count_and_order() {
    let client = Client::new(options());
    let host = Host::new(4096, libc::PROT_NONE);
    let object = client.alloc(host.address, 4096, DEVICE, 0).expect("memory");
    let devices = [client.gpu_id, client.gpu_id + 1];
    let argument = |n_devices, n_success| MapMemory {
        handle: object.handle,
        device_ids_array_ptr: devices.as_ptr().expose_provenance() as u64,
        n_devices,
        n_success,
    };
    let map = |mut argument: MapMemory| {
        let answer = client.call(request::MAP_MEMORY_TO_GPU, &mut argument);
        (answer, argument.n_success)
    };
    assert_eq!(map(argument(0, 0)).0, Err(EINVAL), "no device");
    assert_eq!(map(argument(1, 2)).0, Err(EINVAL), "more done than asked");
    assert_eq!(
        map(argument(2, 0)),
        (Err(EINVAL), 1),
        "the second device does not exist, the first is done"
    );
    assert_eq!(map(argument(1, 0)), (Ok(()), 1), "mapping what is mapped");
    assert_eq!(map(argument(1, 1)), (Ok(()), 1), "nothing left to do");
    let nowhere = MapMemory {
        device_ids_array_ptr: 16,
        ..argument(1, 0)
    };
    assert_eq!(map(nowhere).0, Err(EFAULT));
    let unknown = u64::from(client.gpu_id) << 32 | 0xffff;
    assert_eq!(client.map(unknown), Err(ENOMEM));
    assert_eq!(client.unmap(unknown), Err(ENOMEM));
    assert_eq!(client.free(unknown), Err(EINVAL));
    assert_eq!(
        client.map(object.handle ^ 1 << 32),
        Err(EINVAL),
        "a handle of another device"
    );
    assert_eq!(client.free(object.handle), Err(EBUSY), "still mapped");
    client.unmap(object.handle).expect("mapped");
    assert_eq!(
        client.unmap(object.handle),
        Err(EINVAL),
        "not mapped any more"
    );
    client.free(object.handle).expect("unmapped");
    assert_eq!(client.free(object.handle), Err(EINVAL), "freed");
}

#[test]
fn two_objects_cannot_be_mapped_at_one_address() {
    let client = Client::new(options());
    let host = Host::new(16384, libc::PROT_NONE);
    let first = client.alloc(host.address, 8192, DEVICE, 0).expect("memory");
    let second = client
        .alloc(host.address + 4096, 8192, DEVICE, 0)
        .expect("memory");
    client.map(first.handle).expect("maps");
    assert_eq!(client.map(second.handle), Err(EINVAL));
    client.unmap(first.handle).expect("mapped");
    client.map(second.handle).expect("the place is free");
}

#[test]
fn the_render_node_maps_objects_and_nothing_else() {
    let client = Client::new(options());
    let object = client.alloc(0x2000_0000, 8192, DEVICE, 0).expect("memory");
    let map = |len, protection, fd, offset| {
        // SAFETY: a new mapping at an address that the system picks.
        let mapped = unsafe {
            client
                .vgpu
                .mmap(0, len, protection, libc::MAP_SHARED, fd, offset)
        };
        mapped.map(|address| Host {
            address: address as u64,
            len,
        })
    };
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let one = map(8192, access, client.render, object.mmap_offset).expect("all of it");
    let two = map(4096, access, client.render, object.mmap_offset).expect("the start of it");
    one.word(8).store(5, Ordering::Relaxed);
    assert_eq!(two.word(8).load(Ordering::Relaxed), 5, "the same bytes");
    assert_eq!(
        map(12288, access, client.render, object.mmap_offset).err(),
        Some(EINVAL)
    );
    assert_eq!(
        map(4096, access, client.render, object.mmap_offset + 4096).err(),
        Some(EINVAL)
    );
    assert_eq!(
        map(0, access, client.render, object.mmap_offset).err(),
        Some(EINVAL)
    );
    let private = client
        .alloc(0x2100_0000, 4096, DEVICE & !kfd::ALLOC_PUBLIC, 0)
        .expect("memory");
    map(4096, libc::PROT_NONE, client.render, private.mmap_offset).expect("without access");
    assert_eq!(
        map(4096, access, client.render, private.mmap_offset).err(),
        Some(EPERM)
    );
}

#[test]
fn the_kfd_node_maps_doorbells_and_registers_by_exact_size() {
    let client = Client::new(options());
    let gpu = u64::from(client.gpu_id) << kfd::MMAP_GPU_ID_SHIFT;
    let map = |len, offset| {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at an address that the system picks.
        let mapped = unsafe {
            client
                .vgpu
                .mmap(0, len, protection, libc::MAP_SHARED, client.kfd, offset)
        };
        mapped.map(|address| Host {
            address: address as u64,
            len,
        })
    };
    let doorbell = kfd::MMAP_TYPE_DOORBELL << kfd::MMAP_TYPE_SHIFT;
    let slice = map(8192, doorbell | gpu).expect("the slice");
    assert_eq!(slice.word(8184).load(Ordering::Relaxed), u64::MAX);
    assert_eq!(map(4096, doorbell | gpu).err(), Some(EINVAL));
    assert_eq!(map(8192, doorbell).err(), Some(EINVAL), "no device");
    assert_eq!(
        map(4096, gpu).err(),
        Some(EINVAL),
        "no registers were asked for"
    );
    let registers = client
        .alloc(0x2000_0000, 4096, kfd::ALLOC_MMIO_REMAP, 0)
        .expect("a page");
    assert_eq!(registers.mmap_offset, gpu);
    map(4096, gpu).expect("the page");
    assert_eq!(map(8192, gpu).err(), Some(EINVAL));
    let doorbells = client
        .alloc(0x2001_0000, 8192, kfd::ALLOC_DOORBELL, 0)
        .expect("the slice");
    assert_eq!(doorbells.mmap_offset, doorbell | gpu);
    assert_eq!(
        map(4096, kfd::MMAP_TYPE_RESERVED << kfd::MMAP_TYPE_SHIFT | gpu).err(),
        Some(EINVAL)
    );
}

#[test]
fn what_a_queue_uses_stays_mapped() {
    let client = Client::new(options());
    let queue = Queue::new(&client, 64);
    let parts = [
        &queue.parts.control,
        &queue.parts.ring,
        &queue.parts.eop,
        &queue.parts.save_area,
    ];
    for memory in parts {
        assert_eq!(client.unmap(memory.handle), Err(EBUSY));
    }
    let parts = queue.destroy();
    for memory in [parts.control, parts.ring, parts.eop, parts.save_area] {
        client.release(memory);
    }
}

#[test]
fn freed_memory_is_zero_for_who_gets_it_next() {
    let client = Client::new(options());
    let first = client.memory(1 << 20, DEVICE);
    first.word(4096).store(u64::MAX, Ordering::Relaxed);
    client.release(first);
    let second = client.memory(1 << 20, DEVICE);
    assert_eq!(second.word(4096).load(Ordering::Relaxed), 0);
}

fn shared(
    client: &Client,
    op: u32,
    start_addr: u64,
    size: u64,
    attributes: &mut [SvmAttribute],
) -> Result<(), Errno> {
    let header = Svm {
        start_addr,
        size,
        op,
        nattr: u32::try_from(attributes.len()).expect("few"),
    };
    let mut bytes = bytemuck::bytes_of(&header).to_vec();
    bytes.extend_from_slice(bytemuck::cast_slice(attributes));
    let request = request::SVM + (u32::try_from(8 * attributes.len()).expect("few") << 16);
    // SAFETY: as many bytes as the request says.
    let answer = unsafe { client.vgpu.ioctl(client.kfd, request, bytes.as_mut_ptr()) };
    attributes.copy_from_slice(bytemuck::cast_slice(&bytes[size_of::<Svm>()..]));
    answer
}

fn attribute(kind: u32, value: u32) -> SvmAttribute {
    SvmAttribute { kind, value }
}

#[test]
fn shared_ranges_and_objects_keep_apart() {
    let client = Client::new(options());
    let host = Host::pages(16384);
    let mut access = [attribute(kfd::SVM_ATTR_ACCESS_IN_PLACE, client.gpu_id)];
    let set = kfd::SVM_OP_SET;
    assert_eq!(
        shared(&client, set, host.address + 1, 4096, &mut access),
        Err(EINVAL)
    );
    assert_eq!(
        shared(&client, set, host.address, 0, &mut access),
        Err(EINVAL)
    );
    assert_eq!(
        shared(&client, 2, host.address, 4096, &mut access),
        Err(EINVAL)
    );
    let hole = Host::lonely(4096).address;
    assert_eq!(shared(&client, set, hole, 4096, &mut access), Err(EFAULT));
    assert_eq!(
        shared(&client, set, host.address, 4096, &mut [attribute(2, 99)]),
        Err(EINVAL)
    );
    shared(&client, set, host.address, 8192, &mut access).expect("the process's own pages");
    assert_eq!(
        client.alloc(host.address + 4096, 4096, DEVICE, 0).err(),
        Some(EADDRINUSE)
    );
    client
        .alloc(host.address + 8192, 4096, DEVICE, 0)
        .expect("beside it");
    let object = client.memory(4096, DEVICE);
    assert_eq!(
        shared(&client, set, object.address(), 4096, &mut access),
        Err(EADDRINUSE)
    );
    let mut asked = [
        attribute(kfd::SVM_ATTR_ACCESS, client.gpu_id),
        attribute(kfd::SVM_ATTR_SET_FLAGS, 0),
    ];
    shared(&client, kfd::SVM_OP_GET, host.address, 8192, &mut asked).expect("known");
    assert_eq!(asked[0].kind, kfd::SVM_ATTR_ACCESS_IN_PLACE);
    asked[0].kind = kfd::SVM_ATTR_ACCESS;
    shared(&client, kfd::SVM_OP_GET, host.address, 16384, &mut asked).expect("half of it known");
    assert_eq!(
        asked[0].kind,
        kfd::SVM_ATTR_NO_ACCESS,
        "what holds for all of it"
    );
}

/// As AMD's runtime registers its save areas: one call, six attributes.
#[test]
fn a_save_area_may_be_a_shared_range_that_is_always_mapped() {
    let client = Client::new(options());
    let mut parts = crate::client::QueueParts::new(&client, 64);
    let area = Host::pages(0x0125_6000);
    let len = area.len as u64;
    parts.argument.ctx_save_restore_address = area.address;
    assert_eq!(
        parts.create(&client).err(),
        Some(EINVAL),
        "host memory as it is"
    );
    let mut attributes = [
        attribute(kfd::SVM_ATTR_PREFETCH_LOC, client.gpu_id),
        attribute(kfd::SVM_ATTR_PREFERRED_LOC, 0),
        attribute(kfd::SVM_ATTR_CLR_FLAGS, !0x51),
        attribute(kfd::SVM_ATTR_SET_FLAGS, 0x51),
        attribute(kfd::SVM_ATTR_ACCESS, client.gpu_id),
        attribute(kfd::SVM_ATTR_GRANULARITY, 0xff),
    ];
    shared(
        &client,
        kfd::SVM_OP_SET,
        area.address,
        len - 4096,
        &mut attributes,
    )
    .expect("pages");
    assert_eq!(
        parts.create(&client).err(),
        Some(EINVAL),
        "a page is missing"
    );
    shared(&client, kfd::SVM_OP_SET, area.address, len, &mut attributes).expect("pages");
    parts.create(&client).expect("covered");
}

#[test]
fn code_and_control_memory_are_of_the_same_store() {
    let client = Client::new(options());
    for flags in [DEVICE, CODE, CONTROL] {
        let memory = client.memory(4096, flags);
        memory.word(0).store(1, Ordering::Relaxed);
        client.release(memory);
    }
}
