//! `parallax rules --explain`: a case in which a rule decides something, and how an engine that gets it
//! wrong would be found out.

use std::{
    collections::BTreeSet,
    path::Path,
    time::{Duration, Instant},
};

use parallax_lockstep::{
    random::case_seed,
    registry::{self, Problem},
    subject::UnderTest,
    suite::{Suite, Witness, Worker},
    trace,
};
use parallax_spec::{
    Level, RuleId,
    browse::out_of_scope,
    coverage::{self, Coverage},
    examples::{self, Example, Pair},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::Entry;
use crate::{
    commands::show,
    documents,
    failure::{Ending, Failure},
    files,
    output::{self, Table, counted, grouped},
    suites,
};

/// Cases of a suite that are run before the next suite has its turn.
const TURN: u64 = 4;

/// What is to be explained, and how long it may be looked for.
pub(super) struct Question<'a> {
    pub(super) rule: RuleId,
    pub(super) seed: u64,
    pub(super) time: Duration,
    /// A file for the trace of the case.
    pub(super) output: Option<&'a Path>,
    pub(super) json: bool,
    /// Whether a report says how the rule stands.
    pub(super) with_hits: bool,
}

/// The JSON interface of `rules --explain`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Explained<'a> {
    /// The rule, as in `rules --json`.
    rule: &'a Entry,
    /// The suites that were run.
    suites: Vec<Turns>,
    /// A case in which the rule decides something; null if none was found.
    case: Option<Case>,
    /// For a restriction: pairs of a legal and an illegal program, or why no static check sees it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<crate::schema::foreign::Example>")]
    example: Option<Example>,
}

/// How many cases of a suite a rule decided something of.
#[derive(Serialize, JsonSchema)]
struct Turns {
    /// The suite.
    suite: &'static str,
    /// The device.
    device: &'static str,
    /// Cases that were run.
    cases: u64,
    /// Cases in which the rule decides something.
    met: u64,
}

/// A case in which the rule decides something.
#[derive(Serialize, JsonSchema)]
struct Case {
    /// The suite.
    suite: &'static str,
    /// The device.
    device: &'static str,
    /// Seed of the case.
    seed: u64,
    /// Number of its instructions.
    instructions: usize,
    /// The first step of which the rule decides something.
    step: usize,
    /// The case, as in `show --json`.
    trace: show::Json,
    /// How a wrong bit in that step would be reported; null if everything there is open.
    caught: Option<Caught>,
}

/// What is said of an engine with a wrong bit.
#[derive(Serialize, JsonSchema)]
struct Caught {
    /// Where the bit is.
    place: String,
    /// What the comparison says.
    divergence: String,
}

impl Question<'_> {
    /// Explains the rule.
    pub(super) fn answer(&self, entry: &Entry) -> Result<Ending, Failure> {
        if let Some(file) = self.output {
            files::check(file)?;
        }
        let no_case = self.no_case();
        let mut search = Search::new()?;
        let found = match no_case {
            Some(_) => None,
            None => search.run(self),
        };
        if let (Some(file), Some((_, _, witness))) = (self.output, &found) {
            files::write(file, &witness.trace)?;
        }
        let case = found.map(Case::of).transpose();
        let case = case.map_err(|problem| Failure::input(problem.to_string()))?;
        let is_answered = case.is_some() || no_case.is_some();
        let turns: Vec<Turns> = search.turns.into_iter().filter(|turns| turns.cases > 0).collect();
        if self.json {
            let example = examples::of(self.rule);
            output::print_json(&Explained { rule: entry, suites: turns, case, example });
        } else {
            let mut text = entry.text(self.with_hits);
            text += &match (&no_case, &case) {
                (Some(why), _) => wrapped(why),
                (None, case) => self.text(&turns, case.as_ref()),
            };
            output::print(text.trim_end());
        }
        Ok(if is_answered { Ending::Success } else { Ending::Incomplete })
    }

    /// Why no case can be made that exercises the rule, if so.
    fn no_case(&self) -> Option<String> {
        let rule = self.rule.rule();
        if rule.level == Level::Restriction {
            return Some(restriction(self.rule));
        }
        if let Some(reason) = out_of_scope(rule) {
            return Some(format!("Out of scope: {reason}"));
        }
        let why = match rule.level {
            Level::Must | Level::Restriction => return None,
            Level::Undefined => {
                "The manual leaves open what happens: whatever an engine does there is accepted."
            }
            Level::Info => "It says nothing that a comparison could depend on.",
        };
        Some(why.to_owned())
    }

    fn text(&self, turns: &[Turns], case: Option<&Case>) -> String {
        let mut text = String::new();
        if turns.iter().any(|turns| turns.met > 0) {
            let mut table = Table::new(&["suite", "device", ">cases", ">decided by it"]);
            for Turns { suite, device, cases, met } in turns.iter().filter(|turns| turns.met > 0) {
                table.row([
                    (*suite).to_owned(),
                    (*device).to_owned(),
                    grouped(*cases),
                    grouped(*met),
                ]);
            }
            text += &format!("{table}\n\n");
        }
        let cases = counted(turns.iter().map(|turns| turns.cases).sum(), "case");
        match case {
            Some(case) => text += &case.text(),
            None if text.is_empty() => {
                text += &format!(
                    "None of {cases} met it with seed {}: another --seed or a longer --time may",
                    self.seed
                );
            }
            None => {
                text += "What met it are texts, machine code or events, not programs that run: there is no \
                         case to show";
            }
        }
        text
    }
}

