//! Loaded code: from a device image to kernels that can be launched and variables that have addresses.
//!
//! [`Executable`] is one code object on one device, however it came: registered by the compiler's start
//! code ([`registry`]) or loaded by the program.
//!
//! # Thread safety
//! An [`Executable`] does not change after it was made.

pub mod registry;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use hrx_gfx::object::descriptor::DESCRIPTOR_BYTES;
use hrx_gfx::object::{CodeObject, KernelKind, TargetId, ValueKind, bundle};
use hrx_hal::memory::Buffer;
use hrx_hal::queue::EventKind;
use hrx_hal::{CodeSymbol, MemoryKind};
use hrx_profile::{CodeObjectLoadDescription, ExecutableDescription, FunctionDescription};

use crate::device::{Device, NULL_LANE};
use crate::error::{Result, RuntimeError};
use crate::kernel::{Arguments, Kernel, KernelPlace, LaunchDims};
use crate::stream::{Purpose, Stream};

/// Symbol suffix of a managed variable's initial value; the symbol without it is a pointer.
const MANAGED_SUFFIX: &str = ".managed";

/// Executables have numbers from 1 upward, unique in the process: the profile knows them by these.
static NEXT_EXECUTABLE: AtomicU64 = AtomicU64::new(1);

/// A variable of a loaded code object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Address on device and host.
    pub address: usize,
    /// Bytes.
    pub size: usize,
}

/// A code object in device memory.
#[derive(Debug)]
pub struct Executable {
    id: u64,
    device: Arc<Device>,
    memory: Buffer,
    /// Memory of managed variables.
    managed: Vec<Buffer>,
    /// Where the pointers of managed variables are, from the start of the code.
    managed_pointers: HashMap<String, usize>,
    kernels: HashMap<String, Arc<Kernel>>,
    variables: HashMap<String, Variable>,
}

impl Executable {
    /// Loads the code for `device` out of an image: an offload bundle, compressed or not, or a bare code
    /// object. `stream` is the device's null stream, for the code object's own initialisers.
    ///
    /// # Errors
    /// [`RuntimeError::Image`] when the image cannot be used; no memory; the device's fault.
    pub fn load(device: &Arc<Device>, stream: &Stream, image: &[u8]) -> Result<Arc<Self>> {
        device.healthy()?;
        let target = target(device);
        let file = bundle::select(image, &target)?;
        let code = CodeObject::parse(&file, &target)?;
        let size = usize::try_from(code.load_size).expect("a code object that fits into a file");
        let memory = Buffer::allocate(device.hal(), size, 4096, MemoryKind::Code)?;
        let base = memory.address() as u64;
        let mut bytes = vec![0; size];
        code.load_image(&file, base, &mut bytes, &mut |_| None)?;
        memory.write(0, &bytes)?;

        let mut executable = Self {
            // Relaxed: hands out numbers, no data.
            id: NEXT_EXECUTABLE.fetch_add(1, Relaxed),
            device: Arc::clone(device),
            memory,
            managed: Vec::new(),
            managed_pointers: HashMap::new(),
            kernels: HashMap::new(),
            variables: HashMap::new(),
        };
        executable.add_kernels(&code, base)?;
        executable.add_variables(&code)?;
        // The chip may hold instructions of code that stood here before.
        device.check(device.queue(NULL_LANE)?.invalidate_code())?;
        executable.name(&code);
        if let Some(session) = device.session() {
            session.executable(&executable.description(&code, &file));
        }
        executable.run_kind(stream, &code, KernelKind::Init)?;
        Ok(Arc::new(executable))
    }

    /// Its number in the profile, from 1 upward.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Its device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// The kernel of this mangled name.
    ///
    /// # Errors
    /// [`RuntimeError::NoSuchKernel`].
    pub fn kernel(&self, name: &str) -> Result<&Arc<Kernel>> {
        self.kernels
            .get(name)
            .ok_or_else(|| RuntimeError::NoSuchKernel {
                name: name.to_owned(),
            })
    }

    /// How many kernels it has.
    pub fn kernel_count(&self) -> usize {
        self.kernels.len()
    }

    /// The variable of this mangled name; of a managed one, the memory that its pointer points to.
    ///
    /// # Errors
    /// [`RuntimeError::NoSuchVariable`].
    pub fn variable(&self, name: &str) -> Result<Variable> {
        let found = self.variables.get(name).copied();
        found.ok_or_else(|| RuntimeError::NoSuchVariable {
            name: name.to_owned(),
        })
    }

    /// Makes the pointer of a managed variable point at memory that somebody else owns. A code object
    /// without such a pointer is left as it is.
    ///
    /// # Errors
    /// What the layer below says.
    pub(crate) fn point(&self, name: &str, address: usize) -> Result<()> {
        let Some(pointer) = self.managed_pointers.get(name) else {
            return Ok(());
        };
        Ok(self
            .memory
            .write(*pointer, &(address as u64).to_le_bytes())?)
    }

