//! A dispatch made ready: checked, decoded, and everything that its groups have in common.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::object::descriptor::{
    DESCRIPTOR_BYTES, ENTRY_ALIGNMENT_BYTES, KernelDescriptor, WaveSize,
};

use super::code::{Code, CodeCache, check_entry};
use super::context::read_guest;
use super::control::DEFAULT_FLOAT_MODE;
use super::wave::{LANES, Row};
use super::{AccessError, DispatchInfo, FaultKind, Memory, Rights};

/// Work-items of a group, at most.
const MAX_GROUP_ITEMS: u32 = 1024;
/// LDS of a group in bytes, at most.
const MAX_GROUP_SEGMENT_BYTES: u32 = 65536;
/// Registers that an instruction can name.
const MAX_VGPRS: u32 = 256;
/// User SGPRs of a kernel, at most.
const MAX_USER_SGPRS: u32 = 16;

/// Why a dispatch cannot be run. One variant for each error of the packet processor, with what was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// The number of dimensions, the grid, or a dimension that is not used.
    #[error(
        "grid {grid:?} with {dims} dimensions: 1 to 3 dimensions, each at least 1, unused ones 1"
    )]
    Dimensions { dims: u8, grid: [u32; 3] },
    #[error("{bytes} bytes of group memory, the limit is {limit}")]
    GroupSegmentTooLarge { bytes: u32, limit: u32 },
    #[error("bad kernel object at {address:#x}: {why}")]
    BadKernelObject { address: u64, why: BadKernelObject },
    #[error(
        "work-group size {group:?}: each 1 to 1024, together at most 1024, unused dimensions 1"
    )]
    WorkgroupSize { group: [u16; 3] },
    /// More registers than there are, or set up in a way that this chip does not know.
    #[error("kernel needs {what}: {found}, the limit is {limit}")]
    Registers {
        what: &'static str,
        found: u32,
        limit: u32,
    },
    /// The kernel uses private memory and the queue has none, or too little.
    #[error("{needed} bytes of scratch a wave needed, the queue has {found}")]
    Scratch { needed: u32, found: u32 },
    /// A planned gap.
    #[error("not supported: {what}")]
    Unsupported { what: String },
}

/// What is wrong with a kernel object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadKernelObject {
    #[error("the descriptor is not aligned to 64 bytes")]
    Misaligned,
    #[error("the descriptor is not in the device's memory")]
    NotMapped,
    #[error("the entry {entry:#x} is not aligned to 256 bytes")]
    EntryMisaligned { entry: u64 },
    #[error("the entry {entry:#x} is not in the device's memory")]
    EntryNotMapped { entry: u64 },
    #[error("the entry {entry:#x} is not executable")]
    EntryNotExecutable { entry: u64 },
}

/// Everything that the groups of a dispatch share. Immutable but for the list of free scratch slots.
#[derive(Debug)]
pub struct Launch {
    info: DispatchInfo,
    cache: CodeCache,
    code: Arc<Code>,
    /// Work-groups in each dimension.
    groups: [u32; 3],
    /// User SGPRs, from s0 on.
    user_sgprs: Vec<u32>,
    /// Where the work-group ids begin.
    first_system_sgpr: u16,
    /// Which work-group ids, and the group info, are wanted.
    wants_id: [bool; 3],
    wants_group_info: bool,
    /// Dimensions of the work-item id in v0.
    id_dimensions: u32,
    /// MODE at the start of a wave.
    mode: u32,
    wave64: bool,
    wgp_mode: bool,
    vgprs: u32,
    /// Bytes of private memory of one lane, 0 without.
    private_bytes: u32,
    /// v0 of a full group, row after row of 32 items.
    full_group_ids: Vec<Row>,
    /// Scratch slots of groups: those given back, and how many were ever given out.
    slots: Mutex<Slots>,
}

#[derive(Debug, Default)]
struct Slots {
    free: Vec<u32>,
    used: u32,
}

