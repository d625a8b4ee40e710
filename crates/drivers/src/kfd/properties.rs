//! From what the kernel says about a GPU to what the layers above want to know.

use hrx_abi::drm::{DeviceInfo, IDS_FLAGS_FUSION};
use hrx_abi::kfd::ProcessApertures;
use hrx_hal::{DeviceProperties, PciAddress};

use super::clock;
use super::topology::GpuNode;

/// What [`hrx_hal::Device::properties`] says of a node.
pub(super) fn describe(
    node: &GpuNode,
    info: &DeviceInfo,
    apertures: &ProcessApertures,
    is_virtual: bool,
) -> DeviceProperties {
    let high = |base: u64| u32::try_from(base >> 32).unwrap_or_default();
    let clock = |khz: u64| u32::try_from(khz).unwrap_or_default();
    let or = |value: u32, other: u32| if value == 0 { other } else { value };
    DeviceProperties {
        name: node.target_name(),
        marketing_name: marketing_name(node.device_id, info.pci_rev, is_virtual),
        driver: if is_virtual {
            "kfd on the virtual device"
        } else {
            "kfd"
        },
        is_virtual,
        uuid: node.unique_id,
        pci: pci_address(node),
        vendor_id: node.vendor_id,
        device_id: node.device_id,
        revision: info.pci_rev,
        is_apu: info.ids_flags & IDS_FLAGS_FUSION != 0,
        compute_units: node.compute_units(),
        simds_per_compute_unit: node.simd_per_cu,
        shader_engines: node.shader_engines(),
        arrays_per_engine: node.simd_arrays_per_engine,
        waves_per_simd: node.max_waves_per_simd,
        scratch_waves_per_compute_unit: node.max_slots_scratch_cu,
        wave_size: node.wave_front_size,
        lds_bytes: node.lds_size_in_kb * 1024,
        shader_clock_khz: or(
            node.max_engine_clk_fcompute.saturating_mul(1000),
            clock(info.max_engine_clock),
        ),
        memory_clock_khz: or(
            node.memory.clock_mhz.saturating_mul(1000),
            clock(info.max_memory_clock),
        ),
        memory_bus_bits: or(node.memory.width_bits, info.vram_bit_width),
        l1_cache_bytes: node.data_cache_bytes[0],
        l2_cache_bytes: node.data_cache_bytes[1],
        l3_cache_bytes: node.data_cache_bytes[2],
        memory_bytes: node.memory.bytes,
        tick_hz: match u64::from(info.gpu_counter_freq) * 1000 {
            0 => clock::TICK_HZ,
            hz => hz,
        },
        max_queues: or(node.num_cp_queues, 8),
        shared_aperture_hi: high(apertures.lds_base),
        private_aperture_hi: high(apertures.scratch_base),
    }
}

/// `location_id` is bus, device and function as PCI packs them.
fn pci_address(node: &GpuNode) -> PciAddress {
    let [_, _, bus, rest] = node.location_id.to_be_bytes();
    PciAddress {
        domain: node.domain,
        bus,
        device: rest >> 3,
        function: rest & 7,
    }
}

/// Marketing names by PCI device and revision, as AMD publishes them for libdrm.
const MARKETING_NAMES: &[(u32, u32, &str)] = &[
    (0x1586, 0xC1, "AMD Radeon 8060S"),
    (0x1586, 0xC2, "AMD Radeon 8050S"),
    (0x1586, 0xC4, "AMD Radeon 8050S"),
    (0x1586, 0xD1, "AMD Radeon 8060S"),
    (0x1586, 0xD2, "AMD Radeon 8050S"),
    (0x1586, 0xD4, "AMD Radeon 8050S"),
    (0x1586, 0xD5, "AMD Radeon 8040S"),
];

fn marketing_name(device_id: u32, revision: u32, is_virtual: bool) -> String {
    let row = MARKETING_NAMES
        .iter()
        .find(|row| (row.0, row.1) == (device_id, revision));
    let name = row.map_or("AMD Radeon Graphics", |row| row.2);
    if is_virtual {
        format!("{name} (virtual)")
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// c5:00.0 is published as 50432.
    #[test]
    fn the_pci_address_is_unpacked() {
        let node = GpuNode {
            location_id: 50_432,
            ..GpuNode::default()
        };
        assert_eq!(pci_address(&node).to_string(), "0000:c5:00.0");
    }

    #[test]
    fn a_virtual_device_says_so() {
        assert_eq!(
            marketing_name(0x1586, 0xD1, true),
            "AMD Radeon 8060S (virtual)"
        );
        assert_eq!(marketing_name(0x1586, 0xD1, false), "AMD Radeon 8060S");
        assert_eq!(marketing_name(1, 2, false), "AMD Radeon Graphics");
    }
}
