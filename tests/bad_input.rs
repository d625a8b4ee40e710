//! Wrong arguments, wrong code objects: a code, never a crash.

mod support;

use support::{c_program, on, release, root, succeed, text};

#[test]
fn every_refusal_has_the_code_of_amds_runtime() {
    let program = c_program("tests/programs/bad_input.c");
    let good = root().join("tests/kernels/01_saxpy.O3.co");
    let other = root().join("tests/kernels/01_saxpy.gfx90a.co");
    let arguments = [&*good.to_string_lossy(), &*other.to_string_lossy()];
    let output = succeed(&mut on(release(), &program, &arguments));
    assert!(
        text(&output).contains("0 unexpected answers"),
        "{}",
        text(&output)
    );
}
