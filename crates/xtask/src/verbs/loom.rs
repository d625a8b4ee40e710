//! `loom`: every interleaving of the lock-free parts, in a build of their own.

use crate::command::{check, command};

pub(crate) fn run(_: &[String]) -> Result<(), String> {
    let mut cargo = command(
        "cargo",
        &[
            "test",
            "--release",
            "--locked",
            "-p",
            "hrx-hal",
            "--lib",
            "loom",
        ],
    );
    cargo
        .env("RUSTFLAGS", "--cfg loom")
        .env("CARGO_TARGET_DIR", "target/loom");
    check(cargo)
}
