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

/// A rectangle: rows of `width` bytes, `pitch` bytes apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// First byte of the first row.
    pub address: usize,
    /// Bytes from row to row, at least the width.
    pub pitch: usize,
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
    fn element_bytes(self) -> usize {
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
        if len == 0 || to.address() == from.address() {
            return stream.device().healthy();
        }
        let on_device = (
            self.find_range(to.address(), len)?,
            self.find_range(from.address(), len)?,
        );
        let overlap = to.address() < from.address() + len && from.address() < to.address() + len;
        match on_device {
            (Some(_), Some(_)) if !overlap => {
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

    /// Copies a rectangle of `width` bytes by `height` rows in the order of `stream`. `range` makes the
    /// host's view of an address and a length, for memory that the caller vouches for.
    ///
    /// # Errors
    /// As [`MemoryMap::copy`].
    pub fn copy_rows(
        &self,
        stream: &Stream,
        to: Rows,
        from: Rows,
        (width, height): (usize, usize),
        range: &dyn Fn(usize, usize) -> HostRange<'static>,
        block: bool,
    ) -> Result<()> {
        if width == 0 || height == 0 {
            return stream.device().healthy();
        }
        if to.pitch == width && from.pitch == width {
            let len = width.saturating_mul(height);
            return self.copy(
                stream,
                range(to.address, len),
                range(from.address, len),
                block,
            );
        }
        let extent = |rows: Rows| (rows.pitch.saturating_mul(height - 1)).saturating_add(width);
        let (to_len, from_len) = (extent(to), extent(from));
        let on_device = (
            self.find_range(to.address, to_len)?,
            self.find_range(from.address, from_len)?,
        );
        let overlap = to.address < from.address.saturating_add(from_len)
            && from.address < to.address.saturating_add(to_len);
        if let (Some(_), Some(_), false) = (&on_device.0, &on_device.1, overlap) {
            let rectangle = Rectangle {
                to: to.address as u64,
                to_pitch: to.pitch as u64,
                from: from.address as u64,
                from_pitch: from.pitch as u64,
                width: width as u64,
                height: height as u64,
            };
            stream.device().blit()?.copy_2d(stream, &rectangle)?;
            return if block { stream.synchronize() } else { Ok(()) };
        }
        stream.wait_turn()?;
        for row in 0..height {
            let to = range(to.address + row * to.pitch, width);
            to.copy_from(range(from.address + row * from.pitch, width).as_source());
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
