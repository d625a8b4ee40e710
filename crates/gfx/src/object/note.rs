//! The metadata note: what a launch must know of each kernel.
//!
//! An ELF note named `AMDGPU` of type 32 holds one MessagePack map. Keys are those of the LLVM AMDGPU
//! usage guide, code object v4 to v6; keys not read here are ignored. Integers come in any width.

use std::fmt;

use rmpv::ValueRef;

use super::ObjectError;

/// Owner of the note.
pub(super) const NOTE_NAME: &[u8] = b"AMDGPU";
/// NT_AMDGPU_METADATA.
pub(super) const NOTE_TYPE: u32 = 32;

/// The document nests five deep: root, kernels, kernel, arguments, argument.
const DEEPEST_NESTING: usize = 16;

/// What the note says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    /// Major and minor version of the metadata: 1.1 in code object v4, 1.2 in v5 and v6.
    pub version: (u32, u32),
    /// `amdgcn-amd-amdhsa--gfx1151`, where stated.
    pub target: Option<String>,
    /// All kernels, in file order.
    pub kernels: Vec<KernelInfo>,
    /// Format strings of buffered printf, each `id:count:sizes...:format`.
    pub printf: Vec<String>,
}

/// One kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelInfo {
    /// The mangled name, as the host registers it.
    pub name: String,
    /// The descriptor's symbol: the name and `.kd`.
    pub symbol: String,
    /// Length of the argument block, to the end of the last argument; not rounded up.
    pub kernarg_segment_bytes: u32,
    /// Alignment of the argument block: 4 or 8.
    pub kernarg_segment_align: u32,
    /// LDS that every work-group needs; a launch may add more.
    pub group_segment_fixed_bytes: u32,
    /// Scratch per lane, without a dynamic stack.
    pub private_segment_fixed_bytes: u32,
    /// Lanes per wave: 32 or 64.
    pub wavefront_size: u32,
    /// SGPRs used, VCC included; not rounded up.
    pub sgpr_count: u32,
    /// VGPRs used; not rounded up.
    pub vgpr_count: u32,
    /// The most work-items that a work-group may have.
    pub max_flat_workgroup_size: u32,
    /// The only work-group size that the kernel may be launched with.
    pub reqd_workgroup_size: Option<[u32; 3]>,
    /// Indirect calls or recursion: the launch must add a stack to the scratch.
    pub uses_dynamic_stack: bool,
    /// A work-group may use both compute units of a WGP.
    pub workgroup_processor_mode: bool,
    /// The grid must be a multiple of the work-group in each dimension.
    pub uniform_work_group_size: bool,
    /// When it is to be launched.
    pub kind: KernelKind,
    /// All arguments, explicit ones first.
    pub args: Vec<ArgInfo>,
}

impl KernelInfo {
    /// The arguments that the program passes, in order.
    pub fn explicit_args(&self) -> impl Iterator<Item = &ArgInfo> {
        self.args.iter().filter(|arg| !arg.value_kind.is_hidden())
    }

    /// The arguments that the runtime fills in.
    pub fn hidden_args(&self) -> impl Iterator<Item = &ArgInfo> {
        self.args.iter().filter(|arg| arg.value_kind.is_hidden())
    }

    /// Bytes of the argument block up to the end of the last explicit argument.
    pub fn explicit_args_bytes(&self) -> u32 {
        self.explicit_args()
            .map(|arg| arg.offset + arg.size)
            .max()
            .unwrap_or(0)
    }
}

/// When a kernel is to be launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KernelKind {
    /// When the program says so.
    #[default]
    Normal,
    /// Once, by a single work-item, after the code object is loaded and before its other kernels.
    Init,
    /// Once, by a single work-item, before the code object is unloaded.
    Fini,
}

/// One argument of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgInfo {
    /// As in the source. HIP's compiler does not say.
    pub name: Option<String>,
    /// As in the source. HIP's compiler does not say.
    pub type_name: Option<String>,
    /// Where it is in the argument block, in bytes; for hidden arguments too.
    pub offset: u32,
    /// Length in bytes. `offset + size` is within the argument block.
    pub size: u32,
    /// What to put there.
    pub value_kind: ValueKind,
    /// What a pointer points to.
    pub address_space: Option<AddressSpace>,
    /// What the source says of its use.
    pub access: Option<Access>,
    /// What the compiler proved of its use.
    pub actual_access: Option<Access>,
    /// The pointee is const.
    pub is_const: bool,
    /// The pointer is restrict.
    pub is_restrict: bool,
    /// The pointee is volatile.
    pub is_volatile: bool,
    /// The argument is an OpenCL pipe.
    pub is_pipe: bool,
    /// Alignment in LDS that a dynamic shared pointer's target needs, in bytes.
    pub pointee_align: Option<u32>,
}

