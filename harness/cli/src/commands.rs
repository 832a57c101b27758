//! The subcommands, one file each.

pub(crate) mod adopt;
pub(crate) mod asm;
pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod conformance;
pub(crate) mod disasm;
pub(crate) mod engine;
pub(crate) mod exec;
pub(crate) mod export;
pub(crate) mod format;
pub(crate) mod fuzz;
pub(crate) mod import;
pub(crate) mod isa;
pub(crate) mod kernels;
pub(crate) mod known;
pub(crate) mod list;
pub(crate) mod merge;
pub(crate) mod minimize;
pub(crate) mod record;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod rules;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod show;
pub(crate) mod topology;
pub(crate) mod verify;

use crate::failure::{Ending, Failure};

/// What to do.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Run(run::Arguments),
    Merge(merge::Arguments),
    Exec(exec::Arguments),
    Asm(asm::Arguments),
    Disasm(disasm::Arguments),
    Check(check::Arguments),
    Compare(compare::Arguments),
    Record(record::Arguments),
    Show(show::Arguments),
    Export(export::Export),
    Import(import::Arguments),
    Conformance(conformance::Arguments),
    Replay(replay::Arguments),
    Minimize(minimize::Arguments),
    Adopt(adopt::Arguments),
    Fuzz(fuzz::Arguments),
    Engine(engine::Arguments),
    Format(format::Arguments),
    Kernels(kernels::Arguments),
    Known(known::Arguments),
    List(list::Arguments),
    Rules(rules::Arguments),
    Isa(isa::Arguments),
    Topology(topology::Arguments),
    Report(report::Arguments),
    Config(config::Arguments),
    Verify(verify::Arguments),
    Schema(schema::Arguments),
    Bench(bench::Arguments),
    Completions(completions::Completions),
    Man(completions::Manual),
}

impl Command {
    /// Does it. `whole` is the command with all that it takes.
    pub(crate) fn execute(self, whole: fn() -> clap::Command) -> Result<Ending, Failure> {
        match self {
            Self::Run(arguments) => arguments.execute(),
            Self::Merge(arguments) => arguments.execute(),
            Self::Exec(arguments) => arguments.execute(),
            Self::Asm(arguments) => arguments.execute(),
            Self::Disasm(arguments) => arguments.execute(),
            Self::Check(arguments) => arguments.execute(),
            Self::Compare(arguments) => arguments.execute(),
            Self::Record(arguments) => arguments.execute(),
            Self::Export(arguments) => arguments.execute(),
            Self::Import(arguments) => arguments.execute(),
            Self::Show(arguments) => arguments.execute(),
            Self::Conformance(arguments) => arguments.execute(),
            Self::Replay(arguments) => arguments.execute(),
            Self::Minimize(arguments) => arguments.execute(),
            Self::Adopt(arguments) => arguments.execute(),
            Self::Fuzz(arguments) => arguments.execute(),
            Self::Engine(arguments) => arguments.execute(),
            Self::Format(arguments) => arguments.execute(),
            Self::Kernels(arguments) => arguments.execute(),
            Self::Known(arguments) => arguments.execute(),
            Self::List(arguments) => arguments.execute(),
            Self::Rules(arguments) => arguments.execute(),
            Self::Isa(arguments) => arguments.execute(),
            Self::Topology(arguments) => arguments.execute(),
            Self::Report(arguments) => arguments.execute(),
            Self::Config(arguments) => arguments.execute(),
            Self::Verify(arguments) => arguments.execute(),
            Self::Schema(arguments) => arguments.execute(),
            Self::Bench(arguments) => arguments.execute(),
            Self::Completions(arguments) => arguments.execute(whole()),
            Self::Man(arguments) => arguments.execute(whole()),
        }
    }
}
