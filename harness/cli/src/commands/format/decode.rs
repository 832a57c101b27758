//! `parallax format decode`.

use std::path::PathBuf;

use clap::Args;
use parallax_isa::surface::{BorderMode, Document, Format, Select, Sheet, Texel};
use parallax_reference::surface::{SurfaceError, View, decode, decode_sheet};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Choice,
    text::{self, Number, TexelEntry},
};
use crate::{
    failure::{Ending, Failure},
    files,
    output::{self, Table},
};

/// Largest palette file, in bytes: 256 entries as text with room to spare.
const PALETTE_LIMIT: u64 = 16 << 10;

/// Decode the bytes of one block to what a sampler or vertex fetch returns
///
/// A block is one texel for plain formats, several for packed and compressed ones; they are
/// printed row by row. With --size, the bytes are those of a whole surface.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax format decode B5G6R5_UNORM 1ff8
  parallax format decode YCRCB_NORMAL \"10 80 eb 80\"
  parallax format decode R8G8_UNORM ff00 --border dx9
  parallax format decode P4A4_UNORM_PALETTE0 f1 --palette colours.hex
  parallax format decode R8_UNORM \"00 55 00 aa ff\" --size 2x2 --pitch 3
  parallax format decode FMT_8_8_8_8 ff7f8001 --signed --endian 8in32 --select yxw1")]
pub(super) struct Arguments {
    #[command(flatten)]
    choice: Choice,
    /// The bytes in memory order, two hexadecimal digits each; all arguments together
    #[arg(value_name = "HEX", required = true)]
    hex: Vec<String>,
    /// Border colour mode, which decides what missing channels read as: dx9, dx10
    #[arg(long, value_name = "MODE", value_parser = border_mode, default_value = "dx10")]
    border: BorderMode,
    /// File of palette entries as hexadecimal text: blue, green, red, alpha bytes of each
    #[arg(long, value_name = "FILE")]
    palette: Option<PathBuf>,
    /// Decode a whole surface of so many texels, a whole number of blocks: 8x4
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size)]
    size: Option<(u32, u32)>,
    /// Bytes from one row of blocks to the next; as many as a row has unless given
    #[arg(long, value_name = "BYTES", requires = "size")]
    pitch: Option<u32>,
    /// Give sRGB codes as they are instead of making them linear
    #[arg(long)]
    keep_srgb: bool,
    /// R700: what the four elements select: four of x, y, z, w, 0, 1 and _ (keep)
    #[arg(long, value_name = "XYZW", value_parser = selects)]
    select: Option<Selects>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The four selects of a fetch.
#[derive(Debug, Clone, Copy)]
struct Selects([Select; 4]);

/// Width and height.
fn size(word: &str) -> Result<(u32, u32), String> {
    let sizes = word.split_once(['x', 'X']).and_then(|(width, height)| {
        Some((width.trim().parse().ok()?, height.trim().parse().ok()?))
    });
    sizes.ok_or_else(|| "expected two whole numbers below 4294967296, like 8x4".into())
}

fn border_mode(word: &str) -> Result<BorderMode, String> {
    match word.to_lowercase().as_str() {
        "dx9" => Ok(BorderMode::Dx9),
        "dx10" | "ogl" | "dx10/ogl" => Ok(BorderMode::Dx10Ogl),
        _ => Err("expected dx9 or dx10".into()),
    }
}

fn selects(word: &str) -> Result<Selects, String> {
    let select = |letter: char| match letter.to_ascii_lowercase() {
        'x' => Some(Select::X),
        'y' => Some(Select::Y),
        'z' => Some(Select::Z),
        'w' => Some(Select::W),
        '0' => Some(Select::Zero),
        '1' => Some(Select::One),
        '_' => Some(Select::Mask),
        _ => None,
    };
    let selects: Option<Vec<Select>> = word.chars().map(select).collect();
    let four = selects.and_then(|selects| selects.try_into().ok());
    four.map(Selects).ok_or_else(|| "expected four of x, y, z, w, 0, 1 and _".into())
}

