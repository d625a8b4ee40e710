//! Code objects on the device: loads one, lays out arguments of a kernel.

use hrx_gfx::object::{CodeObject, TargetId, ValueKind};

use crate::client::{CODE, CONTROL, Client, Memory, dispatch};

/// A code object in device memory.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) memory: Memory,
    pub(crate) object: CodeObject,
}

impl Module {
    /// Loads one of the checked-in objects and names it.
    pub(crate) fn load(client: &Client, name: &str) -> Self {
        let path = format!("{}/../../tests/kernels/{name}", env!("CARGO_MANIFEST_DIR"));
        let file = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let object =
            CodeObject::parse(&file, &TargetId::gfx1151()).expect("an object of this chip");
        let bytes = usize::try_from(object.load_size).expect("64 bits");
        let memory = client.memory(bytes.next_multiple_of(4096), CODE);
        let mut image = vec![0; bytes];
        object
            .load_image(&file, memory.address(), &mut image, &mut |_| None)
            .expect("no outside variables");
        memory.write(0, &image);
        let symbols = object.functions.iter().map(|symbol| {
            (
                memory.address() + symbol.offset,
                symbol.size_bytes,
                symbol.name.clone(),
            )
        });
        client
            .vgpu
            .name_code(memory.address(), object.load_size, name, symbols.collect());
        Self { memory, object }
    }

    /// Address of a kernel's descriptor.
    pub(crate) fn kernel(&self, name: &str) -> u64 {
        let kernel = self.object.kernel(name).expect("a kernel of the object");
        self.memory.address() + kernel.descriptor_offset
    }

    /// Address of a kernel's first instruction.
    pub(crate) fn entry(&self, name: &str) -> u64 {
        let kernel = self.object.kernel(name).expect("a kernel of the object");
        self.memory.address() + kernel.entry_offset
    }

    /// A launch in one dimension: its packet, and the memory of its arguments.
    pub(crate) fn launch(
        &self,
        client: &Client,
        name: &str,
        arguments: &[&[u8]],
        grid: u32,
        group: u16,
        signal: u64,
    ) -> Launch {
        let kernel = self.object.kernel(name).expect("a kernel of the object");
        let memory = client.memory(4096, CONTROL);
        let explicit: Vec<_> = kernel.info.explicit_args().collect();
        assert_eq!(explicit.len(), arguments.len(), "arguments of {name}");
        for (argument, bytes) in explicit.iter().zip(arguments) {
            assert_eq!(argument.size as usize, bytes.len());
            memory.write(argument.offset as usize, bytes);
        }
        for argument in kernel.info.hidden_args() {
            let value: u32 = match argument.value_kind {
                ValueKind::HiddenBlockCountX => grid / u32::from(group),
                ValueKind::HiddenGroupSizeX => group.into(),
                ValueKind::HiddenRemainderX => grid % u32::from(group),
                ValueKind::HiddenBlockCountY
                | ValueKind::HiddenBlockCountZ
                | ValueKind::HiddenGroupSizeY
                | ValueKind::HiddenGroupSizeZ
                | ValueKind::HiddenGridDims => 1,
                _ => 0,
            };
            let bytes = u64::from(value).to_le_bytes();
            memory.write(argument.offset as usize, &bytes[..argument.size as usize]);
        }
        let mut packet = dispatch(self.kernel(name), memory.address(), grid, group, signal);
        packet.group_segment_bytes = kernel.descriptor.group_segment_fixed_bytes;
        packet.private_segment_bytes = kernel.descriptor.private_segment_fixed_bytes;
        Launch {
            packet,
            _arguments: memory,
        }
    }
}

/// A packet and what it points at.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) packet: hrx_abi::aql::KernelDispatch,
    _arguments: Memory,
}
