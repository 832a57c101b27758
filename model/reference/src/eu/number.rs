//! Numbers as the execution unit computes with them (G45 volume 4, chapter 10).

use parallax_isa::eu::DataType;
use parallax_spec::rule;
use rustc_apfloat::{
    Float, FloatConvert, Round,
    ieee::{Double, Quad, Single},
};

/// The value of an operand or a result inside an execution channel.
///
/// Integers are signed and as wide as they need to be: whether a result fits a channel is decided
/// where it is stored. Floats carry the extra precision of the accumulator (decision
/// D-eu-acc-float): every binary32 number, and every product of two, is exact.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value {
    /// In a word or doubleword channel.
    Integer(i128),
    /// In a float channel.
    Float(Double),
}

impl Value {
    /// The integer of an integer channel.
    ///
    /// # Panics
    /// If the channel is a float channel; callers know the execution type.
    pub(super) fn integer(self) -> i128 {
        match self {
            Self::Integer(integer) => integer,
            Self::Float(_) => unreachable!("the execution type is an integer type"),
        }
    }

    /// The float of a float channel.
    ///
    /// # Panics
    /// If the channel is an integer channel; callers know the execution type.
    pub(super) fn float(self) -> Double {
        match self {
            Self::Float(float) => float,
            Self::Integer(_) => unreachable!("the execution type is float"),
        }
    }
}

/// Floating point mode (section 10.3), bit 0 of `cr0.0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FloatMode {
    /// IEEE mode.
    Ieee,
    /// ALT mode.
    Alternative,
}

/// What the channels of an instruction compute in (section 11.4.3, table 11-24).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExecutionType {
    /// Signed words: bytes and words.
    Word,
    /// Signed doublewords.
    Doubleword,
    /// Floats.
    Float,
}

impl ExecutionType {
    /// The execution type of one or two source types.
    pub(super) fn of(sources: &[DataType]) -> Self {
        let any = |wanted: &[DataType]| sources.iter().any(|source| wanted.contains(source));
        rule!("g45.exectype.dest-independent");
        if sources.windows(2).all(|pair| pair[0] == pair[1]) {
            rule!("g45.exectype.single");
        } else {
            rule!("g45.exectype.mixed");
        }
        if any(&[DataType::F, DataType::Vf]) {
            if any(&[DataType::Vf]) {
                rule!("g45.exectype.vf");
            }
            Self::Float
        } else if any(&[DataType::D, DataType::Ud]) {
            rule!("g45.exectype.signed");
            Self::Doubleword
        } else {
            rule!("g45.exectype.signed");
            if any(&[DataType::B, DataType::Ub]) {
                rule!("g45.exectype.byte-channel");
            }
            Self::Word
        }
    }

    /// Bits of an integer channel with its guard bits: the accumulator's precision (table 11-9).
    pub(super) const fn integer_bits(self) -> u32 {
        match self {
            Self::Word => 33,
            Self::Doubleword | Self::Float => 64,
        }
    }

    /// Channels of an accumulator (table 11-9).
    pub(super) const fn accumulator_channels(self) -> usize {
        match self {
            Self::Word => 16,
            Self::Doubleword | Self::Float => 8,
        }
    }
}

/// Two's complement of `bits` bits.
pub(super) const fn wrap_signed(value: i128, bits: u32) -> i128 {
    let unused = i128::BITS - bits;
    value << unused >> unused
}

/// The smallest and largest number of an integer type.
pub(super) const fn range(data_type: DataType) -> (i128, i128) {
    match data_type {
        DataType::Ub => (0, 0xFF),
        DataType::B => (-0x80, 0x7F),
        DataType::Uw => (0, 0xFFFF),
        DataType::W | DataType::V => (-0x8000, 0x7FFF),
        DataType::Ud => (0, 0xFFFF_FFFF),
        DataType::D => (-0x8000_0000, 0x7FFF_FFFF),
        DataType::F | DataType::Vf => panic!("not an integer type"),
    }
}

/// The number that the bits of an integer element stand for.
pub(super) fn integer_of_bits(bits: u32, data_type: DataType) -> i128 {
    let bits = i128::from(bits);
    rule!("g45.gen.term.ud-range");
    match data_type {
        DataType::Ub => {
            rule!("g45.dt.ub");
            bits & 0xFF
        }
        DataType::B => {
            rule!("g45.dt.b");
            wrap_signed(bits, 8)
        }
        DataType::Uw => {
            rule!("g45.dt.uw");
            bits & 0xFFFF
        }
        DataType::W | DataType::V => {
            rule!("g45.dt.w");
            wrap_signed(bits, 16)
        }
        DataType::Ud => {
            rule!("g45.dt.ud");
            bits
        }
        DataType::D => {
            rule!("g45.dt.d");
            wrap_signed(bits, 32)
        }
        DataType::F | DataType::Vf => unreachable!("not an integer type"),
    }
}

