//! Whatever the sink does, the bundle stays readable, and what is missing is counted and said.

mod common;

use std::io;

use common::*;
use hrx_profile::schema::{CHUNK_TRUNCATED, Content, DispatchEvent, RecordType, Status};
use hrx_profile::*;

/// A sink of limited room. It stores what fits, as a file system does, and fails from then on.
#[derive(Debug)]
struct Disk {
    bytes: Vec<u8>,
    room: usize,
    /// At this size the disk becomes this large, as when somebody deletes something.
    relief: Option<usize>,
    refuses_truncate: bool,
    last: bool,
}

impl Disk {
    fn new(room: usize) -> Self {
        Self {
            bytes: Vec::new(),
            room,
            relief: None,
            refuses_truncate: false,
            last: false,
        }
    }
}

impl Sink for Disk {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Room for the last records is kept, as the file sink does.
        let room = if self.last {
            self.room + 65_536
        } else {
            self.room
        };
        let free = room.saturating_sub(self.bytes.len());
        if free == 0 {
            if let Some(relief) = self.relief.take() {
                self.room = relief;
            }
            return Err(io::ErrorKind::StorageFull.into());
        }
        let count = free.min(bytes.len()).min(1000);
        self.bytes.extend_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn patch(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let at = usize::try_from(offset).unwrap();
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        if self.refuses_truncate {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        self.bytes.truncate(usize::try_from(length).unwrap());
        Ok(())
    }

    fn begin_last(&mut self) {
        self.last = true;
    }
}

fn record(disk: Disk, launches: u64) -> (Summary, Vec<u8>) {
    let mut recorder = Recorder::create(disk, session()).unwrap();
    recorder.device(&device());
    recorder.clock(&sample(0));
    recorder.clock(&sample(1));
    recorder.executable(&executable());
    let events: Vec<_> = (0..launches).map(|n| launch(n, 2, 100)).collect();
    for drain in events.chunks(64) {
        recorder.events(drain);
    }
    recorder.clock(&sample(20 + 2 * launches));
    let (summary, disk) = recorder.finish(Status::Ok);
    (summary, disk.bytes)
}

/// Dispatch events, dropped dispatch events as told, and the status in the bundle.
fn read(bytes: &[u8]) -> (u64, u64, Option<u32>) {
    let size = bytes.len() as u64;
    let path = std::path::Path::new("in memory");
    let mut reader = Reader::new(io::Cursor::new(bytes), size, path).unwrap();
    let (mut dispatches, mut told, mut status) = (0, 0, None);
    while let Some(record) = reader.next_record().unwrap() {
        if record.record_type() == RecordType::SessionEnd {
            status = Some(record.header.session_status_code);
        }
        if record.content() == Some(Content::DispatchEvents) {
            for row in record.rows::<DispatchEvent>() {
                row.unwrap();
                dispatches += 1;
            }
            let dropped = record.header.dropped_record_count;
            assert_eq!(
                record.header.chunk_flags & CHUNK_TRUNCATED != 0,
                dropped != 0
            );
            told += dropped;
        }
    }
    (dispatches, told, status)
}

#[test]
fn a_disk_that_fills_up_anywhere_leaves_a_readable_bundle_that_counts_what_is_missing() {
    let upstream = upstream();
    let folder = tempfile::tempdir().unwrap();
    let whole = record(Disk::new(usize::MAX / 2), 500).1.len();
    for room in (400..whole).step_by(997) {
        let (summary, bytes) = record(Disk::new(room), 500);
        let (dispatches, told, status) = read(&bytes);
        assert_eq!(dispatches, summary.dispatches_recorded, "room {room}");
        assert_eq!(
            dispatches + told,
            500,
            "room {room}: every loss is told in the bundle"
        );
        assert_eq!(
            dispatches + summary.lost[Content::DispatchEvents.index()],
            500
        );
        let lost = summary.lost.iter().sum::<u64>() != 0;
        assert_eq!(lost, summary.failure.is_some(), "room {room}");
        let expected = if lost {
            Status::ResourceExhausted
        } else {
            Status::Ok
        };
        assert_eq!(
            (status, summary.status),
            (Some(expected.code()), expected),
            "room {room}"
        );
        assert!(
            lost || whole - room < 2000,
            "room {room}: only the last records fit in their room"
        );
        if let Some(upstream) = upstream.as_ref().filter(|_| room % 20 == 1) {
            let path = folder.path().join("full.ireeprof");
            std::fs::write(&path, &bytes).unwrap();
            for verb in ["summary", "explain", "command", "queue"] {
                upstream.text(&[verb, "--format=text"], &path);
            }
            assert_eq!(upstream.dispatches(&path), dispatches);
        }
    }
}

#[test]
fn when_space_comes_back_metadata_that_was_lost_is_written_again() {
    let upstream = upstream();
    let folder = tempfile::tempdir().unwrap();
    let whole = record(Disk::new(usize::MAX / 2), 500).1.len();
    for room in (400..whole).step_by(1777) {
        let disk = Disk {
            relief: Some(usize::MAX / 2),
            ..Disk::new(room)
        };
        let (summary, bytes) = record(disk, 500);
        let (dispatches, told, _) = read(&bytes);
        assert_eq!(dispatches + told, 500, "room {room}");
        assert_eq!(dispatches, summary.dispatches_recorded);
        if room < 2000 {
            assert!(dispatches > 0, "room {room}: recording goes on");
        }
        if let Some(upstream) = upstream.as_ref().filter(|_| room % 4 == 0) {
            let path = folder.path().join("relief.ireeprof");
            std::fs::write(&path, &bytes).unwrap();
            // It refuses events whose queue, executable or command buffer is not described.
            upstream.text(&["command", "--format=text"], &path);
            assert_eq!(upstream.dispatches(&path), dispatches);
        }
    }
}

#[test]
fn a_half_record_that_cannot_be_cut_off_is_left_out_by_the_length() {
    let (summary, bytes) = record(
        Disk {
            refuses_truncate: true,
            ..Disk::new(50_000)
        },
        500,
    );
    assert!(summary.bytes < 50_000 && bytes.len() == 50_000);
    let (dispatches, _, status) = read(&bytes);
    assert_eq!((dispatches, status), (summary.dispatches_recorded, None));
    assert!(dispatches > 0);
}

#[test]
fn a_sink_that_takes_nothing_is_an_error_at_the_start() {
    assert!(Recorder::create(Disk::new(0), session()).is_err());
    assert!(Recorder::create(Disk::new(100), session()).is_err());
}

#[test]
fn a_finished_bundle_is_replaced_and_anything_else_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.ireeprof");
    write_bundle(&path, 10, 1, 256);
    write_bundle(&path, 20, 1, 256);
    assert_eq!(read(&std::fs::read(&path).unwrap()).0, 20);

