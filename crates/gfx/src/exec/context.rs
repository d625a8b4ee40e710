//! What a wave reaches while it runs: memory, LDS, its launch.

use super::launch::Launch;
use super::memory::{Lds, Region};
use super::op::Flow;
use super::wave::{Leave, Wave};
use super::{AccessError, FaultKind, Memory, Rights};

/// The surroundings of a running wave.
pub(super) struct Context<'a> {
    pub memory: &'a dyn Memory,
    pub regions: &'a mut RegionCache,
    pub lds: &'a mut Lds,
    pub launch: &'a Launch,
}

/// The last few regions that were used, so that most accesses need not ask the device.
#[derive(Clone, Debug, Default)]
pub(super) struct RegionCache {
    epoch: u64,
    entries: [Option<Region>; RegionCache::ENTRIES],
    next: usize,
}

impl RegionCache {
    const ENTRIES: usize = 6;

    /// Drops everything if regions changed since.
    pub(super) fn validate(&mut self, memory: &dyn Memory) {
        let epoch = memory.epoch();
        if self.epoch != epoch {
            self.epoch = epoch;
            self.clear();
        }
    }

    pub(super) fn clear(&mut self) {
        self.entries = [None; Self::ENTRIES];
    }

    /// The region that holds `address`.
    #[inline(always)]
    fn get(&mut self, memory: &dyn Memory, address: u64) -> Option<Region> {
        for entry in &self.entries {
            if let Some(region) = entry
                && region.holds(address, 1)
            {
                return Some(*region);
            }
        }
        self.fetch(memory, address)
    }

    #[cold]
    #[inline(never)]
    fn fetch(&mut self, memory: &dyn Memory, address: u64) -> Option<Region> {
        let region = memory
            .region(address)
            .filter(|region| region.holds(address, 1))?;
        self.entries[self.next] = Some(region);
        self.next = (self.next + 1) % Self::ENTRIES;
        Some(region)
    }
}

impl Context<'_> {
    /// The region that holds `address`, if it grants `rights`.
    #[inline(always)]
    pub(super) fn region(&mut self, address: u64, rights: Rights) -> Result<Region, FaultKind> {
        match self.regions.get(self.memory, address) {
            Some(region) if region.rights.contains(rights) => Ok(region),
            found => Err(refuse(address, found, rights)),
        }
    }

    /// Reads `buffer.len()` bytes, which may lie across regions.
    pub(super) fn read(&mut self, address: u64, buffer: &mut [u8]) -> Result<(), FaultKind> {
        for (n, byte) in buffer.iter_mut().enumerate() {
            let address = address.wrapping_add(n as u64);
            let region = self.region(address, Rights::READ)?;
            [*byte] = region.place(address, 1).map_or([0], |place| place.load());
        }
        Ok(())
    }

    /// Writes `bytes`, which may lie across regions.
    pub(super) fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), FaultKind> {
        for (n, &byte) in bytes.iter().enumerate() {
            let address = address.wrapping_add(n as u64);
            let region = self.region(address, Rights::WRITE)?;
            if let Some(place) = region.place(address, 1) {
                place.store([byte]);
            }
        }
        Ok(())
    }
}

#[cold]
fn refuse(address: u64, found: Option<Region>, rights: Rights) -> FaultKind {
    let why = match found {
        None => AccessError::NotPresent,
        Some(_) if rights.contains(Rights::EXECUTE) => AccessError::NoExecute,
        Some(_) if rights.contains(Rights::WRITE) => AccessError::ReadOnly,
        // A region that may not be read is none.
        Some(_) => AccessError::NotPresent,
    };
    FaultKind::Memory { address, why }
}

impl Wave {
    /// Leaves the dispatcher for `reason`.
    #[inline(always)]
    pub(super) fn leave(&mut self, reason: Leave) -> Flow {
        self.leave = reason;
        Flow::Leave
    }

    /// Stops the wave for good.
    #[cold]
    #[inline(never)]
    pub(super) fn fault(&mut self, kind: FaultKind, lane: Option<u32>) -> Flow {
        self.leave(Leave::Fault { kind, lane })
    }
}

/// Reads a constant number of bytes at a guest address outside of any wave.
pub(super) fn read_guest<const N: usize>(
    memory: &dyn Memory,
    address: u64,
    rights: Rights,
) -> Result<[u8; N], FaultKind> {
    let region = memory.region(address);
    match region {
        Some(region) if region.rights.contains(rights) => region
            .place(address, N)
            .map(|place| place.load())
            .ok_or(FaultKind::Memory {
                address,
                why: AccessError::NotPresent,
            }),
        found => Err(refuse(address, found, rights)),
    }
}
