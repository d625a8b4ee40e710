//! A bundle whose process died is completed from the side file: what had completed is in it exactly once.

#![expect(
    clippy::cast_possible_truncation,
    reason = "the numbers of these tests are small"
)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering::{Relaxed, Release};

use common::*;
use hrx_profile::schema::side::*;
use hrx_profile::schema::{
    CommandBuffer, Content, DispatchEvent, QueueDeviceEvent, QueueEvent, QueueOperation, Status,
};
use hrx_profile::*;

/// A small generator of numbers (xorshift64*), so that a failing case can be named by its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % end
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// Names a launch for good: buffer, index, and the submission of a buffer that runs more than once.
type Launch = (u64, u32, u64);

/// A session on two hardware queues that dies.
struct Session {
    bundle: PathBuf,
    side: SideFile,
    rings: Vec<RingMemory>,
    recorder: Recorder,
    /// What the device has finished, launches and copies, if the session wants it.
    completed: Vec<CompletedEvent>,
}

impl Session {
    fn begin(folder: &Path, families: Families) -> Self {
        let bundle = folder.join("x.ireeprof");
        let side = SideFile::create(&SideOptions {
            bundle_path: &bundle,
            session_id: 1,
            tick_frequency_hz: 100_000_000,
            directory: Some(folder),
        })
        .unwrap();
        let description = SessionDescription {
            process_id: std::process::id(),
            side_file: Some((side.path().to_owned(), side.created_unix_ns())),
            families,
            ..session()
        };
        let sink = FileSink::create(&bundle).unwrap();
        let mut recorder = Recorder::create(sink, description).unwrap();
        recorder.device(&device());
        for us in [0, 1] {
            let sample = recorder.clock(&sample(us)).unwrap();
            side.set_clock(&sample);
        }
        recorder.executable(&executable());
        let rings = (0..2)
            .map(|queue| side.add_ring(0, queue).unwrap())
            .collect();
        Self {
            bundle,
            side,
            rings,
            recorder,
            completed: Vec::new(),
        }
    }

    /// Puts an event into its ring; the device finishes it, or not.
    fn submit(&mut self, event: &CompletedEvent, completes: bool) {
        let ring = &self.rings[event.queue_ordinal as usize];
        let position = ring.positions().write.fetch_add(1, Relaxed);
        let slot = ring.slot(position);
        slot.signal.reset();
        slot.info.publish(position, &event.info);
        if completes {
            slot.signal.start_ts.store(event.start_ticks, Relaxed);
            slot.signal.end_ts.store(event.end_ticks, Relaxed);
            slot.signal.value.store(0, Release);
            if event.info.flags & FLAG_RECORD != 0 {
                self.completed.push(*event);
            }
        }
    }

    /// Drains up to `count` events of a ring; the last drain before the end is perhaps not durable.
    fn drain(&mut self, queue: u32, count: u64, durable: bool) {
        let ring = self.rings[queue as usize].clone();
        let positions = ring.positions();
        let from = positions.durable.load(Relaxed);
        let to = (from + count).min(positions.write.load(Relaxed));
        let events: Vec<_> = (from..to)
            .map(|at| CompletedEvent::read(ring.slot(at), 0, queue))
            .collect();
        self.recorder.events(&events);
        if durable {
            positions.durable.store(to, Release);
        }
    }

    fn size(&self) -> u64 {
        std::fs::metadata(&self.bundle).unwrap().len()
    }

    /// The process dies: memory and locks go, files stay.
    fn die(self) -> (PathBuf, Vec<CompletedEvent>) {
        (self.bundle, self.completed)
    }
}

fn launch_of(event: &CompletedEvent) -> Launch {
    let info = &event.info;
    let run = if info.flags & FLAG_REUSABLE != 0 {
        info.submission_id
    } else {
        0
    };
    (info.command_buffer_id, info.command_index, run)
}

/// What a bundle holds, each thing checked to be there once.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    launches: BTreeSet<Launch>,
    /// Buffer and run -> operations, submit time, start, end.
    executes: BTreeMap<(u64, u64), (u32, i64, u64, u64)>,
    copies: BTreeSet<u64>,
    event_ids: BTreeSet<u64>,
    status: Option<Status>,
}

