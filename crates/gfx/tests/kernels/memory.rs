//! Private memory, calls and flat pointers: kernels 11, 12 and 15.

use super::*;

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
                std::f32::consts::PI * x * x
            };
            assert!(
                (result - expected).abs() <= 2.0 * f32::EPSILON * expected.abs(),
                "item {i}"
            );
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
