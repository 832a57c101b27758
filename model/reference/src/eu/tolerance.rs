//! What is accepted for results without one exact value (Gen7 and later).

use parallax_isa::{Acceptance, eu::DataType};

use super::number::float_format;

/// Any NaN of a type.
pub(super) fn any_nan(data_type: DataType) -> Acceptance {
    match data_type {
        DataType::Hf => Acceptance::AnyNan16,
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
