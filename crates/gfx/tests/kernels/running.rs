//! Counting, faults, and the order of groups.

use super::*;

#[test]
fn instruction_counts_are_architectural() {
    // The disassembly of saxpy at -O3 has 29 instructions from entry to end, waits and hints included; a
    // wave whose lanes are all out of bounds branches over 16 of them.
    let device = Device::default();
    let module = Module::load(&device, &kernel_path("01_saxpy.O3.co"));
    let buffer = device.zeroed(4096);
    for (n, expected) in [(64, 29 + 29), (32, 29 + 13), (0, 13 + 13)] {
        let args = args().f32(1.0).ptr(&buffer).ptr(&buffer).u32(n);
        let info = module.dispatch(&device, "saxpy", &Dims::x(64, 64), &args);
        for level in levels() {
            assert_eq!(
                launch(&device, level, &info, 1).unwrap(),
                expected,
                "{n} elements"
            );
        }
    }
}

#[test]
fn a_store_past_the_end_faults_with_address_group_and_lane() {
    for level in levels() {
        let device = Device::default();
        let module = Module::load(&device, &kernel_path("01_saxpy.O3.co"));
        let x = device.zeroed(4 * 4096);
        let y = device.zeroed(4 * 100);
        let args = args().f32(1.0).ptr(&x).ptr(&y).u32(4096);
        let info = module.dispatch(&device, "saxpy", &Dims::x(256, 64), &args);
        let fault = launch(&device, level, &info, 1).unwrap_err();
        // Element 100 is lane 4 of wave 1 of group 1.
        assert_eq!(
            fault.kind,
            FaultKind::Memory {
                address: y.address + 400,
                why: AccessError::NotPresent
            }
        );
        assert_eq!(
            (fault.group, fault.wave, fault.lane),
            ([1, 0, 0], 1, Some(4))
        );
        assert!(fault.instruction.contains("global_load_b32"), "{fault}");
    }
}

#[test]
fn a_store_to_read_only_memory_faults() {
    let device = Device::default();
    let module = Module::load(&device, &kernel_path("01_saxpy.O3.co"));
    let x = device.zeroed(4 * 64);
    let y = device.alloc(4 * 64, Rights::READ);
    let args = args().f32(1.0).ptr(&x).ptr(&y).u32(64);
    let info = module.dispatch(&device, "saxpy", &Dims::x(64, 64), &args);
    let fault = launch(&device, Level::best(), &info, 1).unwrap_err();
    let why = AccessError::ReadOnly;
    assert_eq!(
        fault.kind,
        FaultKind::Memory {
            address: y.address,
            why
        }
    );
    assert!(fault.instruction.contains("global_store_b32"), "{fault}");
}

#[test]
fn freed_memory_is_gone_for_a_group_that_used_it() {
    let device = Device::default();
    let module = Module::load(&device, &kernel_path("01_saxpy.O3.co"));
    let (x, y) = (device.zeroed(4 * 64), device.zeroed(4 * 64));
    let args = args().f32(1.0).ptr(&x).ptr(&y).u32(64);
    let info = module.dispatch(&device, "saxpy", &Dims::x(128, 64), &args);
    let cache = CodeCache::new();
    let launch = Launch::prepare(&cache, &device, &info).unwrap();
    let mut group = Group::new(&launch, [0, 0, 0]);
    assert_eq!(group.run(&launch, &device, 1000), Progress::Finished);
    device.free(&x);
    group.reset(&launch, [0, 0, 0]);
    let Progress::Faulted(fault) = group.run(&launch, &device, 1000) else {
        panic!("the memory is gone");
    };
    let why = AccessError::NotPresent;
    assert_eq!(
        fault.kind,
        FaultKind::Memory {
            address: x.address,
            why
        }
    );
}

#[test]
fn groups_are_numbered_x_first() {
    let device = Device::default();
    let module = Module::load(&device, &kernel_path("01_saxpy.O3.co"));
    let dims = Dims {
        grid: [130, 3, 2],
        group: [64, 2, 1],
        dynamic_lds: 0,
    };
    let info = module.dispatch(&device, "saxpy", &dims, &args());
    let cache = CodeCache::new();
    let launch = Launch::prepare(&cache, &device, &info).unwrap();
    assert_eq!(launch.group_count(), [3, 2, 2]);
    assert_eq!(launch.groups_total(), 12);
    assert_eq!(launch.waves_per_group(), 4);
    assert_eq!(launch.group_at(4), [1, 1, 0]);
    let all: HashSet<_> = (0..12).map(|n| launch.group_at(n)).collect();
    assert_eq!(all.len(), 12);
}
