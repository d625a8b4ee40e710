//! What `Launch::prepare` refuses, and how waves start.

use super::super::code::CodeCache;
use super::super::group::Group;
use super::super::launch::{BadKernelObject, Launch, LaunchError};
use super::super::wave::scalar;
use super::super::{DispatchInfo, Progress};
use super::{BASE, Bench, Level, Page, dispatch};

fn refused(change: impl Fn(&mut DispatchInfo, &Page)) -> LaunchError {
    let page = Page::new(1024);
    let mut info = dispatch(&page);
    page.write(256, &[0xbfb0_0000]);
    change(&mut info, &page);
    Launch::prepare(&CodeCache::new(), &page, &info).expect_err("a bad dispatch")
}

#[test]
fn dimensions_are_checked() {
    for (dims, grid) in [
        (0, [32, 1, 1]),
        (4, [32, 1, 1]),
        (1, [0, 1, 1]),
        (1, [32, 2, 1]),
        (3, [1, 1, 0]),
    ] {
        let error = refused(|info, _| (info.dims, info.grid) = (dims, grid));
        assert_eq!(error, LaunchError::Dimensions { dims, grid });
    }
}

#[test]
fn work_group_sizes_are_checked() {
    for group in [[0, 1, 1], [1025, 1, 1], [65535, 1, 1]] {
        assert_eq!(
            refused(|info, _| info.group = group),
            LaunchError::WorkgroupSize { group }
        );
    }
    let error = refused(|info, _| (info.dims, info.group) = (2, [64, 17, 1]));
    assert_eq!(error, LaunchError::WorkgroupSize { group: [64, 17, 1] });
    let error = refused(|info, _| info.group = [32, 2, 1]);
    assert_eq!(error, LaunchError::WorkgroupSize { group: [32, 2, 1] });
}

#[test]
fn group_memory_has_a_limit() {
    let error = refused(|info, _| info.group_segment_bytes = 65537);
    assert_eq!(
        error,
        LaunchError::GroupSegmentTooLarge {
            bytes: 65537,
            limit: 65536
        }
    );
}

#[test]
fn kernel_objects_are_checked() {
    let why = |change: &dyn Fn(&mut DispatchInfo, &Page)| match refused(change) {
        LaunchError::BadKernelObject { why, .. } => why,
        other => panic!("{other}"),
    };
    assert_eq!(
        why(&|info, _| info.kernel_object += 4),
        BadKernelObject::Misaligned
    );
    assert_eq!(
        why(&|info, _| info.kernel_object = 0),
        BadKernelObject::NotMapped
    );
    assert_eq!(
        why(&|_, page| page.write(16, &[64])),
        BadKernelObject::EntryMisaligned { entry: BASE + 64 }
    );
    assert_eq!(
        why(&|_, page| page.write(16, &[0x10000])),
        BadKernelObject::EntryNotMapped {
            entry: BASE + 0x10000
        }
    );
}

#[test]
fn registers_are_checked() {
    let what = |change: &dyn Fn(&Page)| match refused(|_, page| change(page)) {
        LaunchError::Registers { what, found, limit } => (what, found, limit),
        other => panic!("{other}"),
    };
    assert_eq!(
        what(&|page| page.write(48, &[63])),
        ("vector registers", 512, 256)
    );
    assert_eq!(
        what(&|page| page.write(52, &[17 << 1])),
        ("user SGPRs", 17, 16)
    );
    assert_eq!(
        what(&|page| page.write(56, &[1 << 10 | 1])),
        ("a private segment buffer", 1, 0)
    );
    assert_eq!(
        what(&|page| page.write(56, &[1 << 10 | 1 << 5])),
        ("a flat scratch set-up", 1, 0)
    );
}

#[test]
fn private_memory_needs_scratch() {
    let error = refused(|info, page| {
        page.write(52, &[1]);
        info.private_segment_bytes = 100;
    });
    assert_eq!(
        error,
        LaunchError::Scratch {
            needed: 3328,
            found: 0
        }
    );
    let error = refused(|info, page| {
        page.write(52, &[1]);
        (
            info.private_segment_bytes,
            info.scratch_base,
            info.scratch_wave_bytes,
        ) = (100, BASE, 256);
    });
    assert_eq!(
        error,
        LaunchError::Scratch {
            needed: 3328,
            found: 256
        }
    );
}

