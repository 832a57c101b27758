//! Sums of weighted texels and what is accepted for them (decision D-r700-filter).

use parallax_isa::{Acceptance, expectation::Range32};

use super::super::number;
use crate::number::{Context, Denormals, Exact, FloatFormat, Number, Overflow, Rounding};

/// A result and what is accepted beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::r700) struct Component {
    pub(in crate::r700) bits: u32,
    pub(in crate::r700) accepted: Option<Acceptance>,
}

impl Component {
    /// Nothing but this.
    pub(in crate::r700) const fn exactly(bits: u32) -> Self {
        Self { bits, accepted: None }
    }

    /// Anything.
    pub(in crate::r700) const OPEN: Self = Self { bits: 0, accepted: Some(Acceptance::Undefined) };

    /// This, or another NaN if it is one.
    pub(in crate::r700) fn of_arithmetic(bits: u32) -> Self {
        let is_nan = bits & !number::SIGN > 0x7F80_0000;
        Self { bits, accepted: is_nan.then_some(Acceptance::AnyNan32) }
    }
}

/// A sum may be off by the magnitudes of its products over this power of two.
const ACCURACY: i32 = 20;
/// Products of texels below this power of two may be denormal.
const SMALL: i32 = -90;
/// How far denormal products can make a sum be off: so many of the least normal number.
const DENORMALS: i32 = -122;
/// Digits of a single.
const DIGITS: i32 = 24;

/// The sum of texels with their weights. `granule` is what power of two the weights are multiples of.
pub(super) fn weighted(terms: &[(Exact, u32)], granule: i32) -> Component {
    if let [(_, texel)] = terms {
        return Component::exactly(*texel);
    }
    let decode = |bits: u32| FloatFormat::BINARY32.decode(bits.into());
    let numbers: Vec<Number> = terms.iter().map(|(_, texel)| decode(*texel)).collect();
    if numbers.iter().any(|number| number.is_nan()) {
        return Component::of_arithmetic(number::bits(number::nan()));
    }
    let infinite = |negative| {
        numbers.iter().any(|number| number.is_infinite() && number.is_negative() == negative)
    };
    match (infinite(false), infinite(true)) {
        (true, true) => return Component::of_arithmetic(number::bits(number::nan())),
        (true, false) => return Component::exactly(number::bits(Number::INFINITY)),
        (false, true) => return Component::exactly(number::bits(-Number::INFINITY)),
        (false, false) => {}
    }
    let finite: Vec<Exact> = numbers.into_iter().filter_map(Number::finite).collect();
    let products: Vec<Exact> =
        terms.iter().zip(&finite).map(|((weight, _), texel)| *weight * *texel).collect();
    let sum = Exact::sum(&products, Rounding::NearestEven);
    let bits = number::bits(Number::Finite(sum));
    let counted: Vec<&Exact> = finite.iter().filter(|texel| !texel.is_zero()).collect();
    let (Some(lowest), Some(highest)) = (
        counted.iter().map(|texel| texel.lowest_digit()).min(),
        counted.iter().map(|texel| texel.highest_digit()).max(),
    ) else {
        let plus = finite.iter().all(|texel| !texel.negative);
        return if plus { Component::exactly(bits) } else { either_zero(bits) };
    };
    let smallest = counted.iter().map(|texel| texel.highest_digit()).min().unwrap_or(0);
    let is_small = smallest < SMALL;
    // However it is formed, no step is twice the largest texel or needs a finer digit.
    if !is_small && highest + 2 - (lowest + granule) <= DIGITS {
        return if sum.is_zero() { either_zero(bits) } else { Component::exactly(bits) };
    }
    let magnitudes: Vec<Exact> =
        products.iter().map(|product| Exact { negative: false, ..*product }).collect();
    let mut off = shortened(Exact::sum(&magnitudes, Rounding::Up)).scaled(-ACCURACY);
    if is_small {
        off = shortened(Exact::sum(&[off, Exact::new(1, DENORMALS)], Rounding::Up));
    }
    Component { bits, accepted: Some(Acceptance::Within32(around(shortened(sum), off))) }
}

/// A number without what is too small for its digits: far less than what sums may be off by.
fn shortened(number: Exact) -> Exact {
    Exact { sticky: false, ..number }
}

fn either_zero(bits: u32) -> Component {
    Component { bits, accepted: Some(Acceptance::Or((bits ^ number::SIGN).into())) }
}

/// The numbers that are at most so far off, where a denormal one may be the next on either side.
fn around(sum: Exact, off: Exact) -> Range32 {
    let end = |off: Exact, rounding| {
        let context = Context {
            rounding,
            overflow: Overflow::Largest,
            input: Denormals::Kept,
            output: Denormals::Kept,
        };
        let number = Exact::sum(&[sum, off], rounding);
        context.round(Number::Finite(number), FloatFormat::BINARY32).bits as u32
    };
    const LEAST_NORMAL: u32 = 0x0080_0000;
    let is_tiny = |bits: u32| bits & 0x7F80_0000 == 0;
    let low = match end(-off, Rounding::Down) {
        bits if !is_tiny(bits) => bits,
        bits if bits > number::SIGN => number::SIGN | LEAST_NORMAL,
        _ => number::SIGN,
    };
    let high = match end(off, Rounding::Up) {
        bits if !is_tiny(bits) => bits,
        bits if bits == 0 || bits >= number::SIGN => 0,
        _ => LEAST_NORMAL,
    };
    Range32 { low, high }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(terms: &[(i32, f32)], granule: i32) -> Component {
        let weight = |quarters: i32| Exact::integer(quarters.into()).scaled(-2);
        let terms: Vec<(Exact, u32)> =
            terms.iter().map(|(quarters, texel)| (weight(*quarters), texel.to_bits())).collect();
        weighted(&terms, granule)
    }

    #[test]
    fn what_needs_no_rounding_is_exact() {
        assert_eq!(sum(&[(1, 3.0), (3, 5.0)], -2), Component::exactly(4.5_f32.to_bits()));
        assert_eq!(sum(&[(4, f32::NAN)], 0).bits, f32::NAN.to_bits());
        let zero = sum(&[(2, 1.0), (2, -1.0)], -2);
        assert_eq!(zero, Component { bits: 0, accepted: Some(Acceptance::Or(1 << 31)) });
        assert_eq!(sum(&[(2, 0.0), (2, 0.0)], -2), Component::exactly(0));
        let nan = sum(&[(2, f32::INFINITY), (2, f32::NEG_INFINITY)], -2);
        assert_eq!(nan.accepted, Some(Acceptance::AnyNan32));
    }

    #[test]
    fn what_may_be_rounded_has_a_range() {
        let third = 1.0_f32 / 3.0;
        let Component { bits, accepted } = sum(&[(1, third), (3, 1.0)], -2);
        let Some(Acceptance::Within32(range)) = accepted else { panic!("{accepted:?}") };
        assert!(range.contains(bits) && range.contains(bits + 3) && range.contains(bits - 3));
        assert!(!range.contains(bits + 40) && !range.contains(bits - 40));
        let tiny = f32::from_bits(0x0080_0000);
        let Some(Acceptance::Within32(range)) = sum(&[(1, tiny), (3, 0.0)], -2).accepted else {
            panic!("it may be denormal")
        };
        assert!(range.contains(0) && range.contains(0x0080_0000));
    }
}
