//! Numbers as the execution unit computes with them (G45 volume 4, chapter 10).

use parallax_isa::eu::DataType;

use crate::number::{Context, Denormals, FloatFormat, Number, Overflow, Rounding};

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
    Float(Number),
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
    pub(super) fn float(self) -> Number {
        match self {
            Self::Float(float) => float,
            Self::Integer(_) => unreachable!("the execution type is float"),
        }
    }
}

/// Floating point mode (section 10.3), bit 0 of `cr0.0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FloatMode {
    /// IEEE mode.
    Ieee,
    /// ALT mode.
    Alternative,
}

impl FloatMode {
    /// How results are rounded (section 10.3.1.2): toward zero, denormals flushed, and what is too
    /// large becomes infinite, or the largest finite number in ALT mode.
    pub(super) const fn context(self) -> Context {
        Context {
            rounding: Rounding::TowardZero,
            overflow: match self {
                Self::Ieee => Overflow::Infinity,
                Self::Alternative => Overflow::Largest,
            },
            input: Denormals::Flushed,
            output: Denormals::Flushed,
        }
    }
}

/// What the channels of an instruction compute in (section 11.4.3, table 11-24).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExecutionType {
    /// Signed words: bytes and words.
    Word,
    /// Signed doublewords.
    Doubleword,
    /// Quadwords (Gen8 and later).
    Quadword,
    /// Half-precision floats (Gen8 and later).
    Half,
    /// Floats.
    Float,
    /// Double-precision floats (Gen7 and later).
    Double,
}

/// The format of the elements of a type, if they are floats.
pub(super) const fn float_format(data_type: DataType) -> Option<FloatFormat> {
    match data_type {
        DataType::Hf => Some(FloatFormat::BINARY16),
        DataType::F | DataType::Vf => Some(FloatFormat::BINARY32),
        DataType::Df => Some(FloatFormat::BINARY64),
        _ => None,
    }
}

impl ExecutionType {
    /// The execution type of one or two source types.
    pub(super) fn of(sources: &[DataType]) -> Self {
        let any = |wanted: &[DataType]| sources.iter().any(|source| wanted.contains(source));
        if any(&[DataType::F, DataType::Vf]) {
            Self::Float
        } else if any(&[DataType::D, DataType::Ud]) {
            Self::Doubleword
        } else {
            Self::Word
        }
    }

    /// The execution type of Gen7 and later, where a destination of the other width makes half and
    /// single precision meet: what both sources have room in.
    pub(super) fn of_operands(sources: &[DataType], destination: DataType) -> Self {
        let any = |wanted: &[DataType]| sources.iter().any(|source| wanted.contains(source));
        if any(&[DataType::Df]) {
            Self::Double
        } else if any(&[DataType::F, DataType::Vf]) {
            Self::Float
        } else if any(&[DataType::Hf]) {
            if destination == DataType::F { Self::Float } else { Self::Half }
        } else if any(&[DataType::Q, DataType::Uq]) {
            Self::Quadword
        } else if any(&[DataType::D, DataType::Ud]) {
            Self::Doubleword
        } else {
            Self::Word
        }
    }

    /// The format of its channels, if they are floats.
    pub(super) const fn format(self) -> Option<FloatFormat> {
        match self {
            Self::Word | Self::Doubleword | Self::Quadword => None,
            Self::Half => Some(FloatFormat::BINARY16),
            Self::Float => Some(FloatFormat::BINARY32),
            Self::Double => Some(FloatFormat::BINARY64),
        }
    }

    /// Bits of an integer of it.
    pub(super) const fn width(self) -> Option<u32> {
        match self {
            Self::Word => Some(16),
            Self::Doubleword => Some(32),
            Self::Quadword => Some(64),
            Self::Half | Self::Float | Self::Double => None,
        }
    }

    /// Whether its channels are floats.
    pub(super) const fn is_float(self) -> bool {
        self.format().is_some()
    }

