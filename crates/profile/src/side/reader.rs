//! A side file as recovery and reports read it.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use bytemuck::Zeroable;

use super::HEADER_BYTES;
use crate::cast::{to_u32, to_usize};
use crate::describe::CompletedEvent;
use crate::error::{Error, Result};
use crate::mmap;
use crate::process;
use crate::schema::side::*;

/// What the rings of a side file hold beyond the bundle.
#[derive(Clone, Debug, Default)]
pub struct Leftovers {
    /// Completed events, ring by ring in submission order.
    pub completed: Vec<CompletedEvent>,
    /// Events that were submitted and that the device had not finished.
    pub incomplete: u64,
    /// Slots that were reserved and never filled.
    pub unfilled: u64,
    /// Rings whose positions or table entry contradict the rules, and which were left out.
    pub damaged_rings: u32,
}

/// A side file as recovery and reports read it: with plain reads, never through a mapping, so a file
/// that shrinks meanwhile gives an error instead of a signal.
#[derive(Debug)]
pub struct SideReader {
    file: File,
    path: PathBuf,
    header: SideHeader,
    bundle_path: PathBuf,
}

impl SideReader {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let io = |source| Error::io("read", path, source);
        // O_NOFOLLOW and the check below: the name comes out of a file that anybody may have written.
        let mut options = OpenOptions::new();
        options
            .read(true)
            .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
        let file = options.open(path).map_err(io)?;
        let refuse = |found: String, expected: String| {
            Err(Error::NotASideFile {
                path: path.to_owned(),
                found,
                expected,
            })
        };
        if !file.metadata().map_err(io)?.is_file() {
            return refuse("not a regular file".into(), "a regular file".into());
        }
        let mut header = SideHeader::zeroed();
        if let Err(error) = file.read_exact_at(bytemuck::bytes_of_mut(&mut header), 0) {
            return match error.kind() {
                io::ErrorKind::UnexpectedEof => {
                    refuse("fewer than 64 bytes".into(), "a header of 64 bytes".into())
                }
                _ => Err(io(error)),
            };
        }
        let layout = |h: &SideHeader| (h.version, h.header_bytes, h.slot_bytes, h.ring_capacity);
        let ours = (
            SIDE_VERSION,
            HEADER_BYTES,
            to_u32(SLOT_BYTES),
            RING_CAPACITY,
        );
        if header.magic != SIDE_MAGIC {
            return refuse(
                format!("magic {:02x?}", header.magic),
                format!("{SIDE_MAGIC:02x?}"),
            );
        }
        if layout(&header) != ours {
            let name = "version, header bytes, slot bytes, slots";
            return refuse(format!("{name} {:?}", layout(&header)), format!("{ours:?}"));
        }
        let mut name = vec![0; (header.path_length as usize).min(PATH_CAPACITY)];
        file.read_exact_at(&mut name, PATH_OFFSET as u64)
            .map_err(io)?;
        let bundle_path = PathBuf::from(OsString::from_vec(name));
        Ok(Self {
            file,
            path: path.to_owned(),
            header,
            bundle_path,
        })
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whose it is.
    pub fn header(&self) -> &SideHeader {
        &self.header
    }

    /// The bundle that it belongs to, as the session named it.
    pub fn bundle_path(&self) -> &Path {
        &self.bundle_path
    }

    /// The process that still runs this session, or `None` when it is over.
    ///
    /// The lock answers first. A program that closes all its descriptors loses the lock though it goes
    /// on, so the owner's mappings are looked at too: they last exactly as long as the session's memory.
    ///
    /// # Errors
    /// When the lock cannot be asked for.
    pub fn owner_alive(&self) -> Result<Option<u32>> {
        let io = |source| Error::io("ask for the lock of", &self.path, source);
        if mmap::lock_holder(&self.file).map_err(io)?.is_some() {
            return Ok(Some(self.header.process_id));
        }
        let file = self.file.metadata().map_err(io)?;
        let owner = self.header.process_id;
        let same_process = process::start_time(owner) == Some(self.header.process_start_time);
        let alive = same_process && process::maps_file(owner, file.dev(), file.ino());
        Ok(alive.then_some(owner))
    }

    /// Whether [`SideReader::owner_alive`] names a process.
    ///
    /// # Errors
    /// As there.
    pub fn is_owner_alive(&self) -> Result<bool> {
        Ok(self.owner_alive()?.is_some())
    }

