//! `gather4` and its likes, and `lod` (Gen7 and later; tables `eu-sampler-messages-by-gen`,
//! `eu-sampler-response`).

use parallax_isa::{
    Acceptance,
    shared::Unanswered,
    surface::{Texel, pixel::ChannelSelect},
};

use crate::{
    number::{Exact, Number, Rounding},
    surface::channels::channel_select,
};

use super::{
    super::World,
    compare::Comparison,
    filter::{Footprint, Tap, by_direction},
    lod::{self, Base, Choice},
    message::{Entity, Parameter},
    reply::{Colour, single},
    sample::{Sample, Sampled, TexelRequest},
    state::{MapFilter, MipFilter},
};

/// Red to alpha, as a channel of a header counts them.
const CHANNELS: [ChannelSelect; 4] =
    [ChannelSelect::Red, ChannelSelect::Green, ChannelSelect::Blue, ChannelSelect::Alpha];

impl Sample<'_> {
    /// A channel of the four texels that a linear filter would take of the first level of the view.
    pub(super) fn gather(&self, entity: &Entity, world: &mut World) -> Result<Colour, Unanswered> {
        // Decision D-eu-later-sampler.
        let (surface, sampler) = (self.surface, self.sampler);
        let place = self.place(entity)?;
        let comparison = self.comparison(entity);
        let level = surface.first_level().max(surface.least_lod() >> 8);
        // Which rounding bits hold, whether Min LOD does, and what is between two levels, nobody says.
        let (offsets, beside) = (self.offsets(entity), &[][..]);
        let (place, magnifies) = (&place, true);
        let footprint = Footprint { surface, sampler, offsets, place, magnifies, level, beside };
        let has_min_lod = sampler.min_lod() >= lod::one(surface) && surface.levels() > 1;
        let is_between = surface.least_lod() > level << 8;
        let taps = footprint.gathered();
        let sources = |taps: [Tap; 4]| taps.map(|tap| tap.source);
        let is_open = has_min_lod
            || is_between
            || self.is_beyond_precision(place)
            || sources(taps) != sources(footprint.gathered_unrounded());
        if is_open {
            self.require_any_texel(place, MapFilter::Linear)?;
        }
        let (mut colour, mut unkeyed) = (Colour::ZERO, Colour::ZERO);
        let mut texels = Vec::new();
        let address = by_direction(&footprint.addresses());
        for (number, tap) in taps.into_iter().enumerate() {
            let part = TexelRequest { filter: MapFilter::Linear, level, source: tap.source };
            let got = self.input(part, comparison.as_ref(), &mut unkeyed, world)?;
            colour.bits[number] = self.channel(got.texel, comparison.as_ref()) as u32;
            colour.open[number] = got.is_open.then_some(Acceptance::Undefined);
            texels.push(got.sampled(level, address, tap));
        }
        let sampled = Sampled {
            choice: None,
            axes: None,
            slice: place.first + place.slice,
            texels: &texels,
            colour: colour.bits,
            is_unspecified: is_open,
        };
        self.lend(entity, &sampled, world);
        Ok(if is_open { colour.opened(Acceptance::Undefined) } else { colour })
    }

    /// The channel that is gathered, which is one of those that a sample would return.
    fn channel(&self, texel: Texel, comparison: Option<&Comparison>) -> u64 {
        let channel = match (self.header().gathered, self.surface.format.name) {
            // gen7.tex.filt.gather-rg32: green of this format is behind the code of blue.
            (2, "R32G32_FLOAT") if self.selects.is_none() => 1,
            (channel, _) => channel,
        };
        let select = self.selects.map_or(CHANNELS[channel], |selects| selects[channel]);
        match (select, comparison) {
            (ChannelSelect::One, _) if self.surface.has_integers() => 1,
            (ChannelSelect::Zero | ChannelSelect::One, _) | (_, None) => {
                channel_select(select, texel).bits
            }
            (_, Some(_)) => texel.0[0].bits,
        }
    }

    /// What is added to indices: of `gather4_po` two parameters of six bits with a sign.
    fn offsets(&self, entity: &Entity) -> [i32; 3] {
        if !self.message.form.has(Parameter::OffU) {
            return self.header().offsets;
        }
        let signed = |name| {
            let field = (entity.bits(name) & 0x3F).cast_signed();
            if field < 32 { field } else { field - 64 }
        };
        [signed(Parameter::OffU), signed(Parameter::OffV), 0]
    }

    /// `lod`: in red the level of detail that would be sampled, in green that before it is clamped; both
    /// count from the first level of the view.
    pub(super) fn lod(&self, entity: &Entity, world: &World) -> Result<Colour, Unanswered> {
        let (surface, sampler) = (self.surface, self.sampler);
        // Coordinates have to be those of a place.
        let place = self.place(entity)?;
        let (projection, is_open) = self.projection(entity)?;
        let base =
            projection.map_or(Base::Zero, |projection| Base::Computed(projection.major_square()));
        let choice = lod::choose(self.message, surface, sampler, entity, base)?;
        let first = i128::from(surface.first_level()) * lod::one(surface);
        let number = |lod: i128| {
            single(Number::Finite(Exact::integer(lod - first).scaled(-lod::fraction(surface))))
        };
        let sampled = self.sampled(&choice);
        // Whether the level or a number between two counts, nobody says.
        let [min, max] = choice.bounds;
        let clamped = choice.lod.min(max).max(min);
        let is_clear = sampled == clamped || sampler.mip == MipFilter::Nearest;
        let mut colour = Colour::of([number(sampled), number(choice.lod), 0, 0]);
        colour.open = [
            (is_open || choice.is_open || !is_clear).then_some(Acceptance::Undefined),
            (is_open || lod::is_without_gradients(choice.lod)).then_some(Acceptance::Undefined),
            Some(Acceptance::Undefined),
            Some(Acceptance::Undefined),
        ];
        let sampled = Sampled {
            choice: Some(&choice),
            axes: None,
            slice: place.first + place.slice,
            texels: &[],
            colour: colour.bits,
            is_unspecified: colour.open[..2].iter().all(Option::is_some),
        };
        self.lend(entity, &sampled, world);
        Ok(colour)
    }

    /// The level of detail that a choice of levels stands for.
    fn sampled(&self, choice: &Choice) -> i128 {
        let part = |(level, weight): &(u32, Exact)| {
            let weight = weight.scaled(lod::fraction(self.surface)).to_integer(Rounding::Down);
            i128::from(*level) * weight
        };
        choice.levels.iter().map(part).sum()
    }
}
