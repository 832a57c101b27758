//! The accumulators (G45 volume 4, section 11.3.4.5).

use std::{mem::offset_of, ops::Range};

use parallax_isa::{
    Acceptance, Device, Extent,
    device::Generation,
    eu::{
        DataType, Instruction, State,
        instruction::Compression,
        operand::{Register, Source},
        register::{ArfKind, RegisterFile},
    },
};

use super::{
    number::{ExecutionType, Multiples, Value, bits_of_accumulator, wrap_signed},
    settings::Settings,
    thread::Thread,
};
use crate::number::{Denormals, FloatFormat, Number};

/// The accumulator an instruction reads or updates without naming it.
pub(super) fn implicit_accumulator(instruction: &Instruction, device: Device) -> usize {
    let named = |register: Register| match register {
        Register::Direct { file: RegisterFile::Arf, number, .. }
            if register.arf() == Some(ArfKind::Accumulator) =>
        {
            Some(usize::from(number & 1))
        }
        _ => None,
    };
    let source = match instruction.sources[0] {
        Source::Register { register, .. } => named(register),
        Source::Immediate { .. } => None,
    };
    if let Some(explicit) = named(instruction.destination.register).or(source) {
        return explicit;
    }
    let second = instruction.compression == Compression::SecHalf;
    match device {
        Device::Bw | Device::Cl if instruction.execution_size == 16 => 0,
        _ => usize::from(second),
    }
}

/// The accumulator mode of an operand's type; bytes have none.
pub(super) fn mode_of_type(data_type: DataType) -> Option<ExecutionType> {
    match data_type {
        DataType::W | DataType::Uw => Some(ExecutionType::Word),
        DataType::D | DataType::Ud => Some(ExecutionType::Doubleword),
        DataType::F => Some(ExecutionType::Float),
        DataType::Hf => Some(ExecutionType::Half),
        DataType::Df => Some(ExecutionType::Double),
        _ => None,
    }
}

/// A channel's place in the state.
pub(super) fn extent(register: usize, channel: usize) -> Extent {
    Extent::whole(offset_of!(State, accumulator) + 8 * (16 * register + channel), 8)
}

impl ExecutionType {
    /// Where a channel of an instruction is in the accumulators, the first of them being `register`
    /// (Gen7 and later): of 16 channels of F the upper eight are in the second one of a pair.
    pub(super) fn accumulator_place(
        self,
        register: usize,
        channel: usize,
    ) -> Option<(usize, usize)> {
        match self {
            Self::Float => {
                let has_second = register.is_multiple_of(2);
                let is_there = channel < 8 || channel < 16 && has_second;
                is_there.then_some((register + channel / 8, channel % 8))
            }
            // Gen12: the further ones are for floats.
            Self::Word | Self::Doubleword if register > 1 => None,
            _ => (channel < self.accumulator_channels()).then_some((register, channel)),
        }
    }
}

impl Thread {
    /// The value of an accumulator channel on Gen7 and later, in the format of registers.
    fn accumulator_later(
        &self,
        register: usize,
        channel: usize,
        mode: ExecutionType,
    ) -> Option<Value> {
        let (register, channel) = mode.accumulator_place(register, channel)?;
        let written = self.accumulator_mode[register][channel];
        if written.is_some_and(|written| written != mode) {
            return None;
        }
        let bits = self.state.accumulator[register][channel];
        let Some(format) = mode.format() else {
            let value = i128::from(bits as i64);
            let width = mode.integer_bits().min(64);
            return (value == wrap_signed(value, width)).then_some(Value::Integer(value));
        };
        let is_in_format = bits & !(format.sign(true) | (format.sign(true) - 1)) == 0;
        let settings = Settings::of(self.device, self.state.control[0]);
        // Arithmetic leaves no denormal where it flushes them: what moves do with one is not said.
        let flushes = settings.context(format).input == Denormals::Flushed;
        let is_number = is_in_format && !(flushes && format.is_denormal(bits));
        is_number.then(|| Value::Float(format.decode(bits)))
    }

    /// The value of an accumulator channel, or `None` if it is not defined: last written in
    /// another mode, or not a value of this mode.
    pub(super) fn accumulator(
        &self,
        register: usize,
        channel: usize,
        mode: ExecutionType,
    ) -> Option<Value> {
        // Decision D-eu-acc-mode.
        // Decision D-eu-acc-initial.
        if self.since(Generation::Gen7) {
            return self.accumulator_later(register, channel, mode);
        }
        if channel >= mode.accumulator_channels() || !self.is_settled(extent(register, channel)) {
            return None;
        }
        if self.accumulator_mode[register][channel].is_some_and(|written| written != mode) {
            return None;
        }
        let bits = self.state.accumulator[register][channel];
        match mode {
            ExecutionType::Word => {
                let value = i128::from(bits as i64);
                (value == wrap_signed(value, 33)).then_some(Value::Integer(value))
            }
            ExecutionType::Doubleword => Some(Value::Integer(i128::from(bits as i64))),
            ExecutionType::Float => {
                let value = FloatFormat::BINARY64.decode(bits);
                let alternative = self.float_mode() == super::number::FloatMode::Alternative;
                let defined = has_single_exponent(value) && (value.is_finite() || !alternative);
                defined.then_some(Value::Float(value))
            }
            ExecutionType::Quadword | ExecutionType::Half | ExecutionType::Double => None,
        }
    }

