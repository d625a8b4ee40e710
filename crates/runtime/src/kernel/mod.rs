//! A kernel: what a launch must know of it, and the checks that a launch passes first.
//!
//! [`layout`] says where arguments go; [`LaunchDims`] are the grid and group of one launch.
//!
//! # Thread safety
//! A [`Kernel`] does not change after it was made.

pub mod layout;
pub mod occupancy;

use std::ffi::{CStr, CString};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use hrx_gfx::object::KernelInfo;

pub use layout::{ArgumentLayout, Arguments, HiddenValues};
pub use occupancy::Occupancy;

/// Work-items that a group may have at most, on every chip of the family.
pub const MAX_GROUP_ITEMS: u32 = 1024;
/// LDS that a group may have at most, static and dynamic together, bytes.
pub const MAX_GROUP_LDS_BYTES: u32 = 65_536;

/// Why a launch was refused. Nothing of it reached the device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// A dimension of grid or group is 0.
    #[error("{what} is {}x{}x{}, expected at least 1 in each dimension", .dims[0], .dims[1], .dims[2])]
    ZeroDimension {
        /// `grid` or `block`.
        what: &'static str,
        /// As asked.
        dims: [u32; 3],
    },
    /// The grid has more work-items in a dimension than a packet can say.
    #[error(
        "grid has {items} work-items in dimension {dimension}, the limit is {}",
        u32::MAX
    )]
    GridTooLarge {
        /// 0, 1 or 2.
        dimension: usize,
        /// Work-items asked for.
        items: u64,
    },
    /// A group is larger than the chip can run.
    #[error("block has {items} threads, the limit is {MAX_GROUP_ITEMS}")]
    GroupTooLarge {
        /// Work-items asked for.
        items: u64,
    },
    /// Dynamic LDS alone, or with the kernel's own, exceeds what a group can have.
    #[error(
        "kernel `{kernel}` has {fixed_bytes} bytes of shared memory and the launch adds \
         {dynamic_bytes}, the limit is {MAX_GROUP_LDS_BYTES}"
    )]
    SharedMemory {
        /// Its name.
        kernel: String,
        /// Static LDS.
        fixed_bytes: u32,
        /// Dynamic LDS asked for.
        dynamic_bytes: u64,
    },
    /// The kernel was compiled for smaller groups.
    #[error("block has {items} threads, kernel `{kernel}` was compiled for at most {limit}")]
    LaunchBounds {
        /// Its name.
        kernel: String,
        /// Work-items asked for.
        items: u32,
        /// The limit in its metadata.
        limit: u32,
    },
    /// The kernel was compiled for one group size only.
    #[error("block is {found:?}, kernel `{kernel}` was compiled for {required:?} only")]
    RequiredGroup {
        /// Its name.
        kernel: String,
        /// As asked.
        found: [u32; 3],
        /// As compiled.
        required: [u32; 3],
    },
    /// The kernel was compiled for grids that are a multiple of the group.
    #[error(
        "grid of {items:?} threads is no multiple of block {group:?}, which kernel `{kernel}` needs"
    )]
    PartialGroups {
        /// Its name.
        kernel: String,
        /// Grid in work-items.
        items: [u32; 3],
        /// Group.
        group: [u32; 3],
    },
    /// The kernel has parameters and the launch brought none.
    #[error("kernel `{kernel}` has {expected} parameters, the launch brings none")]
    NoArguments {
        /// Its name.
        kernel: String,
        /// Parameters it has.
        expected: usize,
    },
    /// A packed argument buffer for a kernel without parameters.
    #[error("kernel `{kernel}` has no parameters, the buffer has {found} bytes")]
    UnwantedArguments {
        /// Its name.
        kernel: String,
        /// Length of the buffer.
        found: usize,
    },
    /// A packed argument buffer ends before the last parameter does.
    #[error("kernel `{kernel}` takes {expected} bytes of arguments, the buffer has {found}")]
    ShortArguments {
        /// Its name.
        kernel: String,
        /// End of its last explicit argument.
        expected: u32,
        /// Length of the buffer.
        found: usize,
    },
}

/// Grid and group of one launch, checked: no zero, no group beyond the chip's limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchDims {
    items: [u32; 3],
    group: [u32; 3],
    dynamic_lds_bytes: u32,
}

