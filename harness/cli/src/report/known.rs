//! What was left out of the programs of a run: what is known to be wrong, and what differed often enough.

use std::collections::BTreeMap;

use parallax_lockstep::{
    campaign::{Known as Kept, Statistics, Summary, is_known_on},
    escape::line,
    omission::Omitted,
    pattern::Pattern,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Report;
use crate::output::counted;

/// Instructions that have to agree, and none to differ, until it is said that they no longer fail.
const AGREED: u64 = 50;

/// What is known to be wrong, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub(crate) struct Known {
    /// The instructions, as a finding has them.
    pub(crate) signature: String,
    /// A device of the manual that they are of.
    pub(crate) device: String,
    /// The last day on which they are left out, in UTC. Left out if a trace names them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) until: String,
    /// Why they are wrong, or who cares about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) note: String,
    /// What became of them.
    pub(crate) state: State,
    #[serde(flatten)]
    pub(crate) counts: Counts,
}

/// What became of instructions that are known to be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum State {
    /// They were left out of programs.
    LeftOut,
    /// In the cases that are made without leaving anything out they were run often, and always agreed.
    NoLongerFails,
    /// No program had them.
    NotMet,
}

/// How often instructions were left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub(crate) struct Counts {
    /// Instructions that were left out of programs.
    pub(crate) left_out: u64,
    /// Cases that were not run, as their programs could not do without them.
    pub(crate) cases_left_out: u64,
    /// Of one case in 64, which is made without leaving anything out, instructions that agreed.
    pub(crate) agreed: u64,
    /// The cases of those in which one of them differed.
    pub(crate) differed: u64,
}

/// Instructions that differed so often that they were left out of most programs from then on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub(crate) struct Thinned {
    /// The instructions, as a finding has them.
    pub(crate) signature: String,
    /// The device.
    pub(crate) device: String,
    #[serde(flatten)]
    pub(crate) counts: Counts,
}

impl Counts {
    fn add(&mut self, other: Omitted) {
        self.left_out += other.instructions;
        self.cases_left_out += other.cases;
        self.agreed += other.agreed;
        self.differed += other.differed;
    }

    /// How many were left out, in words.
    fn text(self) -> String {
        let cases = match self.cases_left_out {
            0 => String::new(),
            cases => format!(" and {}", counted(cases, "case")),
        };
        format!("{}{cases} left out", counted(self.left_out, "instruction"))
    }
}

/// What became of what is known to be wrong.
pub(super) fn known(summary: &Summary) -> Vec<Known> {
    let of = |Kept { device, pattern, until, note }: &Kept| {
        let suites = summary.suites.iter().filter(|suite| is_known_on(device, &suite.device));
        let mut counts = Counts::default();
        suites
            .filter_map(|suite| suite.known.get(&pattern.text))
            .for_each(|omitted| counts.add(*omitted));
        let state = if counts == Counts::default() {
            State::NotMet
        } else if counts.agreed >= AGREED && counts.differed == 0 {
            State::NoLongerFails
        } else {
            State::LeftOut
        };
        Known {
            signature: pattern.text.clone(),
            device: device.clone(),
            until: until.clone(),
            note: note.clone(),
            state,
            counts,
        }
    };
    summary.known.iter().map(of).collect()
}

/// What was left out of most programs, those of all suites of a device together, without what no program had.
pub(super) fn thinned(suites: &[Statistics]) -> Vec<Thinned> {
    let mut all: BTreeMap<(&str, &str), Counts> = BTreeMap::new();
    for suite in suites {
        for (text, omitted) in &suite.thinned {
            all.entry((&suite.device, text)).or_default().add(*omitted);
        }
    }
    all.retain(|_, counts| counts.left_out + counts.cases_left_out > 0);
    let thinned = all.into_iter().map(|((device, text), counts)| Thinned {
        signature: text.to_owned(),
        device: device.to_owned(),
        counts,
    });
    thinned.collect()
}

impl Report {
    /// What is left out when its cases are run again.
    pub(crate) fn known_patterns(&self) -> Vec<Kept> {
        let kept = self.known.iter().filter_map(|known| {
            let pattern = Pattern::parse(&known.signature, known.device.parse().ok()?).ok()?;
            let Known { device, until, note, .. } = known.clone();
            Some(Kept { device, pattern, until, note })
        });
        kept.collect()
    }
}

impl Known {
    /// What became of it, in a line.
    pub(crate) fn text(&self) -> String {
        let Self { signature, device, until, note, state, counts } = self;
        let until = if until.is_empty() { String::new() } else { format!(" until {until}") };
        let note = if note.is_empty() { String::new() } else { format!(" ({note})") };
        let head = format!("{signature} on {device}{until}");
        let what = match state {
            State::NotMet => "no program had it".to_owned(),
            State::NoLongerFails => format!(
                "no longer fails: {} agreed where nothing was left out",
                counted(counts.agreed, "instruction")
            ),
            State::LeftOut => {
                let differed = counted(counts.differed, "case");
                format!("{}; it differed in {differed} with it", counts.text())
            }
        };
        line(&format!("{head}: {what}{note}")).into_owned()
    }
}

impl Thinned {
    /// What became of it, in a line.
    pub(crate) fn text(&self) -> String {
        let Self { signature, device, counts } = self;
        let text = format!("{signature} on {device}: {}, as it differed often", counts.text());
        line(&text).into_owned()
    }
}

/// Lines with a word before the first of them.
pub(super) fn headed(head: &str, lines: impl IntoIterator<Item = String>) -> Vec<String> {
    let lines = lines.into_iter().enumerate();
    lines
        .map(|(number, line)| format!("{:<9}{line}", if number == 0 { head } else { "" }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_out_is_said_in_a_line() {
        let counts = Counts { left_out: 1234, cases_left_out: 1, agreed: 0, differed: 3 };
        let mut known = Known {
            signature: "mov with :vf".to_owned(),
            device: "skl".to_owned(),
            until: "2027-03-01".to_owned(),
            note: "fixed in 2.1".to_owned(),
            state: State::LeftOut,
            counts,
        };
        assert_eq!(
            known.text(),
            "mov with :vf on skl until 2027-03-01: 1,234 instructions and 1 case left out; it differed in 3 cases \
             with it (fixed in 2.1)"
        );
        known.state = State::NoLongerFails;
        known.counts = Counts { agreed: 70, ..Counts::default() };
        assert!(
            known.text().contains("no longer fails: 70 instructions agreed"),
            "{}",
            known.text()
        );
    }
}
