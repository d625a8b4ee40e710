//! Code: what the compiler's start code registers, modules that the program loads, their kernels and
//! variables.

use std::{
    collections::HashMap,
    ffi::{CStr, c_char, c_void},
    path::PathBuf,
    ptr,
    sync::Arc,
};

use hrx_runtime::{
    RuntimeError,
    context::{Context, is_forked},
    memory::MemoryClass,
    module::{
        Executable,
        registry::{Function, ImageSource, Registry},
    },
};
use parking_lot::Mutex;

use super::{context::context, launch};
use crate::{
    convert::{Image, Memory, Out, managed_memory},
    error::{HipError, HipResult},
    handles::{self, Object, Ref, Table},
    sys::{
        dim3, hipDeviceptr_t, hipFunction_t, hipJitOption, hipMemAttachGlobal, hipModule_t, uint3,
    },
};

/// A module that the program loaded.
pub(crate) struct Module {
    executable: Arc<Executable>,
    /// Where its variables are known.
    context: Arc<Context>,
    /// Handles that were given out, by kernel name: asking twice gives the same one.
    functions: Mutex<HashMap<String, hipFunction_t>>,
}

impl Object for Module {
    type Raw = hipModule_t;
    fn table() -> &'static Table<Self> {
        static TABLE: Table<Module> = Table::new();
        &TABLE
    }
}

impl Object for Function {
    type Raw = hipFunction_t;
    fn table() -> &'static Table<Self> {
        static TABLE: Table<Function> = Table::new();
        &TABLE
    }
}

// ---- Registration by the compiler's start code ---------------------------------------------------

/// First word of a wrapper: "HIPF" as a number.
const WRAPPER_MAGIC: u32 = 0x4849_5046;
/// "HIPK": kernels in a file of their own.
const WRAPPER_MAGIC_KPACK: u32 = 0x4849_504b;
const WRAPPER_VERSION: u32 = 1;
const WRAPPER_BYTES: usize = 24;

/// Registers a fat binary. The result is a number that looks like a pointer; nobody may use it as one.
///
/// The wrapper is: magic, version, address of the bundle, unused address.
pub(crate) fn register_fat_binary(wrapper: Memory<'_>) -> HipResult<*mut *mut c_void> {
    if wrapper.is_null() {
        return Err(HipError::INVALID_VALUE);
    }
    let mut bytes = [0; WRAPPER_BYTES];
    wrapper.range(0, WRAPPER_BYTES).copy_to_slice(&mut bytes);
    let (words, _) = bytes.as_chunks::<8>();
    let words: [u64; 3] = [0, 1, 2].map(|index: usize| u64::from_le_bytes(words[index]));
    let low = |word: u64| u32::try_from(word & u64::from(u32::MAX)).expect("masked");
    let (magic, version) = (low(words[0]), low(words[0] >> 32));
    if magic != WRAPPER_MAGIC || version != WRAPPER_VERSION {
        if magic == WRAPPER_MAGIC_KPACK {
            tracing::warn!(
                "a fat binary keeps its kernels in a kpack file, which is not supported"
            );
        } else {
            tracing::warn!(
                "a fat binary has magic {magic:#x} version {version}, expected {WRAPPER_MAGIC:#x} \
                 version {WRAPPER_VERSION}"
            );
        }
        return Err(HipError::INVALID_IMAGE);
    }
    let address = usize::try_from(words[1]).expect("addresses have 64 bits");
    let image = Image::at(address).ok_or(HipError::INVALID_IMAGE)?;
    let id = Registry::get().add_binary(Box::new(image));
    let id = usize::try_from(id).expect("fewer binaries than addresses");
    Ok(ptr::without_provenance_mut(id))
}

fn binary_id(binary: *mut *mut c_void) -> u64 {
    binary.addr() as u64
}

