//! Matrix and dot products: kernel 13.

use super::*;

#[test]
fn float_matrix_products_of_integers_are_exact() {
    in_wave32("13_wmma", |device, module, level| {
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
    in_wave32("13_wmma", |device, module, level| {
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
    in_wave32("13_wmma", |device, module, level| {
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
    in_wave32("13_wmma", |device, module, level| {
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
    in_wave32("13_wmma", |device, module, level| {
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