/// An enum whose variants have one spelling each, with a variant for spellings not known here.
macro_rules! spelled {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$variant_meta])* $variant,)*
            /// A spelling that this version does not know.
            Unknown(String),
        }

        impl $name {
            /// The variant with this spelling.
            pub fn from_text(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)*
                    _ => Self::Unknown(text.to_owned()),
                }
            }

            /// The spelling.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Unknown(text) => text,
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

spelled! {
    /// What an argument is. Hidden ones are the runtime's to fill in; sizes and meanings are those of
    /// the guide's tables of implicit arguments.
    ValueKind {
        /// The value itself.
        ByValue = "by_value",
        /// A device address.
        GlobalBuffer = "global_buffer",
        /// An offset in LDS.
        DynamicSharedPointer = "dynamic_shared_pointer",
        /// Address of a sampler descriptor.
        Sampler = "sampler",
        /// Address of an image descriptor.
        Image = "image",
        /// Address of an OpenCL pipe.
        Pipe = "pipe",
        /// Address of an OpenCL device queue.
        Queue = "queue",
        /// Room that nobody reads.
        HiddenNone = "hidden_none",
        /// Work-groups of full size in x (u32).
        HiddenBlockCountX = "hidden_block_count_x",
        /// Work-groups of full size in y (u32).
        HiddenBlockCountY = "hidden_block_count_y",
        /// Work-groups of full size in z (u32).
        HiddenBlockCountZ = "hidden_block_count_z",
        /// Work-items of a full work-group in x (u16).
        HiddenGroupSizeX = "hidden_group_size_x",
        /// Work-items of a full work-group in y (u16).
        HiddenGroupSizeY = "hidden_group_size_y",
        /// Work-items of a full work-group in z (u16).
        HiddenGroupSizeZ = "hidden_group_size_z",
        /// Work-items of the partial work-group in x (u16), 0 if there is none.
        HiddenRemainderX = "hidden_remainder_x",
        /// Work-items of the partial work-group in y (u16), 0 if there is none.
        HiddenRemainderY = "hidden_remainder_y",
        /// Work-items of the partial work-group in z (u16), 0 if there is none.
        HiddenRemainderZ = "hidden_remainder_z",
        /// First work-item id in x (i64).
        HiddenGlobalOffsetX = "hidden_global_offset_x",
        /// First work-item id in y (i64).
        HiddenGlobalOffsetY = "hidden_global_offset_y",
        /// First work-item id in z (i64).
        HiddenGlobalOffsetZ = "hidden_global_offset_z",
        /// Dimensions of the grid, 1 to 3 (u16).
        HiddenGridDims = "hidden_grid_dims",
        /// Address of the buffer of buffered printf.
        HiddenPrintfBuffer = "hidden_printf_buffer",
        /// Address of the hostcall buffer.
        HiddenHostcallBuffer = "hidden_hostcall_buffer",
        /// Address of the state of a cooperative launch.
        HiddenMultigridSyncArg = "hidden_multigrid_sync_arg",
        /// Address of the device heap.
        HiddenHeapV1 = "hidden_heap_v1",
        /// Address of OpenCL's default device queue.
        HiddenDefaultQueue = "hidden_default_queue",
        /// Address of OpenCL's completion action.
        HiddenCompletionAction = "hidden_completion_action",
        /// LDS bytes that the launch adds (u32).
        HiddenDynamicLdsSize = "hidden_dynamic_lds_size",
        /// High half of the private aperture (u32); gfx8 and older.
        HiddenPrivateBase = "hidden_private_base",
        /// High half of the shared aperture (u32); gfx8 and older.
        HiddenSharedBase = "hidden_shared_base",
        /// Address of the queue that runs the kernel.
        HiddenQueuePtr = "hidden_queue_ptr",
    }
}

impl ValueKind {
    /// Whether the runtime fills it in, not the program. Every hidden kind, known here or not, says so
    /// in its spelling.
    pub fn is_hidden(&self) -> bool {
        self.as_str().starts_with("hidden_")
    }
}

spelled! {
    /// What a pointer argument points to.
    AddressSpace {
        /// Scratch.
        Private = "private",
        /// Device memory.
        Global = "global",
        /// Device memory that the kernel does not change.
        Constant = "constant",
        /// LDS.
        Local = "local",
        /// Any of private, global and local.
        Generic = "generic",
        /// Global data share.
        Region = "region",
    }
}

spelled! {
    /// How a kernel uses what an argument points to.
    Access {
        /// It reads only.
        ReadOnly = "read_only",
        /// It writes only.
        WriteOnly = "write_only",
        /// It does both.
        ReadWrite = "read_write",
    }
}

