//! `parallax engine`: engines in processes of their own.

mod check;
mod socket;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use parallax_engine::serve;
use parallax_lockstep::{Subject, eu::Eu, outside::served::ServedEngine, subject::engine};

use crate::{
    failure::{Ending, Failure},
    under_test::Allowed,
};

/// Engines in processes of their own: check one that is new, or serve one of this program
///
/// They speak the engine protocol over standard input and output.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Smoke-test an engine: its hello, one instruction, a case with all it has
    #[command(after_help = "\
Example:
  parallax engine check \"cmd:python3 my-engine.py\"")]
    Check {
        /// The engine: `cmd:` and what starts it, or `unix:` and the path of its socket
        #[arg(value_name = "ENGINE")]
        engine: String,
        #[command(flatten)]
        allowed: Allowed,
    },
    /// Speak the protocol on standard input and output, with an engine of execution units of this program
    #[command(after_help = "\
Examples:
  parallax run --engine \"cmd:parallax engine serve\"
  parallax engine serve --socket /tmp/executor &
  parallax run --engine unix:/tmp/executor")]
    Serve {
        /// The engine: executor or reference
        #[arg(long, default_value = "executor")]
        engine: String,
        /// Listen at a Unix socket instead, for ever, and answer each connection with an engine of its own
        #[arg(long, value_name = "PATH")]
        socket: Option<PathBuf>,
        /// Declare `"steps": false`, like an engine that only runs to the end: programs without branches are
        /// compared at their ends, and cut where it differs
        #[arg(long)]
        without_steps: bool,
    },
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        match self.what {
            What::Check { engine, allowed } => check::check(&allowed.engine(&engine)?),
            What::Serve { engine, socket: None, without_steps } => {
                serve_one::<Eu>(&engine, !without_steps)
            }
            What::Serve { engine, socket: Some(path), without_steps } => {
                socket::listen::<Eu>(&engine, !without_steps, &path)
            }
        }
    }
}

/// The engine of a name as one that is served, which declares whether it steps.
fn served<M: Subject>(name: &str, steps: bool) -> Result<ServedEngine<M>, Failure> {
    let served = ServedEngine::new(engine::<M>(name)?);
    Ok(if steps { served } else { served.without_steps() })
}

/// Serves the engine of a name until its input ends.
fn serve_one<M: Subject>(name: &str, steps: bool) -> Result<Ending, Failure> {
    let mut served = served::<M>(name, steps)?;
    serve(&mut served, std::io::stdin().lock(), std::io::stdout().lock())
        .map_err(Failure::Output)?;
    Ok(Ending::Success)
}
