//! Exchanges between lanes, and what waves see of the machine: kernels 05, 16 and 18.

use super::*;

#[test]
fn scan_through_row_shifts() {
    in_wave32("05_scan_dpp", |device, module, level| {
        let input = ints(&mut Random::new(1), 128);
        let (bin, bout) = (device.buffer(&input), device.zeroed(4 * 128));
        run(
            device,
            module,
            level,
            "scan_dpp",
            &Dims::x(128, 64),
            &args().ptr(&bin).ptr(&bout),
        );
        for wave in 0..4 {
            let mut sum = 0i32;
            for lane in 0..32 {
                sum = sum.wrapping_add(input[wave * 32 + lane]);
                assert_eq!(bout.get(wave * 32 + lane).cast_signed(), sum, "lane {lane}");
            }
        }
    });
}

#[test]
fn every_kind_of_lane_permutation() {
    in_wave32("05_scan_dpp", |device, module, level| {
        let input = ints(&mut Random::new(2), 32);
        let (bin, bout) = (device.buffer(&input), device.zeroed(4 * 32));
        run(
            device,
            module,
            level,
            "dpp_zoo",
            &Dims::x(32, 32),
            &args().ptr(&bin).ptr(&bout),
        );
        // What each lane sees, spelled out by the definitions of the controls: old is 0.
        for lane in 0..32usize {
            let (row, column) = (lane / 16 * 16, lane % 16);
            let at = |lane: usize| input[lane];
            let mut r = at(lane / 4 * 4 + [3, 2, 1, 0][lane % 4]);
            r ^= if column + 1 < 16 { at(lane + 1) } else { 0 };
            r = r.wrapping_add(at(row + (column + 16 - 3) % 16));
            r ^= at(row + 15 - column);
            r = r.wrapping_add(at(lane / 8 * 8 + 7 - lane % 8));
            r ^= at(row + 5);
            r = r.wrapping_add(if row == 0 { at(row + (column ^ 10)) } else { 0 });
            let selectors: usize = 0o6543210 | 7 << 21;
            r ^= at(lane / 8 * 8 + (selectors >> (3 * (lane % 8)) & 7));
            // row_shr:8 into banks 0 and 1 only: their lanes have no source, bound_ctrl makes it 0.
            let last = if column < 8 { 0 } else { r };
            r = r.wrapping_add(last);
            assert_eq!(bout.get(lane).cast_signed(), r, "lane {lane}");
        }
    });
}

#[test]
fn ballots_swizzles_and_permutes() {
    in_wave32("16_wave_ops", |device, module, level| {
        let input = ints(&mut Random::new(27), 32);
        let (bin, bout) = (device.buffer(&input), device.zeroed(128));
        run(
            device,
            module,
            level,
            "wave_ops",
            &Dims::x(32, 32),
            &args().ptr(&bin).ptr(&bout),
        );
        let ballot = (0..32).fold(0u32, |b, lane| b | u32::from(input[lane] > 0) << lane);
        for lane in 0..32usize {
            let below = (0..lane).filter(|&l| input[l] > 0).count() as i32;
            let mut r = below
                .wrapping_add(input[0])
                .wrapping_add(input[(ballot & 31) as usize]);
            // 0x041f: keep all bits, xor 1; quad_perm 3, 2, 1, 0.
            r ^= input[lane ^ 1].wrapping_add(input[lane / 4 * 4 + 3 - lane % 4]);
            r = r.wrapping_add(input[lane]);
            r ^= input[lane ^ 5];
            assert_eq!(bout.get(lane).cast_signed(), r, "lane {lane}");
        }
    });
}

#[test]
fn divergent_loops_run_each_lane_as_long_as_it_needs() {
    in_wave32("16_wave_ops", |device, module, level| {
        let input: Vec<u32> = (1..=64).collect();
        let (bin, bout) = (device.buffer(&input), device.zeroed(256));
        run(
            device,
            module,
            level,
            "collatz",
            &Dims::x(64, 64),
            &args().ptr(&bin).ptr(&bout),
        );
        for (i, &start) in input.iter().enumerate() {
            let steps = std::iter::successors(Some(start), |&n| {
                (n > 1).then(|| if n % 2 == 1 { 3 * n + 1 } else { n / 2 })
            })
            .count();
            assert_eq!(bout.get(i) as usize, steps - 1, "from {start}");
        }
    });
}

#[test]
fn waterfall_over_distinct_values() {
    in_wave32("16_wave_ops", |device, module, level| {
        let input = ints(&mut Random::new(28), 64);
        let (bin, bout) = (device.buffer(&input), device.zeroed(256));
        run(
            device,
            module,
            level,
            "uniform_pick",
            &Dims::x(64, 64),
            &args().ptr(&bin).ptr(&bout),
        );
        for i in 0..64usize {
            let wave = &input[i / 32 * 32..][..32];
            let same = wave.iter().filter(|&v| v & 7 == input[i] & 7).count() as i32;
            assert_eq!(
                bout.get(i).cast_signed(),
                (input[i] & 7) * 10 + same,
                "item {i}"
            );
        }
    });
}

#[test]
fn clocks_run_and_registers_answer() {
    in_wave32("18_system", |device, module, level| {
        let (bo, bh) = (device.zeroed(16 * 64), device.zeroed(256));
        run(
            device,
            module,
            level,
            "clocks",
            &Dims::x(64, 64),
            &args().ptr(&bo).ptr(&bh),
        );
        let times = bo.quads();
        assert!(times[0] < 1 << 20, "SHADER_CYCLES has 20 bits");
        assert!(
            times[1] > 0 && times[2 * 32 + 1] > times[1],
            "the second wave asks later"
        );
        assert_eq!((bh.get(0), bh.get(32)), (0, 1), "wave id of HW_ID1");
    });
}

#[test]
fn trap_stops_the_wave() {
    in_wave32("18_system", |device, module, level| {
        let input: Vec<i32> = (0..64).map(|i| if i == 40 { -1 } else { i }).collect();
        let bin = device.buffer(&input);
        let info = module.dispatch(device, "maybe_trap", &Dims::x(64, 64), &args().ptr(&bin));
        let fault = launch(device, level, &info, 1).unwrap_err();
        assert_eq!((fault.kind, fault.wave), (FaultKind::Trap { id: 2 }, 1));
        assert_eq!(fault.instruction, "s_trap 2");
        let bin = device.buffer(&[1i32; 64]);
        run(
            device,
            module,
            level,
            "maybe_trap",
            &Dims::x(64, 64),
            &args().ptr(&bin),
        );
    });
}

#[test]
fn raw_buffers_end_where_their_descriptor_says() {
    in_wave32("18_system", |device, module, level| {
        let values: Vec<f32> = (0..64).map(|i| i as f32).collect();
        let bp = device.buffer(&values);
        // 150 bytes: element 37 is cut in two and out of range as a whole.
        run(
            device,
            module,
            level,
            "buffer_rw",
            &Dims::x(64, 32),
            &args().ptr(&bp).u32(150),
        );
        for (i, result) in bp.floats().into_iter().enumerate() {
            let expected = if i < 37 { 2.0 * values[i] } else { values[i] };
            assert_eq!(result, expected, "element {i}");
        }
    });
}
