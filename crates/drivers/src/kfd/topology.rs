//! What devices there are: the KFD's files under `/sys`.
//!
//! Lines are `name value`, decimal; names that we do not know are left alone, and order means
//! nothing.

use std::collections::HashMap;

use hrx_abi::kfd::SaveAreaHeader;

use super::ioctl::size_u32;
use super::kernel::{Errno, Kernel};
use crate::error::DriverError;

/// Root of the tree, in the spelling that AMD's own runtime uses.
pub(super) const ROOT: &str = "/sys/devices/virtual/kfd/kfd/topology";
/// How often a snapshot is repeated when the tree changes under it.
const ATTEMPTS: usize = 16;
/// Heap types of device memory: public and private frame buffer.
const DEVICE_HEAPS: [u64; 2] = [1, 2];

/// A GPU node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GpuNode {
    /// Key of every ioctl.
    pub(super) gpu_id: u32,
    /// 110501 for gfx1151.
    pub(super) gfx_target_version: u32,
    pub(super) simd_count: u32,
    pub(super) simd_per_cu: u32,
    pub(super) array_count: u32,
    pub(super) simd_arrays_per_engine: u32,
    pub(super) max_waves_per_simd: u32,
    pub(super) max_slots_scratch_cu: u32,
    pub(super) lds_size_in_kb: u32,
    pub(super) wave_front_size: u32,
    pub(super) drm_render_minor: u32,
    pub(super) num_xcc: u32,
    pub(super) num_cp_queues: u32,
    pub(super) capability: u32,
    pub(super) vendor_id: u32,
    pub(super) device_id: u32,
    pub(super) location_id: u32,
    pub(super) domain: u32,
    pub(super) unique_id: u64,
    /// MHz.
    pub(super) max_engine_clk_fcompute: u32,
    /// Bytes of the context save area; new kernels only.
    pub(super) cwsr_size: Option<u32>,
    /// Bytes of the control stack in it; new kernels only.
    pub(super) ctl_stack_size: Option<u32>,
    pub(super) memory: MemoryBank,
    /// Bytes by level, 1 to 3.
    pub(super) data_cache_bytes: [u32; 3],
}

/// Memory of a node, all banks together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MemoryBank {
    pub(super) bytes: u64,
    pub(super) width_bits: u32,
    pub(super) clock_mhz: u32,
}

impl GpuNode {
    /// `gfx1151`.
    pub(super) fn target_name(&self) -> String {
        let version = self.gfx_target_version;
        let (major, minor, step) = (version / 10_000, version / 100 % 100, version % 100);
        format!("gfx{major}{minor:x}{step:x}")
    }

    /// How clients map doorbells: 2 is 64 bits each.
    pub(super) fn doorbell_type(&self) -> u32 {
        self.capability >> 12 & 3
    }

    pub(super) fn compute_units(&self) -> u32 {
        self.simd_count / self.simd_per_cu.max(1)
    }

    pub(super) fn shader_engines(&self) -> u32 {
        (self.array_count / self.simd_arrays_per_engine.max(1)).max(1)
    }
}

/// All GPU nodes of one moment.
pub(super) fn gpu_nodes(kernel: &dyn Kernel) -> Result<Vec<GpuNode>, DriverError> {
    let tree = Tree { kernel };
    let mut generation = tree.number("generation_id")?;
    for _attempt in 0..ATTEMPTS {
        let nodes = tree.nodes();
        let now = tree.number("generation_id")?;
        if now == generation {
            return nodes;
        }
        generation = now;
    }
    Err(DriverError::Topology {
        path: format!("{ROOT}/generation_id"),
        found: format!("a new value in {ATTEMPTS} snapshots"),
        expected: "a tree that does not change",
    })
}

struct Tree<'a> {
    kernel: &'a dyn Kernel,
}

type Properties = HashMap<String, u64>;

