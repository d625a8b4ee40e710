//! What a client finds before it allocates anything, and in which order it must ask.

use hrx_abi::drm::{self, AmdgpuInfo, DeviceInfo, MemoryInfo, Version};
use hrx_abi::kfd::{self, *};
use hrx_vgpu::{Errno, Fd, Options};

use crate::client::{Client, DEVICE, QueueParts, TOPOLOGY, options};

const EINVAL: Errno = Errno(libc::EINVAL);
const EBUSY: Errno = Errno(libc::EBUSY);
const ENODEV: Errno = Errno(libc::ENODEV);
const ESRCH: Errno = Errno(libc::ESRCH);
const ENOTTY: Errno = Errno(libc::ENOTTY);
const EBADF: Errno = Errno(libc::EBADF);
const EFAULT: Errno = Errno(libc::EFAULT);
const ENOENT: Errno = Errno(libc::ENOENT);

fn property(client: &Client, name: &str) -> Option<u64> {
    let text = client
        .vgpu
        .read_file(&format!("{TOPOLOGY}/nodes/1/properties"))
        .expect("a file");
    let text = String::from_utf8(text).expect("text");
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.map(|value| value.parse().expect("a number"))
}

#[test]
fn the_topology_is_that_of_a_strix_halo() {
    let client = Client::opened(options());
    for (name, value) in [
        ("gfx_target_version", 110501),
        ("simd_count", 80),
        ("simd_per_cu", 2),
        ("array_count", 4),
        ("simd_arrays_per_engine", 2),
        ("max_waves_per_simd", 16),
        ("max_slots_scratch_cu", 32),
        ("lds_size_in_kb", 64),
        ("wave_front_size", 32),
        ("num_xcc", 1),
        ("vendor_id", 0x1002),
        ("device_id", 0x1586),
        ("drm_render_minor", 128),
        ("capability", 0x2803_a280),
        ("cwsr_size", 0x0124_c000),
        ("ctl_stack_size", 0x4000),
    ] {
        assert_eq!(property(&client, name), Some(value), "{name}");
    }
    let nodes = client
        .vgpu
        .list_directory(&format!("{TOPOLOGY}/nodes"))
        .expect("a folder");
    assert_eq!(nodes, ["0", "1"]);
    let bank = format!("{TOPOLOGY}/nodes/1/mem_banks/0/properties");
    let bank = String::from_utf8(client.vgpu.read_file(&bank).expect("a file")).expect("text");
    assert!(
        bank.contains(&format!("size_in_bytes {}\n", 4u64 << 30)),
        "{bank}"
    );
    assert_eq!(
        client
            .vgpu
            .read_file("/sys/class/kfd/kfd/topology/nodes/0/gpu_id"),
        Ok(b"0\n".to_vec())
    );
    assert_eq!(client.vgpu.read_file("/sys/nothing"), Err(ENOENT));
    assert_eq!(client.vgpu.list_directory("/sys/nothing"), Err(ENOENT));
}

#[test]
fn memory_in_use_is_seen_in_the_topology_and_in_free_memory() {
    let client = Client::new(options());
    let used = || {
        let path = format!("{TOPOLOGY}/nodes/1/mem_banks/0/used_memory");
        let text = String::from_utf8(client.vgpu.read_file(&path).expect("a file")).expect("text");
        text.trim().parse::<u64>().expect("a number")
    };
    let free = || {
        let mut argument = AvailableMemory {
            gpu_id: client.gpu_id,
            ..AvailableMemory::default()
        };
        client
            .call(request::AVAILABLE_MEMORY, &mut argument)
            .expect("a figure");
        argument.available
    };
    let before = (used(), free());
    let memory = client.memory(1 << 20, DEVICE);
    assert_eq!(
        (used(), free()),
        (before.0 + (1 << 20), before.1 - (1 << 20))
    );
    client.release(memory);
    assert_eq!((used(), free()), before);
}

#[test]
fn nodes_open_and_other_paths_do_not() {
    let client = Client::opened(options());
    for path in [
        "/dev/kf",
        "/dev/dri/renderD129",
        "/dev/dri/card0",
        "/dev/dxg",
        "",
        "/dev/accel/accel0",
    ] {
        assert_eq!(client.vgpu.open(path), Err(ENOENT), "{path}");
    }
    let mut version = GetVersion::default();
    client
        .call(request::GET_VERSION, &mut version)
        .expect("a version");
    assert_eq!((version.major, version.minor), (1, 17));
}

