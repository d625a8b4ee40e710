//! What the compiler's start code registers: fat binaries, and the host addresses of their kernels and
//! variables.
//!
//! Registration happens before `main` and must not touch the device. Code is loaded when a kernel or a
//! variable of it is first used on a device.
//!
//! # Thread safety
//! The registry is one for the process and lives as long as it does; `dlopen` in several threads may
//! register at the same time. Of two threads that use a binary first, one loads and the other waits.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicI32, AtomicU64};
use std::sync::{Arc, LazyLock};

use parking_lot::{Mutex, RwLock};

pub use hrx_gfx::object::bundle::image_length;

use super::{Executable, Variable};
use crate::error::{Result, RuntimeError};
use crate::kernel::Kernel;
use crate::stream::Stream;

/// Where the bytes of a registered image are; the program keeps them until it unregisters.
pub trait ImageSource: Send + Sync {
    /// All bytes of the image.
    ///
    /// # Errors
    /// [`RuntimeError::Image`] when its length cannot be found.
    fn bytes(&self) -> Result<&[u8]>;
}

/// A registered fat binary.
pub struct FatBinary {
    id: u64,
    image: Box<dyn ImageSource>,
    /// Managed variables by name, and where their memory is.
    managed: Mutex<Vec<(String, usize)>>,
    loaded: Mutex<Loaded>,
}

/// What loading gave, by context and device.
type Loaded = HashMap<(u64, u32), Result<Arc<Executable>>>;

impl fmt::Debug for FatBinary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FatBinary")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

#[derive(Clone, Debug)]
struct Named {
    binary: Arc<FatBinary>,
    device_name: String,
    size: usize,
}

/// A kernel with the code that it is in.
#[derive(Debug)]
pub struct Function {
    /// Keeps the code loaded.
    pub executable: Arc<Executable>,
    /// What to launch.
    pub kernel: Arc<Kernel>,
    /// Share of the on-chip memory that the program would like for LDS, per cent, or -1.
    pub carveout: AtomicI32,
}

impl Function {
    /// A kernel of loaded code.
    pub fn new(executable: Arc<Executable>, kernel: Arc<Kernel>) -> Self {
        Self {
            executable,
            kernel,
            carveout: AtomicI32::new(-1),
        }
    }
}

/// The registry of the process.
#[derive(Debug, Default)]
pub struct Registry {
    next_id: AtomicU64,
    binaries: Mutex<HashMap<u64, Arc<FatBinary>>>,
    functions: RwLock<HashMap<usize, Named>>,
    variables: RwLock<HashMap<usize, Named>>,
}

impl FatBinary {
    /// Its executable on the device of `stream`, which is the null stream there. A failure is
    /// remembered: the image does not change.
    fn executable(&self, context: u64, stream: &Stream) -> Result<Arc<Executable>> {
        let device = stream.device();
        let mut loaded = self.loaded.lock();
        let entry = loaded.entry((context, device.ordinal()));
        let load = || {
            let executable = self
                .image
                .bytes()
                .and_then(|bytes| Executable::load(device, stream, bytes));
            let executable = executable.and_then(|executable| {
                for (name, address) in &*self.managed.lock() {
                    executable.point(name, *address)?;
                }
                Ok(executable)
            });
            executable.inspect_err(|error| {
                tracing::warn!("code registered by the program cannot be loaded: {error}");
            })
        };
        entry.or_insert_with(load).clone()
    }
}