fn read_back(bundle: &Path) -> Found {
    let mut reader = Reader::open(bundle).unwrap();
    assert!(reader.is_finished());
    let mut found = Found::default();
    let mut reusable = BTreeSet::new();
    while let Some(record) = reader.next_record().unwrap() {
        let once = |new: bool| assert!(new, "twice in record {}", record.index);
        match record.content() {
            Some(Content::Session) => {
                found.status = Some(Status::from_code(record.header.session_status_code));
            }
            Some(Content::CommandBuffers) => {
                for row in record.rows::<CommandBuffer>() {
                    let row = row.unwrap().0;
                    if row.mode & CommandBuffer::ONE_SHOT == 0 {
                        reusable.insert(row.command_buffer_id);
                    }
                }
            }
            Some(Content::DispatchEvents) => {
                for row in record.rows::<DispatchEvent>() {
                    let row = row.unwrap().0;
                    let again = reusable.contains(&row.command_buffer_id);
                    let run = if again { row.submission_id } else { 0 };
                    once(
                        found
                            .launches
                            .insert((row.command_buffer_id, row.command_index, run)),
                    );
                    once(found.event_ids.insert(row.event_id));
                }
            }
            Some(Content::QueueEvents) => {
                for row in record.rows::<QueueEvent>() {
                    let row = row.unwrap().0;
                    once(found.event_ids.insert(row.event_id));
                    if row.kind != QueueOperation::Execute as u32 {
                        once(found.copies.insert(row.submission_id));
                        continue;
                    }
                    let again = reusable.contains(&row.command_buffer_id);
                    let key = (
                        row.command_buffer_id,
                        if again { row.submission_id } else { 0 },
                    );
                    let value = (row.operation_count, row.host_time_ns, 0, 0);
                    once(found.executes.insert(key, value).is_none());
                }
            }
            Some(Content::QueueDeviceEvents) => {
                for row in record.rows::<QueueDeviceEvent>() {
                    let row = row.unwrap().0;
                    once(found.event_ids.insert(row.event_id));
                    if row.kind != QueueOperation::Execute as u32 {
                        assert!(found.copies.contains(&row.submission_id));
                        continue;
                    }
                    let again = reusable.contains(&row.command_buffer_id);
                    let key = (
                        row.command_buffer_id,
                        if again { row.submission_id } else { 0 },
                    );
                    let execute = found
                        .executes
                        .get_mut(&key)
                        .expect("the queue event stands before");
                    assert_eq!(execute.0, row.operation_count);
                    assert_eq!(
                        (execute.2, execute.3),
                        (0, 0),
                        "two device events for {key:?}"
                    );
                    (execute.2, execute.3) = (row.start_tick, row.end_tick);
                }
            }
            _ => {}
        }
    }
    found
}

/// What a bundle must hold when `completed` had completed.
fn expected(completed: &[CompletedEvent]) -> Found {
    let mut found = Found {
        status: Some(Status::Ok),
        ..Found::default()
    };
    for event in completed {
        if event.info.kind == KIND_COPY {
            found.copies.insert(event.info.submission_id);
            continue;
        }
        let (buffer, index, run) = launch_of(event);
        found.launches.insert((buffer, index, run));
        let (start, end) = (event.start_ticks, event.end_ticks);
        let fresh = (0, event.info.host_time_ns, start, end);
        let execute = found.executes.entry((buffer, run)).or_insert(fresh);
        execute.0 += 1;
        execute.2 = execute.2.min(start);
        execute.3 = execute.3.max(end);
    }
    found
}

/// The events of a random program, in submission order.
fn program(random: &mut Random) -> Vec<CompletedEvent> {
    let streams = 1 + random.below(4);
    let per_buffer = [1, 2, 7, 256][random.below(4) as usize];
    let graph_size = 1 + random.below(5);
    let mut events = Vec::new();
    let mut n = 0;
    for _ in 0..random.below(1500) {
        n += 1;
        if random.one_in(8) {
            events.push(copy(n));
        } else if random.one_in(20) {
            // A graph on stream 0: one submission, several launches of a reusable buffer.
            let submission = n;
            for index in 0..graph_size {
                let mut event = launch(n, 1, 1);
                event.info.command_buffer_id = 1_000_000;
                event.info.command_index = index as u32;
                event.info.submission_id = submission;
                event.info.flags |= FLAG_REUSABLE;
                event.queue_ordinal = 0;
                events.push(event);
                n += 1;
            }
        } else {
            let mut event = launch(n, streams, per_buffer);
            if random.one_in(50) {
                event.info.flags = 0;
            }
            events.push(event);
        }
    }
    events
}

