//! `parallax fuzz`: what `cargo fuzz` has found.

use std::{
    ffi::OsStr,
    fmt::Display,
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand};
use parallax_lockstep::{
    fuzzed::{self, Held, Input, TARGETS, Target},
    registry::AnyMachine,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::show;
use crate::{
    failure::{Ending, Failure, note},
    files, output,
    under_test::Allowed,
};

/// Inputs of fuzz targets: what one is, and what does not hold of it
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Repro(Repro),
    /// List the fuzz targets
    List,
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        match self.what {
            What::Repro(repro) => repro.execute(),
            What::List => {
                output::print(names("\n"));
                Ok(Ending::Success)
            }
        }
    }
}

/// Say what an input is that `cargo fuzz` has found, and what does not hold of it
///
/// A case on which the engines differ is brought down to a few instructions and printed as `parallax
/// show` does; `-o` keeps it as a trace, which `parallax adopt` takes. Exits with 1 if something does
/// not hold.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax fuzz repro eu_lockstep/crash-0123456789abcdef -o small.trace
  parallax fuzz repro crash-0123456789abcdef --target eu_decode")]
struct Repro {
    /// The input: the fuzzer's crash-…, or a file of a corpus
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The fuzz target that it is for [default: what the file's folder is called]
    #[arg(long, value_name = "NAME")]
    target: Option<String>,
    /// Engine that runs its case beside the reference: executor, `cmd:` and what starts another, `unix:` and its socket
    #[arg(long, default_value = "executor")]
    engine: String,
    #[command(flatten)]
    allowed: Allowed,
    /// The trace file to write, if the engines differ
    #[arg(long = "out", short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Largest input, in bytes: more than libFuzzer makes unless it is asked to.
const LARGEST: u64 = 1 << 20;

/// The JSON interface of `fuzz repro`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Json<'r> {
    /// The input.
    #[serde(serialize_with = "output::path_text")]
    file: &'r Path,
    /// The fuzz target.
    target: &'static str,
    /// The engine.
    engine: &'r str,
    /// Whether what the target checks holds.
    verdict: Verdict,
    /// What does not hold, or what the engine does not have.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// The case, as in `show --json`; of a difference, the minimized one.
    #[serde(skip_serializing_if = "Option::is_none")]
    case: Option<show::Json>,
    /// The input in words, if it is not a case.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<String>,
    /// Number of instructions before minimizing.
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions_before: Option<usize>,
    /// Number of instructions after minimizing.
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions_after: Option<usize>,
    /// The trace file that was written.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "output::optional_path_text"
    )]
    trace: Option<&'r Path>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    /// It holds.
    Holds,
    /// It does not.
    Broken,
    /// The engine does not have what the input takes.
    #[serde(rename = "left-out")]
    LeftOut,
}

impl Repro {
    fn execute(self) -> Result<Ending, Failure> {
        let target = self.target()?;
        let engine = self.allowed.engine(&self.engine)?;
        let input = files::read(&self.file, LARGEST, "an input of a fuzz target")?;
        let failure =
            |problem: &dyn Display| Failure::input(format!("{}: {problem}", self.file.display()));
        let held = target.hold(&input, &engine).map_err(|problem| failure(&problem))?;
        let mut json = Json {
            file: &self.file,
            target: target.name(),
            engine: engine.name(),
            verdict: Verdict::Holds,
            message: None,
            case: None,
            input: None,
            instructions_before: None,
            instructions_after: None,
            trace: None,
        };
        let shown = |machine: &'static dyn AnyMachine, trace: &[u8]| {
            let shown = machine.show(trace).map_err(|problem| failure(&problem))?;
            Ok::<_, Failure>(show::Json::of(machine.name(), shown))
        };
        match (held, target.input(&input)) {
            (Held::Broken { trace: Some(trace), .. }, Ok(Input::Case(machine, _))) => {
                let small =
                    machine.minimize(&trace, &engine).map_err(|problem| failure(&problem))?;
                json.verdict = Verdict::Broken;
                json.message = Some(small.divergence.to_string());
                json.case = Some(shown(machine, &small.trace)?);
                json.instructions_before = Some(small.before);
                json.instructions_after = Some(small.after);
                if let Some(path) = &self.output {
                    files::write(path, &small.trace)?;
                    json.trace = Some(path);
                }
            }
            (held, input) => {
                (json.verdict, json.message) = match held {
                    Held::Holds => (Verdict::Holds, None),
                    Held::Beyond(lack) => (Verdict::LeftOut, Some(lack)),
                    Held::Broken { what, .. } => (Verdict::Broken, Some(what)),
                };
                match input {
                    Ok(Input::Case(machine, trace)) => json.case = Some(shown(machine, &trace)?),
                    Ok(Input::Text(text)) => json.input = Some(text),
                    Err(problem) => json.input = Some(problem.to_string()),
                }
            }
        }
        if self.json {
            output::print_json(&json);
        } else {
            output::print(json.text());
        }
        if let (Some(path), None) = (&self.output, json.trace) {
            note(format_args!("{} is not written: no engines differ on a case", path.display()));
        }
        Ok(match json.verdict {
            Verdict::Holds => Ending::Success,
            Verdict::Broken => Ending::Found,
            Verdict::LeftOut => Ending::Incomplete,
        })
    }

    /// The target that is named, or that the file's folder is named after.
    fn target(&self) -> Result<&'static dyn Target, Failure> {
        let folder = self.file.parent().and_then(Path::file_name).and_then(OsStr::to_str);
        let missing =
            |said: String| Failure::input(format!("{said}; the fuzz targets are {}", names(", ")));
        match (&self.target, folder) {
            (Some(name), _) => fuzzed::target(name)
                .ok_or_else(|| missing(format!("there is no fuzz target `{name}`"))),
            (None, folder) => folder.and_then(fuzzed::target).ok_or_else(|| {
                let file = self.file.display();
                missing(format!(
                    "the folder of {file} is not called like a fuzz target: say which with --target"
                ))
            }),
        }
    }
}

/// The names of all targets.
fn names(between: &str) -> String {
    TARGETS.map(Target::name).join(between)
}

impl Json<'_> {
    fn text(&self) -> String {
        let Self { target, engine, file, .. } = self;
        let mut text = match self.verdict {
            Verdict::Holds => format!("{}: all that {target} asks for holds\n", file.display()),
            Verdict::Broken => format!("{}: {target} does not hold\n", file.display()),
            Verdict::LeftOut => format!("{}: not tried on {engine}\n", file.display()),
        };
        if let (Some(before), Some(after)) = (self.instructions_before, self.instructions_after) {
            let after = output::counted(after as u64, "instruction");
            text += &format!("{after} of {before} left\n");
        }
        let lack = if self.verdict == Verdict::LeftOut { "it does not have " } else { "" };
        if let Some(message) = &self.message {
            text += &format!("{lack}{}\n", message.trim_end());
        }
        if let Some(case) = &self.case {
            text += &format!("\n{}\n", case.text());
        }
        if let Some(input) = &self.input {
            text += &format!("\n{}\n", input.trim_end());
        }
        if let Some(trace) = self.trace {
            text += &format!(
                "\nthe smaller case as a trace: {0}\nkept for ever once it is fixed: parallax adopt {0} --name …\n",
                trace.display()
            );
        }
        text.trim_end().to_owned()
    }
}
