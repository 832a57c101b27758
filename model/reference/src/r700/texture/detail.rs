//! Levels of detail, in 64ths, and the levels they choose (section 9.4; decision D-r700-filter).

use parallax_isa::r700::{
    sampler::{LOD_FRACTION, MipFilter, Sampler},
    texture::{Kind, Texture},
};

use crate::number::{Context, Exact, FloatFormat, Number, Rounding, function};

/// 1 in 64ths.
const ONE: i64 = 1 << LOD_FRACTION;
/// The levels of detail there are: a sign and five bits before the binary point.
const LEAST: i64 = -32 * ONE;
const GREATEST: i64 = 32 * ONE - 1;

/// What is sampled.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    pub(super) unclamped: i64,
    pub(super) clamped: i64,
    pub(super) magnifies: bool,
    /// The first level.
    pub(super) level: u32,
    /// What of 64 the level behind it weighs.
    pub(super) blend: i64,
}

/// A number in 64ths, cut off below that.
pub(super) fn in_64ths(number: Exact) -> i64 {
    let units = number.scaled(LOD_FRACTION as i32).to_integer(Rounding::Down);
    units.clamp(LEAST.into(), GREATEST.into()) as i64
}

/// The directions in which a kind of texture is filtered.
pub(super) fn directions(kind: Kind) -> usize {
    match kind {
        Kind::Buffer => 0,
        Kind::Line | Kind::LineArray => 1,
        Kind::Plane | Kind::PlaneArray | Kind::Cube => 2,
        Kind::Volume => 3,
    }
}

/// The level of detail of a pixel that goes so far for a step to the right and for one down.
pub(super) fn computed(
    texture: &Texture,
    normalised: [bool; 3],
    gradients: [[Exact; 3]; 2],
) -> i64 {
    let sizes = [texture.width, texture.height, texture.depth];
    let spans = [0, 1, 2].map(|n: usize| if normalised[n] { sizes[n] } else { 1 });
    let double = |number| Context::IEEE.rounded(number, FloatFormat::BINARY64);
    let square = |gradient: [Exact; 3]| {
        let texels = gradient.into_iter().zip(spans).take(directions(texture.kind));
        texels.fold(Number::ZERO, |sum, (step, span)| {
            let texels = Number::Finite(step * Exact::integer(span.into()));
            double(sum.plus(double(texels.times(texels)), Rounding::NearestEven))
        })
    };
    let [right, down] = gradients.map(square);
    let longer = if right < down { down } else { right };
    if longer.is_zero() {
        return LEAST;
    }
    // The logarithm of the root is half of the square's.
    let logarithm = function::logarithm(longer).scaled(-1);
    in_64ths(logarithm.finite().unwrap_or(Exact::ZERO))
}

/// The steps from a level of detail, which the biases are part of, to levels.
pub(super) fn choose(sum: i64, texture: &Texture, sampler: &Sampler) -> Chosen {
    let unclamped = sum.clamp(LEAST, GREATEST);
    let last = i64::from(texture.levels - 1) * ONE;
    let in_range = unclamped.clamp(sampler.min_lod.into(), sampler.max_lod.into());
    let clamped = in_range.min(last);
    let (level, blend) = match sampler.mip {
        MipFilter::None => (0, 0),
        MipFilter::Point => ((clamped + ONE / 2) / ONE, 0),
        MipFilter::Linear => (clamped / ONE, clamped % ONE),
    };
    Chosen { unclamped, clamped, magnifies: clamped == 0, level: level as u32, blend }
}
