//! `parallax replay`: holds an engine against recorded traces.

mod junit;
mod known;
mod tables;

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::Args;
use parallax_lockstep::{escape, subject::UnderTest};
use parallax_spec::RuleId;
use schemars::JsonSchema;
use serde::Serialize;

use self::known::Entry;
use crate::{
    failure::{Ending, Failure, note},
    files,
    folder::read_journal,
    known as known_file, output,
    traces::File,
    under_test::Allowed,
    waiting::Waiting,
};

/// Hold an engine against recorded traces
///
/// Every step has to do what was recorded. All traces are replayed, whatever comes of one; the exit
/// code is 2 if one cannot be read or the engine has what it takes for none of them, else 1 if one
/// differs, other than in what --known says. Findings of a run are held against the engine of that run, as its journal beside their
/// folder names it, unless another is named: for `cmd:` that starts the command.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax replay traces
  parallax replay target/parallax/findings
  parallax replay traces --engine \"cmd:./my-emulator\" --junit replay.xml
  parallax replay conformance/skl --engine \"cmd:./my-emulator\" --known known.toml
  parallax replay target/parallax/findings/eu-g45-add-0123456789abcdef.trace --engine reference")]
pub(crate) struct Arguments {
    /// Trace files, or folders that are searched for files ending in .trace
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Engine to hold against the traces: executor, reference, `cmd:` and what starts another, `unix:` and its socket
    /// [default: of findings that of their run, else executor]
    #[arg(long)]
    engine: Option<String>,
    #[command(flatten)]
    allowed: Allowed,
    /// Instructions that are known to be wrong: those of a file as `parallax known add` writes it, or of a finding's trace;
    /// may be given several times. A trace that differs in one of them is counted as known, not as differing
    #[arg(long, value_name = "FILE|TRACE")]
    known: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Also write what came of each trace to this file, as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

/// Differing traces whose difference is shown in full.
const SHOWN: usize = 5;

/// The JSON interface of `replay`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Json<'r> {
    /// The engine.
    engine: &'r str,
    /// The traces.
    traces: Vec<Replayed>,
    /// What is known to be wrong, and what became of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    known: Vec<Entry>,
}

/// What came of one trace.
#[derive(Serialize, JsonSchema)]
struct Replayed {
    /// The trace.
    #[serde(serialize_with = "output::path_text")]
    file: PathBuf,
    /// Its machine; null if it is unreadable.
    machine: Option<&'static str>,
    /// Steps that were replayed.
    steps: usize,
    /// What became of it.
    verdict: Verdict,
    /// How it differs, or why it was not replayed.
    message: Option<String>,
    /// What is known to be wrong and the trace differs in.
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<String>,
    #[serde(skip)]
    step: Option<u64>,
    #[serde(skip)]
    rules: Vec<RuleId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    /// Every step did what was recorded.
    Agrees,
    /// A step did not.
    Differs,
    /// A step did not, in an instruction that is known to be wrong.
    Known,
    /// The engine does not have what it takes.
    #[serde(rename = "left-out")]
    LeftOut,
    /// The file is not a trace that can be replayed.
    Unreadable,
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let engine = self.allowed.engine(&self.engine_name()?)?;
        if let Some(file) = &self.junit {
            files::check(file)?;
        }
        let known = known_file::in_force(known_file::read(&self.known)?);
        let mut known: Vec<_> = known.into_iter().map(Entry::new).collect();
        let mut files = Vec::new();
        for path in &self.paths {
            collect(path, &mut files)?;
        }
        let waiting = Waiting::start("traces replayed", files.len() as u64);
        let replayed = files.iter().map(|file| replay(file, &engine, &mut known));
        let traces: Vec<Replayed> = replayed.inspect(|_| waiting.step()).collect();
        drop(waiting);
        let count = |verdict| traces.iter().filter(|trace| trace.verdict == verdict).count() as u64;
        let (differing, unreadable) = (count(Verdict::Differs), count(Verdict::Unreadable));
        let (left_out, of_known) = (count(Verdict::LeftOut), count(Verdict::Known));
        let replayed = traces.len() as u64 - left_out - unreadable;
        if let Some(file) = &self.junit {
            files::write(file, junit::junit(engine.name(), &traces).as_bytes())?;
        }
        if self.json {
            output::print_json(&Json { engine: engine.name(), traces, known });
        } else {
            let differs = |trace: &&Replayed| trace.verdict == Verdict::Differs;
            for (number, trace) in traces.iter().filter(differs).enumerate() {
                output::print(format!("{}: differs", trace.file.display()));
                if number < SHOWN {
                    output::print(trace.message.as_deref().unwrap_or_default());
                }
            }
            for trace in traces.iter().filter(|trace| trace.verdict == Verdict::Unreadable) {
                note(format_args!("error: {}", trace.message.as_deref().unwrap_or_default()));
            }
            let steps: usize = traces.iter().map(|trace| trace.steps).sum();
            // The difference in a single trace names its rules.
            let are_named = replayed == 1 && differing == 1;
            let is_outside = matches!(engine, UnderTest::Outside(_));
            if is_outside && replayed > 0 && !are_named {
                output::print(tables::conformance(&traces));
            }
            if left_out > 0 {
                output::print(tables::reasons(&traces, engine.name()));
            }
            for trace in traces.iter().filter(|trace| trace.verdict == Verdict::Known) {
                let what = trace.known.as_deref().unwrap_or_default();
                let file = trace.file.display();
                output::print(format!("{file}: known to be wrong: {}", escape::line(what)));
            }
            for entry in &known {
                output::print(entry.text());
            }
            if let Some(folders) = tables::folders(&traces).filter(|_| is_outside) {
                output::print(folders);
            }
            let some = |number: u64, what: &str| match number {
                0 => String::new(),
                number => format!(", {number} {what}"),
            };
            let beyond = some(of_known, "known to be wrong") + &some(left_out, "left out");
            output::print(format!(
                "{} replayed on the {}, {}: {differing} differing, {unreadable} unreadable{beyond}",
                output::counted(replayed, "trace"),
                engine.name(),
                output::counted(steps as u64, "step"),
            ));
        }
        if unreadable > 0 {
            let traces = output::counted(unreadable, "trace");
            return Err(Failure::input(format!("{traces} could not be read")));
        }
        Ok(if replayed == 0 { Ending::Incomplete } else { Ending::found(differing > 0) })
    }
}

