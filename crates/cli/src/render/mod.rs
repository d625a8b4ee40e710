//! How results look: tables for people, JSON and CSV for programs.

pub(crate) mod table;
pub(crate) mod units;

/// How to print.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Aligned columns, times with units
    #[default]
    Table,
    /// One JSON object, times in ns
    Json,
    /// One table as CSV, times in ns
    Csv,
}
