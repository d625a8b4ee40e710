//! A session over rings that a test fills, read back by the bundle's own reader.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::atomic::{AtomicU64, Ordering};

use hrx_profile::schema::side::{EventInfo, FLAG_RECORD, KIND_DISPATCH, RING_CAPACITY};
use hrx_profile::schema::{ClockCorrelation, Content, DispatchEvent, RecordType};
use hrx_profile::{FunctionDescription, Reader};

use super::*;
use crate::config::ProfileModes;

/// A queue without a device: the test is submitter and device at once.
#[derive(Debug)]
struct Fake {
    memory: RingMemory,
    events: EventRing,
}

impl Tap for Fake {
    fn events(&self) -> &EventRing {
        &self.events
    }

    fn retire(&self) {
        self.events.retire();
    }
}

impl Fake {
    fn new(session: &Session, queue_ordinal: u32) -> Arc<Self> {
        let memory = session.add_ring(0, queue_ordinal).expect("a ring");
        let fake = Arc::new(Self {
            events: EventRing::recorded(memory.clone()),
            memory,
        });
        session.tap(0, queue_ordinal, Arc::clone(&fake) as Arc<dyn Tap>);
        fake
    }

    /// A launch that the device has finished, or not.
    fn launch(&self, done: bool) {
        let positions = self.memory.positions();
        // Acquire: pairs with the collector's release of slots.
        let position = positions.write.load(Acquire);
        assert!(
            position - positions.durable.load(Acquire) < u64::from(RING_CAPACITY),
            "room"
        );
        let slot = self.memory.slot(position);
        slot.signal.reset();
        let info = EventInfo {
            command_buffer_id: position / 256 + 1,
            command_index: u32::try_from(position % 256).expect("small"),
            submission_id: position + 1,
            executable_id: 1,
            kind: KIND_DISPATCH,
            flags: FLAG_RECORD,
            workgroup_count: [1; 3],
            workgroup_size: [32, 1, 1],
            work_items: [32, 1, 1],
            ..EventInfo::default()
        };
        slot.info.publish(position, &info);
        positions.write.store(position + 1, Release);
        if done {
            slot.signal
                .start_ts
                .store(1000 + position * 10, Ordering::Relaxed);
            slot.signal
                .end_ts
                .store(1005 + position * 10, Ordering::Relaxed);
            slot.signal.value.store(0, Release);
        }
    }
}

fn begin(directory: &Path, modes: ProfileModes) -> (Arc<Session>, PathBuf) {
    let path = directory.join("test.ireeprof");
    let config = ProfileConfig {
        modes,
        file: Some(path.clone().into()),
    };
    let ticks = AtomicU64::new(1);
    let device = SessionDevice {
        description: DeviceDescription {
            queue_count: 4,
            is_virtual: true,
            tick_frequency_hz: 100_000_000,
            ..DeviceDescription::default()
        },
        clock: Box::new(move || {
            let tick = ticks.fetch_add(1000, Ordering::Relaxed);
            let ns = i64::try_from(tick * 10).expect("small");
            Some(hrx_hal::ClockSample {
                device_tick: tick,
                host_cpu_ns: tick * 10,
                host_system_ns: tick * 10,
                host_begin_ns: ns,
                host_end_ns: ns + 5,
            })
        }),
    };
    (
        Session::begin(&config, vec![device]).expect("a session"),
        path,
    )
}

fn executable() -> ExecutableDescription {
    let function = FunctionDescription {
        name: "spin".to_owned(),
        ..FunctionDescription::default()
    };
    ExecutableDescription {
        executable_id: 1,
        functions: vec![function],
        ..ExecutableDescription::default()
    }
}

/// Launches and clock samples in a bundle, and whether it has an end.
fn contents(path: &Path) -> (usize, usize, bool) {
    let mut reader = Reader::open(path).expect("a bundle");
    let (mut launches, mut clocks, mut ended) = (0, 0, false);
    while let Some(record) = reader.next_record().expect("whole records") {
        match record.content() {
            Some(Content::DispatchEvents) => launches += record.rows::<DispatchEvent>().count(),
            Some(Content::ClockCorrelations) => clocks += record.rows::<ClockCorrelation>().count(),
            _ => {}
        }
        ended |= record.record_type() == RecordType::SessionEnd;
    }
    (launches, clocks, ended)
}

fn all(seen: u64) -> Launches {
    Launches {
        seen,
        ..Launches::default()
    }
}

