//! `hrx report`: kernels, streams and their overlap.

use std::path::PathBuf;

use hrx_profile::Model;
use hrx_profile::model::{Kernels, Stream, Streams};

use super::{Error, Result};
use crate::names::demangle;
use crate::render::table::{Align, Cell, Column, Table, json_string, printable};
use crate::render::{Format, units};

/// Shows how long each kernel took, how busy each stream was, and which streams ran at the same time
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The bundle
    file: PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Show only this part; may be repeated
    #[arg(long, value_enum)]
    section: Vec<Section>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Section {
    /// Kernels by name: calls and times
    Kernels,
    /// Streams: busy time and gaps
    Streams,
    /// Pairs of streams that ran at the same time
    Overlap,
}

const KERNEL_COLUMNS: &[Column] = &[
    Column {
        key: "share",
        title: "share",
        align: Align::Right,
    },
    Column {
        key: "calls",
        title: "calls",
        align: Align::Right,
    },
    Column {
        key: "total_ns",
        title: "total",
        align: Align::Right,
    },
    Column {
        key: "mean_ns",
        title: "mean",
        align: Align::Right,
    },
    Column {
        key: "min_ns",
        title: "min",
        align: Align::Right,
    },
    Column {
        key: "max_ns",
        title: "max",
        align: Align::Right,
    },
    Column {
        key: "p50_ns",
        title: "p50",
        align: Align::Right,
    },
    Column {
        key: "p99_ns",
        title: "p99",
        align: Align::Right,
    },
    Column {
        key: "name",
        title: "kernel",
        align: Align::Left,
    },
];

const STREAM_COLUMNS: &[Column] = &[
    Column {
        key: "device",
        title: "device",
        align: Align::Right,
    },
    Column {
        key: "stream",
        title: "stream",
        align: Align::Right,
    },
    Column {
        key: "queue",
        title: "queue",
        align: Align::Right,
    },
    Column {
        key: "dispatches",
        title: "dispatches",
        align: Align::Right,
    },
    Column {
        key: "transfers",
        title: "transfers",
        align: Align::Right,
    },
    Column {
        key: "busy_ns",
        title: "busy",
        align: Align::Right,
    },
    Column {
        key: "utilization",
        title: "of span",
        align: Align::Right,
    },
    Column {
        key: "span_ns",
        title: "span",
        align: Align::Right,
    },
    Column {
        key: "gaps",
        title: "gaps",
        align: Align::Right,
    },
    Column {
        key: "gap_ns",
        title: "idle",
        align: Align::Right,
    },
    Column {
        key: "longest_gap_ns",
        title: "longest gap",
        align: Align::Right,
    },
    Column {
        key: "overlapped_ns",
        title: "overlapped",
        align: Align::Right,
    },
];

const OVERLAP_COLUMNS: &[Column] = &[
    Column {
        key: "stream_a",
        title: "streams",
        align: Align::Left,
    },
    Column {
        key: "stream_b",
        title: "",
        align: Align::Left,
    },
    Column {
        key: "both_busy_ns",
        title: "both busy",
        align: Align::Right,
    },
    Column {
        key: "share_of_shorter",
        title: "of the less busy",
        align: Align::Right,
    },
];

pub(crate) fn run(arguments: &Arguments) -> Result {
    let mut sections = arguments.section.clone();
    if sections.is_empty() {
        sections = vec![Section::Kernels, Section::Streams, Section::Overlap];
    }
    if arguments.format == Format::Csv && sections.len() != 1 {
        return Err(Error::OneSection {
            choices: "kernels, streams or overlap",
        });
    }
    let model = Model::load(&arguments.file)?;
    let file = arguments.file.display().to_string();
    Ok(render(&model, &file, arguments.format, &sections))
}

fn render(model: &Model, file: &str, format: Format, sections: &[Section]) -> String {
    let kernels = model.kernels();
    let streams = model.stream_times();
    let tables: Vec<_> = sections
        .iter()
        .map(|section| match section {
            Section::Kernels => kernel_table(&kernels),
            Section::Streams => stream_table(model, &streams),
            Section::Overlap => overlap_table(model, &streams),
        })
        .collect();
    match format {
        Format::Csv => tables.iter().map(Table::to_csv).collect(),
        Format::Json => json(model, &streams, &tables),
        Format::Table => {
            let mut text = head(model, file);
            for (section, table) in sections.iter().zip(&tables) {
                text.push('\n');
                text += &title(*section, &kernels, &streams);
                if !table.is_empty() {
                    text += &table.to_text();
                }
            }
            text
        }
    }
}

/// Bundle, program, devices, clocks and what to know before trusting the numbers.
fn head(model: &Model, file: &str) -> String {
    let mut text = format!("bundle   {file}");
    text += &match model.session.status {
        Some(status) => format!(", session {status}\n"),
        None => ", session not ended\n".to_owned(),
    };
    if !model.session.program.is_empty() {
        let program = printable(&model.session.program);
        text += &format!("program  {program}, process {}\n", model.session.process_id);
    }
    for device in &model.devices {
        let name = if device.name.is_empty() {
            "unnamed"
        } else {
            &device.name
        };
        text += &format!("device   {}: {}", device.ordinal, printable(name));
        if !device.architecture.is_empty() {
            text += &format!(", {}", printable(&device.architecture));
        }
        if device.is_virtual {
            text += " (virtual: these are times of an emulator, not of silicon)";
        }
        text.push('\n');
        if let Some(clock) = device.clock.as_ref().filter(|_| !device.clock_is_nominal) {
            let bound = u64::try_from(clock.error_bound_ns()).unwrap_or(0);
            text += &format!(
                "clock    {:.6} ns a tick from {} samples; host times within {}\n",
                clock.ns_per_tick(),
                clock.sample_count(),
                units::time(bound)
            );
        }
    }
    for note in &model.notes {
        text += &format!("note     {}\n", printable(note));
    }
    text
}