/// The result in the JSON interface.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Decoded {
    /// The format.
    format: &'static str,
    /// The device.
    #[schemars(with = "String")]
    device: parallax_isa::Device,
    /// Size of a block, in texels.
    block: BlockEntry,
    /// Size of the surface, in texels.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<SizeEntry>,
    /// The texels, row by row: numbers, or `nan`, `inf` and `-inf`; null for a channel without a value.
    texels: Vec<TexelEntry>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct BlockEntry {
    /// Width.
    width: u8,
    /// Height.
    height: u8,
}

/// The size of a whole surface.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
struct SizeEntry {
    /// Width.
    width: u32,
    /// Height.
    height: u32,
}

impl Arguments {
    pub(super) fn execute(self) -> Result<Ending, Failure> {
        let (device, format) = self.choice.format()?;
        let bytes = text::bytes(&self.hex.concat())
            .map_err(|message| Failure::input(format!("HEX: {message}")))?;
        let palette = self.palette()?;
        self.require_r700(format)?;
        let view = View {
            border_mode: self.border,
            palettes: [&palette, &palette],
            linearise: !self.keep_srgb,
            fetch: self.choice.fetch(),
            select: self.select.map(|Selects(selects)| selects),
        };
        let decoded = match self.size {
            None => decode(format, &bytes, &view),
            Some((width, height)) => {
                let packed = Sheet::packed(format, width, height);
                let sheet = Sheet { pitch: self.pitch.unwrap_or(packed.pitch), ..packed };
                decode_sheet(format, sheet, &bytes, &view)
            }
        };
        let texels = decoded.map_err(|error| {
            let hint = match error {
                SurfaceError::Palette { .. } => "; give its entries with --palette",
                _ => "",
            };
            Failure::input(format!("{error}{hint}"))
        })?;
        if self.json {
            let block = BlockEntry { width: format.block.width, height: format.block.height };
            let texels = texels.into_iter().map(TexelEntry::from).collect();
            let size = self.size.map(|(width, height)| SizeEntry { width, height });
            output::print_json(&Decoded { format: format.name, device, block, size, texels });
        } else {
            let width =
                self.size.map_or(usize::from(format.block.width), |(width, _)| width as usize);
            output::print(table(width, &texels));
        }
        Ok(Ending::Success)
    }

    /// `--select` is for R700 alone.
    fn require_r700(&self, format: &Format) -> Result<(), Failure> {
        if self.select.is_some() && format.document != Document::R700 {
            let name = format.name;
            return Err(Failure::input(format!("--select is for formats of rv770, not {name}")));
        }
        Ok(())
    }

    /// The entries of the palette file.
    fn palette(&self) -> Result<Vec<u32>, Failure> {
        let Some(path) = &self.palette else { return Ok(Vec::new()) };
        let failure = |message| Failure::input(format!("{}: {message}", path.display()));
        let source = files::read(path, PALETTE_LIMIT, "a palette")?;
        let source =
            String::from_utf8(source).map_err(|_| failure("it is not UTF-8 text".to_owned()))?;
        let bytes = text::bytes(&source).map_err(failure)?;
        let (entries, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() || entries.len() > 256 {
            return Err(failure(format!(
                "a palette is up to 256 entries of 4 bytes, not {} bytes",
                bytes.len()
            )));
        }
        Ok(entries.iter().map(|&entry| u32::from_le_bytes(entry)).collect())
    }
}

/// The texels as text, with their places if there are several.
fn table(width: usize, texels: &[Texel]) -> Table<'static> {
    let mut table = Table::new(&["texel", ">r", ">g", ">b", ">a", "bits"]);
    for (n, texel) in texels.iter().enumerate() {
        let [r, g, b, a] = texel.0.map(|value| Number::from(value).to_string());
        let bits = texel.0.map(|value| text::bits(value).unwrap_or_else(|| "-".into()));
        table.row([format!("{},{}", n % width, n / width), r, g, b, a, bits.join(" ")]);
    }
    table
}