#[test]
fn the_number_alone_picks_the_request_and_the_shorter_size_is_copied() {
    let client = Client::opened(options());
    // Direction and size are the caller's affair.
    let longer = 0xc010_4b01;
    let mut argument = [7u32, 7, 7, 7];
    // SAFETY: 16 bytes, as the request says.
    let answer = unsafe {
        client
            .vgpu
            .ioctl(client.kfd, longer, argument.as_mut_ptr().cast())
    };
    assert_eq!((answer, argument[..2].to_vec()), (Ok(()), vec![1, 17]));
    let shorter = 0x8004_4b01;
    let mut argument = [7u32, 7];
    // SAFETY: more than the four bytes that the request says.
    let answer = unsafe {
        client
            .vgpu
            .ioctl(client.kfd, shorter, argument.as_mut_ptr().cast())
    };
    assert_eq!(
        (answer, argument),
        (Ok(()), [1, 7]),
        "only four bytes are the caller's"
    );
    for number in [0x00u32, 0x0d, 0x27, 0x7f, 0x80, 0xff] {
        let mut argument = [0u64; 16];
        // SAFETY: 128 bytes, as the request says.
        let answer = unsafe {
            client.vgpu.ioctl(
                client.kfd,
                0xc080_4b00 | number,
                argument.as_mut_ptr().cast(),
            )
        };
        assert_eq!(answer, Err(ENOTTY), "{number:#x}");
    }
    // SAFETY: the kernel checks a null argument.
    let answer = unsafe {
        client
            .vgpu
            .ioctl(client.kfd, request::GET_VERSION, std::ptr::null_mut())
    };
    assert_eq!(answer, Err(EFAULT));
    let mut argument = GetVersion::default();
    // SAFETY: as long as the request says.
    let answer = unsafe {
        client.vgpu.ioctl(
            Fd(99),
            request::GET_VERSION,
            std::ptr::from_mut(&mut argument).cast(),
        )
    };
    assert_eq!(answer, Err(EBADF));
}

#[test]
fn before_a_space_is_joined_memory_is_no_device_and_queues_are_no_process() {
    let client = Client::opened(options());
    assert_eq!(
        client.alloc(0x2000_0000, 4096, DEVICE, 0).err(),
        Some(ENODEV)
    );
    assert_eq!(client.map(u64::from(client.gpu_id) << 32 | 1), Err(ENODEV));
    let mut queue = CreateQueue {
        gpu_id: client.gpu_id,
        queue_type: 2,
        ..CreateQueue::default()
    };
    assert_eq!(client.call(request::CREATE_QUEUE, &mut queue), Err(ESRCH));
    let mut policy = SetMemoryPolicy {
        gpu_id: client.gpu_id,
        ..SetMemoryPolicy::default()
    };
    assert_eq!(
        client.call(request::SET_MEMORY_POLICY, &mut policy),
        Err(ESRCH)
    );
    client.acquire_vm().expect("the first");
    client.acquire_vm().expect("the same file again");
    client
        .call(request::SET_MEMORY_POLICY, &mut policy)
        .expect("joined");
    policy.default_policy = 2;
    assert_eq!(
        client.call(request::SET_MEMORY_POLICY, &mut policy),
        Err(EINVAL)
    );
    let other = client
        .vgpu
        .open("/dev/dri/renderD128")
        .expect("a second descriptor");
    let drm_fd = u32::try_from(other.0).expect("a descriptor");
    let mut acquire = AcquireVm {
        drm_fd,
        gpu_id: client.gpu_id,
    };
    assert_eq!(client.call(request::ACQUIRE_VM, &mut acquire), Err(EBUSY));
    acquire.drm_fd = u32::try_from(client.kfd.0).expect("a descriptor");
    assert_eq!(
        client.call(request::ACQUIRE_VM, &mut acquire),
        Err(EINVAL),
        "no render node"
    );
}

#[test]
fn a_device_that_is_not_there_is_refused() {
    let client = Client::new(options());
    let gpu_id = client.gpu_id + 1;
    let drm_fd = u32::try_from(client.render.0).expect("a descriptor");
    assert_eq!(
        client.call(request::ACQUIRE_VM, &mut AcquireVm { drm_fd, gpu_id }),
        Err(EINVAL)
    );
    let mut available = AvailableMemory {
        gpu_id,
        ..AvailableMemory::default()
    };
    assert_eq!(
        client.call(request::AVAILABLE_MEMORY, &mut available),
        Err(EINVAL)
    );
    let mut alloc = AllocMemory {
        gpu_id,
        size: 4096,
        flags: DEVICE,
        ..AllocMemory::default()
    };
    assert_eq!(
        client.call(request::ALLOC_MEMORY_OF_GPU, &mut alloc),
        Err(EINVAL)
    );
    let mut queue = CreateQueue {
        gpu_id,
        queue_type: 2,
        ..CreateQueue::default()
    };
    assert_eq!(client.call(request::CREATE_QUEUE, &mut queue), Err(EINVAL));
    let mut handler = SetTrapHandler {
        gpu_id,
        ..SetTrapHandler::default()
    };
    assert_eq!(
        client.call(request::SET_TRAP_HANDLER, &mut handler),
        Err(EINVAL)
    );
    let mut scratch = SetScratchBackingVa {
        gpu_id,
        ..SetScratchBackingVa::default()
    };
    assert_eq!(
        client.call(request::SET_SCRATCH_BACKING_VA, &mut scratch),
        Err(EINVAL)
    );
}

