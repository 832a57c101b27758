//! An instruction on elements with everything resolved that the machine code decides.

use parallax_isa::eu::{DataType, State};

use super::{
    compare::{compare_floats, compare_integers},
    compute::{Compute, Computed, Inputs},
    instruction::Instruction,
    lanes::{CHANNELS, Kind, Lanes, word_mode},
    mask::MaskRule,
    modes::{Modes, Rounding},
    operand::{Operand, accumulator_place},
    result::{Conversion, Final},
    signals::Signals,
    target::Target,
};
use crate::eu::condition::Condition;

/// Runs an instruction on the channels that go with the thread.
pub(super) type Run = fn(&Op, &mut State, u32);

/// An instruction on elements: fetch, compute, convert, write under mask.
pub(super) struct Op {
    pub(super) run: Run,
    /// What it was made of, which machine code is made of.
    pub(super) instruction: Instruction,
    pub(super) mask: MaskRule,
    /// Channels of the instruction.
    pub(super) count: usize,
    pub(super) condition: Condition,
    pub(super) sources: [Operand; 3],
    /// How many of the sources it has, an implied one among them.
    pub(super) source_count: usize,
    pub(super) kind: Kind,
    pub(super) compute: Compute,
    pub(super) conversion: Conversion,
    pub(super) target: Target,
    /// Bytes of a destination element.
    pub(super) size: usize,
    /// A second destination, for remainders.
    pub(super) second_target: Option<Target>,
    pub(super) accumulator: Option<AccumulatorWrite>,
    /// Rounding is to nearest even.
    pub(super) nearest: bool,
    /// The sources are integers without sign.
    pub(super) unsigned: bool,
    /// `cmpn`, and selections by order.
    pub(super) second_nan_wins: bool,
    /// Sources that a selection moves bit for bit.
    pub(super) moved: [bool; 2],
    pub(super) guarded: bool,
}

/// What becomes of the accumulator.
#[derive(Clone, Copy)]
pub(super) struct AccumulatorWrite {
    pub(super) contents: Contents,
    /// `cr0` can turn it off.
    pub(super) implicit: bool,
    /// The type of its channels.
    pub(super) data_type: DataType,
    pub(super) number: u8,
    /// Elements of DF take two channels.
    pub(super) doubled: bool,
}

/// What goes to the accumulator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contents {
    /// The elements as the destination would have them.
    Elements,
    /// Integers before conversion.
    Lanes,
    /// What the operation says.
    Second,
}

impl Op {
    /// The channels of the thread that have to be active for all of its own to be.
    pub(super) fn needs(&self) -> u32 {
        if self.mask.no_mask { 0 } else { self.mask.channels << self.mask.first }
    }

    /// Whether an enabled channel's destination lies outside the registers.
    pub(super) fn escapes(&self, state: &State, active: u32) -> bool {
        let (enabled, _) = self.mask.enabled(state, active);
        let escapes = |target: &Target| target.escapes(state, enabled, self.size);
        escapes(&self.target) || self.second_target.as_ref().is_some_and(escapes)
    }

    fn modes(&self, state: &State) -> Modes {
        let modes = Modes::of(state);
        if self.nearest { modes.rounding(Rounding::NearestEven) } else { modes }
    }

    fn inputs(&self, state: &State, modes: &Modes) -> Inputs {
        let mut inputs = Inputs {
            a: [0; CHANNELS],
            b: [0; CHANNELS],
            c: [0; CHANNELS],
            count: self.count,
            unsigned: self.unsigned,
        };
        let lanes = [&mut inputs.a, &mut inputs.b, &mut inputs.c];
        for (source, lanes) in self.sources.iter().zip(lanes).take(self.source_count) {
            source.fetch(state, modes, self.count, lanes);
        }
        inputs
    }

    fn compare(&self, a: &Lanes, b: &Lanes) -> Signals {
        match self.kind {
            Kind::Float(_) => compare_floats(a, b, self.count, self.second_nan_wins),
            Kind::Integer | Kind::Raw => compare_integers(a, b, self.count),
        }
    }

    fn finish(&self, state: &mut State, modes: &Modes, computed: &Computed, enabled: u32) {
        let mut result = Final::new();
        self.conversion.run(modes, &computed.lanes[..self.count], &mut result);
        result.signals.overflow |= computed.signals.overflow;
        self.write_accumulator(state, modes, computed, &result, enabled);
        self.target.write(state, &result.bits, enabled);
        self.set_flags(state, enabled, &result.signals);
    }

    fn set_flags(&self, state: &mut State, enabled: u32, signals: &Signals) {
        if self.condition != Condition::None {
            self.mask.set_flags(state, enabled, signals.hold(self.condition));
        }
    }

    /// Every enabled channel is written, others keep what they have.
    fn write_accumulator(
        &self,
        state: &mut State,
        modes: &Modes,
        computed: &Computed,
        result: &Final,
        enabled: u32,
    ) {
        const ACCUMULATOR_DISABLE: u32 = 1 << 1;
        let Some(write) = self.accumulator else { return };
        if write.implicit && state.control[0] & ACCUMULATOR_DISABLE != 0 {
            return;
        }
        let unsaturated = self.conversion.saturate && write.implicit && write.data_type.is_float();
        let mut plain = Final::new();
        let elements = if unsaturated {
            self.conversion.unsaturated().run(modes, &computed.lanes[..self.count], &mut plain);
            &plain.bits
        } else {
            &result.bits
        };
        let channels = state.accumulator.as_flattened_mut();
        // As in the destination, the first channel of a pair writes.
        let enabled = if write.doubled { enabled & 0x5555_5555 } else { enabled };
        for channel in (0..self.count).filter(|channel| enabled >> channel & 1 == 1) {
            let place = accumulator_place(write.data_type, write.number, channel, write.doubled);
            let Some(place) = channels.get_mut(place) else { continue };
            let integer = match write.contents {
                Contents::Elements => {
                    *place = element(write.data_type, elements[channel]);
                    continue;
                }
                Contents::Lanes => computed.lanes[channel],
                Contents::Second => computed.second[channel],
            };
            *place = match write.data_type.size() {
                1 | 2 => word_mode(integer),
                _ => integer as u64,
            };
        }
    }
}

