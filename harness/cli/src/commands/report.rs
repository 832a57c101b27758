//! `parallax report`: the report of a finished campaign in other forms.

use std::path::PathBuf;

use clap::Args;

use crate::{
    failure::{Ending, Failure},
    files, output,
    report::{self, Report},
};

/// Turn the report.json of a finished campaign into HTML, JUnit XML or JSON
///
/// Exits with 1 if the report has divergences and with 2 if something was not run, as the campaign did.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax report --from target/parallax/report.json --html report.html
  parallax report --from report.json --junit - > junit.xml")]
pub(crate) struct Arguments {
    /// The report.json of a run, or the folder it is in
    #[arg(long, value_name = "REPORT.JSON")]
    from: PathBuf,
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

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let report = Report::read(&self.from)?;
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
            output::print(report.json().trim_end())?;
        } else if self.out.is_none() && self.html.is_none() && self.junit.is_none() {
            output::print(report.summary())?;
        }
        Ok(report.verdict.ending())
    }
}
