//! `parallax show`: what a trace holds.

use std::path::PathBuf;

use clap::Args;
use parallax_isa::{Acceptance, Image, Machine};
use parallax_lockstep::{
    eu::Eu,
    r700::R700,
    surface::Surface,
    trace::{Tolerance, Trace},
};
use serde::Serialize;

use crate::{
    failure::{Ending, Failure},
    output,
    traces::{self, File, TraceMachine},
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
struct Json {
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
        let json = match file.machine.as_str() {
            Eu::NAME => describe(&file.trace::<Eu>()?)?,
            R700::NAME => describe(&file.trace::<R700>()?)?,
            Surface::NAME => describe(&file.trace::<Surface>()?)?,
            _ => return Err(file.unknown_machine()),
        };
        if self.json { output::print_json(&json) } else { output::print(json.text()) }?;
        Ok(Ending::Success)
    }
}

fn describe<M: TraceMachine>(trace: &Trace<M>) -> Result<Json, Failure> {
    let mut engine = M::reference();
    engine.load(&trace.case).map_err(|error| Failure::input(error.to_string()))?;
    let mut state = *engine.state()?;
    let mut steps = Vec::new();
    for effects in trace.steps.iter().take(traces::steps(trace)) {
        let instruction = M::describe_next(&trace.case, &state);
        effects.apply(&mut state);
        steps.push(Step {
            instruction,
            writes: effects
                .changes
                .iter()
                .map(|change| Write {
                    place: M::State::place(change.offset as usize),
                    hex: output::hex(&change.bytes),
                })
                .collect(),
            accepted: effects.tolerances.iter().map(|tolerance| accepted::<M>(tolerance)).collect(),
        });
    }
    Ok(Json {
        machine: M::NAME,
        device: M::device(&trace.case),
        outcome: trace.outcome.keyword(),
        digest: format!("{:08x}", trace.digest),
        program: M::program(&trace.case),
        start: M::start(&trace.case).into_iter().map(|(name, hex)| (name, hex.into())).collect(),
        steps,
    })
}

fn accepted<M: Machine>(tolerance: &Tolerance) -> Accepted {
    let accepts = match tolerance.acceptance() {
        Acceptance::Undefined => "anything".to_owned(),
        Acceptance::AnyNan32 | Acceptance::AnyNan64 => "any NaN".to_owned(),
        Acceptance::Ulp32(most) => format!("up to {most} ulp away"),
        Acceptance::Ulp64(most) => format!("up to {most} ulp away"),
        Acceptance::Or(other) => format!("{other:x} too"),
    };
    Accepted { place: M::State::place(tolerance.extent().offset as usize), accepts }
}

impl Json {
    fn text(&self) -> String {
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
