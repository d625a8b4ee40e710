//! The kernel descriptor: 64 bytes in the code object that tell the dispatcher how to start a wave.
//!
//! Layout and bits are those of the LLVM AMDGPU usage guide (kernel descriptor, gfx11 columns). An
//! AQL packet's `kernel_object` is the device address of one.

use std::mem::{offset_of, size_of};

/// Size of a descriptor, and its alignment, in bytes.
pub const DESCRIPTOR_BYTES: usize = 64;

/// A kernel's machine code begins at a multiple of this: the start register holds address bits 8 up.
pub const ENTRY_ALIGNMENT_BYTES: u64 = 256;

/// A kernel descriptor as it lies in memory, little endian. The words are kept as they are; methods
/// name their bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct KernelDescriptor {
    /// LDS that every work-group needs, in bytes; what a launch adds is not in it.
    pub group_segment_fixed_bytes: u32,
    /// Scratch per lane in bytes, without a dynamic stack.
    pub private_segment_fixed_bytes: u32,
    /// Length of the kernel argument block in bytes.
    pub kernarg_bytes: u32,
    reserved0: [u8; 4],
    /// Where the code begins, relative to the descriptor's own address.
    pub entry_offset_bytes: i64,
    reserved1: [u8; 20],
    /// COMPUTE_PGM_RSRC3.
    pub rsrc3: u32,
    /// COMPUTE_PGM_RSRC1.
    pub rsrc1: u32,
    /// COMPUTE_PGM_RSRC2.
    pub rsrc2: u32,
    /// Kernel code properties: which user SGPRs are set up, wave size, dynamic stack.
    pub properties: u16,
    /// Kernel argument preload, which gfx11 does not have.
    pub kernarg_preload: u16,
    reserved2: [u8; 4],
}

const _: () = {
    assert!(size_of::<KernelDescriptor>() == DESCRIPTOR_BYTES);
    assert!(offset_of!(KernelDescriptor, group_segment_fixed_bytes) == 0);
    assert!(offset_of!(KernelDescriptor, private_segment_fixed_bytes) == 4);
    assert!(offset_of!(KernelDescriptor, kernarg_bytes) == 8);
    assert!(offset_of!(KernelDescriptor, entry_offset_bytes) == 16);
    assert!(offset_of!(KernelDescriptor, rsrc3) == 44);
    assert!(offset_of!(KernelDescriptor, rsrc1) == 48);
    assert!(offset_of!(KernelDescriptor, rsrc2) == 52);
    assert!(offset_of!(KernelDescriptor, properties) == 56);
    assert!(offset_of!(KernelDescriptor, kernarg_preload) == 58);
};

/// Lanes in a wave of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaveSize {
    /// 32 lanes.
    Wave32,
    /// 64 lanes.
    Wave64,
}

impl WaveSize {
    /// 32 or 64.
    pub fn lanes(self) -> u32 {
        match self {
            Self::Wave32 => 32,
            Self::Wave64 => 64,
        }
    }

    /// The VGPR count in a descriptor is in units of this many registers.
    pub fn vgpr_granule(self) -> u32 {
        match self {
            Self::Wave32 => 8,
            Self::Wave64 => 4,
        }
    }
}

/// Bits `low..=high` of a word.
fn bits(word: u32, low: u32, high: u32) -> u32 {
    word >> low & (u32::MAX >> (31 - (high - low)))
}

impl KernelDescriptor {
    /// Reads a descriptor.
    pub fn from_bytes(bytes: &[u8; DESCRIPTOR_BYTES]) -> Self {
        fn field<const LENGTH: usize>(bytes: &[u8], offset: usize) -> [u8; LENGTH] {
            let mut field = [0; LENGTH];
            field.copy_from_slice(&bytes[offset..offset + LENGTH]);
            field
        }
        macro_rules! read {
            ($name:ident: $type:ty) => {
                <$type>::from_le_bytes(field(bytes, offset_of!(Self, $name)))
            };
        }
        Self {
            group_segment_fixed_bytes: read!(group_segment_fixed_bytes: u32),
            private_segment_fixed_bytes: read!(private_segment_fixed_bytes: u32),
            kernarg_bytes: read!(kernarg_bytes: u32),
            reserved0: field(bytes, offset_of!(Self, reserved0)),
            entry_offset_bytes: read!(entry_offset_bytes: i64),
            reserved1: field(bytes, offset_of!(Self, reserved1)),
            rsrc3: read!(rsrc3: u32),
            rsrc1: read!(rsrc1: u32),
            rsrc2: read!(rsrc2: u32),
            properties: read!(properties: u16),
            kernarg_preload: read!(kernarg_preload: u16),
            reserved2: field(bytes, offset_of!(Self, reserved2)),
        }
    }

