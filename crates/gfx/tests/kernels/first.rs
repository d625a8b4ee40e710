//! Streaming, reductions, tiled products, atomics and waiting groups: kernels 01 to 04 and 17.

use super::*;

#[test]
fn saxpy_adds_within_bounds_and_nowhere_else() {
    everywhere("01_saxpy", |device, module, level| {
        let mut random = Random::new(1);
        for (n, group) in [(1000u32, 256u16), (1, 64), (97, 33)] {
            let x = floats(&mut random, 1024);
            let y = floats(&mut random, 1024);
            let (bx, by) = (device.buffer(&x), device.buffer(&y));
            let grid = n.next_multiple_of(u32::from(group));
            let args = args().f32(2.5).ptr(&bx).ptr(&by).u32(n);
            run(device, module, level, "saxpy", &Dims::x(grid, group), &args);
            let result = by.floats();
            for i in 0..1024 {
                let expected = if i < n as usize {
                    2.5f32.mul_add(x[i], y[i])
                } else {
                    y[i]
                };
                assert_eq!(
                    result[i].to_bits(),
                    expected.to_bits(),
                    "element {i} of {n}"
                );
            }
        }
    });
}

#[test]
fn grid_stride_saxpy_covers_what_its_grid_does_not() {
    everywhere("01_saxpy", |device, module, level| {
        let mut random = Random::new(2);
        let x = floats(&mut random, 5000);
        let y = floats(&mut random, 5000);
        let (bx, by) = (device.buffer(&x), device.buffer(&y));
        let args = args().f32(-0.75).ptr(&bx).ptr(&by).u32(5000);
        run(
            device,
            module,
            level,
            "saxpy_stride",
            &Dims::x(192, 64),
            &args,
        );
        for (i, result) in by.floats().into_iter().enumerate() {
            assert_eq!(
                result.to_bits(),
                (-0.75f32).mul_add(x[i], y[i]).to_bits(),
                "element {i}"
            );
        }
    });
}

#[test]
fn vectorised_saxpy_moves_sixteen_bytes_a_lane() {
    everywhere("01_saxpy", |device, module, level| {
        let mut random = Random::new(3);
        let x = floats(&mut random, 4 * 300);
        let y = floats(&mut random, 4 * 300);
        let (bx, by) = (device.buffer(&x), device.buffer(&y));
        let args = args().f32(3.0).ptr(&bx).ptr(&by).u32(290);
        run(
            device,
            module,
            level,
            "saxpy_vec4",
            &Dims::x(320, 64),
            &args,
        );
        for (i, result) in by.floats().into_iter().enumerate() {
            let expected = if i < 4 * 290 {
                3f32.mul_add(x[i], y[i])
            } else {
                y[i]
            };
            assert_eq!(result.to_bits(), expected.to_bits(), "element {i}");
        }
    });
}

#[test]
fn partial_groups_have_lanes_only_for_items_of_the_grid() {
    // A grid that is no multiple of the group: the bounds test of the kernel is never needed.
    everywhere("01_saxpy", |device, module, level| {
        let x = vec![1f32; 256];
        let y = vec![0f32; 256];
        let (bx, by) = (device.buffer(&x), device.buffer(&y));
        let args = args().f32(1.0).ptr(&bx).ptr(&by).u32(256);
        run(device, module, level, "saxpy", &Dims::x(150, 64), &args);
        let expected: Vec<f32> = (0..256).map(|i| if i < 150 { 1.0 } else { 0.0 }).collect();
        assert_eq!(by.floats(), expected);
    });
}

#[test]
fn sum_of_a_block_through_shuffles_and_lds() {
    everywhere("02_reduce_shfl", |device, module, level| {
        let mut random = Random::new(4);
        // Small integers, so that any order of addition gives the same sum.
        let input: Vec<f32> = (0..3000).map(|_| (random.u32() % 1000) as f32).collect();
        let (groups, group) = (4usize, 256usize);
        let (bin, bout) = (device.buffer(&input), device.zeroed(4 * groups));
        let args = args().ptr(&bin).ptr(&bout).u32(3000);
        run(
            device,
            module,
            level,
            "reduce_sum",
            &Dims::x(1024, 256),
            &args,
        );
        let mut expected = vec![0f32; groups];
        for (i, value) in input.iter().enumerate() {
            expected[i % (groups * group) / group] += value;
        }
        assert_eq!(bout.floats(), expected);
    });
}

