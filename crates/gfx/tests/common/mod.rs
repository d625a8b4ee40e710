//! A small device for tests and benchmarks: memory, code objects, a dispatcher on threads.
//!
//! Guest addresses are not host addresses here, so a test notices an access that goes around the device.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use hrx_gfx::exec::{
    CodeCache, DispatchInfo, Fault, Group, Launch, LaunchError, Level, Memory, Progress, Region,
    Rights,
};
use hrx_gfx::object::{CodeObject, TargetId};

/// Memory of the device.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    pub(crate) address: u64,
    words: Arc<[AtomicU32]>,
}

impl Buffer {
    pub(crate) fn get(&self, index: usize) -> u32 {
        self.words[index].load(Ordering::Acquire)
    }

    pub(crate) fn set(&self, index: usize, value: u32) {
        self.words[index].store(value, Ordering::Release);
    }

    pub(crate) fn words(&self) -> Vec<u32> {
        (0..self.words.len()).map(|index| self.get(index)).collect()
    }

    pub(crate) fn floats(&self) -> Vec<f32> {
        self.words().into_iter().map(f32::from_bits).collect()
    }

    pub(crate) fn doubles(&self) -> Vec<f64> {
        self.quads().into_iter().map(f64::from_bits).collect()
    }

    pub(crate) fn quads(&self) -> Vec<u64> {
        self.words()
            .chunks(2)
            .map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32)
            .collect()
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.words()
            .into_iter()
            .flat_map(u32::to_le_bytes)
            .collect()
    }

    pub(crate) fn fill(&self, bytes: &[u8]) {
        for (index, dword) in bytes.chunks(4).enumerate() {
            let mut all = self.get(index).to_le_bytes();
            all[..dword.len()].copy_from_slice(dword);
            self.set(index, u32::from_le_bytes(all));
        }
    }
}

/// Values as device memory holds them.
pub(crate) trait Bytes {
    fn to_bytes(&self) -> Vec<u8>;
}

macro_rules! bytes {
    ($($type:ty)*) => {$(
        impl Bytes for [$type] {
            fn to_bytes(&self) -> Vec<u8> {
                self.iter().flat_map(|value| value.to_le_bytes()).collect()
            }
        }
    )*};
}
bytes!(u8 u16 i16 u32 i32 u64 i64 f32 f64);

#[derive(Debug, Default)]
pub(crate) struct Device {
    regions: RwLock<Vec<(Region, Arc<[AtomicU32]>)>>,
    next: AtomicU64,
    pub(crate) interrupts: Mutex<Vec<u32>>,
    ticks: AtomicU64,
    epoch: AtomicU64,
}

impl Memory for Device {
    fn region(&self, address: u64) -> Option<Region> {
        let regions = self.regions.read().unwrap();
        regions
            .iter()
            .map(|(region, _)| *region)
            .find(|region| address.wrapping_sub(region.base) < region.len)
    }

    fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    fn interrupt(&self, event_id: u32) {
        self.interrupts.lock().unwrap().push(event_id);
    }

    fn real_time(&self) -> u64 {
        self.ticks.fetch_add(7, Ordering::Relaxed)
    }
}

/// Where guest memory begins; 48-bit addresses whose high halves differ from one buffer to the next.
const FIRST: u64 = 0x0001_2345_0000_0000 & 0xffff_ffff_ffff;

impl Device {
    /// Memory of `bytes` bytes, all zero.
    pub(crate) fn alloc(&self, bytes: usize, rights: Rights) -> Buffer {
        let words: Arc<[AtomicU32]> = (0..bytes.div_ceil(4).max(1))
            .map(|_| AtomicU32::new(0))
            .collect();
        let len = (words.len() * 4) as u64;
        // A gap behind every buffer, so that running over its end faults.
        let step = len.next_multiple_of(0x1000) + 0x1000;
        let base = FIRST + self.next.fetch_add(step, Ordering::Relaxed);
        let region = Region {
            base,
            len,
            host: words.as_ptr().cast_mut().cast(),
            rights,
        };
        self.regions
            .write()
            .unwrap()
            .push((region, Arc::clone(&words)));
        Buffer {
            address: base,
            words,
        }
    }

    pub(crate) fn buffer<T>(&self, values: &[T]) -> Buffer
    where
        [T]: Bytes,
    {
        let bytes = values.to_bytes();
        let buffer = self.alloc(bytes.len(), Rights::READ | Rights::WRITE);
        buffer.fill(&bytes);
        buffer
    }

    pub(crate) fn zeroed(&self, bytes: usize) -> Buffer {
        self.alloc(bytes, Rights::READ | Rights::WRITE)
    }