/// Registers a kernel under the address of its host stub.
#[expect(clippy::too_many_arguments, reason = "the function has so many")]
pub(crate) fn register_function(
    binary: *mut *mut c_void,
    host: Memory<'_>,
    _: *mut c_char,
    device_name: &CStr,
    _: u32,
    _: *mut uint3,
    _: *mut uint3,
    _: *mut dim3,
    _: *mut dim3,
    _: *mut i32,
) -> HipResult<()> {
    let name = device_name.to_string_lossy();
    let known = Registry::get().add_function(binary_id(binary), host.address, &name);
    if known {
        Ok(())
    } else {
        Err(HipError::INVALID_VALUE)
    }
}

/// Registers a variable under the address of its shadow.
#[expect(clippy::too_many_arguments, reason = "the function has so many")]
pub(crate) fn register_variable(
    binary: *mut *mut c_void,
    host: Memory<'_>,
    _: *mut c_char,
    device_name: &CStr,
    _: i32,
    size: usize,
    _: i32,
    _: i32,
) -> HipResult<()> {
    let name = device_name.to_string_lossy();
    let known = Registry::get().add_variable(binary_id(binary), host.address, &name, size);
    if known {
        Ok(())
    } else {
        Err(HipError::INVALID_VALUE)
    }
}

/// Registers a managed variable: allocates its memory, with the initial value, and lets the host's
/// pointer point there. The one registration that needs the device.
pub(crate) fn register_managed_variable(
    binary: *mut c_void,
    mut pointer: Out<'_, *mut c_void>,
    initial: Memory<'_>,
    device_name: &CStr,
    size: usize,
    _: u32,
) -> HipResult<()> {
    let context = context()?;
    let device = context.current_device()?;
    let flags = hipMemAttachGlobal;
    let address = context
        .memory()
        .allocate(device, size.max(1), MemoryClass::Managed, flags)?;
    let memory = managed_memory(address);
    if !initial.is_null() {
        memory
            .range(0, size)
            .copy_from(initial.range(0, size).as_source());
    }
    pointer.set(ptr::with_exposed_provenance_mut(address));
    let name = device_name.to_string_lossy();
    let known = Registry::get().add_managed(binary.addr() as u64, &name, address);
    if known {
        Ok(())
    } else {
        Err(HipError::INVALID_VALUE)
    }
}

/// Forgets a fat binary. Its code is freed once the device is idle; at the end of the process it is left
/// to the process.
pub(crate) fn unregister_fat_binary(binary: *mut *mut c_void) -> HipResult<()> {
    if is_forked() {
        return Ok(());
    }
    let removed = Registry::get().remove_binary(binary_id(binary));
    let (executables, addresses) = removed.ok_or(HipError::INVALID_VALUE)?;
    launch::forget_host_functions(&addresses);
    if let Some(context) = Context::current() {
        context.retire(executables);
        context.reap();
    }
    Ok(())
}

// ---- Modules ------------------------------------------------------------------------------------

fn load(out: &mut Out<'_, hipModule_t>, bytes: &[u8]) -> HipResult {
    let context = context()?;
    let device = context.current_device()?;
    context.reap();
    let executable = Executable::load(device, context.null_stream(device), bytes)
        .inspect_err(|error| tracing::warn!("a module cannot be loaded: {error}"))?;
    for variable in executable.variables() {
        context.memory().add_variable(device, variable);
    }
    let module = Module {
        executable,
        context: Arc::clone(&context),
        functions: Mutex::default(),
    };
    out.set(handles::insert(Arc::new(module))?);
    Ok(())
}

/// Loads a module out of an image in memory.
///
/// > An image that is none: `hipErrorInvalidImage`; one without code for the device:
/// > `hipErrorNoBinaryForGpu`. The handle is null then.
pub(crate) fn load_data(mut out: Out<'_, hipModule_t>, image: Option<Image>) -> HipResult {
    out.set(hipModule_t::NULL);
    let image = image.ok_or(HipError::INVALID_VALUE)?;
    let bytes = image.bytes()?;
    load(&mut out, bytes)
}