/// The binary32 number of some bits.
pub(super) fn single(bits: u32) -> Single {
    rule!("g45.dt.f-format");
    Single::from_bits(u128::from(bits))
}

/// The bits of a binary32 number.
pub(super) fn bits_of_single(number: Single) -> u32 {
    number.to_bits() as u32
}

/// A binary32 number in a float channel. Exact.
pub(super) fn widen(number: Single) -> Double {
    let mut loses_information = false;
    number.convert_r(Round::TowardZero, &mut loses_information).value
}

/// A denormal becomes the zero of its sign; other numbers stay.
pub(super) fn flush_denormal(number: Single) -> Single {
    if number.is_denormal() { Single::ZERO.copy_sign(number) } else { number }
}

/// A result brought to binary32.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rounded {
    /// The number.
    pub(super) number: Single,
    /// The exact result is 2^128 or more in magnitude.
    pub(super) overflow: bool,
}

/// Rounds the result of a mathematical operation to binary32 (section 10.3.1.2): toward zero,
/// denormals flushed, and what is too large becomes infinite, or the largest finite number in ALT
/// mode.
pub(super) fn round_to_single(exact: Double, mode: FloatMode) -> Rounded {
    let largest = if exact.is_negative() { -Single::largest() } else { Single::largest() };
    let infinite = match mode {
        FloatMode::Ieee => Single::INFINITY.copy_sign(largest),
        FloatMode::Alternative => largest,
    };
    if exact.is_infinite() {
        if mode == FloatMode::Alternative {
            rule!("g45.float.alt.inf-flush");
        }
        return Rounded { number: infinite, overflow: false };
    }
    if exact.is_finite_non_zero() && exact.ilogb() >= 128 {
        match mode {
            FloatMode::Ieee => rule!("g45.float.ieee.overflow"),
            FloatMode::Alternative => {
                rule!("g45.float.alt.inf-flush");
                rule!("g45.gen.term.fltmax");
            }
        }
        rule!("g45.float.ieee.no-traps");
        rule!("g45.exc.fpu");
        return Rounded { number: infinite, overflow: true };
    }
    let mut loses_information = false;
    let truncated: Single = exact.convert_r(Round::TowardZero, &mut loses_information).value;
    if loses_information {
        rule!("g45.float.ieee.rtz");
        rule!("g45.float.ieee.error-bound");
    }
    let flushed = flush_denormal(truncated);
    if truncated.is_denormal() || (truncated.is_zero() && !exact.is_zero()) {
        rule!("g45.float.ieee.denorm-out");
    }
    Rounded { number: flushed, overflow: false }
}

/// A sum whose terms went through the accumulator, and how far another sum of the same terms may
/// be from it.
#[derive(Debug, Clone, Copy)]
pub(super) struct FusedSum {
    /// The exact sum, truncated to accumulator precision.
    pub(super) sum: Double,
    /// The least and the greatest acceptable sum, where low bits may be lost on the way.
    pub(super) between: Option<(Double, Double)>,
    /// A partial sum may overflow although the whole does not: infinities are acceptable too.
    pub(super) may_overflow: bool,
}

/// Adds terms in the accumulator, which is not normalised (section 11.3.4.5): terms are aligned to
/// the largest one, and what does not reach into its 48 bits of product precision may be lost,
/// depending on the order of additions (decision D-eu-fused-sum).
pub(super) fn fused_sum(terms: &[Double]) -> FusedSum {
    rule!("g45.acc.precision-f");
    let (sum, magnitude) = (exact_sum(terms), exact_sum(&terms_without_sign(terms)[..terms.len()]));
    let fused = FusedSum { sum, between: None, may_overflow: false };
    if !magnitude.is_finite_non_zero() {
        return fused;
    }
    let overflows = |number: Double| number.is_finite_non_zero() && number.ilogb() >= 128;
    let may_overflow = overflows(magnitude) && !overflows(sum);
    let non_zero = || terms.iter().filter(|term| term.is_finite_non_zero());
    let leading_bit = non_zero().map(|term| term.ilogb()).max().expect("one term is not zero");
    let last_bit = leading_bit - (PRODUCT_BITS - 1);
    if non_zero().all(|&term| lowest_bit(term) >= last_bit) {
        return FusedSum { may_overflow, ..fused };
    }
    let lost = Double::from_u128(terms.len() as u128).value.scalbn(last_bit);
    let least = sum.sub_r(lost, Round::TowardNegative).value;
    let greatest = sum.add_r(lost, Round::TowardPositive).value;
    FusedSum { sum, between: Some((least, greatest)), may_overflow }
}

