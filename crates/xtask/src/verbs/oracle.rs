//! `oracle`: programs on AMD's unmodified HIP runtime over the virtual device, and on ours.
//!
//! AMD's runtime comes in a package of PyPI, pinned by its hash; nothing of it is installed. Exit status and
//! standard output are compared. A difference is an error unless `tests/oracle/differences.tsv` names its
//! program and the reason; a row without a difference is an error too, so that the file only tells truths.
//!
//! `cargo xtask oracle [PART...]` runs only programs whose name contains a part.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{demo, setup};
use crate::command::{self, cargo, root};

const PACKAGE: &str = "vapoursynth-bm3dhip==2.17.5";
const WHEEL: &str = "vapoursynth_bm3dhip-2.17.5-py3-none-manylinux_2_28_x86_64.whl";
const SHA256: &str = "993f7815c32e962775183cd4b55ee18554b97a14d1fd98fbceb2516d7e7e9069";
/// Folder of the package that holds the libraries.
const LIBRARIES: &str = "vapoursynth_bm3dhip.libs";
/// What programs look for, and how the package's files for it begin.
const SONAMES: &[(&str, &str)] = &[
    ("libamdhip64.so.7", "libamdhip64-"),
    ("libhsa-runtime64.so.1", "libhsa-runtime64-"),
    ("libamd_comgr.so.3", "libamd_comgr-"),
];
const DIFFERENCES: &str = "tests/oracle/differences.tsv";
/// Folders whose sources are all programs without arguments.
const FOLDERS: &[&str] = &["tests/conformance", "tests/oracle"];
/// Further programs, with their arguments.
const MORE: &[(&str, &[&str])] = &[
    (
        "tests/programs/bad_input.c",
        &[
            "tests/kernels/01_saxpy.O3.co",
            "tests/kernels/01_saxpy.gfx90a.co",
        ],
    ),
    (
        "examples/c_saxpy/c_saxpy.c",
        &["tests/kernels/01_saxpy.O3.co"],
    ),
    ("examples/two_streams/two_streams.hip", &[]),
];
/// What takes this long hangs. The slowest makes half a million launches.
const PATIENCE: Duration = Duration::from_secs(120);

struct Program {
    source: PathBuf,
    arguments: &'static [&'static str],
}

/// How a program ended and what it said.
struct Outcome {
    status: String,
    said: String,
    errors: String,
}

pub(crate) fn run(parts: &[String]) -> Result<(), String> {
    setup::run(&[])?;
    cargo(&["build", "--release", "--locked"])?;
    cargo(&["build", "--release", "--locked", "-p", "hrx-preload"])?;
    let amd = fetch()?;
    let reasons = reasons()?;
    let chosen =
        |name: &str| parts.is_empty() || parts.iter().any(|part| name.contains(part.as_str()));
    let programs = programs()?;
    let (mut equal, mut explained, mut wrong) = (0, Vec::new(), Vec::new());
    let mut known = BTreeSet::new();
    for program in &programs {
        let name = program.name();
        known.insert(name.clone());
        if !chosen(&name) {
            continue;
        }
        let binary = program.compile()?;
        let theirs = program.outcome(&binary, Runtime::Amd(&amd))?;
        let ours = program.outcome(&binary, Runtime::Ours)?;
        let differs = theirs.status != ours.status || theirs.said != ours.said;
        match (differs, reasons.get(&name)) {
            (false, None) => equal += 1,
            (true, Some(reason)) => explained.push(format!("{name}: {reason}")),
            (true, None) => wrong.push(describe(&name, &theirs, &ours)),
            (false, Some(_)) => wrong.push(format!(
                "{name}: listed in {DIFFERENCES}, but there is no difference"
            )),
        }
    }
    for name in reasons.keys().filter(|name| !known.contains(*name)) {
        wrong.push(format!(
            "{name}: listed in {DIFFERENCES}, but there is no such program"
        ));
    }
    println!("{equal} programs answer as on AMD's runtime");
    for line in &explained {
        println!("differs, with its reason: {line}");
    }
    if wrong.is_empty() {
        return Ok(());
    }
    for text in &wrong {
        println!("\n{text}");
    }
    Err(format!("{} unexplained", wrong.len()))
}