impl Launch {
    /// Checks a dispatch and decodes its kernel.
    ///
    /// # Errors
    /// [`LaunchError`], by what the packet processor would refuse.
    pub fn prepare(
        cache: &CodeCache,
        memory: &dyn Memory,
        info: &DispatchInfo,
    ) -> Result<Launch, LaunchError> {
        check_sizes(info)?;
        let (descriptor, entry) = read_descriptor(memory, info.kernel_object)?;
        check_descriptor(&descriptor)?;
        let wave64 = descriptor.wave_size() == WaveSize::Wave64;
        let lanes = descriptor.wave_size().lanes();

        let private_bytes = if descriptor.private_segment_enabled() {
            let needed = (info.private_segment_bytes * lanes).next_multiple_of(256);
            if info.private_segment_bytes > 0
                && (info.scratch_base == 0 || info.scratch_wave_bytes < needed)
            {
                let found = if info.scratch_base == 0 {
                    0
                } else {
                    info.scratch_wave_bytes
                };
                return Err(LaunchError::Scratch { needed, found });
            }
            (info.scratch_wave_bytes / lanes) & !3
        } else {
            0
        };

        let mut mode = u32::from(descriptor.float_mode());
        mode |= u32::from(descriptor.dx10_clamp()) << 8;
        mode |= u32::from(descriptor.ieee_mode()) << 9;
        mode |= u32::from(descriptor.fp16_overflow_clamps()) << 23;
        if mode & 0xff != DEFAULT_FLOAT_MODE {
            return Err(LaunchError::Unsupported {
                what: format!("float mode {:#04x}", mode & 0xff),
            });
        }

        let groups = std::array::from_fn(|d| info.grid[d].div_ceil(u32::from(info.group[d])));
        let id_dimensions = descriptor.work_item_id_dimensions();
        let mut launch = Launch {
            cache: cache.clone(),
            code: cache.get(memory, entry, wave64),
            groups,
            user_sgprs: user_sgprs(&descriptor, info),
            first_system_sgpr: u16::try_from(descriptor.user_sgpr_count())
                .expect("at most 16, checked"),
            wants_id: descriptor.workgroup_ids_enabled(),
            wants_group_info: descriptor.workgroup_info_enabled(),
            id_dimensions,
            mode,
            wave64,
            wgp_mode: descriptor.workgroup_processor_mode(),
            vgprs: descriptor.vgpr_count(),
            private_bytes,
            full_group_ids: Vec::new(),
            slots: Mutex::default(),
            info: info.clone(),
        };
        launch.full_group_ids = launch.item_ids(info.group.map(u32::from));
        Ok(launch)
    }

    /// Work-groups in each dimension.
    pub fn group_count(&self) -> [u32; 3] {
        self.groups
    }

    /// All work-groups.
    pub fn groups_total(&self) -> u64 {
        self.groups.iter().map(|&n| u64::from(n)).product()
    }

    /// The id of the work-group that is dispatched as number `index`: x runs fastest.
    pub fn group_at(&self, index: u64) -> [u32; 3] {
        let [x, y, _] = self.groups.map(u64::from);
        let id = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        [id(index % x), id(index / x % y), id(index / x / y)]
    }

    /// Waves of a full work-group.
    pub fn waves_per_group(&self) -> u32 {
        self.info
            .group
            .iter()
            .map(|&n| u32::from(n))
            .product::<u32>()
            .div_ceil(self.lanes())
    }

    /// Work-groups that the chip holds at a time, all 20 WGPs together: by wave slots, vector registers,
    /// LDS and barriers.
    pub fn resident_groups_limit(&self) -> u32 {
        const WGPS: u32 = 20;
        let (granule, registers) = if self.wave64 { (12, 768) } else { (24, 1536) };
        let per_simd = 16.min(registers / self.vgprs.next_multiple_of(granule));
        let waves = self.waves_per_group();
        // In CU mode a group is in one of the two compute units.
        let (simds, lds, barriers, units) = if self.wgp_mode {
            (4, 128 * 1024, 32, 1)
        } else {
            (2, 64 * 1024, 16, 2)
        };
        let mut groups = simds * per_simd / waves;
        let group_lds = self.info.group_segment_bytes.next_multiple_of(1024);
        groups = groups.min(u32::checked_div(lds, group_lds).unwrap_or(groups));
        if waves > 1 {
            groups = groups.min(barriers);
        }
        // A group that is larger than a compute unit still runs, alone.
        (groups * units).max(1) * WGPS
    }

