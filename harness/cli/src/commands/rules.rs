//! `parallax rules`: browses the rule catalogue, and explains a rule.

mod explain;
mod groups;

use std::{collections::BTreeSet, iter, path::PathBuf, time::Duration};

use clap::Args;
use parallax_isa::Device;
use parallax_spec::{
    Level, Rule,
    browse::{Query, Standing, reason},
    rules::RULES,
    sabotage::is_noticed,
};
use schemars::JsonSchema;
use serde::Serialize;

pub(crate) use self::{explain::Explained, groups::Count};
use crate::{
    documents,
    failure::{Ending, Failure},
    number,
    output::{self, Table, counted, grouped},
    report::{self, IMPLICATED, Report},
    suggestion,
};

/// Browse the rules of the manuals, and what a run covered of them
///
/// Every rule is one testable statement of a manual with an id, the document's lines and a level.
/// Without arguments, lists the documents.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax rules --doc g45-instructions --unit add
  parallax rules --level must saturate overflow
  parallax rules --uncovered --doc g45-eu-environment
  parallax rules --doc g45 --by chapter
  parallax rules --explain g45.inst.add.acc-update")]
pub(crate) struct Arguments {
    /// Words that must all stand in the id, the title or the statement
    words: Vec<String>,
    /// Document: the name of a catalogue or its start (g45, g45-instructions, r700)
    #[arg(long, value_name = "DOCUMENT")]
    doc: Option<String>,
    /// Only rules of documents that describe one of these devices: g45, or g45,skl
    #[arg(long, value_delimiter = ',')]
    device: Vec<Device>,
    /// Subject class: float, region, encoding, instruction, …
    #[arg(long)]
    kind: Option<String>,
    /// What the rule is about: an instruction, a register, a table
    #[arg(long)]
    unit: Option<String>,
    /// How binding the rule is
    #[arg(long, value_enum)]
    level: Option<LevelName>,
    /// Only rules that a run should have covered and did not: those that failed or are implicated,
    /// those whose results were only accepted, and those that nothing depended on, with the reason
    #[arg(long)]
    uncovered: bool,
    /// Only count them: how many binding rules of each group there are, how many are covered, and how many
    /// of the others have a reason. Needs a report
    #[arg(long, value_enum, value_name = "GROUP", conflicts_with = "explain")]
    by: Option<groups::Group>,
    /// Show what a rule comes to: the suites that meet it, a case of a few instructions that it decides
    /// something of, step by step, and what a run would say of an engine that has a bit of that wrong.
    /// Exits with 2 if no case was found in time
    #[arg(long, value_name = "ID", conflicts_with_all = ["words", "doc", "device", "kind", "unit", "level", "uncovered"])]
    explain: Option<String>,
    /// How long --explain looks for a case
    #[arg(long, value_name = "TIME", requires = "explain", default_value = "20s", value_parser = humantime::parse_duration)]
    time: Duration,
    /// Seed of the cases that --explain looks at
    #[arg(long, requires = "explain", default_value_t = 1, value_parser = number::within(0..=u64::MAX), allow_negative_numbers = true)]
    seed: u64,
    /// Write the case of --explain to this file, as a trace
    #[arg(long, short, value_name = "FILE", requires = "explain", conflicts_with_all = ["words", "doc", "device", "kind", "unit", "level", "uncovered"])]
    output: Option<PathBuf>,
    /// The report.json of a run, or the folder it is in: adds how often each rule was exercised
    #[arg(long, value_name = "REPORT.JSON")]
    from: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A level as an argument.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum LevelName {
    /// Behaviour every implementation has to show
    Must,
    /// Behaviour the manual leaves open
    Undefined,
    /// Something programs must not do
    Restriction,
    /// Background without a testable effect
    Info,
}

impl From<LevelName> for Level {
    fn from(name: LevelName) -> Self {
        match name {
            LevelName::Must => Self::Must,
            LevelName::Undefined => Self::Undefined,
            LevelName::Restriction => Self::Restriction,
            LevelName::Info => Self::Info,
        }
    }
}

/// Why a rule is not covered where `decisions.md` has no reason that holds for every run.
const fn of_run(state: Standing, is_noticed: bool) -> &'static str {
    match state {
        Standing::OnlyAccepted if !is_noticed => {
            "Lockstep does not notice an engine that breaks it."
        }
        Standing::Failed => "The engines differ in steps that use it.",
        Standing::OnlyAccepted => {
            "What this run compared of it was open, or not every row of its table was met; \
             nothing is known that would keep a longer run from it."
        }
        _ => "This run did not meet it; nothing is known that would keep a longer one from it.",
    }
}

