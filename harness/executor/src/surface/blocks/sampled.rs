//! Compressed blocks as texels of a sampler: swapped, decoded, mapped.

use parallax_isa::{
    Device,
    surface::{BorderMode, FormatComp, Natural, Select, state::TEXELS},
};

use super::{Family, MOST_TEXELS};
use crate::surface::{
    channels,
    decode::{Refused, View},
    fetch::{selected, swap, swap_bytes},
};

/// A decoded block.
pub(crate) struct Block {
    /// Bits of the channels of each texel, row by row; zero beyond them.
    pub(crate) texels: [[u64; 4]; TEXELS],
    /// Texels there are.
    pub(crate) count: usize,
    pub(crate) types: [Natural; 4],
}

/// The family of a format; a fetch says whether those of R700 are signed.
pub(crate) fn family(name: &str, view: &View) -> Option<Family> {
    let signed = view.fetch.format_comp == FormatComp::Signed;
    match (name, Family::named(name)?) {
        ("FMT_BC4", _) if signed => Some(Family::Bc4Signed),
        ("FMT_BC5", _) if signed => Some(Family::Bc5Signed),
        (_, family) => Some(family),
    }
}

/// Whether colours of a format are sRGB codes.
pub(crate) fn is_srgb(name: &str) -> bool {
    name.contains("SRGB")
}

/// Decodes one block.
pub(crate) fn decode(
    device: Device,
    name: &str,
    family: Family,
    view: &View,
    bytes: &[u8],
) -> Result<Block, Refused> {
    if bytes.len() != family.bytes() {
        return Err(Refused("the bytes are not one block"));
    }
    let dx9 = view.border_mode == BorderMode::Dx9;
    if dx9 && !matches!(device, Device::Dg1 | Device::Rv770) && channels::is_only_dx10(name) {
        return Err(Refused("the format must not be sampled in DX9 border colour mode"));
    }
    let mut block = [0; 16];
    let block = &mut block[..bytes.len()];
    block.copy_from_slice(bytes);
    if device == Device::Rv770 {
        swap_bytes(block, swap(view.fetch.endian_swap));
    }
    let linearise = view.linearise && is_srgb(name);
    let mut colours = [[0.0; 4]; MOST_TEXELS];
    if !super::decode(family, linearise, block, &mut colours) {
        return Err(Refused("blocks of this family are not decoded yet"));
    }
    let count = 4 * family.width();
    let mut texels = [[0; 4]; TEXELS];
    let select = view.select.filter(|_| device == Device::Rv770);
    for (texel, colour) in texels.iter_mut().zip(&colours[..count]) {
        let bits = colour.map(|channel| u64::from(channel.to_bits()));
        *texel = select.map_or(bits, |select| select.map(|select| selected(select, bits)));
    }
    let natural = |select| match select {
        Select::Mask => Natural::Absent,
        _ => Natural::Float32,
    };
    let types = select.map_or([Natural::Float32; 4], |select| select.map(natural));
    Ok(Block { texels, count, types })
}
