//! Elementary functions in fixed point: well beyond double the digits of single precision, cut off.

use super::{exact::Exact, rounding::Rounding, value::Number};

/// Integer square root.
pub(crate) fn root(value: u128) -> u128 {
    value.isqrt()
}

/// Fraction bits of the fixed-point numbers below.
pub(crate) const FRACTION: u32 = 60;

/// A finite number in fixed point; what is below the last bit is cut off. The number's magnitude is
/// below 2^60.
pub(crate) fn fixed(value: Number) -> i128 {
    let number = value.finite().unwrap_or(Exact::ZERO);
    number.scaled(FRACTION as i32).to_integer(Rounding::TowardZero)
}

/// 2^f of a fraction f, 0 <= f < 1, in fixed point: the product of the roots 2^(1/2), 2^(1/4), … whose
/// bits are set in f.
pub(crate) fn exponential(fraction: i128) -> u128 {
    let unit = 1_u128 << FRACTION;
    let (mut product, mut factor) = (unit, unit << 1);
    for place in (0..FRACTION).rev() {
        factor = root(factor << FRACTION);
        if fraction >> place & 1 == 1 {
            product = (product * factor) >> FRACTION;
        }
    }
    product
}

/// log2 of a number of 1 <= m < 2, in fixed point: a bit of it is whether the square reaches 2.
pub(crate) fn logarithm(mut number: u128) -> i128 {
    let mut result = 0;
    for _ in 0..FRACTION {
        number = (number * number) >> FRACTION;
        result <<= 1;
        if number >> (FRACTION + 1) == 1 {
            number >>= 1;
            result |= 1;
        }
    }
    result
}

/// Pi in fixed point.
pub(crate) const PI: i128 = 0x3243_F6A8_885A_308D;

/// Sine of an angle of -pi/2 to pi/2, in fixed point: x - x^3/3! + x^5/5! - …
pub(crate) fn sine(angle: i128) -> i128 {
    let square = (angle * angle) >> FRACTION;
    let (mut term, mut sum, mut n) = (angle, 0, 1);
    while term != 0 && n < 40 {
        sum += term;
        term = -((term * square) >> FRACTION) / ((n + 1) * (n + 2));
        n += 2;
    }
    sum
}