/// A rule in the JSON interface.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Entry {
    /// Id of the rule.
    id: &'static str,
    /// The document.
    doc: &'static str,
    /// The subject class.
    kind: &'static str,
    /// What the rule is about: an instruction, a register, a table.
    unit: &'static str,
    /// How binding it is.
    #[schemars(with = "crate::schema::foreign::Level")]
    level: Level,
    /// Its title.
    title: &'static str,
    /// Where the document says it.
    lines: &'static str,
    /// The rule, as a sentence.
    rule: &'static str,
    /// Steps that used it and were compared exactly, counted up to 64 on each device.
    hits: u64,
    /// Steps that used it and whose results were only accepted, unless 64 were exact.
    accepted: u64,
    /// Steps that used it and on which the engines differ.
    failed: u64,
    /// `covered`, `failed`, `implicated`, `only-accepted`, `uncovered`, `undefined`, `restriction`, `info` or
    /// `out-of-scope`.
    state: &'static str,
    #[serde(skip)]
    standing: Standing,
    /// If it is a table: numbers of the rows that no exact comparison depended on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing_rows: Vec<u16>,
    /// Why it is not covered, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    /// `decisions.md` has that reason.
    #[serde(skip)]
    is_explained: bool,
}

impl Entry {
    fn new(rule: &'static Rule, report: Option<&Report>) -> Self {
        let uses = report.map(|report| report.rules.uses_of(rule.id)).unwrap_or_default();
        let missing = report.and_then(|report| report.rules.missing_rows.get(rule.id));
        let standing = Standing::of(rule, uses);
        let open = is_open(standing) || standing == Standing::OutOfScope;
        Self {
            id: rule.id,
            doc: rule.catalogue,
            kind: rule.kind,
            unit: rule.unit,
            level: rule.level,
            title: rule.title,
            lines: rule.lines,
            rule: rule.rule,
            hits: uses.exact,
            accepted: uses.accepted,
            failed: uses.failed,
            state: report.map_or(standing.keyword(), |report| report.rules.word(rule)),
            standing,
            missing_rows: missing.cloned().unwrap_or_default(),
            reason: open
                .then(|| reason(rule).unwrap_or_else(|| of_run(standing, is_noticed(rule)))),
            is_explained: open && reason(rule).is_some(),
        }
    }
}

impl Entry {
    /// It for people, with an empty line behind it.
    fn text(&self, with_hits: bool) -> String {
        let mut text = format!(
            "{}  {}  {}, line {}\n    {}{}\n",
            self.id,
            word(self, with_hits),
            self.doc,
            self.lines,
            heading(self),
            if self.hits > 0 { format!("  ({})", counted(self.hits, "hit")) } else { "".into() },
        );
        text += &output::wrap(self.rule, 4);
        text.push('\n');
        if !self.missing_rows.is_empty() {
            let rows: Vec<_> = self.missing_rows.iter().map(ToString::to_string).collect();
            text += &output::wrap(&format!("rows without a comparison: {}", rows.join(", ")), 4);
            text.push('\n');
        }
        if let Some(reason) = self.reason.filter(|_| with_hits) {
            text += &output::wrap(&format!("not covered: {reason}"), 4);
            text.push('\n');
        }
        text.push('\n');
        text
    }
}

/// Whether a rule should have been covered and was not.
fn is_open(state: Standing) -> bool {
    matches!(state, Standing::Failed | Standing::OnlyAccepted | Standing::Uncovered)
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let report = self.report()?;
        if let Some(id) = &self.explain {
            let rule = suggestion::rule(id)?;
            let question = explain::Question {
                rule,
                seed: self.seed,
                time: self.time,
                output: self.output.as_deref(),
                json: self.json,
                with_hits: report.is_some(),
            };
            return question.answer(&Entry::new(rule.rule(), report.as_ref()));
        }
        known("document", self.doc.as_deref(), |rule, name| {
            Query { document: Some(name.to_owned()), ..Query::default() }.matches(rule)
        })?;
        known("kind", self.kind.as_deref(), |rule, name| rule.kind.eq_ignore_ascii_case(name))?;
        known("unit", self.unit.as_deref(), |rule, name| rule.unit.eq_ignore_ascii_case(name))?;
        // Each once: a rule that has a word has it however often it is asked for.
        let words: BTreeSet<String> = self.words.iter().map(|word| word.to_lowercase()).collect();
        known_words(&words)?;
        let query = Query {
            document: self.doc,
            kind: self.kind,
            unit: self.unit,
            level: self.level.map(Into::into),
            words: words.into_iter().collect(),
        };
        let entries: Vec<Entry> = query
            .rules()
            .filter(|rule| {
                let mut devices = self.device.iter();
                self.device.is_empty() || devices.any(|device| documents::describes(rule, *device))
            })
            .map(|rule| Entry::new(rule, report.as_ref()))
            .filter(|entry| !self.uncovered || is_open(entry.standing))
            .collect();
        if let Some(group) = self.by {
            groups::print(group, &entries, self.json);
        } else if self.json {
            output::print_json(&entries);
        } else if query == Query::default() && !self.uncovered {
            print_documents(&entries, report.is_some());
        } else {
            print_entries(&entries, report.is_some());
        }
        Ok(Ending::Success)
    }

    /// The report asked for; `--uncovered` and `--by` alone mean that of the last run.
    fn report(&self) -> Result<Option<Report>, Failure> {
        match &self.from {
            Some(path) => Report::read(path).map(Some),
            None if self.uncovered || self.by.is_some() => {
                let option = if self.uncovered { "--uncovered" } else { "--by" };
                let last = PathBuf::from(report::DEFAULT_FOLDER).join("report.json");
                if !last.exists() {
                    return Err(Failure::input(format!(
                        "{option} needs the report of a run: there is no {}; \
                         make one with `parallax run` or name one with --from",
                        last.display()
                    )));
                }
                Report::read(&last).map(Some)
            }
            None => Ok(None),
        }
    }
}

