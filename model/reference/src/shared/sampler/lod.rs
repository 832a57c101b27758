//! Levels of detail (G45 volume 4, section 4.2.1): what is computed or delivered, and which levels are
//! sampled for it.

use parallax_isa::shared::Unanswered;

use crate::number::{Context, Exact, FloatFormat, Number, Rounding, function};

use super::{
    super::undefined,
    message::{Entity, Kind, Message, Parameter},
    state::{MipFilter, SamplerState},
    surface::Surface,
};

/// Bits after the binary point of a level of detail before Gen7 (E-g45-sampler-22), and from there on.
const EARLY_FRACTION: i32 = 6;
const LATER_FRACTION: i32 = 8;
/// A level of detail, in its last bit, below all that count, which a map without gradients has.
const LOWEST: i128 = -(1 << 24);

/// A level of detail before the sampler has its say.
#[derive(Debug, Clone, Copy)]
pub(super) enum Base {
    /// From the square of the texels that a side of a pixel covers.
    Computed(Number),
    /// From Force LOD to Zero.
    Zero,
}

/// What is sampled. Levels of detail are in units of their last bit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) magnifies: bool,
    /// Levels and their weights.
    pub(super) levels: Vec<(u32, Exact)>,
    /// How they are chosen: the level of detail with its bias, and its bounds.
    pub(super) lod: i128,
    pub(super) bounds: [i128; 2],
    /// Nobody says whether it is this choice.
    pub(super) is_open: bool,
}

/// The steps of section 4.2.1.5.
pub(super) fn choose(
    message: &Message,
    surface: &Surface,
    sampler: &SamplerState,
    entity: &Entity,
    base: Base,
) -> Result<Choice, Unanswered> {
    let (fraction, one) = (fraction(surface), one(surface));
    let first_level = i128::from(surface.first_level()) * one;
    let last = i128::from(surface.levels() - 1) * one;
    let max_lod = sampler.max_lod().min(last) + first_level;
    let min_lod = sampler.min_lod().min(last) + first_level;

    let bias = sampler.bias();
    let lod = match message.form.kind {
        Kind::SampleB | Kind::SampleBC => {
            bias + in_units(base.logarithm(), bias_parameter(entity)?, fraction)
        }
        Kind::SampleL | Kind::SampleLC => {
            let delivered = finite(entity.bits(Parameter::Lod))?;
            bias + in_units(Some(Number::ZERO), delivered, fraction) + first_level
        }
        _ => bias + in_units(base.logarithm(), Exact::ZERO, fraction),
    };
    let least = i128::from(surface.least_lod());
    let bounds = [min_lod.max(least), max_lod];
    if least == 0 {
        return Ok(levels(surface, sampler, lod, bounds));
    }
    // Whether Resource Min LOD is met before it is decided that the map is magnified, nobody says.
    let (raised, given) =
        (levels(surface, sampler, lod.max(least), bounds), levels(surface, sampler, lod, bounds));
    let is_alike = raised.magnifies == given.magnifies && raised.levels == given.levels;
    Ok(Choice { lod, is_open: !is_alike, ..raised })
}

/// The levels for a level of detail and its bounds.
fn levels(surface: &Surface, sampler: &SamplerState, lod: i128, bounds: [i128; 2]) -> Choice {
    let (fraction, one) = (fraction(surface), one(surface));
    let ([min_lod, max_lod], biased) = (bounds, lod);
    // Each clamp applies the greatest first, so that the least wins.
    let clamped = |lod: i128, greatest: i128, least: i128| lod.min(greatest).max(least);
    let lod = if sampler.clamps_first() { clamped(lod, max_lod, min_lod) } else { lod };

    let base_level = sampler.base_level() + surface.base_level();
    let magnifies = lod - i128::from(base_level) * one / 2 <= 0;
    let ceiling = (max_lod + one - 1).div_euclid(one) * one;
    let floor = min_lod.div_euclid(one) * one;
    let one_level = |lod: i128| vec![((lod / one) as u32, Exact::integer(1))];
    let levels = match sampler.mip {
        _ if magnifies && !sampler.magnifies_levels() => one_level(clamped(0, ceiling, floor)),
        MipFilter::None => one_level(clamped(0, ceiling, floor)),
        MipFilter::Nearest => {
            // Of two levels that are equally near the second one counts, from Gen7 on the first one (E-rt-27).
            let half = one / 2 - i128::from(surface.is_later());
            one_level(clamped(lod + half, ceiling, floor).div_euclid(one) * one)
        }
        MipFilter::Linear => {
            let lod = clamped(lod, max_lod, min_lod);
            let (level, blend) = (lod.div_euclid(one) as u32, lod.rem_euclid(one));
            let weight = |units: i128| Exact::integer(units).scaled(-fraction);
            let both = [(level, weight(one - blend)), (level + 1, weight(blend))];
            both.into_iter().filter(|(_, weight)| !weight.is_zero()).collect()
        }
    };
    Choice { magnifies, levels, lod: biased, bounds, is_open: false }
}

/// Bits after the binary point of a level of detail.
pub(super) fn fraction(surface: &Surface) -> i32 {
    if surface.is_later() { LATER_FRACTION } else { EARLY_FRACTION }
}

/// A level in units of the last bit of a level of detail.
pub(super) fn one(surface: &Surface) -> i128 {
    1 << fraction(surface)
}

/// Whether a level of detail is that of a map without gradients.
pub(super) fn is_without_gradients(lod: i128) -> bool {
    lod < LOWEST / 2
}

/// The bias of a message, which has a range.
fn bias_parameter(entity: &Entity) -> Result<Exact, Unanswered> {
    let bias = finite(entity.bits(Parameter::Bias))?;
    if bias < Exact::integer(-16) || bias >= Exact::integer(16) {
        return undefined("a bias outside of -16 to 16");
    }
    Ok(bias)
}

impl Base {
    /// log2 of the texels a pixel covers; nothing if it covers none.
    fn logarithm(self) -> Option<Number> {
        match self {
            Self::Zero => Some(Number::ZERO),
            Self::Computed(square) if square.is_zero() => None,
            // That of the root is half of it.
            Self::Computed(square) => Some(function::logarithm(square).scaled(-1)),
        }
    }
}

/// A sum in units of the last of some bits after the binary point, cut off below that.
fn in_units(lod: Option<Number>, more: Exact, fraction: i32) -> i128 {
    let Some(lod) = lod else { return LOWEST };
    let sum = lod.plus(Number::Finite(more), Rounding::NearestEven);
    let sum = sum.finite().unwrap_or(Exact::ZERO).scaled(fraction);
    sum.to_integer(Rounding::Down).clamp(LOWEST, -LOWEST)
}

/// A finite binary32 number.
pub(super) fn finite(bits: u32) -> Result<Exact, Unanswered> {
    match FloatFormat::BINARY32.decode(bits.into()).finite() {
        Some(number) => Ok(number),
        None => undefined("a parameter that is no finite number"),
    }
}

/// The difference of two numbers as binary64 has it.
pub(super) fn difference(from: Exact, to: Exact) -> Exact {
    let difference = Number::Finite(to).minus(Number::Finite(from), Rounding::NearestEven);
    Context::IEEE.rounded(difference, FloatFormat::BINARY64).finite().unwrap_or(Exact::ZERO)
}
