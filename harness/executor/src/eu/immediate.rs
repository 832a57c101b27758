//! Immediate operands (G45 volume 4, sections 10.2 and 11.3.8).

use parallax_isa::eu::DataType;

use super::{
    float,
    lanes::{Kind, Lanes},
};

/// The lanes of an immediate, for what they are to hold.
pub(super) fn lanes(data_type: DataType, bits: u32, kind: Kind, exact: bool) -> Lanes {
    let lane = |element| match kind {
        Kind::Raw => u64::from(element),
        Kind::Integer => integer(data_type, element).cast_unsigned(),
        Kind::Float if data_type.is_float() && exact => {
            f64::from(f32::from_bits(element)).to_bits()
        }
        Kind::Float if data_type.is_float() => f64::from(float::flush(element)).to_bits(),
        Kind::Float => float::from_integer(integer(data_type, element)).to_bits(),
    };
    match data_type {
        DataType::V => std::array::from_fn(|channel| {
            let nibble = bits >> (channel % 8 * 4) & 0xF;
            lane((nibble ^ 8).wrapping_sub(8))
        }),
        DataType::Vf => {
            std::array::from_fn(|channel| lane(restricted_float((bits >> (channel % 4 * 8)) as u8)))
        }
        _ => [lane(bits); 16],
    }
}

/// The value of an immediate of an integer type.
fn integer(data_type: DataType, bits: u32) -> i64 {
    match data_type {
        DataType::Uw => i64::from(bits as u16),
        DataType::W | DataType::V => i64::from(bits as i16),
        DataType::D => i64::from(bits.cast_signed()),
        _ => i64::from(bits),
    }
}

/// Bits of the float an 8-bit restricted float stands for (Table 10-2).
fn restricted_float(code: u8) -> u32 {
    let code = u32::from(code);
    let sign = (code & 0x80) << 24;
    match code & 0x7F {
        0 => sign,
        rest => sign | ((rest >> 4) + 124) << 23 | (rest & 0xF) << 19,
    }
}
