//! `math` of Gen7 and later: the functions that were messages to the Extended Math unit before.
//!
//! Values are worked out well beyond single precision and rounded once; how far hardware may be from
//! them is data, from the table `approximation-tolerances`.

use parallax_isa::eu::{
    DataType, Instruction,
    instruction::MathFunction,
    operand::{Destination, Register},
    register::RegisterFile,
};
use parallax_spec::{decision, rule};

use super::{
    execution::{Execution, Operands},
    number::{ExecutionType, FloatMode},
    region::CHANNELS,
    result::Computed,
    rules::{Rules, count},
    thread::{Executed, Unpredictable},
    tolerance::Tolerance,
};
use crate::number::{
    Exact, FloatFormat, Number,
    elementary::{FRACTION, PI, exponential, fixed, logarithm, root, sine},
};

/// How far from the exact value a result may be.
#[derive(Debug, Clone, Copy)]
enum Accuracy {
    /// So many units of the last place that single precision has in the binade of the value.
    Units(i128),
    /// A part of the value, two to this power.
    Relative(i32),
    /// A number, in ten-thousandths.
    Absolute(u64),
}

/// What a function comes to.
enum Outcome {
    /// This number or, of NaNs, any.
    Exact(Number),
    /// About this number.
    About(Number, Accuracy),
    /// Some number between these two, that one if in doubt.
    Between(Number, [Number; 2]),
    /// Nobody says what.
    Open,
}

use Outcome::{About, Between, Open};

/// `math`: dst = the function of src0, or of src0 and src1.
pub(super) fn math(x: &mut Execution) -> Executed {
    let Some(function) = x.instruction.math else {
        return Err(Unpredictable("math without a function".to_owned()));
    };
    count(rules!["gen7.isa.math": "function", "nsrc", "gen45-message"]);
    count(rules_of(function));
    let is_float = x.execution_type.is_float();
    match function {
        MathFunction::Invm | MathFunction::Rsqtm => {
            let name = function.name();
            Err(Unpredictable(format!("math {name} works on registers that are not modelled")))
        }
        MathFunction::Idiv | MathFunction::Iqot | MathFunction::Irem if !is_float => {
            divide(x, function)
        }
        MathFunction::Idiv | MathFunction::Iqot | MathFunction::Irem => {
            Err(Unpredictable("a division of integers with float sources".to_owned()))
        }
        _ if !matches!(x.execution_type, ExecutionType::Float | ExecutionType::Half) => {
            Err(Unpredictable("a float function of operands that are no floats".to_owned()))
        }
        _ => approximate(x, function),
    }
}

fn approximate(x: &mut Execution, function: MathFunction) -> Executed {
    decision!("D-eu-later-math");
    rule!("gen9.isa.cr.rounding-scope");
    x.settings = x.settings.to_nearest();
    let a = x.source(0)?;
    let b = if function.sources() == 2 { Some(x.source(1)?) } else { None };
    let alternative = x.mode == FloatMode::Alternative;
    let is_half = x.execution_type == ExecutionType::Half
        || x.instruction.destination.data_type == DataType::Hf;
    if x.instruction.saturate {
        rule!("gen7.isa.math.sat");
    }
    rule!("gen7.isa.math.denorm");
    x.each(|n| {
        let first = a[n].float();
        let outcome = match (function, &b) {
            (MathFunction::Inv, _) => inverse(first),
            (MathFunction::Log, _) => log(in_domain(first, alternative)),
            (MathFunction::Exp, _) => exp(first),
            (MathFunction::Sqt, _) => square_root(in_domain(first, alternative)),
            (MathFunction::Rsqt, _) => inverse_root(in_domain(first, alternative)),
            (MathFunction::Sin, _) => sin(first),
            (MathFunction::Cos, _) => cos(first),
            (MathFunction::Fdiv, Some(b)) => quotient(first, b[n].float()),
            (MathFunction::Pow, Some(b)) => power(first, b[n].float(), alternative),
            _ => Open,
        };
        let result = match outcome {
            Outcome::Exact(number) => Computed::float(number),
            About(number, accuracy) => {
                let tolerance = Tolerance::around(number, accuracy.distance(number));
                with_tolerance(number, tolerance, is_half)
            }
            Between(number, [low, high]) => {
                with_tolerance(number, Tolerance::between(low, high), is_half)
            }
            Open => Computed::UNDEFINED,
        };
        let b = b.as_ref().map_or(&a[n], |b| &b[n]);
        result.of(&[&a[n], b])
    })
}

