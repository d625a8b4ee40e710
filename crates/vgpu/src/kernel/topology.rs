//! The files that a client reads: the KFD topology tree.
//!
//! Values are those with which AMD's rocminfo printed what published gfx1151 machines print.

use std::collections::{BTreeMap, BTreeSet};

use crate::options::Options;

/// The key of the device in every ioctl.
pub(crate) const GPU_ID: u32 = 0x4a51;
/// Number of the render node.
pub(crate) const RENDER_MINOR: u32 = 128;
/// Context save area that kernels since late 2025 publish.
pub(crate) const CWSR_BYTES: u32 = 0x0124_c000;
/// Context save area that was enough before.
pub(crate) const CWSR_BYTES_OLD: u32 = 0x00d4_c000;
/// Control stack, of all kernels.
pub(crate) const CONTROL_STACK_BYTES: u32 = 0x4000;
/// Debugger's part behind the context save area: 32 bytes for each of 1280 waves.
pub(crate) const CWSR_DEBUG_BYTES: u32 = 0xa000;
/// Compute units.
pub(crate) const COMPUTE_UNITS: u32 = 40;
/// PCI device.
pub(crate) const DEVICE_ID: u32 = 0x1586;
/// PCI revision; with the device it picks the marketing name.
pub(crate) const PCI_REVISION: u32 = 0xd1;
/// Highest shader clock.
pub(crate) const SHADER_MHZ: u32 = 2900;
/// Highest memory clock.
pub(crate) const MEMORY_MHZ: u32 = 1000;

/// Both spellings of the tree.
const ROOTS: [&str; 2] = [
    "/sys/devices/virtual/kfd/kfd/topology",
    "/sys/class/kfd/kfd/topology",
];

/// Every file of `/sys` that a device with these options has, by absolute path, and its content. The ones
/// of memory in use read as zero here; [`Vgpu::read_file`](crate::Vgpu::read_file) knows.
pub fn files(options: &Options) -> impl Iterator<Item = (String, String)> {
    Topology::new(options).files.into_iter()
}

/// Text files by absolute path.
#[derive(Debug)]
pub(crate) struct Topology {
    files: BTreeMap<String, String>,
}

impl Topology {
    pub(crate) fn new(options: &Options) -> Self {
        let mut files = BTreeMap::new();
        for root in ROOTS {
            for (path, content) in tree(options) {
                files.insert(format!("{root}/{path}"), content);
            }
        }
        files.insert("/sys/module/amdgpu/initstate".into(), "live\n".into());
        files.insert("/sys/module/amdgpu/version".into(), "6.16.6\n".into());
        let render = format!("/sys/dev/char/226:{RENDER_MINOR}/device");
        for (name, content) in pci() {
            files.insert(format!("{render}/{name}"), content);
        }
        files.insert(
            format!("{render}/drm/renderD{RENDER_MINOR}/dev"),
            format!("226:{RENDER_MINOR}\n"),
        );
        Self { files }
    }

    /// A file's content.
    pub(crate) fn read(&self, path: &str) -> Option<&str> {
        self.files
            .get(path.trim_end_matches('/'))
            .map(String::as_str)
    }

    /// Whether the path is the file of device memory in use, whose content moves.
    pub(crate) fn is_used_memory(&self, path: &str) -> bool {
        ROOTS
            .iter()
            .any(|root| path.strip_prefix(root) == Some("/nodes/1/mem_banks/0/used_memory"))
    }

    /// Names in a folder, sorted; `None` where no file lies below it.
    pub(crate) fn list(&self, path: &str) -> Option<Vec<String>> {
        let prefix = format!("{}/", path.trim_end_matches('/'));
        let below = self.files.range(prefix.clone()..).map(|(path, _)| path);
        let names: BTreeSet<String> = below
            .map_while(|path| path.strip_prefix(&prefix))
            .filter_map(|rest| rest.split('/').next())
            .map(str::to_owned)
            .collect();
        (!names.is_empty()).then(|| names.into_iter().collect())
    }
}

fn lines(pairs: &[(&str, u64)]) -> String {
    pairs
        .iter()
        .map(|(name, value)| format!("{name} {value}\n"))
        .collect()
}

