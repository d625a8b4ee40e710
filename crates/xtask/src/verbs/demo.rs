//! `demo`: a real HIP program on the virtual gfx1151, profiled, and the report of its bundle.

use super::setup;
use crate::command::{self, cargo, root};

/// What clang needs to compile HIP against our headers with no ROCm on the machine.
pub(crate) const HIP_FLAGS: &[&str] = &[
    "-x",
    "hip",
    "--offload-arch=gfx1151",
    "-nogpuinc",
    "-nogpulib",
    "-std=c++17",
    "-O3",
    "-Iinclude",
];

pub(crate) fn run(_: &[String]) -> Result<(), String> {
    setup::run(&[])?;
    cargo(&["build", "--release", "--locked"])?;
    let folder = root().join("target/demo");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let program = "target/demo/two_streams";
    let mut compile = HIP_FLAGS.to_vec();
    compile.extend(["examples/two_streams/two_streams.hip", "-o", program]);
    compile.extend(["-Ltarget/release", "-lamdhip64"]);
    command::run("clang++-19", &compile)?;
    let bundle = "target/demo/two_streams.ireeprof";
    command::run(
        "target/release/hrx",
        &["run", "--profile", "dispatch", "-o", bundle, "--", program],
    )?;
    println!("\nbundle: {}", root().join(bundle).display());
    command::run("target/release/hrx", &["report", bundle])
}
