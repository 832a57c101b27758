//! Messages without a sampler: `ld`, `resinfo` and their like.

use parallax_isa::{Device, shared::Unanswered};

use super::{
    super::{refuse, surface_state::Shape},
    Scene, channels, legality,
    message::{Job, Level, Parameter},
    reply::Colour,
};

impl Scene<'_> {
    /// The pixels that are on.
    pub(super) fn load(&self, active: u32, colours: &mut [Colour]) -> Result<(), Unanswered> {
        let job = self.order.form.job;
        if job == Job::Load && self.is_later() {
            self.surface.check_readable()?;
            legality::check_load_later(self.order, self.surface)?;
        }
        for (lane, (colour, _)) in colours.iter_mut().enumerate() {
            let is_on = active >> lane & 1 == 1;
            let lod = self.order.form.word(self.request, Parameter::Lod, lane);
            *colour = match job {
                Job::Size if self.is_later() => self.surface.resinfo_later(lod),
                Job::Size => self.surface.resinfo(lod)?,
                Job::Samples => self.samples(),
                Job::Compression => self.compression()?,
                _ if !is_on => continue,
                _ if self.is_later() => self.texel_later(lod, lane)?,
                _ => self.texel(lod, lane)?,
            };
        }
        Ok(())
    }

    fn is_later(&self) -> bool {
        Device::LATER.contains(&self.device)
    }

    /// `sampleinfo`: there is one sample.
    fn samples(&self) -> [u32; 4] {
        let is_plane = self.surface.state.shape == Shape::Plane;
        [1, 0, 0, if is_plane { self.surface.palette_index } else { 0 }]
    }

    /// `ld_mcs`: no samples are compressed.
    fn compression(&self) -> Result<[u32; 4], Unanswered> {
        match self.surface.state.shape {
            Shape::Plane => Ok([0; 4]),
            _ => refuse("how samples of no plane are compressed"),
        }
    }

    fn coordinates(&self, lane: usize) -> [i64; 3] {
        let word = |parameter| self.order.form.word(self.request, parameter, lane);
        [Parameter::U, Parameter::V, Parameter::R]
            .map(|parameter| i64::from(word(parameter).cast_signed()))
    }

    /// `ld` from Gen7 on.
    fn texel_later(&self, lod: u32, lane: usize) -> Result<[u32; 4], Unanswered> {
        let Self { order, surface, .. } = *self;
        let state = &surface.state;
        let [u, v, r] = self.coordinates(lane);
        let off = || Ok(surface.selected(channels::off_map_later(surface.name, surface.natural)));
        if state.shape == Shape::Buffer {
            let index = u as u32;
            return match u64::from(index) < state.entries {
                true => Ok(surface.selected(surface.element(index, self.memory)?)),
                false => off(),
            };
        }
        let lod = if order.form.level == Level::Zero { 0 } else { lod };
        let level = u64::from(lod) + u64::from(surface.first_level);
        if lod >= surface.levels || ((level << 8) as i64) < surface.least_level {
            return off();
        }
        let element = |index: i64| if state.is_array { index } else { 0 };
        let place = match state.shape {
            Shape::Line => [u, 0, element(v)],
            Shape::Plane => [u, v, element(r)],
            _ => [u, v, r],
        };
        let size = surface.size(level as u32);
        if !place.iter().zip(size).all(|(at, size)| (0..size).contains(at)) {
            return off();
        }
        let [x, y, slice] = place;
        let place = [x, y, slice + i64::from(state.first_element)];
        let texel = surface.fetch(level as u32, place, self.memory, self.sampling, None)?.0;
        Ok(surface.selected(texel))
    }

    /// `ld` of Gen4 and Gen4.5.
    fn texel(&self, lod: u32, lane: usize) -> Result<[u32; 4], Unanswered> {
        let Self { order, surface, memory, sampling, device, .. } = *self;
        legality::check_load(order, surface, device)?;
        let [x, y, z] = self.coordinates(lane);
        let [u, v, r] = [x, y, z].map(|word| word as u32);
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
}
