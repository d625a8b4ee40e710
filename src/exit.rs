//! What runs when the process ends in good order.
//!
//! `.fini_array` of a shared library runs after the program's own global destructors, whether the
//! library was linked or opened; an `atexit` handler of the library's constructor would run before them.
//! Nothing here runs after `_exit`, `abort` or a signal.

/// Called once, on the thread that ends the process. Other threads may still run.
fn at_exit() {}

/// The dynamic linker calls this entry.
extern "C" fn fini() {
    // A panic must not leave the dynamic linker's exit loop by unwinding.
    let _ = std::panic::catch_unwind(at_exit);
}

#[used]
#[unsafe(link_section = ".fini_array")]
static FINI: extern "C" fn() = fini;