impl Case {
    fn of((suite, seed, witness): (Named, u64, Witness)) -> Result<Self, Problem> {
        let Witness { trace, instructions, step, caught } = witness;
        let machine = registry::machine(&trace::machine_of(&trace)?);
        let machine = machine.expect("the machine that recorded it");
        let trace = show::Json::of(machine.name(), machine.show(&trace)?);
        let caught =
            caught.map(|caught| Caught { place: caught.place, divergence: caught.divergence });
        let (suite, device) = suite;
        Ok(Self { suite, device, seed, instructions, step, trace, caught })
    }

    fn text(&self) -> String {
        let Self { suite, device, seed, instructions, step, trace, caught } = self;
        let size = match instructions {
            0 => String::new(),
            number => format!(" to {}", counted(*number as u64, "instruction")),
        };
        let mut text = format!(
            "A case of {suite} on {device} (seed {seed:016x}), brought down{size}; the rule decides \
             step {step}:\n\n{}\n",
            indented(&trace.text())
        );
        text += &match caught {
            Some(Caught { place, divergence }) => format!(
                "\nOf an engine that is right but for the lowest bit of {place} after step {step}, a run \
                 says:\n\n{}\n",
                indented(divergence)
            ),
            None => format!("\nNothing that step {step} does is compared bit by bit.\n"),
        };
        text
    }
}

/// A text with its sentences wrapped; programs in it stand as they are.
fn wrapped(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| match paragraph.starts_with("  ") {
        true => paragraph.to_owned(),
        false => output::wrap(paragraph, 0),
    });
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

fn indented(text: &str) -> String {
    let lines = text.lines().map(|line| match line {
        "" => String::new(),
        line => format!("  {line}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What is known of a restriction: a program that keeps it and one that breaks it, or why no check sees it.
fn restriction(rule: RuleId) -> String {
    match examples::of(rule) {
        Some(Example::NotStatic(reason)) => {
            format!("It is a ban on programs that `parallax check` does not see: {reason}")
        }
        None => "It is a ban on programs, and cases are legal: no example of it is written yet."
            .to_owned(),
        Some(Example::Pairs(pairs)) => {
            let mut text =
                "It is a ban on programs, and cases are legal: `parallax check` says where a \
                            program breaks it."
                    .to_owned();
            for Pair { device, program_type, legal, illegal } in pairs {
                let kind = program_type.map(|kind| format!(" ({kind})")).unwrap_or_default();
                text += &format!(
                    "\n\nLegal on {device}{kind}:\n\n{}\n\nIllegal:\n\n{}",
                    indented(legal.trim_end()),
                    indented(illegal.trim_end())
                );
            }
            text
        }
    }
}

/// Suite and device.
type Named = (&'static str, &'static str);

/// The search for a case, over all suites.
struct Search {
    suites: Vec<Box<dyn Suite>>,
    turns: Vec<Turns>,
}

impl Search {
    fn new() -> Result<Self, Failure> {
        let engine = UnderTest::Named("executor".to_owned());
        let mut suites = suites::select(&[], &[], &[], &engine, &[])?;
        // Short cases first.
        suites.sort_by_key(|suite| suite.name().ends_with("-long"));
        let turns = suites.iter().map(|suite| Turns {
            suite: suite.name(),
            device: suite.device(),
            cases: 0,
            met: 0,
        });
        let turns = turns.collect();
        Ok(Self { suites, turns })
    }

    /// Runs the suites in turns, those first of the devices that the rule's document is about, until a case
    /// is found or the time is over.
    fn run(&mut self, question: &Question) -> Option<(Named, u64, Witness)> {
        let deadline = Instant::now() + question.time;
        let own = documents::devices(question.rule.rule());
        let others: BTreeSet<&str> = self.suites.iter().map(|suite| suite.device()).collect();
        let others = others.into_iter().filter(|device| !own.contains(device));
        let Self { suites, turns } = self;
        let mut workers: Vec<Option<Box<dyn Worker + '_>>> = suites.iter().map(|_| None).collect();
        // The first device alone, then all that the document is about, then all there are.
        let every: Vec<&str> = own.iter().copied().chain(others).collect();
        let groups = [&every[..1], &every[..own.len().max(1)], &every[..]];
        let mut rounds = 0;
        while Instant::now() < deadline {
            let devices = groups[usize::min(rounds / 4, groups.len() - 1)];
            let mut found = None;
            for (number, suite) in suites.iter().enumerate() {
                if !devices.contains(&suite.device()) || Instant::now() >= deadline {
                    continue;
                }
                let worker = workers[number].get_or_insert_with(|| suite.worker());
                for _ in 0..TURN {
                    let turns = &mut turns[number];
                    let (name, device) = (suite.name(), suite.device());
                    let seed = case_seed(question.seed, name, device, turns.cases);
                    turns.cases += 1;
                    if !meets(&mut **worker, seed, question.rule) {
                        continue;
                    }
                    turns.met += 1;
                    if found.is_none() {
                        let witness = worker.witness(seed, question.rule);
                        found = witness.map(|witness| ((name, device), seed, witness));
                    }
                }
            }
            if found.is_some() {
                return found;
            }
            rounds += 1;
        }
        None
    }
}

/// Whether a rule decides something of a suite's case.
fn meets(worker: &mut dyn Worker, seed: u64, rule: RuleId) -> bool {
    worker.run(seed);
    coverage::drop_marks();
    let mut used = Coverage::new();
    coverage::add_to(&mut used);
    used.is_met(rule)
}
