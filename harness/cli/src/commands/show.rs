//! `parallax show`: what a trace holds.

use std::path::PathBuf;

use clap::Args;
use parallax_isa::Acceptance;
use parallax_lockstep::registry::{Shown, ShownStep};
use serde::Serialize;

use crate::{
    failure::{Ending, Failure},
    output,
    traces::File,
};

/// Print what a trace holds: program, start, and what every step did
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  parallax show traces/g45/add.trace")]
pub(crate) struct Arguments {
    /// The trace
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The JSON interface of `show`.
#[derive(Serialize)]
pub(crate) struct Json {
    machine: &'static str,
    device: &'static str,
    outcome: &'static str,
    digest: String,
    program: Vec<String>,
    start: serde_json::Map<String, serde_json::Value>,
    steps: Vec<Step>,
}

/// A step of a trace.
#[derive(Serialize)]
struct Step {
    instruction: String,
    writes: Vec<Write>,
    accepted: Vec<Accepted>,
}

/// Neighbouring bytes that a step changed.
#[derive(Serialize)]
struct Write {
    place: String,
    hex: String,
}

/// A place where something else than the recorded value is accepted.
#[derive(Serialize)]
struct Accepted {
    place: String,
    accepts: String,
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let file = File::read(&self.file)?;
        let shown = file.machine.show(&file.bytes).map_err(|problem| file.failure(&problem))?;
        let json = Json::of(file.machine.name(), shown);
        if self.json { output::print_json(&json) } else { output::print(json.text()) }?;
        Ok(Ending::Success)
    }
}

/// What is accepted, for people.
fn accepts(acceptance: Acceptance) -> String {
    match acceptance {
        Acceptance::Undefined => "anything".to_owned(),
        Acceptance::AnyNan32 | Acceptance::AnyNan64 => "any NaN".to_owned(),
        Acceptance::Ulp32(most) => format!("up to {most} ulp away"),
        Acceptance::Ulp64(most) => format!("up to {most} ulp away"),
        Acceptance::Or(other) => format!("{other:x} too"),
        Acceptance::Within32(range) => {
            let [low, high] = [range.low, range.high].map(f32::from_bits);
            format!("from {low:?} to {high:?}")
        }
    }
}

impl Json {
    /// What is shown of a trace.
    pub(crate) fn of(machine: &'static str, shown: Shown) -> Self {
        let Shown { device, outcome, digest, program, start, steps } = shown;
        let write = |(place, bytes): (String, Vec<u8>)| Write { place, hex: output::hex(&bytes) };
        let accepted = |(place, acceptance)| Accepted { place, accepts: accepts(acceptance) };
        let step = |step: ShownStep| Step {
            instruction: step.instruction,
            writes: step.writes.into_iter().map(write).collect(),
            accepted: step.accepted.into_iter().map(accepted).collect(),
        };
        Self {
            machine,
            device,
            outcome: outcome.keyword(),
            digest: format!("{digest:08x}"),
            program,
            start: start.into_iter().map(|(name, value)| (name, value.into())).collect(),
            steps: steps.into_iter().map(step).collect(),
        }
    }

    /// The same for people.
    pub(crate) fn text(&self) -> String {
        let mut lines = vec![format!("{} on {}", self.machine, self.device)];
        let section = |title: &str| format!("\n{title}");
        lines.push(section("program"));
        lines.extend(self.program.iter().map(|line| format!("  {line}")));
        lines.push(section("start"));
        let value = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        lines.extend(self.start.iter().map(|(name, hex)| format!("  {name:<8} {}", value(hex))));
        for (number, step) in self.steps.iter().enumerate() {
            lines.push(format!("\nstep {number}: {}", step.instruction));
            lines.extend(step.writes.iter().map(|w| format!("  {:<10} {}", w.place, w.hex)));
            lines.extend(step.accepted.iter().map(|a| format!("  {:<10} {}", a.place, a.accepts)));
        }
        lines.push(format!("\n{}, digest of the last state {}", self.outcome, self.digest));
        lines.join("\n")
    }
}
