//! The Sampling Engine (G45 volume 4, chapter 4; from Gen7 on tables `eu-sampler-*`).

mod anisotropic;
mod compare;
mod coordinate;
mod filter;
mod forms;
mod gather;
mod information;
mod layout;
mod legality;
mod load;
mod lod;
mod message;
mod reply;
mod sample;
mod state;
mod sum;
mod surface;
#[cfg(test)]
mod tests;
mod texel;

use parallax_isa::{
    Device,
    shared::{Request, Unanswered},
};

use super::{Reply, World, record::SampleStep};
use crate::eu::Observed;
use reply::Colour;

pub use forms::Form;
pub use message::{Entity, Header, Kind, Message, Mode, Parameter};
pub(super) use surface::{Surface, Type};

/// The reply to a message, as soon as the case has what the Sampling Engine needs.
pub(super) fn answer(
    device: Device,
    request: &Request,
    world: &mut World,
) -> Result<Reply, Unanswered> {
    let (Some(environment), Some(sampling)) = (world.environment, world.sampling) else {
        return Err(Unanswered::NoSuchFunction("the Sampling Engine, without surfaces"));
    };
    // Decisions D-eu-sampler, D-eu-later-sampler.
    let message = Message::of(request, device)?;
    let surface = Surface::bound(environment, message.surface_index, device)?;
    let return_type = message.return_type(&surface)?;
    let colours = match message.form.kind {
        _ if surface.kind() == Type::Null => {
            message.entities.iter().map(|_| information::nothing(&message, device)).collect()
        }
        Kind::Resinfo => each(&message, |entity| information::resinfo(&surface, entity))?,
        Kind::Sampleinfo => each(&message, |_| Ok(information::sampleinfo(&surface)))?,
        Kind::LdMcs => {
            load::check_mcs(&message, &surface)?;
            each(&message, |_| Ok(Colour::ZERO))?
        }
        Kind::Ld => {
            load::check(&message, &surface)?;
            let selects = surface.selects()?;
            each(&message, |entity| {
                let load::Loaded { colour, texel } = load::ld(&message, &surface, entity, world)?;
                let colour = colour.selected(selects, surface.has_integers());
                if surface.is_later() && entity.is_active {
                    let states = (&surface, sampling);
                    load::lend(request, &message, states, entity, (texel, colour), world);
                }
                Ok(colour)
            })?
        }
        _ => sample::sample(request, &message, &surface, sampling, world)?,
    };
    let reply = reply::reply(request, &message, &surface, return_type, &colours)?;
    world.lender.lend(|device| {
        let (words, format) = (surface.state.words(), surface.format);
        let (surface, message, reply) = (words, &message, &reply.registers);
        let active = || message.entities.iter().zip(&colours).filter(|(it, _)| it.is_active);
        Observed::Sample(SampleStep {
            device,
            request,
            message,
            surface,
            format,
            sampling,
            reply,
            is_unspecified: active().all(|(_, colour)| colour.is_unspecified()),
        })
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
