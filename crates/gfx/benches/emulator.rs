//! Million wave-instructions a second on one core, for whole kernels, at each level of the CPU.
//!
//! `cargo bench -p hrx-gfx --bench emulator [-- WORD...]`; words choose levels (`Avx2`) and kernels
//! (`saxpy`). Each figure is the best of several runs. Beside it stands the
//! same computation as plain Rust, compiled for the baseline, so that the figures of two machines can be
//! compared.

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;
use std::time::Instant;

use common::*;
use hrx_gfx::exec::{CodeCache, Group, Launch, Level, Progress};

const RUNS: usize = 4;

/// Seconds that this thread has spent on a processor, so that what else the machine does counts little;
/// the time of day where the system does not say.
fn thread_seconds(since: Instant) -> f64 {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse::<f64>().ok())
        .map_or_else(
            || since.elapsed().as_secs_f64(),
            |nanoseconds| nanoseconds / 1e9,
        )
}

/// Best seconds that `work` takes, and what it returned. Each of several runs repeats it for so long that
/// the clock's steps, some milliseconds, do not matter.
fn best<T>(mut work: impl FnMut() -> T) -> (f64, T) {
    let begin = Instant::now();
    let mut result = work();
    let mut best = f64::MAX;
    for _ in 0..RUNS {
        let start = thread_seconds(begin);
        let mut times = 0.0;
        let seconds = loop {
            result = work();
            times += 1.0;
            let seconds = thread_seconds(begin) - start;
            if seconds > 0.2 {
                break seconds;
            }
        };
        best = best.min(seconds / times);
    }
    (best, result)
}

/// Runs all groups on this thread, one after the other.
fn run(device: &Device, launch: &Launch) -> u64 {
    let mut group = Group::new(launch, [0; 3]);
    let mut instructions = 0;
    for index in 0..launch.groups_total() {
        group.reset(launch, launch.group_at(index));
        assert_eq!(group.run(launch, device, u32::MAX), Progress::Finished);
        instructions += group.instructions();
    }
    instructions
}

/// Whether the command line asks for this level, or kernel, by naming it or none.
fn wanted<const N: usize>(all: [&str; N], name: &str) -> bool {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut named = words
        .iter()
        .filter(|word| all.contains(&word.as_str()))
        .peekable();
    named.peek().is_none() || named.any(|word| word == name)
}

fn level_wanted(level: Level) -> bool {
    wanted(["Baseline", "Avx2", "Avx512"], &format!("{level:?}"))
}

fn measure(name: &str, object: &str, kernel: &str, dims: &Dims, make: impl Fn(&Device) -> Args) {
    if !wanted(["saxpy", "matmul16", "matmul64"], kernel) {
        return;
    }
    print!("{name:<24}");
    for level in levels().filter(|&level| level_wanted(level)) {
        let device = Device::default();
        let module = Module::load(&device, &kernel_path(object));
        let args = make(&device);
        let info = module.dispatch(&device, kernel, dims, &args);
        let cache = CodeCache::with_level(level).expect("available");
        let launch = Launch::prepare(&cache, &device, &info).expect("a good dispatch");
        let (seconds, instructions) = best(|| run(&device, &launch));
        print!("{:>12.1}", instructions as f64 / seconds / 1e6);
    }
    println!();
}

fn main() {
    print!("{:<24}", "M wave-instructions/s");
    for level in levels().filter(|&level| level_wanted(level)) {
        print!("{:>12}", format!("{level:?}"));
    }
    println!();
    let n = 1 << 20;
    measure(
        "saxpy, 1 M",
        "01_saxpy.O3.co",
        "saxpy",
        &Dims::x(n, 256),
        |device| {
            let x = device.zeroed(4 << 20);
            let y = device.zeroed(4 << 20);
            args().f32(2.0).ptr(&x).ptr(&y).u32(n)
        },
    );
    let square = |n: u32| {
        move |device: &Device| {
            let mut random = Random::new(1);
            let values: Vec<f32> = (0..n * n).map(|_| random.f32()).collect();
            let (a, b) = (device.buffer(&values), device.buffer(&values));
            let c = device.zeroed(4 * values.len());
            args().ptr(&a).ptr(&b).ptr(&c).u32(n)
        }
    };
    let tiles = Dims::xy([16 * 256, 16], [256, 1]);
    measure(
        "matmul16, n = 256",
        "03_matmul_lds.O3.co",
        "matmul16",
        &tiles,
        square(256),
    );
    let blocks = Dims::xy([8 * 256, 8], [256, 1]);
    measure(
        "matmul64, n = 512",
        "03_matmul_lds.O3.co",
        "matmul64",
        &blocks,
        square(512),
    );

    let (mut x, mut y) = (vec![1f32; n as usize], vec![2f32; n as usize]);
    let (seconds, ()) = best(|| {
        for (y, x) in y.iter_mut().zip(black_box(&mut x)) {
            *y += 2.0 * *x;
        }
        black_box(&mut y);
    });
    println!(
        "plain Rust saxpy, 1 M: {:.0} M elements/s",
        f64::from(n) / seconds / 1e6
    );
}
