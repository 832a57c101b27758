//! A pixel's way into a render target: clamp, blend, clamp, convert, logic operation, write mask.

use parallax_isa::surface::{
    Fetch, Format, Layout, Natural, Texel, Value,
    operation::{Colour, Operands, Output},
};

use super::blend::{blend, clamp_colour, logic_operation};
use crate::surface::{
    SurfaceError, View, decode,
    encode::{channel_of, encode, natural_types},
    field, require_block,
};

/// The bytes of an element after a pixel was written to it. `source` and `second_source` are the
/// shader's colours (binary32 bits; for integer formats integers).
///
/// # Errors
/// If the format is not one of components side by side that can be written.
pub fn write_pixel(
    format: &Format,
    state: &Output,
    source: Colour,
    second_source: Colour,
    stored: &[u8],
) -> Result<Vec<u8>, SurfaceError> {
    let fetch = Fetch::default();
    let types = natural_types(format, &fetch)?;
    let Layout::Plain(components) = &format.layout else {
        return Err(SurfaceError::NotWritable(format!(
            "{}: a pixel of a shared block",
            format.name
        )));
    };
    require_block(format, stored.len())?;
    let floats = types.iter().all(|t| matches!(t, Natural::Float32 | Natural::Absent));
    let colour =
        if floats { blended(format, state, source, second_source, stored)? } else { source };
    let texel = Texel(std::array::from_fn(|channel| Value {
        natural: types[channel],
        bits: colour[channel].into(),
    }));
    let converted = encode(format, &[texel], &fetch)?;
    let mut left = vec![0; stored.len()];
    for component in components {
        let [new, old] =
            [&converted[..], stored].map(|b| field::extract(b, component.offset, component.bits));
        // Bits of no channel, and those of a shared exponent, go with the others.
        let written = channel_of(component.name).is_none_or(|c| state.write_mask.writes(c));
        let value = match (written, state.logic) {
            (false, _) => old,
            (true, None) => new,
            (true, Some(operation)) => {
                logic_operation(operation, new, old) & (u64::MAX >> (64 - component.bits))
            }
        };
        field::insert(&mut left, component.offset, component.bits, value);
    }
    Ok(left)
}

/// The colour after clamps and blending. sRGB targets are blended in linear light.
fn blended(
    format: &Format,
    state: &Output,
    source: Colour,
    second_source: Colour,
    stored: &[u8],
) -> Result<Colour, SurfaceError> {
    // Decision D-surface-clamps.
    let before = |colour| match state.pre_blend_clamp {
        Some(range) => clamp_colour(range, &format.layout, colour),
        None => colour,
    };
    let colour = match state.blend {
        None => before(source),
        Some((colour, alpha)) => {
            let destination = decode(format, stored, &View::default())?[0];
            let operands = Operands {
                source: before(source),
                second_source: before(second_source),
                destination: before(destination.bits().map(|bits| bits as u32)),
                constant: before(state.constant),
            };
            blend(colour, alpha, &operands)
        }
    };
    Ok(match state.post_blend_clamp {
        Some(range) => clamp_colour(range, &format.layout, colour),
        None => colour,
    })
}
