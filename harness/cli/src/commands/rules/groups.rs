//! Binding rules in groups: how many are covered, and how many of the others have a reason.

use std::collections::BTreeMap;

use clap::ValueEnum;
use parallax_spec::{Level, RuleId};
use schemars::JsonSchema;
use serde::Serialize;

use super::Entry;
use crate::{
    output::{self, Table, grouped},
    report::{IMPLICATED, chapters},
};

/// What rules are put together by.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Group {
    /// The catalogue
    Document,
    /// The chapter of the manual that they stand in
    Chapter,
    /// What they are about: an instruction, a register, a table
    Unit,
    /// The subject class
    Kind,
}

impl Group {
    const fn heading(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Chapter => "chapter",
            Self::Unit => "unit",
            Self::Kind => "kind",
        }
    }

    fn of(self, entry: &Entry) -> String {
        match self {
            Self::Document => entry.doc.to_owned(),
            Self::Chapter => {
                // Each manual has a first chapter: the name of the manual stands before it.
                let manual = entry.id.split('.').next().unwrap_or_default();
                let chapter = RuleId::find(entry.id).map(|id| chapters::of_rule(id.rule()));
                format!("{manual}: {}", chapter.unwrap_or_default())
            }
            Self::Unit => entry.unit.to_owned(),
            Self::Kind => entry.kind.to_owned(),
        }
    }
}

/// How the binding rules of a group stand.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Count {
    /// Binding rules.
    rules: u64,
    /// Covered rules.
    covered: u64,
    /// Rules that are neither covered nor failed, for a known reason.
    with_reason: u64,
    /// Failed rules.
    failed: u64,
    /// Implicated rules.
    implicated: u64,
    /// All others.
    open: u64,
}

impl Count {
    fn add(&mut self, entry: &Entry) {
        self.rules += 1;
        *match entry.state {
            "covered" => &mut self.covered,
            "failed" => &mut self.failed,
            IMPLICATED => &mut self.implicated,
            _ if entry.is_explained => &mut self.with_reason,
            _ => &mut self.open,
        } += 1;
    }
}

/// Prints the groups of the binding rules, and all of them together.
pub(super) fn print(group: Group, entries: &[Entry], json: bool) {
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let mut all = Count::default();
    for entry in entries.iter().filter(|entry| entry.level == Level::Must) {
        counts.entry(group.of(entry)).or_default().add(entry);
        all.add(entry);
    }
    if json {
        return output::print_json(&counts);
    }
    let mut table = Table::new(&[
        group.heading(),
        ">must",
        ">covered",
        ">with a reason",
        ">failed",
        ">implicated",
        ">open",
    ]);
    let all = [("all".to_owned(), all)];
    for (name, count) in counts.into_iter().chain(all) {
        let Count { rules, covered, with_reason, failed, implicated, open } = count;
        let numbers = [rules, covered, with_reason, failed, implicated, open].map(grouped);
        table.row([vec![name], numbers.into()].concat());
    }
    output::print(&table);
}
