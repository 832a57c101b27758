//! `ld` and `ld_mcs`: texels at integer coordinates (G45 volume 4, section 4.8.1; table
//! `eu-sampler-coordinates`).

use parallax_isa::{
    Acceptance,
    device::Generation,
    shared::{Request, Sampling, Unanswered},
};

use crate::{eu::Observed, number::Exact};

use super::{
    super::{
        World,
        record::{PixelStep, SampledTexel, TexelSource},
        undefined,
    },
    coordinate::STEPS,
    message::{Entity, Message, Parameter},
    reply::Colour,
    surface::{Surface, Type},
};

/// What `ld` gives.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) colour: Colour,
    /// The texel, if there is one and it is not of a buffer (Gen7 and later).
    pub(super) texel: Option<SampledTexel>,
}

impl From<Colour> for Loaded {
    fn from(colour: Colour) -> Self {
        Self { colour, texel: None }
    }
}

/// Lends what was loaded for a pixel or sample.
pub(super) fn lend(
    request: &Request,
    message: &Message,
    (surface, sampling): (&Surface, &Sampling),
    entity: &Entity,
    (texel, colour): (Option<SampledTexel>, Colour),
    world: &World,
) {
    let slice = texel.map_or(0, |texel| texel.indices[2]);
    world.lender.lend(|device| {
        Observed::Pixel(PixelStep {
            device,
            request,
            message,
            number: entity.number,
            surface: surface.state.words(),
            format: surface.format,
            sampler: &[0; 4],
            sampling,
            lod: 0,
            min: 0,
            max: 0,
            magnifies: false,
            blend: 0,
            subpixels: 0,
            is_too_long: false,
            slice,
            texels: texel.as_slice(),
            colour: colour.bits,
            is_unspecified: colour.is_unspecified(),
        })
    });
}

/// Refuses what `ld` cannot read.
pub(super) fn check(message: &Message, surface: &Surface) -> Result<(), Unanswered> {
    let is_early = surface.device.generation() == Some(Generation::Gen4);
    if surface.kind() == Type::Cube {
        return undefined("ld of a cube");
    }
    if surface.format.name == "MONO8" {
        return undefined("ld of MONO8");
    }
    if is_early && surface.is_right() {
        return undefined("ld of a surface with MIPLAYOUT_RIGHT");
    }
    if surface.is_later() {
        return check_offsets(message);
    }
    message.header.check_offsets(surface.kind())
}

/// Refuses texel offsets, of which nobody says what they do to integer coordinates from Gen7 on.
fn check_offsets(message: &Message) -> Result<(), Unanswered> {
    if message.header.has_offsets() {
        return undefined("texel offsets of ld");
    }
    Ok(())
}

/// Refuses surfaces whose samples `ld_mcs` cannot find.
pub(super) fn check_mcs(message: &Message, surface: &Surface) -> Result<(), Unanswered> {
    if surface.kind() != Type::Two {
        return undefined("ld_mcs of something else than a 2D surface");
    }
    check_offsets(message)
}