/// A result within a tolerance; in half precision a unit more.
fn with_tolerance(number: Number, tolerance: Tolerance, is_half: bool) -> Computed {
    let tolerance = if is_half { tolerance.widened(Accuracy::HALF_UNIT) } else { tolerance };
    let tolerance = Some(tolerance);
    Computed { tolerance, through_accumulator: true, ..Computed::float(number) }
}

impl Accuracy {
    /// A unit of the last place of half precision, as a power of two below the value.
    const HALF_UNIT: i32 = -10;

    fn distance(self, number: Number) -> Number {
        match self {
            Self::Units(units) => {
                let highest = number.finite_non_zero().map_or(0, |number| number.highest_digit());
                let last = highest.max(FloatFormat::BINARY32.least_exponent()) - 23;
                Number::integer(units).scaled(last)
            }
            Self::Relative(power) => number.abs().scaled(power),
            Self::Absolute(parts) => Number::Finite(Exact::quotient(parts.into(), 10_000)),
        }
    }
}

/// In ALT mode logarithm and roots take the magnitude.
fn in_domain(source: Number, alternative: bool) -> Number {
    if alternative && source.is_negative() {
        rule!("gen7.alt.math-abs");
        return source.abs();
    }
    source
}

/// Significand and exponent of a finite number that is not zero.
fn parts(number: Number) -> (u128, i32) {
    let number = number.finite().unwrap_or(Exact::ZERO);
    (number.significand, number.exponent)
}

/// The same with an even exponent.
fn even_parts(number: Number) -> (u128, i32) {
    let (significand, exponent) = parts(number);
    if exponent % 2 == 0 { (significand, exponent) } else { (significand << 1, exponent - 1) }
}

fn nan() -> Outcome {
    Outcome::Exact(Number::DEFAULT_NAN)
}

fn inverse(source: Number) -> Outcome {
    let negative = source.is_negative();
    Outcome::Exact(match source {
        Number::Nan { .. } => return nan(),
        Number::Infinity { .. } => {
            rule!("gen7.ieee.recip-inf");
            Number::ZERO.with_sign(negative)
        }
        _ if source.is_zero() => {
            count(rules!["gen7": "ieee.inv-zero", "alt.rcp-zero"]);
            Number::INFINITY.with_sign(negative)
        }
        _ => {
            let (significand, exponent) = parts(source);
            let value = Exact::quotient(1, significand as u64).scaled(-exponent);
            return About(Number::Finite(value).with_sign(negative), Accuracy::Units(1));
        }
    })
}

fn quotient(a: Number, b: Number) -> Outcome {
    let negative = a.is_negative() != b.is_negative();
    match (a, b) {
        _ if a.is_nan() || b.is_nan() => nan(),
        (Number::Infinity { .. }, Number::Infinity { .. }) => {
            rule!("gen7.ieee.inf-div-inf");
            nan()
        }
        _ if a.is_zero() && b.is_zero() => nan(),
        _ if b.is_zero() || a.is_infinite() => Outcome::Exact(Number::INFINITY.with_sign(negative)),
        _ if a.is_zero() || b.is_infinite() => Outcome::Exact(Number::ZERO.with_sign(negative)),
        _ => {
            let ((numerator, up), (denominator, down)) = (parts(a), parts(b));
            let value = Exact::quotient(numerator, denominator as u64).scaled(up - down);
            About(Number::Finite(value).with_sign(negative), Accuracy::Units(2))
        }
    }
}

fn square_root(source: Number) -> Outcome {
    if source.is_zero() {
        rule!("gen7.ieee.sqrt-minus-zero");
        return Outcome::Exact(source);
    }
    if source.is_nan() || source.is_negative() {
        rule!("gen7.ieee.sqrt-negative");
        return nan();
    }
    if source.is_infinite() || source == Number::ONE {
        return Outcome::Exact(source);
    }
    let (significand, exponent) = even_parts(source);
    let value = root(significand << 100) as i128;
    About(Number::integer(value).scaled(exponent / 2 - 50), Accuracy::Units(1))
}

fn inverse_root(source: Number) -> Outcome {
    if source.is_zero() {
        count(rules!["gen7": "ieee.rsq-zero", "alt.rcp-zero"]);
        return Outcome::Exact(Number::INFINITY.with_sign(source.is_negative()));
    }
    if source.is_nan() || source.is_negative() {
        rule!("gen7.ieee.rsq-negative");
        return nan();
    }
    if source.is_infinite() {
        return Outcome::Exact(Number::ZERO);
    }
    if source == Number::ONE {
        return Outcome::Exact(source);
    }
    let (significand, exponent) = even_parts(source);
    let value = root((1 << 126) / significand) as i128;
    About(Number::integer(value).scaled(-63 - exponent / 2), Accuracy::Units(1))
}

