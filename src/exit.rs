//! What runs when the process ends in good order, and what runs in a forked child.
//!
//! `.fini_array` of a shared library runs after the program's own global destructors, whether the
//! library was linked or opened; an `atexit` handler of the library's constructor would run before them.
//! Nothing here runs after `_exit`, `abort` or a signal: then the side file keeps what had completed.
//!
//! # Thread safety
//! Other threads may still run, in the middle of a launch, and are not waited for.

/// Called once, on the thread that ends the process. Other threads may still run.
fn at_exit() {
    hrx_runtime::context::finish_process();
}

/// The dynamic linker calls this entry.
extern "C" fn fini() {
    // A panic must not leave the dynamic linker's exit loop by unwinding.
    let _ = std::panic::catch_unwind(at_exit);
}

/// Runs in a child process right after `fork`. It stores a flag and takes no lock.
extern "C" fn forked() {
    hrx_runtime::context::note_fork();
}

/// The dynamic linker calls this entry when the library is loaded.
extern "C" fn init() {
    // SAFETY: a handler for the child only, which stores a flag; the library is never unloaded.
    let failed = unsafe { libc::pthread_atfork(None, None, Some(forked)) };
    // No memory for one handler: a forked child would then not be noticed, which is all.
    let _ = failed;
}

#[used]
#[unsafe(link_section = ".init_array")]
static INIT: extern "C" fn() = init;

#[used]
#[unsafe(link_section = ".fini_array")]
static FINI: extern "C" fn() = fini;
