//! The Sampling Engine of G45 and its predecessors (G45 volume 4, chapter 4).

mod anisotropic;
mod compare;
mod coordinate;
mod filter;
mod layout;
mod legality;
mod lod;
mod message;
mod reply;
mod sample;
mod state;
mod surface;
mod texel;

use parallax_isa::{
    Acceptance, Device,
    device::Generation,
    shared::{Request, Unanswered},
};

use super::{Reply, World, record::SampleStep, undefined};
use crate::eu::Observed;
use message::{Entity, Kind, Message, Parameter};
use reply::Colour;
use surface::{Surface, Type};

/// The reply to a message, as soon as the case has what the Sampling Engine needs.
pub(super) fn answer(
    device: Device,
    request: &Request,
    world: &mut World,
) -> Result<Reply, Unanswered> {
    let (Some(environment), Some(sampling)) = (world.environment, world.sampling) else {
        return Err(Unanswered::NoSuchFunction("the Sampling Engine, without surfaces"));
    };
    // Decision D-eu-sampler.
    let message = Message::of(request, device)?;
    let surface = Surface::bound(environment, message.surface_index, device)?;
    let return_type = message.return_type(&surface)?;
    let colours = if surface.kind() == Type::Null {
        message.entities.iter().map(|_| Colour::ZERO).collect()
    } else {
        match message.form.kind {
            Kind::Resinfo => each(&message, |entity| resinfo(&surface, entity))?,
            Kind::Ld => {
                check_ld(&message, &surface)?;
                each(&message, |entity| ld(&message, &surface, entity, world))?
            }
            _ => sample::sample(request, &message, &surface, sampling, world)?,
        }
    };
    let reply = reply::reply(request, &message, &surface, return_type, &colours)?;
    world.lender.lend(|device| {
        let (surface, reply) = (surface.state.doublewords(), &reply.registers);
        Observed::Sample(SampleStep { device, request, surface, sampling, reply })
    });
    Ok(reply)
}

/// The colour of each entity.
fn each(
    message: &Message,
    colour: impl FnMut(&Entity) -> Result<Colour, Unanswered>,
) -> Result<Vec<Colour>, Unanswered> {
    message.entities.iter().map(colour).collect()
}

/// `resinfo`: the size of a level, and how many levels there are.
fn resinfo(surface: &Surface, entity: &Entity) -> Result<Colour, Unanswered> {
    let level = u64::from(entity.bits(Parameter::Lod)) + u64::from(surface.first_level());
    let shifted = |size: u32| if level < 32 { size >> level } else { 0 };
    let (width, height, depth) = surface.base_size();
    let elements = if depth == 1 { 0 } else { depth };
    let colours = match surface.kind() {
        Type::One => [shifted(width), elements, 0],
        Type::Two => [shifted(width), shifted(height), elements],
        Type::Three => [shifted(width), shifted(height), shifted(depth)],
        Type::Cube => [shifted(width), shifted(height), 0],
        Type::Buffer | Type::Null => return undefined("resinfo of a buffer"),
    };
    let [red, green, blue] = colours;
    Ok(Colour::of([red, green, blue, surface.levels()]))
}

/// Refuses what `ld` cannot read.
fn check_ld(message: &Message, surface: &Surface) -> Result<(), Unanswered> {
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
    message.header.check_offsets(surface.kind())
}

/// `ld`: a texel at integer coordinates.
fn ld(
    message: &Message,
    surface: &Surface,
    entity: &Entity,
    world: &mut World,
) -> Result<Colour, Unanswered> {
    if !entity.is_active {
        return Ok(Colour::ZERO);
    }
    let [u, v, r] = [Parameter::U, Parameter::V, Parameter::R].map(|name| entity.bits(name));
    let lod = entity.bits(Parameter::Lod);
    let is_early = surface.device.generation() == Some(Generation::Gen4);
    let kind = surface.kind();
    if kind == Type::Buffer {
        if is_early && lod != 0 {
            return undefined("a level of detail for ld of a buffer");
        }
        if u >= surface.entries() {
            return Ok(Colour::outside(surface));
        }
        return surface.element(u, world);
    }
    let (first, second) = match kind {
        Type::One => (v, r),
        _ => (r, 0),
    };
    if kind != Type::Three && (surface.base_size().2 == 1 && first != 0 || second != 0) {
        return undefined("a coordinate that the surface does not have");
    }
    if lod > surface.levels() - 1 {
        return Ok(Colour::outside(surface));
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
    let colour = match signed {
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
    Ok(if is_open { colour.opened(Acceptance::Undefined) } else { colour })
}
