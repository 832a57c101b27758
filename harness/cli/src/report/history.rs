//! What runs came to one after the other: a line for each report in a folder.

use std::{
    fs,
    path::{Path, PathBuf},
};

use minijinja::context;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Report, Verdict, chart, diff::speed, pages};
use crate::{
    failure::{Failure, note},
    output::{Table, grouped, path_text},
};

/// The runs of a folder, the oldest first.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct History {
    /// A report in each entry, the oldest first.
    runs: Vec<Run>,
}

/// A report in a line.
#[derive(Debug, Serialize, JsonSchema)]
struct Run {
    /// The report.
    #[serde(serialize_with = "path_text")]
    file: PathBuf,
    /// When the run ended; null if not recorded.
    date: Option<String>,
    /// Commit that the program was built from; null if not recorded.
    commit: Option<String>,
    /// Its verdict.
    verdict: Verdict,
    /// Its seed.
    seed: u64,
    /// Seconds that it ran.
    elapsed_s: f64,
    /// The devices that it tested.
    devices: Vec<String>,
    /// Covered binding rules.
    covered: u64,
    /// Covered binding rules that are in scope.
    covered_in_scope: u64,
    /// Number of rules that are the first suspect of a finding.
    failed: usize,
    /// Number of rules that are a later suspect of one.
    implicated: usize,
    /// Number of findings.
    findings: usize,
    /// Instructions compared per second.
    speed: u64,
}

impl Run {
    fn of(file: PathBuf, report: &Report) -> Self {
        Self {
            file,
            date: report.run.as_ref().map(|run| run.date.clone()),
            commit: report.run.as_ref().and_then(|run| run.commit.clone()),
            verdict: report.verdict,
            seed: report.seed,
            elapsed_s: report.elapsed_s,
            devices: report.devices().into_iter().map(str::to_owned).collect(),
            covered: report.rules.covered,
            covered_in_scope: report.rules.in_scope.covered,
            failed: report.rules.failed.len(),
            implicated: report.rules.implicated.len(),
            findings: report.divergences.len(),
            speed: speed(report),
        }
    }

    /// The first letters of the commit, as people write them.
    fn short_commit(&self) -> &str {
        let commit = self.commit.as_deref().unwrap_or("-");
        commit.get(..10).unwrap_or(commit)
    }
}

impl History {
    /// Reads the reports of a folder: its files that end in .json, and report.json of the folders in it.
    /// What is no report of a run that has ended is skipped, and said.
    ///
    /// # Errors
    /// If the folder cannot be read, or has no report.
    pub(crate) fn read(folder: &Path) -> Result<Self, Failure> {
        let mut runs = Vec::new();
        for file in files(folder)? {
            match Report::read(&file) {
                Ok(report) if report.running => {
                    note(format_args!("skipped {}: the run has not ended", file.display()));
                }
                Ok(report) => runs.push(Run::of(file, &report)),
                Err(failure) => note(format_args!("skipped: {failure}")),
            }
        }
        if runs.is_empty() {
            return Err(Failure::input(format!(
                "there is no report in {}: neither a file ending in .json nor report.json in a folder",
                folder.display()
            )));
        }
        // Those without a date are of an earlier program.
        runs.sort_by(|a, b| (&a.date, &a.file).cmp(&(&b.date, &b.file)));
        Ok(Self { runs })
    }

    /// The runs as a table.
    pub(crate) fn text(&self) -> String {
        let mut table = Table::new(&[
            "date",
            "commit",
            "verdict",
            ">covered",
            ">in scope",
            ">failed",
            ">implicated",
            ">findings",
            ">instructions/s",
            "report",
        ]);
        for run in &self.runs {
            table.row([
                run.date.clone().unwrap_or_else(|| "-".to_owned()),
                run.short_commit().to_owned(),
                run.verdict.word().to_owned(),
                grouped(run.covered),
                grouped(run.covered_in_scope),
                grouped(run.failed as u64),
                grouped(run.implicated as u64),
                grouped(run.findings as u64),
                grouped(run.speed),
                run.file.display().to_string(),
            ]);
        }
        table.to_string()
    }

    /// The runs as a page that needs nothing beside it.
    pub(crate) fn html(&self) -> String {
        let chart = |name, of: fn(&Run) -> u64| {
            Chart::of(name, &self.runs.iter().map(of).collect::<Vec<_>>())
        };
        let charts = [
            chart("rules covered", |run| run.covered),
            chart("findings", |run| run.findings as u64),
            chart("instructions/s", |run| run.speed),
        ];
        let rows: Vec<_> = self.runs.iter().map(|run| (run, run.short_commit())).collect();
        pages::render("history.html", context! { charts, rows })
    }
}

/// How a number went from run to run.
#[derive(Debug, Serialize)]
struct Chart {
    name: &'static str,
    first: u64,
    last: u64,
    largest: u64,
    svg: String,
}

impl Chart {
    fn of(name: &'static str, values: &[u64]) -> Self {
        let largest = values.iter().copied().max().unwrap_or_default();
        let [first, last] = [values.first(), values.last()].map(|v| v.copied().unwrap_or_default());
        Self { name, first, last, largest, svg: chart::line(values) }
    }
}

/// The files of a folder that may be reports, in order of their names.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failure = |error| Failure::file("read", folder, error);
    let entries = fs::read_dir(folder).map_err(failure)?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(failure)?.path();
        let inside = path.join("report.json");
        if inside.is_file() {
            files.push(inside);
        } else if path.is_file() && path.extension().is_some_and(|ending| ending == "json") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