/// `ld`: a texel at integer coordinates.
pub(super) fn ld(
    message: &Message,
    surface: &Surface,
    entity: &Entity,
    world: &mut World,
) -> Result<Loaded, Unanswered> {
    if !entity.is_active {
        return Ok(Colour::ZERO.into());
    }
    if surface.is_later() {
        return later_ld(surface, entity, world);
    }
    let [u, v, r] = [Parameter::U, Parameter::V, Parameter::R].map(|name| entity.bits(name));
    let lod = entity.bits(Parameter::Lod);
    let is_early = surface.device.generation() == Some(Generation::Gen4);
    let kind = surface.kind();
    if kind == Type::Buffer {
        if is_early && lod != 0 {
            return undefined("a level of detail for ld of a buffer");
        }
        if i128::from(u) >= surface.entries() {
            return Ok(Colour::outside(surface).into());
        }
        return Ok(surface.element(u, world)?.into());
    }
    let (first, second) = match kind {
        Type::One => (v, r),
        _ => (r, 0),
    };
    if kind != Type::Three && (surface.base_size().2 == 1 && first != 0 || second != 0) {
        return undefined("a coordinate that the surface does not have");
    }
    if lod > surface.levels() - 1 {
        return Ok(Colour::outside(surface).into());
    }
    let level = lod + surface.first_level();
    let size = surface.size(level);
    let offsets = message.header.offsets;
    // The manual calls parameters signed and unsigned; with an offset that may differ.
    let reading = |extend: fn(u32) -> i64| {
        let inside = |value: u32, offset: i32, size: u32| {
            let place = extend(value) + i64::from(offset);
            (0..i64::from(size)).contains(&place).then_some(place)
        };
        let index = |value: u32, elements: u32| inside(value, 0, elements);
        Some(match kind {
            Type::One => (inside(u, offsets[0], size.0)?, 0, index(v, size.2)?),
            Type::Two => {
                (inside(u, offsets[0], size.0)?, inside(v, offsets[1], size.1)?, index(r, size.2)?)
            }
            _ => (
                inside(u, offsets[0], size.0)?,
                inside(v, offsets[1], size.1)?,
                inside(r, offsets[2], size.2)?,
            ),
        })
    };
    let signed = reading(|value| value.cast_signed().into());
    let unsigned = reading(|value| value.into());
    let is_open = signed != unsigned;
    let colour = match signed.or(unsigned) {
        None => Colour::outside(surface),
        Some((x, y, slice)) => {
            let slice = match kind {
                Type::Three => slice,
                _ => slice + i64::from(surface.first_element()),
            };
            let texel = surface.texel(level, [x, y, slice], world)?;
            Colour::of_texel(texel.colour()?, texel.is_sure)
        }
    };
    Ok(if is_open { colour.opened(Acceptance::Undefined) } else { colour }.into())
}

/// The same from Gen7 on: coordinates have signs, and those that a surface does not have do not count.
fn later_ld(surface: &Surface, entity: &Entity, world: &mut World) -> Result<Loaded, Unanswered> {
    // Decision D-eu-later-sampler.
    let [u, v, r] = [Parameter::U, Parameter::V, Parameter::R].map(|name| entity.bits(name));
    let lod = entity.bits(Parameter::Lod);
    if surface.kind() == Type::Buffer {
        return match i128::from(u) < surface.entries() {
            true => Ok(surface.element(u, world)?.into()),
            false => Ok(Colour::outside(surface).into()),
        };
    }
    if lod >= surface.levels() {
        return Ok(Colour::outside(surface).into());
    }
    let level = lod + surface.first_level();
    if level << 8 < surface.least_lod() {
        return Ok(Colour::outside(surface).into());
    }
    let (width, height, depth) = surface.size(level);
    let inside = |place: u32, size: u32| (place < size).then_some(i64::from(place));
    let element = |index: u32| if surface.is_array() { inside(index, depth) } else { Some(0) };
    let place = match surface.kind() {
        Type::One => inside(u, width).zip(element(v)).map(|(x, index)| [x, 0, index]),
        Type::Two => place(inside(u, width), inside(v, height), element(r)),
        _ => place(inside(u, width), inside(v, height), inside(r, depth)),
    };
    let Some([x, y, slice]) = place else { return Ok(Colour::outside(surface).into()) };
    let place = [x, y, slice + i64::from(surface.first_element())];
    let fetched = surface.texel(level, place, world)?;
    let texel = fetched.colour()?;
    let found = SampledTexel {
        level,
        address: place.map(|index| index * STEPS + STEPS / 2),
        indices: place,
        source: TexelSource::Texel(place),
        is_keyed: false,
        fetched: texel,
        texel,
        weight: Exact::integer(1),
        is_end: false,
    };
    Ok(Loaded { colour: Colour::of_texel(texel, fetched.is_sure), texel: Some(found) })
}

/// A place all of whose coordinates are there.
fn place(x: Option<i64>, y: Option<i64>, slice: Option<i64>) -> Option<[i64; 3]> {
    Some([x?, y?, slice?])
}
