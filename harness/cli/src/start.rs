//! What `exec` and `record` start from: a program and the registers before its first instruction.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use parallax_isa::Device;

use crate::{
    failure::Failure,
    listing::{self, Listing},
    program::{self, Content},
};

/// A program and its start.
#[derive(Debug, Args)]
pub(crate) struct Start {
    /// The program
    #[arg(value_name = "PROGRAM", long_help = program::HELP)]
    pub(crate) program: PathBuf,
    /// Device to run it on: bw, cl, ctg, g45, rv770
    #[arg(long)]
    pub(crate) device: Device,
    /// Set registers before the first instruction; may be given several times
    #[arg(long = "set", value_name = "REGISTER=VALUES", long_help = crate::eu::values::HELP)]
    pub(crate) set: Vec<String>,
    /// Channels that are enabled, as a hex mask of 16 bits; bit 0 is channel 0
    #[arg(long, value_name = "HEX", value_parser = parse_mask, default_value = "ffff")]
    pub(crate) mask: u16,
    /// How floats are computed
    #[arg(long, value_enum, default_value = "ieee")]
    pub(crate) float_mode: FloatMode,
    /// Steps after which the run is stopped
    #[arg(long, value_name = "STEPS", default_value_t = 1_000_000)]
    pub(crate) step_limit: u64,
}

/// A float mode as an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FloatMode {
    /// IEEE mode
    Ieee,
    /// The alternative mode, without infinities and NaNs
    Alt,
}

fn parse_mask(text: &str) -> Result<u16, String> {
    u16::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16)
        .map_err(|_| "expected up to four hex digits, as in 00ff".to_owned())
}

impl Start {
    /// The program, which has to be legal.
    pub(crate) fn listing(&self) -> Result<Listing, Failure> {
        let content = Content::read(&self.program)?;
        listing::of(self.device, content, None)
            .and_then(Listing::legal)
            .map_err(|problems| problems.failure(&self.program))
    }
}