/// Stream buffers close when a graph runs on their stream and open again after it; a runtime takes a new
/// buffer then. So does this: each buffer gets a number of its own for every stretch without a graph.
fn renumber(events: &mut [CompletedEvent]) {
    let mut numbers = BTreeMap::new();
    let mut next_index = BTreeMap::new();
    let mut stretch = [0_u64; 8];
    for event in events {
        let info = &mut event.info;
        let stream = info.stream_ordinal as usize;
        if info.flags & FLAG_REUSABLE != 0 {
            stretch[stream] += 1;
        } else if info.kind == KIND_DISPATCH && info.flags & FLAG_RECORD != 0 {
            let next = numbers.len() as u64 + 1;
            let key = (info.command_buffer_id, stream, stretch[stream]);
            info.command_buffer_id = *numbers.entry(key).or_insert(next);
            let index = next_index.entry(info.command_buffer_id).or_insert(0);
            info.command_index = *index;
            *index += 1;
        }
    }
}

#[test]
fn whatever_the_moment_of_death_each_completed_event_is_recorded_once() {
    let upstream = upstream();
    for seed in 1..=400 {
        let mut random = Random(seed);
        let folder = tempfile::tempdir().unwrap();
        let mut session = Session::begin(folder.path(), Families::DISPATCH);
        let mut events = program(&mut random);
        renumber(&mut events);
        // The device is behind by up to so many events when the process dies.
        let running = events.len() - (random.below(40) as usize).min(events.len());
        for (event, number) in events.iter().zip(0..) {
            let completes = number < running || random.one_in(2);
            session.submit(event, completes);
            if number < running && random.one_in(200) {
                let (queue, count) = (random.below(2) as u32, 1 + random.below(256));
                session.drain(queue, count, true);
            }
        }
        // Death in the middle of a drain: its batch is cut anywhere, its slots are not free.
        let before = session.size();
        let queue = random.below(2) as u32;
        let done = session.rings[queue as usize].clone();
        let from = done.positions().durable.load(Relaxed);
        let to = done.positions().write.load(Relaxed);
        let contiguous = (from..to)
            .take_while(|at| done.slot(*at).is_complete(*at))
            .count() as u64;
        session.drain(queue, random.below(contiguous + 1), false);
        drop(done);
        let cut = before + random.below(session.size() - before + 1);
        let (bundle, completed) = session.die();
        let file = std::fs::OpenOptions::new()
            .write(true)
            .open(&bundle)
            .unwrap();
        file.set_len(cut).unwrap();
        drop(file);

        let report = recover(&bundle, None).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let mut found = read_back(&bundle);
        found.event_ids.clear();
        let expected = expected(&completed);
        let difference = found
            .executes
            .iter()
            .zip(&expected.executes)
            .find(|(a, b)| a != b);
        assert_eq!(difference, None, "seed {seed}");
        assert!(
            found == expected,
            "seed {seed}: launches, copies or status differ"
        );
        let launches = found.launches.len() as u64;
        assert_eq!(
            report.dispatches_found + report.dispatches_added,
            launches,
            "seed {seed}"
        );
        assert!(
            !report.side_path.unwrap().exists(),
            "the side file is used up"
        );
        assert!(recover(&bundle, None).unwrap().was_complete);
        if let Some(upstream) = upstream.as_ref().filter(|_| seed % 40 == 0) {
            upstream.accepts(&bundle, seed == 40);
            assert_eq!(upstream.dispatches(&bundle), launches);
        }
    }
}

