//! `parallax engine`: engines in processes of their own.

mod check;
mod new;
mod socket;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use parallax_engine::Served as _;
use parallax_isa::{Device, device::Family, enums::Code, query::Queries, units::Event};
use parallax_lockstep::{
    Subject, eu::Eu, outside::served::ServedEngine, r700::R700, subject::engine, surface::Surface,
};

use crate::{
    failure::{Ending, Failure},
    under_test::Allowed,
};

/// Engines in processes of their own: begin one, check it, or serve one of this program
///
/// They speak the engine protocol over standard input and output.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Write an engine that runs, to be made your own: a small example, and the kit of its language
    #[command(after_help = "\
Example:
  parallax engine new python mine --device rv770
  cd mine
  parallax run --device rv770 --engine \"cmd:python3 engine.py\" --time 20s
  parallax engine new rust mine2 --device skl")]
    New {
        /// The language
        #[arg(value_enum)]
        language: new::Language,
        /// The folder to write, new or empty
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// The device whose cases it runs: g45, skl, rv770 …
        #[arg(long, value_name = "DEVICE")]
        device: Device,
    },
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
    /// Speak the protocol on standard input and output, with an engine of this program
    #[command(after_help = "\
Examples:
  parallax run --engine \"cmd:parallax engine serve\"
  parallax run --engine \"cmd:parallax engine serve --device rv770\"
  parallax engine serve --socket /tmp/executor &
  parallax run --engine unix:/tmp/executor")]
    Serve {
        /// The engine: executor or reference
        #[arg(long, default_value = "executor")]
        engine: String,
        /// Only cases of this device [default: all devices of the machine]
        #[arg(long, value_name = "DEVICE")]
        device: Option<Device>,
        /// The machine whose cases it runs [default: that of the device, else `eu`]
        #[arg(long, value_enum)]
        machine: Option<MachineName>,
        /// Listen at a Unix socket instead, for ever, and answer each connection with an engine of its own
        #[arg(long, value_name = "PATH")]
        socket: Option<PathBuf>,
        /// Declare `"steps": false`, like an engine that only runs to the end: programs are compared at their ends, and
        /// shortened where it differs
        #[arg(long)]
        without_steps: bool,
    },
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        match self.what {
            What::New { language, folder, device } => new::new(language, &folder, device),
            What::Check { engine, allowed } => check::check(&allowed.engine(&engine)?),
            What::Serve { engine, device, machine, socket, without_steps } => {
                let offer = Offer { engine, device, steps: !without_steps };
                let of_device = || match device.map_or(Family::Eu, Device::family) {
                    Family::Eu => MachineName::Eu,
                    Family::R700 => MachineName::R700,
                };
                let serve = match machine.unwrap_or_else(of_device) {
                    MachineName::Eu => serve::<Eu>,
                    MachineName::R700 => serve::<R700>,
                    MachineName::Surface => serve::<Surface>,
                    MachineName::Units => serve::<Queries<Event>>,
                    MachineName::Enums => serve::<Queries<Code>>,
                };
                serve(&offer, socket.as_deref())
            }
        }
    }
}

/// A machine whose engines are served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum MachineName {
    /// Execution units
    Eu,
    /// R700
    R700,
    /// Surface formats and operations on pixels
    Surface,
    /// Fixed functions and debug registers of Gen4
    Units,
    /// Enumerations of DG1 that belong to no instruction
    Enums,
}

/// What is served.
#[derive(Debug, Clone)]
struct Offer {
    /// The name of the engine.
    engine: String,
    /// The only device whose cases it runs.
    device: Option<Device>,
    /// Whether it declares that it steps.
    steps: bool,
}

impl Offer {
    /// The engine as one that is served.
    fn served<M: Subject>(&self) -> Result<ServedEngine<M>, Failure> {
        let served = ServedEngine::new(engine::<M>(&self.engine)?);
        let served = if self.steps { served } else { served.without_steps() };
        let served = match self.device {
            Some(device) => served.on(device),
            None => served,
        };
        match (served.hello().devices.is_empty(), self.device) {
            (true, Some(device)) => {
                let why = format!("{device} is no device of the machine `{}`", M::NAME);
                Err(Failure::Input(why))
            }
            _ => Ok(served),
        }
    }
}

/// Serves an engine at a socket, or until its input ends.
fn serve<M: Subject>(offer: &Offer, socket: Option<&Path>) -> Result<Ending, Failure> {
    if let Some(path) = socket {
        return socket::listen::<M>(offer, path);
    }
    let mut served = offer.served::<M>()?;
    parallax_engine::serve(&mut served, std::io::stdin().lock(), std::io::stdout().lock())
        .map_err(Failure::Output)?;
    Ok(Ending::Success)
}