    /// Bits of an integer channel with its guard bits: the accumulator's precision (table 11-9).
    /// There is no accumulator of quadwords: their results are converted from as many bits as they
    /// need.
    pub(super) const fn integer_bits(self) -> u32 {
        match self {
            Self::Word => 33,
            Self::Doubleword => 64,
            Self::Quadword | Self::Half | Self::Float | Self::Double => 128,
        }
    }

    /// Channels of an accumulator (table 11-9).
    pub(super) const fn accumulator_channels(self) -> usize {
        match self {
            Self::Word | Self::Half => 16,
            Self::Doubleword | Self::Float => 8,
            Self::Double => 4,
            Self::Quadword => 0,
        }
    }
}

/// Two's complement of `bits` bits.
#[inline]
pub(super) const fn wrap_signed(value: i128, bits: u32) -> i128 {
    let unused = i128::BITS - bits;
    value << unused >> unused
}

/// The smallest and largest number of an integer type.
#[inline]
pub(super) const fn range(data_type: DataType) -> (i128, i128) {
    match data_type {
        DataType::Ub => (0, 0xFF),
        DataType::B => (-0x80, 0x7F),
        DataType::Uw | DataType::Uv => (0, 0xFFFF),
        DataType::W | DataType::V => (-0x8000, 0x7FFF),
        DataType::Ud => (0, 0xFFFF_FFFF),
        DataType::D => (-0x8000_0000, 0x7FFF_FFFF),
        DataType::Uq => (0, 0xFFFF_FFFF_FFFF_FFFF),
        DataType::Q => (-0x8000_0000_0000_0000, 0x7FFF_FFFF_FFFF_FFFF),
        DataType::F | DataType::Vf | DataType::Hf | DataType::Df => panic!("not an integer type"),
    }
}

/// The number that the bits of an integer element stand for.
#[inline]
pub(super) fn integer_of_bits(bits: u64, data_type: DataType) -> i128 {
    let unused = 64 - 8 * data_type.size();
    if data_type.is_signed_integer() {
        i128::from((bits << unused).cast_signed() >> unused)
    } else {
        i128::from(bits << unused >> unused)
    }
}

/// The binary32 number of some bits; a denormal one counts as zero.
#[inline]
pub(super) fn single(bits: u64) -> Number {
    FloatMode::Ieee.context().operand(bits, FloatFormat::BINARY32)
}

/// A result brought to binary32.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rounded {
    /// Its bits.
    pub(super) bits: u64,
    /// The exact result is 2^128 or more in magnitude.
    pub(super) overflow: bool,
}

/// Rounds the result of a mathematical operation to binary32 (section 10.3.1.2) as the mode says;
/// a NaN becomes quiet.
pub(super) fn round_to_single(exact: Number, mode: FloatMode) -> Rounded {
    let rounded = mode.context().round(exact.quiet(), FloatFormat::BINARY32);
    Rounded { bits: rounded.bits, overflow: rounded.overflow }
}

/// A number at the precision of an accumulator channel: truncated, as all results are (decision
/// D-eu-acc-float).
pub(super) fn bits_of_accumulator(number: Number) -> u64 {
    ACCUMULATOR.round(number, FloatFormat::BINARY64).bits
}

/// How results reach an accumulator channel.
const ACCUMULATOR: Context = Context { rounding: Rounding::TowardZero, ..Context::IEEE };

/// A sum whose terms went through the accumulator, and what else another sum of the same terms may
/// come to.
#[derive(Debug, Clone, Copy)]
pub(super) struct FusedSum {
    /// The exact sum.
    pub(super) sum: Number,
    /// What an accumulator may hold instead, where low bits may be lost on the way.
    pub(super) inexact: Option<Multiples>,
    /// Whether a partial sum may overflow although the whole does not, to plus and to minus
    /// infinity: these are acceptable too.
    pub(super) may_overflow: [bool; 2],
}

