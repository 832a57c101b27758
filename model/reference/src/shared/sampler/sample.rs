//! The messages that sample (G45 volume 4, sections 4.2 to 4.6): from parameters to a colour.

use parallax_isa::{
    Acceptance, Range32,
    shared::{Request, Sampling, Unanswered},
    surface::{BorderMode, ColorSpace, Texel, Value},
};

use crate::{
    eu::Observed,
    number::{Context, Exact, FloatFormat, Number, Rounding},
    surface::{linearise, pixels::chroma_key},
};

use super::{
    super::{
        World,
        record::{PixelStep, SampledTexel as Part, TexelSource as Source},
        undefined,
    },
    anisotropic::{self, Axes, Projection, Weights},
    compare::{self, Comparison},
    coordinate::Place,
    filter::{Footprint, Tap, by_direction},
    legality,
    lod::{self, Base, Choice, LOD_FRACTION},
    message::{Entity, Kind, Message, Mode, Parameter},
    reply::{Colour, single},
    state::{AddressMode, KeyMode, MapFilter, MipFilter, SamplerState},
    surface::{Surface, Type},
};

/// The colours of all entities.
pub(super) fn sample(
    request: &Request,
    message: &Message,
    surface: &Surface,
    sampling: &Sampling,
    world: &mut World,
) -> Result<Vec<Colour>, Unanswered> {
    let sampler = SamplerState::of(sampling, message)?;
    if sampler.is_disabled() {
        return Ok(message.entities.iter().map(|_| Colour::ZERO).collect());
    }
    legality::check(message, surface, &sampler, sampling)?;
    let sample = Sample { request, message, surface, sampler: &sampler, sampling };
    let colours = message.entities.iter().map(|entity| {
        if entity.is_active { sample.colour(entity, world) } else { Ok(Colour::ZERO) }
    });
    colours.collect()
}

/// A message with what it meets.
#[derive(Debug)]
struct Sample<'a> {
    request: &'a Request<'a>,
    message: &'a Message,
    surface: &'a Surface,
    sampler: &'a SamplerState,
    sampling: &'a Sampling,
}

/// What was gathered so far.
#[derive(Debug)]
struct Sum {
    parts: Vec<Part>,
    is_open: bool,
    colour: Colour,
}

/// What a pixel is sampled with.
#[derive(Debug)]
struct Selected {
    choice: Choice,
    filter: MapFilter,
    /// Of an anisotropic filter.
    axes: Option<Axes>,
    is_ambiguous: bool,
}

