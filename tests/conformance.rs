//! Runs every program of `tests/conformance` on the virtual device.
//!
//! One program shows one behaviour; its first lines say which (`// expect:`) and what it needs
//! (`// needs:`). All of them are compiled and run, plainly and profiled, and every failure is told at
//! once.

mod support;

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use support::{c_program, hip_program, on, profiled, release, root, text};

/// Programs that fail today, one a line, each with the reason. The list only shrinks: a program of it that
/// passes is an error, so that its line goes with the change that mends it.
const EXPECTED_FAILURES: &str = "
device_features.c: cooperative launches and memory pools are not there yet
";

/// Programs that profiling makes fail, with the reason; as above.
const PROFILED_FAILURES: &str = "
leak.c: a session keeps about a KiB for each stream that had work and for each module
";

/// Nothing here computes for long; what takes this long hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// The folder of the programs, below the workspace root.
const FOLDER: &str = "tests/conformance";

/// One program and the lines on its top.
#[derive(Debug)]
struct Case {
    file: String,
    expect: String,
    needs: Vec<String>,
}

impl Case {
    fn read(file: String) -> Case {
        let source = std::fs::read_to_string(root().join(FOLDER).join(&file)).expect("readable");
        let mut lines: Vec<(String, String)> = Vec::new();
        for line in source.lines() {
            let Some(comment) = line.strip_prefix("//") else {
                break;
            };
            let comment = comment.trim();
            match comment.split_once(": ") {
                Some((key @ ("expect" | "needs" | "source"), rest)) => {
                    lines.push((key.to_owned(), rest.to_owned()));
                }
                _ => {
                    let (_, last) = lines.last_mut().expect("the first line is a directive");
                    last.push(' ');
                    last.push_str(comment);
                }
            }
        }
        let value = |wanted: &str| {
            let found = lines.iter().find(|(key, _)| key == wanted);
            found.map(|(_, value)| value.clone())
        };
        assert!(value("source").is_some(), "{file} has no `// source:` line");
        Case {
            expect: value("expect").unwrap_or_else(|| panic!("{file} has no `// expect:` line")),
            needs: value("needs")
                .iter()
                .flat_map(|needs| needs.split(','))
                .map(|need| need.trim().to_owned())
                .collect(),
            file,
        }
    }

    /// A needed file that the repository lacks.
    fn missing(&self) -> Option<&str> {
        let files = self.needs.iter().filter(|need| need.contains('/'));
        // A pattern stands for a folder of related files.
        files
            .map(|need| need.as_str())
            .find(|need| !need.contains('*') && !root().join(need).is_file())
    }

    /// `None` where a tool that the program needs is missing, said loudly.
    fn compile(&self) -> Result<Option<PathBuf>, String> {
        if let Some(missing) = self.missing() {
            return Err(format!("{missing} is missing"));
        }
        let source = format!("{FOLDER}/{}", self.file);
        let compiled = panic::catch_unwind(AssertUnwindSafe(|| {
            if source.ends_with(".hip") {
                hip_program(&source)
            } else {
                Some(c_program(&source))
            }
        }));
        compiled.map_err(|cause| {
            let text = cause.downcast_ref::<String>().cloned();
            text.unwrap_or_else(|| "the compiler failed".to_owned())
        })
    }

    /// Runs it plainly, then profiled into a folder of its own: no answer may depend on that.
    fn run(&self, program: &Path) -> Result<(), String> {
        judge(&mut on(release(), program, &[]))?;
        let folder = program.with_extension("bundles");
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let bundle = folder.join("%e.%p.ireeprof");
        let result = judge(&mut profiled(release(), program, &[], &bundle));
        std::fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
        let mut listed = PROFILED_FAILURES.lines();
        match (result, listed.find(|line| line.starts_with(&self.file))) {
            (Ok(()), None) | (Err(_), Some(_)) => Ok(()),
            (Ok(()), Some(line)) => Err(format!("passes profiled, though listed: {line}")),
            (Err(error), None) => Err(format!("profiled: {error}")),
        }
    }
}

/// Status 0 and no unexpected answer.
fn judge(command: &mut Command) -> Result<(), String> {
    let output = bounded(command.current_dir(root()))?;
    if output.status.success() && text(&output).contains("0 unexpected of") {
        return Ok(());
    }
    Err(format!("{}\n{}", output.status, text(&output).trim_end()))
}

/// The output of a program, or what it had said when its time was over.
fn bounded(command: &mut Command) -> Result<std::process::Output, String> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let hung = !ends(&mut child);
    if hung {
        child.kill().map_err(|error| error.to_string())?;
    }
    let output = child
        .wait_with_output()
        .map_err(|error| error.to_string())?;
    if hung {
        return Err(format!("hung for {PATIENCE:?}\n{}", text(&output)));
    }
    Ok(output)
}

fn ends(child: &mut Child) -> bool {
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    while start.elapsed() < PATIENCE {
        if !matches!(child.try_wait(), Ok(None)) {
            return true;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
    false
}

fn cases() -> Vec<Case> {
    let folder = root().join(FOLDER);
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut files: Vec<String> = entries
        .map(|entry| entry.expect("readable").file_name())
        .map(|name| name.into_string().expect("names are plain"))
        .filter(|name| name.ends_with(".c") || name.ends_with(".hip"))
        .collect();
    files.sort();
    files.into_iter().map(Case::read).collect()
}

#[test]
fn every_program_gives_the_answers_of_amds_runtime() {
    let filter = std::env::var("HRX_CONFORMANCE").unwrap_or_default();
    let cases = cases();
    assert!(!cases.is_empty());
    let expected_failures: BTreeMap<&str, &str> = EXPECTED_FAILURES
        .lines()
        .filter_map(|line| line.split_once(": "))
        .collect();
    for file in expected_failures.keys() {
        assert!(
            cases.iter().any(|case| case.file == *file),
            "{file} is expected to fail, but is not there"
        );
    }
    release();

    let queue: Mutex<VecDeque<&Case>> = Mutex::new(
        cases
            .iter()
            .filter(|case| case.file.contains(&filter))
            .collect(),
    );
    let results = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    // A program that does not compile is told below, with all the others.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let Some(case) = queue.lock().expect("no panic").pop_front() else {
                        break;
                    };
                    let result = match case.compile() {
                        Ok(Some(program)) => case.run(&program),
                        Ok(None) => continue,
                        Err(error) => Err(error),
                    };
                    results.lock().expect("no panic").push((case, result));
                }
            });
        }
    });
    panic::set_hook(hook);

    let mut report = String::new();
    let mut results = results.into_inner().expect("no panic");
    results.sort_by(|(a, _), (b, _)| a.file.cmp(&b.file));
    for (case, result) in results {
        let reason = expected_failures.get(case.file.as_str());
        match (result, reason) {
            (Ok(()), None) | (Err(_), Some(_)) => {}
            (Ok(()), Some(reason)) => {
                writeln!(report, "{}: passes, though listed: {reason}", case.file)
                    .expect("a string grows");
            }
            (Err(error), None) => {
                writeln!(report, "{}: {}\n{error}\n", case.file, case.expect)
                    .expect("a string grows");
            }
        }
    }
    assert!(report.is_empty(), "\n{report}");
}