#[test]
fn user_sgprs_come_in_order_and_ids_behind_their_count() {
    let page = Page::new(1024);
    let mut info = dispatch(&page);
    // Everything that gfx11 can ask for; nine registers, but ids begin in the twelfth.
    let properties = 1 << 10 | 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 6;
    page.write(52, &[12 << 1 | 0b1111 << 7, properties]);
    // s_mov_b32 s30, exec_lo; s_endpgm.
    page.write(256, &[0xbe9e_007e, 0xbfb0_0000]);
    info.dispatch_packet = 0x1111_1111_2222_2222;
    info.queue = 0x3333_3333_4444_4444;
    info.kernarg = 0x5555_5555_6666_6666;
    info.dispatch_id = 0x7777_7777_8888_8888;
    info.private_segment_bytes = 99;
    (info.dims, info.grid, info.group) = (3, [10, 9, 8], [5, 3, 4]);
    let launch = Launch::prepare(&CodeCache::new(), &page, &info).unwrap();
    let sgprs: Vec<(u16, u32)> = launch.sgprs([1, 2, 0], 2, 1).collect();
    let user = [
        0x2222_2222,
        0x1111_1111,
        0x4444_4444,
        0x3333_3333,
        0x6666_6666,
        0x5555_5555,
        0x8888_8888,
        0x7777_7777,
        99,
    ];
    let expected: Vec<(u16, u32)> = (0..)
        .zip(user)
        .chain([(12, 1), (13, 2), (14, 0), (15, 2)])
        .collect();
    assert_eq!(sgprs, expected);
    assert_eq!(
        launch.sgprs([0; 3], 2, 0).last(),
        Some((15, 1 << 31 | 2)),
        "the first wave's info"
    );
}

#[test]
fn item_ids_are_packed_and_lanes_exist_only_for_items() {
    let page = Page::new(1024);
    let mut info = dispatch(&page);
    // Ids in three dimensions.
    page.write(52, &[2 << 11]);
    page.write(256, &[0xbfb0_0000]);
    (info.dims, info.grid, info.group) = (3, [7, 3, 4], [5, 3, 4]);
    let launch = Launch::prepare(&CodeCache::new(), &page, &info).unwrap();
    assert_eq!(launch.group_size([0, 0, 0]), [5, 3, 4]);
    assert_eq!(launch.group_size([1, 0, 0]), [2, 3, 4]);
    let full = launch.ids([5, 3, 4]);
    assert_eq!(full.len(), 2);
    // Item 37 is x 2, y 1, z 2.
    assert_eq!(full[1].0[5], 2 | 1 << 10 | 2 << 20);
    let partial = launch.ids([2, 3, 4]);
    assert_eq!(
        (partial.len(), partial[0].0[23]),
        (1, 1 | 2 << 10 | 3 << 20)
    );
    assert_eq!(partial[0].0[24], 0, "no item");
}

#[test]
fn residency_is_bounded_by_waves_registers_lds_and_barriers() {
    let limit = |group: u16, vgpr_blocks: u32, lds: u32, wgp: bool| {
        let page = Page::new(1024);
        let mut info = dispatch(&page);
        page.write(48, &[vgpr_blocks | 0x00af_0000 | u32::from(wgp) << 29]);
        page.write(256, &[0xbfb0_0000]);
        (info.group, info.group_segment_bytes) = ([group, 1, 1], lds);
        Launch::prepare(&CodeCache::new(), &page, &info)
            .unwrap()
            .resident_groups_limit()
            / 20
    };
    // 64 wave slots; 32 barriers for groups of more than one wave.
    assert_eq!(
        (
            limit(32, 0, 0, true),
            limit(64, 0, 0, true),
            limit(1024, 0, 0, true)
        ),
        (64, 32, 2)
    );
    // 256 registers are rounded to 264: five waves a SIMD.
    assert_eq!(limit(32, 31, 0, true), 20);
    assert_eq!(
        (limit(256, 0, 65536, true), limit(256, 0, 1025, true)),
        (2, 8)
    );
    // CU mode: half of everything, twice.
    assert_eq!(
        (limit(64, 0, 40000, false), limit(32, 0, 0, false)),
        (2, 64)
    );
}

#[test]
fn barrier_counts_waves_that_ended() {
    // Wave 0 ends at once, the others wait for each other: v_cmp_gt_u32 vcc_lo, 32, v0;
    // s_cbranch_vccnz +1 (to the end); s_barrier; s_endpgm. By llvm-mc 19.
    let page = Page::new(1024);
    let mut info = dispatch(&page);
    page.write(256, &[0x7c98_00a0, 0xbfa4_0001, 0xbfbd_0000, 0xbfb0_0000]);
    (info.grid, info.group) = ([96, 1, 1], [96, 1, 1]);
    let launch = Launch::prepare(&CodeCache::new(), &page, &info).unwrap();
    let mut group = Group::new(&launch, [0; 3]);
    assert_eq!(group.run(&launch, &page, 100), Progress::Finished);
    assert_eq!(group.instructions(), 3 + 4 + 4);
}

#[test]
fn code_is_read_again_after_invalidation() {
    let page = Page::new(1024);
    let info = dispatch(&page);
    let cache = CodeCache::new();
    page.write(256, &[0xbfb0_0000]);
    let finishes = |cache: &CodeCache| {
        let launch = Launch::prepare(cache, &page, &info).unwrap();
        Group::new(&launch, [0; 3]).run(&launch, &page, 100) == Progress::Finished
    };
    assert!(finishes(&cache));
    // s_trap 2.
    page.write(256, &[0xbf90_0002]);
    assert!(finishes(&cache), "still what was read first");
    cache.invalidate();
    assert!(!finishes(&cache));
}

#[test]
fn a_wave_starts_with_vcc_and_m0_zero() {
    let bench = Bench::new(&[0xbf80_0000], Level::Baseline);
    assert_eq!(
        (bench.wave.s64(scalar::VCC_LO), bench.wave.s(scalar::M0)),
        (0, 0)
    );
}
