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

use super::{
    convert::to_destination_type,
    execution::Execution,
    macros,
    number::{ExecutionType, FloatMode, Value},
    operand::Operands,
    result::{self, Computed},
    thread::{Executed, Unpredictable},
};
use crate::number::{Accuracy, Approximate, Number, function};

/// A unit of the last place of half precision, as a power of two below the value.
const HALF_UNIT: i32 = -10;

/// What a function comes to.
enum Outcome {
    /// This number or, of NaNs, any.
    Exact(Number),
    /// About a number.
    About(Approximate),
    /// Nobody says what.
    Open,
}

use Outcome::{About, Open};

/// `math`: dst = the function of src0, or of src0 and src1.
pub(super) fn math(x: &mut Execution) -> Executed {
    let Some(function) = x.instruction.math else {
        return Err(Unpredictable("math without a function".to_owned()));
    };
    let is_float = x.execution_type.is_float();
    match function {
        MathFunction::Invm | MathFunction::Rsqtm => macros::first_step(x, function),
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
    // Decision D-eu-later-math.
    x.settings = x.settings.to_nearest();
    let a = x.source(0)?;
    let b = if function.sources() == 2 { Some(x.source(1)?) } else { None };
    let alternative = x.mode == FloatMode::Alternative;
    let is_half = x.execution_type == ExecutionType::Half
        || x.instruction.destination.data_type == DataType::Hf;
    let settings = x.settings;
    let instruction = x.instruction;
    let (from, to) = (x.execution_type, instruction.destination.data_type);
    let stored = |number| {
        let value = Value::Float(number);
        to_destination_type(value, from, to, instruction.saturate, &settings)
    };
    // An accumulator keeps more of a result.
    let is_cut_off = !x.writes_accumulator();
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
            About(about) => {
                let about = if is_half { about.widened(HALF_UNIT) } else { about };
                // Where all that is accepted comes to the same, that is the result.
                let ends = about.tolerance.ends();
                if is_cut_off && ends.map(stored) == [stored(about.number); 2] {
                    Computed::float(about.number)
                } else {
                    with_tolerance(about)
                }
            }
            Open => Computed::UNDEFINED,
        };
        let b = b.as_ref().map_or(&a[n], |b| &b[n]);
        result.of(&[&a[n], b])
    })
}

/// A result within a tolerance.
fn with_tolerance(Approximate { number, tolerance }: Approximate) -> Computed {
    let result = Computed { through_accumulator: true, ..Computed::float(number) };
    result.or(result::Open { tolerance: Some(tolerance), ..result::Open::NOTHING })
}

fn about(number: Number, accuracy: Accuracy) -> Outcome {
    About(Approximate::about(number, accuracy))
}

/// In ALT mode logarithm and roots take the magnitude.
fn in_domain(source: Number, alternative: bool) -> Number {
    if alternative { source.abs() } else { source }
}

fn nan() -> Outcome {
    Outcome::Exact(Number::DEFAULT_NAN)
}

fn inverse(source: Number) -> Outcome {
    let negative = source.is_negative();
    Outcome::Exact(match source {
        Number::Nan { .. } => return nan(),
        Number::Infinity { .. } => Number::ZERO.with_sign(negative),
        _ if source.is_zero() => Number::INFINITY.with_sign(negative),
        _ => return about(function::inverse(source), Accuracy::Units(1)),
    })
}

fn quotient(a: Number, b: Number) -> Outcome {
    let negative = a.is_negative() != b.is_negative();
    match (a, b) {
        _ if a.is_nan() || b.is_nan() => nan(),
        (Number::Infinity { .. }, Number::Infinity { .. }) => nan(),
        _ if a.is_zero() && b.is_zero() => nan(),
        _ if b.is_zero() || a.is_infinite() => Outcome::Exact(Number::INFINITY.with_sign(negative)),
        _ if a.is_zero() || b.is_infinite() => Outcome::Exact(Number::ZERO.with_sign(negative)),
        _ => about(function::quotient(a, b), Accuracy::Units(2)),
    }
}

fn square_root(source: Number) -> Outcome {
    if source.is_zero() {
        return Outcome::Exact(source);
    }
    if source.is_nan() || source.is_negative() {
        return nan();
    }
    if source.is_infinite() || source == Number::ONE {
        return Outcome::Exact(source);
    }
    about(function::square_root(source), Accuracy::Units(1))
}

fn inverse_root(source: Number) -> Outcome {
    if source.is_zero() {
        return Outcome::Exact(Number::INFINITY.with_sign(source.is_negative()));
    }
    if source.is_nan() || source.is_negative() {
        return nan();
    }
    if source.is_infinite() {
        return Outcome::Exact(Number::ZERO);
    }
    if source == Number::ONE {
        return Outcome::Exact(source);
    }
    about(function::inverse_root(source), Accuracy::Units(1))
}

fn log(source: Number) -> Outcome {
    if source.is_zero() {
        return Outcome::Exact(-Number::INFINITY);
    }
    if source.is_nan() || source.is_negative() {
        return nan();
    }
    if source.is_infinite() {
        return Outcome::Exact(source);
    }
    if source == Number::ONE {
        return Outcome::Exact(Number::ZERO);
    }
    about(function::logarithm(source), Accuracy::Relative(-21))
}

fn exp(source: Number) -> Outcome {
    match source {
        Number::Nan { .. } => nan(),
        Number::Infinity { negative: false } => Outcome::Exact(Number::INFINITY),
        Number::Infinity { negative: true } => Outcome::Exact(Number::ZERO),
        _ if source.is_zero() => Outcome::Exact(Number::ONE),
        _ => about(function::exponential_of(source), Accuracy::Relative(-21)),
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
            About(about) => Outcome::Exact(about.number),
            outcome => outcome,
        };
    }
    if by.is_zero() {
        return Outcome::Exact(Number::ONE);
    }
    about(function::power(base, by), Accuracy::Relative(-15))
}

fn sin(source: Number) -> Outcome {
    if !source.is_finite() {
        return nan();
    }
    if source.is_zero() {
        return Outcome::Exact(source);
    }
    About(function::sine_of(source))
}

fn cos(source: Number) -> Outcome {
    if !source.is_finite() {
        return nan();
    }
    if source.is_zero() {
        return Outcome::Exact(Number::ONE);
    }
    About(function::cosine_of(source))
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
    let results = |wanted: fn(i128, i128) -> i128| {
        let channel = |n| division(&a, &b, n, is_signed, wanted);
        x.channels().map(channel).collect::<Vec<_>>()
    };
    let quotients = results(|a, b| a / b);
    let remainders = results(|a, b| a % b);
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