#[test]
fn apertures_cover_47_bits_and_a_count_of_0_asks_for_the_number() {
    let client = Client::opened(options());
    let mut asked = GetProcessAperturesNew::default();
    client
        .call(request::GET_PROCESS_APERTURES_NEW, &mut asked)
        .expect("a number");
    assert_eq!(asked.num_of_nodes, 1);
    let mut entries = [ProcessApertures::default(); 2];
    asked.apertures_ptr = entries.as_mut_ptr().expose_provenance() as u64;
    asked.num_of_nodes = 2;
    client
        .call(request::GET_PROCESS_APERTURES_NEW, &mut asked)
        .expect("an entry");
    assert_eq!(asked.num_of_nodes, 1);
    let first = entries[0];
    assert_eq!(
        (first.lds_base, first.lds_limit),
        (1 << 48, 0x0001_0000_ffff_ffff)
    );
    assert_eq!(
        (first.scratch_base, first.scratch_limit),
        (2 << 48, 0x0002_0000_ffff_ffff)
    );
    assert_eq!(
        (first.gpuvm_base, first.gpuvm_limit),
        (0x100_0000, 0x7fff_ffff_ffff)
    );
    assert_eq!(first.gpu_id, client.gpu_id);
    assert_eq!(entries[1], ProcessApertures::default(), "not written");
    asked.apertures_ptr = 8;
    assert_eq!(
        client.call(request::GET_PROCESS_APERTURES_NEW, &mut asked),
        Err(EFAULT)
    );
}

#[test]
fn a_runtime_enables_itself_once_and_before_it_has_queues() {
    let client = Client::opened(options());
    client.acquire_vm().expect("the first");
    let mut enable = RuntimeEnable {
        mode_mask: kfd::RUNTIME_MODE_ENABLE,
        ..RuntimeEnable::default()
    };
    let mut disable = RuntimeEnable::default();
    client
        .call(request::RUNTIME_ENABLE, &mut disable)
        .expect("as a client without exceptions does");
    client
        .call(request::RUNTIME_ENABLE, &mut enable)
        .expect("once");
    assert_eq!(
        client.call(request::RUNTIME_ENABLE, &mut enable),
        Err(EBUSY)
    );
    client
        .call(request::RUNTIME_ENABLE, &mut disable)
        .expect("always");
    let parts = QueueParts::new(&client, 64);
    parts.create(&client).expect("a queue");
    assert_eq!(
        client.call(request::RUNTIME_ENABLE, &mut enable),
        Err(Errno(libc::EEXIST))
    );
}

#[test]
fn retry_faults_are_off_and_stay_off() {
    let client = Client::new(options());
    let mut mode = SetXnackMode { xnack_enabled: -1 };
    client
        .call(request::SET_XNACK_MODE, &mut mode)
        .expect("a question");
    assert_eq!(mode.xnack_enabled, 0);
    assert_eq!(
        client.call(
            request::SET_XNACK_MODE,
            &mut SetXnackMode { xnack_enabled: 1 }
        ),
        Err(Errno(libc::EPERM))
    );
    client
        .call(
            request::SET_XNACK_MODE,
            &mut SetXnackMode { xnack_enabled: 0 },
        )
        .expect("no change");
    let parts = QueueParts::new(&client, 64);
    parts.create(&client).expect("a queue");
    assert_eq!(
        client.call(
            request::SET_XNACK_MODE,
            &mut SetXnackMode { xnack_enabled: 0 }
        ),
        Err(EBUSY)
    );
}

fn ask<T: bytemuck::Pod>(client: &Client, query: u32, answer: &mut T) -> Result<(), Errno> {
    let mut info = AmdgpuInfo {
        return_pointer: std::ptr::from_mut(answer).expose_provenance() as u64,
        return_size: u32::try_from(size_of::<T>()).expect("small"),
        query,
        ..AmdgpuInfo::default()
    };
    // SAFETY: as long as the request says.
    unsafe {
        client.vgpu.ioctl(
            client.render,
            drm::DRM_IOCTL_AMDGPU_INFO,
            std::ptr::from_mut(&mut info).cast(),
        )
    }
}

