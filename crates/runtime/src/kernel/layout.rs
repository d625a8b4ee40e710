//! Where the arguments of a kernel go in its argument block, explicit and hidden.
//!
//! Offsets come from the code object's metadata and from nothing else, so code object versions 4 to 6
//! need no case of their own. What each hidden argument is worth is in [`HiddenValues`]; sizes are those
//! of the LLVM AMDGPU usage guide ("Code Object V5 Metadata").

use hrx_gfx::object::{ArgInfo, KernelInfo, ValueKind};

use super::LaunchDims;

/// Brings the explicit arguments of a launch.
pub trait Arguments {
    /// Copies argument `index` (from 0, hidden ones not counted) to `to`, which is as long as the
    /// argument. In a packed buffer the argument stands at `offset`, as in the block.
    fn copy(&self, index: usize, offset: usize, to: &mut [u8]);
}

/// Arguments in a buffer that is laid out like the block.
impl Arguments for [u8] {
    fn copy(&self, _: usize, offset: usize, to: &mut [u8]) {
        // `Kernel::check_arguments` has seen to the length; a short buffer leaves zeros.
        if let Some(from) = self.get(offset..offset + to.len()) {
            to.copy_from_slice(from);
        }
    }
}

/// What the runtime knows and a kernel may ask for, beside the launch's own dimensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HiddenValues {
    /// Device address of the queue's `amd_queue_t`.
    pub queue: u64,
    /// Address of the hostcall buffer, or 0.
    pub hostcall_buffer: u64,
    /// Address of the buffer of buffered printf, or 0.
    pub printf_buffer: u64,
    /// Address of the device heap, or 0.
    pub heap: u64,
    /// Address of a cooperative launch's state, or 0.
    pub multigrid_sync: u64,
}

/// Device services that a kernel's hidden arguments hint at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HiddenNeeds {
    /// It lists the hostcall buffer.
    pub hostcall: bool,
    /// It lists the buffer of buffered printf.
    pub printf: bool,
    /// It lists the device heap.
    pub heap: bool,
    /// It lists the state of a cooperative launch.
    pub multigrid_sync: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot {
    offset: u32,
    size: u32,
}

impl Slot {
    fn of(argument: &ArgInfo) -> Self {
        Self {
            offset: argument.offset,
            size: argument.size,
        }
    }

    fn in_block(self, block: &mut [u8]) -> Option<&mut [u8]> {
        block.get_mut(self.offset as usize..(self.offset + self.size) as usize)
    }
}

/// A hidden argument that is filled in; those that are always 0 have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hidden {
    BlockCount(usize),
    GroupSize(usize),
    Remainder(usize),
    GridDims,
    PrintfBuffer,
    HostcallBuffer,
    MultigridSync,
    Heap,
    DynamicLdsBytes,
    PrivateBase,
    SharedBase,
    Queue,
}

impl Hidden {
    fn of(kind: &ValueKind) -> Option<Self> {
        Some(match kind {
            ValueKind::HiddenBlockCountX => Self::BlockCount(0),
            ValueKind::HiddenBlockCountY => Self::BlockCount(1),
            ValueKind::HiddenBlockCountZ => Self::BlockCount(2),
            ValueKind::HiddenGroupSizeX => Self::GroupSize(0),
            ValueKind::HiddenGroupSizeY => Self::GroupSize(1),
            ValueKind::HiddenGroupSizeZ => Self::GroupSize(2),
            ValueKind::HiddenRemainderX => Self::Remainder(0),
            ValueKind::HiddenRemainderY => Self::Remainder(1),
            ValueKind::HiddenRemainderZ => Self::Remainder(2),
            ValueKind::HiddenGridDims => Self::GridDims,
            ValueKind::HiddenPrintfBuffer => Self::PrintfBuffer,
            ValueKind::HiddenHostcallBuffer => Self::HostcallBuffer,
            ValueKind::HiddenMultigridSyncArg => Self::MultigridSync,
            ValueKind::HiddenHeapV1 => Self::Heap,
            ValueKind::HiddenDynamicLdsSize => Self::DynamicLdsBytes,
            ValueKind::HiddenPrivateBase => Self::PrivateBase,
            ValueKind::HiddenSharedBase => Self::SharedBase,
            ValueKind::HiddenQueuePtr => Self::Queue,
            // Global offsets, OpenCL's queue and action, and room that nobody reads are 0 in HIP.
            _ => return None,
        })
    }
}

