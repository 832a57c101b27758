//! What has changed from one report to another: rules, findings, speed.

use std::fmt::Write as _;

use minijinja::context;
use parallax_spec::{RuleId, browse::Standing};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Divergence, Report, Verdict, pages};
use crate::{
    failure::{Ending, Failure},
    output::{counted, grouped},
};

/// Rules and findings of a list that are shown; the others are counted.
const LISTED: usize = 20;

/// The changes from an old report to a new one.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Changes {
    /// The old and the new verdict.
    verdict: [Verdict; 2],
    /// Devices that only the old run tested.
    devices_gone: Vec<String>,
    /// Devices that only the new run tested.
    devices_new: Vec<String>,
    /// Ids of the rules that only the new run covered.
    rules_gained: Vec<String>,
    /// Rules that only the old run covered.
    rules_lost: Vec<Lost>,
    /// Findings of the new run only.
    findings_new: Vec<Found>,
    /// Findings of the old run only.
    findings_fixed: Vec<Found>,
    /// Number of findings of both.
    findings_left: usize,
    /// Covered binding rules, old and new.
    covered: [u64; 2],
    /// Instructions compared per second, old and new.
    speed: [u64; 2],
}

#[derive(Debug, Serialize, JsonSchema)]
struct Lost {
    /// Id of the rule.
    id: String,
    /// Its state in the new run.
    state: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Found {
    /// Id of the finding.
    id: String,
    /// What it is and where it showed, in words.
    what: String,
}

impl Found {
    fn of(finding: &Divergence) -> Self {
        let what = finding.extent().unwrap_or_else(|| finding.instruction.clone());
        Self { id: finding.id.clone(), what }
    }
}

/// Whether two findings have the same cause: the same kind on a device that both showed on.
fn is_same(a: &Divergence, b: &Divergence) -> bool {
    let devices = |finding: &'_ Divergence| -> Vec<String> {
        let shown = finding.shown.iter().map(|shown| shown.device.clone());
        shown.chain([finding.device.clone()]).collect()
    };
    if a.kind.is_empty() || b.kind.is_empty() {
        return a.id == b.id;
    }
    let of_b = devices(b);
    a.title() == b.title() && devices(a).iter().any(|device| of_b.contains(device))
}

impl Changes {
    /// Those from one report to another.
    ///
    /// # Errors
    /// If one is of a run that has not ended, or they have no device in common.
    pub(crate) fn new(old: &Report, new: &Report) -> Result<Self, Failure> {
        for (name, report) in [("old", old), ("new", new)] {
            if report.running {
                return Err(Failure::input(format!(
                    "the {name} report is of a run that has not ended: nothing of it is known"
                )));
            }
        }
        let (before, after) = (old.devices(), new.devices());
        if !before.is_empty() && !before.iter().any(|device| after.contains(device)) {
            return Err(Failure::input(format!(
                "the old report is of {}, the new one of {}: they have no device in common",
                before.join(", "),
                if after.is_empty() { "no device".to_owned() } else { after.join(", ") }
            )));
        }
        let without = |devices: &[&str], others: &[&str]| -> Vec<String> {
            let of_one = devices.iter().filter(|device| !others.contains(device));
            of_one.map(|device| (*device).to_owned()).collect()
        };
        let rules = || RuleId::all().map(RuleId::rule);
        let is_covered = |report: &Report, rule| report.rules.standing(rule) == Standing::Covered;
        let gained = rules().filter(|rule| is_covered(new, rule) && !is_covered(old, rule));
        let lost = rules().filter(|rule| is_covered(old, rule) && !is_covered(new, rule));
        let only = |of: &Report, other: &Report| -> Vec<Found> {
            let has = |finding: &&Divergence| other.divergences.iter().any(|f| is_same(f, finding));
            of.divergences.iter().filter(|finding| !has(finding)).map(Found::of).collect()
        };
        let findings_new = only(new, old);
        Ok(Self {
            verdict: [old.verdict, new.verdict],
            devices_gone: without(&before, &after),
            devices_new: without(&after, &before),
            rules_gained: gained.map(|rule| rule.id.to_owned()).collect(),
            rules_lost: lost
                .map(|rule| Lost { id: rule.id.to_owned(), state: new.rules.word(rule) })
                .collect(),
            findings_left: new.divergences.len() - findings_new.len(),
            findings_new,
            findings_fixed: only(old, new),
            covered: [old.rules.covered, new.rules.covered],
            speed: [speed(old), speed(new)],
        })
    }