    pub(super) fn info(&self) -> &DispatchInfo {
        &self.info
    }

    pub(super) fn cache(&self) -> &CodeCache {
        &self.cache
    }

    pub(super) fn code(&self) -> &Arc<Code> {
        &self.code
    }

    pub(super) fn is_wave64(&self) -> bool {
        self.wave64
    }

    /// Lanes of a wave.
    pub(super) fn lanes(&self) -> u32 {
        if self.wave64 { 64 } else { 32 }
    }

    pub(super) fn vgprs(&self) -> u32 {
        self.vgprs
    }

    pub(super) fn mode(&self) -> u32 {
        self.mode
    }

    pub(super) fn doorbell(&self) -> u32 {
        self.info.doorbell
    }

    pub(super) fn private_bytes(&self) -> u32 {
        self.private_bytes
    }

    /// SGPRs that a wave of work-group `id` starts with, from s0 on.
    pub(super) fn sgprs(
        &self,
        id: [u32; 3],
        waves: u32,
        wave: u32,
    ) -> impl Iterator<Item = (u16, u32)> {
        let user = (0..).zip(self.user_sgprs.iter().copied());
        let ids = (0..3).filter(|&d| self.wants_id[d]).map(move |d| id[d]);
        let group_info = u32::from(wave == 0) << 31 | waves & 0x3f;
        let info = self.wants_group_info.then_some(group_info);
        user.chain((self.first_system_sgpr..).zip(ids.chain(info)))
    }

    /// Work-items that work-group `id` has in each dimension; the last one of a dimension may be partial.
    pub(super) fn group_size(&self, id: [u32; 3]) -> [u32; 3] {
        std::array::from_fn(|d| {
            let full = u32::from(self.info.group[d]);
            let before = u64::from(id[d]) * u64::from(full);
            let left = u64::from(self.info.grid[d]).saturating_sub(before);
            u32::try_from(left.min(u64::from(full))).expect("at most a full group")
        })
    }

    /// v0 of a group of that size, wave after wave: x in bits 0 to 9, y in 10 to 19, z in 20 to 29.
    pub(super) fn ids(&self, size: [u32; 3]) -> std::borrow::Cow<'_, [Row]> {
        if size == self.info.group.map(u32::from) {
            std::borrow::Cow::Borrowed(&self.full_group_ids)
        } else {
            std::borrow::Cow::Owned(self.item_ids(size))
        }
    }

    fn item_ids(&self, size: [u32; 3]) -> Vec<Row> {
        let items: u32 = size.iter().product();
        let mut rows = vec![Row([0; LANES]); items.div_ceil(32) as usize];
        let mut item = [0u32; 3];
        for n in 0..items as usize {
            let mut id = item[0];
            if self.id_dimensions > 1 {
                id |= item[1] << 10;
            }
            if self.id_dimensions > 2 {
                id |= item[2] << 20;
            }
            rows[n / LANES].0[n % LANES] = id;
            item[0] += 1;
            for d in 0..2 {
                if item[d] == size[d] {
                    item[d] = 0;
                    item[d + 1] += 1;
                }
            }
        }
        rows
    }

    /// A number that no other live group of the launch has.
    pub(super) fn take_slot(&self) -> u32 {
        let mut slots = self.slots.lock();
        slots.free.pop().unwrap_or_else(|| {
            slots.used += 1;
            slots.used - 1
        })
    }

    pub(super) fn return_slot(&self, slot: u32) {
        self.slots.lock().free.push(slot);
    }

    /// Where the scratch memory of wave `wave` of the group with `slot` begins.
    pub(super) fn scratch(&self, slot: u32, wave: u32) -> u64 {
        let wave = u64::from(slot) * u64::from(self.waves_per_group()) + u64::from(wave);
        self.info
            .scratch_base
            .wrapping_add(wave * u64::from(self.info.scratch_wave_bytes))
    }
}

