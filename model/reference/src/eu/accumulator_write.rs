//! What instructions of Gen7 and later write to the accumulators (Gen7 volume 4, section 3.2.3.4).

use parallax_isa::{
    Acceptance, Extent,
    device::Generation,
    eu::{DataType, Opcode, register::ArfKind},
};

use super::{
    accumulator::{extent, mode_of_type},
    execution::Execution,
    number::{ExecutionType, FloatMode, Value, range},
    properties::FlagSignals,
    region::Place,
    result::{Computed, Open},
    tolerance::between,
};
use crate::number::{Denormals, FloatFormat, Number};

impl Execution<'_> {
    /// Updates the accumulator: as destination, or with AccWrCtrl besides the destination.
    pub(super) fn write_accumulator_later(&mut self, results: &[Computed], places: &[Place]) {
        let destination = self.instruction.destination;
        let is_explicit = destination.register.arf() == Some(ArfKind::Accumulator);
        if is_explicit && self.reads_other_accumulator(destination.register) {
            self.thread.accumulators_unpredictable(self.named_pair());
            return;
        }
        let matches = mode_of_type(destination.data_type) == Some(self.execution_type);
        if is_explicit {
            for channel in self.enabled_channels() {
                if let Place::Accumulator { register, element } = places[channel] {
                    let own = element == self.accumulator_element(channel);
                    let defined = matches && own && !self.instruction.saturate;
                    if own && self.converts_into_accumulator() {
                        self.convert_into_accumulator(register, channel, &results[channel]);
                        continue;
                    }
                    if !matches {
                        // Nor is it said whether a channel has its place by the one type or the other.
                        // Decision D-eu-later-acc-write.
                        self.undefined_in_accumulator(register, channel);
                    }
                    self.accumulate_later(register, channel, &results[channel], defined);
                }
            }
            return;
        }
        if !self.instruction.accumulator_write || self.accumulator_disabled {
            return;
        }
        // Decision D-eu-later-acc-write.
        if matches!(self.instruction.opcode, Opcode::F32to16 | Opcode::F16to32) {
            // In which of the two formats it would be, is not said.
            self.thread.accumulators_unpredictable(self.named_pair());
            return;
        }
        if !matches || self.instruction.saturate {
            self.thread.accumulators_unpredictable(self.named_pair());
            return;
        }
        let register = self.implicit_accumulator_later();
        for channel in self.enabled_channels() {
            self.accumulate_later(register, channel, &results[channel], true);
        }
    }

    /// Whether it moves integers into an accumulator of F, or words into one of doublewords, where they arrive as in a
    /// general register.
    fn converts_into_accumulator(&self) -> bool {
        let instruction = self.instruction;
        let converts = match instruction.destination.data_type {
            DataType::F => !self.execution_type.is_float(),
            DataType::D | DataType::Ud => self.execution_type == ExecutionType::Word,
            _ => false,
        };
        instruction.opcode == Opcode::Mov
            && converts
            && !instruction.saturate
            && self.mode != FloatMode::Alternative
            && self.since(Generation::Gen8)
    }

    fn convert_into_accumulator(&mut self, first: usize, channel: usize, result: &Computed) {
        // Decision D-eu-later-acc-write.
        let is_float = self.instruction.destination.data_type == DataType::F;
        let mode = if is_float { ExecutionType::Float } else { ExecutionType::Doubleword };
        let Value::Integer(integer) = result.value else { return };
        let Some((register, channel)) = mode.accumulator_place(first, channel) else {
            return self.thread.accumulators_unpredictable(self.named_pair());
        };
        let bits = match mode.format() {
            Some(format) => {
                self.settings.context(format).round(Number::integer(integer), format).bits
            }
            None => integer as i64 as u64,
        };
        self.thread.accumulator_mode[register][channel] = Some(mode);
        self.thread.write_register(extent(register, channel), bits);
        if !result.defined {
            self.thread.expect(extent(register, channel), Acceptance::Undefined);
        }
    }

    /// Says that a channel of the accumulators is not defined, wherever it has its place: by the type
    /// of the destination, for itself or one of a pair.
    fn undefined_in_accumulator(&mut self, first: usize, channel: usize) {
        let Some(named) = mode_of_type(self.instruction.destination.data_type) else { return };
        for channel in [channel, self.element_of_channel(channel)] {
            if let Some((register, element)) = named.accumulator_place(first, channel) {
                self.thread.accumulator_undefined(register, element);
            }
        }
    }

    /// The accumulator that the first channel of an instruction has without naming it: of F the second
    /// one for the second and fourth quarter.
    pub(super) fn implicit_accumulator_later(&self) -> usize {
        let is_second_quarter = self.instruction.first_channel / 8 % 2 == 1;
        usize::from(self.execution_type == ExecutionType::Float && is_second_quarter)
    }

    /// Writes a result to a channel of an accumulator. What its destination type cannot name is
    /// undefined: then no engine knows what the channel holds.
    fn accumulate_later(&mut self, first: usize, number: usize, result: &Computed, defined: bool) {
        let mode = self.execution_type;
        let channel = self.element_of_channel(number);
        let Some((register, channel)) = mode.accumulator_place(first, channel) else {
            // The accumulators have no such channel: nobody says what becomes of them.
            self.thread.accumulators_unpredictable(self.named_pair());
            return;
        };
        let place = extent(register, channel);
        self.thread.accumulator_mode[register][channel] = Some(mode);
        let value = result.accumulator_value.unwrap_or(result.value);
        let written = match (value, mode.format(), result.raw) {
            (_, Some(format), Some(raw)) if result.accumulator_value.is_none() => {
                let bits = raw & (format.sign(true) | (format.sign(true) - 1));
                if format.is_denormal(bits)
                    && self.settings.context(format).output == Denormals::Flushed
                {
                    // Whether what is moved bit by bit arrives as a number, is not said.
                    let zero = bits & format.sign(true);
                    self.thread.expect(place, Acceptance::Or(zero));
                }
                bits
            }
            (Value::Float(number), Some(format), _) => {
                let context = self.settings.context(format);
                let bits = context.round(number.quiet(), format).bits;
                self.accept_in_accumulator(register, channel, bits, format, result);
                bits
            }
            (Value::Integer(integer), None, _) => {
                let bits = mode.integer_bits().min(64);
                let integer = super::number::wrap_signed(integer, bits);
                self.of_word_accumulator(integer, self.instruction.destination.data_type) as u64
            }
            _ => 0,
        };
        self.thread.write_register(place, written);
        let named = range_of(self.instruction.destination.data_type);
        let Open { other, tolerance, may_overflow, .. } = result.open();
        let is_one_value = other.is_none() && tolerance.is_none() && *may_overflow == [false; 2];
        if defined && result.defined && is_one_value {
            self.thread.record.accumulated(number);
        }
        let is_moved = matches!(self.instruction.opcode, Opcode::Mov | Opcode::Sel);
        if !(defined && result.defined) {
            self.thread.expect(place, Acceptance::Undefined);
        } else if let Some(bits) = result.accumulator_bits {
            self.thread.accumulator_guard_bits_undefined(register, channel, bits);
        } else if self.properties.flag_signals == FlagSignals::Logic
            || is_moved && matches!(value, Value::Integer(n) if !named.contains(&n))
        {
            // Decision D-eu-acc-logic.
            let bits = if mode == ExecutionType::Word { 16 } else { 32 };
            self.thread.accumulator_guard_bits_undefined(register, channel, bits);
        }
    }

    /// Says what else a float channel may hold.
    fn accept_in_accumulator(
        &mut self,
        register: usize,
        channel: usize,
        bits: u64,
        format: FloatFormat,
        result: &Computed,
    ) {
        let data_type = match format {
            FloatFormat::BINARY16 => DataType::Hf,
            FloatFormat::BINARY64 => DataType::Df,
            _ => DataType::F,
        };
        let place = Extent { bytes: data_type.size() as u8, ..extent(register, channel) };
        let place = Extent { mask: u64::MAX >> (64 - 8 * data_type.size()), ..place };
        if format.decode(bits).is_nan() {
            self.thread.expect(place, super::tolerance::any_nan(data_type));
            return;
        }
        let context = self.settings.context(format);
        let rounded = |number| context.round(number, format).bits;
        let open = result.open();
        if let Some(other) = open.other {
            self.thread.expect(place, Acceptance::Or(rounded(other)));
        }
        if let Some(tolerance) = open.tolerance {
            for acceptance in between(data_type, bits, tolerance.ends().map(rounded)) {
                self.thread.expect(place, acceptance);
            }
        }
        if open.may_overflow != [false; 2] {
            self.thread.expect(place, Acceptance::Undefined);
        }
    }
}

/// The numbers of an integer type.
fn range_of(data_type: DataType) -> std::ops::RangeInclusive<i128> {
    if data_type.is_float() {
        return i128::MIN..=i128::MAX;
    }
    let (least, greatest) = range(data_type);
    least..=greatest
}