#[test]
fn without_the_side_file_a_bundle_cut_anywhere_becomes_readable_and_says_that_data_is_lost() {
    let upstream = upstream();
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    write_bundle(&whole, 300, 2, 64);
    let mut bytes = std::fs::read(&whole).unwrap();
    bytes[16..24].fill(0);
    let mut random = Random(7);
    for round in 0..100 {
        let bundle = folder.path().join("cut.ireeprof");
        let cut = 24 + random.below(bytes.len() as u64 - 24 - 200) as usize;
        std::fs::write(&bundle, &bytes[..cut]).unwrap();
        let report = recover(&bundle, None).unwrap();
        let found = read_back(&bundle);
        assert_eq!(found.status, Some(Status::DataLoss));
        assert_eq!(report.status, Some(Status::DataLoss));
        assert_eq!(found.launches.len() as u64, report.dispatches_found);
        let in_buffers: u64 = found
            .executes
            .values()
            .map(|execute| u64::from(execute.0))
            .sum();
        assert_eq!(
            in_buffers, report.dispatches_found,
            "every buffer is closed"
        );
        assert!(
            report
                .notes
                .iter()
                .any(|note| note.contains("no side file")),
            "{report:?}"
        );
        if let Some(upstream) = upstream.as_ref().filter(|_| round % 10 == 0) {
            upstream.accepts_export(&bundle);
            assert_eq!(upstream.dispatches(&bundle), report.dispatches_found);
        }
    }
    if let Some(upstream) = upstream {
        let bundle = folder.path().join("most.ireeprof");
        std::fs::write(&bundle, &bytes[..bytes.len() - 300]).unwrap();
        recover(&bundle, None).unwrap();
        upstream.accepts_every_verb_of_a_lossy(&bundle);
    }
}

#[test]
fn in_queue_mode_each_launch_is_an_operation_and_survives_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::begin(folder.path(), Families::QUEUE);
    for n in 0..100 {
        let event = launch(n, 1, 256);
        session.submit(&event, true);
    }
    session.drain(0, 60, true);
    let before = session.size();
    session.drain(0, 20, false);
    let (bundle, _) = session.die();
    // The queue events of the last drain are in, their device events are not.
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(&bundle)
        .unwrap();
    file.set_len(before + 20 * 104 + 170).unwrap();
    recover(&bundle, None).unwrap();
    let found = read_back(&bundle);
    assert_eq!(found.copies, (1..=100).collect());
    assert!(found.launches.is_empty() && found.executes.is_empty());
    assert_eq!(
        found.event_ids.len(),
        200,
        "100 queue events and 100 device events"
    );
}

#[test]
fn a_live_session_is_merged_for_readers_and_never_rewritten() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::begin(folder.path(), Families::DISPATCH);
    for n in 0..100 {
        let event = launch(n, 2, 256);
        session.submit(&event, n != 99);
    }
    session.drain(0, 40, true);
    let plan = Plan::make(&session.bundle, None).unwrap();
    assert_eq!(
        (plan.report.dispatches_found, plan.report.dispatches_added),
        (40, 59)
    );
    assert_eq!((plan.report.incomplete, plan.report.status), (1, None));
    assert_eq!(plan.report.live_process, Some(std::process::id()));
    let before = std::fs::read(&session.bundle).unwrap();
    let error = recover(&session.bundle, None).unwrap_err();
    assert!(
        matches!(error, Error::StillRunning { process_id, .. } if process_id == std::process::id())
    );
    assert_eq!(std::fs::read(&session.bundle).unwrap(), before);
}

#[test]
fn another_sessions_side_file_is_refused() {
    let one = tempfile::tempdir().unwrap();
    let two = tempfile::tempdir().unwrap();
    let (bundle, _) = Session::begin(one.path(), Families::DISPATCH).die();
    let other = Session::begin(two.path(), Families::DISPATCH);
    let side = other.side.path().to_owned();
    other.die();
    let error = recover(&bundle, Some(&side)).unwrap_err();
    assert!(matches!(error, Error::ForeignSideFile { .. }), "{error}");
}

#[test]
fn a_bundle_that_was_cut_to_its_header_is_filled_from_the_side_file_without_names() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::begin(folder.path(), Families::DISPATCH);
    for n in 0..30 {
        session.submit(&launch(n, 1, 256), true);
    }
    let side = session.side.path().to_owned();
    let (bundle, completed) = session.die();
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(&bundle)
        .unwrap();
    file.set_len(24).unwrap();
    let report = recover(&bundle, Some(&side)).unwrap();
    assert_eq!(
        (report.dispatches_added, report.status),
        (30, Some(Status::DataLoss))
    );
    assert_eq!(read_back(&bundle).launches, expected(&completed).launches);
    if let Some(upstream) = upstream() {
        upstream.accepts_export(&bundle);
        assert_eq!(upstream.dispatches(&bundle), 30);
    }
}

