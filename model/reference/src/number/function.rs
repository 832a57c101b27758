//! Functions of finite numbers, worked out well beyond single precision. What becomes of zeros,
//! infinities and NaNs is for those to say who have these functions, and how far they may be from the
//! exact value too.

use super::{
    elementary::{FRACTION, PI, exponential, fixed, logarithm as logarithm_below_two, root, sine},
    exact::Exact,
    tolerance::{Accuracy, Approximate, Tolerance},
    value::Number,
};

/// Significand and exponent of a finite number that is not zero.
fn parts(number: Number) -> (u128, i32) {
    let number = number.finite().unwrap_or(Exact::ZERO);
    (number.significand, number.exponent)
}

/// The same with an even exponent.
fn even_parts(number: Number) -> (u128, i32) {
    let (significand, exponent) = parts(number);
    if exponent % 2 == 0 { (significand, exponent) } else { (significand << 1, exponent - 1) }
}

/// The quotient of two numbers that are not zero.
pub(crate) fn quotient(numerator: Number, denominator: Number) -> Number {
    let negative = numerator.is_negative() != denominator.is_negative();
    let ((numerator, up), (denominator, down)) = (parts(numerator), parts(denominator));
    let value = Exact::quotient(numerator, denominator as u64).scaled(up - down);
    Number::Finite(value).with_sign(negative)
}

/// One divided by a number that is not zero.
pub(crate) fn inverse(number: Number) -> Number {
    quotient(Number::ONE, number)
}

/// The square root of a positive number.
pub(crate) fn square_root(number: Number) -> Number {
    let (significand, exponent) = even_parts(number);
    let value = root(significand << 100) as i128;
    Number::integer(value).scaled(exponent / 2 - 50)
}

/// One divided by the square root of a positive number.
pub(crate) fn inverse_root(number: Number) -> Number {
    let (significand, exponent) = even_parts(number);
    let value = root((1 << 126) / significand) as i128;
    Number::integer(value).scaled(-63 - exponent / 2)
}

/// The logarithm of a positive number to base 2.
pub(crate) fn logarithm(number: Number) -> Number {
    let (significand, exponent) = parts(number);
    let highest = significand.ilog2();
    let fraction = logarithm_below_two(significand << (FRACTION - highest));
    let whole = i128::from(exponent + highest as i32);
    Number::integer((whole << FRACTION) + fraction).scaled(-(FRACTION as i32))
}

/// Two to the power of a number; of what is beyond the range of exponents some result that is so too.
pub(crate) fn exponential_of(power: Number) -> Number {
    let limit = Number::integer(1000);
    let power = fixed(super::tolerance::clamp(power, -limit, limit));
    let (whole, fraction) = (power >> FRACTION, power & ((1 << FRACTION) - 1));
    Number::integer(exponential(fraction) as i128).scaled(whole as i32 - FRACTION as i32)
}

/// A positive number to the power of another one.
pub(crate) fn power(base: Number, by: Number) -> Number {
    exponential_of(by.times(logarithm(base)))
}

/// How far a sine may be off: 0.0008.
const SINE: Accuracy = Accuracy::Absolute(8);

/// Up to where a sine is bounded, as a multiple of pi.
const BOUNDED: i128 = 100;

/// An angle brought to -pi to pi, in fixed point.
fn angle(source: Number) -> i128 {
    if source.abs() >= Number::ONE.scaled(60) {
        return 0;
    }
    let angle = fixed(source) % (2 * PI);
    if angle > PI {
        angle - 2 * PI
    } else if angle < -PI {
        angle + 2 * PI
    } else {
        angle
    }
}

/// A sine or cosine by its value in fixed point: within 0.0008 up to 100 pi, beyond it anything there
/// is.
fn wave(source: Number, value: i128) -> Approximate {
    let number = Number::integer(value).scaled(-(FRACTION as i32));
    let (least, greatest) = (-Number::ONE, Number::ONE);
    if source.abs() > bounded() {
        return Approximate { number, tolerance: Tolerance::between(least, greatest) };
    }
    let about = Approximate::about(number, SINE);
    Approximate { tolerance: about.tolerance.clamped(least, greatest), ..about }
}

/// 100 pi.
pub(crate) fn bounded() -> Number {
    Number::integer(BOUNDED * PI).scaled(-(FRACTION as i32))
}

/// The sine of an angle.
pub(crate) fn sine_of(source: Number) -> Approximate {
    let angle = angle(source);
    // sin x = sin(pi - x)
    let value = if angle > PI / 2 {
        sine(PI - angle)
    } else if angle < -PI / 2 {
        sine(-PI - angle)
    } else {
        sine(angle)
    };
    wave(source, value)
}

/// The cosine of an angle.
pub(crate) fn cosine_of(source: Number) -> Approximate {
    // cos x = sin(pi/2 - |x|)
    wave(source, sine(PI / 2 - angle(source).abs()))
}