#[test]
fn place_of_the_largest_is_the_first_among_equals() {
    everywhere("02_reduce_shfl", |device, module, level| {
        let mut random = Random::new(5);
        let input: Vec<i32> = (0..1000).map(|_| (random.u32() % 50) as i32 - 25).collect();
        let (bin, bout) = (device.buffer(&input), device.zeroed(4 * 2));
        let args = args().ptr(&bin).ptr(&bout).u32(1000);
        run(device, module, level, "argmax", &Dims::x(64, 64), &args);
        for wave in 0..2 {
            let seen = |i: &usize| i % 64 / 32 == wave;
            let best = (0..1000).filter(seen).map(|i| input[i]).max().unwrap();
            // The first of a lane's own, then the smallest place among lanes.
            let expected = (0..1000).filter(seen).find(|&i| input[i] == best).unwrap();
            assert_eq!(bout.get(wave) as usize, expected);
        }
    });
}

/// Rows times columns in f64, rounded once.
fn product(a: &[f32], b: &[f32], n: usize) -> Vec<f64> {
    let mut c = vec![0f64; n * n];
    for i in 0..n {
        for k in 0..n {
            for j in 0..n {
                c[i * n + j] += f64::from(a[i * n + k]) * f64::from(b[k * n + j]);
            }
        }
    }
    c
}

fn matmul(name: &str, n: u32, dims: &Dims) {
    everywhere("03_matmul_lds", |device, module, level| {
        let mut random = Random::new(6);
        let a = floats(&mut random, (n * n) as usize);
        let b = floats(&mut random, (n * n) as usize);
        let (ba, bb) = (device.buffer(&a), device.buffer(&b));
        let bc = device.zeroed((4 * n * n) as usize);
        let args = args().ptr(&ba).ptr(&bb).ptr(&bc).u32(n);
        run(device, module, level, name, dims, &args);
        for (i, (result, exact)) in bc
            .floats()
            .into_iter()
            .zip(product(&a, &b, n as usize))
            .enumerate()
        {
            // n roundings of sums below n.
            let bound = f64::from(n * n) * f64::from(f32::EPSILON) / 2.0;
            assert!(
                (f64::from(result) - exact).abs() < bound,
                "element {i}: {result} {exact}"
            );
        }
    });
}

#[test]
fn matrix_product_in_tiles_of_16() {
    matmul("matmul16", 48, &Dims::xy([3 * 256, 3], [256, 1]));
}

#[test]
fn matrix_product_in_register_blocks_of_64() {
    matmul("matmul64", 128, &Dims::xy([2 * 256, 2], [256, 1]));
}

