//! The suite on the kfd driver over the virtual device, and what can be tried there only: older
//! kernels, and kernels that refuse.

mod refusing;
mod suite;

use std::sync::Arc;

use hrx_abi::kfd::{GetVersion, request};
use hrx_drivers::DriverError;
use hrx_drivers::kfd::{ChipSet, Errno, Kernel, KfdDevice, VirtualKernel};
use hrx_hal::{Device, FaultKind, HalError, MemoryKind};
use hrx_vgpu::{Options, Vgpu};

use refusing::Refusing;

fn options() -> Options {
    Options {
        memory_bytes: 1 << 30,
        ..Options::default()
    }
}

fn kernel(options: Options) -> Arc<dyn Kernel> {
    Arc::new(VirtualKernel::new(
        Vgpu::new(options).expect("a virtual device"),
    ))
}

fn open() -> Option<Arc<dyn Device>> {
    Some(KfdDevice::open(&kernel(options()), ChipSet::Native).expect("it opens"))
}

suite::suite!(open);

fn runs_a_packet(device: Arc<dyn Device>) {
    let rig = suite::Rig::new(device);
    let queue = rig.queue();
    let end = queue.barrier(&[], None).expect("a barrier");
    queue.wait(&end).expect("it completes");
}

#[test]
fn a_kernel_that_publishes_no_save_area_sizes_is_served_by_the_formula() {
    let old = Options {
        old_kernel: true,
        ..options()
    };
    runs_a_packet(KfdDevice::open(&kernel(old), ChipSet::Native).expect("it opens"));
}

#[test]
fn a_kernel_without_shared_virtual_memory_gets_an_ordinary_save_area() {
    let refusing = Refusing::new(kernel(options()));
    refusing.refuse_always(request::SVM, libc::EOPNOTSUPP);
    let before = refusing.objects();
    let device = KfdDevice::open(&refusing.as_kernel(), ChipSet::Native).expect("it opens");
    runs_a_packet(device);
    assert!(refusing.refusals() > 0, "the save area asks for it");
    assert_eq!(refusing.objects(), before, "all objects were freed");
}

#[test]
fn a_device_is_described_as_the_chip_is_published() {
    let device = open().expect("a device");
    let properties = device.properties();
    assert_eq!(properties.name, "gfx1151");
    assert_eq!(properties.marketing_name, "AMD Radeon 8060S (virtual)");
    assert!(properties.is_virtual && properties.is_apu);
    assert_eq!(
        (properties.vendor_id, properties.device_id),
        (0x1002, 0x1586)
    );
    assert_eq!(
        (properties.compute_units, properties.simds_per_compute_unit),
        (40, 2)
    );
    assert_eq!((properties.shader_engines, properties.wave_size), (2, 32));
    assert_eq!(
        (properties.lds_bytes, properties.tick_hz),
        (64 << 10, 100_000_000)
    );
    assert_eq!(properties.shader_clock_khz, 2_900_000);
    let caches = [
        properties.l1_cache_bytes,
        properties.l2_cache_bytes,
        properties.l3_cache_bytes,
    ];
    assert_eq!(caches, [32 << 10, 2 << 20, 32 << 20]);
    assert_eq!(properties.memory_bytes, 1 << 30);
    assert_eq!(
        (
            properties.shared_aperture_hi,
            properties.private_aperture_hi
        ),
        (1 << 16, 2 << 16)
    );
    assert_eq!(properties.pci.to_string(), "0000:c5:00.0");
}