impl Registry {
    /// The one of this process.
    pub fn get() -> &'static Self {
        static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::default);
        &REGISTRY
    }

    /// Registers a fat binary and gives its number, from 1 upward.
    pub fn add_binary(&self, image: Box<dyn ImageSource>) -> u64 {
        // Relaxed: hands out numbers, no data.
        let id = self.next_id.fetch_add(1, Relaxed) + 1;
        let binary = FatBinary {
            id,
            image,
            managed: Mutex::default(),
            loaded: Mutex::default(),
        };
        self.binaries.lock().insert(id, Arc::new(binary));
        id
    }

    /// Registers a kernel of binary `id` for a host address; returns whether there is such a binary.
    pub fn add_function(&self, id: u64, host_address: usize, device_name: &str) -> bool {
        self.add(&self.functions, id, host_address, device_name, 0)
    }

    /// Registers a variable of binary `id` for a host address; returns whether there is such a binary.
    pub fn add_variable(
        &self,
        id: u64,
        host_address: usize,
        device_name: &str,
        size: usize,
    ) -> bool {
        self.add(&self.variables, id, host_address, device_name, size)
    }

    /// Registers a managed variable of binary `id`: kernels find its memory through a pointer of this
    /// name. Returns whether there is such a binary.
    pub fn add_managed(&self, id: u64, device_name: &str, address: usize) -> bool {
        let Some(binary) = self.binaries.lock().get(&id).cloned() else {
            return false;
        };
        binary
            .managed
            .lock()
            .push((device_name.to_owned(), address));
        true
    }

    fn add(
        &self,
        to: &RwLock<HashMap<usize, Named>>,
        id: u64,
        host_address: usize,
        device_name: &str,
        size: usize,
    ) -> bool {
        let Some(binary) = self.binaries.lock().get(&id).cloned() else {
            return false;
        };
        let named = Named {
            binary,
            device_name: device_name.to_owned(),
            size,
        };
        to.write().insert(host_address, named);
        true
    }

    /// Forgets a binary with its kernels and variables, and gives back what was loaded of it, together
    /// with the host addresses of its kernels. Nothing of it may be freed before the device is done.
    pub fn remove_binary(&self, id: u64) -> Option<(Vec<Arc<Executable>>, Vec<usize>)> {
        let binary = self.binaries.lock().remove(&id)?;
        let mut addresses = Vec::new();
        self.functions.write().retain(|address, named| {
            let belongs = named.binary.id == id;
            if belongs {
                addresses.push(*address);
            }
            !belongs
        });
        self.variables
            .write()
            .retain(|_, named| named.binary.id != id);
        let loaded = std::mem::take(&mut *binary.loaded.lock());
        Some((
            loaded.into_values().filter_map(Result::ok).collect(),
            addresses,
        ))
    }

    /// Forgets what was loaded for a context that ends.
    pub(crate) fn forget_context(&self, context: u64) {
        for binary in self.binaries.lock().values() {
            binary
                .loaded
                .lock()
                .retain(|(found, _), _| *found != context);
        }
    }

    /// The mangled name of the kernel that is registered for a host address.
    pub fn function_name(&self, host_address: usize) -> Option<String> {
        self.functions
            .read()
            .get(&host_address)
            .map(|named| named.device_name.clone())
    }

    /// The kernel of a host address on the device of `stream`, its null stream; loads the code if need
    /// be.
    ///
    /// # Errors
    /// [`RuntimeError::UnknownHostFunction`]; why the code cannot be loaded;
    /// [`RuntimeError::NoSuchKernel`].
    pub fn function(&self, context: u64, stream: &Stream, host_address: usize) -> Result<Function> {
        let named = self.functions.read().get(&host_address).cloned();
        let named = named.ok_or(RuntimeError::UnknownHostFunction {
            address: host_address,
        })?;
        let executable = named.binary.executable(context, stream)?;
        let kernel = Arc::clone(executable.kernel(&named.device_name)?);
        Ok(Function::new(executable, kernel))
    }

    /// The variable of a host address on the device of `stream`, its null stream; loads the code if need
    /// be.
    ///
    /// # Errors
    /// [`RuntimeError::UnknownHostVariable`]; why the code cannot be loaded;
    /// [`RuntimeError::NoSuchVariable`].
    pub fn variable(&self, context: u64, stream: &Stream, host_address: usize) -> Result<Variable> {
        let named = self.variables.read().get(&host_address).cloned();
        let named = named.ok_or(RuntimeError::UnknownHostVariable {
            address: host_address,
        })?;
        let executable = named.binary.executable(context, stream)?;
        let variable = executable.variable(&named.device_name)?;
        // The host's idea of the size counts where the device has the larger one.
        Ok(Variable {
            size: if named.size == 0 {
                variable.size
            } else {
                named.size
            },
            ..variable
        })
    }
}