/// Bits of the product of two binary32 numbers.
const PRODUCT_BITS: i32 = 48;

/// The exact sum of at most four terms, truncated to accumulator precision.
fn exact_sum(terms: &[Double]) -> Double {
    if let [a, b] = terms {
        return a.add_r(*b, Round::TowardZero).value;
    }
    // Each partial sum is truncated to 113 bits. What that loses is far less than what the
    // accumulator may lose, and nothing where the accumulator loses nothing.
    let sum = terms.iter().fold(None, |sum: Option<Quad>, term| {
        let term = widen_to_quad(*term);
        Some(sum.map_or(term, |sum| sum.add_r(term, Round::TowardZero).value))
    });
    truncate_to_double(sum.expect("a sum has terms"))
}

fn terms_without_sign(terms: &[Double]) -> [Double; 4] {
    let mut magnitudes = [Double::ZERO; 4];
    magnitudes.iter_mut().zip(terms).for_each(|(magnitude, term)| *magnitude = term.abs());
    magnitudes
}

/// The exponent of the lowest one in a number's significand. The number is not zero and, being
/// a binary32 number, a product of two or a sum of such, not a denormal of binary64.
fn lowest_bit(number: Double) -> i32 {
    let significand = 1_u64 << 52 | number.to_bits() as u64 & ((1 << 52) - 1);
    number.ilogb() - 52 + significand.trailing_zeros() as i32
}

fn widen_to_quad(number: Double) -> Quad {
    let mut loses_information = false;
    number.convert_r(Round::TowardZero, &mut loses_information).value
}

fn truncate_to_double(number: Quad) -> Double {
    let mut loses_information = false;
    number.convert_r(Round::TowardZero, &mut loses_information).value
}

/// The exact product of two binary32 numbers.
pub(super) fn product(a: Double, b: Double) -> Double {
    a.mul_r(b, Round::TowardZero).value
}

/// The largest integral number not above `number`.
pub(super) fn floor(number: Double) -> Double {
    number.round_to_integral(Round::TowardNegative).value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(text: &str) -> Double {
        text.parse().expect("a number")
    }

    #[test]
    fn rounding_truncates_and_overflows_at_two_to_the_128() {
        let round = |text| {
            let rounded = round_to_single(double(text), FloatMode::Ieee);
            (bits_of_single(rounded.number), rounded.overflow)
        };
        assert_eq!(round("0x1.ffffffffffffp+127"), (0x7F7F_FFFF, false));
        assert_eq!(round("0x1p+128"), (0x7F80_0000, true));
        assert_eq!(round("-0x1p+200"), (0xFF80_0000, true));
        assert_eq!(round("0x1.fffffffp-127"), (0, false));
        assert_eq!(round("-0x1p-400"), (0x8000_0000, false));
        assert_eq!(round("-0x1.0000018p+0"), (0xBF80_0000, false));
        let alternative = round_to_single(double("-0x1p+128"), FloatMode::Alternative);
        assert_eq!(bits_of_single(alternative.number), 0xFF7F_FFFF);
    }

    #[test]
    fn sums_that_fit_the_accumulator_are_exact() {
        let sum = fused_sum(&[double("1.5"), double("-1.25"), double("4096")]);
        assert!(sum.between.is_none() && !sum.may_overflow);
        assert_eq!(sum.sum, double("4096.25"));
        let sum = fused_sum(&[double("0x1p+60"), double("1"), double("-0x1p+60")]);
        let (least, greatest) = sum.between.expect("the one may be lost");
        assert!(least < double("0") && greatest > double("2"));
        assert!(fused_sum(&[double("0x1p+128"), double("-0x1p+128")]).may_overflow);
    }

    #[test]
    fn sums_of_zeros_are_negative_only_if_all_are() {
        let zero = double("0");
        assert!(!fused_sum(&[-zero, zero]).sum.is_negative());
        assert!(fused_sum(&[-zero, -zero, -zero]).sum.is_negative());
        assert!(!fused_sum(&[double("3"), double("-3")]).sum.is_negative());
    }
}
