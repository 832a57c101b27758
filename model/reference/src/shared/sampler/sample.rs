//! The messages that sample (G45 volume 4, sections 4.2 to 4.6): from parameters to a colour.

use parallax_isa::{
    Acceptance, Range32,
    device::Generation,
    shared::{Request, Sampling, Unanswered},
    surface::{BorderMode, ColorSpace, Texel, Value, pixel::ChannelSelect},
};

use crate::{
    eu::Observed,
    number::{Exact, FloatFormat, Number, Rounding},
    surface::{linearise, pixels::chroma_key},
};

use super::{
    super::{
        World,
        record::{PixelStep, SampledTexel, TexelSource as Source},
        undefined,
    },
    anisotropic::{self, Axes, Projection, Weights},
    compare::{self, Comparison},
    coordinate::{Place, Scale},
    filter::{Footprint, Tap, by_direction},
    information, legality,
    lod::{self, Base, Choice},
    message::{Entity, Header, Kind, Message, Mode, Parameter},
    reply::{Colour, single},
    state::{AddressMode, KeyMode, MapFilter, MipFilter, SamplerState},
    sum::{blended, extreme, greatest, is_ordered, sums, weighted},
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
    let sampler = SamplerState::of(sampling, message, surface.device)?;
    if sampler.is_disabled() {
        let nothing = |_| information::nothing(message, surface.device);
        return Ok(message.entities.iter().map(nothing).collect());
    }
    legality::check(message, surface, &sampler, sampling)?;
    let selects = surface.selects()?;
    let sample = Sample { request, message, surface, sampler: &sampler, sampling, selects };
    let colours = message.entities.iter().map(|entity| match message.form.kind {
        _ if !entity.is_active => Ok(Colour::ZERO),
        Kind::Gather4 => sample.gather(entity, world),
        Kind::Lod => sample.lod(entity, world),
        _ => sample.colour(entity, world),
    });
    colours.collect()
}

/// A message with what it meets.
#[derive(Debug)]
pub(super) struct Sample<'a> {
    request: &'a Request<'a>,
    pub(super) message: &'a Message,
    pub(super) surface: &'a Surface,
    pub(super) sampler: &'a SamplerState,
    sampling: &'a Sampling,
    /// What red, green, blue and alpha take of a filtered texel, if the surface says so.
    pub(super) selects: Option<[ChannelSelect; 4]>,
}

/// A texel that a filter takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct TexelRequest {
    pub(super) filter: MapFilter,
    pub(super) level: u32,
    pub(super) source: Source,
}

/// What it then adds up.
#[derive(Debug)]
pub(super) struct FilterInput {
    is_keyed: bool,
    /// What is compared, or filtered if nothing is.
    fetched: Texel,
    /// What is filtered.
    pub(super) texel: Texel,
    pub(super) is_open: bool,
}

impl FilterInput {
    /// The record of a texel of a filter around an address of a level.
    pub(super) const fn sampled(&self, level: u32, address: [i64; 3], tap: Tap) -> SampledTexel {
        let Tap { weight, indices, source } = tap;
        let Self { is_keyed, fetched, texel, .. } = *self;
        let is_end = false;
        SampledTexel { level, address, indices, source, is_keyed, fetched, texel, weight, is_end }
    }
}

/// What was gathered so far.
#[derive(Debug)]
struct Sum {
    parts: Vec<SampledTexel>,
    is_open: bool,
    colour: Colour,
}