    std::fs::write(&path, "int main() { return 0; }").unwrap();
    let error = FileSink::create(&path).unwrap_err();
    assert!(matches!(error, Error::InTheWay { .. }), "{error}");
    let error = FileSink::create(folder.path()).unwrap_err();
    assert!(error.to_string().contains("not a regular file"), "{error}");
}

#[test]
fn an_unfinished_bundle_in_the_way_is_kept_for_recovery() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.ireeprof");
    let mut crashed = Recorder::create(FileSink::create(&path).unwrap(), session()).unwrap();
    crashed.device(&device());
    drop(crashed);
    write_bundle(&path, 20, 1, 256);
    let kept = folder.path().join("x.ireeprof.unfinished");
    assert_eq!(read(&std::fs::read(kept).unwrap()), (0, 0, None));
}

#[test]
fn storage_taken_ahead_is_given_back_at_the_end() {
    use std::os::unix::fs::MetadataExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.ireeprof");
    let summary = write_bundle(&path, 1000, 1, 256);
    let file = std::fs::metadata(&path).unwrap();
    assert_eq!(file.len(), summary.bytes);
    // st_blocks counts 512 bytes each, stat(2); a file system may round up to a few of its own blocks.
    assert!(
        file.blocks() * 512 < file.len() + 65_536,
        "{} blocks",
        file.blocks()
    );
}

/// Set in the process that the next test starts.
const CHILD: &str = "HRX_TEST_LIMITED_BUNDLE";

#[test]
fn a_file_size_limit_costs_events_and_not_the_program() {
    if let Some(path) = std::env::var_os(CHILD) {
        let summary = write_bundle(std::path::Path::new(&path), 5000, 1, 256);
        assert_eq!(summary.status, Status::ResourceExhausted);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.ireeprof");
    // A write beyond the limit would end the process with SIGXFSZ. 1000 blocks of 512 bytes or more.
    let output = std::process::Command::new("sh")
        .args(["-c", r#"ulimit -f 1000; exec "$0" "$@""#])
        .arg(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "a_file_size_limit_costs_events_and_not_the_program",
        ])
        .env(CHILD, &path)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let (dispatches, told, status) = read(&std::fs::read(&path).unwrap());
    assert!(dispatches > 500 && dispatches < 5000, "{dispatches}");
    assert_eq!(
        (dispatches + told, status),
        (5000, Some(Status::ResourceExhausted.code()))
    );
}
