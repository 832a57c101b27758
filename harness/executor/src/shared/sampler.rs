//! The Sampling Engine: texels weighted and added in double precision.

mod anisotropic;
mod channels;
mod compare;
mod coordinate;
mod filter;
mod gather;
mod layout;
mod legality;
mod load;
mod lod;
mod message;
mod plane;
mod reply;
mod sample;
mod state;
mod surface;
#[cfg(test)]
mod tests;
mod texel;

use std::collections::HashMap;

use parallax_isa::{
    Device,
    shared::{Environment, Memory, Request, Sampling, Unanswered},
    surface::Natural,
};

use super::{
    Reply, refuse,
    surface_state::{Columns, Shape},
};
use message::{Job, Order};
use plane::{Colours, Plane, Words};
use reply::Colour;
use sample::Pixel;
use state::Sampler;
pub(super) use surface::Surface;
use surface::SurfaceView;

/// Everything that can be sampled. What a surface state says is worked out when it is first used.
#[derive(Debug)]
pub(super) struct Textures {
    device: Device,
    heap: Vec<u32>,
    /// The binding table pointer.
    table: u32,
    sampling: Sampling,
    known: HashMap<(u8, SurfaceView), Surface>,
    /// Orders that were carried out before and have a shorter way.
    planes: Vec<(Words, Plane)>,
    /// Room for what the pixels of a message become: clearing some each time would take longer than a load.
    colours: Colours,
}

/// The index of a surface state that is in no table (Gen9 and later).
const BINDLESS: u8 = 252;

/// Most orders that are kept.
const MOST_PLANES: usize = 32;

impl Textures {
    pub(super) fn of(environment: &Environment, sampling: &Sampling, device: Device) -> Self {
        Self {
            device,
            heap: environment.surface_states.clone(),
            table: environment.binding_table,
            sampling: sampling.clone(),
            known: HashMap::new(),
            planes: Vec::new(),
            colours: Colours::default(),
        }
    }

    fn is_gen45(&self) -> bool {
        matches!(self.device, Device::Ctg | Device::G45)
    }

    fn is_later(&self) -> bool {
        Device::LATER.contains(&self.device)
    }

    /// A message: the words of its registers that are written, if the reply is in words.
    pub(super) fn answer(
        &mut self,
        request: &Request,
        memory: &Memory,
        reply: &mut Reply,
    ) -> Result<Option<u16>, Unanswered> {
        let words = Words::of(request);
        let plane = self.planes.iter().find(|(known, _)| *known == words);
        let is_new = plane.is_none();
        if let Some((_, plane)) = plane
            && plane.answer(&mut self.colours, request, memory, reply)
        {
            return Ok(None);
        }
        let words_written;
        (*reply, words_written) = self.answer_any(request, memory, is_new.then_some(words))?;
        Ok(words_written)
    }

    /// A message, whatever it says. Of new words the plane is kept, if they have one.
    fn answer_any(
        &mut self,
        request: &Request,
        memory: &Memory,
        new: Option<Words>,
    ) -> Result<(Reply, Option<u16>), Unanswered> {
        let order = Order::of(request, self.device)?;
        let sampler = self.sampler(&order)?;
        // A disabled one reads nothing, whatever the mode would not allow.
        let enabled = sampler.as_ref().filter(|sampler| !sampler.is_disabled);
        let view = enabled.map_or(SurfaceView::PLAIN, Sampler::view);
        let (device, key) = (self.device, (order.surface, view));
        if !self.known.contains_key(&key) {
            let surface =
                Surface::new(self.state(order.surface)?, device, view, &self.sampling.palettes)?;
            self.known.insert(key, surface);
        }
        let (surface, sampling) = (&self.known[&key], &self.sampling);
        let is_float = returned(&order, surface)?;
        let active = order.form.active(request.channel_enables);
        let mut colours = [([0; 4], false); 16];
        let colours = &mut colours[..order.form.lanes];
        if surface.state.shape != Shape::Void {
            let scene = Scene { order: &order, surface, memory, sampling, request, device };
            match sampler {
                Some(sampler) if sampler.is_disabled => {}
                Some(sampler) => scene.sample(&sampler.with_border(sampling)?, active, colours)?,
                None => scene.load(active, colours)?,
            }
        }
        if let Some(words) = new
            && is_float
            && active != 0
            && self.planes.len() < MOST_PLANES
        {
            let sampler = enabled.and_then(|sampler| sampler.with_border(sampling).ok());
            let plane = Plane::of(&order, surface, sampler.as_ref(), device);
            self.planes.extend(plane.map(|plane| (words, plane)));
        }
        if self.is_later() {
            return Ok(reply::reply_later(&order, colours, request.channel_enables, is_float));
        }
        if is_float {
            let narrow = self.narrows(&order, &self.known[&key])?;
            reply::carry(&order, colours, narrow, request.alternative_float_mode);
        }
        Ok((reply::reply(&order, colours, active), None))
    }

