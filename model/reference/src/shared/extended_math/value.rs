//! Results of channels: of floats a range around the exact value, of integers the value.

use parallax_isa::{Acceptance, Range32};
use parallax_spec::{RuleId, coverage, decision, rule, rule_id};

use super::{
    Computed,
    message::{Division, FloatFunction, Function, Message},
    special::{self, Class, Special},
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
                rule!("g45.extmath.sincos.precision");
                float(if wants_second { FloatFunction::Cosine } else { FloatFunction::Sine })
            }
            Function::Float(function) => float(function),
        }
    }

    /// The operand that a doubleword is.
    fn operand(&self, bits: u32) -> Number {
        if BINARY32.is_denormal(bits.into()) {
            rule!("g45.extmath.ref.denorm-in");
        }
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
        special::count(function, self.is_alternative, Class::of(first));
        match special {
            Special::Zero { negative } => self.exactly(Number::ZERO.with_sign(negative)),
            Special::Infinity { negative } => {
                if self.is_alternative {
                    rule!("g45.extmath.ref.alt-inf-result");
                }
                self.exactly(Number::INFINITY.with_sign(negative))
            }
            Special::One => self.exactly(Number::ONE),
            Special::NotANumber => self.not_a_number(),
            Special::Open => Computed::OPEN,
            Special::Finite => self.within(self.approximate(function, first, second)),
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
        rule!("g45.extmath.desc.saturate");
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
        let [number, low, high] = [number, low, high].map(|number| self.saturated(number));
        let nearest = |number| self.bits(number, Rounding::NearestEven);
        let high = match nearest(high) {
            // What is rounded beyond the largest number is infinite.
            infinity if infinity == BINARY32.infinity() as u32 => infinity,
            _ => self.bits(high, Rounding::Down),
        };
        let mut low = self.bits(low, Rounding::Up);
        let rounded = self.context(Rounding::NearestEven).round(number, BINARY32);
        if rounded.tiny {
            rule!("g45.extmath.ref.denorm-out");
        }
        if rounded.overflow && self.is_alternative {
            rule!("g45.extmath.ref.alt-inf-result");
        }
        // The sign of a zero that is no result of a table is not promised.
        if low == 0 && (self.saturates || number.is_zero()) {
            low = BINARY32.sign(true) as u32;
        }
        Computed::within(rounded.bits as u32, Range32 { low, high })
    }

    fn not_a_number(&self) -> Computed {
        decision!("D-eu-extended-math");
        if self.saturates {
            return Computed::OPEN;
        }
        rule!("g45.extmath.ref.nan");
        let bits = self.bits(Number::DEFAULT_NAN, Rounding::NearestEven);
        Computed { bits, acceptance: Some(Acceptance::AnyNan32) }
    }

    /// A function of numbers that are not special.
    fn approximate(&self, function: FloatFunction, first: Number, second: Number) -> Approximate {
        let magnitude = if self.is_alternative { first.abs() } else { first };
        let is_partial = self.is_partial && self.is_alternative;
        let part = Accuracy::Relative(if is_partial { -10 } else { -21 });
        let rules = RULES[function as usize];
        coverage::hit_all(rules.of_all);
        coverage::hit_all(if is_partial { rules.partial } else { rules.full });
        match function {
            FloatFunction::Inverse => {
                if first.abs() > Number::ONE.scaled(126) {
                    rule!("g45.extmath.inv.underflow");
                }
                Approximate::about(function::inverse(first), Accuracy::Units(1))
            }
            FloatFunction::Logarithm => {
                if magnitude == Number::ONE {
                    rule!("g45.extmath.log.one");
                }
                if first.is_negative() {
                    rule!("g45.extmath.log.alt-neg-sign");
                }
                Approximate::about(function::logarithm(magnitude), part)
            }
            FloatFunction::Exponential => {
                if first >= Number::integer(128) {
                    rule!("g45.extmath.exp.overflow");
                } else if first < Number::integer(-126) {
                    rule!("g45.extmath.exp.underflow");
                }
                if first.is_negative() {
                    rule!("g45.extmath.exp.neg");
                }
                Approximate::about(function::exponential_of(first), part)
            }
            FloatFunction::Root => {
                Approximate::about(function::square_root(magnitude), Accuracy::Units(1))
            }
            FloatFunction::InverseRoot => {
                Approximate::about(function::inverse_root(magnitude), Accuracy::Units(1))
            }
            FloatFunction::Power => {
                let power = function::power(first.abs(), second);
                let exponent = power.finite_non_zero().map_or(0, |power| power.highest_digit());
                if !(-126..128).contains(&exponent) {
                    rule!("g45.extmath.pow.overflow");
                }
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
        let (rule, result) = match (is_signed, n) {
            (false, _) => (rule_id!("g45.extmath.intdiv.udiv-zero"), u32::MAX),
            (true, ..0) => (rule_id!("g45.extmath.intdiv.sdiv-zero-neg"), 0x8000_0000),
            (true, 0) => (rule_id!("g45.extmath.intdiv.sdiv-zero-zero"), 0x7FFF_FFFF),
            (true, _) => (rule_id!("g45.extmath.intdiv.sdiv-zero-pos"), 0x7FFF_FFFF),
        };
        coverage::hit(rule);
        return Computed::exactly(result);
    }
    if is_signed && (n, d) == (i32::MIN.into(), -1) {
        rule!("g45.extmath.intdiv.min-by-minus1");
        return Computed::OPEN;
    }
    rule!("g45.extmath.intdiv.trunc");
    if n == 0 {
        rule!("g45.extmath.intdiv.zero-numerator");
    }
    let result = if is_remainder {
        rule!("g45.extmath.intdiv.rem-sign");
        n % d
    } else {
        rule!("g45.extmath.intdiv.quo-sign");
        n / d
    };
    Computed::exactly(result as u32)
}

/// The rules of a function of numbers that are not special.
struct FunctionRules {
    of_all: &'static [RuleId],
    /// Those of its precision where that is full, and where it is partial.
    full: &'static [RuleId],
    partial: &'static [RuleId],
}

macro_rules! rules {
    ($($id:literal),* ; $($full:literal),* ; $($partial:literal),*) => {
        FunctionRules {
            of_all: &[$(rule_id!(concat!("g45.extmath.", $id))),*],
            full: &[$(rule_id!(concat!("g45.extmath.", $full))),*],
            partial: &[$(rule_id!(concat!("g45.extmath.", $partial))),*],
        }
    };
}

/// By the numbers of the functions.
const RULES: [&FunctionRules; 8] = [
    &rules!("inv.op", "inv.precision", "inv.finite", "ref.ulp";;),
    &rules!("log.op"; "log.precision-full"; "log.precision-partial"),
    &rules!("exp.op"; "exp.precision-full"; "exp.precision-partial"),
    &rules!("sqrt.op", "sqrt.precision", "ref.ulp";;),
    &rules!("rsq.op", "rsq.precision", "ref.ulp";;),
    &rules!("sin.op", "sin.precision", "sin.range";;),
    &rules!("cos.op", "cos.precision", "cos.range";;),
    &rules!("pow.op", "pow.precision";;),
];
