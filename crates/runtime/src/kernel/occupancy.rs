//! How many groups of a kernel run on a multiprocessor at once, as AMD's library computes it.
//!
//! A multiprocessor of HIP is a work-group processor: four SIMDs, of which a kernel in CU mode uses two.
//! Registers limit the waves of a SIMD, LDS limits groups. The rounding of registers is AMD's own: a mask
//! with a granule that is no power of two, kept for equal answers.

use hrx_gfx::object::KernelInfo;

use super::{MAX_GROUP_ITEMS, MAX_GROUP_LDS_BYTES};

/// Waves that a SIMD holds.
const WAVES_PER_SIMD: u32 = 16;
/// Vector registers of a SIMD for waves of 32 lanes; half for 64.
const REGISTERS_PER_SIMD: u32 = 1536;
/// Registers are given out in these for waves of 32 lanes; half for 64.
const REGISTER_GRANULE: u32 = 24;
/// SIMDs of a work-group processor, and of a compute unit.
const SIMDS: (u32, u32) = (4, 2);

/// What a multiprocessor holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Work-items that registers let in.
    pub items: u32,
    /// Groups that LDS lets in, if it limits at all.
    pub groups_by_lds: Option<u32>,
    wave_size: u32,
    is_compute_unit: bool,
}

impl Occupancy {
    /// Of a kernel whose groups have `dynamic_lds_bytes` beside the kernel's own. `None` when not even one
    /// wave fits.
    pub fn of(kernel: &KernelInfo, dynamic_lds_bytes: usize) -> Option<Self> {
        let wave_size = kernel.wavefront_size.max(1);
        let halves = if wave_size == 64 { 2 } else { 1 };
        let granule = REGISTER_GRANULE / halves;
        let taken = kernel.vgpr_count.saturating_add(granule - 1) & granule.wrapping_neg();
        let waves = match kernel.vgpr_count {
            0 => WAVES_PER_SIMD,
            _ => (REGISTERS_PER_SIMD / halves)
                .checked_div(taken)?
                .min(WAVES_PER_SIMD),
        };
        if waves == 0 {
            return None;
        }
        let is_compute_unit = !kernel.workgroup_processor_mode;
        let simds = if is_compute_unit { SIMDS.1 } else { SIMDS.0 };
        let lds = (kernel.group_segment_fixed_bytes as usize).saturating_add(dynamic_lds_bytes);
        let groups = |bytes: usize| (MAX_GROUP_LDS_BYTES as usize).checked_div(bytes);
        Some(Self {
            items: simds * waves * wave_size,
            groups_by_lds: groups(lds).map(|groups| u32::try_from(groups).unwrap_or(u32::MAX)),
            wave_size,
            is_compute_unit,
        })
    }

    /// Groups of `group_items` work-items, 1 or more, that run at once; 0 when a group is too large.
    pub fn groups(&self, group_items: u32) -> u32 {
        if group_items > MAX_GROUP_ITEMS {
            return 0;
        }
        self.limited(self.items / group_items.next_multiple_of(self.wave_size))
    }

    /// The largest group that fills a multiprocessor, and how many of them fill a device of
    /// `multiprocessors`. `most_items` limits the group; 0 does not.
    pub fn best_group(&self, most_items: u32, multiprocessors: u32) -> (u32, u32) {
        let most = if (1..=MAX_GROUP_ITEMS).contains(&most_items) {
            most_items
        } else {
            MAX_GROUP_ITEMS
        };
        let best = self.items.min(most.next_multiple_of(self.wave_size));
        // Kernels in CU mode have twice as many processors of half the size.
        let processors = if self.is_compute_unit {
            multiprocessors * 2
        } else {
            multiprocessors
        };
        (best, self.limited(self.items / best) * processors)
    }

    fn limited(&self, groups: u32) -> u32 {
        self.groups_by_lds.map_or(groups, |limit| groups.min(limit))
    }
}

#[cfg(test)]
mod tests {
    use hrx_gfx::object::{CodeObject, TargetId};

    use super::*;

    fn kernel(file: &str, name: &str) -> KernelInfo {
        let path = format!("{}/../../tests/kernels/{file}", env!("CARGO_MANIFEST_DIR"));
        let file = std::fs::read(&path).expect("a checked-in code object");
        let code = CodeObject::parse(&file, &TargetId::gfx1151()).expect("a good code object");
        code.kernel(name).expect("the kernel").info.clone()
    }

    /// Answers of AMD's library 7.14 for these code objects.
    #[test]
    fn groups_follow_registers_lds_and_size() {
        let little = kernel("loader.O3.co", "needs_little");
        let found = Occupancy::of(&little, 0).expect("it fits");
        assert_eq!(
            [1024, 512, 33, 32, 1].map(|items| found.groups(items)),
            [2, 4, 32, 64, 64]
        );
        assert_eq!(found.groups(1025), 0);
        assert_eq!(found.best_group(0, 20), (1024, 40));
        assert_eq!(found.best_group(256, 20), (256, 160));

        let lds = kernel("loader.O3.co", "dynamic_lds");
        let groups = |bytes| Occupancy::of(&lds, bytes).expect("it fits").groups(32);
        assert_eq!(groups(16_384), 3);
        assert_eq!(groups(65_536), 0);

        // 143 registers become (143 + 23) & -24 = 160, so 9 waves.
        let hungry = kernel("03_matmul_lds.O1.co", "matmul64");
        assert_eq!(Occupancy::of(&hungry, 0).expect("it fits").groups(256), 4);
    }
}
