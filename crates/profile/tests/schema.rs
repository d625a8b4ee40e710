//! Our records are byte for byte those of an independent writer in Python, made from the format's text.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use bytemuck::bytes_of;
use hrx_profile::schema::*;

/// Reads lines `kind {field: value, ...} tail` and prints each record in hex.
const HARNESS: &str = r#"
import ast, importlib.util, sys
spec = importlib.util.spec_from_file_location("maker", sys.argv[1])
maker = importlib.util.module_from_spec(spec)
spec.loader.exec_module(maker)
for line in sys.stdin:
    kind, fields, tail = line.rstrip("\n").split("|")
    codes = {field.split(":")[0]: field.split(":")[1] for field in maker.RECORDS[kind][1]}
    values = {}
    for name, value in ast.literal_eval(fields).items():
        name = "type" if name == "kind" else name
        if isinstance(value, list):
            value = bytes(value) if codes[name].endswith("s") else tuple(value)
        values[name] = value
    print(maker.record(kind, tail.encode(), **values).hex())
"#;

/// Lines for the harness, and what we make of the same values.
#[derive(Default)]
struct Cases {
    lines: String,
    ours: Vec<(String, Vec<u8>)>,
}

macro_rules! case {
    ($cases:ident, $type:ident as $kind:literal + $tail:literal { $($field:ident: $value:expr,)* }) => {
        let mut record = $type { $($field: $value,)* ..$type::new() };
        record.record_length += u32::try_from($tail.len()).unwrap();
        let mut fields = String::new();
        $(fields += &format!("'{}': {:?}, ", stringify!($field), record.$field);)*
        $cases.lines += &format!("{}|{{{fields}}}|{}\n", $kind, $tail);
        $cases.ours.push(($kind.to_owned(), [bytes_of(&record), $tail.as_bytes()].concat()));
    };
}

fn cases() -> Cases {
    let mut cases = Cases::default();
    case!(cases, Device as "device" + "" {
        flags: 1, physical_device_ordinal: 0x0102_0304, queue_count: 3,
        physical_device_uuid: *b"\x01\x02345678abcdefg\xff",
    });
    case!(cases, Queue as "queue" + "" {
        physical_device_ordinal: 1, queue_ordinal: 2, reserved0: 0, stream_id: 0x1_0000_0002,
    });
    case!(cases, Executable as "executable" + "" {
        flags: 1, executable_id: 0x1122_3344_5566_7788, function_count: 9, reserved0: 0,
        code_object_hash: [0xA5A5, 0x5A5A_0000_0000],
    });
    case!(cases, CodeObject as "code_object" + "image bytes" {
        flags: 1, executable_id: 2, code_object_id: 3, data_length: 11, code_object_hash: [4, 5],
    });
    case!(cases, CodeObjectLoad as "code_object_load" + "" {
        physical_device_ordinal: 1, executable_id: 2, code_object_id: 3, load_delta: -4096,
        load_size: 5,
    });
    case!(cases, Function as "function" + "saxpy" {
        flags: 1, executable_id: 2, function_ordinal: 3, constant_count: 4, binding_count: 5,
        parameter_count: 6, workgroup_size: [7, 8, 9], name_length: 5, function_hash: [10, 11],
    });
    case!(cases, CommandBuffer as "command_buffer" + "" {
        flags: 0, command_buffer_id: 2, mode: 0x81, command_categories: 3, queue_affinity: 4,
        physical_device_ordinal: 5, reserved0: 0,
    });
    case!(cases, CommandOperation as "command_operation" + "" {
        kind: 2, flags: 8, command_index: 3, command_buffer_id: 4, block_ordinal: NONE,
        block_command_ordinal: NONE, executable_id: 5, function_ordinal: 6, binding_count: 7,
        workgroup_count: [8, 9, 10], workgroup_size: [11, 12, 13], source_offset: 14,
        target_offset: 15, length: 16, source_ordinal: 17, target_ordinal: 18,
        target_block_ordinal: 19, alternate_block_ordinal: 20, reserved0: 0,
    });
    case!(cases, ClockCorrelation as "clock_correlation" + "" {
        flags: 0xF, physical_device_ordinal: 1, reserved0: 0, sample_id: 2, device_tick: 3,
        host_cpu_timestamp_ns: 4, host_system_timestamp: 5, host_system_frequency_hz: 6,
        host_time_begin_ns: -7, host_time_end_ns: 8,
    });
    case!(cases, DispatchEvent as "dispatch_event" + "" {
        flags: 1, event_id: 2, submission_id: 3, command_buffer_id: 4, executable_id: 5,
        command_index: 6, function_ordinal: 7, workgroup_count: [8, 9, 10],
        workgroup_size: [11, 12, 13], start_tick: 14, end_tick: 15,
    });
    case!(cases, QueueEvent as "queue_event" + "" {
        kind: 3, flags: 1, dependency_strategy: 2, event_id: 3, host_time_ns: -4, submission_id: 5,
        command_buffer_id: 6, allocation_id: 7, stream_id: 8, physical_device_ordinal: 9,
        queue_ordinal: 10, wait_count: 11, signal_count: 12, barrier_count: 13,
        operation_count: 14, payload_length: 15, ready_host_time_ns: -16,
    });
    case!(cases, QueueDeviceEvent as "queue_device_event" + "" {
        kind: 3, flags: 1, reserved0: 0, event_id: 2, submission_id: 3, command_buffer_id: 4,
        allocation_id: 5, stream_id: 6, payload_length: 7, physical_device_ordinal: 8,
        queue_ordinal: 9, operation_count: 10, reserved1: 0, start_tick: 11, end_tick: 12,
    });
    case!(cases, EventRelationship as "event_relationship" + "" {
        kind: 1, relationship_id: 2, source_type: 3, target_type: 4, physical_device_ordinal: 5,
        queue_ordinal: 6, stream_id: 7, source_id: 8, source_secondary_id: 9, target_id: 10,
        target_secondary_id: 11,
    });
    case!(cases, MemoryEvent as "memory_event" + "" {
        kind: 7, flags: 0x19, result: 1, event_id: 2, host_time_ns: -3, allocation_id: 4,
        pool_id: 5, backing_id: 6, submission_id: 7, physical_device_ordinal: 8, queue_ordinal: 9,
        frontier_entry_count: 10, reserved0: 0, memory_type: 11, buffer_usage: 12, offset: 13,
        length: 14, alignment: 15, pool_bytes_reserved: 16, pool_bytes_free: 17,
        pool_bytes_committed: 18, pool_budget_limit: 19, pool_reservation_count: 20,
        pool_slab_count: 21,
    });
    cases
}

#[test]
fn every_record_is_what_the_independent_writer_makes_of_the_same_fields() {
    let maker = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/make_ireeprof.py");
    let cases = cases();
    let mut python = Command::new("python3")
        .args(["-c", HARNESS])
        .arg(maker)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 runs the independent writer");
    python
        .stdin
        .take()
        .unwrap()
        .write_all(cases.lines.as_bytes())
        .unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success());
    let theirs: Vec<_> = std::str::from_utf8(&output.stdout)
        .unwrap()
        .lines()
        .collect();
    assert_eq!(
        theirs.len(),
        Content::COUNT - 1,
        "one record of each kind, and none for sessions"
    );
    for ((kind, ours), theirs) in cases.ours.iter().zip(theirs) {
        let ours: String = ours.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(ours, theirs, "{kind}");
    }
}
