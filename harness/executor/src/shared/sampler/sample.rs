//! One pixel: which texels it takes, and what becomes of them.

use parallax_isa::{
    Device,
    shared::{Memory, Request, Sampling, Unanswered},
};

use super::{
    super::{data_port::Shape, refuse},
    anisotropic::{self, Line},
    channels, compare,
    coordinate::{self, Spot},
    filter::{Axis, FRACTION, ONE, Sum},
    lod::{self, Detail},
    message::Order,
    reply::Colour,
    state::{Beyond, Filter, Sampler},
    surface::Surface,
};
use crate::surface::light;

/// What samples.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pixel<'a> {
    pub(super) order: &'a Order,
    pub(super) surface: &'a Surface,
    pub(super) sampler: &'a Sampler,
    pub(super) memory: &'a Memory,
    pub(super) sampling: &'a Sampling,
    pub(super) request: &'a Request<'a>,
    pub(super) device: Device,
}

/// Where and how a level is sampled.
#[derive(Debug, Clone, Copy)]
struct Place<'a> {
    level: u32,
    spot: &'a Spot,
    magnified: bool,
    filter: Filter,
    reference: Option<f32>,
}

impl Pixel<'_> {
    /// The colour of a pixel.
    pub(super) fn sample(&self, lane: usize) -> Result<Colour, Unanswered> {
        let (form, sampler) = (&self.order.form, self.sampler);
        let spot = self.spot(lane)?;
        let (detail, line) = self.detail(lane)?;
        let mut chosen = lod::choose(sampler, self.surface, detail)?;
        let mut filter = self.filter(chosen.magnified);
        let mut line =
            line.filter(|_| [false, true].map(|m| self.filter(m)).contains(&Filter::Anisotropic));
        if let (Some(narrow), Detail::Square(_, bias)) = (line, detail) {
            let detail = Detail::Square(narrow.minor, bias);
            let by_minor = lod::choose(sampler, self.surface, detail)?;
            let other = self.filter(by_minor.magnified);
            if other == Filter::Anisotropic {
                chosen = by_minor;
            } else {
                line = None;
            }
            filter = other;
        }
        let reference =
            form.reference.map(|slot| f32::from_bits(form.word(self.request, slot, lane)));
        let mut sum = Sum::default();
        for (level, part) in [Some(chosen.first), chosen.second].into_iter().flatten() {
            let place =
                Place { level, spot: &spot, magnified: chosen.magnified, filter, reference };
            let Some(line) = &line else {
                self.add(&place, part, [0.0; 3], &mut sum)?;
                continue;
            };
            for number in 0..line.ways {
                let (beside, weight) = line.subpixel(number);
                self.add(&place, part * weight, beside, &mut sum)?;
            }
        }
        let mut colour = sum.colour();
        if filter == Filter::Mono {
            let [columns, rows] = sampler.kernel;
            let mean = sum.sum[0] / f64::from(columns * rows);
            colour = [(mean as f32).to_bits(); 4];
        } else if reference.is_some() {
            colour = compare::compared(self.surface.name, colour[0]);
        } else if self.surface.name.ends_with("_SRGB") {
            for bits in &mut colour[..3] {
                let code = f32::from_bits(*bits);
                let is_code = code > 0.0 && code.is_finite();
                *bits = if is_code { (light(code.into()) as f32).to_bits() } else { 0 };
            }
        }
        Ok((colour, sum.killed))
    }

    fn spot(&self, lane: usize) -> Result<Spot, Unanswered> {
        Spot::of(&self.order.form, self.surface, self.request, lane, self.device)
    }

    /// How detailed a map is wanted, and the line of subpixels that a pixel may have.
    fn detail(&self, lane: usize) -> Result<(Detail, Option<Line>), Unanswered> {
        let form = &self.order.form;
        let number = |slot: usize, lane: usize| f32::from_bits(form.word(self.request, slot, lane));
        let finite = |number: f32| match number.is_finite() {
            true => Ok(number),
            false => refuse("a parameter that is not finite"),
        };
        if let Some(slot) = form.lod {
            return Ok((Detail::Given(finite(number(slot, lane))?), None));
        }
        let bias = finite(form.bias.map_or(0.0, |slot| number(slot, lane)))?;
        if self.order.zero_lod {
            return Ok((Detail::Zero(bias), None));
        }
        let is_cube = self.surface.state.shape == Shape::Cube;
        let size = self.surface.size(0).map(|size| size as f64);
        let span = if is_cube { size.map(|size| size / 2.0) } else { size };
        if let Some((x, y, count)) = form.steps {
            let used = count.min(self.dimensions());
            let mut steps = [[0.0; 3]; 2];
            for (step, first) in steps.iter_mut().zip([x, y]) {
                for axis in 0..used {
                    step[axis] = f64::from(finite(number(first + axis, lane))?) * span[axis];
                }
            }
            return Ok(self.measured(steps, bias));
        }
        if form.lanes == 2 {
            return refuse("gradients of two samples");
        }
        let corner = lane & !3;
        let [from, right, below] = [0, 1, 2].map(|n| self.spot(corner + n));
        let from = from?;
        let mut steps = [[0.0; 3]; 2];
        for (step, to) in steps.iter_mut().zip([right?, below?]) {
            for axis in 0..from.dimensions {
                step[axis] = (f64::from(to.at[axis]) - f64::from(from.at[axis])) * span[axis];
            }
        }
        Ok(self.measured(steps, bias))
    }

    /// The same of two steps in texels.
    fn measured(&self, steps: [[f64; 3]; 2], bias: f32) -> (Detail, Option<Line>) {
        let [x, y] = steps.map(anisotropic::square);
        let major = if x < y { y } else { x };
        let line = Line::of(steps, self.sampler.most_anisotropic);
        (Detail::Square(major, bias), Some(line))
    }

    /// Directions that a map has.
    fn dimensions(&self) -> usize {
        match self.surface.state.shape {
            Shape::Line => 1,
            Shape::Volume => 3,
            _ => 2,
        }
    }

    fn filter(&self, magnified: bool) -> Filter {
        let filter = self.sampler.filters[usize::from(magnified)];
        let is_gen45 = matches!(self.device, Device::Ctg | Device::G45);
        let isotropic = self.order.form.lod.is_some() || self.order.zero_lod && is_gen45;
        if filter == Filter::Anisotropic && isotropic { Filter::Linear } else { filter }
    }

    /// Adds the texels around a place of a level, or some texels beside it.
    fn add(
        &self,
        place: &Place,
        part: f64,
        beside: [f64; 3],
        sum: &mut Sum,
    ) -> Result<(), Unanswered> {
        let Place { level, spot, magnified, filter, reference } = *place;
        let size = self.surface.size(level);
        let mut axes = [Axis { first: 0, count: 1, weights: [ONE; 8] }; 3];
        for (n, axis) in axes.iter_mut().enumerate().take(spot.dimensions) {
            let (surface, sampler) = (self.surface, self.sampler);
            let address = spot.address(surface, sampler, n, size[n], magnified, beside[n]);
            *axis = Axis::new(filter, address, self.sampler.kernel[n & 1]);
        }
        // A map of fewer directions has one whole step in each other.
        let scale = 2.0_f64.powi(-(FRACTION as i32 * 3)) * part;
        for (k, depth_weight) in axes[2].steps() {
            for (j, row_weight) in axes[1].steps() {
                for (i, column_weight) in axes[0].steps() {
                    let weight = column_weight * row_weight * depth_weight;
                    if weight == 0 {
                        continue;
                    }
                    let (texel, killed) = self.texel(level, [i, j, k], spot, size, filter)?;
                    let texel = match reference {
                        Some(reference) => [self.compare(texel, reference); 4],
                        None => texel,
                    };
                    sum.killed |= killed;
                    sum.add(weight as f64 * scale, texel);
                }
            }
        }
        Ok(())
    }

    /// 0 where a texel compares, otherwise 1.
    fn compare(&self, texel: [u32; 4], reference: f32) -> u32 {
        let (function, name) = (self.sampler.compare, self.surface.name);
        compare::outcome(function, name, texel, reference, self.device)
    }

    /// The texel of some indices, which may be outside.
    fn texel(
        &self,
        level: u32,
        indices: [i64; 3],
        spot: &Spot,
        size: [i64; 3],
        filter: Filter,
    ) -> Result<Colour, Unanswered> {
        let mut place = [0, 0, spot.slice];
        let is_cube = self.surface.state.shape == Shape::Cube;
        for axis in 0..spot.dimensions {
            let index = indices[axis] + self.order.offsets[axis];
            let beyond = match self.sampler.beyond[axis] {
                _ if is_cube && self.sampler.override_cube => Beyond::NextFace,
                beyond => beyond,
            };
            place[axis] = match beyond.inside(index, size[axis]) {
                Some(index) => index,
                None if beyond == Beyond::Border => return self.outside(filter),
                None => index,
            };
        }
        if is_cube {
            let [x, y, _] = place;
            let mut face = spot.slice as usize;
            if x < 0 || y < 0 || x >= size[0] || y >= size[0] {
                // Beyond a corner anything may be.
                let Some(next) = coordinate::beside(face, x, y, size[0]) else {
                    return Ok(([0; 4], false));
                };
                face = next.0;
                place = [next.1, next.2, 0];
            }
            if self.surface.faces >> face & 1 == 0 {
                return self.outside(filter);
            }
            place[2] = face as i64;
        }
        self.surface.fetch(level, place, self.memory, self.sampling, self.sampler.keyed)
    }

    /// The colour of the border.
    fn outside(&self, filter: Filter) -> Result<Colour, Unanswered> {
        use parallax_isa::surface::BorderMode;
        if filter == Filter::Mono {
            return Ok(([0; 4], false));
        }
        match (self.sampler.border, self.sampler.border_mode) {
            (None, _) => refuse("a border colour beyond what there is"),
            (Some(colour), BorderMode::Dx9) => Ok((colour, false)),
            (Some(colour), BorderMode::Dx10Ogl) => {
                Ok((channels::border(self.surface.name, colour), false))
            }
        }
    }
}
