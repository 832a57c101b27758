//! The steps of exact quotients and roots (Skylake): `math` with `invm` and `rsqtm`, and `madm`. Each operand is a
//! general register, and with it may go a macro register, `mme0` to `mme7`, in which a number has more digits
//! and exponents.

use parallax_isa::{
    Acceptance, Extent, Image,
    device::Generation,
    eu::{
        DataType, Instruction, Opcode,
        instruction::{AccessMode, ConditionalModifier, MathFunction},
        operand::{DestinationRegion, Region, Register, Source, VerticalStride},
        register::RegisterFile,
    },
};

use super::{
    accumulator,
    execution::Execution,
    flags::FlagUpdate,
    number::FloatMode,
    record::{MacroChannel, MacroStep, Observed},
    region::Place,
    thread::{Executed, Unpredictable},
};
use crate::number::{Context, Denormals, Exact, FloatFormat, Number, Overflow, Rounding, function};

/// Digits of a number in a macro register of DF; one of F is a binary64 number.
const WIDE_DIGITS: i32 = 60;
/// Digits of what a first step finds, cut off.
const FIRST_DIGITS: i32 = 24;
/// The exponents that a macro register is read with are below this, positive or negative.
const EXPONENTS: u32 = 1 << 20;

/// The macro register of an operand: none beside an ordinary number.
type Wide = Option<usize>;

/// An operand of a step.
#[derive(Debug, Clone, Copy)]
struct Operand {
    register: Register,
    wide: Wide,
}

/// Whether an instruction is a step of an exact quotient or root: its channel enables name a macro register.
pub(super) fn is_step(instruction: &Instruction) -> bool {
    instruction.opcode == Opcode::Madm
        || matches!(instruction.math, Some(MathFunction::Invm | MathFunction::Rsqtm))
}

/// `math` with a first step: about one divided by a number or by its root; where the quotient or the root itself
/// is zero, infinite or not a number, that, and a set flag.
pub(super) fn first_step(x: &mut Execution, function: MathFunction) -> Executed {
    check(x)?;
    let is_quotient = function == MathFunction::Invm;
    let first = source(x, 0)?;
    let second = if is_quotient { Some(source(x, 1)?) } else { None };
    let group = usize::from(x.instruction.first_channel) + x.channels().end;
    if x.instruction.flag_subregister == 1 && group > 16 {
        return refuse("half a flag register has no bits for channels beyond 15");
    }
    let mut results = Vec::new();
    for channel in x.enabled_channels() {
        let a = read(x, 0, &first, channel)?;
        let (result, is_final) = match &second {
            Some(second) => quotient(a, read(x, 1, second, channel)?),
            None => root(a),
        };
        results.push((channel, result, is_final));
    }
    let destination = destination(x)?;
    let mut observed = observed(x, &[Some(first), second])?;
    let mut flags = FlagUpdate::default();
    for (channel, result, is_final) in results {
        write(x, destination, channel, result)?;
        flags.set(channel, is_final, true);
        observed.iter_mut().filter(|it| it.number == channel).for_each(|it| it.is_final = is_final);
    }
    lend(x, &destination, observed)?;
    // The flag is written without a conditional modifier.
    let flagged = Instruction { condition: ConditionalModifier::NotEqual, ..*x.instruction };
    x.with_instruction(&flagged).write_flags(flags);
    Ok(())
}

/// `madm`: dst = src0 + src1 * src2, rounded once.
pub(super) fn madm(x: &mut Execution) -> Executed {
    check(x)?;
    if x.instruction.condition != ConditionalModifier::None {
        return refuse("a madm with a conditional modifier");
    }
    let sources = [source(x, 0)?, source(x, 1)?, source(x, 2)?];
    let destination = destination(x)?;
    let rounding = context(x).rounding;
    let mut results = Vec::new();
    for channel in x.enabled_channels() {
        let [a, b, c] = [0, 1, 2].map(|index| read(x, index, &sources[index], channel));
        let product = b?.times(c?);
        results.push((channel, Number::sum(&[a?, product], rounding)));
    }
    let observed = observed(x, &sources.map(Some))?;
    for (channel, result) in results {
        write(x, destination, channel, result)?;
    }
    lend(x, &destination, observed)
}

