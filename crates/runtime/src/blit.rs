//! The runtime's own kernels: copy and fill on the device.
//!
//! Source and code object are in `kernels/`. They take explicit arguments only, in groups of 256.

use hrx_gfx::object::{CodeObject, TargetId};
use hrx_hal::MemoryKind;
use hrx_hal::memory::Buffer;
use hrx_hal::queue::{Completion, EventKind};

use crate::device::{Device, NULL_LANE};
use crate::error::{Result, RuntimeError};
use crate::kernel::{Arguments, Kernel, KernelPlace, LaunchDims};
use crate::stream::{Purpose, Stream};

/// Compiled by `kernels/build.sh`.
const CODE: &[u8] = include_bytes!("../kernels/blit.gfx1151.co");

const GROUP: u32 = 256;
/// Groups of one launch at most: enough to fill the chip, few enough to start quickly.
const MOST_GROUPS: u64 = 1024;
/// Group of the rectangle copy.
const GROUP_2D: [u32; 3] = [64, 4, 1];

/// The kernels, loaded on a device.
#[derive(Debug)]
pub(crate) struct Blit {
    /// Holds the code.
    _memory: Buffer,
    copy_b128: Kernel,
    copy_b8: Kernel,
    fill_b8: Kernel,
    fill_b16: Kernel,
    fill_b32: Kernel,
    copy_2d: Kernel,
}

/// A rectangle of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rectangle {
    pub(crate) to: u64,
    pub(crate) to_pitch: u64,
    pub(crate) from: u64,
    pub(crate) from_pitch: u64,
    pub(crate) width: u64,
    pub(crate) height: u64,
}

/// Arguments of eight bytes each but for the value of a fill, which has four.
struct Words([u8; 64]);

impl Arguments for Words {
    fn copy(&self, _: usize, offset: usize, to: &mut [u8]) {
        if let Some(from) = self.0.get(offset..offset + to.len()) {
            to.copy_from_slice(from);
        }
    }
}

impl Words {
    fn of(words: &[u64]) -> Self {
        let mut bytes = [0; 64];
        for (to, word) in bytes.chunks_exact_mut(8).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        Self(bytes)
    }
}

impl Blit {
    pub(crate) fn load(device: &Device) -> Result<Self> {
        let target = TargetId::gfx1151();
        let code = CodeObject::parse(CODE, &target)?;
        let size = usize::try_from(code.load_size).expect("a code object that was just read");
        let memory = Buffer::allocate(device.hal(), size, 4096, MemoryKind::Code)?;
        let base = memory.address() as u64;
        let mut image = vec![0; size];
        code.load_image(CODE, base, &mut image, &mut |_| None)?;
        memory.write(0, &image)?;
        device.check(device.queue(NULL_LANE)?.invalidate_code())?;
        let kernel = |name: &str| {
            let found = code.kernel(name);
            let found = found.ok_or_else(|| RuntimeError::NoSuchKernel {
                name: name.to_owned(),
            })?;
            let place = KernelPlace {
                object: base + found.descriptor_offset,
                // 0 says that the program did not launch it.
                executable_id: 0,
                function_ordinal: 0,
            };
            Ok::<_, RuntimeError>(Kernel::new(found.info.clone(), place))
        };
        Ok(Self {
            copy_b128: kernel("hrx_copy_b128")?,
            copy_b8: kernel("hrx_copy_b8")?,
            fill_b8: kernel("hrx_fill_b8")?,
            fill_b16: kernel("hrx_fill_b16")?,
            fill_b32: kernel("hrx_fill_b32")?,
            copy_2d: kernel("hrx_copy_2d")?,
            _memory: memory,
        })
    }

    /// Copies `bytes` bytes; the ranges do not overlap.
    pub(crate) fn copy(
        &self,
        stream: &Stream,
        to: u64,
        from: u64,
        bytes: u64,
    ) -> Result<Completion> {
        let aligned = (to | from).is_multiple_of(16);
        let (kernel, elements) = if aligned {
            (&self.copy_b128, bytes.div_ceil(16))
        } else {
            (&self.copy_b8, bytes)
        };
        let groups = groups(elements);
        let arguments = Words::of(&[to, from, bytes, groups * u64::from(GROUP)]);
        submit(stream, kernel, groups, &arguments, EventKind::Copy, bytes)
    }

