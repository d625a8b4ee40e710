//! Whole kernels, as clang compiles them, against results computed on the host in another way. Every kernel
//! runs at every level that the CPU has, in each of its builds: -O0 to -O3, waves of 32 and 64 lanes, by the
//! compilers whose code differs.

#![expect(
    clippy::cast_possible_truncation,
    reason = "reference results truncate as the kernels do"
)]

#[path = "../common/mod.rs"]
mod common;

mod first;
mod float;
mod integer;
mod lanes;
mod matrix;
mod memory;
mod running;

use std::collections::HashSet;

use common::*;
use half::{bf16, f16};
use hrx_gfx::exec::{AccessError, CodeCache, FaultKind, Group, Launch, Level, Progress, Rights};

/// Runs a check for every build of a kernel file, at each level of the CPU.
fn everywhere(name: &str, check: impl Fn(&Device, &Module, Level)) {
    let mut builds = 0;
    for path in builds_of(name) {
        builds += 1;
        for level in levels() {
            let device = Device::default();
            let module = Module::load(&device, &path);
            check(&device, &module, level);
        }
    }
    assert!(builds > 0, "no build of {name}");
}

/// The same for kernels that count on waves of 32 lanes.
fn in_wave32(name: &str, check: impl Fn(&Device, &Module, Level)) {
    for path in builds_of(name).filter(|path| !path.to_string_lossy().contains("wave64")) {
        for level in levels() {
            let device = Device::default();
            let module = Module::load(&device, &path);
            check(&device, &module, level);
        }
    }
}

fn run(
    device: &Device,
    module: &Module,
    level: Level,
    name: &str,
    dims: &Dims,
    args: &Args,
) -> u64 {
    let info = module.dispatch(device, name, dims, args);
    launch(device, level, &info, 1).unwrap_or_else(|fault| panic!("{name} at {level:?}: {fault}"))
}

fn floats(random: &mut Random, count: usize) -> Vec<f32> {
    (0..count).map(|_| random.f32()).collect()
}

fn ints(random: &mut Random, count: usize) -> Vec<i32> {
    (0..count).map(|_| random.u32().cast_signed()).collect()
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