fn title(section: Section, kernels: &Kernels, streams: &Streams) -> String {
    match section {
        Section::Kernels if kernels.calls == 0 => "Kernels: none recorded\n".to_owned(),
        Section::Kernels => {
            let (calls, total) = (kernels.calls, units::time(kernels.total_ns));
            format!("Kernels: {calls} calls, {total}\n")
        }
        Section::Streams if streams.rows.is_empty() => "Streams: nothing ran\n".to_owned(),
        Section::Streams => {
            let (busy, span) = (
                units::time(streams.any_busy_ns),
                units::time(streams.span_ns),
            );
            format!("Streams: device busy {busy} of {span}\n")
        }
        Section::Overlap if streams.overlaps.is_empty() => {
            "Overlap: no two streams ran at the same time\n".to_owned()
        }
        Section::Overlap => {
            let several = units::time(streams.multiple_busy_ns);
            format!("Overlap: several streams busy for {several}\n")
        }
    }
}

fn kernel_table(kernels: &Kernels) -> Table {
    let mut table = Table::new("kernels", KERNEL_COLUMNS);
    for kernel in &kernels.rows {
        table.push([
            Cell::share(kernel.share),
            Cell::integer(kernel.calls),
            Cell::time_ns(kernel.total_ns),
            Cell::time_ns(kernel.mean_ns),
            Cell::time_ns(kernel.min_ns),
            Cell::time_ns(kernel.max_ns),
            Cell::time_ns(kernel.p50_ns),
            Cell::time_ns(kernel.p99_ns),
            Cell::text(demangle(&kernel.name)),
        ]);
    }
    table
}

fn stream_table(model: &Model, streams: &Streams) -> Table {
    let mut table = Table::new("streams", STREAM_COLUMNS);
    for row in &streams.rows {
        let stream = model.streams[row.stream];
        table.push([
            Cell::integer(u64::from(stream.device_ordinal)),
            Cell::integer(u64::from(stream.ordinal())),
            Cell::integer(u64::from(stream.queue_ordinal)),
            Cell::integer(row.dispatches),
            Cell::integer(row.transfers),
            Cell::time_ns(row.busy_ns),
            Cell::share(row.utilization),
            Cell::time_ns(row.span_ns),
            Cell::integer(row.gaps),
            Cell::time_ns(row.gap_ns),
            Cell::time_ns(row.longest_gap_ns),
            Cell::time_ns(row.overlapped_ns),
        ]);
    }
    table
}

fn overlap_table(model: &Model, streams: &Streams) -> Table {
    // A stream is named by its number; where that says too little, by device and queue as well.
    let name = |stream: Stream| {
        let same = |other: &&Stream| other.ordinal() == stream.ordinal();
        let ordinal = stream.ordinal();
        match model.streams.iter().filter(same).count() {
            1 => ordinal.to_string(),
            _ => format!(
                "{ordinal} (device {}, queue {})",
                stream.device_ordinal, stream.queue_ordinal
            ),
        }
    };
    let mut table = Table::new("overlap", OVERLAP_COLUMNS);
    for overlap in &streams.overlaps {
        let (a, b) = overlap.streams;
        table.push([
            Cell::text(name(model.streams[a])),
            Cell::text(name(model.streams[b])),
            Cell::time_ns(overlap.both_busy_ns),
            Cell::share(overlap.share),
        ]);
    }
    table
}

fn json(model: &Model, streams: &Streams, tables: &[Table]) -> String {
    let session = &model.session;
    let status = session
        .status
        .map_or("null".to_owned(), |status| json_string(status.as_str()));
    let devices: Vec<_> = model
        .devices
        .iter()
        .map(|device| {
            format!(
                "{{\"device\":{},\"name\":{},\"architecture\":{},\"virtual\":{}}}",
                device.ordinal,
                json_string(&device.name),
                json_string(&device.architecture),
                device.is_virtual
            )
        })
        .collect();
    let notes: Vec<_> = model.notes.iter().map(|note| json_string(note)).collect();
    let tables: Vec<_> = tables.iter().map(Table::to_json).collect();
    format!(
        "{{\"program\":{},\"process\":{},\"status\":{status},\"devices\":[{}],\"notes\":[{}],\
         \"dispatches\":{},\"busy_ns\":{},\"several_busy_ns\":{},\"span_ns\":{},{}}}\n",
        json_string(&session.program),
        session.process_id,
        devices.join(","),
        notes.join(","),
        model.dispatches.len(),
        streams.any_busy_ns,
        streams.multiple_busy_ns,
        streams.span_ns,
        tables.join(",")
    )
}
