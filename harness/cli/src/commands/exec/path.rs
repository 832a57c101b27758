//! `exec --verbose`: which paths of the executor a program takes.

use parallax_executor::{InstructionSet, eu::Executor, r700 as r700_executor};
use parallax_isa::{
    Machine, Model, Outcome,
    eu::{Case, Eu},
    r700::{self, R700},
};

use parallax_lockstep::Subject;

use super::{Arguments, run::Run};
use crate::{
    failure::{Failure, note},
    output::counted,
};

/// Refuses to say it of an engine that has one path only, or of many threads.
pub(super) fn check(arguments: &Arguments) -> Result<(), Failure> {
    let engine = arguments.engine.as_deref().unwrap_or("executor");
    if arguments.verbose && engine != "executor" {
        let message = format!("--verbose tells of the executor, not of {engine}");
        return Err(Failure::input(message));
    }
    if arguments.verbose && arguments.dispatch.has_many() {
        let message = "--verbose tells of one thread: say which with --thread";
        return Err(Failure::input(message));
    }
    Ok(())
}

/// Says on standard error which kernels ran.
fn tell_of_kernels() {
    note(format_args!("executor: kernels for {}", InstructionSet::in_use().name()));
}

/// The same of a program of execution units, and how many of its steps are machine code where it runs at a
/// free run, as in `bench` and with many threads: step by step, as here, all are interpreted.
pub(super) fn tell_of_blocks(case: &Case, run: &Run<Eu>) -> Result<(), Failure> {
    let mut executor = Executor::new();
    let outcome = free_run(&mut executor, case, Executor::run)?;
    tell(executor.compiled_instructions(), "blocks", run, &outcome);
    Ok(())
}

/// The same of an R700 program and its clauses.
pub(super) fn tell_of_clauses(case: &r700::Case, run: &Run<R700>) -> Result<(), Failure> {
    let mut executor = r700_executor::Executor::new();
    let outcome = free_run(&mut executor, case, r700_executor::Executor::run)?;
    tell(executor.compiled_groups(), "clauses", run, &outcome);
    Ok(())
}

fn free_run<M: Model>(
    executor: &mut M,
    case: &<M::Machine as Machine>::Case,
    run: fn(&mut M) -> Outcome,
) -> Result<Outcome, Failure> {
    executor.load(case).map_err(|error| Failure::input(error.sentence("the executor")))?;
    Ok(run(executor))
}

fn tell<M: Subject>(compiled: u64, pieces: &str, run: &Run<M>, outcome: &Outcome) {
    tell_of_kernels();
    let compiled = counted(compiled, "step");
    let all = match (&run.outcome, outcome) {
        (Some(stepped), outcome) if stepped == outcome => counted(run.steps, "step"),
        (_, Outcome::Undefined(why)) => format!("those up to where it is undefined ({why})"),
        (_, outcome) => format!("those up to {}", outcome.keyword()),
    };
    note(format_args!(
        "executor: in a free run {compiled} of {all} as machine code of compiled {pieces}"
    ));
}