/// What the enabled channels are about to read, for observers; nothing if there is none.
fn observed(x: &Execution, sources: &[Option<Operand>]) -> Executed<Vec<MacroChannel>> {
    if x.thread.observer.is_none() {
        return Ok(Vec::new());
    }
    let channel = |number: usize| {
        let mut channel = MacroChannel {
            number,
            sources: [0; 3],
            is_wider: [false; 3],
            result: 0,
            is_final: false,
        };
        for (index, source) in sources.iter().enumerate() {
            let Some(source) = source else { continue };
            let bits = element(x, source, number)?.read(x.thread.state.image());
            channel.sources[index] = bits;
            let plain = context(x).operand(bits, format(x)).abs();
            channel.is_wider[index] =
                source.wide.is_some() && read(x, index, source, number)?.abs() != plain;
        }
        Ok(channel)
    };
    x.enabled_channels().map(channel).collect()
}

/// Lends a step with the results of its channels to the observer, if there is one.
fn lend(x: &Execution, destination: &Operand, mut channels: Vec<MacroChannel>) -> Executed {
    let Some(observe) = x.thread.observer.filter(|_| !x.thread.readings.is_other()) else {
        return Ok(());
    };
    for channel in &mut channels {
        channel.result = element(x, destination, channel.number)?.read(x.thread.state.image());
    }
    observe(&Observed::Macro(MacroStep {
        device: x.thread.device,
        instruction: x.instruction,
        control: x.thread.state.control[0],
        channels: &channels,
    }));
    Ok(())
}

fn refuse<T>(why: &str) -> Executed<T> {
    Err(Unpredictable(why.to_owned()))
}

/// Refuses what no step is.
fn check(x: &Execution) -> Executed {
    // Decision D-eu-math-macros.
    let instruction = x.instruction;
    if x.settings.generation != Generation::Gen9 {
        return refuse("math macros are of Gen9");
    }
    let to = instruction.destination.data_type;
    let count = instruction.math.map_or(3, MathFunction::sources);
    let mut types = instruction.sources[..count].iter().map(Source::data_type);
    if !matches!(to, DataType::F | DataType::Df) || types.any(|of| of != to) {
        return refuse("a math macro of other types than F or DF");
    }
    let most = if to == DataType::Df { 4 } else { 8 };
    if instruction.access_mode != AccessMode::Align16 || instruction.execution_size > most {
        return refuse("a math macro of too many channels, or not in Align16");
    }
    if instruction.saturate || instruction.accumulator_write {
        return refuse("a math macro that saturates, or writes the accumulator");
    }
    if x.mode == FloatMode::Alternative && to == DataType::F {
        return refuse("a math macro in the alternative mode");
    }
    Ok(())
}

fn format(x: &Execution) -> FloatFormat {
    match x.instruction.destination.data_type {
        DataType::Df => FloatFormat::BINARY64,
        _ => FloatFormat::BINARY32,
    }
}

fn context(x: &Execution) -> Context {
    x.settings.context(format(x))
}

/// How a macro register is rounded to: denormals are kept.
fn wide_context(rounding: Rounding) -> Context {
    let kept = Denormals::Kept;
    Context { rounding, overflow: Overflow::Rounded, input: kept, output: kept }
}

/// The macro register that a field names: 8 is none.
fn wide(code: u8) -> Executed<Wide> {
    match code {
        0..=7 => Ok(Some(code.into())),
        8 => Ok(None),
        _ => refuse("there is no such macro register"),
    }
}

/// Whether an operand is a general register from its first byte on; it is beside a macro register too.
fn is_whole(register: Register) -> bool {
    matches!(register, Register::Direct { file: RegisterFile::Grf, subregister: 0, .. })
}