fn tree(options: &Options) -> Vec<(String, String)> {
    let host_threads = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let mut files = vec![
        ("generation_id".to_owned(), "2\n".to_owned()),
        (
            "system_properties".into(),
            lines(&[
                ("platform_oem", 2314885565852175681),
                ("platform_id", 2314885565852175681),
                ("platform_rev", 1),
            ]),
        ),
        ("nodes/0/gpu_id".into(), "0\n".into()),
        ("nodes/0/name".into(), "\n".into()),
        (
            "nodes/0/properties".into(),
            lines(&[
                ("cpu_cores_count", host_threads),
                ("simd_count", 0),
                ("mem_banks_count", 1),
                ("caches_count", 0),
                ("io_links_count", 1),
                ("p2p_links_count", 0),
                ("cpu_core_id_base", 0),
                ("simd_id_base", 0),
                ("max_engine_clk_ccompute", 5187),
            ]),
        ),
        (
            "nodes/0/mem_banks/0/properties".into(),
            lines(&[
                ("heap_type", 0),
                ("size_in_bytes", options.memory_bytes * 2),
                ("flags", 0),
                ("width", 128),
                ("mem_clk_max", 8000),
            ]),
        ),
        ("nodes/0/io_links/0/properties".into(), link(0, 1)),
        ("nodes/1/gpu_id".into(), format!("{GPU_ID}\n")),
        ("nodes/1/name".into(), "ip discovery\n".into()),
        ("nodes/1/properties".into(), device(options)),
        (
            "nodes/1/mem_banks/0/properties".into(),
            lines(&[
                ("heap_type", 1),
                ("size_in_bytes", options.memory_bytes),
                ("flags", 0),
                ("width", 256),
                ("mem_clk_max", u64::from(MEMORY_MHZ)),
            ]),
        ),
        ("nodes/1/mem_banks/0/used_memory".into(), "0\n".into()),
        ("nodes/1/io_links/0/properties".into(), link(1, 0)),
    ];
    for (index, (level, kib, line)) in [(1, 32, 128), (2, 2048, 128), (3, 32768, 64)]
        .into_iter()
        .enumerate()
    {
        let properties = lines(&[
            ("processor_id_low", 2147487744),
            ("level", level),
            ("size", kib),
            ("cache_line_size", line),
            ("cache_lines_per_tag", 1),
            ("association", 16),
            ("latency", 0),
            ("type", 9),
        ]);
        files.push((
            format!("nodes/1/caches/{index}/properties"),
            format!("{properties}sibling_map {}\n", vec!["1"; 40].join(",")),
        ));
    }
    files
}

/// What sysfs shows of the PCI device behind the render node.
fn pci() -> [(&'static str, String); 6] {
    let slot = "0000:c5:00.0";
    let uevent = format!(
        "DRIVER=amdgpu\nPCI_CLASS=38000\nPCI_ID=1002:{DEVICE_ID:04X}\nPCI_SUBSYS_ID=F111:000A\n\
         PCI_SLOT_NAME={slot}\n"
    );
    [
        ("vendor", "0x1002\n".into()),
        ("device", format!("{DEVICE_ID:#06x}\n")),
        ("subsystem_vendor", "0xf111\n".into()),
        ("subsystem_device", "0x000a\n".into()),
        ("revision", format!("{PCI_REVISION:#04x}\n")),
        ("uevent", uevent),
    ]
}

fn link(from: u64, to: u64) -> String {
    lines(&[
        ("type", 2),
        ("version_major", 0),
        ("version_minor", 0),
        ("node_from", from),
        ("node_to", to),
        ("weight", 20),
        ("min_latency", 0),
        ("max_latency", 0),
        ("min_bandwidth", 312),
        ("max_bandwidth", 31250),
        ("recommended_transfer_size", 0),
        ("recommended_sdma_engine_id_mask", 0),
        ("flags", 1),
    ])
}

fn device(options: &Options) -> String {
    let mut pairs = vec![
        ("cpu_cores_count", 0),
        ("simd_count", u64::from(COMPUTE_UNITS) * 2),
        ("mem_banks_count", 1),
        ("caches_count", 3),
        ("io_links_count", 1),
        ("p2p_links_count", 0),
        ("cpu_core_id_base", 0),
        ("simd_id_base", 2147487744),
        ("max_waves_per_simd", 16),
        ("lds_size_in_kb", 64),
        ("gds_size_in_kb", 0),
        ("num_gws", 64),
        ("wave_front_size", 32),
        ("array_count", 4),
        ("simd_arrays_per_engine", 2),
        ("cu_per_simd_array", 10),
        ("simd_per_cu", 2),
        ("max_slots_scratch_cu", 32),
        ("gfx_target_version", 110501),
        ("vendor_id", 4098),
        ("device_id", u64::from(DEVICE_ID)),
        ("location_id", 50432),
        ("domain", 0),
        ("drm_render_minor", u64::from(RENDER_MINOR)),
        ("hive_id", 0),
        ("num_sdma_engines", 1),
        ("num_sdma_xgmi_engines", 0),
        ("num_sdma_queues_per_engine", 6),
        ("num_cp_queues", 8),
        ("max_engine_clk_fcompute", u64::from(SHADER_MHZ)),
        ("local_mem_size", 0),
        ("fw_version", 32),
        ("capability", 671326848),
        ("capability2", 0),
        ("debug_prop", 1495),
        ("sdma_fw_version", 18),
        ("unique_id", 0),
        ("num_xcc", 1),
        ("max_engine_clk_ccompute", 5187),
    ];
    if !options.old_kernel {
        pairs.push(("cwsr_size", u64::from(CWSR_BYTES)));
        pairs.push(("ctl_stack_size", u64::from(CONTROL_STACK_BYTES)));
    }
    lines(&pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_hold_the_same_tree() {
        let topology = Topology::new(&Options::default());
        for root in ROOTS {
            assert_eq!(
                topology.list(&format!("{root}/nodes")),
                Some(vec!["0".into(), "1".into()])
            );
            assert_eq!(
                topology.read(&format!("{root}/nodes/1/gpu_id")),
                Some("19025\n")
            );
        }
        assert_eq!(topology.list("/sys/nothing"), None);
    }

    #[test]
    fn an_old_kernel_publishes_no_save_area_sizes() {
        let read = |old_kernel| {
            let topology = Topology::new(&Options {
                old_kernel,
                ..Options::default()
            });
            topology
                .read(&format!("{}/nodes/1/properties", ROOTS[0]))
                .map(str::to_owned)
        };
        assert!(read(false).is_some_and(|text| text.contains("cwsr_size 19185664\n")));
        assert!(read(true).is_some_and(|text| !text.contains("cwsr_size")));
    }
}