    /// Whether something got worse: a rule was lost, a finding is new, what passed does not. The speed
    /// depends on the machine and is no reason.
    fn is_worse(&self) -> bool {
        let [old, new] = self.verdict;
        let passes_no_more = old == Verdict::Pass && new != Verdict::Pass;
        !self.rules_lost.is_empty() || !self.findings_new.is_empty() || passes_no_more
    }

    /// How a command ends that has found them.
    pub(crate) fn ending(&self) -> Ending {
        Ending::found(self.is_worse())
    }

    /// The same for people.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let [old, new] = self.verdict.map(Verdict::word);
        let [covered, now] = self.covered.map(grouped);
        let [speed, speed_now] = self.speed.map(grouped);
        let mut line = |what: String| writeln!(text, "{what}").expect("writing to a string");
        line(format!("verdict   {old} -> {new}"));
        line(format!("covered   {covered} -> {now} rules"));
        line(format!("speed     {speed} -> {speed_now} instructions/s"));
        for (title, devices) in [("not run", &self.devices_gone), ("run now", &self.devices_new)] {
            if !devices.is_empty() {
                line(format!("{title:<9} {}", devices.join(", ")));
            }
        }
        let mut list = |title: &str, thing: &str, items: Vec<String>| {
            line(format!("{title:<9} {}", counted(items.len() as u64, thing)));
            items.iter().take(LISTED).for_each(|item| line(format!("  {item}")));
            if let Some(more) = items.len().checked_sub(LISTED).filter(|more| *more > 0) {
                line(format!("  and {} more", grouped(more as u64)));
            }
        };
        let lost = self.rules_lost.iter();
        let lost = lost.map(|lost| format!("{}  now {}", lost.id, lost.state));
        let findings = |found: &[Found]| -> Vec<String> {
            found.iter().map(|found| format!("{}  {}", found.id, found.what)).collect()
        };
        list("lost", "rule", lost.collect());
        list("gained", "rule", self.rules_gained.clone());
        list("new", "finding", findings(&self.findings_new));
        list("fixed", "finding", findings(&self.findings_fixed));
        line(format!("left      {}", counted(self.findings_left as u64, "finding")));
        text.trim_end().to_owned()
    }

    /// The same as a page that needs nothing beside it, with all rules and findings.
    pub(crate) fn html(&self) -> String {
        let titled = |id: &str| {
            let rule = RuleId::find(id).map(RuleId::rule);
            rule.map_or(("", ""), |rule| (rule.title, rule.catalogue))
        };
        let lost = self.rules_lost.iter();
        let lost = lost.map(|lost| (lost.id.as_str(), titled(&lost.id), lost.state));
        let gained = self.rules_gained.iter().map(|id| (id.as_str(), titled(id), "covered"));
        pages::render(
            "diff.html",
            context! {
                changes => self,
                is_worse => self.is_worse(),
                rules => [("lost", lost.collect::<Vec<_>>()), ("gained", gained.collect())],
                findings => [("new", &self.findings_new), ("fixed", &self.findings_fixed)],
            },
        )
    }
}

/// Instructions that a campaign compared in a second.
pub(super) fn speed(report: &Report) -> u64 {
    let instructions: u64 = report.suites.iter().map(|suite| suite.instructions).sum();
    if report.elapsed_s > 0.0 { (instructions as f64 / report.elapsed_s) as u64 } else { 0 }
}
