//! The side file at work: made by the session, read by recovery. The layout is in
//! [`schema::side`](crate::schema::side).
//!
//! # Thread safety
//! A [`SideFile`] may be shared between threads: adding rings takes a lock, clock samples are written
//! under a sequence lock by one thread at a time (a lock of ours sees to it), and rings are atomics.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::{Relaxed, Release};
use std::sync::atomic::fence;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use bytemuck::Zeroable;

use crate::cast::{low_half, to_u32, to_usize};
use crate::describe::CompletedEvent;
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
    fn open(path: &Path) -> Result<Self> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn side_in(directory: &Path) -> SideFile {
        SideFile::create(&SideOptions {
            bundle_path: Path::new("/tmp/some.ireeprof"),
            session_id: 3,
            tick_frequency_hz: 100_000_000,
            directory: Some(directory),
        })
        .expect("a temporary folder takes a side file")
    }

    fn push(ring: &RingMemory, position: u64, ticks: Option<(u64, u64)>) {
        let slot = ring.slot(position);
        slot.signal.reset();
        let info = EventInfo {
            command_index: low_half(position),
            ..Default::default()
        };
        slot.info.publish(position, &info);
        if let Some((start, end)) = ticks {
            slot.signal.start_ts.store(start, Relaxed);
            slot.signal.end_ts.store(end, Relaxed);
            slot.signal.value.store(0, Release);
        }
        ring.positions().write.store(position + 1, Release);
    }

    #[test]
    fn a_reader_finds_the_completed_events_between_durable_and_write() {
        let folder = tempfile::tempdir().unwrap();
        let side = side_in(folder.path());
        let ring = side.add_ring(0, 2).unwrap();
        for position in 0..4 {
            push(
                &ring,
                position,
                (position != 2).then_some((10 + position, 20 + position)),
            );
        }
        ring.positions().durable.store(1, Release);
        // Reserved, never filled.
        ring.positions().write.store(5, Release);
        let found = SideFile::open_for_recovery(side.path())
            .unwrap()
            .leftovers()
            .unwrap();
        let indexes: Vec<_> = found
            .completed
            .iter()
            .map(|e| e.info.command_index)
            .collect();
        assert_eq!(indexes, [1, 3]);
        let last = found.completed[1];
        assert_eq!((last.start_ticks, last.end_ticks), (13, 23));
        assert_eq!((last.device_ordinal, last.queue_ordinal), (0, 2));
        assert_eq!(
            (found.incomplete, found.unfilled, found.damaged_rings),
            (1, 1, 0)
        );
    }

    #[test]
    fn positions_run_past_the_capacity_and_old_events_are_not_taken_for_new_ones() {
        let folder = tempfile::tempdir().unwrap();
        let side = side_in(folder.path());
        let ring = side.add_ring(0, 0).unwrap();
        let capacity = u64::from(RING_CAPACITY);
        push(&ring, 0, Some((1, 2)));
        push(&ring, 1, Some((1, 2)));
        ring.positions().durable.store(capacity - 1, Release);
        push(&ring, capacity - 1, Some((7, 8)));
        push(&ring, capacity, Some((9, 10)));
        // Slot 1 is reserved again but still holds the event of position 1.
        ring.positions().write.store(capacity + 2, Release);
        let found = SideFile::open_for_recovery(side.path())
            .unwrap()
            .leftovers()
            .unwrap();
        let starts: Vec<_> = found.completed.iter().map(|e| e.start_ticks).collect();
        assert_eq!((starts, found.unfilled), (vec![7, 9], 1));
    }

    #[test]
    fn the_last_clock_sample_of_each_device_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let side = side_in(folder.path());
        let sample = |device, tick| ClockSample {
            physical_device_ordinal: device,
            device_tick: tick,
            ..Default::default()
        };
        for (device, tick) in [(0, 1), (1, 5), (0, 2), (1, 6)] {
            side.set_clock(&sample(device, tick));
        }
        let clocks = SideFile::open_for_recovery(side.path())
            .unwrap()
            .clocks()
            .unwrap();
        assert_eq!(clocks, [sample(0, 2), sample(1, 6)]);
    }

    #[test]
    fn where_there_is_no_room_the_second_folder_gets_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let options = SideOptions {
            bundle_path: Path::new("some.ireeprof"),
            session_id: 1,
            tick_frequency_hz: 0,
            directory: None,
        };
        // Neither exists as a place for files: the one is missing, the other has no free bytes.
        for full in ["/no/such/folder", "/proc"] {
            let side = SideFile::create_in_first(Path::new(full), folder.path(), &options).unwrap();
            assert_eq!(side.path().parent(), Some(folder.path()));
            side.remove().unwrap();
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(
            SideFile::create_in_first(Path::new("/proc"), Path::new("/proc"), &options).is_err()
        );
    }

    #[test]
    fn every_byte_of_a_ring_has_storage() {
        let folder = tempfile::tempdir().unwrap();
        let side = side_in(folder.path());
        side.add_ring(0, 0).unwrap();
        let file = side.path().metadata().unwrap();
        assert_eq!(file.len(), RINGS_OFFSET + RING_REGION_BYTES as u64);
        // st_blocks counts 512 bytes each, stat(2).
        assert!(file.blocks() * 512 >= file.len());
        assert_eq!(file.mode() & 0o777, 0o600);
    }

    #[test]
    fn other_files_are_refused_with_what_was_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        for (bytes, says) in [
            (&b"short"[..], "fewer than 64 bytes"),
            (&[1; 9000], "magic"),
        ] {
            std::fs::write(&path, bytes).unwrap();
            let error = SideFile::open_for_recovery(&path).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
        let mut header = SideHeader::zeroed();
        header.magic = SIDE_MAGIC;
        header.version = SIDE_VERSION + 1;
        std::fs::write(&path, bytemuck::bytes_of(&header)).unwrap();
        let error = SideFile::open_for_recovery(&path).unwrap_err().to_string();
        assert!(error.contains("version"), "{error}");
    }

    #[test]
    fn impossible_positions_leave_the_ring_out() {
        let folder = tempfile::tempdir().unwrap();
        let side = side_in(folder.path());
        let ring = side.add_ring(0, 0).unwrap();
        ring.positions().durable.store(9, Release);
        let found = SideFile::open_for_recovery(side.path())
            .unwrap()
            .leftovers()
            .unwrap();
        assert_eq!((found.completed.len(), found.damaged_rings), (0, 1));
    }

    #[test]
    fn a_mapping_keeps_a_session_alive_whose_lock_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let side = side_in(folder.path());
        // The lock is this process's own, which F_GETLK does not report; the mapping is what tells.
        let reader = SideFile::open_for_recovery(side.path()).unwrap();
        assert_eq!(reader.owner_alive().unwrap(), Some(std::process::id()));
        drop(side);
        assert_eq!(reader.owner_alive().unwrap(), None);
    }
}