#[test]
fn the_render_node_says_amdgpu_and_an_apu_of_40_units() {
    let client = Client::opened(options());
    let mut version = Version::default();
    let call = |version: &mut Version| {
        // SAFETY: as long as the request says.
        unsafe {
            client.vgpu.ioctl(
                client.render,
                drm::DRM_IOCTL_VERSION,
                std::ptr::from_mut(version).cast(),
            )
        }
    };
    call(&mut version).expect("lengths");
    assert_eq!((version.version_major, version.version_minor), (3, 64));
    let mut name = vec![0u8; usize::try_from(version.name_len).expect("short")];
    version.name = name.as_mut_ptr().expose_provenance() as u64;
    call(&mut version).expect("the name");
    assert_eq!(name, b"amdgpu");

    let mut device = DeviceInfo::default();
    ask(&client, drm::INFO_DEV_INFO, &mut device).expect("device information");
    assert_eq!(
        (device.device_id, device.family, device.pci_rev),
        (0x1586, 150, 0xd1)
    );
    assert!(device.external_rev >= 0xc1);
    assert_eq!(device.ids_flags & drm::IDS_FLAGS_FUSION, 1);
    assert_eq!(
        (
            device.num_shader_engines,
            device.num_shader_arrays_per_engine
        ),
        (2, 2)
    );
    let units: u32 = device
        .cu_bitmap
        .iter()
        .flatten()
        .map(|mask| mask.count_ones())
        .sum();
    assert_eq!((units, device.cu_active_number), (40, 40));
    assert_eq!(
        (device.gpu_counter_freq, device.wave_front_size),
        (100_000, 32)
    );
    assert_eq!(device.virtual_address_max, 1 << 47);

    let mut working = 0u32;
    ask(&client, drm::INFO_ACCEL_WORKING, &mut working).expect("a flag");
    assert_eq!(working, 1);
    let mut memory = MemoryInfo::default();
    ask(&client, drm::INFO_MEMORY, &mut memory).expect("heaps");
    assert_eq!(
        (memory.vram.total_heap_size, memory.vram.heap_usage),
        (4 << 30, 0)
    );
    assert_eq!(ask(&client, 0x7777, &mut working), Err(EINVAL));
}

#[test]
fn an_old_kernel_publishes_no_sizes_and_is_content_with_less() {
    let client = Client::new(Options {
        old_kernel: true,
        ..options()
    });
    assert_eq!(property(&client, "cwsr_size"), None);
    assert_eq!(property(&client, "ctl_stack_size"), None);
    let mut parts = QueueParts::new(&client, 64);
    let bytes = u64::from(crate::client::OLD_SAVE_AREA) + crate::client::DEBUG_AREA;
    let small = client.memory(usize::try_from(bytes).expect("64 bits"), DEVICE);
    parts.argument.ctx_save_restore_address = small.address();
    parts.argument.ctx_save_restore_size = crate::client::OLD_SAVE_AREA;
    parts.create(&client).expect("enough for an old kernel");
    let client = Client::new(options());
    let small = client.memory(usize::try_from(bytes).expect("64 bits"), DEVICE);
    let mut parts = QueueParts::new(&client, 64);
    parts.argument.ctx_save_restore_address = small.address();
    parts.argument.ctx_save_restore_size = crate::client::OLD_SAVE_AREA;
    assert_eq!(
        parts.create(&client).err(),
        Some(EINVAL),
        "a new one wants more"
    );
}

#[test]
fn the_last_descriptor_frees_everything() {
    let client = Client::new(options());
    let before = client.memory(4096, DEVICE);
    let (_page, _) = client.event_page();
    let parts = QueueParts::new(&client, 64);
    parts.create(&client).expect("a queue");
    let second = client.vgpu.open("/dev/kfd").expect("another descriptor");
    client.vgpu.close(client.kfd);
    let client = Client {
        kfd: second,
        ..client
    };
    assert_eq!(client.map(before.handle), Ok(()), "one descriptor is left");
    client.vgpu.close(client.kfd);
    let kfd = client.vgpu.open("/dev/kfd").expect("again");
    let render = client.vgpu.open("/dev/dri/renderD128").expect("again");
    let client = Client {
        kfd,
        render,
        ..client
    };
    let mut available = AvailableMemory {
        gpu_id: client.gpu_id,
        ..AvailableMemory::default()
    };
    client
        .call(request::AVAILABLE_MEMORY, &mut available)
        .expect("a figure");
    assert_eq!(available.available, 4 << 30);
    client.acquire_vm().expect("a new start, with another file");
    assert_eq!(client.map(before.handle), Err(Errno(libc::ENOMEM)), "gone");
    let mut enable = RuntimeEnable {
        mode_mask: kfd::RUNTIME_MODE_ENABLE,
        ..RuntimeEnable::default()
    };
    client
        .call(request::RUNTIME_ENABLE, &mut enable)
        .expect("no queues, not enabled");
    client.event_page();
}
