//! Million wave-instructions a second on one core, for whole kernels, at each level of the CPU.
//!
//! `cargo bench -p hrx-gfx --bench emulator`. Each figure is the best of several runs. Beside it stands the
//! same computation as plain Rust, compiled for the baseline, so that the figures of two machines can be
//! compared.

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;
use std::time::Instant;

use common::*;
use hrx_gfx::exec::{CodeCache, Launch};

const RUNS: usize = 7;

/// Best seconds of several runs of `work`, and what it returned.
fn best<T>(mut work: impl FnMut() -> T) -> (f64, T) {
    let mut result = None;
    let mut best = f64::MAX;
    for _ in 0..RUNS {
        let start = Instant::now();
        let value = work();
        best = best.min(start.elapsed().as_secs_f64());
        result = Some(value);
    }
    (best, result.expect("at least one run"))
}

fn measure(name: &str, object: &str, kernel: &str, dims: &Dims, make: impl Fn(&Device) -> Args) {
    print!("{name:<24}");
    for level in levels() {
        let device = Device::default();
        let module = Module::load(&device, &kernel_path(object));
        let args = make(&device);
        let info = module.dispatch(&device, kernel, dims, &args);
        let cache = CodeCache::with_level(level).expect("available");
        let launch = Launch::prepare(&cache, &device, &info).expect("a good dispatch");
        let (seconds, instructions) =
            best(|| run_groups(&device, &launch, 1, u32::MAX).expect("no fault"));
        print!("{:>12.1}", instructions as f64 / seconds / 1e6);
    }
    println!();
}

fn main() {
    print!("{:<24}", "M wave-instructions/s");
    for level in levels() {
        print!("{:>12}", format!("{level:?}"));
    }
    println!();
    let n = 1 << 20;
    measure("saxpy, 1 M", "01_saxpy.O3.co", "saxpy", &Dims::x(n, 256), |device| {
        let x = device.zeroed(4 << 20);
        let y = device.zeroed(4 << 20);
        args().f32(2.0).ptr(&x).ptr(&y).u32(n)
    });
    let square = |n: usize| {
        move |device: &Device| {
            let mut random = Random::new(1);
            let values: Vec<f32> = (0..n * n).map(|_| random.f32()).collect();
            let (a, b) = (device.buffer(&values), device.buffer(&values));
            let c = device.zeroed(4 * n * n);
            args().ptr(&a).ptr(&b).ptr(&c).u32(n as u32)
        }
    };
    let tiles = Dims::xy([16 * 256, 16], [256, 1]);
    measure("matmul16, n = 256", "03_matmul_lds.O3.co", "matmul16", &tiles, square(256));
    let blocks = Dims::xy([8 * 256, 8], [256, 1]);
    measure("matmul64, n = 512", "03_matmul_lds.O3.co", "matmul64", &blocks, square(512));

    let (mut x, mut y) = (vec![1f32; n as usize], vec![2f32; n as usize]);
    let (seconds, ()) = best(|| {
        for (y, x) in y.iter_mut().zip(black_box(&mut x)) {
            *y = 2.0 * *x + *y;
        }
        black_box(&mut y);
    });
    println!("plain Rust saxpy, 1 M: {:.0} M elements/s", f64::from(n) / seconds / 1e6);
}