/// The multiples of a power of two from one to another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Multiples {
    first: i128,
    last: i128,
    power: i32,
}

impl Multiples {
    /// The least and the greatest.
    pub(super) fn ends(self) -> [Number; 2] {
        [self.first, self.last].map(|factor| Number::integer(factor).scaled(self.power))
    }

    /// All of them, in order: a few dozen at most.
    pub(super) fn all(self) -> impl Iterator<Item = Number> {
        (self.first..=self.last).map(move |factor| Number::integer(factor).scaled(self.power))
    }
}

/// Adds terms in the accumulator, which is not normalised (section 11.3.4.5): terms are aligned to
/// the largest one, and what does not reach into the bits that its mantissa has besides those for
/// carries may be lost, depending on the order of additions (decision D-eu-fused-sum).
pub(super) fn fused_sum(terms: &[Number]) -> FusedSum {
    let sum = Number::sum(terms, Rounding::TowardZero);
    let fused = FusedSum { sum, inexact: None, may_overflow: [false; 2] };
    let non_zero = || terms.iter().filter_map(|term| term.finite_non_zero());
    let highest = non_zero().map(|term| term.highest_digit()).max();
    let (Some(exact), Some(highest)) = (sum.finite(), highest) else {
        return fused;
    };
    let overflows =
        |number: Number| number.finite_non_zero().is_some_and(|n| n.highest_digit() >= 128);
    let may_overflow = if highest + 2 < 128 || overflows(sum) {
        [false; 2]
    } else {
        // No partial sum is larger than that of all terms of its sign.
        [false, true].map(|negative| {
            let mut largest = [Number::ZERO; 4];
            let of_sign = terms.iter().filter(|term| term.is_negative() == negative);
            largest.iter_mut().zip(of_sign).for_each(|(place, term)| *place = *term);
            overflows(Number::sum(&largest, Rounding::TowardZero))
        })
    };
    let carries = terms.len().next_power_of_two().ilog2();
    let power = highest - (MANTISSA_BITS - 1);
    let last_digit = power + carries as i32;
    let cut = non_zero().filter(|term| term.lowest_digit() < last_digit).count();
    if cut == 0 || non_zero().count() == 1 {
        return FusedSum { may_overflow, ..fused };
    }
    // Each term that is cut loses less than one of its last digits.
    let lost = (cut as i128) << carries;
    let scaled = exact.scaled(-power);
    let [below, above] = [Rounding::Down, Rounding::Up].map(|rounding| scaled.to_integer(rounding));
    let inexact = Multiples { first: below - lost + 1, last: above + lost - 1, power };
    FusedSum { sum, inexact: Some(inexact), may_overflow }
}

/// Bits of the mantissa of a float accumulator channel besides its sign.
const MANTISSA_BITS: i32 = 53;