/// As [`load_data`]. Options are for compilers of intermediate code and have no effect.
pub(crate) fn load_data_ex(
    out: Out<'_, hipModule_t>,
    image: Option<Image>,
    _: u32,
    _: *mut hipJitOption,
    _: *mut *mut c_void,
) -> HipResult {
    load_data(out, image)
}

/// Loads a module from a file.
///
/// > No such file: `hipErrorFileNotFound`.
pub(crate) fn load_file(mut out: Out<'_, hipModule_t>, name: Option<&CStr>) -> HipResult {
    use std::os::unix::ffi::OsStrExt;
    out.set(hipModule_t::NULL);
    let name = name
        .filter(|name| !name.is_empty())
        .ok_or(HipError::INVALID_VALUE)?;
    let path = PathBuf::from(std::ffi::OsStr::from_bytes(name.to_bytes()));
    let bytes = std::fs::read(&path).map_err(|source| RuntimeError::ImageFile {
        path,
        source: Arc::new(source),
    })?;
    load(&mut out, &bytes)
}

/// Unloads a module, after all work that may use it. Its kernels' handles become invalid.
pub(crate) fn unload(raw: hipModule_t) -> HipResult {
    if raw.is_null() {
        return Err(HipError::INVALID_HANDLE);
    }
    let module = handles::remove::<Module>(raw).map_err(|_| HipError::NOT_FOUND)?;
    for (_, function) in module.functions.lock().drain() {
        // Nobody else removes them.
        let _ = handles::remove::<Function>(function);
    }
    module
        .context
        .memory()
        .remove_variables(module.executable.variables());
    Ok(module.executable.device().synchronize()?)
}

/// A module by its handle.
///
/// > Null: `hipErrorInvalidResourceHandle`; a handle of none: `hipErrorNotFound`.
fn find(raw: hipModule_t) -> HipResult<Ref<Module>> {
    if raw.is_null() {
        return Err(HipError::INVALID_HANDLE);
    }
    handles::get(raw).map_err(|_| HipError::NOT_FOUND)
}

/// The kernel of a module by its mangled name.
///
/// > No kernel of that name: `hipErrorNotFound`.
pub(crate) fn function(
    mut out: Out<'_, hipFunction_t>,
    module: hipModule_t,
    name: &CStr,
) -> HipResult {
    if name.is_empty() {
        return Err(HipError::INVALID_VALUE);
    }
    let module = find(module)?;
    let name = name.to_string_lossy();
    let mut functions = module.functions.lock();
    if let Some(function) = functions.get(&*name) {
        out.set(*function);
        return Ok(());
    }
    let kernel = Arc::clone(module.executable.kernel(&name)?);
    let function = Function::new(Arc::clone(&module.executable), kernel);
    let handle = handles::insert(Arc::new(function))?;
    functions.insert(name.into_owned(), handle);
    out.set(handle);
    Ok(())
}

/// How many kernels a module has.
pub(crate) fn function_count(mut out: Out<'_, u32>, module: hipModule_t) -> HipResult {
    let module = find(module)?;
    out.set(u32::try_from(module.executable.kernel_count()).unwrap_or(u32::MAX));
    Ok(())
}

/// Address and size of a module's variable. Either may be unwanted, but not both.
pub(crate) fn global(
    address: Option<Out<'_, hipDeviceptr_t>>,
    size: Option<Out<'_, usize>>,
    module: hipModule_t,
    name: &CStr,
) -> HipResult {
    if (address.is_none() && size.is_none()) || name.is_empty() {
        return Err(HipError::INVALID_VALUE);
    }
    let module = find(module)?;
    let variable = module.executable.variable(&name.to_string_lossy())?;
    if let Some(mut address) = address {
        address.set(ptr::with_exposed_provenance_mut(variable.address));
    }
    if let Some(mut size) = size {
        size.set(variable.size);
    }
    Ok(())
}