#[test]
fn another_major_version_is_refused_with_both() {
    let refusing = Refusing::new(kernel(options()));
    refusing.answer(request::GET_VERSION, |argument| {
        let version: &mut GetVersion = bytemuck::from_bytes_mut(argument);
        version.major = 2;
    });
    let error = KfdDevice::open(&refusing.as_kernel(), ChipSet::Native).unwrap_err();
    assert!(
        matches!(
            error,
            DriverError::WrongVersion {
                major: 2,
                expected: 1,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn nodes_that_cannot_be_opened_say_what_to_do() {
    let refusing = Refusing::new(kernel(options()));
    refusing.refuse_open("/dev/kfd", libc::ENOENT);
    let error = KfdDevice::open(&refusing.as_kernel(), ChipSet::Native).unwrap_err();
    assert!(error.to_string().contains("no /dev/kfd"), "{error}");
    for node in ["/dev/kfd", "/dev/dri/renderD128"] {
        let refusing = Refusing::new(kernel(options()));
        refusing.refuse_open(node, libc::EACCES);
        let error = KfdDevice::open(&refusing.as_kernel(), ChipSet::Native).unwrap_err();
        assert!(matches!(&error, DriverError::NoPermission { path, .. } if path == node));
        assert!(error.to_string().contains("permission"), "{error}");
    }
}

/// Whatever request is refused, in whatever order: an error, and everything given back.
#[test]
fn a_refusal_at_any_point_leaves_nothing_behind() {
    for nth in 0..200 {
        let refusing = Refusing::new(kernel(options()));
        refusing.refuse_nth(nth, libc::EIO);
        let result = bring_up(&refusing);
        if refusing.refusals() == 0 {
            assert!(result.is_ok(), "nothing was refused: {result:?}");
            assert!(nth > 20, "only {nth} requests could be refused");
            assert_eq!(
                (
                    refusing.objects(),
                    refusing.events(),
                    refusing.descriptors()
                ),
                (0, 0, 0)
            );
            return;
        }
        // An object that the kernel refuses to let go of cannot be given back.
        let stuck = i64::from(refusing.refused_a_release());
        assert!(
            refusing.objects() <= stuck,
            "request {nth}: {} objects",
            refusing.objects()
        );
        assert!(
            refusing.events() <= stuck,
            "request {nth}: {} events",
            refusing.events()
        );
        assert_eq!(refusing.descriptors(), 0, "request {nth}");
    }
    panic!("the driver makes no end of requests");
}

fn bring_up(refusing: &Refusing) -> Result<(), String> {
    let text = |error: HalError| error.to_string();
    let device = KfdDevice::open(&refusing.as_kernel(), ChipSet::Native);
    let device: Arc<dyn Device> = device.map_err(|error| error.to_string())?;
    let queue = device.create_queue(64).map_err(text)?;
    let scratch = device.ensure_scratch(&queue, 64, 32).map_err(text);
    let event = device.create_event().map_err(text);
    let memory = device.allocate(4096, 64, MemoryKind::Device).map_err(text);
    let mut results = vec![scratch, device.destroy_queue(queue).map_err(text)];
    results.push(event.and_then(|event| device.destroy_event(event).map_err(text)));
    results.push(memory.and_then(|memory| device.free(memory).map_err(text)));
    results.into_iter().collect()
}

#[test]
fn an_unknown_queue_is_an_error_and_not_another_ones() {
    let (one, other) = (open().expect("a device"), open().expect("a device"));
    let queue = one.create_queue(64).expect("a queue");
    let error = other.ensure_scratch(&queue, 64, 32).unwrap_err();
    assert!(matches!(error, HalError::QueueDestroyed { .. }), "{error}");
    one.destroy_queue(queue).expect("it is this one's");
}

#[test]
fn too_much_scratch_for_a_wave_is_refused() {
    let device = open().expect("a device");
    let queue = device.create_queue(64).expect("a queue");
    let error = device.ensure_scratch(&queue, 1 << 20, 32).unwrap_err();
    assert!(matches!(error, HalError::InvalidArgument { .. }), "{error}");
    device.destroy_queue(queue).expect("it goes on");
}

#[test]
fn no_fault_is_reported_where_there_is_none() {
    let device = open().expect("a device");
    assert_eq!((device.fault(), device.poll_fault()), (None, None));
    let error = HalError::system("x", Errno(libc::EIO).to_io());
    assert!(error.fault().is_none());
    assert_eq!(FaultKind::Trap.to_string(), "trap");
}
