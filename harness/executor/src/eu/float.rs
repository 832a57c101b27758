//! Float arithmetic that truncates, on host numbers.
//!
//! Lanes are binary64. A binary32 value and a product of two are exact there. A sum is computed
//! with its error (Knuth's two-sum) and stepped back where the rounding went away from zero, so
//! that every lane is the exact result truncated to 53 bits. Truncating that again to 24 bits is
//! the exact result truncated, as the manual asks (section 10.3.1).

/// 2 to the power of 128: the smallest magnitude that overflows.
pub(super) const OVERFLOW: f64 = 340_282_366_920_938_463_463_374_607_431_768_211_456.0;

/// The product. Of two that are not numbers it is the first, as machine code has it: which one a compiler lets the
/// processor take is not said.
#[inline]
pub(super) fn multiply(a: f64, b: f64) -> f64 {
    if a.is_nan() { quiet(a) } else { a * b }
}

/// The sum truncated toward zero; of two that are not numbers the first.
#[inline]
pub(super) fn add(a: f64, b: f64) -> f64 {
    if a.is_nan() {
        return quiet(a);
    }
    let (sum, error) = two_sum(a, b);
    toward_zero(sum, error)
}

/// The sum of several numbers, truncated toward zero once.
///
/// The errors of the partial sums are themselves summed, and the errors of that sum too: where large terms
/// cancel, what is left of the small ones decides the direction of the last step.
pub(super) fn sum<const N: usize>(terms: [f64; N]) -> f64 {
    let (mut total, mut low, mut lowest) = (terms[0], 0.0, 0.0);
    for term in &terms[1..] {
        let (next, error) = two_sum(total, *term);
        let (next_low, low_error) = two_sum(low, error);
        (total, low, lowest) = (next, next_low, lowest + low_error);
    }
    if !total.is_finite() || low == 0.0 && lowest == 0.0 || low.is_nan() || lowest.is_nan() {
        return total;
    }
    let (total, error) = two_sum(total, low);
    toward_zero(total, error + lowest)
}

/// What is not a number as arithmetic leaves it.
fn quiet(nan: f64) -> f64 {
    f64::from_bits(nan.to_bits() | 1 << 51)
}

/// A sum rounded to nearest and what the rounding lost.
#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    (sum, error)
}

/// Steps a rounded sum back if it is larger in magnitude than the exact one.
#[inline]
fn toward_zero(sum: f64, error: f64) -> f64 {
    let away = (error != 0.0) & sum.is_finite() & ((error < 0.0) == (sum > 0.0));
    f64::from_bits(sum.to_bits() - u64::from(away))
}

/// A denormal replaced by the zero of its sign.
#[inline]
pub(super) fn flush(bits: u32) -> f32 {
    let normal = bits & 0x7F80_0000 != 0;
    f32::from_bits(if normal { bits } else { bits & 0x8000_0000 })
}

/// A lane truncated to a register's binary32, denormals flushed; and whether a finite value
/// overflowed to infinity (to the largest number in the alternative mode).
pub(super) fn to_register(lane: f64, alternative: bool) -> (f32, bool) {
    let magnitude = lane.abs();
    if magnitude >= OVERFLOW {
        let limit = if alternative { f32::MAX } else { f32::INFINITY };
        return (limit.copysign(lane as f32), magnitude != f64::INFINITY);
    }
    if magnitude < f64::from(f32::MIN_POSITIVE) {
        return (0f32.copysign(lane as f32), false);
    }
    (f64::from_bits(lane.to_bits() & !0x1FFF_FFFF) as f32, false)
}

/// An integer truncated to 24 significant bits.
pub(super) fn from_integer(value: i64) -> f64 {
    let magnitude = value.unsigned_abs();
    let excess = 40u32.saturating_sub(magnitude.leading_zeros());
    let kept = (magnitude >> excess << excess) as f64;
    if value < 0 { -kept } else { kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is far below a sum decides where it is truncated, in whatever order the terms come.
    #[test]
    fn a_small_term_counts_where_large_ones_cancel() {
        let large = 2f64.powi(144);
        for small in [-1e-33, 1e-33] {
            let terms = [small, 524_288.0, -large, large];
            for first in 0..4 {
                let mut turned = terms;
                turned.rotate_left(first);
                assert_eq!(sum(turned) < 524_288.0, small < 0.0, "{turned:?}");
            }
        }
    }
}