/// > dims 1..3; work-group sizes 1..1024 and product <= 1024; unused dimensions 1 (grid likewise
/// > non-zero); group bytes <= 65536
fn check_sizes(info: &DispatchInfo) -> Result<(), LaunchError> {
    let used = usize::from(info.dims);
    let dimensions = LaunchError::Dimensions {
        dims: info.dims,
        grid: info.grid,
    };
    if !(1..=3).contains(&used) || info.grid.contains(&0) || info.grid[used..] != [1; 3][used..] {
        return Err(dimensions);
    }
    let size = LaunchError::WorkgroupSize { group: info.group };
    let items: u32 = info
        .group
        .iter()
        .map(|&n| u32::from(n).min(MAX_GROUP_ITEMS + 1))
        .product();
    if info.group.contains(&0) || items > MAX_GROUP_ITEMS || info.group[used..] != [1; 3][used..] {
        return Err(size);
    }
    if info.group_segment_bytes > MAX_GROUP_SEGMENT_BYTES {
        return Err(LaunchError::GroupSegmentTooLarge {
            bytes: info.group_segment_bytes,
            limit: MAX_GROUP_SEGMENT_BYTES,
        });
    }
    Ok(())
}

/// > descriptor 64-byte aligned, mapped, entry 256-byte aligned and executable
fn read_descriptor(
    memory: &dyn Memory,
    address: u64,
) -> Result<(KernelDescriptor, u64), LaunchError> {
    let bad = |why| LaunchError::BadKernelObject { address, why };
    if !address.is_multiple_of(DESCRIPTOR_BYTES as u64) {
        return Err(bad(BadKernelObject::Misaligned));
    }
    let bytes = read_guest::<DESCRIPTOR_BYTES>(memory, address, Rights::READ)
        .map_err(|_: FaultKind| bad(BadKernelObject::NotMapped))?;
    let descriptor = KernelDescriptor::from_bytes(&bytes);
    let entry = address.wrapping_add_signed(descriptor.entry_offset_bytes);
    if !entry.is_multiple_of(ENTRY_ALIGNMENT_BYTES) {
        return Err(bad(BadKernelObject::EntryMisaligned { entry }));
    }
    check_entry(memory, entry).map_err(|why| {
        bad(match why {
            AccessError::NoExecute => BadKernelObject::EntryNotExecutable { entry },
            _ => BadKernelObject::EntryNotMapped { entry },
        })
    })?;
    Ok((descriptor, entry))
}

fn check_descriptor(descriptor: &KernelDescriptor) -> Result<(), LaunchError> {
    let limit = |what, found: u32, limit: u32| {
        if found > limit {
            Err(LaunchError::Registers { what, found, limit })
        } else {
            Ok(())
        }
    };
    limit("vector registers", descriptor.vgpr_count(), MAX_VGPRS)?;
    limit("user SGPRs", descriptor.user_sgpr_count(), MAX_USER_SGPRS)?;
    limit(
        "a private segment buffer",
        u32::from(descriptor.wants_private_segment_buffer()),
        0,
    )?;
    limit(
        "a flat scratch set-up",
        u32::from(descriptor.wants_flat_scratch_init()),
        0,
    )?;
    limit("shared VGPRs", descriptor.shared_vgpr_count(), 0)
}

/// User SGPRs in their order, each only if the kernel asks for it.
fn user_sgprs(descriptor: &KernelDescriptor, info: &DispatchInfo) -> Vec<u32> {
    let mut sgprs = Vec::new();
    let mut pair = |wanted: bool, value: u64| {
        if wanted {
            let [a, b, c, d, e, f, g, h] = value.to_le_bytes();
            sgprs.push(u32::from_le_bytes([a, b, c, d]));
            sgprs.push(u32::from_le_bytes([e, f, g, h]));
        }
    };
    pair(descriptor.wants_dispatch_pointer(), info.dispatch_packet);
    pair(descriptor.wants_queue_pointer(), info.queue);
    pair(descriptor.wants_kernarg_pointer(), info.kernarg);
    pair(descriptor.wants_dispatch_id(), info.dispatch_id);
    if descriptor.wants_private_segment_size() {
        sgprs.push(info.private_segment_bytes);
    }
    sgprs
}