#[test]
fn every_completed_launch_of_every_queue_is_in_the_bundle() {
    let directory = tempfile::tempdir().expect("a folder");
    let (session, path) = begin(directory.path(), ProfileModes::DISPATCH);
    session.executable(&executable());
    let queues = [0, 1].map(|ordinal| Fake::new(&session, ordinal));
    for _ in 0..300 {
        queues[0].launch(true);
    }
    queues[1].launch(true);
    let statement = session.end(|| all(301)).expect("the first end");
    assert_eq!((statement.selected, statement.recorded()), (301, 301));
    assert_eq!(statement.reason_for_none(), None);
    let (launches, clocks, ended) = contents(&path);
    assert_eq!(launches, 301);
    assert!(
        clocks >= 3,
        "two at the begin, one at the end; found {clocks}"
    );
    assert!(ended);
}

#[test]
fn a_ring_many_times_over_loses_nothing_while_the_collector_drains() {
    let directory = tempfile::tempdir().expect("a folder");
    let (session, path) = begin(directory.path(), ProfileModes::DISPATCH);
    session.executable(&executable());
    let queue = Fake::new(&session, 0);
    let count = 3 * u64::from(RING_CAPACITY) + 17;
    for number in 0..count {
        let positions = queue.memory.positions();
        while number - positions.durable.load(Acquire) == u64::from(RING_CAPACITY) {
            queue.events.retire();
            queue.events.take(1);
            session.sink().wake();
            std::thread::yield_now();
        }
        queue.launch(true);
    }
    let statement = session.end(|| all(count)).expect("the first end");
    assert_eq!(statement.recorded(), count);
    assert_eq!(contents(&path).0 as u64, count);
}

#[test]
fn a_launch_that_still_runs_is_not_recorded_and_is_stated() {
    let directory = tempfile::tempdir().expect("a folder");
    let (session, path) = begin(directory.path(), ProfileModes::DISPATCH);
    session.executable(&executable());
    let queue = Fake::new(&session, 0);
    queue.launch(true);
    queue.launch(false);
    let launches = Launches {
        seen: 2,
        running: 1,
        ..Launches::default()
    };
    let statement = session.end(|| launches).expect("the first end");
    assert_eq!(statement.recorded(), 1);
    assert!(
        statement.summary().contains("1 had not completed"),
        "{}",
        statement.summary()
    );
    assert_eq!(contents(&path).0, 1);
}

#[test]
fn a_second_end_does_nothing_and_a_later_executable_is_no_harm() {
    let directory = tempfile::tempdir().expect("a folder");
    let (session, path) = begin(directory.path(), ProfileModes::DISPATCH);
    assert!(session.end(Launches::default).is_some());
    let before = std::fs::read(&path).expect("the bundle");
    assert!(session.end(Launches::default).is_none());
    session.executable(&executable());
    assert!(!session.drain());
    assert_eq!(std::fs::read(&path).expect("the bundle"), before);
}

#[test]
fn an_empty_session_is_a_whole_bundle_with_a_reason() {
    let directory = tempfile::tempdir().expect("a folder");
    let (session, path) = begin(directory.path(), ProfileModes::DISPATCH);
    let statement = session.end(Launches::default).expect("the first end");
    assert!(
        statement
            .reason_for_none()
            .expect("nothing recorded")
            .contains("no launch")
    );
    assert_eq!(contents(&path).0, 0);
    assert!(contents(&path).2);
}

#[test]
fn mode_queue_records_no_launch_and_says_that_the_mode_is_why() {
    let directory = tempfile::tempdir().expect("a folder");
    let (session, path) = begin(directory.path(), ProfileModes::QUEUE);
    let queue = Fake::new(&session, 0);
    queue.launch(true);
    let statement = session.end(|| all(1)).expect("the first end");
    let reason = statement
        .reason_for_none()
        .expect("no launch in the bundle");
    assert!(
        reason.contains("HRX_PROFILE_MODE=queue does not include dispatch"),
        "{reason}"
    );
    assert_eq!(contents(&path).0, 0);
}

#[test]
fn a_later_session_of_the_process_goes_to_name_2() {
    let directory = tempfile::tempdir().expect("a folder");
    for _ in 0..2 {
        let (session, _) = begin(directory.path(), ProfileModes::DISPATCH);
        session.end(Launches::default);
    }
    let mut names: Vec<_> = std::fs::read_dir(directory.path())
        .expect("the folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("text")
        })
        .collect();
    names.sort();
    assert_eq!(names, ["test.ireeprof", "test.ireeprof.2"]);
}

#[test]
fn a_file_that_cannot_be_made_is_an_error_and_not_a_session() {
    let config = ProfileConfig {
        modes: ProfileModes::DISPATCH,
        file: Some("/nonexistent-folder/a.ireeprof".into()),
    };
    let error = Session::begin(&config, Vec::new()).expect_err("no such folder");
    assert!(
        error.to_string().contains("/nonexistent-folder/a.ireeprof"),
        "{error}"
    );
}
