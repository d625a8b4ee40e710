//! Tests of execution from inside: single instructions, and words that are no program.

mod garbage;
mod launches;
mod vectors;

use super::code::{Code, CodeCache};
use super::context::{Context, RegionCache};
use super::launch::Launch;
use super::memory::{Lds, Region};
use super::wave::Wave;
use super::{DispatchInfo, Level, Memory, Rights};

use std::sync::Arc;

/// Memory of one page that is read, written and executed.
#[derive(Debug)]
pub(super) struct Page {
    bytes: Vec<std::sync::atomic::AtomicU32>,
}

/// Where the page is for the device.
pub(super) const BASE: u64 = 0x7000_0000_0000;

impl Page {
    pub(super) fn new(dwords: usize) -> Self {
        Self {
            bytes: (0..dwords)
                .map(|_| std::sync::atomic::AtomicU32::new(0))
                .collect(),
        }
    }

    pub(super) fn write(&self, offset: u64, dwords: &[u32]) {
        let first = usize::try_from(offset / 4).unwrap();
        for (place, dword) in self.bytes[first..].iter().zip(dwords) {
            place.store(*dword, std::sync::atomic::Ordering::Release);
        }
    }
}

impl Memory for Page {
    fn region(&self, address: u64) -> Option<Region> {
        let region = Region {
            base: BASE,
            len: self.bytes.len() as u64 * 4,
            host: self.bytes.as_ptr().cast_mut().cast(),
            rights: Rights::all(),
        };
        region.holds(address, 1).then_some(region)
    }

    fn epoch(&self) -> u64 {
        0
    }

    fn real_time(&self) -> u64 {
        1 << 40
    }
}

/// A dispatch of the code behind a plain wave32 descriptor at the start of the page; the code begins 256
/// bytes in.
pub(super) fn dispatch(page: &Page) -> DispatchInfo {
    let mut descriptor = [0u32; 16];
    descriptor[4] = 256;
    // 256 registers; round to nearest, denormals, IEEE, DX10 clamp.
    descriptor[12] = 31 | 0x00af_0000;
    descriptor[13] = 0;
    descriptor[14] = 1 << 10;
    page.write(0, &descriptor);
    DispatchInfo {
        kernel_object: BASE,
        kernarg: BASE,
        dispatch_packet: BASE,
        queue: BASE,
        dispatch_id: 0,
        grid: [32, 1, 1],
        group: [32, 1, 1],
        dims: 1,
        group_segment_bytes: 512,
        private_segment_bytes: 0,
        scratch_base: 0,
        scratch_wave_bytes: 0,
        doorbell: 5,
    }
}

/// One wave and its surroundings, to run single instructions on.
pub(super) struct Bench {
    pub(super) page: Page,
    pub(super) launch: Launch,
    pub(super) wave: Box<Wave>,
    pub(super) lds: Lds,
    pub(super) code: Arc<Code>,
}

impl Bench {
    /// A wave about to run `words` at `level`. Behind them the program ends.
    pub(super) fn new(words: &[u32], level: Level) -> Self {
        let page = Page::new(1024);
        let info = dispatch(&page);
        page.write(256, words);
        page.write(256 + 4 * words.len() as u64, &[0xbfb0_0000]);
        let cache = CodeCache::with_level(level).unwrap();
        let launch = Launch::prepare(&cache, &page, &info).unwrap();
        let code = Arc::clone(launch.code());
        let mut lds = Lds::default();
        lds.reset(512);
        let mut wave = Wave::new();
        wave.mode = launch.mode();
        Self {
            page,
            launch,
            wave,
            lds,
            code,
        }
    }

    /// Runs until the program ends or the wave leaves otherwise; says why.
    pub(super) fn run(&mut self) -> super::wave::Leave {
        let mut regions = RegionCache::default();
        let mut cx = Context {
            memory: &self.page,
            regions: &mut regions,
            lds: &mut self.lds,
            launch: &self.launch,
        };
        let first = self.code.find(self.code.entry).unwrap();
        super::group::dispatch(&mut self.wave, &mut cx, &self.code.ops, first, 1 << 20);
        std::mem::replace(&mut self.wave.leave, super::wave::Leave::End)
    }
}