/// Lines that only one of them said, after how each ended.
fn describe(name: &str, theirs: &Outcome, ours: &Outcome) -> String {
    let mut text = format!("{name}: AMD's {}, ours {}", theirs.status, ours.status);
    for (who, one, other) in [("AMD's", theirs, ours), ("ours", ours, theirs)] {
        let heard: BTreeSet<&str> = other.said.lines().collect();
        for line in one
            .said
            .lines()
            .filter(|line| !heard.contains(line))
            .take(20)
        {
            text += &format!("\n  only {who}: {line}");
        }
        for line in one
            .errors
            .lines()
            .take(if theirs.status == ours.status { 0 } else { 5 })
        {
            text += &format!("\n  {who} stderr: {line}");
        }
    }
    text
}

#[derive(Clone, Copy)]
enum Runtime<'a> {
    /// In this folder.
    Amd(&'a Path),
    Ours,
}

impl Program {
    /// Path of the source, which names it in the list of differences.
    fn name(&self) -> String {
        self.source.to_string_lossy().into_owned()
    }

    /// Against our library: AMD's has the same SONAME and the same version nodes.
    fn compile(&self) -> Result<PathBuf, String> {
        let folder = root().join("target/oracle");
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let binary = folder.join(self.source.file_stem().unwrap_or_default());
        let hip = self
            .source
            .extension()
            .is_some_and(|extension| extension == "hip");
        let mut compiler = if hip {
            command::command("clang++-19", demo::HIP_FLAGS)
        } else {
            command::command("cc", &["-std=c11", "-D_GNU_SOURCE", "-O1", "-Iinclude"])
        };
        compiler
            .arg(&self.source)
            .args([
                "-w",
                "-Ltarget/release",
                "-lamdhip64",
                "-pthread",
                "-lm",
                "-o",
            ])
            .arg(&binary);
        let output = compiler
            .output()
            .map_err(|error| format!("{}: {error}", self.name()))?;
        if output.status.success() {
            Ok(binary)
        } else {
            Err(format!(
                "{}: {}",
                self.name(),
                String::from_utf8_lossy(&output.stderr)
            ))
        }
    }

    fn outcome(&self, binary: &Path, runtime: Runtime<'_>) -> Result<Outcome, String> {
        let mut command = Command::new(binary);
        command
            .args(self.arguments)
            .current_dir(root())
            // Rules of ours that AMD's runtime does not keep are left out, on both.
            .env("HRX_CONFORMANCE_ORACLE", "1");
        match runtime {
            Runtime::Amd(folder) => command
                .env("LD_LIBRARY_PATH", folder)
                // Not in the home folder, nor, without one, in the workspace.
                .env("AMD_COMGR_CACHE_DIR", root().join("target/oracle/cache"))
                .env("LD_PRELOAD", root().join("target/release/libhrx_vgpu.so")),
            Runtime::Ours => command
                .env("LD_LIBRARY_PATH", root().join("target/release"))
                .env("HRX_DEVICE", "virtual"),
        };
        // Files, not pipes: nobody has to read while the program runs.
        let place = |end: &str| binary.with_extension(end);
        let create = |path: PathBuf| {
            fs::File::create(&path).map_err(|error| format!("{}: {error}", path.display()))
        };
        let mut child = command
            .stdin(Stdio::null())
            .stdout(create(place("out"))?)
            .stderr(create(place("err"))?)
            .spawn()
            .map_err(|error| format!("{}: {error}", self.name()))?;
        let status = wait(&mut child).map_err(|error| format!("{}: {error}", self.name()))?;
        let read = |path: PathBuf| {
            let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            Ok::<_, String>(String::from_utf8_lossy(&bytes).into_owned())
        };
        Ok(Outcome {
            status,
            said: read(place("out"))?,
            errors: read(place("err"))?,
        })
    }
}

