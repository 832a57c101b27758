//! What texels with their weights come to (G45 volume 4, section 4.2.3; decision D-eu-sampler).

use parallax_isa::surface::{Texel, Value};

use crate::number::{Context, FloatFormat, Number, Rounding};

use super::{super::record::SampledTexel, anisotropic::Weights, reply::single, state::Reduction};

/// The texels of subpixels with the weights that those have.
pub(super) fn weighted(parts: &[SampledTexel], weights: Weights) -> Vec<SampledTexel> {
    let of = |part: &SampledTexel| if part.is_end { weights.end } else { weights.inner };
    let weighted =
        parts.iter().map(|part| SampledTexel { weight: part.weight * of(part), ..*part });
    weighted.filter(|part| !part.weight.is_zero()).collect()
}

/// The greatest magnitude of a channel of some texels.
pub(super) fn greatest(parts: &[SampledTexel], channel: usize) -> Number {
    let magnitude =
        |part: &SampledTexel| FloatFormat::BINARY32.decode(part.texel.0[channel].bits).abs();
    parts
        .iter()
        .map(magnitude)
        .fold(Number::ZERO, |most, next| if most < next { next } else { most })
}

/// The least or greatest texel, channel by channel; of integer formats there is one.
pub(super) fn extreme(parts: &[SampledTexel], reduction: Reduction) -> Texel {
    let [first, rest @ ..] = parts else { return Texel([Value::float32(0); 4]) };
    let number = |value: Value| FloatFormat::BINARY32.decode(value.bits);
    let better = |kept: Value, next: Value| match reduction {
        Reduction::Minimum if number(next) < number(kept) => next,
        Reduction::Maximum if number(next) > number(kept) => next,
        _ => kept,
    };
    let reduced = |kept: Texel, next: &SampledTexel| {
        Texel(std::array::from_fn(|channel| better(kept.0[channel], next.texel.0[channel])))
    };
    rest.iter().fold(first.texel, reduced)
}

/// Whether it is clear which of some texels is the least or greatest one: of NaNs and zeros nobody says.
pub(super) fn is_ordered(parts: &[SampledTexel]) -> bool {
    let numbers = |channel: usize| {
        parts.iter().map(move |part| FloatFormat::BINARY32.decode(part.texel.0[channel].bits))
    };
    let is_clear = |channel: usize| {
        let has_zero = |negative| {
            numbers(channel).any(|number| number.is_zero() && number.is_negative() == negative)
        };
        !(numbers(channel).any(Number::is_nan) || has_zero(false) && has_zero(true))
    };
    parts.len() == 1 || (0..4).all(is_clear)
}

/// The sum of texels by their weights (D-eu-sampler), at the end binary32. A texel alone is as it is.
pub(super) fn blended(parts: &[SampledTexel]) -> Texel {
    if let [SampledTexel { texel, .. }] = parts {
        return *texel;
    }
    Texel(sums(parts).map(|sum| Value::float32(single(sum))))
}

/// The sums of the channels: each product and each sum as binary64 has it.
pub(super) fn sums(parts: &[SampledTexel]) -> [Number; 4] {
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
