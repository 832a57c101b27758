//! `parallax report`: the report of a finished campaign in other forms.

use std::path::PathBuf;

use clap::Args;

use crate::{
    failure::{Ending, Failure},
    files, output,
    report::{self, Changes, History, Report},
};

/// Turn the report.json of a finished campaign into other forms, or compare two of them
///
/// Exits with 1 if the report has divergences and with 2 if something was not run, as the campaign did.
/// With --diff it exits with 1 if something got worse: a rule is covered no more, a finding is new, or
/// what passed does not.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax report --from target/parallax/report.json --html report.html
  parallax report --from report.json --junit - > junit.xml
  parallax report --from report.json --format md >> summary.md
  parallax report --diff yesterday/report.json target/parallax
  parallax report --history nights --html history.html")]
pub(crate) struct Arguments {
    /// The report.json of a run, or the folder it is in
    #[arg(long, value_name = "REPORT.JSON", required_unless_present_any = ["diff", "history"])]
    from: Option<PathBuf>,
    /// Compare two reports: rules lost and gained, findings new and fixed, speed
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"], conflicts_with_all = ["from", "out", "html", "junit", "format"])]
    diff: Option<Vec<PathBuf>>,
    /// What the reports of a folder came to one after the other: of its files ending in .json, and of
    /// report.json in the folders in it. With --html as a page
    #[arg(long, value_name = "DIR", conflicts_with_all = ["from", "diff", "out", "junit", "format"])]
    history: Option<PathBuf>,
    /// Print it in this form
    #[arg(long, value_enum, conflicts_with = "json")]
    format: Option<Format>,
    /// Write all forms into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write the HTML page to this file (- is standard output)
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write JUnit XML to this file (- is standard output)
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A form that a report is printed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// The summary that a campaign ends with
    Text,
    /// A few lines of Markdown
    Md,
    /// report.json
    Json,
    /// The page
    Html,
    /// JUnit XML
    Junit,
}

impl Format {
    fn print(self, report: &Report) -> Result<(), Failure> {
        let text = match self {
            Self::Text => report.summary(),
            Self::Md => report::markdown(report),
            Self::Json => report.json(),
            Self::Html => report::html(report),
            Self::Junit => report::junit(report),
        };
        output::print(text.trim_end())
    }
}

impl Arguments {
    fn history(&self, history: &History) -> Result<Ending, Failure> {
        match &self.html {
            Some(path) if path.as_os_str() == "-" => output::print(history.html().trim_end())?,
            Some(path) => files::write(path, history.html().as_bytes())?,
            None => {}
        }
        if self.json {
            output::print_json(history)?;
        } else if self.html.is_none() {
            output::print(history.text())?;
        }
        Ok(Ending::Success)
    }

    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        if let Some([old, new]) = self.diff.as_deref() {
            let changes = Changes::new(&Report::read(old)?, &Report::read(new)?)?;
            if self.json {
                output::print_json(&changes)?;
            } else {
                output::print(changes.text())?;
            }
            return Ok(changes.ending());
        }
        if let Some(folder) = &self.history {
            return self.history(&History::read(folder)?);
        }
        let report = Report::read(self.from.as_deref().unwrap_or(report::DEFAULT_FOLDER.as_ref()))?;
        if let Some(folder) = &self.out {
            report.write(folder)?;
        }
        for (file, text) in [
            (&self.html, report::html as fn(&Report) -> String),
            (&self.junit, report::junit as fn(&Report) -> String),
        ] {
            match file {
                Some(path) if path.as_os_str() == "-" => output::print(text(&report).trim_end())?,
                Some(path) => files::write(path, text(&report).as_bytes())?,
                None => {}
            }
        }
        if self.json {
            Format::Json.print(&report)?;
        } else if let Some(format) = self.format {
            format.print(&report)?;
        } else if self.out.is_none() && self.html.is_none() && self.junit.is_none() {
            Format::Text.print(&report)?;
        }
        Ok(report.verdict.ending())
    }
}
