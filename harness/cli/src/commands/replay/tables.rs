//! What came of replayed traces, as tables.

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    fmt::Write as _,
    path::{Path, PathBuf},
};

use super::{Replayed, Verdict};
use crate::output::{Table, grouped};

/// Reasons for leaving traces out that are shown, the most frequent first.
const REASONS: usize = 10;

/// What an engine does not have that traces take, and how many of them.
pub(super) fn reasons(traces: &[Replayed], engine: &str) -> String {
    let mut lacks: BTreeMap<&str, u64> = BTreeMap::new();
    for trace in traces.iter().filter(|trace| trace.verdict == Verdict::LeftOut) {
        *lacks.entry(trace.message.as_deref().unwrap_or("what it takes")).or_default() += 1;
    }
    let mut lacks: Vec<_> = lacks.into_iter().collect();
    lacks.sort_by_key(|(_, traces)| Reverse(*traces));
    let mut text = format!("left out, as {engine} does not have:\n");
    for (lack, traces) in lacks.iter().take(REASONS) {
        writeln!(text, "  {traces:>5}  {lack}").expect("a string takes what is written");
    }
    match lacks.len().saturating_sub(REASONS) {
        0 => {}
        more => writeln!(text, "         and {more} things more").expect("as above"),
    }
    text
}

/// A table of the rules that replayed traces are about: in how many of them the engine agrees, and in
/// how many it differs; first those that it differs in, the one most suspect before the others.
pub(super) fn conformance(traces: &[Replayed]) -> String {
    let mut rules: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
    for trace in traces {
        let column = match trace.verdict {
            Verdict::Agrees => 0,
            Verdict::Differs | Verdict::Known => 1,
            Verdict::LeftOut | Verdict::Unreadable => 2,
        };
        for rule in &trace.rules {
            rules.entry(rule.rule().id).or_default()[column] += 1;
        }
    }
    // Rules of which nothing is known say nothing.
    rules.retain(|_, [agrees, differs, _]| *agrees + *differs > 0);
    let mut table = Table::new(&["rule", ">agrees", ">differs", ">left out"]);
    let mut rules: Vec<_> = rules.into_iter().collect();
    // A rule of which nothing agrees says more than one that most programs apply; of equals what an instruction does.
    rules.sort_by_key(|(rule, [agrees, differs, _])| {
        let share = if *differs > 0 { 1 + differs * 1_000_000 / (agrees + differs) } else { 0 };
        Reverse((share, *differs, rule.ends_with(".semantics")))
    });
    for (rule, counts) in &rules {
        let [agrees, differs, left_out] = counts.map(grouped);
        table.row([(*rule).to_owned(), agrees, differs, left_out]);
    }
    table.to_string()
}

/// A table of how many traces of each folder passed, failed and take what the engine does not declare; none if there is
/// one folder. Folders of which nothing was replayed share a row.
pub(super) fn folders(traces: &[Replayed]) -> Option<String> {
    let mut folders: BTreeMap<PathBuf, [u64; 4]> = BTreeMap::new();
    for trace in traces {
        let column = match trace.verdict {
            Verdict::Agrees => 0,
            Verdict::Differs => 1,
            Verdict::Known => 2,
            Verdict::LeftOut => 3,
            Verdict::Unreadable => continue,
        };
        let folder = trace.file.parent().unwrap_or(Path::new("")).to_owned();
        folders.entry(folder).or_default()[column] += 1;
    }
    if folders.len() < 2 {
        return None;
    }
    let mut table = Table::new(&["folder", ">passed", ">failed", ">known", ">not declared"]);
    let mut others = [0, 0];
    for (folder, counts) in folders {
        if counts[..3] == [0; 3] {
            others = [others[0] + 1, others[1] + counts[3]];
            continue;
        }
        let [passed, failed, known, left_out] = counts.map(grouped);
        table.row([folder.display().to_string(), passed, failed, known, left_out]);
    }
    if others[0] > 0 {
        let [number, left_out] = others.map(grouped);
        let zero = || grouped(0);
        table.row([format!("{number} more"), zero(), zero(), zero(), left_out]);
    }
    Some(table.to_string())
}