impl Tree<'_> {
    fn nodes(&self) -> Result<Vec<GpuNode>, DriverError> {
        let mut ordinals: Vec<u32> = self
            .list("nodes")?
            .iter()
            .filter_map(|name| name.parse().ok())
            .collect();
        ordinals.sort_unstable();
        let mut nodes = Vec::new();
        for ordinal in ordinals {
            if self.number(&format!("nodes/{ordinal}/gpu_id"))? != 0 {
                nodes.push(self.node(ordinal)?);
            }
        }
        Ok(nodes)
    }

    fn node(&self, ordinal: u32) -> Result<GpuNode, DriverError> {
        let folder = format!("nodes/{ordinal}");
        let path = format!("{folder}/properties");
        let properties = self.properties(&path)?;
        let word = |name: &str| -> Result<Option<u32>, DriverError> {
            let Some(value) = properties.get(name) else {
                return Ok(None);
            };
            u32::try_from(*value)
                .map(Some)
                .map_err(|_| DriverError::Topology {
                    path: format!("{ROOT}/{path}"),
                    found: format!("{name} {value}"),
                    expected: "a number of 32 bits",
                })
        };
        let optional = |name: &str| word(name).map(Option::unwrap_or_default);
        let required = |name: &'static str| match word(name)? {
            Some(value) => Ok(value),
            None => Err(DriverError::Topology {
                path: format!("{ROOT}/{path}"),
                found: format!("no {name}"),
                expected: "a line for it",
            }),
        };
        let gpu_id = self.number(&format!("{folder}/gpu_id"))?;
        Ok(GpuNode {
            gpu_id: u32::try_from(gpu_id).map_err(|_| DriverError::Topology {
                path: format!("{ROOT}/{folder}/gpu_id"),
                found: gpu_id.to_string(),
                expected: "a number of 32 bits",
            })?,
            gfx_target_version: required("gfx_target_version")?,
            simd_count: required("simd_count")?,
            simd_per_cu: required("simd_per_cu")?,
            array_count: required("array_count")?,
            simd_arrays_per_engine: required("simd_arrays_per_engine")?,
            max_waves_per_simd: optional("max_waves_per_simd")?,
            max_slots_scratch_cu: required("max_slots_scratch_cu")?,
            lds_size_in_kb: required("lds_size_in_kb")?,
            wave_front_size: required("wave_front_size")?,
            drm_render_minor: required("drm_render_minor")?,
            // Kernels before multi-die chips have no such line.
            num_xcc: word("num_xcc")?.unwrap_or(1),
            num_cp_queues: optional("num_cp_queues")?,
            capability: required("capability")?,
            vendor_id: optional("vendor_id")?,
            device_id: optional("device_id")?,
            location_id: optional("location_id")?,
            domain: optional("domain")?,
            unique_id: properties.get("unique_id").copied().unwrap_or_default(),
            max_engine_clk_fcompute: optional("max_engine_clk_fcompute")?,
            cwsr_size: word("cwsr_size")?.filter(|bytes| *bytes != 0),
            ctl_stack_size: word("ctl_stack_size")?.filter(|bytes| *bytes != 0),
            memory: self.memory(&folder)?,
            data_cache_bytes: self.caches(&folder)?,
        })
    }

    fn memory(&self, folder: &str) -> Result<MemoryBank, DriverError> {
        let mut total = MemoryBank::default();
        for bank in self.entries(&format!("{folder}/mem_banks"))? {
            let heap = bank.get("heap_type").copied().unwrap_or_default();
            if !DEVICE_HEAPS.contains(&heap) {
                continue;
            }
            let value = |name: &str| bank.get(name).copied().unwrap_or_default();
            total.bytes += value("size_in_bytes");
            total.width_bits = u32::try_from(value("width")).unwrap_or_default();
            total.clock_mhz = u32::try_from(value("mem_clk_max")).unwrap_or_default();
        }
        Ok(total)
    }

    fn caches(&self, folder: &str) -> Result<[u32; 3], DriverError> {
        /// `type` bit of a data cache.
        const DATA: u64 = 1;
        /// Sizes are in KiB.
        const UNIT: u64 = 1024;
        let mut bytes = [0; 3];
        for cache in self.entries(&format!("{folder}/caches"))? {
            let value = |name: &str| cache.get(name).copied().unwrap_or_default();
            let level = usize::try_from(value("level")).unwrap_or_default();
            let Some(largest) = level.checked_sub(1).and_then(|level| bytes.get_mut(level)) else {
                continue;
            };
            if value("type") & DATA != 0 {
                let size = u32::try_from(value("size").saturating_mul(UNIT)).unwrap_or(u32::MAX);
                *largest = size.max(*largest);
            }
        }
        Ok(bytes)
    }

    /// `properties` of each numbered entry of a folder; none when there is no such folder.
    fn entries(&self, folder: &str) -> Result<Vec<Properties>, DriverError> {
        let names = match self.kernel.list_directory(&format!("{ROOT}/{folder}")) {
            Ok(names) => names,
            Err(Errno(libc::ENOENT)) => return Ok(Vec::new()),
            Err(errno) => return Err(unreadable(errno)),
        };
        let mut numbers: Vec<u32> = names.iter().filter_map(|name| name.parse().ok()).collect();
        numbers.sort_unstable();
        numbers
            .into_iter()
            .map(|number| self.properties(&format!("{folder}/{number}/properties")))
            .collect()
    }

    fn properties(&self, path: &str) -> Result<Properties, DriverError> {
        let text = self.text(path)?;
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        // Values that are no numbers, `sibling_map` for one, are of no use here.
        let numbers = lines.filter_map(|(name, value)| Some((name, value.trim().parse().ok()?)));
        Ok(numbers
            .map(|(name, value)| (name.to_owned(), value))
            .collect())
    }

    fn number(&self, path: &str) -> Result<u64, DriverError> {
        let text = self.text(path)?;
        text.trim().parse().map_err(|_| DriverError::Topology {
            path: format!("{ROOT}/{path}"),
            found: format!("'{}'", text.trim()),
            expected: "a decimal number",
        })
    }

    fn text(&self, path: &str) -> Result<String, DriverError> {
        let path = format!("{ROOT}/{path}");
        let bytes = self.kernel.read_file(&path).map_err(unreadable)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn list(&self, path: &str) -> Result<Vec<String>, DriverError> {
        let names = self.kernel.list_directory(&format!("{ROOT}/{path}"));
        names.map_err(unreadable)
    }
}