/// Waits for a program; one that hangs is killed.
fn wait(child: &mut std::process::Child) -> std::io::Result<String> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(match status.signal() {
                Some(signal) => format!("ended by signal {signal}"),
                None => format!("ended with status {}", status.code().unwrap_or_default()),
            });
        }
        if start.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Ok(format!("hung for {} s", PATIENCE.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn programs() -> Result<Vec<Program>, String> {
    let mut programs = Vec::new();
    for folder in FOLDERS {
        let entries =
            fs::read_dir(root().join(folder)).map_err(|error| format!("{folder}: {error}"))?;
        for entry in entries {
            let name = entry
                .map_err(|error| format!("{folder}: {error}"))?
                .file_name();
            let source = Path::new(folder).join(name);
            if source
                .extension()
                .is_some_and(|end| end == "c" || end == "hip")
            {
                programs.push(Program {
                    source,
                    arguments: &[],
                });
            }
        }
    }
    programs.extend(MORE.iter().map(|&(source, arguments)| Program {
        source: source.into(),
        arguments,
    }));
    programs.sort_by(|one, other| one.source.cmp(&other.source));
    Ok(programs)
}

/// Program and reason of each row.
fn reasons() -> Result<BTreeMap<String, String>, String> {
    let text = fs::read_to_string(root().join(DIFFERENCES))
        .map_err(|error| format!("{DIFFERENCES}: {error}"))?;
    text.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| match line.split_once('\t') {
            Some((program, reason)) if !reason.trim().is_empty() => {
                Ok((program.to_owned(), reason.to_owned()))
            }
            _ => Err(format!(
                "{DIFFERENCES}: `{line}` is not a program, a tab and a reason"
            )),
        })
        .collect()
}

/// The folder of AMD's libraries, fetched and unpacked at first.
fn fetch() -> Result<PathBuf, String> {
    let folder = root().join("target/tools/amd");
    let libraries = folder.join(LIBRARIES);
    let ready = folder.join("ready");
    if ready.is_file() {
        return Ok(libraries);
    }
    let place = folder.to_string_lossy();
    let wheel = folder.join(WHEEL);
    if !wheel.is_file() {
        command::run(
            "python3",
            &[
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--only-binary=:all:",
                "--python-version",
                "3.12",
                "--platform",
                "manylinux_2_28_x86_64",
                "--dest",
                &place,
                PACKAGE,
            ],
        )?;
    }
    let sum = Command::new("sha256sum").arg(&wheel).output();
    let sum = sum.map_err(|error| format!("sha256sum: {error}"))?;
    let found = String::from_utf8_lossy(&sum.stdout);
    let found = found.split_whitespace().next().unwrap_or_default();
    if found != SHA256 {
        return Err(format!(
            "{}: SHA-256 is {found}, expected {SHA256}",
            wheel.display()
        ));
    }
    command::run(
        "python3",
        &["-m", "zipfile", "-e", &wheel.to_string_lossy(), &place],
    )?;
    let entries =
        fs::read_dir(&libraries).map_err(|error| format!("{}: {error}", libraries.display()))?;
    let names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    for &(soname, start) in SONAMES {
        let file = names.iter().find(|name| name.starts_with(start));
        let file = file.ok_or_else(|| format!("{PACKAGE} has no {start}*"))?;
        let link = libraries.join(soname);
        if !link.exists() {
            std::os::unix::fs::symlink(file, &link)
                .map_err(|error| format!("{}: {error}", link.display()))?;
        }
    }
    fs::write(&ready, "").map_err(|error| format!("{}: {error}", ready.display()))?;
    Ok(libraries)
}
