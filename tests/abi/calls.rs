//! Calls of every export: with zeros and with handles of nothing, in child processes.

use std::{fmt::Write as _, path::PathBuf, process::Output, sync::OnceLock};

use crate::{
    support::{link, run, text},
    table::{ALL_HEADERS, ROWS, c_type, needs_declaration, prototype},
};

/// Rows that one child process calls.
const BATCH: usize = 60;

const SUCCESS: i64 = 0;
const NOT_READY: i64 = 600;
const NOT_SUPPORTED: i64 = 801;

/// The types whose values are handles, in C's names.
const HANDLES: &[&str] = &[
    "hipCtx_t",
    "hipModule_t",
    "hipFunction_t",
    "hipLibrary_t",
    "hipKernel_t",
    "hipLinkState_t",
    "hipStream_t",
    "hipEvent_t",
    "hipGraph_t",
    "hipGraphNode_t",
    "hipGraphExec_t",
    "hipUserObject_t",
    "hipMemPool_t",
    "hipMemGenericAllocationHandle_t",
    "hipArray_t",
    "hipMipmappedArray_t",
    "hipTextureObject_t",
    "hipSurfaceObject_t",
    "hipGraphicsResource_t",
    "hipExternalMemory_t",
    "hipExternalSemaphore_t",
];

/// A C program: `calls zeros|garbage FIRST END` calls those rows, each with arguments that are zero, or
/// whose handles are garbage. It prints the symbol, what came back, and the last error after that.
fn program() -> PathBuf {
    static PROGRAM: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, program) = PROGRAM.get_or_init(|| {
        let mut source =
            format!("{ALL_HEADERS}#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n");
        let mut table =
            "static const struct { const char *name; long (*call)(int); } all[] = {\n".to_owned();
        for (index, row) in ROWS.iter().enumerate() {
            let types: Vec<String> = row.parameters.iter().map(|ty| c_type(ty)).collect();
            let arguments: Vec<String> = types
                .iter()
                .map(|ty| {
                    if HANDLES.contains(&ty.as_str()) {
                        format!("garbage ? ({ty})0xdeadbeefdeadbeef : ({ty})0")
                    } else {
                        format!("({ty}){{0}}")
                    }
                })
                .collect();
            let call = format!("{}({})", row.name, arguments.join(", "));
            let body = if row.result == "hipError_t" {
                format!("return (long){call};")
            } else {
                format!("(void){call}; return -1;")
            };
            if needs_declaration(row) {
                source.push_str(&prototype(row));
            }
            writeln!(
                source,
                "static long call_{index}(int garbage) {{ (void)garbage; {body} }}"
            )
            .expect("a String takes any text");
            writeln!(table, "  {{\"{}\", call_{index}}},", row.name)
                .expect("a String takes any text");
        }
        source.push_str(&table);
        source.push_str(
            "};\n\
             int main(int count, char **arguments) {\n\
               int garbage = count > 3 && !strcmp(arguments[1], \"garbage\");\n\
               int end = atoi(arguments[3]);\n\
               for (int i = atoi(arguments[2]); i < end; ++i) {\n\
                 hipGetLastError();\n\
                 printf(\"%s \", all[i].name);\n\
                 fflush(stdout);\n\
                 long result = all[i].call(garbage);\n\
                 printf(\"%ld %d\\n\", result, hipGetLastError());\n\
               }\n\
               return 0;\n\
             }\n",
        );
        let folder = tempfile::tempdir().expect("a temporary folder");
        let compiler = ["cc", "-std=gnu11", "-w"];
        let program = link(folder.path(), &compiler, "calls.c", &source);
        (folder, program)
    });
    program.clone()
}

fn each_batch(arguments: &str, mut check: impl FnMut(usize, i64, i64)) {
    for first in (0..ROWS.len()).step_by(BATCH) {
        let end = (first + BATCH).min(ROWS.len());
        let output: Output = run(&program())
            .args([arguments, &first.to_string(), &end.to_string()])
            .output()
            .expect("the program starts");
        let stdout = String::from_utf8_lossy(&output.stdout);
        let last = stdout.lines().last().unwrap_or("nothing");
        assert!(
            output.status.success(),
            "{} after: {last}\n{}",
            output.status,
            text(&output)
        );
        let lines: Vec<&str> = stdout.lines().collect();
        assert_eq!(lines.len(), end - first, "{stdout}");
        for (index, line) in (first..end).zip(lines) {
            let fields: Vec<&str> = line.split(' ').collect();
            assert_eq!(fields[0], ROWS[index].name);
            let number = |field: &str| field.parse().expect("the program prints numbers");
            check(index, number(fields[1]), number(fields[2]));
        }
    }
}

#[test]
fn no_call_with_zeros_crashes_and_gaps_say_not_supported() {
    each_batch("zeros", |index, result, _| {
        let row = &ROWS[index];
        if row.result == "hipError_t" && !row.implemented {
            assert_eq!(result, NOT_SUPPORTED, "{} has no body", row.name);
        }
    });
}

#[test]
fn every_error_is_the_next_last_error() {
    each_batch("zeros", |index, result, last| {
        let row = &ROWS[index];
        if row.sets_last_error && result != SUCCESS && result != NOT_READY {
            assert_eq!(last, result, "{}", row.name);
        } else {
            assert_eq!(last, SUCCESS, "{}", row.name);
        }
    });
}

#[test]
fn no_call_with_handles_of_nothing_crashes() {
    each_batch("garbage", |_, _, _| ());
}
