//! A launch through the C interface allocates nothing, profiled or not.
//!
//! The library is linked into the test, so that the test's allocator is the library's, too. Each case is a
//! process of its own: the environment is read once.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_void};
use std::process::Command;
use std::ptr;

use amdhip64::sys::{dim3, hipError_t, hipFunction_t, hipModule_t, hipStream_t, hipSuccess};

unsafe extern "C" {
    fn __hipRegisterFatBinary(wrapper: *const c_void) -> *mut *mut c_void;
    fn __hipRegisterFunction(
        modules: *mut *mut c_void,
        host_function: *const c_void,
        device_function: *mut c_char,
        device_name: *const c_char,
        thread_limit: u32,
        thread_id: *mut c_void,
        block_id: *mut c_void,
        block_size: *mut dim3,
        grid_size: *mut dim3,
        w_size: *mut i32,
    );
    fn hipMalloc(memory: *mut *mut c_void, size: usize) -> hipError_t;
    fn hipMemset(memory: *mut c_void, value: i32, size: usize) -> hipError_t;
    fn hipMemcpy(to: *mut c_void, from: *const c_void, size: usize, kind: u32) -> hipError_t;
    fn hipStreamCreate(stream: *mut hipStream_t) -> hipError_t;
    fn hipDeviceSynchronize() -> hipError_t;
    fn hipModuleLoadData(module: *mut hipModule_t, image: *const c_void) -> hipError_t;
    fn hipModuleGetFunction(
        function: *mut hipFunction_t,
        module: hipModule_t,
        name: *const c_char,
    ) -> hipError_t;
    fn hipLaunchKernel(
        host_function: *const c_void,
        grid: dim3,
        block: dim3,
        arguments: *mut *mut c_void,
        shared: usize,
        stream: hipStream_t,
    ) -> hipError_t;
    fn hipModuleLaunchKernel(
        function: hipFunction_t,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared: u32,
        stream: hipStream_t,
        arguments: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> hipError_t;
}

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// Counts the allocations of each thread.
struct Counting;

// SAFETY: everything is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promise, handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise, handed on.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// More than a command buffer holds, fewer than a ring of packets.
const LAUNCHES: usize = 1000;

const NAME: &CStr = c"count";

/// What the compiler leaves in a program for each of its device images.
#[repr(C)]
struct Wrapper {
    magic: u32,
    version: u32,
    binary: *const c_void,
    unused: *const c_void,
}

fn ok(status: hipError_t) {
    assert_eq!(status, hipSuccess);
}

/// Runs `work` so often after a first time, and wants no allocation.
fn allocates_nothing(what: &str, mut work: impl FnMut()) {
    work();
    // SAFETY: takes nothing.
    ok(unsafe { hipDeviceSynchronize() });
    let before = ALLOCATIONS.get();
    for _ in 0..LAUNCHES {
        work();
    }
    assert_eq!(ALLOCATIONS.get() - before, 0, "{what}, {LAUNCHES} times");
    // SAFETY: takes nothing.
    ok(unsafe { hipDeviceSynchronize() });
}

fn launches() {
    let path = format!(
        "{}/tests/conformance/kernels/kernels.co",
        env!("CARGO_MANIFEST_DIR")
    );
    let image: &'static [u8] = std::fs::read(path).expect("checked in").leak();
    let wrapper = Box::leak(Box::new(Wrapper {
        magic: 0x4849_5046,
        version: 1,
        binary: image.as_ptr().cast(),
        unused: ptr::null(),
    }));
    let host_function: *const c_void = ptr::from_ref(&NAME).cast();
    // SAFETY: the wrapper and its image live as long as the process.
    let modules = unsafe { __hipRegisterFatBinary(ptr::from_mut(wrapper).cast()) };
    let (name, null) = (NAME.as_ptr(), ptr::null_mut());
    // SAFETY: the name is a C string that lives as long as the process.
    unsafe {
        __hipRegisterFunction(
            modules,
            host_function,
            name.cast_mut(),
            name,
            u32::MAX,
            null,
            null,
            ptr::null_mut(),
            ptr::null_mut(),
            ptr::null_mut(),
        );
    }

    let mut word: *mut c_void = ptr::null_mut();
    let mut stream = hipStream_t::NULL;
    let mut module = hipModule_t::NULL;
    let mut function = hipFunction_t::NULL;
    // SAFETY: a place for the result.
    ok(unsafe { hipMalloc(&raw mut word, 4) });
    // SAFETY: memory of that size.
    ok(unsafe { hipMemset(word, 0, 4) });
    // SAFETY: a place for the result.
    ok(unsafe { hipStreamCreate(&raw mut stream) });
    // SAFETY: a place for the result, and a whole image.
    ok(unsafe { hipModuleLoadData(&raw mut module, image.as_ptr().cast()) });
    // SAFETY: a place for the result, and a C string.
    ok(unsafe { hipModuleGetFunction(&raw mut function, module, name) });

    let mut arguments = [ptr::from_mut(&mut word).cast::<c_void>()];
    let (one, warp) = (dim3 { x: 1, y: 1, z: 1 }, dim3 { x: 32, y: 1, z: 1 });
    let streams = [("the null stream", hipStream_t::NULL), ("a stream", stream)];
    for (what, stream) in streams {
        let arguments = arguments.as_mut_ptr();
        allocates_nothing(&format!("<<<>>> on {what}"), || {
            // SAFETY: the kernel's one argument is the word's address.
            ok(unsafe { hipLaunchKernel(host_function, one, warp, arguments, 0, stream) });
        });
        allocates_nothing(&format!("a function of a module on {what}"), || {
            // SAFETY: as above.
            ok(unsafe {
                hipModuleLaunchKernel(
                    function,
                    1,
                    1,
                    1,
                    32,
                    1,
                    1,
                    0,
                    stream,
                    arguments,
                    ptr::null_mut(),
                )
            });
        });
    }
    let mut count = 0_u32;
    // SAFETY: both are four bytes.
    ok(unsafe { hipMemcpy(ptr::from_mut(&mut count).cast(), word, 4, 2) });
    assert_eq!(count as usize, 4 * (LAUNCHES + 1) * 32);
}

/// Says to a child which it is.
const CHILD: &str = "RUNTIME_LAUNCH_CHILD";

/// Runs a test again in a process of its own, on the virtual device.
fn in_a_process(test: &str, variables: &[(&str, &str)]) {
    if std::env::var_os(CHILD).is_some() {
        return launches();
    }
    let mut command = Command::new(std::env::current_exe().expect("a test has a path"));
    command.args(["--exact", test, "--nocapture"]);
    command.env(CHILD, "1").env("HRX_DEVICE", "virtual");
    let output = command
        .envs(variables.iter().copied())
        .output()
        .expect("it starts");
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn an_unprofiled_launch_allocates_nothing() {
    in_a_process("an_unprofiled_launch_allocates_nothing", &[]);
}

#[test]
fn a_profiled_launch_allocates_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bundle = folder.path().join("launch.ireeprof");
    let name = bundle.to_str().expect("plain text");
    in_a_process(
        "a_profiled_launch_allocates_nothing",
        &[("HRX_PROFILE_FILE", name)],
    );
    // The child, which found the variable set, has its own folder.
    if std::env::var_os(CHILD).is_none() {
        assert!(bundle.exists());
    }
}