/// The logarithm of a positive finite number to base 2, in fixed point.
fn logarithm_of(source: Number) -> i128 {
    let (significand, exponent) = parts(source);
    let highest = significand.ilog2();
    let fraction = logarithm(significand << (FRACTION - highest));
    (i128::from(exponent + highest as i32) << FRACTION) + fraction
}

fn log(source: Number) -> Outcome {
    if source.is_zero() {
        rule!("gen7.ieee.log-zero");
        return Outcome::Exact(-Number::INFINITY);
    }
    if source.is_nan() || source.is_negative() {
        rule!("gen7.ieee.log-negative");
        return nan();
    }
    if source.is_infinite() {
        return Outcome::Exact(source);
    }
    if source == Number::ONE {
        return Outcome::Exact(Number::ZERO);
    }
    let value = Number::integer(logarithm_of(source)).scaled(-(FRACTION as i32));
    About(value, Accuracy::Relative(-21))
}

/// Two to a power in fixed point, its magnitude below 2^12.
fn exponential_of(power: i128) -> Number {
    let (whole, fraction) = (power >> FRACTION, power & ((1 << FRACTION) - 1));
    Number::integer(exponential(fraction) as i128).scaled(whole as i32 - FRACTION as i32)
}

/// A number in fixed point, of all that are beyond the range of exponents some.
fn exponent(source: Number) -> i128 {
    let limit = Number::integer(1000);
    let source = if source > limit {
        limit
    } else if source < -limit {
        -limit
    } else {
        source
    };
    fixed(source)
}

fn exp(source: Number) -> Outcome {
    match source {
        Number::Nan { .. } => nan(),
        Number::Infinity { negative: false } => Outcome::Exact(Number::INFINITY),
        Number::Infinity { negative: true } => Outcome::Exact(Number::ZERO),
        _ if source.is_zero() => Outcome::Exact(Number::ONE),
        _ => About(exponential_of(exponent(source)), Accuracy::Relative(-21)),
    }
}

fn power(base: Number, by: Number, alternative: bool) -> Outcome {
    if base.is_nan() || by.is_nan() {
        return nan();
    }
    if alternative && by.is_zero() {
        return Outcome::Exact(Number::ONE);
    }
    if base.is_infinite() && base.is_negative() && !by.is_negative() && !by.is_zero() {
        // The formula and the manual's table disagree.
        return Open;
    }
    let base = base.abs();
    if base.is_zero() || base.is_infinite() || base == Number::ONE || !by.is_finite() {
        let one = Number::ONE;
        let logarithm = if base.is_zero() || base < one {
            -Number::INFINITY
        } else if base == one {
            Number::ZERO
        } else {
            Number::INFINITY
        };
        return match exp(by.times(logarithm)) {
            About(number, _) => Outcome::Exact(number),
            outcome => outcome,
        };
    }
    if by.is_zero() {
        return Outcome::Exact(Number::ONE);
    }
    let logarithm = Number::integer(logarithm_of(base)).scaled(-(FRACTION as i32));
    About(exponential_of(exponent(by.times(logarithm))), Accuracy::Relative(-15))
}

/// How far a sine may be off: 0.0008.
const SINE: Accuracy = Accuracy::Absolute(8);

/// An angle brought to -pi to pi, in fixed point.
fn angle(source: Number) -> i128 {
    if source.abs() >= Number::ONE.scaled(60) {
        return 0;
    }
    let angle = fixed(source) % (2 * PI);
    if angle > PI {
        angle - 2 * PI
    } else if angle < -PI {
        angle + 2 * PI
    } else {
        angle
    }
}

/// A sine or cosine by its value in fixed point: within 0.0008 up to 100 pi, beyond it anything there
/// is.
fn wave(source: Number, value: i128) -> Outcome {
    let value = Number::integer(value).scaled(-(FRACTION as i32));
    let limit = Number::integer(100 * PI).scaled(-(FRACTION as i32));
    let (least, greatest) = (-Number::ONE, Number::ONE);
    if source.abs() > limit {
        return Between(value, [least, greatest]);
    }
    let [low, high] = Tolerance::around(value, SINE.distance(value)).ends();
    let clip = |number: Number| {
        if number < least {
            least
        } else if number > greatest {
            greatest
        } else {
            number
        }
    };
    Between(value, [clip(low), clip(high)])
}

