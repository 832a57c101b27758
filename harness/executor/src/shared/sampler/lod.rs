//! Levels of detail in 64ths, and the levels they choose.

use parallax_isa::shared::Unanswered;

use super::{
    super::refuse,
    state::{Levels, Sampler},
    surface::Surface,
};

/// Fraction bits of a level of detail.
const FRACTION: u32 = 6;
const ONE: i64 = 1 << FRACTION;
/// Less than anything that matters.
const LEAST: i64 = -(1 << 40);

/// Where a level of detail comes from, and what a message adds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Detail {
    /// The square of how many texels a pixel spans, and a bias.
    Square(f64, f32),
    /// Force LOD to Zero, and a bias.
    Zero(f32),
    Given(f32),
}

/// Levels with their weights.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chosen {
    pub(super) magnified: bool,
    pub(super) first: (u32, f64),
    pub(super) second: Option<(u32, f64)>,
}

/// The levels that a surface is sampled at.
pub(super) fn choose(
    sampler: &Sampler,
    surface: &Surface,
    detail: Detail,
) -> Result<Chosen, Unanswered> {
    let start = i64::from(surface.first_level) << FRACTION;
    let count = i64::from(surface.levels - 1) << FRACTION;
    let low = start + sampler.low.min(count);
    let high = start + sampler.high.min(count);
    let detail = sampler.bias
        + match detail {
            Detail::Square(..) | Detail::Zero(_) if detail.bias_is_wrong() => {
                return refuse("a bias beyond its range");
            }
            Detail::Square(square, bias) => logarithm(square, bias),
            Detail::Zero(bias) => steps(bias.into()),
            Detail::Given(level) => start + steps(level.into()),
        };
    let detail = if sampler.clamps_early { detail.min(high).max(low) } else { detail };
    let magnified = detail <= sampler.base;
    let (bottom, top) = (low >> FRACTION, (high + ONE - 1) >> FRACTION);
    let alone = |level: i64| Chosen { magnified, first: (level as u32, 1.0), second: None };
    Ok(match sampler.levels {
        _ if magnified => alone(top.min(0).max(bottom)),
        Levels::One => alone(top.min(0).max(bottom)),
        Levels::Nearest => {
            let near = detail.saturating_add(ONE / 2);
            alone(near.min(top << FRACTION).max(bottom << FRACTION) >> FRACTION)
        }
        Levels::Two => {
            let detail = detail.min(high).max(low);
            let (level, part) = ((detail >> FRACTION) as u32, detail & (ONE - 1));
            let weight = |part: i64| part as f64 / ONE as f64;
            let second = (part > 0).then(|| (level + 1, weight(part)));
            Chosen { magnified, first: (level, weight(ONE - part)), second }
        }
    })
}

impl Detail {
    fn bias_is_wrong(self) -> bool {
        match self {
            Self::Square(_, bias) | Self::Zero(bias) => !(-16.0..16.0).contains(&bias),
            Self::Given(_) => false,
        }
    }
}

/// A number in 64ths, rounded down.
fn steps(number: f64) -> i64 {
    ((number * ONE as f64).floor() as i64).clamp(LEAST, -LEAST)
}

/// Half the logarithm of a square and a bias in 64ths, rounded down.
fn logarithm(square: f64, bias: f32) -> i64 {
    if square == 0.0 {
        return LEAST;
    }
    let (half, bias) = (square.log2() * 0.5, f64::from(bias));
    let sum = half + bias;
    // What the addition lost.
    let back = sum - half;
    let lost = (half - (sum - back)) + (bias - back);
    let whole = sum * ONE as f64;
    let below = whole.floor() == whole && lost < 0.0;
    steps(sum) - i64::from(below)
}
