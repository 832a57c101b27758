//! `parallax exec`: runs one program and prints registers and the outcome.

mod eu;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use parallax_isa::{Device, device::Family};

use crate::{
    failure::{Ending, Failure},
    listing, program,
};

/// Run one program and print registers and the outcome
///
/// All registers start as zero and all channels are enabled. Without --engine the program runs on
/// both engines, compared after every step; where they differ the step is shown and the exit code
/// is 1. An illegal program is refused.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax exec --device g45 add.asm --set r2:f=1,2,3 --set r3:f=10,20,30 --dump r4
  parallax exec --device g45 shader.hex --set r2=40900000,41900000 --dump m3..m10 --json
  parallax exec --device g45 --engine reference add.asm --mask 00ff --float-mode alt")]
pub(crate) struct Arguments {
    /// The program
    #[arg(value_name = "PROGRAM", long_help = program::HELP)]
    program: PathBuf,
    /// Device to run it on: bw, cl, ctg, g45
    #[arg(long)]
    device: Device,
    /// Engine to run it on [default: both, compared]
    #[arg(long, value_enum)]
    engine: Option<EngineName>,
    /// Set registers before the first instruction; may be given several times
    #[arg(long = "set", value_name = "REGISTER=VALUES", long_help = crate::eu::values::HELP)]
    set: Vec<String>,
    /// Registers to print: names and ranges (m3..m10,r4,f0,acc0) [default: all]
    #[arg(long, value_name = "REGISTERS")]
    dump: Vec<String>,
    /// Channels that are enabled, as a hex mask of 16 bits; bit 0 is channel 0
    #[arg(long, value_name = "HEX", value_parser = parse_mask, default_value = "ffff")]
    mask: u16,
    /// How floats are computed
    #[arg(long, value_enum, default_value = "ieee")]
    float_mode: FloatMode,
    /// Steps after which the run is stopped
    #[arg(long, value_name = "STEPS", default_value_t = 1_000_000)]
    step_limit: u64,
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

/// A float mode as an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FloatMode {
    /// IEEE mode
    Ieee,
    /// The alternative mode, without infinities and NaNs
    Alt,
}

fn parse_mask(text: &str) -> Result<u16, String> {
    u16::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16)
        .map_err(|_| "expected up to four hex digits, as in 00ff".to_owned())
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let content = program::Content::read(&self.program)?;
        let listing = listing::of(self.device, content)
            .map_err(|problems| problems.failure(&self.program))?
            .legal()
            .map_err(|problems| problems.failure(&self.program))?;
        match self.device.family() {
            Family::Eu => eu::execute(&self, listing.code),
            Family::R700 => unreachable!("no listing was made"),
        }
    }
}