    /// Takes a buffer away.
    pub(crate) fn free(&self, buffer: &Buffer) {
        self.regions
            .write()
            .unwrap()
            .retain(|(region, _)| region.base != buffer.address);
        self.epoch.fetch_add(1, Ordering::AcqRel);
    }
}

/// Compiled test kernels of the workspace.
pub(crate) fn kernel_path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/kernels")
        .join(name)
}

/// Every build of a kernel file: those of the workspace, and the one of this crate for waves of 64 lanes, see `tests/data/build.sh`.
pub(crate) fn builds_of(name: &str) -> impl Iterator<Item = PathBuf> {
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    ["O0", "O1", "O3", "O3.clang22"]
        .into_iter()
        .map(move |level| kernel_path(&format!("{name}.{level}.co")))
        .chain([own.join(format!("{name}.wave64.co"))])
        .filter(|path| path.exists())
}

/// A loaded code object.
#[derive(Debug)]
pub(crate) struct Module {
    object: CodeObject,
    base: u64,
}

/// What a launch needs beside the kernel.
#[derive(Clone, Debug)]
pub(crate) struct Dims {
    pub(crate) grid: [u32; 3],
    pub(crate) group: [u16; 3],
    pub(crate) dynamic_lds: u32,
}

impl Dims {
    pub(crate) fn x(grid: u32, group: u16) -> Self {
        Self {
            grid: [grid, 1, 1],
            group: [group, 1, 1],
            dynamic_lds: 0,
        }
    }

    pub(crate) fn xy(grid: [u32; 2], group: [u16; 2]) -> Self {
        Self {
            grid: [grid[0], grid[1], 1],
            group: [group[0], group[1], 1],
            dynamic_lds: 0,
        }
    }
}

/// Explicit kernel arguments at their natural alignment.
#[derive(Debug, Default)]
pub(crate) struct Args(Vec<u8>);

impl Args {
    fn put(mut self, bytes: &[u8]) -> Self {
        let at = self.0.len().next_multiple_of(bytes.len());
        self.0.resize(at, 0);
        self.0.extend_from_slice(bytes);
        self
    }

    pub(crate) fn ptr(self, buffer: &Buffer) -> Self {
        self.u64(buffer.address)
    }

    pub(crate) fn u64(self, value: u64) -> Self {
        self.put(&value.to_le_bytes())
    }

    pub(crate) fn u32(self, value: u32) -> Self {
        self.put(&value.to_le_bytes())
    }

    pub(crate) fn f32(self, value: f32) -> Self {
        self.put(&value.to_le_bytes())
    }
}

pub(crate) fn args() -> Args {
    Args::default()
}

impl Module {
    pub(crate) fn load(device: &Device, path: &std::path::Path) -> Self {
        let file = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let object = CodeObject::parse(&file, &TargetId::gfx1151()).expect("a gfx1151 object");
        let size = usize::try_from(object.load_size).unwrap();
        let buffer = device.alloc(size, Rights::READ | Rights::WRITE | Rights::EXECUTE);
        let mut image = vec![0; size];
        object
            .load_image(&file, buffer.address, &mut image, &mut |_| None)
            .expect("the object loads");
        buffer.fill(&image);
        Self {
            object,
            base: buffer.address,
        }
    }

