//! The manuals' tables of comparisons, sums, products, conversions, minima and special values, drawn
//! as they are printed, with what both engines give in each cell.
//!
//! Both engines of this program are asked when the page is made, with operands of the cell's classes.
//! What the campaign compared is another matter, and stands beside it: where rules are of single cells
//! or count row by row each cell says whether it was met, elsewhere the table says what its rules count.

mod ask;
mod conversions;
mod numbers;
mod r700;
mod units;

use parallax_isa::Device;
use parallax_spec::RuleId;
use serde::Serialize;

use self::ask::{Answer, Operands};
use super::Report;

/// The tables of one machine.
#[derive(Debug, Serialize)]
pub(super) struct Chapter {
    /// The device that was asked.
    device: &'static str,
    title: &'static str,
    grids: Vec<Grid>,
    cells: usize,
    /// Cells in which the engines differ.
    differing: usize,
}

/// A table.
#[derive(Debug, Serialize)]
struct Grid {
    title: String,
    /// What the campaign compared by the rules of the table as a whole; `None` if each cell says.
    whole: Option<Whole>,
    columns: Vec<String>,
    rows: Vec<Row>,
}

/// The rules of a table, and the exact comparisons that the campaign made by them.
#[derive(Debug, Serialize)]
struct Whole {
    /// What the ids begin with.
    rules: String,
    exact: u64,
    failed: bool,
}

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    cells: Vec<Option<Cell>>,
}

/// What both engines made of all operands of a cell that were tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Given {
    /// The same, or what the reference accepts.
    Same,
    /// The reference leaves the result open.
    Open,
    /// Something else.
    Differ,
    /// Nothing: they were not asked, or one refused.
    Unasked,
}

#[derive(Debug, Clone, Serialize)]
struct Cell {
    printed: String,
    /// What both engines are held to where that is another word than the printed one: `decisions.md` says
    /// why.
    adopted: Option<String>,
    given: Given,
    /// The value, or both.
    value: String,
    /// Whether the campaign met the cell, where that is counted.
    is_met: Option<bool>,
    /// The operands, for who wants to know.
    says: String,
}

/// A cell that is to be asked for.
struct Wanted {
    row: String,
    column: String,
    printed: String,
    /// What is read instead, if it is not what is printed.
    adopted: Option<String>,
    /// Operands of its classes, those that are shown first.
    operands: Vec<Operands>,
    is_met: Option<bool>,
}

/// How operands and results are written.
#[derive(Clone, Copy)]
struct Writing {
    operand: fn(u64) -> String,
    /// Of the bits that were read, one number or several.
    result: fn(&[u64]) -> String,
}

/// The tables of all machines that the report's campaign ran programs of.
pub(super) fn chapters(report: &Report) -> Vec<Chapter> {
    let ran = |device: Device| {
        let has_program = |name: &str| name.starts_with("eu") || name.starts_with("r700");
        let mut suites = report.suites.iter();
        suites.any(|suite| suite.device == device.name() && has_program(&suite.name))
    };
    let first = |devices: &[Device]| devices.iter().copied().find(|device| ran(*device));
    let mut chapters = Vec::new();
    if let Some(device) = first(&[Device::G45, Device::Ctg, Device::Cl, Device::Bw]) {
        chapters.extend(units::of_g45(report, device));
    }
    if let Some(device) = first(&[Device::Ivb, Device::Skl]) {
        chapters.push(units::of_gen7(report, device));
    }
    if ran(Device::Dg1) {
        chapters.push(units::of_dg1(report));
    }
    if ran(Device::Rv770) {
        chapters.push(r700::of_doubles(report));
    }
    chapters
}

impl Chapter {
    fn of(device: Device, title: &'static str, grids: Vec<Grid>) -> Self {
        let cells = || grids.iter().flat_map(Grid::cells);
        let differing = cells().filter(|cell| cell.given == Given::Differ).count();
        Self { device: device.name(), title, cells: cells().count(), differing, grids }
    }
}