fn sin(source: Number) -> Outcome {
    if !source.is_finite() {
        return nan();
    }
    if source.is_zero() {
        return Outcome::Exact(source);
    }
    let angle = angle(source);
    // sin x = sin(pi - x)
    let value = if angle > PI / 2 {
        sine(PI - angle)
    } else if angle < -PI / 2 {
        sine(-PI - angle)
    } else {
        sine(angle)
    };
    wave(source, value)
}

fn cos(source: Number) -> Outcome {
    if !source.is_finite() {
        return nan();
    }
    if source.is_zero() {
        return Outcome::Exact(Number::ONE);
    }
    // cos x = sin(pi/2 - |x|)
    wave(source, sine(PI / 2 - angle(source).abs()))
}

/// `idiv`, `iqot`, `irem`: truncated toward zero, the remainder has the sign of src0; `idiv` writes the
/// quotient to dst and the remainder to the next register.
fn divide(x: &mut Execution, function: MathFunction) -> Executed {
    let (a, b) = (x.source(0)?, x.source(1)?);
    let is_signed = match x.source_types() {
        [DataType::D, DataType::D] => true,
        [DataType::Ud, DataType::Ud] => false,
        _ => {
            return Err(Unpredictable("a division of other types than two D or two UD".to_owned()));
        }
    };
    count(rules!["gen7.isa.math": "idiv-signed", "idiv-zero"]);
    let results = |wanted: fn(i128, i128) -> i128| {
        std::array::from_fn(|n| division(&a, &b, n, is_signed, wanted))
    };
    let quotients: [Computed; CHANNELS] = results(|a, b| a / b);
    let remainders: [Computed; CHANNELS] = results(|a, b| a % b);
    match function {
        MathFunction::Irem => x.write(&remainders),
        MathFunction::Iqot => x.write(&quotients),
        _ => {
            let first = x.instruction.destination.register;
            let Register::Direct { file: RegisterFile::Grf, number, subregister } = first else {
                return Err(Unpredictable("idiv writes two general registers".to_owned()));
            };
            let next = number.wrapping_add(1);
            let register = Register::Direct { file: RegisterFile::Grf, number: next, subregister };
            let destination = Destination { register, ..x.instruction.destination };
            let second = Instruction { destination, ..*x.instruction };
            let places = x.thread.destination_places(&destination, 4, x.channels().end)?;
            x.check_destination(&places)?;
            x.write(&quotients)?;
            x.with_instruction(&second).write(&remainders)
        }
    }
}

fn division(
    a: &Operands,
    b: &Operands,
    n: usize,
    is_signed: bool,
    wanted: fn(i128, i128) -> i128,
) -> Computed {
    let (dividend, divisor) = (a[n].integer(), b[n].integer());
    let result = match (divisor, is_signed) {
        (0, false) => Computed::integer(0xFFFF_FFFF),
        (0, true) if dividend < 0 => Computed::integer(-0x8000_0000),
        (0, true) => Computed::integer(0x7FFF_FFFF),
        (-1, true) if dividend == -0x8000_0000 => Computed::UNDEFINED,
        _ => Computed::integer(wanted(dividend, divisor)),
    };
    result.of(&[&a[n], &b[n]])
}

/// The rules of a function.
fn rules_of(function: MathFunction) -> Rules {
    match function {
        MathFunction::Inv => rules!["gen7.isa.math": "fc-inv"],
        MathFunction::Log => rules!["gen7.isa.math": "fc-log"],
        MathFunction::Exp => rules!["gen7.isa.math": "fc-exp"],
        MathFunction::Sqt => rules!["gen7.isa.math": "fc-sqt"],
        MathFunction::Rsqt => rules!["gen7.isa.math": "fc-rsqt"],
        MathFunction::Sin => rules!["gen7.isa.math": "fc-sin"],
        MathFunction::Cos => rules!["gen7.isa.math": "fc-cos"],
        MathFunction::Fdiv => rules!["gen7.isa.math": "fc-fdiv"],
        MathFunction::Pow => rules!["gen7.isa.math": "fc-pow"],
        MathFunction::Idiv => rules!["gen7.isa.math": "idiv"],
        MathFunction::Iqot => rules!["gen7.isa.math": "iqot"],
        MathFunction::Irem => rules!["gen7.isa.math": "irem"],
        MathFunction::Invm | MathFunction::Rsqtm => rules![],
    }
}
