//! `setup`: what a new Debian 12 lacks. Idempotent, and quiet when nothing is missing.

use std::path::PathBuf;

use crate::command::{check, command, on_path, root};

/// Program to find on the path, and the Debian package that brings it. Compilers are pinned by
/// their major version: the checked-in kernels name it.
const PACKAGES: &[(&str, &str)] = &[
    ("clang-19", "clang-19"),
    ("ld.lld-19", "lld-19"),
    ("llvm-objdump-19", "llvm-19"),
    ("clang-offload-bundler-19", "clang-tools-19"),
    ("g++", "g++"),
    ("readelf", "binutils"),
    ("python3", "python3"),
];

/// Upstream's reader of bundles, the independent judge of ours.
const READER: &str = "iree-base-runtime==3.13.0";

/// Where Python packages of the tests go: a folder of the workspace, not the system.
pub(crate) fn python_packages() -> PathBuf {
    root().join("target/tools/python")
}

/// Upstream's `iree-profile`, once `setup` has run.
pub(crate) fn iree_profile() -> PathBuf {
    python_packages().join("iree/_runtime_libs/iree-profile")
}

pub(crate) fn run(_: &[String]) -> Result<(), String> {
    let missing: Vec<&str> = PACKAGES
        .iter()
        .filter(|(program, _)| !on_path(program))
        .map(|(_, package)| *package)
        .collect();
    if !missing.is_empty() {
        apt(&missing)?;
    }
    if !iree_profile().is_file() {
        if check(command("python3", &["-m", "pip", "--version"])).is_err() {
            apt(&["python3-pip"])?;
        }
        let target = python_packages();
        crate::command::run(
            "python3",
            &[
                "-m",
                "pip",
                "install",
                "--quiet",
                "--only-binary=:all:",
                "--target",
                &target.to_string_lossy(),
                READER,
            ],
        )?;
    }
    Ok(())
}

/// Installs Debian packages, as root or through sudo.
fn apt(packages: &[&str]) -> Result<(), String> {
    let prefix: &[&str] = if is_root() {
        &["env", "DEBIAN_FRONTEND=noninteractive"]
    } else {
        &["sudo", "env", "DEBIAN_FRONTEND=noninteractive"]
    };
    for verb in [
        &["apt-get", "update", "-qq"][..],
        &["apt-get", "install", "-y", "-qq"][..],
    ] {
        let mut line: Vec<&str> = prefix.iter().chain(verb).copied().collect();
        if verb[1] == "install" {
            line.extend(packages);
        }
        crate::command::run(line[0], &line[1..])?;
    }
    Ok(())
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}
