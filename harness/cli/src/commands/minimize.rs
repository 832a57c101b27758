//! `parallax minimize`: brings a trace on which the engines differ down to what the difference needs.

use std::path::{Path, PathBuf};

use clap::Args;
use parallax_isa::Machine as _;
use parallax_lockstep::{
    Verdict, eu::Eu, lockstep, minimize::minimize, r700::R700, subject::engine, surface::Surface,
    trace::Trace,
};
use serde::Serialize;

use crate::{
    failure::{Ending, Failure},
    output,
    traces::{self, File, TraceMachine},
};

/// Bring a trace on which the engines differ down to a few instructions
///
/// Leaves out instructions, channels, features of operands and register contents as long as
/// reference and executor still differ at an instruction of the same name. Exits with 1: a
/// difference is there.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  parallax minimize finding.trace -o small.trace")]
pub(crate) struct Arguments {
    /// The trace
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The trace file to write
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The JSON interface of `minimize`.
#[derive(Serialize)]
struct Json<'a> {
    file: &'a Path,
    machine: &'static str,
    instructions_before: usize,
    instructions_after: usize,
    attempts: usize,
    divergence: String,
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let file = File::read(&self.file)?;
        match file.machine.as_str() {
            Eu::NAME => self.minimize::<Eu>(&file),
            R700::NAME => self.minimize::<R700>(&file),
            Surface::NAME => self.minimize::<Surface>(&file),
            _ => Err(file.unknown_machine()),
        }
    }

    fn minimize<M: TraceMachine>(&self, file: &File) -> Result<Ending, Failure> {
        let case = file.trace::<M>()?.case;
        let (mut reference, mut executor) = (M::reference(), engine::<M>("executor")?);
        let small = minimize(&mut *reference, &mut *executor, &case);
        let divergence = match lockstep(&mut *reference, &mut *executor, &small.case) {
            Verdict::Diverged(divergence) => divergence,
            Verdict::Agreed(_) => {
                return Err(Failure::input(format!(
                    "{}: reference and executor agree on this case, there is nothing to minimize",
                    self.file.display()
                )));
            }
            Verdict::NotRun { engine, error } => {
                return Err(Failure::input(format!(
                    "{}: the {engine} cannot run the case: {error}",
                    self.file.display()
                )));
            }
        };
        let trace = Trace::<M>::record_beside(&mut *reference, &mut *executor, &small.case)
            .map_err(|error| traces::failure(&self.file, &error))?;
        traces::write(&self.output, &trace)?;
        let json = Json {
            file: &self.output,
            machine: M::NAME,
            instructions_before: M::length(&case),
            instructions_after: M::length(&small.case),
            attempts: small.attempts,
            divergence: divergence.to_string(),
        };
        if self.json {
            output::print_json(&json)?;
        } else {
            output::print(format!(
                "{}: {} of {} left after {}\n{}",
                self.output.display(),
                output::counted(json.instructions_after as u64, "instruction"),
                json.instructions_before,
                output::counted(json.attempts as u64, "attempt"),
                json.divergence
            ))?;
        }
        Ok(Ending::Found)
    }
}
