//! Functions that units for extended mathematics have, on host numbers.

/// One divided by a square root.
pub(crate) fn reciprocal_root(value: f64) -> f64 {
    1.0 / value.sqrt()
}

/// The magnitude of a number to the power of another one, in the three steps of the manuals.
pub(crate) fn power(base: f64, by: f64) -> f64 {
    (by * base.abs().log2()).exp2()
}

/// The same in the alternative mode, which knows no product of zero and infinity: what is no NaN is 1
/// to the power of 0.
pub(crate) fn alternative_power(base: f64, by: f64) -> f64 {
    if by == 0.0 && !base.is_nan() { 1.0 } else { power(base, by) }
}

/// A quotient truncated toward zero, and the remainder, which has the sign of the dividend. A division
/// by zero gives the largest or smallest number.
pub(crate) fn divide(dividend: i128, divisor: i128, unsigned: bool) -> (i128, i128) {
    let limit = match dividend {
        _ if unsigned => u32::MAX.into(),
        0.. => i32::MAX.into(),
        _ => i32::MIN.into(),
    };
    if divisor == 0 { (limit, limit) } else { (dividend / divisor, dividend % divisor) }
}