fn unreadable(errno: Errno) -> DriverError {
    DriverError::System {
        operation: "reading the KFD topology",
        errno,
    }
}

/// Sizes of the context save area of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SaveArea {
    /// Bytes of the control stack.
    pub(super) control_stack: u32,
    /// Bytes of control stack and wave state.
    pub(super) save: u32,
    /// Bytes of the debugger's part behind.
    pub(super) debug: u32,
    /// Bytes to map, whole pages.
    pub(super) map: usize,
}

impl SaveArea {
    /// What the kernel publishes, or what its formula gives for a chip with the larger register
    /// file: the kernel takes any save area that is at least its own, so the larger one is right on
    /// older kernels too. The control stack has to be equal.
    pub(super) fn of(node: &GpuNode) -> Self {
        /// Save bytes of a compute unit: vector registers, scalar registers, LDS, hardware
        /// registers.
        const PER_CU: u32 = 0x6_0000 + 0x4000 + 0x1_0000 + 0x1000;
        /// Waves of a compute unit, from gfx10.1 on.
        const WAVES_PER_CU: u32 = 32;
        let compute_units = node.compute_units() / node.num_xcc.max(1);
        let waves = compute_units * WAVES_PER_CU;
        let header = size_u32::<SaveAreaHeader>();
        let control_stack = (header + waves * 12 + 8).next_multiple_of(4096);
        let control_stack = node.ctl_stack_size.unwrap_or(control_stack);
        let state = (compute_units * PER_CU).next_multiple_of(4096);
        let save = node.cwsr_size.unwrap_or(control_stack + state);
        let debug = (waves * 32).next_multiple_of(64);
        let map = (save as usize + debug as usize) * node.num_xcc.max(1) as usize;
        Self {
            control_stack,
            save,
            debug,
            map: map.next_multiple_of(4096),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strix_halo() -> GpuNode {
        GpuNode {
            gfx_target_version: 110_501,
            simd_count: 80,
            simd_per_cu: 2,
            array_count: 4,
            simd_arrays_per_engine: 2,
            num_xcc: 1,
            ..GpuNode::default()
        }
    }

    /// Sizes in logs of real gfx1151 machines.
    #[test]
    fn the_save_area_has_the_size_that_new_kernels_publish() {
        let area = SaveArea::of(&strix_halo());
        assert_eq!((area.control_stack, area.save), (0x4000, 19_185_664));
        assert_eq!((area.debug, area.map), (0xA000, 0x125_6000));
    }

    #[test]
    fn what_the_kernel_publishes_goes_first() {
        let node = GpuNode {
            cwsr_size: Some(0x200_0000),
            ctl_stack_size: Some(0x5000),
            ..strix_halo()
        };
        let area = SaveArea::of(&node);
        assert_eq!((area.control_stack, area.save), (0x5000, 0x200_0000));
        assert_eq!(area.map, 0x200_A000);
    }

    #[test]
    fn targets_are_named_as_compilers_do() {
        for (version, name) in [
            (110_501, "gfx1151"),
            (90_010, "gfx90a"),
            (110_000, "gfx1100"),
        ] {
            let node = GpuNode {
                gfx_target_version: version,
                ..GpuNode::default()
            };
            assert_eq!(node.target_name(), name);
        }
        assert_eq!(strix_halo().shader_engines(), 2);
    }
}
