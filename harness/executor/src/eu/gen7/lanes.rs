//! What is computed on: up to 32 channels.

use parallax_isa::eu::DataType;

/// Channels of the widest instruction.
pub(super) const CHANNELS: usize = 32;

/// One value per channel: an exact integer, the bits of a binary64, or the element's own bits.
///
/// A float lane of F or HF that is not exact is odd (see `float`), until it is rounded to its
/// destination; one of DF has been rounded.
pub(super) type Lanes = [i128; CHANNELS];

/// The elements of channels.
pub(super) type Bits = [u64; CHANNELS];

/// A lane of a float.
pub(super) fn float_lane(value: f64) -> i128 {
    i128::from(value.to_bits())
}

/// The float of a lane.
pub(super) fn lane_float(lane: i128) -> f64 {
    f64::from_bits(lane as u64)
}

/// The float formats of registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Half,
    Single,
    Double,
}

impl Format {
    /// The format of a type, if it is a float.
    pub(super) fn of(data_type: DataType) -> Option<Self> {
        match data_type {
            DataType::Hf => Some(Self::Half),
            DataType::F | DataType::Vf => Some(Self::Single),
            DataType::Df => Some(Self::Double),
            _ => None,
        }
    }
}

/// What lanes hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    Float(Format),
    /// The element's own bits.
    Raw,
}

/// A channel of an accumulator in word mode: 33 bits of two's complement, sign-extended.
pub(super) fn word_mode(value: i128) -> u64 {
    (value as i64).wrapping_shl(31).wrapping_shr(31).cast_unsigned()
}
