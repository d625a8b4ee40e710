//! `ci`: everything that must hold before a change lands.

use super::{generate, loom, setup};
use crate::command::{cargo, check, command};

pub(crate) fn run(_: &[String]) -> Result<(), String> {
    setup::run(&[])?;
    cargo(&["fmt", "--all", "--check"])?;
    generate::run(&["--check".into()])?;
    cargo(&["build", "--release", "--locked"])?;
    cargo(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--locked",
        "--",
        "-D",
        "warnings",
    ])?;
    let mut tests = command("cargo", &["test", "--workspace", "--locked"]);
    tests.env("IREE_PROFILE", setup::iree_profile());
    check(tests)?;
    loom::run(&[])
}