    fn property(&self, bit: u32) -> bool {
        self.properties >> bit & 1 != 0
    }

    /// Properties bit 0: user SGPRs hold a private segment buffer. Never on gfx11.
    pub fn wants_private_segment_buffer(&self) -> bool {
        self.property(0)
    }

    /// Properties bit 1: two user SGPRs hold the dispatch packet's address.
    pub fn wants_dispatch_pointer(&self) -> bool {
        self.property(1)
    }

    /// Properties bit 2: two user SGPRs hold the queue's address.
    pub fn wants_queue_pointer(&self) -> bool {
        self.property(2)
    }

    /// Properties bit 3: two user SGPRs hold the kernel argument block's address.
    pub fn wants_kernarg_pointer(&self) -> bool {
        self.property(3)
    }

    /// Properties bit 4: two user SGPRs hold the dispatch id.
    pub fn wants_dispatch_id(&self) -> bool {
        self.property(4)
    }

    /// Properties bit 5: two user SGPRs hold the flat scratch set-up. Never on gfx11.
    pub fn wants_flat_scratch_init(&self) -> bool {
        self.property(5)
    }

    /// Properties bit 6: one user SGPR holds the scratch bytes per lane.
    pub fn wants_private_segment_size(&self) -> bool {
        self.property(6)
    }

    /// Properties bit 10.
    pub fn wave_size(&self) -> WaveSize {
        if self.property(10) {
            WaveSize::Wave32
        } else {
            WaveSize::Wave64
        }
    }

    /// Properties bit 11: calls make the scratch need unknown, so the launch adds a stack.
    pub fn uses_dynamic_stack(&self) -> bool {
        self.property(11)
    }

    /// Registers a lane has, rounded up to the granule of the wave size.
    pub fn vgpr_count(&self) -> u32 {
        (bits(self.rsrc1, 0, 5) + 1) * self.wave_size().vgpr_granule()
    }

