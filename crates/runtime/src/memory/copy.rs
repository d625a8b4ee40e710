//! Copies and fills.
//!
//! Between two ranges that the device can reach a kernel of ours copies, in stream order. Ordinary host
//! memory is not the device's to touch:
//!
//! - To it, and in calls that block: the stream's turn is waited for, then the host copies.
//! - From it, in calls that do not block: what fits a staging block is copied there at once; anything
//!   larger waits for its turn, as in AMD's runtime.
//!
//! Either way the source may be overwritten when the call returns.

use hrx_hal::memory::HostRange;

use super::MemoryMap;
use super::staging::BLOCK_BYTES;
use crate::blit::Rectangle;
use crate::error::{Result, RuntimeError};
use crate::stream::Stream;

/// A rectangle: rows that are `pitch` bytes apart.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// All of it, from the first byte of the first row to the last byte of the last.
    pub memory: HostRange<'a>,
    /// Bytes from row to row, at least the width.
    pub pitch: usize,
}

impl<'a> Rows<'a> {
    /// Bytes that `height` rows of `width` bytes span.
    pub fn span(pitch: usize, width: usize, height: usize) -> usize {
        match height {
            0 => 0,
            _ => pitch.saturating_mul(height - 1).saturating_add(width),
        }
    }

    fn row(&self, number: usize, width: usize) -> Option<HostRange<'a>> {
        self.memory.part(number * self.pitch, width)
    }
}

/// What a fill stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// Bytes.
    Bytes(u8),
    /// 16-bit words.
    Halves(u16),
    /// 32-bit words.
    Words(u32),
}

impl Fill {
    /// Bytes of an element.
    pub fn element_bytes(self) -> usize {
        match self {
            Self::Bytes(_) => 1,
            Self::Halves(_) => 2,
            Self::Words(_) => 4,
        }
    }

    fn value(self) -> u32 {
        match self {
            Self::Bytes(value) => value.into(),
            Self::Halves(value) => value.into(),
            Self::Words(value) => value,
        }
    }
}

impl MemoryMap {
    /// Copies `from` to `to`, of one length, in the order of `stream`. With `block` the copy is done when
    /// this returns.
    ///
    /// # Errors
    /// [`RuntimeError::BeyondAllocation`]; the device's fault.
    pub fn copy(
        &self,
        stream: &Stream,
        to: HostRange<'_>,
        from: HostRange<'_>,
        block: bool,
    ) -> Result<()> {
        let len = to.len();
        if len == 0 {
            return stream.device().healthy();
        }
        let on_device = (
            self.find_range(to.address(), len)?,
            self.find_range(from.address(), len)?,
        );
        if to.address() == from.address() {
            return if block {
                stream.synchronize()
            } else {
                stream.device().healthy()
            };
        }
        match on_device {
            (Some(_), Some(_)) if !overlap(to, from) => {
                let blit = stream.device().blit()?;
                blit.copy(
                    stream,
                    to.address() as u64,
                    from.address() as u64,
                    len as u64,
                )?;
                if block { stream.synchronize() } else { Ok(()) }
            }
            (Some(_), None) if !block && len <= BLOCK_BYTES => self.copy_staged(stream, to, from),
            _ => {
                stream.wait_turn()?;
                to.copy_from(from.as_source());
                Ok(())
            }
        }
    }

    fn copy_staged(&self, stream: &Stream, to: HostRange<'_>, from: HostRange<'_>) -> Result<()> {
        let device = stream.device();
        let Some(staged) = device.staging().take(device.hal()) else {
            stream.wait_turn()?;
            to.copy_from(from.as_source());
            return Ok(());
        };
        let len = from.len();
        staged.part(0, len)?.copy_from(from.as_source());
        let copied = device.blit().and_then(|blit| {
            blit.copy(
                stream,
                to.address() as u64,
                staged.address() as u64,
                len as u64,
            )
        });
        match copied {
            Ok(completion) => {
                device.staging().put(staged, stream.queue(), completion);
                Ok(())
            }
            Err(error) => {
                device.staging().put_unused(staged);
                Err(error)
            }
        }
    }

    /// Copies a rectangle of `width` bytes by `height` rows in the order of `stream`.
    ///
    /// # Errors
    /// As [`MemoryMap::copy`].
    pub fn copy_rows(
        &self,
        stream: &Stream,
        to: Rows<'_>,
        from: Rows<'_>,
        width: usize,
        height: usize,
        block: bool,
    ) -> Result<()> {
        if width == 0 || height == 0 {
            return stream.device().healthy();
        }
        if to.pitch == width && from.pitch == width {
            return self.copy(stream, to.memory, from.memory, block);
        }
        let (to_range, from_range) = (to.memory, from.memory);
        let on_device = (
            self.find_range(to_range.address(), to_range.len())?,
            self.find_range(from_range.address(), from_range.len())?,
        );
        if let (Some(_), Some(_), false) =
            (&on_device.0, &on_device.1, overlap(to_range, from_range))
        {
            let rectangle = Rectangle {
                to: to_range.address() as u64,
                to_pitch: to.pitch as u64,
                from: from_range.address() as u64,
                from_pitch: from.pitch as u64,
                width: width as u64,
                height: height as u64,
            };
            stream.device().blit()?.copy_2d(stream, &rectangle)?;
            return if block { stream.synchronize() } else { Ok(()) };
        }
        stream.wait_turn()?;
        for number in 0..height {
            if let (Some(to), Some(from)) = (to.row(number, width), from.row(number, width)) {
                to.copy_from(from.as_source());
            }
        }
        Ok(())
    }

    /// Fills `count` elements at `address` in the order of `stream`. With `block` the fill is done when
    /// this returns.
    ///
    /// # Errors
    /// [`RuntimeError::NotDeviceMemory`], [`RuntimeError::BeyondAllocation`],
    /// [`RuntimeError::Misaligned`]; the device's fault.
    pub fn fill(
        &self,
        stream: &Stream,
        address: usize,
        fill: Fill,
        count: usize,
        block: bool,
    ) -> Result<()> {
        let element_bytes = fill.element_bytes();
        let len = count.saturating_mul(element_bytes);
        if self.find_range(address, len)?.is_none() {
            return Err(RuntimeError::NotDeviceMemory { address });
        }
        if !address.is_multiple_of(element_bytes) {
            return Err(RuntimeError::Misaligned {
                address,
                element_bytes,
            });
        }
        if count == 0 {
            return stream.device().healthy();
        }
        let blit = stream.device().blit()?;
        blit.fill(
            stream,
            address as u64,
            fill.value(),
            element_bytes as u64,
            count as u64,
        )?;
        if block { stream.synchronize() } else { Ok(()) }
    }
}

fn overlap(one: HostRange<'_>, other: HostRange<'_>) -> bool {
    one.address() < other.address() + other.len() && other.address() < one.address() + one.len()
}
