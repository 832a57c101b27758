//! The steps of exact quotients and roots (Gen9): `math` with `invm` and `rsqtm`, and `madm`. Operands are registers
//! with, or without, a macro register beside them that has more digits and exponents (D-eu-math-macros).

use parallax_isa::eu::{
    DataType, State,
    register::{REGISTER_BYTES, RegisterFile},
};

use super::{
    exact::Exact,
    fields::Generation,
    instruction::{Instruction, Source},
    mask::MaskRule,
    math,
    modes::{Modes, Rounding},
};
use crate::eu::{
    condition::Condition,
    instruction::{Layout, Origin},
};

/// What a step does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Quotient,
    Root,
    MultiplyAdd,
}

/// An operand: a general register, and a macro register unless it is an ordinary number.
#[derive(Clone, Copy)]
struct Place {
    register: usize,
    wide: Option<usize>,
    absolute: bool,
    negate: bool,
}

/// A step, resolved.
pub(super) struct MacroOp {
    kind: Kind,
    rule: MaskRule,
    is_double: bool,
    channels: usize,
    sources: [Option<Place>; 3],
    destination: Place,
}

/// A value on the way. A number that is not zero has digits.
#[derive(Clone, Copy)]
enum Value {
    Number(Exact),
    Infinity(bool),
    Nan,
}

/// Digits that a macro register of DF keeps; one of F is a binary64.
const WIDE_DIGITS: i32 = 60;

/// Digits of what the first step finds.
const FIRST_DIGITS: u32 = 24;

impl MacroOp {
    /// Whether an instruction is a first step.
    pub(super) fn is_first(instruction: &Instruction) -> bool {
        instruction.operation.name == "math"
            && matches!(math::name(instruction.function), Some("invm" | "rsqtm"))
    }

