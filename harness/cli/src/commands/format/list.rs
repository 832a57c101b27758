//! `parallax format list`.

use clap::Args;
use parallax_isa::{
    Device,
    surface::{Block, Format, Use, catalogue, lookup},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::text;
use crate::{
    failure::{Ending, Failure},
    output::{self, Table, brief, counted},
    suggestion::instead,
};

/// List the surface formats, their encodings, layouts and uses
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax format list --device dg1 etc2
  parallax format list --device g45 --use render-target --json")]
pub(super) struct Arguments {
    /// Words that must all stand in the name
    words: Vec<String>,
    /// Only the formats of this device: bw, cl, ctg, g45, dg1, rv770
    #[arg(long)]
    device: Option<Device>,
    /// Only formats the device may use for this: sampling, filtering, shadow, chroma-key,
    /// render-target, blend, vertex, stream-output
    #[arg(long = "use", value_name = "USE", value_parser = text::purpose)]
    purpose: Option<Use>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A format in the JSON interface.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Listed {
    /// The format.
    name: &'static str,
    /// The device.
    #[schemars(with = "String")]
    device: Device,
    /// Its number in the manual.
    encoding: u16,
    /// Bits of a texel or block.
    bits: u16,
    /// Size of a block.
    block: BlockEntry,
    /// How its channels are stored.
    kind: String,
    /// Its color space.
    colorspace: &'static str,
    /// What the device can do with it.
    uses: Vec<&'static str>,
}

/// The size of a block in the JSON interface.
#[derive(Debug, Serialize, JsonSchema)]
struct BlockEntry {
    /// Width in texels.
    width: u8,
    /// Height in texels.
    height: u8,
    /// Bytes.
    bytes: u8,
}

impl Listed {
    fn new(device: Device, format: &'static Format) -> Self {
        let Block { width, height, bytes } = format.block;
        Self {
            name: format.name,
            device,
            encoding: format.code,
            bits: format.bits,
            block: BlockEntry { width, height, bytes },
            kind: format.kind(),
            colorspace: format.color_space.word(),
            uses: format.uses(device).map(Use::word).collect(),
        }
    }
}

impl Arguments {
    pub(super) fn execute(self) -> Result<Ending, Failure> {
        let devices = self.device.map_or(Device::ALL.to_vec(), |device| vec![device]);
        let words: Vec<String> = self.words.iter().map(|word| word.to_uppercase()).collect();
        let has = |word: &str| {
            let mut formats = Device::ALL.into_iter().flat_map(catalogue);
            formats.any(|format| format.name.contains(word))
        };
        if let Some(unknown) = words.iter().find(|word| !has(word)) {
            let names = Device::ALL.into_iter().flat_map(catalogue).map(|format| format.name);
            let near = instead(unknown, names.flat_map(|name| name.split('_')));
            return Err(Failure::input(match lookup::named(None, unknown) {
                Err(error) if near.is_empty() => error.to_string(),
                _ => format!("no surface format has `{}` in its name{near}", brief(unknown)),
            }));
        }
        let entries: Vec<Listed> = devices
            .into_iter()
            .flat_map(|device| catalogue(device).iter().map(move |format| (device, format)))
            .filter(|(_, format)| words.iter().all(|word| format.name.contains(word.as_str())))
            .filter(|(device, format)| self.purpose.is_none_or(|p| format.allows(*device, p)))
            .map(|(device, format)| Listed::new(device, format))
            .collect();
        if self.json {
            output::print_json(&entries);
            return Ok(Ending::Success);
        }
        let mut table =
            Table::new(&["name", "device", ">code", ">bits", ">block", "kind", "space", "uses"]);
        for entry in &entries {
            let BlockEntry { width, height, .. } = entry.block;
            table.row([
                entry.name.into(),
                entry.device.to_string(),
                format!("{:03X}h", entry.encoding),
                entry.bits.to_string(),
                format!("{width}x{height}"),
                entry.kind.clone(),
                entry.colorspace.into(),
                entry.uses.join(" "),
            ]);
        }
        output::print(table);
        output::print(counted(entries.len() as u64, "format"));
        Ok(Ending::Success)
    }
}
