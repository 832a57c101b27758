//! The sRGB curve, without approximation: its powers are compared as whole numbers.
//!
//! Linear light of a code c is c / 12.92 up to 0.04045 and ((c + 0.055) / 1.055)^2.4 above. With
//! y = q^(12/5), comparing y to a number f is comparing q^12 to f^5, which are fractions.

use std::{cell::RefCell, collections::HashMap};

use num_bigint::BigUint;

use crate::number::{FloatFormat, Ratio};

/// The two sides of a fraction of any size.
struct Fraction(BigUint, BigUint);

impl Fraction {
    fn of(number: Ratio) -> Self {
        let side = |value: u64, shift: i32| BigUint::from(value) << shift.max(0);
        Self(side(number.numerator, number.exponent), side(number.denominator, -number.exponent))
    }

    fn power(&self, power: u32) -> Self {
        Self(self.0.pow(power), self.1.pow(power))
    }

    fn at_most(&self, other: &Self) -> bool {
        &self.0 * &other.1 <= &other.0 * &self.1
    }
}

/// Whether a code lies on the straight part of the curve.
fn on_straight_part(code: &Fraction) -> bool {
    code.at_most(&Fraction(4045_u32.into(), 100_000_u32.into()))
}

/// ((c + 0.055) / 1.055)^12, the fifth power of the linear light of c.
fn fifth_power_of_light(code: &Fraction) -> Fraction {
    let numerator = &code.0 * 1000_u32 + &code.1 * 55_u32;
    Fraction(numerator, &code.1 * 1055_u32).power(12)
}

/// Whether the linear light of a code is at most `light`.
fn light_is_at_most(code: Ratio, light: Ratio) -> bool {
    let (code, light) = (Fraction::of(code), Fraction::of(light));
    if on_straight_part(&code) {
        return Fraction(code.0 * 100_u32, code.1 * 1292_u32).at_most(&light);
    }
    fifth_power_of_light(&code).at_most(&light.power(5))
}

/// Linear light of an sRGB code, as the nearest binary32. Codes are not negative; those above 1
/// follow the curve on.
pub(crate) fn linear_from_srgb(code: Ratio) -> u32 {
    thread_local! {
        static KNOWN: RefCell<HashMap<Ratio, u32>> = RefCell::default();
    }
    // Decision D-surface-srgb.
    if code.negative || code.numerator == 0 {
        return 0;
    }
    if let Some(known) = KNOWN.with_borrow(|known| known.get(&code).copied()) {
        return known;
    }
    let fraction = Fraction::of(code);
    let light = if on_straight_part(&fraction) {
        Ratio { numerator: code.numerator * 25, denominator: code.denominator * 323, ..code }
            .single()
    } else {
        nearest_single(&fifth_power_of_light(&fraction))
    };
    KNOWN.with_borrow_mut(|known| {
        // Filtered values are without number; those of texels are few.
        if known.len() < 1 << 16 {
            known.insert(code, light);
        }
    });
    light
}

/// The number of a binary32, if it is finite.
fn finite_single(bits: u32) -> Option<Ratio> {
    Some(FloatFormat::BINARY32.decode(bits.into()).finite()?.into())
}

/// The binary32 nearest to the fifth root of a number.
fn nearest_single(fifth_power: &Fraction) -> u32 {
    let at_most = |number: Ratio| Fraction::of(number).power(5).at_most(fifth_power);
    let number = |bits: u32| finite_single(bits).expect("below infinity");
    // The greatest binary32 not above the root, by halving: zero is not above, infinity is.
    let (mut low, mut high) = (0, 0x7F80_0000);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if at_most(number(middle)) { low = middle } else { high = middle }
    }
    // Between two neighbours: twice the mantissa plus one, at half the exponent.
    let below = number(low);
    let middle = Ratio { numerator: below.numerator * 2 + 1, ..below }.scaled(-1);
    // Rational numbers whose fifth power is a 12th power are never halfway, but for exact ones.
    if at_most(middle) { high } else { low }
}

/// The n-bit sRGB code nearest to an amount of light; `greatest` is 2^n - 1. Light below 0 gives
/// 0, above 1 `greatest`.
pub(crate) fn srgb_from_linear(light: Ratio, greatest: u64) -> u64 {
    // Decision D-surface-srgb.
    if light.negative {
        return 0;
    }
    // Code v is chosen from the light of v - 1/2 on.
    let (mut low, mut high) = (0, greatest + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        let starts_at = Ratio::new(2 * middle - 1, 2 * greatest);
        if light_is_at_most(starts_at, light) { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::{Number, Rounding};

    /// The vectors of the catalogue: g45.sampler.gamma.vectors.
    #[test]
    fn known_points_of_the_curve() {
        assert_eq!(linear_from_srgb(Ratio::ZERO), 0);
        assert_eq!(linear_from_srgb(Ratio::integer(1)), 0x3F80_0000);
        // 0.5 -> 0.2140411, 0.04045 -> 0.0031308.
        assert_eq!(linear_from_srgb(Ratio::new(1, 2)), 0x3E5B_2D9A);
        let knee = linear_from_srgb(Ratio::new(4045, 100_000));
        let knee =
            FloatFormat::BINARY32.decode(knee.into()).scaled(20).integral(Rounding::NearestAway);
        assert_eq!(knee, Number::integer(3283));
        assert_eq!(linear_from_srgb(Ratio::new(1, 255)), 0x399F_22B4);
    }

    #[test]
    fn every_code_comes_back() {
        for bits in [4, 5, 6, 8, 10] {
            let greatest = (1 << bits) - 1;
            for code in 0..=greatest {
                let light = linear_from_srgb(Ratio::new(code, greatest));
                let light = finite_single(light).expect("finite");
                assert_eq!(srgb_from_linear(light, greatest), code);
            }
        }
    }
}
