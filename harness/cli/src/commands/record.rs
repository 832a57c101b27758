//! `parallax record`: runs a program on the reference and keeps what every step did.

use std::path::{Path, PathBuf};

use clap::Args;
use parallax_isa::device::Family;
use parallax_lockstep::{
    Subject,
    eu::Eu,
    lockstep,
    r700::R700,
    subject::UnderTest,
    trace::{self, Trace, TraceError},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::exec::run::agreed;
use crate::{
    eu,
    failure::{Ending, Failure},
    files, output, r700,
    start::Start,
    traces,
    under_test::Allowed,
};

/// Run a program on the reference and record every step as a trace
///
/// The trace holds the program, the registers it starts from and what each step did; `parallax
/// replay` holds any engine against it. An engine is held against it at once: where it differs
/// the step is shown, the trace is kept, and the exit code is 1.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax record --device g45 add.asm --set r2:f=1,2,3 -o add.trace
  parallax replay add.trace")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) start: Start,
    /// The trace file to write
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Engine to hold against it: executor, `cmd:` and what starts another, `unix:` and its socket
    #[arg(long, default_value = "executor")]
    engine: String,
    #[command(flatten)]
    allowed: Allowed,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The JSON interface of `record`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Json<'a> {
    /// The trace that was written.
    #[serde(serialize_with = "output::path_text")]
    file: &'a Path,
    /// The machine.
    machine: &'static str,
    /// How the program ended.
    outcome: &'static str,
    /// Steps that were recorded.
    steps: usize,
    /// How the executor differs; null if it agrees.
    divergence: Option<String>,
}

impl Arguments {
    pub(crate) fn execute(&self) -> Result<Ending, Failure> {
        match self.start.device.family() {
            Family::Eu => self.record::<Eu>(&eu::case::of(&self.start)?),
            Family::R700 => self.record::<R700>(&r700::case::of(&self.start)?),
        }
    }

    /// Records a case.
    fn record<M: Subject>(&self, case: &M::Case) -> Result<Ending, Failure> {
        let engine = self.allowed.engine(&self.engine)?;
        let Recording { trace, divergence } =
            write::<M>(case, self.start.path(), &self.output, &engine)?;
        let json = Json {
            file: &self.output,
            machine: M::NAME,
            outcome: trace.outcome.keyword(),
            steps: trace.length(),
            divergence,
        };
        if self.json {
            output::print_json(&json);
        } else {
            let steps = output::counted(json.steps as u64, "step");
            output::print(format!("{}: {steps}, {}", self.output.display(), trace.outcome));
            if let Some(divergence) = &json.divergence {
                output::print(format!("{} differs\n{divergence}", engine.name()));
            }
        }
        Ok(Ending::found(json.divergence.is_some()))
    }
}

/// A trace that was written, and how an engine differs from it.
pub(super) struct Recording<M: Subject> {
    pub(super) trace: Trace<M>,
    pub(super) divergence: Option<String>,
}

/// Records a case of a program into a file and holds an engine against it.
pub(super) fn write<M: Subject>(
    case: &M::Case,
    program: &Path,
    output: &Path,
    engine: &UnderTest,
) -> Result<Recording<M>, Failure> {
    let failure = |error: TraceError| traces::failure(program, &error);
    if let Some(beyond) = engine.beyond::<M>(case) {
        return Err(Failure::input(format!("{} does not have {beyond}", engine.name())));
    }
    let trace = Trace::<M>::record(&mut *M::reference(), case).map_err(failure)?;
    files::write(output, &trace::to_bytes(&trace).map_err(failure)?)?;
    // As `exec` decides.
    let verdict = lockstep::<M>(&mut *M::reference(), &mut *engine.engine::<M>()?, case);
    let divergence = agreed(verdict)?.err().map(|divergence| divergence.to_string());
    Ok(Recording { trace, divergence })
}
