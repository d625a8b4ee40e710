//! The library under test, compilers, and the data files.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// The workspace root.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where cargo put this test and the library that it was built with.
pub(crate) fn library_folder() -> PathBuf {
    let test = env::current_exe().expect("a test has a path");
    test.parent()
        .expect("a program lies in a folder")
        .to_path_buf()
}

pub(crate) fn library() -> PathBuf {
    library_folder().join("libamdhip64.so")
}

pub(crate) fn text(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    format!("{}{stderr}", String::from_utf8_lossy(&output.stdout))
}

/// Runs to the end and wants status 0.
pub(crate) fn succeed(command: &mut Command) -> Output {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}",
        output.status,
        text(&output)
    );
    output
}

/// Whether a program is there; says so, loudly, if not.
pub(crate) fn have(program: &str) -> bool {
    let found = Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok();
    if !found {
        eprintln!("SKIPPED: this needs {program} (cargo xtask setup installs it)");
    }
    found
}

/// Writes a source into `folder`, compiles it against our headers and links it with the library.
pub(crate) fn link(folder: &Path, compiler: &[&str], name: &str, source: &str) -> PathBuf {
    let file = folder.join(name);
    fs::write(&file, source).expect("a temporary folder is writable");
    let program = file.with_extension("");
    succeed(
        Command::new(compiler[0])
            .args(&compiler[1..])
            .arg("-I")
            .arg(root().join("include"))
            .arg(&file)
            .arg("-L")
            .arg(library_folder())
            .args(["-Wl,--no-undefined", "-lamdhip64", "-ldl", "-o"])
            .arg(&program),
    );
    program
}

/// A program to run on the library under test, on the virtual device, unprofiled.
pub(crate) fn run(program: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in env::vars().filter(|(name, _)| name.starts_with("HRX_")) {
        command.env_remove(name);
    }
    command
        .env("LD_LIBRARY_PATH", library_folder())
        .env("HRX_DEVICE", "virtual");
    command
}

/// The rows of a data file, without its remarks and its heading.
pub(crate) fn rows(file: &str) -> Vec<Vec<String>> {
    let path = root().join("tests/data").join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .skip(1)
        .map(|line| line.split('\t').map(str::to_owned).collect())
        .collect()
}
