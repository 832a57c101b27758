//! Texture instructions: LD and the queries (decision D-r700-texture), and filtered fetches.

pub(super) mod check;
mod compare;
mod detail;
mod level;
mod load;
mod plane;
mod resource;
mod sample;
mod taps;

use parallax_isa::r700::{Case, state::State};

use super::{
    decode::{Fetch, TextureFetch, TextureOperation},
    format::Format,
    masks::ones,
    number::float,
    prepared::Prepared,
    registers::{Registers, selected},
};

/// Why an instruction cannot be done, if it cannot. `earlier` are those before it in its clause.
pub(super) fn undefined(fetch: &TextureFetch, earlier: &[Fetch], case: &Case) -> Option<String> {
    match fetch.operation {
        TextureOperation::Load | TextureOperation::Sizes | TextureOperation::Samples => {}
        _ => return sample::undefined(fetch, earlier, case),
    }
    let Some(texture) = resource::texture(fetch, case) else {
        return Some(format!("the case has no texture {}", fetch.resource));
    };
    if fetch.operation == TextureOperation::Load { load::undefined(fetch, texture) } else { None }
}

/// Runs an instruction that is not [`undefined`].
pub(super) fn run(
    fetch: &TextureFetch,
    executing: u64,
    case: &Case,
    registers: Registers,
    prepared: &mut Prepared,
    state: &mut State,
) {
    let source = registers.source(fetch.source, 0, fetch.source_relative, state);
    let target = registers.target(fetch.gpr, 0, fetch.relative, state);
    let register = &state.gpr[source];
    let sources = fetch.source_select.map(|select| match select {
        element @ 0..=3 => register[usize::from(element)],
        constant => [selected([0; 4], constant).unwrap_or(0); 64],
    });
    let asked = |pixel: usize| {
        let texture = resource::texture(fetch, case)?;
        Some(match fetch.operation {
            TextureOperation::Sizes => {
                [texture.width, texture.height, texture.depth, texture.levels]
            }
            TextureOperation::Samples => [texture.samples, 0, 0, 0],
            _ => {
                let format = Format::of_texel(level::fields(texture))?;
                let coordinates = [0, 1, 2, 3].map(|element: usize| sources[element][pixel]);
                let texel = load::load(texture, &format, coordinates, fetch.offset);
                texture.select.map(|select| selected(texel, select as u8).unwrap_or(0))
            }
        })
    };
    match fetch.operation {
        TextureOperation::Load | TextureOperation::Sizes | TextureOperation::Samples => {
            for pixel in ones(executing) {
                let Some(values) = asked(pixel) else { return };
                target.put(pixel, values, fetch.select, state);
            }
        }
        _ => sample::run(fetch, executing, case, &sources, prepared, |pixel, values| {
            target.put(pixel, values, fetch.select, state);
        }),
    }
}

/// A number that is neither infinite nor none, denormals flushed.
fn finite(bits: u32) -> Option<f32> {
    let number = float(bits);
    number.is_finite().then_some(number)
}
