//! The report as a few lines for the terminal.

use std::{collections::BTreeSet, fmt::Write};

use parallax_isa::Device;
use parallax_lockstep::{escape::line, r700::outside::profiles};

use super::{Known, Report, Rules, Share, Suite, Thinned, Verdict, known::headed};
use crate::{
    documents,
    output::{Table, counted, grouped},
    selection::Selection,
};

/// Divergences that are listed; the rest is counted.
const LISTED: usize = 10;

/// How much the summary says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Findings and the verdict.
    Quiet,
    /// A line for each device.
    Devices,
    /// A line for each suite on each device.
    Suites,
}

/// A column that is explained below the table when it is not zero.
struct Explained {
    name: &'static str,
    count: fn(&Suite) -> u64,
    meaning: &'static str,
}

const EXPLAINED: [Explained; 5] = [
    Explained {
        name: "accepted",
        count: |suite| suite.accepted_undefined,
        meaning: "results that differ where the manual allows more than one value",
    },
    Explained {
        name: "skipped",
        count: |suite| suite.skipped,
        meaning: "cases that no engine could start, or that ended at an unspecified effect",
    },
    Explained {
        name: "uncompared",
        count: |suite| suite.uncompared,
        meaning: "skipped cases in which nothing was compared",
    },
    Explained {
        name: "declined",
        count: |suite| suite.declined,
        meaning: "cases of which the engine said that it does not have what they take",
    },
    Explained {
        name: "left out",
        count: |suite| suite.left_out,
        meaning: "cases that need something the engine does not declare, or instructions that the run leaves out",
    },
];

fn push(text: &mut String, line: impl std::fmt::Display) {
    writeln!(text, "{line}").expect("writing to a string");
}

impl Report {
    /// Cases that did not agree, whatever they come from.
    pub(crate) fn diverging(&self) -> u64 {
        self.suites.iter().map(|suite| suite.divergences).sum()
    }

    /// The summary: a table, rules covered, the divergences and the verdict.
    pub(crate) fn summary(&self, detail: Detail) -> String {
        let mut text = match detail {
            Detail::Quiet => String::new(),
            Detail::Devices => format!("{}\n\n", self.device_table()),
            Detail::Suites => format!("{}\n\n", self.suite_table()),
        };
        if detail != Detail::Quiet {
            self.explain_columns(&mut text);
            self.push_rules(&mut text);
        }
        self.push_findings(&mut text);
        if !self.divergences.is_empty() {
            text.push('\n');
        }
        let stopped = if self.interrupted { ", stopped early" } else { "" };
        for objection in self.objections() {
            push(&mut text, line(&objection));
        }
        for waiver in self.waiver_lines() {
            push(&mut text, line(&waiver));
        }
        for requirement in self.requirement_lines() {
            push(&mut text, line(&requirement));
        }
        let found = self.headline();
        write!(text, "verdict  {found} (seed {}, {:.1} s{stopped})", self.seed, self.elapsed_s)
            .expect("writing to a string");
        text
    }

