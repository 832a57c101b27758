//! How each rule of the catalogue stands, and the sums of that by document and chapter.

use std::collections::BTreeMap;

use parallax_spec::{
    Level, Rule, RuleId,
    browse::{Standing, reason},
    examples::{self, Example},
    rules::RULES,
};
use serde::Serialize;

use super::{Report, chapters, scope::Scope, suspects::IMPLICATED};
use crate::documents;

/// A rule in the table of all of them.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) id: &'static str,
    title: &'static str,
    rule: &'static str,
    pub(super) document: &'static str,
    chapter: &'static str,
    unit: &'static str,
    lines: &'static str,
    level: Level,
    pub(super) state: &'static str,
    /// Devices on which an exact comparison depended on it.
    pub(super) devices: Vec<String>,
    hits: u64,
    /// Rows of its table without a comparison.
    missing_rows: Vec<u16>,
    /// Whether the campaign could test it.
    pub(super) applicable: bool,
    /// Why it is not covered, if it should be and is not.
    pub(super) reason: Option<&'static str>,
    /// The number of the reason among all that are given, from 1.
    why: Option<usize>,
}

impl Row {
    /// The number that the chapter begins with; chapters without one stand behind the others.
    fn chapter_number(&self) -> u32 {
        let first = self.chapter.split(' ').next().unwrap_or_default();
        first.parse().unwrap_or(u32::MAX)
    }
}

/// How many rules of a document or chapter stand how.
#[derive(Debug, Default, Clone, Serialize)]
pub(super) struct Sums {
    document: &'static str,
    /// `None` for the whole document.
    chapter: Option<&'static str>,
    rules: u64,
    /// Rules by the words of [`state`].
    states: BTreeMap<&'static str, u64>,
    /// Of the binding rules in scope, those covered in percent; `None` if there are none.
    percent: Option<u64>,
}

/// The words for how a rule stands, in the order of the columns.
pub(super) const STATES: [&str; 10] = [
    "covered",
    "failed",
    "implicated",
    "only-accepted",
    "uncovered",
    "checked",
    "restriction",
    "undefined",
    "info",
    "out-of-scope",
];

/// The word for how a rule stands: a restriction that programs of a device were held to is checked.
fn state(report: &Report, rule: &Rule) -> &'static str {
    let is_seen = || {
        let example = RuleId::find(rule.id).and_then(examples::of);
        let devices = documents::devices(rule);
        matches!(example, Some(Example::Pairs(_)))
            && report.devices().iter().any(|device| devices.contains(device))
    };
    match report.rules.standing(rule) {
        Standing::Restriction if is_seen() => "checked",
        _ => report.rules.word(rule),
    }
}

/// Every rule, in the order of documents and ids.
pub(super) fn rows(report: &Report) -> Vec<Row> {
    let mut devices: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (device, rules) in &report.rules.devices {
        for rule in rules {
            devices.entry(rule).or_default().push(device.clone());
        }
    }
    let scope = Scope::new(report);
    let row = |rule: &'static Rule| {
        let state = state(report, rule);
        let is_open =
            matches!(state, "failed" | IMPLICATED | "only-accepted" | "uncovered" | "out-of-scope");
        Row {
            id: rule.id,
            title: rule.title,
            rule: rule.rule,
            document: rule.catalogue,
            chapter: chapters::of_rule(rule),
            unit: rule.unit,
            lines: rule.lines,
            level: rule.level,
            state,
            devices: devices.get(rule.id).cloned().unwrap_or_default(),
            hits: report.rules.uses_of(rule.id).exact,
            missing_rows: report.rules.missing_rows.get(rule.id).cloned().unwrap_or_default(),
            applicable: scope.has(rule),
            reason: if is_open { reason(rule) } else { None },
            why: None,
        }
    };
    let mut rows: Vec<_> = RULES.iter().map(row).collect();
    rows.sort_by_key(|row| (row.document, row.id));
    rows
}

/// The reasons that are given, each once, in the order of rows, which get their numbers.
pub(super) fn number_reasons(rows: &mut [Row]) -> Vec<&'static str> {
    let mut reasons = Vec::new();
    let mut numbers = BTreeMap::new();
    for row in rows {
        row.why = row.reason.map(|reason| {
            *numbers.entry(reason).or_insert_with(|| {
                reasons.push(reason);
                reasons.len()
            })
        });
    }
    reasons
}

/// The rules of a chapter.
#[derive(Debug, Serialize)]
pub(super) struct Group<'r> {
    document: &'static str,
    chapter: &'static str,
    rows: Vec<&'r Row>,
}

/// Rows by document and chapter.
pub(super) fn groups(rows: &[Row]) -> Vec<Group<'_>> {
    let mut groups: BTreeMap<_, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        groups.entry((row.document, row.chapter_number(), row.chapter)).or_default().push(row);
    }
    let group = |((document, _, chapter), rows)| Group { document, chapter, rows };
    groups.into_iter().map(group).collect()
}

/// The sums of each document, those of its chapters behind it; last those of all documents.
pub(super) fn sums(rows: &[Row]) -> Vec<Sums> {
    let mut sums: BTreeMap<(&str, bool, u32, &str), Sums> = BTreeMap::new();
    let mut all = Sums { document: "all", ..Sums::default() };
    for row in rows {
        let number = row.chapter_number();
        let Row { document, chapter, .. } = *row;
        let new = Sums { document, ..Sums::default() };
        sums.entry((document, false, 0, "")).or_insert_with(|| new.clone()).add(row.state);
        let new = Sums { chapter: Some(chapter), ..new };
        sums.entry((document, true, number, chapter)).or_insert(new).add(row.state);
        all.add(row.state);
    }
    sums.into_values().chain([all]).map(Sums::with_percent).collect()
}

impl Sums {
    fn add(&mut self, state: &'static str) {
        self.rules += 1;
        *self.states.entry(state).or_default() += 1;
    }

    fn with_percent(mut self) -> Self {
        let of = |states: &[&str]| states.iter().filter_map(|state| self.states.get(state)).sum();
        let (covered, binding): (u64, u64) = (of(&STATES[..1]), of(&STATES[..5]));
        self.percent = (100 * covered).checked_div(binding);
        self
    }
}
