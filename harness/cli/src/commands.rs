//! The subcommands, one file each.

pub(crate) mod check;
pub(crate) mod exec;
pub(crate) mod format;
pub(crate) mod report;
pub(crate) mod rules;

use crate::failure::{Ending, Failure};

/// What to do.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Exec(exec::Arguments),
    Check(check::Arguments),
    Format(format::Arguments),
    Rules(rules::Arguments),
    Report(report::Arguments),
}

impl Command {
    /// Does it.
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        match self {
            Self::Exec(arguments) => arguments.execute(),
            Self::Check(arguments) => arguments.execute(),
            Self::Format(arguments) => arguments.execute(),
            Self::Rules(arguments) => arguments.execute(),
            Self::Report(arguments) => arguments.execute(),
        }
    }
}
