//! The Sampling Engine of Gen4 and Gen4.5: texels weighted and added in double precision.

mod anisotropic;
mod channels;
mod compare;
mod coordinate;
mod filter;
mod layout;
mod legality;
mod lod;
mod message;
mod plane;
mod reply;
mod sample;
mod state;
mod surface;
mod texel;

use std::collections::HashMap;

use parallax_isa::{
    Device,
    shared::{Environment, Memory, Request, Sampling, Unanswered},
    surface::{BorderMode, Natural},
};

use super::{
    Reply,
    data_port::{Shape, SurfaceState},
    refuse,
};
use message::{Job, Order};
use plane::{Colours, Plane, Words};
use sample::Pixel;
use state::Sampler;
use surface::Surface;

/// Everything that can be sampled. What a surface state says is worked out when it is first used.
#[derive(Debug)]
pub(super) struct Textures {
    device: Device,
    heap: Vec<u32>,
    /// The binding table pointer.
    table: u32,
    sampling: Sampling,
    known: HashMap<(u8, BorderMode), Surface>,
    /// Orders that were carried out before and have a shorter way.
    planes: Vec<(Words, Plane)>,
    /// Room for what the pixels of a message become: clearing some each time would take longer than a load.
    colours: Colours,
}

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

    /// A message.
    pub(super) fn answer(
        &mut self,
        request: &Request,
        memory: &Memory,
        reply: &mut Reply,
    ) -> Result<(), Unanswered> {
        let words = Words::of(request);
        let plane = self.planes.iter().find(|(known, _)| *known == words);
        let is_new = plane.is_none();
        if let Some((_, plane)) = plane
            && plane.answer(&mut self.colours, request, memory, reply)
        {
            return Ok(());
        }
        *reply = self.answer_any(request, memory, is_new.then_some(words))?;
        Ok(())
    }

    /// A message, whatever it says. Of new words the plane is kept, if they have one.
    fn answer_any(
        &mut self,
        request: &Request,
        memory: &Memory,
        new: Option<Words>,
    ) -> Result<Reply, Unanswered> {
        let order = Order::of(request, self.device)?;
        let is_void = self.state(order.surface)?[0] >> 29 == 7;
        let sampler = match order.form.job {
            Job::Sample if !is_void => {
                let first = order.states + 4 * order.sampler as usize;
                Some(Sampler::read(&self.sampling.general_states, first)?)
            }
            _ => None,
        };
        // A disabled one reads nothing, whatever the mode would not allow.
        let enabled = sampler.as_ref().filter(|sampler| !sampler.is_disabled);
        let mode = enabled.map_or(BorderMode::Dx10Ogl, |sampler| sampler.border_mode);
        let (device, key) = (self.device, (order.surface, mode));
        if !self.known.contains_key(&key) {
            let state = self.state(order.surface)?;
            let surface = Surface::new(state, device, mode, &self.sampling.palettes)?;
            self.known.insert(key, surface);
        }
        let (surface, sampling) = (&self.known[&key], &self.sampling);
        let is_float = returned(&order, surface)?;
        let active = order.form.active(request.channel_enables);
        let mut colours = [([0; 4], false); 16];
        let colours = &mut colours[..order.form.lanes];
        if surface.state.shape != Shape::Void {
            match sampler {
                Some(sampler) if sampler.is_disabled => {}
                Some(sampler) => {
                    let sampler = sampler.with_border(sampling)?;
                    legality::check(&order, surface, &sampler, device)?;
                    let pixel = Pixel {
                        order: &order,
                        surface,
                        sampler: &sampler,
                        memory,
                        sampling,
                        request,
                        device,
                    };
                    for (lane, colour) in colours.iter_mut().enumerate() {
                        if active >> lane & 1 == 1 {
                            *colour = pixel.sample(lane)?;
                        }
                    }
                }
                None => {
                    for (lane, colour) in colours.iter_mut().enumerate() {
                        if order.form.job == Job::Size || active >> lane & 1 == 1 {
                            *colour = (
                                plain(&order, surface, request, lane, memory, sampling, device)?,
                                false,
                            );
                        }
                    }
                }
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
        if is_float {
            let narrow = self.narrows(&order, &self.known[&key])?;
            reply::carry(&order, colours, narrow, request.alternative_float_mode);
        }
        Ok(reply::reply(&order, colours, active))
    }

    /// The surface state of a binding table index.
    fn state(&self, index: u8) -> Result<&[u32; 6], Unanswered> {
        let state = SurfaceState::bound(&self.heap, self.table, index.into());
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

/// `ld` and `resinfo`.
fn plain(
    order: &Order,
    surface: &Surface,
    request: &Request,
    lane: usize,
    memory: &Memory,
    sampling: &Sampling,
    device: Device,
) -> Result<[u32; 4], Unanswered> {
    let form = &order.form;
    let lod = form.lod.map_or(0, |slot| form.word(request, slot, lane));
    if form.job == Job::Size {
        return surface.resinfo(lod);
    }
    legality::check_load(order, surface, device)?;
    let word =
        |slot: usize| if slot < form.coordinates { form.word(request, slot, lane) } else { 0 };
    let [u, v, r] = [0, 1, 2].map(word);
    let early = matches!(device, Device::Bw | Device::Cl);
    let off = || Ok(channels::off_map(surface.name, surface.natural));
    if surface.state.shape == Shape::Buffer {
        if early && lod != 0 {
            return refuse("a level of a buffer");
        }
        return match u64::from(u) < surface.state.entries {
            true => surface.element(u, memory),
            false => off(),
        };
    }
    let is_array = surface.state.depth > 1;
    let extra = match surface.state.shape {
        Shape::Line => r != 0 || !is_array && v != 0,
        Shape::Plane => !is_array && r != 0,
        _ => false,
    };
    if extra {
        return refuse("an index into what is no array");
    }
    if lod >= surface.levels {
        return off();
    }
    let level = lod + surface.first_level;
    let size = surface.size(level);
    let [x, y, z] = [u, v, r].map(|word| i64::from(word.cast_signed()));
    let element = i64::from(surface.state.first_element);
    let (x, y, z) = match surface.state.shape {
        Shape::Line => (x + order.offsets[0], 0, y),
        Shape::Plane => (x + order.offsets[0], y + order.offsets[1], z),
        _ => (x + order.offsets[0], y + order.offsets[1], z + order.offsets[2]),
    };
    let inside = [x, y, z].iter().zip(size).all(|(at, size)| (0..size).contains(at));
    if !inside {
        return off();
    }
    let slice = if surface.state.shape == Shape::Volume { z } else { z + element };
    Ok(surface.fetch(level, [x, y, slice], memory, sampling, None)?.0)
}
