//! The side file at work: made by the session, read by recovery. The layout is in
//! [`schema::side`](crate::schema::side).
//!
//! # Thread safety
//! A [`SideFile`] may be shared between threads: adding rings takes a lock, clock samples are written
//! under a sequence lock by one thread at a time (a lock of ours sees to it), and rings are atomics.

mod reader;

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::{Relaxed, Release};
use std::sync::atomic::fence;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

pub use reader::{Leftovers, SideReader};

use crate::cast::{low_half, to_u32, to_usize};
use crate::error::{Error, Result};
use crate::mmap::{self, Region};
use crate::process;
use crate::schema::side::*;

/// Where side files go first: memory, so that no write-back slows a store down.
const TMPFS: &str = "/dev/shm";
/// Rings for which there must be room on tmpfs, else the file goes beside the bundle at once: what one
/// device with four hardware queues needs.
const RINGS_WITH_ROOM: u64 = 4;

const HEADER_BYTES: u32 = to_u32(to_usize(RINGS_OFFSET));

/// Memory of one ring. Clones share it; it stays mapped, at the same address, as long as one of them
/// lives.
#[derive(Clone, Debug)]
pub struct RingMemory {
    region: Arc<Region>,
}

impl RingMemory {
    /// A ring in memory of this process only, for queues without a session or when no file could be
    /// made: what it holds dies with the process.
    ///
    /// # Errors
    /// When the system has no memory.
    pub fn anonymous() -> Result<Self> {
        let region = Region::anonymous(RING_REGION_BYTES)
            .map_err(|source| Error::io("map memory for", "event ring", source))?;
        Ok(Self {
            region: Arc::new(region),
        })
    }

    /// The four positions.
    pub fn positions(&self) -> &RingPositions {
        self.region.get(0)
    }

    /// All [`RING_CAPACITY`] slots.
    pub fn slots(&self) -> &[EventSlot] {
        self.region.slice(SLOTS_OFFSET, RING_CAPACITY as usize)
    }

    /// The slot of a position.
    pub fn slot(&self, position: u64) -> &EventSlot {
        &self.slots()[to_usize(position % u64::from(RING_CAPACITY))]
    }

    /// First byte of the region, page aligned: with [`RingMemory::byte_length`] the range that a driver
    /// registers with the device.
    pub fn base(&self) -> *mut u8 {
        self.region.base()
    }

    /// Bytes of the region, a multiple of the page size.
    pub fn byte_length(&self) -> usize {
        self.region.len()
    }
}

/// What a new side file is for.
#[derive(Clone, Debug)]
pub struct SideOptions<'a> {
    /// The bundle, as an absolute path if possible: recovery may start elsewhere.
    pub bundle_path: &'a Path,
    /// Session in the bundle, from 1 upward.
    pub session_id: u64,
    /// Nominal ticks per second of the device clocks, or 0 when unknown.
    pub tick_frequency_hz: u64,
    /// Folder for the side file; by default `/dev/shm`, or the bundle's when that is missing or full.
    pub directory: Option<&'a Path>,
}

/// The side file of a live session.
///
/// Dropping it releases the lock but leaves the file, as a crash would; a clean end calls
/// [`SideFile::remove`] once everything is in the bundle.
#[derive(Debug)]
pub struct SideFile {
    file: File,
    path: PathBuf,
    created_unix_ns: u64,
    live: Region,
    growth: Mutex<u64>,
}

impl SideFile {
    /// Creates and locks the side file of this process for a session.
    ///
    /// # Errors
    /// When neither folder takes the file, or the path is longer than [`PATH_CAPACITY`].
    pub fn create(options: &SideOptions<'_>) -> Result<Self> {
        if let Some(directory) = options.directory {
            return Self::create_in(directory, options);
        }
        let beside = match options.bundle_path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        Self::create_in_first(Path::new(TMPFS), beside, options)
    }

    /// In `first` when that has room, else in `second`.
    fn create_in_first(first: &Path, second: &Path, options: &SideOptions<'_>) -> Result<Self> {
        let needed = RINGS_OFFSET + RINGS_WITH_ROOM * RING_REGION_BYTES as u64;
        let free = File::open(first).and_then(|folder| mmap::free_bytes(&folder));
        if free.is_ok_and(|free| free >= needed)
            && let Ok(side) = Self::create_in(first, options)
        {
            return Ok(side);
        }
        Self::create_in(second, options)
    }