    /// Resolves a step; a sentence where nothing says what it does.
    pub(super) fn new(instruction: &Instruction) -> Result<Self, &'static str> {
        if instruction.generation != Generation::Gen9 {
            return Err("this device has no math macros");
        }
        let to = instruction.destination.data_type;
        let is_double = to == DataType::Df;
        let most = if is_double { 4 } else { 8 };
        let alike = instruction.used_sources().iter().all(|source| source.data_type() == to);
        if !alike || !matches!(to, DataType::F | DataType::Df) {
            return Err("a math macro of other types than F or DF");
        }
        if !instruction.align16 || instruction.execution_size > most {
            return Err("a math macro of too many channels, or not in Align16");
        }
        if instruction.saturate || instruction.accumulator_control {
            return Err("a math macro that saturates, or writes the accumulator");
        }
        let kind = match math::name(instruction.function) {
            _ if instruction.operation.name == "madm" => Kind::MultiplyAdd,
            Some("invm") => Kind::Quotient,
            _ => Kind::Root,
        };
        if kind == Kind::MultiplyAdd && instruction.condition != Condition::None {
            return Err("a madm with a conditional modifier");
        }
        if u32::from(instruction.first_channel) + u32::from(instruction.execution_size) > 32 {
            return Err("the group of channels goes beyond channel 31");
        }
        let last = u32::from(instruction.first_channel) + u32::from(instruction.execution_size);
        if kind != Kind::MultiplyAdd && instruction.flag & 1 == 1 && last > 16 {
            return Err("half a flag register has no bits for channels beyond 15");
        }
        let mut sources = [None; 3];
        for (place, source) in sources.iter_mut().zip(instruction.used_sources()) {
            *place = Some(Place::of(source)?);
        }
        let destination = &instruction.destination;
        let channels = u32::MAX >> (32 - u32::from(instruction.execution_size));
        Ok(Self {
            kind,
            rule: MaskRule::of(instruction, channels, false),
            is_double,
            channels: instruction.execution_size.into(),
            sources,
            destination: Place {
                register: whole_register(destination.file, destination.origin)
                    .ok_or("a math macro that does not write a whole register")?,
                wide: macro_register(destination.channel_enable)?,
                absolute: false,
                negate: false,
            },
        })
    }

    /// Does it for every enabled channel.
    pub(super) fn run(&self, state: &mut State, active: u32) -> Result<(), &'static str> {
        let modes = Modes::of(state);
        if modes.alternative && !self.is_double {
            return Err("a math macro in the alternative mode");
        }
        let (enabled, _) = self.rule.enabled(state, active);
        let mut early = 0;
        let mut results = [None; 8];
        for channel in (0..self.channels).filter(|channel| enabled >> channel & 1 == 1) {
            let mut operands = [Value::Nan; 3];
            for (value, place) in operands.iter_mut().zip(&self.sources) {
                if let Some(place) = place {
                    *value = self.read(state, *place, channel, &modes)?;
                }
            }
            let [a, b, c] = operands;
            let (result, is_final) = match self.kind {
                Kind::Quotient => quotient(a, b),
                Kind::Root => root(a),
                Kind::MultiplyAdd => (multiply_add(a, b, c, modes.rounding), false),
            };
            early |= u32::from(is_final) << channel;
            results[channel] = Some(result);
        }
        for (channel, result) in results.into_iter().enumerate() {
            if let Some(result) = result {
                self.write(state, channel, result, &modes);
            }
        }
        if self.kind != Kind::MultiplyAdd {
            self.rule.set_flags(state, enabled, early);
        }
        Ok(())
    }

    fn read(
        &self,
        state: &State,
        place: Place,
        channel: usize,
        modes: &Modes,
    ) -> Result<Value, &'static str> {
        let value = match place.wide {
            Some(number) if self.is_double => {
                let [digits, rest] = wide_channels(number, channel).map(|at| *slot(state, at));
                unpack(digits, rest)?
            }
            Some(number) => of_bits(*slot(state, 8 * number + channel), 52, 11),
            None => {
                let keep = if self.is_double { modes.keep_double } else { modes.keep_single };
                let bits = load(state, place.register, channel, self.is_double);
                let (fraction, exponent) = if self.is_double { (52, 11) } else { (23, 8) };
                let is_denormal = bits >> fraction & ((1 << exponent) - 1) == 0;
                let sign = 1 << (fraction + exponent);
                of_bits(if is_denormal && !keep { bits & sign } else { bits }, fraction, exponent)
            }
        };
        let value = if place.absolute { value.with_sign(false) } else { value };
        Ok(if place.negate { value.with_sign(!value.is_negative()) } else { value })
    }

    fn write(&self, state: &mut State, channel: usize, value: Value, modes: &Modes) {
        let (fraction, exponent, keep) = match self.is_double {
            true => (52, 11, modes.keep_double),
            false => (23, 8, modes.keep_single),
        };
        let value = match self.destination.wide {
            Some(number) if self.is_double => {
                let (digits, rest) = pack(value, modes.rounding);
                let [first, second] = wide_channels(number, channel);
                *slot_mut(state, first) = digits;
                *slot_mut(state, second) = rest;
                value
            }
            Some(number) => {
                *slot_mut(state, 8 * number + channel) = to_bits(value, modes.rounding, 52, 11);
                value
            }
            None => value,
        };
        let bits = to_bits(value, modes.rounding, fraction, exponent);
        let is_denormal = bits >> fraction & ((1 << exponent) - 1) == 0;
        let bits = if is_denormal && !keep { bits & 1 << (fraction + exponent) } else { bits };
        let size = if self.is_double { 8 } else { 4 };
        let register = &mut state.grf[self.destination.register];
        register[size * channel..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
    }
}

impl Place {
    fn of(source: &Source) -> Result<Self, &'static str> {
        let Source::Register(region) = source else {
            return Err("a math macro of an immediate");
        };
        let Layout::Swizzle { vertical: 1.., select: [low, high, ..] } = region.layout else {
            return Err("a math macro of an element for all channels");
        };
        Ok(Self {
            register: whole_register(region.file, region.origin)
                .ok_or("a math macro that does not read a whole register")?,
            wide: macro_register(low | high << 2)?,
            absolute: region.absolute,
            negate: region.negate,
        })
    }
}

fn whole_register(file: RegisterFile, origin: Origin) -> Option<usize> {
    match origin {
        Origin::Direct { number, subregister: 0 } if file == RegisterFile::Grf => {
            (usize::from(number) < 128).then_some(number.into())
        }
        _ => None,
    }
}

/// The macro register that a field names; 8 is none.
fn macro_register(code: u8) -> Result<Option<usize>, &'static str> {
    match code {
        0..=7 => Ok(Some(code.into())),
        8 => Ok(None),
        _ => Err("there is no such macro register"),
    }
}

/// Macro registers lie from the third accumulator on, eight channels each.
fn slot(state: &State, at: usize) -> &u64 {
    &state.accumulator.as_flattened()[32 + at]
}

fn slot_mut(state: &mut State, at: usize) -> &mut u64 {
    &mut state.accumulator.as_flattened_mut()[32 + at]
}

