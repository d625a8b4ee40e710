//! `hrx coverage`: which HIP functions our runtime implements.

use std::path::PathBuf;

use super::Result;
use crate::library;
use crate::render::Format;
use crate::render::table::{Align, Cell, Column, Table};

/// Asks our runtime library which functions it implements; the others answer hipErrorNotSupported
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The library to ask, instead of the one that belongs to this hrx
    #[arg(long, value_name = "PATH")]
    library: Option<PathBuf>,
    /// List all functions, not only those without a body
    #[arg(long)]
    all: bool,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

const COLUMNS: &[Column] = &[
    Column {
        key: "symbol",
        title: "symbol",
        align: Align::Left,
    },
    Column {
        key: "node",
        title: "node",
        align: Align::Left,
    },
    Column {
        key: "state",
        title: "state",
        align: Align::Left,
    },
    Column {
        key: "reason",
        title: "reason",
        align: Align::Left,
    },
];

pub(crate) fn run(arguments: &Arguments) -> Result {
    let path = match &arguments.library {
        Some(path) => path.clone(),
        None => library::directory()?.join(library::SONAME),
    };
    let text = library::coverage(&path)?;
    Ok(render(&text, arguments.all, arguments.format))
}

fn render(text: &str, all: bool, format: Format) -> String {
    let mut rows: Vec<[&str; 4]> = text
        .lines()
        .map(|line| {
            let mut fields = line.split('\t');
            std::array::from_fn(|_| fields.next().unwrap_or_default())
        })
        .collect();
    rows.sort_unstable();
    let total = rows.len();
    let is_implemented = |row: &[&str; 4]| row[2] == "implemented";
    let implemented = rows.iter().filter(|row| is_implemented(row)).count();
    rows.retain(|row| all || !is_implemented(row));
    let mut table = Table::new("functions", COLUMNS);
    for row in rows {
        table.push(row.map(Cell::text));
    }
    let unsupported = total - implemented;
    match format {
        Format::Table => {
            let head = format!(
                "{total} functions: {implemented} implemented, {unsupported} unsupported\n"
            );
            if table.is_empty() {
                head
            } else {
                format!("{head}\n{}", table.to_text())
            }
        }
        Format::Csv => table.to_csv(),
        Format::Json => format!(
            "{{\"total\":{total},\"implemented\":{implemented},\"unsupported\":{unsupported},{}}}\n",
            table.to_json()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "hipMalloc\thip_4.2\timplemented\t\n\
        hipMemcpyAtoD\thip_6.2\tunsupported\tno arrays yet\n\
        hipFree\thip_4.2\timplemented\t\n";

    #[test]
    fn totals_come_first_and_the_gaps_follow_with_their_reason() {
        assert_eq!(
            render(REPORT, false, Format::Table),
            "3 functions: 2 implemented, 1 unsupported\n\n\
             symbol         node     state        reason\n\
             hipMemcpyAtoD  hip_6.2  unsupported  no arrays yet\n"
        );
    }

    #[test]
    fn all_functions_are_listed_in_order_when_asked_for() {
        let csv = render(REPORT, true, Format::Csv);
        let symbols: Vec<_> = csv
            .lines()
            .map(|line| line.split(',').next().unwrap())
            .collect();
        assert_eq!(symbols, ["symbol", "hipFree", "hipMalloc", "hipMemcpyAtoD"]);
    }

    #[test]
    fn a_short_line_gives_empty_fields() {
        let json = render("hipOdd\n", false, Format::Json);
        assert_eq!(
            json,
            "{\"total\":1,\"implemented\":0,\"unsupported\":1,\"functions\":\
             [{\"symbol\":\"hipOdd\",\"node\":\"\",\"state\":\"\",\"reason\":\"\"}]}\n"
        );
    }
}
