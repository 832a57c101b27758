//! Results without one exact value: sums whose precision no manual states, approximations (Gen7 and
//! later).

use parallax_isa::{Acceptance, eu::DataType};
use parallax_spec::{decision, rule};

use super::{number::float_format, result::Computed, settings::Settings};
use crate::number::{Denormals, Exact, FloatFormat, Number, Rounding};

/// What a result may be: everything from one number to another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tolerance {
    low: Number,
    high: Number,
}

impl Tolerance {
    /// Everything from `low` to `high`.
    pub(super) const fn between(low: Number, high: Number) -> Self {
        Self { low, high }
    }

    /// Everything as far from a number as another one is from zero.
    pub(super) fn around(number: Number, distance: Number) -> Self {
        let (number, distance) = (cut(number), cut(distance));
        let plus = |distance| number.plus(distance, Rounding::NearestEven);
        Self { low: plus(-distance), high: plus(distance) }
    }

    /// The same and a part of each end more, two to this power.
    pub(super) fn widened(self, power: i32) -> Self {
        let [low, high] = self.ends().map(cut);
        let part = |number: Number| number.abs().scaled(power);
        let low = low.minus(part(low), Rounding::NearestEven);
        Self { low, high: high.plus(part(high), Rounding::NearestEven) }
    }

    /// The least and the greatest.
    pub(super) const fn ends(self) -> [Number; 2] {
        [self.low, self.high]
    }
}

/// A number without the digits that are known only to be there: an end of a range need not have them.
fn cut(number: Number) -> Number {
    match number {
        Number::Finite(exact) => Number::Finite(Exact { sticky: false, ..exact }),
        number => number,
    }
}

/// The sum of at most four terms, each of them exact, that takes some operations in an order that is
/// not known.
pub(super) fn sum(terms: &[Number], operations: u32, settings: &Settings) -> Computed {
    decision!("D-eu-later-sums");
    let context = settings.context(FloatFormat::BINARY32);
    let sum = Number::sum(terms, context.rounding);
    let exact = Computed::float(sum);
    let non_zero = || terms.iter().filter_map(|term| term.finite_non_zero());
    let (true, Some(last)) = (sum.is_finite(), non_zero().map(|term| term.lowest_digit()).min())
    else {
        let other = sum.is_zero().then_some(-sum);
        return Computed { other, ..exact };
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
        return Computed { other, ..exact };
    }
    if may_overflow != [false; 2] {
        rule!("gen7.ieee.fused-overflow");
    }
    let unit = (highest - precision).max(format.least_exponent() - precision);
    let unit = if flushes { unit.max(format.least_exponent()) } else { unit };
    let distance = Number::integer(operations.into()).scaled(unit);
    let tolerance = Some(Tolerance::around(sum, distance));
    Computed { tolerance, may_overflow, through_accumulator: true, ..exact }
}

/// Any NaN of a type.
pub(super) fn any_nan(data_type: DataType) -> Acceptance {
    match data_type {
        DataType::F => Acceptance::AnyNan32,
        DataType::Df => Acceptance::AnyNan64,
        _ => Acceptance::Undefined,
    }
}

/// How many elements at most are listed one by one.
const LISTED: i128 = 64;

/// Every element of a type from one to another, between which a third one is.
pub(super) fn between(data_type: DataType, bits: u64, [low, high]: [u64; 2]) -> Vec<Acceptance> {
    let sign = match float_format(data_type) {
        Some(format) => format.sign(true),
        None => return vec![Acceptance::Undefined],
    };
    let ordered = |bits: u64| {
        let magnitude = i128::from(bits & (sign - 1));
        if bits & sign == 0 { magnitude } else { -magnitude }
    };
    let distance = |end: u64| ordered(end).abs_diff(ordered(bits));
    let distance = distance(low).max(distance(high));
    match data_type {
        DataType::F => {
            vec![Acceptance::Ulp32(u32::try_from(distance).unwrap_or(u32::MAX))]
        }
        DataType::Df => {
            vec![Acceptance::Ulp64(u64::try_from(distance).unwrap_or(u64::MAX))]
        }
        _ if ordered(high) - ordered(low) <= LISTED => {
            let element = |ordered: i128| {
                let magnitude = ordered.unsigned_abs() as u64;
                if ordered < 0 { sign | magnitude } else { magnitude }
            };
            let elements = (ordered(low)..=ordered(high)).map(element);
            let minus_zero = (ordered(low) <= 0 && ordered(high) >= 0).then_some(sign);
            elements.chain(minus_zero).map(Acceptance::Or).collect()
        }
        _ => vec![Acceptance::Undefined],
    }
}