impl Metadata {
    /// Reads the note's content.
    pub fn parse(note: &[u8]) -> Result<Self, ObjectError> {
        let mut rest = note;
        let root = rmpv::decode::read_value_ref_with_max_depth(&mut rest, DEEPEST_NESTING)
            .map_err(|error| malformed(format!("no MessagePack: {error}")))?;
        let root = Map::new(&root, "the root")?;
        let version = root.required_array("amdhsa.version")?;
        let version = match version {
            [major, minor] => (
                root.u32(major, "amdhsa.version")?,
                root.u32(minor, "amdhsa.version")?,
            ),
            _ => {
                return Err(malformed(
                    "`amdhsa.version` of the root has not two numbers",
                ));
            }
        };
        if version.0 != 1 {
            return Err(malformed(format!(
                "version is {}.{}, expected 1.x",
                version.0, version.1
            )));
        }
        let kernels = root
            .required_array("amdhsa.kernels")?
            .iter()
            .map(KernelInfo::parse)
            .collect::<Result<_, _>>()?;
        let printf = root
            .array("amdhsa.printf")?
            .unwrap_or_default()
            .iter()
            .map(|format| root.text(format, "amdhsa.printf").map(str::to_owned))
            .collect::<Result<_, _>>()?;
        let target = root.optional_text("amdhsa.target")?.map(str::to_owned);
        Ok(Self {
            version,
            target,
            kernels,
            printf,
        })
    }
}

impl KernelInfo {
    fn parse(value: &ValueRef<'_>) -> Result<Self, ObjectError> {
        let unnamed = Map::new(value, "a kernel")?;
        let name = unnamed.required_text(".name")?.to_owned();
        let whose = format!("kernel `{name}`");
        let map = Map::new(value, &whose)?;
        let kernarg_segment_bytes = map.required_u32(".kernarg_segment_size")?;
        let args = map
            .array(".args")?
            .unwrap_or_default()
            .iter()
            .map(|arg| ArgInfo::parse(arg, &whose, kernarg_segment_bytes))
            .collect::<Result<_, _>>()?;
        let wavefront_size = map.required_u32(".wavefront_size")?;
        if !matches!(wavefront_size, 32 | 64) {
            return Err(malformed(format!(
                "`.wavefront_size` of {whose} is {wavefront_size}, expected 32 or 64"
            )));
        }
        let reqd_workgroup_size = match map.array(".reqd_workgroup_size")? {
            None => None,
            Some([x, y, z]) => {
                let read = |value| map.u32(value, ".reqd_workgroup_size");
                // > 0,0,0 = free.
                Some([read(x)?, read(y)?, read(z)?]).filter(|size| *size != [0, 0, 0])
            }
            Some(_) => {
                return Err(malformed(format!(
                    "`.reqd_workgroup_size` of {whose} has not three numbers"
                )));
            }
        };
        let kind = match map.optional_text(".kind")? {
            None | Some("normal") => KernelKind::Normal,
            Some("init") => KernelKind::Init,
            Some("fini") => KernelKind::Fini,
            Some(other) => {
                return Err(malformed(format!(
                    "`.kind` of {whose} is `{other}`, expected normal, init or fini"
                )));
            }
        };
        Ok(Self {
            symbol: map.required_text(".symbol")?.to_owned(),
            kernarg_segment_bytes,
            kernarg_segment_align: map.required_u32(".kernarg_segment_align")?,
            group_segment_fixed_bytes: map.required_u32(".group_segment_fixed_size")?,
            private_segment_fixed_bytes: map.required_u32(".private_segment_fixed_size")?,
            wavefront_size,
            sgpr_count: map.required_u32(".sgpr_count")?,
            vgpr_count: map.required_u32(".vgpr_count")?,
            max_flat_workgroup_size: map.required_u32(".max_flat_workgroup_size")?,
            reqd_workgroup_size,
            uses_dynamic_stack: map.flag(".uses_dynamic_stack")?,
            workgroup_processor_mode: map.flag(".workgroup_processor_mode")?,
            uniform_work_group_size: map.flag(".uniform_work_group_size")?,
            kind,
            args,
            name,
        })
    }
}