    /// All its variables, managed ones by their pointer as well as by their memory.
    pub fn variables(&self) -> impl Iterator<Item = Variable> + '_ {
        self.variables.values().copied()
    }

    fn add_kernels(&mut self, code: &CodeObject, base: u64) -> Result<()> {
        for (ordinal, kernel) in code.kernels.iter().enumerate() {
            let place = KernelPlace {
                object: base + kernel.descriptor_offset,
                executable_id: self.id,
                function_ordinal: u32::try_from(ordinal).unwrap_or(u32::MAX),
            };
            let kernel = Kernel::new(kernel.info.clone(), place);
            let needs = kernel.layout().needs();
            if needs.hostcall || needs.printf || needs.heap {
                tracing::debug!(
                    "kernel `{}` lists device services (printf, malloc, host calls), which are not there",
                    kernel.name()
                );
            }
            self.kernels
                .insert(kernel.name().to_owned(), Arc::new(kernel));
        }
        Ok(())
    }

    fn add_variables(&mut self, code: &CodeObject) -> Result<()> {
        let at =
            |offset: u64| self.memory.address() + usize::try_from(offset).expect("inside the code");
        for symbol in code.variables() {
            let size = usize::try_from(symbol.size_bytes).unwrap_or(usize::MAX);
            self.variables.insert(
                symbol.name.clone(),
                Variable {
                    address: at(symbol.offset),
                    size,
                },
            );
        }
        for symbol in code.variables() {
            let Some(name) = symbol.name.strip_suffix(MANAGED_SUFFIX) else {
                continue;
            };
            let (Some(pointer), Some(initial)) = (
                code.variable(name),
                self.variables.get(&symbol.name).copied(),
            ) else {
                continue;
            };
            let memory = Buffer::allocate(
                self.device.hal(),
                initial.size.max(1),
                4096,
                MemoryKind::HostFine,
            )?;
            let mut value = vec![0; initial.size];
            let offset = usize::try_from(symbol.offset).expect("inside the code");
            self.memory.read(offset, &mut value)?;
            memory.write(0, &value)?;
            let offset = usize::try_from(pointer.offset).expect("inside the code");
            self.memory
                .write(offset, &(memory.address() as u64).to_le_bytes())?;
            let variable = Variable {
                address: memory.address(),
                size: initial.size,
            };
            self.variables.insert(name.to_owned(), variable);
            self.managed_pointers.insert(name.to_owned(), offset);
            self.managed.push(memory);
        }
        Ok(())
    }

    /// Tells the device the names in the code, for fault reports.
    fn name(&self, code: &CodeObject) {
        let base = self.memory.address() as u64;
        let functions = code.functions.iter().map(|function| CodeSymbol {
            address: base + function.offset,
            size: function.size_bytes,
            name: function.name.clone(),
        });
        // A packet names a kernel by its descriptor.
        let descriptors = code.kernels.iter().map(|kernel| CodeSymbol {
            address: base + kernel.descriptor_offset,
            size: DESCRIPTOR_BYTES as u64,
            name: kernel.info.symbol.clone(),
        });
        let symbols = functions.chain(descriptors);
        let name = format!("executable {}", self.id);
        self.device
            .hal()
            .name_code(base, code.load_size, &name, symbols.collect());
    }

    fn description(&self, code: &CodeObject, file: &[u8]) -> ExecutableDescription {
        let load_size = code.load_size;
        // The first loaded byte has address 0 in the code object.
        let load_delta = i64::try_from(self.memory.address()).unwrap_or(0);
        let code_hash = hash(file);
        let functions = code.kernels.iter().map(|kernel| {
            let info = &kernel.info;
            let of_kind = |kind: ValueKind| {
                info.explicit_args()
                    .filter(move |argument| argument.value_kind == kind)
            };
            let pointers = of_kind(ValueKind::GlobalBuffer).count();
            let constant_bytes: u32 = of_kind(ValueKind::ByValue)
                .map(|argument| argument.size)
                .sum();
            FunctionDescription {
                name: info.name.clone(),
                constant_count: constant_bytes.div_ceil(4),
                binding_count: u32::try_from(pointers).unwrap_or(u32::MAX),
                parameter_count: u32::try_from(info.explicit_args().count()).unwrap_or(u32::MAX),
                workgroup_size: info.reqd_workgroup_size.unwrap_or_default(),
                hash: Some(hash(&(code_hash, &info.name))),
            }
        });
        ExecutableDescription {
            executable_id: self.id,
            functions: functions.collect(),
            code_object_hash: Some(code_hash),
            image: Some(file.into()),
            loads: vec![CodeObjectLoadDescription {
                device_ordinal: self.device.ordinal(),
                load_delta,
                load_size,
            }],
        }
    }

    /// Runs the kernels that come before all others, one work-item each, and waits.
    fn run_kind(&self, stream: &Stream, code: &CodeObject, kind: KernelKind) -> Result<()> {
        let mut found = false;
        for info in code
            .kernels
            .iter()
            .map(|kernel| &kernel.info)
            .filter(|info| info.kind == kind)
        {
            let kernel = self.kernel(&info.name)?;
            let dims = LaunchDims::from_groups([1; 3], [1; 3], 0)?;
            let purpose = Purpose {
                kind: EventKind::Dispatch,
                payload_bytes: 0,
                correlation_id: 0,
            };
            stream.submit(kernel, &dims, &NoArguments, purpose)?;
            found = true;
        }
        if found { stream.synchronize() } else { Ok(()) }
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        // Whoever unloads has waited for the device.
        self.device.hal().forget_code(self.memory.address() as u64);
    }
}

/// Of a kernel that has none.
struct NoArguments;

impl Arguments for NoArguments {
    fn copy(&self, _: usize, _: usize, _: &mut [u8]) {}
}

/// The chip that code must be for.
fn target(device: &Device) -> TargetId {
    TargetId::parse(&device.properties().name).unwrap_or_else(TargetId::gfx1151)
}

/// An equality key: two 64-bit hashes of different beginnings.
fn hash(what: &(impl Hash + ?Sized)) -> [u64; 2] {
    [0_u8, 1].map(|beginning| {
        let mut hasher = DefaultHasher::new();
        beginning.hash(&mut hasher);
        what.hash(&mut hasher);
        hasher.finish()
    })
}
