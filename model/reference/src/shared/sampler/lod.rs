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

/// Bits after the binary point of a level of detail (E-g45-sampler-22).
pub(super) const LOD_FRACTION: i32 = 6;
/// 1 in 64ths.
const ONE: i128 = 1 << LOD_FRACTION;
/// A level of detail in 64ths below all that count, which a map without gradients has.
const LOWEST: i128 = -(1 << 24);

/// A level of detail before the sampler has its say.
#[derive(Debug, Clone, Copy)]
pub(super) enum Base {
    /// From the square of the texels that a side of a pixel covers.
    Computed(Number),
    /// From Force LOD to Zero.
    Zero,
}

/// What is sampled.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) magnifies: bool,
    /// Levels and their weights.
    pub(super) levels: Vec<(u32, Exact)>,
    /// How they are chosen, for observers: the level of detail with its bias, and its bounds.
    pub(super) lod: i128,
    pub(super) bounds: [i128; 2],
}

/// The steps of section 4.2.1.5.
pub(super) fn choose(
    message: &Message,
    surface: &Surface,
    sampler: &SamplerState,
    entity: &Entity,
    base: Base,
) -> Result<Choice, Unanswered> {
    let first_level = i128::from(surface.first_level()) * ONE;
    let last = i128::from(surface.levels() - 1) * ONE;
    let max_lod = sampler.max_lod().min(last) + first_level;
    let min_lod = sampler.min_lod().min(last) + first_level;

    let bias = sampler.bias();
    let lod = match message.form.kind {
        Kind::SampleB | Kind::SampleBC => {
            bias + in_64ths(base.logarithm(), bias_parameter(entity)?)
        }
        Kind::SampleL | Kind::SampleLC => {
            let delivered = finite(entity.bits(Parameter::Lod))?;
            bias + in_64ths(Some(Number::ZERO), delivered) + first_level
        }
        _ => bias + in_64ths(base.logarithm(), Exact::ZERO),
    };

    let biased = lod;
    // Each clamp applies the greatest first, so that the least wins.
    let clamped = |lod: i128, greatest: i128, least: i128| lod.min(greatest).max(least);
    let lod = if sampler.clamps_first() { clamped(lod, max_lod, min_lod) } else { lod };

    let magnifies = lod - sampler.base_level() <= 0;
    let ceiling = (max_lod + ONE - 1).div_euclid(ONE) * ONE;
    let floor = min_lod.div_euclid(ONE) * ONE;
    let one_level = |lod: i128| vec![((lod / ONE) as u32, Exact::integer(1))];
    let levels = match sampler.mip {
        _ if magnifies => one_level(clamped(0, ceiling, floor)),
        MipFilter::None => one_level(clamped(0, ceiling, floor)),
        MipFilter::Nearest => {
            one_level(clamped(lod + ONE / 2, ceiling, floor).div_euclid(ONE) * ONE)
        }
        MipFilter::Linear => {
            let lod = clamped(lod, max_lod, min_lod);
            let (level, blend) = (lod.div_euclid(ONE) as u32, lod.rem_euclid(ONE));
            let weight = |units: i128| Exact::integer(units).scaled(-LOD_FRACTION);
            let both = [(level, weight(ONE - blend)), (level + 1, weight(blend))];
            both.into_iter().filter(|(_, weight)| !weight.is_zero()).collect()
        }
    };
    Ok(Choice { magnifies, levels, lod: biased, bounds: [min_lod, max_lod] })
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

/// A sum as 64ths, cut off below that.
fn in_64ths(lod: Option<Number>, more: Exact) -> i128 {
    let Some(lod) = lod else { return LOWEST };
    let sum = lod.plus(Number::Finite(more), Rounding::NearestEven);
    let sum = sum.finite().unwrap_or(Exact::ZERO).scaled(LOD_FRACTION);
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