/// Those of a channel of DF: digits; sign, kind and exponent.
fn wide_channels(number: usize, channel: usize) -> [usize; 2] {
    [0, 1].map(|half| 8 * number + 2 * channel + half)
}

fn load(state: &State, register: usize, channel: usize, is_double: bool) -> u64 {
    let size = if is_double { 8 } else { 4 };
    let bytes: &[u8; REGISTER_BYTES] = &state.grf[register];
    bytes[size * channel..][..size].iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

impl Value {
    fn is_negative(self) -> bool {
        match self {
            Self::Number(exact) => exact.negative,
            Self::Infinity(negative) => negative,
            Self::Nan => false,
        }
    }

    fn with_sign(self, negative: bool) -> Self {
        match self {
            Self::Number(exact) => Self::Number(Exact { negative, ..exact }),
            Self::Infinity(_) => Self::Infinity(negative),
            Self::Nan => Self::Nan,
        }
    }

    fn is_zero(self) -> bool {
        matches!(self, Self::Number(exact) if exact.digits == 0)
    }

    /// A binary64 of the same class and sign.
    fn class(self) -> f64 {
        let magnitude = match self {
            Self::Number(exact) if exact.digits == 0 => 0.0,
            Self::Number(_) => 1.0,
            Self::Infinity(_) => f64::INFINITY,
            Self::Nan => return f64::NAN,
        };
        if self.is_negative() { -magnitude } else { magnitude }
    }
}

/// `a + b * c`, not rounded yet.
fn multiply_add(a: Value, b: Value, c: Value, rounding: Rounding) -> Value {
    if let [Value::Number(a), Value::Number(b), Value::Number(c)] = [a, b, c] {
        return Value::Number(b.times(c).plus(a, rounding));
    }
    match b.class().mul_add(c.class(), a.class()) {
        infinity if infinity.is_infinite() => Value::Infinity(infinity < 0.0),
        _ => Value::Nan,
    }
}

const ZERO: Exact = Exact { negative: false, digits: 0, exponent: 0 };

/// About 1 / b, or the whole quotient where that is no number or zero.
fn quotient(a: Value, b: Value) -> (Value, bool) {
    let negative = a.is_negative() != b.is_negative();
    match (a, b) {
        (Value::Nan, _) | (_, Value::Nan) | (Value::Infinity(_), Value::Infinity(_)) => {
            (Value::Nan, true)
        }
        _ if a.is_zero() && b.is_zero() => (Value::Nan, true),
        (Value::Infinity(_), _) => (Value::Infinity(negative), true),
        _ if b.is_zero() => (Value::Infinity(negative), true),
        (_, Value::Infinity(_)) => (Value::Number(Exact { negative, ..ZERO }), true),
        _ if a.is_zero() => (Value::Number(Exact { negative, ..ZERO }), true),
        (_, Value::Number(b)) => {
            let bits = 128 - b.digits.leading_zeros();
            // 2^(bits + 23) / digits has 24 digits, or is the next power of two.
            let power = bits + FIRST_DIGITS - 1;
            let digits = (1_u128 << power) / b.digits;
            let exponent = -power.cast_signed() - b.exponent;
            (Value::Number(Exact { negative: b.negative, digits, exponent }), false)
        }
    }
}

/// About 1 / the root of a, or the whole root where that is no number, infinite or zero.
fn root(a: Value) -> (Value, bool) {
    match a {
        _ if a.is_zero() => (a, true),
        Value::Nan => (Value::Nan, true),
        _ if a.is_negative() => (Value::Nan, true),
        Value::Infinity(_) => (a, true),
        Value::Number(a) => {
            // An even exponent, and 61 or 62 digits: the root of 2^126 / digits has 33, or is the next power of two.
            let up = 62 - (128 - a.digits.leading_zeros()).cast_signed();
            let up = up - (a.exponent - up).rem_euclid(2);
            let (digits, exponent) = (a.digits << up, a.exponent - up);
            let found = ((1_u128 << 126) / digits).isqrt();
            let more = 128 - found.leading_zeros() - FIRST_DIGITS;
            let exponent = -63 - exponent / 2 + more.cast_signed();
            let value = Exact { negative: false, digits: found >> more, exponent };
            (Value::Number(value), false)
        }
    }
}

/// So many digits of a number that is not zero, rounded: digits and exponent.
fn cut(exact: Exact, digits: i32, least: i32, rounding: Rounding) -> (u128, i32) {
    let exponent = (exact.top() - digits).max(least);
    let shift = exponent - exact.exponent;
    if shift <= 0 {
        return (exact.digits << -shift, exponent);
    }
    let shift = shift.min(127);
    let kept = exact.digits >> shift;
    let (rest, half) = (exact.digits - (kept << shift), 1_u128 << (shift - 1));
    let up = match rounding {
        Rounding::NearestEven => rest > half || rest == half && kept & 1 == 1,
        _ => rest != 0 && rounding.away(exact.negative),
    };
    (kept + u128::from(up), exponent)
}

/// A number of a format with so many bits of fraction and exponent.
fn of_bits(bits: u64, fraction: u32, exponent: u32) -> Value {
    let negative = bits >> (fraction + exponent) & 1 == 1;
    let field = (bits >> fraction & ((1 << exponent) - 1)) as i32;
    let digits = u128::from(bits & ((1 << fraction) - 1));
    let bias = (1 << (exponent - 1)) - 1 + fraction.cast_signed();
    match (field, digits) {
        (0, _) => Value::Number(Exact { negative, digits, exponent: 1 - bias }),
        (field, 0) if field == (1 << exponent) - 1 => Value::Infinity(negative),
        (field, _) if field == (1 << exponent) - 1 => Value::Nan,
        (field, _) => {
            let digits = digits | 1 << fraction;
            Value::Number(Exact { negative, digits, exponent: field - bias })
        }
    }
}

/// The number of such a format that a value rounds to.
fn to_bits(value: Value, rounding: Rounding, fraction: u32, exponent: u32) -> u64 {
    let infinity = ((1_u64 << exponent) - 1) << fraction;
    let sign = u64::from(value.is_negative()) << (fraction + exponent);
    let exact = match value {
        Value::Nan => return infinity | 1 << (fraction - 1),
        Value::Infinity(_) => return sign | infinity,
        Value::Number(exact) if exact.digits == 0 => return sign,
        Value::Number(exact) => exact,
    };
    let least = 2 - (1 << (exponent - 1)) - fraction.cast_signed();
    let (digits, place) = cut(exact, fraction.cast_signed() + 1, least, rounding);
    // The implied digit adds one to the exponent; so does a carry.
    let field = u64::from((place - least).cast_unsigned());
    let magnitude = field.saturating_mul(1 << fraction).saturating_add(digits as u64);
    if magnitude >= infinity {
        let infinite = rounding == Rounding::NearestEven || rounding.away(exact.negative);
        return sign | (infinity - u64::from(!infinite));
    }
    sign | magnitude
}

/// Kinds in the upper halves of wide channels.
const NUMBER: u64 = 0;
const NOTHING: u64 = 1;
const INFINITE: u64 = 2;
const NO_NUMBER: u64 = 3;

/// A wide channel of a value: digits, the highest of 60 one; bit 63 the sign, 33:32 the kind, 31:0 the exponent.
fn pack(value: Value, rounding: Rounding) -> (u64, u64) {
    let sign = u64::from(value.is_negative()) << 63;
    match value {
        Value::Nan => (0, NO_NUMBER << 32),
        Value::Infinity(_) => (0, sign | INFINITE << 32),
        Value::Number(exact) if exact.digits == 0 => (0, sign | NOTHING << 32),
        Value::Number(exact) => {
            let (digits, exponent) = cut(exact, WIDE_DIGITS, i32::MIN / 2, rounding);
            // A carry makes a power of two.
            let (digits, exponent) = if digits >> WIDE_DIGITS == 0 {
                (digits, exponent)
            } else {
                (digits >> 1, exponent + 1)
            };
            (digits as u64, sign | NUMBER << 32 | u64::from(exponent.cast_unsigned()))
        }
    }
}

fn unpack(digits: u64, rest: u64) -> Result<Value, &'static str> {
    let negative = rest >> 63 == 1;
    let number =
        |digits: u64, exponent| Value::Number(Exact { negative, digits: digits.into(), exponent });
    let exponent = (rest as u32).cast_signed();
    match (rest >> 32 & 0x7FFF_FFFF, digits >> (WIDE_DIGITS - 1)) {
        (NUMBER, 1) if exponent.unsigned_abs() < 1 << 20 => Ok(number(digits, exponent)),
        (NOTHING, 0) if digits == 0 && rest as u32 == 0 => Ok(number(0, 0)),
        (INFINITE, 0) if digits == 0 && rest as u32 == 0 => Ok(Value::Infinity(negative)),
        (NO_NUMBER, 0) if digits == 0 && rest as u32 == 0 && !negative => Ok(Value::Nan),
        _ => Err("a macro register that no math macro of its type has written"),
    }
}
