//! Lane by lane: how operations go through their channels.

use super::{
    lanes::{CHANNELS, Lanes, float_lane, lane_float},
    modes::Modes,
    signals::Signals,
};

/// What an operation computes from.
pub(super) struct Inputs {
    pub(super) a: Lanes,
    pub(super) b: Lanes,
    pub(super) c: Lanes,
    /// Channels that count.
    pub(super) count: usize,
    /// The sources are numbers without sign.
    pub(super) unsigned: bool,
}

/// What an operation computes, before conversion to the destination type.
pub(super) struct Computed {
    pub(super) lanes: Lanes,
    /// What the accumulator gets where that is something else, or a second destination.
    pub(super) second: Lanes,
    /// The signals of a comparison.
    pub(super) signals: Signals,
}

impl Computed {
    pub(super) fn new() -> Self {
        Self { lanes: [0; CHANNELS], second: [0; CHANNELS], signals: Signals::default() }
    }
}

pub(super) type Compute = fn(&Inputs, &Modes, &mut Computed);

/// What an integer operation needs to know of its operands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub(super) generation: super::fields::Generation,
    /// Bits of the execution type: 16, 32 or 64.
    pub(super) bits: u32,
    /// Bits of the first source's type.
    pub(super) first_bits: usize,
    /// The first source or the destination has 64 bits: shift counts have six.
    pub(super) long_count: bool,
    /// An operand is an accumulator, whose channels have more bits.
    pub(super) accumulator: bool,
    /// The accumulator is written besides.
    pub(super) accumulator_control: bool,
    /// The last source is a dword.
    pub(super) last_is_dword: bool,
    /// The first source's type is signed.
    pub(super) signed: bool,
    /// Those of the second and third source are.
    pub(super) factors_signed: [bool; 2],
}

pub(super) fn unary(inputs: &Inputs, out: &mut Computed, operation: impl Fn(i128) -> i128) {
    for (lane, a) in out.lanes[..inputs.count].iter_mut().zip(&inputs.a) {
        *lane = operation(*a);
    }
}

pub(super) fn binary(inputs: &Inputs, out: &mut Computed, operation: impl Fn(i128, i128) -> i128) {
    for (lane, (a, b)) in out.lanes[..inputs.count].iter_mut().zip(inputs.a.iter().zip(&inputs.b)) {
        *lane = operation(*a, *b);
    }
}

pub(super) fn ternary(
    inputs: &Inputs,
    out: &mut Computed,
    operation: impl Fn(i128, i128, i128) -> i128,
) {
    for (channel, lane) in out.lanes[..inputs.count].iter_mut().enumerate() {
        *lane = operation(inputs.a[channel], inputs.b[channel], inputs.c[channel]);
    }
}

pub(super) fn floats(
    inputs: &Inputs,
    out: &mut Computed,
    operation: impl Fn(f64, f64, f64) -> f64,
) {
    for (channel, lane) in out.lanes[..inputs.count].iter_mut().enumerate() {
        let [a, b, c] = [&inputs.a, &inputs.b, &inputs.c].map(|lanes| lane_float(lanes[channel]));
        *lane = float_lane(operation(a, b, c));
    }
}

/// As `floats`, for operations that say whether a finite result overflowed.
pub(super) fn rounded(
    inputs: &Inputs,
    out: &mut Computed,
    operation: impl Fn(f64, f64, f64) -> (f64, bool),
) {
    for (channel, lane) in out.lanes[..inputs.count].iter_mut().enumerate() {
        let [a, b, c] = [&inputs.a, &inputs.b, &inputs.c].map(|lanes| lane_float(lanes[channel]));
        let (value, overflow) = operation(a, b, c);
        *lane = float_lane(value);
        out.signals.overflow |= u32::from(overflow) << channel;
    }
}
