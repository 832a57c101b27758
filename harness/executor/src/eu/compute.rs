//! Lane by lane: how operations go through their channels.
//!
//! Integer lanes are `i64`: wide enough for every exact result but the 64-bit accumulator sums,
//! which wrap as the hardware's do. Float lanes are binary64 truncated toward zero, which is what
//! an accumulator channel holds; the destination's truncation follows.

use super::{lanes::Lanes, result::Final};

/// What an operation computes from.
pub(super) struct Inputs {
    pub(super) a: Lanes,
    pub(super) b: Lanes,
    /// Accumulator, or the implied third source of `pln`.
    pub(super) c: Lanes,
    /// The predicate of `sel`.
    pub(super) select: u16,
}

/// What an operation computes, before conversion to the destination type.
pub(super) struct Computed {
    pub(super) lanes: Lanes,
    /// Channels whose rounding needs an increment.
    pub(super) increment: u16,
    /// The signals of a comparison.
    pub(super) compared: Final,
}

impl Computed {
    pub(super) fn new() -> Self {
        Self { lanes: [0; 16], increment: 0, compared: Final::new() }
    }
}

pub(super) type Compute = fn(&Inputs, &mut Computed);

pub(super) fn unary(inputs: &Inputs, out: &mut Computed, operation: impl Fn(i64) -> i64) {
    for (lane, a) in out.lanes.iter_mut().zip(&inputs.a) {
        *lane = operation(a.cast_signed()).cast_unsigned();
    }
}

pub(super) fn binary(inputs: &Inputs, out: &mut Computed, operation: impl Fn(i64, i64) -> i64) {
    for (lane, (a, b)) in out.lanes.iter_mut().zip(inputs.a.iter().zip(&inputs.b)) {
        *lane = operation(a.cast_signed(), b.cast_signed()).cast_unsigned();
    }
}

pub(super) fn ternary(
    inputs: &Inputs,
    out: &mut Computed,
    operation: impl Fn(i64, i64, i64) -> i64,
) {
    for (channel, lane) in out.lanes.iter_mut().enumerate() {
        let [a, b, c] = [&inputs.a, &inputs.b, &inputs.c].map(|lanes| lanes[channel].cast_signed());
        *lane = operation(a, b, c).cast_unsigned();
    }
}

pub(super) fn floats(
    inputs: &Inputs,
    out: &mut Computed,
    operation: impl Fn(f64, f64, f64) -> f64,
) {
    for (channel, lane) in out.lanes.iter_mut().enumerate() {
        let [a, b, c] =
            [&inputs.a, &inputs.b, &inputs.c].map(|lanes| f64::from_bits(lanes[channel]));
        *lane = operation(a, b, c).to_bits();
    }
}