impl Sample<'_> {
    fn colour(&self, entity: &Entity, world: &mut World) -> Result<Colour, Unanswered> {
        let form = self.message.form;
        let place = Place::of(form, self.surface, entity)?;
        let comparison = match form.compares() {
            true => Some(Comparison::new(self.sampler, self.surface, entity)),
            false => None,
        };
        let (projection, lod_is_open) = self.projection(entity)?;
        let Selected { choice, filter, axes, is_ambiguous } = self.select(entity, projection)?;
        let is_open = lod_is_open || is_ambiguous || self.is_beyond_precision(&place);
        let mut sum = Sum { parts: Vec::new(), is_open, colour: Colour::ZERO };
        for (level, weight) in choice.levels.iter().copied() {
            let (surface, sampler, header) = (self.surface, self.sampler, &self.message.header);
            let (place, magnifies) = (&place, choice.magnifies);
            let beside = &[][..];
            let around = Footprint { surface, sampler, header, place, magnifies, level, beside };
            let Some(axes) = &axes else {
                let part = (filter, weight, false);
                self.add(&around, part, comparison.as_ref(), &mut sum, world)?;
                continue;
            };
            for (beside, is_end) in axes.subpixels() {
                let (around, part) =
                    (Footprint { beside: &beside, ..around }, (filter, weight, is_end));
                self.add(&around, part, comparison.as_ref(), &mut sum, world)?;
            }
        }
        let Sum { parts, is_open, mut colour } = sum;
        let comparison = comparison.as_ref();
        let whole = axes.as_ref().map(|axes| weighted(&parts, axes.weights()));
        let whole = whole.as_deref().unwrap_or(&parts);
        let filtered = match filter {
            MapFilter::Mono => self.mono(whole),
            _ => blended(whole),
        };
        for (channel, value) in self.output(filtered, comparison).0.iter().enumerate() {
            let number = FloatFormat::BINARY32.decode(value.bits);
            colour.bits[channel] = value.bits as u32;
            if number.is_nan() && parts.len() > 1 {
                colour.open[channel] = Some(Acceptance::AnyNan32);
            }
        }
        if let Some(extremes) = axes.as_ref().and_then(Axes::extremes) {
            self.open_ends(&parts, extremes, comparison, &mut colour);
        }
        let (number, slice, colours) = (entity.number, place.slice, colour.bits);
        self.lend(&choice, axes.as_ref(), (number, slice, &parts, colours), world);
        Ok(if is_open { colour.opened(Acceptance::Undefined) } else { colour })
    }

    /// Lends how a pixel came about: its number, slice, texels and colour.
    fn lend(
        &self,
        choice: &Choice,
        axes: Option<&Axes>,
        (number, slice, texels, colour): (usize, i64, &[Part], [u32; 4]),
        world: &World,
    ) {
        let [min, max] = choice.bounds;
        let second = choice.levels.get(1).map(|(_, weight)| weight.scaled(LOD_FRACTION));
        world.lender.lend(|device| {
            Observed::Pixel(PixelStep {
                device,
                request: self.request,
                number,
                surface: self.surface.state.doublewords(),
                format: self.surface.format,
                sampler: self.sampler.doublewords(),
                sampling: self.sampling,
                lod: choice.lod as i64,
                min: min as i64,
                max: max as i64,
                magnifies: choice.magnifies,
                blend: second.map_or(0, |weight| weight.to_integer(Rounding::Down) as i64),
                subpixels: axes.map_or(0, |axes| axes.ways as u32),
                is_too_long: axes.is_some_and(|axes| axes.is_too_long),
                slice,
                texels,
                colour,
            })
        });
    }

    /// Adds the texels that a filter takes around a place of a level.
    fn add(
        &self,
        footprint: &Footprint,
        (filter, part, is_end): (MapFilter, Exact, bool),
        comparison: Option<&Comparison>,
        sum: &mut Sum,
        world: &mut World,
    ) -> Result<(), Unanswered> {
        let (surface, sampler) = (self.surface, self.sampler);
        let taps = match filter {
            MapFilter::Nearest => footprint.nearest(),
            MapFilter::Linear | MapFilter::Anisotropic => footprint.linear(),
            MapFilter::Mono => footprint.mono(),
        };
        let address = by_direction(&footprint.addresses());
        for Tap { weight, indices, source } in taps {
            let mut is_keyed = false;
            let fetched = match source {
                Source::Texel(place) => {
                    let fetched = surface.texel(footprint.level, place, world)?;
                    sum.is_open |= !fetched.is_sure;
                    let mode = sampler.border_mode();
                    let texel = fetched.colour_in(mode)?;
                    match sampler.chroma_key(self.sampling) {
                        Some((key, what)) if fetched.matches(key, mode)? => {
                            is_keyed = true;
                            self.keyed(what, texel, &mut sum.colour)
                        }
                        _ => texel,
                    }
                }
                Source::Border => {
                    // What of a border colour is compared with a key, nobody says.
                    sum.is_open |= sampler.chroma_key(self.sampling).is_some();
                    self.border(filter)?
                }
                Source::Corner => {
                    // Decision D-eu-sampler.
                    sum.is_open = true;
                    Texel([Value::float32(0); 4])
                }
            };
            // Subpixels over an edge of a cube may show there.
            let on_face = |at: [i64; 3]| at[2] == footprint.place.slice;
            let stays = matches!(source, Source::Texel(place) if on_face(place));
            sum.is_open |=
                filter == MapFilter::Anisotropic && surface.kind() == Type::Cube && !stays;
            let texel = match comparison {
                Some(comparison) => comparison.result(fetched),
                None => fetched,
            };
            let (level, weight) = (footprint.level, weight * part);
            sum.parts.push(Part {
                level,
                address,
                indices,
                source,
                is_keyed,
                fetched,
                texel,
                weight,
                is_end,
            });
        }
        Ok(())
    }

    /// Opens what weights of the ends decide.
    fn open_ends(
        &self,
        parts: &[Part],
        extremes: [Weights; 2],
        comparison: Option<&Comparison>,
        colour: &mut Colour,
    ) {
        let sums = extremes.map(|weights| sums(&weighted(parts, weights)));
        // No code of light is negative.
        let is_light = self.surface.format.color_space == ColorSpace::Srgb;
        let code = |bits: u64| if is_light && bits >> 31 == 1 { 0 } else { bits };
        let ends = |channel: usize| {
            let sums = sums.map(|sums| sums[channel]);
            anisotropic::between(sums, greatest(parts, channel)).map(|ends| ends.map(code))
        };
        let ends = [0, 1, 2, 3].map(ends);
        let [low, high] = [0, 1].map(|end| {
            let texel = ends.map(|ends| Value::float32(ends.map_or(0, |ends| ends[end] as u32)));
            self.output(Texel(texel), comparison).0.map(|value| value.bits as u32)
        });
        for (channel, open) in colour.open.iter_mut().enumerate() {
            let (low, high) = (low[channel], high[channel]);
            let acceptance = match ends[channel] {
                None => Some(Acceptance::Undefined),
                Some(_) => (low != high).then_some(Acceptance::Within32(Range32 { low, high })),
            };
            *open = open.or(acceptance);
        }
    }

    /// What becomes of a filtered texel.
    fn output(&self, filtered: Texel, comparison: Option<&Comparison>) -> Texel {
        match (self.surface.format.color_space, comparison) {
            (ColorSpace::Srgb, None) => linearise(filtered),
            (_, Some(comparison)) => comparison.output(filtered, self.sampler.border_mode()),
            _ => filtered,
        }
    }

    /// The filter within a level.
    fn filter(&self, magnifies: bool) -> MapFilter {
        let filter = if magnifies { self.sampler.mag } else { self.sampler.min };
        let form = self.message.form;
        let demotes = matches!(form.kind, Kind::SampleL | Kind::SampleLC)
            || self.message.header.forces_lod_to_zero && self.surface.is_ctg();
        if filter == MapFilter::Anisotropic && demotes {
            return MapFilter::Linear;
        }
        filter
    }

    /// Levels, filter and subpixels. Which level of detail decides between both filters where one of them is
    /// anisotropic and finds it by the shorter side, nobody says.
    fn select(
        &self,
        entity: &Entity,
        projection: Option<Projection>,
    ) -> Result<Selected, Unanswered> {
        let choose = |base| lod::choose(self.message, self.surface, self.sampler, entity, base);
        let base = projection
            .as_ref()
            .map_or(Base::Zero, |projection| Base::Computed(projection.major_square()));
        let choice = choose(base)?;
        let filter = self.filter(choice.magnifies);
        let either = [true, false].map(|magnifies| self.filter(magnifies));
        let Some(projection) = projection.filter(|_| either.contains(&MapFilter::Anisotropic))
        else {
            return Ok(Selected { choice, filter, axes: None, is_ambiguous: false });
        };
        // Decision D-eu-sampler-anisotropic.
        let axes = projection.axes(self.sampler.max_anisotropy());
        let narrow = choose(Base::Computed(axes.minor_square))?;
        let by_narrow = self.filter(narrow.magnifies);
        let is_ambiguous = filter != by_narrow;
        if by_narrow == MapFilter::Anisotropic {
            let is_ambiguous = is_ambiguous || axes.is_open;
            return Ok(Selected {
                choice: narrow,
                filter: by_narrow,
                axes: Some(axes),
                is_ambiguous,
            });
        }
        let filter = if is_ambiguous { by_narrow } else { filter };
        Ok(Selected { choice, filter, axes: None, is_ambiguous })
    }

    /// How a pixel lies on the map, if that counts, and whether it is open.
    fn projection(&self, entity: &Entity) -> Result<(Option<Projection>, bool), Unanswered> {
        if self.message.header.forces_lod_to_zero {
            return Ok((None, false));
        }
        let form = self.message.form;
        match form.kind {
            Kind::SampleL | Kind::SampleLC => Ok((None, false)),
            Kind::SampleG => Ok((Some(self.delivered_gradients(entity)?), false)),
            _ if form.mode == Mode::Simd4x2 => {
                undefined("a level of detail to compute for SIMD4x2")
            }
            _ => {
                let (projection, is_open) = self.computed_gradients(entity)?;
                Ok((Some(projection), is_open))
            }
        }
    }

    /// Texels of level 0 that a coordinate of 1 spans, in each direction that counts.
    fn spans(&self, place: &Place) -> Vec<Exact> {
        let (width, height, depth) = self.surface.size(0);
        let power = if place.is_on_face { -1 } else { 0 };
        let sizes = [width, height, depth].into_iter().take(place.coordinates.len());
        sizes.map(|size| Exact::integer(size.into()).scaled(power)).collect()
    }

    /// Those of the message.
    fn delivered_gradients(&self, entity: &Entity) -> Result<Projection, Unanswered> {
        use Parameter::{DrDx, DrDy, DuDx, DuDy, DvDx, DvDy};
        let place = Place::of(self.message.form, self.surface, entity)?;
        let count = place.coordinates.len();
        let gradient = |names: [Parameter; 3]| {
            let read = |name: &Parameter| lod::finite(entity.bits(*name));
            names.iter().take(count).map(read).collect::<Result<Vec<_>, _>>()
        };
        let (x, y) = (gradient([DuDx, DvDx, DrDx])?, gradient([DuDy, DvDy, DrDy])?);
        Ok(Projection::new([&x, &y], &self.spans(&place)))
    }

    /// The differences within a subspan: upper right and lower left pixel less the upper left one.
    fn computed_gradients(&self, entity: &Entity) -> Result<(Projection, bool), Unanswered> {
        let first = entity.number / 4 * 4;
        let pixel = |number: usize| {
            Place::of(self.message.form, self.surface, &self.message.entities[first + number])
        };
        let [origin, right, below] = [pixel(0)?, pixel(1)?, pixel(2)?];
        let step = |to: &Place| {
            let both = origin.coordinates.iter().zip(&to.coordinates);
            both.map(|(from, to)| lod::difference(*from, *to)).collect::<Vec<_>>()
        };
        let (x, y) = (step(&right), step(&below));
        let projection = Projection::new([&x, &y], &self.spans(&origin));
        // Differences across an edge of a cube mean nothing.
        let crosses =
            origin.is_on_face && [&right, &below].iter().any(|other| other.slice != origin.slice);
        Ok((projection, crosses && !self.ignores_lod()))
    }

    /// Whether every level of detail gives the same colour.
    fn ignores_lod(&self) -> bool {
        let sampler = self.sampler;
        let rounds = |magnifies| [0, 1, 2].map(|direction| sampler.rounds(direction, magnifies));
        sampler.mip == MipFilter::None
            && sampler.mag != MapFilter::Anisotropic
            && sampler.mag == sampler.min
            && rounds(true) == rounds(false)
    }

    /// Whether a coordinate repeats the map more often than precision allows.
    fn is_beyond_precision(&self, place: &Place) -> bool {
        const MOST: i128 = 32;
        place.coordinates.iter().zip(self.sampler.addresses).any(|(coordinate, mode)| {
            let repeats = matches!(mode, AddressMode::Wrap | AddressMode::Mirror);
            let magnitude = Exact { negative: false, ..*coordinate };
            repeats && !place.is_on_face && magnitude > Exact::integer(MOST)
        })
    }

    /// The border colour by the channels of the format.
    fn border(&self, filter: MapFilter) -> Result<Texel, Unanswered> {
        if filter == MapFilter::Mono {
            return Ok(Texel([Value::float32(0); 4]));
        }
        let border = self.sampler.border_colour(self.sampling)?;
        if self.sampler.border_mode() == BorderMode::Dx9 {
            return Ok(Texel(border.map(Value::float32)));
        }
        Ok(compare::border_by_channels(self.surface, border))
    }

    /// What a texel in the range of the chroma key becomes.
    fn keyed(&self, what: KeyMode, texel: Texel, colour: &mut Colour) -> Texel {
        match what {
            KeyMode::KillOnAnyMatch => {
                colour.is_killed = true;
                texel
            }
            KeyMode::ReplaceBlack => chroma_key::black(self.surface.format),
        }
    }

    /// The mean of the bits in a kernel.
    fn mono(&self, parts: &[Part]) -> Texel {
        let (rows, columns) = self.sampler.mono_size();
        let terms: Vec<Exact> =
            parts.iter().filter(|part| part.texel.0[0].bits != 0).map(|part| part.weight).collect();
        let sum = Exact::sum(&terms, Rounding::NearestEven).scaled(16);
        let units = sum.to_integer(Rounding::NearestEven).unsigned_abs();
        let mean = Exact::quotient(units, (u64::from(rows * columns)) << 16);
        Texel([Value::float32(single(Number::Finite(mean))); 4])
    }
}

