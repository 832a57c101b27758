//! From four channels to the bytes of a block.

use parallax_isa::surface::{
    ColorSpace, Component, Document, Fetch, Format, Layout, Name, Natural, Numeric, Texel, Value,
};

use super::{
    SurfaceError, fetch, field,
    numbers::{natural, write},
};
use crate::number::Rounding;

/// The bytes of a block of texels given row by row.
///
/// Channels must have the natural types of the components ([`natural_types`]). Bits the format
/// does not use are zero. `fetch` is what R700 formats are read with; it has no effect on others.
///
/// # Errors
/// If the format has no layout or cannot be written, there are not as many texels as a block has,
/// or a channel is of the wrong type.
pub fn encode(format: &Format, texels: &[Texel], fetch: &Fetch) -> Result<Vec<u8>, SurfaceError> {
    encode_rounded(format, texels, fetch, Rounding::NearestAway)
}

/// The same; normalised numbers halfway between two codes go where `ties` says.
pub(crate) fn encode_rounded(
    format: &Format,
    texels: &[Texel],
    fetch: &Fetch,
    ties: Rounding,
) -> Result<Vec<u8>, SurfaceError> {
    let layout = writable_layout(format, fetch)?;
    if texels.len() != format.block.texels() {
        let (expected, given) = (format.block.texels(), texels.len());
        return Err(SurfaceError::TexelCount { name: format.name, expected, given });
    }
    let mut bytes = vec![0; usize::from(format.block.bytes)];
    match &layout {
        Layout::Plain(all) => plain(format, all, texels[0], ties, &mut bytes)?,
        Layout::Packed { component, most_significant_first } => {
            for (n, texel) in texels.iter().enumerate() {
                let place = if *most_significant_first { texels.len() - 1 - n } else { n };
                let offset = place as u16 * u16::from(component.bits);
                write(format, Component { offset, ..*component }, *texel, ties, &mut bytes)?;
            }
        }
        Layout::Subsampled(all) => {
            // Decision D-surface-chroma-writes.
            for &component in all {
                let right = matches!(component.name, Name::Y1 | Name::G1);
                write(format, component, texels[usize::from(right)], ties, &mut bytes)?;
            }
        }
        Layout::Planar { luma, chroma } => {
            // Decision D-surface-chroma-writes.
            let (lumas, chromas) = bytes.split_at_mut(4 * usize::from(luma.bits / 8));
            for (&texel, place) in texels.iter().zip(lumas.chunks_mut(usize::from(luma.bits / 8))) {
                write(format, *luma, texel, ties, place)?;
            }
            for &component in chroma {
                write(format, component, texels[0], ties, chromas)?;
            }
        }
        Layout::Compressed(_) | Layout::Undefined => unreachable!("not writable"),
    }
    match format.document {
        Document::R700 => fetch::endian_swap(&bytes, fetch.endian_swap),
        _ => Ok(bytes),
    }
}

/// The natural types [`encode`] wants the channels in; those no component is made from are absent.
///
/// # Errors
/// If the format has no layout or cannot be written.
pub fn natural_types(format: &Format, fetch: &Fetch) -> Result<[Natural; 4], SurfaceError> {
    let layout = writable_layout(format, fetch)?;
    let mut types = [Natural::Absent; 4];
    for component in layout.components() {
        if let Some(channel) = channel_of(component.name) {
            types[channel] = natural(component);
        }
    }
    Ok(types)
}

/// The layout, if the format can be written.
fn writable_layout(format: &Format, fetch: &Fetch) -> Result<Layout, SurfaceError> {
    format.require_defined()?;
    let cannot = |what: &str| Err(SurfaceError::NotWritable(format!("{}: {what}", format.name)));
    match &format.layout {
        Layout::Compressed(_) => cannot("compressed blocks"),
        layout if layout.components().any(|c| c.name == Name::P) => cannot("palette indices"),
        layout => Ok(fetch::resolve(layout, fetch)),
    }
}

/// The channel a component is made from.
pub(crate) fn channel_of(name: Name) -> Option<usize> {
    // Decision D-surface-luminance-writes.
    match name {
        Name::R | Name::Cr | Name::L | Name::I | Name::T => Some(0),
        Name::G | Name::Y | Name::Y0 | Name::Y1 | Name::G0 | Name::G1 => Some(1),
        Name::B | Name::Cb => Some(2),
        Name::A => Some(3),
        Name::P | Name::E | Name::X => None,
    }
}

/// Writes one component of a texel at its place.
fn write(
    format: &Format,
    component: Component,
    texel: Texel,
    ties: Rounding,
    bytes: &mut [u8],
) -> Result<(), SurfaceError> {
    let Some(channel) = channel_of(component.name) else { return Ok(()) };
    let srgb = format.color_space == ColorSpace::Srgb && component.name != Name::A;
    let written = write::component(component, texel.0[channel], srgb, ties)?;
    field::insert(bytes, component.offset, component.bits, written);
    Ok(())
}

/// One texel whose components lie side by side.
fn plain(
    format: &Format,
    all: &[Component],
    texel: Texel,
    ties: Rounding,
    bytes: &mut [u8],
) -> Result<(), SurfaceError> {
    if all.iter().any(|component| component.numeric == Numeric::Exponent) {
        return shared_exponent(all, texel, bytes);
    }
    all.iter().try_for_each(|&component| write(format, component, texel, ties, bytes))
}

/// Three mantissas and their exponent.
fn shared_exponent(all: &[Component], texel: Texel, bytes: &mut [u8]) -> Result<(), SurfaceError> {
    let colour = |value: Value| match value.natural {
        Natural::Float32 => Ok(value.bits as u32),
        given => {
            Err(SurfaceError::WrongType { component: all[0], wanted: Natural::Float32, given })
        }
    };
    let [r, g, b, _] = texel.0;
    let (mantissas, exponent) = write::shared_exponent([colour(r)?, colour(g)?, colour(b)?]);
    for &component in all {
        let written = channel_of(component.name).map_or(exponent, |channel| mantissas[channel]);
        field::insert(bytes, component.offset, component.bits, written);
    }
    Ok(())
}