    /// The last clock sample of each device.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn clocks(&self) -> Result<Vec<ClockSample>> {
        const SLOT: usize = size_of::<ClockSlot>();
        let at = LIVE_OFFSET + std::mem::offset_of!(SideLive, clocks);
        let count_at = LIVE_OFFSET + std::mem::offset_of!(SideLive, clock_count);
        let count = (self.read_u32(count_at as u64)? as usize).min(MAX_CLOCKS);
        let mut samples = Vec::new();
        for index in 0..count {
            // A writer that died in the middle leaves an odd version for ever: give up on that sample.
            for _attempt in 0..8 {
                let offset = (at + index * SLOT) as u64;
                let before: [u64; SLOT / 8] = bytemuck::cast(self.read::<SLOT>(offset)?);
                let after: [u64; SLOT / 8] = bytemuck::cast(self.read::<SLOT>(offset)?);
                if before == after && before[0] != 0 && before[0].is_multiple_of(2) {
                    let mut words = [0; SLOT / 8 - 1];
                    words.copy_from_slice(&before[1..]);
                    samples.push(bytemuck::cast(words));
                    break;
                }
            }
        }
        Ok(samples)
    }

    /// Everything in `[durable, write)` of every ring.
    ///
    /// Of a live session this is a consistent part: an event that becomes durable meanwhile is left out,
    /// since the bundle has it.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn leftovers(&self) -> Result<Leftovers> {
        let count_at = LIVE_OFFSET + std::mem::offset_of!(SideLive, ring_count);
        let count = (self.read_u32(count_at as u64)? as usize).min(MAX_RINGS);
        let mut leftovers = Leftovers::default();
        for index in 0..count {
            if !self.ring_leftovers(index, &mut leftovers)? {
                leftovers.damaged_rings += 1;
            }
        }
        Ok(leftovers)
    }

    /// Adds what ring `index` holds; false when its entry or positions are impossible.
    fn ring_leftovers(&self, index: usize, out: &mut Leftovers) -> Result<bool> {
        const ENTRY: usize = size_of::<RingEntry>();
        /// Slots read with one call.
        const STRIDE: u64 = 512;
        let table = LIVE_OFFSET + std::mem::offset_of!(SideLive, rings);
        let entry: [u64; ENTRY / 8] =
            bytemuck::cast(self.read::<ENTRY>((table + index * ENTRY) as u64)?);
        let [who, base, length] = entry;
        let [device_ordinal, queue_ordinal]: [u32; 2] = bytemuck::cast(who);
        let expected = RINGS_OFFSET + index as u64 * RING_REGION_BYTES as u64;
        if base != expected || length != RING_REGION_BYTES as u64 {
            return Ok(false);
        }
        let position = |field: usize| self.read_u64(base + field as u64);
        let durable_at = std::mem::offset_of!(RingPositions, durable);
        // Durable before write: the distance between them is then never too small for the rules.
        let durable = position(durable_at)?;
        let write = position(std::mem::offset_of!(RingPositions, write))?;
        let capacity = u64::from(RING_CAPACITY);
        if durable > write || write == u64::MAX {
            return Ok(false);
        }
        // Of a live session, `durable` may have moved on since and `write` with it.
        let durable = durable.max(write.saturating_sub(capacity));
        let mut bytes = vec![0; to_usize(STRIDE) * SLOT_BYTES];
        let mut from = durable;
        while from < write {
            let slot_index = from % capacity;
            let count = STRIDE.min(write - from).min(capacity - slot_index);
            let bytes = &mut bytes[..to_usize(count) * SLOT_BYTES];
            let offset = base + SLOTS_OFFSET as u64 + slot_index * SLOT_BYTES as u64;
            let io = |source| Error::io("read", &self.path, source);
            self.file.read_exact_at(bytes, offset).map_err(io)?;
            // Rule 2 of the layout: what is durable by now may have been overwritten under the read.
            let still_ours = position(durable_at)?;
            for (slot, position) in bytes.chunks_exact(SLOT_BYTES).zip(from..) {
                if position < still_ours {
                    continue;
                }
                let (signal, info) = slot.split_at(size_of::<Signal>());
                let info: EventInfo = bytemuck::pod_read_unaligned(info);
                let signal: [u64; 8] = bytemuck::pod_read_unaligned(signal);
                if info.sequence != position + 1 {
                    out.unfilled += 1;
                } else if signal[1] != 0 {
                    out.incomplete += 1;
                } else {
                    out.completed.push(CompletedEvent {
                        info,
                        start_ticks: signal[4],
                        end_ticks: signal[5],
                        device_ordinal,
                        queue_ordinal,
                    });
                }
            }
            from += count;
        }
        Ok(true)
    }

    fn read<const N: usize>(&self, offset: u64) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        let result = self.file.read_exact_at(&mut bytes, offset);
        result.map_err(|source| Error::io("read", &self.path, source))?;
        Ok(bytes)
    }

    fn read_u32(&self, offset: u64) -> Result<u32> {
        self.read(offset).map(u32::from_le_bytes)
    }

    fn read_u64(&self, offset: u64) -> Result<u64> {
        self.read(offset).map(u64::from_le_bytes)
    }
}
