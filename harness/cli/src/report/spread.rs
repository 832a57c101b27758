//! What instructions were run, and what an engine declined: how many of each mnemonic and type, execution size, region.

use std::{cmp::Reverse, collections::BTreeMap};

use parallax_lockstep::{campaign::Statistics, declined::DeclinedCases, escape::line, spread};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::output::grouped;

/// How many there were of each name.
type Counts = BTreeMap<String, u64>;

/// Names that a line lists; the rest is counted.
const LISTED: usize = 8;

/// Instructions by what they were.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub(crate) struct Spread {
    /// By mnemonic and types.
    pub(crate) forms: Counts,
    /// By execution size; on R700 by the size of their group.
    pub(crate) sizes: Counts,
    /// By the region of a source.
    pub(crate) regions: Counts,
}

impl From<spread::Spread> for Spread {
    fn from(spread::Spread { forms, sizes, regions }: spread::Spread) -> Self {
        Self { forms, sizes, regions }
    }
}

impl Spread {
    /// Those of all suites together, in a sample of their cases.
    pub(super) fn of(suites: &[Statistics]) -> Self {
        let mut all = spread::Spread::default();
        suites.iter().for_each(|suite| all.merge(&suite.spread));
        all.into()
    }

    /// Whether nothing was counted.
    pub(crate) fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// Execution sizes and regions, a line each.
    pub(crate) fn lines(&self) -> Vec<String> {
        let named = [("sizes", &self.sizes), ("regions", &self.regions)];
        let counted = named.into_iter().filter(|(_, counts)| !counts.is_empty());
        counted.map(|(name, counts)| format!("{name:<9}{}", shares(counts))).collect()
    }
}

/// What an engine said that it does not have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub(crate) struct Declined {
    /// Cases that it did not run to their end.
    pub(crate) cases: u64,
    /// Its reasons, each with its cases.
    pub(crate) reasons: Counts,
    /// The instructions that it does not have.
    pub(crate) instructions: Spread,
}

impl Declined {
    /// What it declined in all suites together; `None` if nothing.
    pub(super) fn of(suites: &[Statistics]) -> Option<Self> {
        let mut all = DeclinedCases::default();
        suites.iter().for_each(|suite| all.merge(&suite.declined));
        let DeclinedCases { cases, reasons, instructions } = all;
        (cases > 0).then(|| Self { cases, reasons, instructions: instructions.into() })
    }

    /// What it declined, of how many cases, and why, for people, a line each.
    pub(crate) fn lines(&self, cases: u64) -> Vec<String> {
        let Self { cases: declined, reasons, instructions } = self;
        let mut lines = vec![format!("{} of {} cases", grouped(*declined), grouped(cases))];
        let named = [
            ("reasons", reasons),
            ("instructions", &instructions.forms),
            ("execution sizes", &instructions.sizes),
            ("regions", &instructions.regions),
        ];
        let counted = named.into_iter().filter(|(_, counts)| !counts.is_empty());
        lines.extend(counted.map(|(name, counts)| format!("{name}: {}", numbers(counts))));
        lines
    }
}

/// The names with the largest counts, and how many others there are.
fn most(counts: &Counts, text: impl Fn(&str, u64) -> String) -> String {
    let mut counts: Vec<_> = counts.iter().collect();
    counts.sort_by_key(|(_, count)| Reverse(**count));
    let mut texts: Vec<_> =
        counts.iter().take(LISTED).map(|(name, count)| text(&line(name), **count)).collect();
    match counts.len().saturating_sub(LISTED) {
        0 => {}
        others => texts.push(format!("{others} others")),
    }
    texts.join(", ")
}

fn numbers(counts: &Counts) -> String {
    most(counts, |name, count| format!("{name} ({})", grouped(count)))
}

fn shares(counts: &Counts) -> String {
    let all: u64 = counts.values().sum();
    most(counts, |name, count| format!("{name} {} %", 100 * count / all.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_counts_are_listed() {
        let sizes: Counts = (1..=10).map(|size| (size.to_string(), 10 * size)).collect();
        let spread = Spread { sizes, ..Spread::default() };
        let line =
            "sizes    10 18 %, 9 16 %, 8 14 %, 7 12 %, 6 10 %, 5 9 %, 4 7 %, 3 5 %, 2 others";
        assert_eq!(spread.lines(), [line]);
    }

    #[test]
    fn what_was_declined_is_said_with_its_reasons() {
        let reasons = [("no \u{1b}[31mdp4".to_owned(), 1200), ("no mad".to_owned(), 34)].into();
        let declined = Declined { cases: 1234, reasons, instructions: Spread::default() };
        let lines = declined.lines(5000);
        assert_eq!(lines[0], "1,234 of 5,000 cases");
        assert!(lines[1].starts_with("reasons: no ") && lines[1].ends_with("(1,200), no mad (34)"));
        assert!(!lines[1].contains('\u{1b}'));
    }
}
