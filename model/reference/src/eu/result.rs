//! The second half of the stages: round, set conditions, saturate, convert to the destination type,
//! write under the mask.

use std::{borrow::Cow, mem::offset_of};

use parallax_isa::{
    Acceptance, Extent,
    device::Generation,
    eu::{
        DataType, Opcode, State,
        instruction::{Compression, ConditionalModifier, PredicateControl},
        register::ArfKind,
    },
};

use super::{
    accumulator::{implicit_accumulator, mode_of_type},
    condition::PostSignals,
    convert::{Converted, Signal, to_destination_type},
    execution::Execution,
    flags::FlagUpdate,
    number::{ExecutionType, FusedSum, Multiples, Value, float_format, wrap_signed},
    operand::Operand,
    properties::{AccumulatorUpdate, FlagSignals},
    region::Place,
    thread::{ArchitectureRegister, Executed, Unpredictable},
    tolerance::{any_nan, between},
};
use crate::number::{Denormals, FloatFormat, Number, Rounding, Tolerance};

/// What an instruction computed for a channel, before rounding and conversion.
#[derive(Debug, Clone)]
pub(super) struct Computed {
    /// The result in the execution type.
    pub(super) value: Value,
    /// A raw move: these very bits are written.
    pub(super) raw: Option<u64>,
    /// The low word of these bits is a half-precision NaN, and any other NaN is accepted there.
    pub(super) is_half_nan: bool,
    /// The value converted is accepted too where the move is raw, and any NaN for a NaN.
    pub(super) or_flushed: bool,
    /// What else a float result may be, if that is open.
    pub(super) open: Option<Box<Open>>,
    /// What may be lost or overflow in the accumulator holds for the destination too.
    pub(super) through_accumulator: bool,
    /// What goes to the accumulator, where that is not the result.
    pub(super) accumulator_value: Option<Value>,
    /// How many bits of that are defined, if not all.
    pub(super) accumulator_bits: Option<u32>,
    /// A round instruction's result needs an increment.
    pub(super) increment: bool,
    /// Whether the result is defined.
    pub(super) defined: bool,
    /// Whether its flags are defined.
    pub(super) flags_defined: bool,
}

/// What else a float result may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    /// Another result that is accepted.
    pub(super) other: Option<Number>,
    /// How far it may be from the exact one (Gen7 and later).
    pub(super) tolerance: Option<Tolerance>,
    /// What else is acceptable of a sum in the accumulator.
    pub(super) inexact: Option<Multiples>,
    /// Plus and minus infinity are acceptable too: a partial sum may overflow.
    pub(super) may_overflow: [bool; 2],
}

impl Open {
    /// Nothing is open.
    pub(super) const NOTHING: Self =
        Self { other: None, tolerance: None, inexact: None, may_overflow: [false; 2] };
}

impl Computed {
    /// A result that the manual leaves open.
    pub(super) const UNDEFINED: Self = Self::new(Value::Integer(0), false);

    #[inline]
    const fn new(value: Value, defined: bool) -> Self {
        Self {
            value,
            raw: None,
            is_half_nan: false,
            or_flushed: false,
            open: None,
            through_accumulator: false,
            accumulator_value: None,
            accumulator_bits: None,
            increment: false,
            defined,
            flags_defined: true,
        }
    }

    /// What else it may be.
    #[inline]
    pub(super) fn open(&self) -> &Open {
        self.open.as_deref().unwrap_or(&Open::NOTHING)
    }

    /// The same where something else is accepted too.
    pub(super) fn or(self, open: Open) -> Self {
        Self { open: Some(Box::new(open)), ..self }
    }

    /// The same where another result is accepted too, if there is one.
    pub(super) fn or_other(self, other: Option<Number>) -> Self {
        if other.is_some() { self.or(Open { other, ..Open::NOTHING }) } else { self }
    }

    /// A result that is exactly this value.
    #[inline]
    pub(super) const fn exact(value: Value) -> Self {
        Self::new(value, true)
    }

    /// An integer result.
    #[inline]
    pub(super) const fn integer(value: i128) -> Self {
        Self::exact(Value::Integer(value))
    }

    /// A float result.
    #[inline]
    pub(super) const fn float(value: Number) -> Self {
        Self::exact(Value::Float(value))
    }

