//! An element: bits of a type, and what number they are.

use parallax_isa::eu::{DataType, operand::SourceModifier};

const SIGN_OF_SINGLE: u64 = 0x8000_0000;

/// An element of an operand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Element {
    pub(crate) bits: u64,
    pub(crate) data_type: DataType,
}

impl Element {
    /// The fields of a float: sign, biased exponent, fraction; and the greatest exponent.
    fn fields(self) -> (bool, u64, u64, u64) {
        let (exponent_bits, fraction_bits) = match self.data_type {
            DataType::Hf => (5, 10),
            DataType::Df => (11, 52),
            _ => (8, 23),
        };
        let greatest = (1 << exponent_bits) - 1;
        let is_negative = self.bits >> (exponent_bits + fraction_bits) & 1 == 1;
        let exponent = self.bits >> fraction_bits & greatest;
        (is_negative, exponent, self.bits & ((1 << fraction_bits) - 1), greatest)
    }

    /// A float with the sign that modifiers give it.
    pub(crate) fn with_sign(self, modifier: SourceModifier) -> Self {
        if !self.is_float() {
            return self;
        }
        let sign = 1 << (8 * self.data_type.size() - 1);
        let bits = if modifier.absolute { self.bits & !sign } else { self.bits };
        Self { bits: if modifier.negate { bits ^ sign } else { bits }, ..self }
    }

    fn is_float(self) -> bool {
        self.data_type.is_float()
    }

    /// The integer that an element of an integer type is.
    pub(crate) fn integer(self) -> Option<i128> {
        let unsigned = match self.data_type.size() {
            8 => self.bits,
            bytes => self.bits & ((1 << (8 * bytes)) - 1),
        };
        let shift = 128 - 8 * self.data_type.size() as u32;
        let signed = (i128::from(unsigned) << shift) >> shift;
        match self.data_type {
            _ if self.is_float() => None,
            DataType::V => Some(signed),
            data_type if data_type.is_signed_integer() => Some(signed),
            _ => Some(unsigned.into()),
        }
    }

    pub(crate) fn is_negative(self) -> bool {
        match self.integer() {
            Some(integer) => integer < 0,
            None => self.fields().0,
        }
    }

    pub(crate) fn is_nan(self) -> bool {
        let (_, exponent, fraction, greatest) = self.fields();
        self.is_float() && exponent == greatest && fraction != 0
    }

    pub(crate) fn is_infinite(self) -> bool {
        let (_, exponent, fraction, greatest) = self.fields();
        self.is_float() && exponent == greatest && fraction == 0
    }

    pub(crate) fn is_zero(self) -> bool {
        let (_, exponent, fraction, _) = self.fields();
        match self.integer() {
            Some(integer) => integer == 0,
            None => exponent == 0 && fraction == 0,
        }
    }

    pub(crate) fn is_denormal(self) -> bool {
        let (_, exponent, fraction, _) = self.fields();
        self.is_float() && exponent == 0 && fraction != 0
    }

    /// A float that is neither zero nor denormal, infinite or a NaN.
    pub(crate) fn is_normal(self) -> bool {
        let (_, exponent, _, greatest) = self.fields();
        self.is_float() && exponent != 0 && exponent != greatest
    }

    /// A finite float that is not zero.
    pub(crate) fn is_finite(self) -> bool {
        self.is_normal() || self.is_denormal()
    }

    /// A zero, or a float that counts as one where denormals are flushed.
    pub(crate) fn vanishes(self) -> bool {
        self.is_zero() || self.is_denormal()
    }

    /// The single-precision float of greatest magnitude.
    pub(crate) fn is_largest(self) -> bool {
        self.data_type == DataType::F && self.bits & !SIGN_OF_SINGLE == 0x7F7F_FFFF
    }

    /// The single-precision 1.0 or -1.0.
    pub(crate) fn is_one(self) -> bool {
        self.data_type == DataType::F && self.bits & !SIGN_OF_SINGLE == 0x3F80_0000
    }

