//! Files that were damaged or made up give an error or a partial answer, never a panic.

mod common;

use std::os::unix::fs::FileExt;
use std::sync::atomic::Ordering::{Relaxed, Release};

use common::*;
use hrx_profile::*;

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 20).unwrap() % end
    }
}

/// One to four changes: a byte, a word, a cut, or a piece that is doubled.
fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(4) {
        if bytes.len() < 16 {
            return;
        }
        let at = random.below(bytes.len() - 8);
        match random.below(5) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => {
                let words = [0, 1, u64::MAX, u64::MAX >> 1, 1 << 32, u64::from(u32::MAX)];
                bytes[at..at + 8].copy_from_slice(&words[random.below(words.len())].to_le_bytes());
            }
            2 => {
                let words = [0_u32, 1, u32::MAX, 0x8000_0000, 104, 24];
                bytes[at..at + 4].copy_from_slice(&words[random.below(words.len())].to_le_bytes());
            }
            3 => bytes.truncate(at),
            _ => {
                let piece = bytes[at..(at + 200).min(bytes.len())].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
}

#[test]
fn mutated_bundles_are_read_or_refused() {
    // Recovery waits for the disk; in memory it does not.
    let folder = tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap();
    let path = folder.path().join("x.ireeprof");
    write_bundle(&path, 40, 3, 7);
    let finished = std::fs::read(&path).unwrap();
    let mut unfinished = finished.clone();
    unfinished[16..24].fill(0);
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut read, mut refused) = (0, 0);
    for round in 0..4000 {
        let mut bytes = if round % 2 == 0 {
            finished.clone()
        } else {
            unfinished.clone()
        };
        mutate(&mut bytes, &mut random);
        std::fs::write(&path, &bytes).unwrap();
        match Model::load(&path) {
            Ok(model) => {
                let kernels = model.kernels();
                assert!(kernels.calls <= 200);
                model.stream_times();
                read += 1;
            }
            Err(error) => {
                let sentence = error.to_string();
                assert!(
                    !sentence.contains('\n') && sentence.len() > 10,
                    "{sentence}"
                );
                refused += 1;
            }
        }
        if let Ok(report) = recover(&path, None)
            && !report.was_complete
        {
            Model::load(&path).unwrap();
        }
    }
    assert!(
        read > 500 && refused > 500,
        "{read} read, {refused} refused"
    );
}

#[test]
fn mutated_side_files_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let side = SideFile::create(&SideOptions {
        bundle_path: &folder.path().join("x.ireeprof"),
        session_id: 1,
        tick_frequency_hz: 0,
        directory: Some(folder.path()),
    })
    .unwrap();
    let ring = side.add_ring(0, 0).unwrap();
    for n in 0..40 {
        let event = launch(n, 1, 256);
        let slot = ring.slot(n);
        slot.signal.reset();
        slot.info.publish(n, &event.info);
        slot.signal.value.store(0, Relaxed);
        ring.positions().write.store(n + 1, Release);
    }
    side.set_clock(&sample(3));
    let whole = std::fs::read(side.path()).unwrap();
    // Header and table, or positions and the slots in use as well: the rest of the 12 MiB is zeros.
    let heads = [640, 8192 + 4096 + 64 * 192];
    let path = folder.path().join("mutated.side");
    let mut random = Random(42);
    let (mut read, mut refused) = (0, 0);
    std::fs::write(&path, &whole).unwrap();
    for round in 0..2000 {
        let head = heads[round % 2];
        let mut bytes = whole[..head].to_vec();
        mutate(&mut bytes, &mut random);
        bytes.resize(head, 0);
        let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.write_all_at(&whole[..heads[1]], 0).unwrap();
        file.write_all_at(&bytes, 0).unwrap();
        let found = SideFile::open_for_recovery(&path)
            .and_then(|side| Ok((side.leftovers()?, side.clocks()?, side.owner_alive()?)));
        match found {
            Ok((leftovers, clocks, _)) => {
                assert!(leftovers.completed.len() <= 65_536 && clocks.len() <= 16);
                read += 1;
            }
            Err(_) => refused += 1,
        }
    }
    assert!(read > 100 && refused > 20, "{read} read, {refused} refused");
}
