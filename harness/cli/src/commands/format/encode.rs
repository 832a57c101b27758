//! `parallax format encode`.

use clap::Args;
use parallax_isa::surface::{Texel, Value};
use parallax_reference::surface::{encode, natural_types};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Choice, text};
use crate::{
    failure::{Ending, Failure},
    output,
};

/// Encode channels to the bytes of one block
///
/// Values are numbers of the format's type (nan, inf and -inf too), or bits after 0x. Channels the
/// format does not have are ignored.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax format encode R8G8B8A8_UNORM 1 0.5 0 1
  parallax format encode R16G16B16A16_SINT -1 2 3 40000
  parallax format encode YCRCB_NORMAL 0.5 0.1 0.5 1 0.5 0.9 0.5 1
  parallax format encode R16_FLOAT 0x3f801000 0 0 1")]
pub(super) struct Arguments {
    #[command(flatten)]
    choice: Choice,
    /// Red, green, blue, alpha; for blocks of several texels of each, or once for all
    #[arg(value_name = "VALUE", required = true, num_args = 1.., allow_negative_numbers = true)]
    values: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The result in the JSON interface.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Encoded {
    /// The format.
    format: &'static str,
    /// The device.
    #[schemars(with = "String")]
    device: parallax_isa::Device,
    /// The bytes in memory order, as hex digits.
    hex: String,
}

impl Arguments {
    pub(super) fn execute(self) -> Result<Ending, Failure> {
        let (device, format) = self.choice.format()?;
        let fetch = self.choice.fetch();
        let failure = |message: String| Failure::input(message);
        let types = natural_types(format, &fetch).map_err(|error| failure(error.to_string()))?;
        let (given, texels) = (self.values.len(), format.block.texels());
        if given != 4 && given != 4 * texels {
            return Err(failure(format!(
                "{} is encoded from 4 values{}, not {given}",
                format.name,
                if texels > 1 { format!(" or {}", 4 * texels) } else { String::new() }
            )));
        }
        let mut block = Vec::with_capacity(texels);
        for texel in self.values.chunks(4) {
            let mut channels = [Value::ABSENT; 4];
            for (n, word) in texel.iter().enumerate() {
                channels[n] = text::value(word, types[n]).map_err(|message| {
                    failure(format!("{}: {message}", ["R", "G", "B", "A"][n]))
                })?;
            }
            block.push(Texel(channels));
        }
        if block.len() < texels {
            block.resize(texels, block[0]);
        }
        let bytes = encode(format, &block, &fetch).map_err(|error| failure(error.to_string()))?;
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        if self.json {
            output::print_json(&Encoded { format: format.name, device, hex });
        } else {
            output::print(hex);
        }
        Ok(Ending::Success)
    }
}