    /// A single-precision float half-way between two integral numbers.
    pub(crate) fn is_tie(self) -> bool {
        let number = f32::from_bits(self.bits as u32);
        self.data_type == DataType::F && number.fract().abs() == 0.5
    }

    /// Whether it is a single-precision float in a range.
    pub(crate) fn is_single_within(self, range: std::ops::Range<f32>) -> bool {
        self.data_type == DataType::F && range.contains(&f32::from_bits(self.bits as u32))
    }

    /// Whether a modifier makes another number of it.
    pub(crate) fn is_changed_by(self, modifier: SourceModifier) -> bool {
        let is_positive = !self.is_negative() && !self.is_zero();
        match (modifier.absolute, modifier.negate) {
            (false, false) => false,
            (true, false) => self.is_negative(),
            (false, true) => !self.is_zero() || self.is_float(),
            (true, true) => is_positive,
        }
    }

    /// A float with all three fields: what another layout would read as another number.
    pub(crate) fn shows_layout(self) -> bool {
        let (is_negative, _, fraction, _) = self.fields();
        self.is_normal() && is_negative && fraction != 0
    }

    /// A denormal, or a float of the highest binade.
    pub(crate) fn is_at_an_end_of_the_range(self) -> bool {
        let (_, exponent, _, greatest) = self.fields();
        self.is_denormal() || self.is_float() && exponent == greatest - 1
    }

    /// A finite float that is no integer, of a magnitude below 2^23.
    pub(crate) fn has_a_fraction(self) -> bool {
        let (_, exponent, fraction, greatest) = self.fields();
        let fraction_bits: u32 = match self.data_type {
            DataType::Hf => 10,
            DataType::Df => 52,
            _ => 23,
        };
        let Some(integral) = exponent.checked_sub(greatest / 2) else { return !self.is_zero() };
        let below = fraction_bits.saturating_sub(integral as u32);
        self.is_normal() && fraction & ((1 << below) - 1) != 0
    }

    /// Whether an integer element is another number in the type of the other signedness.
    pub(crate) fn shows_its_sign(self) -> bool {
        let top = self.bits >> (8 * self.data_type.size() - 1) & 1 == 1;
        !self.is_float() && top
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::zero(DataType::F, 0x8000_0000, "negative zero")]
    #[case::denormal(DataType::F, 1, "denormal fraction")]
    #[case::half(DataType::F, 0x3F00_0000, "normal fraction")]
    #[case::one(DataType::F, 0x3F80_0000, "normal")]
    #[case::five_halves(DataType::F, 0xC020_0000, "negative normal fraction")]
    #[case::largest(DataType::F, 0x7F7F_FFFF, "normal")]
    #[case::infinity(DataType::Df, 0xFFF0_0000_0000_0000, "negative infinite")]
    #[case::nan(DataType::Hf, 0x7E00, "nan")]
    #[case::two_and_an_eighth(DataType::Hf, 0x4040, "normal fraction")]
    #[case::word(DataType::W, 0xFFFF, "negative")]
    #[case::unsigned_word(DataType::Uw, 0xFFFF, "")]
    fn an_element_is_of_its_class(
        #[case] data_type: DataType,
        #[case] bits: u64,
        #[case] class: &str,
    ) {
        let element = Element { bits, data_type };
        let classes = [
            ("negative", element.is_negative()),
            ("zero", element.is_zero()),
            ("denormal", element.is_denormal()),
            ("normal", element.is_normal()),
            ("infinite", element.is_infinite()),
            ("nan", element.is_nan()),
            ("fraction", !element.is_nan() && data_type.is_float() && element.has_a_fraction()),
        ];
        let own: Vec<_> =
            classes.iter().filter(|(_, is_it)| *is_it).map(|(name, _)| *name).collect();
        assert_eq!(own.join(" "), class);
    }
}