    /// Stores the low `element_bytes` (1, 2 or 4) bytes of `value` `count` times. The address is a
    /// multiple of the element.
    pub(crate) fn fill(
        &self,
        stream: &Stream,
        to: u64,
        value: u32,
        element_bytes: u64,
        count: u64,
    ) -> Result<Completion> {
        let bytes = element_bytes * count;
        // Bytes and halves that make up whole words are filled as words.
        let word = match element_bytes {
            1 => (value & 0xff) * 0x0101_0101,
            2 => (value & 0xffff) * 0x1_0001,
            _ => value,
        };
        let (kernel, value, count) = if (to | bytes).is_multiple_of(4) {
            (&self.fill_b32, word, bytes / 4)
        } else if element_bytes == 2 {
            (&self.fill_b16, value, count)
        } else {
            (&self.fill_b8, value, count)
        };
        let groups = groups(count);
        let arguments = Words::of(&[to, u64::from(value), count, groups * u64::from(GROUP)]);
        submit(stream, kernel, groups, &arguments, EventKind::Fill, bytes)
    }

    /// Copies a rectangle; source and destination do not overlap.
    pub(crate) fn copy_2d(&self, stream: &Stream, rectangle: &Rectangle) -> Result<Completion> {
        let Rectangle {
            to,
            to_pitch,
            from,
            from_pitch,
            width,
            height,
        } = *rectangle;
        let at_most = |elements: u64, group: u32| {
            u32::try_from(elements.div_ceil(u64::from(group)).clamp(1, 64)).expect("clamped")
        };
        let grid = [
            at_most(width.div_ceil(4), GROUP_2D[0]),
            at_most(height, GROUP_2D[1]),
            1,
        ];
        let strides =
            [0, 1].map(|dimension| u64::from(grid[dimension]) * u64::from(GROUP_2D[dimension]));
        let arguments = Words::of(&[
            to, to_pitch, from, from_pitch, width, height, strides[0], strides[1],
        ]);
        let dims = LaunchDims::from_groups(grid, GROUP_2D, 0)?;
        let purpose = Purpose {
            kind: EventKind::Copy,
            payload_bytes: width * height,
            correlation_id: 0,
        };
        stream.submit(&self.copy_2d, &dims, &arguments, purpose)
    }
}

fn groups(elements: u64) -> u64 {
    elements.div_ceil(u64::from(GROUP)).clamp(1, MOST_GROUPS)
}

fn submit(
    stream: &Stream,
    kernel: &Kernel,
    groups: u64,
    arguments: &Words,
    kind: EventKind,
    payload_bytes: u64,
) -> Result<Completion> {
    let groups = u32::try_from(groups).expect("at most MOST_GROUPS");
    let dims = LaunchDims::from_groups([groups, 1, 1], [GROUP, 1, 1], 0)?;
    stream.submit(
        kernel,
        &dims,
        arguments,
        Purpose {
            kind,
            payload_bytes,
            correlation_id: 0,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The layout of kernels/blit.hip: all words but the fill's 32-bit value, which is followed by four
    /// bytes of padding.
    #[test]
    fn every_kernel_takes_its_arguments_as_words_and_nothing_hidden() {
        let code = CodeObject::parse(CODE, &TargetId::gfx1151()).expect("a good code object");
        for (name, count) in [
            ("hrx_copy_b128", 4),
            ("hrx_copy_b8", 4),
            ("hrx_fill_b8", 4),
            ("hrx_fill_b16", 4),
            ("hrx_fill_b32", 4),
            ("hrx_copy_2d", 8),
        ] {
            let info = &code.kernel(name).expect("the kernel").info;
            let offsets: Vec<u32> = info
                .explicit_args()
                .map(|argument| argument.offset)
                .collect();
            let expected: Vec<u32> = (0..count).map(|index| index * 8).collect();
            assert_eq!(offsets, expected, "{name}");
            assert_eq!(info.hidden_args().count(), 0, "{name}");
        }
    }
}
