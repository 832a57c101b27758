//! `parallax report`: the report of a finished campaign in other forms.

use std::{
    io::{self, IsTerminal as _, Write as _},
    path::{Path, PathBuf},
};

use clap::Args;
use serde::Serialize;

use crate::{
    bundle,
    failure::{Ending, Failure},
    files, output,
    report::{self, Changes, Detail, History, Presentation, Report},
};

/// Turn the report.json of a finished campaign into other forms, or compare two of them
///
/// Exits with 1 if the report has divergences that are not waived and with 2 if something was not run, as the campaign did.
/// With --diff it exits with 1 if something got worse: a rule lost coverage, a finding is new, or
/// what passed does not.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax report
  parallax report night --details
  parallax report --from night/report.json --html report.html
  parallax report --from report.json --junit - > junit.xml
  parallax report --from report.json --format md >> summary.md
  parallax report --waivers waivers.toml --dut-name my-emulator --dut-version 2.1 --out signed
  parallax report --format pdf -o report.pdf
  parallax report night --bundle night.zip
  parallax report --diff yesterday/report.json target/parallax --html changes.html
  parallax report --history nights --html history.html")]
pub(crate) struct Arguments {
    /// The report.json of a run, or the folder it is in [default: target/parallax]
    #[arg(value_name = "DIR", conflicts_with_all = ["from", "diff", "history"])]
    path: Option<PathBuf>,
    /// The same, as an option
    #[arg(long, value_name = "REPORT.JSON", default_value = report::DEFAULT_FOLDER, hide_default_value = true)]
    from: PathBuf,
    /// Compare two reports: rules lost and gained, findings new and fixed, speed. With --html as a page
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"], conflicts_with_all = ["from", "out", "junit", "format"])]
    diff: Option<Vec<PathBuf>>,
    /// What the reports of a folder came to one after the other: of its files ending in .json, and of
    /// report.json in the folders in it. With --html as a page
    #[arg(long, value_name = "DIR", conflicts_with_all = ["from", "diff", "out", "junit", "format"])]
    history: Option<PathBuf>,
    /// Print it in this form
    #[arg(long, value_enum, conflicts_with = "json")]
    format: Option<Format>,
    /// Print a line for each suite on each device, not only for each device
    #[arg(long, conflicts_with_all = ["format", "json", "diff", "history"])]
    details: bool,
    /// Write all forms into this folder; with --format, only that form to this file
    #[arg(long, short, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Write the HTML page to this file (- is standard output)
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write JUnit XML to this file (- is standard output)
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the reports, the traces of the findings, settings and checksums of all into this ZIP file, which
    /// `parallax verify` checks
    #[arg(long, value_name = "FILE.zip", conflicts_with_all = ["diff", "history"])]
    bundle: Option<PathBuf>,
    /// Print the page with the annex: decisions, documents by chapter and all rules, some hundred sheets
    #[arg(long, conflicts_with_all = ["diff", "history"])]
    annex: bool,
    #[command(flatten)]
    presentation: Presentation,
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
    /// The page as PDF, by a headless Chromium
    Pdf,
}

impl Format {
    fn of(self, report: &Report, annex: bool) -> Result<Vec<u8>, Failure> {
        let text = match self {
            Self::Text => report.summary(Detail::Devices),
            Self::Md => report::markdown(report),
            Self::Json => report.json(),
            Self::Html => report::html(report, annex),
            Self::Junit => report::junit(report),
            Self::Pdf => return report::pdf(&report::html(report, annex)),
        };
        Ok(format!("{}\n", text.trim_end()).into_bytes())
    }

    fn print(self, report: &Report, annex: bool) -> Result<(), Failure> {
        if self == Self::Pdf && io::stdout().is_terminal() {
            return Err(Failure::input(
                "a PDF is nothing for a terminal: write it to a file, as in --format pdf -o report.pdf",
            ));
        }
        let content = self.of(report, annex)?;
        output::attempt(|to| to.write_all(&content));
        Ok(())
    }
}

/// Writes a text to a file, or to standard output if that is called `-`.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    if path.as_os_str() == "-" {
        output::print(text.trim_end());
        return Ok(());
    }
    files::write(path, text.as_bytes())
}

impl Arguments {
    /// What is reported of several reports: as a page, as JSON, or as text.
    fn tell(
        &self,
        page: impl FnOnce() -> String,
        json: &impl Serialize,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        if let Some(path) = &self.html {
            write(path, &page())?;
        }
        match (self.json, &self.html) {
            (true, _) => output::print_json(json),
            (false, None) => output::print(text()),
            (false, Some(_)) => {}
        }
        Ok(())
    }

    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        if let Some([old, new]) = self.diff.as_deref() {
            let changes = Changes::new(&Report::read(old)?, &Report::read(new)?)?;
            self.tell(|| changes.html(), &changes, || changes.text())?;
            return Ok(changes.ending());
        }
        if let Some(folder) = &self.history {
            let history = History::read(folder)?;
            self.tell(|| history.html(), &history, || history.text())?;
            return Ok(Ending::Success);
        }
        let presented = self.presentation.read()?;
        let from = self.path.as_deref().unwrap_or(&self.from);
        let mut report = Report::read(from)?;
        report.is_of_this_catalogue(from)?;
        presented.apply(&mut report);
        match (&self.out, self.format) {
            (Some(file), Some(format)) => files::write(file, &format.of(&report, self.annex)?)?,
            (Some(folder), None) => report.write(folder)?,
            (None, _) => {}
        }
        if let Some(path) = &self.bundle {
            let folder = if from.is_dir() { from } else { from.parent().unwrap_or(Path::new("")) };
            bundle::write(&report, folder, path)?;
        }
        if let Some(path) = &self.html {
            write(path, &report::html(&report, self.annex))?;
        }
        if let Some(path) = &self.junit {
            write(path, &report::junit(&report))?;
        }
        if self.json {
            Format::Json.print(&report, false)?;
        } else if let (Some(format), None) = (self.format, &self.out) {
            format.print(&report, self.annex)?;
        } else if self.details {
            output::print(report.summary(Detail::Suites));
        } else if [&self.out, &self.html, &self.junit, &self.bundle].iter().all(|to| to.is_none()) {
            Format::Text.print(&report, false)?;
        }
        Ok(report.verdict.ending())
    }
}
