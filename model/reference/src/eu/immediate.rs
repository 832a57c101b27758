//! Immediate operands (G45 volume 4, sections 10.2 and 11.3.8).

use parallax_isa::eu::DataType;

use super::{convert::element_mask, number::wrap_signed};

/// Whether an immediate of a type has an element for each channel, and not one for all.
pub(super) fn is_vector(data_type: DataType) -> bool {
    matches!(data_type, DataType::V | DataType::Uv | DataType::Vf)
}

/// The element of an immediate that a channel reads.
pub(super) fn immediate_element(data_type: DataType, bits: u64, channel: usize) -> u64 {
    match data_type {
        DataType::V => {
            let half_byte = bits >> (4 * (channel % 8)) & 0xF;
            wrap_signed(i128::from(half_byte), 4) as u64 & 0xFFFF
        }
        DataType::Uv => bits >> (4 * (channel % 8)) & 0xF,
        DataType::Vf => restricted_float((bits >> (8 * (channel % 4)) & 0xFF) as u32).into(),
        _ => bits & element_mask(data_type),
    }
}

/// The binary32 number of a restricted 8-bit float: sign, 3-bit exponent, 4-bit fraction
/// (section 10.2.3).
fn restricted_float(code: u32) -> u32 {
    let (sign, exponent, fraction) = (code >> 7, code >> 4 & 0x7, code & 0xF);
    if exponent == 0 && fraction == 0 {
        return sign << 31;
    }
    sign << 31 | (exponent + 124) << 23 | fraction << 19
}