impl Arguments {
    /// The engine that was named; of findings that of their run.
    fn engine_name(&self) -> Result<String, Failure> {
        if let Some(engine) = &self.engine {
            return Ok(engine.clone());
        }
        let mut engines: Vec<String> = self.paths.iter().map(|path| engine_of_run(path)).collect();
        engines.dedup();
        match &engines[..] {
            [engine] if engine == EXECUTOR => Ok(EXECUTOR.to_owned()),
            [engine] => {
                note(format_args!("engine of these findings: {}", escape::line(engine)));
                Ok(engine.clone())
            }
            _ => Err(Failure::input(format!(
                "these are findings of several engines ({}): name one with --engine",
                escape::line(&engines.join(", "))
            ))),
        }
    }
}

/// The engine that is held against traces which no run has found.
const EXECUTOR: &str = "executor";

/// The engine of the run whose journal stands beside the folder `findings` of a path; else the executor.
fn engine_of_run(path: &Path) -> String {
    let is_findings = |folder: &&Path| folder.file_name().is_some_and(|name| name == "findings");
    let folder = path.ancestors().take(2).find(is_findings).and_then(Path::parent);
    let folder = folder.map(|run| if run.as_os_str().is_empty() { Path::new(".") } else { run });
    let journal = folder.and_then(|run| read_journal(run).ok());
    journal.map_or_else(|| EXECUTOR.to_owned(), |journal| journal.engine)
}

/// Replays one trace.
fn replay(path: &Path, engine: &UnderTest, known: &mut [Entry]) -> Replayed {
    let replayed = File::read(path).and_then(|file| {
        let replayed = file.machine.replay(&file.bytes, engine);
        let replayed = replayed.map_err(|problem| file.failure(&problem))?;
        let mut replayed = Replayed {
            file: path.to_owned(),
            machine: Some(file.machine.name()),
            steps: replayed.steps,
            verdict: match (&replayed.difference, &replayed.beyond) {
                (Some(_), _) => Verdict::Differs,
                (None, Some(_)) => Verdict::LeftOut,
                (None, None) => Verdict::Agrees,
            },
            message: replayed.difference.or(replayed.beyond),
            known: None,
            step: replayed.step,
            rules: replayed.rules,
        };
        known::hold(&file, &mut replayed, known)?;
        Ok(replayed)
    });
    replayed.unwrap_or_else(|failure| Replayed {
        file: path.to_owned(),
        machine: None,
        steps: 0,
        verdict: Verdict::Unreadable,
        message: Some(failure.to_string()),
        known: None,
        step: None,
        rules: Vec::new(),
    })
}

/// Adds a file, or the traces in a folder and the folders in it, in order of their names.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    if !path.is_dir() {
        fs::metadata(path).map_err(|error| Failure::file("read", path, error))?;
        files.push(path.to_owned());
        return Ok(());
    }
    let before = files.len();
    search(path, files)?;
    if files.len() == before {
        return Err(Failure::input(format!(
            "there is no file ending in .trace in {}",
            path.display()
        )));
    }
    Ok(())
}

fn search(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let failure = |error| Failure::file("read", folder, error);
    let entries = fs::read_dir(folder).map_err(failure)?;
    let mut entries = entries.collect::<Result<Vec<_>, _>>().map_err(failure)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type().map_err(failure)?.is_dir() {
            search(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "trace") {
            // What a link leads to counts; one that leads nowhere is said when it is read.
            match fs::metadata(&path) {
                Ok(found) if !found.is_file() => {
                    note(format_args!("skipped {}: it is no regular file", path.display()));
                }
                _ => files.push(path),
            }
        }
    }
    Ok(())
}