impl LaunchDims {
    /// A grid that is given in groups, as `<<<grid, block, dynamic_lds_bytes>>>`.
    ///
    /// # Errors
    /// [`LaunchError::ZeroDimension`], [`LaunchError::GridTooLarge`], [`LaunchError::GroupTooLarge`].
    pub fn from_groups(
        grid: [u32; 3],
        block: [u32; 3],
        dynamic_lds_bytes: u32,
    ) -> Result<Self, LaunchError> {
        let mut items = [0; 3];
        for dimension in 0..3 {
            let product = u64::from(grid[dimension]) * u64::from(block[dimension]);
            items[dimension] = u32::try_from(product).map_err(|_| LaunchError::GridTooLarge {
                dimension,
                items: product,
            })?;
        }
        if grid.contains(&0) {
            return Err(LaunchError::ZeroDimension {
                what: "grid",
                dims: grid,
            });
        }
        Self::from_items(items, block, dynamic_lds_bytes)
    }

    /// A grid that is given in work-items; the last group of a dimension may be partial.
    ///
    /// # Errors
    /// [`LaunchError::ZeroDimension`], [`LaunchError::GroupTooLarge`].
    pub fn from_items(
        items: [u32; 3],
        block: [u32; 3],
        dynamic_lds_bytes: u32,
    ) -> Result<Self, LaunchError> {
        if block.contains(&0) {
            return Err(LaunchError::ZeroDimension {
                what: "block",
                dims: block,
            });
        }
        if items.contains(&0) {
            return Err(LaunchError::ZeroDimension {
                what: "grid",
                dims: items,
            });
        }
        let group_items = block.iter().fold(1_u64, |product, size| {
            product.saturating_mul(u64::from(*size))
        });
        if group_items > u64::from(MAX_GROUP_ITEMS) {
            return Err(LaunchError::GroupTooLarge { items: group_items });
        }
        // A group is never larger than the grid: the packet processor would refuse it.
        let group = [0, 1, 2].map(|dimension: usize| block[dimension].min(items[dimension]));
        Ok(Self {
            items,
            group,
            dynamic_lds_bytes,
        })
    }

    /// Grid in work-items.
    pub fn items(&self) -> [u32; 3] {
        self.items
    }

    /// Work-items of a group in each dimension, 1 to 1024.
    pub fn group(&self) -> [u32; 3] {
        self.group
    }

    /// Groups in each dimension, partial ones included.
    pub fn group_count(&self) -> [u32; 3] {
        [0, 1, 2].map(|dimension: usize| self.items[dimension].div_ceil(self.group[dimension]))
    }

    /// Work-items of a group.
    pub fn group_items(&self) -> u32 {
        self.group.iter().product()
    }

    /// LDS that the launch adds to the kernel's own, bytes.
    pub fn dynamic_lds_bytes(&self) -> u32 {
        self.dynamic_lds_bytes
    }
}

/// Where a kernel is and which number the profile knows it by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelPlace {
    /// Device address of its descriptor.
    pub object: u64,
    /// Executable in the profile, from 1 upward.
    pub executable_id: u64,
    /// Function of that executable, from 0.
    pub function_ordinal: u32,
}

/// A loaded kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    info: KernelInfo,
    c_name: CString,
    place: KernelPlace,
    layout: ArgumentLayout,
}

/// Stack of a lane that a kernel with indirect calls or recursion gets unless its own is larger.
static DYNAMIC_STACK_BYTES: AtomicU32 = AtomicU32::new(1024);
/// The most that it may be set to.
const MAX_DYNAMIC_STACK_BYTES: u32 = 16_384;

/// Stack of a lane that kernels with indirect calls or recursion get, bytes.
pub fn dynamic_stack_bytes() -> u32 {
    // Relaxed: a setting of its own.
    DYNAMIC_STACK_BYTES.load(Relaxed)
}

/// Sets [`dynamic_stack_bytes`] for later launches; `false` when it is more than a kernel can have.
pub fn set_dynamic_stack_bytes(bytes: u32) -> bool {
    let fits = bytes <= MAX_DYNAMIC_STACK_BYTES;
    if fits {
        DYNAMIC_STACK_BYTES.store(bytes, Relaxed);
    }
    fits
}

impl Kernel {
    /// Of metadata and place.
    pub fn new(info: KernelInfo, place: KernelPlace) -> Self {
        let layout = ArgumentLayout::of(&info);
        let c_name = CString::new(info.name.clone()).unwrap_or_default();
        Self {
            info,
            c_name,
            place,
            layout,
        }
    }

    /// The mangled name.
    pub fn name(&self) -> &str {
        &self.info.name
    }

    /// The mangled name as C has it; it stays where it is as long as the kernel lives.
    pub fn c_name(&self) -> &CStr {
        &self.c_name
    }

    /// All that the code object says.
    pub fn info(&self) -> &KernelInfo {
        &self.info
    }

    /// Where it is.
    pub fn place(&self) -> KernelPlace {
        self.place
    }

    /// Where its arguments go.
    pub fn layout(&self) -> &ArgumentLayout {
        &self.layout
    }

