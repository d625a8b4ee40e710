//! A program that knows only libc, with the library in front of it. A package that is only a cdylib is not
//! built for its tests, so the library is built here.

use std::path::{Path, PathBuf};
use std::process::Command;

fn run(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {}\n{text}{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    text
}

fn library(root: &Path) -> PathBuf {
    run(Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--locked", "-p", "hrx-preload"])
        .current_dir(root));
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    target.join("debug/libhrx_vgpu.so")
}

/// Numbers are Linux's: `ENOTTY` for an unknown request, `EBADF` for a descriptor of another process, 226:128
/// for the first render node.
#[test]
fn a_client_of_libc_finds_a_kernel() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().nth(2).expect("the workspace");
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("client");
    run(Command::new("cc")
        .args([
            "-std=c11",
            "-D_GNU_SOURCE",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
        ])
        .arg(package.join("tests/client.c"))
        .arg("-o")
        .arg(&program));
    let text = run(Command::new(&program).env("LD_PRELOAD", library(root)));
    assert_eq!(text, "0 failures\n");
}