    /// RSRC1 bits 12..=19, which become the low byte of the MODE register: round mode f32, round mode
    /// f16 and f64, denormal mode f32, denormal mode f16 and f64, two bits each.
    pub fn float_mode(&self) -> u8 {
        // The shift leaves eight bits.
        #[expect(
            clippy::cast_possible_truncation,
            reason = "bits 12..=19 are eight bits"
        )]
        let mode = bits(self.rsrc1, 12, 19) as u8;
        mode
    }

    /// RSRC1 bit 21: clamp turns NaN into 0.
    pub fn dx10_clamp(&self) -> bool {
        bits(self.rsrc1, 21, 21) != 0
    }

    /// RSRC1 bit 23: signalling NaNs are quieted as IEEE 754 says.
    pub fn ieee_mode(&self) -> bool {
        bits(self.rsrc1, 23, 23) != 0
    }

    /// RSRC1 bit 26: f16 overflow gives the largest number instead of infinity.
    pub fn fp16_overflow_clamps(&self) -> bool {
        bits(self.rsrc1, 26, 26) != 0
    }

    /// RSRC1 bit 29: a work-group may use both compute units of a WGP.
    pub fn workgroup_processor_mode(&self) -> bool {
        bits(self.rsrc1, 29, 29) != 0
    }

    /// RSRC1 bit 30: loads return in order.
    pub fn memory_ordered(&self) -> bool {
        bits(self.rsrc1, 30, 30) != 0
    }

    /// RSRC1 bit 31: the oldest wave is not always preferred, so that spinning waves let others go.
    pub fn forward_progress(&self) -> bool {
        bits(self.rsrc1, 31, 31) != 0
    }

    /// RSRC2 bit 0: scratch is set up for the wave.
    pub fn private_segment_enabled(&self) -> bool {
        bits(self.rsrc2, 0, 0) != 0
    }

    /// RSRC2 bits 1..=5. Work-group ids begin in this SGPR, even if fewer user SGPRs are filled.
    pub fn user_sgpr_count(&self) -> u32 {
        bits(self.rsrc2, 1, 5)
    }

    /// RSRC2 bits 7, 8, 9: whether an SGPR holds the work-group id of each dimension.
    pub fn workgroup_ids_enabled(&self) -> [bool; 3] {
        [7, 8, 9].map(|bit| bits(self.rsrc2, bit, bit) != 0)
    }

    /// RSRC2 bit 10: whether an SGPR holds the work-group info.
    pub fn workgroup_info_enabled(&self) -> bool {
        bits(self.rsrc2, 10, 10) != 0
    }

    /// RSRC2 bits 11..=12: dimensions whose work-item id is in v0, 1 to 3.
    pub fn work_item_id_dimensions(&self) -> u32 {
        (bits(self.rsrc2, 11, 12) + 1).min(3)
    }

    /// RSRC3 bits 0..=3: shared VGPRs of wave64 in units of 8. Never used by compilers.
    pub fn shared_vgpr_count(&self) -> u32 {
        bits(self.rsrc3, 0, 3) * 8
    }

    /// RSRC3 bits 4..=9: bytes of code to fetch ahead of the first instruction.
    pub fn instruction_prefetch_bytes(&self) -> u32 {
        bits(self.rsrc3, 4, 9) * 128
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descriptor(rsrc1: u32, rsrc2: u32, rsrc3: u32, properties: u16) -> KernelDescriptor {
        let mut bytes = [0; DESCRIPTOR_BYTES];
        bytes[44..48].copy_from_slice(&rsrc3.to_le_bytes());
        bytes[48..52].copy_from_slice(&rsrc1.to_le_bytes());
        bytes[52..56].copy_from_slice(&rsrc2.to_le_bytes());
        bytes[56..58].copy_from_slice(&properties.to_le_bytes());
        KernelDescriptor::from_bytes(&bytes)
    }

    // The words are those of an ordinary kernel from clang 22; what they mean is from the guide.
    #[test]
    fn the_words_of_an_ordinary_kernel_decode() {
        let kernel = descriptor(0xe0af_0000, 0x84, 0x20, 0x408);
        assert_eq!(kernel.wave_size(), WaveSize::Wave32);
        assert_eq!(kernel.vgpr_count(), 8);
        assert_eq!(kernel.user_sgpr_count(), 2);
        assert_eq!(kernel.workgroup_ids_enabled(), [true, false, false]);
        assert_eq!(kernel.work_item_id_dimensions(), 1);
        assert_eq!(kernel.float_mode(), 0xf0);
        assert!(kernel.wants_kernarg_pointer() && !kernel.wants_dispatch_pointer());
        assert!(kernel.dx10_clamp() && kernel.ieee_mode() && !kernel.fp16_overflow_clamps());
        assert!(kernel.workgroup_processor_mode() && kernel.memory_ordered());
        assert!(kernel.forward_progress() && !kernel.private_segment_enabled());
        assert!(!kernel.workgroup_info_enabled() && !kernel.uses_dynamic_stack());
        assert_eq!(kernel.instruction_prefetch_bytes(), 256);
        assert_eq!(kernel.shared_vgpr_count(), 0);
    }

    #[test]
    fn vgpr_granule_depends_on_the_wave_size() {
        assert_eq!(descriptor(3, 0, 0, 0x400).vgpr_count(), 32);
        assert_eq!(descriptor(3, 0, 0, 0).vgpr_count(), 16);
    }

    #[test]
    fn each_property_has_its_bit() {
        let set = |bit: u32| descriptor(0, 0, 0, 1 << bit);
        assert!(set(0).wants_private_segment_buffer());
        assert!(set(1).wants_dispatch_pointer());
        assert!(set(2).wants_queue_pointer());
        assert!(set(3).wants_kernarg_pointer());
        assert!(set(4).wants_dispatch_id());
        assert!(set(5).wants_flat_scratch_init());
        assert!(set(6).wants_private_segment_size());
        assert!(set(11).uses_dynamic_stack());
        assert_eq!(set(9).wave_size(), WaveSize::Wave64);
    }

    #[test]
    fn sizes_and_entry_come_from_their_bytes() {
        let mut bytes = [0; DESCRIPTOR_BYTES];
        bytes[0..4].copy_from_slice(&1024u32.to_le_bytes());
        bytes[4..8].copy_from_slice(&48u32.to_le_bytes());
        bytes[8..12].copy_from_slice(&280u32.to_le_bytes());
        bytes[16..24].copy_from_slice(&(-0x1300i64).to_le_bytes());
        bytes[58..60].copy_from_slice(&5u16.to_le_bytes());
        let kernel = KernelDescriptor::from_bytes(&bytes);
        assert_eq!(kernel.group_segment_fixed_bytes, 1024);
        assert_eq!(kernel.private_segment_fixed_bytes, 48);
        assert_eq!(kernel.kernarg_bytes, 280);
        assert_eq!(kernel.entry_offset_bytes, -0x1300);
        assert_eq!(kernel.kernarg_preload, 5);
    }
}
