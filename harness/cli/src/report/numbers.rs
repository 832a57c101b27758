//! How much of what a campaign could test it did: the numbers of page one.

use parallax_isa::Device;
use parallax_spec::RuleId;
use serde::Serialize;

use super::{Report, Share, standings::Row, suspects::IMPLICATED};
use crate::{documents, output::grouped, selection::Selection};

/// Least share of covered rules, in percent, of each colour of the matrix but the last.
const STEPS: [u64; 5] = [90, 70, 50, 30, 10];

/// How the applicable rules stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Numbers {
    /// The other numbers together.
    pub(crate) applicable: u64,
    /// An exact comparison depended on them, and agreed.
    pub(crate) covered: u64,
    /// The first suspect of a cause.
    pub(crate) failed: u64,
    /// Other suspects.
    pub(crate) implicated: u64,
    /// No exact comparison depended on them.
    pub(crate) open: u64,
    /// Rules that are not counted in the others.
    pub(crate) not_applicable: u64,
}

impl Numbers {
    pub(super) fn of(rows: &[Row]) -> Self {
        let mut numbers = Self::default();
        for row in rows {
            if !row.applicable {
                numbers.not_applicable += 1;
                continue;
            }
            numbers.applicable += 1;
            *match row.state {
                "covered" => &mut numbers.covered,
                "failed" => &mut numbers.failed,
                IMPLICATED => &mut numbers.implicated,
                _ => &mut numbers.open,
            } += 1;
        }
        numbers
    }

    /// How many of the applicable ones are covered.
    pub(super) const fn share(self) -> Share {
        Share { must: self.applicable, covered: self.covered }
    }

    /// Covered rules in whole percent, 100 only if all are.
    pub(crate) fn percent(self) -> u64 {
        (100 * self.covered).checked_div(self.applicable).unwrap_or(0)
    }
}

/// Covered rules by document and device.
#[derive(Debug, Serialize)]
pub(super) struct Matrix {
    devices: Vec<String>,
    rows: Vec<Documented>,
}

#[derive(Debug, Serialize)]
struct Documented {
    document: &'static str,
    /// One for each device, `None` where the document is not about it.
    cells: Vec<Option<Cell>>,
}

#[derive(Debug, Serialize)]
struct Cell {
    covered: u64,
    applicable: u64,
    percent: u64,
    /// The colour: the place in [`STEPS`].
    heat: usize,
}

/// Whether a rule is about a device.
fn is_about(row: &Row, device: &str) -> bool {
    RuleId::find(row.id).is_some_and(|id| documents::devices(id.rule()).contains(&device))
}

/// The matrix of the documents about the devices that ran. `rows` are in the order of documents.
pub(super) fn matrix(report: &Report, rows: &[Row]) -> Matrix {
    let devices = report.devices();
    let documents = rows.chunk_by(|a, b| a.document == b.document);
    let rows = documents.filter_map(|rows| {
        let document = rows[0].document;
        let cell = |device: &&str| {
            let about = rows.iter().filter(|row| row.applicable && is_about(row, device));
            let is_covered = |row: &&Row| row.devices.iter().any(|covered| covered == device);
            let applicable = about.clone().count() as u64;
            let covered = about.filter(is_covered).count() as u64;
            let percent = (100 * covered).checked_div(applicable)?;
            let heat = STEPS.iter().position(|least| percent >= *least).unwrap_or(STEPS.len());
            Some(Cell { covered, applicable, percent, heat })
        };
        let cells: Vec<_> = devices.iter().map(cell).collect();
        cells.iter().any(Option::is_some).then_some(Documented { document, cells })
    });
    Matrix {
        rows: rows.collect(),
        devices: devices.iter().map(|device| (*device).to_owned()).collect(),
    }
}

/// What was not tested and why, a line each.
pub(super) fn untested(report: &Report, rows: &[Row]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = |what: String| lines.push(what);
    let ran = report.devices();
    let others = Device::ALL.iter().map(|device| device.name());
    let others: Vec<_> = others.filter(|device| !ran.contains(device)).collect();
    if report.running {
        line("The run has not ended: nothing of it is known.".to_owned());
    }
    if report.interrupted {
        line("The run was stopped early.".to_owned());
    }
    if !others.is_empty() {
        line(format!("Devices that were not run: {}.", others.join(", ")));
    }
    if let Some(engine) = &report.engine {
        if let Some(instructions) = &engine.instructions {
            let instructions = instructions.join(", ");
            line(format!("Other instructions than the engine declares: {instructions}."));
        }
        for (what, names) in [
            ("State that the engine does not have", &engine.banks_not_compared),
            ("Results that the engine does not claim to have right", &engine.weaknesses()),
            ("Suites that the engine cannot run", &engine.suites_not_run),
        ] {
            if !names.is_empty() {
                line(format!("{what}: {}.", names.join(", ")));
            }
        }
    }
    if let Some(programs) = report.selection.as_ref().and_then(Selection::programs) {
        line(format!("Other instructions: the run was limited to {programs}."));
    }
    if report.selection.as_ref().is_some_and(|selection| !selection.rules.is_empty()) {
        line("Suites that do not meet one of the named rules.".to_owned());
    }
    let left_out: u64 = report.suites.iter().map(|suite| suite.left_out).sum();
    if left_out > 0 {
        line(format!(
            "Cases that take what the engine does not have, or other instructions: {}.",
            grouped(left_out)
        ));
    }
    let declined = report.declined_lines();
    if !declined.is_empty() {
        line(format!("What the engine declined: {}.", declined.join("; ")));
    }
    for known in &report.known {
        line(format!("Known to be wrong: {}.", known.text()));
    }
    for thinned in &report.thinned {
        line(format!("Left out of most programs: {}.", thinned.text()));
    }
    for objection in report.objections() {
        line(objection);
    }
    let numbers = Numbers::of(rows);
    if numbers.open > 0 {
        let open = grouped(numbers.open);
        line(format!("Applicable rules that no exact comparison depended on: {open}."));
    }
    let out = rows.iter().filter(|row| row.state == "out-of-scope").count() as u64;
    if out > 0 {
        line(format!("Binding rules out of scope of Parallax: {}.", grouped(out)));
    }
    lines
}
