//! Whole kernels of the wider instruction set, as clang compiles them at -O3, against results computed on
//! the host in another way. Every kernel runs at every level that the CPU has.

mod common;

use common::*;
use half::{bf16, f16};
use hrx_gfx::exec::{FaultKind, Level};

/// Runs a check for a kernel file at each level of the CPU.
fn everywhere(name: &str, check: impl Fn(&Device, &Module, Level)) {
    for level in levels() {
        let device = Device::default();
        let module = Module::load(&device, &kernel_path(&format!("{name}.O3.co")));
        check(&device, &module, level);
    }
}

fn run(device: &Device, module: &Module, level: Level, name: &str, dims: &Dims, args: &Args) {
    let info = module.dispatch(device, name, dims, args);
    launch(device, level, &info, 1).unwrap_or_else(|fault| panic!("{name} at {level:?}: {fault}"));
}

fn ints(random: &mut Random, count: usize) -> Vec<i32> {
    (0..count).map(|_| random.u32().cast_signed()).collect()
}

#[test]
fn scan_through_row_shifts() {
    everywhere("05_scan_dpp", |device, module, level| {
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
    everywhere("05_scan_dpp", |device, module, level| {
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

fn halves(random: &mut Random, count: usize) -> Vec<f16> {
    (0..count)
        .map(|_| f16::from_f32(random.f32() * 8.0))
        .collect()
}

fn half_bits(values: &[f16]) -> Vec<u16> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn to_halves(bytes: &[u8]) -> Vec<f16> {
    bytes
        .chunks(2)
        .map(|pair| f16::from_le_bytes([pair[0], pair[1]]))
        .collect()
}

#[test]
fn half_arithmetic_is_right_to_its_last_bits() {
    everywhere("06_half_bf16", |device, module, level| {
        let mut random = Random::new(3);
        let (a, b) = (halves(&mut random, 128), halves(&mut random, 128));
        let (ba, bb) = (device.buffer(&half_bits(&a)), device.buffer(&half_bits(&b)));
        let (bo, bs) = (device.zeroed(256), device.zeroed(128));
        let args = args().ptr(&ba).ptr(&bb).ptr(&bo).ptr(&bs);
        run(device, module, level, "half_ops", &Dims::x(64, 32), &args);
        let close = |result: f16, exact: f64, size: f64, what: &str| {
            // Two or three roundings of numbers of that size.
            let bound = 3.0 * size * 2f64.powi(-11);
            assert!(
                (result.to_f64() - exact).abs() <= bound,
                "{what}: {result} {exact}"
            );
        };
        for (i, result) in to_halves(&bo.bytes()).into_iter().enumerate() {
            let (x, y) = (a[i].to_f64(), b[i].to_f64());
            let exact = x * y + x.max(y) - x.min(y);
            close(result, exact, (x * y).abs() + 16.0, "packed");
        }
        for (i, result) in to_halves(&bs.bytes()).into_iter().take(64).enumerate() {
            let (x, y) = (a[2 * i].to_f64(), b[2 * i + 1].to_f64());
            let r = x + y * a[2 * i + 1].to_f64();
            if r.abs() > 0.5 {
                let exact = if r > 0.0 { r.sqrt() } else { -r };
                close(result, exact, 80.0, "scalar");
            }
        }
    });
}

#[test]
fn mixed_multiply_add_and_dot_product_of_integers_are_exact() {
    everywhere("06_half_bf16", |device, module, level| {
        let mut random = Random::new(4);
        let mut small = |count: usize| {
            (0..count)
                .map(|_| f16::from_f32((random.u32() % 17) as f32))
                .collect()
        };
        let (a, b): (Vec<f16>, Vec<f16>) = (small(64), small(64));
        let p: Vec<f16> = small(2 * 65);
        let o = vec![3f32; 64];
        let (ba, bb) = (device.buffer(&half_bits(&a)), device.buffer(&half_bits(&b)));
        let (bo, bp) = (device.buffer(&o), device.buffer(&half_bits(&p)));
        let args = args().ptr(&ba).ptr(&bb).ptr(&bo).ptr(&bp);
        run(device, module, level, "half_mix", &Dims::x(64, 32), &args);
        for (i, result) in bo.floats().into_iter().enumerate() {
            let dot = p[2 * i].to_f32() * p[2 * i + 2].to_f32()
                + p[2 * i + 1].to_f32() * p[2 * i + 3].to_f32();
            assert_eq!(
                result,
                a[i].to_f32() * b[i].to_f32() + 3.0 + dot,
                "item {i}"
            );
        }
    });
}

#[test]
fn bf16_sums_round_to_nearest_even() {
    everywhere("06_half_bf16", |device, module, level| {
        let mut random = Random::new(5);
        let values = |random: &mut Random| -> Vec<u16> {
            (0..64)
                .map(|_| bf16::from_f32(random.f32() * 100.0).to_bits())
                .collect()
        };
        let (a, b) = (values(&mut random), values(&mut random));
        let (ba, bb, bo) = (device.buffer(&a), device.buffer(&b), device.zeroed(128));
        let args = args().ptr(&ba).ptr(&bb).ptr(&bo);
        run(device, module, level, "bf16_sum", &Dims::x(64, 64), &args);
        for (i, pair) in bo.bytes().chunks(2).enumerate() {
            let sum = bf16::from_bits(a[i]).to_f32() + bf16::from_bits(b[i]).to_f32();
            let expected = bf16::from_f32(sum);
            assert_eq!(
                u16::from_le_bytes([pair[0], pair[1]]),
                expected.to_bits(),
                "item {i}"
            );
        }
    });
}

#[test]
fn packed_16_bit_integers_wrap_each_for_itself() {
    everywhere("06_half_bf16", |device, module, level| {
        let mut random = Random::new(6);
        let values = |random: &mut Random| -> Vec<i16> {
            ints(random, 128).iter().map(|v| (v >> 16) as i16).collect()
        };
        let (a, b) = (values(&mut random), values(&mut random));
        let (ba, bb, bo) = (device.buffer(&a), device.buffer(&b), device.zeroed(256));
        let args = args().ptr(&ba).ptr(&bb).ptr(&bo);
        run(device, module, level, "short_ops", &Dims::x(64, 64), &args);
        for (i, pair) in bo.bytes().chunks(2).enumerate() {
            let (x, y) = (a[i], b[i]);
            let expected = x
                .wrapping_mul(y)
                .wrapping_add(x << 3)
                .wrapping_add(x.max(y));
            assert_eq!(i16::from_le_bytes([pair[0], pair[1]]), expected, "half {i}");
        }
    });
}

#[test]
fn double_division_and_roots_are_ieee() {
    everywhere("07_double", |device, module, level| {
        let mut random = Random::new(7);
        let mut values = |scale: f64| -> Vec<f64> {
            (0..64)
                .map(|_| f64::from(random.f32()) * scale + f64::from(random.f32()) * 1e-7)
                .collect()
        };
        let (a, b) = (values(1000.0), values(30.0));
        let (ba, bb) = (device.buffer(&a), device.buffer(&b));
        let (bo, bk) = (device.zeroed(512), device.zeroed(256));
        let args = args().ptr(&ba).ptr(&bb).ptr(&bo).ptr(&bk);
        run(device, module, level, "f64_ops", &Dims::x(64, 32), &args);
        for (i, result) in bo.doubles().into_iter().enumerate() {
            let (x, y) = (a[i], b[i]);
            let (q, s) = (x / y, (x * x + y * y).sqrt());
            let exact = q.mul_add(s, x.floor()) - y.round_ties_even() + q.trunc();
            let bound = 1e-15 * (q * s).abs().max(1000.0);
            assert!(
                (result - exact).abs() <= bound,
                "item {i}: {result} {exact}"
            );
            let k = (x as i32).wrapping_add((y as u32).cast_signed());
            assert_eq!(bk.get(i).cast_signed(), k, "item {i}");
        }
    });
}

#[test]
fn conversions_between_doubles_and_64_bit_integers() {
    everywhere("07_double", |device, module, level| {
        let mut random = Random::new(8);
        let a: Vec<i64> = (0..64).map(|i| random.u64().cast_signed() >> i).collect();
        let b: Vec<u64> = (0..64).map(|i| random.u64() >> (63 - i)).collect();
        let (ba, bb) = (device.buffer(&a), device.buffer(&b));
        let (bo, br) = (device.zeroed(512), device.zeroed(512));
        let args = args().ptr(&ba).ptr(&bb).ptr(&bo).ptr(&br);
        run(device, module, level, "f64_conv", &Dims::x(64, 64), &args);
        let (sums, back) = (bo.doubles(), br.quads());
        for i in 0..64 {
            assert_eq!(sums[i], a[i] as f64 + b[i] as f64, "item {i}");
            if sums[i].abs() < 9e18 {
                assert_eq!(back[i].cast_signed(), sums[i] as i64, "item {i}");
            }
        }
    });
}

#[test]
fn forces_between_bodies() {
    everywhere("07_double", |device, module, level| {
        let mut random = Random::new(9);
        let p: Vec<f64> = (0..2 * 40).map(|_| f64::from(random.f32())).collect();
        let (bp, bacc) = (device.buffer(&p), device.zeroed(8 * 40));
        run(
            device,
            module,
            level,
            "nbody",
            &Dims::x(40, 40),
            &args().ptr(&bp).ptr(&bacc).u32(40),
        );
        for (i, result) in bacc.doubles().into_iter().enumerate() {
            let mut exact = 0f64;
            let mut size = 0f64;
            for j in 0..40 {
                let (dx, dy) = (p[2 * j] - p[2 * i], p[2 * j + 1] - p[2 * i + 1]);
                let d2 = dx * dx + dy * dy + 1e-9;
                exact += dx / (d2 * d2.sqrt());
                size += (dx / (d2 * d2.sqrt())).abs();
            }
            assert!(
                (result - exact).abs() <= 1e-13 * size,
                "body {i}: {result} {exact}"
            );
        }
    });
}

#[test]
fn hardware_functions_are_close_to_the_real_ones() {
    everywhere("08_transcendental", |device, module, level| {
        let mut random = Random::new(10);
        let a: Vec<f32> = (0..64).map(|_| random.f32().abs() * 4.0 + 0.01).collect();
        let (ba, bo) = (device.buffer(&a), device.zeroed(256));
        run(
            device,
            module,
            level,
            "hw_math",
            &Dims::x(64, 64),
            &args().ptr(&ba).ptr(&bo),
        );
        for (i, result) in bo.floats().into_iter().enumerate() {
            let x = f64::from(a[i]);
            let turn = std::f64::consts::TAU * x;
            let mut r = 1.0 / x + 1.0 / x.sqrt() + x.sqrt() + x.exp2() + x.log2();
            r += turn.sin() + turn.cos() + x.fract();
            // Mantissa in 0.5 to 1.
            let exponent = x.log2().floor() + 1.0;
            r += x / exponent.exp2() + exponent;
            let mut three = [x, r, 1.0];
            three.sort_by(f64::total_cmp);
            r += three[1] + 8.0 * x;
            assert!(
                (f64::from(result) - r).abs() < 1e-5 * r.abs().max(4.0),
                "{x}: {result} {r}"
            );
        }
    });
}

#[test]
fn single_division_and_root_are_ieee_for_all_kinds_of_numbers() {
    everywhere("08_transcendental", |device, module, level| {
        let mut random = Random::new(11);
        let mut special = vec![
            0.0f32,
            -0.0,
            1.0,
            f32::MIN_POSITIVE,
            f32::MAX,
            f32::INFINITY,
            f32::from_bits(1),
            f32::from_bits(0x7f_ffff),
            3.0,
            1e-30,
            1e30,
        ];
        special.extend((0..53).map(|_| f32::from_bits(random.u32() & 0x7fff_ffff)));
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for x in &special {
            for y in &special {
                a.push(*x);
                b.push(if random.u32() & 1 == 0 { *y } else { -*y });
            }
        }
        let count = u32::try_from(a.len()).unwrap();
        let (ba, bb, bo) = (
            device.buffer(&a),
            device.buffer(&b),
            device.zeroed(4 * a.len()),
        );
        let args = args().ptr(&ba).ptr(&bb).ptr(&bo);
        run(
            device,
            module,
            level,
            "div_sqrt",
            &Dims::x(count, 64),
            &args,
        );
        for (i, result) in bo.floats().into_iter().enumerate() {
            let expected = a[i] / b[i] + a[i].sqrt();
            assert!(
                result.to_bits() == expected.to_bits() || (result.is_nan() && expected.is_nan()),
                "{:e} / {:e}: {result:e} {expected:e}",
                a[i],
                b[i]
            );
        }
    });
}

#[test]
fn classes_of_floats() {
    everywhere("08_transcendental", |device, module, level| {
        let a = [
            0.0f32,
            -0.0,
            1.5,
            -2.5,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            1e-40,
            -1e-40,
            7.5,
        ];
        let (ba, bo) = (device.buffer(&a), device.zeroed(4 * a.len()));
        run(
            device,
            module,
            level,
            "cls",
            &Dims::x(10, 10),
            &args().ptr(&ba).ptr(&bo),
        );
        for (i, &x) in a.iter().enumerate() {
            let mut expected = i32::from(x.is_nan()) | i32::from(x.is_infinite()) << 1;
            // 0x90: negative or positive denormal.
            expected |= i32::from(x.is_subnormal()) << 2;
            expected |= (x.round_ties_even() as i32) << 8;
            expected |= i32::from(x.ceil() as i32 as u8) << 4;
            assert_eq!(bo.get(i).cast_signed(), expected, "{x}");
        }
    });
}

#[test]
fn integer_division_by_variables_and_constants() {
    everywhere("09_intdiv", |device, module, level| {
        let mut random = Random::new(12);
        let mut divisors = |count: usize| -> Vec<i32> {
            (0..count)
                .map(|i| (random.u32().cast_signed() >> (i % 31)).max(-1000) | 1)
                .collect()
        };
        let b = divisors(128);
        let a = ints(&mut Random::new(13), 128);
        let c: Vec<u32> = (0..128).map(|i| Random::new(14 + i).u32()).collect();
        let (ba, bb, bc) = (device.buffer(&a), device.buffer(&b), device.buffer(&c));
        let (bo, bp) = (device.zeroed(512), device.zeroed(512));
        let args = args().ptr(&ba).ptr(&bb).ptr(&bo).ptr(&bc).ptr(&bp);
        run(device, module, level, "div32", &Dims::x(128, 64), &args);
        for i in 0..128 {
            let (x, y) = (a[i], b[i]);
            let expected = x.wrapping_div(y).wrapping_add(x.wrapping_rem(y));
            let expected = expected.wrapping_add(x / 7).wrapping_add(x % 10);
            assert_eq!(bo.get(i).cast_signed(), expected, "{x} / {y}");
            let (x, y) = (c[i], b[i].cast_unsigned());
            let expected = (x / y).wrapping_add(x % y).wrapping_add(x / 1_000_003);
            assert_eq!(bp.get(i), expected, "{x} / {y}");
        }
    });
}

#[test]
fn division_of_64_bits() {
    everywhere("09_intdiv", |device, module, level| {
        let mut random = Random::new(15);
        let a: Vec<i64> = (0..96).map(|_| random.u64().cast_signed()).collect();
        let b: Vec<i64> = (0..96)
            .map(|i| random.u64().cast_signed() >> (i % 60) | 1)
            .collect();
        let p: Vec<u64> = (0..96).map(|_| random.u64()).collect();
        let (ba, bb) = (device.buffer(&a), device.buffer(&b));
        let (bo, bp) = (device.zeroed(768), device.buffer(&p));
        let args = args().ptr(&ba).ptr(&bb).ptr(&bo).ptr(&bp);
        run(device, module, level, "div64", &Dims::x(96, 32), &args);
        let (quotients, unsigned) = (bo.quads(), bp.quads());
        for i in 0..96 {
            let expected = a[i]
                .wrapping_div(b[i])
                .wrapping_add(a[i].wrapping_rem(b[i]));
            assert_eq!(quotients[i].cast_signed(), expected, "{} / {}", a[i], b[i]);
            let expected = p[i] / b[i].cast_unsigned() + p[i] % 10;
            assert_eq!(unsigned[i], expected, "{} / {}", p[i], b[i]);
        }
    });
}

#[test]
fn arithmetic_of_64_bits() {
    everywhere("10_int64", |device, module, level| {
        let mut random = Random::new(16);
        let mut values = || -> Vec<u64> { (0..64).map(|_| random.u64()).collect() };
        let (a, b, s) = (values(), values(), values());
        let signed: Vec<i64> = s.iter().map(|v| v.cast_signed()).collect();
        let (ba, bb) = (device.buffer(&a), device.buffer(&b));
        let (bo, bs) = (device.zeroed(512), device.buffer(&signed));
        let args = args().ptr(&ba).ptr(&bb).ptr(&bo).ptr(&bs);
        run(device, module, level, "i64_ops", &Dims::x(64, 64), &args);
        for (i, result) in bo.quads().into_iter().enumerate() {
            let (x, y, s) = (a[i], b[i], signed[i]);
            let wide = u128::from(x) * u128::from(y);
            let mut r = (wide as u64).wrapping_add((wide >> 64) as u64);
            r = r.wrapping_add(x >> (y & 63)).wrapping_add(x << (y & 63));
            r = r.wrapping_add((s >> (x & 63)).cast_unsigned());
            r ^= x.abs_diff(y);
            r = r.wrapping_add(if s < 0 { s.unsigned_abs() } else { 1 });
            assert_eq!(result, r, "item {i}");
        }
    });
}

#[test]
fn random_numbers_by_64_bit_multiplication() {
    everywhere("10_int64", |device, module, level| {
        let mut random = Random::new(17);
        let state: Vec<u64> = (0..64).map(|_| random.u64()).collect();
        let (bs, bo) = (device.buffer(&state), device.zeroed(4 * 64 * 10));
        run(
            device,
            module,
            level,
            "pcg",
            &Dims::x(64, 64),
            &args().ptr(&bs).ptr(&bo).u32(10),
        );
        for (i, mut s) in state.into_iter().enumerate() {
            for k in 0..10 {
                s = s
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let x = (((s >> 18) ^ s) >> 27) as u32;
                assert_eq!(
                    bo.get(i * 10 + k),
                    x.rotate_right((s >> 59) as u32),
                    "{i} {k}"
                );
            }
            assert_eq!(bs.quads()[i], s);
        }
    });
}

#[test]
fn arrays_in_private_memory() {
    everywhere("11_scratch", |device, module, level| {
        let input = ints(&mut Random::new(18), 500);
        let (bin, bout) = (device.buffer(&input), device.zeroed(4 * 128));
        let args = args().ptr(&bin).ptr(&bout).u32(500);
        run(
            device,
            module,
            level,
            "local_array",
            &Dims::x(128, 64),
            &args,
        );
        for item in 0..128usize {
            let mut buf: Vec<i32> = (0..64).map(|k| input[(item * 64 + k) % 500]).collect();
            let (mut acc, mut at) = (0i32, item & 63);
            for _ in 0..100 {
                acc = acc.wrapping_add(buf[at]);
                buf[at] = acc;
                at = (buf[(at + 1) & 63] & 63) as usize;
            }
            assert_eq!(bout.get(item).cast_signed(), acc, "item {item}");
        }
    });
}

#[test]
fn recursion_through_calls_and_a_stack() {
    everywhere("11_scratch", |device, module, level| {
        let bout = device.zeroed(4 * 64);
        run(
            device,
            module,
            level,
            "recurse",
            &Dims::x(64, 64),
            &args().ptr(&bout),
        );
        // Ackermann's function of 2 and n is 2n + 3.
        let expected: Vec<u32> = (0..64).map(|item| 2 * (item & 3) + 3).collect();
        assert_eq!(bout.words(), expected);
    });
}

#[test]
fn calls_through_a_table_and_virtual_calls() {
    everywhere("12_funcptr", |device, module, level| {
        let mut random = Random::new(19);
        let input: Vec<f32> = (0..64).map(|_| random.f32() * 3.0).collect();
        let which: Vec<i32> = (0..64).map(|_| (random.u32() % 3).cast_signed()).collect();
        let (bin, bw, bo) = (
            device.buffer(&input),
            device.buffer(&which),
            device.zeroed(256),
        );
        let table = args().ptr(&bin).ptr(&bw).ptr(&bo);
        run(
            device,
            module,
            level,
            "call_table",
            &Dims::x(64, 32),
            &table,
        );
        for (i, result) in bo.floats().into_iter().enumerate() {
            let x = input[i];
            assert_eq!(result, [x + x, x * x, -x][which[i] as usize], "item {i}");
        }
        run(
            device,
            module,
            level,
            "call_virtual",
            &Dims::x(64, 64),
            &args().ptr(&bin).ptr(&bo),
        );
        for (i, result) in bo.floats().into_iter().enumerate() {
            let x = input[i];
            let expected = if x > 1.0 {
                x * 2.0
            } else {
                3.141_592_7 * x * x
            };
            assert!(
                (result - expected).abs() <= 2.0 * f32::EPSILON * expected.abs(),
                "item {i}"
            );
        }
    });
}

#[test]
fn float_matrix_products_of_integers_are_exact() {
    everywhere("13_wmma", |device, module, level| {
        let mut random = Random::new(20);
        let kb = 3usize;
        let mut small = |count: usize| -> Vec<f16> {
            (0..count)
                .map(|_| f16::from_f32((random.u32() % 9) as f32))
                .collect()
        };
        let (a, b) = (small(kb * 256), small(kb * 256));
        let (ba, bb) = (device.buffer(&half_bits(&a)), device.buffer(&half_bits(&b)));
        let bc = device.zeroed(4 * 256);
        let args = args().ptr(&ba).ptr(&bb).ptr(&bc).u32(3);
        run(
            device,
            module,
            level,
            "wmma_f32_f16",
            &Dims::x(32, 32),
            &args,
        );
        for row in 0..16 {
            for column in 0..16 {
                let expected: f32 = (0..kb * 16)
                    .map(|k| {
                        let block = k / 16 * 256;
                        a[block + row * 16 + k % 16].to_f32()
                            * b[block + column * 16 + k % 16].to_f32()
                    })
                    .sum();
                let result = f32::from_bits(bc.get(row * 16 + column));
                assert_eq!(result, expected, "{row} {column}");
            }
        }
    });
}

/// The row and column of the 16 x 16 result that register `k` of lane `lane` holds.
fn place(k: usize, lane: usize) -> (usize, usize) {
    (2 * k + lane / 16, lane % 16)
}

#[test]
fn matrix_products_into_halves_keep_the_other_half() {
    everywhere("13_wmma", |device, module, level| {
        let mut random = Random::new(21);
        let mut small = |count: usize| -> Vec<u16> {
            (0..count)
                .map(|_| f16::from_f32((random.u32() % 5) as f32).to_bits())
                .collect()
        };
        // Each lane's 16 halves; both halves of the wave hold the same rows.
        let twice = |rows: &[u16]| [rows, rows].concat();
        let (a, b) = (small(256), small(256));
        let c = small(512);
        let (ba, bb) = (device.buffer(&twice(&a)), device.buffer(&twice(&b)));
        let bc = device.buffer(&c);
        let args = args().ptr(&ba).ptr(&bb).ptr(&bc);
        run(
            device,
            module,
            level,
            "wmma_f16_f16",
            &Dims::x(32, 32),
            &args,
        );
        let result = to_halves(&bc.bytes());
        let number = |bits: u16| f16::from_bits(bits).to_f32();
        for lane in 0..32 {
            for k in 0..8 {
                let (row, column) = place(k, lane);
                let product: f32 = (0..16)
                    .map(|n| number(a[row * 16 + n]) * number(b[column * 16 + n]))
                    .sum();
                let low = lane * 16 + 2 * k;
                assert_eq!(result[low].to_f32(), number(c[low]) + product, "{lane} {k}");
                assert_eq!(result[low + 1].to_bits(), c[low + 1], "{lane} {k}");
            }
        }
    });
}

#[test]
fn bf16_matrix_products() {
    everywhere("13_wmma", |device, module, level| {
        let mut random = Random::new(22);
        let mut small = |count: usize| -> Vec<u16> {
            (0..count)
                .map(|_| bf16::from_f32((random.u32() % 3) as f32).to_bits())
                .collect()
        };
        let (a, b, d) = (small(256), small(256), small(512));
        let c: Vec<f32> = (0..256).map(|i| i as f32).collect();
        let twice = |rows: &[u16]| [rows, rows].concat();
        let (ba, bb) = (device.buffer(&twice(&a)), device.buffer(&twice(&b)));
        let (bc, bd) = (device.buffer(&c), device.buffer(&d));
        let args = args().ptr(&ba).ptr(&bb).ptr(&bc).ptr(&bd);
        run(device, module, level, "wmma_bf16", &Dims::x(32, 32), &args);
        let number = |bits: u16| bf16::from_bits(bits).to_f32();
        let (single, halves) = (bc.floats(), bd.bytes());
        for lane in 0..32 {
            for k in 0..8 {
                let (row, column) = place(k, lane);
                let product: f32 = (0..16)
                    .map(|n| number(a[row * 16 + n]) * number(b[column * 16 + n]))
                    .sum();
                assert_eq!(
                    single[lane * 8 + k],
                    c[lane * 8 + k] + product,
                    "{lane} {k}"
                );
                // op_sel: the high half; sums of at most 64 + 2 are exact in eight bits.
                let high = lane * 16 + 2 * k + 1;
                let bits = u16::from_le_bytes([halves[2 * high], halves[2 * high + 1]]);
                assert_eq!(number(bits), number(d[high]) + product, "{lane} {k}");
            }
        }
    });
}

#[test]
fn integer_matrix_products_take_signs_and_saturate() {
    everywhere("13_wmma", |device, module, level| {
        let mut random = Random::new(23);
        let mut words = |count: usize| -> Vec<u32> { (0..count).map(|_| random.u32()).collect() };
        let (a, b, p, q) = (words(64), words(64), words(32), words(32));
        let mut c: Vec<i32> = words(256)
            .into_iter()
            .map(|v| v.cast_signed() >> 8)
            .collect();
        c[5] = i32::MAX - 3;
        let twice = |rows: &[u32]| [rows, rows].concat();
        let (ba, bb) = (device.buffer(&twice(&a)), device.buffer(&twice(&b)));
        let (bp, bq) = (device.buffer(&twice(&p)), device.buffer(&twice(&q)));
        let bc = device.buffer(&c);
        let args = args().ptr(&ba).ptr(&bb).ptr(&bc).ptr(&bp).ptr(&bq);
        run(device, module, level, "wmma_int", &Dims::x(32, 32), &args);
        let byte = |words: &[u32], row: usize, n: usize| words[row * 4 + n / 4] >> (8 * (n % 4));
        let nibble = |words: &[u32], row: usize, n: usize| words[row * 2 + n / 8] >> (4 * (n % 8));
        for lane in 0..32 {
            for k in 0..8 {
                let (row, column) = place(k, lane);
                let mut sum = i64::from(c[lane * 8 + k]);
                for n in 0..16 {
                    let x = i64::from(byte(&a, row, n) as u8 as i8);
                    sum += x * i64::from(byte(&b, column, n) as u8);
                }
                sum = i64::from(sum as i32);
                for n in 0..16 {
                    let four = |v: u32| i64::from((v << 28).cast_signed() >> 28);
                    sum += four(nibble(&p, row, n)) * four(nibble(&q, column, n));
                }
                let expected = sum.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
                assert_eq!(bc.get(lane * 8 + k).cast_signed(), expected, "{lane} {k}");
            }
        }
    });
}

#[test]
fn dot_products_of_bytes_and_nibbles() {
    everywhere("13_wmma", |device, module, level| {
        let mut random = Random::new(24);
        let (a, b, c) = (
            ints(&mut random, 64),
            ints(&mut random, 64),
            ints(&mut random, 64),
        );
        let (ba, bb, bc) = (device.buffer(&a), device.buffer(&b), device.buffer(&c));
        run(
            device,
            module,
            level,
            "dots",
            &Dims::x(64, 64),
            &args().ptr(&ba).ptr(&bb).ptr(&bc),
        );
        for i in 0..64 {
            let bytes = |v: i32| v.to_le_bytes();
            let mut r = c[i];
            for (x, y) in bytes(a[i]).into_iter().zip(bytes(b[i])) {
                r = r.wrapping_add(i32::from(x as i8) * i32::from(y as i8));
            }
            let mut unsigned = u64::from(r.cast_unsigned());
            for (x, y) in bytes(a[i]).into_iter().zip(bytes(b[i])) {
                unsigned += u64::from(x) * u64::from(y);
            }
            let mut r = (unsigned.min(u64::from(u32::MAX)) as u32).cast_signed();
            for n in 0..8 {
                let x = (a[i] << (28 - 4 * n)) >> 28;
                r = r.wrapping_add(x * (b[i] >> (4 * n) & 15));
            }
            assert_eq!(bc.get(i).cast_signed(), r, "item {i}");
        }
    });
}

#[test]
fn bit_manipulation() {
    everywhere("14_bits", |device, module, level| {
        let mut random = Random::new(25);
        let a: Vec<u32> = (0..64).map(|_| random.u32()).collect();
        let b: Vec<u64> = (0..64).map(|i| random.u64() >> i).collect();
        let (ba, bb, bo) = (device.buffer(&a), device.buffer(&b), device.zeroed(256));
        run(
            device,
            module,
            level,
            "bits",
            &Dims::x(64, 64),
            &args().ptr(&ba).ptr(&bb).ptr(&bo),
        );
        for i in 0..64 {
            let (x, y) = (a[i], b[i]);
            let mut r = x.count_ones()
                + y.count_ones()
                + (x | 1).leading_zeros()
                + (x | 4).trailing_zeros();
            r ^= x.reverse_bits().wrapping_add(x.swap_bytes());
            r = r.wrapping_add(
                (x >> 5 & 0x3ff).wrapping_add(((x << 9).cast_signed() >> 20).cast_unsigned()),
            );
            r ^= x.rotate_left(y as u32 & 31);
            // alignbyte: bytes 3 to 6 of the pair; perm: bytes chosen from the eight of the pair.
            let pair = u64::from(x) << 32 | u64::from(r);
            let align = (pair >> 24) as u32;
            let selector = 0x0501_0400u32 + x % 3;
            let perm = selector.to_le_bytes().map(|s| {
                if s < 8 {
                    (pair >> (8 * s)) as u8
                } else {
                    u8::MAX * u8::from(s > 12)
                }
            });
            r = r.wrapping_add(align ^ u32::from_le_bytes(perm));
            let sad = |x: u32, y: u32| -> u32 {
                x.to_le_bytes()
                    .iter()
                    .zip(y.to_le_bytes())
                    .map(|(x, y)| u32::from(x.abs_diff(y)))
                    .sum()
            };
            let extract = x >> (r & 31) & 0x7f;
            let width = r & 31;
            let signed = if width == 0 {
                0
            } else {
                let value = x.cast_signed() >> 3;
                (value << (32 - width) >> (32 - width)).cast_unsigned()
            };
            r = r.wrapping_add((sad(x, r) + 1).wrapping_add(extract).wrapping_add(signed));
            let lerp: Vec<u8> = r
                .to_le_bytes()
                .iter()
                .zip(x.to_le_bytes())
                .map(|(x, y)| ((u16::from(*x) + u16::from(y) + 1) >> 1) as u8)
                .collect();
            r = u32::from_le_bytes(lerp.try_into().unwrap());
            r = r.wrapping_add((x & 0x00ff_00ff).wrapping_mul(r & 0x00ff_ffff));
            let expected = r
                .wrapping_add((y | 1).leading_zeros())
                .wrapping_add((y.reverse_bits() >> 7) as u32);
            assert_eq!(bo.get(i), expected, "item {i}");
        }
    });
}

#[test]
fn bytes_are_loaded_with_and_without_sign() {
    everywhere("14_bits", |device, module, level| {
        let mut random = Random::new(26);
        let input: Vec<u8> = (0..68).map(|_| (random.u32() >> 24) as u8).collect();
        let (bin, bout) = (device.buffer(&input), device.zeroed(64));
        let (bs, bo) = (device.buffer(&input), device.zeroed(256));
        let args = args().ptr(&bin).ptr(&bout).ptr(&bs).ptr(&bo);
        run(device, module, level, "bytes", &Dims::x(64, 64), &args);
        let out = bout.bytes();
        for i in 0..64 {
            assert_eq!(out[i], input[i].wrapping_add(input[i + 1]));
            let product = i32::from(input[i].cast_signed()) * i32::from(input[i + 1].cast_signed());
            let expected = product + i32::from((u16::from(input[i]) << 8).cast_signed());
            assert_eq!(bo.get(i).cast_signed(), expected, "item {i}");
        }
    });
}

#[test]
fn flat_pointers_find_global_lds_and_private_memory() {
    everywhere("15_flat", |device, module, level| {
        for sel in 0..3u32 {
            let (bg, bout) = (device.buffer(&[100i32; 16]), device.zeroed(256));
            // One wave, so that the order of lanes within one instruction is all the order there is.
            let args = args().ptr(&bg).ptr(&bout).u32(sel);
            run(device, module, level, "flat_mix", &Dims::x(16, 16), &args);
            for t in 0..16u32 {
                let kind = [0, 1, 2][((t + sel) % 3) as usize];
                let l = t * 3;
                let p = t * t + t;
                let v = [100, l, p][kind as usize];
                // What the own element of p and l is after the store, and after the atomic add of 5.
                let p = if kind == 2 { p + 1 } else { p };
                let l = if kind == 1 { l + 1 + 5 } else { l };
                assert_eq!(
                    bout.get(t as usize),
                    v + kind * 1000 + p + l,
                    "item {t} sel {sel}"
                );
            }
            // Private lanes add to the first element of global memory.
            let privates = (0..16).filter(|t| (t + sel) % 3 == 2).count() as u32;
            for t in 0..16u32 {
                let own = if (t + sel).is_multiple_of(3) {
                    100 + 1 + 5
                } else {
                    100
                };
                let expected = if t == 0 { own + 5 * privates } else { own };
                assert_eq!(bg.get(t as usize), expected, "global {t} sel {sel}");
            }
        }
    });
}

#[test]
fn ballots_swizzles_and_permutes() {
    everywhere("16_wave_ops", |device, module, level| {
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
    everywhere("16_wave_ops", |device, module, level| {
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
    everywhere("16_wave_ops", |device, module, level| {
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
    everywhere("18_system", |device, module, level| {
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
    everywhere("18_system", |device, module, level| {
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
    everywhere("18_system", |device, module, level| {
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
