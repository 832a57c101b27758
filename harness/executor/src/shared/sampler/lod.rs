//! Levels of detail as integers, and the levels they choose.

use parallax_isa::shared::Unanswered;

use super::{
    super::refuse,
    state::{Levels, Sampler},
    surface::Surface,
};

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
    /// The level of detail that they stand for, and the one before it was clamped.
    pub(super) details: [i64; 2],
}

/// The levels that a surface is sampled at.
pub(super) fn choose(
    sampler: &Sampler,
    surface: &Surface,
    detail: Detail,
) -> Result<Chosen, Unanswered> {
    let (fraction, one) = (sampler.fraction, 1_i64 << sampler.fraction);
    let start = i64::from(surface.first_level) << fraction;
    let count = i64::from(surface.levels - 1) << fraction;
    let low = (start + sampler.low.min(count)).max(surface.least_level);
    let high = start + sampler.high.min(count);
    let detail = sampler.bias
        + match detail {
            Detail::Square(..) | Detail::Zero(_) if detail.bias_is_wrong() => {
                return refuse("a bias beyond its range");
            }
            Detail::Square(square, bias) => logarithm(square, bias, one),
            Detail::Zero(bias) => steps(bias.into(), one),
            Detail::Given(level) => start + steps(level.into(), one),
        };
    let unclamped = detail;
    let detail = if sampler.clamps_early { detail.min(high).max(low) } else { detail };
    let magnified = detail <= sampler.base + surface.base_level;
    let (bottom, top) = (low >> fraction, (high + one - 1) >> fraction);
    let alone = |level: i64| Chosen {
        magnified,
        first: (level as u32, 1.0),
        second: None,
        details: [level << fraction, unclamped],
    };
    Ok(match sampler.levels {
        _ if magnified && !sampler.levels_magnified => alone(top.min(0).max(bottom)),
        Levels::One => alone(top.min(0).max(bottom)),
        Levels::Nearest => {
            let near = detail.saturating_add(sampler.to_nearest);
            alone((near >> fraction).min(top).max(bottom))
        }
        Levels::Two => {
            let detail = detail.min(high).max(low);
            let (level, part) = ((detail >> fraction) as u32, detail & (one - 1));
            let weight = |part: i64| part as f64 / one as f64;
            let second = (part > 0).then(|| (level + 1, weight(part)));
            let first = (level, weight(one - part));
            Chosen { magnified, first, second, details: [detail, unclamped] }
        }
    })
}

impl Chosen {
    /// Both levels of detail from the first level of a surface on, as `lod` gives them back.
    pub(super) fn relative(&self, sampler: &Sampler, surface: &Surface) -> [f32; 2] {
        let start = i64::from(surface.first_level) << sampler.fraction;
        self.details.map(|detail| match detail <= LEAST / 2 {
            true => f32::NEG_INFINITY,
            false => ((detail - start) as f64 / f64::from(1 << sampler.fraction)) as f32,
        })
    }
}

impl Detail {
    fn bias_is_wrong(self) -> bool {
        match self {
            Self::Square(_, bias) | Self::Zero(bias) => !(-16.0..16.0).contains(&bias),
            Self::Given(_) => false,
        }
    }
}

/// A number in such parts, rounded down.
fn steps(number: f64, one: i64) -> i64 {
    ((number * one as f64).floor() as i64).clamp(LEAST, -LEAST)
}

/// Half the logarithm of a square and a bias in such parts, rounded down.
fn logarithm(square: f64, bias: f32, one: i64) -> i64 {
    if square == 0.0 {
        return LEAST;
    }
    let (logarithm, remainder) = parts_of_logarithm(square);
    let (half, bias) = (logarithm * 0.5, f64::from(bias));
    let sum = half + bias;
    // What the additions lost.
    let back = sum - half;
    let lost = (half - (sum - back)) + (bias - back) + remainder * 0.5;
    let whole = sum * one as f64;
    let below = whole.floor() == whole && lost < 0.0;
    steps(sum, one) - i64::from(below)
}

/// The logarithm of a positive number, and what it lost where it became an integer.
fn parts_of_logarithm(number: f64) -> (f64, f64) {
    let logarithm = number.log2();
    let is_below = logarithm.floor() == logarithm && number < logarithm.exp2();
    (logarithm, if is_below { -f64::EPSILON } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number next below a power of two has a logarithm next below its exponent.
    #[test]
    fn logarithms_are_cut_off_below_powers_of_two() {
        for exponent in [-90, -2, 0, 3, 106, 200] {
            let power = 2.0_f64.powi(exponent);
            let steps = i64::from(exponent) * 128;
            assert_eq!(logarithm(power, 0.0, 256), steps, "{exponent}");
            assert_eq!(logarithm(power.next_down(), 0.0, 256), steps - 1, "{exponent}");
            assert_eq!(logarithm(power.next_up(), 0.0, 256), steps, "{exponent}");
        }
    }
}