/// A source: its macro register stands in the first two selectors of the swizzle.
fn source(x: &Execution, index: usize) -> Executed<Operand> {
    match x.instruction.sources[index] {
        Source::Register {
            register,
            region: Region::Align16 { vertical: VerticalStride::Elements(1..), swizzle },
            ..
        } if is_whole(register) => {
            Ok(Operand { register, wide: wide(swizzle[0] + 4 * swizzle[1])? })
        }
        _ => refuse("a source of a math macro is a whole general register"),
    }
}

/// The destination: its macro register stands in the channel enables.
fn destination(x: &Execution) -> Executed<Operand> {
    let destination = x.instruction.destination;
    match destination.region {
        _ if !is_whole(destination.register) => {
            refuse("the destination of a math macro is a whole general register")
        }
        DestinationRegion::ChannelEnable(enables) => {
            Ok(Operand { register: destination.register, wide: wide(enables & 0xF)? })
        }
        DestinationRegion::Stride(_) => refuse("the destination of a math macro is in Align16"),
    }
}

/// Where the element of a channel is in a whole general register.
fn element(x: &Execution, operand: &Operand, channel: usize) -> Executed<Extent> {
    let data_type = x.instruction.destination.data_type;
    let region = Region::Align1 { vertical: VerticalStride::Elements(8), width: 8, horizontal: 1 };
    let sizes = [data_type.size(); 2];
    match x.thread.source_place(operand.register, region, sizes, channel)? {
        Place::Byte(offset) => Ok(Extent::whole(offset, data_type.size())),
        _ => refuse("an operand of a math macro is a whole general register"),
    }
}

/// Where a channel of a macro register is: behind the accumulators of this device, of DF two doublewords of 64 bits.
fn wide_extents(x: &Execution, number: usize, channel: usize) -> [Extent; 2] {
    let is_double = x.instruction.destination.data_type == DataType::Df;
    let first = if is_double { 2 * channel } else { channel };
    let place = |at: usize| accumulator::extent(2 + (8 * number + at) / 16, (8 * number + at) % 16);
    [place(first), place(first + usize::from(is_double))]
}

/// The number of a source in a channel.
fn read(x: &Execution, index: usize, operand: &Operand, channel: usize) -> Executed<Number> {
    let is_double = x.instruction.destination.data_type == DataType::Df;
    let bits = |extent: Extent| -> Executed<u64> {
        if x.thread.is_settled(extent) {
            return Ok(extent.read(x.thread.state.image()));
        }
        refuse("an operand of a math macro that has no value")
    };
    let number = match operand.wide {
        Some(number) => {
            let [first, second] = wide_extents(x, number, channel);
            if is_double {
                unpacked(bits(first)?, bits(second)?)?
            } else {
                FloatFormat::BINARY64.decode(bits(first)?)
            }
        }
        None => context(x).operand(bits(element(x, operand, channel)?)?, format(x)),
    };
    let Source::Register { modifier, .. } = x.instruction.sources[index] else { return Ok(number) };
    let number = if modifier.absolute { number.abs() } else { number };
    Ok(if modifier.negate { -number } else { number })
}

/// Writes a result into the macro register, if there is one, and rounded to the type into the general one.
fn write(x: &mut Execution, operand: Operand, channel: usize, result: Number) -> Executed {
    let format = format(x);
    let context = context(x);
    let place = element(x, &operand, channel)?;
    let result = if result.is_nan() { Number::DEFAULT_NAN } else { result };
    if let Some(number) = operand.wide {
        let [first, second] = wide_extents(x, number, channel);
        if format == FloatFormat::BINARY64 {
            let [digits, rest] = packed(result, context.rounding);
            x.thread.write_register(first, digits);
            x.thread.write_register(second, rest);
        } else {
            let rounded = wide_context(context.rounding).round(result, FloatFormat::BINARY64);
            x.thread.write_register(first, rounded.bits);
        }
    }
    x.thread.write_register(place, context.round(result, format).bits);
    if result.is_nan() {
        let any = if format == FloatFormat::BINARY64 {
            Acceptance::AnyNan64
        } else {
            Acceptance::AnyNan32
        };
        x.thread.expect(place, any);
    }
    Ok(())
}