    /// The dispatch of a kernel, with its arguments and packet in memory.
    pub(crate) fn dispatch(
        &self,
        device: &Device,
        name: &str,
        dims: &Dims,
        args: &Args,
    ) -> DispatchInfo {
        let kernel = self
            .object
            .kernel(name)
            .unwrap_or_else(|| panic!("no kernel {name}"));
        let info = &kernel.info;
        let mut kernarg = args.0.clone();
        kernarg.resize(kernarg.len().max(info.kernarg_segment_bytes as usize), 0);
        let dimensions = dims
            .grid
            .iter()
            .rposition(|&n| n != 1)
            .map_or(1, |last| last + 1);
        for arg in info.hidden_args() {
            let axis = |name: &str| match name.as_bytes().last() {
                Some(b'x') => 0,
                Some(b'y') => 1,
                _ => 2,
            };
            let kind = arg.value_kind.as_str();
            let value: u64 = if kind.starts_with("hidden_block_count") {
                let d = axis(kind);
                u64::from(dims.grid[d] / u32::from(dims.group[d]))
            } else if kind.starts_with("hidden_group_size") {
                u64::from(dims.group[axis(kind)])
            } else if kind.starts_with("hidden_remainder") {
                let d = axis(kind);
                u64::from(dims.grid[d] % u32::from(dims.group[d]))
            } else if kind == "hidden_grid_dims" {
                dimensions as u64
            } else {
                0
            };
            let (at, size) = (arg.offset as usize, arg.size as usize);
            kernarg[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
        }
        let kernarg_buffer = device.zeroed(kernarg.len().max(4));
        kernarg_buffer.fill(&kernarg);

        let mut packet = [0u8; 64];
        for d in 0..3 {
            packet[4 + 2 * d..][..2].copy_from_slice(&dims.group[d].to_le_bytes());
            packet[12 + 4 * d..][..4].copy_from_slice(&dims.grid[d].to_le_bytes());
        }
        let packet_buffer = device.zeroed(64);
        packet_buffer.fill(&packet);

        let mut private = info.private_segment_fixed_bytes;
        if info.uses_dynamic_stack {
            private = private.max(4096);
        }
        let wave_bytes = (private * info.wavefront_size).next_multiple_of(256);
        let scratch_base = if private > 0 {
            // Room for as many waves as the tests ever have alive.
            device.zeroed(wave_bytes as usize * 512).address
        } else {
            0
        };
        DispatchInfo {
            kernel_object: self.base + kernel.descriptor_offset,
            kernarg: kernarg_buffer.address,
            dispatch_packet: packet_buffer.address,
            queue: 0,
            dispatch_id: 0,
            grid: dims.grid,
            group: dims.group,
            dims: u8::try_from(dimensions).unwrap(),
            group_segment_bytes: info.group_segment_fixed_bytes + dims.dynamic_lds,
            private_segment_bytes: private,
            scratch_base,
            scratch_wave_bytes: wave_bytes,
            doorbell: 5,
        }
    }
}

/// Runs every group of a launch on `threads` threads, as a packet processor would: groups start in order,
/// one that yields is put aside, and a new one starts when all that are alive had a turn. Gives the number
/// of wave-instructions.
pub(crate) fn run_groups(
    device: &Device,
    launch: &Launch,
    threads: usize,
    budget: u32,
) -> Result<u64, Fault> {
    let next = AtomicU64::new(0);
    let total = launch.groups_total();
    let instructions = AtomicU64::new(0);
    let failure = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut alive: VecDeque<Group> = VecDeque::new();
                let mut spare: Vec<Group> = Vec::new();
                loop {
                    if failure.lock().unwrap().is_some() {
                        return;
                    }
                    let limit = (launch.resident_groups_limit() as usize).div_ceil(threads);
                    let mut group = None;
                    if alive.len() < limit {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        if index < total {
                            let id = launch.group_at(index);
                            group = Some(match spare.pop() {
                                Some(mut group) => {
                                    group.reset(launch, id);
                                    group
                                }
                                None => Group::new(launch, id),
                            });
                        }
                    }
                    let Some(mut group) = group.or_else(|| alive.pop_front()) else {
                        return;
                    };
                    match group.run(launch, device, budget) {
                        Progress::Yielded => alive.push_back(group),
                        Progress::Finished => {
                            instructions.fetch_add(group.instructions(), Ordering::Relaxed);
                            spare.push(group);
                        }
                        Progress::Faulted(fault) => {
                            *failure.lock().unwrap() = Some(fault);
                            return;
                        }
                    }
                }
            });
        }
    });
    match failure.into_inner().unwrap() {
        Some(fault) => Err(fault),
        None => Ok(instructions.into_inner()),
    }
}

/// The levels that this CPU has.
pub(crate) fn levels() -> impl Iterator<Item = Level> {
    Level::ALL.into_iter().filter(|level| level.is_available())
}

/// Prepares and runs.
pub(crate) fn launch(
    device: &Device,
    level: Level,
    info: &DispatchInfo,
    threads: usize,
) -> Result<u64, Fault> {
    let cache = CodeCache::with_level(level).expect("the level is there");
    let launch = Launch::prepare(&cache, device, info).expect("a good dispatch");
    run_groups(device, &launch, threads, 10_000)
}

/// Why a dispatch is refused.
pub(crate) fn refusal(device: &Device, info: &DispatchInfo) -> LaunchError {
    Launch::prepare(&CodeCache::new(), device, info).expect_err("a bad dispatch")
}

/// A generator of test values.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn u64(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn u32(&mut self) -> u32 {
        (self.u64() >> 32) as u32
    }

    /// Between -1 and 1.
    pub(crate) fn f32(&mut self) -> f32 {
        (self.u32() >> 8) as f32 / 8_388_608.0 - 1.0
    }
}