    /// Scratch that a lane needs, bytes, dynamic stack included.
    pub fn private_bytes(&self) -> u32 {
        let fixed = self.info.private_segment_fixed_bytes;
        if self.info.uses_dynamic_stack {
            fixed.max(dynamic_stack_bytes())
        } else {
            fixed
        }
    }

    /// LDS of a group in this launch, static and dynamic, bytes.
    pub fn group_bytes(&self, dims: &LaunchDims) -> u32 {
        self.info.group_segment_fixed_bytes + dims.dynamic_lds_bytes
    }

    /// Checks what the chip and the compiler ask of a launch of this kernel.
    ///
    /// # Errors
    /// Every [`LaunchError`] that names a kernel, but those about arguments.
    pub fn check(&self, dims: &LaunchDims) -> Result<(), LaunchError> {
        let fixed_bytes = self.info.group_segment_fixed_bytes;
        if u64::from(fixed_bytes) + u64::from(dims.dynamic_lds_bytes)
            > u64::from(MAX_GROUP_LDS_BYTES)
        {
            return Err(LaunchError::SharedMemory {
                kernel: self.info.name.clone(),
                fixed_bytes,
                dynamic_bytes: u64::from(dims.dynamic_lds_bytes),
            });
        }
        let (items, limit) = (dims.group_items(), self.info.max_flat_workgroup_size);
        if items > limit {
            return Err(LaunchError::LaunchBounds {
                kernel: self.info.name.clone(),
                items,
                limit,
            });
        }
        if let Some(required) = self.info.reqd_workgroup_size
            && required != dims.group
        {
            return Err(LaunchError::RequiredGroup {
                kernel: self.info.name.clone(),
                found: dims.group,
                required,
            });
        }
        let partial = |(items, group): (&u32, &u32)| items % group != 0;
        if self.info.uniform_work_group_size && dims.items.iter().zip(&dims.group).any(partial) {
            return Err(LaunchError::PartialGroups {
                kernel: self.info.name.clone(),
                items: dims.items,
                group: dims.group,
            });
        }
        Ok(())
    }