    /// A float sum; `through_accumulator` if the destination's value was added there too.
    pub(super) fn fused(sum: FusedSum, through_accumulator: bool) -> Self {
        let FusedSum { sum, inexact, may_overflow } = sum;
        let result = Self { through_accumulator, ..Self::float(sum) };
        if inexact.is_none() && may_overflow == [false; 2] {
            return result;
        }
        result.or(Open { inexact, may_overflow, ..Open::NOTHING })
    }

    /// The same, undefined if one of the operands is.
    #[inline]
    pub(super) fn of(mut self, operands: &[&Operand]) -> Self {
        self.defined &= operands.iter().all(|operand| operand.defined);
        self
    }
}

impl Execution<'_> {
    /// Writes the results: to the destination, to flags, to the accumulator.
    pub(super) fn write(&mut self, results: &[Computed]) -> Executed {
        let destination = self.instruction.destination;
        let places = self.places_of_destination()?;
        self.check_destination(&places)?;
        if self.predicate_is_open() {
            self.leave_open(&places);
            return Ok(());
        }
        let mut flags = FlagUpdate::default();
        let withheld = self.is_upper_half_of_masks(destination.register);
        let architecture = ArchitectureRegister::of(self.thread.device, destination.register);
        let before = architecture.map(|register| self.thread.read_register(register));
        for channel in self.enabled_channels() {
            let result = self.in_channel(&results[channel]);
            let outcome = self.convert(&result);
            self.condition(channel, &result, &outcome, &mut flags);
            self.thread.record.wrote(
                channel,
                outcome.converted.bits,
                outcome.is_exact(),
                outcome.converted.overflow(),
            );
            if outcome.is_rounded(&result, destination.data_type) {
                self.thread.record.rounded(channel);
            }
            if matches!(result, Cow::Owned(_)) {
                self.thread.record.wrapped(channel);
            }
            if result.open().may_overflow != [false; 2] {
                self.thread.record.may_overflow(channel);
            }
            match places[channel] {
                Place::Byte(offset) if !withheld => {
                    self.write_element(offset, &outcome);
                    if self.has_channel_pairs && destination.data_type.size() == 4 {
                        self.accept(Extent::whole(offset + 4, 4), Acceptance::Undefined);
                    }
                }
                Place::Byte(offset) => {
                    let words = destination.data_type.size().next_multiple_of(2);
                    let place = Extent::whole(offset & !1, words);
                    self.thread.expect(place, Acceptance::Undefined);
                }
                Place::Null | Place::Reserved | Place::Accumulator { .. } | Place::Outside => {}
            }
        }
        // What goes to a part that does not exist is dropped without side effects.
        if let (Some(register), Some(before)) = (architecture, before) {
            let element = u32::MAX >> (32 - destination.data_type.size());
            let bytes = self.enabled_channels().filter_map(|channel| match places[channel] {
                Place::Byte(offset) => Some(element << (offset - register.start)),
                _ => None,
            });
            let written = bytes.fold(0, |all, bytes| all | bytes);
            if written != 0 {
                self.thread.settle_register(register, before, written);
            }
        }
        self.write_flags(flags);
        self.write_accumulator(results, &places);
        Ok(())
    }

    /// The places of the destination's elements, by channel.
    pub(super) fn places_of_destination(&self) -> Executed<Vec<Place>> {
        let destination = &self.instruction.destination;
        let unit = self.region_unit(destination.data_type);
        self.thread.destination_places(destination, unit, self.channels().end)
    }

    /// Every channel that is written, or may be, has its destination inside the registers.
    pub(super) fn check_destination(&self, places: &[Place]) -> Executed {
        let open = self.predicate_is_open();
        let may_write = |channel: &usize| open || self.enabled >> channel & 1 == 1;
        if self.channels().filter(may_write).any(|channel| places[channel] == Place::Outside) {
            return Err(Unpredictable("the destination is outside the registers".to_owned()));
        }
        Ok(())
    }

    /// Whether the predicate reads flag bits that the first half of this compressed instruction
    /// has left open: then nobody can say which channels the second half writes.
    pub(super) fn predicate_is_open(&self) -> bool {
        self.instruction.compression == Compression::SecHalf
            && self.instruction.predicate.control != PredicateControl::None
            && !self.thread.is_settled(Extent::whole(offset_of!(State, flag), 4))
    }

    /// Leaves everything open that the instruction may write.
    pub(super) fn leave_open(&mut self, places: &[Place]) {
        let size = self.instruction.destination.data_type.size();
        for place in places {
            if let Place::Byte(offset) = *place {
                self.thread.expect(Extent::whole(offset, size), Acceptance::Undefined);
            }
        }
        if self.instruction.condition != ConditionalModifier::None {
            self.thread.expect(Extent::whole(offset_of!(State, flag), 4), Acceptance::Undefined);
        }
        self.thread.accumulators_unpredictable(self.named_pair());
    }

    /// A result as a channel of the execution type holds it: integers modulo the channel's width.
    fn in_channel<'r>(&self, result: &'r Computed) -> Cow<'r, Computed> {
        let Value::Integer(integer) = result.value else {
            return Cow::Borrowed(result);
        };
        let wrapped = wrap_signed(integer, self.execution_type.integer_bits());
        if wrapped == integer {
            return Cow::Borrowed(result);
        }
        // Decision D-eu-later-wide-results.
        // A channel of doublewords has all bits of a quadword.
        let lacks_bits = self.instruction.destination.data_type.size() == 8
            && self.execution_type == ExecutionType::Word;
        Cow::Owned(Computed {
            value: Value::Integer(wrapped),
            defined: result.defined && !self.instruction.saturate && !lacks_bits,
            flags_defined: false,
            ..result.clone()
        })
    }

    /// Rounds, saturates and converts a result to the destination type.
    fn convert(&self, result: &Computed) -> Outcome {
        let data_type = self.instruction.destination.data_type;
        let convert_by = |value, settings| {
            let saturate = self.instruction.saturate;
            to_destination_type(value, self.execution_type, data_type, saturate, settings)
        };
        let convert = |value| convert_by(value, &self.settings);
        let mut outcome = Outcome { defined: result.defined, ..Outcome::default() };
        if !result.defined {
            return outcome;
        }
        if let Some(bits) = result.raw {
            let not_a_number =
                float_format(data_type).is_some_and(|format| format.decode(bits).is_nan());
            outcome.converted = Converted::moved(bits, not_a_number);
            outcome.raw = !(result.or_flushed && not_a_number);
            outcome.is_half_nan = result.is_half_nan;
            if result.or_flushed && !not_a_number {
                let flushed = convert(result.value);
                if flushed.bits != bits {
                    outcome.others.push(flushed);
                }
            }
            return outcome;
        }
        let converted = convert(result.value);
        outcome.converted = converted;
        let open = result.open();
        if let Some(other) = open.other {
            let other = convert_by(Value::Float(other), &self.settings);
            if other != converted {
                outcome.others.push(other);
            }
        }
        if let Some(tolerance) = open.tolerance {
            let ends = tolerance.ends().map(|end| convert(Value::Float(end)));
            if ends != [converted; 2] {
                outcome.ends = Some(ends);
            }
        }
        if result.through_accumulator {
            // Decision D-eu-fused-sum.
            let others = |value: Number| convert(Value::Float(value));
            if let Some(inexact) = open.inexact
                && inexact.ends().map(others) != [converted; 2]
            {
                outcome.others.extend(inexact.all().map(others));
                outcome.others.dedup();
            }
            for infinity in infinities(open.may_overflow) {
                outcome.others.push(others(infinity));
            }
        }
        outcome
    }

    /// Evaluates the conditional modifier for a channel.
    fn condition(
        &self,
        channel: usize,
        result: &Computed,
        outcome: &Outcome,
        flags: &mut FlagUpdate,
    ) {
        let modifier = self.instruction.condition;
        let chooses = matches!(self.instruction.opcode, Opcode::Sel | Opcode::Csel);
        if modifier == ConditionalModifier::None || chooses && self.since(Generation::Gen7) {
            return;
        }
        let data_type = self.instruction.destination.data_type;
        let keeps_denormals = float_format(data_type)
            .is_some_and(|format| self.settings.context(format).input == Denormals::Kept);
        let condition = |converted: &Converted| {
            let increment = result.increment;
            PostSignals::of(converted, data_type, increment, keeps_denormals).condition(modifier)
        };
        let value = condition(&outcome.converted);
        // Between ends of both signs there is zero too.
        let zero = outcome.ends.and_then(|ends| {
            let format = float_format(data_type)?;
            let [low, high] = ends.map(|end| format.decode(end.bits).is_negative());
            (low != high).then(Converted::default)
        });
        let mut others = outcome.others.iter().chain(outcome.ends.iter().flatten()).chain(&zero);
        let settled = others.all(|other| condition(other) == value);
        // Decision D-eu-nan-then-converted.
        // Decision D-eu-acc-flags.
        let to_accumulator =
            self.instruction.destination.register.arf() == Some(ArfKind::Accumulator);
        let defined = outcome.defined
            && !(to_accumulator
                && (outcome.converted.overflow() || is_denormal(&outcome.converted, data_type)))
            && result.flags_defined
            && settled
            && self.properties.flag_signals.define(modifier);
        flags.set(channel, value, defined);
    }

    /// Writes a destination element and says what is acceptable there.
    fn write_element(&mut self, offset: usize, outcome: &Outcome) {
        let data_type = self.instruction.destination.data_type;
        let extent = Extent::whole(offset, data_type.size());
        self.thread.write_element(extent, outcome.converted.bits);
        if !outcome.defined {
            self.thread.expect(extent, Acceptance::Undefined);
            return;
        }
        if outcome.is_half_nan {
            self.accept(Extent::whole(offset, 2), any_nan(DataType::Hf));
        }
        let format = float_format(data_type);
        let minus_zero = format.map_or(0, |format| format.sign(true));
        if format.is_some() && outcome.converted.is_nan() && !outcome.raw {
            if !self.instruction.saturate {
                self.accept(extent, any_nan(data_type));
            }
        } else if outcome.converted.signal == Signal::EitherZero {
            self.accept(extent, Acceptance::Or(minus_zero));
        }
        for other in &outcome.others {
            self.accept(extent, Acceptance::Or(other.bits));
            if other.signal == Signal::EitherZero {
                self.accept(extent, Acceptance::Or(minus_zero));
            }
        }
        if let Some([low, high]) = outcome.ends {
            let ends = [low.bits, high.bits];
            for acceptance in between(data_type, outcome.converted.bits, ends) {
                self.accept(extent, acceptance);
            }
        }
    }

    /// Accepts other results at an element. An architecture register may not store all bits of
    /// them, so that there everything is accepted.
    fn accept(&mut self, element: Extent, acceptance: Acceptance) {
        let stored_whole = self.instruction.destination.register.arf().is_none();
        let acceptance = if stored_whole { acceptance } else { Acceptance::Undefined };
        self.thread.expect(element, acceptance);
    }

    /// Updates the accumulator: as destination, or besides the destination.
    fn write_accumulator(&mut self, results: &[Computed], places: &[Place]) {
        if self.since(Generation::Gen7) {
            return self.write_accumulator_later(results, places);
        }
        let destination = self.instruction.destination;
        let explicit = destination.register.arf() == Some(ArfKind::Accumulator);
        let register = implicit_accumulator(self.instruction, self.thread.device);
        if explicit {
            if self.reads_other_accumulator(destination.register) {
                self.thread.accumulators_unpredictable(self.named_pair());
                return;
            }
            let matches = mode_of_type(destination.data_type) == Some(self.execution_type);
            let mut kept = 0;
            for channel in self.enabled_channels() {
                if let Place::Accumulator { register, element } = places[channel] {
                    let named = element == self.accumulator_element(channel);
                    kept |= 1 << channel;
                    self.accumulate(register, channel, &results[channel], matches && named);
                }
            }
            self.thread.accumulator_written(register, self.channels(), self.execution_type, kept);
            return;
        }
        let update = self.properties.accumulator_update;
        if update == AccumulatorUpdate::None || self.accumulator_disabled {
            return;
        }
        if update == AccumulatorUpdate::Undefined {
            self.thread.accumulator_written(register, self.channels(), self.execution_type, 0);
            return;
        }
        let width = self.execution_type.accumulator_channels();
        let mut kept = 0;
        for channel in self.enabled_channels().filter(|&channel| channel < width) {
            kept |= 1 << channel;
            self.accumulate(register, channel, &results[channel], true);
        }
        self.thread.accumulator_written(register, self.channels(), self.execution_type, kept);
    }

    /// Writes a result to an accumulator channel.
    fn accumulate(&mut self, register: usize, channel: usize, result: &Computed, defined: bool) {
        let Open { inexact, may_overflow, .. } = result.open();
        let Computed { value, raw, .. } = *self.in_channel(result);
        let value = result.accumulator_value.unwrap_or(value);
        let value = match (raw, self.execution_type) {
            (Some(bits), ExecutionType::Float) => Value::Float(FloatFormat::BINARY32.decode(bits)),
            _ => value,
        };
        let value = match (value, self.execution_type) {
            (Value::Integer(_), ExecutionType::Float) => Value::Float(Number::ZERO),
            _ => value,
        };
        self.thread.set_accumulator(register, channel, value, inexact.as_ref());
        if *may_overflow != [false; 2] {
            self.thread.accumulator_may_be(register, channel, infinities(*may_overflow));
        }
        if !result.defined || !defined {
            self.thread.accumulator_undefined(register, channel);
            return;
        }
        if inexact.is_none() && *may_overflow == [false; 2] {
            self.thread.record.accumulated(channel);
        }
        if self.properties.flag_signals == FlagSignals::Logic {
            // Decision D-eu-acc-logic.
            let bits = if self.execution_type == ExecutionType::Word { 16 } else { 32 };
            self.thread.accumulator_guard_bits_undefined(register, channel, bits);
        }
    }

    /// Runs `compute` for every enabled channel, with the rounding mode of the execution type, and
    /// writes the results.
    pub(super) fn each_exactly(
        &mut self,
        compute: impl Fn(Rounding, usize) -> Computed,
    ) -> Executed {
        let format = self.execution_type.format().unwrap_or(FloatFormat::BINARY32);
        let rounding = self.settings.context(format).rounding;
        self.each(|channel| compute(rounding, channel))
    }

    /// Whether the instruction writes an accumulator, named or not.
    pub(super) fn writes_accumulator(&self) -> bool {
        self.instruction.destination.register.arf() == Some(ArfKind::Accumulator)
            || self.instruction.accumulator_write && !self.accumulator_disabled
    }

    /// Runs `compute` for every enabled channel and writes the results.
    pub(super) fn each(&mut self, compute: impl Fn(usize) -> Computed) -> Executed {
        let result = |channel| match self.enabled >> channel & 1 {
            0 => Computed::UNDEFINED,
            _ => compute(channel),
        };
        let results: Vec<_> = self.channels().map(result).collect();
        self.write(&results)
    }
}