/// High halves of the apertures as the kernel driver reports them.
const SHARED_APERTURE_HIGH: u64 = 1 << 16;
const PRIVATE_APERTURE_HIGH: u64 = 2 << 16;
/// HIP launches are always three-dimensional, unused dimensions being 1.
const GRID_DIMS: u64 = 3;

/// The layout of one kernel's argument block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentLayout {
    explicit: Box<[Slot]>,
    hidden: Box<[(Slot, Hidden)]>,
    bytes: u32,
    explicit_bytes: u32,
    alignment: u32,
    needs: HiddenNeeds,
}

impl ArgumentLayout {
    /// From a kernel's metadata.
    pub fn of(info: &KernelInfo) -> Self {
        let mut needs = HiddenNeeds::default();
        let mut hidden = Vec::new();
        for argument in info.hidden_args() {
            let Some(kind) = Hidden::of(&argument.value_kind) else {
                continue;
            };
            match kind {
                Hidden::HostcallBuffer => needs.hostcall = true,
                Hidden::PrintfBuffer => needs.printf = true,
                Hidden::Heap => needs.heap = true,
                Hidden::MultigridSync => needs.multigrid_sync = true,
                _ => {}
            }
            hidden.push((Slot::of(argument), kind));
        }
        Self {
            explicit: info.explicit_args().map(Slot::of).collect(),
            hidden: hidden.into(),
            bytes: info.kernarg_segment_bytes,
            explicit_bytes: info.explicit_args_bytes(),
            alignment: info.kernarg_segment_align,
            needs,
        }
    }

    /// Bytes of the block, hidden arguments included.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }

    /// Alignment of the block, bytes.
    pub fn alignment(&self) -> u32 {
        self.alignment
    }

    /// Number of explicit arguments.
    pub fn explicit_count(&self) -> usize {
        self.explicit.len()
    }

    /// Bytes up to the end of the last explicit argument: what a packed buffer must have.
    pub fn explicit_bytes(&self) -> u32 {
        self.explicit_bytes
    }

    /// Offset and size in bytes of each explicit argument.
    pub fn explicit(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.explicit.iter().map(|slot| (slot.offset, slot.size))
    }

    /// Device services that the kernel may use.
    pub fn needs(&self) -> HiddenNeeds {
        self.needs
    }

