//! Levels of detail as integers of 64ths (decision D-r700-filter).

use parallax_isa::r700::{
    sampler::{MipFilter, Sampler},
    texture::{Kind, Texture},
};

/// Steps between two levels.
const STEPS: i32 = 64;
/// S5.6.
const LOWEST: i32 = -2048;
const HIGHEST: i32 = 2047;

/// Levels that a fetch takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Levels {
    /// Before and after it is clamped.
    pub(super) detail: [i32; 2],
    pub(super) first: u32,
    /// 64ths that the next level has of the weight.
    pub(super) next: u32,
}

/// How many coordinates a filter goes along.
pub(super) const fn axes(kind: Kind) -> usize {
    match kind {
        Kind::Buffer => 0,
        Kind::Line | Kind::LineArray => 1,
        Kind::Volume => 3,
        Kind::Plane | Kind::PlaneArray | Kind::Cube => 2,
    }
}

/// A finite number as 64ths, rounded down and saturated.
pub(super) fn steps(number: f32) -> i32 {
    let steps = (f64::from(number) * f64::from(STEPS)).floor();
    steps.clamp(LOWEST.into(), HIGHEST.into()) as i32
}

/// The level of detail that finite slopes stand for.
pub(super) fn of_slopes(slopes: [[f32; 3]; 2], texture: &Texture, normalised: [bool; 3]) -> i32 {
    let sizes = [texture.width, texture.height, texture.depth];
    let mut squares = [0.0_f64; 2];
    for axis in 0..axes(texture.kind) {
        let size = if normalised[axis] { f64::from(sizes[axis]) } else { 1.0 };
        for (square, slope) in squares.iter_mut().zip(slopes) {
            let texels = f64::from(slope[axis]) * size;
            *square += texels * texels;
        }
    }
    half_logarithm(squares[0].max(squares[1]))
}

/// Half the binary logarithm of a number of at least 0, in 64ths, rounded down: digit by digit, each the
/// exponent of a square.
fn half_logarithm(number: f64) -> i32 {
    if number == 0.0 {
        return LOWEST;
    }
    let bits = number.to_bits();
    let mut logarithm = (bits >> 52) as i32 - 1023;
    // From 1 to 2, with 63 bits after the point. The smallest number that matters is far from denormal.
    let mut mantissa = (bits & ((1 << 52) - 1) | 1 << 52) << 11;
    for _ in 0..5 {
        let square = u128::from(mantissa) * u128::from(mantissa);
        let carry = (square >> 127) as u32;
        mantissa = (square >> (63 + carry)) as u64;
        logarithm = 2 * logarithm + carry as i32;
    }
    logarithm.clamp(LOWEST, HIGHEST)
}

/// The levels for a detail with its biases.
pub(super) fn levels(detail: i32, texture: &Texture, sampler: &Sampler) -> Levels {
    let free = detail.clamp(LOWEST, HIGHEST);
    let (low, high) = (sampler.min_lod as i32, sampler.max_lod as i32);
    let deepest = STEPS * (texture.levels as i32 - 1);
    let bound = free.max(low).min(high).min(deepest);
    let (first, next) = match sampler.mip {
        MipFilter::None => (0, 0),
        MipFilter::Point => ((bound + STEPS / 2) >> 6, 0),
        MipFilter::Linear => (bound >> 6, bound & (STEPS - 1)),
    };
    Levels { detail: [free, bound], first: first as u32, next: next as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_rounded_down() {
        for (number, expected) in [
            (1.0, 0),
            (4.0, 64),
            (0.25, -64),
            (16.0, 128),
            (2.0, 32),
            (1.999_999, 31),
            (0.0, LOWEST),
        ] {
            assert_eq!(half_logarithm(number), expected, "{number}");
        }
        // On either side of every step between two octaves.
        for step in 1..32 {
            let edge = (f64::from(step) / 32.0).exp2();
            assert_eq!(half_logarithm(edge * (1.0 + 1e-14)), step);
            assert_eq!(half_logarithm(edge * (1.0 - 1e-14)), step - 1);
        }
    }
}