    /// Writes a result to an accumulator channel at accumulator precision; `inexact` is what else a
    /// float sum may come to.
    pub(super) fn set_accumulator(
        &mut self,
        register: usize,
        channel: usize,
        value: Value,
        inexact: Option<&Multiples>,
    ) {
        let place = extent(register, channel);
        let bits = match value {
            Value::Integer(integer) => integer as i64 as u64,
            Value::Float(float) => {
                let bits = bits_of_accumulator(float);
                if float.is_nan() {
                    self.expect(place, Acceptance::AnyNan64);
                } else if !has_single_exponent(float) {
                    // Decision D-eu-acc-float-range.
                    self.expect(place, Acceptance::Undefined);
                } else if let Some(inexact) = inexact {
                    // Decision D-eu-fused-sum.
                    let distance = |end| ordered(bits_of_accumulator(end)).abs_diff(ordered(bits));
                    let most = inexact.ends().map(distance).into_iter().max();
                    match most.and_then(|most| u64::try_from(most).ok()) {
                        Some(most) if most <= NEIGHBOURS => {
                            self.expect(place, Acceptance::Ulp64(most));
                        }
                        // The terms cancel: the numbers between have digits that no channel holds.
                        _ => self.accumulator_may_be(register, channel, inexact.all()),
                    }
                }
                bits
            }
        };
        self.state.accumulator[register][channel] = bits;
    }

    /// Says that an accumulator channel may hold other float values too.
    pub(super) fn accumulator_may_be(
        &mut self,
        register: usize,
        channel: usize,
        values: impl Iterator<Item = Number>,
    ) {
        for value in values {
            let acceptance = Acceptance::Or(bits_of_accumulator(value));
            self.expect(extent(register, channel), acceptance);
        }
    }

    /// Says that an instruction has written the accumulator in a mode: of its channels those in
    /// `kept` (a bit each) hold its results, the others something unpredictable. Channels that the
    /// instruction does not have stay as they are (decision D-eu-acc-other-channels).
    pub(super) fn accumulator_written(
        &mut self,
        register: usize,
        channels: Range<usize>,
        mode: ExecutionType,
        kept: u16,
    ) {
        // Decision D-eu-acc-other-channels.
        for channel in 0..16 {
            let written = &mut self.accumulator_mode[register][channel];
            let stays = !channels.contains(&channel)
                && channel < mode.accumulator_channels()
                && written.is_none_or(|written| written == mode);
            *written = Some(mode);
            if kept >> channel & 1 == 0 && !stays {
                self.expect(extent(register, channel), Acceptance::Undefined);
            }
        }
    }

    /// Says that both accumulators of a pair now hold something unpredictable.
    pub(super) fn accumulators_unpredictable(&mut self, pair: usize) {
        self.accumulator_unpredictable(2 * pair);
        self.accumulator_unpredictable(2 * pair + 1);
    }

    /// Says that all of an accumulator now holds something unpredictable.
    pub(super) fn accumulator_unpredictable(&mut self, register: usize) {
        for channel in 0..16 {
            self.accumulator_undefined(register, channel);
        }
        self.accumulator_mode[register] = [None; 16];
    }

    /// Says that bits of an accumulator channel are not defined.
    pub(super) fn accumulator_guard_bits_undefined(
        &mut self,
        register: usize,
        channel: usize,
        defined_bits: u32,
    ) {
        let mask = u64::MAX << defined_bits;
        self.expect(Extent { mask, ..extent(register, channel) }, Acceptance::Undefined);
    }

    /// Says that an accumulator channel is not defined.
    pub(super) fn accumulator_undefined(&mut self, register: usize, channel: usize) {
        self.expect(extent(register, channel), Acceptance::Undefined);
    }
}

/// Up to this many units in the last place a channel can hold about every number between the ends
/// of what a sum may come to.
const NEIGHBOURS: u64 = 32;

/// Whether a number has an exponent an accumulator channel can hold: eight bits, no denormals.
fn has_single_exponent(number: Number) -> bool {
    number.finite_non_zero().is_none_or(|number| (-126..128).contains(&number.highest_digit()))
}

/// Binary64 numbers as integers in the same order, neighbours one apart.
fn ordered(bits: u64) -> i128 {
    let magnitude = i128::from(bits & !(1 << 63));
    if bits >> 63 == 1 { -magnitude } else { magnitude }
}
