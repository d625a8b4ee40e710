//! Memory: what was allocated or registered, and what an address belongs to.
//!
//! The device shares the host's memory and its addresses, so any allocation may be read and written by
//! the host directly, once the work that uses it is done.
//!
//! # Thread safety
//! The map is behind a reader-writer lock; freeing takes an entry out first and waits afterwards.

mod copy;
pub(crate) mod staging;

use std::collections::BTreeMap;
use std::sync::Arc;

use hrx_hal::memory::Buffer;
use hrx_hal::{HalError, MemoryKind, Registration};
use parking_lot::RwLock;

use crate::device::Device;
use crate::error::{Result, RuntimeError};
use crate::module::Variable;

pub use copy::{Fill, Rows};

/// What an address belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryClass {
    /// `hipMalloc` and its kin.
    Device,
    /// `hipHostMalloc`.
    Host,
    /// `hipHostRegister`.
    Registered,
    /// `hipMallocManaged`.
    Managed,
    /// A variable of loaded code.
    Variable,
}

impl MemoryClass {
    fn kind(self) -> MemoryKind {
        match self {
            Self::Device | Self::Variable => MemoryKind::Device,
            Self::Host | Self::Registered | Self::Managed => MemoryKind::HostFine,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Device => "device memory",
            Self::Host => "host memory",
            Self::Registered => "registered memory",
            Self::Managed => "managed memory",
            Self::Variable => "a variable",
        }
    }
}

/// A live allocation or registration.
#[derive(Debug)]
pub struct Region {
    /// First address, on host and device.
    pub address: usize,
    /// Bytes as asked for.
    pub size: usize,
    /// What it is.
    pub class: MemoryClass,
    /// Flags as the program gave them.
    pub flags: u32,
    /// Its device.
    pub device: Arc<Device>,
    /// Owns allocated memory.
    _buffer: Option<Buffer>,
    /// What to give back of registered memory.
    registration: Option<Registration>,
}

impl Region {
    /// Bytes from `address`, which lies inside, to the end.
    pub fn available(&self, address: usize) -> usize {
        self.address + self.size - address
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        if let Some(registration) = self.registration.take()
            && let Err(error) = self.device.hal().unregister_host(registration)
        {
            tracing::warn!(address = self.address, %error, "host memory was not unregistered");
        }
    }
}

/// All live regions by first address.
#[derive(Debug, Default)]
pub struct MemoryMap {
    regions: RwLock<BTreeMap<usize, Arc<Region>>>,
}

impl MemoryMap {
    /// Allocates `size` bytes, more than 0.
    ///
    /// # Errors
    /// No memory; the device's fault.
    pub fn allocate(
        &self,
        device: &Arc<Device>,
        size: usize,
        class: MemoryClass,
        flags: u32,
    ) -> Result<usize> {
        device.healthy()?;
        // Half of the address space and more is no allocation, and must not overflow when rounded up.
        if isize::try_from(size).is_err() {
            let (free_bytes, total_bytes) = device.memory_info()?;
            return Err(HalError::OutOfMemory {
                requested_bytes: size,
                free_bytes,
                total_bytes,
            }
            .into());
        }
        let buffer = Buffer::allocate(device.hal(), size, 4096, class.kind())?;
        let address = buffer.address();
        let region = Region {
            address,
            size,
            class,
            flags,
            device: Arc::clone(device),
            _buffer: Some(buffer),
            registration: None,
        };
        self.regions.write().insert(address, Arc::new(region));
        Ok(address)
    }

    /// Lets the device access host memory of the program.
    ///
    /// # Errors
    /// [`RuntimeError::AlreadyRegistered`]; what the system says.
    pub fn register(
        &self,
        device: &Arc<Device>,
        address: usize,
        size: usize,
        flags: u32,
    ) -> Result<()> {
        device.healthy()?;
        // Held over the call: two threads that register overlapping ranges must not both succeed.
        let mut regions = self.regions.write();
        let end = address.saturating_add(size);
        let before = regions.range(..end).next_back();
        if before.is_some_and(|(_, region)| region.address + region.size > address) {
            return Err(RuntimeError::AlreadyRegistered { address });
        }
        let registration = device.hal().register_host(address, size)?;
        let region = Region {
            address,
            size,
            class: MemoryClass::Registered,
            flags,
            device: Arc::clone(device),
            _buffer: None,
            registration: Some(registration),
        };
        regions.insert(address, Arc::new(region));
        Ok(())
    }