/// The texels of subpixels with the weights that those have.
fn weighted(parts: &[Part], weights: Weights) -> Vec<Part> {
    let of = |part: &Part| if part.is_end { weights.end } else { weights.inner };
    let weighted = parts.iter().map(|part| Part { weight: part.weight * of(part), ..*part });
    weighted.filter(|part| !part.weight.is_zero()).collect()
}

/// The greatest magnitude of a channel of some texels.
fn greatest(parts: &[Part], channel: usize) -> Number {
    let magnitude = |part: &Part| FloatFormat::BINARY32.decode(part.texel.0[channel].bits).abs();
    parts
        .iter()
        .map(magnitude)
        .fold(Number::ZERO, |most, next| if most < next { next } else { most })
}

/// The sum of texels by their weights (D-eu-sampler), at the end binary32. A texel alone is as it is.
fn blended(parts: &[Part]) -> Texel {
    if let [Part { texel, .. }] = parts {
        return *texel;
    }
    Texel(sums(parts).map(|sum| Value::float32(single(sum))))
}

/// The sums of the channels: each product and each sum as binary64 has it.
fn sums(parts: &[Part]) -> [Number; 4] {
    // Decision D-eu-sampler.
    let double = |number: Number| Context::IEEE.rounded(number, FloatFormat::BINARY64);
    std::array::from_fn(|channel| {
        let products = parts.iter().map(|part| {
            let value = FloatFormat::BINARY32.decode(part.texel.0[channel].bits);
            double(value.times(Number::Finite(part.weight)))
        });
        let sum = products.reduce(|sum, product| double(sum.plus(product, Rounding::NearestEven)));
        sum.unwrap_or(Number::ZERO)
    })
}
