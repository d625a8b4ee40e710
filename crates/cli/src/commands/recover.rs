//! `hrx recover`: complete the bundle of a program that was killed.

use std::path::PathBuf;

use hrx_profile::Report;

use super::Result;

/// Puts what a killed program's side file holds into its bundle, and removes the side file
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The bundle
    file: PathBuf,
    /// The side file, when it is not where the bundle says
    #[arg(long, value_name = "PATH")]
    side: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result {
    let report = hrx_profile::recover(&arguments.file, arguments.side.as_deref())?;
    Ok(describe(&arguments.file.display().to_string(), &report))
}

/// What was done, a line each.
pub(crate) fn describe(file: &str, report: &Report) -> String {
    if report.was_complete {
        return format!("{file}: complete already\n");
    }
    let total = report.dispatches_found + report.dispatches_added;
    let mut text = format!(
        "{file}: {total} dispatches, {} of them from {}",
        report.dispatches_added,
        match &report.side_path {
            Some(path) => path.display().to_string(),
            None => "nowhere else: there is no side file".to_owned(),
        }
    );
    if report.transfers_added != 0 {
        text += &format!(
            "; {} copies, fills and barriers as well",
            report.transfers_added
        );
    }
    if let Some(status) = report.status {
        text += &format!("; status {status}");
    }
    text.push('\n');
    if report.incomplete != 0 {
        text += &format!(
            "  {} submitted events had not finished\n",
            report.incomplete
        );
    }
    if report.bytes_cut != 0 {
        text += &format!(
            "  {} bytes of a half record were cut off\n",
            report.bytes_cut
        );
    }
    for note in &report.notes {
        text += &format!("  {note}\n");
    }
    text
}
