//! Results of channels: of floats a range around the exact value, of integers the value.

use parallax_isa::{Acceptance, Range32};

use super::{
    Computed,
    message::{Division, FloatFunction, Function, Message},
    special::{self, Special},
};
use crate::number::{
    Accuracy, Approximate, Context, Denormals, FloatFormat, Number, Overflow, Rounding, Tolerance,
    function,
};

const BINARY32: FloatFormat = FloatFormat::BINARY32;

impl Message {
    /// What a channel comes to by its operands; of a function with two results the number of the
    /// wanted one decides.
    pub(super) fn compute(&self, [first, second]: [u32; 2], result: usize) -> Computed {
        let wants_second = result == 1;
        let float = |function| {
            let [first, second] = [first, second].map(|bits| self.operand(bits));
            self.float(function, first, second)
        };
        match self.function {
            // The first operand is the denominator.
            Function::Divide(division) => {
                let is_remainder = wants_second || division == Division::Remainder;
                divide(second, first, self.is_signed, is_remainder)
            }
            Function::SineAndCosine => {
                float(if wants_second { FloatFunction::Cosine } else { FloatFunction::Sine })
            }
            Function::Float(function) => float(function),
        }
    }

    /// The operand that a doubleword is.
    fn operand(&self, bits: u32) -> Number {
        self.context(Rounding::NearestEven).operand(bits.into(), BINARY32)
    }

    /// How results get their format.
    fn context(&self, rounding: Rounding) -> Context {
        Context {
            rounding,
            overflow: if self.is_alternative { Overflow::Largest } else { Overflow::Infinity },
            input: Denormals::Flushed,
            output: Denormals::Flushed,
        }
    }

    /// What a function of floats comes to.
    fn float(&self, function: FloatFunction, first: Number, second: Number) -> Computed {
        let special = special::of(function, self.is_alternative, first, second);
        match special {
            Special::Zero { negative } => self.exactly(Number::ZERO.with_sign(negative)),
            Special::Infinity { negative } => self.exactly(Number::INFINITY.with_sign(negative)),
            Special::One => self.exactly(Number::ONE),
            Special::NotANumber => self.not_a_number(),
            Special::Open => Computed::OPEN,
            Special::Finite => {
                let mut computed = self.within(self.approximate(function, first, second));
                computed.path.is_computed = true;
                computed
            }
        }
    }

    fn exactly(&self, number: Number) -> Computed {
        if self.saturates {
            return self
                .within(Approximate { number, tolerance: Tolerance::between(number, number) });
        }
        Computed::exactly(self.bits(number, Rounding::NearestEven))
    }

    fn bits(&self, number: Number, rounding: Rounding) -> u32 {
        self.context(rounding).round(number, BINARY32).bits as u32
    }

    /// A number, or what saturation makes of it.
    fn saturated(&self, number: Number) -> Number {
        if !self.saturates {
            return number;
        }
        if number > Number::ONE {
            Number::ONE
        } else if number > Number::ZERO {
            number
        } else {
            Number::ZERO
        }
    }

    /// A number in its format, and everything else that is within its tolerance.
    fn within(&self, Approximate { number, tolerance }: Approximate) -> Computed {
        let [low, high] = tolerance.ends();
        let is_clamped = self.saturated(number) != number;
        let [number, low, high] = [number, low, high].map(|number| self.saturated(number));
        let nearest = |number| self.bits(number, Rounding::NearestEven);
        let high = match nearest(high) {
            // What is rounded beyond the largest number is infinite.
            infinity if infinity == BINARY32.infinity() as u32 => infinity,
            _ => self.bits(high, Rounding::Down),
        };
        let mut low = self.bits(low, Rounding::Up);
        let rounded = self.context(Rounding::NearestEven).round(number, BINARY32);
        // The sign of a zero that is no result of a table is not promised.
        if low == 0 && (self.saturates || number.is_zero()) {
            low = BINARY32.sign(true) as u32;
        }
        let mut computed = Computed::within(rounded.bits as u32, Range32 { low, high });
        computed.path.is_clamped = is_clamped;
        computed.path.is_tiny = rounded.tiny;
        computed.path.overflows = rounded.overflow;
        computed
    }

    fn not_a_number(&self) -> Computed {
        // Decision D-eu-extended-math.
        if self.saturates {
            return Computed::OPEN;
        }
        let bits = self.bits(Number::DEFAULT_NAN, Rounding::NearestEven);
        Computed::accepting(bits, Acceptance::AnyNan32)
    }

    /// A function of numbers that are not special.
    fn approximate(&self, function: FloatFunction, first: Number, second: Number) -> Approximate {
        let magnitude = if self.is_alternative { first.abs() } else { first };
        let is_partial = self.is_partial && self.is_alternative;
        let part = Accuracy::Relative(if is_partial { -10 } else { -21 });
        match function {
            FloatFunction::Inverse => {
                Approximate::about(function::inverse(first), Accuracy::Units(1))
            }
            FloatFunction::Logarithm => Approximate::about(function::logarithm(magnitude), part),
            FloatFunction::Exponential => Approximate::about(function::exponential_of(first), part),
            FloatFunction::Root => {
                Approximate::about(function::square_root(magnitude), Accuracy::Units(1))
            }
            FloatFunction::InverseRoot => {
                Approximate::about(function::inverse_root(magnitude), Accuracy::Units(1))
            }
            FloatFunction::Power => {
                let power = function::power(first.abs(), second);
                Approximate::about(power, Accuracy::Relative(-15))
            }
            FloatFunction::Sine => function::sine_of(first),
            FloatFunction::Cosine => function::cosine_of(first),
        }
    }
}

/// A division of integers: truncated toward zero, the remainder has the sign of the numerator.
fn divide(numerator: u32, denominator: u32, is_signed: bool, is_remainder: bool) -> Computed {
    let [n, d] = [numerator, denominator].map(|bits| match is_signed {
        true => i64::from(bits.cast_signed()),
        false => i64::from(bits),
    });
    if d == 0 {
        return Computed::exactly(match (is_signed, n) {
            (false, _) => u32::MAX,
            (true, ..0) => 0x8000_0000,
            (true, _) => 0x7FFF_FFFF,
        });
    }
    if is_signed && (n, d) == (i32::MIN.into(), -1) {
        return Computed::OPEN;
    }
    let result = if is_remainder { n % d } else { n / d };
    Computed::exactly(result as u32)
}
