//! Division, wide arithmetic and bits: kernels 09, 10 and 14.

use super::*;

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