/// Refuses a name that no rule has.
fn known(what: &str, name: Option<&str>, has: impl Fn(&Rule, &str) -> bool) -> Result<(), Failure> {
    let Some(name) = name else { return Ok(()) };
    if RULES.iter().any(|rule| has(rule, name)) {
        return Ok(());
    }
    let names: BTreeSet<&str> = RULES
        .iter()
        .map(|rule| match what {
            "document" => rule.catalogue,
            "unit" => rule.unit,
            _ => rule.kind,
        })
        .collect();
    let names: Vec<&str> = names.into_iter().collect();
    Err(Failure::input(match what {
        // There are many.
        "unit" => {
            let near = suggestion::instead(name, names);
            format!("no rule is about a unit `{}`{near}", output::brief(name))
        }
        _ => suggestion::there_is_no(what, name, &names),
    }))
}

/// Refuses a word that stands in no rule.
fn known_words(words: &BTreeSet<String>) -> Result<(), Failure> {
    let texts = RULES.iter().flat_map(|rule| [rule.id, rule.title, rule.rule]);
    let texts: Vec<String> = texts.map(str::to_lowercase).collect();
    let known = |word: &&String| texts.iter().any(|text| text.contains(word.as_str()));
    let Some(word) = words.iter().find(|word| !known(word)) else { return Ok(()) };
    let letters = |c: char| !c.is_alphanumeric();
    let vocabulary = RULES.iter().flat_map(|rule| {
        let of_rule = [rule.id, rule.title, rule.rule].into_iter();
        iter::once(rule.id).chain(of_rule.flat_map(move |text| text.split(letters)))
    });
    let near = suggestion::instead(word, vocabulary);
    Err(Failure::input(format!("no rule has `{}` in it{near}", output::brief(word))))
}

/// Lists the documents with the number of their rules by level.
fn print_documents(entries: &[Entry], with_hits: bool) {
    let mut documents: Vec<&str> = entries.iter().map(|entry| entry.doc).collect();
    documents.sort_unstable();
    documents.dedup();
    let mut table = Table::new(&[
        "document",
        ">rules",
        ">must",
        ">undefined",
        ">restriction",
        ">info",
        ">covered",
        ">failed",
        ">implicated",
        ">only accepted",
    ]);
    let mut add = |name: &str, within: &dyn Fn(&Entry) -> bool| {
        let count = |wanted: &dyn Fn(&Entry) -> bool| {
            grouped(entries.iter().filter(|e| within(e) && wanted(e)).count() as u64)
        };
        let of_state = |state| match with_hits {
            true => count(&|entry| entry.state == state),
            false => "-".to_owned(),
        };
        table.row([
            name.to_owned(),
            count(&|_| true),
            count(&|entry| entry.level == Level::Must),
            count(&|entry| entry.level == Level::Undefined),
            count(&|entry| entry.level == Level::Restriction),
            count(&|entry| entry.level == Level::Info),
            of_state("covered"),
            of_state("failed"),
            of_state(IMPLICATED),
            of_state("only-accepted"),
        ]);
    };
    for document in documents {
        add(document, &|entry| entry.doc == document);
    }
    add("all", &|_| true);
    output::print(&table);
    output::print("\nShow rules with `parallax rules WORD…`, --doc, --unit, --kind or --level.");
}

/// Prints each rule with its statement, then how many there are.
fn print_entries(entries: &[Entry], with_hits: bool) {
    let mut text = String::new();
    for entry in entries {
        text += &entry.text(with_hits);
    }
    text += &match entries.len() {
        0 => format!("no rule matches (of {})", grouped(RULES.len() as u64)),
        number => counted(number as u64, "rule"),
    };
    output::print(text);
}

/// Unit and title; many titles begin with the unit already.
fn heading(entry: &Entry) -> String {
    let unit = entry.unit.to_lowercase();
    match entry.title.to_lowercase().starts_with(&unit) {
        true => entry.title.to_owned(),
        false => format!("{}: {}", entry.unit, entry.title),
    }
}

/// What a listing says about a rule in one word: its standing if there is a report, else its level.
fn word(entry: &Entry, with_hits: bool) -> &'static str {
    match entry.level {
        Level::Must if !with_hits => "must",
        _ => entry.state,
    }
}