    /// Writes the whole block, once and in place. `block` has [`Self::bytes`]; gaps become 0.
    pub fn write(
        &self,
        block: &mut [u8],
        arguments: &(impl Arguments + ?Sized),
        dims: &LaunchDims,
        values: &HiddenValues,
    ) {
        block.fill(0);
        for (index, slot) in self.explicit.iter().enumerate() {
            // The metadata reader has checked that every argument lies in the block.
            if let Some(to) = slot.in_block(block) {
                arguments.copy(index, slot.offset as usize, to);
            }
        }
        let (items, group) = (dims.items(), dims.group());
        for (slot, kind) in &self.hidden {
            let value = match *kind {
                // > full groups only: grid / group
                Hidden::BlockCount(dimension) => u64::from(items[dimension] / group[dimension]),
                Hidden::GroupSize(dimension) => u64::from(group[dimension]),
                Hidden::Remainder(dimension) => u64::from(items[dimension] % group[dimension]),
                Hidden::GridDims => GRID_DIMS,
                Hidden::PrintfBuffer => values.printf_buffer,
                Hidden::HostcallBuffer => values.hostcall_buffer,
                Hidden::MultigridSync => values.multigrid_sync,
                Hidden::Heap => values.heap,
                Hidden::DynamicLdsBytes => u64::from(dims.dynamic_lds_bytes()),
                Hidden::PrivateBase => PRIVATE_APERTURE_HIGH,
                Hidden::SharedBase => SHARED_APERTURE_HIGH,
                Hidden::Queue => values.queue,
            };
            if let Some(to) = slot.in_block(block) {
                let bytes = value.to_le_bytes();
                let length = to.len().min(bytes.len());
                to[..length].copy_from_slice(&bytes[..length]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hrx_gfx::object::{CodeObject, TargetId};

    use super::*;

    fn info(file: &str, name: &str) -> KernelInfo {
        let path = format!("{}/../../tests/kernels/{file}", env!("CARGO_MANIFEST_DIR"));
        let file = std::fs::read(&path).expect("a checked-in code object");
        let code = CodeObject::parse(&file, &TargetId::gfx1151()).expect("a good code object");
        code.kernel(name).expect("the kernel").info.clone()
    }

    /// Argument `i` is all bytes `i + 1`.
    struct Numbered;

    impl Arguments for Numbered {
        fn copy(&self, index: usize, _: usize, to: &mut [u8]) {
            to.fill(u8::try_from(index + 1).expect("few arguments"));
        }
    }

    /// Offsets and sizes of `reads_variables` as llvm-readelf prints them (loader.v4.readelf.txt):
    /// 0+8, 8+8, 16+1, 24+24, block of 48.
    #[test]
    fn explicit_arguments_go_where_the_metadata_says_and_gaps_are_zero() {
        let layout = ArgumentLayout::of(&info("loader.v4.co", "reads_variables"));
        assert_eq!(
            (layout.bytes(), layout.explicit_bytes(), layout.alignment()),
            (48, 48, 8)
        );
        let slots: Vec<_> = layout.explicit().collect();
        assert_eq!(slots, [(0, 8), (8, 8), (16, 1), (24, 24)]);
        let dims = LaunchDims::from_groups([1; 3], [1; 3], 0).expect("a launch");
        let mut block = [0xff; 48];
        layout.write(&mut block, &Numbered, &dims, &HiddenValues::default());
        let mut expected = [0_u8; 48];
        expected[0..8].fill(1);
        expected[8..16].fill(2);
        expected[16] = 3;
        expected[24..48].fill(4);
        assert_eq!(block, expected);
    }

    #[test]
    fn a_packed_buffer_gives_the_same_block_as_single_arguments() {
        let layout = ArgumentLayout::of(&info("loader.v4.co", "reads_variables"));
        let dims = LaunchDims::from_groups([1; 3], [1; 3], 0).expect("a launch");
        let mut single = [0; 48];
        layout.write(&mut single, &Numbered, &dims, &HiddenValues::default());
        let mut packed = [0; 48];
        let buffer: &[u8] = &[&single[..], &[9; 16]].concat();
        layout.write(&mut packed, buffer, &dims, &HiddenValues::default());
        assert_eq!(packed, single);
    }

    fn hidden(kind: ValueKind, offset: u32, size: u32) -> ArgInfo {
        ArgInfo {
            name: None,
            type_name: None,
            offset,
            size,
            value_kind: kind,
            address_space: None,
            access: None,
            actual_access: None,
            is_const: false,
            is_restrict: false,
            is_volatile: false,
            is_pipe: false,
            pointee_align: None,
        }
    }

    /// The offsets of the v5 block, relative to its begin, from the LLVM AMDGPU usage guide.
    #[test]
    fn every_hidden_argument_of_the_v5_block_gets_its_value() {
        const BASE: u32 = 16;
        let mut info = info("loader.v4.co", "needs_little");
        for (kind, offset, size) in [
            (ValueKind::HiddenBlockCountX, 0, 4),
            (ValueKind::HiddenBlockCountY, 4, 4),
            (ValueKind::HiddenBlockCountZ, 8, 4),
            (ValueKind::HiddenGroupSizeX, 12, 2),
            (ValueKind::HiddenGroupSizeY, 14, 2),
            (ValueKind::HiddenGroupSizeZ, 16, 2),
            (ValueKind::HiddenRemainderX, 18, 2),
            (ValueKind::HiddenRemainderY, 20, 2),
            (ValueKind::HiddenRemainderZ, 22, 2),
            (ValueKind::HiddenGlobalOffsetX, 40, 8),
            (ValueKind::HiddenGridDims, 64, 2),
            (ValueKind::HiddenPrintfBuffer, 72, 8),
            (ValueKind::HiddenHostcallBuffer, 80, 8),
            (ValueKind::HiddenMultigridSyncArg, 88, 8),
            (ValueKind::HiddenHeapV1, 96, 8),
            (ValueKind::HiddenDefaultQueue, 104, 8),
            (ValueKind::HiddenDynamicLdsSize, 120, 4),
            (ValueKind::HiddenPrivateBase, 192, 4),
            (ValueKind::HiddenSharedBase, 196, 4),
            (ValueKind::HiddenQueuePtr, 200, 8),
        ] {
            info.args.push(hidden(kind, BASE + offset, size));
        }
        info.kernarg_segment_bytes = BASE + 256;
        let layout = ArgumentLayout::of(&info);
        assert!(layout.needs().hostcall && layout.needs().heap && layout.needs().printf);
        assert_eq!(
            layout.explicit_bytes(),
            8,
            "hidden arguments are no part of a packed buffer"
        );

        let dims = LaunchDims::from_items([1000, 9, 1], [256, 4, 1], 4096).expect("a launch");
        let values = HiddenValues {
            queue: 0x1111_2222_3333_4444,
            hostcall_buffer: 0x51,
            printf_buffer: 0x52,
            heap: 0x53,
            multigrid_sync: 0x54,
        };
        let mut block = vec![0xee; (BASE + 256) as usize];
        layout.write(&mut block, &Numbered, &dims, &values);
        let at = |offset: u32, size: u32| {
            let start = (BASE + offset) as usize;
            let mut bytes = [0; 8];
            bytes[..size as usize].copy_from_slice(&block[start..start + size as usize]);
            u64::from_le_bytes(bytes)
        };
        assert_eq!([at(0, 4), at(4, 4), at(8, 4)], [3, 2, 1], "full groups");
        assert_eq!([at(12, 2), at(14, 2), at(16, 2)], [256, 4, 1], "group");
        assert_eq!([at(18, 2), at(20, 2), at(22, 2)], [232, 1, 0], "remainder");
        assert_eq!(at(40, 8), 0, "global offset");
        assert_eq!(at(64, 2), 3, "dimensions");
        assert_eq!(
            [at(72, 8), at(80, 8), at(88, 8), at(96, 8)],
            [0x52, 0x51, 0x54, 0x53]
        );
        assert_eq!(at(104, 8), 0, "no device-side enqueue");
        assert_eq!(at(120, 4), 4096, "dynamic LDS");
        assert_eq!([at(192, 4), at(196, 4)], [0x2_0000, 0x1_0000], "apertures");
        assert_eq!(at(200, 8), values.queue);
        assert_eq!(at(24, 8), 0, "what nobody names is zero");
    }

    /// v4 puts its hidden arguments after the explicit ones in steps of 8 and lists no block of 256.
    #[test]
    fn a_kernel_without_hidden_arguments_has_a_block_of_its_explicit_ones() {
        for file in ["01_saxpy.v4.co", "01_saxpy.v5.co", "01_saxpy.v6.co"] {
            let path = format!("{}/../../tests/kernels/{file}", env!("CARGO_MANIFEST_DIR"));
            let bytes = std::fs::read(&path).expect("a checked-in code object");
            let code = CodeObject::parse(&bytes, &TargetId::gfx1151()).expect("a good code object");
            for kernel in &code.kernels {
                let layout = ArgumentLayout::of(&kernel.info);
                let dims = LaunchDims::from_groups([4, 1, 1], [64, 1, 1], 0).expect("a launch");
                let mut block = vec![0xee; layout.bytes() as usize];
                layout.write(&mut block, &Numbered, &dims, &HiddenValues::default());
                let counted = block.iter().filter(|byte| **byte == 0xee).count();
                assert_eq!(
                    counted, 0,
                    "{file} {}: every byte is written",
                    kernel.info.name
                );
            }
        }
    }
}