impl ArgInfo {
    fn parse(value: &ValueRef<'_>, kernel: &str, block_bytes: u32) -> Result<Self, ObjectError> {
        let whose = format!("an argument of {kernel}");
        let map = Map::new(value, &whose)?;
        let (offset, size) = (map.required_u32(".offset")?, map.required_u32(".size")?);
        if offset.checked_add(size).is_none_or(|end| end > block_bytes) {
            return Err(malformed(format!(
                "{whose} has offset {offset} and size {size}, beyond the argument block of \
                 {block_bytes} bytes"
            )));
        }
        let owned = |key| Ok::<_, ObjectError>(map.optional_text(key)?.map(str::to_owned));
        let access = |key| Ok::<_, ObjectError>(map.optional_text(key)?.map(Access::from_text));
        Ok(Self {
            name: owned(".name")?,
            type_name: owned(".type_name")?,
            offset,
            size,
            value_kind: ValueKind::from_text(map.required_text(".value_kind")?),
            address_space: map
                .optional_text(".address_space")?
                .map(AddressSpace::from_text),
            access: access(".access")?,
            actual_access: access(".actual_access")?,
            is_const: map.flag(".is_const")?,
            is_restrict: map.flag(".is_restrict")?,
            is_volatile: map.flag(".is_volatile")?,
            is_pipe: map.flag(".is_pipe")?,
            pointee_align: map.optional_u32(".pointee_align")?,
        })
    }
}

fn malformed(reason: impl Into<String>) -> ObjectError {
    ObjectError::MalformedMetadata(reason.into())
}

/// A MessagePack map with text keys, and whose it is for messages.
struct Map<'a> {
    pairs: &'a [(ValueRef<'a>, ValueRef<'a>)],
    whose: &'a str,
}

impl<'a> Map<'a> {
    fn new(value: &'a ValueRef<'a>, whose: &'a str) -> Result<Self, ObjectError> {
        match value {
            ValueRef::Map(pairs) => Ok(Self { pairs, whose }),
            _ => Err(malformed(format!("{whose} is no map"))),
        }
    }

    fn get(&self, key: &str) -> Option<&'a ValueRef<'a>> {
        let has_key = |found: &ValueRef<'_>| match found {
            ValueRef::String(text) => text.as_str() == Some(key),
            _ => false,
        };
        self.pairs
            .iter()
            .find(|(found, _)| has_key(found))
            .map(|(_, value)| value)
    }

    fn missing(&self, key: &str) -> ObjectError {
        malformed(format!("`{key}` of {} is missing", self.whose))
    }

    fn wrong(&self, key: &str, value: &ValueRef<'_>, expected: &str) -> ObjectError {
        // A value can be the whole rest of the document.
        let found: String = value.to_string().chars().take(80).collect();
        malformed(format!(
            "`{key}` of {} is {found}, expected {expected}",
            self.whose
        ))
    }

    fn u32(&self, value: &ValueRef<'_>, key: &str) -> Result<u32, ObjectError> {
        let number = match value {
            ValueRef::Integer(number) => number.as_u64().and_then(|n| u32::try_from(n).ok()),
            _ => None,
        };
        number.ok_or_else(|| self.wrong(key, value, "an unsigned number of 32 bits"))
    }

    fn text(&self, value: &'a ValueRef<'a>, key: &str) -> Result<&'a str, ObjectError> {
        let text = match value {
            ValueRef::String(text) => text.as_str(),
            _ => None,
        };
        text.ok_or_else(|| self.wrong(key, value, "text in UTF-8"))
    }

    fn optional_u32(&self, key: &str) -> Result<Option<u32>, ObjectError> {
        self.get(key).map(|value| self.u32(value, key)).transpose()
    }

    fn required_u32(&self, key: &str) -> Result<u32, ObjectError> {
        self.optional_u32(key)?.ok_or_else(|| self.missing(key))
    }

    fn optional_text(&self, key: &str) -> Result<Option<&'a str>, ObjectError> {
        self.get(key).map(|value| self.text(value, key)).transpose()
    }

    fn required_text(&self, key: &str) -> Result<&'a str, ObjectError> {
        self.optional_text(key)?.ok_or_else(|| self.missing(key))
    }

    fn array(&self, key: &str) -> Result<Option<&'a [ValueRef<'a>]>, ObjectError> {
        match self.get(key) {
            None => Ok(None),
            Some(ValueRef::Array(items)) => Ok(Some(items)),
            Some(other) => Err(self.wrong(key, other, "an array")),
        }
    }

    fn required_array(&self, key: &str) -> Result<&'a [ValueRef<'a>], ObjectError> {
        self.array(key)?.ok_or_else(|| self.missing(key))
    }

    /// A truth value; absent is false. The guide documents some as bool that compilers write as 0
    /// or 1, so both are taken.
    fn flag(&self, key: &str) -> Result<bool, ObjectError> {
        match self.get(key) {
            None => Ok(false),
            Some(ValueRef::Boolean(value)) => Ok(*value),
            Some(value) => match self.u32(value, key) {
                Ok(number @ 0..=1) => Ok(number == 1),
                _ => Err(self.wrong(key, value, "a bool, 0 or 1")),
            },
        }
    }
}