#[test]
fn integer_atomics_combine_every_item() {
    everywhere("04_atomics", |device, module, level| {
        let mut random = Random::new(7);
        let count = 500u32;
        let input: Vec<i32> = (0..count).map(|_| random.u32() as i32).collect();
        let (bin, bp) = (
            device.buffer(&input),
            device.buffer(&[0, 0, 0, -1, 0, 0, 0i32]),
        );
        let bq = device.zeroed(4 * (4096 + 512));
        bq.set(0, u32::MAX);
        let br = device.zeroed(8 * 1024);
        let args = args().ptr(&bp).ptr(&bq).ptr(&br).ptr(&bin);
        run(
            device,
            module,
            level,
            "atomics_int",
            &Dims::x(count, 100),
            &args,
        );

        let p = bp.words();
        assert_eq!(
            p[0],
            input.iter().fold(0, |s: u32, &v| s.wrapping_add(v as u32))
        );
        assert_eq!(p[1] as i32, input.iter().copied().min().unwrap().min(0));
        assert_eq!(p[2] as i32, input.iter().copied().max().unwrap().max(0));
        assert_eq!(p[3], input.iter().fold(u32::MAX, |s, &v| s & v as u32));
        assert_eq!(p[4], input.iter().fold(0, |s, &v| s | v as u32));
        assert_eq!(p[5], input.iter().fold(0, |s, &v| s ^ v as u32));
        assert_eq!(
            p[6],
            input.iter().fold(0, |s: u32, &v| s.wrapping_sub(v as u32))
        );
        let q = bq.words();
        assert_eq!(q[0], input.iter().map(|&v| v as u32).min().unwrap());
        assert_eq!(q[1], input.iter().map(|&v| v as u32).max().unwrap());
        // Exchange: the values form a chain from 0 to what is left.
        let mut seen: Vec<u32> = (0..count as usize).map(|i| q[8 + i]).collect();
        seen.push(q[2]);
        let mut expected: Vec<u32> = input.iter().map(|&v| v as u32).chain([0]).collect();
        seen.sort_unstable();
        expected.sort_unstable();
        assert_eq!(seen, expected);
        // Increment with wrap at 100: each of 0 to 100 comes up as often as the count says.
        let mut wraps = vec![0u32; 101];
        for i in 0..count as usize {
            wraps[q[4096 + i] as usize] += 1;
        }
        for (value, &times) in wraps.iter().enumerate() {
            let expected = count / 101 + u32::from((value as u32) < count % 101);
            assert_eq!(times, expected, "value {value}");
        }
        assert_eq!(q[3], count % 101);
        let r = br.quads();
        // The kernel sign-extends to 64 bits.
        let wide = |v: i32| i64::from(v) as u64;
        assert_eq!(
            r[0],
            input.iter().fold(0, |s: u64, &v| s.wrapping_add(wide(v)))
        );
        assert_eq!(r[1], input.iter().map(|&v| wide(v)).max().unwrap());
        assert_eq!(r[2], input.iter().fold(0, |s, &v| s ^ wide(v)));
    });
}

#[test]
fn float_atomics_add_and_find_the_largest() {
    everywhere("04_atomics", |device, module, level| {
        let mut random = Random::new(8);
        let input: Vec<f32> = (0..256)
            .map(|_| (random.u32() % 4096) as f32 - 2048.0)
            .collect();
        let (bin, bp) = (device.buffer(&input), device.buffer(&[0f32, -1e9]));
        let args = args().ptr(&bp).ptr(&bin);
        run(
            device,
            module,
            level,
            "atomics_float",
            &Dims::x(256, 64),
            &args,
        );
        let largest = input.iter().copied().fold(-1e9, f32::max);
        assert_eq!(bp.floats(), [input.iter().sum::<f32>(), largest]);
    });
}

#[test]
fn histogram_in_lds() {
    everywhere("04_atomics", |device, module, level| {
        let mut random = Random::new(9);
        let input: Vec<u8> = (0..4000).map(|_| random.u32() as u8).collect();
        let (bin, bh) = (device.buffer(&input), device.zeroed(4 * 257));
        let args = args().ptr(&bin).ptr(&bh).u32(4000);
        run(
            device,
            module,
            level,
            "atomics_lds",
            &Dims::x(3 * 128, 128),
            &args,
        );
        let mut expected = vec![0u32; 256];
        input
            .iter()
            .for_each(|&byte| expected[usize::from(byte)] += 1);
        assert_eq!(bh.words()[..256], expected);
        let total: u32 = input.iter().map(|&byte| u32::from(byte)).sum();
        assert_eq!(f32::from_bits(bh.get(256)), total as f32);
    });
}

fn chain(threads: usize) {
    everywhere("17_lookback", |device, module, level| {
        let groups = 40u32;
        let (flag, out) = (device.zeroed(4 * 64), device.zeroed(4 * 64));
        let ticket = device.zeroed(4);
        let args = args().ptr(&flag).ptr(&out).ptr(&ticket);
        let info = module.dispatch(device, "chain", &Dims::x(groups * 64, 64), &args);
        launch(device, level, &info, threads).unwrap_or_else(|fault| panic!("{fault}"));
        let expected: Vec<u32> = (0..groups).map(|b| (b + 1) * (b + 2) / 2).collect();
        assert_eq!(out.words()[..groups as usize], expected);
        assert!(
            flag.words()[..groups as usize]
                .iter()
                .all(|&flag| flag == 1)
        );
    });
}