/// The product of two numbers, exact where they are binary32: else as an accumulator holds it.
pub(super) fn product(a: Number, b: Number) -> Number {
    let product = a.times(b);
    match product {
        Number::Finite(exact) if exact.significand >> 53 != 0 => {
            ACCUMULATOR.rounded(product, FloatFormat::BINARY64)
        }
        _ => product,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An integer times a power of two.
    fn number(significand: i128, exponent: i32) -> Number {
        Number::integer(significand).scaled(exponent)
    }

    #[test]
    fn rounding_truncates_and_overflows_at_two_to_the_128() {
        let round = |significand, exponent| {
            let rounded = round_to_single(number(significand, exponent), FloatMode::Ieee);
            (rounded.bits, rounded.overflow)
        };
        assert_eq!(round((1 << 49) - 1, 79), (0x7F7F_FFFF, false));
        assert_eq!(round(1, 128), (0x7F80_0000, true));
        assert_eq!(round(-1, 200), (0xFF80_0000, true));
        assert_eq!(round((1 << 28) - 1, -154), (0, false));
        assert_eq!(round(-1, -400), (0x8000_0000, false));
        assert_eq!(round(-(1 << 26) - 6, -26), (0xBF80_0000, false));
        let alternative = round_to_single(number(-1, 128), FloatMode::Alternative);
        assert_eq!(alternative.bits, 0xFF7F_FFFF);
        let signaling = round_to_single(-single(0x7F98_0001), FloatMode::Ieee);
        assert_eq!(signaling.bits, 0xFFD8_0001, "operations make NaNs quiet");
    }

    #[test]
    fn sums_that_fit_the_accumulator_are_exact() {
        let sum = fused_sum(&[number(3, -1), number(-5, -2), number(1, 12)]);
        assert!(sum.inexact.is_none() && sum.may_overflow == [false; 2]);
        assert_eq!(sum.sum, number(4096 * 4 + 1, -2));
        let alone = fused_sum(&[number((1 << 53) - 1, 0), -Number::ZERO]);
        assert!(alone.inexact.is_none(), "nothing is aligned to zero");
    }

    /// What a sum of terms may come to, in units of a power of two.
    fn possible(terms: &[Number], power: i32) -> Vec<i128> {
        let all = fused_sum(terms).inexact.map_or_else(Vec::new, |inexact| inexact.all().collect());
        let integer = |number: Number| {
            let units = number.scaled(-power).finite().expect("a sum");
            assert_eq!(units, units.integral(Rounding::Down), "a multiple");
            units.to_integer(Rounding::Down)
        };
        all.into_iter().map(integer).collect()
    }

    #[test]
    fn a_term_loses_what_carries_leave_no_room_for() {
        // Of 53 bits two are for the carries of three terms: the last one stands for 2^10.
        let [one, last] = [number(1, 60), number(1, 10)];
        assert!(fused_sum(&[one, last, -one]).inexact.is_none());
        let half = number(1, 9);
        assert_eq!(possible(&[one, half, -one], 8), [-1, 0, 1, 2, 3, 4, 5]);
        // Two terms have one carry.
        assert!(fused_sum(&[one, half]).inexact.is_none());
        let quarter = number(1, 8);
        assert_eq!(possible(&[one, quarter], 8), [0, 1, 2].map(|n| (1 << 52) + n));
        assert_eq!(possible(&[-one, number(1, 7)], 8), [-1, 0, 1, 2].map(|n| n - (1 << 52)));
        // Two terms that are cut lose twice as much.
        assert_eq!(possible(&[one, half, -one, half], 8).len(), 15);
    }

    #[test]
    fn only_a_partial_sum_can_overflow() {
        let overflow = |terms: &[Number]| fused_sum(terms).may_overflow;
        assert_eq!(overflow(&[number(1, 128), number(-1, 128)]), [true, true]);
        assert_eq!(overflow(&[number(1, 129), number(-1, 127)]), [false; 2], "the sum does");
        assert_eq!(overflow(&[number(3, 127), number(-1, 127), number(-1, 127)]), [true, true]);
        assert_eq!(overflow(&[number(1, 128), number(-3, 125)]), [true, false]);
        let little = number(1, -140);
        assert_eq!(overflow(&[number(1, 126), little, little]), [false; 2]);
        assert_eq!(overflow(&[number(1, 127), number(-1, 127), number(1, 126)]), [false; 2]);
        let cancels = [number(1, 128), number(1, -250), number(-1, 128)];
        assert_eq!(overflow(&cancels), [true, true]);
    }

    #[test]
    fn sums_of_zeros_are_negative_only_if_all_are() {
        let zero = Number::ZERO;
        assert!(!fused_sum(&[-zero, zero]).sum.is_negative());
        assert!(fused_sum(&[-zero, -zero, -zero]).sum.is_negative());
        assert!(!fused_sum(&[number(3, 0), number(-3, 0)]).sum.is_negative());
    }
}
