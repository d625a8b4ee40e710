//! Floats of every width: kernels 06, 07 and 08.

use super::*;

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