#[test]
fn groups_that_wait_for_others_make_progress_on_one_thread() {
    chain(1);
}

#[test]
fn groups_that_wait_for_others_make_progress_on_several_threads() {
    chain(4);
}

#[test]
fn a_group_that_starts_last_frees_one_that_spins() {
    // One resident group spins on a flag that only a later group sets: it must yield by its budget, and
    // the later one must be started.
    let device = Device::default();
    let module = Module::load(&device, &kernel_path("17_lookback.O3.co"));
    let (flag, out, ticket) = (device.zeroed(64), device.zeroed(64), device.zeroed(4));
    // Ticket 1 is given first, so the first group waits for ticket 0's flag.
    ticket.set(0, 1);
    let args = args().ptr(&flag).ptr(&out).ptr(&ticket);
    let info = module.dispatch(&device, "chain", &Dims::x(64, 64), &args);
    let cache = CodeCache::new();
    let launch = Launch::prepare(&cache, &device, &info).unwrap();
    let mut group = Group::new(&launch, [0, 0, 0]);
    for _ in 0..10 {
        assert_eq!(group.run(&launch, &device, 1000), Progress::Yielded);
    }
    out.set(0, 41);
    flag.set(0, 1);
    assert_eq!(group.run(&launch, &device, 1000), Progress::Finished);
    assert_eq!(out.get(1), 41 + 2);
}

#[test]
fn copy_and_fill_kernels_move_every_byte() {
    let path = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../runtime/kernels/blit.gfx1151.co");
    for level in levels() {
        let device = Device::default();
        let module = Module::load(&device, &path);
        let mut random = Random::new(10);
        let source: Vec<u8> = (0..5003).map(|_| random.u32() as u8).collect();
        let from = device.buffer(&source);
        let dims = Dims::x(512, 256);
        for (name, length) in [("hrx_copy_b128", 4999u64), ("hrx_copy_b8", 4999)] {
            let to = device.zeroed(5003);
            let args = args().ptr(&to).ptr(&from).u64(length).u64(512);
            run(&device, &module, level, name, &dims, &args);
            assert_eq!(to.bytes()[..4999], source[..4999], "{name}");
            assert_eq!(to.bytes()[4999..5003], [0; 4], "{name}");
        }
        for (name, size, count) in [
            ("hrx_fill_b8", 1usize, 1001u64),
            ("hrx_fill_b16", 2, 999),
            ("hrx_fill_b32", 4, 777),
        ] {
            let to = device.zeroed(4096);
            let args = args().ptr(&to).u32(0xa1b2_c3d4).u64(count).u64(512);
            run(&device, &module, level, name, &dims, &args);
            let pattern = 0xa1b2_c3d4u32.to_le_bytes();
            let filled = size * count as usize;
            for (i, byte) in to.bytes().into_iter().enumerate() {
                let expected = if i < filled { pattern[i % size] } else { 0 };
                assert_eq!(byte, expected, "{name} byte {i}");
            }
        }
        let to = device.zeroed(64 * 80);
        let args = args()
            .ptr(&to)
            .u64(80)
            .ptr(&from)
            .u64(71)
            .u64(63)
            .u64(50)
            .u64(64)
            .u64(4);
        run(
            &device,
            &module,
            level,
            "hrx_copy_2d",
            &Dims::xy([64, 4], [64, 4]),
            &args,
        );
        for (i, byte) in to.bytes().into_iter().enumerate() {
            let (x, y) = (i % 80, i / 80);
            let expected = if x < 63 && y < 50 {
                source[y * 71 + x]
            } else {
                0
            };
            assert_eq!(byte, expected, "x {x} y {y}");
        }
    }
}
