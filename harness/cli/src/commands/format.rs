//! `parallax format`: surface formats, listed, decoded and encoded.

mod decode;
mod encode;
mod list;
mod text;

use clap::Args;
use parallax_isa::{
    Device,
    surface::{
        Document, EndianSwap, Fetch, Format, FormatComp, NumFormat, SrfMode, Use, coded, lookup,
    },
};

pub(crate) use self::{decode::Decoded, encode::Encoded, list::Listed};
use crate::failure::{Ending, Failure};

/// Surface formats: list them, decode bytes to channels, encode channels to bytes
///
/// The reference model does the work: exact arithmetic, rounded once.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax format list --device g45 --use render-target
  parallax format decode R8G8B8A8_UNORM_SRGB ff8000ff
  parallax format decode BC7_UNORM 40c0f7030000000000000000ffffffff --json
  parallax format encode R11G11B10_FLOAT 1 0.5 0.25 1")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    List(list::Arguments),
    Decode(decode::Arguments),
    Encode(encode::Arguments),
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        match self.action {
            Action::List(arguments) => arguments.execute(),
            Action::Decode(arguments) => arguments.execute(),
            Action::Encode(arguments) => arguments.execute(),
        }
    }
}

/// Which format is meant, and what an R700 fetch would say about it.
#[derive(Debug, Args)]
struct Choice {
    /// Name of the format (R8G8B8A8_UNORM), or its encoding (0x0C7) if --device is given
    #[arg(value_name = "NAME")]
    name: String,
    /// Device whose format it is: bw, cl, ctg, g45, dg1, rv770
    ///
    /// Without it, the first of g45, dg1 and rv770 that has a format of the name.
    #[arg(long)]
    device: Option<Device>,
    /// Refuse unless the device may use the format for this: sampling, filtering, shadow,
    /// chroma-key, render-target, blend, vertex, stream-output
    #[arg(long = "for", value_name = "USE", value_parser = text::purpose)]
    purpose: Option<Use>,
    /// R700: what integers stand for: norm, int, scaled
    #[arg(long, value_name = "FORMAT", value_parser = prefixed::<NumFormat>("NUM_FORMAT_"), default_value = "norm", hide_default_value = true)]
    num_format: NumFormat,
    /// R700: components are signed
    #[arg(long)]
    signed: bool,
    /// R700: how signed fractions are spread: zero_clamp_minus_one, no_zero
    #[arg(long, value_name = "MODE", value_parser = prefixed::<SrfMode>("SRF_MODE_"), default_value = "zero_clamp_minus_one", hide_default_value = true)]
    srf_mode: SrfMode,
    /// R700: order of bytes: none, 8in16, 8in32
    #[arg(long, value_name = "SWAP", value_parser = prefixed::<EndianSwap>("ENDIAN_"), default_value = "none", hide_default_value = true)]
    endian: EndianSwap,
}

impl Choice {
    /// The format, usable for what was asked.
    fn format(&self) -> Result<(Device, &'static Format), Failure> {
        let failure = |error: lookup::FormatError| Failure::input(error.to_string());
        let digits = self.name.strip_prefix("0x").or_else(|| self.name.strip_prefix("0X"));
        let (device, format) = match (digits, self.device) {
            (Some(digits), Some(device)) => {
                let code = u32::from_str_radix(digits, 16).map_err(|_| {
                    Failure::input(format!("`{}` is no encoding in hexadecimal", self.name))
                })?;
                (device, lookup::code(device, code).map_err(failure)?)
            }
            (Some(_), None) => {
                return Err(Failure::input(format!(
                    "encoding {} needs --device: encodings differ between devices",
                    self.name
                )));
            }
            (None, device) => lookup::named(device, &self.name).map_err(failure)?,
        };
        format.require_defined().map_err(failure)?;
        if format.document != Document::R700 && self.fetch() != Fetch::default() {
            return Err(Failure::input(format!(
                "--num-format, --signed, --srf-mode and --endian are for formats of rv770, not {}",
                format.name
            )));
        }
        if let Some(purpose) = self.purpose {
            format.require(device, purpose).map_err(failure)?;
        }
        Ok((device, format))
    }

    /// What an R700 fetch says.
    fn fetch(&self) -> Fetch {
        Fetch {
            num_format: self.num_format,
            format_comp: if self.signed { FormatComp::Signed } else { FormatComp::Unsigned },
            srf_mode: self.srf_mode,
            endian_swap: self.endian,
            ..Fetch::default()
        }
    }
}

/// Reads a name of an enumeration without the prefix its names share.
fn prefixed<T>(prefix: &'static str) -> impl Fn(&str) -> Result<T, String> + Clone
where
    T: std::str::FromStr<Err = coded::UnknownName>,
{
    move |name| {
        let whole = name.to_uppercase().starts_with(prefix);
        let parsed = if whole { name.parse() } else { format!("{prefix}{name}").parse() };
        parsed.map_err(|error: coded::UnknownName| {
            format!("expected one of {}", error.known.replace(prefix, "").to_lowercase())
        })
    }
}