/// The first so many digits of a number that is not zero.
fn cut(number: Exact, digits: i32, rounding: Rounding) -> Exact {
    let places = number.highest_digit() + 1 - digits - number.exponent;
    if places <= 0 {
        return Exact {
            significand: number.significand << -places,
            exponent: number.exponent + places,
            ..number
        };
    }
    let places = places.unsigned_abs();
    let kept = rounding.cut(number.significand, places, number.sticky, number.negative).kept;
    let exponent = number.exponent + places.cast_signed();
    let cut = Exact { significand: kept, exponent, sticky: false, ..number };
    // Rounded up to the next power of two, it has a digit more.
    if kept >> digits == 0 {
        cut
    } else {
        Exact { significand: kept >> 1, exponent: exponent + 1, ..cut }
    }
}

/// A number found by a first step: with few digits, the others cut off.
fn about(number: Number) -> Number {
    match number {
        Number::Finite(exact) => Number::Finite(cut(exact, FIRST_DIGITS, Rounding::TowardZero)),
        other => other,
    }
}

/// About 1 / b and no flag, or a / b and a flag.
fn quotient(a: Number, b: Number) -> (Number, bool) {
    let negative = a.is_negative() != b.is_negative();
    match (a, b) {
        _ if a.is_nan() || b.is_nan() => (Number::DEFAULT_NAN, true),
        _ if a.is_zero() && b.is_zero() => (Number::DEFAULT_NAN, true),
        _ if a.is_infinite() && b.is_infinite() => (Number::DEFAULT_NAN, true),
        _ if a.is_infinite() || b.is_zero() => (Number::INFINITY.with_sign(negative), true),
        _ if a.is_zero() || b.is_infinite() => (Number::ZERO.with_sign(negative), true),
        _ => (about(function::inverse(b)), false),
    }
}

/// About 1 / the root of a number and no flag, or the root and a flag.
fn root(a: Number) -> (Number, bool) {
    match a {
        _ if a.is_zero() => (a, true),
        _ if a.is_nan() || a.is_negative() => (Number::DEFAULT_NAN, true),
        _ if a.is_infinite() => (a, true),
        _ => (about(function::inverse_root(a)), false),
    }
}

/// What a macro register of DF holds besides numbers.
const KIND: u32 = 32;
const ZERO: u64 = 1;
const INFINITE: u64 = 2;
const NAN: u64 = 3;

/// A number in a macro register of DF: 60 digits, the highest of them one; then bit 63 the sign, 33:32 what it is,
/// 31:0 the power of two of the last digit.
fn packed(number: Number, rounding: Rounding) -> [u64; 2] {
    let sign = u64::from(number.is_negative()) << 63;
    match number {
        Number::Nan { .. } => [0, NAN << KIND],
        Number::Infinity { .. } => [0, sign | INFINITE << KIND],
        Number::Finite(exact) if exact.is_zero() => [0, sign | ZERO << KIND],
        Number::Finite(exact) => {
            let exact = cut(exact, WIDE_DIGITS, rounding);
            [exact.significand as u64, sign | u64::from(exact.exponent.cast_unsigned())]
        }
    }
}

fn unpacked(digits: u64, rest: u64) -> Executed<Number> {
    let negative = rest >> 63 == 1;
    let exponent = (rest as u32).cast_signed();
    let is_alone = digits == 0 && rest as u32 == 0;
    let number = match rest >> KIND & 0x7FFF_FFFF {
        0 if digits >> (WIDE_DIGITS - 1) == 1 && exponent.unsigned_abs() < EXPONENTS => {
            Number::Finite(Exact::new(digits.into(), exponent))
        }
        ZERO if is_alone => Number::ZERO,
        INFINITE if is_alone => Number::INFINITY,
        NAN if is_alone && !negative => return Ok(Number::DEFAULT_NAN),
        _ => return refuse("a macro register that no math macro of its type has written"),
    };
    Ok(number.with_sign(negative))
}