    /// The sampler of a message, if it needs one.
    fn sampler(&self, order: &Order) -> Result<Option<Sampler>, Unanswered> {
        let is_void = self.state(order.surface)?[0] >> 29 == 7;
        if is_void || !matches!(order.form.job, Job::Sample | Job::Gather | Job::Detail) {
            return Ok(None);
        }
        let first = order.states + 4 * order.sampler as usize;
        Sampler::read(&self.sampling.general_states, first, self.device).map(Some)
    }

    /// The surface state of a binding table index.
    fn state(&self, index: u8) -> Result<&[u32], Unanswered> {
        if self.is_later() && index == BINDLESS {
            return refuse("a surface state of another base");
        }
        let state = Columns::of(self.device).bound(&self.heap, self.table, index.into());
        state.map_or_else(|| refuse("a surface state beyond the bound"), Ok)
    }

    /// Whether numbers come over with 14 bits after the point.
    fn narrows(&self, order: &Order, surface: &Surface) -> Result<bool, Unanswered> {
        if !surface.is_narrow || self.is_gen45() || order.form.job == Job::Size {
            return Ok(false);
        }
        if !channels::has_bytes(surface.name) {
            return refuse("a format that does not fit into 14 bits");
        }
        Ok(order.form.lanes != 2)
    }
}

/// Whether floats come back, where that is allowed.
fn returned(order: &Order, surface: &Surface) -> Result<bool, Unanswered> {
    if order.form.job == Job::Size {
        return match order.returns {
            Some(3) => refuse("sizes with a sign"),
            returns => Ok(returns == Some(0)),
        };
    }
    match order.form.job {
        Job::Samples | Job::Compression => return Ok(false),
        Job::Detail => return Ok(true),
        _ => {}
    }
    let own = match surface.natural {
        _ if surface.state.shape == Shape::Void => order.returns.unwrap_or(0),
        Natural::Uint32 => 2,
        Natural::Sint32 => 3,
        _ => 0,
    };
    if order.returns.is_some_and(|asked| asked != own) {
        return refuse("numbers of another type than those of the format");
    }
    Ok(own == 0)
}

/// What a message is about.
#[derive(Debug, Clone, Copy)]
struct Scene<'a> {
    order: &'a Order,
    surface: &'a Surface,
    memory: &'a Memory,
    sampling: &'a Sampling,
    request: &'a Request<'a>,
    device: Device,
}

impl Scene<'_> {
    /// The pixels that are on, by a sampler.
    fn sample(
        &self,
        sampler: &Sampler,
        active: u32,
        colours: &mut [Colour],
    ) -> Result<(), Unanswered> {
        let Self { order, surface, memory, sampling, request, device } = *self;
        if Device::LATER.contains(&device) {
            if order.form.job != Job::Detail {
                surface.check_readable()?;
            }
            legality::check_later(order, surface, sampler, device)?;
        } else {
            legality::check(order, surface, sampler, device)?;
        }
        let pixel = Pixel { order, surface, sampler, memory, sampling, request, device };
        let lanes = colours.iter_mut().enumerate().filter(|(lane, _)| active >> lane & 1 == 1);
        for (lane, colour) in lanes {
            *colour = match order.form.job {
                Job::Gather => pixel.gather(lane)?,
                Job::Detail => pixel.level_of_detail(lane)?,
                _ => pixel.sample(lane)?,
            };
        }
        Ok(())
    }
}