    fn create_in(directory: &Path, options: &SideOptions<'_>) -> Result<Self> {
        let bundle = options.bundle_path.as_os_str().as_encoded_bytes();
        if bundle.len() > PATH_CAPACITY {
            let found = bundle.len();
            return Err(Error::SideFileFull {
                what: "the bundle's path",
                found,
                limit: PATH_CAPACITY,
            });
        }
        let created = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let created_unix_ns = u64::try_from(created.as_nanos()).unwrap_or(0);
        let process_id = std::process::id();
        let name = format!(
            "hrx-{process_id}-{}-{created_unix_ns:x}.side",
            options.session_id
        );
        // The bundle names it, and recovery may start in another folder.
        let path = std::path::absolute(directory.join(name))
            .map_err(|source| Error::io("find", directory, source))?;
        // The standard library opens with O_CLOEXEC, so an exec'd program does not hold the file.
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path);
        let file = file.map_err(|source| Error::io("create", &path, source))?;
        let header = SideHeader {
            magic: SIDE_MAGIC,
            version: SIDE_VERSION,
            header_bytes: HEADER_BYTES,
            slot_bytes: to_u32(SLOT_BYTES),
            ring_capacity: RING_CAPACITY,
            process_id,
            path_length: to_u32(bundle.len()),
            process_start_time: process::start_time(process_id).unwrap_or(0),
            session_id: options.session_id,
            tick_frequency_hz: options.tick_frequency_hz,
            created_unix_ns,
        };
        let prepared = mmap::lock(&file)
            .and_then(|()| mmap::allocate(&file, 0, RINGS_OFFSET, true))
            .and_then(|()| file.write_all_at(bytemuck::bytes_of(&header), 0))
            .and_then(|()| file.write_all_at(bundle, PATH_OFFSET as u64))
            .and_then(|()| Region::map_file(&file, 0, PATH_OFFSET));
        match prepared {
            Ok(live) => Ok(Self {
                file,
                path,
                created_unix_ns,
                live,
                growth: Mutex::new(RINGS_OFFSET),
            }),
            Err(source) => {
                // Best effort: the file is ours and empty, the first error is the one to tell.
                let _ = std::fs::remove_file(&path);
                Err(Error::io("prepare", path, source))
            }
        }
    }

    /// Where the file is. The bundle's first record names it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Stamp of its creation, wall clock in ns since 1970; with the path it names this file for good.
    pub fn created_unix_ns(&self) -> u64 {
        self.created_unix_ns
    }

    /// Adds the ring of a hardware queue, with real storage behind every byte of it.
    ///
    /// # Errors
    /// When the disk is full or the table of rings is; the ring can then be
    /// [`RingMemory::anonymous`], at the price of losing it with the process.
    pub fn add_ring(&self, physical_device_ordinal: u32, queue_ordinal: u32) -> Result<RingMemory> {
        let mut end = self
            .growth
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let live = self.live();
        let count = live.ring_count.load(Relaxed) as usize;
        let Some(entry) = live.rings.get(count) else {
            return Err(Error::SideFileFull {
                what: "another ring",
                found: count + 1,
                limit: MAX_RINGS,
            });
        };
        let length = RING_REGION_BYTES as u64;
        // Without storage a store into the mapping would kill the program with SIGBUS once the disk is
        // full, so it is taken now, while the failure is an error code.
        let region = mmap::allocate(&self.file, *end, length, true)
            .and_then(|()| Region::map_file(&self.file, *end, RING_REGION_BYTES));
        let region = region.map_err(|source| Error::io("add a ring to", &self.path, source))?;
        entry
            .physical_device_ordinal
            .store(physical_device_ordinal, Relaxed);
        entry.queue_ordinal.store(queue_ordinal, Relaxed);
        entry.offset.store(*end, Relaxed);
        entry.length.store(length, Relaxed);
        // Release: who sees the count sees the entry.
        live.ring_count.store(to_u32(count + 1), Release);
        *end += length;
        Ok(RingMemory {
            region: Arc::new(region),
        })
    }

    /// Keeps `sample` as its device's last one, for recovery. Samples of more than [`MAX_CLOCKS`]
    /// devices are not kept.
    pub fn set_clock(&self, sample: &ClockSample) {
        let _one_writer = self
            .growth
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let live = self.live();
        let count = live.clock_count.load(Relaxed) as usize;
        let device = |slot: &ClockSlot| low_half(slot.words[0].load(Relaxed));
        let known = live.clocks[..count.min(MAX_CLOCKS)]
            .iter()
            .position(|slot| device(slot) == sample.physical_device_ordinal);
        let Some(slot) = live.clocks.get(known.unwrap_or(count)) else {
            return;
        };
        let version = slot.version.load(Relaxed);
        slot.version.store(version + 1, Relaxed);
        // Orders the odd version before the words; pairs with the acquire fence of the reader.
        fence(Release);
        let words: [u64; size_of::<ClockSample>() / size_of::<u64>()] = bytemuck::cast(*sample);
        for (to, from) in slot.words.iter().zip(words) {
            to.store(from, Relaxed);
        }
        // Release: pairs with the reader's first load; the words are visible to who sees an even one.
        slot.version.store(version + 2, Release);
        if known.is_none() {
            live.clock_count.store(to_u32(count + 1), Release);
        }
    }

    /// Removes the file: the clean end. Rings stay mapped for those who hold them.
    ///
    /// # Errors
    /// When the system refuses; the file is then a stale one that `hrx doctor` lists.
    pub fn remove(self) -> Result<()> {
        std::fs::remove_file(&self.path).map_err(|source| Error::io("remove", &self.path, source))
    }

    /// Opens the side file of a session, dead or alive, for reading.
    ///
    /// # Errors
    /// When it is missing, not readable, not a side file, or of another version.
    pub fn open_for_recovery(path: &Path) -> Result<SideReader> {
        SideReader::open(path)
    }

    fn live(&self) -> &SideLive {
        self.live.get(LIVE_OFFSET)
    }
}

#[cfg(test)]
mod tests;
