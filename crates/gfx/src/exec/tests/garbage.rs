//! Words that are no program must neither panic nor hang: they fault.

use super::super::code::CodeCache;
use super::super::group::Group;
use super::super::launch::Launch;
use super::super::simd::Level;
use super::super::{FaultKind, Progress};
use super::{Page, dispatch};

struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        u32::try_from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32).unwrap()
    }
}

fn run(words: &[u32], wave64: bool, level: Level) -> Progress {
    let page = Page::new(1024);
    let info = dispatch(&page);
    if wave64 {
        page.write(56, &[0]);
    }
    page.write(256, words);
    let cache = CodeCache::with_level(level).unwrap();
    let launch = Launch::prepare(&cache, &page, &info).unwrap();
    let mut group = Group::new(&launch, [0; 3]);
    let mut progress = group.run(&launch, &page, 2000);
    for _ in 0..3 {
        if progress != Progress::Yielded {
            break;
        }
        progress = group.run(&launch, &page, 2000);
    }
    progress
}

#[test]
fn random_words_fault_end_or_yield() {
    let mut random = Random(1151);
    let mut kinds = [0u32; 3];
    for round in 0..3000 {
        let words: Vec<u32> = (0..40).map(|_| random.next()).collect();
        match run(&words, round % 2 == 1, Level::best()) {
            Progress::Yielded => kinds[0] += 1,
            Progress::Finished => kinds[1] += 1,
            Progress::Faulted(_) => kinds[2] += 1,
        }
    }
    assert!(kinds[2] > 2000, "random words rarely end well: {kinds:?}");
}

#[test]
fn random_operands_of_real_opcodes_do_not_panic() {
    // Opcodes that exist, one after the other, with any operands, so that many run before one faults.
    let mut random = Random(42);
    let rows: Vec<_> = super::super::rows::all()
        .filter(|entry| entry.format != crate::isa::Format::Sopp)
        .collect();
    for round in 0..4000usize {
        let mut words = Vec::new();
        for n in 0..8 {
            let entry = rows[(round * 8 + n) % rows.len()];
            let opcode = u32::from(entry.opcode);
            use crate::isa::Format::*;
            let (fixed, free, dwords) = match entry.format {
                Sop2 => (0b10 << 30 | opcode << 23, 0x007f_ffff, 1),
                Sopk => (0b1011 << 28 | opcode << 23, 0x007f_ffff, 1),
                Sop1 => (0b1_0111_1101 << 23 | opcode << 8, 0x007f_00ff, 1),
                Sopc => (0b1_0111_1110 << 23 | opcode << 16, 0x0000_ffff, 1),
                Vop2 => (opcode << 25, 0x01ff_ffff, 1),
                Vopc => (0b11_1110 << 25 | opcode << 17, 0x0001_ffff, 1),
                Vop1 => (0b11_1111 << 25 | opcode << 9, 0x01fe_01ff, 1),
                Vop3 => (0b11_0101 << 26 | opcode << 16, 0x0000_ffff, 2),
                Vop3p => (0b1100_1100 << 24 | opcode << 16, 0x0000_ffff, 2),
                Smem => (0b11_1101 << 26 | opcode << 18, 0x0003_ffff, 2),
                Ds => (0b11_0110 << 26 | opcode << 18, 0x0001_ffff, 2),
                Flat => (0b11_0111 << 26 | opcode << 18, 0x0000_ffff, 2),
                Scratch => (0b11_0111 << 26 | opcode << 18 | 1 << 16, 0x0000_ffff, 2),
                Global => (0b11_0111 << 26 | opcode << 18 | 2 << 16, 0x0000_ffff, 2),
                Mubuf => (0b11_1000 << 26 | opcode << 18, 0x0003_ffff, 2),
                other => panic!("{other:?} has no entries"),
            };
            words.push(fixed | random.next() & free);
            for _ in 1..dwords {
                words.push(random.next());
            }
            // A literal or a DPP dword, if one is asked for; else a harmless instruction.
            let decoded = crate::isa::decode(&words[words.len() - dwords..]);
            if decoded.is_err() {
                words.push(random.next());
            }
        }
        words.push(0xbfb0_0000);
        let level = Level::ALL[round % 3];
        if level.is_available() {
            run(&words, round % 5 == 4, level);
        }
    }
}

#[test]
fn an_opcode_that_we_lack_faults_with_its_name_and_place() {
    // image_load v0, v1, s[0:7] dmask:0x1 dim:1D, by llvm-mc 19; before it a wait, which counts for nothing.
    let words = [0xbf89_03f7, 0xf000_0100, 0x0000_0001, 0xbfb0_0000];
    let Progress::Faulted(fault) = run(&words, false, Level::Baseline) else {
        panic!("images are a planned gap");
    };
    assert_eq!(
        fault.kind,
        FaultKind::Unsupported {
            mnemonic: "image_load".to_owned()
        }
    );
    assert_eq!(fault.pc, super::BASE + 260);
    assert!(
        fault.instruction.starts_with("image_load v0, v1, s[0:7]"),
        "{}",
        fault.instruction
    );
    assert!(
        fault
            .to_string()
            .contains("unsupported instruction image_load"),
        "{fault}"
    );
}

#[test]
fn an_opcode_that_does_not_exist_is_illegal() {
    for words in [
        [0x8380_0000, 0, 0xbfb0_0000],
        [0xbf9f_0000, 0, 0],
        [0xcf00_0000, 0, 0],
    ] {
        let Progress::Faulted(fault) = run(&words, false, Level::Baseline) else {
            panic!("{words:x?} is no instruction");
        };
        assert_eq!(fault.kind, FaultKind::IllegalInstruction);
        assert_eq!(fault.pc, super::BASE + 256);
    }
}

#[test]
fn running_off_the_end_of_memory_is_a_fetch_fault() {
    let page = Page::new(66);
    let info = dispatch(&page);
    page.write(256, &[0xbf80_0000, 0xbf80_0000]);
    let launch = Launch::prepare(&CodeCache::new(), &page, &info).unwrap();
    let mut group = Group::new(&launch, [0; 3]);
    let Progress::Faulted(fault) = group.run(&launch, &page, 2000) else {
        panic!("nothing is there");
    };
    let why = super::super::AccessError::NotPresent;
    assert_eq!(
        fault.kind,
        FaultKind::Memory {
            address: super::BASE + 264,
            why
        }
    );
}

#[test]
fn an_endless_loop_yields_and_counts() {
    // s_add_u32 s0, s0, 1; s_branch back.
    let words = [0x8000_8100, 0xbfa0_fffe];
    let page = Page::new(1024);
    let info = dispatch(&page);
    page.write(256, &words);
    let launch = Launch::prepare(&CodeCache::new(), &page, &info).unwrap();
    let mut group = Group::new(&launch, [0; 3]);
    assert_eq!(group.run(&launch, &page, 1000), Progress::Yielded);
    assert_eq!(group.run(&launch, &page, 1000), Progress::Yielded);
    assert_eq!(group.instructions(), 2000);
}
