//! Comparisons: `cmp`, `cmpn`, and what selections compare.

use super::{
    compute::{Computed, Inputs},
    lanes::{Lanes, lane_float},
    modes::Modes,
    operation::{Form, Operands, Operation, data},
    signals::Signals,
};

/// The operations.
pub(super) const ROWS: &[Operation] = &[
    data(0x10, "cmp", Operands::Two)
        .form(Form::Compare { second_nan_wins: false })
        .integer(elsewhere)
        .narrow(elsewhere)
        .wide(elsewhere),
    data(0x11, "cmpn", Operands::Two)
        .form(Form::Compare { second_nan_wins: true })
        .integer(elsewhere)
        .narrow(elsewhere)
        .wide(elsewhere),
];

/// Comparisons of every type are run by `native::compare`, which has no result to be written.
fn elsewhere(_: &Inputs, _: &Modes, _: &mut Computed) {}

/// The signals of a difference of integers, which is never computed.
pub(super) fn compare_integers(a: &Lanes, b: &Lanes, count: usize) -> Signals {
    let mut signals = Signals::default();
    for channel in 0..count {
        signals.set(channel, a[channel] == b[channel], a[channel] < b[channel], false);
    }
    signals
}

/// The same of floats.
pub(super) fn compare_floats(a: &Lanes, b: &Lanes, count: usize, second_nan_wins: bool) -> Signals {
    let mut signals = Signals::default();
    for channel in 0..count {
        let (a, b) = (lane_float(a[channel]), lane_float(b[channel]));
        signals.set(channel, a == b, a < b, a.is_nan() || b.is_nan());
        signals.second_nan |= u32::from(second_nan_wins && b.is_nan()) << channel;
    }
    signals
}