/// An element as an accumulator holds it.
fn element(data_type: DataType, bits: u64) -> u64 {
    match data_type {
        DataType::Ub | DataType::Uw => bits & 0xFFFF,
        DataType::B | DataType::W => i64::from(bits as i16).cast_unsigned(),
        DataType::Ud => bits & 0xFFFF_FFFF,
        DataType::D => i64::from(bits as i32).cast_unsigned(),
        DataType::Hf => bits & 0xFFFF,
        DataType::F => bits & 0xFFFF_FFFF,
        _ => bits,
    }
}

/// Channel by channel.
pub(super) fn elementwise(op: &Op, state: &mut State, active: u32) {
    let (enabled, _) = op.mask.enabled(state, active);
    let modes = op.modes(state);
    let inputs = op.inputs(state, &modes);
    let mut computed = Computed::new();
    (op.compute)(&inputs, &modes, &mut computed);
    op.finish(state, &modes, &computed, enabled);
    if let Some(second) = &op.second_target {
        let mut result = Final::new();
        op.conversion.run(&modes, &computed.second[..op.count], &mut result);
        second.write(state, &result.bits, enabled);
    }
}

/// A comparison: the flags come from the sources, the destination from the flags.
pub(super) fn compare(op: &Op, state: &mut State, active: u32) {
    let (enabled, _) = op.mask.enabled(state, active);
    let modes = op.modes(state);
    let inputs = op.inputs(state, &modes);
    let signals = op.compare(&inputs.a, &inputs.b);
    let truth = signals.hold(op.condition);
    let mut result = Final::new();
    for (channel, bits) in result.bits.iter_mut().enumerate() {
        *bits = if truth >> channel & 1 == 1 { u64::MAX } else { 0 };
    }
    let computed = Computed::new();
    op.write_accumulator(state, &modes, &computed, &result, enabled);
    op.target.write(state, &result.bits, enabled);
    op.set_flags(state, enabled, &signals);
}

/// `sel` and `csel`: one of two sources, moved bit for bit or converted. Flags are not written.
fn choose(op: &Op, state: &mut State, enabled: u32, first: u32, inputs: &Inputs) {
    let modes = op.modes(state);
    let mut computed = Computed::new();
    let mut result = Final::new();
    for channel in 0..op.count {
        let from_first = first >> channel & 1 == 1;
        computed.lanes[channel] = if from_first { inputs.a[channel] } else { inputs.b[channel] };
    }
    op.conversion.run(&modes, &computed.lanes[..op.count], &mut result);
    for (index, source) in op.sources[..2].iter().enumerate() {
        if !op.moved[index] {
            continue;
        }
        let mut bits = [0; CHANNELS];
        source.bits(state, op.count, &mut bits);
        let from = if index == 0 { first } else { !first };
        for channel in (0..op.count).filter(|channel| from >> channel & 1 == 1) {
            result.bits[channel] = bits[channel];
        }
    }
    op.write_accumulator(state, &modes, &computed, &result, enabled);
    op.target.write(state, &result.bits, enabled);
}

/// `sel` by the predicate.
pub(super) fn select_by_predicate(op: &Op, state: &mut State, active: u32) {
    let (enabled, predicate) = op.mask.enabled(state, active);
    let modes = op.modes(state);
    let inputs = op.inputs(state, &modes);
    choose(op, state, enabled, predicate, &inputs);
}

/// `sel` by the order of its sources.
pub(super) fn select_by_order(op: &Op, state: &mut State, active: u32) {
    let (enabled, _) = op.mask.enabled(state, active);
    let modes = op.modes(state);
    let inputs = op.inputs(state, &modes);
    let mut signals = op.compare(&inputs.a, &inputs.b);
    if matches!(op.condition, Condition::Equal | Condition::NotEqual) {
        // They only compare.
        signals.second_nan = 0;
    }
    // Of two that are no numbers the second one.
    let both = signals.second_nan & nan(&inputs.a, op);
    let first = signals.hold(op.condition) & !both;
    choose(op, state, enabled, first, &inputs);
}

fn nan(lanes: &Lanes, op: &Op) -> u32 {
    match op.kind {
        Kind::Float(_) => compare_floats(lanes, lanes, op.count, false).nan,
        Kind::Integer | Kind::Raw => 0,
    }
}

/// `csel`: by the order of the third source and zero.
pub(super) fn select_by_third(op: &Op, state: &mut State, active: u32) {
    let (enabled, _) = op.mask.enabled(state, active);
    let modes = op.modes(state);
    let inputs = op.inputs(state, &modes);
    // The integer zero and the float one have the same lanes.
    let signals = match op.kind {
        Kind::Float(_) => compare_floats(&inputs.c, &[0; CHANNELS], op.count, false),
        Kind::Integer | Kind::Raw => compare_integers(&inputs.c, &[0; CHANNELS], op.count),
    };
    choose(op, state, enabled, signals.hold(op.condition), &inputs);
}