    /// Checks that arguments were brought if the kernel takes some: `packed_bytes` is the length of a
    /// packed buffer, `None` for an array of pointers; `present` whether there is either.
    ///
    /// # Errors
    /// [`LaunchError::NoArguments`], [`LaunchError::ShortArguments`],
    /// [`LaunchError::UnwantedArguments`].
    pub fn check_arguments(
        &self,
        present: bool,
        packed_bytes: Option<usize>,
    ) -> Result<(), LaunchError> {
        let expected = self.layout.explicit_bytes();
        if self.layout.explicit_count() == 0 {
            return match packed_bytes {
                None | Some(0) => Ok(()),
                Some(found) => Err(LaunchError::UnwantedArguments {
                    kernel: self.info.name.clone(),
                    found,
                }),
            };
        }
        if !present {
            let expected = self.layout.explicit_count();
            return Err(LaunchError::NoArguments {
                kernel: self.info.name.clone(),
                expected,
            });
        }
        match packed_bytes {
            Some(found) if (found as u64) < u64::from(expected) => {
                Err(LaunchError::ShortArguments {
                    kernel: self.info.name.clone(),
                    expected,
                    found,
                })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use hrx_gfx::object::{CodeObject, TargetId};

    use super::*;

    fn kernels(name: &str) -> Vec<Kernel> {
        let path = format!("{}/../../tests/kernels/{name}", env!("CARGO_MANIFEST_DIR"));
        let file = std::fs::read(&path).expect("a checked-in code object");
        let code = CodeObject::parse(&file, &TargetId::gfx1151()).expect("a good code object");
        let place = KernelPlace {
            object: 0x1000,
            executable_id: 1,
            function_ordinal: 0,
        };
        code.kernels
            .into_iter()
            .map(|kernel| Kernel::new(kernel.info, place))
            .collect()
    }

    fn kernel(file: &str, name: &str) -> Kernel {
        kernels(file)
            .into_iter()
            .find(|kernel| kernel.name() == name)
            .expect("the kernel")
    }

    fn dims(grid: [u32; 3], block: [u32; 3]) -> Result<LaunchDims, LaunchError> {
        LaunchDims::from_groups(grid, block, 0)
    }

    #[test]
    fn zero_in_grid_or_group_is_refused() {
        for zero in 0..3 {
            let mut one = [1; 3];
            one[zero] = 0;
            assert!(matches!(
                dims(one, [1; 3]),
                Err(LaunchError::ZeroDimension { what: "grid", .. })
            ));
            assert!(matches!(
                dims([1; 3], one),
                Err(LaunchError::ZeroDimension { what: "block", .. })
            ));
        }
    }

    #[test]
    fn the_product_of_grid_and_group_must_fit_32_bits_in_each_dimension() {
        let found = dims([1 << 30, 1, 1], [1024, 1, 1]);
        assert_eq!(
            found,
            Err(LaunchError::GridTooLarge {
                dimension: 0,
                items: 1 << 40
            })
        );
        assert!(dims([i32::MAX as u32, 1, 1], [1; 3]).is_ok());
        assert!(dims([1, 65_536, 65_536], [1; 3]).is_ok());
        assert!(dims([u32::MAX / 1024, 1, 1], [1024, 1, 1]).is_ok());
    }

    #[test]
    fn a_group_has_at_most_1024_work_items() {
        assert!(dims([1; 3], [1024, 1, 1]).is_ok());
        assert_eq!(
            dims([1; 3], [1025, 1, 1]),
            Err(LaunchError::GroupTooLarge { items: 1025 })
        );
        assert_eq!(
            dims([1; 3], [11, 11, 11]),
            Err(LaunchError::GroupTooLarge { items: 1331 })
        );
        assert!(dims([1; 3], [u32::MAX, u32::MAX, u32::MAX]).is_err());
    }

    #[test]
    fn a_grid_in_work_items_may_end_in_a_partial_group() {
        let dims = LaunchDims::from_items([100, 7, 1], [64, 2, 1], 0).expect("a launch");
        assert_eq!(dims.group_count(), [2, 4, 1]);
        let small = LaunchDims::from_items([5, 1, 1], [64, 1, 1], 0).expect("a launch");
        assert_eq!(
            small.group(),
            [5, 1, 1],
            "a group is not larger than the grid"
        );
    }

    /// `.max_flat_workgroup_size: 64` and `.group_segment_fixed_size: 256` in loader.O3.readelf.txt.
    #[test]
    fn a_launch_beyond_what_the_kernel_was_compiled_for_is_refused() {
        let needs_little = kernel("loader.O3.co", "needs_little");
        let at = |block: u32| dims([1; 3], [block, 1, 1]).expect("a launch");
        assert_eq!(needs_little.check(&at(64)), Ok(()));
        assert!(matches!(
            needs_little.check(&at(65)),
            Err(LaunchError::LaunchBounds {
                items: 65,
                limit: 64,
                ..
            })
        ));

        let dynamic_lds = kernel("loader.O3.co", "dynamic_lds");
        let with = |bytes| LaunchDims::from_groups([1; 3], [32, 1, 1], bytes).expect("a launch");
        assert_eq!(dynamic_lds.check(&with(65_536 - 256)), Ok(()));
        assert_eq!(dynamic_lds.group_bytes(&with(1024)), 1280);
        assert!(matches!(
            dynamic_lds.check(&with(65_536 - 255)),
            Err(LaunchError::SharedMemory {
                fixed_bytes: 256,
                dynamic_bytes: 65_281,
                ..
            })
        ));
    }

    #[test]
    fn a_required_group_size_is_the_only_one() {
        let kernel = kernels("notes.O3.co")
            .into_iter()
            .find(|kernel| kernel.info().reqd_workgroup_size.is_some())
            .expect("notes.cl has a kernel with reqd_work_group_size");
        let required = kernel.info().reqd_workgroup_size.expect("just found");
        assert_eq!(
            kernel.check(&dims([1; 3], required).expect("a launch")),
            Ok(())
        );
        let other = dims([1; 3], [1, 1, 1]).expect("a launch");
        assert!(matches!(
            kernel.check(&other),
            Err(LaunchError::RequiredGroup { .. })
        ));
    }

    #[test]
    fn missing_and_short_arguments_are_refused_and_extra_ones_are_not() {
        let kernel = kernel("loader.O3.co", "needs_little");
        assert_eq!(
            kernel.check_arguments(false, None),
            Err(LaunchError::NoArguments {
                kernel: "needs_little".to_owned(),
                expected: 1
            })
        );
        assert!(matches!(
            kernel.check_arguments(true, Some(7)),
            Err(LaunchError::ShortArguments {
                expected: 8,
                found: 7,
                ..
            })
        ));
        assert_eq!(kernel.check_arguments(true, Some(64)), Ok(()));
        assert_eq!(kernel.check_arguments(true, None), Ok(()));
        let none = self::kernel("loader.O3.co", "no_arguments");
        assert_eq!(none.check_arguments(false, None), Ok(()));
        assert_eq!(none.check_arguments(true, Some(0)), Ok(()));
        assert!(matches!(
            none.check_arguments(true, Some(8)),
            Err(LaunchError::UnwantedArguments { found: 8, .. })
        ));
    }
}