    /// A line for each device: the verdict and what it rests on.
    fn device_table(&self) -> Table<'static> {
        let columns = ["device", "verdict", ">covered", ">findings", ">cases", ">instructions"];
        let mut table = Table::new(&columns);
        for device in self.devices() {
            let suites = || self.suites.iter().filter(move |suite| suite.device == device);
            let sum = |count: fn(&Suite) -> u64| grouped(suites().map(count).sum());
            let findings = self.divergences.iter().filter(|divergence| {
                divergence.device == device
                    || divergence.shown.iter().any(|shown| shown.device == device)
            });
            table.row([
                device.to_owned(),
                self.word_for(suites()).to_owned(),
                self.covered_on(device),
                grouped(findings.count() as u64),
                sum(|suite| suite.cases),
                sum(|suite| suite.instructions),
            ]);
        }
        table
    }

    /// What suites together came to, in a word or two.
    fn word_for<'s>(&self, suites: impl Iterator<Item = &'s Suite>) -> &'static str {
        let mut word = if self.running { "running" } else { "agrees" };
        for suite in suites {
            match suite.verdict {
                _ if suite.divergences > 0 => return "differs",
                Verdict::Fail => word = "too little compared",
                Verdict::Incomplete if word == "agrees" => word = "not all run",
                _ => {}
            }
        }
        word
    }

    /// Binding rules covered on a device, of those in the documents that describe it.
    fn covered_on(&self, name: &str) -> String {
        let (Ok(device), Some(ids)) = (name.parse::<Device>(), self.rules.devices.get(name)) else {
            return "-".to_owned();
        };
        let ids: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
        let covered = documents::binding(device).filter(|rule| ids.contains(rule.id)).count();
        let all = documents::binding(device).count();
        format!("{} of {}", grouped(covered as u64), grouped(all as u64))
    }

    /// A line for each suite on each device.
    fn suite_table(&self) -> Table<'static> {
        let mut columns = vec![
            "suite",
            "device",
            ">cases",
            ">instructions",
            ">comparisons",
            ">accepted",
            ">skipped",
            ">uncompared",
            ">divergences",
        ];
        let leaves_out = self.leaves_out();
        if leaves_out {
            columns.push(">left out");
        }
        let mut table = Table::new(&columns);
        for suite in &self.suites {
            let mut row = vec![
                suite.name.clone(),
                suite.device.clone(),
                grouped(suite.cases),
                grouped(suite.instructions),
                grouped(suite.comparisons),
                grouped(suite.accepted_undefined),
                grouped(suite.skipped),
                grouped(suite.uncompared),
                grouped(suite.divergences),
            ];
            if leaves_out {
                row.push(grouped(suite.left_out));
            }
            table.row(row);
        }
        table
    }

    /// Whether cases may be left out: those of engines outside of this program, and of runs limited to instructions.
    fn leaves_out(&self) -> bool {
        let selection = self.selection.as_ref();
        self.engine.is_some()
            || !self.known.is_empty()
            || !self.thinned.is_empty()
            || selection.is_some_and(|s| !s.instructions.is_empty())
    }

    /// Says what the columns that are not zero count.
    fn explain_columns(&self, text: &mut String) {
        let mut any = false;
        for Explained { name, count, meaning } in EXPLAINED {
            let number: u64 = self.suites.iter().map(count).sum();
            if number > 0 {
                push(text, format_args!("{name:<11}{}: {meaning}", grouped(number)));
                any = true;
            }
        }
        if any {
            text.push('\n');
        }
    }

    /// What of the manuals was covered, and of what the engine was capable.
    fn push_rules(&self, text: &mut String) {
        let share = |of: &str, share: Share| {
            let Share { must, covered } = share;
            let percent = share.percent();
            format!("{} of {} {of}covered ({percent} %)", grouped(covered), grouped(must))
        };
        let Rules { applicable, failed, implicated, only_accepted, .. } = &self.rules;
        if let Some(engine) = &self.engine {
            *text += &engine.text();
            for line in self.spread.lines() {
                push(text, line);
            }
        }
        for (number, line) in self.declined_lines().into_iter().enumerate() {
            let head = if number == 0 { "declined" } else { "" };
            push(text, format_args!("{head:<9}{line}"));
        }
        for line in self.omission_lines() {
            push(text, line);
        }
        if let Some(applicable) = applicable {
            push(text, format_args!("rules    {}", share("applicable ", *applicable)));
        }
        push(text, format_args!("in all   {}", share("", self.rules.share())));
        let lists = [failed, implicated, only_accepted];
        if lists.iter().any(|ids| !ids.is_empty()) {
            let [failed, implicated, accepted] = lists.map(|ids| grouped(ids.len() as u64));
            push(
                text,
                format_args!(
                    "         {failed} failed, {implicated} implicated, {accepted} only accepted"
                ),
            );
        }
        if !self.profiles.is_empty() {
            let subjects: Vec<_> = self.profiles.iter().map(|p| p.subject.as_str()).collect();
            let subjects = subjects.join(", ");
            let hello = self.engine.as_ref().and_then(|engine| engine.hello.as_ref());
            let followed = match hello.map(profiles).as_deref() {
                Some([only]) => format!("{} only, as the engine declares", line(only)),
                _ => "manual and silicon by turns".to_owned(),
            };
            let subjects = line(&subjects);
            push(text, format_args!("profiles {followed}; they differ in {subjects}"));
        }
    }

    /// What the engine declined, a line each.
    pub(super) fn declined_lines(&self) -> Vec<String> {
        let cases = self.suites.iter().map(|suite| suite.cases).sum();
        self.declined.as_ref().map_or_else(Vec::new, |declined| declined.lines(cases))
    }

    /// What was left out of programs, a line each.
    pub(super) fn omission_lines(&self) -> Vec<String> {
        let known = headed("known", self.known.iter().map(Known::text));
        let thinned = headed("thinned", self.thinned.iter().map(Thinned::text));
        known.into_iter().chain(thinned).collect()
    }

    /// The findings, those of one cause together.
    fn push_findings(&self, text: &mut String) {
        let related = self.related();
        for causes in related.iter().take(LISTED) {
            let divergence = causes.first;
            push(text, format_args!("\n{}", line(&divergence.id)));
            if let Some(extent) = divergence.extent() {
                push(text, format_args!("  {}", line(&extent)));
            }
            push(
                text,
                format_args!(
                    "  step {}: {}\n  {} is {}, expected {}",
                    divergence.step,
                    line(&divergence.instruction),
                    line(&divergence.location),
                    line(&divergence.actual),
                    line(&divergence.expected),
                ),
            );
            if let Some(referee) = &divergence.referee {
                push(text, format_args!("  {}", line(referee)));
            }
            if let Some(rule) = divergence.rules.first() {
                push(text, format_args!("  first suspect: {rule}"));
            }
            if let Some(what) = causes.what_else() {
                push(text, format_args!("  {}", line(&what)));
            }
            if let Some(first) = divergence.next(self.engine.as_ref()).first() {
                push(text, format_args!("  {}", line(first)));
            }
        }
        if let Some(more) = related.len().checked_sub(LISTED).filter(|&more| more > 0) {
            push(text, format_args!("\nand {more} more, in the report"));
        }
    }

    /// That everything agrees, as far as the engine declares to have it.
    pub(super) fn agreement(&self) -> String {
        let programs = self.selection.as_ref().and_then(Selection::programs);
        let Some(engine) = &self.engine else {
            return programs
                .map_or("all agree".to_owned(), |programs| format!("all agree, in {programs}"));
        };
        let mut limits: Vec<_> = programs.into_iter().collect();
        if let Some(declared) = &engine.instructions {
            let devices = self.devices();
            let devices = devices.iter().filter_map(|name| name.parse::<Device>().ok());
            let known: BTreeSet<_> = devices.flat_map(crate::sheet::mnemonics).collect();
            let declared: BTreeSet<_> = declared.iter().map(|name| name.to_lowercase()).collect();
            let machine = engine.hello.as_ref().map_or("", |hello| &hello.machine);
            let count = declared.len() as u64;
            if machine == "surface" {
                limits.push(counted(count, "operation"));
            } else if machine == "units" || machine == "enums" {
                limits.push(format!("{count} kinds of queries"));
            } else if known.is_empty() {
                limits.push(counted(declared.len() as u64, "instruction"));
            } else {
                let has = known.iter().filter(|name| declared.contains(**name)).count();
                if has < known.len() {
                    limits.push(format!("{has} of {} instructions", known.len()));
                }
            }
        }
        let list = |limits: &mut Vec<String>, names: &[String], what: &str, not: &str| {
            if !names.is_empty() {
                limits.push(format!("{} {not}", counted(names.len() as u64, what)));
            }
        };
        list(&mut limits, &engine.suites_not_run, "suite", "not run");
        list(&mut limits, &engine.banks_not_compared, "bank", "not compared");
        let weaknesses = engine.weaknesses();
        if !weaknesses.is_empty() {
            let kinds = counted(weaknesses.len() as u64, "kind");
            limits.push(format!("{kinds} of results not claimed to be right"));
        }
        match limits.as_slice() {
            [] => "all agree".to_owned(),
            limits => format!("agrees within what it declares ({})", limits.join("; ")),
        }
    }
}
