//! `parallax exec`: runs one program and prints registers and the outcome.

mod eu;
mod r700;
mod run;

use clap::{Args, ValueEnum};
use parallax_isa::device::Family;

use crate::{
    failure::{Ending, Failure},
    start::Start,
};

/// Run one program and print registers and the outcome
///
/// All registers start as zero and all channels are enabled. Without --engine the program runs on
/// both engines, compared after every step; where they differ the step is shown and the exit code
/// is 1. An illegal program is refused; on rv770, where most restrictions leave what happens defined,
/// it runs after a warning. A run that ends as undefined is an answer too: the exit code is 0.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax exec --device g45 add.asm --set r2:f=1,2,3 --set r3:f=10,20,30 --dump r4
  parallax exec --device g45 shader.hex --set r2=40900000,41900000 --dump m3..m10 --json
  parallax exec --device g45 --engine reference add.asm --mask 00ff --float-mode alt
  parallax exec --device rv770 --profile silicon shader.hex --const KC0=3f800000,40000000 --json
  parallax exec --device rv770 shader.asm --set R0.x=0,1,2,3 --set R1=0.5,0.5,0.0,1.0 --dump R2..R4")]
pub(crate) struct Arguments {
    #[command(flatten)]
    start: Start,
    /// Engine to run it on [default: both, compared]
    #[arg(long, value_enum)]
    engine: Option<EngineName>,
    /// Registers to print: names and ranges (m3..m10,r4,f0,acc0) [default: all]
    #[arg(long, value_name = "REGISTERS")]
    dump: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// An engine as an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineName {
    /// The slow model that reads like the manual
    Reference,
    /// The fast one
    Executor,
}

impl EngineName {
    /// The name in messages and JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Executor => "executor",
        }
    }
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        match self.start.family()? {
            Family::Eu => eu::execute(&self),
            Family::R700 => r700::execute(&self),
        }
    }
}
