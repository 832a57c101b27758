//! Sums whose precision no manual states (Gen7 and later).

use super::{
    result::{Computed, Open},
    settings::Settings,
};
use crate::number::{Denormals, FloatFormat, Number, Rounding, Tolerance};

/// The sum of at most four terms, each of them exact, that takes some operations in an order that is
/// not known.
pub(super) fn of_any_order(terms: &[Number], operations: u32, settings: &Settings) -> Computed {
    // Decision D-eu-later-sums.
    let context = settings.context(FloatFormat::BINARY32);
    let sum = Number::sum(terms, context.rounding);
    let exact = Computed::float(sum);
    let non_zero = || terms.iter().filter_map(|term| term.finite_non_zero());
    let (true, Some(last)) = (sum.is_finite(), non_zero().map(|term| term.lowest_digit()).min())
    else {
        let other = sum.is_zero().then_some(-sum);
        return exact.or_other(other);
    };
    let magnitude = |negative: Option<bool>| {
        let mut magnitudes = [Number::ZERO; 4];
        let of_sign = terms
            .iter()
            .filter(|term| negative.is_none_or(|negative| term.is_negative() == negative));
        magnitudes.iter_mut().zip(of_sign).for_each(|(place, term)| *place = term.abs());
        Number::sum(&magnitudes, Rounding::Up)
    };
    let highest = magnitude(None).finite_non_zero().map_or(0, |number| number.highest_digit());
    let format = FloatFormat::BINARY32;
    let overflows = |number: Number| {
        let number = number.finite_non_zero();
        number.is_some_and(|number| number.highest_digit() > format.greatest_exponent())
    };
    let may_overflow = [false, true].map(|negative| overflows(magnitude(Some(negative))));
    let precision = format.fraction_bits as i32;
    let flushes = context.output == Denormals::Flushed && last < format.least_exponent();
    if highest - last <= precision && !flushes {
        let other = sum.is_zero().then_some(-sum);
        return exact.or_other(other);
    }
    let unit = (highest - precision).max(format.least_exponent() - precision);
    let unit = if flushes { unit.max(format.least_exponent()) } else { unit };
    let distance = Number::integer(operations.into()).scaled(unit);
    let tolerance = Some(Tolerance::around(sum, distance));
    let open = Open { tolerance, may_overflow, ..Open::NOTHING };
    Computed { through_accumulator: true, ..exact }.or(open)
}
