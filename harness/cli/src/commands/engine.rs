//! `parallax engine`: engines in processes of their own.

mod check;

use clap::{Args, Subcommand};
use parallax_engine::serve;
use parallax_lockstep::{Subject, eu::Eu, outside::served::ServedEngine, subject::engine};

use crate::{
    failure::{Ending, Failure},
    under_test::Allowed,
};

/// Engines in processes of their own: check one that is new, or serve one of this program
///
/// They speak the protocol of harness/lockstep/PROTOCOL.md over standard input and output.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Take a new engine by the hand: its first words, one instruction, a case with all it has
    #[command(after_help = "\
Example:
  parallax engine check \"cmd:python3 harness/engines/python/example.py\"")]
    Check {
        /// The engine: `cmd:` and what starts it
        #[arg(value_name = "ENGINE")]
        engine: String,
        #[command(flatten)]
        allowed: Allowed,
    },
    /// Speak the protocol on standard input and output, with an engine of execution units of this program
    Serve {
        /// The engine: executor or reference
        #[arg(long, default_value = "executor")]
        engine: String,
    },
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        match self.what {
            What::Check { engine, allowed } => check::check(&allowed.engine(&engine)?),
            What::Serve { engine } => serve_one::<Eu>(&engine),
        }
    }
}

/// Serves the engine of a name until its input ends.
fn serve_one<M: Subject>(name: &str) -> Result<Ending, Failure> {
    let mut served = ServedEngine::<M>::new(engine::<M>(name)?);
    serve(&mut served, std::io::stdin().lock(), std::io::stdout().lock())
        .map_err(Failure::Output)?;
    Ok(Ending::Success)
}
