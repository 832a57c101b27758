//! What `add` and `mul` give of operands that are no numbers, or zero (G45 volume 4, tables 14-1, 14-2, 14-7
//! and 14-8).

use crate::number::Number;

/// The sum of two operands, where it is none of numbers.
pub(super) fn special_sum(a: Number, b: Number) -> Option<Number> {
    match (a, b) {
        _ if a.is_nan() || b.is_nan() => Some(Number::DEFAULT_NAN),
        (Number::Infinity { .. }, Number::Infinity { .. })
            if a.is_negative() != b.is_negative() =>
        {
            Some(Number::DEFAULT_NAN)
        }
        (Number::Infinity { negative }, _) | (_, Number::Infinity { negative }) => {
            Some(Number::INFINITY.with_sign(negative))
        }
        _ => None,
    }
}

/// The product of two operands, where it is none of numbers other than zero.
pub(super) fn special_product(a: Number, b: Number) -> Option<Number> {
    let negative = a.is_negative() != b.is_negative();
    let zero = a.is_zero() || b.is_zero();
    match (a, b) {
        _ if a.is_nan() || b.is_nan() => Some(Number::DEFAULT_NAN),
        (Number::Infinity { .. }, _) | (_, Number::Infinity { .. }) if zero => {
            Some(Number::DEFAULT_NAN)
        }
        (Number::Infinity { .. }, _) | (_, Number::Infinity { .. }) => {
            Some(Number::INFINITY.with_sign(negative))
        }
        _ if zero => Some(Number::ZERO.with_sign(negative)),
        _ => None,
    }
}