impl Grid {
    fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.rows.iter().flat_map(|row| row.cells.iter().flatten())
    }

    /// Asks both engines for all cells at once. Rows and columns are in the order in which the cells first
    /// name them.
    fn asked(
        title: impl Into<String>,
        whole: Option<Whole>,
        wanted: Vec<Wanted>,
        writing: Writing,
        ask: impl FnOnce(&[Operands]) -> Vec<Option<Answer>>,
    ) -> Self {
        let all: Vec<Operands> = wanted.iter().flat_map(|cell| cell.operands.clone()).collect();
        let mut answers = ask(&all).into_iter();
        let (mut columns, mut rows): (Vec<String>, Vec<Row>) = (Vec::new(), Vec::new());
        for cell in wanted {
            let answers: Vec<_> = answers.by_ref().take(cell.operands.len()).collect();
            let column = columns.iter().position(|name| *name == cell.column);
            let column = column.unwrap_or_else(|| {
                columns.push(cell.column.clone());
                columns.len() - 1
            });
            let row = rows.iter().position(|row| row.name == cell.row);
            let row = row.unwrap_or_else(|| {
                rows.push(Row { name: cell.row.clone(), cells: Vec::new() });
                rows.len() - 1
            });
            let cells = &mut rows[row].cells;
            cells.resize_with(cells.len().max(column + 1), || None);
            cells[column] = Some(Cell::of(cell, &answers, writing));
        }
        rows.iter_mut().for_each(|row| row.cells.resize_with(columns.len(), || None));
        Self { title: title.into(), whole, columns, rows }
    }

    /// The same of cells that are asked in ways of their own: of their columns, or of their rows.
    fn asked_by(
        name: fn(&Wanted) -> String,
        title: impl Into<String>,
        whole: Option<Whole>,
        wanted: Vec<Wanted>,
        writing: Writing,
        ask: impl Fn(&str, &[Operands]) -> Vec<Option<Answer>>,
    ) -> Self {
        let ways = wanted.iter().map(|cell| (name(cell), cell.operands.len()));
        let ways: Vec<_> = ways.collect();
        Self::asked(title, whole, wanted, writing, |operands| in_parts(ways, operands, ask))
    }
}

/// Asks for each cell by itself: what each is called, and how many operands it has.
fn in_parts(
    cells: Vec<(String, usize)>,
    mut operands: &[Operands],
    ask: impl Fn(&str, &[Operands]) -> Vec<Option<Answer>>,
) -> Vec<Option<Answer>> {
    let mut answers = Vec::new();
    for (name, number) in cells {
        let (part, rest) = operands.split_at(number);
        answers.extend(ask(&name, part));
        operands = rest;
    }
    answers
}

impl Cell {
    fn of(wanted: Wanted, answers: &[Option<Answer>], writing: Writing) -> Self {
        let Wanted { printed, adopted, operands, is_met, .. } = wanted;
        let write = |operands: &Operands| {
            let numbers: Vec<_> = operands.iter().map(|bits| (writing.operand)(*bits)).collect();
            numbers.join(", ")
        };
        let tried: Vec<_> = operands.iter().map(write).collect();
        let cell = |given, value, says| {
            let (printed, adopted) = (printed.clone(), adopted.clone());
            Self { printed, adopted, given, value, is_met, says }
        };
        let Some(answers) = answers.iter().map(Option::as_ref).collect::<Option<Vec<_>>>() else {
            return cell(Given::Unasked, String::new(), "an engine refused".to_owned());
        };
        let Some(first) = answers.first() else {
            return cell(Given::Unasked, String::new(), String::new());
        };
        let says = tried.join("; ");
        let differing = answers.iter().zip(&tried).find(|(answer, _)| !answer.agrees);
        if let Some((answer, operands)) = differing {
            let [reference, executor] =
                [&answer.reference, &answer.executor].map(|bits| (writing.result)(bits));
            let value = format!("reference {reference}, executor {executor}");
            return cell(Given::Differ, value, operands.clone());
        }
        if answers.iter().all(|answer| answer.is_open) {
            return cell(Given::Open, String::new(), says);
        }
        cell(Given::Same, (writing.result)(&first.reference), says)
    }
}

impl Whole {
    /// Of the rules whose ids begin with a text.
    fn of(report: &Report, rules: &str) -> Self {
        let of = |rule: RuleId| report.rules.uses_of(rule.rule().id);
        let all = RuleId::all().filter(|rule| rule.rule().id.starts_with(rules));
        let mut whole = Self { rules: rules.to_owned(), exact: 0, failed: false };
        for uses in all.map(of) {
            whole.exact += uses.exact;
            whole.failed |= uses.failed > 0;
        }
        whole
    }
}

/// Whether the campaign compared something by the rule of a cell, exactly or not; `None` if it has none of
/// its own.
fn is_met(report: &Report, rule: &str) -> Option<bool> {
    let rule = RuleId::find(rule)?.rule();
    let uses = report.rules.uses_of(rule.id);
    Some(uses.exact + uses.accepted + uses.failed > 0)
}

/// Whether the campaign made an exact comparison by a row of a rule that is a table. The rule itself is
/// used as often as the row that is used least.
fn is_row_met(report: &Report, rule: &str, row: u16) -> Option<bool> {
    let missing = report.rules.missing_rows.get(rule);
    let used = || report.rules.uses_of(rule).exact > 0;
    Some(missing.map_or_else(used, |rows| !rows.contains(&row)))
}

/// What is adopted in place of a printed word, both of which name one result.
fn instead(printed: &str, adopted: &str) -> Option<String> {
    const RESULTS: [&str; 10] =
        ["NaN", "+1", "+inf", "-inf", "+0", "-0", "+fmax", "-fmax", "+fmaxx", "undefined"];
    let are_results = [printed, adopted].iter().all(|word| RESULTS.contains(word));
    (are_results && printed != adopted).then(|| adopted.to_owned())
}

