//! A table that prints itself in three ways.

/// On which side a column's text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A column: its key for programs and its title for people.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub(crate) key: &'static str,
    pub(crate) title: &'static str,
    pub(crate) align: Align,
}

/// A cell: what people read, and the value that programs get.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    text: String,
    value: Value,
}

#[derive(Clone, Debug)]
enum Value {
    Text(String),
    Integer(u64),
    Real(f64),
}

impl Cell {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            value: Value::Text(text.clone()),
            text: printable(&text),
        }
    }

    pub(crate) fn integer(value: u64) -> Self {
        Self {
            text: value.to_string(),
            value: Value::Integer(value),
        }
    }

    pub(crate) fn time_ns(value: u64) -> Self {
        Self {
            text: super::units::time(value),
            value: Value::Integer(value),
        }
    }

    pub(crate) fn share(value: f64) -> Self {
        Self {
            text: super::units::percent(value),
            value: Value::Real(value),
        }
    }
}

/// Control characters as escapes, since names come from files and go to a terminal.
pub(crate) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            out.extend(character.escape_default());
        } else {
            out.push(character);
        }
    }
    out
}

/// Cells longer than this many characters do not count when a column's width is chosen.
const WIDEST: usize = 48;

/// Rows of cells under named columns.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    name: &'static str,
    columns: &'static [Column],
    rows: Vec<Vec<Cell>>,
}

impl Table {
    pub(crate) fn new(name: &'static str, columns: &'static [Column]) -> Self {
        Self {
            name,
            columns,
            rows: Vec::new(),
        }
    }

    /// Adds a row, a cell for each column.
    pub(crate) fn push(&mut self, row: impl Into<Vec<Cell>>) {
        let row = row.into();
        debug_assert_eq!(row.len(), self.columns.len(), "a cell for each column");
        self.rows.push(row);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Aligned columns with two spaces between them, and no spaces at line ends.
    pub(crate) fn to_text(&self) -> String {
        let titles = self.columns.iter().map(|column| column.title);
        let lines: Vec<Vec<&str>> = std::iter::once(titles.collect())
            .chain(
                self.rows
                    .iter()
                    .map(|row| row.iter().map(|cell| cell.text.as_str()).collect()),
            )
            .collect();
        // One very long name does not push the columns after it off the screen.
        let width = |index: usize| {
            let cells = lines
                .iter()
                .map(|line: &Vec<&str>| line[index].chars().count());
            cells.filter(|width| *width <= WIDEST).max().unwrap_or(0)
        };
        let widths: Vec<_> = (0..self.columns.len()).map(width).collect();
        let mut out = String::new();
        for line in lines {
            let cells =
                line.iter()
                    .zip(self.columns)
                    .zip(&widths)
                    .map(|((cell, column), &width)| match column.align {
                        Align::Left => format!("{cell:<width$}"),
                        Align::Right => format!("{cell:>width$}"),
                    });
            out += cells.collect::<Vec<_>>().join("  ").trim_end();
            out.push('\n');
        }
        out
    }

    /// A header line and the rows, quoted where RFC 4180 asks for it.
    pub(crate) fn to_csv(&self) -> String {
        let mut out = self
            .columns
            .iter()
            .map(|column| column.key)
            .collect::<Vec<_>>()
            .join(",");
        out.push('\n');
        for row in &self.rows {
            let cells = row.iter().map(|cell| match &cell.value {
                Value::Text(text) if text.contains([',', '"', '\n', '\r']) => {
                    format!("\"{}\"", text.replace('"', "\"\""))
                }
                Value::Text(text) => text.clone(),
                Value::Integer(value) => value.to_string(),
                Value::Real(value) => format!("{value:.6}"),
            });
            out += &cells.collect::<Vec<_>>().join(",");
            out.push('\n');
        }
        out
    }

    /// A member of a JSON object: the table's name and an array of objects.
    pub(crate) fn to_json(&self) -> String {
        let rows = self.rows.iter().map(|row| {
            let members = row.iter().zip(self.columns).map(|(cell, column)| {
                let value = match &cell.value {
                    Value::Text(text) => json_string(text),
                    Value::Integer(value) => value.to_string(),
                    Value::Real(value) => format!("{value:.6}"),
                };
                format!("{}:{value}", json_string(column.key))
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        });
        format!(
            "{}:[{}]",
            json_string(self.name),
            rows.collect::<Vec<_>>().join(",")
        )
    }
}

/// A string in JSON, quotes included.
pub(crate) fn json_string(text: &str) -> String {
    let mut out = String::from('"');
    for character in text.chars() {
        match character {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            control if control < ' ' => out += &format!("\\u{:04x}", u32::from(control)),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &[Column] = &[
        Column {
            key: "calls",
            title: "calls",
            align: Align::Right,
        },
        Column {
            key: "name",
            title: "name",
            align: Align::Left,
        },
    ];

    const COLUMNS_OF_TEXT: &[Column] = &[
        Column {
            key: "name",
            title: "name",
            align: Align::Left,
        },
        Column {
            key: "what",
            title: "what",
            align: Align::Left,
        },
    ];

    fn table() -> Table {
        let mut table = Table::new("rows", COLUMNS);
        table.push([Cell::integer(12_345), Cell::text("f(int, \"x\")")]);
        table.push([Cell::integer(1), Cell::text("a\u{1b}[31m")]);
        table
    }

    #[test]
    fn text_is_aligned_and_cannot_steer_the_terminal() {
        assert_eq!(
            table().to_text(),
            "calls  name\n12345  f(int, \"x\")\n    1  a\\u{1b}[31m\n"
        );
    }

    #[test]
    fn a_very_long_cell_does_not_widen_its_column() {
        let mut table = Table::new("rows", COLUMNS_OF_TEXT);
        table.push([Cell::text("x".repeat(60)), Cell::text("a")]);
        table.push([Cell::text("short"), Cell::text("b")]);
        let long = "x".repeat(60);
        assert_eq!(
            table.to_text(),
            format!("name   what\n{long}  a\nshort  b\n")
        );
    }

    #[test]
    fn csv_quotes_what_would_break_it() {
        assert_eq!(
            table().to_csv(),
            "calls,name\n12345,\"f(int, \"\"x\"\")\"\n1,a\u{1b}[31m\n"
        );
    }

    #[test]
    fn json_escapes_quotes_and_controls() {
        assert_eq!(
            table().to_json(),
            "\"rows\":[{\"calls\":12345,\"name\":\"f(int, \\\"x\\\")\"},\
             {\"calls\":1,\"name\":\"a\\u001b[31m\"}]"
        );
    }
}