/// How a pixel came about.
#[derive(Debug)]
pub(super) struct Sampled<'s> {
    /// Of gather4 nothing is chosen.
    pub(super) choice: Option<&'s Choice>,
    pub(super) axes: Option<&'s Axes>,
    pub(super) slice: i64,
    pub(super) texels: &'s [SampledTexel],
    pub(super) colour: [u32; 4],
    pub(super) is_unspecified: bool,
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
        let place = self.place(entity)?;
        let comparison = self.comparison(entity);
        let (projection, lod_is_open) = self.projection(entity)?;
        let Selected { choice, filter, axes, is_ambiguous } = self.select(entity, projection)?;
        let is_open =
            lod_is_open || is_ambiguous || choice.is_open || self.is_beyond_precision(&place);
        if is_open {
            self.require_any_texel(&place, filter)?;
        }
        let mut sum = Sum { parts: Vec::new(), is_open, colour: Colour::ZERO };
        for (level, weight) in choice.levels.iter().copied() {
            let (surface, sampler, offsets) = (self.surface, self.sampler, self.header().offsets);
            let (place, magnifies) = (&place, choice.magnifies);
            let beside = &[][..];
            let around = Footprint { surface, sampler, offsets, place, magnifies, level, beside };
            if filter == MapFilter::Nearest && around.is_rounded_away() {
                self.require_any_texel(place, filter)?;
                sum.is_open = true;
            }
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
        let Sum { parts, mut is_open, mut colour } = sum;
        let comparison = comparison.as_ref();
        let whole = axes.as_ref().map(|axes| weighted(&parts, axes.weights()));
        let whole = whole.as_deref().unwrap_or(&parts);
        let filtered = match filter {
            MapFilter::Mono => self.mono(whole),
            _ => match self.sampler.reduction {
                Some(reduction) => extreme(whole, reduction),
                None => blended(whole),
            },
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
        if self.surface.is_later() {
            if comparison.is_some() {
                // Beyond red nobody says what comes back.
                colour.open[1..].fill(Some(Acceptance::Undefined));
            }
            let is_vague = self.sampler.reduction.is_some() && !is_ordered(&parts);
            colour = colour.selected(self.selects, self.surface.has_integers());
            is_open |= is_vague;
        }
        let sampled = Sampled {
            choice: Some(&choice),
            axes: axes.as_ref(),
            slice: place.first + place.slice,
            texels: &parts,
            colour: colour.bits,
            is_unspecified: is_open,
        };
        self.lend(entity, &sampled, world);
        Ok(if is_open { colour.opened(Acceptance::Undefined) } else { colour })
    }

    pub(super) fn header(&self) -> &Header {
        &self.message.header
    }

    /// Where an entity is on the map.
    pub(super) fn place(&self, entity: &Entity) -> Result<Place, Unanswered> {
        let place = Place::of(&self.message.form, self.surface, entity)?;
        let scale = if self.sampler.counts_texels() { Scale::Texels } else { place.scale };
        Ok(Place { scale, ..place })
    }

    /// Refuses a map with a texel or border that ends the run: where nobody says which texel is met, it may be
    /// that one.
    pub(super) fn require_any_texel(
        &self,
        place: &Place,
        filter: MapFilter,
    ) -> Result<(), Unanswered> {
        let (surface, first) = (self.surface, self.surface.first_level());
        for level in first..first + surface.levels() {
            let slices = match surface.kind() {
                Type::Three => place.first..place.first + i64::from(surface.size(level).2),
                Type::Cube => place.first..place.first + 6,
                _ => place.slice..place.slice + 1,
            };
            for slice in slices {
                surface.require_memory(level, slice)?;
            }
        }
        let has_border =
            |mode: &AddressMode| matches!(mode, AddressMode::ClampBorder | AddressMode::HalfBorder);
        let lacks_faces =
            surface.kind() == Type::Cube && !(0..6).all(|face| surface.face_is_enabled(face));
        if lacks_faces || self.sampler.addresses.iter().any(has_border) {
            self.border(filter)?;
        }
        Ok(())
    }

    /// What its texels are compared with, if they are.
    pub(super) fn comparison(&self, entity: &Entity) -> Option<Comparison<'_>> {
        let compares = self.message.form.compares();
        compares.then(|| Comparison::new(self.sampler, self.surface, entity))
    }

    /// Lends how a pixel came about.
    pub(super) fn lend(&self, entity: &Entity, sampled: &Sampled, world: &World) {
        let Sampled { choice, axes, slice, texels, colour, is_unspecified } = *sampled;
        let [min, max] = choice.map_or([0, 0], |choice| choice.bounds);
        let second = choice.and_then(|choice| choice.levels.get(1));
        let second = second.map(|(_, weight)| weight.scaled(lod::fraction(self.surface)));
        world.lender.lend(|device| {
            Observed::Pixel(PixelStep {
                device,
                request: self.request,
                message: self.message,
                number: entity.number,
                surface: self.surface.state.words(),
                format: self.surface.format,
                sampler: self.sampler.doublewords(),
                sampling: self.sampling,
                lod: choice.map_or(0, |choice| choice.lod as i64),
                min: min as i64,
                max: max as i64,
                magnifies: choice.is_none_or(|choice| choice.magnifies),
                blend: second.map_or(0, |weight| weight.to_integer(Rounding::Down) as i64),
                subpixels: axes.map_or(0, |axes| axes.ways as u32),
                is_too_long: axes.is_some_and(|axes| axes.is_too_long),
                slice,
                texels,
                colour,
                is_unspecified,
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
        let surface = self.surface;
        let taps = match filter {
            MapFilter::Nearest => footprint.nearest(),
            MapFilter::Linear | MapFilter::Anisotropic => footprint.linear(),
            MapFilter::Mono => footprint.mono(),
        };
        let address = by_direction(&footprint.addresses());
        for tap in taps {
            let level = footprint.level;
            let wanted = TexelRequest { filter, level, source: tap.source };
            let got = self.input(wanted, comparison, &mut sum.colour, world)?;
            sum.is_open |= got.is_open;
            // Subpixels over an edge of a cube may show there.
            let on_face = |at: [i64; 3]| at[2] == footprint.place.slice;
            let stays = matches!(tap.source, Source::Texel(place) if on_face(place));
            sum.is_open |=
                filter == MapFilter::Anisotropic && surface.kind() == Type::Cube && !stays;
            let tap = Tap { weight: tap.weight * part, ..tap };
            sum.parts.push(SampledTexel { is_end, ..got.sampled(level, address, tap) });
        }
        Ok(())
    }

    /// A texel from where it is, keyed and compared.
    pub(super) fn input(
        &self,
        TexelRequest { filter, level, source }: TexelRequest,
        comparison: Option<&Comparison>,
        colour: &mut Colour,
        world: &mut World,
    ) -> Result<FilterInput, Unanswered> {
        let (surface, sampler) = (self.surface, self.sampler);
        let mut is_keyed = false;
        let is_open;
        let fetched = match source {
            Source::Texel(place) => {
                let mut fetched = surface.texel(level, place, world)?;
                fetched.linearises &= !sampler.skips_decoding();
                is_open = !fetched.is_sure;
                let mode = sampler.border_mode();
                let texel = fetched.colour_in(mode)?;
                match sampler.chroma_key(self.sampling) {
                    Some((key, what)) if fetched.matches(key, mode)? => {
                        is_keyed = true;
                        self.keyed(what, texel, colour)
                    }
                    _ => texel,
                }
            }
            Source::Border => {
                // What of a border colour is compared with a key, nobody says.
                is_open = sampler.chroma_key(self.sampling).is_some();
                self.border(filter)?
            }
            Source::Corner => {
                // Decision D-eu-sampler.
                is_open = true;
                Texel([Value::float32(0); 4])
            }
        };
        let texel = match comparison {
            Some(comparison) => comparison.result(fetched),
            None => fetched,
        };
        Ok(FilterInput { is_keyed, fetched, texel, is_open })
    }

    /// Opens what weights of the ends decide.
    fn open_ends(
        &self,
        parts: &[SampledTexel],
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
            // Nothing is left to do, and results of comparisons are in red.
            _ if self.surface.is_later() => filtered,
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
    pub(super) fn projection(
        &self,
        entity: &Entity,
    ) -> Result<(Option<Projection>, bool), Unanswered> {
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
        let span = |size: u32| match place.scale {
            Scale::Map => Exact::integer(size.into()),
            Scale::Face(_) => Exact::integer(size.into()).scaled(-1),
            Scale::Texels => Exact::integer(1),
        };
        [width, height, depth].into_iter().take(place.coordinates.len()).map(span).collect()
    }

    /// Those of the message.
    fn delivered_gradients(&self, entity: &Entity) -> Result<Projection, Unanswered> {
        use Parameter::{DrDx, DrDy, DuDx, DuDy, DvDx, DvDy};
        let place = self.place(entity)?;
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
        let pixel = |number: usize| self.place(&self.message.entities[first + number]);
        let [origin, right, below] = [pixel(0)?, pixel(1)?, pixel(2)?];
        let step = |to: &Place| {
            let both = origin.coordinates.iter().zip(&to.coordinates);
            both.map(|(from, to)| lod::difference(*from, *to)).collect::<Vec<_>>()
        };
        let (x, y) = (step(&right), step(&below));
        let projection = Projection::new([&x, &y], &self.spans(&origin));
        // Differences across an edge of a cube mean nothing.
        let crosses =
            origin.is_on_face() && [&right, &below].iter().any(|other| other.slice != origin.slice);
        // How a direction that is still to be divided is rounded, nobody says.
        let is_whole = |place: &Place| match place.scale {
            Scale::Face(greatest) => greatest == Exact::integer(1),
            Scale::Map | Scale::Texels => true,
        };
        let is_open = crosses || ![&origin, &right, &below].into_iter().all(is_whole);
        Ok((projection, is_open && !self.ignores_lod()))
    }

    /// Whether every level of detail gives the same colour.
    fn ignores_lod(&self) -> bool {
        let sampler = self.sampler;
        let rounds = |magnifies| [0, 1, 2].map(|direction| sampler.rounds(direction, magnifies));
        self.message.form.kind != Kind::Lod
            && sampler.mip == MipFilter::None
            && sampler.mag != MapFilter::Anisotropic
            && sampler.mag == sampler.min
            && rounds(true) == rounds(false)
    }

    /// Whether a coordinate repeats the map more often than precision allows.
    pub(super) fn is_beyond_precision(&self, place: &Place) -> bool {
        const MOST: i128 = 32;
        place.coordinates.iter().zip(self.sampler.addresses).any(|(coordinate, mode)| {
            let repeats =
                matches!(mode, AddressMode::Wrap | AddressMode::Mirror | AddressMode::Mirror101);
            let magnitude = Exact { negative: false, ..*coordinate };
            repeats && matches!(place.scale, Scale::Map) && magnitude > Exact::integer(MOST)
        })
    }

    /// The border colour by the channels of the format.
    fn border(&self, filter: MapFilter) -> Result<Texel, Unanswered> {
        if filter == MapFilter::Mono {
            return Ok(Texel([Value::float32(0); 4]));
        }
        if self.surface.has_integers() && self.surface.generation() < Generation::Gen8 {
            return undefined("a border of integers");
        }
        let border = self.sampler.border_colour(self.sampling)?;
        if self.sampler.border_mode() == BorderMode::Dx9 && !self.surface.is_later() {
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
    fn mono(&self, parts: &[SampledTexel]) -> Texel {
        let (rows, columns) = self.sampler.mono_size();
        let terms: Vec<Exact> =
            parts.iter().filter(|part| part.texel.0[0].bits != 0).map(|part| part.weight).collect();
        let sum = Exact::sum(&terms, Rounding::NearestEven).scaled(16);
        let units = sum.to_integer(Rounding::NearestEven).unsigned_abs();
        let mean = Exact::quotient(units, (u64::from(rows * columns)) << 16);
        Texel([Value::float32(single(Number::Finite(mean))); 4])
    }
}