/// Every pair of some numbers.
fn pairs(a: &[u64], b: &[u64]) -> Vec<Operands> {
    a.iter().flat_map(|a| b.iter().map(move |b| [*a, *b, 0])).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use parallax_spec::coverage::{Coverage, Uses};

    use super::*;
    use crate::report::{Rules, Suite};

    /// A report of a campaign on all devices that used some rules, of tables all rows but the third.
    fn report(used: &[&str]) -> Report {
        let suite = |device: Device| Suite {
            name: if device == Device::Rv770 { "r700" } else { "eu" }.to_owned(),
            device: device.name().to_owned(),
            ..Suite::default()
        };
        // A table is used as often as its row that is used least.
        let exact = |id: &&str| if id.ends_with(".table") { 0 } else { 7 };
        let uses =
            |id: &&str| ((*id).to_owned(), Uses { exact: exact(id), accepted: 0, failed: 0 });
        let none = Rules::new(&Coverage::new(), &BTreeMap::new());
        Report {
            suites: [Device::G45, Device::Ivb, Device::Dg1, Device::Rv770].map(suite).into(),
            rules: Rules {
                uses: used.iter().map(uses).collect(),
                missing_rows: none
                    .missing_rows
                    .iter()
                    .map(|(id, all)| match used.contains(&&**id) {
                        true => (id.clone(), vec![2]),
                        false => (id.clone(), all.clone()),
                    })
                    .collect(),
                ..none
            },
            ..Report::of_running(1)
        }
    }

    /// Every cell that has operands is asked for, and both engines give what they should.
    #[test]
    fn both_engines_agree_in_every_cell() {
        let chapters = chapters(&report(&[]));
        let counts: Vec<_> = chapters.iter().map(|chapter| chapter.cells).collect();
        // The rows of the tables that are drawn: `g45-compare`, `-minmax` and so on, and the signs of INT DIV.
        let gen7 = 486 + 162 + 54 + 57 + 57 + 8 + 2 * 9;
        assert_eq!(counts, [972, 162, 494, 48, 187 + 13 + 4, gen7, 123, 717]);
        for chapter in chapters {
            for cell in chapter.grids.iter().flat_map(Grid::cells) {
                let title = chapter.title;
                assert_ne!(cell.given, Given::Differ, "{title}: {cell:?}");
                // Of `LDEXP_64` the exponents that are no integers.
                let is_asked = cell.given != Given::Unasked;
                assert!(is_asked || chapter.device == "rv770", "{title}: {cell:?}");
            }
        }
    }

    /// What stands in a cell where a table has one word for all results.
    #[test]
    fn cells_show_what_is_printed() {
        let chapters = chapters(&report(&[]));
        for cell in chapters.iter().flat_map(|chapter| &chapter.grids).flat_map(Grid::cells) {
            let wanted = cell.adopted.as_ref().unwrap_or(&cell.printed);
            let exact = ["T", "F", "TRUE", "FALSE", "NaN", "+inf", "-inf", "+0", "-0", "-fmax"];
            if cell.given == Given::Same && exact.contains(&&**wanted) {
                assert_eq!(&cell.value, wanted, "{cell:?}");
            }
        }
    }

    #[test]
    fn a_cell_that_was_not_met_says_so() {
        let met = |used: &[&str]| {
            let chapters = chapters(&report(used));
            let cells = chapters.iter().flat_map(|chapter| &chapter.grids).flat_map(Grid::cells);
            let met: Vec<_> = cells.filter_map(|cell| cell.is_met).collect();
            (met.iter().filter(|met| **met).count(), met.len())
        };
        let (none, counted) = met(&[]);
        assert_eq!(none, 0);
        // The cells of Extended Math and math have rules of their own, those of nine tables of R700 rows.
        assert_eq!(counted, 187 + 123 + 81 + 11 + 12 + 11 + 2 * 9 + 121 + 3 * 81);
        let used = ["g45.extmath.pow.ieee.absgt1.pfin", "dg1.math.inv.ieee.pzero-pdenorm.t1"];
        assert_eq!(met(&used).0, 2);
        assert_eq!(met(&["r700.aluinst.add-64.table"]).0, 80);
    }

    #[test]
    fn a_difference_is_shown_with_both_values() {
        let wanted = Wanted {
            row: "-0".to_owned(),
            column: "+0".to_owned(),
            printed: "+0".to_owned(),
            adopted: None,
            operands: vec![[1 << 31, 0, 0]],
            is_met: None,
        };
        let answer =
            Answer { reference: vec![0], executor: vec![1 << 31], agrees: false, is_open: false };
        let result = |bits: &[u64]| numbers::single(bits[0]);
        let cell = Cell::of(wanted, &[Some(answer)], Writing { operand: numbers::single, result });
        assert_eq!((cell.given, &*cell.value), (Given::Differ, "reference +0, executor -0"));
        assert_eq!(cell.says, "-0, +0, +0");
    }

    #[test]
    fn tables_are_those_of_the_devices_that_ran() {
        assert!(chapters(&Report::of_running(1)).is_empty());
    }
}
