use std::os::unix::fs::MetadataExt;

use bytemuck::Zeroable;

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
    for full in ["/proc/no/such/folder", "/proc"] {
        let side = SideFile::create_in_first(Path::new(full), folder.path(), &options).unwrap();
        assert_eq!(side.path().parent(), Some(folder.path()));
        side.remove().unwrap();
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    assert!(SideFile::create_in_first(Path::new("/proc"), Path::new("/proc"), &options).is_err());
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