#[test]
fn damaged_rings_are_left_out_and_the_status_tells() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::begin(folder.path(), Families::DISPATCH);
    session.submit(&launch(0, 4, 256), true);
    session.submit(&launch(2, 4, 256), true);
    session.rings[1].positions().durable.store(99, Relaxed);
    let (bundle, _) = session.die();
    let report = recover(&bundle, None).unwrap();
    assert_eq!(
        (report.dispatches_added, report.status),
        (1, Some(Status::DataLoss))
    );
    assert_eq!(read_back(&bundle).status, Some(Status::DataLoss));
}

#[test]
fn random_slots_give_a_bundle_that_upstream_reads() {
    let upstream = upstream();
    for seed in 1..=20 {
        let mut random = Random(seed);
        let folder = tempfile::tempdir().unwrap();
        let session = Session::begin(folder.path(), Families::DISPATCH);
        let ring = session.rings[0].clone();
        for position in 0..200 {
            let mut word = || random.below(1 << 30) as u32;
            let info = EventInfo {
                command_buffer_id: u64::from(word() % 4),
                submission_id: u64::from(word()),
                executable_id: u64::from(word() % 3),
                host_time_ns: i64::from(word()) - i64::from(word()),
                command_index: word(),
                function_ordinal: word() % 5,
                workgroup_count: [word(), word(), word()],
                stream_ordinal: word() % 5,
                kind: (word() % 6) as u16,
                flags: (word() % 4) as u16,
                ..EventInfo::default()
            };
            let slot = ring.slot(position);
            slot.signal.reset();
            slot.info.publish(position, &info);
            slot.signal.start_ts.store(u64::from(word()), Relaxed);
            slot.signal.end_ts.store(u64::from(word()), Relaxed);
            slot.signal.value.store(i64::from(word() % 3) - 1, Release);
            ring.positions().write.store(position + 1, Release);
        }
        drop(ring);
        let (bundle, _) = session.die();
        let report = recover(&bundle, None).unwrap();
        assert!(report.dispatches_added <= 200);
        if let Some(upstream) = upstream.as_ref().filter(|_| seed % 4 == 0) {
            upstream.text(&["explain", "--format=text"], &bundle);
            upstream.accepts_export(&bundle);
            assert_eq!(upstream.dispatches(&bundle), report.dispatches_added);
        }
    }
}

/// Not a test: what the next test runs in a process of its own.
const CHILD: &str = "HRX_TEST_CHILD_FOLDER";

#[test]
fn a_killed_process_loses_nothing_that_it_saw_complete() {
    if let Some(folder) = std::env::var_os(CHILD) {
        return be_killed(Path::new(&folder));
    }
    for wait in [1, 700, 1500] {
        let folder = tempfile::tempdir().unwrap();
        let this = std::env::current_exe().unwrap();
        let mut child = Command::new(this)
            .args([
                "--exact",
                "a_killed_process_loses_nothing_that_it_saw_complete",
                "--nocapture",
            ])
            .env(CHILD, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let bundle = folder.path().join("x.ireeprof");
        let mut reported = 0;
        while reported < wait {
            let line = lines.next().unwrap().unwrap();
            reported = line
                .strip_prefix("completed ")
                .map_or(reported, |n| n.parse().unwrap());
        }
        let error = recover(&bundle, None).unwrap_err();
        assert!(
            error.to_string().contains(&child.id().to_string()),
            "{error}"
        );
        child.kill().unwrap();
        child.wait().unwrap();
        for line in lines.map_while(std::io::Result::ok) {
            if let Some(n) = line.strip_prefix("completed ").and_then(|n| n.parse().ok()) {
                reported = n;
            }
        }
        let report = recover(&bundle, None).unwrap();
        let recorded = read_back(&bundle).launches.len() as u64;
        assert!(
            reported <= recorded,
            "{reported} reported, {recorded} recorded"
        );
        assert_eq!(
            (recorded, report.status),
            (
                report.dispatches_found + report.dispatches_added,
                Some(Status::Ok)
            )
        );
    }
}

/// Launches for ever, drains now and then, and says after each launch how many have completed.
fn be_killed(folder: &Path) {
    let mut session = Session::begin(folder, Families::DISPATCH);
    let mut out = std::io::stdout().lock();
    for n in 0.. {
        let event = launch(n, 1, 256);
        session.submit(&event, true);
        session.completed.clear();
        writeln!(out, "\ncompleted {}", n + 1).unwrap();
        if n % 300 == 299 {
            session.drain(0, 256, true);
        }
    }
}
