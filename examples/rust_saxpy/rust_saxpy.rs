//! A Rust program on the C ABI: it declares the few functions it calls and links to the library.
//!
//!     rustc --edition 2024 examples/rust_saxpy/rust_saxpy.rs -L target/release -l amdhip64
//!     LD_LIBRARY_PATH=target/release ./rust_saxpy tests/kernels/01_saxpy.O3.co

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ptr::{null_mut, from_mut, from_ref};

unsafe extern "C" {
    fn hipModuleLoad(module: *mut *mut c_void, path: *const c_char) -> c_int;
    fn hipModuleGetFunction(function: *mut *mut c_void, module: *mut c_void, name: *const c_char) -> c_int;
    fn hipMalloc(pointer: *mut *mut c_void, bytes: usize) -> c_int;
    fn hipFree(pointer: *mut c_void) -> c_int;
    fn hipMemcpy(to: *mut c_void, from: *const c_void, bytes: usize, kind: c_int) -> c_int;
    fn hipModuleLaunchKernel(
        function: *mut c_void,
        grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
        block_x: c_uint, block_y: c_uint, block_z: c_uint,
        shared_bytes: c_uint,
        stream: *mut c_void,
        arguments: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> c_int;
    fn hipGetErrorString(error: c_int) -> *const c_char;
}

const HOST_TO_DEVICE: c_int = 1;
const DEVICE_TO_HOST: c_int = 2;

fn check(what: &str, status: c_int) {
    if status != 0 {
        // SAFETY: hipGetErrorString takes any number and returns a static string.
        let text = unsafe { CStr::from_ptr(hipGetErrorString(status)) };
        eprintln!("{what}: {}", text.to_string_lossy());
        std::process::exit(1);
    }
}

fn main() {
    const COUNT: usize = 50_000;
    let path = std::env::args().nth(1).expect("usage: rust_saxpy 01_saxpy.co");
    let path = CString::new(path).expect("a path has no zero byte");
    let x: Vec<f32> = (0..COUNT).map(|i| (i % 64) as f32).collect();
    let mut y = vec![1.0f32; COUNT];
    let bytes = size_of_val(&x[..]);
    let (mut module, mut saxpy, mut dx, mut dy) = (null_mut(), null_mut(), null_mut(), null_mut());
    // SAFETY: every pointer below refers to a live local of the type that the call documents, and
    // the four kernel arguments are those of `saxpy(float, const float *, float *, unsigned)`.
    unsafe {
        check("hipModuleLoad", hipModuleLoad(&mut module, path.as_ptr()));
        check("hipModuleGetFunction", hipModuleGetFunction(&mut saxpy, module, c"saxpy".as_ptr()));
        check("hipMalloc", hipMalloc(&mut dx, bytes));
        check("hipMalloc", hipMalloc(&mut dy, bytes));
        check("hipMemcpy", hipMemcpy(dx, x.as_ptr().cast(), bytes, HOST_TO_DEVICE));
        check("hipMemcpy", hipMemcpy(dy, y.as_ptr().cast(), bytes, HOST_TO_DEVICE));
        let (a, n) = (0.5f32, COUNT as u32);
        let mut arguments = [
            from_ref(&a).cast_mut().cast(),
            from_mut(&mut dx).cast(),
            from_mut(&mut dy).cast(),
            from_ref(&n).cast_mut().cast(),
        ];
        let blocks = n.div_ceil(128);
        check(
            "hipModuleLaunchKernel",
            hipModuleLaunchKernel(
                saxpy, blocks, 1, 1, 128, 1, 1, 0, null_mut(), arguments.as_mut_ptr(), null_mut(),
            ),
        );
        check("hipMemcpy", hipMemcpy(y.as_mut_ptr().cast(), dy, bytes, DEVICE_TO_HOST));
        check("hipFree", hipFree(dx));
        check("hipFree", hipFree(dy));
    }
    let wrong = y.iter().zip(&x).filter(|&(y, x)| *y != 0.5 * x + 1.0).count();
    println!("{COUNT} elements, {wrong} wrong");
    std::process::exit(i32::from(wrong != 0));
}
