//! The trace of calls, and the last error where a program ends.

use crate::support::{link, run, succeed, text};

const CALLS: &str = r#"
    #include <hip/hip_runtime.h>
    int main(void) {
        int version;
        hipRuntimeGetVersion(&version);
        hipRuntimeGetVersion(0);
        return 0;
    }
"#;

#[test]
fn the_trace_shows_each_call_with_arguments_and_result() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = link(folder.path(), &["cc", "-std=c99"], "calls.c", CALLS);
    let log = text(&succeed(run(&program).env("HRX_LOG", "hip=trace")));
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines.len(), 2, "{log}");
    assert!(
        lines[0].contains("hipRuntimeGetVersion(runtimeVersion=0x"),
        "{log}"
    );
    assert!(lines[0].ends_with(" = hipSuccess"), "{log}");
    assert!(
        lines[1].ends_with(
            "hipRuntimeGetVersion(runtimeVersion=null) = hipErrorInvalidValue: invalid argument"
        ),
        "{log}"
    );
}

#[test]
fn without_a_variable_a_failing_call_prints_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = link(folder.path(), &["cc", "-std=c99"], "calls.c", CALLS);
    assert_eq!(text(&succeed(&mut run(&program))), "");
}

#[test]
fn a_filter_that_is_none_is_named_and_the_program_runs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = link(folder.path(), &["cc", "-std=c99"], "calls.c", CALLS);
    let log = text(&succeed(run(&program).env("HRX_LOG", "hip=noisy")));
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(
        log.contains("HRX_LOG is `hip=noisy`") && log.contains("error, warn, info"),
        "{log}"
    );
}

#[test]
fn calls_work_in_global_destructors_and_exit_handlers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = r#"
        #include <hip/hip_runtime.h>
        #include <cstdio>
        #include <cstdlib>
        static void check(const char *where) {
            hipRuntimeGetVersion(nullptr);
            int first = hipGetLastError();
            std::printf("%s %d %d\n", where, first, hipGetLastError());
        }
        struct Global {
            ~Global() { check("destructor"); }
        } global;
        struct PerThread {
            ~PerThread() { check("thread"); }
        };
        thread_local PerThread per_thread;
        int main() {
            (void)&per_thread;
            std::atexit([] { check("handler"); });
            check("main");
        }
    "#;
    let program = link(folder.path(), &["c++", "-std=c++11"], "ends.cpp", source);
    let output = text(&succeed(&mut run(&program)));
    assert_eq!(
        output,
        "main 1 0\nthread 1 0\nhandler 1 0\ndestructor 1 0\n"
    );
}
