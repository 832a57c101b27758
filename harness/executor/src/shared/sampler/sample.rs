//! One pixel: which texels it takes, and what becomes of them.

use parallax_isa::{
    Device,
    shared::{Memory, Request, Sampling, Unanswered},
    surface::BorderMode,
};

use super::{
    super::{refuse, surface_state::Shape},
    anisotropic::{self, Line},
    channels, compare,
    coordinate::{self, Spot},
    filter::{Axis, FRACTION, ONE, Sum},
    lod::{self, Chosen, Detail},
    message::{Level, Order, Parameter},
    reply::Colour,
    state::{Beyond, Filter, Sampler},
    surface::Surface,
};
use crate::surface::light;

/// Steps along x and along y.
const STEPS: [[Parameter; 3]; 2] = {
    use Parameter::{Drdx, Drdy, Dudx, Dudy, Dvdx, Dvdy};
    [[Dudx, Dvdx, Drdx], [Dudy, Dvdy, Drdy]]
};

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
        let sampler = self.sampler;
        let spot = self.spot(lane)?;
        let (detail, line) = self.detail(lane)?;
        let mut chosen = self.chosen(detail)?;
        let mut filter = self.filter(chosen.magnified);
        let mut line =
            line.filter(|_| [false, true].map(|m| self.filter(m)).contains(&Filter::Anisotropic));
        if let (Some(narrow), Detail::Square(_, bias)) = (line, detail) {
            let detail = Detail::Square(narrow.minor, bias);
            let by_minor = self.chosen(detail)?;
            let other = self.filter(by_minor.magnified);
            if other == Filter::Anisotropic {
                chosen = by_minor;
            } else {
                line = None;
            }
            filter = other;
        }
        let reference = self.reference(lane);
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
        } else if reference.is_some() && self.is_later() {
            colour = self.surface.selected([colour[0]; 4]);
        } else if reference.is_some() {
            colour = compare::compared(self.surface.name, colour[0]);
        } else if self.surface.linearises_late {
            for bits in &mut colour[..3] {
                let code = f32::from_bits(*bits);
                let is_code = code > 0.0 && code.is_finite();
                *bits = if is_code { (light(code.into()) as f32).to_bits() } else { 0 };
            }
        } else {
            colour = self.surface.selected(colour);
        }
        Ok((colour, sum.killed))
    }

    /// The level of detail of a pixel, clamped and not.
    pub(super) fn level_of_detail(&self, lane: usize) -> Result<Colour, Unanswered> {
        let chosen = self.chosen(self.detail(lane)?.0)?;
        let [clamped, unclamped] = chosen.relative(self.sampler, self.surface).map(f32::to_bits);
        Ok(([clamped, unclamped, 0, 0], false))
    }

    fn chosen(&self, detail: Detail) -> Result<Chosen, Unanswered> {
        lod::choose(self.sampler, self.surface, detail)
    }

    fn is_later(&self) -> bool {
        Device::LATER.contains(&self.device)
    }

    /// What texels are compared with, if they are.
    pub(super) fn reference(&self, lane: usize) -> Option<f32> {
        let form = &self.order.form;
        let sent = || form.number(self.request, Parameter::Reference, lane);
        form.compares().then(|| match self.is_later() {
            true => compare::reference(self.surface.name, sent()),
            false => sent(),
        })
    }

    pub(super) fn spot(&self, lane: usize) -> Result<Spot, Unanswered> {
        Spot::of(&self.order.form, self.surface, self.request, lane, self.device)
    }

    /// How detailed a map is wanted, and the line of subpixels that a pixel may have.
    fn detail(&self, lane: usize) -> Result<(Detail, Option<Line>), Unanswered> {
        let form = &self.order.form;
        let number = |parameter, lane| form.number(self.request, parameter, lane);
        let finite = |number: f32| match number.is_finite() {
            true => Ok(number),
            false => refuse("a parameter that is not finite"),
        };
        match form.level {
            Level::Given => {
                return Ok((Detail::Given(finite(number(Parameter::Lod, lane))?), None));
            }
            Level::Zero => return Ok((Detail::Given(0.0), None)),
            Level::Computed | Level::Stepped => {}
        }
        let bias = finite(number(Parameter::Bias, lane))?;
        if self.order.zero_lod {
            return Ok((Detail::Zero(bias), None));
        }
        let is_cube = self.surface.state.shape == Shape::Cube;
        let size = self.surface.size(0).map(|size| size as f64);
        let span = match self.sampler.in_texels {
            true => [1.0; 3],
            false if is_cube => size.map(|size| size / 2.0),
            false => size,
        };
        if form.level == Level::Stepped {
            let mut steps = [[0.0; 3]; 2];
            for (step, parameters) in steps.iter_mut().zip(STEPS) {
                for axis in 0..self.dimensions() {
                    step[axis] = f64::from(finite(number(parameters[axis], lane))?) * span[axis];
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
                step[axis] = (to.along(axis) - from.along(axis)) * span[axis];
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
        let isotropic = self.order.form.level == Level::Given || self.order.zero_lod && is_gen45;
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
                    let offsets = self.order.offsets;
                    let (texel, killed) =
                        self.texel(level, [i, j, k], offsets, spot, size, filter)?;
                    let texel = match reference {
                        Some(reference) => [self.compare(texel, reference); 4],
                        None => texel,
                    };
                    sum.killed |= killed;
                    match self.sampler.reduction {
                        Some(reduction) => sum.reduce(reduction, texel),
                        None => sum.add(weight as f64 * scale, texel),
                    }
                }
            }
        }
        Ok(())
    }

    /// 0 where a texel compares, otherwise 1.
    pub(super) fn compare(&self, texel: [u32; 4], reference: f32) -> u32 {
        let (function, name) = (self.sampler.compare, self.surface.name);
        compare::outcome(function, name, texel, reference, self.device)
    }

    /// The texel of some indices, which may be outside.
    pub(super) fn texel(
        &self,
        level: u32,
        indices: [i64; 3],
        offsets: [i64; 3],
        spot: &Spot,
        size: [i64; 3],
        filter: Filter,
    ) -> Result<Colour, Unanswered> {
        let mut place = [0; 3];
        let is_cube = self.surface.state.shape == Shape::Cube;
        for axis in 0..spot.dimensions {
            let index = indices[axis] + offsets[axis];
            let beyond = match self.sampler.beyond[axis] {
                _ if is_cube && self.sampler.override_cube => Beyond::NextFace,
                // What is filtered alone takes no border.
                Beyond::HalfBorder if filter == Filter::Point => Beyond::Edge,
                beyond => beyond,
            };
            place[axis] = match beyond.inside(index, size[axis]) {
                Some(index) => index,
                None if beyond != Beyond::NextFace => return self.outside(filter),
                None => index,
            };
        }
        if is_cube {
            return self.face_texel(level, [place[0], place[1]], spot, size[0], filter);
        }
        place[2] += spot.slice;
        self.surface.fetch(level, place, self.memory, self.sampling, self.sampler.keyed)
    }

    /// The texel of a cube, next to the face of a pixel if it is beyond its edge.
    fn face_texel(
        &self,
        level: u32,
        [x, y]: [i64; 2],
        spot: &Spot,
        size: i64,
        filter: Filter,
    ) -> Result<Colour, Unanswered> {
        let beside = match x < 0 || y < 0 || x >= size || y >= size {
            true => coordinate::beside(spot.face, x, y, size),
            false => Some((spot.face, x, y)),
        };
        let Some((face, column, row)) = beside else {
            // Beyond a corner anything may be.
            return Ok(([0; 4], false));
        };
        if self.surface.faces >> face & 1 == 0 {
            return self.outside(filter);
        }
        let place = [column, row, spot.slice + face as i64];
        self.surface.fetch(level, place, self.memory, self.sampling, self.sampler.keyed)
    }

    /// The colour of the border.
    fn outside(&self, filter: Filter) -> Result<Colour, Unanswered> {
        if filter == Filter::Mono {
            return Ok(([0; 4], false));
        }
        let Some(colour) = self.sampler.border else {
            return refuse("a border colour beyond what there is");
        };
        let (name, natural) = (self.surface.name, self.surface.natural);
        let is_dx9 = self.sampler.border_mode == BorderMode::Dx9;
        if self.is_later() && is_dx9 && !channels::has_unsigned_bytes(name) {
            return refuse("a border of bytes around other texels");
        }
        if self.device == Device::Ivb && self.surface.is_integer() {
            return refuse("a border around integers");
        }
        Ok(match is_dx9 && !self.is_later() {
            true => (colour, false),
            false => (channels::border(name, natural, colour), false),
        })
    }
}