    /// Makes a variable of loaded code known as memory of the device.
    pub fn add_variable(&self, device: &Arc<Device>, variable: Variable) {
        if variable.size == 0 {
            return;
        }
        let region = Region {
            address: variable.address,
            size: variable.size,
            class: MemoryClass::Variable,
            flags: 0,
            device: Arc::clone(device),
            _buffer: None,
            registration: None,
        };
        self.regions
            .write()
            .insert(variable.address, Arc::new(region));
    }

    /// Forgets the variables of code that is unloaded.
    pub fn remove_variables(&self, variables: impl IntoIterator<Item = Variable>) {
        let mut regions = self.regions.write();
        for variable in variables {
            if regions
                .get(&variable.address)
                .is_some_and(|found| found.class == MemoryClass::Variable)
            {
                regions.remove(&variable.address);
            }
        }
    }

    /// Frees all memory of a device and takes all registrations back, after all work that may use them.
    ///
    /// # Errors
    /// The device's fault; the memory is gone all the same.
    pub fn clear(&self, device: &Device) -> Result<()> {
        let waited = device.synchronize();
        let mut removed = Vec::new();
        self.regions.write().retain(|_, region| {
            let goes = region.device.ordinal() == device.ordinal()
                && region.class != MemoryClass::Variable;
            if goes {
                removed.push(Arc::clone(region));
            }
            !goes
        });
        // Freed here, not under the lock.
        drop(removed);
        waited
    }

    /// Takes a registration back, after all work that may use it.
    ///
    /// # Errors
    /// [`RuntimeError::NotRegistered`]; the device's fault.
    pub fn unregister(&self, address: usize) -> Result<()> {
        let region = self.take(address, &[MemoryClass::Registered]);
        let region = region.ok_or(RuntimeError::NotRegistered { address })?;
        self.release(region)
    }

    /// Frees memory of one of `classes`, after all work that may use it.
    ///
    /// # Errors
    /// [`RuntimeError::NotAnAllocation`] for any other address, an interior one included; the device's
    /// fault.
    pub fn free(&self, address: usize, classes: &[MemoryClass]) -> Result<()> {
        let region = self.take(address, classes);
        let expected = classes.first().map_or("memory", |class| class.name());
        let region = region.ok_or(RuntimeError::NotAnAllocation { address, expected })?;
        self.release(region)
    }

    fn take(&self, address: usize, classes: &[MemoryClass]) -> Option<Arc<Region>> {
        let mut regions = self.regions.write();
        let found = regions.get(&address)?;
        if classes.contains(&found.class) {
            regions.remove(&address)
        } else {
            None
        }
    }

    /// Gives memory back once nothing can use it. On a fault the device's work is over, too.
    fn release(&self, region: Arc<Region>) -> Result<()> {
        let waited = region.device.synchronize();
        // A look-up in progress may still hold the region; whoever drops it last frees it.
        drop(region);
        waited
    }

    /// What an address belongs to, interior addresses included.
    pub fn find(&self, address: usize) -> Option<Arc<Region>> {
        let regions = self.regions.read();
        let (_, region) = regions.range(..=address).next_back()?;
        (address - region.address < region.size).then(|| Arc::clone(region))
    }

    /// The region that holds all of `[address, address + len)`; `None` when the address belongs to
    /// nothing.
    ///
    /// # Errors
    /// [`RuntimeError::BeyondAllocation`] when the range leaves it.
    pub fn find_range(&self, address: usize, len: usize) -> Result<Option<Arc<Region>>> {
        let Some(region) = self.find(address) else {
            return Ok(None);
        };
        let available = region.available(address);
        if len > available {
            return Err(RuntimeError::BeyondAllocation {
                address,
                len,
                available,
            });
        }
        Ok(Some(region))
    }

    /// Bytes that are allocated.
    pub fn allocated_bytes(&self) -> usize {
        self.regions.read().values().map(|region| region.size).sum()
    }
}