/// A converted result with everything acceptable beside it.
#[derive(Debug, Clone, Default)]
struct Outcome {
    converted: Converted,
    /// What else a sum may come to.
    others: Vec<Converted>,
    /// The ends of what a result without exact precision may be.
    ends: Option<[Converted; 2]>,
    raw: bool,
    /// Its low word may be any half-precision NaN.
    is_half_nan: bool,
    defined: bool,
}

impl Outcome {
    /// Whether it lacks digits of the exact result, a finite float.
    fn is_rounded(&self, result: &Computed, data_type: DataType) -> bool {
        let (Value::Float(exact), None) = (result.value, result.raw) else { return false };
        let number = float_format(data_type).map(|format| format.decode(self.converted.bits));
        exact.is_finite() && number.is_some_and(|number| number.is_finite() && number != exact)
    }

    /// Whether one value only is accepted; of NaNs any.
    fn is_exact(&self) -> bool {
        self.defined && self.others.is_empty() && self.ends.is_none()
    }
}

/// The infinities that partial sums may overflow to.
fn infinities([plus, minus]: [bool; 2]) -> impl Iterator<Item = Number> {
    let all = [(plus, Number::INFINITY), (minus, -Number::INFINITY)];
    all.into_iter().filter_map(|(possible, infinity)| possible.then_some(infinity))
}

/// Whether a result is a denormal float.
fn is_denormal(converted: &Converted, data_type: DataType) -> bool {
    data_type == DataType::F && FloatFormat::BINARY32.is_denormal(converted.bits)
}
